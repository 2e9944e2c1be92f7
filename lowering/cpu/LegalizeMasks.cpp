// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalises masks: to forms that the processor has registers and instructions
// for.

#include "lowering/cpu/LegalizeMasks.h"

#include "lowering/cpu/InstructionRewrites.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace zenith::cpu {

/// Masks of fewer lanes are cheap in every form; byte lane
/// indices are compared up to this many.
static constexpr unsigned fewestLanes = 16, mostLanes = 64;

namespace {
class MaskRewriter {
public:
  MaskRewriter(Function &function, const TargetTransformInfo &target)
      : function(function), target(target) {}

  bool run();

private:
  void narrowCompare(ICmpInst *compare);
  void copyMasked(IntrinsicInst *access);
  void widenCarried(PHINode *phi);
  AllocaInst *stackSlot(Type *type);

  Function &function;
  const TargetTransformInfo &target;
  /// Lane count of a mask of the first lanes, at most all.
  DenseMap<Value *, Value *> counts;
  bool changed = false;
};
} // namespace

static unsigned lanesOf(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

static bool isManyLanes(Type *type) {
  return lanesOf(type) >= fewestLanes && lanesOf(type) <= mostLanes;
}

/// The widest element type with which all lanes fit two vectors of 256 bits.
static FixedVectorType *integersFor(Type *mask) {
  unsigned lanes = lanesOf(mask);
  return FixedVectorType::get(
      Type::getIntNTy(mask->getContext(), std::max(8u, 512 / lanes)), lanes);
}

static Constant *laneIndices(FixedVectorType *type) {
  SmallVector<Constant *> indices;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane)
    indices.push_back(ConstantInt::get(type->getElementType(), lane));
  return ConstantVector::get(indices);
}

/// Matches count > lane index, in either order.
void MaskRewriter::narrowCompare(ICmpInst *compare) {
  Value *count = compare->getOperand(0), *lanes = compare->getOperand(1);
  auto *type = dyn_cast<FixedVectorType>(count->getType());
  if (!type || !isManyLanes(type) || !type->getElementType()->isIntegerTy(64))
    return;
  CmpInst::Predicate predicate = compare->getPredicate();
  if (isa<Constant>(count)) {
    std::swap(count, lanes);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  bool isSigned = predicate == CmpInst::ICMP_SGT;
  if ((!isSigned && predicate != CmpInst::ICMP_UGT) ||
      lanes != laneIndices(type))
    return;
  Value *scalar = getSplatValue(count);
  if (!scalar)
    return;
  IRBuilder<> builder(compare);
  Value *all = builder.getInt64(type->getNumElements());
  Value *some =
      isSigned
          ? builder.CreateBinaryIntrinsic(
                Intrinsic::smax, builder.getInt64(0),
                builder.CreateBinaryIntrinsic(Intrinsic::smin, scalar, all))
          : builder.CreateBinaryIntrinsic(Intrinsic::umin, scalar, all);
  FixedVectorType *narrow = integersFor(type);
  Value *splat = builder.CreateVectorSplat(
      type->getNumElements(),
      builder.CreateTrunc(some, narrow->getElementType()));
  Value *mask = builder.CreateICmpSGT(splat, laneIndices(narrow));
  counts[mask] = some;
  compare->replaceAllUsesWith(mask);
  compare->eraseFromParent();
  changed = true;
}

AllocaInst *MaskRewriter::stackSlot(Type *type) {
  BasicBlock &entry = function.getEntryBlock();
  IRBuilder<> builder(&entry, entry.begin());
  AllocaInst *bytes = builder.CreateAlloca(type);
  bytes->setAlignment(Align(32));
  return bytes;
}

void MaskRewriter::copyMasked(IntrinsicInst *access) {
  bool isLoad = access->getIntrinsicID() == Intrinsic::masked_load;
  Value *data = isLoad ? access->getArgOperand(3) : access->getArgOperand(0);
  Value *pointer = access->getArgOperand(isLoad ? 0 : 1);
  Value *count = counts.lookup(access->getArgOperand(isLoad ? 2 : 3));
  Align align =
      cast<ConstantInt>(access->getArgOperand(isLoad ? 1 : 2))->getAlignValue();
  auto *type = cast<FixedVectorType>(data->getType());
  uint64_t bytes = type->getScalarSizeInBits() / 8;
  if (!count || !bytes ||
      (isLoad ? target.isLegalMaskedLoad(type, align)
              : target.isLegalMaskedStore(type, align)))
    return;
  AllocaInst *buffer = stackSlot(type);
  IRBuilder<> builder(access);
  Value *size = builder.CreateMul(count, builder.getInt64(bytes));
  builder.CreateAlignedStore(data, buffer, buffer->getAlign());
  if (isLoad) {
    builder.CreateMemCpy(buffer, buffer->getAlign(), pointer, align, size);
    access->replaceAllUsesWith(
        builder.CreateAlignedLoad(type, buffer, buffer->getAlign()));
  } else {
    builder.CreateMemCpy(pointer, align, buffer, buffer->getAlign(), size);
  }
  access->eraseFromParent();
  changed = true;
}

void MaskRewriter::widenCarried(PHINode *phi) {
  Type *type = phi->getType();
  if (!isManyLanes(type) || !type->getScalarType()->isIntegerTy(1) ||
      target.isTypeLegal(type))
    return;
  FixedVectorType *wide = integersFor(type);
  PHINode *carried =
      IRBuilder<>(phi).CreatePHI(wide, phi->getNumIncomingValues());
  DenseMap<BasicBlock *, Value *> sent; // an edge may come twice
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    BasicBlock *from = phi->getIncomingBlock(i);
    Value *&value = sent[from];
    if (!value)
      value = IRBuilder<>(from->getTerminator())
                  .CreateSExt(phi->getIncomingValue(i), wide);
    carried->addIncoming(value, from);
  }
  BasicBlock *block = phi->getParent();
  IRBuilder<> builder(block, block->getFirstInsertionPt());
  phi->replaceAllUsesWith(
      builder.CreateICmpSLT(carried, Constant::getNullValue(wide)));
  phi->eraseFromParent();
  changed = true;
}

bool MaskRewriter::run() {
  SmallVector<ICmpInst *> compares;
  SmallVector<IntrinsicInst *> accesses;
  SmallVector<PHINode *> phis;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *compare = dyn_cast<ICmpInst>(&instruction))
        compares.push_back(compare);
      else if (auto *phi = dyn_cast<PHINode>(&instruction))
        phis.push_back(phi);
      else if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
               call && (call->getIntrinsicID() == Intrinsic::masked_load ||
                        call->getIntrinsicID() == Intrinsic::masked_store))
        accesses.push_back(call);
  for_each(compares, [&](ICmpInst *compare) { narrowCompare(compare); });
  for_each(accesses, [&](IntrinsicInst *access) { copyMasked(access); });
  for_each(phis, [&](PHINode *phi) { widenCarried(phi); });
  return changed;
}

PreservedAnalyses LegalizeMasksPass::run(Function &function,
                                         FunctionAnalysisManager &analyses) {
  MaskRewriter rewriter(function,
                        analyses.getResult<TargetIRAnalysis>(function));
  return preservedByRewrites(rewriter.run());
}

} // namespace zenith::cpu
