// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction of each access: vectors, shuffles of strided loads,
// transposed tiles, gathers and scatters.

#include "lowering/elements/ElementMemory.h"
#include "lowering/builder/LaneShuffle.h"
#include "lowering/builder/TileTranspose.h"
#include "lowering/elements/ElementConversions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

LaneIndex linearize(IndexMath &indices, ArrayRef<DimExpr> dims,
                    ArrayRef<LaneIndex> index) {
  LaneIndex linear(0);
  DimExpr stride = 1;
  for (unsigned d = index.size(); d-- > 0;) {
    linear = indices.add(linear, indices.scale(index[d], stride));
    stride = stride * dims[d];
  }
  return linear;
}

static Value zeroOf(KernelBuilder &kernel, Type type) {
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return kernel.constant(type, 0.0);
  return kernel.integer(type, 0);
}

Value ElementMemory::load(Value memory, Type element, const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  unsigned width = indices.width;
  if (width == 1 || indices.uniform(linear))
    return toRegister(
        kernel, element,
        b.create<memref::LoadOp>(kernel.loc, memory, indices.value(linear)));
  Type memoryElement = cast<MemRefType>(memory.getType()).getElementType();
  auto type = VectorType::get({int64_t(width)}, memoryElement);
  DimExpr stride = indices.laneStride(linear);
  if (linear.perLane)
    return gatherLanes(memory, element, linear);
  if (stride.isConstant(1)) {
    Value first = indices.laneBase(linear);
    if (active.mask)
      return toRegister(kernel, element,
                        b.create<vector::MaskedLoadOp>(kernel.loc, type, memory,
                                                       first, active.mask,
                                                       zeroOf(kernel, type)));
    return toRegister(
        kernel, element,
        b.create<vector::LoadOp>(kernel.loc, type, memory, first));
  }
  if (indices.tileStride(linear).isConstant(1))
    return loadTile(memory, element, linear);
  if (stride.isConstant(-1))
    return toRegister(kernel, element, loadReversed(memory, type, linear));
  if (stride.isConstant(2) || stride.isConstant(3) || stride.isConstant(4))
    return toRegister(kernel, element, loadEveryNth(memory, type, linear));
  return gatherLanes(memory, element, linear);
}

Value ElementMemory::loadReversed(Value memory, VectorType type,
                                  const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  unsigned width = indices.width;
  SmallVector<int64_t> backwards;
  for (unsigned lane = width; lane-- > 0;)
    backwards.push_back(lane);
  Value first = kernel.sub(indices.laneBase(linear), kernel.index(width - 1));
  Value lanes;
  if (active.mask) {
    Value turned = b.create<vector::ShuffleOp>(kernel.loc, active.mask,
                                               active.mask, backwards);
    lanes = b.create<vector::MaskedLoadOp>(kernel.loc, type, memory, first,
                                           turned, zeroOf(kernel, type));
  } else {
    lanes = b.create<vector::LoadOp>(kernel.loc, type, memory, first);
  }
  return b.create<vector::ShuffleOp>(kernel.loc, lanes, lanes, backwards);
}

