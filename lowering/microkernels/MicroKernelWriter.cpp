// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over filter taps and K around multiply-adds; dot products of rows.

#include "lowering/microkernels/MicroKernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zenith::kernels {

static constexpr auto noWrap = arith::IntegerOverflowFlags::nsw;

Value MicroKernelWriter::index(int64_t value) {
  return b.create<arith::ConstantIndexOp>(loc, value);
}

Value MicroKernelWriter::add(Value x, Value y) {
  return b.create<arith::AddIOp>(loc, x, y, noWrap);
}

Value MicroKernelWriter::sub(Value x, Value y) {
  return b.create<arith::SubIOp>(loc, x, y, noWrap);
}

Value MicroKernelWriter::mul(Value x, Value y) {
  return b.create<arith::MulIOp>(loc, x, y, noWrap);
}

Value MicroKernelWriter::zero() {
  return b.create<arith::ConstantOp>(loc, b.getZeroAttr(vectorType));
}

MicroKernelWriter::Values MicroKernelWriter::loop(Value high, Value step,
                                                  ValueRange init, Body body,
                                                  Value low) {
  auto op =
      b.create<scf::ForOp>(loc, low ? low : index(0), high, step, init,
                           [](OpBuilder &, Location, Value, ValueRange) {});
  OpBuilder::InsertionGuard guard(b);
  Block *block = op.getBody();
  if (!block->empty())
    block->back().erase();
  b.setInsertionPointToEnd(block);
  b.create<scf::YieldOp>(loc,
                         body(op.getInductionVar(), op.getRegionIterArgs()));
  return Values(op.getResults());
}

/// Widens an element in memory type, scalar or vector, to the type of the
/// accumulators.
Value MicroKernelWriter::toSum(Value x, Type element) {
  Type to = typeLike(kernel.sum, x.getType());
  if (element.isBF16()) {
    Type wide = typeLike(b.getI32Type(), x.getType());
    Value bits = b.create<arith::ExtUIOp>(loc, wide, x);
    Value sixteen = b.create<arith::ConstantOp>(
        loc, isa<VectorType>(wide) ? TypedAttr(DenseElementsAttr::get(
                                         cast<VectorType>(wide),
                                         b.getI32IntegerAttr(16).getValue()))
                                   : TypedAttr(b.getI32IntegerAttr(16)));
    return b.create<arith::BitcastOp>(
        loc, to, b.create<arith::ShLIOp>(loc, bits, sixteen));
  }
  Type from = getElementTypeOrSelf(x.getType());
  if (from == kernel.sum)
    return x;
  if (isa<FloatType>(from))
    return b.create<arith::ExtFOp>(loc, to, x);
  if (isa<FloatType>(kernel.sum)) {
    if (element.isUnsignedInteger())
      return b.create<arith::UIToFPOp>(loc, to, x);
    return b.create<arith::SIToFPOp>(loc, to, x);
  }
  if (from.getIntOrFloatBitWidth() > kernel.sum.getIntOrFloatBitWidth())
    return b.create<arith::TruncIOp>(loc, to, x);
  if (element.isUnsignedInteger())
    return b.create<arith::ExtUIOp>(loc, to, x);
  return b.create<arith::ExtSIOp>(loc, to, x);
}

Value MicroKernelWriter::multiplyAdd(Value x, Value y, Value sum) {
  if (isa<IntegerType>(kernel.sum))
    return b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, x, y),
                                   sum);
  if (kernel.fma)
    return b.create<math::FmaOp>(loc, x, y, sum);
  return b.create<arith::AddFOp>(loc, sum, b.create<arith::MulFOp>(loc, x, y));
}

Value MicroKernelWriter::loadVector(Value memory, Value offset, Type element,
                                    Value mask) {
  return toSum(loadRaw(memory, offset, element, mask), element);
}

Value MicroKernelWriter::loadRaw(Value memory, Value offset, Type element,
                                 Value mask) {
  auto type = VectorType::get({int64_t(kernel.lanes)}, memoryType(element));
  if (!mask)
    return b.create<vector::LoadOp>(loc, type, memory, offset);
  Value zeros = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  return b.create<vector::MaskedLoadOp>(loc, type, memory, offset, mask, zeros);
}

