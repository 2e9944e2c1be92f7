// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-compile says of the memory of runs, without one.

#ifndef ZENITH_TOOLS_REPORTMEMORY_H
#define ZENITH_TOOLS_REPORTMEMORY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/model/RunOptions.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

/// Compiles `module` as far as its memory is known. Prints the certificate of
/// each entry where --report asks for it, writes --memory-timeline, and refuses
/// a budget that an entry does not meet (ErrorCode::Memory). `dims` has the
/// sizes of named dimensions that are known; where one is missing, the report
/// has the formula alone, and no budget is refused.
llvm::Error reportMemory(mlir::OwningOpRef<mlir::ModuleOp> module,
                         const pipeline::CompileOptions &compile,
                         const RunOptions &options, const DimSizes &dims,
                         models::Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_REPORTMEMORY_H