// One load per element of the lane stride; the last load ends with the last
// lane's element, so nothing beyond it is read.
Value ElementMemory::loadEveryNth(Value memory, VectorType type,
                                  const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  int64_t width = type.getNumElements(),
          n = *indices.laneStride(linear).constant();
  auto startOf = [&](int64_t load) {
    return load + 1 < n ? load * width : load * (width - 1);
  };
  auto loadOf = [&](int64_t lane) {
    return lane * n >= startOf(n - 1) ? n - 1 : lane * n / width;
  };
  auto load = [&](int64_t number) -> Value {
    Value at =
        kernel.add(indices.laneBase(linear), kernel.index(startOf(number)));
    if (!active.mask)
      return b.create<vector::LoadOp>(kernel.loc, type, memory, at);
    // What lies between the elements of the first lanes can be read as well.
    if (auto first = active.mask.getDefiningOp<vector::CreateMaskOp>()) {
      Value end = kernel.add(
          kernel.mul(kernel.sub(first.getOperand(0), kernel.index(1)),
                     kernel.index(n)),
          kernel.index(1 - startOf(number)));
      return b.create<vector::MaskedLoadOp>(kernel.loc, type, memory, at,
                                            kernel.mask(end, unsigned(width)),
                                            zeroOf(kernel, type));
    }
    // `width` = an element that is not loaded.
    Value none = kernel.integer(active.mask.getType(), 0);
    SmallVector<int64_t> lanes(width, width);
    for (int64_t lane = 0; lane < width; ++lane)
      if (loadOf(lane) == number)
        lanes[lane * n - startOf(number)] = lane;
    Value wanted =
        b.create<vector::ShuffleOp>(kernel.loc, active.mask, none, lanes);
    return b.create<vector::MaskedLoadOp>(kernel.loc, type, memory, at, wanted,
                                          zeroOf(kernel, type));
  };
  // Per lane: the result of earlier loads, or this load's element.
  Value all = load(0);
  for (int64_t number = 1; number < n; ++number) {
    SmallVector<int64_t> lanes;
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t from = loadOf(lane), before = number == 1 ? lane * n : lane;
      lanes.push_back(from == number  ? width + lane * n - startOf(number)
                      : from < number ? before
                                      : 0);
    }
    all = b.create<vector::ShuffleOp>(kernel.loc, all, load(number), lanes);
  }
  return all;
}

static Value allLanes(KernelBuilder &kernel, unsigned width) {
  return kernel.integer(VectorType::get({int64_t(width)}, kernel.b.getI1Type()),
                        1);
}

// The index vector holds distances from the first lane, so that it stays
// loop-invariant where possible.
static std::pair<Value, Value>
splitLanes(KernelBuilder &kernel, IndexMath &indices, const LaneIndex &linear) {
  LaneIndex affine = linear;
  affine.perLane = Value();
  Value first = indices.laneBase(affine);
  LaneIndex lanes = affine;
  lanes.offset = 0;
  Value steps = linear.perLane;
  DimExpr stride = indices.laneStride(linear);
  if (!stride.isConstant(0)) {
    LaneIndex lane = indices.scale(indices.laneOffset(), stride);
    lane.perLane = linear.perLane;
    steps = indices.value(lane);
  }
  return {first, steps};
}

Value ElementMemory::gatherLanes(Value memory, Type element,
                                 const LaneIndex &linear) {
  auto type =
      VectorType::get({int64_t(indices.width)},
                      cast<MemRefType>(memory.getType()).getElementType());
  auto [first, steps] = splitLanes(kernel, indices, linear);
  Value lanes = kernel.b.create<vector::GatherOp>(
      kernel.loc, type, memory, first, steps,
      active.mask ? active.mask : allLanes(kernel, indices.width),
      zeroOf(kernel, type));
  return toRegister(kernel, element, lanes);
}

// Reads along the tile rows, once per tile, and transposes the square.
Value ElementMemory::loadTile(Value memory, Type element,
                              const LaneIndex &linear) {
  for (const auto &scope : llvm::reverse(tiles))
    for (const Tile &tile : scope)
      if (tile.memory == memory && tile.linear == linear)
        return tile.rows[indices.tileRow];
  OpBuilder &b = kernel.b;
  unsigned width = indices.width;
  auto type = VectorType::get(
      {int64_t(width)}, cast<MemRefType>(memory.getType()).getElementType());
  int64_t row = std::exchange(indices.tileRow, 0);
  Value first = indices.laneBase(linear);
  indices.tileRow = row;
  Value stride = kernel.size(indices.laneStride(linear));
  SmallVector<Value> square;
  for (unsigned lane = 0; lane < width; ++lane) {
    // An inactive lane reads the last active lane's element.
    Value number = kernel.index(lane);
    if (active.count)
      number = kernel.min(number, kernel.sub(active.count, kernel.index(1)));
    Value at = kernel.add(first, kernel.mul(number, stride));
    Value wanted = active.tileMask;
    // Next to padding an active lane may have no row in memory.
    if (active.mask) {
      Value row = kernel.broadcast(
          b.create<vector::ExtractOp>(kernel.loc, active.mask, lane), width);
      wanted =
          wanted ? b.create<arith::AndIOp>(kernel.loc, wanted, row).getResult()
                 : row;
    }
    if (wanted)
      square.push_back(b.create<vector::MaskedLoadOp>(
          kernel.loc, type, memory, at, wanted, zeroOf(kernel, type)));
    else
      square.push_back(b.create<vector::LoadOp>(kernel.loc, type, memory, at));
  }
  transposeSquare(kernel.b, kernel.loc, square);
  for (Value &lanes : square)
    lanes = toRegister(kernel, element, lanes);
  tiles.back().push_back({memory, linear, square});
  return square[row];
}

