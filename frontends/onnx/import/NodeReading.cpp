// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives rules their inputs as data, as known elements or as constants, and
// their attributes with defaults.
#include "frontends/onnx/import/NodeReading.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

NodeReading::NodeReading(const Node &node, int64_t version, ImportBuilder &b,
                         ValueSource &source,
                         std::vector<ImportedValue *> inputs)
    : node(node), version(version), b(b), source(source),
      results(node.outputs.size()), inputs(std::move(inputs)) {}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

bool NodeReading::needs(ArrayRef<size_t> indices) {
  for (size_t index : indices)
    if (!has(index))
      fail(invalid(fmt::format("input {} is absent", index)));
  return !failed();
}

SmallVector<Value> NodeReading::allInputs() {
  SmallVector<Value> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!has(i)) {
      fail(invalid(fmt::format("input {} is absent", i)));
      return {};
    }
    values.push_back(input(i));
  }
  return values;
}

DimVector NodeReading::dims(size_t index) {
  RankedTensorType known = type(index);
  if (!known.hasStaticShape())
    return b.dims(input(index));
  DimVector result;
  for (int64_t size : known.getShape())
    result.push_back(DimExpr(size));
  return result;
}

graph::SizeCheckSubject NodeReading::subject() {
  graph::SizeCheckSubject result{node.op, {}};
  for (size_t i = 0; i < inputs.size(); ++i)
    if (has(i) && inputs[i]->kind == ImportedValue::Tensor && rank(i) > 0)
      result.operands.push_back(dims(i));
  return result;
}

/// Elements as one value: constant ones in one constant, others joined from
/// their scalars.
static Value elementsAsData(ImportBuilder &b, const ImportedValue &value) {
  Type element = value.type.getElementType();
  SmallVector<llvm::APInt> constants;
  unsigned width = element.getIntOrFloatBitWidth();
  for (const DimExpr &expr : *value.elements)
    if (auto constant = expr.constant())
      constants.emplace_back(width, *constant, /*isSigned=*/true);
  if (constants.size() == value.elements->size())
    return b.constant(DenseElementsAttr::get(value.type, constants));
  SmallVector<Value> parts;
  for (const DimExpr &expr : *value.elements)
    parts.push_back(b.reshape(b.scalar(expr), value.type.getRank() == 0
                                                  ? DimVector{}
                                                  : DimVector{DimExpr(1)}));
  Value joined = value.type.getRank() == 0 ? parts.front() : b.concat(0, parts);
  DimVector dims;
  for (int64_t size : value.type.getShape())
    dims.push_back(DimExpr(size));
  return b.convert(b.reshape(joined, dims), element);
}

Value NodeReading::materialise(ImportedValue &value) {
  if (value.data)
    return value.data;
  if (value.kind != ImportedValue::Tensor) {
    fail(invalid(fmt::format("an input is of kind {}", value.kindName())));
    return b.opaque(value.type);
  }
  if (value.elements)
    value.data = elementsAsData(b, value);
  else if (!value.parameter.empty())
    value.data = source.readParameter(value);
  else
    value.data = b.constant(denseElements(*value.tensor, value.type));
  b.madeOnDemand(value.data);
  return value.data;
}

