// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of Resize and Upsample: one dimension after the other, by
// copies, by a few weighted reads, or by a matmul with a matrix of weights.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/import/ScalarValue.h"
#include "frontends/onnx/layers/ResizeReading.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

constexpr int64_t largestSize = int64_t(1) << 24;

//===----------------------------------------------------------------------===//
// Attributes and sizes
//===----------------------------------------------------------------------===//

/// The floats of a constant input; nothing if it is absent or empty.
static std::optional<SmallVector<double>>
constantFloats(NodeReading &n, size_t index, const char *what) {
  if (!n.has(index) ||
      (n.type(index).hasStaticShape() && n.type(index).getNumElements() == 0))
    return std::nullopt;
  const Tensor *tensor = n.constantTensor(index);
  if (!tensor || !isa<FloatType>(n.elementType(index))) {
    n.fail(unsupported(fmt::format(
        "{} are not known before running; bind the input that gives them",
        what)));
    return std::nullopt;
  }
  SmallVector<double> values;
  for (const llvm::APFloat &value :
       denseElements(*tensor, n.type(index)).getValues<llvm::APFloat>())
    values.push_back(value.convertToDouble());
  return values;
}

template <typename T>
static T readWord(NodeReading &n, const char *name, const char *otherwise,
                  std::initializer_list<std::pair<const char *, T>> words) {
  std::string text = n.stringAttribute(name, otherwise);
  for (const auto &[word, value] : words)
    if (text == word)
      return value;
  n.fail(invalid(fmt::format("attribute '{}' is '{}'", name, text)));
  return words.begin()->second;
}

static ResizeStyle readStyle(NodeReading &n) {
  ResizeStyle style;
  style.mode = readWord<ResizeMode>(n, "mode", "nearest",
                                    {{"nearest", ResizeMode::Nearest},
                                     {"linear", ResizeMode::Linear},
                                     {"bilinear", ResizeMode::Linear},
                                     {"cubic", ResizeMode::Cubic}});
  bool old = n.node.op == "Upsample" || n.version < 11;
  style.rule = readWord<NearestRule>(
      n, "nearest_mode", old ? "floor" : "round_prefer_floor",
      {{"round_prefer_floor", NearestRule::PreferFloor},
       {"round_prefer_ceil", NearestRule::PreferCeil},
       {"floor", NearestRule::Floor},
       {"ceil", NearestRule::Ceil}});
  style.coordinates = readWord<Coordinates>(
      n, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel",
      {{"half_pixel", Coordinates::HalfPixel},
       {"half_pixel_symmetric", Coordinates::HalfPixelSymmetric},
       {"pytorch_half_pixel", Coordinates::HalfPixelPyTorch},
       {"tf_half_pixel_for_nn", Coordinates::HalfPixelNearest},
       {"align_corners", Coordinates::AlignCorners},
       {"asymmetric", Coordinates::Asymmetric},
       {"tf_crop_and_resize", Coordinates::CropAndResize}});
  style.cubicCoefficient = n.floatAttribute("cubic_coeff_a", -0.75);
  style.excludeOutside = n.intAttribute("exclude_outside", 0) != 0;
  style.antialias = n.intAttribute("antialias", 0) != 0;
  style.extrapolation = n.floatAttribute("extrapolation_value", 0);
  return style;
}

/// floor(size * scale), if the scale is a fraction of small integers.
static std::optional<DimExpr> scaledSize(const DimExpr &size, double scale) {
  if (auto constant = size.constant()) {
    double scaled = float(scale) * float(*constant);
    if (!(scaled >= 0) || scaled > double(largestSize))
      return std::nullopt;
    return DimExpr(int64_t(std::floor(scaled)));
  }
  for (int64_t divisor = 1; divisor <= 64; ++divisor) {
    double numerator = scale * double(divisor);
    if (numerator >= 1 && numerator < 1 << 20 &&
        std::abs(numerator - std::round(numerator)) < 1e-6 * numerator)
      return DimExpr::floorDiv(size * DimExpr(int64_t(std::round(numerator))),
                               DimExpr(divisor));
  }
  return std::nullopt;
}