/// Prefetches what iteration `set` of a step will read a while later, once per
/// cache line.
void MicroKernelWriter::prefetchB(Value memory, Value offset, unsigned set) {
  unsigned lineBytes = unsigned(target.lineBytes),
           bytesAhead = unsigned(target.prefetchBytes);
  unsigned elementBytes = memoryType(kernel.b).getIntOrFloatBitWidth() / 8;
  auto *interleaved = std::get_if<InterleavedK>(&kernel.form);
  unsigned kBytes = (interleaved ? unsigned(interleaved->group) : 1) *
                    kernel.vectors * kernel.lanes * elementBytes;
  if (set * kBytes % lineBytes >= kBytes)
    return;
  for (unsigned at = 0; at < kBytes; at += lineBytes)
    prefetch(memory, add(offset, index((bytesAhead + at) / elementBytes)),
             /*soon=*/true);
}

/// Prefetches into the first-level cache for use soon, else into the
/// second-level one.
void MicroKernelWriter::prefetch(Value memory, Value offset, bool soon) {
  b.create<memref::PrefetchOp>(loc, memory, offset, /*isWrite=*/false,
                               /*localityHint=*/soon ? 3 : 2,
                               /*isDataCache=*/true);
}

Value MicroKernelWriter::vectorOfK(const MicroKernelArgs &args, Value bk,
                                   unsigned number) {
  if (auto *half = kernel.columnsAs<OuterProduct::HalfPanels>();
      half && number >= half->vectors) {
    bk = add(bk, args.panelStride);
    number -= half->vectors;
  }
  return number ? add(bk, index(number * kernel.lanes)) : bk;
}

void MicroKernelWriter::addK(const MicroKernelArgs &args, ValueRange aMemory,
                             ValueRange aRows, Value ak, Value bk,
                             MutableArrayRef<Value> sums) {
  Values columns;
  if (kernel.columnsAs<OuterProduct::SplitWords>())
    columns = columnsOfSplitWords(args, bk);
  for (unsigned v = columns.size(); v < kernel.vectors; ++v)
    columns.push_back(loadVector(args.b, vectorOfK(args, bk, v), kernel.b,
                                 masks.empty() ? Value() : masks[v]));
  const KnownStrides *strides = kernel.strides();
  for (unsigned r = 0; r < kernel.mr; ++r) {
    Value at = strides && strides->rows
                   ? add(add(aRows[0], ak), index(r * strides->rows))
                   : add(aRows[r], ak);
    Value a = toSum(b.create<memref::LoadOp>(loc, aMemory[r], at), kernel.a);
    a = b.create<vector::BroadcastOp>(loc, vectorType, a);
    for (unsigned v = 0; v < kernel.vectors; ++v) {
      Value &sum = sums[r * kernel.vectors + v];
      sum = multiplyAdd(a, columns[v], sum);
    }
  }
}

void MicroKernelWriter::prefetchNextPanel(const PrefetchNextPanel &next,
                                          Value from, Value memory) {
  unsigned line = unsigned(target.lineBytes) * 8 /
                  memoryType(kernel.b).getIntOrFloatBitWidth();
  for (unsigned i = 0; i < next.lines; ++i)
    prefetch(memory, i ? add(from, index(i * line)) : from, /*soon=*/false);
}

/// As many cache lines as `unroll` k of all rows take.
void MicroKernelWriter::prefetchNextRows(const MicroKernelArgs &args,
                                         Value from, unsigned unroll) {
  unsigned line = unsigned(target.lineBytes) * 8 /
                  memoryType(kernel.a).getIntOrFloatBitWidth();
  for (unsigned at = 0; at < kernel.mr * unroll; at += line)
    prefetch(args.a, add(from, index(at)), /*soon=*/false);
}

