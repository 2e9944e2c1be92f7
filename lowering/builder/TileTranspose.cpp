// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes a square of vectors in registers: halves, quarters ... of vectors
// first, then blocks of 16 bytes. From memory to memory blocks of rows come
// where they belong as they are read, a block of columns at a time.

#include "lowering/builder/TileTranspose.h"
#include "lowering/builder/SharedFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

static Value shuffle(OpBuilder &b, Location loc, Value x, Value y,
                     function_ref<int64_t(int64_t lane)> source) {
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0, width = cast<VectorType>(x.getType()).getNumElements();
       lane < width; ++lane)
    lanes.push_back(source(lane));
  return b.create<vector::ShuffleOp>(loc, x, y, lanes);
}

// Swaps the off-diagonal blocks of `half` lanes.
static void exchange(OpBuilder &b, Location loc, Value &x, Value &y,
                     int64_t half, int64_t width) {
  Value low = shuffle(b, loc, x, y, [&](int64_t lane) {
    return lane & half ? width + lane - half : lane;
  });
  y = shuffle(b, loc, x, y, [&](int64_t lane) {
    return lane & half ? width + lane : lane + half;
  });
  x = low;
}

/// Lanes alternately from x and y, of the lower (upper) half of each `block`
/// lanes.
static Value interleave(OpBuilder &b, Location loc, Value x, Value y,
                        int64_t block, bool upper) {
  int64_t width = cast<VectorType>(x.getType()).getNumElements();
  return shuffle(b, loc, x, y, [&](int64_t lane) {
    int64_t inBlock = lane % block, from = upper ? block / 2 : 0;
    return lane - inBlock + from + inBlock / 2 + (lane & 1 ? width : 0);
  });
}

/// Transposes each square of `lanes` lanes; the vectors of `rows` hold several
/// squares side by side.
static void transposeBlocks(OpBuilder &b, Location loc,
                            MutableArrayRef<Value> rows) {
  int64_t block = rows.size();
  for (int64_t turns = 1; turns < block; turns *= 2) {
    SmallVector<Value> mixed;
    for (int64_t row = 0; row < block / 2; ++row)
      for (bool upper : {false, true})
        mixed.push_back(
            interleave(b, loc, rows[row], rows[row + block / 2], block, upper));
    llvm::copy(mixed, rows.begin());
  }
}

/// Lanes of a block of 16 bytes, within which interleaving is one instruction
/// on every machine, for any element type.
static int64_t lanesOfBlock(VectorType type) {
  constexpr int64_t blockBits = 128;
  return std::min<int64_t>(type.getNumElements(),
                           blockBits /
                               type.getElementType().getIntOrFloatBitWidth());
}

void transposeSquare(OpBuilder &b, Location loc,
                     MutableArrayRef<Value> square) {
  int64_t width = square.size();
  int64_t block = lanesOfBlock(cast<VectorType>(square[0].getType()));
  for (int64_t half = width / 2; half >= block; half /= 2)
    for (int64_t row = 0; row < width; ++row)
      if (!(row & half))
        exchange(b, loc, square[row], square[row + half], half, width);
  for (int64_t row = 0; row < width; row += block)
    transposeBlocks(b, loc, square.slice(row, block));
}

/// The lanes of a power of two of parts, one after the other.
static Value joined(OpBuilder &b, Location loc, SmallVector<Value> parts) {
  while (parts.size() > 1) {
    int64_t lanes = cast<VectorType>(parts[0].getType()).getNumElements();
    auto both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
    for (size_t pair = 0; pair < parts.size() / 2; ++pair)
      parts[pair] = b.create<vector::ShuffleOp>(loc, parts[2 * pair],
                                                parts[2 * pair + 1], both);
    parts.truncate(parts.size() / 2);
  }
  return parts[0];
}

/// A block of columns, which become rows. Vectors take blocks of all rows from
/// memory, so that each column lacks but the order within blocks.
static void transposeColumns(OpBuilder &b, Location loc, VectorType type,
                             const RowsInMemory &from, const RowsInMemory &to) {
  int64_t block = lanesOfBlock(type), width = type.getNumElements();
  // Offsets that follow each other take fewer registers than products.
  auto eachRow = [&](const RowsInMemory &rows, int64_t count,
                     function_ref<void(int64_t row, Value at)> visit) {
    Value at = rows.offset;
    for (int64_t row = 0; row < count; ++row) {
      if (row > 0)
        at = b.create<arith::AddIOp>(loc, at, rows.stride);
      visit(row, at);
    }
  };
  std::vector<SmallVector<Value>> parts(static_cast<size_t>(block));
  auto part = VectorType::get({block}, type.getElementType());
  eachRow(from, width, [&](int64_t row, Value at) {
    parts[size_t(row % block)].push_back(
        b.create<vector::LoadOp>(loc, part, from.memory, at));
  });
  SmallVector<Value> columns;
  for (SmallVector<Value> &ofColumn : parts)
    columns.push_back(joined(b, loc, std::move(ofColumn)));
  transposeBlocks(b, loc, columns);
  eachRow(to, block, [&](int64_t row, Value at) {
    b.create<vector::StoreOp>(loc, columns[size_t(row)], to.memory, at);
  });
}

void transposeMemory(KernelBuilder &kernel, VectorType type,
                     const RowsInMemory &from, const RowsInMemory &to) {
  auto write = [&](OpBuilder &b, Location loc, const RowsInMemory &source,
                   const RowsInMemory &target) {
    auto index = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIndexOp>(loc, value);
    };
    Value zero = index(0), width = index(type.getNumElements()),
          step = index(lanesOfBlock(type));
    auto loop = b.create<scf::ForOp>(loc, zero, width, step);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = loop.getInductionVar(),
          row = b.create<arith::MulIOp>(loc, first, target.stride);
    transposeColumns(
        b, loc, type,
        {source.memory, b.create<arith::AddIOp>(loc, source.offset, first),
         source.stride},
        {target.memory, b.create<arith::AddIOp>(loc, target.offset, row),
         target.stride});
  };
  if (!kernel.target.calls) {
    write(kernel.b, kernel.loc, from, to);
    return;
  }
  std::string name;
  llvm::raw_string_ostream(name)
      << "transpose_" << type.getElementType() << "x" << type.getNumElements();
  callShared(
      kernel, name,
      {from.memory, from.offset, from.stride, to.memory, to.offset, to.stride},
      [&](OpBuilder &b, Block &entry) {
        ValueRange given = entry.getArguments();
        write(b, b.getUnknownLoc(), {given[0], given[1], given[2]},
              {given[3], given[4], given[5]});
      });
}

} // namespace zenith::kernels
