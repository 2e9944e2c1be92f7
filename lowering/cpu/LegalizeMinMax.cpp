// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalises float min/max: uses instructions that order -0 before 0.

#include "lowering/cpu/LegalizeMinMax.h"

#include "lowering/cpu/InstructionRewrites.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

#include <numeric>

using namespace llvm;

namespace zenith::cpu {

static bool isExtremeOfFloats(const IntrinsicInst &call) {
  auto *type = dyn_cast<FixedVectorType>(call.getType());
  return type &&
         (call.getIntrinsicID() == Intrinsic::maximum ||
          call.getIntrinsicID() == Intrinsic::minimum) &&
         (type->getElementType()->isFloatTy() ||
          type->getElementType()->isDoubleTy()) &&
         isPowerOf2_32(type->getNumElements());
}

/// Lanes from `first` on; zeros after the last one.
static Value *slice(IRBuilder<> &builder, Value *x, unsigned first,
                    unsigned lanes) {
  unsigned all = cast<FixedVectorType>(x->getType())->getNumElements();
  SmallVector<int> which(lanes, int(all));
  std::iota(which.begin(), which.begin() + std::min(lanes, all), int(first));
  return builder.CreateShuffleVector(x, Constant::getNullValue(x->getType()),
                                     which);
}

static Intrinsic::ID rangeOf(bool isDouble, unsigned bits) {
  switch (bits) {
  case 128:
    return isDouble ? Intrinsic::x86_avx512_mask_range_pd_128
                    : Intrinsic::x86_avx512_mask_range_ps_128;
  case 256:
    return isDouble ? Intrinsic::x86_avx512_mask_range_pd_256
                    : Intrinsic::x86_avx512_mask_range_ps_256;
  default:
    return isDouble ? Intrinsic::x86_avx512_mask_range_pd_512
                    : Intrinsic::x86_avx512_mask_range_ps_512;
  }
}

/// Minimum or maximum of vectors of one register.
static Value *minMax(IRBuilder<> &builder, bool isMaximum, Value *x, Value *y) {
  // The comparison selects the operand, whose sign is kept.
  constexpr int takeLess = 4, takeMore = 5, ownRounding = 4;
  auto *type = cast<FixedVectorType>(x->getType());
  unsigned bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  Value *ordered = builder.CreateFCmpORD(x, y);
  // Mask registers have at least eight bits.
  ordered = slice(builder, ordered, 0, std::max(8u, type->getNumElements()));
  ordered = builder.CreateBitCast(
      ordered, builder.getIntNTy(std::max(8u, type->getNumElements())));
  SmallVector<Value *> operands = {
      x, y, builder.getInt32(isMaximum ? takeMore : takeLess),
      builder.CreateFAdd(x, y), ordered};
  if (bits == 512)
    operands.push_back(builder.getInt32(ownRounding));
  return builder.CreateIntrinsic(
      rangeOf(type->getElementType()->isDoubleTy(), bits), {}, operands);
}

static Value *inRegisters(IntrinsicInst &call) {
  IRBuilder<> builder(&call);
  bool isMaximum = call.getIntrinsicID() == Intrinsic::maximum;
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  auto *type = cast<FixedVectorType>(call.getType());
  unsigned all = type->getNumElements(), element = type->getScalarSizeInBits(),
           lanes = std::clamp(all, 128 / element, 512 / element);
  SmallVector<Value *> parts;
  for (unsigned first = 0; first < all; first += lanes)
    parts.push_back(minMax(builder, isMaximum, slice(builder, x, first, lanes),
                           slice(builder, y, first, lanes)));
  for (; parts.size() > 1; lanes *= 2) {
    SmallVector<int> both(2 * lanes);
    std::iota(both.begin(), both.end(), 0);
    SmallVector<Value *> joined;
    for (size_t i = 0; i < parts.size(); i += 2)
      joined.push_back(
          builder.CreateShuffleVector(parts[i], parts[i + 1], both));
    parts = joined;
  }
  return slice(builder, parts.front(), 0, all);
}

/// `x` with 0 for -0. Of a sum, a term that was computed in another block, as a
/// bias outside of a loop is, takes the zero: then that term is not -0, and no
/// sum with it is.
static Value *withoutNegativeZero(IRBuilder<> &builder, Value *x,
                                  Constant *zero) {
  auto *sum = dyn_cast<BinaryOperator>(x);
  bool isSum = sum && sum->getOpcode() == Instruction::FAdd && sum->hasOneUse();
  for (unsigned number : {0u, 1u}) {
    auto *term =
        isSum ? dyn_cast<Instruction>(sum->getOperand(number)) : nullptr;
    if (!term || term->getParent() == sum->getParent())
      continue;
    auto place = term->getInsertionPointAfterDef();
    if (!place)
      continue;
    IRBuilder<> outside(term->getParent(), *place);
    sum->setOperand(number, outside.CreateFAdd(term, zero));
    return sum;
  }
  return builder.CreateFAdd(x, zero);
}

/// Minimum or maximum of a vector and a scalar that all lanes compare with.
/// Where neither is greater, as with a NaN, the result is the vector's lane:
/// x86's instruction returns its second operand then.
static Value *minMaxByScalar(IRBuilder<> &builder, bool isMaximum, Value *x,
                             Constant *number, const APFloat &value) {
  if (isMaximum && value.isPosZero())
    x = withoutNegativeZero(builder, x, number);
  Value *beyond = isMaximum ? builder.CreateFCmpOGT(number, x)
                            : builder.CreateFCmpOLT(number, x);
  return builder.CreateSelect(beyond, number, x);
}

/// x86's min/max with a known constant, or null: -0 is less than a lane of 0,
/// which no comparison tells.
static Value *byNumber(IntrinsicInst &call) {
  bool isMaximum = call.getIntrinsicID() == Intrinsic::maximum;
  for (unsigned operand : {0u, 1u}) {
    auto *constant = dyn_cast<Constant>(call.getArgOperand(operand));
    auto *number = constant
                       ? dyn_cast_or_null<ConstantFP>(constant->getSplatValue())
                       : nullptr;
    if (!number || number->isNaN() ||
        (!isMaximum && number->getValueAPF().isNegZero()))
      continue;
    IRBuilder<> builder(&call);
    return minMaxByScalar(builder, isMaximum, call.getArgOperand(1 - operand),
                          constant, number->getValueAPF());
  }
  return nullptr;
}

PreservedAnalyses LegalizeMinMaxPass::run(Function &function,
                                          FunctionAnalysisManager &) {
  SmallVector<IntrinsicInst *> found;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
        call && isExtremeOfFloats(*call))
      found.push_back(call);
  bool changed = false;
  for (IntrinsicInst *call : found) {
    Value *result = byNumber(*call);
    if (!result && hasRange)
      result = inRegisters(*call);
    if (!result)
      continue;
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
    changed = true;
  }
  return preservedByRewrites(changed);
}

} // namespace zenith::cpu
