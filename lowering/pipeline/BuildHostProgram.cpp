// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of fusions to programs of launches. Equal kernels are shared by
// KernelTable; kernels are named in the order of their first launch.

#include "lowering/LoweringPasses.h"
#include "lowering/memory/Lifetimes.h"
#include "lowering/memory/MemoryReport.h"
#include "lowering/memory/PlanBuffers.h"
#include "lowering/pipeline/CompileTarget.h"
#include "lowering/pipeline/HostDialect.h"
#include "lowering/pipeline/KernelTable.h"
#include "lowering/pipeline/ShapeGuards.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_BUILDHOSTPROGRAMPASS
#include "lowering/LoweringPasses.h.inc"

using graph::DimExpr;

namespace {

/// Builds the program of one function.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, pipeline::KernelTable &table,
                 const memory::DerivedLayout &derived)
      : function(function), table(table), derived(derived), builder(function),
        isPrepare(function.getName() == graph::prepareFunctionName) {}

  LogicalResult build();

private:
  LogicalResult readPlaces();
  LogicalResult launch(graph::FusionOp fusion);
  LogicalResult returnValues(func::ReturnOp ret);
  LogicalResult checkSymbols(const DimExpr &expr, Operation *op);
  pipeline::AliasPattern sharingOf(graph::FusionOp fusion) const;
  host::PlaceAttr place(host::PlaceKind kind, int64_t index) const {
    return host::PlaceAttr::get(builder.getContext(), kind, index, "0");
  }
  ArrayAttr describe(ValueRange values, bool results);
  ArrayAttr strings(ArrayRef<DimExpr> exprs);
  StringAttr text(const DimExpr &expr) {
    return builder.getStringAttr(expr.str());
  }
  ArrayAttr scalarArguments();
  ArrayAttr shapeGuards();
  DictionaryAttr certificate(func::ReturnOp ret);

  func::FuncOp function;
  pipeline::KernelTable &table;
  const memory::DerivedLayout &derived;
  OpBuilder builder;
  bool isPrepare;
  graph::DimAnalysis dims;
  llvm::DenseMap<Value, host::PlaceAttr> places;
  llvm::DenseMap<Operation *, SmallVector<host::PlaceAttr>> scratch;
  SmallVector<Attribute> constants;
  llvm::StringSet<> known; ///< symbols that the arguments give
};

} // namespace

/// Takes the plan off the ops: kernels are compared by text, and where their
/// bytes are is no part of them.
LogicalResult ProgramBuilder::readPlaces() {
  for (BlockArgument argument : function.getArguments())
    places[argument] =
        place(host::PlaceKind::argument, argument.getArgNumber());
  for (Operation &op : function.getBody().front()) {
    auto planned = op.getAttrOfType<ArrayAttr>(host::placesAttrName);
    if (isa<graph::FusionOp>(op) &&
        op.getNumResults() != (planned ? planned.size() : 0))
      return op.emitOpError(
          "has no places; the plan phase must run before the kernels phase");
    for (unsigned index = 0; planned && index < planned.size(); ++index)
      places[op.getResult(index)] = dyn_cast<host::PlaceAttr>(planned[index]);
    if (auto extra = op.getAttrOfType<ArrayAttr>(host::scratchAttrName))
      for (Attribute attr : extra)
        scratch[&op].push_back(dyn_cast<host::PlaceAttr>(attr));
    if (planned && isa<graph::ConstantOp>(op))
      constants.push_back(cast<graph::ConstantOp>(op).getValue());
    op.removeAttr(host::placesAttrName);
    op.removeAttr(host::scratchAttrName);
  }
  return success();
}

LogicalResult ProgramBuilder::checkSymbols(const DimExpr &expr, Operation *op) {
  std::string missing;
  expr.forEachSymbol([&](const std::string &name) {
    if (!known.contains(name))
      missing = name;
  });
  if (missing.empty())
    return success();
  return op->emitOpError("needs the size '")
         << missing << "', which the arguments' dimensions don't give";
}

pipeline::AliasPattern ProgramBuilder::sharingOf(graph::FusionOp fusion) const {
  SmallVector<std::pair<Attribute, unsigned>> seen;
  pipeline::AliasPattern pattern;
  auto add = [&](host::PlaceAttr bytes) {
    unsigned number = pattern.size();
    for (auto &[other, first] : seen)
      if (bytes && other == bytes)
        number = first;
    seen.push_back({bytes, number});
    pattern.push_back(number);
  };
  for (Value input : fusion.getInputs())
    add(places.lookup(input));
  for (Value result : fusion->getResults())
    add(places.lookup(result));
  if (auto found = scratch.find(fusion); found != scratch.end())
    for (host::PlaceAttr bytes : found->second)
      add(bytes);
  // A result may lie in a donated argument.
  if (auto pairs =
          function->getAttrOfType<DenseI64ArrayAttr>(host::donationsAttrName))
    for (unsigned i = 0; i + 1 < pairs.size(); i += 2) {
      auto result = llvm::find_if(seen, [&](auto &entry) {
        return entry.first == place(host::PlaceKind::result, pairs[i]);
      });
      auto argument = llvm::find_if(seen, [&](auto &entry) {
        return entry.first == place(host::PlaceKind::argument, pairs[i + 1]);
      });
      if (result != seen.end() && argument != seen.end())
        for (unsigned index = 0; index < seen.size(); ++index)
          if (seen[index].first == result->first)
            pattern[index] = argument->second;
    }
  return pattern;
}

