// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of zenith-run in order, each timed.

#include "tools/run/RunModel.h"

#include "frontends/models/BindInputs.h"
#include "frontends/models/DeviceOptions.h"
#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/LoadModel.h"
#include "frontends/models/ParamFiles.h"
#include "frontends/models/TimelineFile.h"
#include "frontends/models/WriteModel.h"
#include "frontends/tensors/TensorIO.h"
#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/precision/KeptOps.h"
#include "passes/precision/PrecisionChoices.h"
#include "passes/search/states/SplitSearchLoop.h"
#include "passes/sharding/partition/PartitionProgram.h"
#include "passes/sharding/partition/ShardProgram.h"
#include "runtime/Stopwatch.h"
#include "tools/model/CommandLine.h"
#include "tools/model/CompareResults.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/DeriveModel.h"
#include "tools/model/Executor.h"
#include "tools/model/OptionEffects.h"
#include "tools/model/QuantizeModel.h"
#include "tools/model/RunInputs.h"
#include "tools/model/RunOptions.h"
#include "tools/model/Samples.h"
#include "tools/run/BenchServer.h"
#include "tools/run/BoundPrecision.h"
#include "tools/run/CompareOps.h"
#include "tools/run/CountFlops.h"
#include "tools/run/GradientCheck.h"
#include "tools/run/PrecisionProbes.h"
#include "tools/run/PrintResults.h"
#include "tools/run/RunReports.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

namespace {
class ModelRun {
public:
  ModelRun(const RunOptions &given, Diagnostics &diagnostics)
      : options(given), diagnostics(diagnostics), context(makeContext()) {}

  llvm::Error execute();

private:
  llvm::Error load();
  llvm::Error dealOverDevices();
  llvm::Error settlePrecision();
  llvm::Error chooseProducts();
  llvm::Error start();
  llvm::Error checkBudget();
  llvm::Error checkFolders();
  llvm::Error writeTimeline();
  llvm::Error writeResults();
  llvm::Error compareExpected();
  llvm::Error checkExpectations();
  llvm::Error compareInterpreter();
  llvm::Error comparePrecisions();
  llvm::Error checkDerivatives();
  llvm::Error measure();
  llvm::Error report();
  /// True where standard output has lines that programs read.
  bool printsForPrograms() const {
    return !options.reports.empty() || options.bench || options.benchServer;
  }
  void summarize() const;
  void printComparison(StringRef with, const ComparedTensors &compared) const;

  RunOptions options;
  Diagnostics &diagnostics;
  std::unique_ptr<MLIRContext> context;
  LoadedModel model;
  std::vector<ArgumentInfo> arguments;
  OwningOpRef<ModuleOp> original; ///< kept for --compare
  std::vector<ResultInfo> resultInfos;
  /// Expectations of a program that tests itself; their pairs of values are
  /// results after the program's own.
  std::vector<stablehlo::Expectation> expectations;
  std::vector<Tensor> inputs, results;
  DimValues dims;
  std::unique_ptr<Executor> executor;
  BenchStart figures;
  llvm::json::Object communication;
  double importMs = 0, inputMs = 0, flops = 0;
};
} // namespace

