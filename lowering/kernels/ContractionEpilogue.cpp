// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates what follows a product row by row on the tile that the micro-kernel
// left in the first-level cache.

#include "lowering/kernels/ContractionEpilogue.h"
#include "lowering/kernels/ContractionKernel.h"
#include "lowering/kernels/MicroKernel.h"
#include "lowering/kernels/TileTranspose.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

static Operation *yieldOf(graph::FusionOp fusion) {
  return fusion.getBody().front().getTerminator();
}

llvm::DenseSet<Value> dependents(graph::FusionOp fusion, Operation *anchor) {
  llvm::DenseSet<Value> all{anchor->getResult(0)};
  for (Operation &op : fusion.getBody().front())
    if (!isa<graph::DimOp>(op) &&
        llvm::any_of(op.getOperands(),
                     [&](Value operand) { return all.contains(operand); }))
      all.insert(op.result_begin(), op.result_end());
  return all;
}

static bool isElementwise(Operation *op) {
  return graph::familyOf(op) == graph::Family::Elementwise;
}

ContractionEpilogue::ContractionEpilogue(KernelBuilder &kernel,
                                         const ContractionSpace &space)
    : k(kernel), emitter(kernel), space(space),
      product(space.op->getResult(0)) {
  element = getElementTypeOrSelf(product.getType());
  width = space.columns.size.isConstant(1)
              ? 1
              : tileColumns(space.sum, kernel.target);
  part = emitter.indices.width = width;
  dependent = dependents(kernel.fusion, space.op);
}

/// True where a dimension's elements lie at the same places.
static bool sameDigits(StridedDim x, StridedDim y) {
  coalesce(x);
  coalesce(y);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const Stride &a, const Stride &b) {
                      return a.size == b.size && a.stride == b.stride;
                    });
}

/// Walks from a result back to the product; `digits` say where elements of
/// `value` lie in the result.
LogicalResult ContractionEpilogue::place(Value value, Digits digits,
                                         llvm::DenseMap<Value, Digits> &seen) {
  // Gates lie as what is made of them does.
  if (llvm::is_contained(space.parts, value.getDefiningOp()))
    value = product;
  auto [known, isNew] = seen.try_emplace(value, digits);
  if (!isNew) {
    for (auto [x, y] : llvm::zip(known->second, digits))
      if (!sameDigits(x, y))
        return space.op->emitError("unsupported: a result combines elements of "
                                   "the product at different places");
    return success();
  }
  if (value == product)
    return success();
  Operation *op = value.getDefiningOp();
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      if (dependent.contains(operand) &&
          llvm::failed(place(operand, digits, seen)))
        return failure();
    return success();
  }
  Value operand = op->getNumOperands() ? op->getOperand(0) : Value();
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    Digits before(digits.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      before[from] = digits[to];
    return place(operand, before, seen);
  }
  if (isa<graph::ReshapeOp>(op))
    if (auto before = regroup(flatten(digits), k.dims.dimsOf(operand)))
      return place(operand, *before, seen);
  return op->emitError("unsupported: behind a product of the same kernel");
}

LogicalResult ContractionEpilogue::analyse() {
  Value whole = product;
  if (!space.parts.empty()) {
    graph::SliceOp part = space.parts.front();
    whole = part.getResult();
  }
  for (Value yielded : yieldOf(k.fusion)->getOperands()) {
    if (!dependent.contains(yielded))
      return k.fusion.emitError("unsupported: a result of a contraction that "
                                "does not depend on the product");
    llvm::DenseMap<Value, Digits> seen;
    if (llvm::failed(place(yielded, rowMajorView(yielded, k.dims).dims, seen)))
      return failure();
    Digits digits = seen[product];
    Output output;
    output.yielded = output.computed = yielded;
    auto select = [&](ArrayRef<unsigned> which) {
      Digits some;
      for (unsigned dim : which)
        some.push_back(digits[dim]);
      return flatten(some);
    };
    output.rows = select(space.rowDims);
    output.columns = select(space.columnDims);
    output.outer = digits;
    output.places = std::move(seen);
    outputs.push_back(std::move(output));
  }
  // Also where values pass through movement only: the sums are the result.
  Value source = outputs.size() == 1 ? outputs[0].yielded : Value();
  while (source && source != product) {
    Operation *op = source.getDefiningOp();
    source = isa<graph::TransposeOp, graph::ReshapeOp>(op) ? op->getOperand(0)
                                                           : Value();
  }
  direct = source && width > 1 && memoryType(element) == space.sum &&
           outputs[0].rows.size() == 1 && outputs[0].columns.size() == 1 &&
           outputs[0].columns[0].stride.isConstant(1) && !k.target.opencl;
  rowsOfRun = runOfRows();
  if (rowsOfRun && !llvm::all_of(outputs, [&](const Output &output) {
        return readsRowsAlike(output.places);
      }))
    rowsOfRun.reset();
  if (!rowsOfRun)
    part = columnsInARow();
  for (Output &output : outputs)
    computeBeforeMovement(output, whole);
  return success();
}

