// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The basic and the aggressive step of Shardy's propagation
// (docs/propagation.md there).

#include "passes/sharding/FactorPropagation.h"

#include <numeric>

using namespace mlir;

namespace zenith::sharding {

namespace {

/// Axes on which all values agree so far.
struct Agreement {
  Axes axes;
  bool mayGrow = true;

  void meet(ArrayRef<Axis> other, bool isSource) {
    if (isPrefix(other, axes))
      return;
    if (isPrefix(axes, other)) {
      if (isSource && mayGrow)
        axes.assign(other.begin(), other.end());
      return;
    }
    axes = commonPrefix(axes, other);
    mayGrow = false;
  }
};

class Step {
public:
  Step(Projection &projection, const PropagationStep &step)
      : projection(projection), step(step) {}

  SmallVector<Expansion> run() {
    SmallVector<Proposal> proposals;
    for (unsigned i = 0; i < step.factors.size(); ++i) {
      if (step.factors[i].blocked || step.directions[i] == Direction::None)
        continue;
      Proposal proposal{i, agreedAxes(i)};
      if (!proposal.axes.empty())
        proposals.push_back(std::move(proposal));
    }
    if (step.aggressive)
      runAggressive(proposals);
    else
      runBasic(proposals);
    return std::move(expansions);
  }

private:
  struct Proposal {
    unsigned factor;
    Axes axes;
    unsigned source = 0;
    int64_t sourceSize = 0;
  };

  bool isOperand(unsigned tensor) const { return tensor < projection.operands; }

  const FactorSharding *find(unsigned tensor, unsigned factor) const {
    auto &factors = projection.tensors[tensor].factors;
    auto found = factors.find(factor);
    return found == factors.end() ? nullptr : &found->second;
  }

  /// The longest list of axes such that every value with the factor has a
  /// prefix of it.
  Axes agreedAxes(unsigned factor) const {
    Agreement agreement;
    Direction direction = step.directions[factor];
    auto meetAll = [&](bool operands) {
      bool isSource = direction == Direction::Both ||
                      (direction == Direction::Forward) == operands;
      for (unsigned i = 0; i < projection.tensors.size(); ++i)
        if (const FactorSharding *sharding = find(i, factor);
            sharding && isOperand(i) == operands)
          agreement.meet(sharding->axes, isSource);
    };
    // Sources first: the others only shorten what these agree on.
    bool operandsFirst = direction != Direction::Backward;
    meetAll(operandsFirst);
    meetAll(!operandsFirst);
    return agreement.axes;
  }

  void report(unsigned tensor, unsigned factor, const Axis &axis,
              Obstacle obstacle) const {
    if (step.stopped)
      step.stopped({tensor, factor, source, axis, obstacle});
  }

  /// The part of `axis` that no other factor of a value uses.
  std::optional<Axis> besideOtherFactors(const Axis &axis, unsigned tensor,
                                         unsigned factor) const {
    std::optional<Axis> part = axis;
    for (auto &[other, sharding] : projection.tensors[tensor].factors) {
      if (other == factor)
        continue;
      for (const Axes *used : {&sharding.axes, &sharding.overflow})
        if (part)
          part = partWithout(*part, *used);
    }
    if (!part)
      report(tensor, factor, axis, Obstacle::OtherFactor);
    return part;
  }

  /// The part of `axis` that may follow `before` shards of a factor in a value.
  std::optional<Axis> withinFactor(const Axis &axis, unsigned tensor,
                                   unsigned factor, int64_t before) const {
    const FactorSharding &sharding = *find(tensor, factor);
    const TensorFactorShardings &around = projection.tensors[tensor];
    int64_t size = step.factors[factor].size;
    if (llvm::any_of(sharding.axes,
                     [&](const Axis &own) { return own.contains(axis); }))
      return axis;
    auto stop = [&](Obstacle obstacle) -> std::optional<Axis> {
      report(tensor, factor, axis, obstacle);
      return std::nullopt;
    };
    if (!sharding.open)
      return stop(Obstacle::Closed);
    if (!sharding.overflow.empty())
      return stop(Obstacle::Overflow);
    std::optional<Axis> part = partWithout(axis, around.replicated);
    if (part)
      part = partWithout(*part, around.unreduced);
    if (!part)
      return stop(Obstacle::Replicated);
    if (step.conservative && !part->isWhole())
      return stop(Obstacle::Uneven);
    bool mustDivide = !sharding.minorMost || step.conservative;
    if (!mustDivide || size % (before * part->size) == 0)
      return part;
    // Of an axis that is larger than what is left, a factor may fit.
    int64_t fitting =
        size % before == 0 ? std::gcd(size / before, part->size) : 1;
    if (fitting == 1 || step.conservative)
      return stop(Obstacle::Uneven);
    part->size = fitting;
    return part;
  }

