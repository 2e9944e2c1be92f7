// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of ops that read at positions given by data: positions that all
// lanes share stay scalar, so rows stay contiguous.

#include "ir/matchers/IotaIndices.h"
#include "lowering/elements/ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

Value ElementEmitter::indexing(Operation *op, ArrayRef<LaneIndex> index) {
  if (auto gatherOp = dyn_cast<graph::GatherOp>(op))
    return gather(gatherOp, index);
  if (auto slice = dyn_cast<graph::DynamicSliceOp>(op))
    return dynamicSlice(slice, index);
  if (auto update = dyn_cast<graph::DynamicUpdateSliceOp>(op))
    return dynamicUpdateSlice(update, index);
  return unsupported(op);
}

LaneIndex ElementEmitter::clampedIndex(Value element, Type type,
                                       const DimExpr &size) {
  OpBuilder &b = kernel.b;
  if (size.isConstant(1))
    return LaneIndex(0);
  unsigned width = isa<VectorType>(element.getType()) ? indices.width : 1;
  Value last = kernel.broadcast(kernel.size(size - 1), width);
  Type indexType = typeLike(b.getIndexType(), element.getType());
  Value i;
  if (type.isSignlessInteger(32) && size.provablyAtMost(DimExpr(INT32_MAX))) {
    // Before they are widened: twice as many lanes share a vector.
    i = b.create<arith::MinSIOp>(
        kernel.loc, element,
        b.create<arith::IndexCastOp>(kernel.loc, element.getType(), last));
    i = b.create<arith::MaxSIOp>(kernel.loc, i,
                                 kernel.integer(element.getType(), 0));
    i = b.create<arith::IndexCastUIOp>(kernel.loc, indexType, i);
  } else if (type.isUnsignedInteger()) {
    i = b.create<arith::IndexCastUIOp>(kernel.loc, indexType, element);
    i = b.create<arith::MinUIOp>(kernel.loc, i, last);
  } else {
    i = b.create<arith::IndexCastOp>(kernel.loc, indexType, element);
    i = b.create<arith::MinSIOp>(kernel.loc, i, last);
    i = b.create<arith::MaxSIOp>(kernel.loc, i, kernel.integer(indexType, 0));
  }
  return width > 1 ? indices.scattered(i) : indices.scalar(i, size);
}

namespace {
/// Looks bytes up by their places in a row that a few vectors hold: shuffles of
/// 16 bytes, joined.
class ByteLookup {
public:
  static constexpr int64_t part = 16, longRow = 64;

  /// `places`: vector of bytes, all below 128.
  ByteLookup(KernelBuilder &kernel, Value places)
      : kernel(kernel), b(kernel.b), loc(kernel.loc) {
    int64_t width = cast<VectorType>(places.getType()).getDimSize(0);
    lanes = width % (2 * part) == 0 ? 2 * part : part;
    type = VectorType::get({lanes}, b.getI8Type());
    for (int64_t first = 0; first < width; first += lanes)
      pieces.push_back({slice(places, first, lanes), Value()});
  }

  /// Adds the bytes at places `first` and following.
  void add(Value bytes, int64_t first) {
    int64_t count = cast<VectorType>(bytes.getType()).getDimSize(0);
    for (int64_t start = 0; start < count; start += part) {
      SmallVector<int64_t> pattern;
      for (int64_t lane = 0; lane < lanes; ++lane)
        pattern.push_back(start + lane % part);
      Value table = b.create<vector::ShuffleOp>(loc, bytes, bytes, pattern);
      for (Piece &piece : pieces)
        addPart(piece, table, first + start);
    }
  }

  Value result() {
    int64_t width = lanes * int64_t(pieces.size());
    if (pieces.size() == 1)
      return pieces[0].found;
    Value all = kernel.integer(VectorType::get({width}, b.getI8Type()), 0);
    for (auto [number, piece] : llvm::enumerate(pieces))
      all = b.create<vector::InsertStridedSliceOp>(
          loc, piece.found, all, ArrayRef<int64_t>(int64_t(number) * lanes),
          ArrayRef<int64_t>(1));
    return all;
  }

private:
  struct Piece {
    Value places, found;
  };

  Value slice(Value vector, int64_t first, int64_t count) {
    return b.create<vector::ExtractStridedSliceOp>(
        loc, vector, ArrayRef<int64_t>(first), ArrayRef<int64_t>(count),
        ArrayRef<int64_t>(1));
  }

