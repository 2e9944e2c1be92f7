// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing of JSON from untrusted files, and where its members stand.

#ifndef ZENITH_FRONTENDS_FILES_JSONTEXT_H
#define ZENITH_FRONTENDS_FILES_JSONTEXT_H

#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace zenith::files {

/// llvm::json::parse for text of any nesting: the parser takes stack for each
/// level, so more than 64 levels are an error.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);
/// Line and column, "3:14", of an error of parseJSON, and its text; the place
/// is empty where it has none.
std::pair<std::string, std::string> splitPlace(llvm::StringRef message);

/// A key of an object, which llvm::json::Object keeps in no order and once.
struct JSONMember {
  std::vector<std::string> path; ///< keys from the outermost object to this one
  size_t offset = 0;             ///< of the key's quote, in bytes
};

/// The members of all objects of `text`, which parses, in the order of the
/// text.
std::vector<JSONMember> membersOf(llvm::StringRef text);

/// "LINE:COLUMN" of an offset, both from 1 on.
std::string lineAndColumn(llvm::StringRef text, size_t offset);

} // namespace zenith::files

#endif // ZENITH_FRONTENDS_FILES_JSONTEXT_H
