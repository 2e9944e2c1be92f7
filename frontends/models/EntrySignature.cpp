// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads names and dimensions of a signature from its attributes and locations.

#include "frontends/models/EntrySignature.h"

#include "frontends/models/Diagnostics.h"
#include "frontends/models/Suggestion.h"
#include "frontends/onnx/ResultAttributes.h"
#include "ir/DimAnalysis.h"
#include "ir/GraphDialect.h"
#include "ir/LocationText.h"
#include "ir/program/ProgramChecks.h"
#include "lowering/host/HostDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::models;

static llvm::Error checkTensors(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (llvm::all_of(function.getArgumentTypes(), isTensor) &&
      llvm::all_of(function.getResultTypes(), isTensor))
    return llvm::Error::success();
  return makeError(ErrorCode::Unsupported,
                   "@" + function.getSymName().str() +
                       " takes or gives values that are no tensors",
                   graph::placeOf(function.getLoc()));
}

/// Nothing for ops that no caller can name.
static std::optional<StringRef> entryName(Operation &op) {
  std::optional<StringRef> name;
  if (auto function = dyn_cast<func::FuncOp>(op))
    if (!function.isExternal())
      name = function.getSymName();
  if (auto program = dyn_cast<host::ProgramOp>(op))
    if (!program.getInner())
      name = program.getSymName();
  return name == graph::prepareFunctionName ? std::nullopt : name;
}

static bool isPublic(Operation *entry) {
  auto function = dyn_cast<func::FuncOp>(entry);
  return !function || function.isPublic();
}

llvm::Expected<Operation *> zenith::models::findEntry(ModuleOp module,
                                                      StringRef entry) {
  std::vector<std::string> names;
  Operation *found = nullptr, *onlyPublic = nullptr;
  unsigned publics = 0;
  StringRef wanted = entry.empty() ? "main" : entry;
  for (Operation &op : *module.getBody()) {
    std::optional<StringRef> name = entryName(op);
    if (!name)
      continue;
    names.push_back(name->str());
    if (*name == wanted)
      found = &op;
    if (isPublic(&op) && ++publics == 1)
      onlyPublic = &op;
  }
  if (entry.empty() && publics == 1)
    found = onlyPublic;
  if (auto function = dyn_cast_or_null<func::FuncOp>(found))
    if (llvm::Error error = checkTensors(function))
      return std::move(error);
  if (found)
    return found;
  if (!entry.empty())
    return makeError(ErrorCode::Usage, "the program has no function '" +
                                           entry.str() + "'" +
                                           suggestion(entry, names));
  return makeError(names.empty() ? ErrorCode::Invalid : ErrorCode::Usage,
                   names.empty() ? "the program has no function"
                                 : "the program has several functions and none "
                                   "is @main: name one by --entry");
}

llvm::Expected<func::FuncOp> zenith::models::findFunction(ModuleOp module,
                                                          StringRef entry) {
  llvm::Expected<Operation *> found = findEntry(module, entry);
  if (!found)
    return found.takeError();
  if (auto function = dyn_cast<func::FuncOp>(*found))
    return function;
  return makeError(ErrorCode::Unsupported,
                   "'host.program' op has no meaning in GraphIR: it can be "
                   "compiled and run only",
                   graph::placeOf((*found)->getLoc()));
}

static std::string argumentName(func::FuncOp function, unsigned index) {
  std::string name = graph::nameOfArgument(function, index);
  return name.empty() ? "arg" + std::to_string(index) : name;
}

static std::vector<ArgumentInfo> argumentsOfFunction(func::FuncOp function) {
  graph::DimAnalysis analysis;
  std::vector<ArgumentInfo> arguments;
  for (BlockArgument argument : function.getArguments()) {
    const graph::DimVector &dims = analysis.dimsOf(argument);
    arguments.push_back({argumentName(function, argument.getArgNumber()),
                         cast<RankedTensorType>(argument.getType()),
                         {dims.begin(), dims.end()},
                         !argument.use_empty(),
                         integerUses(argument, analysis)});
  }
  return arguments;
}

static std::vector<ArgumentInfo> argumentsOfProgram(host::ProgramOp program) {
  std::vector<ArgumentInfo> arguments;
  for (auto [i, value] :
       llvm::enumerate(program.getArguments().getAsRange<host::ValueAttr>())) {
    std::string name = value.getName().str();
    ArgumentInfo info{
        name.empty() ? "arg" + std::to_string(i) : name, value.getType(), {}};
    for (Attribute size : value.getDims())
      info.dims.push_back(graph::exprOf(size));
    arguments.push_back(std::move(info));
  }
  return arguments;
}

std::vector<ArgumentInfo> zenith::models::argumentsOf(Operation *entry) {
  auto function = dyn_cast<func::FuncOp>(entry);
  return function ? argumentsOfFunction(function)
                  : argumentsOfProgram(cast<host::ProgramOp>(entry));
}

std::vector<ResultInfo> zenith::models::resultsOf(Operation *entry) {
  std::vector<ResultInfo> results;
  if (auto program = dyn_cast<host::ProgramOp>(entry)) {
    for (auto value : program.getResults().getAsRange<host::ValueAttr>())
      results.push_back({value.getName().str(), value.getType(), ""});
    return results;
  }
  auto function = cast<func::FuncOp>(entry);
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto name =
        function.getResultAttrOfType<StringAttr>(i, graph::nameAttrName);
    auto stored =
        function.getResultAttrOfType<StringAttr>(i, onnx::storedTypeAttrName);
    results.push_back({name ? name.str() : "", cast<RankedTensorType>(type),
                       stored ? stored.str() : ""});
  }
  return results;
}
