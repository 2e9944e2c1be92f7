// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds arguments by position and by name, as Python does.

#include "frontends/training/CallArguments.h"

#include "frontends/models/Suggestion.h"
#include "llvm/Support/GlobPattern.h"

#include <cmath>

namespace zenith::training {

namespace {
struct CallParameter {
  std::string name;
  std::optional<Expression> initial;
  bool byNameOnly = false;
};
} // namespace

/// Commas inside of brackets belong to defaults.
static std::vector<CallParameter> parametersOf(const std::string &signature) {
  std::vector<CallParameter> parameters;
  bool byNameOnly = false;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= signature.size(); ++i) {
    char c = i < signature.size() ? signature[i] : ',';
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c != ',' || depth)
      continue;
    llvm::StringRef text = llvm::StringRef(signature).slice(begin, i).trim();
    begin = i + 1;
    if (text == "*")
      byNameOnly = true;
    if (text.empty() || text == "*")
      continue;
    auto [name, initial] = text.split('=');
    CallParameter parameter{name.str(), std::nullopt, byNameOnly};
    if (!initial.empty())
      parameter.initial = *parseExpression(initial.str(), "signature");
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

CallArguments::CallArguments(const Expression &call,
                             const std::string &signature, TextReading &reading)
    : function(call.text), shared(&reading) {
  std::vector<CallParameter> parameters = parametersOf(signature);
  std::vector<std::string> names;
  size_t positional = 0;
  for (const CallParameter &parameter : parameters) {
    names.push_back(parameter.name);
    positional += !parameter.byNameOnly;
  }
  if (call.items.size() > positional)
    fail("got " + std::to_string(call.items.size()) +
         " positional arguments, takes at most " + std::to_string(positional));
  for (size_t i = 0; i < std::min(call.items.size(), positional); ++i)
    values[names[i]] = call.items[i];
  for (const auto &[name, value] : call.named) {
    bool isKnown = std::find(names.begin(), names.end(), name) != names.end();
    std::string all;
    for (const std::string &known : names)
      all += (all.empty() ? "" : ", ") + known;
    if (!isKnown)
      fail("has no argument '" + name + "'" + models::suggestion(name, names) +
           " (" + all + ")");
    else if (!values.emplace(name, value).second)
      fail("argument '" + name + "' is given twice");
  }
  for (CallParameter &parameter : parameters)
    if (!values.count(parameter.name)) {
      if (!parameter.initial)
        fail("needs argument '" + parameter.name + "'");
      values[parameter.name] = parameter.initial.value_or(Expression());
    }
}

const Expression &CallArguments::operator[](const std::string &name) const {
  return values.at(name);
}

double CallArguments::number(const std::string &name) const {
  const Expression &value = values.at(name);
  if (value.kind != Expression::Kind::Number &&
      value.kind != Expression::Kind::Boolean)
    fail("argument '" + name + "' is " + describe(value) +
         ", expected a number");
  return value.number;
}

std::optional<double>
CallArguments::optionalNumber(const std::string &name) const {
  if (values.at(name).kind == Expression::Kind::None)
    return std::nullopt;
  return number(name);
}

int64_t CallArguments::integer(const std::string &name) const {
  double value = number(name);
  if (value != std::floor(value) || std::abs(value) > 9e15) {
    fail("argument '" + name + "' is no integer");
    return 1;
  }
  return int64_t(value);
}

bool CallArguments::boolean(const std::string &name) const {
  const Expression &value = values.at(name);
  if (value.kind != Expression::Kind::Boolean)
    fail("argument '" + name + "' is " + describe(value) +
         ", expected True or False");
  return value.number != 0;
}

std::string CallArguments::string(const std::string &name) const {
  const Expression &value = values.at(name);
  if (value.kind != Expression::Kind::String)
    fail("argument '" + name + "' is " + describe(value) +
         ", expected a string");
  return value.text;
}

NameMask CallArguments::mask(const std::string &name) const {
  return NameMask::read(values.at(name), *shared);
}

NameMask NameMask::read(const Expression &mask, TextReading &reading) {
  NameMask result;
  auto add = [&](const Expression &glob) {
    if (glob.kind != Expression::Kind::String)
      return reading.fail("a mask is " + describe(glob) +
                          ", expected a glob of names or a list of globs");
    if (Status status = checkGlob(glob.text, "mask"); !status)
      reading.fail(status.error().text);
    result.globs.push_back(glob.text);
  };
  if (mask.kind == Expression::Kind::None)
    return result;
  result.all = mask.kind == Expression::Kind::Boolean && mask.number != 0;
  if (mask.kind == Expression::Kind::Boolean)
    return result;
  if (mask.kind == Expression::Kind::List)
    for (const Expression &glob : mask.items)
      add(glob);
  else
    add(mask);
  return result;
}

bool NameMask::matches(const std::string &name) const {
  if (all)
    return true;
  for (const std::string &glob : globs)
    if (matchesGlob(glob, name))
      return true;
  return false;
}

bool matchesGlob(const std::string &glob, const std::string &name) {
  auto pattern = llvm::GlobPattern::create(glob, /*MaxSubPatterns=*/1024);
  if (!pattern) {
    llvm::consumeError(pattern.takeError());
    return false;
  }
  return pattern->match(name);
}

Status checkGlob(const std::string &glob, const std::string &option) {
  auto pattern = llvm::GlobPattern::create(glob, /*MaxSubPatterns=*/1024);
  if (pattern)
    return noError();
  return Error{ErrorCode::Usage,
               option + ": '" + glob +
                   "' is no glob: " + llvm::toString(pattern.takeError()),
               {}};
}

} // namespace zenith::training
