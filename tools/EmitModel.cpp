// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command line of zenith-compile, and where its files go.

#include "tools/EmitModel.h"

#include "lowering/pipeline/Compile.h"
#include "tools/model/CommandLine.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/Diagnostics.h"
#include "tools/model/Executor.h"
#include "tools/model/LoadModel.h"
#include "tools/model/RunOptions.h"
#include "tools/model/WriteModel.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <CLI/CLI.hpp>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

llvm::Expected<std::optional<EmitOptions>>
zenith::tools::parseEmitOptions(int argc, char **argv, bool &jsonDiagnostics) {
  CLI::App app("Compiles a model and writes a stage of it.", "zenith-compile");
  EmitOptions options;
  app.add_option("model", options.input,
                 "a .onnx, .mlir, .mlirbc, .mlir.bc or .bc file; - reads "
                 "standard input")
      ->required();
  app.add_option("-o,--output", options.output,
                 "file for graphir and kernels, folder for llvm, asm and obj");
  app.add_option("--emit", options.emit,
                 "graphir, kernels, llvm, asm, obj or opencl")
      ->check(CLI::IsMember({"graphir", "kernels", "llvm", "asm", "obj",
                             "static-lib", "shared-lib", "header", "opencl"}));
  app.add_option("--target", options.target,
                 "cpu, cpu:ARCH, opencl or opencl:N");
  addMixedPrecisionOption(app, options.mixedPrecision);
  app.add_option("--to", options.toPhase,
                 "with --emit=graphir: the last phase to run; default fuse");
  addCacheOption(app, options.cache);
  app.add_option("--dump-phases", options.dumpDir,
                 "folder for the IR after each phase");
  addThreadsOption(app, options.threads,
                   "threads that compile; the result does not depend on it");
  addDimOption(app, options.dims);
  addExplainOption(app, options.explain, modelRemarks());
  addCommonOptions(app, jsonDiagnostics);
  llvm::Expected<bool> done = parseCommandLine(app, argc, argv);
  if (!done)
    return done.takeError();
  if (*done)
    return std::nullopt;
  return options;
}

static llvm::Expected<pipeline::EmitForm> formOf(const std::string &emit) {
  using Form = pipeline::EmitForm;
  for (auto [name, form] :
       {std::pair("graphir", Form::GraphIR),
        std::pair("kernels", Form::Kernels), std::pair("llvm", Form::LLVM),
        std::pair("asm", Form::Assembly), std::pair("obj", Form::Object),
        std::pair("opencl", Form::OpenCL)})
    if (emit == name)
      return form;
  return makeError(ErrorCode::Unsupported,
                   "--emit=" + emit + " is not supported");
}

// Texts of one module each go to standard output one after the other; with a
// folder each file has a name of its own.
static llvm::Error writeFiles(ArrayRef<cpu::EmittedFile> files,
                              pipeline::EmitForm form,
                              const std::string &output) {
  using Form = pipeline::EmitForm;
  bool isText =
      form == Form::GraphIR || form == Form::Kernels || form == Form::OpenCL;
  if (output == "-" || isText) {
    if (form == Form::Object)
      return makeError(ErrorCode::Usage, "--emit=obj needs -o FOLDER");
    std::string all;
    for (const cpu::EmittedFile &file : files)
      all += file.bytes;
    return writeFile(output, all);
  }
  if (std::error_code code = llvm::sys::fs::create_directories(output))
    return makeError(ErrorCode::Invalid,
                     "cannot create the folder: " + code.message(), output);
  const char *suffix = form == Form::LLVM       ? ".ll"
                       : form == Form::Assembly ? ".s"
                                                : ".o";
  for (const cpu::EmittedFile &file : files)
    if (llvm::Error error =
            writeFile(output + "/" + file.name + suffix, file.bytes))
      return error;
  return llvm::Error::success();
}

llvm::Error zenith::tools::emitModel(const EmitOptions &options,
                                     Diagnostics &diagnostics) {
  llvm::Expected<pipeline::EmitForm> form = formOf(options.emit);
  if (!form)
    return form.takeError();
  if (!isTarget(options.target) || options.target == "interp")
    return makeError(
        ErrorCode::Usage,
        "'" + options.target +
            "' is no target; known are cpu, cpu:ARCH, opencl, opencl:N");
  std::unique_ptr<MLIRContext> context = makeContext();
  LoadOptions load;
  load.dims = options.dims;
  llvm::Expected<LoadedModel> model =
      loadModel(options.input, context.get(), load, diagnostics);
  if (!model)
    return model.takeError();
  RunOptions settings;
  settings.target = options.target;
  settings.mixedPrecision = options.mixedPrecision;
  settings.cache = options.cache;
  settings.explain = options.explain;
  pipeline::CompileOptions compile = compileOptions(settings, diagnostics);
  compile.toPhase = options.toPhase;
  compile.dumpDir = options.dumpDir;
  compile.compileThreads = options.threads;
  auto files = pipeline::emit(std::move(model->module), *form, compile);
  if (!files)
    return files.takeError();
  return writeFiles(*files, *form, options.output);
}
