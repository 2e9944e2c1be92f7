// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over filter taps and K around multiply-adds.

#include "lowering/microkernels/MicroKernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

/// Distance of row `r` from the first one of the tile, for rows `stride` apart.
Value MicroKernelWriter::toRow(unsigned r, Value stride) {
  if (kernel.skipsRows || r + kernel.repeatedRows < kernel.mr)
    return mul(index(r), stride);
  bool isLast = kernel.repeatedRows == 1;
  Value row = isLast ? args.lastRow
                     : b.create<arith::MinSIOp>(loc, args.lastRow, index(r));
  return mul(row, stride);
}

MicroKernelWriter::Values MicroKernelWriter::masksOfColumns() {
  Values all;
  if (kernel.isMasked())
    for (unsigned v = 0; v < kernel.vectors; ++v)
      all.push_back(firstLanes(v ? sub(args.columns, index(v * kernel.lanes))
                                 : args.columns));
  return all;
}

/// sums[row][column] += a[row][k + lane] * b[column][k + lane] over all k.
MicroKernelWriter::Values MicroKernelWriter::alongKLoop(ValueRange aMemory,
                                                        ValueRange aRows,
                                                        Value bOffset,
                                                        Values sums) {
  auto step = [&](Value k, ValueRange iterArgs, bool masked) {
    Values next(iterArgs), held;
    Value mask;
    if (masked)
      mask = firstLanes(sub(args.kSize, k));
    auto row = [&](unsigned r) {
      return loadVector(aMemory[r], add(aRows[r], k), kernel.a, mask);
    };
    auto column = [&](unsigned v) {
      Value at = v ? add(bOffset, mul(index(v), args.kStrideB)) : bOffset;
      return loadVector(args.b, add(at, k), kernel.b, mask);
    };
    // Registers hold the vectors of rows or columns, whichever are fewer; the
    // others are read one by one.
    bool holdsRows = kernel.mr < kernel.vectors;
    unsigned few = std::min(kernel.mr, kernel.vectors),
             many = std::max(kernel.mr, kernel.vectors);
    for (unsigned i = 0; i < few; ++i)
      held.push_back(holdsRows ? row(i) : column(i));
    for (unsigned j = 0; j < many; ++j) {
      Value other = holdsRows ? column(j) : row(j);
      for (unsigned i = 0; i < few; ++i) {
        unsigned r = holdsRows ? i : j, v = holdsRows ? j : i;
        Value &sum = next[r * kernel.vectors + v];
        sum = multiplyAdd(holdsRows ? held[i] : other,
                          holdsRows ? other : held[i], sum);
      }
    }
    return next;
  };
  Value lanes = index(kernel.lanes);
  auto wholeStep = [&](Value k, ValueRange iterArgs) {
    return step(k, iterArgs, false);
  };
  if (kernel.sumsWholeRounds())
    return loop(args.kSize, lanes, sums, wholeStep);
  Value whole =
      sub(args.kSize, b.create<arith::RemUIOp>(loc, args.kSize, lanes));
  sums = loop(whole, lanes, sums, wholeStep);
  return loop(
      args.kSize, lanes, sums,
      [&](Value k, ValueRange iterArgs) { return step(k, iterArgs, true); },
      whole);
}

MicroKernelWriter::Values MicroKernelWriter::stepLoop(ValueRange aMemory,
                                                      ValueRange aRows,
                                                      Value bOffset,
                                                      Values sums) {
  auto one = [&](Value, ValueRange iterArgs) {
    Values next(iterArgs);
    outer.kStep(aMemory, aRows, 1, next);
    return next;
  };
  sums.push_back(index(0));
  sums.push_back(bOffset);
  bool pairs = std::holds_alternative<PairedK>(kernel.form);
  unsigned atOnce = kOfRound(kernel);
  if (atOnce > 1) {
    Value several = index(atOnce);
    bool leavesNone = kernel.sumsWholeRounds();
    Value whole = leavesNone
                      ? args.kSize
                      : sub(args.kSize,
                            b.create<arith::RemUIOp>(loc, args.kSize, several));
    sums = loop(whole, several, sums, [&](Value, ValueRange iterArgs) {
      Values next(iterArgs);
      if (pairs) {
        Value &ak = next[next.size() - 2];
        grouped.groupStep(aMemory, aRows, ak, sets, next);
        ak = add(ak, several);
      } else {
        outer.kStep(aMemory, aRows, sets, next);
      }
      return next;
    });
    if (!leavesNone)
      sums = loop(args.kSize, index(1), sums, one, whole);
  } else {
    sums = loop(args.kSize, index(1), sums, one);
  }
  sums.truncate(sums.size() - 2);
  return sums;
}

