// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the model once with a switch for each product, runs it on samples,
// and verifies what was chosen.

#include "tools/run/BoundPrecision.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/tensor/Scalar.h"
#include "lowering/pipeline/Compile.h"
#include "lowering/pipeline/PhaseBoundary.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"
#include "passes/cost/CostRule.h"
#include "passes/precision/BoundDemotion.h"
#include "passes/precision/KeptOps.h"
#include "passes/precision/PrecisionChoices.h"
#include "passes/precision/RoundingSwitches.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/Executor.h"
#include "tools/model/RunInputs.h"
#include "tools/model/RunOptions.h"
#include <cmath>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;
using precision::NarrowSet;

using Results = std::vector<std::vector<float>>;

namespace {
/// One choice of types: the program that rounds by switches, and what is known
/// of its products.
class PrecisionBound {
public:
  PrecisionBound(ModuleOp module, const std::string &folder,
                 const RunOptions &given, const SampleBatches &samples,
                 Diagnostics &diagnostics)
      : module(module), folder(folder), options(given), samples(samples),
        diagnostics(diagnostics) {
    options.explain.clear();
    options.compile.cacheDir.clear();
  }

  llvm::Expected<std::string> choose();

private:
  llvm::Error buildSwitches();
  llvm::Expected<Results> runAll(Executor &executor, const NarrowSet *set);
  llvm::Expected<double> verify(const std::string &choices);
  precision::PrecisionChoices choicesOf(const precision::Demotion &demotion,
                                        double error) const;

  ModuleOp module;
  const std::string &folder;
  RunOptions options; ///< without remarks
  const SampleBatches &samples;
  Diagnostics &diagnostics;
  precision::Policy policy;
  std::vector<std::string> names; ///< of the products that may be narrow
  std::vector<double> work;       ///< their multiplications
  std::unique_ptr<Executor> switched;
  Results inF32;
};
} // namespace

/// Multiplications of an op on a sample.
static double workOf(Operation *op, graph::DimAnalysis &dims,
                     const DimValues &sizes) {
  auto rule = dyn_cast<cost::CostRule>(op);
  if (!rule)
    return 1;
  auto flops = rule.flops(dims).evaluate([&](const std::string &name) {
    auto known = sizes.find(name);
    return known == sizes.end() ? std::nullopt
                                : std::optional<int64_t>(known->second);
  });
  return std::max(1.0, double(flops.value_or(2)) / 2);
}

llvm::Error PrecisionBound::buildSwitches() {
  OwningOpRef<ModuleOp> probe(module.clone());
  pipeline::CompileOptions compile = frontOptions(options, diagnostics);
  compile.folder = folder;
  if (llvm::Error error = pipeline::lowerTo("clean", *probe, compile))
    return error;
  auto read =
      precision::parsePolicy(compile.mixedPrecision, module.getContext());
  if (!read)
    return makeError(read.error());
  policy = *read;
  if (policy.compute == precision::FloatWord::F32)
    return makeError(ErrorCode::Usage,
                     "--max-error needs a policy that computes products in "
                     "bf16 or f16");
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createFoldBatchNormPass());
  if (failed(passes.run(*probe)))
    return makeError(ErrorCode::Internal, "batch norms cannot be folded");
  llvm::Expected<func::FuncOp> entry = findFunction(*probe, options.entry);
  if (!entry)
    return entry.takeError();
  // No pass that asks what ops cost has run.
  DialectRegistry registry;
  cost::registerCostRules(registry);
  module.getContext()->appendDialectRegistry(registry);
  graph::DimAnalysis dims;
  auto sizes = solveDims(models::argumentsOf(*entry), samples.front(), {});
  if (!sizes)
    return sizes.takeError();
  SmallVector<Operation *> products;
  for (auto &[name, op] : precision::namedProducts(*probe, policy)) {
    bool isFloat = graph::typeOf(op->getResult(0)).getElementType().isF32();
    if (!entry->getOperation()->isAncestor(op) || !isFloat ||
        op->hasAttr(graph::highestPrecisionAttrName) ||
        precision::keepPattern(op, options.compile.keptOps))
      continue;
    names.push_back(name);
    work.push_back(workOf(op, dims, *sizes));
    products.push_back(op);
  }
  precision::addRoundingSwitches(*entry, products, policy.compute);
  RunOptions plain = options;
  plain.compile.mixedPrecision = "f32";
  plain.compile.keptOps.clear();
  (*probe)->setAttr(pipeline::phaseAttrName,
                    StringAttr::get(module.getContext(), "precision"));
  auto executor = makeExecutor(std::move(probe), folder, plain, diagnostics);
  if (!executor)
    return executor.takeError();
  switched = std::move(*executor);
  return llvm::Error::success();
}