/// Movement behind all else only says where elements are stored: before it,
/// indices are those of the product, and need no division. Where lanes run
/// along rows, those of the result are the cheaper ones.
void ContractionEpilogue::computeBeforeMovement(Output &output,
                                                Value whole) const {
  const Digits &own = output.places.at(product);
  // The transpose of a square has its dimensions too.
  auto sameOrder = [&](Value value) {
    auto known = output.places.find(value);
    return k.dims.dimsOf(value) == k.dims.dimsOf(whole) &&
           (known == output.places.end() ||
            llvm::all_of(llvm::zip(known->second, own), [](auto pair) {
              return sameDigits(std::get<0>(pair), std::get<1>(pair));
            }));
  };
  Value value = output.yielded;
  if (!rowsOfRun)
    while (!sameOrder(value) &&
           isa_and_nonnull<graph::TransposeOp, graph::ReshapeOp>(
               value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
  output.sameDims = sameOrder(value);
  if (output.sameDims)
    output.computed = value;
}

/// A result may take columns apart, as where those of several phases become
/// neighbours in space: then a vector ends with the shortest run of them. Few
/// columns take no more lanes than they fill.
unsigned ContractionEpilogue::columnsInARow() const {
  uint64_t run = width;
  if (auto known = space.columns.size.constant(); known && *known > 0)
    run = std::min(run, llvm::bit_ceil(std::max<uint64_t>(
                            *known, sumLanes(space.sum, k.target))));
  for (const Output &output : outputs) {
    StridedDim columns = output.columns;
    coalesce(columns);
    if (columns.size() < 2)
      continue;
    auto size = columns.back().size.constant();
    if (!size || *size < 1 || !columns.back().stride.isConstant(1))
      return width;
    run = std::gcd(run, uint64_t(*size));
  }
  return run > 1 ? unsigned(run) : width;
}

/// The dimensions `rows` of `value` are one run, or none, wherever it is read
/// from: then one index can stand for all of them.
bool ContractionEpilogue::readsRowsAlike(Value value,
                                         ArrayRef<int64_t> rows) const {
  for (size_t i = 1; i < rows.size(); ++i)
    if (rows[i] != rows[i - 1] + 1)
      return false;
  Operation *op = value.getDefiningOp();
  if (rows.empty() || !op || isa<graph::ConstantOp>(op))
    return true;
  SmallVector<int64_t> inner;
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    for (int64_t row : rows)
      inner.push_back(transpose.getPermutation()[row]);
    return readsRowsAlike(transpose.getOperand(), inner);
  }
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    // A dimension of size 1 that is repeated is read at one place.
    const graph::DimVector own = k.dims.dimsOf(broadcast.getOperand()),
                           wide = k.dims.dimsOf(broadcast.getResult());
    for (int64_t row : rows) {
      int64_t from = llvm::find(broadcast.getMapping(), row) -
                     broadcast.getMapping().begin();
      if (from < int64_t(own.size()) && own[from] == wide[row])
        inner.push_back(from);
    }
    return inner.empty() || (inner.size() == rows.size() &&
                             readsRowsAlike(broadcast.getOperand(), inner));
  }
  return isElementwise(op) && llvm::all_of(op->getOperands(), [&](Value from) {
           return readsRowsAlike(from, rows);
         });
}

