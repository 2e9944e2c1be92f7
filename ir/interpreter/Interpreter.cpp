// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks functions op by op; a value lives until the last op that reads it.

#include "ir/interpreter/Interpreter.h"

#include "ir/GraphOps.h"
#include "ir/interpreter/OpEvaluation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;
using Results = std::vector<Tensor>;

// Calls nested deeper are taken for an endless recursion.
static constexpr unsigned maxCallDepth = 200;

static Expected<Tensor> evaluateOne(const OpEvaluation &e) {
  switch (graph::familyOf(e.op).value_or(graph::Family::Collective)) {
  case graph::Family::Elementwise:
    return evaluateElementwise(e);
  case graph::Family::Movement:
    return evaluateMovement(e);
  case graph::Family::Contraction:
    return evaluateContraction(e);
  case graph::Family::Reduction:
    return evaluateReduction(e);
  case graph::Family::Indexing:
    return evaluateIndexing(e);
  case graph::Family::Composite:
    return evaluateComposite(e);
  default:
    return e.fail("has no meaning in the interpreter",
                  EvalError::Kind::Unsupported);
  }
}

namespace {
/// One call of run(): its options and the parameters seen so far.
class Run {
public:
  Run(Operation *module, const Options &options)
      : module(module), options(options) {}

  Expected<Results> call(func::FuncOp function, ArrayRef<Tensor> arguments);
  Expected<Results> evaluateOp(Operation *op, ArrayRef<Tensor> operands);

private:
  Expected<Results> runBlock(Block &block, ArrayRef<Tensor> arguments,
                             bool report);
  Expected<Results> callSymbol(func::CallOp op, const OpEvaluation &e);
  Expected<Results> getParam(graph::GetParamOp op, const OpEvaluation &e);
  Expected<Tensor> loadParam(graph::ParamOp param, const OpEvaluation &e);
  Expected<Tensor> derivedParam(graph::DerivedParamOp param,
                                const OpEvaluation &e);
  Operation *symbol(StringRef name);

  Operation *module;
  const Options &options;
  std::unique_ptr<SymbolTable> symbols;
  llvm::DenseMap<Operation *, Tensor> params;
  std::optional<Results> prepared;
  bool preparing = false;
  unsigned depth = 0;
};
} // namespace

Operation *Run::symbol(StringRef name) {
  if (!module)
    return nullptr;
  if (!symbols)
    symbols = std::make_unique<SymbolTable>(module);
  return symbols->lookup(name);
}

static llvm::Error checkArgument(const OpEvaluation &e, unsigned index,
                                 Type expected, const Tensor &value) {
  auto type = dyn_cast<RankedTensorType>(expected);
  if (!type || !value || type.getElementType() != value.elementType())
    return e.fail("argument " + Twine(index) +
                      " has another element type than the value",
                  EvalError::Kind::Invalid);
  if (type.getRank() != int64_t(value.shape().size()))
    return e.fail("argument " + Twine(index) + " has rank " +
                      Twine(type.getRank()) + ", the value has rank " +
                      Twine(value.shape().size()),
                  EvalError::Kind::Invalid);
  for (auto [dim, size] : llvm::enumerate(value.shape()))
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != size)
      return e.fail("dimension " + Twine(dim) + " of argument " + Twine(index) +
                        " is " + Twine(type.getDimSize(dim)) +
                        ", the value has " + Twine(size),
                    EvalError::Kind::Invalid);
  return llvm::Error::success();
}

Expected<Results> Run::call(func::FuncOp function, ArrayRef<Tensor> arguments) {
  OpEvaluation e{function, arguments, options.maxTensorBytes};
  if (function.isExternal())
    return e.fail("@" + function.getSymName() + " has no body",
                  EvalError::Kind::Unsupported);
  if (!function.getBody().hasOneBlock())
    return e.fail("@" + function.getSymName() + " has more than one block",
                  EvalError::Kind::Unsupported);
  if (arguments.size() != function.getNumArguments())
    return e.fail("@" + function.getSymName() + " takes " +
                      Twine(function.getNumArguments()) + " arguments, got " +
                      Twine(arguments.size()),
                  EvalError::Kind::Invalid);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (llvm::Error error = checkArgument(e, i, type, arguments[i]))
      return std::move(error);
  if (++depth > maxCallDepth)
    return e.fail("calls are nested more than " + Twine(maxCallDepth) +
                  " deep");
  Expected<Results> results =
      runBlock(function.getBody().front(), arguments, true);
  --depth;
  return results;
}

// The last op of the block that reads each value; values read by no op are not
// in the map.
static llvm::DenseMap<Value, Operation *> lastUses(Block &block) {
  llvm::DenseMap<Value, Operation *> last;
  for (Operation &op : block)
    for (Value operand : op.getOperands())
      last[operand] = &op;
  return last;
}

