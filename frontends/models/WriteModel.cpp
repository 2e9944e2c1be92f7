// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writers of the model formats.

#include "frontends/models/WriteModel.h"

#include "frontends/files/AtomicFile.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/onnx/ExportONNX.h"
#include "frontends/stablehlo/ExportStableHLO.h"
#include "ir/program/ParameterFiles.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

// Weights of at least this many bytes go beside the model, where asked for.
static constexpr uint64_t externalBytes = 1 << 20;

llvm::Error zenith::models::writeFile(const std::string &path,
                                      StringRef bytes) {
  if (path == "-") {
    llvm::outs() << bytes;
    llvm::outs().flush();
    return llvm::Error::success();
  }
  files::AtomicFile file(path);
  Status status = file.open();
  if (status)
    status = file.write(std::string_view(bytes));
  if (status)
    status = file.commit();
  return status ? llvm::Error::success()
                : makeError(status.error().ofFile(path));
}

std::string zenith::models::folderOf(const std::string &path) {
  std::string folder =
      path == "-" ? "" : llvm::sys::path::parent_path(path).str();
  return folder.empty() ? "." : folder;
}

llvm::Error zenith::models::writeGraphIR(ModuleOp module,
                                         const std::string &path,
                                         const std::string &folder,
                                         bool bytecode) {
  graph::recordFiles(module, folder);
  graph::relocateFiles(module, folder, folderOf(path));
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (!bytecode)
    os << module << "\n";
  else if (failed(writeBytecodeToFile(module, os)))
    return makeError(ErrorCode::Internal, "cannot be written as bytecode",
                     path);
  return writeFile(path, os.str());
}

llvm::Error zenith::models::writeONNX(ModuleOp module, const std::string &path,
                                      const ONNXWriteOptions &options) {
  onnx::ExportOptions settings;
  settings.opset = options.opset;
  settings.entry = options.entry;
  settings.folder = options.folder;
  settings.verifyFiles = options.verifyFiles;
  auto model = onnx::exportONNX(module, settings);
  if (!model)
    return makeError(model.error().ofFile(path));
  onnx::SaveOptions save;
  if (options.externalData)
    save.externalBytes = externalBytes;
  Status status = onnx::saveModel(*model, path, save);
  return status ? llvm::Error::success()
                : makeError(status.error().ofFile(path));
}

llvm::Error zenith::models::writeStableHLO(ModuleOp module,
                                           const std::string &path,
                                           const std::string &folder,
                                           bool verifyFiles) {
  auto exported = stablehlo::exportStableHLO(module, {folder, verifyFiles});
  if (!exported)
    return makeError(exported.error().ofFile(path));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << **exported << "\n";
  return writeFile(path, os.str());
}
