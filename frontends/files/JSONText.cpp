// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts levels of JSON before it is parsed.

#include "frontends/files/JSONText.h"

using namespace llvm;

static bool nestsTooDeeply(StringRef text) {
  constexpr int64_t mostLevels = 64;
  int64_t levels = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\';
    else if (c == '[' || c == '{')
      ++levels;
    else if (c == ']' || c == '}')
      --levels;
    if (levels > mostLevels)
      return true;
  }
  return false;
}

Expected<json::Value> zenith::files::parseJSON(StringRef text) {
  if (nestsTooDeeply(text))
    return createStringError("lists and objects nest too deeply");
  return json::parse(text);
}
