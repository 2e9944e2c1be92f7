// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks functions and regions op by op; a value lives until the last op that
// reads it.

#include "ir/interpreter/Interpreter.h"

#include "ir/GraphOps.h"
#include "ir/interpreter/BlockPlan.h"
#include "ir/interpreter/OpEvaluation.h"
#include "ir/interpreter/devices/DeviceProgram.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

// More deeply nested calls count as endless recursion.
static constexpr unsigned maxCallDepth = 200;

// Limit of a loop's steps in `evaluate`.
static constexpr int64_t maxFoldedSteps = 1000;

static Expected<Results> single(Expected<Tensor> result) {
  if (!result)
    return result.takeError();
  Results results;
  results.push_back(std::move(*result));
  return results;
}

static Expected<Results> evaluateFamily(const OpEvaluation &e) {
  if (isa<graph::ReduceWithOp, graph::ReduceWindowWithOp>(e.op))
    return evaluateReduceWithRegion(e);
  if (isa<graph::ScatterOp, graph::ScatterWithOp>(e.op))
    return evaluateScatter(e);
  switch (graph::familyOf(e.op).value_or(graph::Family::Collective)) {
  case graph::Family::Elementwise:
    return single(evaluateElementwise(e));
  case graph::Family::Movement:
    return single(evaluateMovement(e));
  case graph::Family::Contraction:
    return single(evaluateContraction(e));
  case graph::Family::LinearAlgebra:
    return single(evaluateLinearAlgebra(e));
  case graph::Family::Reduction:
    return single(evaluateReduction(e));
  case graph::Family::Indexing:
    return single(evaluateIndexing(e));
  case graph::Family::Composite:
    return single(evaluateComposite(e));
  case graph::Family::Ordering:
    return evaluateOrdering(e);
  case graph::Family::Search:
    return evaluateSearch(e);
  case graph::Family::Random:
    return evaluateRandom(e);
  case graph::Family::Control:
    return evaluateControl(e);
  case graph::Family::Collective:
    break;
  }
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}

namespace {
/// The values of a block that is being run.
struct Frame {
  std::vector<Tensor> slots;
  Frame *parent = nullptr; ///< of the block around it
  Block *block = nullptr;
  bool report = false;
};

/// One call of run(): its options and the parameters seen so far.
class Run : public RegionRunner {
public:
  Run(Operation *module, const Options &options,
      DeviceMeeting *meeting = nullptr, int64_t device = 0)
      : module(module), options(options), meeting(meeting), device(device) {}

  Expected<Results> call(func::FuncOp function, Results arguments);
  Expected<Results> evaluateOp(Operation *op, MutableArrayRef<Tensor> operands);

  Expected<Results> run(Region &region, Results arguments) override;
  Tensor captured(Value value) override;
  Operation *function(StringRef name) override {
    return dyn_cast_or_null<func::FuncOp>(symbol(name));
  }
  int64_t maxLoopSteps() const override { return options.maxLoopSteps; }

private:
  Expected<Results> runBlock(Block &block, Results arguments, Frame *parent,
                             bool report);
  Expected<Results> operandsOf(const PlannedOp &planned, Frame &frame);
  Expected<Results> manual(graph::ManualOp op,
                           MutableArrayRef<Tensor> operands);
  Expected<Results> callSymbol(func::CallOp op, const OpEvaluation &e);
  Expected<Results> getParam(graph::GetParamOp op, const OpEvaluation &e);
  Expected<Tensor> loadParam(graph::ParamOp param, const OpEvaluation &e);
  Expected<Tensor> derivedParam(graph::DerivedParamOp param,
                                const OpEvaluation &e);
  Operation *symbol(StringRef name);
  int64_t mostBytes();
  void countBytes(ArrayRef<Tensor> results);

  Operation *module;
  const Options &options;
  /// Of a run that is one of several devices.
  DeviceMeeting *meeting;
  int64_t device;
  std::unique_ptr<SymbolTable> symbols;
  llvm::DenseMap<Operation *, Tensor> params;
  llvm::DenseMap<Block *, std::unique_ptr<BlockPlan>> plans;
  Frame *current = nullptr;
  std::optional<Results> prepared;
  bool preparing = false;
  unsigned depth = 0;
  /// What the system had, and bytes of values made since it was asked.
  std::optional<int64_t> available;
  int64_t unaskedBytes = 0;
};
} // namespace

