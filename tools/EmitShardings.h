// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of zenith-compile on the shardings of a program as imported.

#ifndef ZENITH_TOOLS_EMITSHARDINGS_H
#define ZENITH_TOOLS_EMITSHARDINGS_H

#include "lowering/pipeline/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace zenith::tools {

/// JSON of EmitForm::Shardings, for which they propagate in `module`, or of
/// EmitForm::ShardingRules.
llvm::Expected<std::string>
shardingText(mlir::ModuleOp module, pipeline::EmitForm form,
             const pipeline::CompileOptions &options);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_EMITSHARDINGS_H
