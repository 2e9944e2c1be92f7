// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps dimensions of updates to those of operands, and chooses what tasks
// divide: columns of wide windows; updates of their own along a dimension where
// update i goes to index i; or indices along a dimension that scatter indices
// choose.

#include "lowering/schedule/ScatterSchedule.h"
#include "ir/matchers/IotaIndices.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

ScatterView::ScatterView(Operation *op) : op(op) {
  if (auto scatter = dyn_cast<graph::ScatterOp>(op)) {
    inputs.push_back(scatter.getOperand());
    updates.push_back(scatter.getUpdates());
    indices = scatter.getIndices();
    dims = scatter.getDims();
    return;
  }
  auto scatter = cast<graph::ScatterWithOp>(op);
  llvm::append_range(inputs, scatter.getInputs());
  llvm::append_range(updates, scatter.getUpdates());
  indices = scatter.getIndices();
  dims = scatter.getDims();
}

ScatterSchedule::ScatterSchedule(Operation *op, graph::DimAnalysis &dims)
    : scatter(op), operandDims(dims.dimsOf(scatter.inputs[0])),
      updateDims(dims.dimsOf(scatter.updates[0])) {
  mapDims();
  findParts();
}

static Operation *scatterOf(graph::FusionOp fusion) {
  Operation *found = nullptr;
  for (Operation &op : fusion.getBody().front())
    if (isa<graph::ScatterOp, graph::ScatterWithOp>(op)) {
      if (found)
        return nullptr;
      found = &op;
    }
  return found;
}

FailureOr<ScatterSchedule> ScatterSchedule::make(graph::FusionOp fusion,
                                                 graph::DimAnalysis &dims) {
  Operation *op = scatterOf(fusion);
  auto results = fusion.getBody().front().getTerminator()->getOperands();
  if (!op || results.size() != op->getNumResults() ||
      !llvm::all_of(results,
                    [&](Value value) { return value.getDefiningOp() == op; }))
    return fusion.emitError(
        "no kernel for a scatter fusion that gives anything "
        "but the results of one scatter");
  return ScatterSchedule(op, dims);
}

void ScatterSchedule::mapDims() {
  for (unsigned d = 0; d < updateDims.size(); ++d)
    (llvm::is_contained(scatter.dims.getUpdateWindowDims(), int64_t(d))
         ? windowDims
         : scatterDims)
        .push_back(d);
  unsigned next = 0;
  for (int64_t d = 0; d < int64_t(operandDims.size()); ++d) {
    bool inside =
        !llvm::is_contained(scatter.dims.getInsertedWindowDims(), d) &&
        !llvm::is_contained(scatter.dims.getInputBatchingDims(), d);
    windowOf.push_back(inside ? int(windowDims[next++]) : -1);
  }
  if (operandDims.empty() || windowOf.back() < 0 ||
      windowOf.back() + 1 != int(updateDims.size()))
    return;
  auto size = updateDims.back().constant();
  if (!size || *size >= 4)
    lane = updateDims.size() - 1;
}

/// The dimension of the updates whose index is the index along dimension d of
/// the operand.
std::optional<unsigned> ScatterSchedule::ownUpdates(unsigned d) const {
  graph::ScatterDimsAttr dims = scatter.dims;
  int64_t vectorDim = dims.getIndexVectorDim();
  std::optional<int64_t> source;
  if (auto *known = llvm::find(dims.getInputBatchingDims(), int64_t(d));
      known != dims.getInputBatchingDims().end())
    source = dims.getIndicesBatchingDims()[known -
                                           dims.getInputBatchingDims().begin()];
  else if (auto *mapped = llvm::find(dims.getIndexMap(), int64_t(d));
           mapped != dims.getIndexMap().end())
    source = graph::iotaDim(scatter.indices, vectorDim,
                            mapped - dims.getIndexMap().begin());
  if (!source)
    return std::nullopt;
  return scatterDims[*source > vectorDim ? *source - 1 : *source];
}

void ScatterSchedule::findParts() {
  for (unsigned d = 0; d < operandDims.size(); ++d) {
    if (windowOf[d] >= 0 && !updateDims[windowOf[d]].isConstant(1))
      continue; // windows reach along it
    if (!own)
      own = ownUpdates(d);
    if (!named && llvm::is_contained(scatter.dims.getIndexMap(), int64_t(d)))
      named = d;
  }
}

static DimExpr product(const graph::DimVector &sizes, ArrayRef<unsigned> dims) {
  DimExpr all = 1;
  for (unsigned d : dims)
    all = all * sizes[d];
  return all;
}

void ScatterSchedule::chooseTasks() {
  constexpr int64_t columns = 256, wide = 2 * columns, enoughWork = 1 << 15;
  if (lane) {
    auto size = updateDims[*lane].constant();
    if (!size || *size >= wide)
      return setTasks(columns, 0);
  }
  DimExpr window = product(updateDims, windowDims);
  auto work = (product(updateDims, scatterDims) * window).constant();
  if (work && *work < enoughWork)
    return;
  // Finding the owner of a window takes as long as writing some elements.
  constexpr int64_t fewElements = 32, mostOwn = 16, mostNamed = 4;
  if (own)
    setTasks(0, mostOwn);
  else if (named && window.constant().value_or(fewElements) >= fewElements)
    setTasks(0, mostNamed);
}

DimExpr ScatterSchedule::tasks() const {
  if (block)
    return DimExpr::ceilDiv(updateDims[*lane], block);
  if (!parts)
    return 1;
  // A share of nothing is still one by a number of tasks.
  return own ? DimExpr::max(DimExpr::min(updateDims[*own], parts), 1)
             : DimExpr(parts);
}

} // namespace zenith::kernels
