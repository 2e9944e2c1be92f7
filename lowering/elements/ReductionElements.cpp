// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of reductions, windows and convolutions where no schedule has
// computed them: a fold in place, unrolled where few elements take part.

#include "lowering/builder/LaneNumber.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// Elements of a window that are emitted one by one; more of them take a loop.
static constexpr int64_t unrollLimit = 64;

Value ElementEmitter::fold(graph::ReduceKind kind, Type element, Value x,
                           Value y) {
  using K = graph::ReduceKind;
  OpBuilder &b = kernel.b;
  Value pair[] = {x, y};
  unify(pair);
  auto make = [&](auto tag) -> Value {
    return b.create<decltype(tag)>(kernel.loc, pair[0], pair[1]);
  };
  bool isFloat = isa<FloatType>(element),
       isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  switch (kind) {
  case K::sum:
    return isFloat                ? make(arith::AddFOp())
           : element.isInteger(1) ? make(arith::OrIOp())
                                  : make(arith::AddIOp());
  case K::prod:
    return isFloat ? make(arith::MulFOp()) : make(arith::MulIOp());
  case K::max:
    return isFloat      ? make(arith::MaximumFOp())
           : isUnsigned ? make(arith::MaxUIOp())
                        : make(arith::MaxSIOp());
  case K::min:
    return isFloat      ? make(arith::MinimumFOp())
           : isUnsigned ? make(arith::MinUIOp())
                        : make(arith::MinSIOp());
  case K::all:
    return make(arith::AndIOp());
  case K::any:
    return make(arith::OrIOp());
  case K::parity:
    return make(arith::XOrIOp());
  }
  return {};
}

Value ElementEmitter::neutral(graph::ReduceKind kind, Type element, Type like) {
  using K = graph::ReduceKind;
  Type type = typeLike(registerType(element), like);
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(element))
    return kernel.constant(type, kind == K::prod  ? 1
                                 : kind == K::max ? -infinity
                                 : kind == K::min ? infinity
                                                  : 0.0);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  auto extreme = [&](const APInt &value) {
    return isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue();
  };
  switch (kind) {
  case K::prod:
    return kernel.integer(type, 1);
  case K::max:
    return kernel.integer(type, extreme(isUnsigned
                                            ? APInt(width, 0)
                                            : APInt::getSignedMinValue(width)));
  case K::min:
    return kernel.integer(type, extreme(isUnsigned
                                            ? APInt::getMaxValue(width)
                                            : APInt::getSignedMaxValue(width)));
  case K::all:
    return kernel.integer(type, isUnsigned && width == 4 ? 15 : -1);
  default:
    return kernel.integer(type, 0);
  }
}

Value ElementEmitter::reduction(Operation *op, ArrayRef<LaneIndex> index) {
  if (auto reduce = dyn_cast<graph::ReduceOp>(op))
    return reduceInPlace(reduce, index);
  if (auto reduce = dyn_cast<graph::ArgReduceOp>(op))
    return argReduceInPlace(reduce, index);
  if (isa<graph::ReduceWindowOp, graph::ConvolutionOp>(op))
    return window(op, index);
  return unsupported(op);
}

Value ElementEmitter::reduceInPlace(graph::ReduceOp op,
                                    ArrayRef<LaneIndex> index) {
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  const graph::DimVector dims = dimsOf(op.getOperand());
  bool lanes = anyLanes(index);
  Value start = neutral(op.getKind(), element, kernel.b.getIndexType());
  start = lanes ? kernel.broadcast(start, indices.width) : start;
  SmallVector<LaneIndex> at;
  std::function<Value(Value)> next = [&](Value sum) -> Value {
    unsigned d = at.size();
    if (d == dims.size()) {
      Value x = emit(op.getOperand(), at);
      return x ? fold(op.getKind(), element, sum, x) : Value();
    }
    auto *reduced = llvm::find(op.getDims(), int64_t(d));
    if (reduced == op.getDims().end()) {
      at.push_back(index[d - llvm::count_if(op.getDims(), [&](int64_t other) {
                           return other < int64_t(d);
                         })]);
      Value result = next(sum);
      at.pop_back();
      return result;
    }
    auto results =
        kernel.loop(kernel.index(0), kernel.size(dims[d]), kernel.index(1),
                    {sum}, [&](Value iv, ValueRange carried) {
                      Scope scope(*this);
                      at.push_back(indices.scalar(iv, dims[d]));
                      Value result = next(carried[0]);
                      at.pop_back();
                      return SmallVector<Value>{result ? result : carried[0]};
                    });
    return results[0];
  };
  Value result = next(start);
  return result && !anyFailure ? roundTo(element, result) : Value();
}

