// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes and shardings that a command line gives to a program.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_STATEDMESH_H
#define ZENITH_PASSES_SHARDING_PARTITION_STATEDMESH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace zenith::sharding {

/// `AXIS=SIZE,...`: gives axes of the program's meshes other sizes, or makes
/// @mesh of these axes where there is none. Fails with code Usage where the
/// text is none or names an axis that no mesh has, and with Invalid where a
/// manual region or a table of groups depends on the old size.
llvm::Error applyMesh(mlir::ModuleOp module, llvm::StringRef text);

/// `KEY=SPEC`: the sharding of an argument, by name or number, or of result K
/// for `result:K`. SPEC has for each dimension axes joined by `+`, `-` for none
/// or `?` for open. `names` are the arguments' names. Fails with code Usage,
/// listing the keys that there are.
llvm::Error applyShard(mlir::Operation *function, llvm::StringRef text);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_STATEDMESH_H
