// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses which axes go to which factors of an op, so that all devices work and
// the fewest bytes travel, and builds the op on the blocks.

#include "ir/matchers/ValueBuilders.h"
#include "ir/remarks/Remark.h"
#include "passes/sharding/ShardingRule.h"
#include "passes/sharding/partition/Partitioner.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::sharding;

namespace {
/// Axes of each factor of an op.
using Dealt = SmallVector<Atoms>;

struct OpFactors {
  Operation *op;
  FactorMapping mapping;
  const DeviceAxes &axes;

  bool isUsable(unsigned factor) const;
  const TensorFactors *factorsOf(unsigned tensor) const;
  unsigned tensors() const {
    return op->getNumOperands() + op->getNumResults();
  }
  /// Adds what `layout` of a tensor deals, as far as `dealt` has not.
  void add(Dealt &dealt, unsigned tensor, const Layout &layout) const;
  /// Takes away what no tensor could have as contiguous blocks.
  void restrict(Dealt &dealt) const;
  Layout layout(const Dealt &dealt, unsigned tensor) const;
  /// Axes of the factors that the op folds.
  Atoms folded(const Dealt &dealt) const;
  int64_t degree(const Dealt &dealt) const;
};
} // namespace

// How the terms of a dealt reduction join; nothing where they don't.
static std::optional<graph::ReduceKind> foldOf(Operation *op) {
  if (isa<graph::DotGeneralOp>(op))
    return graph::ReduceKind::sum;
  if (auto convolution = dyn_cast<graph::ConvolutionOp>(op))
    return convolution.getGroups() == 1 ? std::optional(graph::ReduceKind::sum)
                                        : std::nullopt;
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return reduce.getKind();
  return std::nullopt;
}

// Ops that compute a block of the results from blocks of the operands by the
// same formula.
static bool worksOnBlocks(Operation *op) {
  switch (graph::familyOf(op).value_or(graph::Family::Collective)) {
  case graph::Family::Elementwise:
  case graph::Family::Contraction:
  case graph::Family::Reduction:
  case graph::Family::LinearAlgebra:
  case graph::Family::Movement:
  case graph::Family::Composite:
    return true;
  case graph::Family::Indexing:
    return true;
  case graph::Family::Ordering:
    return isa<graph::SortOp, graph::SortWithOp, graph::TopKOp>(op);
  case graph::Family::Control:
    return isa<graph::BarrierOp, graph::StopGradientOp>(op);
  case graph::Family::Random:
  case graph::Family::Search:
  case graph::Family::Collective:
    return false;
  }
  return false;
}

static bool has(const TensorFactors *tensor, unsigned factor) {
  return tensor && llvm::any_of(*tensor, [&](const DimFactors &dim) {
           return llvm::is_contained(dim, factor);
         });
}

// Whether data say where along this factor an op writes: positions are those of
// the whole dimension, not of a block.
static bool isWrittenAt(const OpFactors &op, unsigned factor) {
  if (!isa<graph::DynamicUpdateSliceOp, graph::ScatterOp, graph::ScatterWithOp>(
          op.op))
    return false;
  unsigned updates =
      isa<graph::DynamicUpdateSliceOp>(op.op) ? 1 : op.op->getNumOperands() - 1;
  return has(op.factorsOf(0), factor) && !has(op.factorsOf(updates), factor);
}

bool OpFactors::isUsable(unsigned factor) const {
  const Factor &f = mapping.factors[factor];
  if (f.blocked || f.size == 1 || isWrittenAt(*this, factor))
    return false;
  // Blocks of the filters of several groups would be other groups.
  auto convolution = dyn_cast<graph::ConvolutionOp>(op);
  if (convolution && convolution.getGroups() != 1 && has(factorsOf(1), factor))
    return false;
  // Parts of windows are at other places of the input.
  if (convolution && f.kind == FactorKind::Reduction &&
      llvm::any_of(convolution.getDims().getKernelSpatial(), [&](int64_t dim) {
        return llvm::is_contained((*factorsOf(1))[dim], factor);
      }))
    return false;
  return f.kind == FactorKind::PassThrough ||
         (f.kind == FactorKind::Reduction && foldOf(op));
}

const TensorFactors *OpFactors::factorsOf(unsigned tensor) const {
  unsigned operands = op->getNumOperands();
  const auto &list = tensor < operands ? mapping.operands : mapping.results;
  unsigned at = tensor < operands ? tensor : tensor - operands;
  return at < list.size() ? &list[at] : nullptr;
}

// Gives the axes of one dimension to its factors, major to minor.
static void deal(Dealt &own, const OpFactors &op, const DimFactors &factors,
                 ArrayRef<unsigned> atoms) {
  size_t at = 0;
  SmallVector<unsigned> list;
  for (unsigned factor : factors)
    if (op.mapping.factors[factor].size != 1)
      list.push_back(factor);
  if (list.empty())
    return;
  if (list.size() == 1) {
    own[list[0]].assign(atoms.begin(), atoms.end());
    return;
  }
  int64_t rest = op.mapping.factors[list[0]].size;
  for (unsigned atom : atoms) {
    while (rest == 1 && at + 1 < list.size())
      rest = op.mapping.factors[list[++at]].size;
    int64_t size = op.axes.size(atom);
    if (rest % size != 0)
      return;
    own[list[at]].push_back(atom);
    rest /= size;
  }
}

