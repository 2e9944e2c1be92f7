// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, values and ops of builders.

#include "frontends/c/Array.h"
#include "frontends/c/StructReading.h"
#include "frontends/c/builder/Builder.h"
#include "frontends/models/Suggestion.h"
#include "ir/GraphOps.h"
#include "ir/dims/DimExpr.h"
#include "ir/program/ProgramChecks.h"
#include "ir/tensor/Tensor.h"
#include "lowering/elements/ElementCodes.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::c;

static void release(zenith_builder *builder) noexcept {
  if (builder && drop(*builder))
    destroy(builder);
}

zenith_status *zenith_builder_create(zenith_context *context,
                                     zenith_builder **builder) noexcept {
  return guarded([&]() -> zenith_status * {
    if (builder)
      *builder = nullptr;
    if (!context || !builder)
      return nullPointer(context ? "builder" : "context");
    *builder = create<zenith_builder>(*context, *context);
    return nullptr;
  });
}

void zenith_builder_free(zenith_builder *builder) noexcept { release(builder); }

//===- functions
//-----------------------------------------------------------===//

void zenith_builder_function(zenith_builder *b, const char *name,
                             int32_t entry) noexcept {
  if (!b)
    return;
  b->step("function", [&]() -> zenith_status * {
    if (!name || !*name)
      return nullPointer("name");
    if (b->function)
      return usage(ZENITH_REASON_WRONG_STATE,
                   "the function before is still open");
    if (b->program->module->lookupSymbol(name))
      return usage(ZENITH_REASON_NAME_TAKEN,
                   "the name '" + std::string(name) + "' is taken");
    b->builder.setInsertionPointToEnd(b->program->module->getBody());
    b->function = b->builder.create<func::FuncOp>(
        b->location, name, b->builder.getFunctionType({}, {}));
    b->function.setVisibility(entry ? SymbolTable::Visibility::Public
                                    : SymbolTable::Visibility::Private);
    b->builder.setInsertionPointToStart(b->function.addEntryBlock());
    b->hasOps = false;
    return nullptr;
  });
}

/// Shape and names of an argument.
static zenith_status *readDims(Builder &builder, int32_t rank,
                               const char *const *texts,
                               SmallVectorImpl<int64_t> &shape,
                               SmallVectorImpl<Attribute> &names) {
  for (int32_t axis = 0; axis < rank; ++axis) {
    std::string text = texts[axis] ? texts[axis] : "";
    auto expr = text.empty() || text == "?" ? std::nullopt
                                            : graph::DimExpr::parse(text);
    if (!expr && !text.empty() && text != "?")
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                     "dimension " + std::to_string(axis) + ": '" + text +
                         "' is no size, name or expression");
    std::optional<int64_t> size = expr ? expr->constant() : std::nullopt;
    if (size && *size < 0)
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                     "dimension " + std::to_string(axis) + ": got " + text +
                         ", expected a size of at least 0");
    shape.push_back(size.value_or(ShapedType::kDynamic));
    names.push_back(builder.getStringAttr(size || !expr ? "" : text));
  }
  return nullptr;
}

static zenith_status *elementOf(zenith_builder &b, zenith_dtype dtype,
                                Type &element) {
  if (!zenith_dtype_bytes(dtype))
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DTYPE,
                   "no element type has the number " + std::to_string(dtype));
  element = kernels::elementType(b.program->mlir.get(), dtype);
  if (element && graph::isElementType(element))
    return nullptr;
  return failure(ZENITH_UNSUPPORTED, ZENITH_REASON_DTYPE,
                 std::string("elements of type ") + zenith_dtype_name(dtype) +
                     " are not supported in programs");
}

static zenith_status *addArgument(zenith_builder &b, const char *name,
                                  zenith_dtype dtype, int32_t rank,
                                  const char *const *dims,
                                  zenith_value &value) {
  if (zenith_status *status = b.checkInFunction())
    return status;
  if (!name || (rank > 0 && !dims))
    return nullPointer(name ? "dims" : "name");
  if (b.hasOps || !b.open.empty())
    return usage(ZENITH_REASON_WRONG_STATE,
                 "arguments come before the function's first op");
  if (rank < 0 || rank > 1024)
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_RANK,
                   "rank: got " + std::to_string(rank));
  Type element;
  SmallVector<int64_t> shape;
  SmallVector<Attribute> names;
  if (zenith_status *status = elementOf(b, dtype, element))
    return status;
  if (zenith_status *status = readDims(b.builder, rank, dims, shape, names))
    return status;
  SmallVector<NamedAttribute> attributes{b.builder.getNamedAttr(
      graph::nameAttrName, b.builder.getStringAttr(name))};
  bool isNamed = llvm::any_of(
      names, [](Attribute text) { return !cast<StringAttr>(text).empty(); });
  if (isNamed)
    attributes.push_back(b.builder.getNamedAttr(graph::dimsAttrName,
                                                b.builder.getArrayAttr(names)));
  unsigned index = b.function.getNumArguments();
  b.function.insertArgument(index, RankedTensorType::get(shape, element),
                            b.builder.getDictionaryAttr(attributes),
                            b.location);
  value = b.add(b.function.getArgument(index));
  return nullptr;
}

