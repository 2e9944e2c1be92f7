// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of sequences and optionals. A sequence of known length is a list
// of values and leaves no trace in the program; a loop-carried sequence is a
// tensor that grows.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/ElementFolding.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/import/SequenceReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Lists and tensors
//===----------------------------------------------------------------------===//

std::optional<ElementShape>
zenith::onnx::sharedShape(ImportBuilder &b, ArrayRef<ImportedValue *> items,
                          llvm::function_ref<Value(ImportedValue &)> read) {
  std::optional<ElementShape> shape;
  for (ImportedValue *item : items) {
    if (item->kind != ImportedValue::Tensor) {
      b.fail(unsupported("a sequence of sequences"));
      return std::nullopt;
    }
    Value value = read(*item);
    ElementShape here{b.dims(value), getElementTypeOrSelf(value.getType())};
    if (!shape)
      shape = here;
    if (here.element != shape->element || !sameDims(here.dims, shape->dims)) {
      b.fail(unsupported("a sequence whose elements differ in shape or type, "
                         "where only running tells its length"));
      return std::nullopt;
    }
  }
  return shape;
}

static DimVector withLength(const DimExpr &length, ArrayRef<DimExpr> dims) {
  DimVector result = {length};
  result.append(dims.begin(), dims.end());
  return result;
}

Value zenith::onnx::stack(ImportBuilder &b, ArrayRef<Value> items,
                          const ElementShape &shape) {
  if (items.empty())
    return b.filled(withLength(DimExpr(0), shape.dims), shape.element, 0);
  Values parts;
  for (Value item : items)
    parts.push_back(b.reshape(item, withLength(DimExpr(1), shape.dims)));
  return b.concat(0, parts);
}

