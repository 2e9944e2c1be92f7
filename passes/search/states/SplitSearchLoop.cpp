// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clones the parts of a search around its loop into functions. Rewrites of
// searches look at a loop, so they come before.

#include "passes/search/states/SplitSearchLoop.h"

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/SearchOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

class LoopSplit {
public:
  LoopSplit(func::FuncOp main, WhileOp loop)
      : main(main), loop(loop), builder(main.getContext()),
        location(loop.getLoc()) {
    sortOps();
    nameState();
  }

  void buildInit();
  void buildStep();
  void buildRun();
  void buildResults();

private:
  bool isBefore(Operation *op) const { return before.contains(op); }
  void sortOps();
  void nameState();
  func::FuncOp beginEntry(StringRef name, ArrayRef<Type> more);
  func::FuncOp beginSteps(StringRef name, ArrayRef<Type> more);
  IRMapping stateOf(func::FuncOp function);
  SmallVector<Value> inlined(Region &region, ValueRange arguments,
                             IRMapping mapping);
  void end(func::FuncOp function, ValueRange values);
  /// The captured values as a function has them.
  SmallVector<Value> capturedIn(const IRMapping &mapping) const {
    SmallVector<Value> values;
    for (Value value : captured)
      values.push_back(mapping.lookup(value));
    return values;
  }

  func::FuncOp main;
  WhileOp loop;
  OpBuilder builder;
  Location location;
  llvm::SetVector<Operation *> before; ///< ops that the loop follows
  SmallVector<Operation *> fixed;      ///< of them, those of no argument
  SmallVector<Operation *> after;
  llvm::SetVector<Value> captured;
  SmallVector<Type> stateTypes;
  SmallVector<DictionaryAttr> stateAttrs;
};

} // namespace

/// Values from outside that an op or its regions read.
static llvm::SetVector<Value> readBy(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// Ops before the loop, and the values of theirs that later ones read: what
/// depends on no argument is computed again where it is read.
void LoopSplit::sortOps() {
  llvm::DenseSet<Value> varying(main.getArguments().begin(),
                                main.getArguments().end());
  bool isPast = false;
  for (Operation &op : main.getBody().front()) {
    if (&op == loop) {
      isPast = true;
      llvm::SetVector<Value> read;
      getUsedValuesDefinedAbove(loop->getRegions(), read);
      for (Value value : read)
        if (varying.contains(value))
          captured.insert(value);
      continue;
    }
    llvm::SetVector<Value> read = readBy(&op);
    bool varies = llvm::any_of(
        read, [&](Value value) { return varying.contains(value); });
    if (isPast) {
      after.push_back(&op);
      for (Value value : read)
        if (varying.contains(value))
          captured.insert(value);
      continue;
    }
    before.insert(&op);
    if (varies)
      varying.insert(op.result_begin(), op.result_end());
    else
      fixed.push_back(&op);
  }
}

/// Names and dimensions of the state: those that the loop keeps equal have one
/// name.
void LoopSplit::nameState() {
  DimAnalysis dims;
  std::map<std::string, std::string> names;
  auto add = [&](Value value, const std::string &name) {
    auto type = cast<RankedTensorType>(value.getType());
    stateTypes.push_back(type);
    SmallVector<Attribute> texts;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::string text;
      auto symbol = dims.dimOf(value, unsigned(dim)).asSymbol();
      if (type.isDynamicDim(dim) && symbol)
        text = names.try_emplace(*symbol, "s" + std::to_string(names.size()))
                   .first->second;
      texts.push_back(builder.getStringAttr(text));
    }
    NamedAttrList attrs;
    attrs.set(nameAttrName, builder.getStringAttr(name));
    attrs.set(dimsAttrName, builder.getArrayAttr(texts));
    stateAttrs.push_back(attrs.getDictionary(builder.getContext()));
  };
  for (auto [number, argument] : llvm::enumerate(loop.getBody().getArguments()))
    add(argument, "carried" + std::to_string(number));
  for (auto [number, value] : llvm::enumerate(captured))
    add(value, "captured" + std::to_string(number));
}

/// A function of the state and `more`, with the ops of no argument in it.
func::FuncOp LoopSplit::beginEntry(StringRef name, ArrayRef<Type> more) {
  SmallVector<Type> inputs(stateTypes);
  llvm::append_range(inputs, more);
  builder.setInsertionPoint(main);
  auto function = builder.create<func::FuncOp>(
      location, name, builder.getFunctionType(inputs, {}));
  for (auto [number, attrs] : llvm::enumerate(stateAttrs))
    function.setArgAttrs(number, attrs);
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

/// The same where steps take the state over.
func::FuncOp LoopSplit::beginSteps(StringRef name, ArrayRef<Type> more) {
  func::FuncOp function = beginEntry(name, more);
  for (unsigned number = 0; number < loop.getNumResults(); ++number)
    function.setArgAttr(number, "graph.donated", builder.getUnitAttr());
  return function;
}

/// The loop's surroundings in a function of the state.
IRMapping LoopSplit::stateOf(func::FuncOp function) {
  IRMapping mapping;
  for (Operation *op : fixed)
    builder.clone(*op, mapping);
  unsigned carried = loop.getNumResults();
  for (auto [number, value] : llvm::enumerate(captured))
    mapping.map(value, function.getArgument(carried + unsigned(number)));
  return mapping;
}

/// A region's ops on these arguments; what it yields.
SmallVector<Value> LoopSplit::inlined(Region &region, ValueRange arguments,
                                      IRMapping mapping) {
  mapping.map(region.getArguments(), arguments);
  for (Operation &op : region.front().without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> values;
  for (Value value : region.front().getTerminator()->getOperands())
    values.push_back(mapping.lookupOrDefault(value));
  return values;
}

void LoopSplit::end(func::FuncOp function, ValueRange values) {
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), values.getTypes()));
  builder.create<func::ReturnOp>(location, values);
}

