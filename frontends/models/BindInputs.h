// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of inputs, their files, and arguments that become constants.

#ifndef ZENITH_FRONTENDS_MODELS_BINDINPUTS_H
#define ZENITH_FRONTENDS_MODELS_BINDINPUTS_H

#include "ir/tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace zenith::models {

/// A tensor, in a file or as it is, that belongs to an input or result.
struct KeyedFile {
  std::string key, typeText, file;  ///< typeText: of .raw files, "f32[2x3]"
  std::optional<Tensor> value = {}; ///< instead of a file
};

/// Position of the input that `key` (an index, a name or "argK") means; a usage
/// error lists the names otherwise. `option` is the option that used the key.
llvm::Expected<unsigned> inputIndex(llvm::StringRef key,
                                    llvm::ArrayRef<std::string> names,
                                    llvm::StringRef option);

/// The file's tensor; `element` (may be null) is the element type of its bits.
llvm::Expected<Tensor> readKeyedFile(const KeyedFile &file, mlir::Type element,
                                     mlir::MLIRContext *context);

/// Makes constants of arguments of the entry function; `names` receives the
/// names of all arguments, the constants included.
llvm::Error bindArguments(mlir::ModuleOp module, llvm::StringRef entry,
                          llvm::ArrayRef<KeyedFile> files,
                          std::vector<std::string> &names);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_BINDINPUTS_H
