// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writers of the model formats.

#include "frontends/models/WriteModel.h"

#include "frontends/files/AtomicFile.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/stablehlo/ExportStableHLO.h"
#include "ir/program/ParameterFiles.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

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

llvm::Expected<std::string>
zenith::models::graphIRBytes(ModuleOp module, const std::string &from,
                             const std::string &to, bool bytecode) {
  graph::recordFiles(module, from);
  graph::relocateFiles(module, from, to);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (!bytecode)
    os << module << "\n";
  else if (failed(writeBytecodeToFile(module, os)))
    return makeError(ErrorCode::Internal, "cannot be written as bytecode");
  return os.str();
}

llvm::Error zenith::models::writeGraphIR(ModuleOp module,
                                         const std::string &path,
                                         const std::string &folder,
                                         bool bytecode) {
  llvm::Expected<std::string> bytes =
      graphIRBytes(module, folder, folderOf(path), bytecode);
  return bytes ? writeFile(path, *bytes) : bytes.takeError();
}

llvm::Expected<std::string>
zenith::models::stableHLOText(ModuleOp module, const std::string &path,
                              const std::string &folder, bool verifyFiles) {
  auto exported = stablehlo::exportStableHLO(module, {folder, verifyFiles});
  if (!exported)
    return makeError(exported.error().ofFile(path));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << **exported << "\n";
  return os.str();
}

llvm::Error zenith::models::writeStableHLO(ModuleOp module,
                                           const std::string &path,
                                           const std::string &folder,
                                           bool verifyFiles) {
  llvm::Expected<std::string> text =
      stableHLOText(module, path, folder, verifyFiles);
  return text ? writeFile(path, *text) : text.takeError();
}
