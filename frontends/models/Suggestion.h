// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name that was probably meant.

#ifndef ZENITH_FRONTENDS_MODELS_SUGGESTION_H
#define ZENITH_FRONTENDS_MODELS_SUGGESTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace zenith::models {

/// ", did you mean '...'?" for the name that `word` is closest to; empty where
/// none is close.
std::string suggestion(llvm::StringRef word, llvm::ArrayRef<std::string> names);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_SUGGESTION_H
