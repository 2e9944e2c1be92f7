// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result types by inference: the op's own, else its dimensions by ShapeRule and
// the element type by the table below.

#include "frontends/c/builder/BuilderOps.h"

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::c;

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

namespace {
/// A result whose dimensions are not known yet.
struct Draft {
  Type element;
  int64_t rank = -1; ///< -1: the one that the op's verifier takes
};
} // namespace

/// Drafts of the results of ops that do not infer their types; nothing where
/// operands do not tell.
static std::optional<SmallVector<Draft>> draftsOf(OperationState &state) {
  Builder b(state.getContext());
  ValueRange operands(state.operands);
  StringRef name = state.name.stripDialect();
  auto each = [&](ValueRange values) {
    SmallVector<Draft> all;
    for (Value value : values)
      all.push_back({elementOf(value),
                     cast<RankedTensorType>(value.getType()).getRank()});
    return all;
  };
  if (name == "barrier" || name == "sort" || name == "sort_with")
    return each(operands);
  if (name == "reduce_window_with")
    return each(operands.take_front(operands.size() / 2));
  if (name == "reduce_with") {
    auto results = each(operands.take_front(operands.size() / 2));
    for (Draft &result : results)
      result.rank = -1;
    return results;
  }
  if (operands.empty())
    return std::nullopt;
  if (name == "compact")
    return each(operands.drop_front());
  Type first = elementOf(operands.front()), i64 = b.getI64Type();
  if (name == "dim" || name == "arg_reduce" || name == "searchsorted" ||
      name == "non_max_suppression")
    return SmallVector<Draft>{{i64}};
  if (name == "is_in")
    return SmallVector<Draft>{{b.getI1Type()}};
  if (name == "top_k" && operands.size() > 1)
    return SmallVector<Draft>{{first}, {i64}};
  if (name == "unique")
    return SmallVector<Draft>{{first}, {i64, 1}, {i64, 1}, {i64, 1}};
  if (name == "complex")
    return SmallVector<Draft>{{ComplexType::get(first)}};
  if (name == "real" || name == "imag" || name == "complex_abs")
    if (auto complex = dyn_cast<ComplexType>(first))
      return SmallVector<Draft>{{complex.getElementType()}};
  if (name == "gather" || name == "scatter")
    return SmallVector<Draft>{{first}};
  return std::nullopt;
}

/// A slice without dynamic sizes says its shape in its attributes.
static std::optional<SmallVector<Type>> sliceType(OperationState &state) {
  if (state.name.getStringRef() != "graph.slice" || state.operands.empty())
    return std::nullopt;
  auto sizes =
      dyn_cast_or_null<DenseI64ArrayAttr>(state.attributes.get("static_sizes"));
  if (!sizes)
    return std::nullopt;
  SmallVector<int64_t> shape(sizes.asArrayRef());
  for (int64_t &size : shape)
    if (size < 0)
      size = ShapedType::kDynamic;
  return SmallVector<Type>{
      RankedTensorType::get(shape, elementOf(state.operands[0]))};
}

/// The op's own answer.
static std::optional<SmallVector<Type>>
byInterface(OperationState &state,
            const InferTypeOpInterface::Concept &infers) {
  MLIRContext *context = state.getContext();
  SmallVector<Type> types;
  // Properties are those that the op will have.
  Operation *shaped = Operation::create(
      UnknownLoc::get(context), state.name, TypeRange(), state.operands,
      state.attributes.getDictionary(context), OpaqueProperties(nullptr),
      BlockRange(), /*numRegions=*/unsigned(state.regions.size()));
  LogicalResult inferred = infers.inferReturnTypes(
      context, state.location, ValueRange(state.operands),
      state.attributes.getDictionary(context), shaped->getPropertiesStorage(),
      RegionRange(shaped->getRegions()), types);
  shaped->destroy();
  if (failed(inferred))
    return std::nullopt;
  return types;
}

