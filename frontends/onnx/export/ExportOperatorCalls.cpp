// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rule of calls whose function is one ONNX operator.
#include "frontends/onnx/export/ExportBuilder.h"

#include "ir/program/OperatorFunctions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;

static NodeAttribute attributeOf(NamedAttribute named) {
  std::string name = named.getName().str();
  if (auto list = dyn_cast<DenseI64ArrayAttr>(named.getValue()))
    return makeInts(name, list.asArrayRef());
  if (auto real = dyn_cast<FloatAttr>(named.getValue()))
    return makeFloat(name, real.getValueAsDouble());
  return makeInt(name, cast<IntegerAttr>(named.getValue()).getInt());
}

static void writeCall(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto call = cast<func::CallOp>(op);
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
  auto what =
      function
          ? function->getAttrOfType<DictionaryAttr>(graph::operatorAttrName)
          : DictionaryAttr();
  auto name = what ? what.getAs<StringAttr>("op") : StringAttr();
  if (!name)
    return b.fail(unsupported("a call of a function that is no operator"));
  ExportBuilder::Names inputs;
  for (Value operand : op->getOperands())
    inputs.push_back(b.name(operand));
  ExportBuilder::Attributes attributes;
  int64_t since = 1;
  if (auto given = what.getAs<DictionaryAttr>("attributes"))
    for (NamedAttribute named : given) {
      attributes.push_back(attributeOf(named));
      if (name == "DequantizeLinear" && named.getName() == "block_size")
        since = 21;
    }
  if (b.opset < since)
    return b.fail(unsupported("blocks of scales need opset 21"));
  auto domain = what.getAs<StringAttr>("domain");
  ExportBuilder::Names results =
      b.nodes(name.str(), inputs, attributes, op->getNumResults(),
              domain ? domain.str() : "");
  for (auto [result, made] : llvm::zip(op->getResults(), results))
    b.bind(result, made);
}

llvm::ArrayRef<ExportRow> zenith::onnx::operatorCallExports() {
  static const ExportRow rows[] = {{"func.call", writeCall}};
  return rows;
}
