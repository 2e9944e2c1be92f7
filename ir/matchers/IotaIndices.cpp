// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks through reshapes of lists and components of tuples for an iota.

#include "ir/matchers/IotaIndices.h"

using namespace mlir;

namespace zenith::graph {

IotaOp iotaListOf(Value list) {
  auto type = cast<RankedTensorType>(list.getType());
  if (type.getRank() != 1 || !type.getElementType().isSignlessInteger(64))
    return {};
  while (auto reshape = list.getDefiningOp<ReshapeOp>())
    list = reshape.getOperand();
  return list.getDefiningOp<IotaOp>();
}

/// Whether every index along a dimension fits the element type.
static bool holdsAll(RankedTensorType type, int64_t dim) {
  unsigned bits = type.getElementTypeBitWidth();
  return bits >= 64 || (!type.isDynamicDim(dim) &&
                        type.getDimSize(dim) <= int64_t(1) << (bits - 1));
}

std::optional<int64_t> iotaDim(Value indices, int64_t vectorDim,
                               int64_t number) {
  auto concat = indices.getDefiningOp<ConcatOp>();
  if (!concat || int64_t(concat.getDim()) != vectorDim)
    return std::nullopt;
  for (Value piece : concat.getOperands()) {
    int64_t size =
        cast<RankedTensorType>(piece.getType()).getDimSize(vectorDim);
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    if (number >= size) {
      number -= size;
      continue;
    }
    auto iota = piece.getDefiningOp<IotaOp>();
    if (!iota || int64_t(iota.getDim()) == vectorDim ||
        !holdsAll(iota.getResult().getType(), iota.getDim()))
      return std::nullopt;
    return int64_t(iota.getDim());
  }
  return std::nullopt;
}

std::optional<int64_t> iotaStart(GatherOp op, int64_t number,
                                 DimAnalysis &dims) {
  GatherDimsAttr numbers = op.getDims();
  int64_t vectorDim = numbers.getIndexVectorDim(),
          mapped = numbers.getStartIndexMap()[number],
          slice = op.getSliceSizes()[mapped];
  auto source = iotaDim(op.getStartIndices(), vectorDim, number);
  if (!source || slice < 0 ||
      !dims.dimOf(op.getStartIndices(), *source)
           .provablyAtMost(dims.dimOf(op.getOperand(), mapped) - slice + 1))
    return std::nullopt;
  return *source > vectorDim ? *source - 1 : *source;
}

} // namespace zenith::graph
