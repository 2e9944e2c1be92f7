// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that appear complete or not at all, and modules written into them.

#ifndef ZENITH_FRONTENDS_MODELS_WRITEMODEL_H
#define ZENITH_FRONTENDS_MODELS_WRITEMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace zenith::models {

/// Writes to a file, or to standard output for "-".
llvm::Error writeFile(const std::string &path, llvm::StringRef bytes);

/// The folder of a file that is written; the current one for "-".
std::string folderOf(const std::string &path);

/// GraphIR as text, or as bytecode. Paths of parameters, relative to `folder`,
/// become relative to the file, which records sizes and checksums of what they
/// name.
llvm::Error writeGraphIR(mlir::ModuleOp module, const std::string &path,
                         const std::string &folder, bool bytecode);

struct ONNXWriteOptions {
  int64_t opset = 17;
  bool externalData = false;
  std::string entry;
  std::string folder; ///< where paths of parameters start
  bool verifyFiles = true;
};
llvm::Error writeONNX(mlir::ModuleOp module, const std::string &path,
                      const ONNXWriteOptions &options);

/// As StableHLO text; paths of parameters are relative to `folder`.
llvm::Error writeStableHLO(mlir::ModuleOp module, const std::string &path,
                           const std::string &folder, bool verifyFiles);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_WRITEMODEL_H
