// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of functions that hold their plans, and plans of orders that a
// function does not have.

#include "lowering/memory/FunctionPlans.h"

#include "lowering/host/HostDialect.h"
#include "lowering/memory/FunctionGraph.h"
#include "lowering/schedule/ContractionSpace.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zenith::memory {

std::optional<StringRef> planOf(Operation *op) {
  auto entry = op->getAttrOfType<FlatSymbolRefAttr>(planOfAttrName);
  return entry ? std::optional<StringRef>(entry.getValue()) : std::nullopt;
}

void forEachCallee(Operation *op, const SymbolTable &symbols,
                   llvm::function_ref<void(func::FuncOp)> visit) {
  if (!isa<host::BranchOp, host::LoopOp>(op))
    return;
  op->getAttrDictionary().walk([&](FlatSymbolRefAttr name) {
    if (auto callee = symbols.lookup<func::FuncOp>(name.getValue()))
      visit(callee);
  });
}

static void addCalleesFirst(func::FuncOp function, const SymbolTable &symbols,
                            llvm::SetVector<func::FuncOp> &order) {
  if (order.contains(function))
    return;
  function.walk([&](Operation *op) {
    forEachCallee(op, symbols, [&](func::FuncOp callee) {
      addCalleesFirst(callee, symbols, order);
    });
  });
  order.insert(function);
}

std::vector<func::FuncOp> calleesFirst(ModuleOp module,
                                       const SymbolTable &symbols) {
  llvm::SetVector<func::FuncOp> order;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    addCalleesFirst(function, symbols, order);
  return {order.begin(), order.end()};
}

void setFunctionPlan(func::FuncOp function, const BufferPlan &plan) {
  Builder builder(function.getContext());
  function->setAttr(host::arenaAttrName,
                    graph::DimAttr::get(builder.getContext(), plan.arenaBytes));
  function->setAttr(
      host::activationsAttrName,
      graph::DimAttr::get(builder.getContext(), plan.activationBytes));
  if (!plan.donations.empty()) {
    SmallVector<int64_t> pairs;
    for (const Donation &donation : plan.donations)
      pairs.append({donation.result, donation.argument});
    function->setAttr(host::donationsAttrName,
                      builder.getDenseI64ArrayAttr(pairs));
  }
  if (!plan.inPlace.empty())
    function->setAttr(host::inPlaceAttrName,
                      builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
                          plan.inPlace.begin(), plan.inPlace.end())));
}

void removeFunctionPlan(func::FuncOp function) {
  for (StringRef name : {host::arenaAttrName, host::activationsAttrName,
                         host::donationsAttrName, host::inPlaceAttrName})
    function->removeAttr(name);
}

ResultBuffers resultBuffersOf(func::FuncOp function, graph::DimAnalysis &dims,
                              ArrayRef<unsigned> donated) {
  ResultBuffers buffers{graph::DimExpr(0), graph::DimExpr(0)};
  Operation *end = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    // The runtime allocates at least a byte.
    graph::DimExpr bytes = bytesOf(value, dims);
    bytes = wholeLines(bytes.isConstant(0) ? graph::DimExpr(1) : bytes);
    bool hasExtents = cast<RankedTensorType>(value.getType()).getRank() > 0;
    buffers.all =
        buffers.all + bytes + graph::DimExpr(hasExtents ? lineBytes : 0);
    if (llvm::is_contained(donated, unsigned(index)))
      buffers.donated = buffers.donated + bytes;
  }
  return buffers;
}

double allocatedBytes(func::FuncOp function, const BufferPlan &plan) {
  double arena = kernels::estimate(plan.arenaBytes);
  if (function->hasAttr(graph::nestedAttrName))
    return arena;
  SmallVector<unsigned> donated;
  for (const Donation &donation : plan.donations)
    donated.push_back(donation.result);
  graph::DimAnalysis dims;
  ResultBuffers results = resultBuffersOf(function, dims, donated);
  return arena + kernels::estimate(results.all - results.donated);
}

FailureOr<BufferPlan>
planOfCopy(func::FuncOp function, const target::TargetModel &target,
           const ModuleContext &context,
           llvm::function_ref<void(func::FuncOp, FunctionGraph &)> change) {
  OwningOpRef<func::FuncOp> copy = function.clone();
  graph::DimAnalysis dims;
  FunctionGraph graph(*copy, dims, target, context.symbols);
  change(*copy, graph);
  graph::DimAnalysis again;
  FailureOr<BufferPlan> plan = planBuffers(*copy, again, target, context);
  // Places of values mean nothing without the copy.
  if (succeeded(plan)) {
    plan->buffers.clear();
    plan->locations.clear();
    plan->scratch.clear();
    plan->nestedArenas.clear();
    plan->deallocs.clear();
    plan->constants.clear();
  }
  return plan;
}

FailureOr<BufferPlan> planOfOrder(func::FuncOp function,
                                  ArrayRef<unsigned> order,
                                  const target::TargetModel &target,
                                  const ModuleContext &context) {
  return planOfCopy(
      function, target, context,
      [&](func::FuncOp, FunctionGraph &graph) { graph.apply(order); });
}

LogicalResult
planCalleesFirst(ModuleOp module, const ModuleContext &context,
                 llvm::function_ref<FailureOr<BufferPlan>(func::FuncOp)> plan) {
  std::vector<func::FuncOp> functions = calleesFirst(module, context.symbols);
  for (func::FuncOp function : functions) {
    FailureOr<BufferPlan> planned = plan(function);
    if (failed(planned))
      return failure();
    setFunctionPlan(function, *planned);
  }
  llvm::for_each(functions, removeFunctionPlan);
  return success();
}

std::string memoryGraphText(ModuleOp module) {
  target::TargetModel model = target::modelOf(module);
  ModuleContext context(module);
  func::FuncOp entry = module.lookupSymbol<func::FuncOp>("main");
  SmallVector<func::FuncOp> open;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (function.isPublic() &&
        function.getSymName() != graph::prepareFunctionName)
      open.push_back(function);
  if (open.size() == 1)
    entry = open.front();
  std::string text;
  std::vector<func::FuncOp> functions = calleesFirst(module, context.symbols);
  for (func::FuncOp function : functions) {
    graph::DimAnalysis dims;
    if (function == entry) {
      FunctionGraph graph(function, dims, model, context.symbols);
      text = remat::toJSON(graph.graph());
      break;
    }
    FailureOr<BufferPlan> plan = planBuffers(function, dims, model, context);
    if (failed(plan))
      break;
    setFunctionPlan(function, *plan);
  }
  llvm::for_each(functions, removeFunctionPlan);
  return text;
}

} // namespace zenith::memory
