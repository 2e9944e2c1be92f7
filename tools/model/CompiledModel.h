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

/// The sizes of named dimensions in `dims`, which must outlive the result.
memory::DimValues valuesOf(const std::map<std::string, int64_t> &dims);

/// The error of a budget that is not met; as JSON it is reported at once.
llvm::Error refusalError(memory::BudgetRefusal refusal,
                         Diagnostics &diagnostics);

/// Prints a report of memory on standard output.
void printMemoryReport(llvm::json::Object report, options::TextFormat format);

/// Checks --max-memory, and measures the folder of --offload.
llvm::Error checkMemoryOptions(RunOptions &options);
/// Measures the folder of --offload, if there is one, for the compiler to count
/// with. Code Usage where the folder takes no files.
llvm::Error measureOffload(RunOptions &options);

/// Target and remarks of `options`; both arguments must outlive the
/// compilation.
pipeline::CompileOptions compileOptions(const RunOptions &options,
                                        Diagnostics &diagnostics);
/// The same for phases up to precision, of which none makes use of a target;
/// the interpreter is none.
pipeline::CompileOptions frontOptions(const RunOptions &options,
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
