// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps functions that are called, and their rules of derivation.

#include "passes/batching/RowFunctions.h"
#include "ir/GraphDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

FailureOr<func::FuncOp> RowFunctions::of(StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  std::string suffix =
      ShapedType::isDynamic(rows) ? "_rows" : "_rows" + std::to_string(rows);
  if (auto known = module.lookupSymbol<func::FuncOp>(name.str() + suffix))
    return known;
  if (function.isExternal())
    return function.emitOpError("has no body, so vmap has no form of it");
  FailureOr<OwningOpRef<func::FuncOp>> made =
      map(function, name.str() + suffix);
  if (failed(made))
    return failure();
  func::FuncOp result = made->release();
  result.setPrivate();
  SymbolTable(module).insert(result, std::next(function->getIterator()));
  if (failed(mapRules(function, result)))
    return failure();
  return result;
}

FailureOr<FlatSymbolRefAttr> RowFunctions::mapped(Attribute symbol) {
  FailureOr<func::FuncOp> made = of(cast<FlatSymbolRefAttr>(symbol).getValue());
  if (failed(made))
    return failure();
  return FlatSymbolRefAttr::get(made->getSymNameAttr());
}

/// Rules are functions on the same arguments, tangents and residuals, all with
/// rows.
LogicalResult RowFunctions::mapRules(func::FuncOp from, func::FuncOp to) {
  if (Attribute rule = from->getAttr(customJvpAttrName)) {
    FailureOr<FlatSymbolRefAttr> symbol = mapped(rule);
    if (failed(symbol))
      return failure();
    to->setAttr(customJvpAttrName, *symbol);
  }
  auto pair = from->getAttrOfType<DictionaryAttr>(customVjpAttrName);
  if (!pair)
    return success();
  SmallVector<NamedAttribute> rules;
  for (NamedAttribute rule : pair) {
    FailureOr<FlatSymbolRefAttr> symbol = mapped(rule.getValue());
    if (failed(symbol))
      return failure();
    rules.emplace_back(rule.getName(), *symbol);
  }
  to->setAttr(customVjpAttrName, DictionaryAttr::get(to.getContext(), rules));
  return success();
}

} // namespace zenith::batching
