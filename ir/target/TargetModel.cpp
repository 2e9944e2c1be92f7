// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, equality and constraints of target models, and where a module has its.

#include "ir/target/TargetModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"
#include <string>
#include <type_traits>
#include <vector>

using namespace mlir;

namespace zenith::target {

bool TargetModel::operator==(const TargetModel &other) const {
  std::vector<double> fields, others;
  forEachField(*this, [&](StringRef, auto field) { fields.push_back(field); });
  forEachField(other, [&](StringRef, auto field) { others.push_back(field); });
  return fields == others;
}

llvm::hash_code hash_value(const TargetModel &model) {
  llvm::hash_code hash(0);
  forEachField(model, [&](StringRef, auto field) {
    hash = llvm::hash_combine(hash, llvm::bit_cast<uint64_t>(double(field)));
  });
  return hash;
}

static ParseResult parseField(AsmParser &parser, bool &field) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  field = word == "true";
  if (field || word == "false")
    return success();
  return parser.emitError(loc)
         << "got '" << word << "', expected true or false";
}

static ParseResult parseField(AsmParser &parser, double &field) {
  return parser.parseFloat(field);
}

template <typename Integer>
static ParseResult parseField(AsmParser &parser, Integer &field) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t value = 0;
  if (parser.parseInteger(value))
    return failure();
  field = Integer(value);
  if (value >= 0 && int64_t(field) == value)
    return success();
  return parser.emitError(loc) << "got " << value << ", expected a count";
}

ParseResult parseTargetModel(AsmParser &parser, TargetModel &model) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    bool known = false;
    ParseResult result = success();
    forEachField(model, [&](StringRef field, auto &value) {
      if (name == field)
        known = true, result = parseField(parser, value);
    });
    if (!known)
      return parser.emitError(loc)
             << "'" << name << "' is no field of a target";
    if (failed(result))
      return failure();
  }
  return success();
}

void printTargetModel(AsmPrinter &printer, const TargetModel &model) {
  forEachField(model, [&](StringRef name, auto field) {
    printer << ", " << name << " = ";
    if constexpr (std::is_same_v<decltype(field), bool>)
      printer << (field ? "true" : "false");
    else if constexpr (std::is_same_v<decltype(field), double>)
      printer.printFloat(llvm::APFloat(field));
    else
      printer << field;
  });
}

StringRef missingFrom(const TargetModel &machine, const TargetModel &wanted) {
  if (machine.printed != wanted.printed)
    return "printed";
  StringRef missing;
  forEachField(machine, [&](StringRef name, auto has) {
    forEachField(wanted, [&](StringRef other, auto wants) {
      if constexpr (std::is_same_v<decltype(has), bool> &&
                    std::is_same_v<decltype(wants), bool>)
        if (missing.empty() && name == other && wants && !has)
          missing = name;
    });
  });
  return missing;
}

graph::TargetAttr targetOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<graph::TargetAttr>(targetAttrName))
      return target;
  return nullptr;
}

TargetModel modelOf(Operation *op) {
  graph::TargetAttr target = targetOf(op);
  return target ? target.getModel() : TargetModel();
}

} // namespace zenith::target

namespace zenith::graph {

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef, target::TargetModel model) {
  auto refuse = [&](StringRef field, auto got, StringRef expected,
                    StringRef constraint) {
    return emitError() << "target " << field << ": got " << got << ", expected "
                       << expected << " (" << constraint << ")";
  };
  if (!llvm::isPowerOf2_64(model.lanes) || model.lanes > 64)
    return refuse("lanes", model.lanes, "a power of two up to 64", "target_c1");
  if (model.nr == 0 || model.nr % model.lanes)
    return refuse("nr", model.nr, "a multiple of lanes", "target_c2");
  if (model.mr == 0)
    return refuse("mr", model.mr, "at least 1", "target_c2");
  if (!llvm::is_contained({1u, 2u, 4u}, model.kInterleave))
    return refuse("k_interleave", model.kInterleave, "1, 2 or 4", "target_c3");
  if (!llvm::isPowerOf2_64(model.lineBytes))
    return refuse("line_bytes", model.lineBytes, "a power of two", "target_c4");
  if (model.l1Bytes <= 0 || model.l2Bytes < model.l1Bytes ||
      model.l3Bytes < model.l2Bytes)
    return refuse("l2_bytes", model.l2Bytes,
                  "at least l1_bytes and at most l3_bytes", "target_c4");
  if (model.vectorRegisters == 0)
    return refuse("vector_registers", model.vectorRegisters, "at least 1",
                  "target_c5");
  if (!(model.memoryBytesPerCycle > 0))
    return refuse("memory_bytes_per_cycle", model.memoryBytesPerCycle,
                  "more than 0", "target_c5");
  if (model.streamingBytes < 0)
    return refuse("streaming_bytes", model.streamingBytes, "at least 0",
                  "target_c5");
  return success();
}

} // namespace zenith::graph
