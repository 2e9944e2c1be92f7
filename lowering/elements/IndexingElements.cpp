// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of ops that read at data-dependent positions. Positions that all
// lanes share stay scalar, so rows stay contiguous.

#include "lowering/elements/IndexingElements.h"
#include "ir/matchers/IotaIndices.h"
#include "lowering/elements/BoundsGuard.h"
#include "lowering/elements/ElementRule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// An integer element as an index clamped to [0, size).
static LaneIndex clampedIndex(ElementEmitter &emitter, Value element, Type type,
                              const DimExpr &size) {
  KernelBuilder &kernel = emitter.kernel;
  IndexMath &indices = emitter.indices;
  OpBuilder &b = kernel.b;
  if (size.isConstant(1))
    return LaneIndex(0);
  unsigned width = isa<VectorType>(element.getType()) ? indices.width : 1;
  Value last = kernel.broadcast(kernel.size(size - 1), width);
  Type indexType = typeLike(b.getIndexType(), element.getType());
  Value i;
  if (type.isSignlessInteger(32) && size.provablyAtMost(DimExpr(INT32_MAX))) {
    // Before widening, since twice as many lanes share a vector.
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
  return width > 1 ? indices.perLane(i) : indices.scalar(i, size);
}

namespace {
/// Looks bytes up by their positions in a row that a few vectors hold: shuffles
/// of 16 bytes, joined.
class ByteLookup {
public:
  static constexpr int64_t part = 16, longRow = 64;

  /// `positions`: vector of byte positions, all below 128.
  ByteLookup(KernelBuilder &kernel, Value positions)
      : kernel(kernel), b(kernel.b), loc(kernel.loc) {
    int64_t width = cast<VectorType>(positions.getType()).getDimSize(0);
    lanes = width % (2 * part) == 0 ? 2 * part : part;
    type = VectorType::get({lanes}, b.getI8Type());
    for (int64_t first = 0; first < width; first += lanes)
      chunks.push_back({slice(positions, first, lanes), Value()});
  }

  /// Adds the bytes at positions `first` and following.
  void add(Value bytes, int64_t first) {
    int64_t count = cast<VectorType>(bytes.getType()).getDimSize(0);
    for (int64_t start = 0; start < count; start += part) {
      SmallVector<int64_t> pattern;
      for (int64_t lane = 0; lane < lanes; ++lane)
        pattern.push_back(start + lane % part);
      Value table = b.create<vector::ShuffleOp>(loc, bytes, bytes, pattern);
      for (Chunk &chunk : chunks)
        addPart(chunk, table, first + start);
    }
  }

  Value result() {
    int64_t width = lanes * int64_t(chunks.size());
    if (chunks.size() == 1)
      return chunks[0].found;
    Value all = kernel.integer(VectorType::get({width}, b.getI8Type()), 0);
    for (auto [number, chunk] : llvm::enumerate(chunks))
      all = b.create<vector::InsertStridedSliceOp>(
          loc, chunk.found, all, ArrayRef<int64_t>(int64_t(number) * lanes),
          ArrayRef<int64_t>(1));
    return all;
  }

private:
  struct Chunk {
    Value positions, found;
  };

  Value slice(Value vector, int64_t first, int64_t count) {
    return b.create<vector::ExtractStridedSliceOp>(
        loc, vector, ArrayRef<int64_t>(first), ArrayRef<int64_t>(count),
        ArrayRef<int64_t>(1));
  }

  /// The instruction reads the lower four bits of a position and returns 0
  /// where the highest bit is set. The addition sets it for all positions
  /// outside of the table.
  void addPart(Chunk &chunk, Value table, int64_t first) {
    Value at = b.create<arith::SubIOp>(loc, chunk.positions,
                                       kernel.integer(type, first));
    at = b.create<LLVM::UAddSat>(loc, type, at, kernel.integer(type, 0x70));
    StringRef name =
        lanes == part ? "llvm.x86.ssse3.pshuf.b.128" : "llvm.x86.avx2.pshuf.b";
    Value found = b.create<LLVM::CallIntrinsicOp>(
                       loc, type, b.getStringAttr(name), ValueRange{table, at})
                      .getResult(0);
    chunk.found =
        chunk.found
            ? b.create<arith::OrIOp>(loc, chunk.found, found).getResult()
            : found;
  }

  KernelBuilder &kernel;
  OpBuilder &b;
  Location loc;
  int64_t lanes;
  VectorType type;
  SmallVector<Chunk> chunks;
};
} // namespace

/// Bytes by their positions in two vectors: one that starts at position 0 and
/// one that starts at `second` and ends with the last position. One instruction
/// looks them up.
static Value lookUpInPair(KernelBuilder &kernel, Value positions, Value low,
                          Value high, int64_t second) {
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  auto type = cast<VectorType>(positions.getType());
  int64_t width = type.getNumElements();
  if (second < width) {
    Value isHigh = b.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::uge, positions, kernel.integer(type, width));
    Value moved = b.create<arith::AddIOp>(loc, positions,
                                          kernel.integer(type, width - second));
    positions = b.create<arith::SelectOp>(loc, isHigh, moved, positions);
  }
  std::string name =
      "llvm.x86.avx512.vpermi2var.qi." + std::to_string(8 * width);
  return b
      .create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(name),
                                     ValueRange{low, positions, high})
      .getResult(0);
}