/// Rounds of several k, which leave fewer instructions to loop control: a core
/// whose hardware threads are both busy has no slots to spare.
MicroKernelWriter::Values
MicroKernelWriter::roundLoop(const MicroKernelArgs &args, ValueRange aMemory,
                             ValueRange aRows, Value bOffset, Values sums) {
  unsigned tile = kernel.tileVectors();
  unsigned unroll = std::max(sets, kUnroll(kernel));
  const KnownStrides &strides = *kernel.strides();
  auto run = [&](Value first, ValueRange iterArgs, unsigned count) {
    Values next(iterArgs);
    Value firstB = add(bOffset, mul(first, index(strides.b)));
    Value firstA = strides.a > 1 ? mul(first, index(strides.a)) : first;
    auto *nextPanel = kernel.prefetchAs<PrefetchNextPanel>();
    if (nextPanel && count > 1)
      prefetchNextPanel(*nextPanel, add(firstB, args.ahead), args.b);
    if (kernel.prefetchAs<PrefetchNextRows>() && count > 1)
      prefetchNextRows(
          args, add(add(aRows[0], args.ahead), mul(first, index(kernel.mr))),
          count);
    for (unsigned step = 0; step < count; ++step) {
      Value bk = step ? add(firstB, index(step * strides.b)) : firstB;
      Value ak = step ? add(firstA, index(step * strides.a)) : firstA;
      if (kernel.prefetchAs<PrefetchB>())
        prefetchB(args.b, bk, step);
      unsigned set = step % sets;
      addK(args, aMemory, aRows, ak, bk,
           MutableArrayRef<Value>(next).slice(set * tile, tile));
    }
    return next;
  };
  if (unroll == 1)
    return loop(args.kSize, index(1), sums, [&](Value k, ValueRange iterArgs) {
      return run(k, iterArgs, 1);
    });
  Value step = index(unroll);
  Value whole =
      sub(args.kSize, b.create<arith::RemUIOp>(loc, args.kSize, step));
  sums = loop(whole, step, sums, [&](Value k, ValueRange iterArgs) {
    return run(k, iterArgs, unroll);
  });
  return loop(
      args.kSize, index(1), sums,
      [&](Value k, ValueRange iterArgs) { return run(k, iterArgs, 1); }, whole);
}

void MicroKernelWriter::kStep(const MicroKernelArgs &args, ValueRange aMemory,
                              ValueRange aRows, unsigned count, Values &next) {
  unsigned tile = kernel.tileVectors();
  Value ak = next[next.size() - 2], bk = next.back();
  for (unsigned set = 0; set < count; ++set) {
    if (kernel.prefetchAs<PrefetchB>())
      prefetchB(args.b, bk, set);
    addK(args, aMemory, aRows, ak, bk,
         MutableArrayRef<Value>(next).slice(set * tile, tile));
    ak = add(ak, args.kStrideA);
    bk = add(bk, args.kStrideB);
  }
  next[next.size() - 2] = ak;
  next.back() = bk;
}

/// sums[row][column] += a[row][k + lane] * b[column][k + lane] over all k.
MicroKernelWriter::Values
MicroKernelWriter::alongKLoop(const MicroKernelArgs &args, ValueRange aMemory,
                              ValueRange aRows, Value bOffset, Values sums) {
  auto step = [&](Value k, ValueRange iterArgs, bool masked) {
    Values next(iterArgs), held;
    Value mask;
    if (masked)
      mask = b.create<vector::CreateMaskOp>(
          loc, VectorType::get({int64_t(kernel.lanes)}, b.getI1Type()),
          ValueRange{sub(args.kSize, k)});
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
  Value whole =
      sub(args.kSize, b.create<arith::RemUIOp>(loc, args.kSize, lanes));
  sums = loop(whole, lanes, sums, [&](Value k, ValueRange iterArgs) {
    return step(k, iterArgs, false);
  });
  return loop(
      args.kSize, lanes, sums,
      [&](Value k, ValueRange iterArgs) { return step(k, iterArgs, true); },
      whole);
}

/// sums[set][row][vector] += a[row][k] * b[k][vector] over all k, where set is
/// k (or the pair of k) modulo the number of sets.
MicroKernelWriter::Values MicroKernelWriter::kLoop(const MicroKernelArgs &args,
                                                   ValueRange aMemory,
                                                   ValueRange aRows,
                                                   Value bOffset, Values sums) {
  if (kernel.isAlongK())
    return alongKLoop(args, aMemory, aRows, bOffset, std::move(sums));
  if (kernel.strides())
    return roundLoop(args, aMemory, aRows, bOffset, std::move(sums));
  if (std::holds_alternative<InterleavedK>(kernel.form))
    return interleavedLoop(args, aMemory, aRows, bOffset, std::move(sums));
  auto one = [&](Value, ValueRange iterArgs) {
    Values next(iterArgs);
    kStep(args, aMemory, aRows, 1, next);
    return next;
  };
  sums.push_back(index(0));
  sums.push_back(bOffset);
  bool pairs = std::holds_alternative<PairedK>(kernel.form);
  unsigned atOnce = sets * (pairs ? 2 : 1);
  if (atOnce > 1) {
    Value several = index(atOnce);
    Value whole =
        sub(args.kSize, b.create<arith::RemUIOp>(loc, args.kSize, several));
    sums = loop(whole, several, sums, [&](Value, ValueRange iterArgs) {
      Values next(iterArgs);
      if (pairs) {
        Value &ak = next[next.size() - 2];
        groupStep(args, aMemory, aRows, ak, sets, next);
        ak = add(ak, several);
      } else {
        kStep(args, aMemory, aRows, sets, next);
      }
      return next;
    });
    sums = loop(args.kSize, index(1), sums, one, whole);
  } else {
    sums = loop(args.kSize, index(1), sums, one);
  }
  sums.truncate(sums.size() - 2);
  return sums;
}

MicroKernelWriter::Values
MicroKernelWriter::clippedTap(const MicroKernelArgs &args, ValueRange aRows,
                              Value bOffset, Value position, Values sums) {
  Values memory, rows;
  for (unsigned r = 0; r < kernel.mr; ++r) {
    Value at = r ? add(position, mul(index(r), args.rowStep)) : position;
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, at,
                                           args.extent);
    memory.push_back(
        b.create<arith::SelectOp>(loc, inside, args.a, args.zeros));
    rows.push_back(b.create<arith::SelectOp>(loc, inside, aRows[r], index(0)));
  }
  return kLoop(args, memory, rows, bOffset, std::move(sums));
}