ImportedValue zenith::onnx::stackedSequence(Value data) {
  ImportedValue result;
  result.kind = ImportedValue::Sequence;
  result.isStacked = true;
  result.data = data;
  result.type = cast<RankedTensorType>(data.getType());
  return result;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static ImportedValue listOf(std::vector<ImportedValue *> items) {
  ImportedValue result;
  result.kind = ImportedValue::Sequence;
  result.items = std::move(items);
  return result;
}

static void importSequenceConstruct(NodeReading &n) {
  std::vector<ImportedValue *> items;
  for (size_t i = 0; i < n.inputCount(); ++i) {
    if (!n.has(i))
      return n.fail(invalid(fmt::format("input {} is absent", i)));
    items.push_back(n.pointer(i));
  }
  n.result(0, listOf(std::move(items)));
}

static void importSequenceEmpty(NodeReading &n) { n.result(0, listOf({})); }

/// The sequence that input 0 is; an error if it is something else.
static const ImportedValue *sequence(NodeReading &n) {
  const ImportedValue &value = n.imported(0);
  if (value.kind == ImportedValue::Sequence)
    return &value;
  n.fail(invalid(
      fmt::format("input 0 is of kind {}, not a sequence", value.kindName())));
  return nullptr;
}

/// A position in a list of `size` from input `index`; the last one, or with
/// `mayEnd` the end, if the input is absent.
static std::optional<size_t> knownPosition(NodeReading &n, size_t index,
                                           int64_t size, bool mayEnd) {
  if (!n.has(index))
    return mayEnd ? size : size - 1;
  auto known = n.knownElements(index);
  auto position = known && known->values.size() == 1
                      ? known->values[0].constant()
                      : std::nullopt;
  if (!position) {
    n.fail(unsupported("a position in a sequence of elements of several "
                       "shapes that is not known before running"));
    return std::nullopt;
  }
  int64_t at = *position < 0 ? *position + size : *position;
  if (at < 0 || at >= size + mayEnd) {
    n.fail(invalid(fmt::format("position {} of a sequence of {} elements",
                               *position, size)));
    return std::nullopt;
  }
  return at;
}

/// The position as an i64 scalar that counts from the front.
static Value dataPosition(NodeReading &n, size_t index, const DimExpr &size) {
  ImportBuilder &b = n.b;
  Value position =
      b.convert(asScalar(b, n.input(index)), b.builder.getI64Type());
  return wrapNegative(b, position, b.scalar(size));
}

static void importSequenceInsert(NodeReading &n) {
  ImportBuilder &b = n.b;
  const ImportedValue *list = sequence(n);
  if (!list)
    return;
  if (!list->isStacked) {
    std::vector<ImportedValue *> items = list->items;
    auto at = knownPosition(n, 2, items.size(), /*mayEnd=*/true);
    if (!at)
      return;
    items.insert(items.begin() + *at, n.pointer(1));
    return n.result(0, listOf(std::move(items)));
  }
  if (n.imported(1).kind != ImportedValue::Tensor)
    return n.fail(unsupported("a sequence of sequences"));
  Value value = n.input(1), data = list->data;
  DimVector dims = b.dims(data), part = b.dims(value);
  if (part.size() + 1 != dims.size())
    return n.fail(unsupported("a sequence in a loop whose elements differ in "
                              "rank"));
  Value element = b.reshape(value, withLength(DimExpr(1), part));
  if (!n.has(2))
    return n.result(0, stackedSequence(b.concat(0, {data, element})));
  DimExpr at = b.readScalar(dataPosition(n, 2, dims[0]));
  n.result(0, stackedSequence(
                  b.concat(0, {b.sliceDim(data, 0, DimExpr(0), at), element,
                               b.sliceDim(data, 0, at, dims[0] - at)})));
}

static void importSequenceErase(NodeReading &n) {
  ImportBuilder &b = n.b;
  const ImportedValue *list = sequence(n);
  if (!list)
    return;
  if (!list->isStacked) {
    std::vector<ImportedValue *> items = list->items;
    if (items.empty())
      return n.fail(invalid("an element of an empty sequence"));
    if (auto at = knownPosition(n, 1, items.size(), /*mayEnd=*/false)) {
      items.erase(items.begin() + *at);
      n.result(0, listOf(std::move(items)));
    }
    return;
  }
  DimVector dims = b.dims(list->data);
  DimExpr last = dims[0] - DimExpr(1);
  DimExpr at = n.has(1) ? b.readScalar(dataPosition(n, 1, dims[0])) : last;
  n.result(0, stackedSequence(b.concat(
                  0, {b.sliceDim(list->data, 0, DimExpr(0), at),
                      b.sliceDim(list->data, 0, at + DimExpr(1), last - at)})));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static void importSequenceAt(NodeReading &n) {
  ImportBuilder &b = n.b;
  const ImportedValue *list = sequence(n);
  if (!list)
    return;
  if (!list->isStacked) {
    auto known = n.knownElements(1);
    bool isKnown = known && known->values.size() == 1 &&
                   known->values[0].constant().has_value();
    if (list->items.empty())
      return n.fail(invalid("an element of an empty sequence"));
    if (isKnown) {
      if (auto at = knownPosition(n, 1, list->items.size(), /*mayEnd=*/false))
        n.result(0, *list->items[*at]);
      return;
    }
  }
  Value data = list->data;
  if (!list->isStacked) {
    auto read = [&](ImportedValue &value) { return n.read(value); };
    auto shape = sharedShape(b, list->items, read);
    if (!shape)
      return;
    data = stack(
        b,
        llvm::map_to_vector(list->items,
                            [&](ImportedValue *item) { return n.read(*item); }),
        *shape);
  }
  n.result(takeAt(b, data, 0, dataPosition(n, 1, b.dims(data)[0])));
}

static void importSequenceLength(NodeReading &n) {
  const ImportedValue *list = sequence(n);
  if (!list)
    return;
  DimExpr length = list->isStacked ? n.b.dims(list->data)[0]
                                   : DimExpr(int64_t(list->items.size()));
  n.result(0, Elements{{}, {length}}, n.b.builder.getI64Type());
}

static void importConcatFromSequence(NodeReading &n) {
  ImportBuilder &b = n.b;
  const ImportedValue *list = sequence(n);
  if (!list)
    return;
  bool isNew = n.intAttribute("new_axis", 0) != 0;
  if (!n.hasAttribute("axis"))
    return n.fail(invalid("attribute 'axis' is absent"));
  if (list->isStacked) {
    int64_t rank = list->type.getRank();
    int64_t axis = n.axisAttribute("axis", 0, isNew ? rank : rank - 1);
    if (n.failed())
      return;
    SmallVector<int64_t> order;
    for (int64_t dim = 1; dim < rank; ++dim)
      order.push_back(dim);
    order.insert(order.begin() + axis, 0);
    Value moved = b.transpose(list->data, order);
    if (isNew)
      return n.result(moved);
    DimVector dims = b.dims(moved);
    dims[axis] = dims[axis] * dims[axis + 1];
    dims.erase(dims.begin() + axis + 1);
    return n.result(b.reshape(moved, dims));
  }
  if (list->items.empty())
    return n.fail(unsupported("ConcatFromSequence of an empty sequence"));
  Values values;
  for (ImportedValue *item : list->items) {
    if (item->kind != ImportedValue::Tensor)
      return n.fail(invalid("an element is no tensor"));
    values.push_back(n.read(*item));
  }
  int64_t rank = cast<RankedTensorType>(values[0].getType()).getRank();
  int64_t axis = n.axisAttribute("axis", 0, isNew ? rank + 1 : rank);
  if (n.failed())
    return;
  if (isNew)
    for (Value &value : values) {
      DimVector dims = b.dims(value);
      if (int64_t(dims.size()) != rank)
        return n.fail(invalid("the elements differ in rank"));
      dims.insert(dims.begin() + axis, DimExpr(1));
      value = b.reshape(value, dims);
    }
  n.result(b.concat(axis, values));
}

/// The sizes of the parts that SplitToSequence makes of a dimension; nothing if
/// their count is not known.
static std::optional<SmallVector<DimExpr>> partSizes(NodeReading &n,
                                                     const DimExpr &size) {
  constexpr int64_t mostParts = 4096;
  auto total = size.constant();
  auto split = n.has(1) ? n.knownElements(1) : std::nullopt;
  if (n.has(1) && n.rank(1) > 0)
    return n.elements(1, "the size of a part");
  int64_t each = 1;
  if (n.has(1)) {
    auto constant = split ? split->values[0].constant() : std::nullopt;
    if (!constant || *constant < 1)
      return std::nullopt;
    each = *constant;
  }
  if (!total || *total / each >= mostParts)
    return std::nullopt;
  SmallVector<DimExpr> sizes;
  for (int64_t start = 0; start < *total; start += each)
    sizes.push_back(DimExpr(std::min(each, *total - start)));
  return sizes;
}

static void importSplitToSequence(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t axis = n.axisAttribute("axis", 0, n.rank(0));
  if (n.failed())
    return;
  bool keeps = n.intAttribute("keepdims", 1) != 0 || n.has(1);
  DimVector dims = n.dims(0);
  auto sizes = partSizes(n, dims[axis]);
  if (n.failed())
    return;
  if (!sizes) {
    if (n.has(1))
      return n.fail(unsupported("SplitToSequence into a number of parts that "
                                "is not known before running"));
    // One element per position: the tensor itself is the sequence.
    SmallVector<int64_t> order = {axis};
    for (int64_t dim = 0; dim < n.rank(0); ++dim)
      if (dim != axis)
        order.push_back(dim);
    Value data = b.transpose(n.input(0), order);
    if (keeps) {
      DimVector wide = b.dims(data);
      wide.insert(wide.begin() + 1 + axis, DimExpr(1));
      data = b.reshape(data, wide);
    }
    return n.result(0, stackedSequence(data));
  }
  std::vector<ImportedValue *> items;
  DimExpr start(0);
  for (const DimExpr &size : *sizes) {
    ImportedValue item;
    item.data = b.sliceDim(n.input(0), axis, start, size);
    if (!keeps) {
      DimVector rest = dims;
      rest.erase(rest.begin() + axis);
      item.data = b.reshape(item.data, rest);
    }
    item.type = cast<RankedTensorType>(item.data.getType());
    items.push_back(n.source.keepValue(std::move(item)));
    start = start + size;
  }
  n.result(0, listOf(std::move(items)));
}

//===----------------------------------------------------------------------===//
// Optionals
//===----------------------------------------------------------------------===//

static void importOptional(NodeReading &n) {
  ImportedValue result;
  result.kind = ImportedValue::Optional;
  if (n.has(0))
    result.items.push_back(n.pointer(0));
  n.result(0, std::move(result));
}

static void importOptionalGetElement(NodeReading &n) {
  const ImportedValue &value = n.imported(0);
  if (value.kind != ImportedValue::Optional)
    return n.result(0, value);
  if (value.items.empty())
    return n.fail(invalid("the element of an empty optional"));
  n.result(0, *value.items.front());
}

static void importOptionalHasElement(NodeReading &n) {
  bool has = n.has(0) && (n.imported(0).kind != ImportedValue::Optional ||
                          !n.imported(0).items.empty());
  n.result(0, Elements{{}, {DimExpr(int64_t(has))}}, n.b.builder.getI1Type());
}

llvm::ArrayRef<OpRow> zenith::onnx::sequenceRows() {
  static constexpr OpRow rows[] = {
      {"ConcatFromSequence", 11, newest, 1, 1, importConcatFromSequence,
       nullptr, true},
      {"Optional", 15, newest, 0, 1, importOptional, nullptr, true},
      {"OptionalGetElement", 15, newest, 1, 1, importOptionalGetElement,
       nullptr, true},
      {"OptionalHasElement", 15, newest, 0, 1, importOptionalHasElement,
       nullptr, true},
      {"SequenceAt", 11, newest, 2, 2, importSequenceAt, nullptr, true},
      {"SequenceConstruct", 11, newest, 1, anyNumber, importSequenceConstruct,
       nullptr, true},
      {"SequenceEmpty", 11, newest, 0, 0, importSequenceEmpty},
      {"SequenceErase", 11, newest, 1, 2, importSequenceErase, nullptr, true},
      {"SequenceInsert", 11, newest, 2, 3, importSequenceInsert, nullptr, true},
      {"SequenceLength", 11, newest, 1, 1, importSequenceLength, nullptr, true},
      {"SplitToSequence", 11, newest, 1, 2, importSplitToSequence},
  };
  return rows;
}