llvm::Error ModelRun::load() {
  runtime::Stopwatch watch;
  LoadOptions load;
  load.bindings = options.bindings;
  load.dims = options.dims.sizes;
  load.dimBounds = options.dims.bounds;
  load.entry = options.entry;
  load.remark = [&](const remarks::Emitted &remark, Location location) {
    printRemark(remark, location, options, diagnostics);
  };
  llvm::Expected<LoadedModel> loaded =
      loadModel(options.model, context.get(), load, diagnostics);
  if (!loaded)
    return loaded.takeError();
  model = std::move(*loaded);
  // Own rules are part of what is checked.
  if (!options.checkGrads || !options.transforms.empty()) {
    llvm::Expected<std::string> derived =
        deriveModel(model, options.transforms, options.entry, diagnostics,
                    options.maxMemory.value_or(0));
    if (!derived)
      return derived.takeError();
    options.entry = *derived;
  }
  if (llvm::Error error =
          quantizeModel(model, options, /*forFile=*/false, diagnostics))
    return error;
  importMs = watch.restart();
  llvm::Expected<Operation *> entry = findEntry(*model.module, options.entry);
  if (!entry)
    return entry.takeError();
  // The program of one device takes blocks: only when it is dealt its inputs
  // are whole. Other programs say as written which inputs are positions.
  bool takesBlocks = sharding::takesBlocks(*entry);
  if (takesBlocks) {
    if (llvm::Error error = dealOverDevices())
      return error;
    entry = findEntry(*model.module, options.entry);
    if (!entry)
      return entry.takeError();
  }
  resultInfos = resultsOf(*entry);
  for (const stablehlo::ImportedFunction &function : model.functions)
    if (function.name == SymbolTable::getSymbolName(*entry)) {
      expectations = function.expectations;
      resultInfos.resize(function.results);
    }
  if (model.dimsApplied)
    options.dims.sizes.clear();
  arguments = argumentsOf(*entry);
  llvm::Expected<std::vector<Tensor>> values =
      collectInputs(arguments, model.inputNames, options, context.get(), dims);
  if (!values)
    return values.takeError();
  inputs = std::move(*values);
  if (llvm::Error error = checkBounds(dims, graph::dimBoundsOf(*entry)))
    return error;
  flops = countFlops(*entry, dims);
  inputMs = watch.ms();
  return takesBlocks ? llvm::Error::success() : dealOverDevices();
}

/// The program of all devices, in lock step.
llvm::Error ModelRun::dealOverDevices() {
  llvm::Expected<Operation *> entry = findEntry(*model.module, options.entry);
  if (!entry)
    return entry.takeError();
  sharding::ShardOptions dealt =
      models::shardOptions(options.compile, SymbolTable::getSymbolName(*entry));
  if (options.wants(Report::Communication))
    dealt.communication = &communication;
  dealt.explain = options.explains(remarks::Topic::Sharding);
  RemarkPrinter printer(context.get(), options, diagnostics);
  return sharding::shardProgram(*model.module, dealt);
}

/// The policy of the model, and the types that files or samples choose for its
/// products.
llvm::Error ModelRun::settlePrecision() {
  auto own =
      (*model.module)->getAttrOfType<StringAttr>(graph::precisionAttrName);
  if (own && options.compile.mixedPrecision.empty())
    options.compile.mixedPrecision = own.str();
  options.compile.keptOps = precision::splitPatterns(options.precision.keepF32);
  if (!options.precision.precisionFile.empty()) {
    auto text = llvm::MemoryBuffer::getFile(options.precision.precisionFile);
    if (!text)
      return makeError(ErrorCode::Invalid,
                       "cannot read the file: " + text.getError().message(),
                       options.precision.precisionFile);
    auto choices = precision::parseChoices((*text)->getBuffer());
    if (!choices)
      return makeError(choices.error().ofFile(options.precision.precisionFile));
    options.compile.precisionChoices = precision::choicesText(*choices, true);
    // Types by name are a policy of their own.
    if (options.compile.mixedPrecision.empty())
      options.compile.mixedPrecision = "f32";
  }
  if (llvm::Error error =
          checkKeepEffect(options.precision, options.compile.mixedPrecision))
    return error;
  return options.precision.maxError ? chooseProducts() : llvm::Error::success();
}

llvm::Error ModelRun::chooseProducts() {
  if (options.compile.mixedPrecision.empty())
    return makeError(ErrorCode::Usage,
                     "--max-error needs a policy: --mixed-precision");
  auto samples = readSamples(arguments, model.inputNames,
                             options.precision.calibration, context.get());
  if (!samples)
    return samples.takeError();
  auto text = boundPrecision(*model.module, model.folder, options, *samples,
                             diagnostics);
  if (!text)
    return text.takeError();
  options.compile.precisionChoices = std::move(*text);
  auto choices = precision::parseChoices(options.compile.precisionChoices);
  if (!choices)
    return makeError(choices.error());
  double least = std::numeric_limits<double>::infinity();
  bool isAnyNarrow = false;
  for (const auto &[name, choice] : *choices) {
    isAnyNarrow |= choice.type != precision::FloatWord::F32;
    least = std::min(least, choice.ownError.value_or(least));
  }
  if (!isAnyNarrow)
    printRemark(pipeline::makeRemark(remarks::Code::PRE113,
                                     {*options.precision.maxError, least}),
                options, diagnostics);
  if (options.precision.savePrecision.empty())
    return llvm::Error::success();
  return writeFile(options.precision.savePrecision,
                   precision::choicesText(*choices, false));
}

