// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over taps and depth around multiply-adds; dot products of rows.

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

/// An element as it lies in memory, scalar or vector, in the type of the sums.
Value MicroKernelWriter::toSum(Value x, Type element) {
  Type to = typeLike(shape.sum, x.getType());
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
  if (from == shape.sum)
    return x;
  if (isa<FloatType>(from))
    return b.create<arith::ExtFOp>(loc, to, x);
  if (isa<FloatType>(shape.sum)) {
    if (element.isUnsignedInteger())
      return b.create<arith::UIToFPOp>(loc, to, x);
    return b.create<arith::SIToFPOp>(loc, to, x);
  }
  if (from.getIntOrFloatBitWidth() > shape.sum.getIntOrFloatBitWidth())
    return b.create<arith::TruncIOp>(loc, to, x);
  if (element.isUnsignedInteger())
    return b.create<arith::ExtUIOp>(loc, to, x);
  return b.create<arith::ExtSIOp>(loc, to, x);
}

Value MicroKernelWriter::multiplyAdd(Value x, Value y, Value sum) {
  if (isa<IntegerType>(shape.sum))
    return b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, x, y),
                                   sum);
  if (shape.fma)
    return b.create<math::FmaOp>(loc, x, y, sum);
  return b.create<arith::AddFOp>(loc, sum, b.create<arith::MulFOp>(loc, x, y));
}

Value MicroKernelWriter::loadVector(Value memory, Value offset, Type element,
                                    Value mask) {
  return toSum(loadRaw(memory, offset, element, mask), element);
}

Value MicroKernelWriter::loadRaw(Value memory, Value offset, Type element,
                                 Value mask) {
  auto type = VectorType::get({int64_t(shape.lanes)}, memoryType(element));
  if (!mask)
    return b.create<vector::LoadOp>(loc, type, memory, offset);
  Value zeros = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  return b.create<vector::MaskedLoadOp>(loc, type, memory, offset, mask, zeros);
}

/// Asks for what depth number `set` of a step will read a while later, once per
/// cache line.
void MicroKernelWriter::prefetch(Value memory, Value offset, unsigned set) {
  unsigned lineBytes = unsigned(target.lineBytes),
           bytesAhead = unsigned(target.prefetchBytes);
  unsigned elementBytes = memoryType(shape.b).getIntOrFloatBitWidth() / 8;
  unsigned depthBytes =
      shape.group * shape.vectors * shape.lanes * elementBytes;
  if (set * depthBytes % lineBytes >= depthBytes)
    return;
  for (unsigned at = 0; at < depthBytes; at += lineBytes)
    fetch(memory, add(offset, index((bytesAhead + at) / elementBytes)),
          /*soon=*/true);
}

/// Into the first-level cache for use soon, else into the second-level one.
void MicroKernelWriter::fetch(Value memory, Value offset, bool soon) {
  b.create<memref::PrefetchOp>(loc, memory, offset, /*isWrite=*/false,
                               /*localityHint=*/soon ? 3 : 2,
                               /*isDataCache=*/true);
}

Value MicroKernelWriter::vectorOfDepth(const MicroKernelArgs &args, Value bk,
                                       unsigned number) {
  if (shape.vectorsOfPanel && number >= shape.vectorsOfPanel) {
    bk = add(bk, args.panelStride);
    number -= shape.vectorsOfPanel;
  }
  return number ? add(bk, index(number * shape.lanes)) : bk;
}

void MicroKernelWriter::addDepth(const MicroKernelArgs &args,
                                 ValueRange aMemory, ValueRange aRows, Value ak,
                                 Value bk, MutableArrayRef<Value> sums) {
  Values columns;
  if (shape.splitsWords)
    columns = columnsOfWords(args, bk);
  for (unsigned v = columns.size(); v < shape.vectors; ++v)
    columns.push_back(loadVector(args.b, vectorOfDepth(args, bk, v), shape.b,
                                 masks.empty() ? Value() : masks[v]));
  for (unsigned r = 0; r < shape.height; ++r) {
    Value at = shape.knownRows
                   ? add(add(aRows[0], ak), index(r * shape.knownRows))
                   : add(aRows[r], ak);
    Value a = toSum(b.create<memref::LoadOp>(loc, aMemory[r], at), shape.a);
    a = b.create<vector::BroadcastOp>(loc, vectorType, a);
    for (unsigned v = 0; v < shape.vectors; ++v) {
      Value &sum = sums[r * shape.vectors + v];
      sum = multiplyAdd(a, columns[v], sum);
    }
  }
}

