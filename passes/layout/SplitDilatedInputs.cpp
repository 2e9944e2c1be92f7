// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution of a dilated input (a transposed convolution) multiplies mostly
// zeros. Results at distance `dilation` apply the same taps to neighbours in
// the undilated input: these phases become channels of a plain convolution,
// whose result is interleaved by movement.

#include "ir/GraphOps.h"
#include "ir/dims/WindowShapes.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SPLITDILATEDINPUTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

namespace {
/// One spatial dimension. Result q * dilation + phase, counted from `cut`
/// results before the first, is channel `phase` of result q.
struct PhasedDim {
  int64_t dilation, filter, taps, cut, low, high, positions;

  PhasedDim(int64_t dilation, int64_t input, int64_t output, int64_t filter,
            int64_t low, int64_t high)
      : dilation(dilation), filter(filter), taps(filter), cut(0), low(low),
        high(high), positions(output) {
    if (dilation == 1)
      return;
    // Phase p uses taps from dilation - 1 - p on, if the padding ends a whole
    // number of steps and one position before the first element.
    cut = dilation - 1 - ((low % dilation) + dilation) % dilation;
    taps = (filter + dilation - 1) / dilation;
    this->low = (low + cut - (dilation - 1)) / dilation;
    positions = (output + cut + dilation - 1) / dilation;
    this->high = positions - input - this->low + taps - 1;
  }
  /// Taps that a phase uses; the rest of its filter is zero.
  int64_t tapsOf(int64_t phase) const {
    int64_t first = dilation - 1 - phase;
    return filter <= first ? 0 : (filter - first + dilation - 1) / dilation;
  }
};
} // namespace

static Value scalar(OpBuilder &builder, Location loc, int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(type, value)));
}

/// Adds the size of a dynamic dimension.
static void appendDynamic(OpBuilder &builder, Location loc, Value value,
                          int64_t dim, SmallVectorImpl<Value> &sizes) {
  if (typeOf(value).isDynamicDim(dim))
    sizes.push_back(builder.create<DimOp>(loc, value, dim));
}

static Value zeroOf(OpBuilder &builder, Location loc, Type element) {
  auto zero = cast<TypedAttr>(builder.getZeroAttr(element));
  return builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               RankedTensorType::get({}, element), zero)));
}

static Value zeros(OpBuilder &builder, Location loc, RankedTensorType type,
                   ValueRange dynamic) {
  Value zero = zeroOf(builder, loc, type.getElementType());
  return builder.create<BroadcastOp>(loc, type, zero, ArrayRef<int64_t>(),
                                     dynamic);
}

/// [taps * dilation..., input, output] to [taps..., input, phases * output]:
/// the last phase uses the first tap.
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
    Value zero = zeroOf(builder, loc, typeOf(kernel).getElementType());
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

/// The size of the result along dimension `i`.
static Value resultSize(OpBuilder &builder, ConvolutionOp op, unsigned i) {
  Location loc = op.getLoc();
  int64_t dilation = op.getInputDilation()[i];
  int64_t reach = typeOf(op.getKernel()).getDimSize(i) - 1,
          around = op.getLow()[i] + op.getHigh()[i];
  Value size = builder.create<DimOp>(loc, op.getInput(), int64_t(i) + 1),
        zero = scalar(builder, loc, 0);
  auto plus = [&](Value value, int64_t addend) -> Value {
    return builder.create<AddOp>(loc, value.getType(), value,
                                 scalar(builder, loc, addend));
  };
  size = builder.create<MulOp>(loc, size.getType(), size,
                               scalar(builder, loc, dilation));
  size = builder.create<MaxOp>(loc, size.getType(), plus(size, 1 - dilation),
                               zero);
  return builder.create<MaxOp>(loc, size.getType(), plus(size, around - reach),
                               zero);
}

/// Whether an empty input feature map has more results along dimension `i` than
/// the phases compute, where padding alone fills filters: n elements have n - 1
/// gaps between them, and none has none.
static bool lacksResultsOfNone(ConvolutionOp op, unsigned i,
                               const PhasedDim &dim) {
  int64_t reach = typeOf(op.getKernel()).getDimSize(i) - 1,
          results = op.getLow()[i] + op.getHigh()[i] - reach,
          positions = dim.low + dim.high - dim.taps + 1;
  return results > std::max<int64_t>(0, positions) * dim.dilation - dim.cut;
}

/// Adds zeros after the elements that are present, up to `sizes` of the dynamic
/// dimensions.
static Value filledUp(OpBuilder &builder, Location loc, RankedTensorType type,
                      Value value, ArrayRef<Value> sizes,
                      ArrayRef<Value> present) {
  SmallVector<int64_t> none(type.getRank(), 0), high = none;
  SmallVector<Value> more;
  auto own = sizes.begin(), has = present.begin();
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (!type.isDynamicDim(i))
      continue;
    if (*own != *has) {
      high[i] = ShapedType::kDynamic;
      more.push_back(builder.create<SubOp>(loc, own->getType(), *own, *has));
    }
    ++own, ++has;
  }
  if (more.empty())
    return value;
  Value zero = zeroOf(builder, loc, type.getElementType());
  return builder.create<PadOp>(loc, type, value, zero, ValueRange(), more, none,
                               high, none);
}

