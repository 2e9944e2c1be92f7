// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the calls of a builder share: values, types, and ops that are checked as
// they are made.

#include "frontends/c/builder/Builder.h"

#include "frontends/models/LoadModel.h"
#include "ir/GraphOps.h"
#include "ir/LocationText.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::c;

static std::shared_ptr<Program> emptyProgram() {
  auto program = std::make_shared<Program>();
  program->mlir = models::makeContext();
  program->module = ModuleOp::create(UnknownLoc::get(program->mlir.get()));
  program->folder = absoluteFolder("");
  return program;
}

zenith_builder::zenith_builder(zenith_context &context)
    : context(&context), program(emptyProgram()), builder(program->mlir.get()),
      location(UnknownLoc::get(program->mlir.get())) {}

zenith_value zenith_builder::resultsOf(zenith_value *results,
                                       size_t count) const {
  bool made = code == ZENITH_OK && !isSpent;
  for (size_t i = 0; results && !made && i < count; ++i)
    results[i] = 0;
  return made && results && count ? results[0] : 0;
}

zenith_value zenith_builder::add(Value value) {
  values.push_back(value);
  return values.size();
}

zenith_status *zenith_builder::find(zenith_value number, Value &value) const {
  if (number == 0 || number > values.size() || !values[number - 1])
    return usage(ZENITH_REASON_UNKNOWN_NAME,
                 "no value has the number " + std::to_string(number));
  value = values[number - 1];
  Region *home = value.getParentRegion();
  func::FuncOp here = function;
  bool isVisible = here && home == &here.getBody();
  for (const OpenOp &op : open)
    isVisible |= home == &op.holder->getRegions().back();
  if (isVisible)
    return nullptr;
  return usage(ZENITH_REASON_WRONG_STATE,
               "value " + std::to_string(number) +
                   " belongs to a function or region that is closed");
}

zenith_status *zenith_builder::find(const zenith_value *numbers, size_t count,
                                    SmallVectorImpl<Value> &found) const {
  if (count && !numbers)
    return nullPointer("values");
  for (size_t i = 0; i < count; ++i) {
    Value value;
    if (zenith_status *status = find(numbers[i], value))
      return status;
    found.push_back(value);
  }
  return nullptr;
}

zenith_status *zenith_builder::checkInFunction() const {
  return function ? nullptr
                  : usage(ZENITH_REASON_WRONG_STATE, "no function is open");
}

zenith_status *zenith_builder::parseType(const char *text, Type &type) const {
  if (!text)
    return nullPointer("a type");
  ScopedDiagnosticHandler silent(program->mlir.get(),
                                 [](Diagnostic &) { return success(); });
  type = mlir::parseType(text, program->mlir.get());
  if (type && isa<RankedTensorType>(type))
    return nullptr;
  return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_MALFORMED,
                 "'" + std::string(text) +
                     "' is no type; one is tensor<?x4xf32>");
}

zenith_status *zenith_builder::resultTypesOf(OperationState &state,
                                             const char *const *texts,
                                             size_t count) {
  if (texts) {
    for (size_t i = 0; i < count; ++i) {
      Type type;
      if (zenith_status *status = parseType(texts[i], type))
        return status;
      state.addTypes(type);
    }
    return nullptr;
  }
  if (zenith_status *status = inferResults(state, builder))
    return status;
  if (!state.types.empty() || count == 0)
    return nullptr;
  return usage(ZENITH_REASON_NONE,
               "the types of the results do not follow from the operands: "
               "give result_types");
}

zenith_status *zenith_builder::make(OperationState &state,
                                    const char *const *resultTypes,
                                    zenith_value *results, size_t resultCount) {
  if (resultCount && !results)
    return nullPointer("results");
  if (zenith_status *status = checkOperands(state))
    return status;
  bool isInferred = state.types.empty() && !resultTypes;
  if (state.types.empty())
    if (zenith_status *status = resultTypesOf(state, resultTypes, resultCount))
      return status;
  if (state.types.size() != resultCount)
    return usage(ZENITH_REASON_WRONG_COUNT,
                 "room for " + std::to_string(resultCount) +
                     " results, the op has " +
                     std::to_string(state.types.size()));
  Operation *op = builder.create(state);
  std::string why = isInferred ? shapeResults(state, op) : "";
  if (why.empty())
    why = complaintOf(op);
  if (!why.empty()) {
    op->erase();
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_NONE, why);
  }
  hasOps = true;
  for (size_t i = 0; i < resultCount; ++i)
    results[i] = add(op->getResult(unsigned(i)));
  return nullptr;
}