/// Entry `index` of a vector of floats, as an f32 scalar.
static ScalarValue openFloat(NodeReading &n, Value vector, int64_t index) {
  ImportBuilder &b = n.b;
  return {b,
          b.convert(
              b.reshape(b.sliceDim(vector, 0, DimExpr(index), DimExpr(1)), {}),
              b.builder.getF32Type())};
}

/// A vector of floats with an entry for each of `count`, or null.
static Value openFloats(NodeReading &n, size_t index, size_t count) {
  if (n.rank(index) != 1 || !isa<FloatType>(n.elementType(index))) {
    n.fail(invalid(fmt::format("input {} is no vector of floats", index)));
    return {};
  }
  n.b.requireEqual(n.dims(index)[0], DimExpr(int64_t(count)),
                   "numbers of entries and axes");
  return n.failed() ? Value() : n.input(index);
}

/// floor(size * scale) with scales that only the run knows.
static void sizesByOpenScales(NodeReading &n, SmallVector<ResizeAxis> &axes,
                              size_t index) {
  ImportBuilder &b = n.b;
  Value scales = openFloats(n, index, axes.size());
  for (size_t i = 0; i < axes.size() && !n.failed(); ++i) {
    ScalarValue scale = openFloat(n, scales, i);
    Value isPositive = scale.compare(graph::CompareDirection::gt, 0.0);
    if (!n.failed())
      b.builder.create<graph::AssertOp>(
          b.loc, isPositive,
          fmt::format("{}: the scale of dimension {} is not positive",
                      n.node.op, axes[i].dim),
          ValueRange());
    ScalarValue scaled =
        scale * floatSize(b, axes[i].input, b.builder.getF32Type());
    axes[i].scaleValue = scale;
    axes[i].output =
        b.nameCount(scaled.max(0.0).floor().to(b.builder.getI64Type()));
  }
}

static bool isOpenInput(NodeReading &n, size_t index) {
  return n.has(index) && !n.constantTensor(index);
}

static void sizesByScales(NodeReading &n, SmallVector<ResizeAxis> &axes,
                          ArrayRef<double> scales) {
  for (auto [axis, scale] : llvm::zip(axes, scales)) {
    auto size = scaledSize(axis.input, scale);
    if (!(scale > 0) || std::isinf(scale))
      return n.fail(invalid(fmt::format("a scale of {} for dimension {}", scale,
                                        axis.input.str())));
    if (!size)
      return n.fail(unsupported(fmt::format("a scale of {} for dimension {}",
                                            scale, axis.input.str())));
    axis.scale = scale;
    axis.output = *size;
  }
}

/// round(scale * size) at run time.
static DimExpr roundedSize(ImportBuilder &b, ScalarValue scale,
                           const DimExpr &size) {
  ScalarValue scaled = scale * floatSize(b, size, b.builder.getF64Type());
  return b.nameCount((scaled + 0.5).floor().to(b.builder.getI64Type()));
}

/// The same for sizes that only the run knows.
static void keepOpenProportions(ImportBuilder &b, SmallVector<ResizeAxis> &axes,
                                bool larger) {
  Type f64 = b.builder.getF64Type();
  std::optional<ScalarValue> scale;
  for (const ResizeAxis &axis : axes) {
    if (larger)
      b.requireAtMost(DimExpr(1), axis.input, "the least size with a scale");
    ScalarValue ratio =
        floatSize(b, axis.output, f64) / floatSize(b, axis.input, f64);
    scale = !scale ? ratio : larger ? scale->max(ratio) : scale->min(ratio);
  }
  for (ResizeAxis &axis : axes) {
    axis.scale = std::nullopt;
    axis.scaleValue = scale->to(b.builder.getF32Type());
    axis.output = roundedSize(b, *scale, axis.input);
  }
}

