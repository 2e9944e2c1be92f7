// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the epilogue row by row, or column by column, on the tile that the
// micro-kernel left in the first-level cache.

#include "lowering/gemm/GemmEpilogue.h"
#include "lowering/builder/TileTranspose.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/microkernels/MicroKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

GemmEpilogue::GemmEpilogue(KernelBuilder &kernel, const ContractionSpace &space,
                           const EpilogueForm &form)
    : k(kernel), emitter(kernel), space(space), form(form) {
  emitter.indices.width = form.nr;
}

void GemmEpilogue::prepare(unsigned rows) {
  rowsAtOnce = rows;
  if (form.rowRun)
    transposed = k.b.create<memref::AllocaOp>(
        k.loc, MemRefType::get({form.nr * rowsAtOnce}, space.sum),
        k.b.getI64IntegerAttr(k.target.lineBytes));
}

LaneIndex GemmEpilogue::flatRow(const TileCoordinates &at, Value row) {
  IndexMath &math = emitter.indices;
  LaneIndex flat =
      math.scale(math.scalar(row, space.rowAxis.size), space.rowStep());
  DimExpr radix = space.rowAxisIsOutermost ? DimExpr(1) : space.rowAxis.size;
  for (unsigned i = space.outerRows.size(); i-- > 0;) {
    LaneIndex line = math.scalar(at.outerRows[i], space.outerRows[i].size);
    flat = math.add(flat, math.scale(line, radix));
    radix = radix * space.outerRows[i].size;
  }
  return flat;
}

LaneIndex GemmEpilogue::columnIndex(Value column, bool lanes) {
  return lanes ? emitter.indices.lanes(column, space.columns.size,
                                       emitter.indices.width)
               : emitter.indices.scalar(column, space.columns.size);
}

GemmEpilogue::FlatIndex GemmEpilogue::flatIndex(const TileCoordinates &at,
                                                LaneIndex row,
                                                LaneIndex column) {
  IndexMath &math = emitter.indices;
  FlatIndex flat;
  unsigned rank = k.dims.dimsOf(form.result).size();
  flat.batch.resize(rank);
  flat.row = std::move(row);
  flat.column = std::move(column);
  SmallVector<DimExpr> radices(rank, DimExpr(1));
  DimExpr radix = space.columns.size;
  for (unsigned i = space.outer.size(); i-- > 0;) {
    const OuterAxis &axis = space.outer[i];
    LaneIndex digit = math.scalar(at.outer[i], axis.axis.size);
    LaneIndex &to =
        axis.resultDim < 0 ? flat.column : flat.batch[axis.resultDim];
    DimExpr &scale = axis.resultDim < 0 ? radix : radices[axis.resultDim];
    to = math.add(to, math.scale(digit, scale));
    scale = scale * axis.axis.size;
  }
  return flat;
}

/// Dimensions of a flat index; the outermost needs no division.
SmallVector<LaneIndex> GemmEpilogue::delinearize(LaneIndex linear,
                                                 ArrayRef<DimExpr> sizes) {
  SmallVector<LaneIndex> index(sizes.size());
  unsigned outermost = 0;
  while (outermost < sizes.size() && sizes[outermost].isConstant(1))
    ++outermost;
  for (unsigned i = sizes.size(); i-- > 0;) {
    if (sizes[i].isConstant(1)) {
      index[i] = LaneIndex(DimExpr(0));
    } else if (i == outermost) {
      index[i] = linear;
    } else {
      auto [quotient, remainder] = emitter.indices.divide(linear, sizes[i]);
      index[i] = remainder;
      linear = quotient;
    }
  }
  return index;
}

SmallVector<LaneIndex> GemmEpilogue::resultIndex(const FlatIndex &flat) {
  const graph::DimVector sizes = k.dims.dimsOf(form.result);
  SmallVector<LaneIndex> result = flat.batch;
  auto spread = [&](ArrayRef<unsigned> which, const LaneIndex &linear) {
    SmallVector<DimExpr> some;
    for (unsigned dim : which)
      some.push_back(sizes[dim]);
    for (auto [dim, index] : llvm::zip(which, delinearize(linear, some)))
      result[dim] = index;
  };
  spread(space.rowDims, flat.row);
  spread(space.columnDims, flat.column);
  return result;
}