Value ElementEmitter::argStep(graph::ArgReduceOp op, Value best, Value bestAt,
                              Value x, Value at, Value &atResult) {
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  OpBuilder &b = kernel.b;
  Value values[] = {best, x}, places[] = {bestAt, at};
  bool isMax = op.getKind() == graph::ReduceKind::max;
  Num old{&kernel, values[0]}, now{&kernel, values[1]};
  Value better;
  if (isa<FloatType>(element)) {
    // A NaN beats all but an earlier NaN.
    Flag beats = isMax ? now > old : now < old;
    if (op.getLast())
      beats = beats || now == old;
    Flag nan = op.getLast() ? now.isNaN() : now.isNaN() && !old.isNaN();
    better = ((beats && !old.isNaN()) || nan).v;
  } else {
    bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
    using P = arith::CmpIPredicate;
    P predicate = isMax ? (isUnsigned ? (op.getLast() ? P::uge : P::ugt)
                                      : (op.getLast() ? P::sge : P::sgt))
                        : (isUnsigned ? (op.getLast() ? P::ule : P::ult)
                                      : (op.getLast() ? P::sle : P::slt));
    better =
        b.create<arith::CmpIOp>(kernel.loc, predicate, values[1], values[0]);
  }
  atResult =
      b.create<arith::SelectOp>(kernel.loc, better, places[1], places[0]);
  return b.create<arith::SelectOp>(kernel.loc, better, values[1], values[0]);
}

Value ElementEmitter::argReduceInPlace(graph::ArgReduceOp op,
                                       ArrayRef<LaneIndex> index) {
  int64_t dim = op.getDim();
  DimExpr size = kernel.dims.dimOf(op.getOperand(), dim);
  unsigned width = anyLanes(index) ? indices.width : 1;
  Type placeType = registerType(getElementTypeOrSelf(op.getResult().getType()));
  auto elementAt = [&](LaneIndex position) {
    SmallVector<LaneIndex> at(index);
    at.insert(at.begin() + dim, std::move(position));
    Value x = emit(op.getOperand(), at);
    return x ? kernel.broadcast(x, width) : x;
  };
  Value first = elementAt(LaneIndex(0));
  if (!first)
    return {};
  Value zero = kernel.broadcast(kernel.integer(placeType, 0), width);
  auto results =
      kernel.loop(kernel.index(1), kernel.size(size), kernel.index(1),
                  {first, zero}, [&](Value iv, ValueRange carried) {
                    Scope scope(*this);
                    Value x = elementAt(indices.scalar(iv, size));
                    if (!x)
                      return SmallVector<Value>(carried);
                    Value at = kernel.b.create<arith::IndexCastOp>(
                              kernel.loc, placeType, iv),
                          place;
                    Value best = argStep(op, carried[0], carried[1], x,
                                         kernel.broadcast(at, width), place);
                    return SmallVector<Value>{best, place};
                  });
  return anyFailure ? Value() : results[1];
}

LaneIndex ElementEmitter::tapAt(const WindowSpan &span, Value number) {
  Value distance = kernel.mul(number, kernel.index(span.dilation));
  return indices.scalar(kernel.add(indices.value(span.first), distance),
                        span.size);
}

std::pair<Value, Value> ElementEmitter::tapsInside(const WindowSpan &span) {
  Value first = indices.value(span.first), step = kernel.index(span.dilation);
  auto reach = [&](Value distance) {
    Value positive = kernel.max(distance, kernel.index(0));
    return kernel.div(kernel.add(positive, kernel.index(span.dilation - 1)),
                      step);
  };
  return {reach(kernel.sub(kernel.index(0), first)),
          kernel.min(kernel.index(span.count),
                     reach(kernel.sub(kernel.size(span.size), first)))};
}

