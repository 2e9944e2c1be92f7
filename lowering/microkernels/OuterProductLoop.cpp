// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds of k with known strides, and single k; columns of bf16 two vectors at
// a time.

#include "lowering/microkernels/OuterProductLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

Value OuterProductLoop::vectorOfK(Value bk, unsigned number) {
  if (auto *half = kernel.columnsAs<OuterProduct::HalfPanels>();
      half && number >= half->vectors) {
    bk = add(bk, args.panelStride);
    number -= half->vectors;
  }
  return number ? add(bk, index(number * kernel.lanes)) : bk;
}

void OuterProductLoop::addVectors(unsigned first, unsigned last,
                                  ValueRange aMemory, ValueRange aRows,
                                  Value ak, Value bk,
                                  MutableArrayRef<Value> sums) {
  Values columns;
  if (kernel.columnsAs<OuterProduct::SplitWords>())
    columns = columnsOfSplitWords(bk);
  for (unsigned v = first + columns.size(); v < last; ++v)
    columns.push_back(loadVector(args.b, vectorOfK(bk, v), kernel.b,
                                 masks.empty() ? Value() : masks[v]));
  const KnownStrides *strides = kernel.strides();
  forRows(args.lastRow, sums, [&](unsigned r) {
    Value at = strides && strides->rows
                   ? add(add(aRows[0], ak), index(r * strides->rows))
                   : add(aRows[r], ak);
    Value a = toSum(b.create<memref::LoadOp>(loc, aMemory[r], at), kernel.a);
    a = b.create<vector::BroadcastOp>(loc, vectorType, a);
    for (unsigned v = first; v < last; ++v) {
      Value &sum = sums[r * kernel.vectors + v];
      sum = multiplyAdd(a, columns[v - first], sum);
    }
  });
}

void OuterProductLoop::addK(ValueRange aMemory, ValueRange aRows, Value ak,
                            Value bk, MutableArrayRef<Value> sums) {
  if (!kernel.skipsVectors) {
    addVectors(0, kernel.vectors, aMemory, aRows, ak, bk, sums);
    return;
  }
  unsigned half = kernel.vectors / 2;
  addVectors(0, half, aMemory, aRows, ak, bk, sums);
  Value isWider = b.create<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sgt, args.columns, index(half * kernel.lanes));
  where(isWider, sums, [&] {
    addVectors(half, kernel.vectors, aMemory, aRows, ak, bk, sums);
  });
}

/// Rounds of several k, which leave fewer instructions to loop control: a core
/// whose hardware threads are both busy has no slots to spare.
OuterProductLoop::Values OuterProductLoop::roundLoop(ValueRange aMemory,
                                                     ValueRange aRows,
                                                     Value bOffset,
                                                     Values sums) {
  unsigned tile = kernel.tileVectors();
  unsigned unroll = kOfRound(kernel);
  const KnownStrides &strides = *kernel.strides();
  auto run = [&](Value first, ValueRange iterArgs, unsigned count) {
    Values next(iterArgs);
    Value firstB = add(bOffset, mul(first, index(strides.b)));
    Value firstA = strides.a > 1 ? mul(first, index(strides.a)) : first;
    auto *nextPanel = kernel.prefetchAs<PrefetchNextPanel>();
    if (nextPanel && count > 1)
      prefetch.nextPanel(*nextPanel, add(firstB, args.ahead), args.b);
    if (kernel.prefetchAs<PrefetchNextRows>() && count > 1)
      prefetch.nextRows(
          args.a, add(add(aRows[0], args.ahead), mul(first, index(kernel.mr))),
          count);
    for (unsigned step = 0; step < count; ++step) {
      Value bk = step ? add(firstB, index(step * strides.b)) : firstB;
      Value ak = step ? add(firstA, index(step * strides.a)) : firstA;
      if (auto *lines = kernel.prefetchAs<PrefetchB>())
        prefetch.ofB(*lines, args.b, bk, step);
      unsigned set = step % sets;
      addK(aMemory, aRows, ak, bk,
           MutableArrayRef<Value>(next).slice(set * tile, tile));
    }
    return next;
  };
  Value step = index(unroll);
  if (kernel.sumsWholeRounds())
    return loop(args.kSize, step, sums, [&](Value k, ValueRange iterArgs) {
      return run(k, iterArgs, unroll);
    });
  Value whole =
      sub(args.kSize, b.create<arith::RemUIOp>(loc, args.kSize, step));
  sums = loop(whole, step, sums, [&](Value k, ValueRange iterArgs) {
    return run(k, iterArgs, unroll);
  });
  return loop(
      args.kSize, index(1), sums,
      [&](Value k, ValueRange iterArgs) { return run(k, iterArgs, 1); }, whole);
}

void OuterProductLoop::kStep(ValueRange aMemory, ValueRange aRows,
                             unsigned count, Values &next) {
  unsigned tile = kernel.tileVectors();
  Value ak = next[next.size() - 2], bk = next.back();
  for (unsigned set = 0; set < count; ++set) {
    if (auto *lines = kernel.prefetchAs<PrefetchB>())
      prefetch.ofB(*lines, args.b, bk, set);
    addK(aMemory, aRows, ak, bk,
         MutableArrayRef<Value>(next).slice(set * tile, tile));
    ak = add(ak, args.kStrideA);
    bk = add(bk, args.kStrideB);
  }
  next[next.size() - 2] = ak;
  next.back() = bk;
}

OuterProductLoop::Values OuterProductLoop::columnsOfSplitWords(Value offset) {
  int64_t lanes = kernel.lanes;
  auto halves = VectorType::get({2 * lanes}, memoryType(kernel.b)),
       words = VectorType::get({lanes}, b.getI32Type());
  auto number = [&](uint32_t value) {
    return b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(words, APInt(32, value)));
  };
  Value sixteen = number(16), high = number(0xffff0000);
  Values columns;
  for (int64_t v = 0; v < kernel.vectors; v += 2) {
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

void OuterProductLoop::deinterleaveColumns(MutableArrayRef<Value> sums) {
  int64_t lanes = kernel.lanes;
  for (size_t i = 0; i + 1 < sums.size(); i += 2) {
    Value low = sums[i], high = sums[i + 1];
    for (int64_t odd : {0, 1})
      sums[i + odd] = shuffled(low, high, lanes,
                               [&](int64_t lane) { return 2 * lane + odd; });
  }
}

void OuterProductLoop::interleaveColumns(MutableArrayRef<Value> sums) {
  int64_t lanes = kernel.lanes;
  for (size_t i = 0; i + 1 < sums.size(); i += 2) {
    Value even = sums[i], odd = sums[i + 1];
    for (int64_t high : {0, 1})
      sums[i + high] = shuffled(even, odd, lanes, [&](int64_t lane) {
        return (lane + high * lanes) / 2 + lane % 2 * lanes;
      });
  }
}

} // namespace zenith::kernels
