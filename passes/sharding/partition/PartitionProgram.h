// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a program with shardings to that of one device, and from that to one
// program that does the work of all devices.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPROGRAM_H
#define ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPROGRAM_H

#include "ir/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace zenith::sharding {

/// Devices of the meshes of the module; 1 without a mesh. Fails with code
/// Invalid where functions use meshes of different numbers of devices.
llvm::Expected<int64_t> meshDevices(mlir::ModuleOp module);

/// Makes of each function, whose values have graph.sharding where they are not
/// whole, the one that each device runs on its blocks (graph.block says
/// which). Calls have been inlined. Fails with code Unsupported by name.
/// With `explain`, remarks SHD101 and up say what travels and why.
llvm::Error partitionProgram(mlir::ModuleOp module, bool explain = false);

/// Whether a function is that of one device: arguments or results have
/// graph.block.
bool takesBlocks(mlir::Operation *function);

/// Makes of each function of one device, with graph.block on arguments and
/// results, one on whole values that runs all devices in lock step.
llvm::Error unrollProgram(mlir::ModuleOp module);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPROGRAM_H
