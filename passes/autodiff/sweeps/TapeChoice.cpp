// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of tapes, and what a function takes beside them.

#include "passes/autodiff/sweeps/TapeChoice.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "ir/tensor/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

/// On the constant that a tape's bytes are compared with.
static constexpr StringLiteral limitAttrName = "autodiff.tape_limit";

/// Bytes of a row of all of `like`, as a tensor<i64>.
static Value rowBytes(RuleBuilder &rule, ValueRange like) {
  int64_t fixed = 0;
  Value bytes;
  for (Value value : like) {
    RankedTensorType type = typeOf(value);
    if (std::optional<int64_t> known =
            type.hasStaticShape() ? tensorBytes(type) : std::nullopt) {
      fixed += *known;
      continue;
    }
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    Value count = rule.count(value, dims, rule.builder.getI64Type());
    bytes = rule.plus(
        bytes,
        rule.mul(count, rule.index(elementBytes(type.getElementType()))));
  }
  return bytes ? rule.add(bytes, rule.index(fixed)) : rule.index(fixed);
}

TapeForm TapeChoice::formOf(RuleBuilder &rule, Value rows,
                            ValueRange like) const {
  if (form != TapeForm::Default)
    return form;
  if (budgetBytes <= 0)
    return TapeForm::Store;
  std::optional<double> count = splatValue(rows);
  if (!count)
    return TapeForm::Default;
  double bytes = 0;
  for (Value value : like)
    if (typeOf(value).hasStaticShape())
      bytes += double(tensorBytes(typeOf(value)).value_or(0));
  return *count * bytes > double(budgetBytes) ? TapeForm::Sqrt
                                              : TapeForm::Store;
}

Value TapeChoice::fits(RuleBuilder &rule, Value rows, ValueRange like) {
  Value limit = rule.index(0);
  limit.getDefiningOp()->setAttr(limitAttrName, rule.builder.getUnitAttr());
  // Rows are compared, not bytes, whose number might wrap around.
  Value most =
      rule.div(limit, rule.binary<MaxOp>(rowBytes(rule, like), rule.index(1)));
  return rule.compare(CompareDirection::le, rows, most);
}

//===----------------------------------------------------------------------===//
// What the function takes
//===----------------------------------------------------------------------===//

/// Bytes that a value may take in the arena; sizes that are not known count
/// nothing.
static int64_t arenaBytes(Value value) {
  RankedTensorType type = typeOf(value);
  bool isElsewhere =
      isa_and_nonnull<ConstantOp, GetParamOp>(value.getDefiningOp());
  return isElsewhere || !type.hasStaticShape() ? 0
                                               : tensorBytes(type).value_or(0);
}

/// The most bytes of results of ops that live at a time, in the order of ops.
static int64_t livePeak(Block &block) {
  llvm::DenseMap<Operation *, int64_t> freed;
  int64_t live = 0, peak = 0;
  for (Operation &op : block) {
    for (Value result : op.getResults()) {
      int64_t bytes = arenaBytes(result);
      Operation *last = &op;
      for (Operation *user : result.getUsers()) {
        Operation *own = block.findAncestorOpInBlock(*user);
        if (own && last->isBeforeInBlock(own))
          last = own;
      }
      live += bytes;
      freed[last] += bytes;
    }
    int64_t inside = 0;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        inside = std::max(inside, livePeak(inner));
    peak = std::max(peak, live + inside);
    live -= freed.lookup(&op);
  }
  return peak;
}

void TapeChoice::setLimits(Block &body) const {
  SmallVector<ConstantOp> limits;
  body.walk([&](ConstantOp op) {
    if (op->hasAttr(limitAttrName))
      limits.push_back(op);
  });
  if (limits.empty())
    return;
  int64_t left = std::max<int64_t>(0, budgetBytes - livePeak(body));
  for (ConstantOp limit : limits) {
    unsigned depth = 0;
    for (Operation *op = limit; (op = op->getParentOp());)
      depth += isa<WhileOp>(op);
    limit->removeAttr(limitAttrName);
    limit.setValueAttr(DenseElementsAttr::get(
        cast<RankedTensorType>(limit.getType()), left >> std::min(depth, 62u)));
  }
}

} // namespace zenith::autodiff
