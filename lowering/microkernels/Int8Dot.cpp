// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds dot products of four bytes by the VNNI instruction, or in a form that
// LLVM optimises.

#include "lowering/microkernels/Int8Dot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

Value addInt8Dot(OpBuilder &b, Location loc, Value sum, Value x, Value y,
                 bool vnni) {
  auto type = cast<VectorType>(sum.getType());
  int64_t lanes = type.getNumElements();
  if (vnni) {
    std::string name = "llvm.x86.avx512.vpdpbusd." + std::to_string(32 * lanes);
    Value operands[] = {sum, b.create<vector::BitCastOp>(loc, type, x),
                        b.create<vector::BitCastOp>(loc, type, y)};
    return b
        .create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name),
                                       operands)
        .getResult(0);
  }
  auto wide = VectorType::get({4 * lanes}, type.getElementType());
  Value products =
      b.create<arith::MulIOp>(loc, b.create<arith::ExtUIOp>(loc, wide, x),
                              b.create<arith::ExtSIOp>(loc, wide, y));
  for (int64_t i = 0; i < 4; ++i) {
    SmallVector<int64_t> bytes;
    for (int64_t lane = 0; lane < lanes; ++lane)
      bytes.push_back(4 * lane + i);
    sum = b.create<arith::AddIOp>(
        loc, sum, b.create<vector::ShuffleOp>(loc, products, products, bytes));
  }
  return sum;
}

} // namespace zenith::kernels
