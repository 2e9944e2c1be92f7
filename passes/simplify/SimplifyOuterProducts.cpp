// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls with a tiny K as elementwise multiplications and additions: these run
// at memory bandwidth and fuse with their readers.

#include "passes/simplify/SimplifyOuterProducts.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/ops/Contraction.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::simplify {

namespace {
/// Dimensions of an operand that the result has, and where they are in the
/// result.
struct Side {
  Value operand;
  SmallVector<int64_t> kept, targets;
};
} // namespace

/// The operand at one index of the contracted dimensions; of several, all have
/// size 1, which the other operand's types may say alone.
static Value sliceAt(PatternRewriter &rewriter, Location loc, Value operand,
                     ArrayRef<int64_t> contracted, int64_t at) {
  RankedTensorType type = typeOf(operand);
  if (llvm::all_of(contracted,
                   [&](int64_t dim) { return type.getDimSize(dim) == 1; }))
    return operand;
  SmallVector<int64_t> shape(type.getShape()), starts(type.getRank(), 0),
      steps(type.getRank(), 1);
  for (int64_t dim : contracted) {
    shape[dim] = 1;
    starts[dim] = at;
  }
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (ShapedType::isDynamic(shape[d]))
      dynamic.push_back(rewriter.create<DimOp>(loc, operand, d));
  return rewriter.create<SliceOp>(loc, type.clone(shape), operand, ValueRange(),
                                  dynamic, starts, shape, steps);
}

/// The operand broadcast to the shape of the result.
static Value spread(PatternRewriter &rewriter, Location loc, Side side,
                    RankedTensorType result, ValueRange sizes) {
  // Dimensions keep their order in memory; `targets` says where they go.
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, side.kept.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return side.kept[a] < side.kept[b];
  });
  RankedTensorType type = typeOf(side.operand);
  SmallVector<int64_t> shape, mapping;
  SmallVector<Value> dynamic;
  for (unsigned i : order) {
    int64_t d = side.kept[i];
    shape.push_back(type.getDimSize(d));
    mapping.push_back(side.targets[i]);
    if (type.isDynamicDim(d))
      dynamic.push_back(rewriter.create<DimOp>(loc, side.operand, d));
  }
  Value value =
      rewriter.create<ReshapeOp>(loc, type.clone(shape), side.operand, dynamic);
  return rewriter.create<BroadcastOp>(loc, result, value, mapping, sizes);
}

/// K of a matmul that is better written elementwise; -1 for others.
static int64_t fewTerms(DotGeneralOp op) {
  // Several terms read rows of the right-hand side again, which must be long
  // enough for vectors.
  constexpr int64_t mostTerms = 4, shortestRow = 64;
  DotDimsAttr dims = op.getDims();
  RankedTensorType left = typeOf(op.getLhs()), right = typeOf(op.getRhs());
  Type element = typeOf(op.getResult()).getElementType();
  if (!element.isIntOrFloat() || element.isInteger(1) ||
      left.getElementType() != element || right.getElementType() != element)
    return -1;
  auto isOne = [&](int64_t d) { return left.getDimSize(d) == 1; };
  if (llvm::all_of(dims.getLhsContracting(), isOne))
    return 1;
  // Sums of narrow floats are rounded once.
  bool wide = element.getIntOrFloatBitWidth() >= 32;
  int64_t last = right.getRank() - 1;
  if (dims.getLhsContracting().size() != 1 || !wide ||
      llvm::is_contained(dims.getRhsContracting(), last) ||
      llvm::is_contained(dims.getRhsBatching(), last) ||
      right.getDimSize(last) < shortestRow)
    return -1;
  int64_t terms = left.getDimSize(dims.getLhsContracting().front());
  return terms >= 1 && terms <= mostTerms ? terms : -1;
}

static LogicalResult outerProduct(DotGeneralOp op, PatternRewriter &rewriter) {
  DotDimsAttr dims = op.getDims();
  RankedTensorType type = typeOf(op.getResult());
  int64_t terms = fewTerms(op);
  if (terms < 0)
    return failure();
  int64_t target = 0;
  Side lhs{op.getLhs(), {}, {}}, rhs{op.getRhs(), {}, {}};
  auto keep = [](Side &side, int64_t dim, int64_t at) {
    side.kept.push_back(dim);
    side.targets.push_back(at);
  };
  for (auto [a, b] : llvm::zip(dims.getLhsBatching(), dims.getRhsBatching())) {
    keep(lhs, a, target);
    keep(rhs, b, target++);
  }
  for (int64_t d : freeDims(typeOf(op.getLhs()).getRank(),
                            dims.getLhsBatching(), dims.getLhsContracting()))
    keep(lhs, d, target++);
  for (int64_t d : freeDims(typeOf(op.getRhs()).getRank(),
                            dims.getRhsBatching(), dims.getRhsContracting()))
    keep(rhs, d, target++);
  SmallVector<Value> sizes(type.getRank());
  for (const Side &side : {lhs, rhs})
    for (auto [dim, at] : llvm::zip(side.kept, side.targets))
      if (type.isDynamicDim(at) && !sizes[at])
        sizes[at] = rewriter.create<DimOp>(op.getLoc(), side.operand, dim);
  llvm::erase_if(sizes, [](Value size) { return !size; });
  auto at = [&](Side side, ArrayRef<int64_t> summed, int64_t term) {
    side.operand = sliceAt(rewriter, op.getLoc(), side.operand, summed, term);
    return spread(rewriter, op.getLoc(), side, type, sizes);
  };
  Value sum;
  for (int64_t term = 0; term < terms; ++term) {
    Value product = rewriter.create<MulOp>(
        op.getLoc(), type, at(lhs, dims.getLhsContracting(), term),
        at(rhs, dims.getRhsContracting(), term));
    sum =
        sum ? rewriter.create<AddOp>(op.getLoc(), type, sum, product) : product;
  }
  rewriter.replaceOp(op, sum);
  return success();
}

void addOuterProductPatterns(RewritePatternSet &patterns) {
  patterns.add(outerProduct);
}

} // namespace zenith::simplify
