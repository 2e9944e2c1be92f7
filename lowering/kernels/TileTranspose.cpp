// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a square of vectors around in registers: halves, quarters ... of
// vectors first, then blocks of four lanes.

#include "lowering/kernels/TileTranspose.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

static Value shuffle(KernelBuilder &kernel, Value x, Value y,
                     function_ref<int64_t(int64_t lane)> source) {
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0, width = cast<VectorType>(x.getType()).getNumElements();
       lane < width; ++lane)
    lanes.push_back(source(lane));
  return kernel.b.create<vector::ShuffleOp>(kernel.loc, x, y, lanes);
}

// Exchanges the blocks of `half` lanes beside the diagonal.
static void exchange(KernelBuilder &kernel, Value &x, Value &y, int64_t half,
                     int64_t width) {
  Value low = shuffle(kernel, x, y, [&](int64_t lane) {
    return lane & half ? width + lane - half : lane;
  });
  y = shuffle(kernel, x, y, [&](int64_t lane) {
    return lane & half ? width + lane : lane + half;
  });
  x = low;
}

// Pairs of lanes alternately from x and y, inside each group of four: one
// instruction on every machine.
static std::pair<Value, Value> interleave(KernelBuilder &kernel, Value x,
                                          Value y, int64_t width) {
  auto take = [&](int64_t from) {
    return shuffle(kernel, x, y, [&](int64_t lane) {
      return (lane & ~3) + from + (lane & 2) / 2 + (lane & 1 ? width : 0);
    });
  };
  return {take(0), take(2)};
}

void transposeSquare(KernelBuilder &kernel, MutableArrayRef<Value> square) {
  int64_t width = square.size();
  for (int64_t half = width / 2; half >= 4 || (half > 0 && width < 4);
       half /= 2)
    for (int64_t row = 0; row < width; ++row)
      if (!(row & half))
        exchange(kernel, square[row], square[row + half], half, width);
  if (width < 4)
    return;
  for (int64_t row = 0; row < width; row += 4) {
    auto [a, b] = interleave(kernel, square[row], square[row + 2], width);
    auto [c, d] = interleave(kernel, square[row + 1], square[row + 3], width);
    std::tie(square[row], square[row + 1]) = interleave(kernel, a, c, width);
    std::tie(square[row + 2], square[row + 3]) =
        interleave(kernel, b, d, width);
  }
}

} // namespace zenith::kernels
