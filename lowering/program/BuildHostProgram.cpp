// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of fusions to programs of launches. Equal kernels are shared by
// KernelCache; kernels are named in the order of their first launch.

#include "lowering/LoweringPasses.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/memory/BufferNotes.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/memory/MemoryReport.h"
#include "lowering/program/ProgramBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/cost/CostRule.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_BUILDHOSTPROGRAMPASS
#include "lowering/LoweringPasses.h.inc"
} // namespace zenith

namespace zenith::pipeline {

using graph::DimExpr;

/// Reads the buffer assignment and removes it from the ops: kernels are shared
/// by the text of their fusions, of which buffers are no part.
LogicalResult ProgramBuilder::readAssignment() {
  for (BlockArgument argument : function.getArguments())
    if (!liveness::isPassedByValue(argument))
      buffers[argument] =
          buffer(host::BufferKind::argument, argument.getArgNumber());
  for (Operation &op : function.getBody().front()) {
    auto planned = op.getAttrOfType<ArrayAttr>(host::buffersAttrName);
    if (isa<graph::FusionOp>(op) &&
        op.getNumResults() != (planned ? planned.size() : 0))
      return op.emitOpError(
          "has no buffers; the plan phase must run before the kernels phase");
    for (unsigned index = 0; planned && index < planned.size(); ++index)
      if (auto found = dyn_cast<host::BufferAttr>(planned[index]))
        buffers[op.getResult(index)] = found;
    Assignment &assignment = assignments[&op];
    if (auto extra = op.getAttrOfType<ArrayAttr>(host::scratchAttrName))
      for (Attribute attr : extra)
        assignment.scratch.push_back(cast<host::BufferAttr>(attr));
    assignment.nestedArena =
        op.getAttrOfType<host::BufferAttr>(host::nestedArenaAttrName);
    if (auto slots =
            op.getAttrOfType<DenseI64ArrayAttr>(host::deallocsAttrName))
      llvm::append_range(assignment.deallocs, slots.asArrayRef());
    if (planned && isa<graph::ConstantOp>(op))
      constants.push_back(cast<graph::ConstantOp>(op).getValue());
    for (StringRef name : {host::buffersAttrName, host::scratchAttrName,
                           host::nestedArenaAttrName, host::deallocsAttrName})
      op.removeAttr(name);
  }
  return success();
}

/// Functions that control steps run have the sizes of their callers.
std::optional<std::string>
ProgramBuilder::missingSymbol(const DimExpr &expr) const {
  std::optional<std::string> missing;
  expr.forEachSymbol([&](const std::string &name) {
    if (!known.contains(name) && !(isNested && name[0] != '%'))
      missing = name;
  });
  return missing;
}

LogicalResult ProgramBuilder::checkSymbols(const DimExpr &expr, Operation *op) {
  std::optional<std::string> missing = missingSymbol(expr);
  if (!missing)
    return success();
  return op->emitOpError("needs the size '")
         << *missing << "', which the arguments' dimensions don't give";
}

ArrayAttr ProgramBuilder::dimArray(ArrayRef<DimExpr> exprs) {
  SmallVector<Attribute> attrs;
  for (const DimExpr &expr : exprs)
    attrs.push_back(dim(expr));
  return builder.getArrayAttr(attrs);
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
        cast<RankedTensorType>(value.getType()), dimArray(dims.dimsOf(value))));
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

/// Conditions on dimensions that could not be proved and whose symbols the
/// arguments give. Other guards wait for their symbols.
ArrayAttr ProgramBuilder::knownGuards() {
  SmallVector<Attribute> checked;
  for (ShapeGuard &guard : collectShapeGuards(function, dims)) {
    if (auto missing = missingSymbol(guard.nonnegative)) {
      waiting[*missing].push_back(guards.size());
      guards.push_back(std::move(guard));
      continue;
    }
    checked.push_back(host::ShapeGuardAttr::get(
        builder.getContext(), dim(guard.nonnegative), guard.message));
  }
  return checked.empty() ? nullptr : builder.getArrayAttr(checked);
}

DictionaryAttr ProgramBuilder::certificate(func::ReturnOp ret) {
  memory::MemoryReport report;
  auto module = function->getParentOfType<ModuleOp>();
  llvm::StringSet<> counted;
  for (graph::GetParamOp get : function.getOps<graph::GetParamOp>())
    if (context.symbols.lookup<graph::ParamOp>(get.getParam()) &&
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
    auto attr = function->getAttrOfType<graph::DimAttr>(name);
    return attr ? attr.getExpr() : DimExpr();
  };
  report.activations = read(host::activationsAttrName);
  report.temporaries = read(host::arenaAttrName) - report.activations;
  SmallVector<NamedAttribute> entries;
  for (const memory::MemoryClass &part : report.classes())
    entries.push_back(builder.getNamedAttr(part.name, dim(part.bytes)));
  SmallVector<unsigned> donated;
  if (auto pairs =
          function->getAttrOfType<DenseI64ArrayAttr>(host::donationsAttrName))
    for (unsigned i = 0; i + 1 < pairs.size(); i += 2)
      donated.push_back(unsigned(pairs[i]));
  if (!isPrepare) {
    memory::ResultBuffers buffers =
        memory::resultBuffersOf(function, dims, donated);
    entries.push_back(builder.getNamedAttr("result_buffers", dim(buffers.all)));
    entries.push_back(
        builder.getNamedAttr("donated_buffers", dim(buffers.donated)));
  }
  return builder.getDictionaryAttr(entries);
}