/// One scale for all dimensions, so that the proportions stay.
static void keepProportions(NodeReading &n, SmallVector<ResizeAxis> &axes,
                            bool larger) {
  double scale = larger ? 0 : INFINITY;
  bool isKnown = llvm::all_of(axes, [](const ResizeAxis &axis) {
    return axis.input.constant().value_or(0) > 0 && axis.output.constant();
  });
  if (!isKnown)
    return keepOpenProportions(n.b, axes, larger);
  for (const ResizeAxis &axis : axes) {
    double ratio =
        double(*axis.output.constant()) / double(*axis.input.constant());
    scale = larger ? std::max(scale, ratio) : std::min(scale, ratio);
  }
  for (ResizeAxis &axis : axes) {
    axis.scale = scale;
    axis.output = DimExpr(
        int64_t(std::floor(scale * double(*axis.input.constant()) + 0.5)));
  }
}

static void sizesGiven(NodeReading &n, SmallVector<ResizeAxis> &axes,
                       size_t index) {
  SmallVector<DimExpr> sizes = n.elements(index, "sizes");
  if (!n.failed() && sizes.size() != axes.size())
    n.fail(invalid("sizes do not fit the axes"));
  if (n.failed())
    return;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    axis.output = size;
    auto from = axis.input.constant(), to = size.constant();
    if (to && (*to < 0 || *to > largestSize))
      return n.fail(invalid(fmt::format("a size is {}", *to)));
    if (from && to && *from > 0)
      axis.scale = double(*to) / double(*from);
    else if (axis.input == size)
      axis.scale = 1;
  }
  std::string policy = n.stringAttribute("keep_aspect_ratio_policy", "stretch");
  if (policy == "not_larger" || policy == "not_smaller")
    keepProportions(n, axes, policy == "not_smaller");
  else if (policy != "stretch")
    n.fail(invalid(
        fmt::format("attribute 'keep_aspect_ratio_policy' is '{}'", policy)));
}

