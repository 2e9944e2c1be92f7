// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result types by inference: the op's own, else its dimensions by ShapeRule and
// the element type by the table below.

#include "frontends/c/builder/BuilderOps.h"

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::c;

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// Element types of the results of ops that do not infer theirs; nothing where
/// operands do not tell.
static std::optional<SmallVector<Type>> elements(OperationState &state) {
  Builder b(state.getContext());
  ValueRange operands(state.operands);
  StringRef name = state.name.stripDialect();
  SmallVector<Type> all;
  auto each = [&](ValueRange values) {
    for (Value value : values)
      all.push_back(elementOf(value));
    return all;
  };
  if (name == "barrier" || name == "sort" || name == "sort_with")
    return each(operands);
  if (name == "reduce_with" || name == "reduce_window_with")
    return each(operands.take_front(operands.size() / 2));
  if (operands.empty())
    return std::nullopt;
  if (name == "compact")
    return each(operands.drop_front());
  Type first = elementOf(operands.front());
  if (name == "dim" || name == "arg_reduce" || name == "searchsorted" ||
      name == "non_max_suppression")
    return SmallVector<Type>{b.getI64Type()};
  if (name == "is_in")
    return SmallVector<Type>{b.getI1Type()};
  if (name == "top_k" && operands.size() > 1)
    return SmallVector<Type>{first, b.getI64Type()};
  if (name == "unique")
    return SmallVector<Type>{first, b.getI64Type(), b.getI64Type(),
                             b.getI64Type()};
  if (name == "complex")
    return SmallVector<Type>{ComplexType::get(first)};
  if (name == "real" || name == "imag" || name == "complex_abs")
    if (auto complex = dyn_cast<ComplexType>(first))
      return SmallVector<Type>{complex.getElementType()};
  if (name == "gather" || name == "scatter")
    return SmallVector<Type>{first};
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

/// Types by ShapeRule, in a function of its own: there operands are arguments,
/// whose dynamic dimensions are symbols.
static std::optional<SmallVector<Type>> byShapeRule(OperationState &state) {
  auto elementTypes = elements(state);
  if (!elementTypes)
    return std::nullopt;
  MLIRContext *context = state.getContext();
  Location location = UnknownLoc::get(context);
  SmallVector<Type> operandTypes;
  for (Value operand : state.operands)
    operandTypes.push_back(operand.getType());
  OwningOpRef<ModuleOp> scratch(ModuleOp::create(location));
  OpBuilder builder(scratch->getBodyRegion());
  auto function = builder.create<func::FuncOp>(
      location, "scratch", FunctionType::get(context, operandTypes, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  OperationState copy(location, state.name);
  copy.addOperands(function.getArguments());
  copy.addAttributes(state.attributes.getAttrs());
  for (Type element : *elementTypes)
    copy.addTypes(RankedTensorType::get({}, element));
  for (size_t i = 0; i < state.regions.size(); ++i)
    copy.addRegion();
  auto rule = dyn_cast<graph::ShapeRule>(builder.create(copy));
  if (!rule)
    return std::nullopt;
  graph::DimAnalysis analysis;
  SmallVector<Type> types;
  for (auto [index, element] : llvm::enumerate(*elementTypes)) {
    SmallVector<int64_t> shape;
    for (const graph::DimExpr &dim : rule.resultDims(unsigned(index), analysis))
      shape.push_back(dim.constant().value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(shape, element);
    // Later results may ask for dimensions of this one.
    rule->getResult(unsigned(index)).setType(type);
    types.push_back(type);
  }
  return types;
}

std::optional<SmallVector<Type>>
zenith::c::inferResults(OperationState &state) {
  MLIRContext *context = state.getContext();
  auto *infers = state.name.getInterface<InferTypeOpInterface>();
  if (!infers) {
    auto slice = sliceType(state);
    return slice ? slice : byShapeRule(state);
  }
  SmallVector<Type> types;
  // Properties are those that the op will have.
  Operation *shaped = Operation::create(
      UnknownLoc::get(context), state.name, TypeRange(), state.operands,
      state.attributes.getDictionary(context), OpaqueProperties(nullptr),
      BlockRange(), /*numRegions=*/unsigned(state.regions.size()));
  LogicalResult inferred = infers->inferReturnTypes(
      context, state.location, ValueRange(state.operands),
      state.attributes.getDictionary(context), shaped->getPropertiesStorage(),
      RegionRange(shaped->getRegions()), types);
  shaped->destroy();
  if (failed(inferred))
    return std::nullopt;
  return types;
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
