// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of accumulators per column, so that multiply-adds do not wait.

#include "lowering/microkernels/DotKernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

void DotKernelWriter::dotsOfColumns(const MicroKernelArgs &args, Value row,
                                    Value column, unsigned count,
                                    Value columnStride) {
  Value aBase = add(args.aOffset, mul(row, args.rowStride));
  Values bBases;
  for (unsigned n = 0; n < count; ++n)
    bBases.push_back(add(
        args.bOffset, mul(n ? add(column, index(n)) : column, columnStride)));
  auto step = [&](Value k, ValueRange iterArgs, Value rest) {
    Values next(iterArgs);
    for (unsigned set = 0; set < sets; ++set) {
      Value at = set ? add(k, index(set * kernel.lanes)) : k;
      Value mask;
      if (rest)
        mask = firstLanes(set ? sub(rest, index(set * kernel.lanes)) : rest);
      Value x = loadVector(args.a, add(aBase, at), kernel.a, mask);
      for (unsigned n = 0; n < count; ++n) {
        Value &sum = next[n * sets + set];
        sum = multiplyAdd(
            x, loadVector(args.b, add(bBases[n], at), kernel.b, mask), sum);
      }
    }
    return next;
  };
  Value block = index(sets * kernel.lanes);
  Value rest = b.create<arith::RemUIOp>(loc, args.kSize, block);
  Value whole = sub(args.kSize, rest);
  Values sums =
      loop(whole, block, Values(count * sets, zero()),
           [&](Value k, ValueRange iterArgs) { return step(k, iterArgs, {}); });
  sums = loop(
      args.kSize, block, sums,
      [&](Value k, ValueRange iterArgs) { return step(k, iterArgs, rest); },
      whole);
  Value to = add(add(args.cOffset, mul(row, args.rowStrideC)), column);
  for (unsigned n = 0; n < count; ++n) {
    for (unsigned half = sets / 2; half; half /= 2)
      for (unsigned i = n * sets; i < n * sets + half; ++i)
        sums[i] = addSums(sums[i], sums[i + half]);
    b.create<memref::StoreOp>(loc, sumOfLanes(sums[n * sets]), args.c,
                              n ? add(to, index(n)) : to);
  }
}

void DotKernelWriter::write(const MicroKernelArgs &args, Value rows,
                            Value columnStride) {
  Value one = index(1);
  loop(rows, one, {}, [&](Value row, ValueRange) {
    Value several = index(dotsAtOnce);
    Value whole =
        sub(args.columns, b.create<arith::RemUIOp>(loc, args.columns, several));
    loop(whole, several, {}, [&](Value column, ValueRange) {
      dotsOfColumns(args, row, column, dotsAtOnce, columnStride);
      return Values();
    });
    loop(
        args.columns, one, {},
        [&](Value column, ValueRange) {
          dotsOfColumns(args, row, column, 1, columnStride);
          return Values();
        },
        whole);
    return Values();
  });
}

} // namespace zenith::kernels
