// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops with regions: opened, continued and closed by three calls.

#include "frontends/c/builder/Builder.h"

#include "ir/GraphOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::c;

/// Scalars of the elements of tensors.
static SmallVector<Type> scalarsOf(TypeRange types) {
  SmallVector<Type> scalars;
  for (Type type : types)
    scalars.push_back(RankedTensorType::get(
        {}, cast<RankedTensorType>(type).getElementType()));
  return scalars;
}

/// What a region of this op takes unless the caller says otherwise.
static SmallVector<Type> argumentTypesOf(StringRef name, ValueRange operands,
                                         const NamedAttrList &attributes) {
  SmallVector<Type> types(operands.getTypes());
  if (name == "graph.while")
    return types;
  if (name == "graph.sort_with") {
    SmallVector<Type> twice;
    for (Type scalar : scalarsOf(types))
      twice.append(2, scalar);
    return twice;
  }
  if (name == "graph.reduce_with" || name == "graph.reduce_window_with")
    return scalarsOf(types);
  if (name == "graph.scatter_with") {
    size_t inputs = types.size() / 2;
    if (auto groups = dyn_cast_or_null<DenseI32ArrayAttr>(
            attributes.get("operandSegmentSizes")))
      inputs = size_t(std::max(groups[0], 0));
    types.resize(std::min(inputs, types.size()));
    SmallVector<Type> scalars = scalarsOf(types), both = scalars;
    both.append(scalars);
    return both;
  }
  return {};
}

/// Gives the op that holds the regions one more.
static Region &addRegion(zenith_builder &b, OpenOp &op) {
  Operation *before = op.holder;
  b.builder.setInsertionPointToEnd(op.outer);
  OperationState state(op.location, op.name);
  unsigned count = before ? before->getNumRegions() : 0;
  for (unsigned i = 0; i <= count; ++i)
    state.addRegion();
  op.holder = b.builder.create(state);
  for (unsigned i = 0; i < count; ++i)
    op.holder->getRegion(i).takeBody(before->getRegion(i));
  if (before)
    before->erase();
  return op.holder->getRegion(count);
}

/// Opens the next region and gives its arguments.
static zenith_status *openRegion(zenith_builder &b, zenith_value *arguments,
                                 size_t count) {
  OpenOp &op = b.open.back();
  if (count != op.argumentTypes.size())
    return usage(ZENITH_REASON_WRONG_COUNT,
                 "room for " + std::to_string(count) +
                     " arguments, the region has " +
                     std::to_string(op.argumentTypes.size()));
  if (count && !arguments)
    return nullPointer("arguments");
  mlir::Block &block = addRegion(b, op).emplaceBlock();
  for (size_t i = 0; i < count; ++i)
    arguments[i] = b.add(block.addArgument(op.argumentTypes[i], op.location));
  b.builder.setInsertionPointToEnd(&block);
  return nullptr;
}

static zenith_status *closeRegion(zenith_builder &b, const zenith_value *yields,
                                  size_t count) {
  if (b.open.empty())
    return usage(ZENITH_REASON_WRONG_STATE, "no region is open");
  SmallVector<Value> values;
  if (zenith_status *status = b.find(yields, count, values))
    return status;
  b.builder.create<graph::YieldOp>(b.location, values);
  return nullptr;
}

static zenith_status *begin(zenith_builder &b, const char *op,
                            const zenith_value *operands, size_t operandCount,
                            const char *attributes,
                            const char *const *argumentTypes,
                            zenith_value *arguments, size_t argumentCount) {
  if (zenith_status *status = b.checkInFunction())
    return status;
  std::optional<OperationName> name =
      op ? findOp(op, b.program->mlir.get()) : std::nullopt;
  if (!name)
    return usage(ZENITH_REASON_UNKNOWN_NAME,
                 "no op is called '" + std::string(op ? op : "") + "'");
  OpenOp opened{*name, b.location, {}, {}, {}, b.builder.getInsertionBlock()};
  if (zenith_status *status = b.find(operands, operandCount, opened.operands))
    return status;
  if (zenith_status *status =
          readAttributes(*name, attributes, operandCount, opened.attributes))
    return status;
  opened.argumentTypes =
      argumentTypesOf(name->getStringRef(), opened.operands, opened.attributes);
  for (size_t i = 0; argumentTypes && i < argumentCount; ++i) {
    Type type;
    if (zenith_status *status = b.parseType(argumentTypes[i], type))
      return status;
    if (i >= opened.argumentTypes.size())
      opened.argumentTypes.resize(argumentCount);
    opened.argumentTypes[i] = type;
  }
  b.open.push_back(std::move(opened));
  return openRegion(b, arguments, argumentCount);
}

