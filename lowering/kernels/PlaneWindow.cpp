// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of a plane's rows come with masks of what the plane has of them,
// which all rows of a tile share.

#include "lowering/kernels/PlaneWindow.h"
#include "lowering/elements/ReductionSteps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

PlaneWindow::PlaneWindow(const EmissionContext &context,
                         const WindowLoops &shape, const WindowKeys &keys,
                         PlaneGeometry geometry)
    : k(context.fusion, context.dims, context.target, context.kernels,
        context.name),
      emitter(k), space(shape.space), shape(shape), keys(keys),
      geometry(geometry), conv(dyn_cast<graph::ConvolutionOp>(shape.anchor)),
      reduced(shape.anchor), element(reduced.element), width(keys.lanes) {
  emitter.indices.width = width;
  vector = VectorType::get({width}, registerType(element));
  padsRows = mayReadPadding(shape.column);
  for (const auto &[loop, side] : geometry.others)
    downLoops.push_back(loop);
  if (geometry.rowLoop)
    downLoops.push_back(*geometry.rowLoop);
}

/// Whether a result of a plane may have taps beside it along this loop.
bool PlaneWindow::mayReadPadding(unsigned loop) const {
  const WindowDim &span = *shape.spanOf(loop);
  DimExpr behind = span.behind(space.size(loop) - 1);
  return span.low > 0 ||
         !DimExpr(0).provablyAtMost(behind, /*atLeastOne=*/true);
}

Value PlaneWindow::array(int64_t elements) {
  elements = int64_t(llvm::alignTo(uint64_t(elements), uint64_t(width)));
  return k.b.create<memref::AllocaOp>(
      k.loc, MemRefType::get({elements}, element),
      k.b.getI64IntegerAttr(k.target.lineBytes));
}

Value PlaneWindow::buffer(int64_t elements) {
  Value memory = array(elements), padding = start();
  int64_t size = cast<MemRefType>(memory.getType()).getNumElements();
  k.loop(k.index(0), k.index(size), k.index(width), [&](Value at) {
    k.b.create<vector::StoreOp>(k.loc, padding, memory, at);
  });
  return memory;
}

Value PlaneWindow::start() {
  Value scalar =
      conv ? k.constant(registerType(element), 0.0)
           : neutralElement(emitter.kernel,
                            cast<graph::ReduceWindowOp>(shape.anchor).getKind(),
                            element, k.b.getIndexType());
  return k.broadcast(scalar, width);
}

/// Index of the anchor's input for the result at `index`, with this column, and
/// these rows along the other loops that the filter moves along.
SmallVector<LaneIndex> PlaneWindow::inputIndex(ArrayRef<LaneIndex> index,
                                               ArrayRef<LaneIndex> rows,
                                               const LaneIndex &column) {
  SmallVector<LaneIndex> at(index);
  auto place = [&](unsigned resultDim, unsigned inputDim) {
    at[inputDim] =
        resultDim == space.dimOf(shape.column) ? column : index[resultDim];
    for (auto [loop, row] : llvm::zip(downLoops, rows))
      if (resultDim == space.dimOf(loop))
        at[inputDim] = row;
  };
  if (!conv) {
    for (unsigned dim = 0; dim < index.size(); ++dim)
      place(dim, dim);
    return at;
  }
  auto numbers = conv.getDims();
  auto type = cast<RankedTensorType>(conv.getKernel().getType());
  int64_t outputs =
      type.getDimSize(numbers.getKernelOutput()) / int64_t(conv.getGroups());
  at[numbers.getInputBatch()] = index[numbers.getOutputBatch()];
  at[numbers.getInputFeature()] =
      emitter.indices.divide(index[numbers.getOutputFeature()], outputs).first;
  for (auto [s, d] : llvm::enumerate(numbers.getInputSpatial()))
    place(unsigned(numbers.getOutputSpatial()[s]), unsigned(d));
  return at;
}

/// Lanes of columns from `first` on that the plane has.
Value PlaneWindow::columnsInside(Value first) {
  Value none = k.index(0);
  Value inside =
      k.mask(k.max(k.sub(k.size(geometry.x.planeInputs), first), none),
             unsigned(width));
  if (geometry.x.low == 0)
    return inside;
  Value before = k.mask(k.max(k.sub(none, first), none), unsigned(width));
  Value all = k.integer(before.getType(), 1);
  return k.b.create<arith::AndIOp>(
      k.loc, inside, k.b.create<arith::XOrIOp>(k.loc, before, all));
}

