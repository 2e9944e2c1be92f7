// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the values between a GEMM and the results of its fusion.

#include "lowering/schedule/EpilogueForm.h"
#include "ir/ops/Indexing.h"
#include "lowering/builder/Dependents.h"
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

static bool isElementwise(Operation *op) {
  return graph::familyOf(op) == graph::Family::Elementwise ||
         graph::isByteLookup(op);
}

/// True where the elements of two dimensions have the same strides.
static bool sameDigits(StridedDim x, StridedDim y) {
  coalesce(x);
  coalesce(y);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const Stride &a, const Stride &b) {
                      return a.size == b.size && a.stride == b.stride;
                    });
}

namespace {

/// Fills in an EpilogueForm.
class EpilogueAnalysis {
public:
  EpilogueAnalysis(graph::FusionOp fusion, graph::DimAnalysis &dims,
                   const ContractionSpace &space, const TargetModel &target,
                   EpilogueForm &form)
      : fusion(fusion), dims(dims), space(space), target(target), form(form),
        dependent(dependents(fusion, space.op)) {}
  LogicalResult run();

private:
  using Digits = EpilogueForm::Digits;
  using Output = EpilogueForm::Output;
  LogicalResult locate(Value value, Digits digits,
                       llvm::DenseMap<Value, Digits> &seen);
  LogicalResult addOutput(Value yielded);
  bool mayStoreDirectly() const;
  void computeBeforeMovement(Output &output, Value whole) const;
  std::optional<DimExpr> contiguousRows() const;
  unsigned contiguousColumns() const;
  bool readsRowsAsOneRun(Value value, ArrayRef<int64_t> rows) const;
  bool readsRowsAsOneRun(const llvm::DenseMap<Value, Digits> &seen) const;

  graph::FusionOp fusion;
  graph::DimAnalysis &dims;
  const ContractionSpace &space;
  const TargetModel &target;
  EpilogueForm &form;
  llvm::DenseSet<Value> dependent;
};

} // namespace

/// Walks from a result of the fusion back to that of the GEMM; `digits` say
/// where elements of `value` lie in the result.
LogicalResult EpilogueAnalysis::locate(Value value, Digits digits,
                                       llvm::DenseMap<Value, Digits> &seen) {
  // A gate's elements lie where those computed from it do.
  if (llvm::is_contained(space.gateSlices, value.getDefiningOp()))
    value = form.result;
  auto [known, isNew] = seen.try_emplace(value, digits);
  if (!isNew) {
    for (auto [x, y] : llvm::zip(known->second, digits))
      if (!sameDigits(x, y))
        return space.op->emitError("unsupported: a result combines different "
                                   "elements of the matmul");
    return success();
  }
  if (value == form.result)
    return success();
  Operation *op = value.getDefiningOp();
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      if (dependent.contains(operand) && failed(locate(operand, digits, seen)))
        return failure();
    return success();
  }
  Value operand = op->getNumOperands() ? op->getOperand(0) : Value();
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    Digits before(digits.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      before[from] = digits[to];
    return locate(operand, before, seen);
  }
  if (isa<graph::ReshapeOp>(op))
    if (auto before = regroup(flatten(digits), dims.dimsOf(operand)))
      return locate(operand, *before, seen);
  return op->emitError("unsupported: in the epilogue of a matmul");
}

LogicalResult EpilogueAnalysis::addOutput(Value yielded) {
  if (!dependent.contains(yielded))
    return fusion.emitError("unsupported: a result of a contraction that does "
                            "not depend on the matmul");
  llvm::DenseMap<Value, Digits> seen;
  if (failed(locate(yielded, rowMajorView(yielded, dims).dims, seen)))
    return failure();
  Digits digits = seen[form.result];
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
  output.dims = digits;
  output.locations = std::move(seen);
  form.outputs.push_back(std::move(output));
  return success();
}