static std::string openName(const zenith_builder &b) {
  return b.open.empty() ? "region" : b.open.back().name.getStringRef().str();
}

void zenith_builder_begin(zenith_builder *b, const char *op,
                          const zenith_value *operands, size_t operandCount,
                          const char *attributes,
                          const char *const *argumentTypes,
                          zenith_value *arguments,
                          size_t argumentCount) noexcept {
  if (!b)
    return;
  b->step(fullName(op), [&] {
    return begin(*b, op, operands, operandCount, attributes, argumentTypes,
                 arguments, argumentCount);
  });
  b->resultsOf(arguments, argumentCount);
}

void zenith_builder_next(zenith_builder *b, const zenith_value *yields,
                         size_t yieldCount, zenith_value *arguments,
                         size_t argumentCount) noexcept {
  if (!b)
    return;
  b->step(openName(*b), [&]() -> zenith_status * {
    if (zenith_status *status = closeRegion(*b, yields, yieldCount))
      return status;
    return openRegion(*b, arguments, argumentCount);
  });
  b->resultsOf(arguments, argumentCount);
}

/// The type that values of all regions have: dynamic where they differ.
static std::optional<SmallVector<Type>> joinedYields(const OpenOp &op) {
  SmallVector<Type> joined;
  for (Region &region : op.holder->getRegions()) {
    Operation *yield = &region.front().back();
    if (joined.empty()) {
      joined.assign(yield->getOperandTypes().begin(),
                    yield->getOperandTypes().end());
      continue;
    }
    if (joined.size() != yield->getNumOperands())
      return std::nullopt;
    for (auto [type, other] : llvm::zip(joined, yield->getOperandTypes())) {
      auto a = cast<RankedTensorType>(type), c = cast<RankedTensorType>(other);
      if (a.getElementType() != c.getElementType() ||
          a.getRank() != c.getRank())
        return std::nullopt;
      SmallVector<int64_t> shape(a.getShape());
      for (auto [size, another] : llvm::zip(shape, c.getShape()))
        size = size == another ? size : ShapedType::kDynamic;
      type = RankedTensorType::get(shape, a.getElementType());
    }
  }
  return joined;
}

static zenith_status *end(zenith_builder &b, const zenith_value *yields,
                          size_t yieldCount, const char *const *resultTypes,
                          zenith_value *results, size_t resultCount) {
  if (zenith_status *status = closeRegion(b, yields, yieldCount))
    return status;
  OpenOp op = std::move(b.open.back());
  b.open.pop_back();
  b.builder.setInsertionPointToEnd(op.outer);
  OperationState state(op.location, op.name);
  state.addOperands(op.operands);
  state.attributes = op.attributes;
  StringRef name = op.name.getStringRef();
  size_t wanted = name == "graph.if" || name == "graph.while" ? 2 : 0;
  size_t count = op.holder->getNumRegions();
  if (wanted && count != wanted)
    return usage(ZENITH_REASON_WRONG_COUNT,
                 "the op has " + std::to_string(count) + " regions, expected " +
                     std::to_string(wanted));
  if (!resultTypes) {
    if (name == "graph.while")
      state.addTypes(op.argumentTypes);
    else if (name == "graph.if" || name == "graph.case")
      if (auto types = joinedYields(op))
        state.addTypes(*types);
  }
  for (Region &region : op.holder->getRegions())
    state.addRegion()->takeBody(region);
  op.holder->erase();
  return b.make(state, resultTypes, results, resultCount);
}

zenith_value zenith_builder_end(zenith_builder *b, const zenith_value *yields,
                                size_t yieldCount,
                                const char *const *resultTypes,
                                zenith_value *results,
                                size_t resultCount) noexcept {
  if (!b)
    return 0;
  b->step(openName(*b), [&] {
    return end(*b, yields, yieldCount, resultTypes, results, resultCount);
  });
  return b->resultsOf(results, resultCount);
}