MicroKernelWriter::Values
MicroKernelWriter::tapLoops(const MicroKernelArgs &args, unsigned level,
                            ValueRange aRows, Value bOffset, Value position,
                            Values sums) {
  if (level == 3) {
    if (kernel.loops == MicroKernel::Loops::ClippedTaps)
      return clippedTap(args, aRows, bOffset, position, std::move(sums));
    return kLoop(args, Values(kernel.mr, args.a), aRows, bOffset,
                 std::move(sums));
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
    return tapLoops(args, level + 1, rows, add(bOffset, mul(iv, tap.strideB)),
                    at, Values(iterArgs));
  });
}

void MicroKernelWriter::makeMasks(Value columns) {
  for (unsigned v = 0; v < kernel.vectors; ++v) {
    Value count = v ? sub(columns, index(v * kernel.lanes)) : columns;
    masks.push_back(b.create<vector::CreateMaskOp>(
        loc, VectorType::get({int64_t(kernel.lanes)}, b.getI1Type()),
        ValueRange{count}));
  }
}

void MicroKernelWriter::tile(const MicroKernelArgs &args) {
  if (kernel.isMasked())
    makeMasks(args.columns);
  Values rows;
  bool oneAddress = kernel.strides() && kernel.strides()->rows;
  for (unsigned r = 0; r < (oneAddress ? 1 : kernel.mr); ++r)
    rows.push_back(r ? add(args.aOffset, mul(index(r), args.rowStride))
                     : args.aOffset);
  unsigned tile = kernel.tileVectors();
  Values sums(tile * sets, zero());
  auto at = [&](unsigned r, unsigned v) {
    Value row =
        r ? add(args.cOffset, mul(index(r), args.rowStrideC)) : args.cOffset;
    return v ? add(row, index(v * kernel.lanes)) : row;
  };
  bool splitsWords = kernel.columnsAs<OuterProduct::SplitWords>();
  if (kernel.accumulates)
    for (unsigned i = 0; i < tile; ++i)
      sums[i] = b.create<vector::LoadOp>(
          loc, vectorType, args.c, at(i / kernel.vectors, i % kernel.vectors));
  if (kernel.accumulates && splitsWords)
    deinterleaveColumns(MutableArrayRef<Value>(sums).take_front(tile));
  sums = kernel.loops == MicroKernel::Loops::K
             ? kLoop(args, Values(kernel.mr, args.a), rows, args.bOffset, sums)
             : tapLoops(args, 0, rows, args.bOffset, args.position, sums);
  for (unsigned half = sets / 2; half; half /= 2)
    for (unsigned i = 0; i < half * tile; ++i)
      sums[i] = addSums(sums[i], sums[i + half * tile]);
  if (splitsWords)
    interleaveColumns(MutableArrayRef<Value>(sums).take_front(tile));
  for (unsigned i = 0; i < tile; ++i) {
    unsigned row = i / kernel.vectors, vector = i % kernel.vectors;
    if (kernel.isAlongK())
      b.create<memref::StoreOp>(loc, sumOfLanes(sums[i]), args.c,
                                add(at(row, 0), index(vector)));
    else
      b.create<vector::StoreOp>(loc, sums[i], args.c, at(row, vector));
  }
}

