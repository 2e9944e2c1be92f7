// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of ops, and the patterns of --keep-f32 that name some of them.

#ifndef ZENITH_PASSES_PRECISION_KEPTOPS_H
#define ZENITH_PASSES_PRECISION_KEPTOPS_H

#include "ir/Error.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <string>
#include <vector>

namespace zenith::precision {

/// The name that the source gave an op, else its place in a file.
std::string sourceName(mlir::Operation *op);

/// The patterns of texts that have commas between.
std::vector<std::string> splitPatterns(llvm::ArrayRef<std::string> texts);

/// The first of `patterns` that names `op`, or null. A pattern is a name, in
/// which * stands for any text, or op:MNEMONIC.
const std::string *keepPattern(mlir::Operation *op,
                               llvm::ArrayRef<std::string> patterns);

/// An error of code Usage where a pattern names no op of the module, or no kind
/// of op that GraphIR has, with the nearest name.
std::optional<Error> checkKeepPatterns(mlir::ModuleOp module,
                                       llvm::ArrayRef<std::string> patterns);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_KEPTOPS_H
