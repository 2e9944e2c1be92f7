// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and recognises packed panels: pad, split and transpose one way;
// transpose, merge and slice the other.

#include "ir/encodings/PackedPanels.h"
#include "ir/GraphOps.h"

using namespace mlir;

namespace zenith::graph {

static Value zeroScalar(OpBuilder &builder, Location loc, Type element) {
  auto type = RankedTensorType::get({}, element);
  if (auto complex = dyn_cast<ComplexType>(element)) {
    APFloat zero =
        cast<FloatAttr>(builder.getZeroAttr(complex.getElementType()))
            .getValue();
    return builder.create<ConstantOp>(
        loc, DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero)));
  }
  Attribute zero = isa<IntegerType>(element)
                       ? Attribute(IntegerAttr::get(element, 0))
                       : Attribute(builder.getFloatAttr(element, 0.0));
  return builder.create<ConstantOp>(loc, DenseElementsAttr::get(type, zero));
}

Value zeroPadded(OpBuilder &builder, Location loc, Value value,
                 ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> none(shape.size(), 0), more(shape);
  for (auto [size, own] : llvm::zip(more, type.getShape()))
    size -= own;
  return builder.create<PadOp>(loc, type.clone(shape), value,
                               zeroScalar(builder, loc, type.getElementType()),
                               ValueRange(), ValueRange(), none, more, none);
}

Value packPanels(OpBuilder &builder, Location loc, Value rhs, int64_t panel,
                 int64_t group) {
  auto type = cast<RankedTensorType>(rhs.getType());
  int64_t k = type.getDimSize(0), n = type.getDimSize(1);
  int64_t panels = (n + panel - 1) / panel, groups = (k + group - 1) / group;
  Type element = type.getElementType();
  Value value = zeroPadded(builder, loc, rhs, {groups * group, panels * panel});
  SmallVector<int64_t> split{groups, group, panels, panel},
      packed{panels, groups, panel, group}, order{2, 0, 3, 1};
  if (group == 1)
    split = {k, panels, panel}, packed = {panels, k, panel}, order = {1, 0, 2};
  value = builder.create<ReshapeOp>(loc, RankedTensorType::get(split, element),
                                    value, ValueRange());
  return builder.create<TransposeOp>(
      loc, RankedTensorType::get(packed, element), value, order);
}

Value unpackPanels(OpBuilder &builder, Location loc, Value packed, int64_t k,
                   int64_t n) {
  auto type = cast<RankedTensorType>(packed.getType());
  int64_t panels = type.getDimSize(0), panel = type.getDimSize(2);
  int64_t groups = type.getDimSize(1),
          group = type.getRank() == 4 ? type.getDimSize(3) : 1;
  Type element = type.getElementType();
  SmallVector<int64_t> split{groups, group, panels, panel}, order{1, 3, 0, 2};
  if (type.getRank() == 3)
    split = {k, panels, panel}, order = {1, 0, 2};
  Value value = builder.create<TransposeOp>(
      loc, RankedTensorType::get(split, element), packed, order);
  value = builder.create<ReshapeOp>(
      loc, RankedTensorType::get({groups * group, panels * panel}, element),
      value, ValueRange());
  if (n == panels * panel && k == groups * group)
    return value;
  return builder.create<SliceOp>(
      loc, RankedTensorType::get({k, n}, element), value, ValueRange(),
      ValueRange(), ArrayRef<int64_t>{0, 0}, ArrayRef<int64_t>{k, n},
      ArrayRef<int64_t>{1, 1});
}

static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

Value uncut(Value value) {
  auto slice = value.getDefiningOp<SliceOp>();
  bool takesFirst = slice &&
                    llvm::all_of(slice.getStaticStarts(),
                                 [](int64_t start) { return start == 0; }) &&
                    llvm::all_of(slice.getStrides(),
                                 [](int64_t stride) { return stride == 1; });
  return takesFirst ? slice.getOperand() : value;
}

/// The matrix that `slice` cuts rows and columns off from the end; null where
/// it does anything else.
static Value uncutMatrix(SliceOp slice) {
  auto type = cast<RankedTensorType>(slice.getOperand().getType());
  bool cuts = uncut(slice) == slice.getOperand();
  return cuts && type.getRank() == 2 && type.hasStaticShape()
             ? slice.getOperand()
             : Value();
}

static bool widens(Type from, Type to) {
  if (to.isF32())
    return from.isBF16() || from.isF16() || from.isInteger(8) ||
           from.isInteger(16);
  // To an unsigned type a negative element would wrap around.
  return (to.isSignlessInteger(16) || to.isSignlessInteger(32)) &&
         from.isInteger() && from.getIntOrFloatBitWidth() >= 8 &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

Value beforeWidening(Value value) {
  auto convert = value.getDefiningOp<ConvertOp>();
  return convert && widens(getElementTypeOrSelf(convert.getOperand().getType()),
                           getElementTypeOrSelf(value.getType()))
             ? convert.getOperand()
             : value;
}

/// The panels that `value` orders as a matrix [K padded, N padded].
static std::optional<PackedPanels> panelsBelow(Value matrix) {
  // With one panel the transposition is a reshape, and simplification writes it
  // so.
  auto transpose = matrix.getDefiningOp<TransposeOp>();
  Value packed = transpose ? transpose.getOperand() : matrix;
  auto type = cast<RankedTensorType>(packed.getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  if (type.getRank() == 4 && transpose &&
      transpose.getPermutation() == ArrayRef<int64_t>{1, 3, 0, 2})
    return PackedPanels{packed, type.getDimSize(2), type.getDimSize(3)};
  if (type.getRank() != 3 ||
      (transpose ? transpose.getPermutation() != ArrayRef<int64_t>{1, 0, 2}
                 : type.getDimSize(0) != 1))
    return std::nullopt;
  return PackedPanels{packed, type.getDimSize(2)};
}

std::optional<PackedPanels> matchUnpackedPanels(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() < 2 || !type.hasStaticShape() ||
      type.getNumElements() == 0)
    return std::nullopt;
  int64_t n = type.getShape().back(), k = type.getNumElements() / n;
  Value matrix = skipReshapes(beforeWidening(value));
  if (auto slice = matrix.getDefiningOp<SliceOp>()) {
    Value whole = uncutMatrix(slice);
    if (!whole || cast<RankedTensorType>(matrix.getType()).getDimSize(1) != n)
      return std::nullopt;
    matrix = skipReshapes(whole);
  }
  auto panels = panelsBelow(matrix);
  if (!panels)
    return std::nullopt;
  auto packed = cast<RankedTensorType>(panels->packed.getType());
  int64_t panel = panels->panel, group = panels->group;
  if (packed.getDimSize(0) != (n + panel - 1) / panel ||
      packed.getDimSize(1) != (k + group - 1) / group)
    return std::nullopt;
  return panels;
}

} // namespace zenith::graph
