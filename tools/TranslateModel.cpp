// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats by name, and the round trip through the interpreter.

#include "tools/TranslateModel.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/LoadModel.h"
#include "frontends/models/WriteModel.h"
#include "frontends/models/WriteONNX.h"
#include "ir/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/GraphPasses.h"
#include "passes/SimplificationPasses.h"
#include "passes/precision/KeptOps.h"
#include "passes/precision/PrecisionPasses.h"
#include "passes/precision/PrecisionPolicy.h"
#include "tools/model/CommandLine.h"
#include "tools/model/CompareResults.h"
#include "tools/model/DeriveModel.h"
#include "tools/model/Executor.h"
#include "tools/model/OptionEffects.h"
#include "tools/model/QuantizeModel.h"
#include "tools/model/RunInputs.h"
#include "tools/model/RunOptions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

static void addTranslateOptions(CLI::App &app, ToolSet tool,
                                TranslateOptions &given) {
#define ZENITH_TRANSLATE_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
  addOptions(app, tool, given.precision);
}

static llvm::Expected<FileFormat> formatFor(std::optional<FileFormat> given,
                                            StringRef path) {
  if (given)
    return *given;
  if (path.ends_with(".onnx"))
    return FileFormat::ONNX;
  if (path.ends_with(".mlirbc") || path.ends_with(".bc"))
    return FileFormat::Bytecode;
  if (path.ends_with(".mlir") || path == "-")
    return FileFormat::GraphIR;
  return makeError(
      ErrorCode::Usage,
      "the format is not clear from the name: give --from-format or "
      "--to-format",
      path.str());
}

static llvm::Error checkTranslateEffects(const CLI::App &app,
                                         const TranslateOptions &options) {
  using zenith::options::Condition;
  llvm::Expected<FileFormat> to = formatFor(options.toFormat, options.output);
  if (!to)
    return to.takeError();
  bool toONNX = *to == FileFormat::ONNX;
  bool readsParameters =
      toONNX || *to == FileFormat::StableHLO || options.check;
  const Fact facts[] = {{Condition::WritesONNX, toONNX},
                        {Condition::ChoosesEntry, toONNX || options.check},
                        {Condition::ReadsParameters, readsParameters}};
  return checkEffects(app, zenith::options::Translate, facts);
}

