// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks the ops of a model with what the policy decided, makes their values
// results, and compares them.

#include "tools/run/PrecisionProbes.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/EntrySignature.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/tensor/Scalar.h"
#include "lowering/pipeline/Compile.h"
#include "lowering/pipeline/PhaseBoundary.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/GraphPasses.h"
#include "passes/precision/KeptOps.h"
#include "passes/precision/PrecisionAssignment.h"
#include "passes/precision/PrecisionPasses.h"
#include "tools/model/CompiledModel.h"
#include "tools/model/Executor.h"
#include "tools/model/RunOptions.h"
#include "tools/run/CompareOps.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

/// The options of a run about whose decisions nobody asks.
static RunOptions quiet(const RunOptions &options) {
  RunOptions silent = options;
  silent.explain.clear();
  silent.compile.cacheDir.clear();
  return silent;
}

/// The module behind the phase precision, with a mark on each op.
static llvm::Error mark(ModuleOp module, const RunOptions &options,
                        StringRef policy) {
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(createFoldBatchNormPass());
  passes.addPass(createAssignPrecisionPass(
      {policy.str(), options.compile.keptOps, options.compile.precisionChoices,
       /*marks=*/true, /*explain=*/false}));
  if (failed(passes.run(module)))
    return makeError(ErrorCode::Internal, "the policy cannot be applied");
  module->setAttr(pipeline::phaseAttrName,
                  StringAttr::get(module.getContext(), "precision"));
  return llvm::Error::success();
}

static DictionaryAttr decisionOf(Operation *op) {
  return op->getAttrOfType<DictionaryAttr>(precision::decisionAttrName);
}

static std::string decided(Operation *op, StringRef key) {
  return decisionOf(op).getAs<StringAttr>(key).str();
}

/// The results of floats of marked ops of straight-line code, in order: those
/// of a loop or a branch stand for what happens in it.
static std::vector<OpResult> markedResults(func::FuncOp entry) {
  std::vector<OpResult> results;
  for (Operation &op : entry.getBody().front())
    if (decisionOf(&op))
      for (OpResult result : op.getResults())
        if (isa<FloatType>(graph::typeOf(result).getElementType()))
          results.push_back(result);
  return results;
}

/// The result on operands of its op that are rounded as it was decided of
/// `narrow`, the same op of the other program.
static Value aloneNarrow(OpResult wide, Operation *narrow) {
  Operation *op = wide.getOwner();
  auto typed = [&](StringRef key) {
    auto word = precision::floatWordOf(decided(narrow, key));
    return precision::elementTypeOf(word.value_or(precision::FloatWord::F32),
                                    op->getContext());
  };
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Type f32 = builder.getF32Type(), operands = typed("operands"),
       result = typed("result");
  Operation *copy = builder.clone(*op);
  copy->removeAttr(precision::decisionAttrName);
  builder.setInsertionPoint(copy);
  for (OpOperand &operand : copy->getOpOperands())
    if (graph::typeOf(operand.get()).getElementType().isF32())
      operand.set(graph::converted(
          builder, graph::converted(builder, operand.get(), operands), f32));
  builder.setInsertionPointAfter(copy);
  return graph::converted(builder, copy->getResult(wide.getResultNumber()),
                          result);
}

static llvm::Expected<std::vector<Tensor>>
runProbe(OwningOpRef<ModuleOp> module, const std::string &folder,
         const RunOptions &options, ArrayRef<Tensor> inputs,
         Diagnostics &diagnostics) {
  auto executor = makeExecutor(std::move(module), folder, options, diagnostics);
  if (!executor)
    return executor.takeError();
  return (*executor)->run(inputs);
}

llvm::Expected<std::vector<ProbedOp>>
zenith::tools::probePrecision(ModuleOp module, const std::string &folder,
                              const RunOptions &given, ArrayRef<Tensor> inputs,
                              Diagnostics &diagnostics) {
  RunOptions options = quiet(given);
  OwningOpRef<ModuleOp> wide(module.clone());
  pipeline::CompileOptions compile = frontOptions(options, diagnostics);
  compile.folder = folder;
  if (llvm::Error error = pipeline::lowerTo("clean", *wide, compile))
    return std::move(error);
  OwningOpRef<ModuleOp> lowered(wide->clone());
  if (llvm::Error error = mark(*lowered, options, compile.mixedPrecision))
    return std::move(error);
  if (llvm::Error error = mark(*wide, options, "f32"))
    return std::move(error);
  llvm::Expected<func::FuncOp> first = findFunction(*wide, options.entry);
  llvm::Expected<func::FuncOp> second = findFunction(*lowered, options.entry);
  if (!first || !second)
    return llvm::joinErrors(first.takeError(), second.takeError());
  std::vector<OpResult> results = markedResults(*first),
                        twins = markedResults(*second);
  if (results.size() != twins.size())
    return makeError(ErrorCode::Internal,
                     "the programs in f32 and under the policy have different "
                     "ops");
  std::vector<ProbedOp> probed;
  SmallVector<Value> values, others, alone;
  for (auto [result, twin] : llvm::zip(results, twins)) {
    Operation *op = result.getOwner(), *other = twin.getOwner();
    probed.push_back({precision::sourceName(op),
                      op->getName().stripDialect().str(),
                      decided(other, "rule"),
                      decided(other, "operands"),
                      decided(other, "result"),
                      {},
                      {},
                      std::nullopt});
    values.push_back(result);
    others.push_back(twin);
  }
  SmallVector<size_t> narrow;
  for (auto [i, op] : llvm::enumerate(probed))
    if (op.rule != "type" && op.operands != "f32") {
      narrow.push_back(i);
      alone.push_back(aloneNarrow(results[i], twins[i].getOwner()));
    }
  values.append(alone);
  returnValues(*first, values);
  returnValues(*second, others);
  RunOptions plain = options;
  plain.compile.mixedPrecision = "f32";
  auto inF32 = runProbe(std::move(wide), folder, plain, inputs, diagnostics);
  if (!inF32)
    return inF32.takeError();
  auto got = runProbe(std::move(lowered), folder, options, inputs, diagnostics);
  if (!got)
    return got.takeError();
  for (auto [i, op] : llvm::enumerate(probed)) {
    op.inF32 = (*inF32)[i];
    op.lowered = (*got)[i];
  }
  for (auto [at, i] : llvm::enumerate(narrow))
    probed[i].alone = (*inF32)[probed.size() + at];
  return probed;
}

