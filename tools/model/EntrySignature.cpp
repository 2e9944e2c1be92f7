// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads names and dimensions of a signature from its attributes and locations.

#include "tools/model/EntrySignature.h"

#include "ir/DimAnalysis.h"
#include "ir/GraphDialect.h"
#include "ir/LocationText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tools/model/CommandLine.h"
#include "tools/model/Diagnostics.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

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

llvm::Expected<func::FuncOp> zenith::tools::findEntry(ModuleOp module,
                                                      StringRef entry) {
  std::vector<std::string> names;
  func::FuncOp found, onlyPublic;
  unsigned publics = 0;
  StringRef wanted = entry.empty() ? "main" : entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    names.push_back(function.getSymName().str());
    if (function.getSymName() == wanted)
      found = function;
    if (function.isPublic() && ++publics == 1)
      onlyPublic = function;
  }
  if (entry.empty() && publics == 1)
    found = onlyPublic;
  if (found) {
    if (llvm::Error error = checkTensors(found))
      return std::move(error);
    return found;
  }
  if (!entry.empty())
    return makeError(ErrorCode::Usage, "the program has no function '" +
                                           entry.str() + "'" +
                                           suggestion(entry, names));
  return makeError(names.empty() ? ErrorCode::Invalid : ErrorCode::Usage,
                   names.empty() ? "the program has no function"
                                 : "the program has several functions and none "
                                   "is @main: name one by --entry");
}

// The public name of an argument, else the one that its location gives.
static std::string argumentName(func::FuncOp function, unsigned index) {
  if (auto name =
          function.getArgAttrOfType<StringAttr>(index, graph::nameAttrName))
    return name.str();
  if (auto name = dyn_cast<NameLoc>(function.getArgument(index).getLoc()))
    return name.getName().str();
  return "arg" + std::to_string(index);
}

std::vector<ArgumentInfo> zenith::tools::argumentsOf(func::FuncOp function) {
  graph::DimAnalysis analysis;
  std::vector<ArgumentInfo> arguments;
  for (BlockArgument argument : function.getArguments()) {
    const graph::DimVector &dims = analysis.dimsOf(argument);
    arguments.push_back({argumentName(function, argument.getArgNumber()),
                         cast<RankedTensorType>(argument.getType()),
                         {dims.begin(), dims.end()},
                         !argument.use_empty()});
  }
  return arguments;
}

std::vector<ResultInfo> zenith::tools::resultsOf(func::FuncOp function) {
  std::vector<ResultInfo> results;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto name =
        function.getResultAttrOfType<StringAttr>(i, graph::nameAttrName);
    results.push_back({name ? name.str() : "", cast<RankedTensorType>(type)});
  }
  return results;
}