/// Sum of digit * stride for an index of one dimension.
LaneIndex GemmEpilogue::along(const StridedDim &digits, LaneIndex index) {
  IndexMath &math = emitter.indices;
  SmallVector<DimExpr> sizes;
  for (const Stride &digit : digits)
    sizes.push_back(digit.size);
  LaneIndex sum;
  for (auto [digit, own] :
       llvm::zip(digits, delinearize(std::move(index), sizes)))
    sum = math.add(sum, math.scale(own, digit.stride));
  return sum;
}

LaneIndex GemmEpilogue::address(const Output &output, const FlatIndex &flat) {
  IndexMath &math = emitter.indices;
  LaneIndex sum = math.add(along(output.rows, flat.row),
                           along(output.columns, flat.column));
  for (auto [dim, index] : llvm::enumerate(flat.batch))
    if (!llvm::is_contained(space.rowDims, dim) &&
        !llvm::is_contained(space.columnDims, dim)) {
      StridedDim digits = output.dims[dim];
      coalesce(digits);
      sum = math.add(sum, along(digits, index));
    }
  return sum;
}

std::optional<GemmEpilogue::DirectStore>
GemmEpilogue::directStore(const TileCoordinates &at) {
  if (!form.storesDirectly)
    return std::nullopt;
  ElementEmitter::Scope scope(emitter);
  LaneIndex linear =
      address(form.outputs[0], flatIndex(at, flatRow(at, at.row),
                                         columnIndex(at.column, false)));
  return DirectStore{k.result(0), emitter.indices.value(linear),
                     k.size(form.outputs[0].rows[0].stride * space.rowStep())};
}

/// Columns of a step over a panel that has only `rest` of them: steps without
/// empty lanes where they fill vectors, else one of as few vectors as hold all.
int64_t GemmEpilogue::widthOfRest(int64_t rest) const {
  int64_t lanes = sumLanes(space.sum, k.target),
          whole = std::max(lanes, int64_t(llvm::PowerOf2Ceil(uint64_t(rest)))),
          most = rest % lanes ? whole : rest & -rest;
  return std::gcd(most, int64_t(form.vectorWidth));
}

void GemmEpilogue::finish(Value tiles, Value tileOffset, Value rowStride,
                          const TileCoordinates &at, Value rows,
                          Value columns) {
  auto known = space.columns.size.constant();
  int64_t most = known ? std::min<int64_t>(*known, form.nr) : form.nr,
          step = form.vectorWidth;
  if (int64_t rest = columns && known ? *known % form.nr : 0) {
    most = rest;
    step = widthOfRest(rest);
  }
  emitter.indices.width = unsigned(step);
  k.loop(k.index(0), rows, k.index(1), [&](Value r) {
    Value from = k.add(tileOffset, k.mul(r, rowStride));
    for (int64_t first = 0; first < most; first += step)
      finishVector(tiles, k.add(from, k.index(first)), at, r, k.index(first),
                   columns);
  });
  emitter.indices.width = form.nr;
}

/// Columns of a tile's row from `first` on, whose accumulators begin at `from`.
void GemmEpilogue::finishVector(Value tiles, Value from,
                                const TileCoordinates &at, Value r, Value first,
                                Value columns) {
  ElementEmitter::Scope scope(emitter);
  int64_t width = emitter.indices.width;
  bool lanes = width > 1;
  auto known = space.columns.size.constant();
  // All lanes have columns where the columns fill whole vectors.
  bool cut = !known || *known % width != 0;
  emitter.active.mask = columns && lanes && cut
                            ? k.mask(k.sub(columns, first), unsigned(width))
                            : Value();
  FlatIndex flat = flatIndex(at, flatRow(at, k.add(at.row, r)),
                             columnIndex(k.add(at.column, first), lanes));
  Value sums =
      lanes ? k.b.create<vector::LoadOp>(
                     k.loc, VectorType::get({width}, space.sum), tiles, from)
                  .getResult()
            : k.b.create<memref::LoadOp>(k.loc, tiles, from).getResult();
  emitter.bind(form.result, roundTo(emitter.kernel, form.element, sums));
  storeResults(flat);
}

