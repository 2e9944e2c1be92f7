// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writers of the model formats.

#include "tools/model/WriteModel.h"

#include "frontends/files/AtomicFile.h"
#include "frontends/onnx/ExportONNX.h"
#include "frontends/stablehlo/ExportStableHLO.h"
#include "ir/GraphOps.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "tools/model/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

// Weights of at least this many bytes go beside the model, where asked for.
static constexpr uint64_t externalBytes = 1 << 20;

llvm::Error zenith::tools::writeFile(const std::string &path, StringRef bytes) {
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

void zenith::tools::relocateParams(ModuleOp module, const std::string &from,
                                   const std::string &to) {
  namespace fs = std::filesystem;
  std::error_code code;
  fs::path source = fs::weakly_canonical(from.empty() ? "." : from, code);
  fs::path target = fs::weakly_canonical(to.empty() ? "." : to, code);
  if (code || source == target)
    return;
  module.walk([&](graph::ParamOp param) {
    auto external =
        dyn_cast_or_null<graph::ExternalAttr>(param.getSourceAttr());
    if (!external || fs::path(external.getFile().str()).is_absolute())
      return;
    std::string file =
        (source / external.getFile().str()).lexically_relative(target).string();
    param.setSourceAttr(graph::ExternalAttr::get(
        module.getContext(), file, external.getOffset(), external.getLength()));
  });
}

llvm::Error zenith::tools::writeGraphIR(ModuleOp module,
                                        const std::string &path,
                                        bool bytecode) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (!bytecode)
    os << module << "\n";
  else if (failed(writeBytecodeToFile(module, os)))
    return makeError(ErrorCode::Internal, "cannot be written as bytecode",
                     path);
  return writeFile(path, os.str());
}

llvm::Error zenith::tools::writeONNX(ModuleOp module, const std::string &path,
                                     const ONNXWriteOptions &options) {
  onnx::ExportOptions settings;
  settings.opset = options.opset;
  settings.entry = options.entry;
  settings.folder = options.folder;
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

llvm::Error zenith::tools::writeStableHLO(ModuleOp module,
                                          const std::string &path,
                                          const std::string &folder) {
  auto exported = stablehlo::exportStableHLO(module, {folder});
  if (!exported)
    return makeError(exported.error().ofFile(path));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << **exported << "\n";
  return writeFile(path, os.str());
}
