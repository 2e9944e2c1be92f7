// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON values as attributes. What kind an attribute has, the op itself says: it
// takes some attributes into its properties, and not others.

#include "frontends/c/builder/BuilderOps.h"

#include "frontends/files/JSONText.h"
#include "frontends/models/Suggestion.h"
#include "ir/GraphOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::c;
namespace json = llvm::json;

static constexpr llvm::StringLiteral groupsName = "operand_groups",
                                     segmentsName = "operandSegmentSizes";

//===- kinds
//---------------------------------------------------------------===//

namespace {
/// A part of a structured attribute and how it stands in text.
struct Part {
  const char *key;
  enum Shape { Number, List, Pair, Operand } shape;
};
/// An attribute of parts: "#graph.NAME<key = part, ...>".
struct Structure {
  const char *mnemonic;
  std::vector<Part> parts;
};
} // namespace

static const std::vector<Structure> &structures() {
  static const std::vector<Structure> all = {
      {"dot", {{"batching", Part::Pair}, {"contracting", Part::Pair}}},
      {"conv",
       {{"input", Part::Operand},
        {"kernel", Part::Operand},
        {"output", Part::Operand}}},
      {"gather",
       {{"offset", Part::List},
        {"collapsed", Part::List},
        {"batching", Part::Pair},
        {"index_map", Part::List},
        {"index_vector_dim", Part::Number}}},
      {"scatter",
       {{"window", Part::List},
        {"inserted", Part::List},
        {"batching", Part::Pair},
        {"index_map", Part::List},
        {"index_vector_dim", Part::Number}}}};
  return all;
}

namespace {
/// An enumeration of the dialect and its words.
struct Enumeration {
  const char *mnemonic;
  std::vector<std::string> words;
};
} // namespace

/// The attribute that the text stands for; null where it is none.
static Attribute parse(const std::string &text, MLIRContext *context) {
  ScopedDiagnosticHandler silent(context,
                                 [](Diagnostic &) { return success(); });
  return parseAttribute(text, context);
}

/// Words of the dialect's enumerations are few: those that parse are known.
static const std::vector<Enumeration> &enumerations() {
  static const std::vector<Enumeration> all = {
      {"compare", {"eq", "ne", "lt", "le", "gt", "ge"}},
      {"reduce_kind", {"sum", "prod", "max", "min", "all", "any", "parity"}},
      {"gelu_form", {"erf", "tanh"}},
      {"scatter_kind", {"set", "sum", "prod", "max", "min"}},
      {"random_kind", {"threefry", "philox"}},
      {"fourier_kind", {"c2c", "c2c_inverse", "r2c", "c2r"}},
      {"matrix_form", {"plain", "transposed", "adjoint"}}};
  return all;
}

/// True where the op takes this value for that attribute.
static bool accepts(OperationName op, StringRef name, Attribute value) {
  MLIRContext *context = op.getContext();
  ScopedDiagnosticHandler silent(context,
                                 [](Diagnostic &) { return success(); });
  size_t bytes = size_t(op.getOpPropertyByteSize());
  if (!value || bytes == 0)
    return false;
  std::vector<std::max_align_t> place(bytes / sizeof(std::max_align_t) + 1);
  OpaqueProperties properties(place.data());
  op.initOpProperties(properties, OpaqueProperties(nullptr));
  NamedAttribute named(StringAttr::get(context, name), value);
  bool taken = succeeded(op.setOpPropertiesFromAttribute(
      op, properties, DictionaryAttr::get(context, named),
      [&] { return emitError(UnknownLoc::get(context)); }));
  op.destroyOpProperties(properties);
  return taken;
}

static std::string sampleOf(const Structure &structure) {
  std::string text;
  for (const Part &part : structure.parts)
    text += std::string(text.empty() ? "" : ", ") + part.key + " = " +
            (part.shape == Part::Number ? "0"
             : part.shape == Part::List ? "[]"
             : part.shape == Part::Pair ? "[] x []"
                                        : "(0, 1, [])");
  return std::string("#graph.") + structure.mnemonic + "<" + text + ">";
}

static std::string enumText(const Enumeration &all, StringRef word) {
  return std::string("#graph.") + all.mnemonic + "<" + word.str() + ">";
}

/// The kind of an attribute: "unit", "integer", "number", "integers", "string",
/// "type", "symbol", "tensor", "dictionary", the mnemonic of an enumeration or
/// a structure; "any" where it takes everything.
static std::string kindOf(OperationName op, StringRef name) {
  MLIRContext *context = op.getContext();
  Builder b(context);
  if (accepts(op, name, b.getUnitAttr()) &&
      accepts(op, name, b.getI64IntegerAttr(0)))
    return "any";
  const std::pair<const char *, Attribute> samples[] = {
      {"unit", b.getUnitAttr()},
      {"integer", b.getI64IntegerAttr(0)},
      {"number", b.getF64FloatAttr(0)},
      {"integers", b.getDenseI64ArrayAttr({})},
      {"string", b.getStringAttr("")},
      {"type", TypeAttr::get(RankedTensorType::get({}, b.getF32Type()))},
      {"symbol", FlatSymbolRefAttr::get(context, "x")},
      {"tensor", DenseElementsAttr::get(
                     RankedTensorType::get({1}, b.getF32Type()), 0.0f)},
      {"dictionary", b.getDictionaryAttr({})}};
  for (const auto &[kind, sample] : samples)
    if (accepts(op, name, sample))
      return kind;
  for (const Enumeration &all : enumerations())
    if (accepts(op, name, parse(enumText(all, all.words.front()), context)))
      return all.mnemonic;
  for (const Structure &structure : structures())
    if (accepts(op, name, parse(sampleOf(structure), context)))
      return structure.mnemonic;
  return "any";
}