/// Nothing runs that would not end within its budget.
llvm::Error ModelRun::checkBudget() {
  std::optional<memory::BudgetRefusal> refusal = executor->refusal(dims);
  return refusal ? refusalError(std::move(*refusal), diagnostics)
                 : llvm::Error::success();
}

/// Before anything is compiled.
llvm::Error ModelRun::checkFolders() { return checkMemoryOptions(options); }

llvm::Error ModelRun::writeTimeline() {
  if (options.memoryTimeline.empty())
    return llvm::Error::success();
  return models::writeTimeline(options.memoryTimeline,
                               executor->memoryTimeline(dims));
}

llvm::Error ModelRun::start() {
  if (options.comparison != Comparison::None ||
      options.wants(Report::Precision))
    original = model.module->clone();
  runtime::Stopwatch watch;
  auto made =
      makeExecutor(std::move(model.module), model.folder, options, diagnostics);
  if (!made)
    return made.takeError();
  executor = std::move(*made);
  // Preparing parameters before the first run is not compilation.
  double prepareMs = executor->prepareMs();
  figures.compileMs = watch.restart() + importMs - prepareMs;
  if (llvm::Error error = checkBudget())
    return error;
  llvm::Expected<std::vector<Tensor>> values = executor->run(inputs);
  if (!values)
    return values.takeError();
  results = std::move(*values);
  figures.firstRunMs = watch.ms() + prepareMs;
  return llvm::Error::success();
}

llvm::Error ModelRun::writeResults() {
  if (options.printElements)
    for (auto [info, result] : llvm::zip(resultInfos, results))
      printTensor(llvm::outs(), info.name, result, options.printElements);
  if (options.outDir.empty())
    return llvm::Error::success();
  if (std::error_code code = llvm::sys::fs::create_directories(options.outDir))
    return makeError(ErrorCode::Invalid,
                     "cannot create the folder: " + code.message(),
                     options.outDir);
  for (auto [i, result] :
       llvm::enumerate(ArrayRef(results).take_front(resultInfos.size()))) {
    std::string file = options.outDir + "/" + std::to_string(i) + "." +
                       options::wordOf(options.outFormat).str();
    if (llvm::Error error = tensors::writeTensor(
            file, result, resultInfos[i].name, resultInfos[i].storedType))
      return error;
  }
  return llvm::Error::success();
}

/// Where nothing else is asked for: what the results are and how long they
/// took.
void ModelRun::summarize() const {
  if (printsForPrograms() || options.printElements)
    return;
  for (auto [i, info] : llvm::enumerate(resultInfos))
    llvm::outs() << (info.name.empty() ? "result " + std::to_string(i)
                                       : info.name)
                 << " : " << results[i].type() << "\n";
  llvm::outs() << llvm::format("ran in %.3f ms, compiled in %.3f ms\n",
                               figures.firstRunMs, figures.compileMs);
}

/// What was compared. Standard output may hold lines for programs.
void ModelRun::printComparison(StringRef with,
                               const ComparedTensors &compared) const {
  llvm::raw_ostream &os = printsForPrograms() ? llvm::errs() : llvm::outs();
  os << "compared with " << with << ": " << compared.summary() << "\n";
}

