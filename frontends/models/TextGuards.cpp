// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lexical checks of the frontend find, as errors of a file.

#include "frontends/models/TextGuards.h"

#include "frontends/stablehlo/bytecode/EscapingNames.h"
#include "frontends/stablehlo/bytecode/NewerText.h"
#include "ir/LLVMError.h"

using namespace zenith;
using llvm::StringRef;

/// The parser takes up to 2.3 kB of its stack for a region.
constexpr unsigned mostNested = 3000;

/// The first bracket that is inside of more others than the parser can open.
static std::optional<size_t> deepBracket(StringRef text) {
  unsigned depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
    case '"':
      for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\';
      break;
    case '/':
      if (text.substr(at).starts_with("//"))
        at = std::min(text.find('\n', at), text.size());
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > mostNested)
        return at;
      break;
    case '>':
      if (at > 0 && text[at - 1] == '-')
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    }
  }
  return std::nullopt;
}

/// FILE:LINE:COLUMN.
static std::string placeIn(StringRef file, StringRef text, size_t at) {
  StringRef before = text.take_front(at);
  size_t line = before.count('\n') + 1, start = before.rfind('\n') + 1;
  return file.str() + ":" + std::to_string(line) + ":" +
         std::to_string(at - start + 1);
}

llvm::Error zenith::models::checkText(llvm::StringRef file,
                                      llvm::StringRef text) {
  if (text.starts_with("ML\xefR"))
    return llvm::Error::success();
  if (std::optional<uint64_t> number = stablehlo::hugeResultNumber(text))
    return makeError(ErrorCode::Invalid,
                     "no op has a result of number " + std::to_string(*number),
                     file.str());
  if (std::optional<size_t> at = deepBracket(text))
    return makeError(ErrorCode::Unsupported,
                     "brackets inside of more than " +
                         std::to_string(mostNested) +
                         " others are not supported",
                     placeIn(file, text, *at));
  if (std::optional<stablehlo::EscapingName> use =
          stablehlo::escapingName(text))
    return makeError(ErrorCode::Invalid,
                     "use of undeclared SSA value name " + use->name.str(),
                     file.str() + ":" + std::to_string(use->line) + ":" +
                         std::to_string(use->column));
  return llvm::Error::success();
}