  /// The instruction reads the lower four bits of a place, and gives 0 where
  /// the highest is set: so are all places but those of the table.
  void addPart(Piece &piece, Value table, int64_t first) {
    Value at =
        b.create<arith::SubIOp>(loc, piece.places, kernel.integer(type, first));
    at = b.create<LLVM::UAddSat>(loc, type, at, kernel.integer(type, 0x70));
    StringRef name =
        lanes == part ? "llvm.x86.ssse3.pshuf.b.128" : "llvm.x86.avx2.pshuf.b";
    Value found = b.create<LLVM::CallIntrinsicOp>(
                       loc, type, b.getStringAttr(name), ValueRange{table, at})
                      .getResult(0);
    piece.found =
        piece.found
            ? b.create<arith::OrIOp>(loc, piece.found, found).getResult()
            : found;
  }

  KernelBuilder &kernel;
  OpBuilder &b;
  Location loc;
  int64_t lanes;
  VectorType type;
  SmallVector<Piece> pieces;
};
} // namespace

/// Bytes by their places in two vectors, one that starts at place 0 and one
/// that starts at `second` and ends with the last place; one instruction's
/// table.
static Value lookUpInPair(KernelBuilder &kernel, Value places, Value low,
                          Value high, int64_t second) {
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  auto type = cast<VectorType>(places.getType());
  int64_t width = type.getNumElements();
  if (second < width) {
    Value isHigh = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::uge,
                                           places, kernel.integer(type, width));
    Value moved = b.create<arith::AddIOp>(loc, places,
                                          kernel.integer(type, width - second));
    places = b.create<arith::SelectOp>(loc, isHigh, moved, places);
  }
  std::string name =
      "llvm.x86.avx512.vpermi2var.qi." + std::to_string(8 * width);
  return b
      .create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name),
                                     ValueRange{low, places, high})
      .getResult(0);
}

/// Bytes of a short row by their places in it, which differ from lane to lane;
/// `index` has all but the last. Null where this is no such row, or nothing
/// shuffles bytes.
static Value bytesOfRow(ElementEmitter &emitter, Value row,
                        ArrayRef<LaneIndex> index, Value places) {
  KernelBuilder &kernel = emitter.kernel;
  IndexMath &indices = emitter.indices;
  int64_t width = indices.width;
  auto size = emitter.dimsOf(row).back().constant();
  auto type = dyn_cast<VectorType>(places.getType());
  if (kernel.target.lanes < 8 || kernel.target.printed || !size || !type ||
      *size < width || *size > ByteLookup::longRow ||
      width % ByteLookup::part != 0 || !llvm::isPowerOf2_64(uint64_t(width)) ||
      !getElementTypeOrSelf(row.getType()).isInteger(8) ||
      !llvm::all_of(index,
                    [&](const LaneIndex &x) { return indices.uniform(x); }))
    return {};
  // All of the row is there, also where some lanes don't count.
  ElementEmitter::Scope scope(emitter);
  emitter.mask = {};
  SmallVector<std::pair<int64_t, Value>> parts;
  for (int64_t first = 0; first < *size; first += width) {
    // The last vector overlaps the one before.
    int64_t start = std::min(first, *size - width);
    SmallVector<LaneIndex> at(index);
    at.push_back(indices.lanes(kernel.index(start), *size));
    Value bytes = emitter.emit(row, at);
    if (!bytes || !isa<VectorType>(bytes.getType()))
      return {};
    parts.emplace_back(start, bytes);
  }
  places = kernel.b.create<arith::MinUIOp>(kernel.loc, places,
                                           kernel.integer(type, *size - 1));
  if (kernel.target.vbmi && parts.size() <= 2)
    return lookUpInPair(kernel, places, parts.front().second,
                        parts.back().second, parts.back().first);
  ByteLookup lookup(kernel, places);
  for (auto [start, bytes] : parts)
    lookup.add(bytes, start);
  return lookup.result();
}