Value ElementEmitter::foldWindow(ArrayRef<WindowSpan> spans, Value start,
                                 const WindowStep &step) {
  int64_t unrolled = 1;
  SmallVector<bool> unroll(spans.size());
  for (unsigned d = spans.size(); d-- > 0;) {
    const WindowSpan &span = spans[d];
    LaneIndex last =
        indices.shift(span.first, (span.count - 1) * span.dilation);
    // Lanes that leave the operand are masked, each step by itself.
    bool plain = span.baseDilation == 1 &&
                 (!indices.uniform(span.first) ||
                  (indices.provablyInside(span.first, 0, span.size) &&
                   indices.provablyInside(last, 0, span.size)));
    unroll[d] =
        span.count == 1 || (plain && unrolled * span.count <= unrollLimit);
    if (unroll[d])
      unrolled *= span.count;
  }
  SmallVector<LaneIndex> window, operand;
  std::function<Value(Value)> next;
  // The element at window position w of dimension d, or the sum as it was where
  // that is padding.
  auto at = [&](unsigned d, LaneIndex w, Value sum) -> Value {
    const WindowSpan &span = spans[d];
    LaneIndex position =
        indices.add(span.first, indices.scale(w, span.dilation));
    Conditions conditions;
    bool possible = true;
    if (span.baseDilation > 1) {
      // Enough turns to make every position that padding reaches non-negative.
      int64_t turns = span.low / span.baseDilation + 1;
      auto [quotient, rest] =
          indices.divide(indices.shift(position, turns * span.baseDilation),
                         span.baseDilation);
      possible = conditions.add(kernel, inside(rest, 0, 1));
      position = indices.shift(quotient, -turns);
    }
    possible =
        possible && conditions.add(kernel, inside(position, 0, span.size));
    if (!possible)
      return sum;
    window.push_back(w);
    operand.push_back(position);
    Value result = guarded(
        conditions, isa<VectorType>(sum.getType()), [&] { return next(sum); },
        [&] { return sum; });
    window.pop_back();
    operand.pop_back();
    return result;
  };
  next = [&](Value sum) -> Value {
    unsigned d = window.size();
    if (!sum || d == spans.size())
      return sum ? step(window, operand, sum) : sum;
    const WindowSpan &span = spans[d];
    if (unroll[d]) {
      for (int64_t w = 0; w < span.count && sum; ++w)
        sum = at(d, LaneIndex(w), sum);
      return sum;
    }
    Value low = kernel.index(0), high = kernel.index(span.count);
    bool clamped = indices.uniform(span.first) && span.baseDilation == 1;
    if (clamped)
      std::tie(low, high) = tapsInside(span);
    auto results = kernel.loop(
        low, high, kernel.index(1), {sum}, [&](Value iv, ValueRange carried) {
          Scope scope(*this);
          LaneIndex w = indices.scalar(iv, span.count);
          Value result;
          if (clamped) {
            window.push_back(w);
            operand.push_back(tapAt(span, iv));
            result = next(carried[0]);
            window.pop_back();
            operand.pop_back();
          } else {
            result = at(d, w, carried[0]);
          }
          return SmallVector<Value>{result ? result : carried[0]};
        });
    return results[0];
  };
  return next(start);
}

ElementEmitter::WindowReduce
ElementEmitter::describeWindow(graph::ReduceWindowOp op,
                               ArrayRef<LaneIndex> index) {
  WindowReduce result;
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  result.element = element;
  const graph::DimVector dims = dimsOf(op.getOperand());
  for (auto [d, x] : llvm::enumerate(index))
    result.spans.push_back(
        {indices.shift(indices.scale(x, op.getStrides()[d]), -op.getLow()[d]),
         op.getWindow()[d], op.getDilation()[d], op.getBaseDilation()[d],
         std::max<int64_t>(0, op.getLow()[d]), dims[d]});
  Value start = neutral(op.getKind(), element, kernel.b.getIndexType());
  result.start =
      anyLanes(index) ? kernel.broadcast(start, indices.width) : start;
  result.step = [this, op, element](ArrayRef<LaneIndex>, ArrayRef<LaneIndex> at,
                                    Value sum) mutable {
    Value x = emit(op.getOperand(), at);
    return x ? fold(op.getKind(), element, sum, x) : Value();
  };
  return result;
}

