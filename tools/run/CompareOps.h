// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the first op whose compiled value differs from the interpreter's.

#ifndef ZENITH_TOOLS_RUN_COMPAREOPS_H
#define ZENITH_TOOLS_RUN_COMPAREOPS_H

#include "ir/tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::func {
class FuncOp;
}
namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
class ComparedTensors;
struct RunOptions;

/// Compares the results of both and adds them to `compared`; the error says
/// which differ.
llvm::Error compareWithInterpreter(mlir::ModuleOp module,
                                   const std::string &folder,
                                   const RunOptions &options,
                                   llvm::ArrayRef<Tensor> inputs,
                                   llvm::ArrayRef<Tensor> results,
                                   ComparedTensors &compared);

/// Makes `values` the results of `entry`.
void returnValues(mlir::func::FuncOp entry, llvm::ArrayRef<mlir::Value> values);

/// Runs the entry on both with every value as a result, so that none is fused
/// away, and compares op by op, up to the first that differs.
llvm::Error compareEachOp(mlir::ModuleOp module, const std::string &folder,
                          const RunOptions &options,
                          llvm::ArrayRef<Tensor> inputs,
                          Diagnostics &diagnostics, ComparedTensors &compared);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_COMPAREOPS_H
