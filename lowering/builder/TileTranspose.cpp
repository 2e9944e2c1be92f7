// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes a square of vectors in registers: halves, quarters ... of vectors
// first, then blocks of 16 bytes.

#include "lowering/builder/TileTranspose.h"
#include "lowering/builder/SharedFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

// Within 16 bytes, interleaving is one instruction on every machine, for any
// element type.
void transposeSquare(OpBuilder &b, Location loc,
                     MutableArrayRef<Value> square) {
  constexpr int64_t blockBits = 128;
  int64_t width = square.size();
  int64_t block = std::min<int64_t>(
      width,
      blockBits /
          getElementTypeOrSelf(square[0].getType()).getIntOrFloatBitWidth());
  for (int64_t half = width / 2; half >= block; half /= 2)
    for (int64_t row = 0; row < width; ++row)
      if (!(row & half))
        exchange(b, loc, square[row], square[row + half], half, width);
  for (int64_t row = 0; row < width; row += block)
    transposeBlocks(b, loc, square.slice(row, block));
}

void transposeMemory(KernelBuilder &kernel, VectorType type,
                     const RowsInMemory &from, const RowsInMemory &to) {
  auto write = [&](OpBuilder &b, Location loc, const RowsInMemory &source,
                   const RowsInMemory &target) {
    auto at = [&](const RowsInMemory &rows, size_t row) -> Value {
      Value distance = b.create<arith::MulIOp>(
          loc, rows.stride, b.create<arith::ConstantIndexOp>(loc, row));
      return b.create<arith::AddIOp>(loc, rows.offset, distance);
    };
    SmallVector<Value> square;
    for (int64_t row = 0; row < type.getNumElements(); ++row)
      square.push_back(b.create<vector::LoadOp>(loc, type, source.memory,
                                                at(source, size_t(row))));
    transposeSquare(b, loc, square);
    for (auto [row, x] : llvm::enumerate(square))
      b.create<vector::StoreOp>(loc, x, target.memory, at(target, row));
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
