// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes out the transfers of values that wait in a file, entry by entry.

#include "lowering/LoweringPasses.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/FileTransfers.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/memory/OffloadStacks.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_OFFLOADVALUESPASS
#include "lowering/LoweringPasses.h.inc"

/// Adds the file to what reports know of the entry.
static void report(func::FuncOp function, const memory::FileUse &use) {
  llvm::json::Object facts;
  if (auto known = function->getAttrOfType<StringAttr>(memory::factsAttrName))
    if (llvm::Expected<llvm::json::Value> value =
            llvm::json::parse(known.getValue()))
      facts = std::move(*value->getAsObject());
  facts["offload"] = llvm::json::Object{{"values", use.values},
                                        {"bytes", use.bytes},
                                        {"file_peak", use.fileBytes}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(facts));
  function->setAttr(memory::factsAttrName,
                    StringAttr::get(function.getContext(), text));
}

namespace {

class OffloadValuesPass
    : public impl::OffloadValuesPassBase<OffloadValuesPass> {
  using OffloadValuesPassBase::OffloadValuesPassBase;

  void runOnOperation() override {
    remat::FileModel model =
        memory::fileModelOf(std::max<int64_t>(1, offloadRate));
    target::TargetModel target = target::modelOf(getOperation());
    memory::ModuleContext context(getOperation());
    auto plan = [&](func::FuncOp function) {
      if (!function->hasAttr(graph::nestedAttrName) &&
          function.getSymName() != graph::prepareFunctionName) {
        memory::FileUse use = memory::writeTransfers(
                            function, target, context.symbols, model, explain),
                        stacks = memory::stacksInFile(function, context.symbols,
                                                      explain);
        use.values += stacks.values;
        use.bytes += stacks.bytes;
        use.fileBytes = std::max(use.fileBytes, stacks.fileBytes);
        if (use.values)
          report(function, use);
      }
      graph::DimAnalysis dims;
      return memory::planBuffers(function, dims, target, context);
    };
    if (failed(memory::planCalleesFirst(getOperation(), context, plan)))
      signalPassFailure();
  }
};

} // namespace
} // namespace zenith