void MicroKernelWriter::fetchAhead(Value from, Value memory) {
  unsigned line = unsigned(target.lineBytes) * 8 /
                  memoryType(shape.b).getIntOrFloatBitWidth();
  for (unsigned i = 0; i < shape.linesAhead; ++i)
    fetch(memory, i ? add(from, index(i * line)) : from, /*soon=*/false);
}

/// As much as some depths of all rows are.
void MicroKernelWriter::fetchRows(const MicroKernelArgs &args, Value from,
                                  unsigned depths) {
  unsigned line = unsigned(target.lineBytes) * 8 /
                  memoryType(shape.a).getIntOrFloatBitWidth();
  for (unsigned at = 0; at < shape.height * depths; at += line)
    fetch(args.a, add(from, index(at)), /*soon=*/false);
}

/// Rounds of several depths: fewer instructions that only count, which a
/// processor core with a busy sibling has no room for.
MicroKernelWriter::Values
MicroKernelWriter::roundLoop(const MicroKernelArgs &args, ValueRange aMemory,
                             ValueRange aRows, Value bOffset, Values sums) {
  unsigned tile = shape.height * shape.vectors;
  unsigned depths = std::max(depthsAtOnce, depthsOfRound(shape));
  auto run = [&](Value first, ValueRange carried, unsigned count) {
    Values next(carried);
    Value place = add(bOffset, mul(first, index(shape.knownStrideB)));
    Value firstA =
        shape.knownStride > 1 ? mul(first, index(shape.knownStride)) : first;
    if (shape.looksAhead && count > 1)
      fetchAhead(add(place, args.ahead), args.b);
    if (shape.fetchesRows && count > 1)
      fetchRows(args,
                add(add(aRows[0], args.ahead), mul(first, index(shape.height))),
                count);
    for (unsigned depth = 0; depth < count; ++depth) {
      Value bk = depth ? add(place, index(depth * shape.knownStrideB)) : place;
      Value ak = depth ? add(firstA, index(depth * shape.knownStride)) : firstA;
      if (shape.prefetches)
        prefetch(args.b, bk, depth);
      unsigned set = depth % depthsAtOnce;
      addDepth(args, aMemory, aRows, ak, bk,
               MutableArrayRef<Value>(next).slice(set * tile, tile));
    }
    return next;
  };
  if (depths == 1)
    return loop(args.depth, index(1), sums, [&](Value k, ValueRange carried) {
      return run(k, carried, 1);
    });
  Value step = index(depths);
  Value whole =
      sub(args.depth, b.create<arith::RemUIOp>(loc, args.depth, step));
  sums = loop(whole, step, sums, [&](Value k, ValueRange carried) {
    return run(k, carried, depths);
  });
  return loop(
      args.depth, index(1), sums,
      [&](Value k, ValueRange carried) { return run(k, carried, 1); }, whole);
}

void MicroKernelWriter::depthStep(const MicroKernelArgs &args,
                                  ValueRange aMemory, ValueRange aRows,
                                  unsigned sets, Values &next) {
  unsigned tile = shape.height * shape.vectors;
  Value ak = next[next.size() - 2], bk = next.back();
  for (unsigned set = 0; set < sets; ++set) {
    if (shape.prefetches)
      prefetch(args.b, bk, set);
    addDepth(args, aMemory, aRows, ak, bk,
             MutableArrayRef<Value>(next).slice(set * tile, tile));
    ak = add(ak, args.depthStrideA);
    bk = add(bk, args.depthStrideB);
  }
  next[next.size() - 2] = ak;
  next.back() = bk;
}