/// Interleaves vectors: lanes first, first + 1, ... of the sequence x0[0],
/// x1[0], ..., x0[1], ...
static Value interleaved(KernelBuilder &kernel, ArrayRef<Value> values,
                         int64_t first) {
  int64_t n = values.size();
  return shuffled(kernel, values, [&](int64_t lane) {
    return VectorLane{(first + lane) % n, (first + lane) / n};
  });
}

void ElementMemory::storeInterleaved(Value memory, Type element,
                                     ArrayRef<Value> values,
                                     const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  int64_t n = values.size(), width = indices.width;
  SmallVector<Value> lanes;
  for (Value value : values)
    lanes.push_back(
        kernel.broadcast(toMemory(kernel, element, value), indices.width));
  SmallVector<Value> masks(n, active.mask);
  auto firstLanes = active.mask
                        ? active.mask.getDefiningOp<vector::CreateMaskOp>()
                        : vector::CreateMaskOp();
  // Of a part that begins at element `first` of the interleaved ones.
  auto maskFrom = [&](int64_t first) {
    if (!firstLanes)
      return interleaved(kernel, masks, first);
    Value all = kernel.mul(firstLanes.getOperand(0), kernel.index(n));
    return kernel.mask(kernel.sub(all, kernel.index(first)), unsigned(width));
  };
  Value first = indices.laneBase(linear);
  // The last elements of a loop come one at a time.
  if (width == 1) {
    for (auto [number, value] : llvm::enumerate(lanes))
      b.create<memref::StoreOp>(kernel.loc, value, memory,
                                kernel.add(first, kernel.index(number)));
    return;
  }
  for (int64_t part = 0; part < n; ++part) {
    Value whole = interleaved(kernel, lanes, part * width);
    Value at = kernel.add(first, kernel.index(part * width));
    if (active.mask)
      b.create<vector::MaskedStoreOp>(kernel.loc, memory, at,
                                      maskFrom(part * width), whole);
    else
      b.create<vector::StoreOp>(kernel.loc, whole, memory, at);
  }
}

/// Stores the first lanes, of a known count, by stores of power-of-two widths:
/// a masked store is slow where other stores don't hide it. False if the count
/// is not known.
static bool storePieces(KernelBuilder &kernel, Value memory, Value first,
                        Value mask, Value lanes) {
  OpBuilder &b = kernel.b;
  auto create = mask.getDefiningOp<vector::CreateMaskOp>();
  auto count = create ? kernel.constantOf(create.getOperand(0))
                      : std::optional<int64_t>();
  if (!count || kernel.target.cheapMasks)
    return false;
  // A mask's count may exceed its lanes.
  int64_t end =
      std::min(*count, cast<VectorType>(lanes.getType()).getNumElements());
  for (int64_t at = 0, piece; at < end; at += piece) {
    piece = int64_t(llvm::bit_floor(uint64_t(end - at)));
    SmallVector<int64_t> chosen(piece);
    std::iota(chosen.begin(), chosen.end(), at);
    b.create<vector::StoreOp>(
        kernel.loc,
        b.create<vector::ShuffleOp>(kernel.loc, lanes, lanes, chosen), memory,
        kernel.add(first, kernel.index(at)));
  }
  return true;
}