void LoopSplit::buildInit() {
  builder.setInsertionPoint(main);
  auto function = builder.create<func::FuncOp>(
      location, "init", builder.getFunctionType(main.getArgumentTypes(), {}));
  for (unsigned number = 0; number < main.getNumArguments(); ++number)
    function.setArgAttrs(
        number, mlir::function_interface_impl::getArgAttrDict(main, number));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(main.getArguments(), function.getArguments());
  for (Operation *op : before)
    builder.clone(*op, mapping);
  SmallVector<Value> values;
  for (Value value : loop.getInits())
    values.push_back(mapping.lookup(value));
  llvm::append_range(values, capturedIn(mapping));
  end(function, values);
}

void LoopSplit::buildStep() {
  func::FuncOp function = beginSteps("step", {});
  IRMapping mapping = stateOf(function);
  unsigned carried = loop.getNumResults();
  SmallVector<Value> next = inlined(
      loop.getBody(), function.getArguments().take_front(carried), mapping);
  SmallVector<Value> values = inlined(loop.getCondition(), next, mapping);
  llvm::append_range(values, next);
  llvm::append_range(values, capturedIn(mapping));
  end(function, values);
}

void LoopSplit::buildRun() {
  auto number = RankedTensorType::get({}, builder.getI64Type());
  func::FuncOp function = beginSteps("run", {number});
  unsigned carried = loop.getNumResults();
  Value limit = function.getArguments().back();
  function.setArgAttr(function.getNumArguments() - 1, nameAttrName,
                      builder.getStringAttr("limit"));
  IRMapping mapping = stateOf(function);
  auto constant = [&](int64_t value) -> Value {
    return builder.create<ConstantOp>(location,
                                      DenseElementsAttr::get(number, value));
  };
  SmallVector<Value> inits(function.getArguments().take_front(carried));
  inits.push_back(constant(0));
  SmallVector<Type> types(loop.getResultTypes());
  types.push_back(number);
  auto steps = builder.create<WhileOp>(location, types, inits);
  SmallVector<Location> places(types.size(), location);
  Block *condition =
      builder.createBlock(&steps.getCondition(), {}, types, places);
  Value goesOn = inlined(loop.getCondition(),
                         condition->getArguments().drop_back(), mapping)[0];
  Value isBelow = builder.create<CompareOp>(
      location, CompareDirection::lt, condition->getArguments().back(), limit);
  Value both = builder.create<AndOp>(location, goesOn, isBelow);
  builder.create<YieldOp>(location, both);
  Block *body = builder.createBlock(&steps.getBody(), {}, types, places);
  SmallVector<Value> next =
      inlined(loop.getBody(), body->getArguments().drop_back(), mapping);
  next.push_back(builder.create<AddOp>(location, body->getArguments().back(),
                                       constant(1)));
  builder.create<YieldOp>(location, next);
  builder.setInsertionPointAfter(steps);
  SmallVector<Value> last(steps.getResults().drop_back());
  SmallVector<Value> values = inlined(loop.getCondition(), last, mapping);
  llvm::append_range(values, last);
  llvm::append_range(values, capturedIn(mapping));
  end(function, values);
}

void LoopSplit::buildResults() {
  func::FuncOp function = beginEntry("results", {});
  IRMapping mapping = stateOf(function);
  mapping.map(loop.getResults(),
              function.getArguments().take_front(loop.getNumResults()));
  SmallVector<Value> values;
  for (Operation *op : after)
    if (auto last = dyn_cast<func::ReturnOp>(op))
      for (Value value : last.getOperands())
        values.push_back(mapping.lookup(value));
    else
      builder.clone(*op, mapping);
  end(function, values);
  for (unsigned number = 0; number < main.getNumResults(); ++number)
    function.setResultAttrs(
        number, mlir::function_interface_impl::getResultAttrDict(main, number));
}

LogicalResult splitSearchLoop(func::FuncOp main,
                              ArrayRef<std::string> entries) {
  auto loops = main.getBody().front().getOps<WhileOp>();
  if (loops.empty())
    return main.emitError("has no loop to be run step by step");
  LoopSplit split(main, *loops.begin());
  for (StringRef entry : searchEntries)
    if (llvm::is_contained(entries, entry)) {
      if (entry == "init")
        split.buildInit();
      else if (entry == "step")
        split.buildStep();
      else if (entry == "run")
        split.buildRun();
      else
        split.buildResults();
    }
  main.erase();
  return success();
}

namespace {

class SplitSearchLoopPass
    : public PassWrapper<SplitSearchLoopPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitSearchLoopPass)
  StringRef getArgument() const override { return "zenith-split-search-loop"; }
  StringRef getDescription() const override {
    return "cuts searches into functions that share their state";
  }

private:
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    auto names =
        main ? main->getAttrOfType<ArrayAttr>(splitAttrName) : ArrayAttr();
    if (!names)
      return;
    std::vector<std::string> entries;
    for (auto name : names.getAsRange<StringAttr>())
      entries.push_back(name.str());
    if (failed(splitSearchLoop(main, entries)))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createSplitSearchLoopPass() {
  return std::make_unique<SplitSearchLoopPass>();
}

} // namespace zenith::search
