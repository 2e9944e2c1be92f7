// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step around two functions: the cotangent of the loss is a scale
// that keeps gradients within f16, and steps whose gradients overflow change
// nothing but the scale.

#include "ir/GraphOps.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/precision/LossScale.h"
#include "passes/precision/PrecisionPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SCALELOSSPASS
#include "passes/precision/PrecisionPasses.h.inc"
} // namespace zenith

namespace zenith::precision {

static std::string argumentName(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, nameAttrName);
  return name ? name.str() : "";
}

namespace {
/// How the arguments of both functions are dealt out.
struct StepSignature {
  unsigned params = 0, batch = 0, state = 0, gradients = 0;
};

struct ScaleLossPass : impl::ScaleLossPassBase<ScaleLossPass> {
  using ScaleLossPassBase::ScaleLossPassBase;

  void runOnOperation() override;

private:
  func::FuncOp find(StringRef name);
  FailureOr<StepSignature> readSignature();
  LogicalResult checkOptions();
  func::FuncOp declareStep(const StepSignature &signature);
  void fillStep(func::FuncOp function, const StepSignature &signature);

  func::FuncOp gradientFunction, updateFunction;
};
} // namespace

func::FuncOp ScaleLossPass::find(StringRef name) {
  auto function = getOperation().lookupSymbol<func::FuncOp>(name);
  if (!function || function.isExternal()) {
    getOperation().emitError()
        << "there is no function @" << name << " with a body";
    return {};
  }
  return function;
}

LogicalResult ScaleLossPass::checkOptions() {
  auto fail = [&](const Twine &text) {
    return getOperation().emitError() << "zenith-scale-loss: " << text;
  };
  if (!(growth >= 1) || !std::isfinite(growth.getValue()))
    return fail("growth is at least 1");
  if (!(backoff > 0 && backoff <= 1))
    return fail("backoff is above 0 and at most 1");
  if (interval < 1)
    return fail("interval is at least 1");
  if (!(minScale > 0 && minScale <= maxScale))
    return fail("min-scale is above 0 and at most max-scale");
  if (getOperation().lookupSymbol(step))
    return fail("there is a function @" + step + " already");
  return success();
}

/// True for a scalar of f32.
static bool isScale(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && tensor.getElementType().isF32();
}

FailureOr<StepSignature> ScaleLossPass::readSignature() {
  func::FuncOp grad = gradientFunction, change = updateFunction;
  unsigned given = grad.getNumArguments(), results = grad.getNumResults();
  if (given == 0 || !isScale(grad.getArgumentTypes().back()))
    return grad.emitError() << "the last argument of @" << gradient
                            << " is the cotangent of the loss, tensor<f32>";
  if (results < 2 || !isScale(grad.getResultTypes().front()))
    return grad.emitError()
           << "@" << gradient << " gives a loss, tensor<f32>, and gradients";
  StepSignature signature;
  signature.gradients = results - 1;
  // Parameters are what both functions begin with.
  unsigned common = 0, least = std::min(given - 1, change.getNumArguments());
  while (common < least && !argumentName(grad, common).empty() &&
         argumentName(grad, common) == argumentName(change, common))
    ++common;
  signature.params = common ? common : signature.gradients;
  if (signature.params >= given || change.getNumResults() < signature.params)
    return change.emitError()
           << "@" << update << " gives " << change.getNumResults()
           << " results, fewer than there are parameters (" << signature.params
           << ")";
  signature.batch = given - 1 - signature.params;
  signature.state = change.getNumResults() - signature.params;
  unsigned expected = signature.params + signature.state + signature.gradients;
  if (change.getNumArguments() != expected)
    return change.emitError()
           << "@" << update << " takes " << change.getNumArguments()
           << " arguments, expected " << signature.params << " parameters, "
           << signature.state << " of state and " << signature.gradients
           << " gradients";
  for (unsigned i = 0; i < signature.params; ++i)
    if (grad.getArgumentTypes()[i] != change.getArgumentTypes()[i])
      return change.emitError()
             << "parameter " << i << " of @" << update << " is "
             << change.getArgumentTypes()[i] << ", of @" << gradient << " "
             << grad.getArgumentTypes()[i];
  for (unsigned i = 0; i < signature.params + signature.state; ++i)
    if (change.getArgumentTypes()[i] != change.getResultTypes()[i])
      return change.emitError()
             << "result " << i << " of @" << update << " is "
             << change.getResultTypes()[i] << ", the argument that it replaces "
             << change.getArgumentTypes()[i];
  for (unsigned i = 0; i < signature.gradients; ++i) {
    Type taken =
        change.getArgumentTypes()[signature.params + signature.state + i];
    if (taken != grad.getResultTypes()[i + 1])
      return change.emitError() << "gradient " << i << " of @" << gradient
                                << " is " << grad.getResultTypes()[i + 1]
                                << ", @" << update << " takes " << taken;
  }
  return signature;
}

