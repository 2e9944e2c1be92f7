// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow: regions of if, case and while become private functions, so that
// every later pass sees straight-line code only.

#include "ir/GraphOps.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "ir/matchers/RegionInlining.h"
#include "ir/target/TargetModel.h"
#include "lowering/LoweringPasses.h"
#include "lowering/host/HostDialect.h"
#include "lowering/host/NestCaptures.h"
#include "lowering/memory/PlanBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include <map>

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_OUTLINEREGIONSPASS
#include "lowering/LoweringPasses.h.inc"

using graph::DimExpr;

namespace {

/// A function whose control ops are still to be outlined, and which of its
/// arguments values of the functions around it are.
struct OpenFunction {
  func::FuncOp function;
  llvm::DenseMap<Value, Value> arguments;
};

class Outliner {
public:
  Outliner(const OpenFunction &open, NestCaptures &nest, SymbolTable &symbols)
      : function(open.function), arguments(open.arguments), nest(nest),
        symbols(symbols) {}
  /// Outlines the control ops of the function's block, and returns the new
  /// functions.
  SmallVector<OpenFunction> run();

private:
  void outlineLoop(graph::WhileOp loop);
  void outlineBranch(Operation *op, ValueRange selector, bool boolean);
  Value valueHere(Value value) const {
    Value argument = arguments.lookup(value);
    return argument ? argument : nest.current(value);
  }
  SmallVector<Value> capturesOf(Region &region);
  SmallVector<Value> sharedBy(Operation *control,
                              SmallVector<int64_t> &numbers);
  func::FuncOp makeFunction(Operation *op, Region &region, StringRef role,
                            ArrayRef<Value> captures, ArrayAttr resultDims,
                            bool donatesCarried);
  std::string nameOf(const DimExpr &dim, func::FuncOp callee,
                     std::map<DimExpr, std::string> &names);
  ArrayAttr describeResults(Operation *op, ValueRange operands);

  func::FuncOp function;
  const llvm::DenseMap<Value, Value> &arguments;
  NestCaptures &nest;
  SymbolTable &symbols;
  graph::DimAnalysis dims;
  SmallVector<OpenFunction> made;
  unsigned controlOps = 0;
};

} // namespace

static bool fromData(const DimExpr &expr) {
  bool found = false;
  expr.forEachSymbol([&](const std::string &name) {
    found |= !name.empty() && name[0] == '%';
  });
  return found;
}

/// Replaces operands of the ops of a block, and of regions up to `reach`
/// control ops deeper, by what `values` has for them.
static void replaceWithin(Block &block, unsigned reach,
                          const llvm::DenseMap<Value, Value> &values) {
  for (Operation &op : block) {
    for (OpOperand &operand : op.getOpOperands())
      if (Value value = values.lookup(operand.get()))
        operand.set(value);
    bool isControl = isa<graph::IfOp, graph::CaseOp, graph::WhileOp>(op);
    if (isControl && reach == 0)
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        replaceWithin(inner, reach - isControl, values);
  }
}

/// The captures of a region, as values of this function.
SmallVector<Value> Outliner::capturesOf(Region &region) {
  SmallVector<Value> values;
  for (Value value : nest.of(region).values)
    values.push_back(valueHere(value));
  return values;
}

/// The name of a dimension in the function: its own where it has one, since
/// nested functions share the names of their callers; otherwise a new name that
/// starts with the function's.
std::string Outliner::nameOf(const DimExpr &dim, func::FuncOp callee,
                             std::map<DimExpr, std::string> &names) {
  if (!fromData(dim))
    return dim.str();
  auto [found, isNew] = names.try_emplace(dim);
  if (isNew)
    found->second =
        DimExpr::symbol(
            (callee.getSymName() + "." + Twine(names.size() - 1)).str())
            .str();
  return found->second;
}

/// The part of a name that the names of nested functions begin with: the way to
/// them, but of deep nests only its start, since the symbol table tells apart
/// what is named alike, and names as long as nests are deep would make programs
/// quadratic in depth.
static StringRef stemOf(StringRef name) {
  constexpr size_t longest = 96;
  return name.size() <= longest ? name
                                : name.take_front(longest).rsplit('_').first;
}

