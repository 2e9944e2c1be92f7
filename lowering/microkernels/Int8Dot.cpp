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

/// The first `count` elements of a vector, again and again where there are not
/// so many.
static Value firstElements(OpBuilder &b, Location loc, Value vector,
                           int64_t count) {
  int64_t all = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<int64_t> places;
  for (int64_t place = 0; place < count; ++place)
    places.push_back(place % all);
  return b.create<vector::ShuffleOp>(loc, vector, vector, places);
}

Value dotByRegisters(OpBuilder &b, Location loc, StringRef instruction,
                     unsigned most, Value sum, Value x, Value y) {
  constexpr int64_t fewest = 4, bits = 32;
  auto type = cast<VectorType>(sum.getType());
  int64_t lanes = type.getNumElements(),
          piece = std::clamp(lanes, fewest, int64_t(most)),
          ofLane = cast<VectorType>(x.getType()).getNumElements() / lanes;
  auto name = b.getStringAttr(instruction + Twine(bits * piece));
  auto call = [&](Value sums, Value left, Value right) {
    return b
        .create<LLVM::CallIntrinsicOp>(
            loc, VectorType::get({piece}, type.getElementType()), name,
            ArrayRef<Value>{sums, left, right})
        .getResult(0);
  };
  if (piece == lanes)
    return call(sum, x, y);
  if (piece > lanes) {
    Value sums = call(firstElements(b, loc, sum, piece),
                      firstElements(b, loc, x, ofLane * piece),
                      firstElements(b, loc, y, ofLane * piece));
    return firstElements(b, loc, sums, lanes);
  }
  for (int64_t at = 0; at < lanes; at += piece) {
    auto part = [&](Value whole, int64_t scale) -> Value {
      return b.create<vector::ExtractStridedSliceOp>(
          loc, whole, ArrayRef<int64_t>{scale * at},
          ArrayRef<int64_t>{scale * piece}, ArrayRef<int64_t>{1});
    };
    Value next = call(part(sum, 1), part(x, ofLane), part(y, ofLane));
    sum = b.create<vector::InsertStridedSliceOp>(
        loc, next, sum, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{1});
  }
  return sum;
}

unsigned vnniLanes(const target::TargetModel &target) {
  return !target.vnni ? 0 : target.avx512 ? 16 : 8;
}

Value addInt8Dot(OpBuilder &b, Location loc, Value sum, Value x, Value y,
                 unsigned vnni) {
  auto type = cast<VectorType>(sum.getType());
  int64_t lanes = type.getNumElements();
  if (vnni)
    return dotByRegisters(b, loc, "llvm.x86.avx512.vpdpbusd.", vnni, sum,
                          b.create<vector::BitCastOp>(loc, type, x),
                          b.create<vector::BitCastOp>(loc, type, y));
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

Value addBF16Dot(OpBuilder &b, Location loc, Value sum, Value x, Value y) {
  auto pairs = cast<VectorType>(x.getType()).clone(b.getBF16Type());
  return dotByRegisters(b, loc, "llvm.x86.avx512bf16.dpbf16ps.", 16, sum,
                        b.create<arith::BitcastOp>(loc, pairs, x),
                        b.create<arith::BitcastOp>(loc, pairs, y));
}

} // namespace zenith::kernels
