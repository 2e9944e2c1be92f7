// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on integer scalars as the interpreter defines it, and their
// transfer from and to memory.

#include "lowering/program/ScalarCode.h"

#include "lowering/program/EntryArguments.h"

using namespace llvm;

namespace zenith::pipeline {

static bool isUnsignedType(mlir::Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

Value *ScalarCode::wrapped(Value *scalar, mlir::Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 64)
    return scalar;
  Value *narrow = builder.CreateTrunc(scalar, builder.getIntNTy(width));
  return isUnsignedType(type) ? builder.CreateZExt(narrow, i64)
                              : builder.CreateSExt(narrow, i64);
}

/// div, rem and floor_mod, where a divisor of 0 gives -1, x and x.
Value *ScalarCode::quotient(StringRef opcode, Value *x, Value *y,
                            bool isUnsigned) {
  Value *zero = builder.getInt64(0), *one = builder.getInt64(1);
  Value *byZero = builder.CreateICmpEQ(y, zero);
  Value *byMinusOne = isUnsigned
                          ? builder.getFalse()
                          : builder.CreateICmpEQ(y, builder.getInt64(-1));
  Value *divisor =
      builder.CreateSelect(builder.CreateOr(byZero, byMinusOne), one, y);
  if (opcode == "div") {
    Value *plain = isUnsigned ? builder.CreateUDiv(x, divisor)
                              : builder.CreateSDiv(x, divisor);
    plain = builder.CreateSelect(byMinusOne, builder.CreateSub(zero, x), plain);
    return builder.CreateSelect(byZero, builder.getInt64(-1), plain);
  }
  Value *rest = isUnsigned ? builder.CreateURem(x, divisor)
                           : builder.CreateSRem(x, divisor);
  rest = builder.CreateSelect(byMinusOne, zero, rest);
  if (opcode == "floor_mod" && !isUnsigned) {
    Value *differ = builder.CreateICmpSLT(builder.CreateXor(rest, y), zero);
    Value *adjust = builder.CreateAnd(builder.CreateICmpNE(rest, zero), differ);
    rest = builder.CreateSelect(adjust, builder.CreateAdd(rest, y), rest);
  }
  return builder.CreateSelect(byZero, x, rest);
}

static CmpInst::Predicate predicate(StringRef direction, bool isUnsigned) {
  if (direction == "eq")
    return CmpInst::ICMP_EQ;
  if (direction == "ne")
    return CmpInst::ICMP_NE;
  if (direction == "lt")
    return isUnsigned ? CmpInst::ICMP_ULT : CmpInst::ICMP_SLT;
  if (direction == "le")
    return isUnsigned ? CmpInst::ICMP_ULE : CmpInst::ICMP_SLE;
  if (direction == "gt")
    return isUnsigned ? CmpInst::ICMP_UGT : CmpInst::ICMP_SGT;
  return isUnsigned ? CmpInst::ICMP_UGE : CmpInst::ICMP_SGE;
}

Value *ScalarCode::arithmetic(StringRef opcode, ArrayRef<Value *> x,
                              mlir::Type from, mlir::Type type) {
  bool isUnsigned = isUnsignedType(from);
  Value *zero = builder.getInt64(0);
  auto isZero = [&](Value *value) { return builder.CreateICmpEQ(value, zero); };
  if (opcode.consume_front("compare."))
    return builder.CreateZExt(
        builder.CreateICmp(predicate(opcode, isUnsigned), x[0], x[1]), i64);
  if (opcode == "select")
    return builder.CreateSelect(isZero(x[0]), x[2], x[1]);
  if (opcode == "convert")
    return type.isInteger(1)
               ? builder.CreateZExt(builder.CreateNot(isZero(x[0])), i64)
               : x[0];
  if (opcode == "add")
    return builder.CreateAdd(x[0], x[1]);
  if (opcode == "sub")
    return builder.CreateSub(x[0], x[1]);
  if (opcode == "mul")
    return builder.CreateMul(x[0], x[1]);
  if (opcode == "and")
    return builder.CreateAnd(x[0], x[1]);
  if (opcode == "or")
    return builder.CreateOr(x[0], x[1]);
  if (opcode == "xor")
    return builder.CreateXor(x[0], x[1]);
  if (opcode == "not")
    return builder.CreateNot(x[0]);
  if (opcode == "neg")
    return builder.CreateSub(zero, x[0]);
  if (opcode == "max")
    return builder.CreateBinaryIntrinsic(
        isUnsigned ? Intrinsic::umax : Intrinsic::smax, x[0], x[1]);
  if (opcode == "min")
    return builder.CreateBinaryIntrinsic(
        isUnsigned ? Intrinsic::umin : Intrinsic::smin, x[0], x[1]);
  Value *isNegative =
      isUnsigned ? builder.getFalse() : builder.CreateICmpSLT(x[0], zero);
  if (opcode == "abs")
    return builder.CreateSelect(isNegative, builder.CreateSub(zero, x[0]),
                                x[0]);
  if (opcode == "sign")
    return builder.CreateSelect(
        isNegative, builder.getInt64(-1),
        builder.CreateZExt(builder.CreateNot(isZero(x[0])), i64));
  return quotient(opcode, x[0], x[1], isUnsigned);
}

void ScalarCode::evaluate(host::EvalOp op) {
  SmallVector<Value *> inputs;
  for (mlir::Attribute input : op.getInputs())
    inputs.push_back(sizes.evaluate(input));
  code.checkSizes();
  sizes.bind(op.getSymbol(), wrapped(arithmetic(op.getOpcode(), inputs,
                                                op.getFrom(), op.getType()),
                                     op.getType()));
}

/// Bytes of a scalar in memory.
static unsigned storedBytes(mlir::Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width < 8 ? 1 : width / 8;
}

void ScalarCode::write(host::ScalarOp op) {
  unsigned width = storedBytes(op.getType());
  Value *scalar = builder.CreateTrunc(sizes.evaluate(op.getValueAttr()),
                                      builder.getIntNTy(8 * width));
  host::BufferAttr target = op.getTarget();
  bool isCell = target.getKind() == host::BufferKind::cell;
  if (!code.deviceKernels) {
    builder.CreateAlignedStore(scalar, buffers.at(target).base, Align(width));
    return;
  }
  Value *local = isCell ? code.frame->cells[target.getIndex()]
                        : code.stackArray(i64, 1, "scalar");
  builder.CreateStore(scalar, local);
  buffers.upload(-1, buffers.at(target), local, builder.getInt64(width));
}

void ScalarCode::fetch(host::FetchOp op) {
  unsigned width = storedBytes(op.getType());
  host::BufferAttr source = op.getSource();
  if (source.getKind() == host::BufferKind::shared)
    if (Value *scalar = code.shared[source.getIndex()].scalar)
      return sizes.bind(op.getSymbol(), scalar);
  Value *data;
  if (!code.deviceKernels) {
    data = buffers.at(source).base;
  } else if (source.getKind() == host::BufferKind::cell) {
    data = code.frame->cells[source.getIndex()];
  } else {
    data = code.stackArray(i64, 1, "fetched");
    buffers.download(-1, data, buffers.at(source), builder.getInt64(width));
  }
  sizes.bind(op.getSymbol(),
             extended(builder,
                      builder.CreateLoad(builder.getIntNTy(8 * width), data),
                      op.getType()));
}

} // namespace zenith::pipeline
