// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands, results and attributes of the op that a rule works on.

#include "frontends/stablehlo/import/OpReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

Value OpReading::in(unsigned index) {
  // Calls by name have any number of operands and results.
  if (index >= inputs()) {
    invalid("has too few operands");
    return scalar(b.getF32Type(), 0);
  }
  const Values &list = program.valuesOf(op->getOperand(index));
  if (list.size() != 1) {
    unsupported("takes a value that is no tensor");
    return scalar(b.getF32Type(), 0);
  }
  Value value = list.front();
  // A scalar captured by a block whose scalars represent tensors.
  if (program.liftedLike && rankOf(value) == 0)
    return spread(value, program.liftedLike);
  return value;
}

Values OpReading::ins(unsigned first, unsigned count) {
  Values list;
  for (unsigned i = first; i < first + count; ++i)
    list.push_back(in(i));
  return list;
}

Values OpReading::flatInputs() {
  Values list;
  for (Value operand : op->getOperands())
    llvm::append_range(list, program.valuesOf(operand));
  return list;
}

RankedTensorType OpReading::type(unsigned result) {
  if (result >= op->getNumResults()) {
    invalid("has too few results");
    return RankedTensorType::get({}, b.getF32Type());
  }
  SmallVector<Type> types =
      program.typesOf(op->getResult(result).getType(), loc);
  if (types.size() != 1) {
    unsupported("gives a value that is no tensor");
    return RankedTensorType::get({}, b.getF32Type());
  }
  auto type = cast<RankedTensorType>(types.front());
  if (program.liftedLike && type.getRank() == 0)
    return typeWith(program.liftedLike, type.getElementType());
  return type;
}

void OpReading::out(ValueRange list) {
  if (list.size() != op->getNumResults())
    return unsupported("has an unexpected number of results");
  for (auto [result, value] : llvm::zip_equal(op->getResults(), list))
    program.setValues(result, {value});
}

void OpReading::outFlat(ValueRange parts) {
  size_t next = 0;
  for (Value result : op->getResults()) {
    size_t count = program.typesOf(result.getType(), loc).size();
    if (failed())
      return;
    if (next + count > parts.size())
      return invalid("gives fewer values than it has results");
    program.setValues(result, Values(parts.slice(next, count)));
    next += count;
  }
}

SmallVector<int64_t> OpReading::list(StringRef name, size_t count,
                                     int64_t fallback) {
  Attribute value = op->getAttr(name);
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(value))
    return SmallVector<int64_t>(array.asArrayRef());
  if (auto bools = dyn_cast_or_null<DenseBoolArrayAttr>(value))
    return SmallVector<int64_t>(bools.asArrayRef());
  if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(value)) {
    SmallVector<int64_t> values;
    for (APInt element : dense.getValues<APInt>())
      values.push_back(dense.getElementType().isInteger(1)
                           ? int64_t(element.getBoolValue())
                           : element.getSExtValue());
    return values;
  }
  return SmallVector<int64_t>(count, fallback);
}

int64_t OpReading::intAttribute(StringRef name, int64_t fallback) {
  auto value = op->getAttrOfType<IntegerAttr>(name);
  return value ? value.getInt() : fallback;
}

bool OpReading::flag(StringRef name, bool fallback) {
  Attribute value = op->getAttr(name);
  if (auto boolean = dyn_cast_or_null<BoolAttr>(value))
    return boolean.getValue();
  return value ? isa<UnitAttr>(value) : fallback;
}

void OpReading::unsupported(const Twine &what) {
  program.fail(ErrorCode::Unsupported,
               "'" + op->getName().getStringRef() + "' " + what, loc);
}
void OpReading::invalid(const Twine &what) {
  program.fail(ErrorCode::Invalid,
               "'" + op->getName().getStringRef() + "' " + what, loc);
}

std::optional<StringRef> stablehlo::joiningOp(Region &region) {
  if (!region.hasOneBlock() || region.front().getNumArguments() != 2)
    return std::nullopt;
  Block &block = region.front();
  Operation &end = block.back();
  if (end.getNumOperands() != 1)
    return std::nullopt;
  Value first = block.getArgument(0), second = block.getArgument(1);
  if (block.getOperations().size() == 1 && end.getOperand(0) == second)
    return StringRef("second");
  Operation &inner = block.front();
  if (block.getOperations().size() != 2 || inner.getNumOperands() != 2 ||
      inner.getNumResults() != 1 || end.getOperand(0) != inner.getResult(0))
    return std::nullopt;
  bool inOrder = inner.getOperand(0) == first && inner.getOperand(1) == second;
  bool swapped = inner.getOperand(0) == second && inner.getOperand(1) == first;
  if (!inOrder && !swapped)
    return std::nullopt;
  StringRef name = inner.getName().getStringRef();
  for (StringRef commutative :
       {"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum",
        "stablehlo.minimum", "stablehlo.and", "stablehlo.or", "stablehlo.xor"})
    if (name == commutative)
      return name;
  return std::nullopt;
}