std::string zenith::c::complaintOf(Operation *op) {
  std::string why;
  ScopedDiagnosticHandler handler(
      op->getContext(), [&](Diagnostic &diagnostic) {
        if (why.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          why = diagnostic.str();
        return success();
      });
  if (succeeded(verify(op, /*verifyRecursively=*/false)))
    return "";
  return why.empty() ? "the op is invalid" : why;
}

/// What an op without some attribute is told, and no op can be asked without:
/// traits look for attributes before they look at types. Empty where all are
/// there.
static std::string missingAttribute(OperationState &state, OpBuilder &builder) {
  OperationState bare(state.location, state.name);
  bare.addOperands(state.operands);
  bare.addAttributes(state.attributes.getAttrs());
  bare.addTypes(RankedTensorType::get({}, builder.getF32Type()));
  Operation *op = builder.create(bare);
  std::string why = complaintOf(op);
  op->erase();
  return StringRef(why).contains("op requires attribute") ? why : "";
}

zenith_status *zenith::c::inferResults(OperationState &state,
                                       OpBuilder &builder) {
  auto *infers = state.name.getInterface<InferTypeOpInterface>();
  if (!infers) {
    if (auto slice = sliceType(state))
      state.addTypes(*slice);
    else if (auto drafts = draftsOf(state))
      for (const Draft &draft : *drafts)
        state.addTypes(RankedTensorType::get({}, draft.element));
    return nullptr;
  }
  std::string why = missingAttribute(state, builder);
  if (why.empty()) {
    ScopedDiagnosticHandler handler(
        state.getContext(), [&](Diagnostic &diagnostic) {
          if (why.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            why = diagnostic.str();
          return success();
        });
    if (auto types = byInterface(state, *infers)) {
      state.addTypes(*types);
      return nullptr;
    }
  }
  return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_NONE,
                 why.empty() ? "operands do not fit the op" : why);
}

/// Types by ShapeRule, in a function of its own: there operands are arguments,
/// whose dynamic dimensions are symbols. Only ops that were verified may be
/// asked.
static void setTypesByShapeRule(Operation *op, ArrayRef<Draft> drafts) {
  MLIRContext *context = op->getContext();
  Location location = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> scratch(ModuleOp::create(location));
  OpBuilder builder(scratch->getBodyRegion());
  auto function = builder.create<func::FuncOp>(
      location, "scratch",
      FunctionType::get(context, op->getOperandTypes(), {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  OperationState copy(location, op->getName());
  copy.addOperands(function.getArguments());
  copy.addTypes(op->getResultTypes());
  copy.addAttributes(op->getAttrs());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    copy.addRegion();
  auto rule = dyn_cast<graph::ShapeRule>(builder.create(copy));
  if (!rule)
    return;
  graph::DimAnalysis analysis;
  for (auto [index, draft] : llvm::enumerate(drafts)) {
    SmallVector<int64_t> shape;
    for (const graph::DimExpr &dim : rule.resultDims(unsigned(index), analysis))
      shape.push_back(dim.constant().value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(shape, draft.element);
    // Later results may ask for dimensions of this one.
    rule->getResult(unsigned(index)).setType(type);
    op->getResult(unsigned(index)).setType(type);
  }
}

std::string zenith::c::shapeResults(OperationState &state, Operation *op) {
  if (state.name.hasInterface<InferTypeOpInterface>() || sliceType(state))
    return "";
  auto drafts = draftsOf(state);
  if (!drafts)
    return "";
  int64_t most = 1;
  for (Type type : op->getOperandTypes())
    most += cast<RankedTensorType>(type).getRank();
  std::string first;
  for (int64_t rank = 0; rank <= most; ++rank) {
    for (auto [result, draft] : llvm::zip(op->getResults(), *drafts))
      result.setType(RankedTensorType::get(
          SmallVector<int64_t>(size_t(draft.rank < 0 ? rank : draft.rank),
                               ShapedType::kDynamic),
          draft.element));
    std::string why = complaintOf(op);
    if (why.empty()) {
      setTypesByShapeRule(op, *drafts);
      return "";
    }
    // What is wrong with operands and attributes is said whatever the results.
    if (rank == 0)
      first = why;
  }
  return first;
}

/// The op alone, with results of no meaning: its count of operands is checked
/// before all else by traits.
zenith_status *zenith::c::checkOperands(const OperationState &state) {
  using namespace OpTrait;
  size_t count = state.operands.size(), least = 0;
  const std::pair<bool, size_t> rules[] = {
      {state.name.hasTrait<OneOperand>(), 1},
      {state.name.hasTrait<NOperands<2>::Impl>(), 2},
      {state.name.hasTrait<NOperands<3>::Impl>(), 3},
      {state.name.hasTrait<NOperands<4>::Impl>(), 4},
      {state.name.hasTrait<NOperands<5>::Impl>(), 5}};
  for (const auto &[applies, wanted] : rules)
    if (applies && count != wanted)
      return usage(ZENITH_REASON_WRONG_COUNT, "got " + std::to_string(count) +
                                                  " operands, expected " +
                                                  std::to_string(wanted));
  if (state.name.hasTrait<AtLeastNOperands<1>::Impl>())
    least = 1;
  if (state.name.hasTrait<AtLeastNOperands<2>::Impl>())
    least = 2;
  if (state.name.hasTrait<AtLeastNOperands<3>::Impl>())
    least = 3;
  if (count < least)
    return usage(ZENITH_REASON_WRONG_COUNT,
                 "got " + std::to_string(count) + " operands, expected " +
                     std::to_string(least) + " or more");
  return nullptr;
}

bool zenith::c::canInfer(OperationName op) {
  if (op.hasInterface<InferTypeOpInterface>())
    return true;
  return llvm::StringSwitch<bool>(op.stripDialect())
      .Cases("barrier", "sort", "sort_with", "reduce_with",
             "reduce_window_with", true)
      .Cases("compact", "dim", "arg_reduce", "searchsorted",
             "non_max_suppression", true)
      .Cases("is_in", "top_k", "unique", "complex", "real", "imag", true)
      .Cases("complex_abs", "gather", "scatter", "slice", true)
      .Cases("if", "case", "while", true)
      .Default(false);
}