Value MicroKernelWriter::addSums(Value x, Value y) {
  if (isa<FloatType>(kernel.sum))
    return b.create<arith::AddFOp>(loc, x, y);
  return b.create<arith::AddIOp>(loc, x, y);
}

/// Adds halves of the vector until one lane is left: the order of the additions
/// is part of the result.
Value MicroKernelWriter::sumOfLanes(Value x) {
  for (int64_t half = kernel.lanes / 2; half; half /= 2) {
    Value low = b.create<vector::ExtractStridedSliceOp>(
        loc, x, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{half},
        ArrayRef<int64_t>{1});
    Value high = b.create<vector::ExtractStridedSliceOp>(
        loc, x, ArrayRef<int64_t>{half}, ArrayRef<int64_t>{half},
        ArrayRef<int64_t>{1});
    x = addSums(low, high);
  }
  return b.create<vector::ExtractOp>(loc, x, 0);
}

void MicroKernelWriter::dotsOfColumns(const MicroKernelArgs &args, Value row,
                                      Value column, unsigned count,
                                      Value columnStride) {
  const unsigned chains = count > 1 ? 2 : 4;
  Value aBase = add(args.aOffset, mul(row, args.rowStride));
  Values bBases;
  for (unsigned n = 0; n < count; ++n)
    bBases.push_back(add(
        args.bOffset, mul(n ? add(column, index(n)) : column, columnStride)));
  auto step = [&](Value k, ValueRange iterArgs, Value rest) {
    Values next(iterArgs);
    for (unsigned chain = 0; chain < chains; ++chain) {
      Value at = chain ? add(k, index(chain * kernel.lanes)) : k;
      Value mask;
      if (rest)
        mask = b.create<vector::CreateMaskOp>(
            loc, VectorType::get({int64_t(kernel.lanes)}, b.getI1Type()),
            ValueRange{chain ? sub(rest, index(chain * kernel.lanes)) : rest});
      Value x = loadVector(args.a, add(aBase, at), kernel.a, mask);
      for (unsigned n = 0; n < count; ++n) {
        Value &sum = next[n * chains + chain];
        sum = multiplyAdd(
            x, loadVector(args.b, add(bBases[n], at), kernel.b, mask), sum);
      }
    }
    return next;
  };
  Value block = index(chains * kernel.lanes);
  Value rest = b.create<arith::RemUIOp>(loc, args.kSize, block);
  Value whole = sub(args.kSize, rest);
  Values sums =
      loop(whole, block, Values(count * chains, zero()),
           [&](Value k, ValueRange iterArgs) { return step(k, iterArgs, {}); });
  sums = loop(
      args.kSize, block, sums,
      [&](Value k, ValueRange iterArgs) { return step(k, iterArgs, rest); },
      whole);
  Value to = add(add(args.cOffset, mul(row, args.rowStrideC)), column);
  for (unsigned n = 0; n < count; ++n) {
    for (unsigned half = chains / 2; half; half /= 2)
      for (unsigned i = n * chains; i < n * chains + half; ++i)
        sums[i] = addSums(sums[i], sums[i + half]);
    b.create<memref::StoreOp>(loc, sumOfLanes(sums[n * chains]), args.c,
                              n ? add(to, index(n)) : to);
  }
}

void MicroKernelWriter::dots(const MicroKernelArgs &args, Value rows,
                             Value columnStride) {
  constexpr unsigned group = 4;
  Value one = index(1);
  loop(rows, one, {}, [&](Value row, ValueRange) {
    Value several = index(group);
    Value whole =
        sub(args.columns, b.create<arith::RemUIOp>(loc, args.columns, several));
    loop(whole, several, {}, [&](Value column, ValueRange) {
      dotsOfColumns(args, row, column, group, columnStride);
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
