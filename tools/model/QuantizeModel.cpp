// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands the quantizer what it has not: values of parameters, samples, and a way
// to run programs.

#include "tools/model/QuantizeModel.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "frontends/models/ParamFiles.h"
#include "ir/remarks/Remark.h"
#include "ir/tensor/Scalar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/precision/KeptOps.h"
#include "passes/quantize/QuantizeProducts.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/Executor.h"
#include "tools/model/Samples.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;
using quantize::QuantizationRequest;
using quantize::QuantizationScheme;

namespace {

class ModelQuantizer {
public:
  ModelQuantizer(models::LoadedModel &model, const RunOptions &options,
                 models::Diagnostics &diagnostics, models::ParamFiles params,
                 QuantizationScheme scheme, SampleBatches batches,
                 bool scalesRows)
      : model(model), options(options), diagnostics(diagnostics),
        params(std::move(params)), scheme(std::move(scheme)),
        batches(std::move(batches)), scalesRows(scalesRows) {}

  llvm::Error run();

private:
  struct Quantized {
    OwningOpRef<ModuleOp> module;
    std::vector<std::string> names; ///< of the products
  };
  /// A copy of the model in which products of these names stay f32.
  llvm::Expected<Quantized> quantized(const llvm::StringSet<> &kept,
                                      bool explain);
  llvm::Error
  runSamples(OwningOpRef<ModuleOp> program,
             llvm::function_ref<llvm::Error(ArrayRef<Tensor>)> take);
  llvm::Expected<std::vector<Tensor>> resultsOf(ModuleOp program);
  llvm::Expected<double> agreementOf(ModuleOp program);
  llvm::Expected<std::vector<std::string>>
  worstFirst(std::vector<std::string> names);
  llvm::Error keepAgreement(Quantized &made, llvm::StringSet<> kept);

  models::LoadedModel &model;
  const RunOptions &options;
  models::Diagnostics &diagnostics;
  models::ParamFiles params;
  QuantizationScheme scheme;
  SampleBatches batches;
  bool scalesRows;
  std::vector<Tensor> reference; ///< first results of the f32 program
};

} // namespace

