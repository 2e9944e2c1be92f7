// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of elements: their types in memory and registers, and
// accesses by the stride between lanes.

#include "lowering/builder/LaneNumber.h"
#include "lowering/builder/TileTranspose.h"
#include "lowering/elements/ElementEmitter.h"
#include "lowering/elements/Float8.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

Value ElementEmitter::roundTo(Type element, Value x) {
  OpBuilder &b = kernel.b;
  if (element.isF16()) {
    Value narrow = b.create<arith::TruncFOp>(
        kernel.loc, typeLike(b.getF16Type(), x.getType()), x);
    return b.create<arith::ExtFOp>(kernel.loc, x.getType(), narrow);
  }
  if (element.isBF16()) {
    // By integer arithmetic: the machine's own instruction flushes denormals.
    Num f{&kernel, x}, i = bits(f);
    Num odd = i.logicalShiftRight(i.like(16)) & 1;
    Num rounded = (i + odd + double(0x7fff)) & double(-0x10000);
    return select(f.isNaN(), f.like(std::numeric_limits<double>::quiet_NaN()),
                  floatOf(rounded))
        .v;
  }
  if (isEightBitFloat(element))
    return decodeEightBits(kernel, element,
                           encodeEightBits(kernel, element, x));
  if (element.isInteger(4)) {
    Value four = kernel.integer(x.getType(), 4);
    Value up = b.create<arith::ShLIOp>(kernel.loc, x, four);
    if (element.isUnsignedInteger())
      return b.create<arith::ShRUIOp>(kernel.loc, up, four);
    return b.create<arith::ShRSIOp>(kernel.loc, up, four);
  }
  return x;
}

Value ElementEmitter::toMemory(Type element, Value x) {
  OpBuilder &b = kernel.b;
  Type type = typeLike(memoryType(element), x.getType());
  if (element.isF16())
    return b.create<arith::TruncFOp>(kernel.loc, type, x);
  if (element.isBF16()) {
    Num i = bits(Num{&kernel, roundTo(element, x)});
    return b.create<arith::TruncIOp>(kernel.loc, type,
                                     i.logicalShiftRight(i.like(16)).v);
  }
  if (isEightBitFloat(element))
    return encodeEightBits(kernel, element, x);
  if (element.isInteger(1))
    return b.create<arith::ExtUIOp>(kernel.loc, type, x);
  return x;
}

Value ElementEmitter::toRegister(Type element, Value x) {
  OpBuilder &b = kernel.b;
  Type type = typeLike(registerType(element), x.getType());
  if (element.isF16())
    return b.create<arith::ExtFOp>(kernel.loc, type, x);
  if (element.isBF16()) {
    Num wide{&kernel,
             b.create<arith::ExtUIOp>(
                 kernel.loc, typeLike(b.getI32Type(), x.getType()), x)};
    return floatOf(wide << 16).v;
  }
  if (isEightBitFloat(element))
    return decodeEightBits(kernel, element, x);
  if (element.isInteger(1))
    return b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::ne, x,
                                   kernel.integer(x.getType(), 0));
  return x;
}

static Value zeroOf(KernelBuilder &kernel, Type type) {
  if (isa<FloatType>(getElementTypeOrSelf(type)))
    return kernel.constant(type, 0.0);
  return kernel.integer(type, 0);
}