llvm::Error ModelRun::compareExpected() {
  if (options.expected.empty())
    return llvm::Error::success();
  std::vector<std::string> names;
  for (const ResultInfo &info : resultInfos)
    names.push_back(info.name);
  llvm::Error all = llvm::Error::success();
  ComparedTensors compared;
  for (const KeyedFile &file : options.expected) {
    llvm::Expected<unsigned> index = inputIndex(file.key, names, "--expect");
    if (!index)
      return llvm::joinErrors(std::move(all), index.takeError());
    llvm::Expected<Tensor> expected = readKeyedFile(
        file, resultInfos[*index].type.getElementType(), context.get());
    if (!expected)
      return llvm::joinErrors(std::move(all), expected.takeError());
    compared.add("'" + file.key + "'", results[*index], *expected);
    if (auto difference =
            compareTensors(results[*index], *expected, options.tolerance))
      all = llvm::joinErrors(
          std::move(all), makeError(ErrorCode::Differs,
                                    "result '" + file.key + "' differs from " +
                                        file.file + ": " + *difference));
  }
  if (!all)
    printComparison("the expected results", compared);
  return all;
}

static Tolerance toleranceOf(const stablehlo::Expectation &expectation) {
  Tolerance tolerance;
  switch (expectation.kind) {
  case stablehlo::Expectation::Equal:
    tolerance.absolute = 0.0;
    break;
  case stablehlo::Expectation::AlmostEqual:
    tolerance.absolute = expectation.tolerance;
    break;
  case stablehlo::Expectation::Close:
    tolerance.ulps = expectation.maxUlp;
    break;
  }
  return tolerance;
}

llvm::Error ModelRun::checkExpectations() {
  if (expectations.empty())
    return llvm::Error::success();
  llvm::Error all = llvm::Error::success();
  ComparedTensors compared;
  for (auto [i, expectation] : llvm::enumerate(expectations)) {
    size_t at = resultInfos.size() + 2 * i;
    compared.add("expectation " + std::to_string(i), results[at],
                 results[at + 1]);
    if (auto difference = compareTensors(results[at], results[at + 1],
                                         toleranceOf(expectation)))
      all = llvm::joinErrors(std::move(all),
                             makeError(ErrorCode::Differs,
                                       "the program's expectation " +
                                           std::to_string(i) +
                                           " does not hold: " + *difference,
                                       expectation.location));
  }
  if (!all)
    printComparison("the program's expectations", compared);
  return all;
}

llvm::Error ModelRun::comparePrecisions() {
  if (options.perOp) {
    auto ops =
        probePrecision(*original, model.folder, options, inputs, diagnostics);
    if (!ops)
      return ops.takeError();
    if (llvm::Error error = comparePerOp(*ops, options))
      return error;
  }
  return compareWithF32(*original, model.folder, options, inputs, results,
                        diagnostics);
}

llvm::Error ModelRun::compareInterpreter() {
  if (options.comparison == Comparison::None)
    return llvm::Error::success();
  // What a run of such a program does is its first part alone.
  if (Operation *main = original->lookupSymbol("main");
      main && main->hasAttr(search::splitAttrName))
    return makeError(ErrorCode::Unsupported,
                     "@main is cut into functions (" +
                         search::splitAttrName.str() +
                         "), of which --compare knows none");
  if (options.comparison == Comparison::F32)
    return comparePrecisions();
  if (options.perOp) {
    ComparedTensors values;
    if (llvm::Error error = compareEachOp(*original, model.folder, options,
                                          inputs, diagnostics, values))
      return error;
    printComparison("the interpreter, op by op", values);
  }
  ComparedTensors compared;
  if (llvm::Error error = compareWithInterpreter(
          *original, model.folder, options, inputs, results, compared))
    return error;
  printComparison("the interpreter", compared);
  return llvm::Error::success();
}

/// Parameters are read in their own types, and then wider.
llvm::Error ModelRun::checkDerivatives() {
  ModuleOp module = *model.module;
  llvm::Expected<models::ParamFiles> params =
      models::ParamFiles::open(model.folder, options.params, context.get());
  if (!params)
    return params.takeError();
  params->expect(module, !options.noVerify);
  llvm::StringMap<RankedTensorType> types;
  module.walk([&](graph::ParamOp param) {
    types[param.getSymName()] = cast<RankedTensorType>(param.getType());
  });
  llvm::Expected<Operation *> entry = findEntry(module, options.entry);
  if (!entry)
    return entry.takeError();
  std::string name = SymbolTable::getSymbolName(*entry).str();
  if (llvm::Error error = widenToF64(module))
    return error;
  interpreter::Options settings;
  settings.loadParam = [&](StringRef param, RankedTensorType,
                           Attribute source) -> llvm::Expected<Tensor> {
    llvm::Expected<Tensor> value =
        params->load(param, types.lookup(param), source);
    return value ? widenToF64(*value) : std::move(value);
  };
  std::vector<Tensor> wide;
  for (const Tensor &input : inputs)
    wide.push_back(widenToF64(input));
  GradientSummary summary;
  if (llvm::Error error = checkGradients(module, name, wide, options.checkGrads,
                                         settings, summary))
    return error;
  llvm::outs() << summary.text() << "\n";
  return llvm::Error::success();
}

