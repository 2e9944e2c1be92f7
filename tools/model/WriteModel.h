// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that appear complete or not at all, and modules written into them.

#ifndef ZENITH_TOOLS_MODEL_WRITEMODEL_H
#define ZENITH_TOOLS_MODEL_WRITEMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace zenith::tools {

/// Writes to a file, or to standard output for "-".
llvm::Error writeFile(const std::string &path, llvm::StringRef bytes);

/// Makes the paths of external parameters, relative to `from`, relative to
/// `to`.
void relocateParams(mlir::ModuleOp module, const std::string &from,
                    const std::string &to);

/// GraphIR as text, or as bytecode.
llvm::Error writeGraphIR(mlir::ModuleOp module, const std::string &path,
                         bool bytecode);

struct ONNXWriteOptions {
  int64_t opset = 17;
  bool externalData = false;
  std::string entry;
  std::string folder; ///< where paths of parameters start
};
llvm::Error writeONNX(mlir::ModuleOp module, const std::string &path,
                      const ONNXWriteOptions &options);

/// As StableHLO text; paths of parameters are relative to `folder`.
llvm::Error writeStableHLO(mlir::ModuleOp module, const std::string &path,
                           const std::string &folder);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_WRITEMODEL_H
