// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts codes out of bytes and widens them, or looks codes of 4 bits up: with a
// code in each of the columns of a panel, four of which share a dword, a shift
// brings one of each dword to where a permutation looks for it.

#include "lowering/gemm/GemmCodedRows.h"
#include "ir/encodings/FewRows.h"
#include "lowering/builder/LaneShuffle.h"
#include "lowering/microkernels/Int8Dot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

static constexpr int64_t bitsOfCode = 4, bitsOfByte = 8, lowBits = 15;
/// Columns whose bytes are in one dword, each in another vector.
static constexpr int64_t bytesOfWord = 4;

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

GemmCodedRows::GemmCodedRows(const GemmContext &gemm, bool mayLookUp)
    : gemm(gemm), k(gemm.k), codes(*gemm.space.codes),
      lanes(sumLanes(gemm.space.sum, gemm.k.target)),
      vectors(unsigned(gemm.nr / lanes)) {
  constexpr int64_t lanesOfTable = 16;
  looksUp = mayLookUp && k.target.avx512 && graph::areLookedUp(codes) &&
            lanes == lanesOfTable && vectors == bytesOfWord;
  hasPairs = looksUp && k.target.bf16Pairs && k.target.vbmi &&
             gemm.space.a.element.isBF16() &&
             gemm.space.kAxis.strideA.isConstant(1);
  isShifted = looksUp && codes.zeros;
}

Value GemmCodedRows::multiplyAdd(Value x, Value y, Value sum) const {
  return kernels::multiplyAdd(k.b, k.loc, x, y, sum, k.target.fma);
}

Value GemmCodedRows::load(VectorType type, Value operand, Value index) const {
  return k.b.create<vector::LoadOp>(
      k.loc, type, k.memoryOf(cast<BlockArgument>(operand)), index);
}

/// The first or second half of x[0], y[0], x[1], y[1] ...
static Value alternating(KernelBuilder &k, Value x, Value y, int64_t half) {
  int64_t lanes = cast<VectorType>(x.getType()).getNumElements();
  return shuffled(k, {x, y}, [&](int64_t lane) {
    return VectorLane{lane % 2, (lane + half * lanes) / 2};
  });
}

GemmCodedRows::Values GemmCodedRows::byBytes(Values columns) const {
  Values result(bytesOfWord);
  for (int64_t odd : {0, 1}) {
    Value low = everyNth(k, {columns[0], columns[1]}, odd),
          high = everyNth(k, {columns[2], columns[3]}, odd);
    result[odd] = everyNth(k, {low, high}, 0);
    result[odd + 2] = everyNth(k, {low, high}, 1);
  }
  return result;
}

GemmCodedRows::Values GemmCodedRows::inOrder(Values columns) const {
  Values result(bytesOfWord);
  for (int64_t half : {0, 1}) {
    Value even = alternating(k, columns[0], columns[2], half),
          odd = alternating(k, columns[1], columns[3], half);
    result[2 * half] = alternating(k, even, odd, 0);
    result[2 * half + 1] = alternating(k, even, odd, 1);
  }
  return result;
}

/// Scales or zero points of a block as f32.
GemmCodedRows::Values GemmCodedRows::entries(Value operand, Value panel,
                                             Value block) const {
  OpBuilder &b = k.b;
  int64_t blocks = int64_t(llvm::divideCeil(codes.k, codes.block));
  Value at =
      k.mul(k.add(k.mul(panel, k.index(blocks)), block), k.index(gemm.nr));
  auto floats = VectorType::get({lanes}, b.getF32Type()),
       words = VectorType::get({lanes}, b.getI32Type());
  Type element = elementOf(operand);
  Values result;
  if (looksUp && !element.isF32()) {
    auto bytes = VectorType::get({lanes * bytesOfWord}, b.getI8Type());
    Value all =
        b.create<vector::BitCastOp>(k.loc, words, load(bytes, operand, at));
    for (int64_t byte = 0; byte < bytesOfWord; ++byte) {
      Value high = b.create<arith::ShLIOp>(
          k.loc, all, k.integer(words, bitsOfByte * (bytesOfWord - 1 - byte)));
      Value own = b.create<arith::ShRSIOp>(
          k.loc, high, k.integer(words, bitsOfByte * (bytesOfWord - 1)));
      result.push_back(b.create<arith::SIToFPOp>(k.loc, floats, own));
    }
    return result;
  }
  for (unsigned v = 0; v < vectors; ++v) {
    auto type = VectorType::get({lanes}, memoryType(element));
    result.push_back(load(type, operand, k.add(at, k.index(v * lanes))));
  }
  return looksUp ? byBytes(result) : result;
}

