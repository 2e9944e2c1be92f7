// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host dialect: programs as launches on assigned buffers.

#ifndef ZENITH_LOWERING_HOST_HOSTDIALECT_H
#define ZENITH_LOWERING_HOST_HOSTDIALECT_H

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/dims/DimAttr.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "lowering/host/HostDialect.h.inc"
#include "lowering/host/HostEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "lowering/host/HostAttrs.h.inc"
#define GET_OP_CLASSES
#include "lowering/host/HostOps.h.inc"

namespace zenith::host {

/// Module attribute: bytes of the derived parameters' arena.
inline constexpr llvm::StringLiteral derivedBytesAttrName =
    "host.derived_bytes";
/// On host.launch: the least work of the launch, for profiles.
inline constexpr llvm::StringLiteral flopsAttrName = "host.flops";
inline constexpr llvm::StringLiteral bytesAttrName = "host.bytes";
/// What the plan phase leaves: buffers of an op's results and scratch; on
/// functions the bytes of the arena and of its activations, and donations.
inline constexpr llvm::StringLiteral buffersAttrName = "host.buffers";
inline constexpr llvm::StringLiteral scratchAttrName = "host.scratch";
inline constexpr llvm::StringLiteral arenaAttrName = "host.arena";
inline constexpr llvm::StringLiteral activationsAttrName = "host.activations";
inline constexpr llvm::StringLiteral donationsAttrName = "host.donations";
/// On functions that only control steps call.
using graph::nestedAttrName;
/// On results of such functions whose size only the function knows: it
/// allocates their memory.
inline constexpr llvm::StringLiteral allocatedAttrName = "host.allocated";
/// On functions: results that lie in the argument of the same index.
inline constexpr llvm::StringLiteral inPlaceAttrName = "host.in_place";
/// On control ops: where the arenas of the functions lie.
inline constexpr llvm::StringLiteral nestedArenaAttrName = "host.nested_arena";
/// On ops: slots that no later op reads.
inline constexpr llvm::StringLiteral deallocsAttrName = "host.deallocs";
/// On kernels that call routines of the runtime.
inline constexpr llvm::StringLiteral hostOnlyAttrName = "zenith.host_only";
/// On functions and programs: bytes of the file for values that leave the
/// arena, and on graph.place where in the file the value lies.
inline constexpr llvm::StringLiteral fileBytesAttrName = "host.file_bytes";
inline constexpr llvm::StringLiteral fileOffsetAttrName = "host.file_offset";
/// On graph.barrier: waits for the transfer that its operand takes part in.
inline constexpr llvm::StringLiteral awaitsAttrName = "host.awaits";
/// Name of the nested module of kernels.
inline constexpr llvm::StringLiteral kernelsModuleName = "kernels";

/// What a copy moves to or from the file; null where no file takes part.
BufferAttr bytesOfTransfer(CopyOp copy);

} // namespace zenith::host

#endif // ZENITH_LOWERING_HOST_HOSTDIALECT_H
