// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in training steps: gradients read the weights again, long after the
// forward pass. The forward matmul gets scores of its own, which attention
// never writes to memory; the gradients recompute theirs.

#include "passes/raise/RaiseTrainedAttention.h"
#include "ir/GraphOps.h"
#include "ir/ops/Contraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/raise/AttentionScores.h"
#include "passes/raise/NearMiss.h"
#include "passes/raise/RaiseAttention.h"
#include "passes/raise/SpelledSoftmax.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

namespace {

/// An operand of a matmul as a softmax of scores with other readers.
struct SharedWeights {
  ScoreChain chain;
  Value scores;                   ///< what the softmax reads
  Operation *softmax = nullptr;   ///< the op, or the division that spells it
  SmallVector<int64_t> dims;      ///< that it runs along
  SmallVector<Operation *> after; ///< from the operand up to the weights
};

} // namespace

static bool carriesWeights(Operation *op) {
  return isMove(op) || isa<ConvertOp>(op);
}

static std::optional<SharedWeights> sharedWeights(Value operand) {
  SharedWeights weights;
  Operation *op = operand.getDefiningOp();
  for (; op && carriesWeights(op); op = op->getOperand(0).getDefiningOp())
    weights.after.push_back(op);
  NearMiss miss;
  if (auto softmax = dyn_cast_or_null<SoftmaxOp>(op)) {
    weights.scores = softmax.getOperand();
    weights.dims.assign(softmax.getDims().begin(), softmax.getDims().end());
  } else if (auto division = dyn_cast_or_null<DivOp>(op)) {
    ReduceOp sum;
    SubOp shifted;
    if (failed(findSoftmax(division, sum, shifted, miss)))
      return std::nullopt;
    weights.scores = shifted.getLhs();
    weights.dims.assign(sum.getDims().begin(), sum.getDims().end());
  } else {
    return std::nullopt;
  }
  weights.softmax = op;
  if (weights.dims.size() != 1 ||
      failed(findScores(weights.scores, weights.chain, miss, /*shared=*/true)))
    return std::nullopt;
  return weights;
}

/// True where another matmul sums the weights over the queries, as the gradient
/// of the values does.
static bool hasGradient(const SharedWeights &weights, DotGeneralOp root) {
  SmallVector<Value> carriers = {weights.softmax->getResult(0)};
  while (!carriers.empty())
    for (OpOperand &use : carriers.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (carriesWeights(user))
        carriers.push_back(user->getResult(0));
      auto product = dyn_cast<DotGeneralOp>(user);
      if (!product || product == root)
        continue;
      DotDimsAttr dims = product.getDims();
      ArrayRef<int64_t> summed = use.getOperandNumber() == 0
                                     ? dims.getLhsContracting()
                                     : dims.getRhsContracting();
      // After movement the keys may be any dimension; then any other matmul
      // counts.
      bool isSame = use.get() == weights.softmax->getResult(0);
      if (!isSame || !llvm::is_contained(summed, weights.dims[0]))
        return true;
    }
  return false;
}

/// The matmul again, with scores of its own; the new ops are appended to
/// `made`.
static DotGeneralOp copyForward(const SharedWeights &weights, DotGeneralOp root,
                                unsigned side, OpBuilder &builder,
                                SmallVectorImpl<Operation *> &made) {
  IRMapping map;
  auto copy = [&](Operation *op) {
    made.push_back(builder.clone(*op, map));
    return made.back();
  };
  copy(weights.chain.product);
  for (Operation *step : weights.chain.steps)
    copy(step);
  made.push_back(builder.create<SoftmaxOp>(
      weights.softmax->getLoc(), weights.softmax->getResult(0).getType(),
      map.lookup(weights.scores), weights.dims));
  map.map(weights.softmax->getResult(0), made.back()->getResult(0));
  for (Operation *move : llvm::reverse(weights.after))
    copy(move);
  Operation *product = builder.clone(*root);
  product->setOperand(side, map.lookup(root->getOperand(side)));
  made.push_back(product);
  return cast<DotGeneralOp>(product);
}

static bool raise(DotGeneralOp root, unsigned side) {
  auto weights = sharedWeights(root->getOperand(side));
  if (!weights || !hasGradient(*weights, root))
    return false;
  OpBuilder builder(root);
  SmallVector<Operation *> made;
  DotGeneralOp forward = copyForward(*weights, root, side, builder, made);
  Value result = attentionFor(forward, builder);
  if (result)
    root.getResult().replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(made))
    op->erase();
  if (result)
    root.erase();
  return bool(result);
}

void raiseTrainedAttention(func::FuncOp function) {
  SmallVector<DotGeneralOp> products;
  function.walk([&](DotGeneralOp op) { products.push_back(op); });
  for (DotGeneralOp product : products)
    if (!raise(product, 0))
      raise(product, 1);
}

} // namespace zenith::raise