LogicalResult ProgramBuilder::returnValues(func::ReturnOp ret) {
  SmallVector<Attribute> yielded;
  bool yields = isNested;
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    host::BufferAttr target = buffer(host::BufferKind::result, index);
    yielded.push_back(builder.getUnitAttr());
    if (isPrepare)
      target =
          host::BufferAttr::get(builder.getContext(), host::BufferKind::derived,
                                index, dim(context.derived.offsets[index]));
    if (host.contains(value)) {
      FailureOr<DimExpr> scalar = scalarOf(value, ret);
      if (failed(scalar))
        return failure();
      if (isNested)
        yielded.back() = dim(*scalar);
      else
        builder.create<host::ScalarOp>(
            ret.getLoc(), dim(*scalar), target,
            cast<RankedTensorType>(value.getType()).getElementType());
      continue;
    }
    host::BufferAttr source = buffers.lookup(value);
    if (!source)
      return ret.emitOpError("returns a value without a buffer");
    DimExpr bytes = memory::bytesOf(value, dims);
    if (failed(checkSymbols(bytes, ret)))
      return failure();
    bool isAllocated = memory::isAllocatedResult(function, index, dims);
    // Extents may depend on data where bytes do not, for a value without
    // elements.
    bool isLate = !isNested && !isPrepare &&
                  llvm::any_of(dims.dimsOf(value), liveness::dependsOnData);
    if (isAllocated || isLate) {
      yields = true;
      yielded.back() = dimArray(dims.dimsOf(value));
    }
    // The caller finds a loop-carried value where it passed it.
    if (source == target ||
        (isNested && source == buffer(host::BufferKind::argument, index) &&
         function.getArgAttr(index, memory::donatedAttrName)))
      continue;
    if (failed(allocate(target, bytes, isAllocated, ret)))
      return failure();
    builder.create<host::CopyOp>(ret.getLoc(), source, target, dim(bytes));
  }
  deallocateAfter(ret);
  if (yields)
    builder.create<host::YieldOp>(ret.getLoc(), builder.getArrayAttr(yielded));
  return success();
}

LogicalResult ProgramBuilder::addStep(Operation &op) {
  if (isa<graph::FusionOp, graph::BarrierOp, graph::PlaceOp, host::BranchOp,
          host::LoopOp, host::StoreRowOp, host::LoadRowOp>(op))
    addKnownGuards(&op);
  LogicalResult done =
      llvm::TypeSwitch<Operation *, LogicalResult>(&op)
          .Case([&](graph::FusionOp fusion) { return launch(fusion); })
          .Case([&](graph::BarrierOp barrier) { return pass(barrier); })
          .Case([&](graph::PlaceOp place) { return transfer(place); })
          .Case<host::StoreRowOp, host::LoadRowOp>([&](auto op) {
            return moveRow(op, op.getRow(), op.getIndex(), op.getStack(),
                           op.getOffset(), isa<host::StoreRowOp>(op));
          })
          .Case([&](graph::HostReadOp read) {
            return fetch(read.getInput(), read->getResult(0));
          })
          .Case([&](host::SharedOp read) { return readShared(read); })
          .Case([&](graph::AssertOp claim) { return check(claim); })
          .Case([&](host::BranchOp choice) { return branch(choice); })
          .Case([&](host::LoopOp repeated) { return loop(repeated); })
          .Default([&](Operation *other) {
            return host.computes(other) ? evaluate(other) : success();
          });
  if (succeeded(done) && !isa<func::ReturnOp>(op))
    deallocateAfter(&op);
  return done;
}

graph::DimAttr ProgramBuilder::dim(const DimExpr &expr) {
  auto attr = graph::DimAttr::get(builder.getContext(), expr);
  // A name alone is quoted where that is needed. The layers of a model have
  // equal sizes: each is read once.
  if (!expr.constant() && !expr.asSymbol() && writtenDims.insert(attr).second &&
      !DimExpr::parse(expr.str()))
    hasUnreadableDim = true;
  return attr;
}

LogicalResult ProgramBuilder::build() {
  auto arena = function->getAttrOfType<graph::DimAttr>(host::arenaAttrName);
  if (!arena)
    return function.emitOpError(
        "has no arena; the plan phase must run before the kernels phase");
  if (failed(readAssignment()))
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
  for (StringRef name : {memory::factsAttrName, memory::buffersAttrName,
                         memory::planOfAttrName, host::fileBytesAttrName})
    if (Attribute text = function->getAttr(name))
      program->setAttr(name, text);
  if (ArrayAttr checked = knownGuards())
    program.setGuardsAttr(checked);
  if (failed(checkSymbols(arena.getExpr(), function)))
    return failure();
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  if (failed(addEarlyChecks()))
    return failure();
  for (Operation &op : function.getBody().front())
    if (!early.contains(&op) && failed(addStep(op)))
      return failure();
  addKnownGuards(nullptr);
  if (failed(returnValues(ret)))
    return failure();
  if (hasUnreadableDim)
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

  void getDependentDialects(DialectRegistry &registry) const override {
    BuildHostProgramPassBase::getDependentDialects(registry);
    kernels::registerElementRules(registry);
    // Launches say what their ops cost, also where no pass asked before.
    cost::registerCostRules(registry);
  }

private:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    target::TargetModel model = target::modelOf(module);
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels =
        builder.create<ModuleOp>(module.getLoc(), host::kernelsModuleName);
    pipeline::KernelCache table(kernels, model);
    const memory::ModuleContext context(module);
    // Callers come before the functions that they name: they read attributes of
    // these functions, which disappear as programs are built.
    for (func::FuncOp function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (failed(pipeline::ProgramBuilder(function, table, context,
                                          explain && model.device)
                     .build()))
        return signalPassFailure();
  }
};
} // namespace

} // namespace zenith
