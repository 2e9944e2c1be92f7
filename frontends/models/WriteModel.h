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

/// GraphIR as text, or as bytecode. Paths of parameters, relative to `from`,
/// become relative to `to`; sizes and checksums of what they name are recorded.
llvm::Expected<std::string> graphIRBytes(mlir::ModuleOp module,
                                         const std::string &from,
                                         const std::string &to, bool bytecode);
/// The same in a file, with paths that are relative to it.
llvm::Error writeGraphIR(mlir::ModuleOp module, const std::string &path,
                         const std::string &folder, bool bytecode);

/// As StableHLO text; errors are of the file `path`.
llvm::Expected<std::string> stableHLOText(mlir::ModuleOp module,
                                          const std::string &path,
                                          const std::string &folder,
                                          bool verifyFiles);
/// The same in a file; paths of parameters are relative to `folder`.
llvm::Error writeStableHLO(mlir::ModuleOp module, const std::string &path,
                           const std::string &folder, bool verifyFiles);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_WRITEMODEL_H
