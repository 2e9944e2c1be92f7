// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplications and additions of a program's matmuls and convolutions.

#ifndef ZENITH_TOOLS_RUN_COUNTFLOPS_H
#define ZENITH_TOOLS_RUN_COUNTFLOPS_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace zenith::tools {

/// For these sizes of named dimensions; matmuls and convolutions whose size
/// stays unknown count as 0.
double countFlops(mlir::Operation *entry,
                  const std::map<std::string, int64_t> &dims);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_COUNTFLOPS_H