/// [batch, positions..., phases * feature] to [batch, output..., feature].
static Value interleaved(OpBuilder &builder, ConvolutionOp op, Value result,
                         ArrayRef<PhasedDim> spatial) {
  Location loc = op.getLoc();
  RankedTensorType type = typeOf(op);
  int64_t count = spatial.size(), batch = type.getDimSize(0),
          features = type.getShape().back();
  SmallVector<int64_t> split{batch}, phases, order{0}, joined{batch};
  SmallVector<int64_t> starts{0}, strides(count + 2, 1);
  SmallVector<Value> splitSizes, joinedSizes, sizes, present;
  for (SmallVector<Value> *all : {&splitSizes, &joinedSizes, &sizes})
    appendDynamic(builder, loc, result, 0, *all);
  present = sizes;
  for (auto [i, dim] : llvm::enumerate(spatial)) {
    bool dynamic = ShapedType::isDynamic(dim.positions);
    split.push_back(dim.positions);
    phases.push_back(dim.dilation);
    order.append({int64_t(i) + 1, int64_t(i) + 1 + count});
    joined.push_back(dynamic ? dim.positions : dim.positions * dim.dilation);
    starts.push_back(dim.cut);
    if (!dynamic)
      continue;
    Value positions = builder.create<DimOp>(loc, result, int64_t(i) + 1);
    splitSizes.push_back(positions);
    joinedSizes.push_back(
        builder.create<MulOp>(loc, positions.getType(), positions,
                              scalar(builder, loc, dim.dilation)));
    sizes.push_back(resultSize(builder, op, unsigned(i)));
    present.push_back(sizes.back());
    if (!lacksResultsOfNone(op, unsigned(i), dim))
      continue;
    Type size = positions.getType();
    Value cut = scalar(builder, loc, dim.cut), zero = scalar(builder, loc, 0);
    Value all = builder.create<SubOp>(loc, size, joinedSizes.back(), cut);
    all = builder.create<MaxOp>(loc, size, all, zero);
    present.back() = builder.create<MinOp>(loc, size, sizes.back(), all);
  }
  split.append(phases);
  split.push_back(features);
  order.push_back(2 * count + 1);
  joined.push_back(features);
  starts.push_back(0);
  result = reshaped(builder, loc, result, split, splitSizes);
  result = reshaped(builder, loc, transposed(builder, loc, result, order),
                    joined, joinedSizes);
  if (type.hasStaticShape() && ArrayRef<int64_t>(joined) == type.getShape())
    return result;
  Value part = builder.create<SliceOp>(loc, type, result, ValueRange(), present,
                                       starts, type.getShape(), strides);
  return filledUp(builder, loc, type, part, sizes, present);
}

/// True where zero taps are so much of the work that phases are worth
/// convolutions of their own.
static bool phasesDiffer(ArrayRef<PhasedDim> spatial, int64_t outputs) {
  constexpr double worthwhile = 1.25;
  constexpr int64_t fewestOutputs = 16;
  double all = 1, real = 1;
  for (const PhasedDim &dim : spatial) {
    all *= double(dim.taps * dim.dilation);
    real *= double(dim.filter);
  }
  return all >= worthwhile * real && outputs >= fewestOutputs;
}

/// One convolution per combination of phases, with its own taps; the results
/// are concatenated like those of one convolution of all phases.
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
  SmallVector<Value> results, sizes;
  // Phases without taps take their sizes from phases that have some.
  SmallVector<unsigned> empty;
  for (int64_t phase = 0; phase < phases; ++phase) {
    SmallVector<int64_t> shape(typeOf(kernel).getShape()),
        start(shape.size(), 0), ones(shape.size(), 1), high(count);
    int64_t rest = phase;
    for (int64_t i = count; i-- > 0;) {
      const PhasedDim &dim = spatial[i];
      shape[i] = dim.dilation == 1 ? dim.taps : dim.tapsOf(rest % dim.dilation);
      high[i] = dim.high - (dim.taps - shape[i]);
      rest /= dim.dilation;
    }
    results.push_back({});
    if (llvm::is_contained(shape, 0)) {
      empty.push_back(unsigned(phase));
      continue;
    }
    shape.back() = outputs;
    start.back() = phase * outputs;
    Value own =
        builder.create<SliceOp>(loc, typeOf(kernel).clone(shape), kernel,
                                ValueRange(), ValueRange(), start, shape, ones);
    Value result = builder.create<ConvolutionOp>(
        loc, type.clone(each), op.getInput(), own, op.getDims(),
        op.getStridesAttr(), builder.getDenseI64ArrayAttr(low),
        builder.getDenseI64ArrayAttr(high),
        builder.getDenseI64ArrayAttr(SmallVector<int64_t>(count, 1)),
        op.getKernelDilationAttr(), op.getGroupsAttr());
    if (sizes.empty())
      for (int64_t dim = 0; dim <= count; ++dim)
        appendDynamic(builder, loc, result, dim, sizes);
    results.back() = reshaped(builder, loc, result, joined, sizes);
  }
  for (unsigned phase : empty)
    results[phase] = zeros(builder, loc, type.clone(joined), sizes);
  joined[joined.size() - 2] = phases;
  Value all = builder.create<ConcatOp>(loc, type.clone(joined),
                                       uint64_t(joined.size() - 2), results);
  return reshaped(builder, loc, all, type.getShape(), sizes);
}