llvm::Error ModelRun::measure() {
  if (!options.bench)
    return llvm::Error::success();
  results.clear(); // a bound of memory is that of one run
  llvm::Expected<llvm::json::Object> measured =
      bench(*executor, inputs, options.bench, figures, flops);
  if (!measured)
    return measured.takeError();
  llvm::outs() << benchSummary(*measured) << "\n";
  if (options.benchJSON.empty())
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(std::move(*measured)) << "\n";
  return writeFile(options.benchJSON, text);
}

llvm::Error ModelRun::report() {
  if (options.wants(Report::Memory))
    printMemoryReport(executor->memoryReport(dims), options.reportFormat);
  if (options.wants(Report::Precision)) {
    auto ops =
        probePrecision(*original, model.folder, options, inputs, diagnostics);
    if (!ops)
      return ops.takeError();
    for (const ProbedOp &op : *ops)
      llvm::outs() << llvm::json::Value(reportOf(op)) << "\n";
  }
  if (options.wants(Report::Communication))
    llvm::outs() << llvm::json::Value(std::move(communication)) << "\n";
  if (!options.wants(Report::Time) && !options.wants(Report::Roofline))
    return llvm::Error::success();
  results.clear(); // a bound of memory is that of one run
  auto kernels = measureKernels(*executor, inputs);
  if (!kernels)
    return kernels.takeError();
  llvm::json::Object times = compileReport(*executor);
  times["import_ms"] = importMs;
  times["inputs_ms"] = inputMs;
  times["compile_ms"] = figures.compileMs - importMs;
  times["first_run_ms"] = figures.firstRunMs;
  printKernelReports(options, std::move(times), *kernels);
  return llvm::Error::success();
}

llvm::Error ModelRun::execute() {
  if (!isTarget(options.compile.target))
    return makeError(ErrorCode::Usage,
                     "'" + options.compile.target +
                         "' is no target; known are cpu, "
                         "cpu:ARCH, opencl, opencl:N, interp");
  if (options.isInterpreted() && options.wants(Report::Roofline))
    return makeError(ErrorCode::Unsupported,
                     "--report=roofline: the interpreter has no kernels");
  if (options.checkGrads) {
    if (llvm::Error error = load())
      return error;
    return checkDerivatives();
  }
  for (auto step :
       {&ModelRun::checkFolders, &ModelRun::load, &ModelRun::settlePrecision,
        &ModelRun::start, &ModelRun::writeTimeline, &ModelRun::writeResults})
    if (llvm::Error error = (this->*step)())
      return error;
  if (options.benchServer) {
    results.clear(); // written; the server's runs have buffers of their own
    return serveBench(*executor, inputs, figures);
  }
  summarize();
  if (llvm::Error error = llvm::joinErrors(
          llvm::joinErrors(compareExpected(), checkExpectations()),
          compareInterpreter()))
    return error;
  if (llvm::Error error = report())
    return error;
  return measure();
}

int zenith::tools::runModel(const RunOptions &options,
                            Diagnostics &diagnostics) {
  if (options.listTargets) {
    for (const std::string &line : listTargets())
      llvm::outs() << line << "\n";
    return 0;
  }
  llvm::Error error = ModelRun(options, diagnostics).execute();
  if (error && options.benchServer) {
    std::string text;
    llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
      text += (text.empty() ? "" : "; ") + info.message();
    });
    llvm::outs() << llvm::json::Value(llvm::json::Object{{"error", text}})
                 << "\n";
  }
  return diagnostics.report(std::move(error));
}
