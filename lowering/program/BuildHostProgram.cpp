// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of fusions to programs of launches. Equal kernels are shared by
// KernelCache; kernels are named in the order of their first launch.

#include "lowering/LoweringPasses.h"
#include "lowering/memory/MemoryReport.h"
#include "lowering/program/ProgramBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_BUILDHOSTPROGRAMPASS
#include "lowering/LoweringPasses.h.inc"
} // namespace zenith

namespace zenith::pipeline {

using graph::DimExpr;

/// Takes the plan off the ops: kernels are compared by text, and where their
/// bytes are is no part of them.
LogicalResult ProgramBuilder::readPlaces() {
  for (BlockArgument argument : function.getArguments())
    if (!memory::isPassedByValue(argument))
      places[argument] =
          place(host::PlaceKind::argument, argument.getArgNumber());
  for (Operation &op : function.getBody().front()) {
    auto planned = op.getAttrOfType<ArrayAttr>(host::placesAttrName);
    if (isa<graph::FusionOp>(op) &&
        op.getNumResults() != (planned ? planned.size() : 0))
      return op.emitOpError(
          "has no places; the plan phase must run before the kernels phase");
    for (unsigned index = 0; planned && index < planned.size(); ++index)
      if (auto found = dyn_cast<host::PlaceAttr>(planned[index]))
        places[op.getResult(index)] = found;
    OpPlan &plan = plans[&op];
    if (auto extra = op.getAttrOfType<ArrayAttr>(host::scratchAttrName))
      for (Attribute attr : extra)
        plan.scratch.push_back(dyn_cast<host::PlaceAttr>(attr));
    plan.nestedArena =
        op.getAttrOfType<host::PlaceAttr>(host::nestedArenaAttrName);
    if (auto drops = op.getAttrOfType<DenseI64ArrayAttr>(host::dropsAttrName))
      llvm::append_range(plan.drops, drops.asArrayRef());
    if (planned && isa<graph::ConstantOp>(op))
      constants.push_back(cast<graph::ConstantOp>(op).getValue());
    for (StringRef name : {host::placesAttrName, host::scratchAttrName,
                           host::nestedArenaAttrName, host::dropsAttrName})
      op.removeAttr(name);
  }
  return success();
}

/// Functions that control steps run have the sizes of their callers.
bool ProgramBuilder::isKnown(const DimExpr &expr) const {
  bool all = true;
  expr.forEachSymbol([&](const std::string &name) {
    all &= known.contains(name) || (isNested && name[0] != '%');
  });
  return all;
}

LogicalResult ProgramBuilder::checkSymbols(const DimExpr &expr, Operation *op) {
  if (isKnown(expr))
    return success();
  std::string missing;
  expr.forEachSymbol([&](const std::string &name) {
    if (!isKnown(DimExpr::symbol(name)))
      missing = name;
  });
  return op->emitOpError("needs the size '")
         << missing << "', which the arguments' dimensions don't give";
}

ArrayAttr ProgramBuilder::strings(ArrayRef<DimExpr> exprs) {
  SmallVector<Attribute> texts;
  for (const DimExpr &expr : exprs)
    texts.push_back(text(expr));
  return builder.getArrayAttr(texts);
}

ArrayAttr ProgramBuilder::describe(ValueRange values, bool results) {
  SmallVector<Attribute> described;
  for (auto [index, value] : llvm::enumerate(values)) {
    auto name =
        results
            ? function.getResultAttrOfType<StringAttr>(index,
                                                       graph::nameAttrName)
            : function.getArgAttrOfType<StringAttr>(index, graph::nameAttrName);
    described.push_back(host::ValueAttr::get(
        builder.getContext(), name ? name.getValue() : "",
        cast<RankedTensorType>(value.getType()), strings(dims.dimsOf(value))));
  }
  return builder.getArrayAttr(described);
}

/// Symbols that stand for the element of a scalar argument.
ArrayAttr ProgramBuilder::scalarArguments() {
  SmallVector<Attribute> names;
  bool any = false;
  for (BlockArgument argument : function.getArguments()) {
    std::string name;
    if (graph::isHostScalarType(argument.getType())) {
      name = symbolFor(argument);
      symbols[argument] = name;
    }
    names.push_back(builder.getStringAttr(name));
    any |= !name.empty();
  }
  return any ? builder.getArrayAttr(names) : nullptr;
}

/// What dimensions must obey and nobody could prove, where the arguments say
/// it: pairs of an expression that must not be negative and what to say if it
/// is. The others wait for their symbols.
ArrayAttr ProgramBuilder::knownGuards() {
  SmallVector<Attribute> pairs;
  for (ShapeGuard &guard : collectShapeGuards(function, dims)) {
    if (!isKnown(guard.nonnegative)) {
      guards.push_back(std::move(guard));
      continue;
    }
    pairs.push_back(text(guard.nonnegative));
    pairs.push_back(builder.getStringAttr(guard.message));
  }
  return pairs.empty() ? nullptr : builder.getArrayAttr(pairs);
}

DictionaryAttr ProgramBuilder::certificate(func::ReturnOp ret) {
  memory::MemoryReport report;
  auto module = function->getParentOfType<ModuleOp>();
  llvm::StringSet<> counted;
  for (graph::GetParamOp get : function.getOps<graph::GetParamOp>())
    if (module.lookupSymbol<graph::ParamOp>(get.getParam()) &&
        counted.insert(get.getParam()).second)
      report.parameters =
          report.parameters + memory::bytesOf(get.getResult(), dims);
  if (auto bytes =
          module->getAttrOfType<IntegerAttr>(host::derivedBytesAttrName))
    report.derived = DimExpr(bytes.getInt());
  for (BlockArgument argument : function.getArguments())
    report.inputs = report.inputs + memory::bytesOf(argument, dims);
  if (!isPrepare)
    for (Value value : ret.getOperands())
      report.results = report.results + memory::bytesOf(value, dims);
  auto read = [&](StringRef name) {
    auto attr = function->getAttrOfType<StringAttr>(name);
    return attr ? DimExpr::parse(attr.getValue().str()).value_or(DimExpr())
                : DimExpr();
  };
  report.activations = read(host::activationsAttrName);
  report.temporaries = read(host::arenaAttrName) - report.activations;
  SmallVector<NamedAttribute> entries;
  for (const memory::MemoryClass &part : report.classes())
    entries.push_back(builder.getNamedAttr(part.name, text(part.bytes)));
  return builder.getDictionaryAttr(entries);
}

/// True where the program itself takes the memory of a result.
bool ProgramBuilder::isTakenResult(unsigned result) {
  if (isNested)
    return bool(function.getResultAttr(result, host::takenAttrName));
  Value value = function.getBody().front().getTerminator()->getOperand(result);
  return !isPrepare && memory::dependsOnData(memory::bytesOf(value, dims));
}

LogicalResult ProgramBuilder::returnValues(func::ReturnOp ret) {
  SmallVector<Attribute> yielded;
  bool yields = isNested;
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    host::PlaceAttr target = place(host::PlaceKind::result, index);
    yielded.push_back(builder.getUnitAttr());
    if (isPrepare)
      target =
          host::PlaceAttr::get(builder.getContext(), host::PlaceKind::derived,
                               index, std::to_string(derived.offsets[index]));
    if (host.contains(value)) {
      FailureOr<DimExpr> scalar = scalarOf(value, ret);
      if (failed(scalar))
        return failure();
      if (isNested)
        yielded.back() = text(*scalar);
      else
        builder.create<host::ScalarOp>(
            ret.getLoc(), text(*scalar), target,
            cast<RankedTensorType>(value.getType()).getElementType());
      continue;
    }
    host::PlaceAttr source = places.lookup(value);
    if (!source)
      return ret.emitOpError("returns a value without a place");
    DimExpr bytes = memory::bytesOf(value, dims);
    if (failed(checkSymbols(bytes, ret)))
      return failure();
    bool isTaken = isTakenResult(index);
    // Extents may come from data where bytes do not: those of no elements.
    bool isLate = !isNested && !isPrepare &&
                  llvm::any_of(dims.dimsOf(value), memory::dependsOnData);
    if (isTaken || isLate) {
      yields = true;
      yielded.back() = strings(dims.dimsOf(value));
    }
    // The caller finds a carried value where it passed it.
    if (source == target ||
        (isNested && source == place(host::PlaceKind::argument, index) &&
         function.getArgAttr(index, memory::donatedAttrName)))
      continue;
    if (failed(take(target, bytes, isTaken, ret)))
      return failure();
    builder.create<host::CopyOp>(ret.getLoc(), source, target, text(bytes));
  }
  drop(ret);
  if (yields)
    builder.create<host::YieldOp>(ret.getLoc(), builder.getArrayAttr(yielded));
  return success();
}