/// The integers of a field of bytes, minus zero points, as f32.
Value GemmCodedRows::differences(Value bytes, unsigned field,
                                 Value zeros) const {
  OpBuilder &b = k.b;
  Type type = bytes.getType();
  auto words = VectorType::get({lanes}, b.getI32Type()),
       floats = VectorType::get({lanes}, b.getF32Type());
  auto widen = [&](Value x) -> Value {
    if (elementOf(codes.integers).isUnsignedInteger())
      return b.create<arith::ExtUIOp>(k.loc, words, x);
    return b.create<arith::ExtSIOp>(k.loc, words, x);
  };
  bool hasFloats = zeros && elementOf(zeros).isF32();
  Value x = bytes;
  if (codes.isHalved) {
    x = field ? b.create<arith::ShRUIOp>(k.loc, x, k.integer(type, bitsOfCode))
                    .getResult()
              : b.create<arith::AndIOp>(k.loc, x, k.integer(type, lowBits))
                    .getResult();
    if (!hasFloats) // the difference fits in a byte
      x = b.create<arith::SubIOp>(k.loc, x,
                                  zeros ? zeros : k.integer(type, codes.zero));
  }
  x = widen(x);
  if (!codes.isHalved && zeros && !hasFloats)
    x = b.create<arith::SubIOp>(k.loc, x, widen(zeros));
  x = b.create<arith::SIToFPOp>(k.loc, floats, x);
  return hasFloats ? b.create<arith::SubFOp>(k.loc, x, zeros).getResult() : x;
}

/// Element `at` of a row in all lanes.
Value GemmCodedRows::element(const Pass &pass, unsigned row, Value at) const {
  OpBuilder &b = k.b;
  const MicroKernelArgs &args = pass.tile.args;
  Value index = k.add(
      k.add(args.aOffset, k.mul(k.index(pass.firstRow + row), args.rowStride)),
      k.mul(at, args.kStrideA));
  Value x = b.create<memref::LoadOp>(k.loc, args.a, index);
  if (gemm.space.a.element.isBF16())
    x = b.create<arith::BitcastOp>(
        k.loc, b.getF32Type(),
        b.create<arith::ShLIOp>(
            k.loc, b.create<arith::ExtUIOp>(k.loc, b.getI32Type(), x),
            k.integer(b.getI32Type(), 16)));
  else if (!x.getType().isF32())
    x = b.create<arith::ExtFOp>(k.loc, b.getF32Type(), x);
  return k.broadcast(x, unsigned(lanes));
}

/// Elements `at` and the next one of a row in all lanes; `half`: zero instead
/// of the next one.
Value GemmCodedRows::pairOfElements(const Pass &pass, unsigned row, Value at,
                                    bool half) const {
  OpBuilder &b = k.b;
  const MicroKernelArgs &args = pass.tile.args;
  Value index = k.add(
      k.add(args.aOffset, k.mul(k.index(pass.firstRow + row), args.rowStride)),
      at);
  Value word;
  if (half) {
    word = b.create<arith::ExtUIOp>(
        k.loc, b.getI32Type(), b.create<memref::LoadOp>(k.loc, args.a, index));
  } else {
    auto pair = VectorType::get({2}, b.getI16Type()),
         whole = VectorType::get({1}, b.getI32Type());
    Value both = b.create<vector::LoadOp>(k.loc, pair, args.a, index);
    word = b.create<vector::ExtractOp>(
        k.loc, b.create<vector::BitCastOp>(k.loc, whole, both), 0);
  }
  return b.create<vector::BitCastOp>(
      k.loc, VectorType::get({2 * lanes}, b.getI16Type()),
      k.broadcast(word, unsigned(lanes)));
}

