// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing of JSON from untrusted files.

#ifndef ZENITH_FRONTENDS_FILES_JSONTEXT_H
#define ZENITH_FRONTENDS_FILES_JSONTEXT_H

#include "llvm/Support/JSON.h"

namespace zenith::files {

/// llvm::json::parse for text of any nesting: the parser takes stack for each
/// level, so more than 64 levels are an error.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

} // namespace zenith::files

#endif // ZENITH_FRONTENDS_FILES_JSONTEXT_H