/// sums[set][row][vector] += a[row][k] * b[k][vector] over all k, where set is
/// k (or the pair of k) modulo the number of sets.
MicroKernelWriter::Values MicroKernelWriter::kLoop(ValueRange aMemory,
                                                   ValueRange aRows,
                                                   Value bOffset, Values sums) {
  if (kernel.isAlongK())
    return alongKLoop(aMemory, aRows, bOffset, std::move(sums));
  if (kernel.strides())
    return outer.roundLoop(aMemory, aRows, bOffset, std::move(sums));
  if (std::holds_alternative<InterleavedK>(kernel.form))
    return grouped.interleavedLoop(aMemory, aRows, bOffset, std::move(sums));
  return stepLoop(aMemory, aRows, bOffset, std::move(sums));
}

MicroKernelWriter::Values MicroKernelWriter::clippedTap(ValueRange aRows,
                                                        Value bOffset,
                                                        Value position,
                                                        Values sums) {
  Values memory, rows;
  for (unsigned r = 0; r < kernel.mr; ++r) {
    Value at = r ? add(position, toRow(r, args.rowStep)) : position;
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, at,
                                           args.extent);
    memory.push_back(
        b.create<arith::SelectOp>(loc, inside, args.a, args.zeros));
    rows.push_back(b.create<arith::SelectOp>(loc, inside, aRows[r], index(0)));
  }
  return kLoop(memory, rows, bOffset, std::move(sums));
}

MicroKernelWriter::Values
MicroKernelWriter::tapLoops(unsigned level, ValueRange aRows, Value bOffset,
                            Value position, Values sums) {
  if (level == 3) {
    if (kernel.loops == MicroKernel::Loops::ClippedTaps)
      return clippedTap(aRows, bOffset, position, std::move(sums));
    return kLoop(Values(kernel.mr, args.a), aRows, bOffset, std::move(sums));
  }
  const MicroKernelArgs::Tap &tap = args.taps[level];
  return loop(tap.count, index(1), sums, [&](Value iv, ValueRange iterArgs) {
    Values rows;
    Value shift = mul(iv, tap.strideA);
    for (Value row : aRows)
      rows.push_back(add(row, shift));
    Value at = position;
    if (level == 2 && at)
      at = add(at, mul(iv, args.tapStep));
    return tapLoops(level + 1, rows, add(bOffset, mul(iv, tap.strideB)), at,
                    Values(iterArgs));
  });
}

void MicroKernelWriter::write() {
  Values rows;
  bool oneAddress = kernel.strides() && kernel.strides()->rows;
  for (unsigned r = 0; r < (oneAddress ? 1 : kernel.mr); ++r)
    rows.push_back(r ? add(args.aOffset, toRow(r, args.rowStride))
                     : args.aOffset);
  unsigned tile = kernel.tileVectors();
  Values sums(tile * sets, zero());
  auto at = [&](unsigned r, unsigned v) {
    Value row = r ? add(args.cOffset, toRow(r, args.rowStrideC)) : args.cOffset;
    return v ? add(row, index(v * kernel.lanes)) : row;
  };
  bool splitsWords = kernel.columnsAs<OuterProduct::SplitWords>();
  auto tileSums = MutableArrayRef<Value>(sums).take_front(tile);
  if (kernel.accumulates)
    forRows(args.lastRow, tileSums, [&](unsigned r) {
      for (unsigned v = 0; v < kernel.vectors; ++v)
        sums[r * kernel.vectors + v] =
            b.create<vector::LoadOp>(loc, vectorType, args.c, at(r, v));
    });
  if (kernel.accumulates && splitsWords)
    outer.deinterleaveColumns(tileSums);
  sums = kernel.loops == MicroKernel::Loops::K
             ? kLoop(Values(kernel.mr, args.a), rows, args.bOffset, sums)
             : tapLoops(0, rows, args.bOffset, args.position, sums);
  for (unsigned half = sets / 2; half; half /= 2)
    for (unsigned i = 0; i < half * tile; ++i)
      sums[i] = addSums(sums[i], sums[i + half * tile]);
  if (splitsWords)
    outer.interleaveColumns(MutableArrayRef<Value>(sums).take_front(tile));
  forRows(args.lastRow, {}, [&](unsigned r) {
    for (unsigned v = 0; v < kernel.vectors; ++v) {
      Value sum = sums[r * kernel.vectors + v];
      if (kernel.isAlongK())
        b.create<memref::StoreOp>(loc, sumOfLanes(sum), args.c,
                                  add(at(r, 0), index(v)));
      else
        b.create<vector::StoreOp>(loc, sum, args.c, at(r, v));
    }
  });
}

} // namespace zenith::kernels
