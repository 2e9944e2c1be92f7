// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the text of newer MLIR versions readable for MLIR 19.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_NEWERTEXT_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_NEWERTEXT_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace zenith::stablehlo {

/// Rewrites syntax that the parser refuses before it calls any dialect:
/// locations with a range (`"f":1:2 to :5`) lose their end, hexadecimal data of
/// booleans with a byte per element is packed into bits, and elements of narrow
/// floats are `!stablehlo.narrow`. Nothing if the text needs no change.
std::optional<std::string> rewriteNewerText(llvm::StringRef text);

/// The first result index (`%x#9`) for which the parser would take more memory
/// than any program needs: it counts up to each index before it checks whether
/// there is such a result.
std::optional<uint64_t> hugeResultNumber(llvm::StringRef text);

/// A dialect of StableHLO programs that ops of the text belong to; empty if
/// there is none.
llvm::StringRef stableHLODialectIn(llvm::StringRef text);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_NEWERTEXT_H
