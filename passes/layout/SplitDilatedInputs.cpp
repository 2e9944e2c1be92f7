// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution over a dilated input (a transposed one) multiplies zeros
// mostly. Results at distance `dilation` see the same taps meet neighbours of
// the undilated input: they become the channels of a plain convolution, which
// its result's movement puts side by side.

#include "passes/layout/ParameterValues.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::layout {

namespace {
/// One spatial dimension. Results q * dilation + phase, of `cut` more at the
/// start, are channel `phase` of result q.
struct PhasedDim {
  int64_t dilation, window, taps, cut, low, high, positions;

  PhasedDim(int64_t dilation, int64_t input, int64_t output, int64_t window,
            int64_t low, int64_t high)
      : dilation(dilation), window(window), taps(window), cut(0), low(low),
        high(high), positions(output) {
    if (dilation == 1)
      return;
    // Phase p meets taps from dilation - 1 - p on, where the padding ends a
    // whole number of steps and one position before the first element.
    cut = dilation - 1 - ((low % dilation) + dilation) % dilation;
    taps = (window + dilation - 1) / dilation;
    this->low = (low + cut - (dilation - 1)) / dilation;
    positions = (output + cut + dilation - 1) / dilation;
    this->high = positions - input - this->low + taps - 1;
  }
  /// Taps that a phase meets; behind them its kernel is zero.
  int64_t tapsOf(int64_t phase) const {
    int64_t first = dilation - 1 - phase;
    return window <= first ? 0 : (window - first + dilation - 1) / dilation;
  }
};
} // namespace

static Value reshaped(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<int64_t> shape) {
  return builder.create<ReshapeOp>(loc, typeOf(value).clone(shape), value,
                                   ValueRange());
}

/// [taps * dilation..., input, output] to [taps..., input, phases * output]:
/// the last phase meets the first tap.
static Value phasedKernel(OpBuilder &builder, Location loc, Value kernel,
                          ArrayRef<PhasedDim> spatial) {
  ArrayRef<int64_t> shape = typeOf(kernel).getShape();
  int64_t count = spatial.size(), inputs = shape[count],
          outputs = shape[count + 1];
  SmallVector<int64_t> none(shape.size(), 0), more = none, padded(shape), split,
                                              joined, phases, order;
  for (auto [i, dim] : llvm::enumerate(spatial)) {
    padded[i] = dim.taps * dim.dilation;
    more[i] = padded[i] - shape[i];
    split.append({dim.taps, dim.dilation});
    phases.push_back(2 * int64_t(i) + 1);
    order.push_back(2 * int64_t(i));
    joined.push_back(dim.taps);
    outputs *= dim.dilation;
  }
  if (more != none) {
    Type element = typeOf(kernel).getElementType();
    auto scalar = RankedTensorType::get({}, element);
    Value zero = builder.create<ConstantOp>(
        loc, cast<ElementsAttr>(DenseElementsAttr::get(
                 scalar, cast<TypedAttr>(builder.getZeroAttr(element)))));
    kernel =
        builder.create<PadOp>(loc, typeOf(kernel).clone(padded), kernel, zero,
                              ValueRange(), ValueRange(), none, more, none);
  }
  split.append({inputs, shape.back()});
  order.push_back(2 * count);
  order.append(phases);
  order.push_back(2 * count + 1);
  joined.append({inputs, outputs});
  kernel = reshaped(builder, loc, kernel, split);
  kernel = builder.create<ReverseOp>(loc, kernel.getType(), kernel, phases);
  return reshaped(builder, loc, transposed(builder, loc, kernel, order),
                  joined);
}

/// [batch, positions..., phases * feature] to [batch, output..., feature].
static Value sideBySide(OpBuilder &builder, Location loc, Value result,
                        ArrayRef<PhasedDim> spatial, RankedTensorType type) {
  int64_t count = spatial.size(), batch = type.getDimSize(0),
          features = type.getShape().back();
  SmallVector<int64_t> split{batch}, phases, order{0}, joined{batch};
  SmallVector<int64_t> starts{0}, strides(count + 2, 1);
  for (auto [i, dim] : llvm::enumerate(spatial)) {
    split.push_back(dim.positions);
    phases.push_back(dim.dilation);
    order.append({int64_t(i) + 1, int64_t(i) + 1 + count});
    joined.push_back(dim.positions * dim.dilation);
    starts.push_back(dim.cut);
  }
  split.append(phases);
  split.push_back(features);
  order.push_back(2 * count + 1);
  joined.push_back(features);
  starts.push_back(0);
  result = reshaped(builder, loc, result, split);
  result =
      reshaped(builder, loc, transposed(builder, loc, result, order), joined);
  if (ArrayRef<int64_t>(joined) == type.getShape())
    return result;
  return builder.create<SliceOp>(loc, type, result, ValueRange(), ValueRange(),
                                 starts, type.getShape(), strides);
}

/// Phases with fewer taps than others are worth convolutions of their own where
/// the zeros behind them are a good part of the work.
static bool phasesDiffer(ArrayRef<PhasedDim> spatial, int64_t outputs) {
  constexpr double worthwhile = 1.25;
  constexpr int64_t fewestOutputs = 16;
  double all = 1, real = 1;
  for (const PhasedDim &dim : spatial) {
    all *= double(dim.taps * dim.dilation);
    real *= double(dim.window);
  }
  return all >= worthwhile * real && outputs >= fewestOutputs;
}

