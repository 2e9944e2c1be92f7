// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of encoders (ai.onnx.ml): categories to columns, keys to values,
// words to integers and back, scores by class.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/layers/LearningReading.h"
#include "ir/AssertionCode.h"
#include "ir/remarks/Remark.h"

#include <fmt/format.h>
#include <map>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

constexpr size_t mostKeys = 1 << 12;

static const std::vector<std::string> *wordsAttribute(NodeReading &n,
                                                      const std::string &name) {
  const NodeAttribute *found = n.node.attribute(name);
  if (found && found->kind == NodeAttribute::Strings)
    return &found->strings;
  bool isTensor = found && found->kind == NodeAttribute::TensorValue &&
                  !found->tensors.empty() &&
                  found->tensors[0].type == DataType::String;
  return isTensor ? &found->tensors[0].strings : nullptr;
}

/// Which key each element equals: booleans with the keys in a new last
/// dimension.
static Value matches(ImportBuilder &b, Value x, Value keys) {
  DimVector dims = b.dims(x);
  dims.push_back(DimExpr(1));
  ScalarValue column(b, b.reshape(x, dims)), key(b, keys);
  Value equal = column.compare(CompareDirection::eq, key);
  if (!isa<FloatType>(getElementTypeOrSelf(x.getType())))
    return equal;
  Value bothNaN =
      b.binary<graph::AndOp>(column.compare(CompareDirection::ne, column),
                             key.compare(CompareDirection::ne, key));
  return b.binary<graph::OrOp>(equal, bothNaN);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The list that the strings of input 0 are positions in; null and the node's
/// error where the input is none.
static const std::vector<std::string> *inputWords(NodeReading &n) {
  if (!n.imported(0).words)
    n.fail(invalid(
        fmt::format("{} of strings needs an input of strings", n.node.op)));
  return n.imported(0).words.get();
}

/// One entry of a table for each string of the input.
static Value lookUpWords(NodeReading &n, ArrayRef<double> table, Type element) {
  return gatherAlong(
      n.b, constantTable(n.b, table, {int64_t(table.size())}, element), 0,
      n.input(0));
}

/// Where each word lies in `list`; `otherwise` for those that it lacks.
static SmallVector<double> positionsIn(ArrayRef<std::string> list,
                                       ArrayRef<std::string> words,
                                       double otherwise) {
  std::map<llvm::StringRef, double> known;
  for (auto [index, word] : llvm::enumerate(list))
    known.try_emplace(word, double(index));
  return llvm::map_to_vector(words, [&](const std::string &word) {
    auto found = known.find(word);
    return found == known.end() ? otherwise : found->second;
  });
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// Ends the run where an element is of no category: its row of hits is false.
static void requireCategories(NodeReading &n, Value hits) {
  ImportBuilder &b = n.b;
  SmallVector<int64_t> elements(b.dims(hits).size() - 1);
  std::iota(elements.begin(), elements.end(), 0);
  Value known = b.reduce(ReduceKind::any, hits, {int64_t(elements.size())},
                         /*keepDims=*/false);
  if (!elements.empty())
    known = b.reduce(ReduceKind::all, known, elements, /*keepDims=*/false);
  if (n.failed())
    return;
  graph::markRunError(b.builder.create<graph::AssertOp>(
      b.loc, known, fmt::format("{}: an element is of no category", n.node.op),
      ValueRange{}));
}

static void importOneHotEncoder(NodeReading &n) {
  ImportBuilder &b = n.b;
  std::vector<double> categories = numbersAttribute(n, "cats_int64s");
  if (const auto *names = wordsAttribute(n, "cats_strings")) {
    const std::vector<std::string> *words = inputWords(n);
    if (!words)
      return;
    SmallVector<double> positions = positionsIn(*words, *names, -1);
    categories.assign(positions.begin(), positions.end());
  } else if (n.imported(0).words) {
    return n.fail(invalid("cats_int64s of strings"));
  }
  if (categories.empty() || categories.size() > mostKeys)
    return n.fail(unsupported(
        fmt::format("OneHotEncoder of {} categories", categories.size())));
  Type i64 = b.builder.getI64Type();
  Value keys = constantTable(b, categories, {int64_t(categories.size())}, i64);
  Value hits = matches(b, b.convert(n.input(0), i64), keys);
  if (!n.intAttribute("zeros", 1))
    requireCategories(n, hits);
  n.result(b.convert(hits, b.builder.getF32Type()));
}

//===----------------------------------------------------------------------===//
// Keys and values
//===----------------------------------------------------------------------===//

namespace {

/// The keys or the values of a LabelEncoder: numbers of a type, or words.
struct EncoderList {
  Type element; // null: words
  std::vector<double> numbers;
  std::vector<std::string> words;
  size_t size() const { return element ? numbers.size() : words.size(); }
};

} // namespace

static EncoderList encoderList(NodeReading &n, const std::string &prefix) {
  EncoderList list;
  if (const auto *words = wordsAttribute(n, prefix + "_strings"))
    list.words = *words;
  else if (const auto *words = wordsAttribute(n, prefix + "_tensor"))
    list.words = *words;
  if (!list.words.empty())
    return list;
  for (auto [suffix, type] :
       {std::pair<const char *, Type>("_int64s", n.b.builder.getI64Type()),
        std::pair<const char *, Type>("_floats", n.b.builder.getF32Type())})
    if (n.hasAttribute((prefix + suffix).c_str())) {
      list.element = type;
      list.numbers = numbersAttribute(n, (prefix + suffix).c_str());
      return list;
    }
  const NodeAttribute *tensor = n.node.attribute(prefix + "_tensor");
  if (tensor && !tensor->tensors.empty())
    list.element =
        elementTypeOf(tensor->tensors[0].type, n.b.builder.getContext());
  if (list.element)
    list.numbers = numbersAttribute(n, (prefix + "_tensor").c_str());
  else
    n.fail(invalid(fmt::format("LabelEncoder without {}", prefix)));
  return list;
}

/// Values as numbers: words become positions in the list of different ones,
/// to which `otherwise` belongs.
static std::vector<std::string> numberWords(EncoderList &values,
                                            const std::string &otherwise,
                                            IntegerType i64) {
  std::vector<std::string> words;
  std::map<std::string, double> known;
  auto positionOf = [&](const std::string &word) {
    auto [entry, isNew] = known.try_emplace(word, double(words.size()));
    if (isNew)
      words.push_back(word);
    return entry->second;
  };
  for (const std::string &word : values.words)
    values.numbers.push_back(positionOf(word));
  positionOf(otherwise);
  values.element = i64;
  return words;
}

/// The value of the last key that each number equals, else `otherwise`.
static Value lookUpNumbers(NodeReading &n, const EncoderList &keys,
                           const EncoderList &values, double otherwise) {
  ImportBuilder &b = n.b;
  int64_t count = keys.size(), rank = n.rank(0);
  Type i32 = b.builder.getI32Type(), i64 = b.builder.getI64Type();
  Value found = matches(b, n.input(0),
                        constantTable(b, keys.numbers, {count}, keys.element));
  Value position = b.emit<graph::ArgReduceOp>(
      b.typeOf(n.dims(0), i64), ReduceKind::max, b.convert(found, i32), rank,
      /*last=*/true);
  Value any = b.reduce(ReduceKind::any, found, {rank}, false);
  Value value =
      gatherAlong(b, constantTable(b, values.numbers, {count}, values.element),
                  0, position);
  return ScalarValue(b, value).where(any, otherwise);
}

static Value lookUpKeys(NodeReading &n, const EncoderList &keys,
                        const EncoderList &values, double otherwise) {
  if (keys.element)
    return lookUpNumbers(n, keys, values, otherwise);
  SmallVector<double> table;
  for (double position : positionsIn(keys.words, *n.imported(0).words, -1))
    table.push_back(position < 0 ? otherwise : values.numbers[position]);
  return lookUpWords(n, table, values.element);
}

static void importLabelEncoder(NodeReading &n) {
  EncoderList keys = encoderList(n, "keys"), values = encoderList(n, "values");
  std::vector<double> given = numbersAttribute(n, "default_tensor");
  if (n.failed() || (!keys.element && !inputWords(n)))
    return;
  if (keys.size() != values.size() || keys.size() == 0 ||
      (keys.element &&
       (keys.element != n.elementType(0) || n.imported(0).words)))
    return n.fail(
        invalid("keys and values do not fit each other or the input"));
  if (keys.size() > mostKeys)
    return n.fail(unsupported("LabelEncoder of so many keys"));
  if (!values.element) {
    const auto *word = wordsAttribute(n, "default_tensor");
    std::string otherwise =
        word && word->size() == 1
            ? word->front()
            : n.stringAttribute("default_string", "_Unused");
    std::vector<std::string> words =
        numberWords(values, otherwise, n.b.builder.getI64Type());
    double position = positionsIn(words, otherwise, 0)[0];
    return n.result(0, lookUpKeys(n, keys, values, position), words);
  }
  double otherwise = isa<FloatType>(values.element)
                         ? n.floatAttribute("default_float", -0.0f)
                         : double(n.intAttribute("default_int64", -1));
  if (given.size() == 1)
    otherwise = given[0];
  n.result(lookUpKeys(n, keys, values, otherwise));
}

/// Words to integers, or integers to words: integer i belongs to word i, or is
/// listed.
static void mapCategories(NodeReading &n, const std::vector<std::string> *list,
                          EncoderList integers) {
  if (!list || list->empty() || list->size() != integers.numbers.size() ||
      list->size() > mostKeys)
    return n.fail(invalid("words and integers do not fit each other"));
  Type i64 = n.b.builder.getI64Type();
  integers.element = i64;
  if (n.imported(0).words) {
    EncoderList keys;
    keys.words = *list;
    return n.result(lookUpKeys(n, keys, integers,
                               double(n.intAttribute("default_int64", -1))));
  }
  if (n.elementType(0) != i64)
    return n.fail(invalid(fmt::format("{} needs strings or i64", n.node.op)));
  std::string otherwise = n.stringAttribute("default_string", "_Unused");
  EncoderList values;
  values.words = *list;
  std::vector<std::string> words =
      numberWords(values, otherwise, n.b.builder.getI64Type());
  double position = positionsIn(words, otherwise, 0)[0];
  n.result(0, lookUpNumbers(n, integers, values, position), words);
}

static void importCategoryMapper(NodeReading &n) {
  EncoderList integers;
  integers.numbers = numbersAttribute(n, "cats_int64s");
  mapCategories(n, wordsAttribute(n, "cats_strings"), std::move(integers));
}

/// Opset 1: an integer is the position of its word.
static void importFirstLabelEncoder(NodeReading &n) {
  const std::vector<std::string> *classes =
      wordsAttribute(n, "classes_strings");
  EncoderList integers;
  for (size_t i = 0; classes && i < classes->size(); ++i)
    integers.numbers.push_back(double(i));
  mapCategories(n, classes, std::move(integers));
}

//===----------------------------------------------------------------------===//
// Scores by class
//===----------------------------------------------------------------------===//

/// GraphIR has no maps: the columns of the tensor stand for them.
static void importZipMap(NodeReading &n) {
  std::string keys;
  if (const auto *words = wordsAttribute(n, "classlabels_strings"))
    keys = fmt::format("{}", fmt::join(*words, ", "));
  else
    keys = fmt::format("{}",
                       fmt::join(n.intsAttribute("classlabels_int64s"), ", "));
  ImportedValue columns = n.imported(0);
  columns.isZipped = true;
  n.result(0, std::move(columns));
  remarks::emit(n.b.loc, remarks::Code::IMP001, {keys});
}

llvm::ArrayRef<OpRow> zenith::onnx::encoderRows() {
  static constexpr OpRow rows[] = {
      {"CategoryMapper", 1, newest, 1, 1, importCategoryMapper, nullptr, false,
       Emulated::Read},
      {"LabelEncoder", 1, 1, 1, 1, importFirstLabelEncoder, nullptr, false,
       Emulated::Read},
      {"LabelEncoder", 2, newest, 1, 1, importLabelEncoder, nullptr, false,
       Emulated::Read},
      {"OneHotEncoder", 1, newest, 1, 1, importOneHotEncoder, nullptr, false,
       Emulated::Read},
      {"ZipMap", 1, newest, 1, 1, importZipMap},
  };
  return rows;
}
