// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of 16-bit integers in the form that LLVM selects one instruction for
// (pmaddwd, vpdpwssd), bf16 and int8 by intrinsics.

#include "lowering/microkernels/GroupedKLoop.h"
#include "lowering/microkernels/Int8Dot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

unsigned GroupedKLoop::groupSize() const {
  auto *interleaved = std::get_if<InterleavedK>(&kernel.form);
  return interleaved ? unsigned(interleaved->group) : 2;
}

Value GroupedKLoop::interleavedRows(Value low, Value high) {
  int64_t lanes = kernel.lanes;
  Value both = shuffled(low, high, 2 * lanes, [&](int64_t lane) {
    return lane / 2 + lane % 2 * lanes;
  });
  auto type = VectorType::get({2 * lanes}, b.getI16Type());
  if (both.getType() == type)
    return both;
  if (kernel.b.isUnsignedInteger())
    return b.create<arith::ExtUIOp>(loc, type, both);
  return b.create<arith::ExtSIOp>(loc, type, both);
}

Value GroupedKLoop::addPairs(Value sum, Value x, Value y) {
  if (isa<IntegerType>(kernel.sum))
    return b.create<arith::AddIOp>(loc, sum, sumOfProducts(x, y));
  return addBF16Dot(b, loc, sum, x, y);
}

Value GroupedKLoop::sumOfProducts(Value x, Value y) {
  int64_t lanes = kernel.lanes;
  auto wide = VectorType::get({2 * lanes}, kernel.sum);
  Value products = b.create<arith::MulIOp>(
      loc, b.create<arith::ExtSIOp>(loc, wide, x),
      b.create<arith::ExtSIOp>(loc, wide, y), arith::IntegerOverflowFlags::nsw);
  Value even = shuffled(products, products, lanes,
                        [](int64_t lane) { return 2 * lane; });
  Value odd = shuffled(products, products, lanes,
                       [](int64_t lane) { return 2 * lane + 1; });
  return b.create<arith::AddIOp>(loc, even, odd);
}

Value GroupedKLoop::groupOfColumns(Value offset, unsigned vector) {
  int64_t lanes = kernel.lanes, at = vector * lanes;
  auto *interleaved = std::get_if<InterleavedK>(&kernel.form);
  if (!interleaved) {
    auto row = [&](Value from) {
      return loadRaw(args.b, at ? add(from, index(at)) : from, kernel.b,
                     masks.empty() ? Value() : masks[vector]);
    };
    return interleavedRows(row(offset), row(add(offset, args.kStrideB)));
  }
  int64_t group = interleaved->group;
  auto type = VectorType::get({group * lanes}, memoryType(kernel.b)),
       wide = VectorType::get({2 * lanes}, b.getI16Type());
  Value all = b.create<vector::LoadOp>(
      loc, type, args.b, at ? add(offset, index(group * at)) : offset);
  if (interleaved->group == InterleavedK::Quads || type == wide)
    return all;
  if (kernel.b.isUnsignedInteger())
    return b.create<arith::ExtUIOp>(loc, wide, all);
  return b.create<arith::ExtSIOp>(loc, wide, all);
}

Value GroupedKLoop::groupOfRow(Value memory, Value offset, bool half) {
  int64_t count = groupSize();
  auto element = cast<MemRefType>(memory.getType()).getElementType();
  auto group = VectorType::get({count}, element),
       whole = VectorType::get({1}, b.getI32Type()),
       all = VectorType::get({count * kernel.lanes}, element);
  Value word;
  if (half) {
    word = b.create<arith::ExtUIOp>(
        loc, b.getI32Type(), b.create<memref::LoadOp>(loc, memory, offset));
  } else {
    Value loaded = b.create<vector::LoadOp>(loc, group, memory, offset);
    word = b.create<vector::ExtractOp>(
        loc, b.create<vector::BitCastOp>(loc, whole, loaded), 0);
  }
  auto words = VectorType::get({int64_t(kernel.lanes)}, b.getI32Type());
  word = b.create<vector::BroadcastOp>(loc, words, word);
  return b.create<vector::BitCastOp>(loc, all, word);
}

void GroupedKLoop::groupStep(ValueRange aMemory, ValueRange aRows, Value ak,
                             unsigned count, Values &next, bool half) {
  unsigned tile = kernel.tileVectors(), group = groupSize();
  auto *interleaved = std::get_if<InterleavedK>(&kernel.form);
  Value bk = next.back();
  for (unsigned set = 0; set < count; ++set) {
    Values columns;
    for (unsigned v = 0; v < kernel.vectors; ++v)
      columns.push_back(groupOfColumns(bk, v));
    if (auto *lines = kernel.prefetchAs<PrefetchB>())
      prefetch.ofB(*lines, args.b, bk, set);
    Value step = set ? add(ak, index(set * group)) : ak;
    for (unsigned r = 0; r < kernel.mr; ++r) {
      Value a = groupOfRow(aMemory[r], add(aRows[r], step), half);
      for (unsigned v = 0; v < kernel.vectors; ++v) {
        Value &sum = next[set * tile + r * kernel.vectors + v];
        sum = group == InterleavedK::Quads
                  ? addInt8Dot(b, loc, sum, a, columns[v], interleaved->vnni)
                  : addPairs(sum, a, columns[v]);
      }
    }
    bk = add(bk, mul(args.kStrideB, index(group)));
  }
  next.back() = bk;
}

/// Rounds of some groups, then one group at a time. After the last whole pair,
/// an odd k meets the zero that pads B.
GroupedKLoop::Values GroupedKLoop::interleavedLoop(ValueRange aMemory,
                                                   ValueRange aRows,
                                                   Value bOffset, Values sums) {
  const InterleavedK &form = std::get<InterleavedK>(kernel.form);
  unsigned group = form.group, again = form.groupsPerSet(sets);
  auto steps = [&](Value high, unsigned step, Value low, unsigned count,
                   unsigned times, bool half) {
    sums = loop(
        high, index(step), sums,
        [&](Value first, ValueRange iterArgs) {
          Values next(iterArgs);
          for (unsigned i = 0; i < times; ++i)
            groupStep(aMemory, aRows,
                      i ? add(first, index(i * count * group)) : first, count,
                      next, half);
          return next;
        },
        low);
  };
  auto wholes = [&](unsigned step) {
    Value rest = b.create<arith::RemUIOp>(loc, args.kSize, index(step));
    return sub(args.kSize, rest);
  };
  sums.push_back(bOffset);
  unsigned round = kOfRound(kernel);
  if (kernel.sumsWholeRounds()) {
    steps(args.kSize, round, {}, sets, again, false);
  } else {
    Value rounds = wholes(round), groups = wholes(group);
    steps(rounds, round, {}, sets, again, false);
    steps(groups, group, rounds, 1, 1, false);
    if (form.group == InterleavedK::Pairs)
      steps(args.kSize, group, groups, 1, 1, true);
  }
  sums.pop_back();
  return sums;
}

} // namespace zenith::kernels