func::FuncOp Outliner::makeFunction(Operation *op, Region &region,
                                    StringRef role, ArrayRef<Value> captures,
                                    ArrayAttr resultDims, bool donatesCarried) {
  Block &block = region.front();
  SmallVector<SmallVector<DimExpr>> argumentDims;
  for (BlockArgument argument : block.getArguments())
    argumentDims.push_back(dims.dimsOf(argument));
  for (Value value : captures)
    argumentDims.push_back(dims.dimsOf(value));
  unsigned carried = block.getNumArguments();
  llvm::DenseMap<Value, Value> passed, inside;
  const RegionCaptures &needed = nest.of(region);
  for (auto [original, value] : llvm::zip(needed.values, captures)) {
    Value argument = block.addArgument(value.getType(), value.getLoc());
    passed[original] = inside[value] = argument;
  }
  if (!captures.empty())
    replaceWithin(block, needed.reach, inside);
  Operation *yield = block.getTerminator();
  Builder attributes(op->getContext());
  auto callee = func::FuncOp::create(
      op->getLoc(), (stemOf(function.getSymName()) + "_" + role).str(),
      attributes.getFunctionType(block.getArgumentTypes(),
                                 yield->getOperandTypes()));
  callee.setPrivate();
  callee->setAttr(host::nestedAttrName, attributes.getUnitAttr());
  symbols.insert(callee, std::next(function->getIterator()));
  callee.getBody().takeBody(region);
  OpBuilder builder(yield);
  builder.create<func::ReturnOp>(yield->getLoc(), yield->getOperands());
  yield->erase();
  std::map<DimExpr, std::string> names;
  // Set together: each setArgAttr writes the list of all arguments anew.
  SmallVector<DictionaryAttr> described;
  for (auto [index, sizes] : llvm::enumerate(argumentDims)) {
    NamedAttrList argument;
    if (!cast<RankedTensorType>(callee.getArgumentTypes()[index])
             .hasStaticShape()) {
      SmallVector<Attribute> texts;
      for (const DimExpr &size : sizes)
        texts.push_back(attributes.getStringAttr(nameOf(size, callee, names)));
      argument.set(graph::dimsAttrName, attributes.getArrayAttr(texts));
    }
    if (donatesCarried && index < carried)
      argument.set(memory::donatedAttrName, attributes.getUnitAttr());
    described.push_back(argument.getDictionary(op->getContext()));
  }
  callee.setAllArgAttrs(described);
  graph::addDimBounds(callee, graph::dimBoundsOf(function));
  graph::keepNamedBounds(callee);
  for (auto [index, sizes] : llvm::enumerate(
           resultDims ? resultDims.getValue() : ArrayRef<Attribute>()))
    if (llvm::any_of(cast<ArrayAttr>(sizes),
                     llvm::IsaPred<host::UnknownDimAttr>))
      callee.setResultAttr(index, host::allocatedAttrName,
                           attributes.getUnitAttr());
  made.push_back({callee, std::move(passed)});
  return callee;
}

/// Sizes of the results as host.branch and host.loop describe them.
ArrayAttr Outliner::describeResults(Operation *op, ValueRange operands) {
  Builder attributes(op->getContext());
  MLIRContext *context = op->getContext();
  std::map<DimExpr, unsigned> unknown;
  auto describe = [&](const DimExpr &size) -> Attribute {
    if (!fromData(size))
      return graph::DimAttr::get(context, size);
    for (auto [k, operand] : llvm::enumerate(operands))
      for (auto [d, other] : llvm::enumerate(dims.dimsOf(operand)))
        if (other == size)
          return host::OperandDimAttr::get(context, k, d);
    return host::UnknownDimAttr::get(
        context, unknown.try_emplace(size, unknown.size()).first->second);
  };
  SmallVector<Attribute> described;
  for (OpResult result : op->getResults()) {
    SmallVector<Attribute> entries;
    for (const DimExpr &size : dims.dimsOf(result))
      entries.push_back(describe(size));
    described.push_back(attributes.getArrayAttr(entries));
  }
  return attributes.getArrayAttr(described);
}

/// Loop-carried values that the body returns unchanged become captures.
static void dropInvariants(graph::WhileOp loop) {
  Block &condition = loop.getCondition().front(),
        &body = loop.getBody().front();
  Operation *yield = body.getTerminator();
  llvm::BitVector gone(loop.getNumResults());
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (yield->getOperand(i) == body.getArgument(i) &&
        loop.getInits()[i].getType() == loop.getResult(i).getType()) {
      gone.set(i);
      condition.getArgument(i).replaceAllUsesWith(loop.getInits()[i]);
      body.getArgument(i).replaceAllUsesWith(loop.getInits()[i]);
      loop.getResult(i).replaceAllUsesWith(loop.getInits()[i]);
    }
  if (gone.none())
    return;
  condition.eraseArguments(gone);
  body.eraseArguments(gone);
  yield->eraseOperands(gone);
  SmallVector<Value> inits, kept;
  SmallVector<Type> types;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (!gone[i]) {
      inits.push_back(loop.getInits()[i]);
      kept.push_back(loop.getResult(i));
      types.push_back(loop.getResult(i).getType());
    }
  OpBuilder builder(loop);
  auto fewer = builder.create<graph::WhileOp>(loop.getLoc(), types, inits);
  fewer.getCondition().takeBody(loop.getCondition());
  fewer.getBody().takeBody(loop.getBody());
  for (auto [from, to] : llvm::zip(kept, fewer.getResults()))
    from.replaceAllUsesWith(to);
  loop.erase();
}

/// Values of this function that a control op shares, with their numbers.
SmallVector<Value> Outliner::sharedBy(Operation *control,
                                      SmallVector<int64_t> &numbers) {
  SmallVector<Value> values;
  for (Value value : nest.sharedBy(control)) {
    values.push_back(valueHere(value));
    numbers.push_back(nest.numberOf(value));
  }
  return values;
}