Value ElementEmitter::multiplyAdd(Type element, Value x, Value y, Value sum,
                                  bool roundsOnce) {
  OpBuilder &b = kernel.b;
  Value values[] = {x, y, sum};
  unify(values);
  if (isa<FloatType>(element) && roundsOnce && kernel.target.fma &&
      !kernel.target.printed)
    return b.create<math::FmaOp>(kernel.loc, values[0], values[1], values[2]);
  if (isa<FloatType>(element))
    return b.create<arith::AddFOp>(
        kernel.loc, values[2],
        b.create<arith::MulFOp>(kernel.loc, values[0], values[1]));
  return b.create<arith::AddIOp>(
      kernel.loc, values[2],
      b.create<arith::MulIOp>(kernel.loc, values[0], values[1]));
}

/// Of each `size` neighbouring lanes all become number `which`.
static Value repeatInGroups(KernelBuilder &kernel, Value x, int64_t lanes,
                            int64_t size, int64_t which) {
  if (!isa<VectorType>(x.getType()))
    return x;
  SmallVector<int64_t> source;
  for (int64_t lane = 0; lane < lanes; ++lane)
    source.push_back(lane / size * size + which);
  return kernel.b.create<vector::ShuffleOp>(kernel.loc, x, x, source);
}

ElementEmitter::WindowReduce
ElementEmitter::describeConvolution(graph::ConvolutionOp op,
                                    ArrayRef<LaneIndex> index) {
  auto numbers = op.getDims();
  const graph::DimVector inputDims = dimsOf(op.getInput()),
                         kernelDims = dimsOf(op.getKernel());
  Type from = getElementTypeOrSelf(op.getInput().getType()),
       to = getElementTypeOrSelf(op.getResult().getType());
  auto kernelType = cast<RankedTensorType>(op.getKernel().getType());
  int64_t inputs = kernelType.getDimSize(numbers.getKernelInput());
  int64_t outputs =
      kernelType.getDimSize(numbers.getKernelOutput()) / op.getGroups();
  LaneIndex feature = index[numbers.getOutputFeature()];
  // Lanes that hold whole groups read the channels of all of them at once.
  int64_t lanes = indices.width;
  bool wholeGroups = op.getGroups() > 1 && inputs > 1 && inputs == outputs &&
                     lanes % inputs == 0 &&
                     indices.laneStride(feature).isConstant(1) &&
                     indices.knownDivisor(feature) % inputs == 0;
  LaneIndex group = op.getGroups() == 1 || wholeGroups
                        ? LaneIndex(0)
                        : indices.divide(feature, outputs).first;

  WindowReduce result;
  result.element = to;
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatial())) {
    LaneIndex position =
        indices.scale(index[numbers.getOutputSpatial()[s]], op.getStrides()[s]);
    result.spans.push_back(
        {indices.shift(position, -op.getLow()[s]),
         kernelType.getDimSize(numbers.getKernelSpatial()[s]),
         op.getKernelDilation()[s], op.getInputDilation()[s],
         std::max<int64_t>(0, op.getLow()[s]), inputDims[d]});
  }
  result.spans.push_back({LaneIndex(0), inputs, 1, 1, 0, inputs});
  int64_t taps = 1;
  for (const WindowSpan &span : result.spans)
    taps *= span.count;

  // Products in f32 for the narrow floats, in the result type else.
  Type accumulator = registerType(to);
  Type wide = isa<FloatType>(from) ? accumulator : to;
  Value start = isa<FloatType>(accumulator) ? kernel.constant(accumulator, 0.0)
                                            : kernel.integer(accumulator, 0);
  result.start =
      anyLanes(index) ? kernel.broadcast(start, indices.width) : start;
  LaneIndex batch = index[numbers.getOutputBatch()];
  LaneIndex firstInput = indices.scale(group, inputs);
  // Quantized images are scaled by weights that were rounded before.
  auto widening = op.getInput().getDefiningOp<graph::ConvertOp>();
  bool ofIntegers =
      widening &&
      isa<IntegerType>(getElementTypeOrSelf(widening.getOperand().getType()));
  result.step = [=](ArrayRef<LaneIndex> window, ArrayRef<LaneIndex> at,
                    Value sum) mutable -> Value {
    SmallVector<LaneIndex> inputAt(inputDims.size()),
        kernelAt(kernelDims.size());
    inputAt[numbers.getInputBatch()] = batch;
    inputAt[numbers.getInputFeature()] =
        wholeGroups ? feature : indices.add(firstInput, at.back());
    kernelAt[numbers.getKernelInput()] = window.back();
    kernelAt[numbers.getKernelOutput()] = feature;
    for (auto [s, d] : llvm::enumerate(numbers.getInputSpatial())) {
      inputAt[d] = at[s];
      kernelAt[numbers.getKernelSpatial()[s]] = window[s];
    }
    Value x = emit(op.getInput(), inputAt),
          w = x ? emit(op.getKernel(), kernelAt) : Value();
    if (!w)
      return {};
    // So few channels are always unrolled.
    if (wholeGroups)
      x = repeatInGroups(kernel, x, lanes, inputs,
                         *at.back().offset.constant());
    return multiplyAdd(to, convertElement(*this, x, from, wide),
                       convertElement(*this, w, from, wide), sum,
                       taps > tapsInOrder || ofIntegers);
  };
  return result;
}

