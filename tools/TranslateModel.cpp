// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats by name, and the round trip through the interpreter.

#include "tools/TranslateModel.h"

#include "frontends/onnx/export/OrderAsONNX.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"
#include "tools/model/CommandLine.h"
#include "tools/model/CompareResults.h"
#include "tools/model/Diagnostics.h"
#include "tools/model/EntrySignature.h"
#include "tools/model/Executor.h"
#include "tools/model/LoadModel.h"
#include "tools/model/RunInputs.h"
#include "tools/model/RunOptions.h"
#include "tools/model/WriteModel.h"
#include "llvm/Support/Path.h"
#include <CLI/CLI.hpp>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

llvm::Expected<std::optional<TranslateOptions>>
zenith::tools::parseTranslateOptions(int argc, char **argv,
                                     bool &jsonDiagnostics) {
  CLI::App app("Translates models between formats.", "zenith-translate");
  TranslateOptions options;
  CLI::IsMember formats({"onnx", "graphir", "bytecode", "stablehlo"});
  app.add_option("input", options.input, "the model; - reads standard input")
      ->required();
  app.add_option("-o,--output", options.output,
                 "the file to write; - writes standard output")
      ->required();
  app.add_option(
         "--from-format", options.fromFormat,
         "onnx, stablehlo, graphir or bytecode; default: by the name and "
         "the ops")
      ->check(formats);
  app.add_option("--to-format", options.toFormat,
                 "onnx, stablehlo, graphir or bytecode; default: by the name")
      ->check(formats);
  app.add_option("--entry", options.entry,
                 "function to export; default: the only public one, else main");
  app.add_option("--opset", options.opset, "opset of written ONNX");
  app.add_flag("--check", options.check,
               "reads the result again and compares both on random inputs");
  app.add_flag("--external-data", options.externalData,
               "puts weights above 1 MiB into a file beside the model");
  addDimOption(app, options.dims,
               "NAME=N, the size of a named dimension for --check; default 2");
  addCommonOptions(app, jsonDiagnostics);
  llvm::Expected<bool> done = parseCommandLine(app, argc, argv);
  if (!done)
    return done.takeError();
  if (*done)
    return std::nullopt;
  return options;
}

static llvm::Expected<std::string> formatFor(const std::string &given,
                                             StringRef path) {
  if (!given.empty())
    return given;
  if (path.ends_with(".onnx"))
    return std::string("onnx");
  if (path.ends_with(".mlirbc") || path.ends_with(".bc"))
    return std::string("bytecode");
  if (path.ends_with(".mlir") || path == "-")
    return std::string("graphir");
  return makeError(
      ErrorCode::Usage,
      "the format is not clear from the name: give --from-format or "
      "--to-format",
      path.str());
}

static std::string folderOf(const std::string &path) {
  std::string folder =
      path == "-" ? "" : llvm::sys::path::parent_path(path).str();
  return folder.empty() ? "." : folder;
}

// Sizes for the dimensions that the user gave none.
static DimValues checkDims(ArrayRef<ArgumentInfo> arguments,
                           const std::map<std::string, int64_t> &given) {
  DimValues dims = given;
  for (const ArgumentInfo &argument : arguments)
    for (const graph::DimExpr &dim : argument.dims)
      dim.forEachSymbol(
          [&](const std::string &name) { dims.emplace(name, 2); });
  return dims;
}

// Results of the module's entry on random inputs.
static llvm::Expected<std::vector<Tensor>>
runRandom(LoadedModel model, const TranslateOptions &options) {
  llvm::Expected<func::FuncOp> entry = findEntry(*model.module, options.entry);
  if (!entry)
    return entry.takeError();
  std::vector<ArgumentInfo> arguments = argumentsOf(*entry);
  RunOptions run;
  run.entry = entry->getSymName().str();
  run.randomSeed = 0;
  run.dims = checkDims(arguments, options.dims);
  DimValues dims;
  MLIRContext *context = model.module->getContext();
  llvm::Expected<std::vector<Tensor>> inputs =
      collectInputs(arguments, model.inputNames, run, context, dims);
  if (!inputs)
    return inputs.takeError();
  auto interpreter =
      makeInterpreter(std::move(model.module), model.folder, run);
  if (!interpreter)
    return interpreter.takeError();
  return (*interpreter)->run(*inputs);
}

