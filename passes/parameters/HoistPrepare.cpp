// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds @prepare from what depends on parameters only, and turns large
// constants into parameters.

#include "ir/GraphOps.h"
#include "ir/encodings/CodedPanels.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/WidenedFactor.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/tensor/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/GraphPasses.h"
#include "passes/parameters/PackFewOutputs.h"
#include "passes/parameters/PackGroups.h"
#include "passes/parameters/PackTables.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_HOISTPREPAREPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

namespace {

class PrepareBuilder {
public:
  explicit PrepareBuilder(ModuleOp module) : module(module), symbols(module) {}
  void liftConstants(int64_t minBytes);
  void hoist(func::FuncOp function);
  void finish();

private:
  void cloneInto(Operation *op);
  Value prepared(Value value);
  void prepareValue(Value value);
  void replaceUses(Value value, OpBuilder &builder);

  ModuleOp module;
  SymbolTable symbols;
  func::FuncOp prepare;
  IRMapping insidePrepare;
  SmallVector<Value> results;
  llvm::DenseMap<Value, unsigned> resultIndices;
  llvm::StringMap<GetParamOp> parameters; ///< inside @prepare
  SmallVector<std::string> names;         ///< of the derived parameters
  llvm::DenseMap<Value, std::string> derivedNames;
};

} // namespace

void PrepareBuilder::liftConstants(int64_t minBytes) {
  llvm::MapVector<Attribute, std::string> names;
  SmallVector<ConstantOp> constants;
  module.walk([&](ConstantOp op) {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    std::optional<int64_t> bytes = tensorBytes(typeOf(op));
    if (elements && !elements.isSplat() && bytes && *bytes >= minBytes &&
        !op->getParentOfType<FusionOp>())
      constants.push_back(op);
  });
  for (ConstantOp op : constants) {
    std::string &name = names[op.getValue()];
    OpBuilder builder(op.getContext());
    if (name.empty()) {
      builder.setInsertionPointToStart(module.getBody());
      auto param = builder.create<ParamOp>(
          op.getLoc(),
          builder.getStringAttr("constant_" + std::to_string(names.size() - 1)),
          TypeAttr::get(op.getType()), op.getValue());
      name = symbols.insert(param).str();
    }
    builder.setInsertionPoint(op);
    op.replaceAllUsesWith(
        builder.create<GetParamOp>(op.getLoc(), op.getType(), name)
            .getResult());
    op.erase();
  }
}

/// Clones one op, whose operands have counterparts, to the end of @prepare.
void PrepareBuilder::cloneInto(Operation *op) {
  OpBuilder builder = OpBuilder::atBlockEnd(&prepare.getBody().front());
  auto get = dyn_cast<GetParamOp>(op);
  if (!get) {
    builder.clone(*op, insidePrepare);
    return;
  }
  GetParamOp &own = parameters[get.getParam()];
  if (!own)
    own = cast<GetParamOp>(builder.clone(*op));
  insidePrepare.map(get.getResult(), own.getResult());
}

/// The value's counterpart in @prepare, with the ops that it depends on cloned
/// there, operands first.
Value PrepareBuilder::prepared(Value value) {
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Operation *op = stack.back().getDefiningOp();
    auto missing = llvm::find_if(op->getOperands(), [&](Value operand) {
      return !insidePrepare.contains(operand);
    });
    if (insidePrepare.contains(stack.back())) {
      stack.pop_back();
    } else if (missing != op->operand_end()) {
      stack.push_back(*missing);
    } else {
      cloneInto(op);
      stack.pop_back();
    }
  }
  return insidePrepare.lookup(value);
}

void PrepareBuilder::prepareValue(Value value) {
  if (!prepare) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    prepare = atEnd.create<func::FuncOp>(module.getLoc(), prepareFunctionName,
                                         atEnd.getFunctionType({}, {}));
    prepare.setPrivate();
    prepare.addEntryBlock();
  }
  Value inside = prepared(value);
  auto [found, isNew] = resultIndices.try_emplace(inside, results.size());
  unsigned index = found->second;
  if (isNew) {
    results.push_back(inside);
    OpBuilder builder(prepare);
    auto derived = builder.create<DerivedParamOp>(
        value.getLoc(),
        builder.getStringAttr("derived_" + std::to_string(index)),
        TypeAttr::get(value.getType()), builder.getI64IntegerAttr(index));
    names.push_back(symbols.insert(derived).str());
  }
  derivedNames[value] = names[index];
}

void PrepareBuilder::replaceUses(Value value, OpBuilder &builder) {
  builder.setInsertionPointAfterValue(value);
  value.replaceAllUsesWith(builder
                               .create<GetParamOp>(value.getLoc(),
                                                   value.getType(),
                                                   derivedNames[value])
                               .getResult());
}

