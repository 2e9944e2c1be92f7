// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of whole values that are the blocks of devices.

#include "ir/interpreter/devices/DeviceBlocks.h"

#include "ir/devices/DeviceGroups.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/program/Shardings.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;

SmallVector<graph::AxisRefAttr> Dealing::axesOf(unsigned dim) const {
  SmallVector<graph::AxisRefAttr> axes;
  for (graph::AxisRefAttr axis : sharding.getDims()[dim].getAxes())
    if (manualAxes.empty() || llvm::is_contained(manualAxes, axis.getName()))
      axes.push_back(axis);
  return axes;
}

namespace {
/// The part of a whole value that a block holds.
struct Box {
  Shape blockShape, starts, sizes;
  bool isEmpty = false;
};
} // namespace

static int64_t shardsOf(const Dealing &dealing, unsigned dim) {
  return graph::axisSizes(dealing.axesOf(dim), dealing.mesh);
}

static Box boxAt(ArrayRef<int64_t> whole, const Dealing &dealing,
                 int64_t position) {
  Box box;
  for (auto [dim, size] : llvm::enumerate(whole)) {
    SmallVector<graph::AxisRefAttr> axes = dealing.axesOf(unsigned(dim));
    int64_t block = llvm::divideCeil(size, shardsOf(dealing, unsigned(dim)));
    int64_t start = std::min(
        size, block * graph::positionAlong(dealing.mesh, axes, position));
    box.blockShape.push_back(block);
    box.starts.push_back(start);
    box.sizes.push_back(std::min(block, size - start));
    box.isEmpty |= box.sizes.back() == 0;
  }
  return box;
}

static int64_t offsetIn(ArrayRef<int64_t> whole, const Box &box) {
  int64_t offset = 0;
  for (auto [start, stride] : llvm::zip_equal(box.starts, stridesOf(whole)))
    offset += start * stride;
  return offset;
}

std::optional<unsigned> zenith::interpreter::unevenDim(ArrayRef<int64_t> shape,
                                                       const Dealing &dealing) {
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size % shardsOf(dealing, unsigned(dim)) != 0)
      return unsigned(dim);
  return std::nullopt;
}

Tensor zenith::interpreter::blockOf(const Tensor &whole, const Dealing &dealing,
                                    int64_t position) {
  Box box = boxAt(whole.shape(), dealing, position);
  Tensor block(RankedTensorType::get(box.blockShape, whole.elementType()));
  if (!box.isEmpty)
    copyStrided(block.writable(), {0, stridesOf(box.blockShape)}, whole.bytes(),
                {offsetIn(whole.shape(), box), stridesOf(whole.shape())},
                box.sizes, elementBytes(whole.elementType()));
  return block;
}

Tensor zenith::interpreter::joinBlocks(RankedTensorType type,
                                       const Dealing &dealing,
                                       ArrayRef<int64_t> positions,
                                       ArrayRef<Tensor> blocks) {
  // A size that only the run knows is that of all blocks.
  Shape shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size))
      size = blocks.front().shape()[dim] * shardsOf(dealing, unsigned(dim));
  type = RankedTensorType::get(shape, type.getElementType());
  Tensor whole(type);
  // Last to first, so that of equal blocks the first stays.
  for (auto [position, block] :
       llvm::reverse(llvm::zip_equal(positions, blocks))) {
    Box box = boxAt(type.getShape(), dealing, position);
    if (!box.isEmpty)
      copyStrided(whole.writable(),
                  {offsetIn(type.getShape(), box), stridesOf(type.getShape())},
                  block.bytes(), {0, stridesOf(box.blockShape)}, box.sizes,
                  elementBytes(type.getElementType()));
  }
  return whole;
}
