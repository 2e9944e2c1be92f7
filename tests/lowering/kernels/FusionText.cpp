// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of a function that is one fusion of its arguments.

#include "FusionText.h"
#include <algorithm>
#include <vector>

namespace zenith::testing {

// Splits at commas outside of angle brackets.
static std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string fusionText(const std::string &kind, const std::string &arguments,
                       const std::string &results, const std::string &body,
                       const std::string &yields) {
  std::string parameters, bindings, values;
  for (const std::string &argument : splitList(arguments)) {
    size_t colon = argument.find(':'), sign = argument.find('%');
    std::string name = argument.substr(
        sign + 1, argument.find_first_of(" :", sign) - sign - 1);
    std::string type = argument.substr(colon + 1);
    parameters +=
        (parameters.empty() ? "%arg_" : ", %arg_") + name + " :" + type;
    bindings += (bindings.empty() ? "%" : ", %") + name + " = %arg_" + name +
                " :" + type;
  }
  size_t count = splitList(results).size();
  for (size_t i = 0; i < count; ++i)
    values += (i ? ", %out#" : "%out#") + std::to_string(i);
  std::string types = count > 1 ? "(" + results + ")" : results;
  return "func.func @f(" + parameters + ") -> " + types +
         " {\n %out:" + std::to_string(count) + " = graph.fusion " + kind +
         " (" + bindings + ") -> " + types + " {\n" + body + "\n graph.yield " +
         yields + " : " + results + "\n }\n return " + values + " : " +
         results + "\n}";
}

std::string tensorText(const std::vector<int64_t> &shape,
                       const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + element + ">";
}

} // namespace zenith::testing
