// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalises non-temporal stores: whole, aligned cache lines only.

#include "lowering/cpu/NonTemporalStores.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace zenith::cpu {

/// A type of the stored bits for which LLVM selects non-temporal stores.
static Type *inWords(StoreInst &store) {
  Type *type = store.getValueOperand()->getType();
  IntegerType *word = Type::getInt32Ty(store.getContext());
  return FixedVectorType::get(
      word, unsigned(type->getPrimitiveSizeInBits() / word->getBitWidth()));
}

static StoreInst *copyBefore(StoreInst &store, Instruction *place) {
  auto *copy = cast<StoreInst>(store.clone());
  copy->insertBefore(place);
  return copy;
}

/// Splits `store`: a non-temporal store where the address is that of a cache
/// line, an ordinary one elsewhere.
static void testAddress(StoreInst &store, uint64_t lineBytes) {
  IRBuilder<> builder(&store);
  Value *address =
      builder.CreatePtrToInt(store.getPointerOperand(), builder.getInt64Ty());
  Value *aligned = builder.CreateIsNull(
      builder.CreateAnd(address, builder.getInt64(lineBytes - 1)));
  Instruction *whole, *other;
  SplitBlockAndInsertIfThenElse(aligned, &store, &whole, &other);
  StoreInst *stream = copyBefore(store, whole);
  stream->setAlignment(Align(lineBytes));
  // There are no non-temporal stores of f16.
  stream->setOperand(0, IRBuilder<>(stream).CreateBitCast(
                            store.getValueOperand(), inWords(store)));
  copyBefore(store, other)->setMetadata(LLVMContext::MD_nontemporal, nullptr);
  store.eraseFromParent();
}

PreservedAnalyses NonTemporalStoresPass::run(Function &function,
                                             FunctionAnalysisManager &) {
  SmallVector<StoreInst *> streams;
  for (Instruction &instruction : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && store->hasMetadata(LLVMContext::MD_nontemporal))
      streams.push_back(store);
  if (streams.empty())
    return PreservedAnalyses::all();
  const DataLayout &layout = function.getDataLayout();
  for (StoreInst *store : streams) {
    Type *type = store->getValueOperand()->getType();
    if (layout.getTypeStoreSize(type) % lineBytes)
      store->setMetadata(LLVMContext::MD_nontemporal, nullptr);
    else
      testAddress(*store, lineBytes);
  }
  for (BasicBlock &block : function)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      IRBuilder<>(end).CreateIntrinsic(Intrinsic::x86_sse_sfence, {}, {});
  return PreservedAnalyses::none();
}

} // namespace zenith::cpu