Expected<Results> Run::runBlock(Block &block, ArrayRef<Tensor> arguments,
                                bool report) {
  llvm::DenseMap<Value, Tensor> values;
  llvm::DenseMap<Value, Operation *> last = lastUses(block);
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    values[argument] = value;
  for (Operation &op : block) {
    Results operands;
    for (Value operand : op.getOperands())
      operands.push_back(values[operand]);
    if (op.hasTrait<OpTrait::IsTerminator>())
      return operands;
    for (Value operand : op.getOperands())
      if (last[operand] == &op)
        values.erase(operand);
    Expected<Results> results = evaluateOp(&op, operands);
    if (!results)
      return results;
    if (report && options.onResult)
      options.onResult(&op, *results);
    for (auto [result, value] : llvm::zip(op.getResults(), *results))
      if (last.count(result))
        values[result] = std::move(value);
  }
  return Results();
}

Expected<Results> Run::callSymbol(func::CallOp op, const OpEvaluation &e) {
  auto callee = dyn_cast_or_null<func::FuncOp>(symbol(op.getCallee()));
  if (!callee)
    return e.fail("calls @" + op.getCallee() + ", which is no function",
                  EvalError::Kind::Invalid);
  return call(callee, e.operands);
}

Expected<Tensor> Run::loadParam(graph::ParamOp param, const OpEvaluation &e) {
  auto type = cast<RankedTensorType>(param.getType());
  Attribute source = param.getSourceAttr();
  if (options.loadParam) {
    Expected<Tensor> value =
        options.loadParam(param.getSymName(), type, source);
    if (!value || *value)
      return value;
  }
  if (auto elements = dyn_cast_or_null<ElementsAttr>(source))
    if (Tensor value = Tensor::fromElements(elements))
      return value;
  return e.fail("parameter @" + param.getSymName() + " has no value here",
                EvalError::Kind::Invalid);
}

Expected<Tensor> Run::derivedParam(graph::DerivedParamOp param,
                                   const OpEvaluation &e) {
  if (!prepared) {
    auto prepare =
        dyn_cast_or_null<func::FuncOp>(symbol(graph::prepareFunctionName));
    if (!prepare || preparing)
      return e.fail(prepare ? "@prepare reads what it computes"
                            : "there is no function @prepare",
                    EvalError::Kind::Invalid);
    preparing = true;
    Expected<Results> results = call(prepare, {});
    preparing = false;
    if (!results)
      return results.takeError();
    prepared = std::move(*results);
  }
  if (uint64_t(param.getIndex()) >= prepared->size())
    return e.fail("@prepare has no result " + Twine(param.getIndex()),
                  EvalError::Kind::Invalid);
  return (*prepared)[param.getIndex()];
}

Expected<Results> Run::getParam(graph::GetParamOp op, const OpEvaluation &e) {
  Operation *declaration = symbol(op.getParam());
  auto known = params.find(declaration);
  if (known != params.end())
    return Results{known->second};
  Expected<Tensor> value = Tensor();
  if (auto param = dyn_cast_or_null<graph::ParamOp>(declaration))
    value = loadParam(param, e);
  else if (auto derived = dyn_cast_or_null<graph::DerivedParamOp>(declaration))
    value = derivedParam(derived, e);
  else
    return e.fail("reads @" + op.getParam() + ", which is no parameter",
                  EvalError::Kind::Invalid);
  if (!value)
    return value.takeError();
  if (value->type() !=
      RankedTensorType::get(e.resultType().getShape(), e.resultElement()))
    return e.fail("parameter @" + op.getParam() +
                      " has a value of another type",
                  EvalError::Kind::Invalid);
  params[declaration] = *value;
  return Results{*value};
}

Expected<Results> Run::evaluateOp(Operation *op, ArrayRef<Tensor> operands) {
  OpEvaluation e{op, operands, options.maxTensorBytes};
  if (auto fusion = dyn_cast<graph::FusionOp>(op)) {
    Expected<Results> results =
        runBlock(fusion.getBody().front(), operands, options.insideFusions);
    if (results)
      for (auto [i, value] : llvm::enumerate(*results))
        if (llvm::Error error = e.checkShape(value.shape(), i))
          return std::move(error);
    return results;
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return callSymbol(call, e);
  if (auto param = dyn_cast<graph::GetParamOp>(op))
    return getParam(param, e);
  if (!graph::familyOf(op) || op->getNumResults() != 1 ||
      op->getNumRegions() != 0)
    return e.fail("has no meaning in the interpreter",
                  EvalError::Kind::Unsupported);
  Expected<Tensor> result = evaluateOne(e);
  if (!result)
    return result.takeError();
  return Results{std::move(*result)};
}

Expected<Results> zenith::interpreter::run(func::FuncOp function,
                                           ArrayRef<Tensor> arguments,
                                           const Options &options) {
  return Run(SymbolTable::getNearestSymbolTable(function->getParentOp()),
             options)
      .call(function, arguments);
}

Expected<Results> zenith::interpreter::evaluate(Operation *op,
                                                ArrayRef<Tensor> operands) {
  Options options;
  return Run(nullptr, options).evaluateOp(op, operands);
}
