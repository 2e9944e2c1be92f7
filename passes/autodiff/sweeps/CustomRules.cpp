// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Own rules are copied to where they are used; tangents and cotangents that are
// missing are zeros.

#include "passes/autodiff/sweeps/CustomRules.h"
#include "ir/LocationText.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

static func::FuncOp functionNamed(Operation *from, FlatSymbolRefAttr name) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(from, name);
}

func::FuncOp calleeOf(func::CallOp call) {
  return functionNamed(call, call.getCalleeAttr());
}

SmallVector<Value> inlined(OpBuilder &builder, func::FuncOp function,
                           ValueRange arguments) {
  IRMapping mapping;
  Block &body = function.getBody().front();
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

/// Appends those of `derivatives` whose values have one; missing ones are
/// zeros.
static void appendDerivatives(SmallVectorImpl<Value> &arguments,
                              RuleBuilder &rule, ValueRange values,
                              ArrayRef<Value> derivatives) {
  for (auto [value, derivative] : llvm::zip(values, derivatives))
    if (isDifferentiable(value.getType()))
      arguments.push_back(derivative ? derivative : rule.zeros(value));
}

/// Spreads what belongs to values with derivatives over all of `values`.
static SmallVector<Value> spread(ValueRange values, ArrayRef<Value> given) {
  SmallVector<Value> all;
  for (Value value : values) {
    bool isTaken = isDifferentiable(value.getType());
    all.push_back(isTaken ? given.front() : Value());
    given = given.drop_front(isTaken);
  }
  return all;
}

static llvm::Error refuseCall(func::CallOp call, const Twine &why) {
  return makeError(ErrorCode::Unsupported,
                   "'func.call' op @" + call.getCallee() + " " + why,
                   placeOf(call.getLoc()));
}

Derivatives customTangents(func::CallOp call, OpBuilder &builder,
                           ArrayRef<Value> tangents) {
  func::FuncOp callee = calleeOf(call);
  auto name = callee->getAttrOfType<FlatSymbolRefAttr>(customJvpAttrName);
  func::FuncOp own = name ? functionNamed(call, name) : func::FuncOp();
  if (!own || own.isExternal())
    return refuseCall(call, own ? "has a graph.custom_jvp without a body"
                                : "has a graph.custom_vjp, which gives no "
                                  "tangents in forward mode");
  RuleBuilder rule(builder, call.getLoc());
  SmallVector<Value> arguments(call.getOperands());
  appendDerivatives(arguments, rule, call.getOperands(), tangents);
  SmallVector<Value> results = inlined(builder, own, arguments);
  return spread(call.getResults(),
                ArrayRef(results).drop_front(call.getNumResults()));
}

static func::FuncOp partOf(func::CallOp call, StringRef part) {
  auto rule = calleeOf(call)->getAttrOfType<DictionaryAttr>(customVjpAttrName);
  return functionNamed(call, rule.getAs<FlatSymbolRefAttr>(part));
}

SmallVector<Value> customForward(func::CallOp call, OpBuilder &builder) {
  return inlined(builder, partOf(call, "forward"), call.getOperands());
}

SmallVector<Value> customGradients(func::CallOp call, OpBuilder &builder,
                                   ValueRange residuals,
                                   ArrayRef<Value> cotangents) {
  RuleBuilder rule(builder, call.getLoc());
  SmallVector<Value> arguments(residuals);
  appendDerivatives(arguments, rule, call.getResults(), cotangents);
  return spread(call.getOperands(),
                inlined(builder, partOf(call, "backward"), arguments));
}

} // namespace zenith::autodiff
