// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds where the elements of a product lie in all that is made of them, and
// whether results may take the place of what is read beside it.

#include "lowering/kernels/GemmEpilogue.h"
#include "lowering/kernels/GemmKernel.h"
#include "lowering/microkernels/MicroKernel.h"
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
LogicalResult GemmEpilogue::place(Value value, Digits digits,
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

LogicalResult GemmEpilogue::analyse() {
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
           outputs[0].columns[0].stride.isConstant(1) && !k.target.printed;
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
void GemmEpilogue::computeBeforeMovement(Output &output, Value whole) const {
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
unsigned GemmEpilogue::columnsInARow() const {
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
bool GemmEpilogue::readsRowsAlike(Value value, ArrayRef<int64_t> rows) const {
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
bool GemmEpilogue::readsRowsAlike(
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
std::optional<DimExpr> GemmEpilogue::runOfRows() const {
  unsigned lanes = sumLanes(space.sum, k.target);
  if (width == 1 || lanes < 2 || k.target.printed)
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