/// sums[row][column] += a[row][k + lane] * b[column][k + lane] over all k.
MicroKernelWriter::Values
MicroKernelWriter::laneLoop(const MicroKernelArgs &args, ValueRange aMemory,
                            ValueRange aRows, Value bOffset, Values sums) {
  auto step = [&](Value k, ValueRange carried, bool cut) {
    Values next(carried), held;
    Value mask;
    if (cut)
      mask = b.create<vector::CreateMaskOp>(
          loc, VectorType::get({int64_t(shape.lanes)}, b.getI1Type()),
          ValueRange{sub(args.depth, k)});
    auto row = [&](unsigned r) {
      return loadVector(aMemory[r], add(aRows[r], k), shape.a, mask);
    };
    auto column = [&](unsigned v) {
      Value at = v ? add(bOffset, mul(index(v), args.depthStrideB)) : bOffset;
      return loadVector(args.b, add(at, k), shape.b, mask);
    };
    // Registers hold the fewer ones, past which the others are read one by one.
    bool holdsRows = shape.height < shape.vectors;
    unsigned few = std::min(shape.height, shape.vectors),
             many = std::max(shape.height, shape.vectors);
    for (unsigned i = 0; i < few; ++i)
      held.push_back(holdsRows ? row(i) : column(i));
    for (unsigned j = 0; j < many; ++j) {
      Value other = holdsRows ? column(j) : row(j);
      for (unsigned i = 0; i < few; ++i) {
        unsigned r = holdsRows ? i : j, v = holdsRows ? j : i;
        Value &sum = next[r * shape.vectors + v];
        sum = multiplyAdd(holdsRows ? held[i] : other,
                          holdsRows ? other : held[i], sum);
      }
    }
    return next;
  };
  Value lanes = index(shape.lanes);
  Value whole =
      sub(args.depth, b.create<arith::RemUIOp>(loc, args.depth, lanes));
  sums = loop(whole, lanes, sums, [&](Value k, ValueRange carried) {
    return step(k, carried, false);
  });
  return loop(
      args.depth, lanes, sums,
      [&](Value k, ValueRange carried) { return step(k, carried, true); },
      whole);
}

/// sums[set][row][vector] += a[row][k] * b[k][vector] over all k; set = k (or
/// pair of k) modulo depthsAtOnce.
MicroKernelWriter::Values
MicroKernelWriter::depthLoop(const MicroKernelArgs &args, ValueRange aMemory,
                             ValueRange aRows, Value bOffset, Values sums) {
  if (shape.alongDepth)
    return laneLoop(args, aMemory, aRows, bOffset, std::move(sums));
  if (shape.knownStride)
    return roundLoop(args, aMemory, aRows, bOffset, std::move(sums));
  if (shape.group > 1)
    return groupLoop(args, aMemory, aRows, bOffset, std::move(sums));
  auto one = [&](Value, ValueRange carried) {
    Values next(carried);
    depthStep(args, aMemory, aRows, 1, next);
    return next;
  };
  sums.push_back(index(0));
  sums.push_back(bOffset);
  unsigned atOnce = depthsAtOnce * (shape.pairs ? 2 : 1);
  if (atOnce > 1) {
    Value several = index(atOnce);
    Value whole =
        sub(args.depth, b.create<arith::RemUIOp>(loc, args.depth, several));
    sums = loop(whole, several, sums, [&](Value, ValueRange carried) {
      Values next(carried);
      if (shape.pairs) {
        Value &ak = next[next.size() - 2];
        pairStep(args, aMemory, aRows, ak, depthsAtOnce, next);
        ak = add(ak, several);
      } else {
        depthStep(args, aMemory, aRows, depthsAtOnce, next);
      }
      return next;
    });
    sums = loop(args.depth, index(1), sums, one, whole);
  } else {
    sums = loop(args.depth, index(1), sums, one);
  }
  sums.truncate(sums.size() - 2);
  return sums;
}

MicroKernelWriter::Values
MicroKernelWriter::edgeTap(const MicroKernelArgs &args, ValueRange aRows,
                           Value bOffset, Value position, Values sums) {
  Values memory, rows;
  for (unsigned r = 0; r < shape.height; ++r) {
    Value at = r ? add(position, mul(index(r), args.rowStep)) : position;
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, at,
                                           args.extent);
    memory.push_back(
        b.create<arith::SelectOp>(loc, inside, args.a, args.zeros));
    rows.push_back(b.create<arith::SelectOp>(loc, inside, aRows[r], index(0)));
  }
  return depthLoop(args, memory, rows, bOffset, std::move(sums));
}

MicroKernelWriter::Values
MicroKernelWriter::tapLoops(const MicroKernelArgs &args, unsigned level,
                            ValueRange aRows, Value bOffset, Value position,
                            Values sums) {
  if (level == 3) {
    if (shape.form == MicroKernel::Edge)
      return edgeTap(args, aRows, bOffset, position, std::move(sums));
    return depthLoop(args, Values(shape.height, args.a), aRows, bOffset,
                     std::move(sums));
  }
  const MicroKernelArgs::Tap &tap = args.taps[level];
  return loop(tap.count, index(1), sums, [&](Value iv, ValueRange carried) {
    Values rows;
    Value shift = mul(iv, tap.strideA);
    for (Value row : aRows)
      rows.push_back(add(row, shift));
    Value at = position;
    if (level == 2 && at)
      at = add(at, mul(iv, args.tapStep));
    return tapLoops(args, level + 1, rows, add(bOffset, mul(iv, tap.strideB)),
                    at, Values(carried));
  });
}

