// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DimExpr to LLVM IR.

#include "lowering/program/SizeCode.h"

using namespace llvm;

namespace zenith::pipeline {

using graph::DimAtom;
using graph::DimExpr;

SizeCode::SizeCode(IRBuilder<> &builder)
    : builder(builder), overflow(builder.getFalse()) {}

void ScopedValues::set(StringRef text, Value *value) {
  if (isOwn(text)) {
    own[text] = value;
    return;
  }
  Value *&entry = shared[text];
  if (!outer.empty())
    changes.emplace_back(text.str(), entry);
  entry = value;
}

void ScopedValues::enter() {
  outer.push_back({std::exchange(own, Table()), changes.size()});
}

void ScopedValues::leave() {
  Scope scope = outer.pop_back_val();
  own = std::move(scope.own);
  for (; changes.size() > scope.changes; changes.pop_back()) {
    auto &[text, before] = changes.back();
    if (before)
      shared[text] = before;
    else
      shared.erase(text);
  }
}

bool SizeCode::canEvaluate(const DimExpr &expr) const {
  bool all = true;
  expr.forEachSymbol([&](const std::string &name) { all &= isBound(name); });
  return all;
}

Value *SizeCode::checked(Intrinsic::ID operation, Value *lhs, Value *rhs) {
  if (isa<ConstantInt>(lhs) && isa<ConstantInt>(rhs)) {
    bool over = false;
    const APInt &x = cast<ConstantInt>(lhs)->getValue(),
                &y = cast<ConstantInt>(rhs)->getValue();
    APInt result = operation == Intrinsic::smul_with_overflow
                       ? x.smul_ov(y, over)
                       : x.sadd_ov(y, over);
    if (over)
      overflow = builder.getTrue();
    return builder.getInt(result);
  }
  Value *pair = builder.CreateBinaryIntrinsic(operation, lhs, rhs);
  Value *over = builder.CreateExtractValue(pair, 1);
  overflow =
      overflow == builder.getFalse() ? over : builder.CreateOr(overflow, over);
  return builder.CreateExtractValue(pair, 0);
}

/// By a constant > 0.
Value *SizeCode::floorDivisionBy(Value *lhs, int64_t divisor, bool remainder) {
  if (isPowerOf2_64(divisor))
    return remainder ? builder.CreateAnd(lhs, divisor - 1)
                     : builder.CreateAShr(lhs, Log2_64(divisor));
  Value *by = builder.getInt64(divisor), *rest = builder.CreateSRem(lhs, by);
  Value *isNegative = builder.CreateICmpSLT(rest, builder.getInt64(0));
  if (remainder)
    return builder.CreateSelect(isNegative, builder.CreateAdd(rest, by), rest);
  Value *quotient = builder.CreateSDiv(lhs, by);
  return builder.CreateAdd(quotient,
                           builder.CreateSExt(isNegative, rest->getType()));
}

/// Rounds toward minus infinity; 0 where rhs is 0, as DimExpr has it.
Value *SizeCode::floorDivision(Value *lhs, Value *rhs, bool remainder) {
  if (auto *known = dyn_cast<ConstantInt>(rhs);
      known && known->getSExtValue() > 0)
    return floorDivisionBy(lhs, known->getSExtValue(), remainder);
  Value *zero = builder.getInt64(0), *isZero = builder.CreateICmpEQ(rhs, zero);
  // The smallest integer divided by -1 would trap. A divisor is -1 only after
  // an overflow.
  Value *unsafe =
      builder.CreateOr(isZero, builder.CreateICmpEQ(rhs, builder.getInt64(-1)));
  Value *divisor = builder.CreateSelect(unsafe, builder.getInt64(1), rhs);
  Value *quotient = builder.CreateSDiv(lhs, divisor),
        *rest = builder.CreateSRem(lhs, divisor);
  Value *differ = builder.CreateICmpSLT(builder.CreateXor(rest, divisor), zero);
  Value *adjust = builder.CreateAnd(builder.CreateICmpNE(rest, zero), differ);
  Value *result =
      remainder
          ? builder.CreateSelect(adjust, builder.CreateAdd(rest, divisor), rest)
          : builder.CreateSelect(
                adjust, builder.CreateSub(quotient, builder.getInt64(1)),
                quotient);
  return builder.CreateSelect(isZero, zero, result);
}

Value *SizeCode::evaluateAtom(const DimAtom &atom) {
  if (atom.kind == DimAtom::Kind::Symbol)
    return symbols.lookup(atom.name);
  std::string key = DimExpr::fromMonomial({{atom, 1}}).str();
  Value *known = memo.lookup(key);
  if (!known)
    memo.set(key, known = computeAtom(atom));
  return known;
}

Value *SizeCode::computeAtom(const DimAtom &atom) {
  Value *lhs = evaluate(*atom.lhs), *rhs = evaluate(*atom.rhs);
  switch (atom.kind) {
  case DimAtom::Kind::FloorDiv:
    return floorDivision(lhs, rhs, /*remainder=*/false);
  case DimAtom::Kind::Mod:
    return floorDivision(lhs, rhs, /*remainder=*/true);
  case DimAtom::Kind::Min:
    return builder.CreateBinaryIntrinsic(Intrinsic::smin, lhs, rhs);
  case DimAtom::Kind::Broadcast:
    return builder.CreateSelect(builder.CreateICmpEQ(lhs, builder.getInt64(1)),
                                rhs, lhs);
  default:
    return builder.CreateBinaryIntrinsic(Intrinsic::smax, lhs, rhs);
  }
}

Value *SizeCode::evaluate(const DimExpr &expr) {
  if (std::optional<int64_t> known = expr.constant())
    return builder.getInt64(*known);
  const DimAtom *only = expr.asAtom();
  if (only && only->kind == DimAtom::Kind::Symbol)
    return symbols.lookup(only->name);
  std::string key = expr.str();
  if (Value *known = memo.lookup(key))
    return known;
  Value *sum = builder.getInt64(0);
  for (const auto &[monomial, coefficient] : expr.terms()) {
    Value *product = builder.getInt64(coefficient);
    for (const auto &[atom, power] : monomial) {
      Value *factor = evaluateAtom(atom);
      for (unsigned i = 0; i < power; ++i) {
        bool isOne =
            isa<ConstantInt>(product) && cast<ConstantInt>(product)->isOne();
        product = isOne
                      ? factor
                      : checked(Intrinsic::smul_with_overflow, product, factor);
      }
    }
    bool isZero = isa<ConstantInt>(sum) && cast<ConstantInt>(sum)->isZero();
    sum =
        isZero ? product : checked(Intrinsic::sadd_with_overflow, sum, product);
  }
  memo.set(key, sum);
  return sum;
}

void SizeCode::evaluateKnown(mlir::Attribute attr) {
  attr.walk([&](graph::DimAttr dim) {
    if (canEvaluate(dim.getExpr()))
      evaluate(dim);
  });
}

} // namespace zenith::pipeline
