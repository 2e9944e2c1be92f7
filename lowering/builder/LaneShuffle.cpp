// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the vectors one by one: lanes of earlier ones are in place already.

#include "lowering/builder/LaneShuffle.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace zenith::kernels {

Value shuffled(KernelBuilder &kernel, ArrayRef<Value> vectors,
               llvm::function_ref<VectorLane(int64_t lane)> source) {
  int64_t count = vectors.size(),
          width = cast<VectorType>(vectors[0].getType()).getNumElements();
  Value all = vectors[0];
  for (int64_t number = 1; number < count; ++number) {
    SmallVector<int64_t> lanes;
    for (int64_t lane = 0; lane < width; ++lane) {
      VectorLane from = source(lane);
      int64_t before = number == 1 ? from.lane : lane;
      lanes.push_back(from.vector == number  ? width + from.lane
                      : from.vector < number ? before
                                             : 0);
    }
    all = kernel.b.create<vector::ShuffleOp>(kernel.loc, all, vectors[number],
                                             lanes);
  }
  return all;
}

Value everyNth(KernelBuilder &kernel, ArrayRef<Value> vectors, int64_t first) {
  int64_t n = vectors.size(),
          width = cast<VectorType>(vectors[0].getType()).getNumElements();
  return shuffled(kernel, vectors, [&](int64_t lane) {
    int64_t element = lane * n + first;
    return VectorLane{element / width, element % width};
  });
}

} // namespace zenith::kernels
