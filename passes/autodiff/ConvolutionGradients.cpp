// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both cotangents are convolutions again: strides and dilations change places,
// and padding makes up for what windows left out at the borders.

#include "passes/autodiff/ConvolutionGradients.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Dims = SmallVector<int64_t>;

static bool isDynamic(Value x, ArrayRef<int64_t> dims) {
  return llvm::any_of(dims,
                      [&](int64_t d) { return typeOf(x).isDynamicDim(d); });
}

/// Whether a spatial size is unknown.
static bool hasUnknown(ConvolutionOp op) {
  ConvDimsAttr dims = op.getDims();
  return isDynamic(op.getInput(), dims.getInputSpatial()) ||
         isDynamic(op.getResult(), dims.getOutputSpatial());
}

/// Most places of a window that are written out one by one.
static constexpr int64_t mostPlaces = 4096;

/// The sizes of the window.
static Dims windowOf(ConvolutionOp op) {
  Dims window;
  for (int64_t d : op.getDims().getKernelSpatial())
    window.push_back(typeOf(op.getKernel()).getDimSize(d));
  return window;
}

static int64_t placesOf(ConvolutionOp op) {
  int64_t places = 1;
  for (int64_t size : windowOf(op))
    places *= std::min(size, mostPlaces + 1);
  return places;
}

GradientAnswer convolutionAnswer(ConvolutionOp op) {
  if (isDynamic(op.getKernel(), op.getDims().getKernelSpatial()))
    return {GradientAnswer::Refused,
            "a window whose size is known at run time only"};
  if (hasUnknown(op) && placesOf(op) > mostPlaces)
    return {GradientAnswer::Refused,
            "a window of more than 4096 elements along dimensions whose size "
            "is known at run time only"};
  return {};
}

static int64_t spread(int64_t size, int64_t factor) {
  return size == 0 ? 0 : (size - 1) * factor + 1;
}

namespace {
/// Along one spatial dimension, in places of the input spread by its dilation.
struct Extents {
  int64_t reach;  ///< of the kernel
  int64_t unread; ///< at the end of the padded input, fewer than the stride
};
} // namespace

/// Where the size of the input is unknown, so is how much of its end no window
/// reads: `unknown` is taken.
static Extents extentsOf(ConvolutionOp op, size_t i, int64_t unknown) {
  ConvDimsAttr dims = op.getDims();
  auto sizeOf = [](Value value, int64_t dim) {
    return typeOf(value).getDimSize(dim);
  };
  int64_t size = sizeOf(op.getInput(), dims.getInputSpatial()[i]),
          reach = spread(sizeOf(op.getKernel(), dims.getKernelSpatial()[i]),
                         op.getKernelDilation()[i]);
  int64_t results = sizeOf(op.getResult(), dims.getOutputSpatial()[i]);
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(results))
    return {reach, unknown};
  int64_t windows = spread(results, op.getStrides()[i]);
  return {reach, op.getLow()[i] + spread(size, op.getInputDilation()[i]) +
                     op.getHigh()[i] - (windows + reach - 1)};
}

/// The first elements of `x` along each dimension, as many as `shape` has.
static Value firstOf(RuleBuilder &rule, Value x, Value shape) {
  Dims zeros(typeOf(x).getRank(), 0), ones(typeOf(x).getRank(), 1);
  return rule.builder.create<SliceOp>(
      rule.loc, typeOf(shape).clone(typeOf(x).getElementType()), x,
      ValueRange(), rule.dynamicDims(shape), zeros, typeOf(shape).getShape(),
      ones);
}

/// The type with unknown sizes in `dims`.
static RankedTensorType withUnknown(RankedTensorType type,
                                    ArrayRef<int64_t> dims) {
  Dims shape(type.getShape());
  for (int64_t d : dims)
    shape[d] = ShapedType::kDynamic;
  return type.clone(shape);
}

static int64_t partOf(int64_t size, int64_t parts) {
  return ShapedType::isDynamic(size) ? size : size / parts;
}

/// The size of one of `parts` equal parts of a dimension.
static Value partOf(RuleBuilder &rule, Value x, int64_t dim, int64_t parts) {
  Value size = rule.dim(x, dim);
  return parts == 1 ? size : rule.div(size, rule.index(parts));
}

/// The value with dimension `dim` cut into (parts, rest), `parts` becoming a
/// dimension of its own before dimension `before`, and joined with it.
static Value moveParts(RuleBuilder &rule, Value x, int64_t dim, int64_t parts,
                       int64_t before) {
  if (parts == 1)
    return x;
  RankedTensorType type = typeOf(x);
  int64_t rank = type.getRank();
  // [.., parts, rest, ..], by names of the dimensions.
  Dims cut;
  SmallVector<Value> rest(rank), dynamic;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == dim)
      cut.push_back(parts);
    int64_t cuts = d == dim ? parts : 1;
    cut.push_back(partOf(type.getDimSize(d), cuts));
    if (type.isDynamicDim(d))
      dynamic.push_back(rest[d] = partOf(rule, x, d, cuts));
  }
  Value split = rule.reshape(x, cut, dynamic);
  auto place = [&](int64_t d) { return d < dim ? d : d + 1; };
  Dims permutation, joined;
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == before)
      permutation.push_back(dim); // the parts
    permutation.push_back(place(d));
    int64_t size = cut[place(d)];
    bool isDynamic = ShapedType::isDynamic(size);
    joined.push_back(d == before && !isDynamic ? size * parts : size);
    if (isDynamic)
      sizes.push_back(d == before ? rule.mul(rest[d], rule.index(parts))
                                  : rest[d]);
  }
  return rule.reshape(rule.transpose(split, permutation), joined, sizes);
}