/// IR says what the program says: how precise results are beyond their types is
/// for the compiler that reads it to choose. What runs ONNX has no such choice.
static LoadOptions loadOptions(const std::string &from, const std::string &to) {
  LoadOptions load;
  load.format = from;
  load.stablehlo.excessPrecision = to == "onnx";
  return load;
}

static llvm::Error checkTranslation(const TranslateOptions &options,
                                    const std::string &toFormat,
                                    LoadedModel original,
                                    Diagnostics &diagnostics) {
  MLIRContext *context = original.module->getContext();
  LoadOptions load = loadOptions(toFormat, toFormat);
  llvm::Expected<LoadedModel> again =
      loadModel(options.output, context, load, diagnostics);
  if (!again)
    return again.takeError();
  llvm::Expected<std::vector<Tensor>> expected =
      runRandom(std::move(original), options);
  if (!expected)
    return expected.takeError();
  TranslateOptions second = options;
  second.entry.clear();
  llvm::Expected<std::vector<Tensor>> got =
      runRandom(std::move(*again), second);
  if (!got)
    return got.takeError();
  if (got->size() != expected->size())
    return makeError(ErrorCode::Differs,
                     "the translated model has another number of results",
                     options.output);
  for (auto [i, value] : llvm::enumerate(*got))
    if (auto difference = compareTensors(value, (*expected)[i], {}))
      return makeError(ErrorCode::Differs,
                       "result " + std::to_string(i) +
                           " differs after translation: " + *difference,
                       options.output);
  return llvm::Error::success();
}

// ONNX has no functions of the program's own; no folds and orders by a region,
// but most of what these spell out; and no random bits from a key, but since
// opset 18 what they are made of.
static llvm::Error adaptToONNX(ModuleOp module, int64_t opset) {
  PassManager calls(module.getContext());
  calls.addPass(createInlineCallsPass());
  if (failed(calls.run(module)))
    return reportedError(ErrorCode::Unsupported,
                         "calls that cannot be written as ONNX");
  onnx::orderAsONNX(module);
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createRaiseRegionsPass());
  if (opset >= 18)
    passes.addNestedPass<func::FuncOp>(createDecomposeRandomPass());
  if (succeeded(passes.run(module)))
    return llvm::Error::success();
  return makeError(ErrorCode::Internal, "the module cannot be adapted to ONNX");
}

llvm::Error zenith::tools::translateModel(const TranslateOptions &options,
                                          Diagnostics &diagnostics) {
  llvm::Expected<std::string> from =
      formatFor(options.fromFormat, options.input);
  if (!from)
    return from.takeError();
  llvm::Expected<std::string> to = formatFor(options.toFormat, options.output);
  if (!to)
    return to.takeError();
  if (options.check && options.output == "-")
    return makeError(
        ErrorCode::Usage,
        "--check needs a file: standard output cannot be read again");
  std::unique_ptr<MLIRContext> context = makeContext();
  LoadOptions load = loadOptions(*from, *to);
  llvm::Expected<LoadedModel> model =
      loadModel(options.input, context.get(), load, diagnostics);
  if (!model)
    return model.takeError();
  if (*to == "onnx") {
    if (llvm::Error error = adaptToONNX(*model->module, options.opset))
      return error;
    if (llvm::Error error = writeONNX(*model->module, options.output,
                                      {options.opset, options.externalData,
                                       options.entry, model->folder}))
      return error;
  } else if (*to == "stablehlo") {
    if (llvm::Error error =
            writeStableHLO(*model->module, options.output, model->folder))
      return error;
  } else {
    std::string folder = folderOf(options.output);
    relocateParams(*model->module, model->folder, folder);
    model->folder = folder;
    if (llvm::Error error =
            writeGraphIR(*model->module, options.output, *to == "bytecode"))
      return error;
  }
  if (options.check)
    return checkTranslation(options, *to, std::move(*model), diagnostics);
  return llvm::Error::success();
}