void OpFactors::add(Dealt &dealt, unsigned tensor, const Layout &layout) const {
  const TensorFactors *factors = factorsOf(tensor);
  if (!factors)
    return;
  Dealt own(mapping.factors.size());
  for (auto [dim, list] : llvm::enumerate(*factors))
    if (dim < layout.dims.size())
      deal(own, *this, list, layout.dims[dim]);
  for (unsigned factor = 0; factor < own.size(); ++factor) {
    if (!isUsable(factor))
      continue;
    // Only what goes on from the axes that the factor has.
    Atoms &has = dealt[factor];
    if (has.size() > own[factor].size() ||
        !std::equal(has.begin(), has.end(), own[factor].begin()))
      continue;
    for (unsigned atom :
         ArrayRef<unsigned>(own[factor]).drop_front(has.size())) {
      if (llvm::any_of(dealt, [&](const Atoms &other) {
            return llvm::is_contained(other, atom);
          }))
        break;
      has.push_back(atom);
    }
  }
}

void OpFactors::restrict(Dealt &dealt) const {
  bool changed = true;
  while (changed) {
    changed = false;
    for (unsigned tensor = 0; tensor < tensors(); ++tensor) {
      const TensorFactors *factors = factorsOf(tensor);
      if (!factors)
        continue;
      for (const DimFactors &dim : *factors) {
        unsigned wide = llvm::count_if(dim, [&](unsigned factor) {
          return mapping.factors[factor].size != 1;
        });
        if (wide < 2)
          continue;
        bool whole = true; // all factors before are dealt to the last element
        for (unsigned factor : dim) {
          int64_t size = mapping.factors[factor].size;
          int64_t shards = axes.size(dealt[factor]);
          if (shards > 1 && (!whole || size % shards != 0)) {
            dealt[factor].pop_back();
            changed = true;
          }
          whole &= size == shards;
        }
      }
    }
  }
}

Layout OpFactors::layout(const Dealt &dealt, unsigned tensor) const {
  Value value = tensor < op->getNumOperands()
                    ? op->getOperand(tensor)
                    : op->getResult(tensor - op->getNumOperands());
  Layout layout = Layout::whole(tensorTypeOf(value).getRank());
  if (const TensorFactors *factors = factorsOf(tensor))
    for (auto [dim, list] : llvm::enumerate(*factors))
      for (unsigned factor : list)
        llvm::append_range(layout.dims[dim], dealt[factor]);
  return layout;
}

Atoms OpFactors::folded(const Dealt &dealt) const {
  Atoms atoms;
  for (auto [factor, own] : llvm::enumerate(dealt))
    if (mapping.factors[factor].kind == FactorKind::Reduction)
      llvm::append_range(atoms, own);
  return axes.inMeshOrder(atoms);
}