/// The same for all that joins the product on its way to a result.
bool ContractionEpilogue::readsRowsAlike(
    const llvm::DenseMap<Value, Digits> &seen) const {
  for (const auto &[value, digits] : seen) {
    Operation *op = value.getDefiningOp();
    if (value == product || !isElementwise(op))
      continue;
    SmallVector<int64_t> rows;
    for (auto [dim, own] : llvm::enumerate(digits)) {
      bool isRow = llvm::any_of(own, [&](const Stride &digit) {
        return !digit.size.isConstant(1) &&
               digit.stride.provablyAtMost(*rowsOfRun - 1);
      });
      if (isRow)
        rows.push_back(int64_t(dim));
    }
    for (Value operand : op->getOperands())
      if (!dependent.contains(operand) && !readsRowsAlike(operand, rows))
        return false;
  }
  return true;
}

/// Rows that lie side by side in all results, where these are whole lines, at
/// least a vector of them, and columns lie apart.
std::optional<DimExpr> ContractionEpilogue::runOfRows() const {
  unsigned lanes = sumLanes(space.sum, k.target);
  if (width == 1 || lanes < 2 || k.target.opencl)
    return std::nullopt;
  std::optional<DimExpr> run;
  for (const Output &output : outputs) {
    StridedDim rows = output.rows, columns = output.columns;
    coalesce(rows);
    coalesce(columns);
    if (rows.empty() || columns.empty() || !rows.back().stride.isConstant(1) ||
        columns.back().stride.isConstant(1))
      return std::nullopt;
    if (run && *run != rows.back().size)
      return std::nullopt;
    run = rows.back().size;
  }
  auto known = run ? run->constant() : std::nullopt;
  if (!known || *known < int64_t(lanes))
    return std::nullopt;
  DimExpr lines = space.tile.size;
  for (unsigned i = space.lines.size(); i-- > 0 && lines != *run;)
    lines = lines * space.lines[i].size;
  return lines == *run ? run : std::nullopt;
}

void ContractionEpilogue::prepare(unsigned rows) {
  rowsAtOnce = rows;
  if (rowsOfRun)
    turned = k.b.create<memref::AllocaOp>(
        k.loc, MemRefType::get({width * rowsAtOnce}, space.sum),
        k.b.getI64IntegerAttr(64));
}

Ix ContractionEpilogue::flatRow(const TilePlace &place, Value row) {
  IndexMath &math = emitter.indices;
  Ix flat = math.scale(math.scalar(row, space.tile.size), space.rowStep());
  DimExpr radix = space.tileIsOutermost ? DimExpr(1) : space.tile.size;
  for (unsigned i = space.lines.size(); i-- > 0;) {
    Ix line = math.scalar(place.lines[i], space.lines[i].size);
    flat = math.add(flat, math.scale(line, radix));
    radix = radix * space.lines[i].size;
  }
  return flat;
}

Ix ContractionEpilogue::columnIndex(Value column, bool lanes) {
  return lanes ? emitter.indices.lanes(column, space.columns.size, part)
               : emitter.indices.scalar(column, space.columns.size);
}

ContractionEpilogue::FlatIndex
ContractionEpilogue::flatIndex(const TilePlace &place, Ix row, Ix column) {
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
    Ix digit = math.scalar(place.outer[i], axis.axis.size);
    Ix &to = axis.resultDim < 0 ? flat.column : flat.batch[axis.resultDim];
    DimExpr &at = axis.resultDim < 0 ? radix : radices[axis.resultDim];
    to = math.add(to, math.scale(digit, at));
    at = at * axis.axis.size;
  }
  return flat;
}

