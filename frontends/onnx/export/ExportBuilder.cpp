// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names values, shares constants and sizes, and decides where a broadcast must
// be written out.
#include "frontends/onnx/export/ExportBuilder.h"
#include "frontends/onnx/ImportONNX.h"

#include "mlir/IR/TypeUtilities.h"
#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

static NodeAttribute makeAttribute(std::string name, NodeAttribute::Kind kind) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = kind;
  return attribute;
}

NodeAttribute zenith::onnx::makeInt(std::string name, int64_t value) {
  NodeAttribute attribute = makeAttribute(std::move(name), NodeAttribute::Int);
  attribute.i = value;
  return attribute;
}

NodeAttribute zenith::onnx::makeInts(std::string name,
                                     ArrayRef<int64_t> values) {
  NodeAttribute attribute = makeAttribute(std::move(name), NodeAttribute::Ints);
  attribute.ints.assign(values.begin(), values.end());
  return attribute;
}

NodeAttribute zenith::onnx::makeFloat(std::string name, double value) {
  NodeAttribute attribute =
      makeAttribute(std::move(name), NodeAttribute::Float);
  attribute.f = float(value);
  return attribute;
}

NodeAttribute zenith::onnx::makeString(std::string name, std::string value) {
  NodeAttribute attribute =
      makeAttribute(std::move(name), NodeAttribute::String);
  attribute.strings.push_back(std::move(value));
  return attribute;
}

NodeAttribute zenith::onnx::makeGraph(std::string name, Graph value) {
  NodeAttribute attribute =
      makeAttribute(std::move(name), NodeAttribute::GraphValue);
  attribute.graphs.push_back(std::move(value));
  return attribute;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string ExportBuilder::fresh(const std::string &wish) {
  if (reserve(wish))
    return wish;
  for (int suffix = 1;; ++suffix)
    if (std::string name = fmt::format("{}_{}", wish, suffix); reserve(name))
      return name;
}

DataType ExportBuilder::typeOf(mlir::Type type) {
  DataType result = dataTypeOf(getElementTypeOrSelf(type));
  if (result == DataType::Undefined)
    fail(unsupported("an element type that ONNX does not have"));
  int64_t since = 1;
  if (result >= DataType::Float8E4M3FN && result <= DataType::Float8E5M2FNUZ)
    since = 19;
  else if (result == DataType::UInt4 || result == DataType::Int4)
    since = 21;
  else if (result > DataType::Int4)
    since = 23;
  if (opset < since)
    fail(unsupported(fmt::format("elements of type {} need opset {}",
                                 dataTypeName(result), since)));
  return result;
}

/// The operand of a broadcast with its dimensions at the positions that they
/// have in the result.
std::string ExportBuilder::broadcastable(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast)
    return name(value);
  if (auto known = unexpanded.find(value); known != unexpanded.end())
    return known->second;
  ArrayRef<int64_t> mapping = broadcast.getMapping();
  std::string result = name(broadcast.getOperand());
  int64_t rank = mlir::cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<int64_t> order(mapping.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t lhs, int64_t rhs) {
    return mapping[lhs] < mapping[rhs];
  });
  result = transpose(result, order);
  SmallVector<int64_t>
      inserted; // counted from the first dimension that the operand has
  int64_t first = mapping.empty() ? rank : *llvm::min_element(mapping);
  for (int64_t dim = first; dim < rank; ++dim)
    if (!llvm::is_contained(mapping, dim))
      inserted.push_back(dim - first);
  if (!inserted.empty())
    result = node("Unsqueeze", {result, ints(inserted)});
  return unexpanded[value] = result;
}

std::string ExportBuilder::name(Value value) {
  if (auto known = names.find(value); known != names.end())
    return known->second;
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast) {
    fail(unsupported("a value from outside of the function"));
    return "";
  }
  std::string operand = broadcastable(value);
  std::string wanted = shape(sizes(
      mlir::cast<RankedTensorType>(value.getType()), broadcast.getDims()));
  return names[value] = node("Expand", {operand, wanted});
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::string ExportBuilder::node(const std::string &op, Names inputs,
                                Attributes attributes) {
  Node node;
  node.op = op;
  node.name = fresh(nodeName.empty() ? op : nodeName);
  node.inputs = std::move(inputs);
  node.outputs = {fresh(node.name + "_out")};
  node.attributes = std::move(attributes);
  graph->nodes.push_back(std::move(node));
  return graph->nodes.back().outputs.front();
}

