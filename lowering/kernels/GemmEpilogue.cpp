// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates what follows a product row by row on the tile that the micro-kernel
// left in the first-level cache.

#include "lowering/kernels/GemmEpilogue.h"
#include "lowering/builder/TileTranspose.h"
#include "lowering/kernels/GemmKernel.h"
#include "lowering/microkernels/MicroKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

GemmEpilogue::GemmEpilogue(KernelBuilder &kernel, const ContractionSpace &space)
    : k(kernel), emitter(kernel), space(space),
      product(space.op->getResult(0)) {
  element = getElementTypeOrSelf(product.getType());
  width = space.columns.size.isConstant(1)
              ? 1
              : tileColumns(space.sum, kernel.target);
  part = emitter.indices.width = width;
  dependent = dependents(kernel.fusion, space.op);
}

void GemmEpilogue::prepare(unsigned rows) {
  rowsAtOnce = rows;
  if (rowsOfRun)
    turned = k.b.create<memref::AllocaOp>(
        k.loc, MemRefType::get({width * rowsAtOnce}, space.sum),
        k.b.getI64IntegerAttr(k.target.lineBytes));
}

LaneIndex GemmEpilogue::flatRow(const TilePlace &place, Value row) {
  IndexMath &math = emitter.indices;
  LaneIndex flat =
      math.scale(math.scalar(row, space.tile.size), space.rowStep());
  DimExpr radix = space.tileIsOutermost ? DimExpr(1) : space.tile.size;
  for (unsigned i = space.lines.size(); i-- > 0;) {
    LaneIndex line = math.scalar(place.lines[i], space.lines[i].size);
    flat = math.add(flat, math.scale(line, radix));
    radix = radix * space.lines[i].size;
  }
  return flat;
}

LaneIndex GemmEpilogue::columnIndex(Value column, bool lanes) {
  return lanes ? emitter.indices.lanes(column, space.columns.size, part)
               : emitter.indices.scalar(column, space.columns.size);
}

