// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an op of VHLO with its attributes to the StableHLO or func op of the
// text form.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_VHLOCONVERSION_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_VHLOCONVERSION_H

#include "frontends/stablehlo/bytecode/BytecodeEntities.h"
#include "frontends/stablehlo/bytecode/VHLOOpTable.h"
#include "mlir/IR/OperationSupport.h"

namespace zenith::stablehlo {

/// Puts `attributes` into `list` in the form that they have on the StableHLO op
/// `name`; defaults, which VHLO spells out, are left out. Failures are in
/// `status`, with `offset`.
void convertVHLOAttributes(llvm::StringRef name, mlir::NamedAttrList attributes,
                           BytecodeEntities &entities, ArtifactStatus &status,
                           uint64_t offset, mlir::NamedAttrList &list);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_VHLOCONVERSION_H
