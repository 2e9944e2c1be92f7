// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of narrow numbers, two or four depths at a time: pairs of 16-bit
// integers in the form that code generators know as one instruction (pmaddwd,
// vpdpwssd), bf16 and four bytes by name. Columns of bf16 that are widened, two
// at a time.

#include "lowering/microkernels/Int8Dot.h"
#include "lowering/microkernels/MicroKernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

/// Even and odd columns of each two vectors.
MicroKernelWriter::Values
MicroKernelWriter::columnsOfWords(const MicroKernelArgs &args, Value offset) {
  int64_t lanes = shape.lanes;
  auto halves = VectorType::get({2 * lanes}, memoryType(shape.b)),
       words = VectorType::get({lanes}, b.getI32Type());
  auto number = [&](uint32_t value) {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(words, APInt(32, value)));
  };
  Value sixteen = number(16), high = number(0xffff0000);
  Values columns;
  for (int64_t v = 0; v < shape.vectors; v += 2) {
    Value both = b.create<vector::LoadOp>(
        loc, halves, args.b, v ? add(offset, index(v * lanes)) : offset);
    both = b.create<vector::BitCastOp>(loc, words, both);
    Value even = b.create<arith::ShLIOp>(loc, both, sixteen),
          odd = b.create<arith::AndIOp>(loc, both, high);
    columns.push_back(b.create<arith::BitcastOp>(loc, vectorType, even));
    columns.push_back(b.create<arith::BitcastOp>(loc, vectorType, odd));
  }
  return columns;
}

/// Sums as they lie in memory to those of even and of odd columns.
void MicroKernelWriter::partColumns(MutableArrayRef<Value> sums) {
  int64_t lanes = shape.lanes;
  for (size_t i = 0; i + 1 < sums.size(); i += 2) {
    Value low = sums[i], high = sums[i + 1];
    for (int64_t odd : {0, 1})
      sums[i + odd] = shuffled(low, high, lanes,
                               [&](int64_t lane) { return 2 * lane + odd; });
  }
}

void MicroKernelWriter::joinColumns(MutableArrayRef<Value> sums) {
  int64_t lanes = shape.lanes;
  for (size_t i = 0; i + 1 < sums.size(); i += 2) {
    Value even = sums[i], odd = sums[i + 1];
    for (int64_t high : {0, 1})
      sums[i + high] = shuffled(even, odd, lanes, [&](int64_t lane) {
        return (lane + high * lanes) / 2 + lane % 2 * lanes;
      });
  }
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

/// A group of depths of one vector of columns: i16, or bytes as they are.
Value MicroKernelWriter::groupOfDepths(const MicroKernelArgs &args,
                                       Value offset, unsigned vector) {
  int64_t lanes = shape.lanes, at = vector * lanes, group = shape.group;
  if (group == 1) {
    auto row = [&](Value from) {
      return loadRaw(args.b, at ? add(from, index(at)) : from, shape.b,
                     masks.empty() ? Value() : masks[vector]);
    };
    return pairOfRows(row(offset), row(add(offset, args.depthStrideB)));
  }
  auto type = VectorType::get({group * lanes}, memoryType(shape.b)),
       wide = VectorType::get({2 * lanes}, b.getI16Type());
  Value all = b.create<vector::LoadOp>(
      loc, type, args.b, at ? add(offset, index(group * at)) : offset);
  if (group == 4 || type == wide)
    return all;
  if (shape.b.isUnsignedInteger())
    return b.create<arith::ExtUIOp>(loc, wide, all);
  return b.create<arith::ExtSIOp>(loc, wide, all);
}

/// A group of depths of a row of A in every lane; `half`: one of a pair, and a
/// zero.
Value MicroKernelWriter::groupOfRow(Value memory, Value offset, bool half) {
  int64_t count = shape.group == 4 ? 4 : 2;
  auto element = cast<MemRefType>(memory.getType()).getElementType();
  auto group = VectorType::get({count}, element),
       whole = VectorType::get({1}, b.getI32Type()),
       all = VectorType::get({count * shape.lanes}, element);
  Value word;
  if (half) {
    word = b.create<arith::ExtUIOp>(
        loc, b.getI32Type(), b.create<memref::LoadOp>(loc, memory, offset));
  } else {
    Value loaded = b.create<vector::LoadOp>(loc, group, memory, offset);
    word = b.create<vector::ExtractOp>(
        loc, b.create<vector::BitCastOp>(loc, whole, loaded), 0);
  }
  auto words = VectorType::get({int64_t(shape.lanes)}, b.getI32Type());
  word = b.create<vector::BroadcastOp>(loc, words, word);
  return b.create<vector::BitCastOp>(loc, all, word);
}

void MicroKernelWriter::pairStep(const MicroKernelArgs &args,
                                 ValueRange aMemory, ValueRange aRows, Value ak,
                                 unsigned sets, Values &next, bool half) {
  unsigned tile = shape.height * shape.vectors,
           depths = shape.group == 4 ? 4 : 2;
  Value bk = next.back();
  for (unsigned set = 0; set < sets; ++set) {
    Values columns;
    for (unsigned v = 0; v < shape.vectors; ++v)
      columns.push_back(groupOfDepths(args, bk, v));
    if (shape.prefetches)
      prefetch(args.b, bk, set);
    Value depth = set ? add(ak, index(set * depths)) : ak;
    for (unsigned r = 0; r < shape.height; ++r) {
      Value a = groupOfRow(aMemory[r], add(aRows[r], depth), half);
      for (unsigned v = 0; v < shape.vectors; ++v) {
        Value &sum = next[set * tile + r * shape.vectors + v];
        sum = depths == 4 ? addInt8Dot(b, loc, sum, a, columns[v], shape.vnni)
                          : addPairs(sum, a, columns[v]);
      }
    }
    bk = add(bk, mul(args.depthStrideB, index(depths)));
  }
  next.back() = bk;
}

/// Rounds of some groups, then one group at a time; behind the last whole pair
/// an odd depth meets the zero that pads B.
MicroKernelWriter::Values
MicroKernelWriter::groupLoop(const MicroKernelArgs &args, ValueRange aMemory,
                             ValueRange aRows, Value bOffset, Values sums) {
  // One set of sums leaves room to save counting instead; but of integers code
  // generators add the products of both rounds first, which takes registers
  // that such a tile has not.
  bool addsInOrder = isa<FloatType>(shape.sum) || shape.vnni;
  unsigned again = depthsAtOnce == 1 && addsInOrder ? 2 : 1;
  auto steps = [&](Value high, unsigned depths, Value low, unsigned sets,
                   unsigned times, bool half) {
    sums = loop(
        high, index(depths), sums,
        [&](Value first, ValueRange carried) {
          Values next(carried);
          for (unsigned i = 0; i < times; ++i)
            pairStep(args, aMemory, aRows,
                     i ? add(first, index(i * sets * shape.group)) : first,
                     sets, next, half);
          return next;
        },
        low);
  };
  auto wholes = [&](unsigned depths) {
    Value rest = b.create<arith::RemUIOp>(loc, args.depth, index(depths));
    return sub(args.depth, rest);
  };
  sums.push_back(bOffset);
  unsigned round = shape.group * depthsAtOnce * again;
  Value rounds = wholes(round), groups = wholes(shape.group);
  steps(rounds, round, {}, depthsAtOnce, again, false);
  steps(groups, shape.group, rounds, 1, 1, false);
  if (shape.group == 2)
    steps(args.depth, shape.group, groups, 1, 1, true);
  sums.pop_back();
  return sums;
}

} // namespace zenith::kernels