LogicalResult ProgramBuilder::launch(graph::FusionOp fusion) {
  if (memory::isReshapeOnly(fusion)) {
    for (OpResult result : fusion->getResults())
      if (auto scalar =
              memory::writtenScalar(fusion, result.getResultNumber(), dims))
        builder.create<host::ScalarOp>(fusion.getLoc(), text(*scalar),
                                       places.lookup(result));
    return success();
  }
  FailureOr<SmallVector<pipeline::SharedLaunch>> launches =
      table.launchesOf(fusion, dims, sharingOf(fusion));
  if (failed(launches))
    return failure();
  for (const pipeline::SharedLaunch &launch : *launches) {
    SmallVector<Attribute> pointers;
    for (const kernels::PointerArg &pointer : launch.pointers) {
      host::PlaceAttr bytes =
          pointer.kind == kernels::PointerArg::Operand
              ? places.lookup(fusion.getInputs()[pointer.index])
          : pointer.kind == kernels::PointerArg::Result
              ? places.lookup(fusion->getResult(pointer.index))
          : pointer.index < scratch[fusion].size()
              ? scratch[fusion][pointer.index]
              : host::PlaceAttr();
      if (!bytes)
        return fusion.emitOpError(
            "has a kernel that reads a value without a place");
      pointers.push_back(bytes);
    }
    if (failed(checkSymbols(launch.tasks, fusion)))
      return failure();
    for (const DimExpr &size : launch.sizes)
      if (failed(checkSymbols(size, fusion)))
        return failure();
    auto kernel =
        SymbolRefAttr::get(builder.getContext(), host::kernelsModuleName,
                           FlatSymbolRefAttr::get(launch.kernel));
    builder.create<host::LaunchOp>(fusion.getLoc(), kernel,
                                   builder.getArrayAttr(pointers),
                                   strings(launch.sizes), text(launch.tasks),
                                   builder.getF64FloatAttr(launch.costPerTask));
  }
  return success();
}

LogicalResult ProgramBuilder::returnValues(func::ReturnOp ret) {
  for (auto [index, value] : llvm::enumerate(ret.getOperands())) {
    host::PlaceAttr target = place(host::PlaceKind::result, index);
    if (isPrepare)
      target =
          host::PlaceAttr::get(builder.getContext(), host::PlaceKind::derived,
                               index, std::to_string(derived.offsets[index]));
    if (memory::isHostScalar(value, dims)) {
      builder.create<host::ScalarOp>(ret.getLoc(), text(dims.scalar(value)),
                                     target);
      continue;
    }
    host::PlaceAttr source = places.lookup(value);
    if (!source)
      return ret.emitOpError("returns a value without a place");
    DimExpr bytes = memory::bytesOf(value, dims);
    if (failed(checkSymbols(bytes, ret)))
      return failure();
    if (source != target)
      builder.create<host::CopyOp>(ret.getLoc(), source, target, text(bytes));
  }
  return success();
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
    auto type = cast<RankedTensorType>(argument.getType());
    std::optional<std::string> name;
    if (type.getRank() == 0 && type.getElementType().isSignlessInteger())
      name = dims.scalar(argument).asSymbol();
    names.push_back(builder.getStringAttr(name.value_or("")));
    any |= name.has_value();
  }
  return any ? builder.getArrayAttr(names) : nullptr;
}

/// What dimensions must obey and nobody could prove: pairs of an expression
/// that must not be negative and what to say if it is.
ArrayAttr ProgramBuilder::shapeGuards() {
  SmallVector<Attribute> pairs;
  for (const pipeline::ShapeGuard &guard :
       pipeline::collectShapeGuards(function, dims)) {
    bool evaluable = true;
    guard.nonnegative.forEachSymbol(
        [&](const std::string &name) { evaluable &= known.contains(name); });
    if (!evaluable)
      continue;
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
      scalars, certificate(ret), ArrayAttr());
  if (ArrayAttr guards = shapeGuards())
    program.setGuardsAttr(guards);
  if (auto planned = DimExpr::parse(arena.getValue().str());
      planned && failed(checkSymbols(*planned, function)))
    return failure();
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  for (graph::FusionOp fusion : function.getOps<graph::FusionOp>())
    if (failed(launch(fusion)))
      return failure();
  if (failed(returnValues(ret)))
    return failure();
  function.erase();
  return success();
}

namespace {
class BuildHostProgramPass
    : public impl::BuildHostProgramPassBase<BuildHostProgramPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<kernels::KernelTarget> target =
        pipeline::kernelTargetOf(pipeline::targetOf(module));
    if (!target) {
      module.emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels =
        builder.create<ModuleOp>(module.getLoc(), host::kernelsModuleName);
    pipeline::KernelTable table(kernels, *target);
    memory::DerivedLayout derived = memory::layOutDerived(module);
    for (func::FuncOp function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (failed(ProgramBuilder(function, table, derived).build()))
        return signalPassFailure();
  }
};
} // namespace

} // namespace zenith
