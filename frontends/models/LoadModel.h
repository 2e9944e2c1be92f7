// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model file as a GraphIR module.

#ifndef ZENITH_FRONTENDS_MODELS_LOADMODEL_H
#define ZENITH_FRONTENDS_MODELS_LOADMODEL_H

#include "frontends/stablehlo/ImportStableHLO.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "ir/remarks/Remark.h"
#include "ir/tensor/Tensor.h"
#include "lowering/pipeline/OptionTable.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace zenith::models {

class Diagnostics;
struct KeyedFile;

enum class ModelFormat { ONNX, MLIR };
/// By the file's name: .onnx is ONNX, all others are MLIR text or bytecode.
ModelFormat formatOf(llvm::StringRef path);

/// A format as --from-format and --to-format name it.
enum class FileFormat { ONNX, StableHLO, GraphIR, Bytecode };

struct LoadOptions {
  /// Without it the file's name decides.
  std::optional<FileFormat> format;
  /// Inputs that become constants.
  std::vector<KeyedFile> bindings;
  /// Sizes of named dimensions.
  std::map<std::string, int64_t> dims;
  /// These sizes become part of the types of GraphIR and StableHLO too; else
  /// they do of ONNX only.
  bool dimsInTypes = false;
  /// Bounds that functions state of the dimensions that they name.
  graph::DimBoundsMap dimBounds;
  std::string entry;
  /// A program may have several entries and no @main.
  bool allEntries = false;
  /// Every initializer of floats in an ONNX model stays a parameter.
  bool allParameters = false;
  /// Where relative paths start in a model that is no file; empty: the current
  /// folder, where external data of ONNX is refused.
  std::string baseDir;
  /// Where the IR will be written, for the paths of parameters.
  std::string irFolder;
  stablehlo::ImportOptions stablehlo;
  /// Takes the remarks of frontends.
  std::function<void(const remarks::Emitted &, mlir::Location)> remark;
};

struct LoadedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Folder that paths of parameters are relative to.
  std::string folder;
  /// Names of the inputs as the file has them, bound ones included: what
  /// indices count.
  std::vector<std::string> inputNames;
  /// True where the sizes of named dimensions went into the types.
  bool dimsApplied = false;
  /// What StableHLO functions expect of themselves.
  std::vector<stablehlo::ImportedFunction> functions;
};

/// A context with the dialects that model files may use.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Errors that the parser found have been printed to `diagnostics`.
llvm::Expected<LoadedModel> loadModel(const std::string &path,
                                      mlir::MLIRContext *context,
                                      const LoadOptions &options,
                                      Diagnostics &diagnostics);
/// The same for a model in memory, which is copied. Messages call it
/// "<memory>".
llvm::Expected<LoadedModel> loadModelFrom(llvm::StringRef bytes,
                                          mlir::MLIRContext *context,
                                          const LoadOptions &options,
                                          Diagnostics &diagnostics);

} // namespace zenith::models

namespace zenith::options {

template <> struct Words<models::FileFormat> {
  static constexpr Word<models::FileFormat> all[] = {
      {"onnx", models::FileFormat::ONNX},
      {"stablehlo", models::FileFormat::StableHLO},
      {"graphir", models::FileFormat::GraphIR},
      {"bytecode", models::FileFormat::Bytecode}};
};

} // namespace zenith::options

#endif // ZENITH_FRONTENDS_MODELS_LOADMODEL_H