/// The values of all codes, less the zero point where one is for all, as bits
/// of f32 or, twice, of bf16.
static Value tableOf(KernelBuilder &k, int64_t zero, bool isNarrow) {
  constexpr int64_t count = 16;
  SmallVector<APInt> bits;
  for (int64_t turn = 0; turn < (isNarrow ? 2 : 1); ++turn)
    for (int64_t code = 0; code < count; ++code) {
      APInt value = APFloat(float(code - zero)).bitcastToAPInt();
      bits.push_back(isNarrow ? value.lshr(16).trunc(16) : value);
    }
  auto type = VectorType::get({int64_t(bits.size())},
                              k.b.getIntegerType(isNarrow ? 16 : 32));
  Value table = k.constant(TypedAttr(DenseElementsAttr::get(type, bits)));
  if (isNarrow)
    return table;
  return k.b.create<arith::BitcastOp>(k.loc, type.clone(k.b.getF32Type()),
                                      table);
}

/// For each dword of bytes, where the two codes of one of its columns lie.
static Value placesOfPairs(KernelBuilder &k, int64_t byte) {
  constexpr int64_t bytes = 64, half = 32;
  SmallVector<int8_t> places;
  for (int64_t at = 0; at < bytes; ++at)
    places.push_back(int8_t(at / bytesOfWord % 2 * half + byte * bitsOfByte +
                            at % bytesOfWord / 2 * bitsOfCode));
  return k.constant(TypedAttr(DenseElementsAttr::get(
      VectorType::get({bytes}, k.b.getI8Type()), ArrayRef<int8_t>(places))));
}

void GemmCodedRows::lookUp(const Pass &pass, Value bytes, Value firstK,
                           unsigned fields, Sums &sums) const {
  OpBuilder &b = k.b;
  auto call = [&](StringRef name, Type type, ValueRange operands) {
    return b
        .create<LLVM::CallIntrinsicOp>(k.loc, type, b.getStringAttr(name),
                                       operands)
        .getResult(0);
  };
  Value table = tableOf(k, codes.zeros ? 0 : codes.zero, hasPairs);
  if (hasPairs) {
    auto pairs = VectorType::get({2 * lanes}, b.getI16Type());
    Values rows;
    for (unsigned r = 0; r < pass.rows; ++r)
      rows.push_back(pairOfElements(pass, r, firstK, /*half=*/fields == 1));
    for (unsigned v = 0; v < vectors; ++v) {
      Value places = call("llvm.x86.avx512.pmultishift.qb.512", bytes.getType(),
                          {placesOfPairs(k, v), bytes});
      Value columns =
          call("llvm.x86.avx512.permvar.hi.512", pairs,
               {table, b.create<vector::BitCastOp>(k.loc, pairs, places)});
      for (unsigned r = 0; r < pass.rows; ++r) {
        Value &sum = sums.products[r * vectors + v];
        sum = addBF16Dot(b, k.loc, sum, rows[r], columns);
      }
    }
    constexpr int64_t one = 0x3f80;
    for (auto [sum, row] : llvm::zip(sums.rows, rows))
      sum = addBF16Dot(b, k.loc, sum, row, k.integer(pairs, one));
    return;
  }
  auto words = VectorType::get({lanes}, b.getI32Type()),
       floats = VectorType::get({lanes}, b.getF32Type());
  Value all = b.create<vector::BitCastOp>(k.loc, words, bytes);
  for (unsigned field = 0; field < fields; ++field) {
    Values rows;
    for (unsigned r = 0; r < pass.rows; ++r)
      rows.push_back(element(pass, r, k.add(firstK, k.index(field))));
    for (unsigned v = 0; v < vectors; ++v) {
      Value places = b.create<arith::ShRUIOp>(
          k.loc, all, k.integer(words, v * bitsOfByte + field * bitsOfCode));
      Value columns =
          call("llvm.x86.avx512.permvar.sf.512", floats, {table, places});
      for (unsigned r = 0; r < pass.rows; ++r) {
        Value &sum = sums.products[r * vectors + v];
        sum = multiplyAdd(rows[r], columns, sum);
      }
    }
    for (auto [sum, row] : llvm::zip(sums.rows, rows))
      sum = b.create<arith::AddFOp>(k.loc, sum, row);
  }
}