/// Most bytes of the next value.
int64_t Run::mostBytes() {
  constexpr int64_t askedBytes = 1 << 26;
  if (!options.availableBytes)
    return options.maxTensorBytes;
  if (!available || unaskedBytes >= askedBytes) {
    available = options.availableBytes();
    unaskedBytes = 0;
  }
  return std::min(options.maxTensorBytes, *available);
}

void Run::countBytes(ArrayRef<Tensor> results) {
  for (const Tensor &result : results)
    unaskedBytes += result.byteSize();
}

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
                  ErrorCode::Invalid);
  if (type.getRank() != int64_t(value.shape().size()))
    return e.fail("argument " + Twine(index) + " has rank " +
                      Twine(type.getRank()) + ", the value has rank " +
                      Twine(value.shape().size()),
                  ErrorCode::Invalid);
  for (auto [dim, size] : llvm::enumerate(value.shape()))
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != size)
      return e.fail("dimension " + Twine(dim) + " of argument " + Twine(index) +
                        " is " + Twine(type.getDimSize(dim)) +
                        ", the value has " + Twine(size),
                    ErrorCode::Invalid);
  return llvm::Error::success();
}

Expected<Results> Run::call(func::FuncOp function, Results arguments) {
  OpEvaluation e{function, arguments, options.maxTensorBytes};
  if (function.isExternal())
    return e.fail("@" + function.getSymName() + " has no body",
                  ErrorCode::Unsupported);
  if (!function.getBody().hasOneBlock())
    return e.fail("@" + function.getSymName() + " has more than one block",
                  ErrorCode::Unsupported);
  if (arguments.size() != function.getNumArguments())
    return e.fail("@" + function.getSymName() + " takes " +
                      Twine(function.getNumArguments()) + " arguments, got " +
                      Twine(arguments.size()),
                  ErrorCode::Invalid);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (llvm::Error error = checkArgument(e, i, type, arguments[i]))
      return std::move(error);
  if (++depth > maxCallDepth)
    return e.fail("calls are nested more than " + Twine(maxCallDepth) +
                  " deep");
  Expected<Results> results =
      runBlock(function.getBody().front(), std::move(arguments), nullptr, true);
  --depth;
  return results;
}

Expected<Results> Run::operandsOf(const PlannedOp &planned, Frame &frame) {
  Results operands;
  operands.reserve(planned.operands.size());
  for (const ValueSlot &slot : planned.operands) {
    Frame *owner = &frame;
    for (unsigned level = slot.level; owner && level > 0; --level)
      owner = owner->parent;
    if (!owner)
      return OpEvaluation{planned.op, {}, options.maxTensorBytes}.fail(
          "reads a value from outside that is not known here",
          ErrorCode::Unsupported);
    Tensor &value = owner->slots[slot.slot];
    if (slot.last)
      operands.push_back(std::move(value));
    else
      operands.push_back(value);
  }
  return operands;
}

Expected<Results> Run::runBlock(Block &block, Results arguments, Frame *parent,
                                bool report) {
  std::unique_ptr<BlockPlan> &plan = plans[&block];
  if (!plan)
    plan = std::make_unique<BlockPlan>(block);
  const BlockPlan &planned = *plan;
  Frame frame{std::move(arguments), parent, &block, report};
  frame.slots.resize(planned.slotCount);
  Frame *before = std::exchange(current, &frame);
  auto leave = llvm::make_scope_exit([&] { current = before; });
  for (const PlannedOp &next : planned.ops) {
    Expected<Results> operands = operandsOf(next, frame);
    if (!operands || next.op->hasTrait<OpTrait::IsTerminator>())
      return operands;
    Expected<Results> results = evaluateOp(next.op, *operands);
    if (!results)
      return results;
    countBytes(*results);
    if (report && options.onResult)
      options.onResult(next.op, *results);
    for (unsigned slot : next.dead)
      frame.slots[slot] = Tensor();
    for (auto [slot, value] : llvm::zip(next.results, *results))
      if (slot >= 0)
        frame.slots[size_t(slot)] = std::move(value);
  }
  return Results();
}

Expected<Results> Run::run(Region &region, Results arguments) {
  if (!region.hasOneBlock())
    return OpEvaluation{region.getParentOp(), {}, options.maxTensorBytes}.fail(
        "has a region of more than one block", ErrorCode::Unsupported);
  return runBlock(region.front(), std::move(arguments), current,
                  current && current->report);
}