std::vector<std::pair<std::string, std::string>>
zenith::c::attributeKinds(OperationName op) {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (StringAttr name : op.getAttributeNames())
    if (name != segmentsName && name != "operand_segment_sizes")
      kinds.emplace_back(name.str(), kindOf(op, name));
  return kinds;
}

//===- values
//--------------------------------------------------------------===//

static std::string jsonText(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// "[1, 2]" of a list of integers; nothing for others.
static std::optional<std::string> listText(const json::Value *value) {
  const json::Array *list = value ? value->getAsArray() : nullptr;
  if (!list)
    return std::nullopt;
  std::string text = "[";
  for (const json::Value &element : *list) {
    std::optional<int64_t> number = element.getAsInteger();
    if (!number)
      return std::nullopt;
    text += (text.size() > 1 ? ", " : "") + std::to_string(*number);
  }
  return text + "]";
}

static std::optional<std::string> partText(const Part &part,
                                           const json::Value *value) {
  const json::Array *list = value ? value->getAsArray() : nullptr;
  switch (part.shape) {
  case Part::Number:
    if (std::optional<int64_t> number =
            value ? value->getAsInteger() : std::nullopt)
      return std::to_string(*number);
    return std::nullopt;
  case Part::List:
    return value ? listText(value) : "[]";
  case Part::Pair: {
    if (!value)
      return "[] x []";
    auto first =
        list && list->size() == 2 ? listText(&(*list)[0]) : std::nullopt;
    auto second = first ? listText(&(*list)[1]) : std::nullopt;
    return second ? std::optional(*first + " x " + *second) : std::nullopt;
  }
  case Part::Operand: {
    if (!list || list->size() != 3)
      return std::nullopt;
    auto a = (*list)[0].getAsInteger(), b = (*list)[1].getAsInteger();
    auto spatial = listText(&(*list)[2]);
    if (!a || !b || !spatial)
      return std::nullopt;
    return "(" + std::to_string(*a) + ", " + std::to_string(*b) + ", " +
           *spatial + ")";
  }
  }
  return std::nullopt;
}

/// The text of a structured attribute, or what it should have been.
static zenith_status *structureText(const Structure &structure,
                                    const json::Value &value,
                                    std::string &text) {
  std::vector<std::string> keys;
  for (const Part &part : structure.parts)
    keys.push_back(part.key);
  const json::Object *object = value.getAsObject();
  if (!object)
    return usage(ZENITH_REASON_NONE, "got " + jsonText(value) +
                                         ", expected an object of " +
                                         llvm::join(keys, ", "));
  for (const auto &member : *object)
    if (!llvm::is_contained(keys, member.first.str()))
      return usage(ZENITH_REASON_UNKNOWN_NAME,
                   "no part is called '" + member.first.str() +
                       "'; there are " + llvm::join(keys, ", "));
  for (const Part &part : structure.parts) {
    std::optional<std::string> piece = partText(part, object->get(part.key));
    if (!piece)
      return usage(ZENITH_REASON_NONE,
                   std::string("part ") + part.key + " does not fit");
    text += (text.empty() ? "" : ", ") + std::string(part.key) + " = " + *piece;
  }
  text = std::string("#graph.") + structure.mnemonic + "<" + text + ">";
  return nullptr;
}

/// {"type": "tensor<2xf32>", "values": [...]}.
static Attribute tensorOf(const json::Value &value, MLIRContext *context) {
  const json::Object *object = value.getAsObject();
  const json::Value *values = object ? object->get("values") : nullptr;
  std::optional<StringRef> type =
      object ? object->getString("type") : std::nullopt;
  if (!type || !values)
    return Attribute();
  return parse("dense<" + jsonText(*values) + "> : " + type->str(), context);
}

/// The attribute that a value of this kind is; null where it is none.
static Attribute attributeOf(const std::string &kind, const json::Value &value,
                             MLIRContext *context) {
  Builder b(context);
  if (kind == "integer")
    if (auto number = value.getAsInteger())
      return b.getI64IntegerAttr(*number);
  if (kind == "number")
    if (auto number = value.getAsNumber())
      return b.getF64FloatAttr(*number);
  if (kind == "integers" && listText(&value)) {
    SmallVector<int64_t> numbers;
    for (const json::Value &element : *value.getAsArray())
      numbers.push_back(*element.getAsInteger());
    return b.getDenseI64ArrayAttr(numbers);
  }
  if (kind == "string")
    if (auto text = value.getAsString())
      return b.getStringAttr(*text);
  if (kind == "symbol")
    if (auto text = value.getAsString())
      return FlatSymbolRefAttr::get(context, *text);
  if (kind == "type" || kind == "any" || kind == "dictionary")
    if (auto text = value.getAsString())
      return parse(text->str(), context);
  return kind == "tensor" ? tensorOf(value, context) : Attribute();
}

/// Reads one value; a unit attribute that is false is left out.
static zenith_status *readValue(const std::string &kind,
                                const json::Value &value, MLIRContext *context,
                                Attribute &attribute) {
  if (kind == "unit") {
    std::optional<bool> flag = value.getAsBoolean();
    if (!flag)
      return usage(ZENITH_REASON_NONE,
                   "got " + jsonText(value) + ", expected true or false");
    attribute = *flag ? Attribute(UnitAttr::get(context)) : Attribute();
    return nullptr;
  }
  for (const Enumeration &all : enumerations())
    if (kind == all.mnemonic) {
      std::optional<StringRef> word = value.getAsString();
      if (!word || !llvm::is_contained(all.words, *word))
        return usage(ZENITH_REASON_UNKNOWN_NAME,
                     "got " + jsonText(value) + ", expected one of " +
                         llvm::join(all.words, ", "));
      attribute = parse(enumText(all, *word), context);
      return nullptr;
    }
  for (const Structure &structure : structures())
    if (kind == structure.mnemonic) {
      std::string text;
      if (zenith_status *status = structureText(structure, value, text))
        return status;
      attribute = parse(text, context);
      return attribute ? nullptr
                       : usage(ZENITH_REASON_NONE, "got " + jsonText(value));
    }
  attribute = attributeOf(kind, value, context);
  return attribute ? nullptr
                   : usage(ZENITH_REASON_NONE,
                           "got " + jsonText(value) + ", expected " + kind);
}

static zenith_status *inAttribute(StringRef name, zenith_status *status) {
  zenith_status *outer =
      failure(zenith_status_code(status), zenith_status_reason(status),
              "attribute " + name.str() + ": " + zenith_status_message(status));
  zenith_status_free(status);
  return outer;
}

/// Divides operands among groups: as JSON says, else one each.
static zenith_status *divide(OperationName op, const json::Value *given,
                             size_t operandCount, NamedAttrList &attributes) {
  size_t count = operandGroups(op);
  if (!count && !given)
    return nullptr;
  SmallVector<int32_t> groups(count, 0);
  if (given) {
    const json::Array *list = given->getAsArray();
    size_t total = 0;
    for (size_t i = 0; list && i < list->size() && i < count; ++i)
      if (auto number = (*list)[i].getAsInteger();
          number && *number >= 0 && *number <= int64_t(operandCount))
        total += size_t(groups[i] = int32_t(*number));
    if (!list || list->size() != count || total != operandCount)
      return usage(ZENITH_REASON_WRONG_COUNT,
                   "operand_groups: expected " + std::to_string(count) +
                       " numbers, the sum of which is " +
                       std::to_string(operandCount));
  } else if (operandCount > count) {
    return usage(ZENITH_REASON_WRONG_COUNT,
                 "operand_groups are needed: " + std::to_string(operandCount) +
                     " operands for " + std::to_string(count) + " groups");
  } else {
    std::fill_n(groups.begin(), operandCount, 1);
  }
  attributes.set(segmentsName, DenseI32ArrayAttr::get(op.getContext(), groups));
  return nullptr;
}

zenith_status *zenith::c::readAttributes(OperationName op, const char *text,
                                         size_t operandCount,
                                         NamedAttrList &attributes) {
  llvm::Expected<json::Value> parsed = files::parseJSON(text ? text : "{}");
  if (!parsed)
    return failure(ZENITH_INVALID_INPUT, ZENITH_REASON_MALFORMED,
                   "attributes are no JSON: " +
                       llvm::toString(parsed.takeError()));
  const json::Object *object = parsed->getAsObject();
  if (!object)
    return usage(ZENITH_REASON_NONE, "attributes are no JSON object");
  auto kinds = attributeKinds(op);
  for (const auto &[key, value] : *object) {
    StringRef name = key;
    if (name == groupsName)
      continue;
    auto found = llvm::find_if(
        kinds, [&](const auto &kind) { return kind.first == name; });
    if (found == kinds.end()) {
      std::vector<std::string> names;
      for (const auto &[known, kind] : kinds)
        names.push_back(known);
      return usage(ZENITH_REASON_UNKNOWN_NAME,
                   "no attribute is called '" + name.str() + "'; there are " +
                       (names.empty() ? "none" : llvm::join(names, ", ")));
    }
    Attribute attribute;
    if (zenith_status *status =
            readValue(found->second, value, op.getContext(), attribute))
      return inAttribute(name, status);
    if (attribute)
      attributes.set(name, attribute);
  }
  return divide(op, object->get(groupsName), operandCount, attributes);
}
