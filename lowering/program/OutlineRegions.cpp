// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow: regions of if, case and while become private functions, so that
// every later pass sees straight-line code only.

#include "ir/GraphOps.h"
#include "ir/attributes/DimBoundsAttr.h"
#include "ir/matchers/HostScalars.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/RegionInlining.h"
#include "ir/target/TargetModel.h"
#include "lowering/LoweringPasses.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/PlanBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_OUTLINEREGIONSPASS
#include "lowering/LoweringPasses.h.inc"

using graph::DimExpr;

namespace {

/// Values from outside a region that its function takes as arguments.
using Captures = llvm::SetVector<Value>;

class Outliner {
public:
  Outliner(func::FuncOp function, SymbolTable &symbols)
      : function(function), symbols(symbols) {}
  /// Outlines the control ops of the function's block, and returns the new
  /// functions.
  SmallVector<func::FuncOp> run();

private:
  void outlineLoop(graph::WhileOp loop);
  void outlineBranch(Operation *op, ValueRange selector, bool boolean);
  Captures captureInto(Region &region);
  func::FuncOp makeFunction(Operation *op, Region &region, StringRef role,
                            const Captures &captures, ArrayAttr resultDims,
                            bool donatesCarried);
  std::string nameOf(const DimExpr &dim, func::FuncOp callee,
                     std::map<DimExpr, std::string> &names);
  ArrayAttr describeResults(Operation *op, ValueRange operands);

  func::FuncOp function;
  SymbolTable &symbols;
  graph::DimAnalysis dims;
  SmallVector<func::FuncOp> made;
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

/// Sizes, constants, parameters and values that depend on these alone. The
/// function can optimise a copy, but not an argument, and the layout phase
/// moves what depends on parameters from there into @prepare.
static bool isWorthCopying(Value value, llvm::DenseMap<Value, bool> &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  bool worth =
      op && (isa<graph::ConstantOp, graph::GetParamOp, graph::DimOp>(op) ||
             (graph::isHostArithmetic(op) &&
              llvm::all_of(op->getOperands(),
                           [&](Value operand) {
                             return isWorthCopying(operand, known);
                           })) ||
             (op->getNumResults() == 1 && graph::isParameter(value)));
  return known[value] = worth;
}

/// Operands of `op` that `values` has become those that it says.
static void replaceOperands(Operation *op,
                            const llvm::DenseMap<Value, Value> &values) {
  for (OpOperand &operand : op->getOpOperands())
    if (Value value = values.lookup(operand.get()))
      operand.set(value);
}

/// Copies such values into the region, and returns the others that it uses.
Captures Outliner::captureInto(Region &region) {
  llvm::DenseMap<Value, bool> known;
  while (true) {
    Captures used;
    getUsedValuesDefinedAbove(region, used);
    SmallVector<Value> copied;
    for (Value value : used)
      if (isWorthCopying(value, known))
        copied.push_back(value);
    if (copied.empty())
      return used;
    OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
    llvm::DenseMap<Value, Value> copies;
    llvm::SmallSetVector<Operation *, 8> made;
    for (Value value : copied) {
      Operation *copy = builder.clone(*value.getDefiningOp());
      builder.setInsertionPointToStart(&region.front());
      Value result = copy->getResult(cast<OpResult>(value).getResultNumber());
      copies[value] = result;
      // Copies made before come after this one.
      for (Operation *later : made)
        later->replaceUsesOfWith(value, result);
      made.insert(copy);
    }
    region.walk([&](Operation *op) {
      if (!made.contains(op))
        replaceOperands(op, copies);
    });
  }
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
                                    StringRef role, const Captures &captures,
                                    ArrayAttr resultDims, bool donatesCarried) {
  Block &block = region.front();
  SmallVector<SmallVector<DimExpr>> argumentDims;
  for (BlockArgument argument : block.getArguments())
    argumentDims.push_back(dims.dimsOf(argument));
  for (Value value : captures)
    argumentDims.push_back(dims.dimsOf(value));
  unsigned carried = block.getNumArguments();
  llvm::DenseMap<Value, Value> passed;
  for (Value value : captures)
    passed[value] = block.addArgument(value.getType(), value.getLoc());
  region.walk([&](Operation *op) { replaceOperands(op, passed); });
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
  made.push_back(callee);
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
static graph::WhileOp dropInvariants(graph::WhileOp loop) {
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
    return loop;
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
  return fewer;
}

void Outliner::outlineLoop(graph::WhileOp loop) {
  Captures ofCondition = captureInto(loop.getCondition()),
           ofBody = captureInto(loop.getBody());
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
  auto outlined = builder.create<host::LoopOp>(
      loop.getLoc(), loop.getResultTypes(), loop.getInits(),
      ofCondition.getArrayRef(), ofBody.getArrayRef(), condition.getSymName(),
      body.getSymName(), described);
  loop.replaceAllUsesWith(outlined.getResults());
  loop.erase();
}

void Outliner::outlineBranch(Operation *op, ValueRange selector, bool boolean) {
  SmallVector<Captures> captures;
  SmallVector<Value> operands(selector), all;
  SmallVector<int64_t> counts;
  for (Region &region : op->getRegions()) {
    captures.push_back(captureInto(region));
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
  auto outlined = builder.create<host::BranchOp>(
      op->getLoc(), op->getResultTypes(), selector.front(), all,
      builder.getArrayAttr(branches), builder.getDenseI64ArrayAttr(counts),
      described, boolean);
  op->replaceAllUsesWith(outlined.getResults());
  op->erase();
}

SmallVector<func::FuncOp> Outliner::run() {
  SmallVector<Operation *> control;
  for (Operation &op : function.getBody().front())
    if (isa<graph::IfOp, graph::CaseOp, graph::WhileOp>(op))
      control.push_back(&op);
  // Loops lose values here, so this comes before sizes are computed.
  for (Operation *&op : control)
    if (auto loop = dyn_cast<graph::WhileOp>(op))
      op = dropInvariants(loop);
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
    SmallVector<func::FuncOp> open;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && function.getBody().hasOneBlock())
        open.push_back(function);
    // Outer functions first: sizes of inner ones follow from their arguments.
    while (!open.empty()) {
      func::FuncOp function = open.pop_back_val();
      open.append(Outliner(function, symbols).run());
    }
  }
};
} // namespace

} // namespace zenith
