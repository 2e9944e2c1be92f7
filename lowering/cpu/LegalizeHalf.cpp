// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widens f16 operations that processors have for f32 only.

#include "lowering/cpu/LegalizeHalf.h"

#include "lowering/cpu/InstructionRewrites.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace zenith::cpu {

static bool isOfHalves(const Value *value) {
  return value->getType()->getScalarType()->isHalfTy();
}

/// Intrinsics whose f16 result is the rounded f32 result of the same operation:
/// on widened f16 operands the f32 result is exactly an f16.
static bool isExactInFloats(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
    return true;
  default:
    return false;
  }
}

static Value *inFloats(Instruction &instruction) {
  IRBuilder<> builder(&instruction);
  auto widen = [&](Value *value) {
    return builder.CreateFPExt(
        value, value->getType()->getWithNewType(builder.getFloatTy()));
  };
  if (auto *compare = dyn_cast<FCmpInst>(&instruction))
    return builder.CreateFCmp(compare->getPredicate(),
                              widen(compare->getOperand(0)),
                              widen(compare->getOperand(1)));
  auto &call = cast<IntrinsicInst>(instruction);
  SmallVector<Value *> operands;
  for (Value *operand : call.args())
    operands.push_back(widen(operand));
  Value *result = builder.CreateIntrinsic(call.getIntrinsicID(),
                                          {operands[0]->getType()}, operands);
  return builder.CreateFPTrunc(result, call.getType());
}

PreservedAnalyses LegalizeHalfPass::run(Function &function,
                                        FunctionAnalysisManager &) {
  SmallVector<Instruction *> found;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    bool wanted = isa<FCmpInst>(&instruction) ||
                  (call && isExactInFloats(call->getIntrinsicID()));
    if (wanted && isOfHalves(instruction.getOperand(0)))
      found.push_back(&instruction);
  }
  for (Instruction *instruction : found) {
    instruction->replaceAllUsesWith(inFloats(*instruction));
    instruction->eraseFromParent();
  }
  return preservedByRewrites(!found.empty());
}

} // namespace zenith::cpu
