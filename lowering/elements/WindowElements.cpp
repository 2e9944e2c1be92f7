// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of pooling windows and convolutions that no schedule has computed:
// a reduction within the element, unrolled if it has few steps.

#include "lowering/elements/WindowElements.h"

#include "lowering/elements/BoundsGuard.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ReductionSteps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// Up to this many elements of a window are unrolled; larger windows become
// loops.
static constexpr int64_t unrollLimit = 64;

LaneIndex WindowElements::tapAt(const WindowSpan &span, Value number) {
  Value distance = kernel.mul(number, kernel.index(span.dilation));
  return indices.scalar(kernel.add(indices.value(span.first), distance),
                        span.size);
}

std::pair<Value, Value> WindowElements::tapsInside(const WindowSpan &span) {
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

Value WindowElements::reduceWindow(ArrayRef<WindowSpan> spans, Value start,
                                   const WindowStep &step) {
  int64_t unrolled = 1;
  SmallVector<bool> unroll(spans.size());
  for (unsigned d = spans.size(); d-- > 0;) {
    const WindowSpan &span = spans[d];
    LaneIndex last =
        indices.shift(span.first, (span.count - 1) * span.dilation);
    // Lanes outside of the operand are masked, separately in each step.
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
  // The sum after window position w of dimension d; unchanged if w is padding.
  auto at = [&](unsigned d, LaneIndex w, Value sum) -> Value {
    const WindowSpan &span = spans[d];
    LaneIndex position =
        indices.add(span.first, indices.scale(w, span.dilation));
    BoundsGuard guard(emitter);
    bool possible = true;
    if (span.baseDilation > 1) {
      // A multiple of the dilation that makes every position in the padding
      // non-negative.
      int64_t turns = span.low / span.baseDilation + 1;
      auto [quotient, rest] =
          indices.divide(indices.shift(position, turns * span.baseDilation),
                         span.baseDilation);
      possible = guard.add(rest, 0, 1);
      position = indices.shift(quotient, -turns);
    }
    possible = possible && guard.add(position, 0, span.size);
    if (!possible)
      return sum;
    window.push_back(w);
    operand.push_back(position);
    Value result = guard.emit(
        isa<VectorType>(sum.getType()), [&] { return next(sum); },
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
          ElementEmitter::Scope scope(emitter);
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

WindowElements::WindowReduce
WindowElements::describeWindow(graph::ReduceWindowOp op,
                               ArrayRef<LaneIndex> index) {
  WindowReduce result;
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  result.element = element;
  const graph::DimVector dims = emitter.dimsOf(op.getOperand());
  for (auto [d, x] : llvm::enumerate(index))
    result.spans.push_back(
        {indices.shift(indices.scale(x, op.getStrides()[d]), -op.getLow()[d]),
         op.getWindow()[d], op.getDilation()[d], op.getBaseDilation()[d],
         std::max<int64_t>(0, op.getLow()[d]), dims[d]});
  Value start = neutralElement(emitter.kernel, op.getKind(), element,
                               kernel.b.getIndexType());
  result.start =
      emitter.anyLanes(index) ? kernel.broadcast(start, indices.width) : start;
  result.step = [this, op, element](ArrayRef<LaneIndex>, ArrayRef<LaneIndex> at,
                                    Value sum) mutable {
    Value x = emitter.emit(op.getOperand(), at);
    return x ? reduceStep(emitter, op.getKind(), element, sum, x) : Value();
  };
  return result;
}

Value WindowElements::multiplyAdd(Value x, Value y, Value sum,
                                  bool roundsOnce) {
  Value values[] = {x, y, sum};
  emitter.unify(values);
  return kernels::multiplyAdd(kernel.b, kernel.loc, values[0], values[1],
                              values[2], roundsOnce && kernel.target.fma);
}

/// Broadcasts lane `which` of each `size` neighbouring lanes to all of them.
static Value repeatInGroups(KernelBuilder &kernel, Value x, int64_t lanes,
                            int64_t size, int64_t which) {
  if (!isa<VectorType>(x.getType()))
    return x;
  SmallVector<int64_t> source;
  for (int64_t lane = 0; lane < lanes; ++lane)
    source.push_back(lane / size * size + which);
  return kernel.b.create<vector::ShuffleOp>(kernel.loc, x, x, source);
}

/// The type that a value was widened from, or its own.
static Type originOf(Value value) {
  if (auto convert = value.getDefiningOp<graph::ConvertOp>())
    value = convert.getOperand();
  return getElementTypeOrSelf(value.getType());
}

/// Dequantized feature maps are scaled by weights that were rounded before.
static bool isDequantized(Value input) {
  return isa<IntegerType>(originOf(input));
}

/// Products of two such elements are exact in f32.
static bool isHalf(Value value) {
  return isa<BFloat16Type, Float16Type>(originOf(value));
}

WindowElements::WindowReduce
WindowElements::describeConvolution(graph::ConvolutionOp op,
                                    ArrayRef<LaneIndex> index) {
  auto numbers = op.getDims();
  const graph::DimVector inputDims = emitter.dimsOf(op.getInput()),
                         kernelDims = emitter.dimsOf(op.getKernel());
  Type from = getElementTypeOrSelf(op.getInput().getType()),
       to = getElementTypeOrSelf(op.getResult().getType());
  auto kernelType = cast<RankedTensorType>(op.getKernel().getType());
  int64_t inputs = kernelType.getDimSize(numbers.getKernelInput());
  int64_t outputs =
      kernelType.getDimSize(numbers.getKernelOutput()) / op.getGroups();
  LaneIndex feature = index[numbers.getOutputFeature()];
  // If lanes hold whole groups, the channels of all groups are read at once.
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

  // Multiplied in f32 for narrow floats, else in the result type.
  Type accumulator = registerType(to);
  Type wide = isa<FloatType>(from) ? accumulator : to;
  Value start = isa<FloatType>(accumulator) ? kernel.constant(accumulator, 0.0)
                                            : kernel.integer(accumulator, 0);
  result.start =
      emitter.anyLanes(index) ? kernel.broadcast(start, indices.width) : start;
  LaneIndex batch = index[numbers.getOutputBatch()];
  LaneIndex firstInput = indices.scale(group, inputs);
  bool roundsOnce = taps > tapsInOrder || isDequantized(op.getInput()) ||
                    (isHalf(op.getInput()) && isHalf(op.getKernel()));
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
    Value x = emitter.emit(op.getInput(), inputAt),
          w = x ? emitter.emit(op.getKernel(), kernelAt) : Value();
    if (!w)
      return {};
    // Loops over so few channels are always unrolled.
    if (wholeGroups)
      x = repeatInGroups(kernel, x, lanes, inputs,
                         *at.back().offset.constant());
    return multiplyAdd(convertElement(emitter.kernel, x, from, wide),
                       convertElement(emitter.kernel, w, from, wide), sum,
                       roundsOnce);
  };
  return result;
}

std::optional<WindowElements::WindowReduce>
WindowElements::describe(Operation *op, ArrayRef<LaneIndex> index) {
  if (auto window = dyn_cast<graph::ReduceWindowOp>(op))
    return describeWindow(window, index);
  auto convolution = cast<graph::ConvolutionOp>(op);
  if (!cast<RankedTensorType>(convolution.getKernel().getType())
           .hasStaticShape()) {
    emitter.unsupported(op, "a kernel of dynamic shape");
    return std::nullopt;
  }
  return describeConvolution(convolution, index);
}

Value WindowElements::emit(Operation *op, ArrayRef<LaneIndex> index) {
  auto one = describe(op, index);
  if (!one)
    return {};
  Value result = reduceWindow(one->spans, one->start, one->step);
  return result ? roundTo(emitter.kernel, one->element, result) : result;
}

namespace {
/// How the taps along one dimension are visited for several positions together.
enum class TapOrder { Unrolled, Looped };
} // namespace

/// Several positions tap by tap: windows that are known to be inside of the
/// operand, or to reach its edges alike along a dimension, or of which all but
/// a few taps are known to be inside. Nothing if more taps need a test.
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
WindowElements::emitAll(Operation *op,
                        ArrayRef<SmallVector<LaneIndex>> positions) {
  std::vector<WindowReduce> windows;
  for (ArrayRef<LaneIndex> index : positions) {
    auto one = describe(op, index);
    if (!one)
      return SmallVector<Value>(positions.size());
    windows.push_back(std::move(*one));
  }
  auto tap = [&](const WindowSpan &span, int64_t w) {
    return indices.shift(span.first, w * span.dilation);
  };
  auto all = [&](unsigned d, function_ref<bool(const WindowSpan &)> holds) {
    return llvm::all_of(windows, [&](const WindowReduce &one) {
      return one.spans[d].baseDilation == 1 && holds(one.spans[d]);
    });
  };
  auto alike = [&](unsigned d) {
    return all(d, [&](const WindowSpan &span) {
      return indices.uniform(span.first) &&
             span.first == windows.front().spans[d].first;
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
  // Tests of a tap, by all lanes at once, for at most every other tap.
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
  unsigned rank = windows.front().spans.size();
  auto order = orderTaps(rank, alike, known, nearlyKnown, [&](unsigned d) {
    return windows.front().spans[d].count;
  });
  SmallVector<Value> sums;
  if (!order) {
    for (ArrayRef<LaneIndex> index : positions)
      sums.push_back(emit(op, index));
    return sums;
  }
  for (WindowReduce &one : windows)
    sums.push_back(one.start);
  std::vector<SmallVector<LaneIndex>> window(windows.size(),
                                             SmallVector<LaneIndex>(rank)),
      operand = window;
  // Of the last two dimensions, the channels of a group come first:
  // neighbouring positions along the other dimension share operands.
  SmallVector<unsigned> nesting = llvm::to_vector(llvm::seq(rank));
  if (isa<graph::ConvolutionOp>(op))
    std::swap(nesting[rank - 1], nesting[rank - 2]);
  // Of the current tap, if only the run knows whether it is inside.
  SmallVector<Value> tests(windows.size());
  auto alsoInside = [&](Value test, const LaneIndex &at, const DimExpr &size) {
    Value holds =
        kernel.b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::ult,
                                       indices.value(at), kernel.size(size));
    return test ? kernel.b.create<arith::AndIOp>(kernel.loc, test, holds)
                      .getResult()
                : holds;
  };
  auto step = [&](unsigned p) {
    WindowReduce &one = windows[p];
    if (!tests[p]) {
      sums[p] = one.step(window[p], operand[p], sums[p]);
      return;
    }
    auto branch = kernel.b.create<scf::IfOp>(
        kernel.loc, TypeRange(sums[p].getType()), tests[p], true);
    OpBuilder::InsertionGuard guard(kernel.b);
    kernel.b.setInsertionPointToStart(branch.elseBlock());
    kernel.b.create<scf::YieldOp>(kernel.loc, sums[p]);
    kernel.b.setInsertionPointToStart(branch.thenBlock());
    ElementEmitter::Scope scope(emitter);
    Value sum = one.step(window[p], operand[p], sums[p]);
    kernel.b.create<scf::YieldOp>(kernel.loc, sum ? sum : sums[p]);
    sums[p] = sum ? branch.getResult(0) : Value();
  };
  std::function<void(unsigned, ArrayRef<bool>)> next =
      [&](unsigned level, ArrayRef<bool> active) {
        if (level == rank) {
          for (unsigned p = 0; p < windows.size(); ++p)
            if (active[p] && sums[p])
              step(p);
          return;
        }
        unsigned d = nesting[level];
        const WindowSpan &shared = windows.front().spans[d];
        if ((*order)[d] == TapOrder::Unrolled) {
          for (int64_t w = 0; w < shared.count; ++w) {
            SmallVector<bool> inside(active);
            SmallVector<Value> before(tests);
            for (auto [p, one] : llvm::enumerate(windows)) {
              const WindowSpan &span = one.spans[d];
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
                             ElementEmitter::Scope scope(emitter);
                             sums.assign(carried.begin(), carried.end());
                             LaneIndex w = indices.scalar(iv, shared.count),
                                       at = tapAt(shared, iv);
                             for (auto [p, one] : llvm::enumerate(windows))
                               window[p][d] = w, operand[p][d] = at;
                             next(level + 1, active);
                             SmallVector<Value> results(carried);
                             for (auto [result, sum] : llvm::zip(results, sums))
                               result = sum ? sum : result;
                             return results;
                           });
      };
  next(0, SmallVector<bool>(windows.size(), true));
  for (auto [one, sum] : llvm::zip(windows, sums))
    sum = sum && !emitter.failed() ? roundTo(emitter.kernel, one.element, sum)
                                   : Value();
  return sums;
}

} // namespace zenith::kernels