LogicalResult ProgramBuilder::addStep(Operation &op) {
  LogicalResult done =
      llvm::TypeSwitch<Operation *, LogicalResult>(&op)
          .Case([&](graph::FusionOp fusion) { return launch(fusion); })
          .Case([&](graph::BarrierOp barrier) { return fetch(barrier); })
          .Case([&](graph::AssertOp claim) { return check(claim); })
          .Case([&](host::BranchOp choice) { return branch(choice); })
          .Case([&](host::LoopOp repeated) { return loop(repeated); })
          .Default([&](Operation *other) {
            return host.computes(other) ? evaluate(other) : success();
          });
  if (succeeded(done) && !isa<func::ReturnOp>(op))
    drop(&op);
  return done;
}

StringAttr ProgramBuilder::text(const DimExpr &expr) {
  std::string string = expr.str();
  if (!expr.constant() && !DimExpr::parse(string))
    hasUnreadableSize = true;
  return builder.getStringAttr(string);
}

LogicalResult ProgramBuilder::build() {
  auto arena = function->getAttrOfType<StringAttr>(host::arenaAttrName);
  if (!arena)
    return function.emitOpError(
        "has no arena; the plan phase must run before the kernels phase");
  if (failed(readPlaces()))
    return failure();
  ArrayAttr scalars = scalarArguments();
  for (BlockArgument argument : function.getArguments())
    for (const DimExpr &size : dims.dimsOf(argument))
      size.forEachSymbol([&](const std::string &name) { known.insert(name); });
  for (Attribute name : scalars ? scalars.getValue() : ArrayRef<Attribute>())
    known.insert(cast<StringAttr>(name).getValue());
  auto ret = cast<func::ReturnOp>(function.getBody().front().getTerminator());

  ArrayAttr results =
      isPrepare ? builder.getArrayAttr({}) : describe(ret.getOperands(), true);
  auto program = builder.create<host::ProgramOp>(
      function.getLoc(), function.getSymNameAttr(),
      describe(function.getArguments(), false), results, arena,
      builder.getArrayAttr(constants),
      function->getAttrOfType<DenseI64ArrayAttr>(host::donationsAttrName),
      scalars, isNested ? DictionaryAttr() : certificate(ret), ArrayAttr(),
      isNested);
  if (ArrayAttr pairs = knownGuards())
    program.setGuardsAttr(pairs);
  if (auto planned = DimExpr::parse(arena.getValue().str());
      planned && failed(checkSymbols(*planned, function)))
    return failure();
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  for (Operation &op : function.getBody().front())
    if (failed(addStep(op)))
      return failure();
  if (failed(returnValues(ret)))
    return failure();
  if (hasUnreadableSize)
    return program.emitOpError(
        "needs a size that is too long an expression of dynamic dimensions");
  function.erase();
  return success();
}

} // namespace zenith::pipeline

namespace zenith {

namespace {
class BuildHostProgramPass
    : public impl::BuildHostProgramPassBase<BuildHostProgramPass> {
public:
  using BuildHostProgramPassBase::BuildHostProgramPassBase;

private:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    target::TargetModel model = target::modelOf(module);
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels =
        builder.create<ModuleOp>(module.getLoc(), host::kernelsModuleName);
    pipeline::KernelCache table(kernels, model);
    memory::DerivedLayout derived = memory::layOutDerived(module);
    // Callers come before the functions that they name and ask how those end.
    for (func::FuncOp function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (failed(pipeline::ProgramBuilder(function, table, derived,
                                          explain && model.printed)
                     .build()))
        return signalPassFailure();
  }
};
} // namespace

} // namespace zenith