/// The f32 results of all samples, one after the other.
llvm::Expected<Results> PrecisionBound::runAll(Executor &executor,
                                               const NarrowSet *set) {
  Results all;
  for (const std::vector<Tensor> &sample : samples) {
    std::vector<Tensor> arguments = sample;
    if (set)
      for (bool narrow : *set) {
        Tensor flag(RankedTensorType::get(
            {}, IntegerType::get(module.getContext(), 1)));
        flag.writable()[0] = char(narrow);
        arguments.push_back(std::move(flag));
      }
    auto results = executor.run(arguments);
    if (!results)
      return results.takeError();
    all.resize(results->size());
    for (auto [result, values] : llvm::zip(*results, all)) {
      interpreter::ElementAccess access(result.elementType());
      const char *from = result.bytes();
      if (isa<FloatType>(result.elementType()))
        for (int64_t i = 0; i < result.size(); ++i, from += access.bytes())
          values.push_back(float(access.load(from).asDouble()));
    }
  }
  return all;
}

precision::PrecisionChoices
PrecisionBound::choicesOf(const precision::Demotion &demotion,
                          double error) const {
  precision::PrecisionChoices choices;
  for (auto [k, name] : llvm::enumerate(names))
    choices[name] = {demotion.narrow[k] ? policy.compute
                                        : precision::FloatWord::F32,
                     demotion.ownErrors[k], error};
  return choices;
}

/// The error of the program that will run.
llvm::Expected<double> PrecisionBound::verify(const std::string &choices) {
  RunOptions chosen = options;
  chosen.compile.precisionChoices = choices;
  auto executor = makeExecutor(OwningOpRef<ModuleOp>(module.clone()), folder,
                               chosen, diagnostics);
  if (!executor)
    return executor.takeError();
  auto results = runAll(**executor, nullptr);
  if (!results)
    return results.takeError();
  return precision::resultError(*results, inF32);
}

llvm::Expected<std::string> PrecisionBound::choose() {
  double bound = *options.precision.maxError;
  if (llvm::Error error = buildSwitches())
    return std::move(error);
  NarrowSet none(names.size());
  auto base = runAll(*switched, &none);
  if (!base)
    return base.takeError();
  inF32 = std::move(*base);
  // About as many runs as take a minute of arithmetic.
  double each = 1;
  for (double own : work)
    each += 2 * own * double(samples.size());
  auto mostRuns = int64_t(std::clamp(1e12 / each, 64.0, 2048.0));
  // Sums in another order flip a few roundings, so a set that just fits may
  // not; the bound of the search then comes down.
  constexpr int attempts = 4;
  constexpr double lower = 0.97;
  double target = bound;
  for (int attempt = 0;; ++attempt, target *= lower) {
    auto demotion = precision::boundDemotion(
        work, attempt == attempts ? 0 : target, mostRuns,
        [&](const NarrowSet &set) { return runAll(*switched, &set); });
    if (!demotion)
      return demotion.takeError();
    auto choices = choicesOf(*demotion, demotion->error);
    auto error = verify(precision::choicesText(choices, true));
    if (!error)
      return error.takeError();
    if (*error > bound && attempt < attempts)
      continue;
    return precision::choicesText(choicesOf(*demotion, *error), true);
  }
}

llvm::Expected<std::string> zenith::tools::boundPrecision(
    ModuleOp module, const std::string &folder, const RunOptions &options,
    const SampleBatches &samples, Diagnostics &diagnostics) {
  return PrecisionBound(module, folder, options, samples, diagnostics).choose();
}
