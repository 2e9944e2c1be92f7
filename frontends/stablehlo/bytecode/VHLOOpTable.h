// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of VHLO: which versions of StableHLO have them, which attributes.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_VHLOOPTABLE_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_VHLOOPTABLE_H

#include "frontends/stablehlo/bytecode/BytecodeContainer.h"
#include "llvm/ADT/STLExtras.h"

namespace zenith::stablehlo {

struct VHLOOp {
  llvm::StringLiteral name; ///< with its version, as "add_v1"
  ArtifactVersion first, last;
  llvm::StringLiteral attributes; ///< names between blanks

  /// The name in StableHLO.
  llvm::StringRef plainName() const { return name.rsplit("_v").first; }
};

/// Null for unknown names.
const VHLOOp *findVHLOOp(llvm::StringRef name);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_VHLOOPTABLE_H