/// Vectors of the input side by side, with what they lack undefined. None where
/// one cannot be emitted.
SmallVector<Value> PlaneWindow::vectorsOfRow(ArrayRef<LaneIndex> index,
                                             ArrayRef<LaneIndex> rows,
                                             const RowPart &part) {
  SmallVector<Value> vectors;
  for (auto [first, mask] : llvm::zip_equal(part.first, part.inside)) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = mask;
    LaneIndex column = emitter.indices.lanes(first, geometry.x.planeInputs);
    Value lanes = emitter.emit(shape.anchor->getOperand(0),
                               inputIndex(index, rows, column));
    if (!lanes)
      return {};
    lanes = k.broadcast(lanes, unsigned(width));
    vectors.push_back(lanes);
  }
  return vectors;
}

/// Padding in lanes of such vectors that the plane does not have, where results
/// may read it.
void PlaneWindow::padBeside(ArrayRef<RowPart> parts,
                            MutableArrayRef<Value> vectors) {
  if (!padsRows)
    return;
  Value padding = start(), *next = vectors.begin();
  for (const RowPart &part : parts)
    for (Value mask : part.inside) {
      *next = k.b.create<arith::SelectOp>(k.loc, mask, *next, padding);
      ++next;
    }
}

/// What lies `ahead` of the results from `at` on.
RowPart PlaneWindow::partOfRow(Value at, int64_t ahead) {
  RowPart part{ahead, {}, {}};
  at = k.add(at, k.index(ahead));
  for (int64_t number = 0; number < geometry.x.stride; ++number) {
    part.first.push_back(firstColumn(at, number));
    part.inside.push_back(columnsInside(part.first.back()));
  }
  return part;
}

/// The plane's column that lane 0 of vector `number` has, of those with element
/// `at` of the phases and the next ones.
Value PlaneWindow::firstColumn(Value at, int64_t number) {
  const PlaneSide &x = geometry.x;
  return k.add(k.mul(k.add(tileColumn, at), k.index(x.stride)),
               k.index(number * width - x.low));
}

/// Weight of tap `x` along the row and `down` along the other dimensions; null
/// for pooling.
Value PlaneWindow::weight(ArrayRef<LaneIndex> down, const LaneIndex &x,
                          ArrayRef<LaneIndex> index) {
  if (!conv)
    return {};
  auto numbers = conv.getDims();
  SmallVector<LaneIndex> at(index.size(), LaneIndex(0));
  at[numbers.getKernelOutput()] = index[numbers.getOutputFeature()];
  for (auto [s, d] : llvm::enumerate(numbers.getKernelSpatial())) {
    unsigned dim = unsigned(numbers.getOutputSpatial()[s]);
    if (dim == space.dimOf(shape.column))
      at[d] = x;
    for (auto [loop, tap] : llvm::zip(downLoops, down))
      if (dim == space.dimOf(loop))
        at[d] = tap;
  }
  Value weight = emitter.emit(conv.getKernel(), at);
  return weight ? k.broadcast(weight, unsigned(width)) : start();
}

Value PlaneWindow::step(Value sum, Value lanes, Value weight) {
  if (!conv)
    return reduceStep(emitter,
                      cast<graph::ReduceWindowOp>(shape.anchor).getKind(),
                      element, sum, lanes);
  if (k.target.fma && !inOrder())
    return k.b.create<math::FmaOp>(k.loc, lanes, weight, sum);
  return k.b.create<arith::AddFOp>(
      k.loc, sum, k.b.create<arith::MulFOp>(k.loc, lanes, weight));
}

/// The same for results of a tile that the plane has.
void PlaneWindow::finishTile(ArrayRef<LaneIndex> loopIndex, Value row,
                             Value column, int64_t rows,
                             ArrayRef<int64_t> shifts, ArrayRef<Value> lanes) {
  IndexMath &math = emitter.indices;
  const DimExpr &height = geometry.y.planeResults,
                &length = geometry.x.planeResults;
  // Rows share the columns of each vector, and what is masked of them.
  SmallVector<std::pair<Value, Value>> vectors;
  for (int64_t shift : shifts) {
    Value from = k.add(k.add(tileColumn, column), k.index(shift));
    vectors.push_back(
        {from, k.mask(k.max(k.sub(k.size(length), from), k.index(0)),
                      unsigned(width))});
  }
  for (int64_t r = 0; r < rows; ++r) {
    Value line = k.add(k.add(tileRow, row), k.index(r));
    for (auto [number, part] : llvm::enumerate(vectors)) {
      ElementEmitter::Scope scope(emitter);
      auto [from, mask] = part;
      emitter.active.mask = mask;
      SmallVector<LaneIndex> at(loopIndex);
      if (geometry.rowLoop)
        at[*geometry.rowLoop] = math.scalar(line, height);
      at[shape.column] = math.lanes(from, length);
      SmallVector<LaneIndex> index = space.shapeIndex(math, at);
      emitter.preset(shape.anchor->getResult(0), {index},
                     lanes[size_t(r) * vectors.size() + number]);
      emitter.storeResults(index);
    }
  }
}

} // namespace zenith::kernels