  using Allowed =
      llvm::function_ref<std::optional<Axis>(const Axis &, int64_t)>;
  /// The axes up to the first that is not allowed whole.
  static Axes truncated(ArrayRef<Axis> axes, Allowed allowed) {
    Axes result;
    int64_t before = 1;
    for (const Axis &axis : axes) {
      std::optional<Axis> part = allowed(axis, before);
      if (!part)
        return result;
      appendAxis(result, *part);
      if (!(*part == axis))
        return result;
      before *= axis.size;
    }
    return result;
  }

  void grow(unsigned tensor, unsigned factor, ArrayRef<Axis> axes,
            unsigned source) {
    FactorSharding &sharding = projection.tensors[tensor].factors.at(factor);
    bool isLonger = isPrefix(sharding.axes, axes) &&
                    shardsOf(axes) > shardsOf(sharding.axes);
    if (!isLonger)
      return;
    sharding.axes.assign(axes.begin(), axes.end());
    expansions.push_back({tensor, factor, source});
  }

  /// The first of the largest values that has all the axes.
  void findSource(Proposal &proposal) const {
    for (unsigned i = 0; i < projection.tensors.size(); ++i) {
      const FactorSharding *sharding = find(i, proposal.factor);
      if (!sharding || !isPrefix(proposal.axes, sharding->axes))
        continue;
      int64_t size = 1;
      for (auto &[factor, unused] : projection.tensors[i].factors)
        size *= step.factors[factor].size;
      if (size > proposal.sourceSize) {
        proposal.source = i;
        proposal.sourceSize = size;
      }
    }
  }

  void runBasic(MutableArrayRef<Proposal> proposals) {
    for (Proposal &proposal : proposals) {
      findSource(proposal);
      source = proposal.source;
      for (unsigned i = 0; i < projection.tensors.size(); ++i)
        proposal.axes =
            truncated(proposal.axes, [&](const Axis &axis, int64_t before) {
              std::optional<Axis> part =
                  besideOtherFactors(axis, i, proposal.factor);
              if (part && find(i, proposal.factor))
                part = withinFactor(*part, i, proposal.factor, before);
              return part;
            });
    }
    for (Proposal &proposal : proposals)
      for (unsigned i = 0; i < projection.tensors.size(); ++i)
        if (find(i, proposal.factor))
          grow(i, proposal.factor, proposal.axes, proposal.source);
  }

  void offer(const Proposal &proposal, unsigned tensor, ArrayRef<Axis> axes) {
    if (!find(tensor, proposal.factor))
      return;
    Axes fitting = truncated(axes, [&](const Axis &axis, int64_t before) {
      std::optional<Axis> part =
          besideOtherFactors(axis, tensor, proposal.factor);
      return part ? withinFactor(*part, tensor, proposal.factor, before)
                  : std::nullopt;
    });
    grow(tensor, proposal.factor, fitting, proposal.source);
  }

  void runAggressive(MutableArrayRef<Proposal> proposals) {
    for (Proposal &proposal : proposals)
      findSource(proposal);
    auto isBefore = [&](const Proposal &lhs, const Proposal &rhs) {
      if (lhs.sourceSize != rhs.sourceSize)
        return lhs.sourceSize > rhs.sourceSize;
      int64_t left = shardsOf(lhs.axes), right = shardsOf(rhs.axes);
      if (step.elementwise && left != right)
        return left > right;
      return std::pair(lhs.source, lhs.factor) <
             std::pair(rhs.source, rhs.factor);
    };
    llvm::sort(proposals, isBefore);
    for (const Proposal &proposal : proposals) {
      source = proposal.source;
      for (unsigned i = projection.operands; i < projection.tensors.size(); ++i)
        offer(proposal, i, proposal.axes);
      // An elementwise operand with more axes than the result is resharded in
      // vain.
      Axes axes = proposal.axes;
      for (unsigned i = projection.operands;
           step.elementwise && i < projection.tensors.size(); ++i)
        if (const FactorSharding *result = find(i, proposal.factor);
            result && isPrefix(result->axes, axes))
          axes = result->axes;
      for (unsigned i = 0; i < projection.operands; ++i)
        offer(proposal, i, axes);
    }
  }

  Projection &projection;
  const PropagationStep &step;
  SmallVector<Expansion> expansions;
  unsigned source = 0; ///< of the proposal that is being offered
};

} // namespace

SmallVector<Expansion> expand(Projection &projection,
                              const PropagationStep &step) {
  return Step(projection, step).run();
}

} // namespace zenith::sharding
