// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the tools that compile: options for the pipeline, its remarks and
// errors.

#ifndef ZENITH_TOOLS_MODEL_COMPILEDMODEL_H
#define ZENITH_TOOLS_MODEL_COMPILEDMODEL_H

#include "ir/remarks/Remark.h"
#include "lowering/pipeline/Compile.h"
#include "mlir/IR/Diagnostics.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
struct ReportOptions;
struct RunOptions;

/// Measures the folder of --offload, if there is one, for the compiler to count
/// with. Code Usage where the folder takes no files.
llvm::Error measureOffload(RunOptions &options);

/// Target and remarks of `options`; both arguments must outlive the
/// compilation.
pipeline::CompileOptions compileOptions(const RunOptions &options,
                                        Diagnostics &diagnostics);
/// Prints a remark of a topic that `options` ask for, in their format.
void printRemark(const pipeline::Remark &remark, const ReportOptions &options,
                 Diagnostics &diagnostics);
/// The same of a remark that a frontend or a pass has emitted.
void printRemark(const remarks::Emitted &remark, mlir::Location location,
                 const ReportOptions &options, Diagnostics &diagnostics);

/// While it lives, remarks of passes that run outside of the phases are
/// printed; other diagnostics go on.
class RemarkPrinter : public mlir::ScopedDiagnosticHandler {
public:
  RemarkPrinter(mlir::MLIRContext *context, const ReportOptions &options,
                Diagnostics &diagnostics);
};

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_COMPILEDMODEL_H