Value ElementEmitter::gather(graph::GatherOp op, ArrayRef<LaneIndex> index) {
  auto dims = op.getDims();
  const graph::DimVector operandDims = dimsOf(op.getOperand());
  auto startsType = cast<RankedTensorType>(op.getStartIndices().getType());
  SmallVector<LaneIndex> batch, offsets;
  for (auto [d, x] : llvm::enumerate(index))
    (llvm::is_contained(dims.getOffsetDims(), int64_t(d)) ? offsets : batch)
        .push_back(x);

  int64_t vectorDim = dims.getIndexVectorDim();
  auto startAt = [&](int64_t component) {
    SmallVector<LaneIndex> at(batch);
    if (vectorDim < startsType.getRank())
      at.insert(at.begin() + vectorDim, LaneIndex(component));
    return emit(op.getStartIndices(), at);
  };
  SmallVector<LaneIndex> at;
  unsigned nextOffset = 0;
  for (int64_t d = 0; d < int64_t(operandDims.size()); ++d) {
    if (auto *known = llvm::find(dims.getOperandBatchingDims(), d);
        known != dims.getOperandBatchingDims().end()) {
      int64_t source = dims.getStartIndicesBatchingDims()
                           [known - dims.getOperandBatchingDims().begin()];
      at.push_back(batch[source > vectorDim ? source - 1 : source]);
      continue;
    }
    bool collapsed = llvm::is_contained(dims.getCollapsedSliceDims(), d);
    LaneIndex x = collapsed ? LaneIndex(0) : offsets[nextOffset++];
    int64_t slice = op.getSliceSizes()[d];
    if (auto *mapped = llvm::find(dims.getStartIndexMap(), d);
        mapped != dims.getStartIndexMap().end() && slice >= 0) {
      int64_t component = mapped - dims.getStartIndexMap().begin();
      if (auto counted = graph::iotaStart(op, component, kernel.dims)) {
        at.push_back(indices.add(x, batch[*counted]));
        continue;
      }
      Value start = startAt(component);
      if (!start)
        return {};
      bool isLast = d + 1 == int64_t(operandDims.size());
      if (isLast && collapsed &&
          startsType.getElementType().isUnsignedInteger(8))
        if (Value bytes = bytesOfRow(*this, op.getOperand(), at, start))
          return bytes;
      x = indices.add(x, clampedIndex(start, startsType.getElementType(),
                                      operandDims[d] - slice + 1));
    }
    at.push_back(x);
  }
  return emit(op.getOperand(), at);
}

/// Where a slice begins along one dimension: the number that `start` holds,
/// moved to the nearest of `places`; none where its element can't be made.
static std::optional<LaneIndex> startAlong(ElementEmitter &emitter, Value start,
                                           const DimExpr &places) {
  Value number = emitter.emit(start, {});
  if (!number)
    return std::nullopt;
  return emitter.clampedIndex(number, getElementTypeOrSelf(start.getType()),
                              places);
}

Value ElementEmitter::dynamicSlice(graph::DynamicSliceOp op,
                                   ArrayRef<LaneIndex> index) {
  const graph::DimVector operandDims = dimsOf(op.getOperand()),
                         resultDims = dimsOf(op.getResult());
  SmallVector<LaneIndex> at;
  for (auto [d, x] : llvm::enumerate(index)) {
    std::optional<LaneIndex> start = startAlong(
        *this, op.getStarts()[d], operandDims[d] - resultDims[d] + 1);
    if (!start)
      return {};
    at.push_back(indices.add(x, *start));
  }
  return emit(op.getOperand(), at);
}

SmallVector<LaneIndex>
ElementEmitter::updatedIndex(graph::DynamicUpdateSliceOp op,
                             ArrayRef<LaneIndex> index) {
  const graph::DimVector operandDims = dimsOf(op.getOperand()),
                         updateDims = dimsOf(op.getUpdate());
  SmallVector<LaneIndex> at;
  for (auto [d, x] : llvm::enumerate(index)) {
    if (operandDims[d] == updateDims[d]) {
      at.push_back(x);
      continue;
    }
    std::optional<LaneIndex> start = startAlong(
        *this, op.getStarts()[d], operandDims[d] - updateDims[d] + 1);
    if (!start)
      return {};
    at.push_back(indices.add(x, *start));
  }
  return at;
}

Value ElementEmitter::dynamicUpdateSlice(graph::DynamicUpdateSliceOp op,
                                         ArrayRef<LaneIndex> index) {
  const graph::DimVector operandDims = dimsOf(op.getOperand()),
                         updateDims = dimsOf(op.getUpdate());
  SmallVector<LaneIndex> at;
  Conditions conditions;
  auto old = [&] { return emit(op.getOperand(), index); };
  for (auto [d, x] : llvm::enumerate(index)) {
    if (operandDims[d] == updateDims[d]) {
      at.push_back(x);
      continue;
    }
    std::optional<LaneIndex> start = startAlong(
        *this, op.getStarts()[d], operandDims[d] - updateDims[d] + 1);
    if (!start)
      return {};
    at.push_back(indices.add(x, indices.scale(*start, -1)));
    if (!conditions.add(kernel, inside(at.back(), 0, updateDims[d])))
      return old();
  }
  return guarded(
      conditions, anyLanes(index), [&] { return emit(op.getUpdate(), at); },
      old);
}

} // namespace zenith::kernels