Value inputCotangent(ConvolutionOp op, RuleBuilder &rule, Value ct) {
  ConvDimsAttr dims = op.getDims();
  RankedTensorType input = typeOf(op.getInput());
  Dims low, high;
  for (size_t i = 0; i < dims.getInputSpatial().size(); ++i) {
    auto [reach, unread] = extentsOf(op, i, op.getStrides()[i] - 1);
    low.push_back(reach - op.getLow()[i] - 1);
    high.push_back(reach - op.getHigh()[i] - 1 + unread);
  }
  Value turned = rule.reverse(op.getKernel(), dims.getKernelSpatial());
  // Output features of a group become its input features.
  turned = moveParts(rule, turned, dims.getKernelOutput(), op.getGroups(),
                     dims.getKernelInput());
  auto back = ConvDimsAttr::get(
      rule.builder.getContext(), dims.getOutputBatch(), dims.getOutputFeature(),
      dims.getOutputSpatial(), dims.getKernelOutput(), dims.getKernelInput(),
      dims.getKernelSpatial(), dims.getInputBatch(), dims.getInputFeature(),
      dims.getInputSpatial());
  Type element = typeOf(ct).getElementType();
  bool isUnknown = hasUnknown(op);
  RankedTensorType type = input.clone(element);
  if (isUnknown)
    type = withUnknown(type, dims.getInputSpatial());
  Value result = rule.builder.create<ConvolutionOp>(
      rule.loc, type, ct, rule.convert(turned, element), back,
      op.getInputDilation(), low, high, op.getStrides(), op.getKernelDilation(),
      op.getGroups());
  if (isUnknown)
    result = firstOf(rule, result, op.getInput());
  return rule.convert(result, input.getElementType());
}

namespace {

/// The cotangent of a kernel one place of the window after the other: sums over
/// batch and windows of what each window reads there, times its cotangent. For
/// inputs of unknown size, whose cotangent would be a window of unknown size.
class PlaceByPlace {
public:
  PlaceByPlace(ConvolutionOp op, RuleBuilder &rule, Value ct)
      : op(op), rule(rule), dims(op.getDims()), ct(ct), input(padded()) {}

  Value run();

private:
  Value padded();
  /// What the windows read at a place, of the input's layout.
  Value readAt(ArrayRef<int64_t> place);
  /// [1, input features of a group, output features].
  Value productAt(ArrayRef<int64_t> place);
  Value splitGroups(Value x, int64_t dim);
  /// Sizes of a value of these dimensions of the kernel, if they are unknown.
  SmallVector<Value> unknownSizes(ArrayRef<int64_t> kernelDims);

  ConvolutionOp op;
  RuleBuilder &rule;
  ConvDimsAttr dims;
  Value ct, input;
};

} // namespace

Value PlaceByPlace::padded() {
  Value x = rule.convert(op.getInput(), typeOf(ct).getElementType());
  int64_t rank = typeOf(x).getRank();
  Dims low(rank, 0), high(rank, 0), interior(rank, 0);
  for (auto [i, d] : llvm::enumerate(dims.getInputSpatial())) {
    low[d] = op.getLow()[i];
    high[d] = op.getHigh()[i];
    interior[d] = op.getInputDilation()[i] - 1;
  }
  Value zero = rule.scalar(typeOf(x).getElementType(), 0);
  return rule.builder.create<PadOp>(
      rule.loc, withUnknown(typeOf(x), dims.getInputSpatial()), x, zero,
      ValueRange(), ValueRange(), low, high, interior);
}

Value PlaceByPlace::readAt(ArrayRef<int64_t> place) {
  int64_t rank = typeOf(input).getRank();
  Dims starts(rank, 0), strides(rank, 1), shape(typeOf(input).getShape());
  SmallVector<Value> sizes(rank);
  for (auto [i, d] : llvm::enumerate(dims.getInputSpatial())) {
    int64_t out = dims.getOutputSpatial()[i];
    starts[d] = place[i] * op.getKernelDilation()[i];
    strides[d] = op.getStrides()[i];
    shape[d] = typeOf(ct).getDimSize(out);
    sizes[d] = rule.dim(ct, out);
  }
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < rank; ++d)
    if (ShapedType::isDynamic(shape[d]))
      dynamic.push_back(sizes[d] ? sizes[d] : rule.dim(input, d));
  return rule.builder.create<SliceOp>(rule.loc, typeOf(input).clone(shape),
                                      input, ValueRange(), dynamic, starts,
                                      shape, strides);
}