static Value lanesFrom(KernelBuilder &kernel, Value x, Value y, int64_t first,
                       int64_t count) {
  SmallVector<int64_t> lanes(static_cast<size_t>(count));
  std::iota(lanes.begin(), lanes.end(), first);
  return kernel.b.create<vector::ShuffleOp>(kernel.loc, x, y, lanes);
}

/// The lanes of all parts, in vectors of `width`. Both widths are powers of
/// two; the last part is repeated where there are too few lanes.
static SmallVector<Value> inVectorsOf(KernelBuilder &kernel, int64_t width,
                                      SmallVector<Value> parts) {
  auto lanes = [&] {
    return cast<VectorType>(parts.front().getType()).getNumElements();
  };
  while (lanes() != width) {
    SmallVector<Value> next;
    int64_t own = lanes();
    if (own > width)
      for (Value part : parts)
        for (int64_t first = 0; first < own; first += own / 2)
          next.push_back(lanesFrom(kernel, part, part, first, own / 2));
    else
      for (size_t i = 0; i < parts.size(); i += 2)
        next.push_back(lanesFrom(kernel, parts[i],
                                 parts[std::min(i + 1, parts.size() - 1)], 0,
                                 2 * own));
    parts = std::move(next);
  }
  return parts;
}

/// Bytes by their positions in a row of 128 or 256, which is in vectors of
/// equal width. Pairs of the widest vectors are looked up in; the highest bit
/// of a position says in which.
static Value lookUpInVectors(KernelBuilder &kernel, Value positions,
                             SmallVector<Value> row) {
  constexpr int64_t widest = 64;
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  int64_t lanes = cast<VectorType>(positions.getType()).getNumElements();
  row = inVectorsOf(kernel, widest, std::move(row));
  SmallVector<Value> all;
  for (Value at : inVectorsOf(kernel, widest, {positions})) {
    Value found = lookUpInPair(kernel, at, row[0], row[1], widest);
    if (row.size() > 2)
      found = b.create<arith::SelectOp>(
          loc,
          b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, at,
                                  kernel.integer(at.getType(), 0)),
          lookUpInPair(kernel, at, row[2], row[3], widest), found);
    all.push_back(found);
  }
  if (lanes < widest)
    return lanesFrom(kernel, all.front(), all.front(), 0, lanes);
  return inVectorsOf(kernel, lanes, std::move(all)).front();
}

/// Bytes of a short row by their positions in it, one per lane; `index` has all
/// dimensions but the last. Null if there is no such row or the target has no
/// byte shuffles.
static Value bytesOfRow(ElementEmitter &emitter, Value row,
                        ArrayRef<LaneIndex> index, Value positions) {
  KernelBuilder &kernel = emitter.kernel;
  IndexMath &indices = emitter.indices;
  int64_t width = indices.width;
  auto size = emitter.dimsOf(row).back().constant();
  auto type = dyn_cast<VectorType>(positions.getType());
  bool isTable = kernel.target.vbmi && size && (*size == 128 || *size == 256);
  if (!kernel.target.avx2 || !size || !type || *size < 1 ||
      (*size > ByteLookup::longRow && !isTable) ||
      width % ByteLookup::part != 0 || !llvm::isPowerOf2_64(uint64_t(width)) ||
      !getElementTypeOrSelf(row.getType()).isInteger(8) ||
      !llvm::all_of(
          index, [&](const LaneIndex &x) { return indices.uniform(x); }))
    return {};
  // The whole row can be read, also if some lanes are inactive; where it is
  // shorter than a vector, only the row.
  ElementEmitter::Scope scope(emitter);
  emitter.active.mask =
      *size < width ? kernel.mask(kernel.index(*size), width) : Value();
  SmallVector<std::pair<int64_t, Value>> parts;
  for (int64_t first = 0; first < *size; first += width) {
    // The last vector overlaps the one before.
    int64_t start = std::min(first, std::max<int64_t>(0, *size - width));
    SmallVector<LaneIndex> at(index);
    at.push_back(indices.lanes(kernel.index(start), *size));
    Value bytes = emitter.emit(row, at);
    if (!bytes || !isa<VectorType>(bytes.getType()))
      return {};
    parts.emplace_back(start, bytes);
  }
  positions = kernel.b.create<arith::MinUIOp>(kernel.loc, positions,
                                              kernel.integer(type, *size - 1));
  if (isTable)
    return lookUpInVectors(kernel, positions,
                           llvm::to_vector(llvm::make_second_range(parts)));
  if (kernel.target.vbmi && parts.size() <= 2)
    return lookUpInPair(kernel, positions, parts.front().second,
                        parts.back().second, parts.back().first);
  ByteLookup lookup(kernel, positions);
  for (auto [start, bytes] : parts)
    lookup.add(bytes, start);
  return lookup.result();
}