llvm::Expected<std::optional<TranslateOptions>>
zenith::tools::parseTranslateOptions(int argc, char **argv,
                                     CommonOptions &common) {
  CLI::App app("Translates models between formats.", "zenith-translate");
  TranslateOptions translate;
  addTranslateOptions(app, options::Translate, translate);
  return finishCommandLine(app, options::Translate, argc, argv, common,
                           translate, [&](const TranslateOptions &given) {
                             return checkTranslateEffects(app, given);
                           });
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

/// Writes the types of a policy into the module, which a reader of the output
/// then finds there.
static llvm::Error assignTypes(ModuleOp module, FileFormat to,
                               const TranslateOptions &options) {
  std::string policy = options.mixedPrecision;
  // GraphIR can say by an attribute what other formats say by types.
  bool keepsAttribute = to == FileFormat::GraphIR || to == FileFormat::Bytecode;
  if (auto own = module->getAttrOfType<StringAttr>(graph::precisionAttrName);
      own && policy.empty() && !keepsAttribute)
    policy = own.str();
  if (llvm::Error error = checkKeepEffect(options.precision, policy))
    return error;
  if (policy.empty())
    return llvm::Error::success();
  auto read = precision::parsePolicy(policy, module.getContext());
  if (!read)
    return makeError(read.error());
  std::vector<std::string> kept =
      precision::splitPatterns(options.precision.keepF32);
  PassManager passes(module.getContext());
  passes.addPass(createInlineCallsPass());
  passes.addPass(createSymbolDCEPass());
  passes.addNestedPass<func::FuncOp>(createFoldBatchNormPass());
  if (failed(passes.run(module)))
    return makeError(ErrorCode::Unsupported, "calls cannot be inlined");
  if (auto error = precision::checkKeepPatterns(module, kept))
    return makeError(std::move(*error));
  PassManager assigning(module.getContext());
  assigning.addPass(createAssignPrecisionPass(
      {policy, kept, /*choices=*/"", /*marks=*/false, /*explain=*/false}));
  addTidy(assigning);
  if (failed(assigning.run(module)))
    return makeError(ErrorCode::Internal, "the policy cannot be applied");
  // What the module says by its types it need not say again.
  module->removeAttr(graph::precisionAttrName);
  return llvm::Error::success();
}

// Results of the module's entry on random inputs.
static llvm::Expected<std::vector<Tensor>>
runRandom(LoadedModel model, const TranslateOptions &options) {
  llvm::Expected<func::FuncOp> entry =
      findFunction(*model.module, options.entry);
  if (!entry)
    return entry.takeError();
  std::vector<ArgumentInfo> arguments = argumentsOf(*entry);
  RunOptions run;
  run.entry = entry->getSymName().str();
  run.randomSeed = 0;
  run.noVerify = options.noVerify;
  run.dims.sizes = checkDims(arguments, options.dims);
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

/// IR keeps the types of the program: the compiler that reads it may compute
/// with more precision. Runtimes of ONNX have no such choice, so the importer
/// makes it.
static LoadOptions loadOptions(FileFormat from, FileFormat to) {
  LoadOptions load;
  load.format = from;
  load.stablehlo.excessPrecision = to == FileFormat::ONNX;
  return load;
}

static llvm::Error checkTranslation(const TranslateOptions &options,
                                    FileFormat toFormat, LoadedModel original,
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
  ComparedTensors compared;
  for (auto [i, value] : llvm::enumerate(*got)) {
    compared.add("result " + std::to_string(i), value, (*expected)[i]);
    if (auto difference = compareTensors(value, (*expected)[i], {}))
      return makeError(ErrorCode::Differs,
                       "result " + std::to_string(i) +
                           " differs after translation: " + *difference,
                       options.output);
  }
  llvm::outs() << "checked " << options.output
               << " by the interpreter on random inputs: " << compared.summary()
               << "\n";
  return llvm::Error::success();
}

static llvm::Error quantizeLoaded(LoadedModel &model,
                                  const TranslateOptions &options,
                                  Diagnostics &diagnostics) {
  RunOptions run;
  run.entry = options.entry;
  run.noVerify = options.noVerify;
  run.precision = options.precision;
  return quantizeModel(model, run, /*forFile=*/true, diagnostics);
}

llvm::Error zenith::tools::translateModel(const TranslateOptions &given,
                                          Diagnostics &diagnostics) {
  TranslateOptions options = given;
  llvm::Expected<FileFormat> from =
      formatFor(options.fromFormat, options.input);
  if (!from)
    return from.takeError();
  llvm::Expected<FileFormat> to = formatFor(options.toFormat, options.output);
  if (!to)
    return to.takeError();
  if (options.check && options.output == "-")
    return makeError(
        ErrorCode::Usage,
        "--check needs a file: standard output cannot be read again");
  std::unique_ptr<MLIRContext> context = makeContext();
  LoadOptions load = loadOptions(*from, *to);
  // The check chooses sizes of its own for a model that stays dynamic.
  if (!options.check)
    load.dims = options.dims;
  load.dimsInTypes = true;
  llvm::Expected<LoadedModel> model =
      loadModel(options.input, context.get(), load, diagnostics);
  if (!model)
    return model.takeError();
  if (llvm::Error error = quantizeLoaded(*model, options, diagnostics))
    return error;
  // GraphIR can say what is to be derived, other formats cannot.
  bool derives = !options.transforms.empty() || *to == FileFormat::ONNX ||
                 *to == FileFormat::StableHLO;
  if (derives) {
    llvm::Expected<std::string> entry =
        deriveModel(*model, options.transforms, options.entry, diagnostics);
    if (!entry)
      return entry.takeError();
    options.entry = *entry;
  }
  if (llvm::Error error = assignTypes(*model->module, *to, options))
    return error;
  if (*to == FileFormat::ONNX) {
    ONNXWriteOptions write{options.opset, options.externalData, options.entry,
                           model->folder, !options.noVerify};
    llvm::Expected<int64_t> opset =
        writeAsONNX(*model->module, options.output, write, diagnostics);
    if (!opset)
      return opset.takeError();
    if (!options.opset)
      diagnostics.note("written with opset " + std::to_string(*opset),
                       options.output);
  } else if (*to == FileFormat::StableHLO) {
    if (llvm::Error error = writeStableHLO(*model->module, options.output,
                                           model->folder, !options.noVerify))
      return error;
  } else {
    if (llvm::Error error =
            writeGraphIR(*model->module, options.output, model->folder,
                         *to == FileFormat::Bytecode))
      return error;
    model->folder = folderOf(options.output);
  }
  if (options.check)
    return checkTranslation(options, *to, std::move(*model), diagnostics);
  return llvm::Error::success();
}