ExportBuilder::Names ExportBuilder::nodes(const std::string &op, Names inputs,
                                          Attributes attributes, size_t results,
                                          const std::string &domain) {
  node(op, std::move(inputs), std::move(attributes));
  Node &made = graph->nodes.back();
  made.domain = domain;
  while (made.outputs.size() < results)
    made.outputs.push_back(fresh(made.name + "_out"));
  return made.outputs;
}

Node *ExportBuilder::maker(const std::string &value, const std::string &op,
                           size_t inputs) {
  for (Node &node : llvm::reverse(graph->nodes))
    if (node.outputs.front() == value)
      return node.op == op && node.inputs.size() == inputs ? &node : nullptr;
  return nullptr;
}

std::string ExportBuilder::cast(const std::string &value, mlir::Type to) {
  return node("Cast", {value}, {makeInt("to", int64_t(typeOf(to)))});
}

std::string ExportBuilder::transpose(const std::string &value,
                                     ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  return node("Transpose", {value}, {makeInts("perm", permutation)});
}

std::string ExportBuilder::reshape(const std::string &value,
                                   ArrayRef<Size> sizes) {
  int64_t dynamic =
      llvm::count_if(sizes, [](const Size &size) { return !size.value; });
  bool hasZero =
      llvm::any_of(sizes, [](const Size &size) { return size.value == 0; });
  // Without the attribute a 0 stands for the operand's own size.
  if (dynamic != 1 || hasZero)
    return node("Reshape", {value, shape(sizes)},
                (hasZero || dynamic) && opset >= 14
                    ? Attributes{makeInt("allowzero", 1)}
                    : Attributes{});
  SmallVector<int64_t> wanted = llvm::map_to_vector(
      sizes, [](const Size &size) { return size.value.value_or(-1); });
  return node("Reshape", {value, ints(wanted)});
}

std::string ExportBuilder::dilate(const std::string &value,
                                  SmallVector<Size> &sizes, int64_t dim,
                                  int64_t factor, const std::string &filler) {
  if (factor == 1)
    return value;
  SmallVector<int64_t> pads(2 * (sizes.size() + 1), 0);
  pads[sizes.size() + 1 + dim + 1] = factor - 1;
  std::string apart = node(
      "Pad", {node("Unsqueeze", {value, ints({dim + 1})}), ints(pads), filler});
  Size wide = product({sizes[dim], Size{factor, ""}});
  sizes[dim] = wide;
  std::string joined = reshape(apart, sizes);
  sizes[dim] = sum(wide, Size{1 - factor, ""});
  // Nothing to cut if the dimension is empty.
  if (wide.value)
    sizes[dim].value = std::max<int64_t>(*wide.value + 1 - factor, 0);
  return node("Slice",
              {joined, ints({0}),
               wide.value ? ints({*sizes[dim].value}) : shape({sizes[dim]}),
               ints({dim})});
}

std::string ExportBuilder::reduce(const std::string &op,
                                  const std::string &value,
                                  ArrayRef<int64_t> axes, bool keepDims) {
  Attributes attributes = {makeInt("keepdims", keepDims)};
  if (opset >= 18 || op == "ReduceSum")
    return node(op, {value, ints(axes)}, std::move(attributes));
  attributes.push_back(makeInts("axes", axes));
  return node(op, {value}, std::move(attributes));
}

//===----------------------------------------------------------------------===//
// Subgraphs
//===----------------------------------------------------------------------===//

ValueInfo ExportBuilder::declare(std::string name, mlir::Type type) {
  ValueInfo info;
  info.name = std::move(name);
  info.type.kind = ValueType::TensorKind;
  info.type.element = typeOf(type);
  info.type.hasShape = true;
  for (int64_t size : mlir::cast<RankedTensorType>(type).getShape()) {
    info.type.dims.emplace_back();
    if (!ShapedType::isDynamic(size))
      info.type.dims.back().value = size;
  }
  return info;
}