/// Index into the operand; none where a position cannot be emitted, or where
/// `bytes`, if given, is the element itself: found in a row that vectors hold.
static std::optional<SmallVector<LaneIndex>>
indexOrBytes(graph::GatherOp op, ElementEmitter &emitter,
             ArrayRef<LaneIndex> index, Value *bytes) {
  IndexMath &indices = emitter.indices;
  auto dims = op.getDims();
  const graph::DimVector operandDims = emitter.dimsOf(op.getOperand());
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
    return emitter.emit(op.getStartIndices(), at);
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
      if (auto counted = graph::iotaStart(op, component, emitter.kernel.dims)) {
        at.push_back(indices.add(x, batch[*counted]));
        continue;
      }
      Value start = startAt(component);
      if (!start)
        return std::nullopt;
      bool isLast = d + 1 == int64_t(operandDims.size());
      if (bytes && isLast && collapsed &&
          startsType.getElementType().isUnsignedInteger(8)) {
        *bytes = bytesOfRow(emitter, op.getOperand(), at, start);
        if (*bytes)
          return std::nullopt;
      }
      x = indices.add(x,
                      clampedIndex(emitter, start, startsType.getElementType(),
                                   operandDims[d] - slice + 1));
    }
    at.push_back(x);
  }
  return at;
}

static Value gatherElement(graph::GatherOp op, ElementEmitter &emitter,
                           ArrayRef<LaneIndex> index) {
  Value bytes;
  auto at = indexOrBytes(op, emitter, index, &bytes);
  return at ? emitter.emit(op.getOperand(), *at) : bytes;
}

std::optional<SmallVector<LaneIndex>> gatheredIndex(graph::GatherOp op,
                                                    ElementEmitter &emitter,
                                                    ArrayRef<LaneIndex> index) {
  return indexOrBytes(op, emitter, index, nullptr);
}

/// Start of a slice along one dimension: the element of `start`, clamped to [0,
/// positions); none if its element can't be emitted.
static std::optional<LaneIndex> startAlong(ElementEmitter &emitter, Value start,
                                           const DimExpr &positions) {
  Value number = emitter.emit(start, {});
  if (!number)
    return std::nullopt;
  return clampedIndex(emitter, number, getElementTypeOrSelf(start.getType()),
                      positions);
}

static Value sliceElement(graph::DynamicSliceOp op, ElementEmitter &emitter,
                          ArrayRef<LaneIndex> index) {
  const graph::DimVector operandDims = emitter.dimsOf(op.getOperand()),
                         resultDims = emitter.dimsOf(op.getResult());
  SmallVector<LaneIndex> at;
  for (auto [d, x] : llvm::enumerate(index)) {
    std::optional<LaneIndex> start = startAlong(
        emitter, op.getStarts()[d], operandDims[d] - resultDims[d] + 1);
    if (!start)
      return {};
    at.push_back(emitter.indices.add(x, *start));
  }
  return emitter.emit(op.getOperand(), at);
}

SmallVector<LaneIndex> updatedIndex(graph::DynamicUpdateSliceOp op,
                                    ElementEmitter &emitter,
                                    ArrayRef<LaneIndex> index) {
  const graph::DimVector operandDims = emitter.dimsOf(op.getOperand()),
                         updateDims = emitter.dimsOf(op.getUpdate());
  SmallVector<LaneIndex> at;
  for (auto [d, x] : llvm::enumerate(index)) {
    if (operandDims[d] == updateDims[d]) {
      at.push_back(x);
      continue;
    }
    std::optional<LaneIndex> start = startAlong(
        emitter, op.getStarts()[d], operandDims[d] - updateDims[d] + 1);
    if (!start)
      return {};
    at.push_back(emitter.indices.add(x, *start));
  }
  return at;
}

static Value updateElement(graph::DynamicUpdateSliceOp op,
                           ElementEmitter &emitter, ArrayRef<LaneIndex> index) {
  IndexMath &indices = emitter.indices;
  const graph::DimVector operandDims = emitter.dimsOf(op.getOperand()),
                         updateDims = emitter.dimsOf(op.getUpdate());
  SmallVector<LaneIndex> at;
  BoundsGuard guard(emitter);
  auto old = [&] { return emitter.emit(op.getOperand(), index); };
  for (auto [d, x] : llvm::enumerate(index)) {
    if (operandDims[d] == updateDims[d]) {
      at.push_back(x);
      continue;
    }
    std::optional<LaneIndex> start = startAlong(
        emitter, op.getStarts()[d], operandDims[d] - updateDims[d] + 1);
    if (!start)
      return {};
    at.push_back(indices.add(x, indices.scale(*start, -1)));
    if (!guard.add(at.back(), 0, updateDims[d]))
      return old();
  }
  return guard.emit(
      emitter.anyLanes(index), [&] { return emitter.emit(op.getUpdate(), at); },
      old);
}

void attachIndexingElements(MLIRContext *context) {
  using namespace graph;
  GatherOp::attachInterface<FunctionElement<gatherElement>>(*context);
  DynamicSliceOp::attachInterface<FunctionElement<sliceElement>>(*context);
  DynamicUpdateSliceOp::attachInterface<FunctionElement<updateElement>>(
      *context);
}

} // namespace zenith::kernels
