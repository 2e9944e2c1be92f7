// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON of files, which may be anybody's.

#ifndef ZENITH_FRONTENDS_FILES_JSONTEXT_H
#define ZENITH_FRONTENDS_FILES_JSONTEXT_H

#include "llvm/Support/JSON.h"

namespace zenith::files {

/// llvm::json::parse for text that nests as deeply as it likes: the parser
/// takes stack for each level, so that more than 64 are an error.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

} // namespace zenith::files

#endif // ZENITH_FRONTENDS_FILES_JSONTEXT_H