void Outliner::outlineLoop(graph::WhileOp loop) {
  SmallVector<Value> ofCondition = capturesOf(loop.getCondition()),
                     ofBody = capturesOf(loop.getBody());
  SmallVector<Value> operands(loop.getInits());
  operands.append(ofCondition.begin(), ofCondition.end());
  operands.append(ofBody.begin(), ofBody.end());
  ArrayAttr described = describeResults(loop, operands);
  std::string role = "while" + std::to_string(controlOps++);
  // The analysis needs the regions, which move: compute all sizes before.
  for (Region &region : loop->getRegions())
    for (BlockArgument argument : region.getArguments())
      dims.dimsOf(argument);
  func::FuncOp condition =
      makeFunction(loop, loop.getCondition(), role + "_condition", ofCondition,
                   ArrayAttr(), false);
  func::FuncOp body = makeFunction(loop, loop.getBody(), role + "_body", ofBody,
                                   described, true);
  OpBuilder builder(loop);
  SmallVector<int64_t> numbers;
  SmallVector<Value> shared = sharedBy(loop, numbers);
  auto outlined = builder.create<host::LoopOp>(
      loop.getLoc(), loop.getResultTypes(), loop.getInits(), ofCondition,
      ofBody, shared, condition.getSymName(), body.getSymName(), described,
      numbers);
  nest.replace(loop, outlined.getResults());
}

void Outliner::outlineBranch(Operation *op, ValueRange selector, bool boolean) {
  SmallVector<SmallVector<Value>> captures;
  SmallVector<Value> operands(selector), all;
  SmallVector<int64_t> counts, numbers;
  for (Region &region : op->getRegions()) {
    captures.push_back(capturesOf(region));
    all.append(captures.back().begin(), captures.back().end());
    counts.push_back(captures.back().size());
  }
  operands.append(all.begin(), all.end());
  ArrayAttr described = describeResults(op, operands);
  std::string role = (boolean ? "if" : "case") + std::to_string(controlOps++);
  SmallVector<Attribute> branches;
  for (auto [index, region] : llvm::enumerate(op->getRegions())) {
    std::string part =
        boolean ? (index ? "else" : "then") : std::to_string(index);
    branches.push_back(
        FlatSymbolRefAttr::get(makeFunction(op, region, role + "_" + part,
                                            captures[index], described, false)
                                   .getSymNameAttr()));
  }
  OpBuilder builder(op);
  SmallVector<Value> shared = sharedBy(op, numbers);
  auto outlined = builder.create<host::BranchOp>(
      op->getLoc(), op->getResultTypes(), selector.front(), all, shared,
      builder.getArrayAttr(branches), builder.getDenseI64ArrayAttr(counts),
      described, boolean ? builder.getUnitAttr() : UnitAttr(),
      builder.getDenseI64ArrayAttr(numbers));
  nest.replace(op, outlined.getResults());
}

SmallVector<OpenFunction> Outliner::run() {
  SmallVector<Operation *> control;
  for (Operation &op : function.getBody().front())
    if (isa<graph::IfOp, graph::CaseOp, graph::WhileOp>(op))
      control.push_back(&op);
  for (Operation *op : control) {
    // The analysis refers to values of regions that have moved.
    dims = graph::DimAnalysis();
    if (auto loop = dyn_cast<graph::WhileOp>(op))
      outlineLoop(loop);
    else if (auto choice = dyn_cast<graph::IfOp>(op))
      outlineBranch(op, choice.getCondition(), true);
    else
      outlineBranch(op, cast<graph::CaseOp>(op).getIndex(), false);
  }
  return made;
}

static LogicalResult refuseInnerControl(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    Operation *parent = op->getParentOp();
    if (!isa<graph::IfOp, graph::CaseOp, graph::WhileOp>(op) ||
        !graph::hasElementRegions(parent))
      return WalkResult::advance();
    op->emitOpError("is not supported in a region of '")
        << parent->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
class OutlineRegionsPass
    : public impl::OutlineRegionsPassBase<OutlineRegionsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(refuseInnerControl(module)))
      return signalPassFailure();
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> entries;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && function.getBody().hasOneBlock())
        entries.push_back(function);
    int64_t nextNumber = 0;
    for (func::FuncOp entry : llvm::reverse(entries)) {
      // Captures are found in loops that are complete; inner loops come first,
      // whose results outer ones may return unchanged.
      entry.walk([](graph::WhileOp loop) { dropInvariants(loop); });
      NestCaptures nest(entry, nextNumber);
      // Outer functions first: sizes of inner ones follow from their arguments.
      SmallVector<OpenFunction> open(1);
      open.front().function = entry;
      while (!open.empty()) {
        OpenFunction next = open.pop_back_val();
        llvm::append_range(open, Outliner(next, nest, symbols).run());
      }
    }
  }
};
} // namespace

} // namespace zenith