std::optional<ElementEmitter::WindowReduce>
ElementEmitter::describe(Operation *op, ArrayRef<LaneIndex> index) {
  if (auto window = dyn_cast<graph::ReduceWindowOp>(op))
    return describeWindow(window, index);
  auto convolution = cast<graph::ConvolutionOp>(op);
  if (!cast<RankedTensorType>(convolution.getKernel().getType())
           .hasStaticShape()) {
    unsupported(op, "a kernel of dynamic shape");
    return std::nullopt;
  }
  return describeConvolution(convolution, index);
}

Value ElementEmitter::window(Operation *op, ArrayRef<LaneIndex> index) {
  auto fold = describe(op, index);
  if (!fold)
    return {};
  Value result = foldWindow(fold->spans, fold->start, fold->step);
  return result ? roundTo(fold->element, result) : result;
}

namespace {
/// How the taps along one dimension are visited for positions in step.
enum class TapOrder { Unrolled, Looped };
} // namespace

/// Positions whose windows are known to meet the operand, tap by tap, or meet
/// it alike along a dimension, or all but a few taps of which are known;
/// nothing where more of them need a test.
static std::optional<SmallVector<TapOrder>>
orderTaps(unsigned rank, function_ref<bool(unsigned dim)> alike,
          function_ref<bool(unsigned dim)> known,
          function_ref<bool(unsigned dim)> nearlyKnown,
          function_ref<int64_t(unsigned dim)> count) {
  SmallVector<TapOrder> order(rank, TapOrder::Unrolled);
  int64_t unrolled = 1;
  for (unsigned d = rank; d-- > 0;) {
    bool fits = unrolled * count(d) <= unrollLimit;
    if (known(d) && fits)
      unrolled *= count(d);
    else if (alike(d))
      order[d] = TapOrder::Looped;
    else if (nearlyKnown(d) && fits)
      unrolled *= count(d);
    else
      return std::nullopt;
  }
  return order;
}

