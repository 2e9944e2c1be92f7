// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports keys that several ops consume: these give the same bits, which is
// hardly ever meant.

#include "ir/GraphOps.h"
#include "ir/LocationText.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include <map>

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_CHECKKEYSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::expand {
namespace {

/// Names keys: values that are surely the same key have one name, the value
/// that was met first.
class KeyNames {
public:
  Value nameOf(Value key) {
    if (auto reshape = key.getDefiningOp<ReshapeOp>())
      return nameOf(reshape.getOperand());
    if (auto slice = key.getDefiningOp<SliceOp>())
      if (std::optional<int64_t> row = rowOf(slice))
        return named(rows[{nameOf(slice.getOperand()), *row}], key);
    if (auto fold = key.getDefiningOp<FoldInOp>())
      return named(folds[{nameOf(fold.getKey()), dataName(fold.getData())}],
                   key);
    return key;
  }

private:
  /// The row of a matrix of keys that `slice` takes whole.
  static std::optional<int64_t> rowOf(SliceOp slice) {
    auto from = cast<RankedTensorType>(slice.getOperand().getType());
    auto to = cast<RankedTensorType>(slice.getType());
    bool isRow =
        from.getRank() == 2 && to.getRank() == 2 && to.getDimSize(0) == 1 &&
        to.getDimSize(1) == from.getDimSize(1) && slice.getStarts().empty();
    return isRow ? std::optional(slice.getStaticStarts()[0]) : std::nullopt;
  }
  /// Equal constants have one attribute.
  static const void *dataName(Value data) {
    if (auto constant = data.getDefiningOp<ConstantOp>())
      return constant.getValue().getAsOpaquePointer();
    return data.getAsOpaquePointer();
  }
  static Value named(Value &name, Value key) {
    return name ? name : (name = key);
  }
  struct Earlier {
    bool operator()(Value a, Value b) const {
      return a.getAsOpaquePointer() < b.getAsOpaquePointer();
    }
    template <typename Second>
    bool operator()(const std::pair<Value, Second> &a,
                    const std::pair<Value, Second> &b) const {
      return (*this)(a.first, b.first) ||
             (a.first == b.first && a.second < b.second);
    }
  };
  std::map<std::pair<Value, int64_t>, Value, Earlier> rows;
  std::map<std::pair<Value, const void *>, Value, Earlier> folds;
};

} // namespace

/// The key that `op` uses up; null for ops of other families, and for fold_in,
/// which may give many keys from one.
static Value consumedKey(Operation *op) {
  if (familyOf(op) != Family::Random || isa<RandomBitsOp, FoldInOp>(op))
    return Value();
  return isa<DropoutOp>(op) ? op->getOperand(1) : op->getOperand(0);
}

/// Whether only one of both runs, in different branches of an if or case.
static bool exclusive(Operation *first, Operation *second) {
  for (Operation *fork = first->getParentOp(); fork;
       fork = fork->getParentOp()) {
    if (!isa<IfOp, CaseOp>(fork) || !fork->isProperAncestor(second))
      continue;
    Operation *branch = second;
    while (branch->getParentOp() != fork)
      branch = branch->getParentOp();
    return !branch->getParentRegion()->isAncestor(first->getParentRegion());
  }
  return false;
}

/// The innermost loop around `op` that `value` comes from outside of.
static Operation *loopBelow(Value value, Operation *op) {
  for (auto loop = op->getParentOfType<WhileOp>(); loop;
       loop = loop->getParentOfType<WhileOp>())
    if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
      return loop;
  return nullptr;
}

static std::string placeText(Operation *op) {
  std::string place = graph::placeOf(op->getLoc());
  return place.empty() ? "an unknown place" : place;
}

static StringRef nameText(Operation *op) {
  return op->getName().getStringRef();
}

namespace {

struct CheckKeysPass : impl::CheckKeysPassBase<CheckKeysPass> {
  using CheckKeysPassBase::CheckKeysPassBase;

  void runOnOperation() override {
    KeyNames names;
    DenseMap<Value, SmallVector<Operation *>> consumers;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      Value key = consumedKey(op);
      if (!key)
        return;
      Value name = names.nameOf(key);
      SmallVector<Operation *> &earlier = consumers[name];
      auto other = llvm::find_if(earlier, [&](Operation *candidate) {
        return !exclusive(candidate, op);
      });
      if (other != earlier.end())
        remarks::emit(op, remarks::Code::RNG101,
                      {nameText(op), nameText(*other), placeText(*other)});
      else if (loopBelow(key, op))
        remarks::emit(op, remarks::Code::RNG102, {nameText(op)});
      earlier.push_back(op);
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace zenith::expand