func::FuncOp ScaleLossPass::declareStep(const StepSignature &signature) {
  auto scale = RankedTensorType::get({}, Float32Type::get(&getContext()));
  auto count = RankedTensorType::get({}, IntegerType::get(&getContext(), 32));
  auto flag = RankedTensorType::get({}, IntegerType::get(&getContext(), 1));
  auto updated = updateFunction.getArgumentTypes().take_front(signature.params +
                                                              signature.state);
  SmallVector<Type> arguments(updated), results(updated);
  llvm::append_range(arguments, gradientFunction.getArgumentTypes().slice(
                                    signature.params, signature.batch));
  arguments.append({scale, count});
  results.append({scale, scale, count, flag});
  OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
  auto function = builder.create<func::FuncOp>(
      gradientFunction.getLoc(), step,
      FunctionType::get(&getContext(), arguments, results));
  unsigned states = updated.size();
  for (unsigned i = 0; i < states; ++i) {
    function.setArgAttrs(i, updateFunction.getArgAttrDict(i));
    function.setResultAttrs(i, updateFunction.getResultAttrDict(i));
  }
  for (unsigned i = 0; i < signature.batch; ++i)
    function.setArgAttrs(states + i,
                         gradientFunction.getArgAttrDict(signature.params + i));
  unsigned at = states + signature.batch;
  for (const char *name : {"loss_scale", "good_steps"})
    function.setArgAttr(at++, nameAttrName, builder.getStringAttr(name));
  at = states;
  for (const char *name : {"loss", "loss_scale", "good_steps", "finite"})
    function.setResultAttr(at++, nameAttrName, builder.getStringAttr(name));
  for (StringRef name : {dimBoundsAttrName})
    if (Attribute bounds = gradientFunction->getAttr(name))
      function->setAttr(name, bounds);
  return function;
}

void ScaleLossPass::fillStep(func::FuncOp function,
                             const StepSignature &signature) {
  Location loc = gradientFunction.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(function.addEntryBlock());
  auto arguments = function.getArguments();
  unsigned states = signature.params + signature.state;
  auto batch = arguments.slice(states, signature.batch);
  Value scaleNow = arguments[states + signature.batch];
  Value goodNow = arguments[states + signature.batch + 1];
  SmallVector<Value> taken(arguments.take_front(signature.params));
  llvm::append_range(taken, batch);
  taken.push_back(scaleNow);
  auto computed = builder.create<func::CallOp>(loc, gradientFunction, taken);
  UnscaledGradients unscaled = unscaleGradients(
      builder, loc, computed.getResults().drop_front(), scaleNow);
  Value finite = unscaled.finite;
  SmallVector<Value> given(arguments.take_front(states));
  llvm::append_range(given, unscaled.gradients);
  auto updated = builder.create<func::CallOp>(loc, updateFunction, given);
  SmallVector<Value> results;
  for (auto [fresh, old] :
       llvm::zip(updated.getResults(), arguments.take_front(states))) {
    auto type = cast<RankedTensorType>(old.getType());
    Value choice = finite;
    if (type.getRank() != 0)
      choice = broadcastLike(builder, loc, finite, {}, old);
    results.push_back(builder.create<SelectOp>(loc, type, choice, fresh, old));
  }
  results.push_back(computed.getResult(0));
  ScaleState next =
      nextScale(builder, loc, {growth, backoff, interval, minScale, maxScale},
                {scaleNow, goodNow}, finite);
  results.append({next.scale, next.goodSteps});
  results.push_back(finite);
  builder.create<func::ReturnOp>(loc, results);
}

void ScaleLossPass::runOnOperation() {
  gradientFunction = find(gradient);
  updateFunction = find(update);
  if (!gradientFunction || !updateFunction || failed(checkOptions()))
    return signalPassFailure();
  FailureOr<StepSignature> signature = readSignature();
  if (failed(signature))
    return signalPassFailure();
  fillStep(declareStep(*signature), *signature);
  gradientFunction.setPrivate();
  updateFunction.setPrivate();
}

} // namespace zenith::precision