/// Spatial dimension `i`; a dynamic size is computed like any static one.
static PhasedDim phasedDim(ConvolutionOp op, unsigned i) {
  constexpr int64_t anySize = 1 << 20;
  int64_t input = typeOf(op.getInput()).getDimSize(i + 1),
          output = typeOf(op).getDimSize(i + 1);
  bool dynamic = ShapedType::isDynamic(input);
  WindowDim window;
  window.size = typeOf(op.getKernel()).getDimSize(i);
  window.stride = op.getStrides()[i];
  window.low = op.getLow()[i];
  window.high = op.getHigh()[i];
  window.baseDilation = op.getInputDilation()[i];
  window.dilation = op.getKernelDilation()[i];
  if (dynamic) {
    input = anySize;
    output = windowedSize(input, window);
  }
  PhasedDim dim(window.baseDilation, input, output, window.size, window.low,
                window.high);
  if (dynamic)
    dim.positions = ShapedType::kDynamic;
  return dim;
}

/// The spatial dimensions of a channels-last convolution with a dilated input;
/// nullopt where there are none, or where it cannot be split.
static std::optional<SmallVector<PhasedDim>> phasedDims(ConvolutionOp op) {
  RankedTensorType type = typeOf(op);
  ArrayRef<int64_t> dilation = op.getInputDilation();
  bool dilated = llvm::any_of(dilation, [](int64_t step) { return step != 1; });
  if (!dilated || !isChannelsLast(op) || op.getGroups() != 1 ||
      typeOf(op.getInput()).isDynamicDim(type.getRank() - 1) ||
      !typeOf(op.getKernel()).hasStaticShape() ||
      llvm::is_contained(type.getShape(), 0) ||
      llvm::is_contained(typeOf(op.getInput()).getShape(), 0))
    return std::nullopt;
  SmallVector<PhasedDim> spatial;
  for (auto [i, step] : llvm::enumerate(dilation)) {
    if (step != 1 &&
        (op.getStrides()[i] != 1 || op.getKernelDilation()[i] != 1))
      return std::nullopt;
    spatial.push_back(phasedDim(op, unsigned(i)));
  }
  return spatial;
}

static void splitDilatedInput(ConvolutionOp op, ArrayRef<PhasedDim> spatial,
                              RewriterBase &rewriter) {
  RankedTensorType type = typeOf(op);
  SmallVector<int64_t> ones(spatial.size(), 1), low, high,
      shape{type.getDimSize(0)};
  int64_t features = type.getShape().back();
  for (const PhasedDim &dim : spatial) {
    low.push_back(dim.low);
    high.push_back(dim.high);
    shape.push_back(dim.positions);
    features *= dim.dilation;
  }
  shape.push_back(features);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value phased = phasedKernel(rewriter, loc, op.getKernel(), spatial), result;
  if (phasesDiffer(spatial, type.getShape().back()))
    result =
        phaseByPhase(rewriter, op, phased, spatial, low, type.clone(shape));
  else
    result = rewriter.create<ConvolutionOp>(
        loc, type.clone(shape), op.getInput(), phased, op.getDims(),
        op.getStridesAttr(), rewriter.getDenseI64ArrayAttr(low),
        rewriter.getDenseI64ArrayAttr(high),
        rewriter.getDenseI64ArrayAttr(ones), op.getKernelDilationAttr(),
        op.getGroupsAttr());
  rewriter.replaceOp(op, interleaved(rewriter, op, result, spatial));
}

namespace {

struct SplitDilatedInputsPass
    : impl::SplitDilatedInputsPassBase<SplitDilatedInputsPass> {
  using SplitDilatedInputsPassBase::SplitDilatedInputsPassBase;

  void runOnOperation() override {
    SmallVector<ConvolutionOp> convolutions;
    getOperation().walk([&](ConvolutionOp op) { convolutions.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (ConvolutionOp op : convolutions)
      if (auto spatial = phasedDims(op))
        splitDilatedInput(op, *spatial, rewriter);
  }
};

} // namespace
} // namespace zenith::layout
