// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a program of one device from one that is dealt over several.

#include "ir/GraphOps.h"
#include "ir/program/Shardings.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/sharding/PropagationGraph.h"
#include "passes/sharding/ShardingPasses.h"

namespace zenith {
#define GEN_PASS_DEF_IGNORESHARDINGSPASS
#include "passes/sharding/ShardingPasses.h.inc"
} // namespace zenith

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

/// Blocks are whole values where the manual axes have one device together.
LogicalResult inlineManual(ManualOp manual) {
  for (StringRef axis : manual.getManualAxes().getAsValueRange<StringAttr>())
    for (Attribute sharding :
         llvm::concat<const Attribute>(manual.getInShardings().getValue(),
                                       manual.getOutShardings().getValue())) {
      MeshAttr mesh = meshOf(manual, cast<ShardingAttr>(sharding));
      if (mesh.sizeOf(axis).value_or(1) > 1)
        return manual.emitError()
               << "'graph.manual' op runs on " << mesh.numDevices()
               << " devices: give --mesh-devices=" << mesh.numDevices();
    }
  Block &body = manual.getBody().front();
  Operation *yield = body.getTerminator();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), manual.getInputs()))
    argument.replaceAllUsesWith(input);
  manual.getResults().replaceAllUsesWith(yield->getOperands());
  yield->erase();
  manual->getBlock()->getOperations().splice(manual->getIterator(),
                                             body.getOperations());
  manual.erase();
  return success();
}

void forgetAttributes(func::FuncOp function) {
  auto name = StringAttr::get(function.getContext(), shardingAttrName),
       origins = StringAttr::get(function.getContext(), originsAttrName);
  for (StringAttr attribute : {name, origins}) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, attribute);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.removeResultAttr(i, attribute);
    function.walk([&](Operation *op) { op->removeDiscardableAttr(attribute); });
  }
}

LogicalResult ignoreIn(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<ShardOp, ReshardOp, ShardBarrierOp, ShardGroupOp, ManualOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto manual = dyn_cast<ManualOp>(op)) {
      if (failed(inlineManual(manual)))
        return failure();
      continue;
    }
    if (op->getNumResults() == 1)
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
  forgetAttributes(function);
  return success();
}

struct IgnoreShardings : impl::IgnoreShardingsPassBase<IgnoreShardings> {
  using IgnoreShardingsPassBase::IgnoreShardingsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto meshes = llvm::to_vector(module.getOps<MeshOp>());
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(ignoreIn(function)))
        return signalPassFailure();
    for (MeshOp mesh : meshes) {
      // The program of one device says which blocks of a mesh it computes.
      if (!SymbolTable::symbolKnownUseEmpty(mesh, module))
        continue;
      if (int64_t devices = mesh.getMesh().numDevices(); devices > 1)
        remarks::emit(mesh, remarks::Code::SHD001, {devices});
      mesh.erase();
    }
  }
};

} // namespace
} // namespace zenith::sharding
