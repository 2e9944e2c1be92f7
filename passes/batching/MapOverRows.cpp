// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads `in` and `out`, finds the number of rows, and batches the function.

#include "passes/batching/MapOverRows.h"
#include "ir/GraphDialect.h"
#include "ir/LLVMError.h"
#include "ir/LocationText.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/batching/Vmap.h"

using namespace mlir;

namespace zenith::batching {

static llvm::Error mistake(func::FuncOp function, const Twine &why) {
  return makeError(ErrorCode::Usage,
                   "vmap of @" + function.getSymName() + ": " + why);
}

static llvm::Expected<int64_t> dimensionOf(func::FuncOp function,
                                           StringRef option, StringRef text) {
  int64_t dim = 0;
  if (text.getAsInteger(10, dim))
    return mistake(function, option + ": got '" + text +
                                 "', expected the number of a dimension" +
                                 (option == "in" ? " or _" : ""));
  return dim;
}

static llvm::Expected<VmapOptions> optionsOf(func::FuncOp function,
                                             const RowMapping &mapping) {
  VmapOptions options;
  for (const std::string &text : mapping.in) {
    if (text == "_") {
      options.in.push_back(std::nullopt);
      continue;
    }
    llvm::Expected<int64_t> dim = dimensionOf(function, "in", text);
    if (!dim)
      return dim.takeError();
    options.in.push_back(*dim);
  }
  if (!mapping.out.empty())
    options.out.clear();
  for (const std::string &text : mapping.out) {
    llvm::Expected<int64_t> dim = dimensionOf(function, "out", text);
    if (!dim)
      return dim.takeError();
    options.out.push_back(*dim);
  }
  options.name = mapping.name;
  std::string why = mistakeIn(options, function.getFunctionType());
  if (!why.empty())
    return mistake(function, why);
  return options;
}

/// The name of an argument for messages.
static std::string argumentText(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, graph::nameAttrName);
  return name ? "'" + name.str() + "'" : "argument " + std::to_string(index);
}

/// Where the signature is declared, its sizes say how many rows there are.
static llvm::Error findRows(func::FuncOp function, FunctionType declared,
                            VmapOptions &options) {
  unsigned first = 0;
  for (auto [i, dim] : llvm::enumerate(options.in)) {
    if (!dim || i >= declared.getNumInputs())
      continue;
    auto type = dyn_cast<RankedTensorType>(declared.getInput(i));
    if (!type || *dim >= type.getRank() || type.isDynamicDim(*dim))
      continue;
    int64_t size = type.getDimSize(*dim);
    if (ShapedType::isDynamic(options.rows)) {
      options.rows = size;
      first = i;
    } else if (options.rows != size) {
      return makeError(
          ErrorCode::Invalid,
          "vmap of @" + function.getSymName() + ": mapped dimensions differ: " +
              Twine(options.rows) + " in " + argumentText(function, first) +
              ", " + Twine(size) + " in " + argumentText(function, i),
          graph::placeOf(function.getLoc()));
    }
  }
  return llvm::Error::success();
}

llvm::Expected<func::FuncOp> mapOverRows(func::FuncOp function,
                                         const RowMapping &mapping) {
  llvm::Expected<VmapOptions> options = optionsOf(function, mapping);
  if (!options)
    return options.takeError();
  if (mapping.declared)
    if (llvm::Error error = findRows(function, *mapping.declared, *options))
      return std::move(error);
  FailureOr<OwningOpRef<func::FuncOp>> made = vmapFunction(function, *options);
  if (failed(made))
    return reportedError(ErrorCode::Unsupported,
                         "vmap of @" + function.getSymName() +
                             ": an op has no batched form");
  func::FuncOp result = made->release();
  result.setPrivate();
  SymbolTable(function->getParentOfType<ModuleOp>())
      .insert(result, std::next(function->getIterator()));
  return result;
}

} // namespace zenith::batching
