// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of parameters: mapped files that the program names, and a file of
// values that replace them.

#ifndef ZENITH_FRONTENDS_MODELS_PARAMFILES_H
#define ZENITH_FRONTENDS_MODELS_PARAMFILES_H

#include "frontends/tensors/Safetensors.h"
#include "ir/program/ParameterFiles.h"
#include "ir/tensor/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <set>
#include <string>

namespace zenith::models {

class Diagnostics;

class ParamFiles {
public:
  /// `folder` is where relative paths start; `replacements` a .safetensors
  /// file, or empty.
  static llvm::Expected<ParamFiles> open(std::string folder,
                                         const std::string &replacements,
                                         mlir::MLIRContext *context);

  /// The replacement of that name, else what `source` says; an empty tensor
  /// where that is no external file.
  llvm::Expected<Tensor> load(llvm::StringRef name, mlir::RankedTensorType type,
                              mlir::Attribute source);

  /// Where the bytes of the replacements are: name -> file, offset.
  std::map<std::string, std::pair<std::string, int64_t>>
  replacementSources() const;

  /// Files are compared with what the module's parameters record of them when
  /// they are opened; without `verify` by their sizes alone.
  void expect(mlir::ModuleOp module, bool verify);

  /// An error where a replacement has another type than its parameter, or none
  /// has a parameter; a warning names those without one, which are left out.
  llvm::Error checkReplacements(mlir::ModuleOp module,
                                Diagnostics *diagnostics);

private:
  llvm::Expected<Tensor> mapExternal(llvm::StringRef name,
                                     mlir::RankedTensorType type,
                                     llvm::StringRef file, int64_t offset,
                                     int64_t length);

  bool verify = true;
  std::map<std::string, graph::FileRecord, std::less<>> records;

  std::string folder, replacementPath;
  std::set<std::string> leftOut; ///< replacements without a parameter
  std::optional<tensors::Safetensors> replaced;
  std::map<std::string, std::shared_ptr<const files::ByteSource>> mapped;
};

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_PARAMFILES_H
