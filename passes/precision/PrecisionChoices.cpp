// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes types of products by name.

#include "passes/precision/PrecisionChoices.h"

#include "passes/precision/KeptOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;

namespace zenith::precision {

Result<PrecisionChoices> parseChoices(StringRef text) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed)
    return invalid("the file of precisions is no JSON: " +
                   llvm::toString(parsed.takeError()));
  const llvm::json::Object *object = parsed->getAsObject();
  if (!object)
    return invalid("the file of precisions is no object of names and types");
  PrecisionChoices choices;
  for (const auto &[key, value] : *object) {
    PrecisionChoice choice;
    std::optional<StringRef> word = value.getAsString();
    if (const llvm::json::Object *fields = value.getAsObject()) {
      word = fields->getString("type");
      choice.ownError = fields->getNumber("own_error");
      choice.outputError = fields->getNumber("output_error");
    }
    std::optional<FloatWord> type = word ? floatWordOf(*word) : std::nullopt;
    if (!type)
      return invalid("the file of precisions has " +
                     llvm::formatv("{0}", value).str() + " for '" + key.str() +
                     "', expected one of the types f32, bf16 and f16");
    choice.type = *type;
    choices[key.str()] = choice;
  }
  return choices;
}

std::string choicesText(const PrecisionChoices &choices, bool withErrors) {
  llvm::json::Object object;
  for (const auto &[name, choice] : choices) {
    if (!withErrors || !choice.ownError) {
      object[name] = wordOf(choice.type);
      continue;
    }
    llvm::json::Object fields{{"type", wordOf(choice.type)},
                              {"own_error", *choice.ownError}};
    if (choice.outputError)
      fields["output_error"] = *choice.outputError;
    object[name] = std::move(fields);
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  return text;
}

std::vector<std::pair<std::string, Operation *>>
namedProducts(ModuleOp module, const Policy &policy) {
  std::vector<std::pair<std::string, Operation *>> products;
  std::map<std::string, int> seen;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (policy.listOf(op) != List::Allow)
      return;
    std::string name = sourceName(op);
    if (int count = ++seen[name]; count > 1)
      name += "#" + std::to_string(count);
    products.emplace_back(std::move(name), op);
  });
  return products;
}

std::optional<Error> checkChoices(ModuleOp module, const Policy &policy,
                                  const PrecisionChoices &choices) {
  std::vector<std::string> names;
  for (auto &[name, op] : namedProducts(module, policy))
    names.push_back(name);
  std::set<std::string> known(names.begin(), names.end());
  for (const auto &[name, choice] : choices)
    if (!known.count(name))
      return Error{ErrorCode::Usage,
                   "--precision-file: '" + name + "' names no product" +
                       nearest(name, names),
                   ""};
  return std::nullopt;
}

} // namespace zenith::precision