/// Dimensions of a flat index; the outermost needs no division.
SmallVector<Ix> ContractionEpilogue::delinearize(Ix linear,
                                                 ArrayRef<DimExpr> sizes) {
  SmallVector<Ix> index(sizes.size());
  unsigned outermost = 0;
  while (outermost < sizes.size() && sizes[outermost].isConstant(1))
    ++outermost;
  for (unsigned i = sizes.size(); i-- > 0;) {
    if (sizes[i].isConstant(1)) {
      index[i] = Ix(DimExpr(0));
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

SmallVector<Ix> ContractionEpilogue::productIndex(const FlatIndex &flat) {
  const graph::DimVector sizes = k.dims.dimsOf(product);
  SmallVector<Ix> index = flat.batch;
  auto spread = [&](ArrayRef<unsigned> which, const Ix &linear) {
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
Ix ContractionEpilogue::along(const StridedDim &digits, Ix index) {
  IndexMath &math = emitter.indices;
  SmallVector<DimExpr> sizes;
  for (const Stride &digit : digits)
    sizes.push_back(digit.size);
  Ix sum;
  for (auto [digit, ix] :
       llvm::zip(digits, delinearize(std::move(index), sizes)))
    sum = math.add(sum, math.scale(ix, digit.stride));
  return sum;
}

Ix ContractionEpilogue::address(const Output &output, const FlatIndex &flat) {
  IndexMath &math = emitter.indices;
  Ix sum = math.add(along(output.rows, flat.row),
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

std::optional<ContractionEpilogue::DirectStore>
ContractionEpilogue::directStore(const TilePlace &place) {
  if (!direct)
    return std::nullopt;
  ElementEmitter::Scope scope(emitter);
  Ix linear = address(outputs[0], flatIndex(place, flatRow(place, place.row),
                                            columnIndex(place.column, false)));
  return DirectStore{k.result(0), emitter.indices.value(linear),
                     k.size(outputs[0].rows[0].stride * space.rowStep())};
}

void ContractionEpilogue::finish(Value tiles, Value tileOffset, Value rowStride,
                                 const TilePlace &place, Value rows,
                                 Value columns) {
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
void ContractionEpilogue::finishPart(Value tiles, Value at,
                                     const TilePlace &place, Value r,
                                     Value first, Value columns) {
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

void ContractionEpilogue::storeResults(const FlatIndex &flat) {
  SmallVector<Ix> index;
  std::vector<std::pair<Value, Ix>> stores;
  for (const Output &output : outputs) {
    Ix linear = address(output, flat);
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
void ContractionEpilogue::turnRows(Value tiles, Value at) {
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
void ContractionEpilogue::columnsOfRows(Value tiles, Value at,
                                        const TilePlace &place, Ix rows,
                                        Value mask, Value columns) {
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

void ContractionEpilogue::fetchColumns(const TilePlace &place, Value firstRow,
                                       Value rows) {
  IndexMath &math = emitter.indices;
  Value left = k.sub(k.size(space.columns.size), place.column);
  for (auto [number, output] : llvm::enumerate(outputs)) {
    StridedDim columns = output.columns;
    coalesce(columns);
    if (columns.size() != 1)
      continue;
    ElementEmitter::Scope scope(emitter);
    Ix row = math.scalar(firstRow, space.lineCount() * space.tile.size);
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

void ContractionEpilogue::finishColumns(Value tiles, Value tileOffset,
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
          Ix rows = math.lanes(start, *rowsOfRun);
          math.collapse(rows, boundaries);
          Ix flat =
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

bool contractionMayShareBytes(graph::FusionOp fusion, unsigned operand,
                              unsigned result) {
  Operation *anchor = contractionAnchor(fusion);
  if (!anchor)
    return false;
  Block &body = fusion.getBody().front();
  Value argument = body.getArgument(operand),
        yielded = yieldOf(fusion)->getOperand(result);
  auto dependent = dependents(fusion, anchor);
  Type shape = anchor->getResult(0).getType();
  // Behind gates, what is computed has the shape of one.
  for (Value value : dependent)
    if (value.getDefiningOp<graph::SliceOp>())
      shape = value.getType();
  auto leadsToGates = [&](Operation *op) {
    return isa<graph::SliceOp>(op) ||
           (isElementwise(op) && shape != anchor->getResult(0).getType() &&
            op->getResult(0).getType() == anchor->getResult(0).getType());
  };
  auto pointwise = [&](Operation *op) {
    return isElementwise(op) && dependent.contains(op->getResult(0)) &&
           cast<RankedTensorType>(op->getResult(0).getType()).getShape() ==
               cast<RankedTensorType>(shape).getShape();
  };
  // Other results must not move elements elsewhere either: their stores come
  // after the row's reads only.
  for (Operation &op : body)
    if (&op != anchor &&
        dependent.contains(op.getResults().empty() ? Value()
                                                   : op.getResult(0)) &&
        !pointwise(&op) && !leadsToGates(&op))
      return false;
  return yielded != anchor->getResult(0) &&
         argument.getType() == yielded.getType() &&
         llvm::count(fusion.getInputs(), fusion.getInputs()[operand]) == 1 &&
         llvm::all_of(argument.getUsers(), pointwise);
}

} // namespace zenith::kernels
