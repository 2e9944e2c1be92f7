// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of the ops that make shapes and values from shapes: Shape,
// Constant, ConstantOfShape, Range.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/ElementFolding.h"
#include "frontends/onnx/import/NodeReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::SmallVector;

static void importShape(NodeReading &n) {
  int64_t rank = n.rank(0);
  auto bound = [&](const char *name, int64_t otherwise) {
    int64_t value = n.intAttribute(name, otherwise);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = bound("start", 0), end = std::max(bound("end", rank), start);
  DimVector dims = n.dims(0);
  n.result(
      0,
      Elements{{end - start},
               SmallVector<DimExpr>(dims.begin() + start, dims.begin() + end)},
      n.b.builder.getI64Type());
}

static void importSize(NodeReading &n) {
  n.result(0, Elements{{}, {n.b.product(n.dims(0))}}, n.b.builder.getI64Type());
}

template <typename T>
static Tensor makeTensor(DataType type, std::vector<int64_t> dims,
                         const std::vector<T> &values) {
  std::string bytes(reinterpret_cast<const char *>(values.data()),
                    values.size() * sizeof(T));
  return {"",
          type,
          std::move(dims),
          files::ByteRange::fromMemory(std::move(bytes)),
          {}};
}

static void importConstant(NodeReading &n) {
  if (n.node.attributes.size() != 1)
    return n.fail(invalid("Constant needs exactly one attribute"));
  const NodeAttribute &attribute = n.node.attributes.front();
  auto give = [&](const Tensor &tensor) {
    n.result(0, n.source.constantValue(tensor, n.node.outputs.front()));
  };
  auto keep = [&](Tensor tensor) { give(n.source.keep(std::move(tensor))); };
  auto count = [](const auto &list) {
    return std::vector<int64_t>{int64_t(list.size())};
  };
  bool isValue =
      attribute.name == "value" && attribute.kind == NodeAttribute::TensorValue;
  if (isValue)
    return give(attribute.tensors.front());
  if (attribute.name == "value_float" && attribute.kind == NodeAttribute::Float)
    return keep(makeTensor<float>(DataType::Float, {}, {attribute.f}));
  if (attribute.name == "value_floats" &&
      attribute.kind == NodeAttribute::Floats)
    return keep(makeTensor<float>(DataType::Float, count(attribute.floats),
                                  attribute.floats));
  if (attribute.name == "value_int" && attribute.kind == NodeAttribute::Int)
    return keep(makeTensor<int64_t>(DataType::Int64, {}, {attribute.i}));
  if (attribute.name == "value_ints" && attribute.kind == NodeAttribute::Ints)
    return keep(makeTensor<int64_t>(DataType::Int64, count(attribute.ints),
                                    attribute.ints));
  n.fail(
      unsupported(fmt::format("Constant with attribute '{}'", attribute.name)));
}

static void importConstantOfShape(NodeReading &n) {
  DimVector dims = n.elements(0, "the shape");
  Tensor zero = makeTensor<float>(DataType::Float, {1}, {0});
  const NodeAttribute *attribute = n.node.attribute("value");
  if (attribute && attribute->kind != NodeAttribute::TensorValue)
    return n.fail(invalid("attribute 'value' is not a tensor"));
  const Tensor &tensor = attribute ? attribute->tensors.front() : zero;
  Type element = elementTypeOf(tensor.type, n.b.builder.getContext());
  if (!element)
    return n.fail(unsupported(
        fmt::format("a constant of type {}", dataTypeName(tensor.type))));
  if (elementCount(tensor.dims) != 1u)
    return n.fail(invalid("attribute 'value' does not have one element"));
  if (n.failed())
    return;
  auto shape = staticShape(dims);
  auto integer = integersOf(tensor);
  if (shape && smallCount(*shape) && integer)
    return n.result(
        0,
        Elements{*shape, SmallVector<DimExpr>(*smallCount(*shape),
                                              DimExpr(integer->front()))},
        element);
  Value scalar =
      n.b.constant(denseElements(tensor, RankedTensorType::get({}, element)));
  n.result(n.b.broadcast(scalar, {}, dims));
}

/// A Range of integers whose step is data, of either sign.
static void importOpenRange(NodeReading &n, const DimExpr &start,
                            const DimExpr &limit, const DimExpr &delta) {
  ImportBuilder &b = n.b;
  b.requireAtMost(DimExpr(1), DimExpr::max(delta, DimExpr(0) - delta),
                  "the least step");
  DimExpr count =
      DimExpr::max(DimExpr::ceilDiv(limit - start, delta), DimExpr(0));
  Value result = b.iota(0, {count}, b.builder.getI64Type());
  result = b.binary<graph::MulOp>(result, b.scalar(delta));
  result = b.binary<graph::AddOp>(result, b.scalar(start));
  n.result(b.convert(result, n.elementType(0)));
}

/// Elements of a Range of integers: expressions if the count is known, else
/// start + i * delta as data.
static void importIntegerRange(NodeReading &n) {
  DimExpr bounds[3];
  const char *names[] = {"the start", "the limit", "the step"};
  for (int i = 0; i < 3; ++i) {
    SmallVector<DimExpr> values = n.elements(i, names[i]);
    if (n.failed())
      return;
    if (values.size() != 1)
      return n.fail(invalid(fmt::format("{} is not a scalar", names[i])));
    bounds[i] = values.front();
  }
  auto [start, limit, delta] = std::tie(bounds[0], bounds[1], bounds[2]);
  auto step = delta.constant();
  if (!step)
    return importOpenRange(n, start, limit, delta);
  if (*step == 0 || *step == INT64_MIN)
    return n.fail(invalid(fmt::format("a Range has step {}", *step)));
  DimExpr span = *step > 0 ? limit - start : start - limit;
  DimExpr count = DimExpr::max(DimExpr::ceilDiv(span, DimExpr(std::abs(*step))),
                               DimExpr(0));
  Type element = n.elementType(0), i64 = n.b.builder.getI64Type();
  if (auto size = count.constant();
      size && *size <= maxKnownElements && start.constant() && element == i64) {
    Elements values{{*size}, {}};
    for (int64_t i = 0; i < *size; ++i)
      values.values.push_back(start + DimExpr(i * *step));
    return n.result(0, std::move(values), element);
  }
  Value result = n.b.iota(0, {count}, i64);
  if (*step != 1)
    result = n.b.binary<graph::MulOp>(result, double(*step));
  if (!isConstant(start, 0))
    result = n.b.binary<graph::AddOp>(result, n.b.scalar(start));
  n.result(n.b.convert(result, element));
}

static void importRange(NodeReading &n) {
  if (isa<IntegerType>(n.elementType(0)))
    return importIntegerRange(n);
  ImportBuilder &b = n.b;
  Type element = n.elementType(0);
  auto start = n.constantScalar(0), limit = n.constantScalar(1),
       delta = n.constantScalar(2);
  if (start && limit && delta) {
    double count = std::ceil((*limit - *start) / *delta);
    if (!(std::abs(count) < double(int64_t(1) << 40)))
      return n.fail(invalid("a Range has no end"));
    Value indices =
        b.iota(0, {DimExpr(std::max<int64_t>(int64_t(count), 0))}, element);
    Value scaled = b.binary<graph::MulOp>(indices, *delta);
    return n.result(b.binary<graph::AddOp>(scaled, *start));
  }
  Value first = b.reshape(n.input(0), {}), last = b.reshape(n.input(1), {}),
        step = b.reshape(n.input(2), {});
  Value moves = b.compare(graph::CompareDirection::ne, step,
                          b.scalarConstant(element, 0));
  if (!n.failed())
    b.builder.create<graph::AssertOp>(
        b.loc, moves, n.node.op + ": the step is 0", ValueRange());
  Value span = b.binary<graph::SubOp>(last, first);
  Value count = b.unary<graph::CeilOp>(b.binary<graph::DivOp>(span, step));
  count = b.binary<graph::MaxOp>(b.convert(count, b.builder.getI64Type()), 0.0);
  if (n.failed())
    return;
  Value indices = b.iota(0, {b.nameCount(count)}, element);
  n.result(
      b.binary<graph::AddOp>(b.binary<graph::MulOp>(indices, step), first));
}

llvm::ArrayRef<OpRow> zenith::onnx::shapeRows() {
  static constexpr OpRow rows[] = {
      {"Constant", 1, newest, 0, 0, importConstant},
      {"ConstantOfShape", 9, newest, 1, 1, importConstantOfShape},
      {"Range", 11, newest, 3, 3, importRange},
      {"Shape", 1, newest, 1, 1, importShape, nullptr, false, Emulated::Read},
      {"Size", 1, newest, 1, 1, importSize, nullptr, false, Emulated::Read},
  };
  return rows;
}
