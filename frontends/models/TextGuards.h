// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts at which MLIR's parser would end the process instead of failing.

#ifndef ZENITH_FRONTENDS_MODELS_TEXTGUARDS_H
#define ZENITH_FRONTENDS_MODELS_TEXTGUARDS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace zenith::models {

/// Code Invalid, with the place, for a result number for which the parser would
/// count up beyond its memory, and for a name that is read outside of the
/// region that defines it; code Unsupported where brackets nest deeper than its
/// stack is. `file` is the text's name in messages; bytecode is passed over.
llvm::Error checkText(llvm::StringRef file, llvm::StringRef text);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_TEXTGUARDS_H