/// Adds the products of a row of bytes, the first `fields` codes of each.
void GemmCodedRows::addBytes(const Pass &pass, Value bytesRow, Value firstK,
                             unsigned fields, ValueRange zeros,
                             Sums &sums) const {
  OpBuilder &b = k.b;
  int64_t perPanel = int64_t(llvm::divideCeil(codes.k, codes.isHalved ? 2 : 1));
  Value at = k.mul(k.add(k.mul(pass.panel, k.index(perPanel)), bytesRow),
                   k.index(gemm.nr));
  const sched::Prefetch &ahead = gemm.schedule.prefetch.tiles;
  if (ahead.kind == sched::Prefetch::Lines && pass.rows >= ahead.number)
    b.create<memref::PrefetchOp>(
        k.loc, k.memoryOf(cast<BlockArgument>(codes.integers)),
        k.add(at, k.index(ahead.ahead)), /*isWrite=*/false,
        /*localityHint=*/3, /*isDataCache=*/true);
  if (looksUp) {
    auto type = VectorType::get({lanes * bytesOfWord}, b.getI8Type());
    lookUp(pass, load(type, codes.integers, at), firstK, fields, sums);
    return;
  }
  auto type = VectorType::get({lanes}, b.getI8Type());
  Values bytes;
  for (unsigned v = 0; v < vectors; ++v)
    bytes.push_back(load(type, codes.integers, k.add(at, k.index(v * lanes))));
  for (unsigned field = 0; field < fields; ++field) {
    Values rows;
    for (unsigned r = 0; r < pass.rows; ++r)
      rows.push_back(element(pass, r, k.add(firstK, k.index(field))));
    for (unsigned v = 0; v < vectors; ++v) {
      Value columns =
          differences(bytes[v], field, zeros.empty() ? Value() : zeros[v]);
      for (unsigned r = 0; r < pass.rows; ++r) {
        Value &sum = sums.products[r * vectors + v];
        sum = multiplyAdd(rows[r], columns, sum);
      }
    }
  }
}

/// The totals, and those of rows where zero points need them, to which the
/// first `size` k of a block are added.
GemmCodedRows::Values GemmCodedRows::addBlock(const Pass &pass, Value block,
                                              int64_t size,
                                              ValueRange totals) const {
  OpBuilder &b = k.b;
  Value zero = k.constant(VectorType::get({lanes}, b.getF32Type()), 0.0);
  Values zeros, next(totals);
  if (codes.zeros)
    zeros = entries(codes.zeros, pass.panel, block);
  int64_t fields = codes.isHalved ? 2 : 1, whole = size / fields;
  Value first = k.mul(block, k.index(codes.block)),
        firstBytes = k.mul(block, k.index(codes.block / fields));
  unsigned products = pass.rows * vectors, rows = isShifted ? pass.rows : 0;
  auto add = [&](Value from, ValueRange carried, int64_t count,
                 unsigned fieldsOfEach) {
    Sums sums{Values(carried.take_front(products)),
              Values(carried.drop_front(products))};
    for (int64_t i = 0; i < count; ++i) {
      Value at = k.add(from, k.index(i));
      addBytes(pass, k.add(firstBytes, at),
               k.add(first, k.mul(at, k.index(fields))), fieldsOfEach, zeros,
               sums);
    }
    sums.products.append(sums.rows);
    return sums.products;
  };
  Values sums(products + rows, zero);
  int64_t atOnce = whole % 4 == 0 ? 4 : 1;
  sums = k.loop(k.index(0), k.index(whole), k.index(atOnce), sums,
                [&](Value at, ValueRange carried) {
                  return add(at, carried, atOnce, unsigned(fields));
                });
  if (size % fields)
    sums = add(k.index(whole), sums, 1, 1);
  Values scales = entries(codes.scales, pass.panel, block);
  for (unsigned r = 0; r < pass.rows; ++r)
    for (unsigned v = 0; v < vectors; ++v) {
      Value sum = sums[r * vectors + v];
      if (isShifted)
        sum = multiplyAdd(b.create<arith::NegFOp>(k.loc, zeros[v]),
                          sums[products + r], sum);
      next[r * vectors + v] =
          multiplyAdd(sum, scales[v], totals[r * vectors + v]);
    }
  for (unsigned r = 0; r < rows; ++r)
    next[products + r] = b.create<arith::AddFOp>(k.loc, totals[products + r],
                                                 sums[products + r]);
  return next;
}