zenith_value zenith_builder_argument(zenith_builder *b, const char *name,
                                     zenith_dtype dtype, int32_t rank,
                                     const char *const *dims) noexcept {
  zenith_value value = 0;
  if (b)
    b->step("argument",
            [&] { return addArgument(*b, name, dtype, rank, dims, value); });
  return value;
}

void zenith_builder_return(zenith_builder *b, const zenith_value *results,
                           const char *const *names, size_t count) noexcept {
  if (!b)
    return;
  b->step("return", [&]() -> zenith_status * {
    if (zenith_status *status = b->checkInFunction())
      return status;
    if (!b->open.empty())
      return usage(ZENITH_REASON_WRONG_STATE,
                   "a region of " + b->open.back().name.getStringRef().str() +
                       " is still open");
    SmallVector<Value> values;
    if (zenith_status *status = b->find(results, count, values))
      return status;
    b->builder.create<func::ReturnOp>(b->location, values);
    b->function.setType(b->builder.getFunctionType(
        b->function.getArgumentTypes(), ValueRange(values).getTypes()));
    for (size_t i = 0; names && i < count; ++i)
      if (names[i])
        b->function.setResultAttr(unsigned(i), graph::nameAttrName,
                                  b->builder.getStringAttr(names[i]));
    b->function = nullptr;
    return nullptr;
  });
}

//===- values
//--------------------------------------------------------------===//

zenith_value zenith_builder_constant(zenith_builder *b,
                                     const zenith_view *given) noexcept {
  zenith_value value = 0;
  if (!b)
    return 0;
  b->step("graph.constant", [&]() -> zenith_status * {
    if (zenith_status *status = b->checkInFunction())
      return status;
    if (!given)
      return nullPointer("value");
    zenith_view view;
    if (zenith_status *status = readStruct(given, view))
      return status;
    if (zenith_status *status = checkView(view))
      return status;
    Type element;
    if (zenith_status *status = elementOf(*b, view.dtype, element))
      return status;
    Tensor tensor(
        RankedTensorType::get(ArrayRef(view.dims, size_t(view.rank)), element));
    packElements(view, tensor.writable());
    b->hasOps = true;
    value = b->add(
        b->builder.create<graph::ConstantOp>(b->location, tensor.toElements()));
    return nullptr;
  });
  return value;
}

/// Declares a parameter, or finds it.
static zenith_status *declare(zenith_builder &b, const char *name,
                              RankedTensorType type, const void *elements) {
  Operation *known = b.program->module->lookupSymbol(name);
  if (auto param = dyn_cast_or_null<graph::ParamOp>(known))
    if (param.getType() == type)
      return nullptr;
  if (known)
    return usage(ZENITH_REASON_NAME_TAKEN,
                 "the name '" + std::string(name) +
                     "' is taken by something of another type");
  Attribute source;
  if (elements) {
    std::optional<int64_t> bytes = tensorBytes(type);
    source = Tensor(type, ArrayRef(static_cast<const char *>(elements),
                                   size_t(bytes.value_or(0))))
                 .toElements();
  }
  OpBuilder::InsertionGuard guard(b.builder);
  b.builder.setInsertionPoint(b.function);
  b.builder.create<graph::ParamOp>(b.location, name, type, source);
  return nullptr;
}

