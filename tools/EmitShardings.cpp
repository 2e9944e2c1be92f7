// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates by itself: nothing is inlined, folded or raised before.

#include "tools/EmitShardings.h"

#include "frontends/models/DeviceOptions.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/sharding/PropagateShardings.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

llvm::Expected<std::string>
zenith::tools::shardingText(ModuleOp module, pipeline::EmitForm form,
                            const pipeline::CompileOptions &options) {
  if (form == pipeline::EmitForm::ShardingRules)
    return sharding::ruleReport(module, options.conservativePropagation);
  Error error;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &d) {
    if (d.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    if (error.text.empty())
      error = invalid(d.str(), graph::placeOf(d.getLocation()));
    return success();
  });
  if (failed(sharding::propagateShardings(
          module, models::shardOptions(options, "").propagation)))
    return makeError(std::move(error));
  return sharding::shardingReport(module);
}
