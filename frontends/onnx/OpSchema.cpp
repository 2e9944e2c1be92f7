// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the rows of OpSchemas.def and OpTypes.def.
#include "frontends/onnx/OpSchema.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <climits>
#include <fmt/format.h>

using namespace zenith;
using namespace zenith::onnx;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

constexpr int many = INT_MAX;

constexpr OpSchema schemas[] = {
#define ZENITH_ONNX_OPERATOR(name, since, least, most, outputs, attributes)    \
  {"", #name, since, least, most, outputs, attributes},
#define ZENITH_ONNX_LEARNING(name, since, least, most, outputs, attributes)    \
  {"ai.onnx.ml", #name, since, least, most, outputs, attributes},
#define ZENITH_ONNX_PREVIEW(name, since, least, most, outputs, attributes)     \
  {"ai.onnx.preview", #name, since, least, most, outputs, attributes},
#define ZENITH_ONNX_TRAINING(name, since, least, most, outputs, attributes)    \
  {"ai.onnx.preview.training", #name, since, least, most, outputs, attributes},
#define ZENITH_ONNX_MICROSOFT(name, since, least, most, outputs, attributes)   \
  {"com.microsoft", #name, since, least, most, outputs, attributes},
#include "frontends/onnx/OpSchemas.def"
};

constexpr std::pair<std::string_view, int64_t> newestOpsets[] = {
    {"", 28},
    {"ai.onnx.ml", 5},
    {"ai.onnx.preview", 1},
    {"ai.onnx.preview.training", 1},
    {"com.microsoft", 1},
};

constexpr std::pair<std::string_view, std::string_view> wordLists[] = {
#define ZENITH_ONNX_WORDS(name, words) {#name, words},
#include "frontends/onnx/OpSchemas.def"
};

/// In the order of NodeAttribute::Kind.
constexpr std::string_view kindNames[] = {
    "undefined", "float",  "int",     "string",  "tensor",
    "graph",     "floats", "ints",    "strings", "tensors",
    "graphs",    "sparse", "sparses", "type",    "types"};

} // namespace

int64_t zenith::onnx::newestOpset(std::string_view domain) {
  for (const auto &[known, newest] : newestOpsets)
    if (known == domain)
      return newest;
  return 0;
}

const OpSchema *zenith::onnx::findSchema(std::string_view domain,
                                         std::string_view op, int64_t version) {
  const OpSchema *found = nullptr;
  for (const OpSchema &row : schemas)
    if (row.op == op && row.domain == domain && row.since <= version)
      found = &row; // versions ascend
  return found;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {

/// One entry of OpSchema::attributes.
struct AttributeRule {
  StringRef name, kind;
  bool required;

  explicit AttributeRule(StringRef text) {
    std::tie(name, kind) = text.split(':');
    required = name.consume_back("!");
  }
  /// The words that a string may be, by '|'; empty: any.
  StringRef words() const {
    for (const auto &[list, words] : wordLists)
      if (kind == StringRef(list))
        return words;
    return {};
  }
  StringRef kindName() const { return words().empty() ? kind : "string"; }
};

} // namespace

static llvm::SmallVector<AttributeRule> rulesOf(const OpSchema &schema) {
  llvm::SmallVector<StringRef> texts;
  StringRef(schema.attributes).split(texts, ' ', -1, /*KeepEmpty=*/false);
  return llvm::map_to_vector(
      texts, [](StringRef text) { return AttributeRule(text); });
}

/// The known name that is written most like `name`; empty if none is alike.
static StringRef nearest(StringRef name, llvm::ArrayRef<AttributeRule> rules) {
  StringRef best;
  unsigned least = name.size() / 2 + 1;
  for (const AttributeRule &rule : rules) {
    unsigned distance =
        StringRef(name.lower()).edit_distance(rule.name.lower());
    if (distance < least) {
      least = distance;
      best = rule.name;
    }
  }
  return best;
}

static Error unknownAttribute(const Node &node, StringRef name,
                              llvm::ArrayRef<AttributeRule> rules,
                              int64_t version) {
  std::string text = fmt::format("attribute '{}' is none of {} at opset {}",
                                 name.str(), node.op, version);
  if (StringRef known = nearest(name, rules); !known.empty())
    return invalid(text + fmt::format("; the nearest is '{}'", known.str()));
  if (rules.empty())
    return invalid(text + ", which has none");
  return invalid(text + "; it has " +
                 llvm::join(llvm::map_range(rules,
                                            [](const AttributeRule &rule) {
                                              return rule.name.str();
                                            }),
                            ", "));
}

static Status checkAttribute(const NodeAttribute &attribute,
                             const AttributeRule &rule) {
  // IR versions 1 and 2 leave out empty lists and their kind.
  if (attribute.kind == NodeAttribute::Undefined)
    return noError();
  size_t kind = size_t(attribute.kind);
  StringRef given =
      kind < std::size(kindNames) ? StringRef(kindNames[kind]) : "unknown";
  if (given != rule.kindName())
    return invalid(fmt::format("attribute '{}' is of kind {}, expected {}",
                               attribute.name, given.str(),
                               rule.kindName().str()));
  StringRef words = rule.words();
  if (words.empty() || attribute.strings.empty())
    return noError();
  StringRef word = attribute.strings.front();
  llvm::SmallVector<StringRef> known;
  words.split(known, '|');
  // Some exporters write an empty word where they mean the default.
  if (word.empty() || llvm::is_contained(known, word))
    return noError();
  return invalid(fmt::format("attribute '{}' is '{}', expected one of {}",
                             attribute.name, word.str(),
                             llvm::join(known, ", ")));
}

static Status checkAttributes(const Node &node, const OpSchema &schema,
                              int64_t version) {
  llvm::SmallVector<AttributeRule> rules = rulesOf(schema);
  for (const NodeAttribute &attribute : node.attributes) {
    const auto *rule = llvm::find_if(rules, [&](const AttributeRule &rule) {
      return rule.name == StringRef(attribute.name);
    });
    // Names between underscores are notes of tools to themselves.
    if (rule == rules.end() && StringRef(attribute.name).starts_with("__"))
      continue;
    if (rule == rules.end())
      return unknownAttribute(node, attribute.name, rules, version);
    if (Status status = checkAttribute(attribute, *rule); !status)
      return status;
  }
  for (const AttributeRule &rule : rules)
    if (rule.required && !node.attribute(std::string_view(rule.name)))
      return invalid(fmt::format("attribute '{}' of {} is missing",
                                 rule.name.str(), node.op));
  return noError();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Names up to the last that is not absent.
static int countOf(const std::vector<std::string> &names) {
  int count = int(names.size());
  while (count > 0 && names[count - 1].empty())
    --count;
  return count;
}

Status zenith::onnx::checkNode(const Node &node, std::string_view domain,
                               int64_t version) {
  int64_t newest = newestOpset(domain);
  if (newest > 0 && version > newest)
    return unsupported(fmt::format(
        "opset {} of {} is newer than {}, the newest known one", version,
        domain.empty() ? "the default domain" : "domain " + std::string(domain),
        newest));
  const OpSchema *schema = findSchema(domain, node.op, version);
  if (!schema)
    return noError();
  int inputs = countOf(node.inputs), outputs = countOf(node.outputs);
  if (inputs < schema->leastInputs || inputs > schema->mostInputs)
    return invalid(
        fmt::format("operator {} of opset {} has {} inputs, expected {}",
                    node.op, version, inputs,
                    schema->mostInputs == many
                        ? fmt::format("{} or more", schema->leastInputs)
                    : schema->leastInputs == schema->mostInputs
                        ? std::to_string(schema->leastInputs)
                        : fmt::format("{} to {}", schema->leastInputs,
                                      schema->mostInputs)));
  if (outputs > schema->mostOutputs)
    return invalid(fmt::format("operator {} of opset {} has {} outputs, "
                               "expected at most {}",
                               node.op, version, outputs, schema->mostOutputs));
  return checkAttributes(node, *schema, version);
}

//===----------------------------------------------------------------------===//
// Types of inputs
//===----------------------------------------------------------------------===//

namespace {

/// The inputs of a version of an operator, valid until the next row of it.
struct InputRow {
  std::string_view domain, op;
  int since;
  std::string_view inputs;
};

constexpr InputRow inputRows[] = {
#define ZENITH_ONNX_INPUTS(name, since, inputs) {"", #name, since, inputs},
#define ZENITH_ONNX_LEARNING_INPUTS(name, since, inputs)                       \
  {"ai.onnx.ml", #name, since, inputs},
#include "frontends/onnx/OpTypes.def"
};

constexpr std::pair<std::string_view, std::string_view> typeLists[] = {
#define ZENITH_ONNX_TYPES(name, types) {#name, types},
#include "frontends/onnx/OpTypes.def"
};

} // namespace

static const InputRow *findInputs(std::string_view domain, std::string_view op,
                                  int64_t version) {
  const InputRow *found = nullptr;
  for (const InputRow &row : inputRows)
    if (row.op == op && row.domain == domain && row.since <= version)
      found = &row; // versions ascend
  return found;
}

/// Names of types, with lists written out.
static void addTypes(StringRef text, llvm::SmallVectorImpl<StringRef> &types) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, '|');
  for (StringRef part : parts) {
    const auto *list = llvm::find_if(typeLists, [&](const auto &entry) {
      return part == StringRef(entry.first);
    });
    if (list == std::end(typeLists))
      types.push_back(part);
    else
      addTypes(list->second, types);
  }
}

namespace {

/// An input of a row.
struct InputRule {
  StringRef name, types; ///< types are empty for those of an earlier input
  bool repeats;

  explicit InputRule(StringRef text) {
    repeats = text.consume_back("*");
    std::tie(name, types) = text.split(':');
  }
};

/// The type that inputs of one name have, and the first of them.
struct BoundType {
  StringRef name;
  DataType type;
  size_t input;
};

} // namespace

static std::string describe(const Node &node, size_t input) {
  return fmt::format("input {} '{}'", input, node.inputs[input]);
}

Status zenith::onnx::checkInputTypes(const Node &node, std::string_view domain,
                                     int64_t version,
                                     llvm::ArrayRef<DataType> types) {
  const InputRow *row = findInputs(domain, node.op, version);
  if (!row)
    return noError();
  llvm::SmallVector<StringRef> texts;
  StringRef(row->inputs).split(texts, ' ', -1, /*KeepEmpty=*/false);
  llvm::SmallVector<BoundType> bound;
  for (auto [index, type] : llvm::enumerate(types)) {
    if (texts.empty() ||
        (index >= texts.size() && !InputRule(texts.back()).repeats))
      break;
    InputRule rule(texts[std::min(index, texts.size() - 1)]);
    if (type == DataType::Undefined || rule.types == "-")
      continue;
    llvm::SmallVector<StringRef> taken;
    addTypes(rule.types, taken);
    if (!rule.types.empty() &&
        !llvm::is_contained(taken, StringRef(dataTypeName(type))))
      return invalid(fmt::format("{} is of type {}, where {} of opset {} takes "
                                 "{}",
                                 describe(node, index), dataTypeName(type),
                                 node.op, version, llvm::join(taken, ", ")));
    if (rule.name.empty())
      continue;
    const auto *other = llvm::find_if(
        bound, [&](const BoundType &known) { return known.name == rule.name; });
    if (other == bound.end())
      bound.push_back({rule.name, type, index});
    else if (other->type != type)
      return invalid(fmt::format(
          "{} is of type {}, where {} takes that of {}, which is {}",
          describe(node, index), dataTypeName(type), node.op,
          describe(node, other->input), dataTypeName(other->type)));
  }
  return noError();
}