SmallVector<Value>
ElementEmitter::emitWindows(Operation *op,
                            ArrayRef<SmallVector<LaneIndex>> positions) {
  std::vector<WindowReduce> folds;
  for (ArrayRef<LaneIndex> index : positions) {
    auto fold = describe(op, index);
    if (!fold)
      return SmallVector<Value>(positions.size());
    folds.push_back(std::move(*fold));
  }
  auto tap = [&](const WindowSpan &span, int64_t w) {
    return indices.shift(span.first, w * span.dilation);
  };
  auto all = [&](unsigned d, function_ref<bool(const WindowSpan &)> holds) {
    return llvm::all_of(folds, [&](const WindowReduce &fold) {
      return fold.spans[d].baseDilation == 1 && holds(fold.spans[d]);
    });
  };
  auto alike = [&](unsigned d) {
    return all(d, [&](const WindowSpan &span) {
      return indices.uniform(span.first) &&
             span.first == folds.front().spans[d].first;
    });
  };
  auto known = [&](unsigned d) {
    return all(d, [&](const WindowSpan &span) {
      return llvm::all_of(llvm::seq(span.count), [&](int64_t w) {
        LaneIndex at = tap(span, w);
        return indices.provablyInside(at, 0, span.size) ||
               indices.provablyOutside(at, 0, span.size);
      });
    });
  };
  // Tests of a tap, by all lanes at once, of at most every other one.
  auto nearlyKnown = [&](unsigned d) {
    int64_t taps = 0, tested = 0;
    return all(d,
               [&](const WindowSpan &span) {
                 for (int64_t w = 0; w < span.count; ++w, ++taps)
                   tested +=
                       !indices.provablyInside(tap(span, w), 0, span.size) &&
                       !indices.provablyOutside(tap(span, w), 0, span.size);
                 return indices.uniform(span.first);
               }) &&
           2 * tested <= taps;
  };
  unsigned rank = folds.front().spans.size();
  auto order = orderTaps(rank, alike, known, nearlyKnown, [&](unsigned d) {
    return folds.front().spans[d].count;
  });
  SmallVector<Value> sums;
  if (!order) {
    for (ArrayRef<LaneIndex> index : positions)
      sums.push_back(window(op, index));
    return sums;
  }
  for (WindowReduce &fold : folds)
    sums.push_back(fold.start);
  std::vector<SmallVector<LaneIndex>> window(folds.size(),
                                             SmallVector<LaneIndex>(rank)),
      operand = window;
  // Of the last two dimensions, the channels of a group come first: their
  // neighbours along the other one share what they read.
  SmallVector<unsigned> nesting = llvm::to_vector(llvm::seq(rank));
  if (isa<graph::ConvolutionOp>(op))
    std::swap(nesting[rank - 1], nesting[rank - 2]);
  // Of the tap at hand, where only the run knows whether it is inside.
  SmallVector<Value> tests(folds.size());
  auto alsoInside = [&](Value test, const LaneIndex &at, const DimExpr &size) {
    Value holds =
        kernel.b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::ult,
                                       indices.value(at), kernel.size(size));
    return test ? kernel.b.create<arith::AndIOp>(kernel.loc, test, holds)
                      .getResult()
                : holds;
  };
  auto step = [&](unsigned p) {
    WindowReduce &fold = folds[p];
    if (!tests[p]) {
      sums[p] = fold.step(window[p], operand[p], sums[p]);
      return;
    }
    auto branch = kernel.b.create<scf::IfOp>(
        kernel.loc, TypeRange(sums[p].getType()), tests[p], true);
    OpBuilder::InsertionGuard guard(kernel.b);
    kernel.b.setInsertionPointToStart(branch.elseBlock());
    kernel.b.create<scf::YieldOp>(kernel.loc, sums[p]);
    kernel.b.setInsertionPointToStart(branch.thenBlock());
    Scope scope(*this);
    Value sum = fold.step(window[p], operand[p], sums[p]);
    kernel.b.create<scf::YieldOp>(kernel.loc, sum ? sum : sums[p]);
    sums[p] = sum ? branch.getResult(0) : Value();
  };
  std::function<void(unsigned, ArrayRef<bool>)> next =
      [&](unsigned level, ArrayRef<bool> active) {
        if (level == rank) {
          for (unsigned p = 0; p < folds.size(); ++p)
            if (active[p] && sums[p])
              step(p);
          return;
        }
        unsigned d = nesting[level];
        const WindowSpan &shared = folds.front().spans[d];
        if ((*order)[d] == TapOrder::Unrolled) {
          for (int64_t w = 0; w < shared.count; ++w) {
            SmallVector<bool> inside(active);
            SmallVector<Value> before(tests);
            for (auto [p, fold] : llvm::enumerate(folds)) {
              const WindowSpan &span = fold.spans[d];
              LaneIndex at = tap(span, w);
              inside[p] &= !indices.provablyOutside(at, 0, span.size);
              if (inside[p] && !indices.provablyInside(at, 0, span.size))
                tests[p] = alsoInside(tests[p], at, span.size);
              window[p][d] = LaneIndex(w);
              operand[p][d] = at;
            }
            next(level + 1, inside);
            tests = std::move(before);
          }
          return;
        }
        auto [low, high] = tapsInside(shared);
        sums = kernel.loop(low, high, kernel.index(1), sums,
                           [&](Value iv, ValueRange carried) {
                             Scope scope(*this);
                             sums.assign(carried.begin(), carried.end());
                             LaneIndex w = indices.scalar(iv, shared.count),
                                       at = tapAt(shared, iv);
                             for (auto [p, fold] : llvm::enumerate(folds))
                               window[p][d] = w, operand[p][d] = at;
                             next(level + 1, active);
                             SmallVector<Value> results(carried);
                             for (auto [result, sum] : llvm::zip(results, sums))
                               result = sum ? sum : result;
                             return results;
                           });
      };
  next(0, SmallVector<bool>(folds.size(), true));
  for (auto [fold, sum] : llvm::zip(folds, sums))
    sum = sum && !anyFailure ? roundTo(fold.element, sum) : Value();
  return sums;
}

} // namespace zenith::kernels