static SmallVector<ResizeAxis> allAxes(NodeReading &n) {
  int64_t rank = n.rank(0);
  DimVector dims = n.dims(0);
  SmallVector<int64_t> chosen = n.intsAttribute("axes");
  if (!n.hasAttribute("axes"))
    for (int64_t i = 0; i < rank; ++i)
      chosen.push_back(i);
  n.axes(chosen, rank); // refuses repeated ones
  SmallVector<ResizeAxis> axes;
  for (int64_t &axis : chosen) {
    int64_t dim = n.axis(axis, rank);
    if (n.failed())
      break;
    axes.push_back({dim, dims[dim], dims[dim], std::nullopt});
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

Value zenith::onnx::repeatElements(ImportBuilder &b, Value x, int64_t dim,
                                   int64_t times) {
  DimVector dims = b.dims(x), wide = dims;
  SmallVector<int64_t> mapping;
  for (int64_t i = 0; i < int64_t(dims.size()); ++i)
    mapping.push_back(i <= dim ? i : i + 1);
  wide.insert(wide.begin() + dim + 1, DimExpr(times));
  dims[dim] = dims[dim] * DimExpr(times);
  return b.reshape(b.broadcast(x, mapping, wide), dims);
}

/// Copies of elements: none, a repetition, a strided slice, or a gather.
static Value copyElements(ImportBuilder &b, Value x, int64_t dim,
                          ArrayRef<int64_t> from) {
  int64_t size = *b.dims(x)[dim].constant(), count = from.size();
  if (count > 0 && count % size == 0) {
    int64_t times = count / size;
    bool repeats = true;
    for (int64_t i = 0; i < count; ++i)
      repeats &= from[i] == i / times;
    if (repeats)
      return times == 1 ? x : repeatElements(b, x, dim, times);
  }
  if (count > 1 && from[1] > from[0]) {
    int64_t stride = from[1] - from[0];
    bool isRegular = true;
    for (int64_t i = 0; i < count; ++i)
      isRegular &= from[i] == from[0] + i * stride;
    if (isRegular)
      return b.sliceDim(x, dim, DimExpr(from[0]), DimExpr(count), stride);
  }
  return readAlong(b, x, dim, from);
}

static Value floatVector(ImportBuilder &b, ArrayRef<double> values,
                         ArrayRef<int64_t> shape, Type element) {
  SmallVector<llvm::APFloat> elements;
  for (double value : values)
    elements.push_back(FloatAttr::get(element, value).getValue());
  return b.constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

/// A weighted sum of `count` reads per output.
static Value weighElements(ImportBuilder &b, Value x, int64_t dim,
                           const AxisTaps &taps, size_t count) {
  int64_t rank = b.dims(x).size(), outputs = taps.outputs.size();
  Type element = getElementTypeOrSelf(x.getType());
  SmallVector<int64_t> shape(rank, 1);
  shape[dim] = outputs;
  Value sum;
  for (size_t k = 0; k < count; ++k) {
    SmallVector<int64_t> from;
    SmallVector<double> weights;
    for (const ResizeTaps &output : taps.outputs) {
      bool hasTap = k < output.size();
      from.push_back(output[hasTap ? k : 0].first);
      weights.push_back(hasTap ? output[k].second : 0);
    }
    Value term = b.binary<graph::MulOp>(
        copyElements(b, x, dim, from), floatVector(b, weights, shape, element));
    sum = sum ? b.binary<graph::AddOp>(sum, term) : term;
  }
  return sum;
}

/// Whether each output reads only the element of its own index and up to
/// `reach` neighbours on either side: not with aligned corners.
static bool reachesNeighbours(const AxisTaps &taps, int64_t factor,
                              int64_t reach) {
  for (auto [output, reads] : llvm::enumerate(taps.outputs))
    for (auto [index, weight] : reads)
      if (std::abs(index - int64_t(output) / factor) > reach)
        return false;
  return !taps.outputs.empty();
}

/// A weighted sum if the size grows by a small integer factor: output factor *
/// i + phase reads neighbours of i, with weights that differ at the ends. The
/// phases are then interleaved; no gather is needed.
static Value weighPhases(ImportBuilder &b, Value x, int64_t dim,
                         const AxisTaps &taps, int64_t factor) {
  DimVector dims = b.dims(x), single = dims, joined = dims;
  int64_t size = *dims[dim].constant(), low = 0, high = 0;
  for (auto [output, reads] : llvm::enumerate(taps.outputs))
    for (auto [index, weight] : reads) {
      int64_t distance = index - int64_t(output) / factor;
      low = std::min(low, distance);
      high = std::max(high, distance);
    }
  Type element = getElementTypeOrSelf(x.getType());
  SmallVector<int64_t> none(dims.size(), 0), before = none, after = none,
                                             shape(dims.size(), 1);
  before[dim] = -low;
  after[dim] = high;
  DimVector padded = dims;
  padded[dim] = DimExpr(size - low + high);
  shape[dim] = size;
  single.insert(single.begin() + dim + 1, DimExpr(1));
  joined[dim] = DimExpr(size * factor);
  x = b.emit<graph::PadOp>(b.typeOf(padded, element), x,
                           b.scalarConstant(element, 0), ValueRange(),
                           ValueRange(), before, after, none);
  SmallVector<Value> phases;
  for (int64_t phase = 0; phase < factor; ++phase) {
    Value sum;
    for (int64_t distance = low; distance <= high; ++distance) {
      SmallVector<double> weights(size, 0);
      for (int64_t i = 0; i < size; ++i)
        for (auto [index, weight] : taps.outputs[i * factor + phase])
          if (index == i + distance)
            weights[i] = weight;
      if (llvm::all_of(weights, [](double weight) { return weight == 0; }))
        continue;
      Value part = b.sliceDim(x, dim, DimExpr(distance - low), DimExpr(size));
      bool isCopy =
          llvm::all_of(weights, [](double weight) { return weight == 1; });
      Value term = isCopy ? part
                          : b.binary<graph::MulOp>(
                                part, floatVector(b, weights, shape, element));
      sum = sum ? b.binary<graph::AddOp>(sum, term) : term;
    }
    phases.push_back(b.reshape(sum, single));
  }
  return b.reshape(b.concat(dim + 1, phases), joined);
}

static Value byMatrix(ImportBuilder &b, Value x, int64_t dim,
                      const AxisTaps &taps) {
  DimVector dims = b.dims(x), result = dims;
  int64_t size = *dims[dim].constant(), outputs = taps.outputs.size(),
          rank = dims.size();
  SmallVector<double> matrix(size * outputs, 0);
  for (auto [row, output] : llvm::enumerate(taps.outputs))
    for (auto [index, weight] : output)
      matrix[row * size + index] = weight;
  Type element = getElementTypeOrSelf(x.getType());
  result.erase(result.begin() + dim);
  result.push_back(DimExpr(outputs));
  auto dimsAttr =
      graph::DotDimsAttr::get(b.builder.getContext(), {}, {}, {dim}, {1});
  Value resized = b.emit<graph::DotGeneralOp>(
      b.typeOf(result, element), x,
      floatVector(b, matrix, {outputs, size}, element), dimsAttr);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i < dim ? i : i == dim ? rank - 1 : i - 1);
  return b.transpose(resized, order);
}

static Value resizeStatic(NodeReading &n, Value x, const ResizeStyle &style,
                          const ResizeAxis &axis) {
  ImportBuilder &b = n.b;
  ResizedAxis sizes{*axis.input.constant(), *axis.output.constant(),
                    *axis.scale, axis.cropStart, axis.cropEnd};
  if (sizes.input < 1 || sizes.input > largestSize) {
    n.fail(unsupported("resizing an empty dimension"));
    return x;
  }
  AxisTaps taps = axisTaps(style, sizes);
  size_t most = 0;
  bool copies = true;
  for (const ResizeTaps &output : taps.outputs) {
    most = std::max(most, output.size());
    copies &= output.size() == 1 && output[0].second == 1;
  }
  if (copies) {
    SmallVector<int64_t> from;
    for (const ResizeTaps &output : taps.outputs)
      from.push_back(output[0].first);
    x = copyElements(b, x, axis.dim, from);
  } else {
    constexpr size_t mostReads = 4;
    constexpr int64_t largestMatrix = int64_t(1) << 24;
    bool few = most <= mostReads || sizes.input * sizes.output > largestMatrix;
    constexpr int64_t mostPhases = 4;
    int64_t outputs = taps.outputs.size(), factor = outputs / sizes.input;
    bool byPhases = most <= mostReads && factor > 1 && factor <= mostPhases &&
                    outputs % sizes.input == 0 &&
                    reachesNeighbours(taps, factor, int64_t(most + 1) / 2);
    x = byPhases ? weighPhases(b, x, axis.dim, taps, factor)
        : few    ? weighElements(b, x, axis.dim, taps, most)
                 : byMatrix(b, x, axis.dim, taps);
  }
  if (!llvm::is_contained(taps.outside, true))
    return x;
  SmallVector<bool> outside(taps.outside.begin(), taps.outside.end());
  SmallVector<int64_t> shape(b.dims(x).size(), 1);
  shape[axis.dim] = outside.size();
  Value isOutside = b.constant(DenseElementsAttr::get(
      RankedTensorType::get(shape, b.builder.getI1Type()), outside));
  return b.select(
      isOutside,
      b.scalarConstant(getElementTypeOrSelf(x.getType()), style.extrapolation),
      x);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Before opset 11 the nearest element is the one after the position where the
/// size shrinks.
static ResizeStyle styleOf(NodeReading &n, ResizeStyle style,
                           const ResizeAxis &axis) {
  if (n.version < 11 && axis.scale && *axis.scale < 1)
    style.rule = NearestRule::Ceil;
  return style;
}

static void resize(NodeReading &n, const ResizeStyle &style,
                   ArrayRef<ResizeAxis> axes) {
  ImportBuilder &b = n.b;
  Type element = n.elementType(0);
  Value x = n.input(0);
  bool mixes = style.mode != ResizeMode::Nearest;
  if (mixes && (isa<ComplexType>(element) || element.isInteger(1)))
    return n.fail(invalid("interpolation of this data type"));
  if (mixes)
    x = b.convert(x, wideFloat(b, element));
  bool crops = style.coordinates == Coordinates::CropAndResize;
  for (const ResizeAxis &axis : axes) {
    bool isStatic = axis.input.constant() && axis.output.constant() &&
                    axis.scale && !axis.isOpen();
    bool isWhole = !crops || (axis.cropStart == 0 && axis.cropEnd == 1 &&
                              !axis.cropStartValue);
    if (n.failed())
      return;
    if (isWhole && axis.input == axis.output && axis.scale == 1.0)
      continue;
    ResizeStyle own = styleOf(n, style, axis);
    x = isStatic ? resizeStatic(n, x, own, axis)
                 : resizeDynamic(n, x, own, axis);
  }
  n.result(b.convert(x, element));
}

static void importResize(NodeReading &n) {
  ResizeStyle style = readStyle(n);
  SmallVector<ResizeAxis> axes = allAxes(n);
  size_t scalesAt = n.version < 11 ? 1 : 2;
  auto isGiven = [&](size_t index) {
    return n.has(index) && !(n.type(index).hasStaticShape() &&
                             n.type(index).getNumElements() == 0);
  };
  bool hasScales = isGiven(scalesAt), hasSizes = n.version >= 11 && isGiven(3);
  if (!n.failed() && hasScales == hasSizes)
    n.fail(invalid("Resize needs either scales or sizes"));
  if (n.failed())
    return;
  if (hasSizes) {
    sizesGiven(n, axes, 3);
  } else if (isOpenInput(n, scalesAt)) {
    sizesByOpenScales(n, axes, scalesAt);
  } else {
    auto scales = constantFloats(n, scalesAt, "scales");
    if (!n.failed() && scales->size() != axes.size())
      n.fail(invalid("scales do not fit the axes"));
    if (!n.failed())
      sizesByScales(n, axes, *scales);
  }
  bool crops = style.coordinates == Coordinates::CropAndResize;
  if (!n.failed() && crops && isOpenInput(n, 1)) {
    Value regions = openFloats(n, 1, 2 * axes.size());
    for (size_t i = 0; !n.failed() && i < axes.size(); ++i) {
      axes[i].cropStartValue = openFloat(n, regions, i);
      axes[i].cropEndValue = openFloat(n, regions, axes.size() + i);
    }
  } else if (!n.failed() && crops) {
    auto regions = constantFloats(n, 1, "regions");
    if (!n.failed() && (!regions || regions->size() != 2 * axes.size()))
      n.fail(invalid("roi does not fit the axes"));
    for (size_t i = 0; !n.failed() && i < axes.size(); ++i) {
      axes[i].cropStart = (*regions)[i];
      axes[i].cropEnd = (*regions)[axes.size() + i];
    }
  }
  if (!n.failed())
    resize(n, style, axes);
}

/// Scales by attribute below opset 9; opset 1 names the scales of the last two
/// dimensions.
static void importUpsample(NodeReading &n) {
  ResizeStyle style = readStyle(n);
  SmallVector<ResizeAxis> axes = allAxes(n);
  std::optional<SmallVector<double>> scales;
  if (n.version >= 9 && isOpenInput(n, 1)) {
    sizesByOpenScales(n, axes, 1);
    if (!n.failed())
      resize(n, style, axes);
    return;
  }
  if (n.version >= 9) {
    scales = constantFloats(n, 1, "scales");
  } else if (n.version >= 7) {
    const NodeAttribute *given = n.node.attribute("scales");
    scales.emplace();
    for (size_t i = 0; given && i < given->floats.size(); ++i)
      scales->push_back(given->floats[i]);
  } else {
    scales = SmallVector<double>(n.rank(0), 1);
    if (n.rank(0) == 4) {
      (*scales)[2] = n.floatAttribute("height_scale", 1);
      (*scales)[3] = n.floatAttribute("width_scale", 1);
    }
  }
  if (!n.failed() && (!scales || scales->size() != axes.size()))
    n.fail(invalid("scales do not fit the input"));
  if (!n.failed())
    sizesByScales(n, axes, *scales);
  if (!n.failed())
    resize(n, style, axes);
}

llvm::ArrayRef<OpRow> zenith::onnx::resizeRows() {
  static constexpr OpRow rows[] = {
      {"Resize", 10, newest, 1, 4, importResize},
      {"Upsample", 1, newest, 1, 2, importUpsample},
  };
  return rows;
}