/// Also where values pass through movement only: the accumulators are the
/// result.
bool EpilogueAnalysis::mayStoreDirectly() const {
  const auto &outputs = form.outputs;
  Value source = outputs.size() == 1 ? outputs[0].yielded : Value();
  while (source && source != form.result) {
    Operation *op = source.getDefiningOp();
    source = isa<graph::TransposeOp, graph::ReshapeOp>(op) ? op->getOperand(0)
                                                           : Value();
  }
  return source && form.nr > 1 && memoryType(form.element) == space.sum &&
         outputs[0].rows.size() == 1 && outputs[0].columns.size() == 1 &&
         outputs[0].columns[0].stride.isConstant(1) && target.calls;
}

LogicalResult EpilogueAnalysis::run() {
  form.result = space.op->getResult(0);
  form.element = getElementTypeOrSelf(form.result.getType());
  form.nr = space.columns.size.isConstant(1) ? 1 : nrOf(space.sum, target);
  form.vectorWidth = form.nr;
  Value whole = form.result;
  if (!space.gateSlices.empty()) {
    graph::SliceOp gate = space.gateSlices.front();
    whole = gate.getResult();
  }
  for (Value yielded : yieldOf(fusion)->getOperands())
    if (failed(addOutput(yielded)))
      return failure();
  form.storesDirectly = mayStoreDirectly();
  form.rowRun = contiguousRows();
  if (form.rowRun && !llvm::all_of(form.outputs, [&](const Output &output) {
        return readsRowsAsOneRun(output.locations);
      }))
    form.rowRun.reset();
  if (!form.rowRun)
    form.vectorWidth = contiguousColumns();
  for (Output &output : form.outputs)
    computeBeforeMovement(output, whole);
  return success();
}