NormDifference zenith::tools::normDifference(const Tensor &got,
                                             const Tensor &inF32) {
  using interpreter::ElementAccess;
  NormDifference found;
  ElementAccess first(got.elementType()), second(inF32.elementType());
  const char *a = got.bytes(), *b = inF32.bytes();
  for (int64_t i = 0; i < inF32.size();
       ++i, a += first.bytes(), b += second.bytes()) {
    double x = first.load(a).asDouble(), y = second.load(b).asDouble();
    if (std::isfinite(y))
      found.largest = std::max(found.largest, std::fabs(y));
    if (std::isfinite(x) != std::isfinite(y))
      found.finiteness = true;
    else if (std::isfinite(x))
      found.difference = std::max(found.difference, std::fabs(x - y));
  }
  return found;
}

/// What is wrong with a value; empty where it agrees.
static std::string complaint(const Tensor &got, const Tensor &inF32,
                             const RunOptions &options) {
  // Half an ulp of bf16 is 2e-3 of a value, of f16 2.4e-4.
  bool isF16 = StringRef(options.compile.mixedPrecision).contains("16") &&
               !StringRef(options.compile.mixedPrecision).contains("bf");
  Tolerance tolerance = options.tolerance;
  if (!tolerance.given())
    tolerance = {isF16 ? 4e-3 : 2e-2, 0.0, std::nullopt};
  NormDifference found = normDifference(got, inF32);
  if (found.finiteness)
    return "non-finite: an element is finite in one of both only";
  double limit = tolerance.absolute.value_or(0) +
                 tolerance.relative.value_or(0) * found.largest;
  if (found.difference <= limit)
    return "";
  return llvm::formatv("the largest difference is {0:e3}, more than {1:e3}; "
                       "the largest value is {2:e3}",
                       found.difference, limit, found.largest)
      .str();
}

llvm::Error zenith::tools::comparePerOp(ArrayRef<ProbedOp> ops,
                                        const RunOptions &options) {
  for (auto [i, op] : llvm::enumerate(ops))
    if (std::string what = complaint(op.lowered, op.inF32, options);
        !what.empty())
      return makeError(ErrorCode::Differs,
                       "op " + std::to_string(i) +
                           " is the first that differs from the f32 "
                           "program's: 'graph." +
                           op.op + "' op at " + op.name + ": " + what);
  return llvm::Error::success();
}

llvm::Error zenith::tools::compareWithF32(ModuleOp module,
                                          const std::string &folder,
                                          const RunOptions &given,
                                          ArrayRef<Tensor> inputs,
                                          ArrayRef<Tensor> results,
                                          Diagnostics &diagnostics) {
  RunOptions options = quiet(given);
  options.compile.mixedPrecision = "f32";
  options.compile.keptOps.clear();
  options.compile.precisionChoices.clear();
  auto expected = runProbe(OwningOpRef<ModuleOp>(module.clone()), folder,
                           options, inputs, diagnostics);
  if (!expected)
    return expected.takeError();
  llvm::Error all = llvm::Error::success();
  for (auto [i, result] : llvm::enumerate(results))
    if (std::string what = complaint(result, (*expected)[i], given);
        !what.empty())
      all = llvm::joinErrors(
          std::move(all),
          makeError(ErrorCode::Differs,
                    "result " + std::to_string(i) +
                        " differs from the f32 program's: " + what));
  return all;
}

llvm::json::Object zenith::tools::reportOf(const ProbedOp &op) {
  constexpr double largestF16 = 65504;
  auto share = [](const NormDifference &found) -> llvm::json::Value {
    if (found.finiteness)
      return "non-finite";
    return found.largest > 0 ? found.difference / found.largest
                             : found.difference;
  };
  NormDifference all = normDifference(op.lowered, op.inF32);
  llvm::json::Object line{{"report", "precision"},
                          {"name", op.name},
                          {"op", op.op},
                          {"rule", op.rule},
                          {"operands", op.operands},
                          {"result", op.result},
                          {"largest", all.largest},
                          {"f16_share", all.largest / largestF16},
                          {"error", share(all)},
                          {"own_error", 0.0}};
  if (op.alone)
    line["own_error"] = share(normDifference(*op.alone, op.inF32));
  return line;
}
