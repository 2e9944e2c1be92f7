// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the function gets the ops of one sweep, more arguments and more
// results.

#include "passes/autodiff/Differentiate.h"
#include "ir/GraphOps.h"
#include "ir/LLVMError.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/autodiff/DerivedSignature.h"
#include "passes/autodiff/sweeps/CheckpointRegions.h"
#include "passes/autodiff/sweeps/CheckpointSegments.h"
#include "passes/autodiff/sweeps/ForwardSweep.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"
#include "passes/batching/MapOverRows.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Rule = Transformation::Rule;

namespace {

/// The new function while it is built.
class Derivation {
public:
  Derivation(func::FuncOp function, SmallVector<Variable> variables,
             SmallVector<unsigned> results)
      : function(function), variables(std::move(variables)),
        results(std::move(results)) {
    for (const Variable &variable : this->variables)
      seeds.push_back(seedOf(variable));
  }

  llvm::Error reverse(bool takesCotangents, const TapeChoice &tapes);
  llvm::Error forward();

private:
  Block &body() { return function.getBody().front(); }
  Value seedOf(const Variable &variable);
  Value addArgument(Type type, StringRef prefix, StringRef name,
                    DictionaryAttr attributes);
  void addResult(Value value, StringRef prefix, StringRef name,
                 DictionaryAttr attributes);
  DictionaryAttr attributesOf(const Variable &variable) {
    return variable.param.empty() ? function.getArgAttrDict(variable.argument)
                                  : DictionaryAttr();
  }
  std::string nameOfResult(unsigned index) {
    auto name = function.getResultAttrOfType<StringAttr>(index, nameAttrName);
    return name ? name.str() : "";
  }
  Value returned(unsigned index) {
    return body().getTerminator()->getOperand(index);
  }

  func::FuncOp function;
  SmallVector<Variable> variables;
  SmallVector<unsigned> results;
  SmallVector<Value> seeds;
};

} // namespace

/// The one value of the variable; a parameter is read once, before all else.
Value Derivation::seedOf(const Variable &variable) {
  if (variable.param.empty())
    return function.getArgument(variable.argument);
  OpBuilder builder = OpBuilder::atBlockBegin(&body());
  Value value = builder.create<GetParamOp>(function.getLoc(), variable.type,
                                           variable.param);
  SmallVector<GetParamOp> others;
  function.walk([&](GetParamOp op) {
    if (op.getParam() == variable.param && op.getResult() != value)
      others.push_back(op);
  });
  for (GetParamOp other : others) {
    other.replaceAllUsesWith(value);
    other.erase();
  }
  return value;
}

Value Derivation::addArgument(Type type, StringRef prefix, StringRef name,
                              DictionaryAttr attributes) {
  unsigned index = function.getNumArguments();
  function.insertArgument(index, type,
                          derivedAttributes(function, prefix, name, attributes),
                          function.getLoc());
  return function.getArgument(index);
}

void Derivation::addResult(Value value, StringRef prefix, StringRef name,
                           DictionaryAttr attributes) {
  function.insertResult(function.getNumResults(), value.getType(),
                        derivedAttributes(function, prefix, name, attributes));
  Operation *end = body().getTerminator();
  end->insertOperands(end->getNumOperands(), value);
}

llvm::Error Derivation::reverse(bool takesCotangents, const TapeChoice &tapes) {
  OpBuilder builder(body().getTerminator());
  RuleBuilder rule(builder, function.getLoc());
  splitCheckpoints(function);
  Activity activity(body(), seeds);
  ReverseSweep sweep(activity, builder, tapes);
  SmallVector<Value> cotangents;
  for (unsigned index : results) {
    cotangents.push_back(takesCotangents
                             ? addArgument(function.getResultTypes()[index],
                                           "ct_", nameOfResult(index),
                                           function.getResultAttrDict(index))
                             : rule.splat(returned(index), 1));
  }
  SmallVector<Operation *> forward;
  for (auto [index, cotangent] : llvm::zip(results, cotangents))
    sweep.accumulate(returned(index), cotangent);
  if (llvm::Error error = sweep.run(body()))
    return error;
  for (auto [variable, seed] : llvm::zip(variables, seeds)) {
    Value gradient = sweep.cotangentOf(seed);
    addResult(gradient ? gradient : rule.zeros(seed), "grad_", variable.name,
              attributesOf(variable));
  }
  tapes.setLimits(body());
  return llvm::Error::success();
}

llvm::Error Derivation::forward() {
  // Forward mode keeps nothing for later.
  inlineCheckpoints(function);
  Activity activity(body(), seeds);
  SmallVector<Value> ends;
  for (unsigned index : results)
    ends.push_back(returned(index));
  activity.keepUseful(body(), ends);
  ForwardSweep sweep(activity);
  for (auto [variable, seed] : llvm::zip(variables, seeds))
    sweep.setTangent(seed, addArgument(variable.type, "tan_", variable.name,
                                       attributesOf(variable)));
  if (llvm::Error error = sweep.run(body()))
    return error;
  OpBuilder builder(body().getTerminator());
  RuleBuilder rule(builder, function.getLoc());
  for (unsigned index : results) {
    Value tangent = sweep.tangentOf(returned(index));
    addResult(tangent ? tangent : rule.zeros(returned(index)), "tan_",
              nameOfResult(index), function.getResultAttrDict(index));
  }
  return llvm::Error::success();
}

static std::string nameOf(func::FuncOp function,
                          const Transformation &transformation) {
  if (!transformation.name.empty())
    return transformation.name;
  return (function.getSymName() + "_" + wordOf(transformation.rule)).str();
}

/// A private copy after the function, without what it says about derivatives.
static func::FuncOp copyOf(func::FuncOp function,
                           const Transformation &transformation) {
  func::FuncOp copy = function.clone();
  for (StringRef name : {deriveAttrName, customJvpAttrName, customVjpAttrName})
    copy->removeAttr(name);
  copy.setPrivate();
  copy.setName(nameOf(function, transformation));
  auto module = function->getParentOfType<ModuleOp>();
  SymbolTable(module).insert(copy, std::next(function->getIterator()));
  return copy;
}

static llvm::Expected<func::FuncOp>
differentiate(func::FuncOp function, const Transformation &transformation,
              int64_t budgetBytes) {
  auto variables = variablesOf(function, transformation);
  if (!variables)
    return variables.takeError();
  auto results = resultsOf(function, transformation);
  if (!results)
    return results.takeError();
  func::FuncOp copy = copyOf(function, transformation);
  Derivation derivation(copy, std::move(*variables), std::move(*results));
  bool isForward = transformation.rule == Rule::Jvp;
  llvm::Error error =
      isForward ? derivation.forward()
                : derivation.reverse(transformation.rule == Rule::Vjp,
                                     {transformation.tape, budgetBytes});
  if (!error)
    return copy;
  copy.erase();
  return std::move(error);
}

llvm::Expected<func::FuncOp>
applyTransformation(func::FuncOp function, const Transformation &transformation,
                    std::optional<FunctionType> declared, int64_t budgetBytes) {
  if (transformation.rule != Rule::Vmap)
    return differentiate(function, transformation, budgetBytes);
  return batching::mapOverRows(function,
                               {transformation.in, transformation.out,
                                nameOf(function, transformation), declared});
}

} // namespace zenith::autodiff
