// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads values of options from texts.

#include "lowering/pipeline/OptionText.h"

#include "llvm/Support/MathExtras.h"

using llvm::StringRef;

namespace zenith::options {

std::optional<int64_t> parseBytes(StringRef text) {
  int64_t factor = 1, value = 0, size = 0;
  for (auto [suffix, power] :
       {std::pair("K", 10), std::pair("M", 20), std::pair("G", 30)})
    if (text.consume_back(suffix)) {
      factor = int64_t(1) << power;
      break;
    }
  if (text.getAsInteger(10, value) || value < 0 ||
      llvm::MulOverflow(value, factor, size))
    return std::nullopt;
  return size;
}

bool parseOption(StringRef text, const Unit &, bool &value) {
  value = text.empty() || text == "true";
  return value || text == "false";
}

bool parseOption(StringRef text, const Unit &, std::string &value) {
  value = text.str();
  return true;
}

bool parseOption(StringRef text, const Unit &unit, int64_t &value) {
  int64_t number = 0;
  if (std::optional<int64_t> size = parseBytes(text);
      size && StringRef(unit.word) == bytes.word)
    number = *size;
  else if (text.getAsInteger(10, number))
    return false;
  if (number < unit.least || number > unit.most)
    return false;
  value = number;
  return true;
}

bool parseOption(StringRef text, const Unit &unit, unsigned &value) {
  int64_t number = 0;
  if (!parseOption(text, unit, number) || number < 0 || number > UINT32_MAX)
    return false;
  value = unsigned(number);
  return true;
}

} // namespace zenith::options
