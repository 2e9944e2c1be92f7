// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of rules: options separated by blanks, items by commas.

#include "passes/autodiff/Transformation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace zenith::autodiff {

static constexpr StringRef ruleWords[] = {"vjp", "jvp", "grad", "vmap"};

StringRef wordOf(Transformation::Rule rule) {
  return ruleWords[unsigned(rule)];
}

static Error unknown(StringRef kind, StringRef word,
                     llvm::ArrayRef<StringRef> names) {
  StringRef nearest = *std::min_element(
      names.begin(), names.end(), [&](StringRef a, StringRef b) {
        return word.edit_distance(a) < word.edit_distance(b);
      });
  return {ErrorCode::Usage,
          ("'" + word + "' is no " + kind + "; did you mean '" + nearest + "'?")
              .str(),
          {}};
}

/// Options that a rule has.
static llvm::SmallVector<StringRef> optionsOf(Transformation::Rule rule) {
  if (rule == Transformation::Rule::Vmap)
    return {"in", "out", "entry", "name"};
  if (rule == Transformation::Rule::Jvp)
    return {"wrt", "of", "entry", "name"};
  return {"wrt", "of", "tape", "entry", "name"};
}

static std::vector<std::string> items(StringRef text) {
  std::vector<std::string> list;
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    list.push_back(part.trim().str());
  return list;
}

static Status assign(Transformation &given, StringRef option, StringRef value) {
  auto names = optionsOf(given.rule);
  if (!llvm::is_contained(names, option))
    return unknown(("option of " + wordOf(given.rule)).str(), option, names);
  if (option == "wrt")
    given.wrt = items(value);
  else if (option == "of")
    given.of = items(value);
  else if (option == "in")
    given.in = items(value);
  else if (option == "out")
    given.out = items(value);
  else if (option == "entry")
    given.entry = value.str();
  else if (option == "name")
    given.name = value.str();
  else if (value == "store" || value == "sqrt")
    given.tape = value == "sqrt" ? TapeForm::Sqrt : TapeForm::Store;
  else
    return unknown("value of tape", value, {"store", "sqrt"});
  return noError();
}

Result<Transformation> parseTransformation(StringRef rule, StringRef options) {
  Transformation given;
  const auto *word = llvm::find(ruleWords, rule);
  if (word == std::end(ruleWords))
    return unknown("rule", rule, ruleWords);
  given.rule = Transformation::Rule(word - std::begin(ruleWords));
  llvm::SmallVector<StringRef> parts;
  options.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [option, value] = part.split('=');
    if (Status status = assign(given, option, value); !status)
      return status.error();
  }
  return given;
}

Result<Transformation> parseTransformation(StringRef text) {
  auto [rule, rest] = text.trim().split('{');
  if (text.contains('{') && !rest.consume_back("}"))
    return Error{
        ErrorCode::Usage,
        ("'" + text + "' is no rule: expected RULE{OPTION=VALUE ...}").str(),
        {}};
  return parseTransformation(rule.trim(), rest);
}

Result<unsigned> parseIndex(StringRef option, StringRef text, size_t count,
                            StringRef things) {
  unsigned index = 0;
  if (text.getAsInteger(10, index) || index >= count)
    return Error{ErrorCode::Usage,
                 (option + ": got '" + text + "', but there are " +
                  llvm::Twine(count) + " " + things)
                     .str(),
                 {}};
  return index;
}

} // namespace zenith::autodiff