zenith_value zenith_builder_parameter(zenith_builder *b, const char *name,
                                      zenith_dtype dtype, int32_t rank,
                                      const int64_t *dims,
                                      const void *elements) noexcept {
  zenith_value value = 0;
  if (!b)
    return 0;
  b->step("graph.param", [&]() -> zenith_status * {
    if (zenith_status *status = b->checkInFunction())
      return status;
    if (!name || !*name)
      return nullPointer("name");
    if (zenith_status *status = checkShape(dtype, rank, dims))
      return status;
    if (bytesOf(dtype, rank, dims) < 0)
      return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_DIM,
                     "the parameter has no number of bytes", name);
    Type element;
    if (zenith_status *status = elementOf(*b, dtype, element))
      return status;
    auto type = RankedTensorType::get(ArrayRef(dims, size_t(rank)), element);
    if (zenith_status *status = declare(*b, name, type, elements))
      return status;
    b->hasOps = true;
    value = b->add(b->builder.create<graph::GetParamOp>(
        b->location, type,
        FlatSymbolRefAttr::get(b->program->mlir.get(), name)));
    return nullptr;
  });
  return value;
}

//===- ops
//-----------------------------------------------------------------===//

static zenith_status *lookUp(zenith_builder &b, const char *op,
                             std::optional<OperationName> &found) {
  if (zenith_status *status = b.checkInFunction())
    return status;
  if (!op)
    return nullPointer("op");
  found = findOp(op, b.program->mlir.get());
  if (found)
    return nullptr;
  std::vector<std::string> names = opNames(b.program->mlir.get());
  return usage(ZENITH_REASON_UNKNOWN_NAME, "no op is called '" +
                                               std::string(op) + "'" +
                                               models::suggestion(op, names));
}

zenith_value zenith_builder_op(zenith_builder *b, const char *op,
                               const zenith_value *operands,
                               size_t operandCount, const char *attributes,
                               const char *const *resultTypes,
                               zenith_value *results,
                               size_t resultCount) noexcept {
  if (!b)
    return 0;
  b->step(fullName(op), [&]() -> zenith_status * {
    std::optional<OperationName> name;
    if (zenith_status *status = lookUp(*b, op, name))
      return status;
    SmallVector<Value> values;
    if (zenith_status *status = b->find(operands, operandCount, values))
      return status;
    OperationState state(b->location, *name);
    state.addOperands(values);
    if (zenith_status *status =
            readAttributes(*name, attributes, operandCount, state.attributes))
      return status;
    return b->make(state, resultTypes, results, resultCount);
  });
  return b->resultsOf(results, resultCount);
}

void zenith_builder_place(zenith_builder *b, const char *place) noexcept {
  if (b)
    b->step("place", [&]() -> zenith_status * {
      MLIRContext *context = b->program->mlir.get();
      b->location = UnknownLoc::get(context);
      if (place && *place)
        b->location = NameLoc::get(StringAttr::get(context, place));
      return nullptr;
    });
}

const char *zenith_builder_type(zenith_builder *b,
                                zenith_value number) noexcept {
  if (!b || b->code != ZENITH_OK || b->isSpent || number == 0 ||
      number > b->values.size())
    return "";
  b->typeText.clear();
  llvm::raw_string_ostream(b->typeText) << b->values[number - 1].getType();
  return b->typeText.c_str();
}

zenith_code zenith_builder_code(const zenith_builder *b) noexcept {
  return b ? b->code : ZENITH_USAGE;
}

//===- the end
//-------------------------------------------------------------===//

static zenith_status *verifyProgram(zenith_builder &b) {
  std::string why, where;
  ScopedDiagnosticHandler handler(
      b.program->mlir.get(), [&](Diagnostic &diagnostic) {
        if (why.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          why = diagnostic.str();
          where = pipeline::locationText(diagnostic.getLocation());
        }
        return success();
      });
  if (failed(verify(*b.program->module)))
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_NONE, why, where);
  for (auto check : {graph::checkOps, graph::checkSignatures})
    if (auto error = check(*b.program->module))
      return failure(*error, ZENITH_REASON_NONE);
  return nullptr;
}

zenith_status *zenith_builder_finish(zenith_builder *b,
                                     zenith_module **module) noexcept {
  return guarded([&]() -> zenith_status * {
    if (module)
      *module = nullptr;
    if (!b || !module)
      return nullPointer(b ? "module" : "builder");
    if (b->isSpent)
      return usage(ZENITH_REASON_WRONG_STATE, "the builder is finished");
    if (b->code == ZENITH_OK && b->function)
      b->step("finish", [&] {
        return usage(ZENITH_REASON_WRONG_STATE,
                     "a function is still open: return is missing");
      });
    b->isSpent = true;
    if (b->code != ZENITH_OK)
      return failure(b->code, b->reason, b->message, b->place);
    if (zenith_status *status = verifyProgram(*b))
      return status;
    ++b->context->modules;
    *module = create<zenith_module>(*b->context, *b->context, b->program);
    return nullptr;
  });
}