Tensor Run::captured(Value value) {
  for (Frame *frame = current; frame; frame = frame->parent)
    if (frame->block == value.getParentBlock())
      return frame->slots[slotsOf(*frame->block).lookup(value)];
  return Tensor();
}

Expected<Results> Run::callSymbol(func::CallOp op, const OpEvaluation &e) {
  auto callee = dyn_cast_or_null<func::FuncOp>(symbol(op.getCallee()));
  if (!callee)
    return e.fail("calls @" + op.getCallee() + ", which is no function",
                  ErrorCode::Invalid);
  return call(callee, Results(std::make_move_iterator(e.owned.begin()),
                              std::make_move_iterator(e.owned.end())));
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
                ErrorCode::Invalid);
}

Expected<Tensor> Run::derivedParam(graph::DerivedParamOp param,
                                   const OpEvaluation &e) {
  if (!prepared) {
    auto prepare =
        dyn_cast_or_null<func::FuncOp>(symbol(graph::prepareFunctionName));
    if (!prepare || preparing)
      return e.fail(prepare ? "@prepare reads what it computes"
                            : "there is no function @prepare",
                    ErrorCode::Invalid);
    preparing = true;
    Expected<Results> results = call(prepare, {});
    preparing = false;
    if (!results)
      return results.takeError();
    prepared = std::move(*results);
  }
  if (uint64_t(param.getIndex()) >= prepared->size())
    return e.fail("@prepare has no result " + Twine(param.getIndex()),
                  ErrorCode::Invalid);
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
                  ErrorCode::Invalid);
  if (!value)
    return value.takeError();
  if (value->type() !=
      RankedTensorType::get(e.resultType().getShape(), e.resultElement()))
    return e.fail("parameter @" + op.getParam() +
                      " has a value of another type",
                  ErrorCode::Invalid);
  params[declaration] = *value;
  return Results{*value};
}

// Without a meeting the region's devices are started here.
Expected<Results> Run::manual(graph::ManualOp op,
                              MutableArrayRef<Tensor> operands) {
  if (!meeting)
    return startDevices(op, [&](DeviceMeeting &all, int64_t own) {
      Results values(operands.begin(), operands.end());
      return Run(module, options, &all, own).evaluateOp(op, values);
    });
  return runManual({op, operands, options.maxTensorBytes}, *meeting, device,
                   [&](Results blocks) {
                     return runBlock(op.getBody().front(), std::move(blocks),
                                     nullptr, /*report=*/false);
                   });
}

Expected<Results> Run::evaluateOp(Operation *op,
                                  MutableArrayRef<Tensor> operands) {
  OpEvaluation e{op, operands, mostBytes(), this, operands};
  if (graph::familyOf(op) == graph::Family::Collective) {
    if (!meeting)
      return e.fail("is for several devices, and the program runs on one",
                    ErrorCode::Unsupported);
    return runCollective(e, *meeting, device,
                         [&](Operation *built, auto values) {
                           return evaluateOp(built, values);
                         });
  }
  if (auto region = dyn_cast<graph::ManualOp>(op))
    return manual(region, operands);
  if (auto fusion = dyn_cast<graph::FusionOp>(op)) {
    Expected<Results> results =
        runBlock(fusion.getBody().front(),
                 Results(std::make_move_iterator(operands.begin()),
                         std::make_move_iterator(operands.end())),
                 nullptr, options.insideFusions);
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
  return evaluateFamily(e);
}

Expected<Results> zenith::interpreter::run(func::FuncOp function,
                                           ArrayRef<Tensor> arguments,
                                           const Options &options) {
  Operation *module =
      SymbolTable::getNearestSymbolTable(function->getParentOp());
  if (graph::MeshAttr mesh = meshOfBlocks(function))
    return runOnBlocks(function, mesh, arguments,
                       [&](DeviceMeeting &all, int64_t device, Results blocks) {
                         return Run(module, options, &all, device)
                             .call(function, std::move(blocks));
                       });
  return Run(module, options).call(function, arguments);
}

Expected<Results> zenith::interpreter::evaluate(Operation *op,
                                                ArrayRef<Tensor> operands) {
  Options options;
  options.maxLoopSteps = maxFoldedSteps;
  Results values = operands.vec();
  return Run(nullptr, options).evaluateOp(op, values);
}
