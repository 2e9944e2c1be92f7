// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index maps of movement ops, and the scalars that they take.

#include "lowering/builder/IndexMaps.h"
#include "ir/AttachRules.h"
#include "ir/matchers/StridedView.h"

#include "lowering/builder/IndexMapRule.h.inc"

#include "lowering/builder/IndexMapRule.cpp.inc"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

bool dependsOnData(const DimExpr &expr) {
  bool fromData = false;
  expr.forEachSymbol([&](const std::string &name) {
    fromData |= StringRef(name).starts_with("%i");
  });
  return fromData;
}

std::optional<DimExpr> knownScalar(graph::DimAnalysis &dims, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() != 0 || !type.getElementType().isSignlessInteger(64))
    return std::nullopt;
  DimExpr expr = dims.scalar(value);
  return dependsOnData(expr) ? std::nullopt : std::optional(expr);
}

SmallVector<DimExpr> mixedEntries(graph::DimAnalysis &dims,
                                  ArrayRef<int64_t> fixed,
                                  ValueRange operands) {
  SmallVector<DimExpr> entries;
  for (int64_t entry : fixed) {
    entries.push_back(ShapedType::isDynamic(entry)
                          ? dims.scalar(operands.front())
                          : DimExpr(entry));
    if (ShapedType::isDynamic(entry))
      operands = operands.drop_front();
  }
  return entries;
}

// Groups of dimensions with equal element counts, as [from begin, from end) and
// [to begin, to end).
static void
forEachGroup(ArrayRef<DimExpr> from, ArrayRef<DimExpr> to,
             function_ref<void(unsigned, unsigned, unsigned, unsigned)> body) {
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    unsigned firstFrom = i, firstTo = j;
    DimExpr left = 1, right = 1;
    bool grown = false;
    while (!grown || left != right) {
      bool growLeft =
          i < from.size() &&
          (j == to.size() || !left.exactDiv(right) || left == right);
      bool growRight = !growLeft || (left == right && j < to.size());
      if (growLeft)
        left = left * from[i++];
      if (growRight && j < to.size())
        right = right * to[j++];
      grown = true;
      if (i == from.size() && j == to.size())
        break;
    }
    if (i == from.size())
      j = to.size();
    if (j == to.size())
      i = from.size();
    body(firstFrom, i, firstTo, j);
  }
}

static SmallVector<LaneIndex> reshapeIndex(IndexMath &math,
                                           ArrayRef<DimExpr> from,
                                           ArrayRef<DimExpr> to,
                                           ArrayRef<LaneIndex> index) {
  SmallVector<LaneIndex> result(from.size());
  forEachGroup(from, to,
               [&](unsigned i, unsigned iEnd, unsigned j, unsigned jEnd) {
                 LaneIndex linear(0);
                 DimExpr stride = 1;
                 for (unsigned d = jEnd; d-- > j;) {
                   linear = math.add(linear, math.scale(index[d], stride));
                   stride = stride * to[d];
                 }
                 // Dimensions of size 1 are left out; the outermost other
                 // dimension gets the whole quotient.
                 while (i < iEnd && from[i].isConstant(1))
                   ++i;
                 for (unsigned d = iEnd; d-- > i;) {
                   if (from[d].isConstant(1))
                     continue;
                   if (d == i) {
                     result[d] = linear;
                     break;
                   }
                   std::tie(linear, result[d]) = math.divide(linear, from[d]);
                 }
               });
  return result;
}

namespace {

using Index = SmallVector<LaneIndex>;

struct BroadcastMap
    : IndexMapRule::ExternalModel<BroadcastMap, graph::BroadcastOp> {
  Index operandIndex(Operation *op, IndexMath &, graph::DimAnalysis &,
                     ArrayRef<LaneIndex> index) const {
    auto broadcast = cast<graph::BroadcastOp>(op);
    auto type = cast<RankedTensorType>(broadcast.getOperand().getType());
    Index result;
    for (auto [d, target] : llvm::enumerate(broadcast.getMapping()))
      result.push_back(type.getDimSize(d) == 1 ? LaneIndex(0) : index[target]);
    return result;
  }
};

/// A dimension of size 1 has stride 0, which the host computes from the size.
struct ExpandMap : IndexMapRule::ExternalModel<ExpandMap, graph::ExpandOp> {
  Index operandIndex(Operation *op, IndexMath &math, graph::DimAnalysis &dims,
                     ArrayRef<LaneIndex> index) const {
    Index result;
    for (auto [d, size] : llvm::enumerate(dims.dimsOf(op->getOperand(0))))
      result.push_back(size == dims.dimOf(op->getResult(0), d)
                           ? index[d]
                           : math.scale(index[d], graph::expandStride(size)));
    return result;
  }
};

struct TransposeMap
    : IndexMapRule::ExternalModel<TransposeMap, graph::TransposeOp> {
  Index operandIndex(Operation *op, IndexMath &, graph::DimAnalysis &,
                     ArrayRef<LaneIndex> index) const {
    Index result(index.size());
    for (auto [d, source] :
         llvm::enumerate(cast<graph::TransposeOp>(op).getPermutation()))
      result[source] = index[d];
    return result;
  }
};

struct ReshapeMap : IndexMapRule::ExternalModel<ReshapeMap, graph::ReshapeOp> {
  Index operandIndex(Operation *op, IndexMath &math, graph::DimAnalysis &dims,
                     ArrayRef<LaneIndex> index) const {
    return reshapeIndex(math, dims.dimsOf(op->getOperand(0)),
                        dims.dimsOf(op->getResult(0)), index);
  }
};

struct ReverseMap : IndexMapRule::ExternalModel<ReverseMap, graph::ReverseOp> {
  Index operandIndex(Operation *op, IndexMath &math, graph::DimAnalysis &dims,
                     ArrayRef<LaneIndex> index) const {
    Index result(index);
    for (int64_t d : cast<graph::ReverseOp>(op).getDims())
      result[d] = math.shift(math.scale(index[d], -1),
                             dims.dimOf(op->getOperand(0), d) - 1);
    return result;
  }
};

struct SliceMap : IndexMapRule::ExternalModel<SliceMap, graph::SliceOp> {
  Index operandIndex(Operation *op, IndexMath &math, graph::DimAnalysis &dims,
                     ArrayRef<LaneIndex> index) const {
    auto slice = cast<graph::SliceOp>(op);
    auto starts =
        mixedEntries(dims, slice.getStaticStarts(), slice.getStarts());
    Index result;
    for (auto [d, x] : llvm::enumerate(index))
      result.push_back(
          math.shift(math.scale(x, slice.getStrides()[d]), starts[d]));
    return result;
  }
};

} // namespace

std::optional<SmallVector<LaneIndex>> operandIndex(IndexMath &math,
                                                   graph::DimAnalysis &dims,
                                                   Operation *op,
                                                   ArrayRef<LaneIndex> index) {
  if (graph::familyOf(op) == graph::Family::Elementwise)
    return Index(index);
  if (auto rule = dyn_cast<IndexMapRule>(op))
    return rule.operandIndex(math, dims, index);
  return std::nullopt;
}

void attachIndexMaps(MLIRContext *context) {
  graph::BroadcastOp::attachInterface<BroadcastMap>(*context);
  graph::ExpandOp::attachInterface<ExpandMap>(*context);
  graph::TransposeOp::attachInterface<TransposeMap>(*context);
  graph::ReshapeOp::attachInterface<ReshapeMap>(*context);
  graph::ReverseOp::attachInterface<ReverseMap>(*context);
  graph::SliceOp::attachInterface<SliceMap>(*context);
}

} // namespace zenith::kernels
