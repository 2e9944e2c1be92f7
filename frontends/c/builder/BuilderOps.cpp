// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of GraphIR by name.

#include "frontends/c/builder/BuilderOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::c;

/// Ops that builders make by other calls, or that only passes make.
static bool isInternal(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("graph.param", "graph.get_param", "graph.derived_param", true)
      .Cases("graph.constant", "graph.yield", "graph.fusion", true)
      .Case("graph.host_read", true)
      .Default(false);
}

std::string zenith::c::fullName(const char *op) {
  std::string name = op ? op : "";
  return name.find('.') == std::string::npos ? "graph." + name : name;
}

std::optional<OperationName> zenith::c::findOp(const char *name,
                                               MLIRContext *context) {
  std::string full = fullName(name);
  std::optional<RegisteredOperationName> found =
      RegisteredOperationName::lookup(full, context);
  StringRef dialect = StringRef(full).split('.').first;
  if (!found || isInternal(full) || (dialect != "graph" && dialect != "search"))
    return std::nullopt;
  return OperationName(*found);
}

std::vector<std::string> zenith::c::opNames(MLIRContext *context) {
  std::vector<std::string> names;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == "graph" && !isInternal(op.getStringRef()))
      names.push_back(op.getStringRef().drop_front(6).str());
  llvm::sort(names);
  return names;
}

size_t zenith::c::operandGroups(OperationName op) {
  if (!op.hasTrait<OpTrait::AttrSizedOperandSegments>())
    return 0;
  MLIRContext *context = op.getContext();
  Operation *empty = Operation::create(
      UnknownLoc::get(context), op, TypeRange(), ValueRange(),
      DictionaryAttr::get(context), OpaqueProperties(nullptr), BlockRange(), 0);
  auto properties =
      dyn_cast_or_null<DictionaryAttr>(empty->getPropertiesAsAttribute());
  auto segments = properties ? dyn_cast_or_null<DenseI32ArrayAttr>(
                                   properties.get("operandSegmentSizes"))
                             : DenseI32ArrayAttr();
  size_t count = segments ? segments.size() : 0;
  empty->destroy();
  return count;
}
