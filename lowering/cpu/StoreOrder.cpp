// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders stores of several registers by ascending address.

#include "lowering/cpu/StoreOrder.h"

#include "lowering/cpu/InstructionRewrites.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

#include <numeric>

using namespace llvm;

namespace zenith::cpu {

static constexpr unsigned registerBits = 512;

/// Elements of one register, if `store` writes several registers.
static unsigned elementsOfRegister(const StoreInst &store) {
  auto *type = dyn_cast<FixedVectorType>(store.getValueOperand()->getType());
  unsigned bits = type ? type->getScalarSizeInBits() : 0;
  if (bits < 8 || registerBits % bits ||
      type->getNumElements() * bits <= registerBits ||
      type->getNumElements() * bits % registerBits)
    return 0;
  return registerBits / bits;
}

static void storeInOrder(StoreInst &store, unsigned elements) {
  IRBuilder<> builder(&store);
  Value *all = store.getValueOperand();
  auto *type = cast<FixedVectorType>(all->getType());
  for (unsigned first = 0; first < type->getNumElements(); first += elements) {
    SmallVector<int> which(elements);
    std::iota(which.begin(), which.end(), int(first));
    unsigned bytes = first * type->getScalarSizeInBits() / 8;
    auto *part = cast<StoreInst>(store.clone());
    part->setOperand(0, builder.CreateShuffleVector(all, which));
    part->setOperand(1, builder.CreateInBoundsPtrAdd(store.getPointerOperand(),
                                                     builder.getInt64(bytes)));
    part->setAlignment(commonAlignment(store.getAlign(), bytes));
    builder.Insert(part);
  }
  store.eraseFromParent();
}

PreservedAnalyses StoreOrderPass::run(Function &function,
                                      FunctionAnalysisManager &) {
  SmallVector<std::pair<StoreInst *, unsigned>> found;
  for (Instruction &instruction : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      if (unsigned elements = elementsOfRegister(*store))
        found.push_back({store, elements});
  for (auto [store, elements] : found)
    storeInOrder(*store, elements);
  return preservedByRewrites(!found.empty());
}

} // namespace zenith::cpu
