// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises the causal mask, by which a position attends to itself and those
// before it: comparisons of indices, or a constant.

#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "passes/raise/AttentionScores.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

namespace {

/// index along dimension `dim` + offset; dim is -1 for the offset alone.
struct Position {
  int dim = -1;
  DimExpr offset;
};

class CausalMask {
public:
  bool matches(Value visible, unsigned query, unsigned key);

private:
  std::optional<Position> positionOf(Value value, unsigned depth);
  bool matchesCompare(CompareOp compare, int query, int key);
  bool matchesConstant(ConstantOp constant, int query, int key);

  DimAnalysis dims;
  DimExpr past; ///< keys - queries
};

} // namespace

/// For a reshape that only adds and drops dimensions of size 1: the operand
/// dimension of `dim`; -1 where `dim` is added, and for other reshapes.
static int beforeUnits(ReshapeOp reshape, int dim, DimAnalysis &dims) {
  const DimVector &from = dims.dimsOf(reshape.getOperand()),
                  &to = dims.dimsOf(reshape.getResult());
  SmallVector<int> fromKept, toKept;
  for (auto [d, size] : llvm::enumerate(from))
    if (!size.isConstant(1))
      fromKept.push_back(d);
  for (auto [d, size] : llvm::enumerate(to))
    if (!size.isConstant(1))
      toKept.push_back(d);
  if (fromKept.size() != toKept.size())
    return -1;
  for (auto [source, target] : llvm::zip(fromKept, toKept)) {
    if (from[source] != to[target])
      return -1;
    if (target == dim)
      return source;
  }
  return -1;
}

/// The operand dimension that movement makes dimension `dim` of the result
/// from; -1 where it is broadcast.
static int sourceDim(Operation *movement, int dim, DimAnalysis &dims) {
  if (auto broadcast = dyn_cast<BroadcastOp>(movement)) {
    for (auto [source, target] : llvm::enumerate(broadcast.getMapping()))
      if (target == dim)
        return dims.dimOf(broadcast.getOperand(), source) ==
                       dims.dimOf(broadcast.getResult(), dim)
                   ? int(source)
                   : -1;
    return -1;
  }
  if (auto transpose = dyn_cast<TransposeOp>(movement))
    return int(transpose.getPermutation()[dim]);
  return beforeUnits(cast<ReshapeOp>(movement), dim, dims);
}

/// Follows integers up to an iota or a scalar. Positions are indices of the
/// dimensions of `value`.
std::optional<Position> CausalMask::positionOf(Value value, unsigned depth) {
  auto type = typeOf(value);
  if (depth == 0 || !type.getElementType().isSignlessInteger() ||
      type.getElementTypeBitWidth() < 32)
    return std::nullopt;
  if (std::optional<double> number = splatValue(value))
    return Position{-1, DimExpr(int64_t(*number))};
  if (type.getRank() == 0)
    return Position{-1, dims.scalar(value)};
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto iota = dyn_cast<IotaOp>(op))
    return Position{int(iota.getDim()), DimExpr(0)};
  if (isa<BroadcastOp, ReshapeOp, TransposeOp>(op)) {
    auto inner = positionOf(op->getOperand(0), depth - 1);
    if (!inner || inner->dim < 0)
      return inner;
    for (int d = 0; d < type.getRank(); ++d)
      if (sourceDim(op, d, dims) == inner->dim)
        return Position{d, inner->offset};
    return std::nullopt;
  }
  if (isa<ConvertOp>(op))
    return positionOf(op->getOperand(0), depth - 1);
  if (!isa<AddOp, SubOp>(op))
    return std::nullopt;
  auto lhs = positionOf(op->getOperand(0), depth - 1),
       rhs = positionOf(op->getOperand(1), depth - 1);
  if (!lhs || !rhs || (lhs->dim >= 0 && rhs->dim >= 0) ||
      (isa<SubOp>(op) && rhs->dim >= 0))
    return std::nullopt;
  return Position{std::max(lhs->dim, rhs->dim),
                  isa<SubOp>(op) ? lhs->offset - rhs->offset
                                 : lhs->offset + rhs->offset};
}

/// key + a <= query + b, in any of its spellings, with b - a = keys - queries.
bool CausalMask::matchesCompare(CompareOp compare, int query, int key) {
  auto lhs = positionOf(compare.getLhs(), 8),
       rhs = positionOf(compare.getRhs(), 8);
  if (!lhs || !rhs)
    return false;
  CompareDirection direction = compare.getDirection();
  bool isMirrored =
      direction == CompareDirection::ge || direction == CompareDirection::gt;
  if (isMirrored)
    std::swap(lhs, rhs);
  bool isStrict =
      direction == CompareDirection::lt || direction == CompareDirection::gt;
  if (!isStrict && !isMirrored && direction != CompareDirection::le)
    return false;
  return lhs->dim == key && rhs->dim == query &&
         rhs->offset - lhs->offset - DimExpr(isStrict ? 1 : 0) == past;
}

bool CausalMask::matchesConstant(ConstantOp constant, int query, int key) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  auto type = typeOf(constant);
  int64_t rank = type.getRank(), largest = 1 << 24;
  if (!elements || elements.isSplat() || query != rank - 2 || key != rank - 1 ||
      type.getNumElements() > largest ||
      type.getNumElements() != type.getDimSize(query) * type.getDimSize(key))
    return false;
  int64_t keys = type.getDimSize(key), offset = keys - type.getDimSize(query),
          index = 0;
  for (bool visible : elements.getValues<bool>()) {
    if (visible != (index % keys <= index / keys + offset))
      return false;
    ++index;
  }
  return true;
}

bool CausalMask::matches(Value visible, unsigned queryDim, unsigned keyDim) {
  int query = queryDim, key = keyDim;
  past = dims.dimOf(visible, key) - dims.dimOf(visible, query);
  while (Operation *op = visible.getDefiningOp()) {
    if (auto compare = dyn_cast<CompareOp>(op))
      return matchesCompare(compare, query, key);
    if (auto constant = dyn_cast<ConstantOp>(op))
      return matchesConstant(constant, query, key);
    if (!isa<BroadcastOp, ReshapeOp, TransposeOp>(op))
      return false;
    query = sourceDim(op, query, dims);
    key = sourceDim(op, key, dims);
    if (query < 0 || key < 0)
      return false;
    visible = op->getOperand(0);
  }
  return false;
}

bool isCausal(Value visible, unsigned query, unsigned key) {
  return CausalMask().matches(visible, query, key);
}

} // namespace zenith::raise