std::optional<double> NodeReading::constantScalar(size_t index) const {
  const ImportedValue &value = *inputs[index];
  if (value.elements && value.elements->size() == 1)
    if (auto constant = value.elements->front().constant())
      return double(*constant);
  if (!value.tensor || !value.type.hasStaticShape() ||
      value.type.getNumElements() != 1)
    return std::nullopt;
  DenseElementsAttr elements = denseElements(*value.tensor, value.type);
  if (isa<FloatType>(value.type.getElementType()))
    return (*elements.value_begin<llvm::APFloat>()).convertToDouble();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Shapes as values
//===----------------------------------------------------------------------===//

std::optional<Elements> NodeReading::knownElements(size_t index) {
  ImportedValue &value = *inputs[index];
  if (!value.elements && value.tensor &&
      value.type.getNumElements() <= maxKnownElements)
    if (auto integers = integersOf(*value.tensor))
      value.elements = SmallVector<DimExpr>(integers->begin(), integers->end());
  if (!value.elements)
    return std::nullopt;
  return Elements{SmallVector<int64_t>(value.type.getShape()), *value.elements};
}

bool NodeReading::allElementsKnown() {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (has(i) && !knownElements(i))
      return false;
  return true;
}

SmallVector<DimExpr> NodeReading::elements(size_t index, const char *what) {
  if (auto known = knownElements(index))
    return known->values;
  RankedTensorType from = type(index);
  constexpr int64_t maxRead = 16;
  if (!from.hasStaticShape() || from.getNumElements() > maxRead ||
      !from.getElementType().isIntOrIndex()) {
    fail(unsupported(fmt::format(
        "{} is not known before running; bind the input that gives it", what)));
    return {};
  }
  SmallVector<DimExpr> result;
  if (from.getNumElements() == 0)
    return result;
  Value flat =
      b.convert(b.reshape(input(index), {DimExpr(from.getNumElements())}),
                b.builder.getI64Type());
  for (int64_t i = 0; i < from.getNumElements(); ++i)
    result.push_back(b.readScalar(
        b.reshape(b.sliceDim(flat, 0, DimExpr(i), DimExpr(1)), {})));
  return result;
}

std::optional<SmallVector<int64_t>> NodeReading::constantInts(const char *name,
                                                              size_t index) {
  if (hasAttribute(name))
    return intsAttribute(name);
  if (!has(index))
    return std::nullopt;
  SmallVector<int64_t> result;
  if (type(index).hasStaticShape() && type(index).getNumElements() == 0)
    return result;
  auto known = knownElements(index);
  for (size_t i = 0; known && i < known->values.size(); ++i)
    if (auto constant = known->values[i].constant())
      result.push_back(*constant);
  if (!known || result.size() != known->values.size())
    fail(unsupported(fmt::format(
        "input {} ({}) is not a constant; bind the input that gives it", index,
        name)));
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const NodeAttribute *NodeReading::attribute(const char *name,
                                            NodeAttribute::Kind kind) {
  const NodeAttribute *found = node.attribute(name);
  if (!found || found->kind == kind)
    return found;
  // IR versions 1 and 2 leave out empty lists and their type.
  if (found->kind != NodeAttribute::Undefined)
    fail(invalid(fmt::format("attribute '{}' has kind {}, not {}", name,
                             int(found->kind), int(kind))));
  return nullptr;
}

int64_t NodeReading::intAttribute(const char *name, int64_t otherwise) {
  const NodeAttribute *found = attribute(name, NodeAttribute::Int);
  return found ? found->i : otherwise;
}

double NodeReading::floatAttribute(const char *name, double otherwise) {
  const NodeAttribute *found = attribute(name, NodeAttribute::Float);
  return found ? found->f : otherwise;
}

std::string NodeReading::stringAttribute(const char *name,
                                         const char *otherwise) {
  const NodeAttribute *found = attribute(name, NodeAttribute::String);
  return found ? found->strings.front() : otherwise;
}

SmallVector<int64_t> NodeReading::intsAttribute(const char *name,
                                                ArrayRef<int64_t> otherwise) {
  const NodeAttribute *found = attribute(name, NodeAttribute::Ints);
  return found ? SmallVector<int64_t>(found->ints.begin(), found->ints.end())
               : SmallVector<int64_t>(otherwise);
}

int64_t NodeReading::axis(int64_t value, int64_t rank) {
  if (value < -rank || value >= rank) {
    fail(invalid(
        fmt::format("axis {} is out of range for rank {}", value, rank)));
    return 0;
  }
  return value < 0 ? value + rank : value;
}

SmallVector<int64_t> NodeReading::axes(ArrayRef<int64_t> values, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t value : values)
    result.push_back(axis(value, rank));
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    fail(invalid("an axis is given twice"));
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void NodeReading::result(size_t index, Value value) {
  if (index >= results.size())
    return;
  ImportedValue imported;
  imported.type = cast<RankedTensorType>(value.getType());
  imported.data = value;
  results[index] = std::move(imported);
}

void NodeReading::result(size_t index, Value stored, DataType emulated) {
  result(index, stored);
  if (index < results.size())
    results[index]->emulated = emulated;
}

void NodeReading::result(size_t index, Value positions,
                         std::vector<std::string> words) {
  result(index, positions, DataType::String);
  if (index < results.size())
    results[index]->words =
        std::make_shared<const std::vector<std::string>>(std::move(words));
}

void NodeReading::result(size_t index, Elements elements, Type element) {
  if (index >= results.size())
    return;
  ImportedValue imported;
  imported.type = RankedTensorType::get(elements.shape, element);
  imported.elements = std::move(elements.values);
  results[index] = std::move(imported);
}
