// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides stores by what a kernel reads and writes.

#include "lowering/decisions/StreamStores.h"
#include "lowering/builder/Guards.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/decisions/Cost.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/schedule/LaneChoice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace zenith::sched;
using zenith::graph::DimExpr;

namespace zenith::decisions {

using kernels::elseGuard;
using kernels::Guard;

// MLIR has one, too.
using sched::ElementsAttr;

/// 1 where kernels write `result` by whole cache lines, each line once, else 0:
/// its rows are whole lines, or all of it is one row, since its operands have
/// its shape. A line that ordinary stores write too would have to be read
/// again, which makes a pooling several times as slow.
static DimExpr writesWholeLines(graph::FusionOp fusion, OpResult result,
                                graph::DimAnalysis &dims, int64_t lineBytes) {
  const graph::DimVector shape = dims.dimsOf(result);
  if (llvm::all_of(fusion.getInputs(), [&](Value input) {
        return dims.dimsOf(input) == shape ||
               dims.elementCount(input).isConstant(1);
      }))
    return 1;
  auto type = cast<RankedTensorType>(result.getType());
  if (shape.empty() || !type.getElementType().isIntOrFloat())
    return 0;
  int64_t bytes = std::max(8u, type.getElementTypeBitWidth()) / 8;
  if (lineBytes % bytes)
    return 0;
  DimExpr ofLine = lineBytes / bytes, row = shape.back();
  // A reduction reads its rows again, which takes longer than what a second
  // kernel would save.
  if (!row.constant() && fusion.getKind() == graph::FusionKind::reduction)
    return 0;
  return kernels::isAtMost(row - ofLine * DimExpr::floorDiv(row, ofLine), 0);
}

/// Whether stores are what a fusion's kernels wait for.
static bool storesMuch(graph::FusionOp fusion) {
  // Long computation between two rows hides the latency of ordinary stores.
  constexpr double longWork = 20;
  switch (fusion.getKind()) {
  case graph::FusionKind::pointwise:
  case graph::FusionKind::copy:
    return true;
  case graph::FusionKind::reduction:
    return kernels::costPerElement(fusion) <= longWork;
  default:
    return false;
  }
}

/// 1 where a run's sizes let a kernel stream the result, else 0.
static DimExpr streamable(graph::FusionOp fusion, unsigned result,
                          graph::DimAnalysis &dims,
                          const target::TargetModel &model) {
  OpResult value = fusion->getResult(result);
  bool isOpen = model.streamingBytes && storesMuch(fusion) &&
                llvm::all_of(value.getUsers(), [](Operation *user) {
                  return isa<func::ReturnOp>(user);
                });
  return isOpen ? writesWholeLines(fusion, value, dims, model.lineBytes)
                : DimExpr(0);
}

Stores streamingStores(graph::FusionOp fusion, graph::DimAnalysis &dims,
                       const target::TargetModel &model) {
  SmallVector<int64_t> results;
  for (unsigned result = 0; result < fusion->getNumResults(); ++result)
    if (!streamable(fusion, result, dims, model).isConstant(0))
      results.push_back(result);
  if (results.empty())
    return {};
  bool all = results.size() == fusion->getNumResults();
  return {Store::Streaming,
          all ? DenseI64ArrayAttr()
              : DenseI64ArrayAttr::get(fusion.getContext(), results)};
}

/// Bytes read and written.
static DimExpr bytesOf(ValueRange values, graph::DimAnalysis &dims) {
  DimExpr bytes;
  for (Value value : values)
    bytes = bytes + dims.elementCount(value) * DimExpr(bytesOfElement(value));
  return bytes;
}

/// Bytes of `value` that a program's own memory does not hold: of parameters,
/// arguments and what it returns. 0 where only a run knows.
static double bytesOutside(Value value, graph::DimAnalysis &dims) {
  bool isTemporary = value.getDefiningOp<graph::FusionOp>() &&
                     llvm::none_of(value.getUsers(), [](Operation *user) {
                       return isa<func::ReturnOp>(user);
                     });
  auto count = dims.elementCount(value).constant();
  return count && !isTemporary ? double(*count * bytesOfElement(value)) : 0;
}

/// Whether the steps after a fusion touch more bytes than caches hold, so that
/// the caller finds none of the fusion's results there. Each value counts once,
/// tables of which rows are gathered do not. Ends with the bytes.
static bool leavesCaches(graph::FusionOp fusion, graph::DimAnalysis &dims,
                         const target::TargetModel &model) {
  llvm::SmallPtrSet<Value, 16> touched;
  double bytes = 0;
  auto touch = [&](Value value) {
    if (touched.insert(value).second)
      bytes += bytesOutside(value, dims);
  };
  for (Operation *op = fusion->getNextNode();
       op && bytes <= double(model.streamingBytes); op = op->getNextNode()) {
    auto later = dyn_cast<graph::FusionOp>(op);
    if (!later)
      continue;
    for (auto [input, argument] :
         llvm::zip(later.getInputs(), later.getBody().getArguments()))
      if (llvm::none_of(argument.getUsers(), [](Operation *user) {
            return isa<graph::GatherOp>(user);
          }))
        touch(input);
    llvm::for_each(later.getResults(), touch);
  }
  return bytes > double(model.streamingBytes);
}

/// Bytes that a kernel touches from which on it streams: what all caches hold,
/// or what the core's own do where later steps replace the rest.
static int64_t mostCached(graph::FusionOp fusion, const DimExpr &bytes,
                          graph::DimAnalysis &dims,
                          const target::TargetModel &model) {
  int64_t few = std::min(model.streamingBytes, 2 * model.l2Bytes);
  bool areFew = bytes.constant().value_or(few + 1) <= few;
  return areFew || !leavesCaches(fusion, dims, model) ? model.streamingBytes
                                                      : few;
}

/// The same schedule with other stores.
static Attribute withStore(Attribute schedule, const Stores &store) {
  MLIRContext *context = schedule.getContext();
  if (auto own = dyn_cast<ElementsAttr>(schedule))
    return ElementsAttr::get(context, own.getOn(), own.getGroup(),
                             own.getBlock(), own.getTile(), own.getPiece(),
                             own.getItem(), own.getLanes(), own.getTasks(),
                             own.getScratch(), own.getShares(), store);
  auto own = cast<ReduceAttr>(schedule);
  return ReduceAttr::get(
      context, own.getOn(), own.getGroup(), own.getRows(), own.getKeep(),
      own.getSlots(), own.getChunk(), own.getSums(), own.getTogether(),
      own.getPrefetch(), own.getStreams(), own.getAhead(), own.getItem(),
      own.getLanes(), own.getTasks(), own.getScratch(), own.getShares(), store);
}

graph::Schedule withStreamingStores(graph::FusionOp fusion,
                                    graph::Schedule schedule,
                                    graph::DimAnalysis &dims,
                                    const target::TargetModel &model) {
  if (!isa<ElementsAttr, ReduceAttr>(schedule))
    return schedule;
  bool any = false;
  DimExpr condition = 1;
  for (unsigned result = 0; result < fusion->getNumResults(); ++result) {
    DimExpr own = streamable(fusion, result, dims, model);
    if (own.isConstant(0))
      continue;
    any = true;
    condition = own == condition ? own : condition * own;
  }
  if (!any)
    return schedule;
  llvm::SmallSetVector<Value, 8> inputs(fusion.getInputs().begin(),
                                        fusion.getInputs().end());
  DimExpr read = bytesOf(inputs.getArrayRef(), dims),
          written = bytesOf(fusion->getResults(), dims), all = read + written;
  condition = condition * kernels::isAtMost(written - read * DimExpr(2), 0);
  const int64_t most = mostCached(fusion, all, dims, model);
  Guard guard{DimExpr(most + 1), all};
  if (!condition.isConstant(1))
    guard = {DimExpr(1),
             (DimExpr(1) - kernels::isAtMost(all, most)) * condition};
  Attribute streamed =
      withStore(schedule, streamingStores(fusion, dims, model));
  if (guard.lower.provablyAtMost(guard.upper))
    return cast<graph::Schedule>(streamed);
  std::string text = guard.str();
  if ((guard.upper + 1).provablyAtMost(guard.lower) ||
      StringRef(text).contains('%'))
    return schedule;
  Builder builder(fusion.getContext());
  return graph::Schedule(ChoiceAttr::get(
      fusion.getContext(), builder.getStrArrayAttr({text, elseGuard}),
      builder.getArrayAttr({streamed, schedule})));
}

StreamedResults streamedResults(graph::Schedule schedule) {
  auto choice = dyn_cast<ChoiceAttr>(schedule);
  Stores stores =
      keysOf(choice ? choice.getVariants()[0] : Attribute(schedule)).store;
  if (stores.how != Store::Streaming)
    return {{}, 0};
  if (!choice)
    return {stores, 1};
  auto guard = Guard::parse(cast<StringAttr>(choice.getGuards()[0]).getValue());
  return {stores, guard ? guard->taken() : DimExpr(0)};
}

} // namespace zenith::decisions