void MicroKernelWriter::tile(const MicroKernelArgs &args) {
  if (shape.masked)
    for (unsigned v = 0; v < shape.vectors; ++v) {
      Value count =
          v ? sub(args.columns, index(v * shape.lanes)) : args.columns;
      masks.push_back(b.create<vector::CreateMaskOp>(
          loc, VectorType::get({int64_t(shape.lanes)}, b.getI1Type()),
          ValueRange{count}));
    }
  Values rows;
  for (unsigned r = 0; r < (shape.knownRows ? 1 : shape.height); ++r)
    rows.push_back(r ? add(args.aOffset, mul(index(r), args.rowStride))
                     : args.aOffset);
  unsigned tile = shape.height * shape.vectors;
  Values sums(tile * depthsAtOnce, zero());
  auto place = [&](unsigned r, unsigned v) {
    Value row =
        r ? add(args.cOffset, mul(index(r), args.rowStrideC)) : args.cOffset;
    return v ? add(row, index(v * shape.lanes)) : row;
  };
  if (shape.continues)
    for (unsigned i = 0; i < tile; ++i)
      sums[i] = b.create<vector::LoadOp>(
          loc, vectorType, args.c, place(i / shape.vectors, i % shape.vectors));
  if (shape.continues && shape.splitsWords)
    partColumns(MutableArrayRef<Value>(sums).take_front(tile));
  sums = shape.form == MicroKernel::Product
             ? depthLoop(args, Values(shape.height, args.a), rows, args.bOffset,
                         sums)
             : tapLoops(args, 0, rows, args.bOffset, args.position, sums);
  for (unsigned half = depthsAtOnce / 2; half; half /= 2)
    for (unsigned i = 0; i < half * tile; ++i)
      sums[i] = addSums(sums[i], sums[i + half * tile]);
  if (shape.splitsWords)
    joinColumns(MutableArrayRef<Value>(sums).take_front(tile));
  for (unsigned i = 0; i < tile; ++i) {
    unsigned row = i / shape.vectors, vector = i % shape.vectors;
    if (shape.alongDepth)
      b.create<memref::StoreOp>(loc, sumOfLanes(sums[i]), args.c,
                                add(place(row, 0), index(vector)));
    else
      b.create<vector::StoreOp>(loc, sums[i], args.c, place(row, vector));
  }
}

Value MicroKernelWriter::addSums(Value x, Value y) {
  if (isa<FloatType>(shape.sum))
    return b.create<arith::AddFOp>(loc, x, y);
  return b.create<arith::AddIOp>(loc, x, y);
}

/// Halves the vector until one lane is left: the order of the additions is part
/// of the result.
Value MicroKernelWriter::sumOfLanes(Value x) {
  for (int64_t half = shape.lanes / 2; half; half /= 2) {
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
  auto step = [&](Value k, ValueRange carried, Value rest) {
    Values next(carried);
    for (unsigned chain = 0; chain < chains; ++chain) {
      Value at = chain ? add(k, index(chain * shape.lanes)) : k;
      Value mask;
      if (rest)
        mask = b.create<vector::CreateMaskOp>(
            loc, VectorType::get({int64_t(shape.lanes)}, b.getI1Type()),
            ValueRange{chain ? sub(rest, index(chain * shape.lanes)) : rest});
      Value x = loadVector(args.a, add(aBase, at), shape.a, mask);
      for (unsigned n = 0; n < count; ++n) {
        Value &sum = next[n * chains + chain];
        sum = multiplyAdd(
            x, loadVector(args.b, add(bBases[n], at), shape.b, mask), sum);
      }
    }
    return next;
  };
  Value block = index(chains * shape.lanes);
  Value rest = b.create<arith::RemUIOp>(loc, args.depth, block);
  Value whole = sub(args.depth, rest);
  Values sums =
      loop(whole, block, Values(count * chains, zero()),
           [&](Value k, ValueRange carried) { return step(k, carried, {}); });
  sums = loop(
      args.depth, block, sums,
      [&](Value k, ValueRange carried) { return step(k, carried, rest); },
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
