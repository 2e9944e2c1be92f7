// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tools that compile share: options for the pipeline, its errors as
// theirs.

#ifndef ZENITH_TOOLS_MODEL_COMPILEDMODEL_H
#define ZENITH_TOOLS_MODEL_COMPILEDMODEL_H

#include "lowering/pipeline/Compile.h"

namespace zenith::tools {

class Diagnostics;
struct RunOptions;

/// Target and remarks of `options`; both arguments must outlive the
/// compilation.
pipeline::CompileOptions compileOptions(const RunOptions &options,
                                        Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_COMPILEDMODEL_H