llvm::Error ModelQuantizer::runSamples(
    OwningOpRef<ModuleOp> program,
    llvm::function_ref<llvm::Error(ArrayRef<Tensor>)> take) {
  RunOptions quiet = options;
  quiet.explain.clear();
  quiet.entry = options.entry;
  auto executor =
      makeExecutor(std::move(program), model.folder, quiet, diagnostics);
  if (!executor)
    return executor.takeError();
  for (const std::vector<Tensor> &batch : batches) {
    auto results = (*executor)->run(batch);
    if (!results)
      return results.takeError();
    if (llvm::Error error = take(*results))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<ModelQuantizer::Quantized>
ModelQuantizer::quantized(const llvm::StringSet<> &kept, bool explain) {
  Quantized made;
  made.module = model.module->clone();
  llvm::Expected<func::FuncOp> entry =
      models::findFunction(*made.module, options.entry);
  if (!entry)
    return entry.takeError();
  QuantizationRequest request;
  request.scheme = scheme;
  request.explain = explain;
  request.scalesRows = scalesRows;
  request.loadParam = [this](StringRef name, RankedTensorType type,
                             Attribute source) {
    return params.load(name, type, source);
  };
  if (!batches.empty())
    request.runSamples =
        [this](OwningOpRef<ModuleOp> program,
               llvm::function_ref<llvm::Error(ArrayRef<Tensor>)> take) {
          return runSamples(std::move(program), take);
        };
  const std::vector<std::string> patterns =
      precision::splitPatterns(options.precision.keepF32);
  request.keeps = [&](Operation *op) {
    return kept.contains(precision::sourceName(op)) ||
           precision::keepPattern(op, patterns);
  };
  auto names = quantize::quantizeProducts(*entry, request);
  if (!names)
    return names.takeError();
  made.names = std::move(*names);
  return made;
}

llvm::Expected<std::vector<Tensor>>
ModelQuantizer::resultsOf(ModuleOp program) {
  std::vector<Tensor> first;
  if (llvm::Error error = runSamples(
          program.clone(), [&](ArrayRef<Tensor> results) -> llvm::Error {
            first.push_back(results.front());
            return llvm::Error::success();
          }))
    return std::move(error);
  return first;
}

/// The place of the largest element of each row along the last dimension.
static std::vector<int64_t> largestPlaces(const Tensor &value) {
  int64_t size = value.shape().empty() ? 1 : value.shape().back();
  std::vector<int64_t> places;
  for (int64_t row = 0; size > 0 && row < value.size(); row += size) {
    int64_t best = 0;
    auto at = [&](int64_t i) {
      return interpreter::elementAt(value, row + i).asDouble();
    };
    for (int64_t i = 1; i < size; ++i)
      if (at(i) > at(best))
        best = i;
    places.push_back(best);
  }
  return places;
}

llvm::Expected<double> ModelQuantizer::agreementOf(ModuleOp program) {
  auto results = resultsOf(program);
  if (!results)
    return results.takeError();
  double same = 0, all = 0;
  for (auto [value, expected] : llvm::zip(*results, reference))
    for (auto [place, other] :
         llvm::zip(largestPlaces(value), largestPlaces(expected))) {
      same += place == other;
      ++all;
    }
  return all ? same / all : 1;
}

/// The products by the error that each alone makes, the largest first.
llvm::Expected<std::vector<std::string>>
ModelQuantizer::worstFirst(std::vector<std::string> names) {
  std::map<std::string, double> errors;
  for (const std::string &name : names) {
    llvm::StringSet<> others;
    for (const std::string &other : names)
      if (other != name)
        others.insert(other);
    auto alone = quantized(others, /*explain=*/false);
    if (!alone)
      return alone.takeError();
    auto results = resultsOf(*alone->module);
    if (!results)
      return results.takeError();
    double sum = 0;
    for (auto [value, expected] : llvm::zip(*results, reference))
      for (int64_t i = 0; i < value.size(); ++i) {
        double error = interpreter::elementAt(value, i).asDouble() -
                       interpreter::elementAt(expected, i).asDouble();
        sum += error * error;
      }
    errors[name] = sum;
  }
  llvm::sort(names, [&](const std::string &x, const std::string &y) {
    return std::make_pair(-errors[x], x) < std::make_pair(-errors[y], y);
  });
  return names;
}

llvm::Error ModelQuantizer::keepAgreement(Quantized &made,
                                          llvm::StringSet<> kept) {
  double wanted = *options.precision.minAgreement;
  auto original = resultsOf(*model.module);
  if (!original)
    return original.takeError();
  reference = std::move(*original);
  auto agreement = agreementOf(*made.module);
  if (!agreement)
    return agreement.takeError();
  double reached = *agreement;
  if (reached >= wanted)
    return llvm::Error::success();
  auto order = worstFirst(made.names);
  if (!order)
    return order.takeError();
  size_t returned = 0;
  while (reached < wanted && returned < order->size()) {
    kept.insert((*order)[returned++]);
    auto next = quantized(kept, /*explain=*/false);
    if (!next)
      return next.takeError();
    auto found = agreementOf(*next->module);
    if (!found)
      return found.takeError();
    reached = *found;
    made = std::move(*next);
  }
  remarks::emit(
      made.module->getLoc(), remarks::Code::PRE118,
      {std::to_string(*agreement), int64_t(returned), std::to_string(reached)});
  return llvm::Error::success();
}

llvm::Error ModelQuantizer::run() {
  bool explains = options.explains(remarks::Topic::Precision);
  auto made = quantized({}, explains);
  if (!made)
    return made.takeError();
  if (options.precision.minAgreement)
    if (llvm::Error error = keepAgreement(*made, {}))
      return error;
  model.module = std::move(made->module);
  return llvm::Error::success();
}

/// What the options demand of each other.
static llvm::Error checkOptions(const PrecisionOptions &options,
                                const QuantizationScheme &scheme) {
  bool hasSamples = !options.calibration.empty();
  if (scheme.kind == QuantizationScheme::Kind::Int8 && !hasSamples)
    return makeError(ErrorCode::Usage,
                     "--quantize=int8 needs samples: give --calibrate "
                     "KEY=FILE, or take int8-dynamic");
  if (options.minAgreement &&
      !(*options.minAgreement > 0 && *options.minAgreement <= 1))
    return makeError(ErrorCode::Usage, "--min-agreement is a share of the "
                                       "samples: above 0, at most 1");
  if (options.minAgreement && !hasSamples)
    return makeError(ErrorCode::Usage,
                     "--min-agreement needs samples: give --calibrate "
                     "KEY=FILE");
  return llvm::Error::success();
}

llvm::Error zenith::tools::quantizeModel(models::LoadedModel &model,
                                         const RunOptions &options,
                                         bool forFile,
                                         models::Diagnostics &diagnostics) {
  const PrecisionOptions &precision = options.precision;
  if (precision.quantize.empty()) {
    StringRef idle = precision.minAgreement ? "--min-agreement"
                     : forFile && !precision.calibration.empty() ? "--calibrate"
                                                                 : "";
    return idle.empty() ? llvm::Error::success()
                        : makeError(ErrorCode::Usage,
                                    idle + " has no effect without --quantize");
  }
  Result<QuantizationScheme> scheme = quantize::parseScheme(precision.quantize);
  if (!scheme)
    return makeError(std::move(scheme.error()));
  if (llvm::Error error = checkOptions(precision, *scheme))
    return error;
  ModuleOp module = *model.module;
  if (auto error = precision::checkKeepPatterns(
          module, precision::splitPatterns(precision.keepF32)))
    return makeError(std::move(*error));
  llvm::Expected<func::FuncOp> entry =
      models::findFunction(module, options.entry);
  if (!entry)
    return entry.takeError();
  std::vector<models::ArgumentInfo> arguments = models::argumentsOf(*entry);
  SampleBatches batches;
  if (!precision.calibration.empty()) {
    auto samples = readSamples(arguments, model.inputNames,
                               precision.calibration, module.getContext());
    if (!samples)
      return samples.takeError();
    batches = std::move(*samples);
  }
  llvm::Expected<models::ParamFiles> params = models::ParamFiles::open(
      model.folder, options.params, module.getContext());
  if (!params)
    return params.takeError();
  params->expect(module, !options.noVerify);
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        auto remark = remarks::read(diagnostic);
        if (!remark || forFile)
          return diagnostics.handle(diagnostic, model.folder);
        printRemark(*remark, diagnostic.getLocation(), options, diagnostics);
        return success();
      });
  return ModelQuantizer(model, options, diagnostics, std::move(*params),
                        std::move(*scheme), std::move(batches),
                        /*scalesRows=*/!forFile)
      .run();
}
