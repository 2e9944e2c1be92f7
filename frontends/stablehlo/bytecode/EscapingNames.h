// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of values that are read outside of the region that defines them.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ESCAPINGNAMES_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ESCAPINGNAMES_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace zenith::stablehlo {

/// A use in a text; line and column count from 1.
struct EscapingName {
  llvm::StringRef name; ///< with its %
  unsigned line = 1, column = 1;
};

/// The first use of a name that no region around has defined and that a region
/// which is not around defines later; nothing in a valid program. MLIR 19's
/// parser takes the later value for it, and where it fails afterwards, frees
/// that value before its reader, which then writes into what was freed.
std::optional<EscapingName> escapingName(llvm::StringRef text);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ESCAPINGNAMES_H
