// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns registers to the values of a scalar region, reads its constants, and
// turns its ops and the functions that it calls into steps.

#include "ir/interpreter/ScalarFunction.h"

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

// More deeply nested calls run as tensors, which check the depth.
static constexpr unsigned maxInlinedDepth = 8;

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

namespace zenith::interpreter {
class ScalarCompiler {
public:
  ScalarCompiler(const OpEvaluation &e, ScalarFunction &target)
      : e(e), target(target) {}

  /// Appends the steps of the block; false if one of its ops has none.
  bool compile(Block &block, SmallVectorImpl<unsigned> &results);
  void map(Value value, unsigned index) { registerOfValue[value] = index; }
  unsigned newRegister(Type type) {
    Type element = cast<RankedTensorType>(type).getElementType();
    Tensor zero(RankedTensorType::get({}, element));
    target.registers.push_back(elementAt(zero, 0)); // sets its kind
    return unsigned(target.registers.size()) - 1;
  }

private:
  bool compileOp(Operation &op);
  bool compileCall(func::CallOp call);
  std::optional<unsigned> registerOf(Value value);

  const OpEvaluation &e;
  ScalarFunction &target;
  llvm::DenseMap<Value, unsigned> registerOfValue;
  unsigned depth = 0;
};
} // namespace zenith::interpreter

std::optional<unsigned> ScalarCompiler::registerOf(Value value) {
  auto known = registerOfValue.find(value);
  if (known != registerOfValue.end())
    return known->second;
  if (!isScalar(value) || !e.regions)
    return std::nullopt;
  Tensor outside = e.regions->captured(value);
  if (!outside)
    return std::nullopt;
  unsigned index = newRegister(value.getType());
  target.registers[index] = elementAt(outside, 0);
  map(value, index);
  return index;
}

bool ScalarCompiler::compileCall(func::CallOp call) {
  auto callee = dyn_cast_or_null<func::FuncOp>(
      e.regions ? e.regions->function(call.getCallee()) : nullptr);
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() ||
      depth == maxInlinedDepth)
    return false;
  Block &block = callee.getBody().front();
  for (auto [argument, operand] :
       llvm::zip(block.getArguments(), call.getOperands())) {
    std::optional<unsigned> index = registerOf(operand);
    if (!index)
      return false;
    map(argument, *index);
  }
  // A second call of the function assigns registers to its values again.
  SmallVector<unsigned> results;
  ++depth;
  bool known = compile(block, results);
  --depth;
  for (auto [value, index] : llvm::zip(call.getResults(), results))
    map(value, index);
  return known;
}

bool ScalarCompiler::compileOp(Operation &op) {
  if (!llvm::all_of(op.getResults(), isScalar))
    return false;
  if (auto call = dyn_cast<func::CallOp>(op))
    return compileCall(call);
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    Tensor value = Tensor::fromElements(constant.getValue());
    if (!value)
      return false;
    unsigned index = newRegister(constant.getType());
    target.registers[index] = elementAt(value, 0);
    map(constant.getResult(), index);
    return true;
  }
  SmallVector<unsigned> operands;
  for (Value operand : op.getOperands()) {
    std::optional<unsigned> index =
        isScalar(operand) ? registerOf(operand) : std::nullopt;
    if (!index)
      return false;
    operands.push_back(*index);
  }
  // With one element, all shapes are equivalent.
  if (isa<graph::BarrierOp, graph::HostReadOp, graph::StopGradientOp,
          graph::NamedOp, graph::PlaceOp, graph::ReshapeOp, graph::BroadcastOp,
          graph::TransposeOp>(op)) {
    for (auto [result, index] : llvm::zip(op.getResults(), operands))
      map(result, index);
    return true;
  }
  ScalarStep step;
  if (operands.size() > 3 || op.getNumResults() != 1 ||
      !makeScalarStep(&op, step))
    return false;
  llvm::copy(operands, step.operands);
  step.result = newRegister(op.getResult(0).getType());
  map(op.getResult(0), step.result);
  target.steps.push_back(std::move(step));
  return true;
}

bool ScalarCompiler::compile(Block &block, SmallVectorImpl<unsigned> &results) {
  for (Operation &op : block.without_terminator())
    if (!compileOp(op))
      return false;
  for (Value value : block.getTerminator()->getOperands()) {
    std::optional<unsigned> index = registerOf(value);
    if (!index)
      return false;
    results.push_back(*index);
  }
  return true;
}

Expected<ScalarFunction> ScalarFunction::compile(const OpEvaluation &e,
                                                 Region &region) {
  if (!region.hasOneBlock())
    return e.fail("has a region of more than one block",
                  ErrorCode::Unsupported);
  ScalarFunction function;
  ScalarCompiler compiler(e, function);
  Block &block = region.front();
  for (Value argument : block.getArguments())
    compiler.map(argument, compiler.newRegister(argument.getType()));
  SmallVector<unsigned> results;
  if (compiler.compile(block, results)) {
    function.resultRegisters.assign(results.begin(), results.end());
    return function;
  }
  function.steps.clear();
  function.walk = e.regions;
  function.region = &region;
  for (Value value : block.getTerminator()->getOperands())
    function.resultRegisters.push_back(compiler.newRegister(value.getType()));
  return function;
}

llvm::Error ScalarFunction::runAsTensors() {
  Results arguments;
  for (auto [i, argument] : llvm::enumerate(region->getArguments())) {
    Tensor value(cast<RankedTensorType>(argument.getType()));
    ElementAccess(value.elementType()).store(value.writable(), registers[i]);
    arguments.push_back(std::move(value));
  }
  Expected<Results> results = walk->run(*region, std::move(arguments));
  if (!results)
    return results.takeError();
  for (auto [index, value] : llvm::zip(resultRegisters, *results))
    registers[index] = elementAt(value, 0);
  return llvm::Error::success();
}