/// Movement at the end only decides where elements are stored. Values before it
/// have the indices of the GEMM's result, which need no division. Where lanes
/// run along rows, the indices of the stored result are the cheaper ones.
void EpilogueAnalysis::computeBeforeMovement(Output &output,
                                             Value whole) const {
  const Digits &own = output.locations.at(form.result);
  // The transpose of a square has its dimensions too.
  auto sameOrder = [&](Value value) {
    auto known = output.locations.find(value);
    return dims.dimsOf(value) == dims.dimsOf(whole) &&
           (known == output.locations.end() ||
            llvm::all_of(llvm::zip(known->second, own), [](auto pair) {
              return sameDigits(std::get<0>(pair), std::get<1>(pair));
            }));
  };
  Value value = output.yielded;
  if (!form.rowRun)
    while (!sameOrder(value) &&
           isa_and_nonnull<graph::TransposeOp, graph::ReshapeOp>(
               value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
  output.sameDims = sameOrder(value);
  if (output.sameDims)
    output.computed = value;
}

/// Columns that are contiguous in all results, which a vector of the epilogue
/// must not exceed: a result may spread columns, as where the phases of a
/// transposed convolution become neighbouring positions. Few columns take no
/// more lanes than they fill.
unsigned EpilogueAnalysis::contiguousColumns() const {
  uint64_t run = form.nr;
  if (auto known = space.columns.size.constant(); known && *known > 0)
    run = std::min(run, llvm::bit_ceil(std::max<uint64_t>(
                            *known, sumLanes(space.sum, target))));
  for (const Output &output : form.outputs) {
    StridedDim columns = output.columns;
    coalesce(columns);
    if (columns.size() < 2)
      continue;
    auto size = columns.back().size.constant();
    if (!size || *size < 1 || !columns.back().stride.isConstant(1))
      return form.nr;
    run = std::gcd(run, uint64_t(*size));
  }
  return run > 1 ? unsigned(run) : form.nr;
}

/// Whether the dimensions `rows` of `value` are one run, or none, in all values
/// that it is computed from: then one index can stand for all of them.
bool EpilogueAnalysis::readsRowsAsOneRun(Value value,
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
    return readsRowsAsOneRun(transpose.getOperand(), inner);
  }
  if (auto broadcast = dyn_cast<graph::BroadcastOp>(op)) {
    // A repeated dimension of size 1 is always read at index 0.
    const graph::DimVector own = dims.dimsOf(broadcast.getOperand()),
                           wide = dims.dimsOf(broadcast.getResult());
    for (int64_t row : rows) {
      int64_t from = llvm::find(broadcast.getMapping(), row) -
                     broadcast.getMapping().begin();
      if (from < int64_t(own.size()) && own[from] == wide[row])
        inner.push_back(from);
    }
    return inner.empty() || (inner.size() == rows.size() &&
                             readsRowsAsOneRun(broadcast.getOperand(), inner));
  }
  return isElementwise(op) && llvm::all_of(op->getOperands(), [&](Value from) {
           return readsRowsAsOneRun(from, rows);
         });
}

/// The same for all operands of the epilogue of a result.
bool EpilogueAnalysis::readsRowsAsOneRun(
    const llvm::DenseMap<Value, Digits> &seen) const {
  for (const auto &[value, digits] : seen) {
    Operation *op = value.getDefiningOp();
    if (value == form.result || !isElementwise(op))
      continue;
    SmallVector<int64_t> rows;
    for (auto [dim, own] : llvm::enumerate(digits)) {
      bool isRow = llvm::any_of(own, [&](const Stride &digit) {
        return !digit.size.isConstant(1) &&
               !form.rowRun->provablyAtMost(digit.stride);
      });
      if (isRow)
        rows.push_back(int64_t(dim));
    }
    for (Value operand : op->getOperands())
      if (!dependent.contains(operand) && !readsRowsAsOneRun(operand, rows))
        return false;
  }
  return true;
}

/// Rows that are contiguous in all results, where they are whole outer rows,
/// not known to be less than a vector of them, and columns are not contiguous.
std::optional<DimExpr> EpilogueAnalysis::contiguousRows() const {
  unsigned lanes = sumLanes(space.sum, target);
  if (form.nr == 1 || lanes < 2 || !target.stackArrays)
    return std::nullopt;
  std::optional<DimExpr> run;
  for (const Output &output : form.outputs) {
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
  // A run of unknown size is taken for a long one: shorter ones are stored by
  // masked vectors, where columns would be scattered.
  if (!run || run->constant().value_or(lanes) < int64_t(lanes))
    return std::nullopt;
  DimExpr lines = space.rowAxis.size;
  for (unsigned i = space.outerRows.size(); i-- > 0 && lines != *run;)
    lines = lines * space.outerRows[i].size;
  return lines == *run ? run : std::nullopt;
}

FailureOr<EpilogueForm> EpilogueForm::make(graph::FusionOp fusion,
                                           graph::DimAnalysis &dims,
                                           const ContractionSpace &space,
                                           const TargetModel &target) {
  EpilogueForm form;
  if (failed(EpilogueAnalysis(fusion, dims, space, target, form).run()))
    return failure();
  return form;
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
  // Values computed from gates have the shape of one gate.
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
  // What does not rest on the matmul is computed where an op of the epilogue
  // reads it, such as a decayed moment of an optimiser.
  std::function<bool(Operation *)> inEpilogue = [&](Operation *op) {
    if (pointwise(op))
      return true;
    return isElementwise(op) && !dependent.contains(op->getResult(0)) &&
           cast<RankedTensorType>(op->getResult(0).getType()).getShape() ==
               cast<RankedTensorType>(shape).getShape() &&
           llvm::all_of(op->getResult(0).getUsers(), inEpilogue);
  };
  // Other results must not move elements either: only the reads of the same row
  // come before their stores.
  for (Operation &op : body)
    if (&op != anchor &&
        dependent.contains(op.getResults().empty() ? Value()
                                                   : op.getResult(0)) &&
        !pointwise(&op) && !leadsToGates(&op))
      return false;
  return yielded != anchor->getResult(0) &&
         argument.getType() == yielded.getType() &&
         llvm::count(fusion.getInputs(), fusion.getInputs()[operand]) == 1 &&
         llvm::all_of(argument.getUsers(), [&](Operation *user) {
           return !graph::isByteLookup(user) && inEpilogue(user);
         });
}

} // namespace zenith::kernels