void GemmEpilogue::storeResults(const FlatIndex &flat) {
  SmallVector<LaneIndex> index;
  std::vector<std::pair<Value, LaneIndex>> stores;
  for (const Output &output : form.outputs) {
    LaneIndex linear = address(output, flat);
    if (!output.sameDims)
      index = delinearize(linear, k.dims.dimsOf(output.computed));
    else
      index = resultIndex(flat);
    Value x = emitter.emit(output.computed, index);
    if (!x)
      return;
    stores.push_back({k.broadcast(x, emitter.indices.width), linear});
  }
  // All reads come first: a result may share the bytes of an operand.
  for (auto [number, store] : llvm::enumerate(stores))
    emitter.memory.store(
        k.result(number),
        getElementTypeOrSelf(form.outputs[number].yielded.getType()),
        store.first, store.second);
}

/// Transposes the accumulators of `rowsAtOnce` rows that begin at `start`.
void GemmEpilogue::transposeRows(Value tiles, Value start) {
  int64_t lanes = sumLanes(space.sum, k.target), rows = rowsAtOnce;
  auto type = VectorType::get({lanes}, space.sum);
  k.loop(k.index(0), k.index(rows), k.index(lanes), [&](Value row) {
    Value from = k.add(start, k.mul(row, k.index(form.nr)));
    for (int64_t first = 0; first < form.nr; first += lanes)
      transposeMemory(
          k, type, {tiles, k.add(from, k.index(first)), k.index(form.nr)},
          {transposed, k.add(k.index(first * rows), row), k.index(rows)});
  });
}

/// Stores rows whose accumulators begin at `from`, column by column.
void GemmEpilogue::storeColumns(Value tiles, Value from,
                                const TileCoordinates &at, LaneIndex rows,
                                Value mask, Value columns) {
  int64_t lanes = emitter.indices.width;
  auto type = VectorType::get({lanes}, space.sum);
  transposeRows(tiles, from);
  Value count = columns ? k.min(columns, k.index(form.nr)) : k.index(form.nr);
  k.loop(k.index(0), count, k.index(1), [&](Value column) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = mask;
    Value sums = k.b.create<vector::LoadOp>(k.loc, type, transposed,
                                            k.mul(column, k.index(lanes)));
    emitter.bind(form.result, roundTo(emitter.kernel, form.element, sums));
    storeResults(
        flatIndex(at, rows, columnIndex(k.add(at.column, column), false)));
  });
}

void GemmEpilogue::prefetchColumns(const TileCoordinates &at, Value firstRow,
                                   Value rows) {
  IndexMath &math = emitter.indices;
  Value left = k.sub(k.size(space.columns.size), at.column);
  for (auto [number, output] : llvm::enumerate(form.outputs)) {
    StridedDim columns = output.columns;
    coalesce(columns);
    if (columns.size() != 1)
      continue;
    ElementEmitter::Scope scope(emitter);
    LaneIndex row =
        math.scalar(firstRow, space.outerRowCount() * space.rowAxis.size);
    Value first = math.value(
        address(output, flatIndex(at, row, columnIndex(at.column, false))));
    Value memory = k.result(unsigned(number)),
          stride = k.size(columns[0].stride);
    k.loop(k.index(0), k.min(left, k.index(form.nr)), k.index(1), [&](Value i) {
      Value column = k.add(first, k.mul(i, stride));
      // Misses rows that continue in the next feature map.
      k.loop(k.index(0), rows, k.index(rowsAtOnce), [&](Value line) {
        k.b.create<memref::PrefetchOp>(k.loc, memory, k.add(column, line),
                                       /*isWrite=*/true, /*localityHint=*/3,
                                       /*isDataCache=*/true);
      });
    });
  }
}

