// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of 16-bit numbers, two depths at a time: integers in the form that
// code generators know as one instruction (pmaddwd, vpdpwssd), bf16 by name.

#include "lowering/kernels/MicroKernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

Value MicroKernelWriter::shuffled(Value x, Value y, int64_t count,
                                  function_ref<int64_t(int64_t lane)> source) {
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < count; ++lane)
    lanes.push_back(source(lane));
  return b.create<vector::ShuffleOp>(loc, x, y, lanes);
}

/// Two rows of B, the elements of a column side by side, as i16.
Value MicroKernelWriter::pairOfRows(Value low, Value high) {
  int64_t lanes = shape.lanes;
  Value both = shuffled(low, high, 2 * lanes, [&](int64_t lane) {
    return lane / 2 + lane % 2 * lanes;
  });
  auto type = VectorType::get({2 * lanes}, b.getI16Type());
  if (both.getType() == type)
    return both;
  if (shape.b.isUnsignedInteger())
    return b.create<arith::ExtUIOp>(loc, type, both);
  return b.create<arith::ExtSIOp>(loc, type, both);
}

/// sum[i] + x[2i] * y[2i] + x[2i+1] * y[2i+1].
Value MicroKernelWriter::addPairs(Value sum, Value x, Value y) {
  if (isa<IntegerType>(shape.sum))
    return b.create<arith::AddIOp>(loc, sum, sumOfPairs(x, y));
  auto pairs = VectorType::get({2 * int64_t(shape.lanes)}, b.getBF16Type());
  Value operands[] = {sum, b.create<arith::BitcastOp>(loc, pairs, x),
                      b.create<arith::BitcastOp>(loc, pairs, y)};
  return b
      .create<LLVM::CallIntrinsicOp>(
          loc, vectorType, b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
          operands)
      .getResult(0);
}

/// x[2i] * y[2i] + x[2i+1] * y[2i+1], in the type of the sums.
Value MicroKernelWriter::sumOfPairs(Value x, Value y) {
  int64_t lanes = shape.lanes;
  auto wide = VectorType::get({2 * lanes}, shape.sum);
  Value products = b.create<arith::MulIOp>(
      loc, b.create<arith::ExtSIOp>(loc, wide, x),
      b.create<arith::ExtSIOp>(loc, wide, y), arith::IntegerOverflowFlags::nsw);
  Value even = shuffled(products, products, lanes,
                        [](int64_t lane) { return 2 * lane; });
  Value odd = shuffled(products, products, lanes,
                       [](int64_t lane) { return 2 * lane + 1; });
  return b.create<arith::AddIOp>(loc, even, odd);
}

void MicroKernelWriter::pairStep(const MicroKernelArgs &args,
                                 ValueRange aMemory, ValueRange aRows,
                                 unsigned sets, Values &next) {
  unsigned tile = shape.height * shape.vectors;
  Value ak = next[next.size() - 2], bk = next.back();
  auto pair = VectorType::get({2}, b.getI16Type()),
       whole = VectorType::get({1}, shape.sum),
       pairs = VectorType::get({2 * int64_t(shape.lanes)}, b.getI16Type());
  for (unsigned set = 0; set < sets; ++set) {
    Value following = add(bk, args.depthStrideB);
    Values columns;
    for (unsigned v = 0; v < shape.vectors; ++v) {
      Value mask = masks.empty() ? Value() : masks[v];
      auto row = [&](Value at) {
        return loadRaw(args.b, v ? add(at, index(v * shape.lanes)) : at,
                       shape.b, mask);
      };
      columns.push_back(pairOfRows(row(bk), row(following)));
    }
    for (unsigned r = 0; r < shape.height; ++r) {
      Value a =
          b.create<vector::LoadOp>(loc, pair, aMemory[r], add(aRows[r], ak));
      a = b.create<vector::ExtractOp>(
          loc, b.create<vector::BitCastOp>(loc, whole, a), 0);
      a = b.create<vector::BroadcastOp>(loc, vectorType, a);
      a = b.create<vector::BitCastOp>(loc, pairs, a);
      for (unsigned v = 0; v < shape.vectors; ++v) {
        Value &sum = next[set * tile + r * shape.vectors + v];
        sum = addPairs(sum, a, columns[v]);
      }
    }
    ak = add(ak, index(2));
    bk = add(following, args.depthStrideB);
  }
  next[next.size() - 2] = ak;
  next.back() = bk;
}

} // namespace zenith::kernels
