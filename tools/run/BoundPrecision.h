// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the narrow products of a model by running it on samples.

#ifndef ZENITH_TOOLS_RUN_BOUNDPRECISION_H
#define ZENITH_TOOLS_RUN_BOUNDPRECISION_H

#include "ir/tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "tools/model/Samples.h"
#include "llvm/Support/Error.h"
#include <string>

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
struct RunOptions;

/// The types of products by name, as JSON with errors
/// (CompileOptions::precisionChoices), for the largest set of narrow products
/// that keeps every f32 result within options.precision.maxError of its largest
/// value over all samples. The set was run as it will be.
llvm::Expected<std::string> boundPrecision(mlir::ModuleOp module,
                                           const std::string &folder,
                                           const RunOptions &options,
                                           const SampleBatches &samples,
                                           Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_BOUNDPRECISION_H
