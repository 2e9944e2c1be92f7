// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads policies of precision.

#include "passes/precision/PrecisionPolicy.h"

#include "ir/GraphOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>

using namespace mlir;

namespace zenith::precision {

StringRef wordOf(FloatWord word) {
  return word == FloatWord::F32 ? "f32"
                                : (word == FloatWord::BF16 ? "bf16" : "f16");
}

std::optional<FloatWord> floatWordOf(StringRef text) {
  return llvm::StringSwitch<std::optional<FloatWord>>(text)
      .Cases("f32", "float32", "full", FloatWord::F32)
      .Cases("bf16", "bfloat16", FloatWord::BF16)
      .Cases("f16", "float16", "fp16", FloatWord::F16)
      .Default(std::nullopt);
}

Type elementTypeOf(FloatWord word, MLIRContext *context) {
  if (word == FloatWord::BF16)
    return BFloat16Type::get(context);
  if (word == FloatWord::F16)
    return Float16Type::get(context);
  return Float32Type::get(context);
}

List Policy::listOf(Operation *op) const {
  List own = precision::listOf(op);
  if (own == List::None)
    return own;
  for (const std::string &name :
       {policyName(op), op->getName().stripDialect().str()})
    if (auto found = moved.find(name); found != moved.end())
      return found->second;
  return own;
}

static Error wrong(const Twine &text) {
  return {ErrorCode::Usage, ("--mixed-precision: " + text).str(), ""};
}

/// ", the nearest is 'x'", if there is any word.
std::string nearest(StringRef word, ArrayRef<std::string> known) {
  auto best = llvm::min_element(known, [&](StringRef a, StringRef b) {
    return word.edit_distance(a) < word.edit_distance(b);
  });
  return best == known.end() ? "" : ", the nearest is '" + *best + "'";
}

static const std::vector<std::string> &keys() {
  static const std::vector<std::string> all = {
      "params",     "compute", "store",  "inputs", "output",
      "accumulate", "allow",   "follow", "deny"};
  return all;
}

static const std::vector<std::string> &presets() {
  static const std::vector<std::string> all = {
      "bf16",         "fp16",          "bf16-weights",
      "fp16-weights", "bf16-autocast", "fp16-autocast",
      "bf16-jmp",     "fp16-jmp",      "f32"};
  return all;
}

std::vector<std::string> policyNames(MLIRContext *context) {
  std::vector<std::string> names;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == "graph")
      names.push_back(op.stripDialect().str());
  for (uint32_t kind = 0; kind <= graph::getMaxEnumValForReduceKind(); ++kind)
    for (StringRef op : {"reduce_", "reduce_window_"})
      names.push_back(
          op.str() +
          stringifyReduceKind(*graph::symbolizeReduceKind(kind)).str());
  for (uint32_t kind = 0; kind <= graph::getMaxEnumValForScatterKind(); ++kind)
    names.push_back(
        "scatter_" +
        stringifyScatterKind(*graph::symbolizeScatterKind(kind)).str());
  return names;
}

static Policy policyOfPreset(StringRef preset) {
  Policy policy;
  if (preset == "f32")
    return policy;
  auto [type, kind] = preset.split('-');
  FloatWord word = *floatWordOf(type);
  if (kind == "weights") {
    policy.params = word;
    return policy;
  }
  policy.compute = word;
  if (kind == "autocast" || kind == "jmp")
    policy.store = word;
  if (kind == "jmp") {
    policy.roundsInputs = true;
    policy.output = word;
  }
  return policy;
}

namespace {
/// Reads the items of one text into a policy.
class PolicyReader {
public:
  explicit PolicyReader(MLIRContext *context) : context(context) {}

  Result<Policy> read(StringRef text) {
    bool isFirst = true;
    for (StringRef item : llvm::split(text, ',')) {
      if (std::optional<Error> error = readItem(item.trim(), isFirst))
        return std::move(*error);
      isFirst = false;
    }
    if (policy.store != FloatWord::F32 && policy.store != policy.compute)
      return wrong("store=" + wordOf(policy.store) + " needs compute=" +
                   wordOf(policy.store) + ", or a store of f32");
    if (policy.roundsInputs && policy.compute == FloatWord::F32)
      policy.roundsInputs = false;
    return policy;
  }

private:
  std::optional<Error> readItem(StringRef item, bool isFirst);
  std::optional<Error> readType(StringRef key, StringRef value);
  std::optional<Error> readOps(List list, StringRef value);

  MLIRContext *context;
  Policy policy;
  std::set<std::string> given; ///< keys
};
} // namespace

std::optional<Error> PolicyReader::readItem(StringRef item, bool isFirst) {
  if (!item.contains('=')) {
    if (!llvm::is_contained(presets(), item))
      return wrong("'" + item + "' is no preset" + nearest(item, presets()));
    if (!isFirst)
      return wrong("the preset '" + item + "' does not come first");
    policy = policyOfPreset(item);
    return std::nullopt;
  }
  auto [key, value] = item.split('=');
  if (!llvm::is_contained(keys(), key))
    return wrong("'" + key + "' is no key" + nearest(key, keys()));
  if (!given.insert(key.str()).second)
    return wrong("'" + key + "' is given twice");
  if (key == "inputs") {
    if (value != "keep" && value != "compute")
      return wrong("inputs=" + value + ": expected keep or compute");
    policy.roundsInputs = value == "compute";
    return std::nullopt;
  }
  if (key == "allow")
    return readOps(List::Allow, value);
  if (key == "follow")
    return readOps(List::Follow, value);
  if (key == "deny")
    return readOps(List::Deny, value);
  return readType(key, value);
}

std::optional<Error> PolicyReader::readType(StringRef key, StringRef value) {
  std::optional<FloatWord> word = floatWordOf(value);
  if (!word) {
    bool isCode = value.size() > 1 && (value[0] == 'i' || value[0] == 'u' ||
                                       value.starts_with("f8"));
    return wrong(
        key + "=" + value + ": '" + value +
        (isCode ? "' is a matter of --quantize"
                : "' is no type" + nearest(value, {"f32", "bf16", "f16"})));
  }
  if (key == "accumulate") {
    if (*word != FloatWord::F32)
      return Error{ErrorCode::Unsupported,
                   ("--mixed-precision: accumulate=" + value +
                    ": sums of products are f32 always")
                       .str(),
                   ""};
    return std::nullopt;
  }
  (key == "params"    ? policy.params
   : key == "compute" ? policy.compute
   : key == "store"   ? policy.store
                      : policy.output) = *word;
  return std::nullopt;
}

std::optional<Error> PolicyReader::readOps(List list, StringRef value) {
  std::vector<std::string> names = policyNames(context);
  for (StringRef name : llvm::split(value, '+')) {
    if (!llvm::is_contained(names, name))
      return wrong(wordOf(list) + "=" + value + ": '" + name + "' is no op" +
                   nearest(name, names));
    auto [known, isNew] = policy.moved.emplace(name.str(), list);
    if (!isNew)
      return wrong("the op '" + name + "' is " +
                   (known->second == list ? "given twice" : "in two lists"));
  }
  return std::nullopt;
}

Result<Policy> parsePolicy(StringRef text, MLIRContext *context) {
  return PolicyReader(context).read(text);
}

} // namespace zenith::precision
