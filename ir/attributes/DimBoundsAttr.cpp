// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, writes and compares bounds of named dimensions.

#include "ir/attributes/DimBoundsAttr.h"

#include "ir/GraphDialect.h"
#include "ir/dims/DimAttr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace zenith::graph {

std::string unnamedDim(unsigned argument, int64_t dim) {
  return "arg" + std::to_string(argument) + "_d" + std::to_string(dim);
}

std::set<std::string> dimNamesOf(FunctionOpInterface function) {
  std::set<std::string> names;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto texts =
        function.getArgAttrOfType<ArrayAttr>(unsigned(index), dimsAttrName);
    for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim) {
      auto text = texts && dim < int64_t(texts.size())
                      ? dyn_cast<StringAttr>(texts[dim])
                      : StringAttr();
      if (!tensor.isDynamicDim(dim))
        continue;
      if (!text || text.empty()) {
        names.insert(unnamedDim(unsigned(index), dim));
        continue;
      }
      if (std::optional<DimExpr> expr = DimExpr::parse(text.str()))
        expr->forEachSymbol(
            [&](const std::string &name) { names.insert(name); });
    }
  }
  return names;
}

DimBoundsMap dimBoundsOf(Operation *function) {
  DimBoundsMap bounds;
  auto stated = function->getAttrOfType<DictionaryAttr>(dimBoundsAttrName);
  for (NamedAttribute entry :
       stated ? stated.getValue() : ArrayRef<NamedAttribute>())
    if (auto attr = dyn_cast<BoundsAttr>(entry.getValue()))
      bounds[entry.getName().str()] = {attr.getLow(), attr.getHigh(),
                                       attr.getMultiple()};
  return bounds;
}

static void setDimBounds(Operation *function, const DimBoundsMap &bounds) {
  if (bounds.empty()) {
    function->removeAttr(dimBoundsAttrName);
    return;
  }
  MLIRContext *context = function->getContext();
  NamedAttrList entries;
  for (const auto &[name, own] : bounds)
    entries.append(name,
                   BoundsAttr::get(context, own.low, own.high, own.multiple));
  function->setAttr(dimBoundsAttrName, entries.getDictionary(context));
}

void addDimBounds(Operation *function, const DimBoundsMap &bounds) {
  DimBoundsMap all = bounds;
  all.merge(dimBoundsOf(function));
  setDimBounds(function, all);
}

void keepNamedBounds(FunctionOpInterface function) {
  const std::set<std::string> names = dimNamesOf(function);
  DimBoundsMap kept;
  for (const auto &[name, bounds] : dimBoundsOf(function))
    if (names.count(name))
      kept[name] = bounds;
  setDimBounds(function, kept);
}

std::string textOf(const DimBounds &bounds) {
  std::string text =
      std::to_string(bounds.low) + ".." + std::to_string(bounds.high);
  return bounds.multiple == 1 ? text
                              : text + "%" + std::to_string(bounds.multiple);
}

bool admits(const DimBounds &bounds, int64_t size) {
  return bounds.low <= size && size <= bounds.high &&
         size % bounds.multiple == 0;
}

} // namespace zenith::graph