void GemmEpilogue::finishColumns(Value tiles, Value tileOffset,
                                 const TileCoordinates &at, Value firstRow,
                                 Value rows, Value columns) {
  IndexMath &math = emitter.indices;
  math.width = rowsAtOnce;
  Value run = k.size(*form.rowRun), last = k.add(firstRow, rows);
  DimExpr all = space.outerRowCount() * space.rowAxis.size;
  DimExpr runs = all.exactDiv(*form.rowRun).value_or(all);
  SmallVector<DimExpr> boundaries;
  DimExpr boundary = 1;
  for (unsigned dim : llvm::reverse(space.rowDims)) {
    boundary = boundary * k.dims.dimsOf(form.result)[dim];
    boundaries.push_back(boundary);
  }
  auto ofRun = [&](Value number, Value from, Value to) {
    Value origin = k.mul(number, run);
    k.laneLoop(k.sub(from, origin), k.sub(to, origin), math.width,
               [&](Value start, Value mask) {
                 Value row = k.sub(k.add(origin, start), firstRow);
                 LaneIndex rows = math.lanes(start, *form.rowRun);
                 math.collapse(rows, boundaries);
                 LaneIndex flat = math.add(
                     math.scale(math.scalar(number, runs), *form.rowRun), rows);
                 storeColumns(tiles,
                              k.add(tileOffset, k.mul(row, k.index(form.nr))),
                              at, flat, mask, columns);
               });
  };
  if (runs.isConstant(1)) {
    ofRun(k.index(0), firstRow, last);
  } else {
    Value end = k.add(k.div(k.sub(last, k.index(1)), run), k.index(1));
    k.loop(k.div(firstRow, run), end, k.index(1), [&](Value number) {
      Value origin = k.mul(number, run);
      ofRun(number, k.max(firstRow, origin), k.min(last, k.add(origin, run)));
    });
  }
  math.width = form.nr;
}

/// The value of a gate, whose accumulators begin at `from`; null where an op
/// has no lowering.
Value GemmEpilogue::gate(graph::SliceOp slice, Value tiles, Value from,
                         const FlatIndex &flat) {
  ElementEmitter::Scope scope(emitter);
  IndexMath &math = emitter.indices;
  unsigned columnDim = space.columnDims.back();
  auto type = VectorType::get({int64_t(form.nr)}, space.sum);
  Value sums = k.b.create<vector::LoadOp>(k.loc, type, tiles, from);
  emitter.bind(form.result, roundTo(emitter.kernel, form.element, sums));
  SmallVector<LaneIndex> index = resultIndex(flat);
  int64_t first = slice.getStaticStarts().back();
  index[columnDim] = math.add(index[columnDim], LaneIndex(DimExpr(first)));
  return emitter.emit(slice.getOperand(), index);
}

void GemmEpilogue::finishGates(Value tiles, Value tileOffset,
                               int64_t gateStride, const TileCoordinates &at,
                               Value rows) {
  IndexMath &math = emitter.indices;
  k.loop(k.index(0), rows, k.index(1), [&](Value r) {
    ElementEmitter::Scope scope(emitter);
    Value row = k.add(tileOffset, k.mul(r, k.index(form.nr)));
    FlatIndex flat =
        flatIndex(at, flatRow(at, k.add(at.row, r)),
                  math.lanes(at.column, space.gateColumns, form.nr));
    for (graph::SliceOp slice : space.gateSlices) {
      int64_t first = slice.getStaticStarts().back();
      Value from = k.add(row, k.index(first / space.gateColumns * gateStride));
      Value x = gate(slice, tiles, from, flat);
      if (!x)
        return;
      emitter.bind(slice.getResult(), x);
    }
    storeResults(flat);
  });
}

} // namespace zenith::kernels