void ElementMemory::store(Value memory, Type element, Value lanes,
                          const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  lanes = toMemory(kernel, element, lanes);
  if (indices.width == 1 || indices.uniform(linear)) {
    if (isa<VectorType>(lanes.getType()))
      lanes = b.create<vector::ExtractOp>(kernel.loc, lanes, 0);
    b.create<memref::StoreOp>(kernel.loc, lanes, memory, indices.value(linear));
    return;
  }
  lanes = kernel.broadcast(lanes, indices.width);
  if (!linear.perLane && indices.laneStride(linear).isConstant(1)) {
    Value first = indices.laneBase(linear);
    if (active.mask && storePieces(kernel, memory, first, active.mask, lanes))
      return;
    if (active.mask)
      b.create<vector::MaskedStoreOp>(kernel.loc, memory, first, active.mask,
                                      lanes);
    else
      b.create<vector::StoreOp>(kernel.loc, lanes, memory, first);
    return;
  }
  auto [first, steps] = splitLanes(kernel, indices, linear);
  b.create<vector::ScatterOp>(
      kernel.loc, memory, first, steps,
      active.mask ? active.mask : allLanes(kernel, indices.width), lanes);
}

bool ElementMemory::isContiguous(const LaneIndex &linear) {
  return indices.width > 1 && !linear.perLane &&
         indices.laneStride(linear).isConstant(1);
}

// Each lane's mask for both parts.
Value ElementMemory::maskOfPairs() {
  SmallVector<int64_t> twice;
  for (int64_t lane = 0; lane < int64_t(indices.width); ++lane)
    twice.append({lane, lane});
  return kernel.b.create<vector::ShuffleOp>(kernel.loc, active.mask,
                                            active.mask, twice);
}

Value ElementMemory::loadPart(Value memory, bool imaginary,
                              const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  LaneIndex first = indices.scale(linear, 2);
  if (!isContiguous(linear))
    return load(memory, element, indices.shift(first, imaginary));
  unsigned width = indices.width;
  auto type = VectorType::get({2 * int64_t(width)}, element);
  Value at = indices.laneBase(first), both;
  if (active.mask)
    both = b.create<vector::MaskedLoadOp>(kernel.loc, type, memory, at,
                                          maskOfPairs(),
                                          kernel.constant(type, 0.0));
  else
    both = b.create<vector::LoadOp>(kernel.loc, type, memory, at);
  SmallVector<int64_t> part;
  for (int64_t lane = 0; lane < int64_t(width); ++lane)
    part.push_back(2 * lane + imaginary);
  return b.create<vector::ShuffleOp>(kernel.loc, both, both, part);
}

void ElementMemory::storePairs(Value memory, Value real, Value imaginary,
                               const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  LaneIndex first = indices.scale(linear, 2);
  if (!isContiguous(linear)) {
    store(memory, element, real, first);
    store(memory, element, imaginary, indices.shift(first, 1));
    return;
  }
  int64_t width = indices.width;
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < width; ++lane)
    order.append({lane, width + lane});
  Value both =
      b.create<vector::ShuffleOp>(kernel.loc, kernel.broadcast(real, width),
                                  kernel.broadcast(imaginary, width), order);
  Value at = indices.laneBase(first);
  if (active.mask)
    b.create<vector::MaskedStoreOp>(kernel.loc, memory, at, maskOfPairs(),
                                    both);
  else
    b.create<vector::StoreOp>(kernel.loc, both, memory, at);
}

Value ElementMemory::constants(Operation *op, Type stored,
                               function_ref<Attribute(int64_t)> valueAt,
                               int64_t count) {
  Value &buffer = constantBuffers[op];
  if (buffer)
    return buffer;
  OpBuilder::InsertionGuard guard(kernel.b);
  kernel.moveToEntry();
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(valueAt(i));
  auto type = VectorType::get({count}, stored);
  Value whole = kernel.b.create<arith::ConstantOp>(
      kernel.loc, DenseElementsAttr::get(type, values));
  buffer = kernel.b.create<memref::AllocaOp>(kernel.loc,
                                             MemRefType::get({count}, stored));
  auto store = kernel.b.create<vector::StoreOp>(kernel.loc, whole, buffer,
                                                ValueRange{kernel.index(0)});
  kernel.entryEndsWith(store);
  return buffer;
}

} // namespace zenith::kernels