/// A convolution per combination of phases, with its own taps; results side by
/// side as those of one with all phases.
static Value phaseByPhase(OpBuilder &builder, ConvolutionOp op, Value kernel,
                          ArrayRef<PhasedDim> spatial, ArrayRef<int64_t> low,
                          RankedTensorType type) {
  Location loc = op.getLoc();
  int64_t count = spatial.size(), outputs = typeOf(op).getShape().back();
  int64_t phases = type.getShape().back() / outputs;
  SmallVector<int64_t> each(type.getShape()), joined;
  each.back() = outputs;
  joined = each;
  joined.insert(joined.end() - 1, 1);
  SmallVector<Value> results;
  for (int64_t number = 0; number < phases; ++number) {
    SmallVector<int64_t> shape(typeOf(kernel).getShape()),
        start(shape.size(), 0), ones(shape.size(), 1), high(count);
    int64_t rest = number;
    for (int64_t i = count; i-- > 0;) {
      const PhasedDim &dim = spatial[i];
      shape[i] = dim.dilation == 1 ? dim.taps : dim.tapsOf(rest % dim.dilation);
      high[i] = dim.high - (dim.taps - shape[i]);
      rest /= dim.dilation;
    }
    if (llvm::is_contained(shape, 0)) {
      auto zeros = type.clone(joined);
      results.push_back(builder.create<ConstantOp>(
          loc, cast<ElementsAttr>(DenseElementsAttr::get(
                   zeros, cast<TypedAttr>(
                              builder.getZeroAttr(type.getElementType()))))));
      continue;
    }
    shape.back() = outputs;
    start.back() = number * outputs;
    Value own =
        builder.create<SliceOp>(loc, typeOf(kernel).clone(shape), kernel,
                                ValueRange(), ValueRange(), start, shape, ones);
    Value result = builder.create<ConvolutionOp>(
        loc, type.clone(each), op.getInput(), own, op.getDims(),
        op.getStridesAttr(), builder.getDenseI64ArrayAttr(low),
        builder.getDenseI64ArrayAttr(high),
        builder.getDenseI64ArrayAttr(SmallVector<int64_t>(count, 1)),
        op.getKernelDilationAttr(), op.getGroupsAttr());
    results.push_back(reshaped(builder, loc, result, joined));
  }
  joined[joined.size() - 2] = phases;
  Value all = builder.create<ConcatOp>(loc, type.clone(joined),
                                       uint64_t(joined.size() - 2), results);
  return reshaped(builder, loc, all, type.getShape());
}

LogicalResult splitDilatedInput(ConvolutionOp op, PatternRewriter &rewriter) {
  RankedTensorType input = typeOf(op.getInput()),
                   kernel = typeOf(op.getKernel()), type = typeOf(op);
  ArrayRef<int64_t> dilation = op.getInputDilation();
  bool dilated = llvm::any_of(dilation, [](int64_t step) { return step != 1; });
  if (!dilated || !isChannelsLast(op) || op.getGroups() != 1 ||
      !input.hasStaticShape() || !kernel.hasStaticShape() ||
      !type.hasStaticShape() || type.getNumElements() == 0 ||
      input.getNumElements() == 0)
    return failure();
  SmallVector<PhasedDim> spatial;
  SmallVector<int64_t> ones(dilation.size(), 1), low, high,
      shape{type.getDimSize(0)};
  int64_t features = type.getShape().back();
  for (auto [i, step] : llvm::enumerate(dilation)) {
    if (step != 1 &&
        (op.getStrides()[i] != 1 || op.getKernelDilation()[i] != 1))
      return failure();
    spatial.emplace_back(step, input.getDimSize(i + 1), type.getDimSize(i + 1),
                         kernel.getDimSize(i), op.getLow()[i], op.getHigh()[i]);
    low.push_back(spatial.back().low);
    high.push_back(spatial.back().high);
    shape.push_back(spatial.back().positions);
    features *= step;
  }
  shape.push_back(features);
  Location loc = op.getLoc();
  Value phased = phasedKernel(rewriter, loc, op.getKernel(), spatial);
  if (phasesDiffer(spatial, type.getShape().back())) {
    Value result =
        phaseByPhase(rewriter, op, phased, spatial, low, type.clone(shape));
    rewriter.replaceOp(op, sideBySide(rewriter, loc, result, spatial, type));
    return success();
  }
  Value result = rewriter.create<ConvolutionOp>(
      loc, type.clone(shape), op.getInput(), phased, op.getDims(),
      op.getStridesAttr(), rewriter.getDenseI64ArrayAttr(low),
      rewriter.getDenseI64ArrayAttr(high), rewriter.getDenseI64ArrayAttr(ones),
      op.getKernelDilationAttr(), op.getGroupsAttr());
  rewriter.replaceOp(op, sideBySide(rewriter, loc, result, spatial, type));
  return success();
}

} // namespace zenith::layout