void GemmCodedRows::store(const Pass &pass, ValueRange totals,
                          unsigned stored) const {
  const MicroKernelArgs &args = pass.tile.args;
  for (unsigned r = 0; r < pass.rows; ++r) {
    Values columns(totals.slice(r * vectors, vectors));
    if (looksUp)
      columns = inOrder(columns);
    Value at =
        k.add(args.cOffset, k.mul(k.index(pass.firstRow + r), args.rowStrideC));
    for (unsigned v = 0; v < stored; ++v)
      k.b.create<vector::StoreOp>(k.loc, columns[v], args.c,
                                  k.add(at, k.index(v * lanes)));
  }
}

/// Whether sums of rows are finite, and so all elements.
Value GemmCodedRows::areFinite(ValueRange rowSums) const {
  OpBuilder &b = k.b;
  Value sum = rowSums.front();
  for (Value other : rowSums.drop_front())
    sum = b.create<arith::AddFOp>(k.loc, sum, other);
  Value one = b.create<vector::ExtractOp>(k.loc, sum, 0);
  Value none = b.create<arith::SubFOp>(k.loc, one, one);
  return b.create<arith::CmpFOp>(k.loc, arith::CmpFPredicate::OEQ, none,
                                 k.constant(none.getType(), 0.0));
}

void GemmCodedRows::sumPass(const Pass &pass, unsigned stored) const {
  int64_t blocks = codes.k / codes.block, rest = codes.k % codes.block;
  unsigned products = pass.rows * vectors;
  Values totals(products + (isShifted ? pass.rows : 0),
                k.constant(VectorType::get({lanes}, k.b.getF32Type()), 0.0));
  totals = k.loop(k.index(0), k.index(blocks), k.index(1), totals,
                  [&](Value block, ValueRange carried) {
                    return addBlock(pass, block, codes.block, carried);
                  });
  if (rest)
    totals = addBlock(pass, k.index(blocks), rest, totals);
  if (!isShifted) {
    store(pass, totals, stored);
    return;
  }
  // An infinity times a code less its zero point is not the difference of its
  // products with both.
  auto branch = k.b.create<scf::IfOp>(
      k.loc, areFinite(ValueRange(totals).drop_front(products)),
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  store(pass, totals, stored);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  GemmCodedRows(gemm, /*mayLookUp=*/false).sumPass(pass, stored);
}

/// Rows that registers have sums of a block for, some at a time.
void GemmCodedRows::rowsOf(const GemmTile &tile, Value panel, unsigned rows,
                           unsigned stored) const {
  unsigned most = std::max(1u, k.target.registers / 2 / vectors),
           passes = (rows + most - 1) / most,
           rowsOfPass = (rows + passes - 1) / passes;
  for (unsigned first = 0; first < rows; first += rowsOfPass)
    sumPass({tile, panel, first, std::min(rowsOfPass, rows - first)}, stored);
}

void GemmCodedRows::sum(const GemmTile &tile, Value panel, bool full) const {
  int64_t columns = *gemm.space.columns.size.constant();
  auto stored =
      full ? vectors : unsigned(llvm::divideCeil(columns % gemm.nr, lanes));
  auto known = k.constantOf(tile.rows);
  if (known || mostRows(gemm.space) == 1) {
    rowsOf(tile, panel, unsigned(known.value_or(1)), stored);
    return;
  }
  // Tiles of one height, and of one row more.
  int64_t rows = *gemm.space.rowAxis.size.constant(),
          low = rows / *gemm.schedule.tileCount.constant();
  Value isHigh = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sgt,
                                           tile.rows, k.index(low));
  auto branch = k.b.create<scf::IfOp>(k.loc, isHigh, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  rowsOf(tile, panel, unsigned(low + 1), stored);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  rowsOf(tile, panel, unsigned(low), stored);
}

} // namespace zenith::kernels