int64_t OpFactors::degree(const Dealt &dealt) const {
  int64_t product = 1;
  for (const Atoms &own : dealt)
    product *= axes.size(own);
  return product;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

namespace {
struct Candidate {
  Dealt dealt;
  int64_t degree = 0;
  double sent = 0;
  Value first; ///< whose layout goes before the others'
};
} // namespace

static Layout resultLayout(const OpFactors &factors, const Dealt &dealt,
                           unsigned result) {
  Layout layout = factors.layout(dealt, factors.op->getNumOperands() + result);
  layout.partial = factors.folded(dealt);
  if (std::optional<graph::ReduceKind> fold = foldOf(factors.op))
    layout.fold = *fold;
  return layout;
}

static void price(Partitioner &p, const OpFactors &factors,
                  Candidate &candidate) {
  candidate.degree = factors.degree(candidate.dealt);
  candidate.sent = 0;
  for (auto [i, operand] : llvm::enumerate(factors.op->getOperands()))
    candidate.sent +=
        p.requestBytes(operand, factors.layout(candidate.dealt, unsigned(i)));
  for (auto [i, result] : llvm::enumerate(factors.op->getResults())) {
    Layout own = resultLayout(factors, candidate.dealt, unsigned(i));
    Layout wanted = own;
    wanted.partial.clear();
    if (std::optional<Layout> said = p.wantedLayout(result))
      wanted = *said;
    candidate.sent +=
        sentBytes(planReshard(tensorTypeOf(result), own, wanted, p.axes));
  }
}

// What the cheapest other way of dealing the op would send.
static void explainChoice(Operation *op, const Candidate &best,
                          ArrayRef<Candidate> candidates) {
  const Candidate *other = nullptr;
  for (const Candidate &candidate : candidates)
    if (candidate.dealt != best.dealt &&
        (!other || candidate.sent < other->sent))
      other = &candidate;
  auto text = [](Value value) {
    return "'" + nameOf(value) + "' (" + originsOf(value) + ")";
  };
  if (other)
    remarks::emit(op, remarks::Code::SHD105,
                  {op->getName().getStringRef(), text(best.first),
                   int64_t(best.sent), text(other->first),
                   int64_t(other->sent)});
}

// All devices at work first, then the fewest bytes, then the first in order:
// the layout that results want, extended by those of operands.
static Dealt choose(Partitioner &p, const OpFactors &factors) {
  Operation *op = factors.op;
  unsigned operands = op->getNumOperands();
  std::vector<std::pair<unsigned, Layout>> seeds;
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    if (std::optional<Layout> wanted = p.wantedLayout(result))
      seeds.push_back({operands + unsigned(i), *wanted});
  size_t results = seeds.size();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    seeds.push_back({unsigned(i), p.layoutOf(operand)});
  std::vector<Candidate> candidates;
  for (size_t first = 0; first < seeds.size(); ++first) {
    if (first > 0 && first < results)
      continue;
    unsigned tensor = seeds[first].first;
    Candidate &candidate = candidates.emplace_back();
    candidate.first = tensor < operands
                          ? op->getOperand(tensor)
                          : Value(op->getResult(tensor - operands));
    candidate.dealt.resize(factors.mapping.factors.size());
    factors.add(candidate.dealt, tensor, seeds[first].second);
    for (const auto &[other, layout] : seeds)
      factors.add(candidate.dealt, other, layout);
    factors.restrict(candidate.dealt);
    price(p, factors, candidate);
  }
  if (candidates.empty())
    return Dealt(factors.mapping.factors.size());
  const Candidate *best = &candidates.front();
  for (const Candidate &candidate : candidates)
    if (candidate.degree > best->degree ||
        (candidate.degree == best->degree && candidate.sent < best->sent))
      best = &candidate;
  if (p.explain)
    explainChoice(op, *best, candidates);
  return best->dealt;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

// Sizes that stand in attributes, for blocks.
static void fitAttributes(Operation *op) {
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    slice.setStaticSizes(tensorTypeOf(slice.getResult()).getShape());
  } else if (auto gather = dyn_cast<graph::GatherOp>(op)) {
    SmallVector<int64_t> sizes(gather.getSliceSizes());
    ArrayRef<int64_t> shape = tensorTypeOf(gather.getOperand()).getShape();
    for (auto [size, own] : llvm::zip_equal(sizes, shape))
      size = std::min(size, own);
    gather.setSliceSizes(sizes);
  }
}

// The operand with what pads a dealt reduction dimension made neutral.
static Value masked(Partitioner &p, const OpFactors &factors,
                    const Dealt &dealt, unsigned operand, Value value) {
  std::optional<graph::ReduceKind> fold = foldOf(factors.op);
  const TensorFactors *tensor = factors.factorsOf(operand);
  if (!fold || !tensor)
    return value;
  LocalBuilder x = p.local(factors.op->getLoc());
  for (auto [dim, list] : llvm::enumerate(*tensor)) {
    bool folds = llvm::any_of(list, [&](unsigned factor) {
      return factors.mapping.factors[factor].kind == FactorKind::Reduction &&
             !dealt[factor].empty();
    });
    if (!folds || list.size() != 1)
      continue;
    int64_t size =
        tensorTypeOf(factors.op->getOperand(operand)).getDimSize(dim);
    if (tensorTypeOf(value).getDimSize(dim) * p.axes.size(dealt[list[0]]) ==
        size)
      continue;
    Value neutral = p.b.create<graph::ConstantOp>(
        x.loc, cast<ElementsAttr>(graph::neutralElement(
                   *fold, tensorTypeOf(value).getElementType())));
    value = x.maskPadding(value, int64_t(dim), size, dealt[list[0]], neutral);
  }
  return value;
}

llvm::Error Partitioner::byFactors(Operation &op) {
  if (!worksOnBlocks(&op))
    return onWhole(op);
  OpFactors factors{&op, factorMappingOf(&op), axes};
  if (factors.mapping.empty())
    return onWhole(op);
  Dealt dealt = choose(*this, factors);
  if (factors.degree(dealt) == 1)
    return onWhole(op);
  IRMapping mapping;
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    operands.push_back(
        masked(*this, factors, dealt, unsigned(i),
               request(operand, factors.layout(dealt, unsigned(i)))));
  mapCaptured(op, mapping);
  Operation *clone = b.clone(op, mapping);
  clone->setOperands(operands);
  for (auto [i, from] : llvm::enumerate(op.getResults())) {
    Layout layout = resultLayout(factors, dealt, unsigned(i));
    clone->getResult(i).setType(axes.blockType(tensorTypeOf(from), layout));
    set(from, layout, clone->getResult(i));
  }
  fitAttributes(clone);
  return llvm::Error::success();
}
