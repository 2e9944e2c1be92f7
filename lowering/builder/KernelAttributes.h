// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that emission writes onto kernels and the last conversion reads.

#ifndef ZENITH_LOWERING_BUILDER_KERNELATTRIBUTES_H
#define ZENITH_LOWERING_BUILDER_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace zenith::kernels {

/// Argument attribute (unit) of a kernel's memref: another argument of the
/// launch may point to the same bytes, and one of the two is written. All other
/// memrefs become `noalias`.
inline constexpr llvm::StringLiteral mayAliasAttrName = "zenith.may_alias";
/// Attribute (unit) of a private function that kernels of other modules call:
/// it becomes a hidden symbol instead of an internal one.
inline constexpr llvm::StringLiteral sharedAttrName = "zenith.shared";
/// What the name of a kernel's zenith_task_fn ends with.
inline constexpr llvm::StringLiteral taskSuffix = "__task";

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_KERNELATTRIBUTES_H