Value ElementEmitter::loadLinear(Value memory, Type element,
                                 const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  unsigned width = indices.width;
  if (width == 1 || indices.uniform(linear))
    return toRegister(element, b.create<memref::LoadOp>(kernel.loc, memory,
                                                        indices.value(linear)));
  Type memoryElement = cast<MemRefType>(memory.getType()).getElementType();
  auto type = VectorType::get({int64_t(width)}, memoryElement);
  DimExpr stride = indices.laneStride(linear);
  if (linear.perLane)
    return gatherLanes(memory, element, linear);
  if (stride.isConstant(1)) {
    Value first = indices.laneBase(linear);
    if (mask)
      return toRegister(element, b.create<vector::MaskedLoadOp>(
                                     kernel.loc, type, memory, first, mask,
                                     zeroOf(kernel, type)));
    return toRegister(
        element, b.create<vector::LoadOp>(kernel.loc, type, memory, first));
  }
  if (indices.tileStride(linear).isConstant(1))
    return tileLoad(memory, element, linear);
  if (stride.isConstant(-1)) {
    SmallVector<int64_t> backwards;
    for (unsigned lane = width; lane-- > 0;)
      backwards.push_back(lane);
    Value first = kernel.sub(indices.laneBase(linear), kernel.index(width - 1));
    Value lanes;
    if (mask) {
      Value turned =
          b.create<vector::ShuffleOp>(kernel.loc, mask, mask, backwards);
      lanes = b.create<vector::MaskedLoadOp>(kernel.loc, type, memory, first,
                                             turned, zeroOf(kernel, type));
    } else {
      lanes = b.create<vector::LoadOp>(kernel.loc, type, memory, first);
    }
    return toRegister(element, b.create<vector::ShuffleOp>(kernel.loc, lanes,
                                                           lanes, backwards));
  }
  if (stride.isConstant(2) || stride.isConstant(3) || stride.isConstant(4))
    return toRegister(element, everyNth(memory, type, linear));
  return gatherLanes(memory, element, linear);
}