void ExportBuilder::scoped(llvm::function_ref<void()> inside) {
  auto savedNames = names, savedUnexpanded = unexpanded;
  auto savedSizes = knownSizes;
  inside();
  names = std::move(savedNames);
  unexpanded = std::move(savedUnexpanded);
  knownSizes = std::move(savedSizes);
}

ExportBuilder::Names ExportBuilder::block(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (failed())
      return {};
    writeOp(op);
  }
  Names results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(name(value));
  return results;
}

Graph ExportBuilder::subgraph(const std::string &wish, TypeRange types,
                              llvm::function_ref<Names(Graph &)> write) {
  Graph made;
  made.name = fresh(wish);
  Graph *outer = graph;
  std::string outerName = nodeName;
  scoped([&] {
    graph = &made;
    Names results = write(made);
    nodeName = "";
    for (size_t i = 0; i < results.size() && i < types.size(); ++i)
      made.outputs.push_back(declare(node("Identity", {results[i]}), types[i]));
    graph = outer;
  });
  nodeName = outerName;
  return made;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::string ExportBuilder::initializer(Tensor tensor, const std::string &wish) {
  tensor.name = fresh(wish);
  root.initializers.push_back(std::move(tensor));
  return root.initializers.back().name;
}

/// Packs elements below a byte, low bits first.
static std::string packedBytes(DenseElementsAttr elements, unsigned bits) {
  std::string bytes;
  unsigned perByte = 8 / bits, index = 0;
  for (const llvm::APInt &value : elements.getValues<llvm::APInt>()) {
    if (index % perByte == 0)
      bytes.push_back(0);
    bytes.back() |= char(value.getZExtValue() << (index++ % perByte * bits));
  }
  return bytes;
}

Tensor zenith::onnx::tensorOf(ElementsAttr value, DataType type) {
  Tensor tensor;
  auto shaped = mlir::cast<RankedTensorType>(value.getShapedType());
  tensor.type = type;
  tensor.dims.assign(shaped.getShape().begin(), shaped.getShape().end());
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return tensor;
  std::string bytes;
  if (type == DataType::Bool) {
    for (bool element : dense.getValues<bool>())
      bytes.push_back(element);
  } else if (dataTypeBits(type) < 8) {
    bytes = packedBytes(dense, dataTypeBits(type));
  } else {
    ArrayRef<char> raw = dense.getRawData();
    bytes.assign(raw.data(), raw.size());
    if (dense.isSplat()) {
      std::string one = bytes;
      for (int64_t i = 1; i < shaped.getNumElements(); ++i)
        bytes += one;
      if (shaped.getNumElements() == 0)
        bytes.clear();
    }
  }
  tensor.data = files::ByteRange::fromMemory(std::move(bytes));
  return tensor;
}

std::string ExportBuilder::constant(ElementsAttr value) {
  DataType type = typeOf(value.getElementType());
  auto shaped = mlir::cast<RankedTensorType>(value.getShapedType());
  if (failed() || !isa<DenseElementsAttr>(value)) {
    fail(unsupported("constants that are not dense elements"));
    return "";
  }
  constexpr int64_t largeSplat = 1024;
  if (value.isSplat() && shaped.getNumElements() > largeSplat) {
    NodeAttribute attribute =
        makeAttribute("value", NodeAttribute::TensorValue);
    auto one = mlir::cast<DenseElementsAttr>(value).resizeSplat(
        RankedTensorType::get({1}, shaped.getElementType()));
    attribute.tensors.push_back(tensorOf(one, type));
    return node("ConstantOfShape", {ints(shaped.getShape())}, {attribute});
  }
  Tensor tensor = tensorOf(value, type);
  std::string key =
      fmt::format("{}:{}:", int(type), fmt::join(tensor.dims, ",")) +
      std::string(tensor.data.view());
  auto [known, isNew] = knownConstants.try_emplace(std::move(key));
  if (isNew)
    known->second = initializer(std::move(tensor), "constant");
  return known->second;
}

std::string ExportBuilder::scalar(mlir::Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  if (isa<FloatType>(element))
    return constant(DenseElementsAttr::get(
        type, mlir::FloatAttr::get(element, value).getValue()));
  return constant(
      DenseElementsAttr::get(type, llvm::APInt(element.getIntOrFloatBitWidth(),
                                               int64_t(value), true)));
}

static Tensor int64Tensor(std::vector<int64_t> dims, ArrayRef<int64_t> values) {
  std::string bytes(reinterpret_cast<const char *>(values.data()),
                    values.size() * sizeof(int64_t));
  return {"",
          DataType::Int64,
          std::move(dims),
          files::ByteRange::fromMemory(std::move(bytes)),
          {}};
}

std::string ExportBuilder::ints(ArrayRef<int64_t> values) {
  std::string &known =
      knownInts[std::vector<int64_t>(values.begin(), values.end())];
  if (known.empty())
    known = initializer(int64Tensor({int64_t(values.size())}, values), "ints");
  return known;
}

std::string ExportBuilder::intScalar(int64_t value) {
  std::string &known = knownConstants["scalar " + std::to_string(value)];
  if (known.empty())
    known = initializer(int64Tensor({}, value), "int");
  return known;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Size ExportBuilder::size(Value value, int64_t dim) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return {type.getDimSize(dim), ""};
  std::string of = name(value);
  std::string &known = knownSizes[{of, dim}];
  if (known.empty())
    known = node("Gather", {node("Shape", {of}), intScalar(dim)});
  return {std::nullopt, known};
}

SmallVector<Size> ExportBuilder::sizes(Value value) {
  SmallVector<Size> result;
  for (int64_t dim = 0;
       dim < mlir::cast<RankedTensorType>(value.getType()).getRank(); ++dim)
    result.push_back(size(value, dim));
  return result;
}

SmallVector<Size> ExportBuilder::sizes(RankedTensorType type,
                                       ValueRange dynamic) {
  return mixed(type.getShape(), dynamic);
}

SmallVector<Size> ExportBuilder::mixed(ArrayRef<int64_t> entries,
                                       ValueRange dynamic) {
  SmallVector<Size> result;
  size_t next = 0;
  for (int64_t entry : entries) {
    if (!ShapedType::isDynamic(entry))
      result.push_back({entry, ""});
    else if (next < dynamic.size())
      result.push_back({std::nullopt, name(dynamic[next++])});
    else
      fail(unsupported("a dynamic dimension that no operand gives"));
  }
  return result;
}

std::string ExportBuilder::sizeName(const Size &size) {
  return size.value ? intScalar(*size.value) : size.scalar;
}

Size ExportBuilder::product(ArrayRef<Size> sizes) {
  Size result{1, ""};
  for (const Size &size : sizes) {
    if (result.value && size.value)
      result.value = *result.value * *size.value;
    else if (result.value == 1)
      result = size;
    else if (size.value != 1)
      result = {std::nullopt, node("Mul", {sizeName(result), sizeName(size)})};
  }
  return result;
}

Size ExportBuilder::sum(const Size &lhs, const Size &rhs) {
  if (lhs.value && rhs.value)
    return {*lhs.value + *rhs.value, ""};
  if (lhs.value == 0)
    return rhs;
  if (rhs.value == 0)
    return lhs;
  return {std::nullopt, node("Add", {sizeName(lhs), sizeName(rhs)})};
}

std::string ExportBuilder::shape(ArrayRef<Size> sizes) {
  Names parts;
  SmallVector<int64_t> run;
  auto flush = [&] {
    if (!run.empty())
      parts.push_back(ints(run));
    run.clear();
  };
  for (const Size &size : sizes) {
    if (size.value) {
      run.push_back(*size.value);
      continue;
    }
    flush();
    parts.push_back(node("Reshape", {size.scalar, ints({1})}));
  }
  flush();
  if (parts.empty())
    return ints({});
  return parts.size() == 1 ? parts.front()
                           : node("Concat", parts, {makeInt("axis", 0)});
}