GemmEpilogue::FlatIndex GemmEpilogue::flatIndex(const TilePlace &place,
                                                LaneIndex row,
                                                LaneIndex column) {
  IndexMath &math = emitter.indices;
  FlatIndex flat;
  unsigned rank = k.dims.dimsOf(product).size();
  flat.batch.resize(rank);
  flat.row = std::move(row);
  flat.column = std::move(column);
  SmallVector<DimExpr> radices(rank, DimExpr(1));
  DimExpr radix = space.columns.size;
  for (unsigned i = space.outer.size(); i-- > 0;) {
    const OuterAxis &axis = space.outer[i];
    LaneIndex digit = math.scalar(place.outer[i], axis.axis.size);
    LaneIndex &to =
        axis.resultDim < 0 ? flat.column : flat.batch[axis.resultDim];
    DimExpr &at = axis.resultDim < 0 ? radix : radices[axis.resultDim];
    to = math.add(to, math.scale(digit, at));
    at = at * axis.axis.size;
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

SmallVector<LaneIndex> GemmEpilogue::productIndex(const FlatIndex &flat) {
  const graph::DimVector sizes = k.dims.dimsOf(product);
  SmallVector<LaneIndex> index = flat.batch;
  auto spread = [&](ArrayRef<unsigned> which, const LaneIndex &linear) {
    SmallVector<DimExpr> some;
    for (unsigned dim : which)
      some.push_back(sizes[dim]);
    for (auto [dim, ix] : llvm::zip(which, delinearize(linear, some)))
      index[dim] = ix;
  };
  spread(space.rowDims, flat.row);
  spread(space.columnDims, flat.column);
  return index;
}

/// Sum of digit * stride for an index of one dimension.
LaneIndex GemmEpilogue::along(const StridedDim &digits, LaneIndex index) {
  IndexMath &math = emitter.indices;
  SmallVector<DimExpr> sizes;
  for (const Stride &digit : digits)
    sizes.push_back(digit.size);
  LaneIndex sum;
  for (auto [digit, ix] :
       llvm::zip(digits, delinearize(std::move(index), sizes)))
    sum = math.add(sum, math.scale(ix, digit.stride));
  return sum;
}

LaneIndex GemmEpilogue::address(const Output &output, const FlatIndex &flat) {
  IndexMath &math = emitter.indices;
  LaneIndex sum = math.add(along(output.rows, flat.row),
                           along(output.columns, flat.column));
  for (auto [dim, ix] : llvm::enumerate(flat.batch))
    if (!llvm::is_contained(space.rowDims, dim) &&
        !llvm::is_contained(space.columnDims, dim)) {
      StridedDim digits = output.outer[dim];
      coalesce(digits);
      sum = math.add(sum, along(digits, ix));
    }
  return sum;
}

std::optional<GemmEpilogue::DirectStore>
GemmEpilogue::directStore(const TilePlace &place) {
  if (!direct)
    return std::nullopt;
  ElementEmitter::Scope scope(emitter);
  LaneIndex linear =
      address(outputs[0], flatIndex(place, flatRow(place, place.row),
                                    columnIndex(place.column, false)));
  return DirectStore{k.result(0), emitter.indices.value(linear),
                     k.size(outputs[0].rows[0].stride * space.rowStep())};
}

void GemmEpilogue::finish(Value tiles, Value tileOffset, Value rowStride,
                          const TilePlace &place, Value rows, Value columns) {
  emitter.indices.width = part;
  auto known = space.columns.size.constant();
  k.loop(k.index(0), rows, k.index(1), [&](Value r) {
    Value at = k.add(tileOffset, k.mul(r, rowStride));
    for (int64_t first = 0; first < width && (!known || first < *known);
         first += part)
      finishPart(tiles, k.add(at, k.index(first)), place, r, k.index(first),
                 columns);
  });
  emitter.indices.width = width;
}

/// Columns of a tile's row from `first` on, whose sums begin at `at`.
void GemmEpilogue::finishPart(Value tiles, Value at, const TilePlace &place,
                              Value r, Value first, Value columns) {
  ElementEmitter::Scope scope(emitter);
  bool lanes = part > 1;
  auto known = space.columns.size.constant();
  // All lanes have columns where these are as many whole vectors.
  bool cut = !known || *known > width || *known % part != 0;
  emitter.mask =
      columns && lanes && cut ? k.mask(k.sub(columns, first), part) : Value();
  FlatIndex flat = flatIndex(place, flatRow(place, k.add(place.row, r)),
                             columnIndex(k.add(place.column, first), lanes));
  Value sums = lanes
                   ? k.b.create<vector::LoadOp>(
                            k.loc, VectorType::get({int64_t(part)}, space.sum),
                            tiles, at)
                         .getResult()
                   : k.b.create<memref::LoadOp>(k.loc, tiles, at).getResult();
  emitter.bind(product, emitter.roundTo(element, sums));
  storeResults(flat);
}

void GemmEpilogue::storeResults(const FlatIndex &flat) {
  SmallVector<LaneIndex> index;
  std::vector<std::pair<Value, LaneIndex>> stores;
  for (const Output &output : outputs) {
    LaneIndex linear = address(output, flat);
    if (!output.sameDims)
      index = delinearize(linear, k.dims.dimsOf(output.computed));
    else
      index = productIndex(flat);
    Value x = emitter.emit(output.computed, index);
    if (!x)
      return;
    stores.push_back({k.broadcast(x, emitter.indices.width), linear});
  }
  // All reads come first: a result may take the place of an operand.
  for (auto [number, store] : llvm::enumerate(stores))
    emitter.storeLinear(k.result(number),
                        getElementTypeOrSelf(outputs[number].yielded.getType()),
                        store.first, store.second);
}

/// Turns the sums of `rowsAtOnce` rows that begin at `at`.
void GemmEpilogue::turnRows(Value tiles, Value at) {
  int64_t lanes = sumLanes(space.sum, k.target), rows = rowsAtOnce;
  auto type = VectorType::get({lanes}, space.sum);
  k.loop(k.index(0), k.index(rows), k.index(lanes), [&](Value block) {
    Value from = k.add(at, k.mul(block, k.index(width)));
    for (int64_t first = 0; first < width; first += lanes) {
      SmallVector<Value> square;
      for (int64_t row = 0; row < lanes; ++row)
        square.push_back(k.b.create<vector::LoadOp>(
            k.loc, type, tiles, k.add(from, k.index(row * width + first))));
      transposeSquare(k, square);
      for (auto [column, x] : llvm::enumerate(square)) {
        Value to = k.index((first + int64_t(column)) * rows);
        k.b.create<vector::StoreOp>(k.loc, x, turned, k.add(to, block));
      }
    }
  });
}

/// Some rows, whose sums begin at `at`.
void GemmEpilogue::columnsOfRows(Value tiles, Value at, const TilePlace &place,
                                 LaneIndex rows, Value mask, Value columns) {
  int64_t lanes = emitter.indices.width;
  auto type = VectorType::get({lanes}, space.sum);
  turnRows(tiles, at);
  Value count = columns ? k.min(columns, k.index(width)) : k.index(width);
  k.loop(k.index(0), count, k.index(1), [&](Value column) {
    ElementEmitter::Scope scope(emitter);
    emitter.mask = mask;
    Value sums = k.b.create<vector::LoadOp>(k.loc, type, turned,
                                            k.mul(column, k.index(lanes)));
    emitter.bind(product, emitter.roundTo(element, sums));
    storeResults(flatIndex(place, rows,
                           columnIndex(k.add(place.column, column), false)));
  });
}

void GemmEpilogue::fetchColumns(const TilePlace &place, Value firstRow,
                                Value rows) {
  IndexMath &math = emitter.indices;
  Value left = k.sub(k.size(space.columns.size), place.column);
  for (auto [number, output] : llvm::enumerate(outputs)) {
    StridedDim columns = output.columns;
    coalesce(columns);
    if (columns.size() != 1)
      continue;
    ElementEmitter::Scope scope(emitter);
    LaneIndex row = math.scalar(firstRow, space.lineCount() * space.tile.size);
    Value first = math.value(address(
        output, flatIndex(place, row, columnIndex(place.column, false))));
    Value memory = k.result(unsigned(number)),
          stride = k.size(columns[0].stride);
    k.loop(k.index(0), k.min(left, k.index(width)), k.index(1), [&](Value at) {
      Value column = k.add(first, k.mul(at, stride));
      // Rows that follow in another image are missed.
      k.loop(k.index(0), rows, k.index(rowsAtOnce), [&](Value line) {
        k.b.create<memref::PrefetchOp>(k.loc, memory, k.add(column, line),
                                       /*isWrite=*/true, /*localityHint=*/3,
                                       /*isDataCache=*/true);
      });
    });
  }
}

void GemmEpilogue::finishColumns(Value tiles, Value tileOffset,
                                 const TilePlace &place, Value firstRow,
                                 Value rows, Value columns) {
  IndexMath &math = emitter.indices;
  math.width = rowsAtOnce;
  Value run = k.size(*rowsOfRun), last = k.add(firstRow, rows);
  DimExpr all = space.lineCount() * space.tile.size;
  DimExpr runs = all.exactDiv(*rowsOfRun).value_or(all);
  SmallVector<DimExpr> boundaries;
  DimExpr boundary = 1;
  for (unsigned dim : llvm::reverse(space.rowDims)) {
    boundary = boundary * k.dims.dimsOf(product)[dim];
    boundaries.push_back(boundary);
  }
  auto ofRun = [&](Value number, Value from, Value to) {
    Value origin = k.mul(number, run);
    k.laneLoop(
        k.sub(from, origin), k.sub(to, origin), math.width,
        [&](Value start, Value mask) {
          Value row = k.sub(k.add(origin, start), firstRow);
          LaneIndex rows = math.lanes(start, *rowsOfRun);
          math.collapse(rows, boundaries);
          LaneIndex flat =
              math.add(math.scale(math.scalar(number, runs), *rowsOfRun), rows);
          columnsOfRows(tiles, k.add(tileOffset, k.mul(row, k.index(width))),
                        place, flat, mask, columns);
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
  math.width = width;
}

} // namespace zenith::kernels
