// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds and recognises packed panels: pad, split and transpose one way;
// transpose, merge and slice the other.

#include "ir/PackedPanels.h"
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

Value packPanels(OpBuilder &builder, Location loc, Value rhs, int64_t panel) {
  auto type = cast<RankedTensorType>(rhs.getType());
  int64_t k = type.getDimSize(0), n = type.getDimSize(1);
  int64_t panels = (n + panel - 1) / panel;
  Type element = type.getElementType();
  Value value = rhs;
  if (int64_t missing = panels * panel - n) {
    auto padded = RankedTensorType::get({k, panels * panel}, element);
    value = builder.create<PadOp>(
        loc, padded, value, zeroScalar(builder, loc, element), ValueRange(),
        ValueRange(), ArrayRef<int64_t>{0, 0}, ArrayRef<int64_t>{0, missing},
        ArrayRef<int64_t>{0, 0});
  }
  value = builder.create<ReshapeOp>(
      loc, RankedTensorType::get({k, panels, panel}, element), value,
      ValueRange());
  return builder.create<TransposeOp>(
      loc, RankedTensorType::get({panels, k, panel}, element), value,
      ArrayRef<int64_t>{1, 0, 2});
}

Value unpackPanels(OpBuilder &builder, Location loc, Value packed, int64_t k,
                   int64_t n) {
  auto type = cast<RankedTensorType>(packed.getType());
  int64_t panels = type.getDimSize(0), panel = type.getDimSize(2);
  Type element = type.getElementType();
  Value value = builder.create<TransposeOp>(
      loc, RankedTensorType::get({k, panels, panel}, element), packed,
      ArrayRef<int64_t>{1, 0, 2});
  value = builder.create<ReshapeOp>(
      loc, RankedTensorType::get({k, panels * panel}, element), value,
      ValueRange());
  if (n == panels * panel)
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

/// The matrix that `slice` cuts columns off from the right; null where it does
/// anything else.
static Value uncutColumns(SliceOp slice) {
  auto type = cast<RankedTensorType>(slice.getOperand().getType());
  if (type.getRank() != 2 || !type.hasStaticShape() ||
      slice.getStaticSizes()[0] != type.getDimSize(0))
    return {};
  for (int64_t d = 0; d < 2; ++d)
    if (slice.getStaticStarts()[d] != 0 || slice.getStrides()[d] != 1)
      return {};
  return slice.getOperand();
}

static bool widens(Type from, Type to) {
  if (to.isF32())
    return from.isBF16() || from.isF16();
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

std::optional<PackedPanels> matchUnpackedPanels(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() < 2 || !type.hasStaticShape())
    return std::nullopt;
  int64_t n = type.getShape().back();
  Value matrix = skipReshapes(beforeWidening(value));
  if (auto slice = matrix.getDefiningOp<SliceOp>()) {
    Value whole = uncutColumns(slice);
    if (!whole || cast<RankedTensorType>(matrix.getType()).getDimSize(1) != n)
      return std::nullopt;
    matrix = skipReshapes(whole);
  }
  // With one panel the transposition is a reshape, and simplification writes it
  // so.
  Value packed = matrix;
  auto transpose = matrix.getDefiningOp<TransposeOp>();
  if (transpose)
    packed = transpose.getOperand();
  auto packedType = cast<RankedTensorType>(packed.getType());
  if (packedType.getRank() != 3 || !packedType.hasStaticShape())
    return std::nullopt;
  if (transpose ? transpose.getPermutation() != ArrayRef<int64_t>{1, 0, 2}
                : packedType.getDimSize(0) != 1)
    return std::nullopt;
  int64_t panels = packedType.getDimSize(0), k = packedType.getDimSize(1),
          panel = packedType.getDimSize(2);
  if (n == 0 || panels != (n + panel - 1) / panel ||
      type.getNumElements() != k * n)
    return std::nullopt;
  return PackedPanels{packed, panel};
}

} // namespace zenith::graph
