// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of options as texts, and back.

#ifndef ZENITH_LOWERING_PIPELINE_OPTIONTEXT_H
#define ZENITH_LOWERING_PIPELINE_OPTIONTEXT_H

#include "lowering/pipeline/OptionTable.h"
#include "llvm/ADT/StringExtras.h"
#include <type_traits>

namespace zenith::options {

/// Bytes of "123", "4K", "5M", "6G"; nothing for other texts.
std::optional<int64_t> parseBytes(llvm::StringRef text);

/// Values as a command line has them; empty where there is none.
inline std::string optionText(bool value) { return value ? "true" : "false"; }
inline std::string optionText(const std::string &value) { return value; }
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>, std::string> optionText(T value) {
  return std::to_string(value);
}
template <typename T>
std::enable_if_t<std::is_enum_v<T>, std::string> optionText(T value) {
  return wordOf(value).str();
}
template <typename T> std::string optionText(const std::optional<T> &value) {
  return value ? optionText(*value) : "";
}
template <typename T> std::string optionText(const std::vector<T> &values) {
  return llvm::join(
      llvm::map_range(values, [](const T &value) { return optionText(value); }),
      ",");
}

/// Reads a value; false where the text is none of the type and unit.
bool parseOption(llvm::StringRef text, const Unit &unit, bool &value);
bool parseOption(llvm::StringRef text, const Unit &unit, std::string &value);
bool parseOption(llvm::StringRef text, const Unit &unit, int64_t &value);
bool parseOption(llvm::StringRef text, const Unit &unit, unsigned &value);
template <typename T>
std::enable_if_t<std::is_enum_v<T>, bool> parseOption(llvm::StringRef text,
                                                      const Unit &, T &value) {
  std::optional<T> found = valueOf<T>(text);
  value = found.value_or(value);
  return bool(found);
}
template <typename T>
bool parseOption(llvm::StringRef text, const Unit &unit,
                 std::vector<T> &values) {
  values.clear();
  for (llvm::StringRef word : llvm::split(text, ',')) {
    T value{};
    if (!parseOption(word, unit, value))
      return false;
    values.push_back(value);
  }
  return true;
}

} // namespace zenith::options

#endif // ZENITH_LOWERING_PIPELINE_OPTIONTEXT_H
