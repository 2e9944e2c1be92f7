// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common subexpression elimination that tells ops with regions apart by what is
// inside of them.

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/GraphPasses.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_MERGEEQUALOPSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {

/// Hash of name, attributes, operands and result types; with regions, also of
/// their first ops: branches on one condition have nothing else to tell them
/// apart.
static llvm::hash_code hashOf(Operation *op) {
  constexpr unsigned mostInside = 16;
  llvm::hash_code hash = 0;
  unsigned visited = 0;
  llvm::SmallPtrSet<Block *, 8> inside; ///< blocks of the visited ops
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    auto hashOperand = [&](Value operand) {
      return inside.contains(operand.getParentBlock()) ? llvm::hash_code(0)
                                                       : hash_value(operand);
    };
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        inside.insert(&block);
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                        inner, hashOperand,
                                        OperationEquivalence::ignoreHashValue,
                                        OperationEquivalence::IgnoreLocations));
    return ++visited <= mostInside ? WalkResult::advance()
                                   : WalkResult::interrupt();
  });
  return hash;
}

namespace {

struct OpInfo : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return unsigned(hashOf(const_cast<Operation *>(op)));
  }
  static bool isEqual(const Operation *lhs, const Operation *rhs) {
    if (lhs == rhs)
      return true;
    auto isMarker = [](const Operation *op) {
      return op == getTombstoneKey() || op == getEmptyKey();
    };
    return !isMarker(lhs) && !isMarker(rhs) &&
           OperationEquivalence::isEquivalentTo(
               const_cast<Operation *>(lhs), const_cast<Operation *>(rhs),
               OperationEquivalence::IgnoreLocations);
  }
};

class Merger {
public:
  /// True where no op inside has an effect.
  bool runInside(Operation *op);

private:
  using Table = llvm::ScopedHashTable<Operation *, Operation *, OpInfo>;

  bool run(Block &block);
  bool hasNoEffect(Operation *op);
  void merge(Operation *op);

  Table known; ///< ops whose results can be used
};

} // namespace

bool Merger::runInside(Operation *op) {
  // Values from outside are unknown in there.
  if (op->hasTrait<OpTrait::IsIsolatedFromAbove>() && known.getCurScope())
    return Merger().runInside(op);
  bool isFree = true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      isFree &= run(block);
  return isFree;
}

/// An op with regions after the ops inside of it: each op is asked once.
bool Merger::hasNoEffect(Operation *op) {
  bool isFreeInside = runInside(op);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return isFreeInside && (!effects || effects.hasNoEffect());
  return effects && effects.hasNoEffect();
}

void Merger::merge(Operation *op) {
  Operation *other = known.lookup(op);
  if (!other) {
    known.insert(op, op);
    return;
  }
  op->replaceAllUsesWith(other);
  if (isa<UnknownLoc>(other->getLoc()))
    other->setLoc(op->getLoc());
  op->erase();
}

bool Merger::run(Block &block) {
  bool isFree = true;
  {
    Table::ScopeTy scope(known);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      bool isFreeOp = hasNoEffect(&op);
      isFree &= isFreeOp || op.hasTrait<OpTrait::IsTerminator>();
      if (isFreeOp && !op.hasTrait<OpTrait::IsTerminator>())
        merge(&op);
    }
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return isFree;
}

namespace {

struct MergeEqualOpsPass : impl::MergeEqualOpsPassBase<MergeEqualOpsPass> {
  using MergeEqualOpsPassBase::MergeEqualOpsPassBase;

  void runOnOperation() override { Merger().runInside(getOperation()); }
};

} // namespace
} // namespace zenith::simplify
