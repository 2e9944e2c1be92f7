// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop nest over a box: dimensions of size 1 dropped, dimensions that are
// contiguous on both sides merged.

#include "ir/interpreter/StridedCopy.h"

#include <cstring>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;

Shape zenith::interpreter::stridesOf(ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0; step *= shape[i])
    strides[i] = step;
  return strides;
}

bool zenith::interpreter::stepPosition(MutableArrayRef<int64_t> position,
                                       ArrayRef<int64_t> shape) {
  for (size_t i = shape.size(); i-- > 0; position[i] = 0)
    if (++position[i] < shape[i])
      return true;
  return false;
}

namespace {
struct Loop {
  int64_t count, to, from;
};
struct Bytes16 {
  uint64_t low, high;
};
} // namespace

static SmallVector<Loop> mergedLoops(ArrayRef<int64_t> box,
                                     ArrayRef<int64_t> to,
                                     ArrayRef<int64_t> from) {
  SmallVector<Loop> loops;
  for (size_t i = 0; i < box.size(); ++i) {
    if (box[i] == 1)
      continue;
    if (!loops.empty() && loops.back().to == to[i] * box[i] &&
        loops.back().from == from[i] * box[i])
      loops.back() = {loops.back().count * box[i], to[i], from[i]};
    else
      loops.push_back({box[i], to[i], from[i]});
  }
  if (loops.empty())
    loops.push_back({1, 1, 1});
  return loops;
}

template <typename T>
static void copyRow(char *to, const char *from, const Loop &loop) {
  if (loop.to == 1 && loop.from == 1) {
    std::memcpy(to, from, size_t(loop.count) * sizeof(T));
    return;
  }
  T *target = reinterpret_cast<T *>(to);
  const T *source = reinterpret_cast<const T *>(from);
  for (int64_t i = 0; i < loop.count; ++i)
    target[i * loop.to] = source[i * loop.from];
}

template <typename T>
static void copyLoops(char *to, const char *from, ArrayRef<Loop> loops) {
  if (loops.size() == 1)
    return copyRow<T>(to, from, loops[0]);
  const Loop &loop = loops[0];
  for (int64_t i = 0; i < loop.count; ++i)
    copyLoops<T>(to + i * loop.to * int64_t(sizeof(T)),
                 from + i * loop.from * int64_t(sizeof(T)), loops.drop_front());
}

void zenith::interpreter::copyStrided(char *to, const StridedView &toView,
                                      const char *from,
                                      const StridedView &fromView,
                                      ArrayRef<int64_t> box, unsigned bytes) {
  for (int64_t count : box)
    if (count == 0)
      return;
  SmallVector<Loop> loops = mergedLoops(box, toView.strides, fromView.strides);
  to += toView.offset * int64_t(bytes);
  from += fromView.offset * int64_t(bytes);
  switch (bytes) {
  case 1:
    return copyLoops<uint8_t>(to, from, loops);
  case 2:
    return copyLoops<uint16_t>(to, from, loops);
  case 4:
    return copyLoops<uint32_t>(to, from, loops);
  case 8:
    return copyLoops<uint64_t>(to, from, loops);
  default:
    return copyLoops<Bytes16>(to, from, loops);
  }
}

void zenith::interpreter::fillElements(char *to, int64_t count,
                                       const char *element, unsigned bytes) {
  StridedView target{0, {1}}, source{0, {0}};
  copyStrided(to, target, element, source, count, bytes);
}

llvm::Expected<Tensor> zenith::interpreter::permuted(const OpEvaluation &e,
                                                     const Tensor &tensor,
                                                     ArrayRef<int64_t> order) {
  ArrayRef<int64_t> shape = tensor.shape();
  Shape strides = stridesOf(shape), box;
  StridedView from;
  bool identity = true;
  for (auto [i, dim] : llvm::enumerate(order)) {
    identity &= int64_t(i) == dim;
    box.push_back(shape[dim]);
    from.strides.push_back(strides[dim]);
  }
  if (identity)
    return tensor;
  llvm::Expected<Tensor> result = e.temporary(box, tensor.elementType());
  if (result)
    copyStrided(result->writable(), {0, stridesOf(box)}, tensor.bytes(), from,
                box, elementBytes(tensor.elementType()));
  return result;
}