// One load per element of the lane stride; the last load ends with the last
// lane's element, so nothing beyond it is read.
Value ElementEmitter::everyNth(Value memory, VectorType type,
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
    if (!mask)
      return b.create<vector::LoadOp>(kernel.loc, type, memory, at);
    // `width` = an element that is not loaded.
    Value none = kernel.integer(mask.getType(), 0);
    SmallVector<int64_t> lanes(width, width);
    for (int64_t lane = 0; lane < width; ++lane)
      if (loadOf(lane) == number)
        lanes[lane * n - startOf(number)] = lane;
    Value wanted = b.create<vector::ShuffleOp>(kernel.loc, mask, none, lanes);
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

Value ElementEmitter::gatherLanes(Value memory, Type element,
                                  const LaneIndex &linear) {
  auto type =
      VectorType::get({int64_t(indices.width)},
                      cast<MemRefType>(memory.getType()).getElementType());
  auto [first, steps] = splitLanes(kernel, indices, linear);
  Value lanes = kernel.b.create<vector::GatherOp>(
      kernel.loc, type, memory, first, steps,
      mask ? mask : allLanes(kernel, indices.width), zeroOf(kernel, type));
  return toRegister(element, lanes);
}

// Reads along the tile rows, once per tile, and transposes the square.
Value ElementEmitter::tileLoad(Value memory, Type element,
                               const LaneIndex &linear) {
  for (Frame &frame : llvm::reverse(frames))
    for (const Tile &tile : frame.tiles)
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
    if (laneCount)
      number = kernel.min(number, kernel.sub(laneCount, kernel.index(1)));
    Value at = kernel.add(first, kernel.mul(number, stride));
    Value wanted = tileMask;
    // Next to padding an active lane may have no row in memory.
    if (mask) {
      Value row = kernel.broadcast(
          b.create<vector::ExtractOp>(kernel.loc, mask, lane), width);
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
  transposeSquare(kernel, square);
  for (Value &lanes : square)
    lanes = toRegister(element, lanes);
  frames.back().tiles.push_back({memory, linear, square});
  return square[row];
}

void ElementEmitter::store(unsigned number, Value lanes,
                           ArrayRef<LaneIndex> index) {
  if (!lanes)
    return;
  Value yielded =
      kernel.fusion.getBody().front().getTerminator()->getOperand(number);
  Type element = getElementTypeOrSelf(yielded.getType());
  if (isa<ComplexType>(element)) {
    if (Value imaginary = imaginaryPart(yielded, index))
      storeComplex(kernel.result(number), lanes, imaginary,
                   linearize(yielded, index));
    return;
  }
  storeLinear(kernel.result(number), element, lanes, linearize(yielded, index));
}

void ElementEmitter::storeResults(ArrayRef<LaneIndex> index) {
  SmallVector<Value> values;
  graph::FusionOp fusion = kernel.fusion;
  for (Value result : fusion.getBody().front().getTerminator()->getOperands())
    values.push_back(emit(result, index));
  for (auto [number, value] : llvm::enumerate(values))
    store(unsigned(number), value, index);
}

/// Interleaves vectors: lanes first, first + 1, ... of the sequence x0[0],
/// x1[0], ..., x0[1], ...
static Value inTurns(KernelBuilder &kernel, ArrayRef<Value> values,
                     int64_t first) {
  int64_t n = values.size(),
          width = cast<VectorType>(values[0].getType()).getNumElements();
  Value all = values[0];
  for (int64_t number = 1; number < n; ++number) {
    SmallVector<int64_t> lanes;
    for (int64_t lane = first; lane < first + width; ++lane) {
      int64_t from = lane % n, before = number == 1 ? lane / n : lane - first;
      lanes.push_back(from == number  ? width + lane / n
                      : from < number ? before
                                      : 0);
    }
    all = kernel.b.create<vector::ShuffleOp>(kernel.loc, all, values[number],
                                             lanes);
  }
  return all;
}

void ElementEmitter::storeInterleaved(unsigned number, ArrayRef<Value> values,
                                      ArrayRef<LaneIndex> index) {
  OpBuilder &b = kernel.b;
  Value yielded =
      kernel.fusion.getBody().front().getTerminator()->getOperand(number);
  Type element = getElementTypeOrSelf(yielded.getType());
  Value memory = kernel.result(number);
  int64_t n = values.size(), width = indices.width;
  SmallVector<Value> lanes;
  for (Value value : values) {
    if (!value)
      return;
    lanes.push_back(kernel.broadcast(toMemory(element, value), indices.width));
  }
  SmallVector<Value> masks(n, mask);
  Value first = indices.laneBase(linearize(yielded, index));
  for (int64_t part = 0; part < n; ++part) {
    Value whole = inTurns(kernel, lanes, part * width);
    Value at = kernel.add(first, kernel.index(part * width));
    if (mask)
      b.create<vector::MaskedStoreOp>(
          kernel.loc, memory, at, inTurns(kernel, masks, part * width), whole);
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
  if (!count || kernel.target.avx512 || kernel.target.printed)
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

void ElementEmitter::storeLinear(Value memory, Type element, Value lanes,
                                 const LaneIndex &linear) {
  OpBuilder &b = kernel.b;
  lanes = toMemory(element, lanes);
  if (indices.width == 1 || indices.uniform(linear)) {
    if (isa<VectorType>(lanes.getType()))
      lanes = b.create<vector::ExtractOp>(kernel.loc, lanes, 0);
    b.create<memref::StoreOp>(kernel.loc, lanes, memory, indices.value(linear));
    return;
  }
  lanes = kernel.broadcast(lanes, indices.width);
  if (!linear.perLane && indices.laneStride(linear).isConstant(1)) {
    Value first = indices.laneBase(linear);
    if (mask && storePieces(kernel, memory, first, mask, lanes))
      return;
    if (mask)
      b.create<vector::MaskedStoreOp>(kernel.loc, memory, first, mask, lanes);
    else
      b.create<vector::StoreOp>(kernel.loc, lanes, memory, first);
    return;
  }
  auto [first, steps] = splitLanes(kernel, indices, linear);
  b.create<vector::ScatterOp>(kernel.loc, memory, first, steps,
                              mask ? mask : allLanes(kernel, indices.width),
                              lanes);
}

} // namespace zenith::kernels