/// Dimension `dim` as two, of the groups and of the features of each.
Value PlaceByPlace::splitGroups(Value x, int64_t dim) {
  RankedTensorType type = typeOf(x);
  int64_t groups = op.getGroups();
  Dims shape;
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t parts = d == dim ? groups : 1;
    if (d == dim)
      shape.push_back(groups);
    shape.push_back(partOf(type.getDimSize(d), parts));
    if (type.isDynamicDim(d))
      dynamic.push_back(partOf(rule, x, d, parts));
  }
  return rule.reshape(x, shape, dynamic);
}

SmallVector<Value> PlaceByPlace::unknownSizes(ArrayRef<int64_t> kernelDims) {
  SmallVector<Value> sizes;
  for (int64_t d : kernelDims)
    if (typeOf(op.getKernel()).isDynamicDim(d))
      sizes.push_back(rule.dim(op.getKernel(), d));
  return sizes;
}

Value PlaceByPlace::productAt(ArrayRef<int64_t> place) {
  int64_t ofInput = dims.getInputFeature(), ofOutput = dims.getOutputFeature();
  // Dimensions behind the features, which are two.
  auto shifted = [](int64_t d, int64_t feature) { return d + (d > feature); };
  Dims summed = {shifted(dims.getInputBatch(), ofInput)},
       summedOut = {shifted(dims.getOutputBatch(), ofOutput)};
  for (auto [d, out] :
       llvm::zip(dims.getInputSpatial(), dims.getOutputSpatial())) {
    summed.push_back(shifted(d, ofInput));
    summedOut.push_back(shifted(out, ofOutput));
  }
  auto byGroups = DotDimsAttr::get(rule.builder.getContext(), {ofInput},
                                   {ofOutput}, summed, summedOut);
  RankedTensorType kernel = typeOf(op.getKernel());
  int64_t features[] = {dims.getKernelInput(), dims.getKernelOutput()};
  Value product = rule.dot(splitGroups(readAt(place), ofInput),
                           splitGroups(ct, ofOutput), byGroups);
  return rule.reshape(
      rule.transpose(product, {1, 0, 2}),
      {1, kernel.getDimSize(features[0]), kernel.getDimSize(features[1])},
      unknownSizes(features));
}

Value PlaceByPlace::run() {
  Dims window = windowOf(op);
  SmallVector<Value> products;
  for (int64_t number = 0; number < placesOf(op); ++number) {
    Dims place(window.size());
    int64_t rest = number;
    for (size_t i = window.size(); i-- > 0; rest /= window[i])
      place[i] = rest % window[i];
    products.push_back(productAt(place));
  }
  RankedTensorType one = typeOf(products[0]);
  Dims joined(one.getShape());
  joined[0] = int64_t(products.size());
  Value all =
      rule.builder.create<ConcatOp>(rule.loc, one.clone(joined), 0, products);
  // [window.., input features, output features], and where each goes.
  Dims shape = window, from = llvm::to_vector(dims.getKernelSpatial());
  shape.append({joined[1], joined[2]});
  from.append({dims.getKernelInput(), dims.getKernelOutput()});
  Dims permutation(from.size());
  for (auto [position, d] : llvm::enumerate(from))
    permutation[d] = int64_t(position);
  Value kernel = rule.reshape(all, shape, unknownSizes(from));
  return rule.transpose(kernel, permutation);
}

Value kernelCotangent(ConvolutionOp op, RuleBuilder &rule, Value ct) {
  if (hasUnknown(op))
    return rule.convert(PlaceByPlace(op, rule, ct).run(),
                        typeOf(op.getKernel()).getElementType());
  ConvDimsAttr dims = op.getDims();
  RankedTensorType kernel = typeOf(op.getKernel());
  Dims low(op.getLow()), high;
  for (size_t i = 0; i < dims.getInputSpatial().size(); ++i)
    high.push_back(op.getHigh()[i] - extentsOf(op, i, 0).unread);
  // Features are the batch, and the batch of each group its features.
  Value images = moveParts(rule, op.getInput(), dims.getInputFeature(),
                           op.getGroups(), dims.getInputBatch());
  auto across = ConvDimsAttr::get(
      rule.builder.getContext(), dims.getInputFeature(), dims.getInputBatch(),
      dims.getInputSpatial(), dims.getOutputBatch(), dims.getOutputFeature(),
      dims.getOutputSpatial(), dims.getKernelInput(), dims.getKernelOutput(),
      dims.getKernelSpatial());
  Type element = typeOf(ct).getElementType();
  Value result = rule.builder.create<ConvolutionOp>(
      rule.loc, kernel.clone(element), rule.convert(images, element), ct,
      across, op.getKernelDilation(), low, high, op.getInputDilation(),
      op.getStrides(), op.getGroups());
  return rule.convert(result, kernel.getElementType());
}

} // namespace zenith::autodiff