/// Movement that is free where it is fused, so that main keeps it: hoisted it
/// would only take memory.
static bool staysBehind(Operation *op) {
  return isa<BroadcastOp, ReshapeOp, SliceOp>(op);
}

/// Movement, widening and decoding by which contractions read packed weights
/// and reductions packed tables: kernels recognise these ops.
static llvm::DenseSet<Operation *> unpackingOps(Block &block) {
  llvm::DenseSet<Operation *> ops;
  for (Operation &op : block) {
    if (auto sum = dyn_cast<ReduceOp>(op))
      for (Operation *widening : wideningOps(sum))
        ops.insert(widening);
    auto gather = dyn_cast<GatherOp>(op);
    if (!isa<DotGeneralOp, ConvolutionOp>(op) &&
        !(gather && readsSummedRows(gather)))
      continue;
    Value weights = op.getOperand(gather ? 0 : 1);
    if (!gather && beforeWidening(weights) != weights)
      ops.insert(weights.getDefiningOp());
    if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
      if (TransposeOp transpose = matchFewOutputPacking(convolution))
        ops.insert(transpose);
      if (TransposeOp transpose = matchGroupPacking(convolution)) {
        ops.insert(transpose);
        ops.insert(weights.getDefiningOp());
      }
      // The slice and the reshape before the filter stay behind anyway.
      if (auto filter = matchTransformedFilter(convolution))
        weights = filter->matrix;
    }
    auto panels = matchUnpackedPanels(weights);
    if (!panels)
      continue;
    for (; weights != panels->packed;
         weights = weights.getDefiningOp()->getOperand(0))
      ops.insert(weights.getDefiningOp());
    SmallVector<Operation *> decoding;
    if (matchCodedPanels(panels->packed, &decoding))
      ops.insert(decoding.begin(), decoding.end());
  }
  return ops;
}

void PrepareBuilder::hoist(func::FuncOp function) {
  Block &block = function.getBody().front();
  // Forward, each op once.
  llvm::DenseMap<Operation *, Dependence> dependence;
  for (Operation &op : block) {
    Dependence own = Dependence::Constants;
    // Derived parameters lie in an arena, whose size is known before a run.
    if (!familyOf(&op) || op.getNumRegions() || !isPure(&op) ||
        op.getNumResults() != 1 || !typeOf(op.getResult(0)).hasStaticShape())
      own = Dependence::Arguments;
    if (isa<GetParamOp>(op))
      own = Dependence::Parameters;
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      Dependence from =
          producer ? dependence.lookup(producer) : Dependence::Arguments;
      if (from == Dependence::Arguments)
        own = Dependence::Arguments;
      else if (from == Dependence::Parameters && own == Dependence::Constants)
        own = Dependence::Parameters;
    }
    dependence[&op] = own;
  }
  // Values that are read outside of @prepare; an op that stays behind reads its
  // operand there.
  SmallVector<Value> frontier;
  llvm::DenseSet<Operation *> stays, unpacking = unpackingOps(block);
  for (Operation &op : llvm::reverse(block)) {
    if (dependence[&op] != Dependence::Parameters) {
      stays.insert(&op);
      continue;
    }
    if (isa<GetParamOp>(op) ||
        !llvm::any_of(op.getUsers(),
                      [&](Operation *user) { return stays.contains(user); }))
      continue;
    if (staysBehind(&op) || unpacking.contains(&op))
      stays.insert(&op);
    else
      frontier.push_back(op.getResult(0));
  }
  OpBuilder builder(function.getContext());
  // In program order: the clone of a later value finds the clones of the values
  // that it depends on.
  for (Value value : llvm::reverse(frontier))
    prepareValue(value);
  for (Value value : llvm::reverse(frontier))
    replaceUses(value, builder);
}

void PrepareBuilder::finish() {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && function != prepare)
      for (Operation &op : llvm::make_early_inc_range(
               llvm::reverse(function.getBody().front())))
        if (isOpTriviallyDead(&op))
          op.erase();
  if (!prepare)
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(&prepare.getBody().front());
  builder.create<func::ReturnOp>(prepare.getLoc(), results);
  SmallVector<Type> types;
  for (Value result : results)
    types.push_back(result.getType());
  prepare.setFunctionType(builder.getFunctionType({}, types));
}

namespace {

struct HoistPreparePass : impl::HoistPreparePassBase<HoistPreparePass> {
  using HoistPreparePassBase::HoistPreparePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (Operation *existing =
            SymbolTable::lookupSymbolIn(module, prepareFunctionName)) {
      existing->emitError()
          << "@" << prepareFunctionName
          << ": got a symbol of that name, expected that the pass makes it";
      return signalPassFailure();
    }
    PrepareBuilder builder(module);
    builder.liftConstants(constantBytes);
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isExternal())
        builder.hoist(function);
    builder.finish();
  }
};

} // namespace
} // namespace zenith::parameters
