// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host dialect: programs as launches on planned bytes.

#ifndef ZENITH_LOWERING_PIPELINE_HOSTDIALECT_H
#define ZENITH_LOWERING_PIPELINE_HOSTDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "lowering/pipeline/HostDialect.h.inc"
#include "lowering/pipeline/HostEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lowering/pipeline/HostAttrs.h.inc"
#define GET_OP_CLASSES
#include "lowering/pipeline/HostOps.h.inc"

namespace zenith::host {

/// Module attributes: the target as the user wrote it, bytes of the derived
/// parameters' arena.
inline constexpr llvm::StringLiteral targetAttrName = "host.target";
inline constexpr llvm::StringLiteral derivedBytesAttrName =
    "host.derived_bytes";
/// What the plan phase leaves: places of an op's results and scratch; on
/// functions the arena and donations.
inline constexpr llvm::StringLiteral placesAttrName = "host.places";
inline constexpr llvm::StringLiteral scratchAttrName = "host.scratch";
inline constexpr llvm::StringLiteral arenaAttrName = "host.arena";
inline constexpr llvm::StringLiteral activationsAttrName = "host.activations";
inline constexpr llvm::StringLiteral donationsAttrName = "host.donations";
/// Name of the nested module of kernels.
inline constexpr llvm::StringLiteral kernelsModuleName = "kernels";

} // namespace zenith::host

#endif // ZENITH_LOWERING_PIPELINE_HOSTDIALECT_H
