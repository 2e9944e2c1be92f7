// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for several devices, as the command lines ask for it.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_SHARDPROGRAM_H
#define ZENITH_PASSES_SHARDING_PARTITION_SHARDPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/sharding/PropagateShardings.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace zenith::sharding {

struct ShardOptions {
  /// 1: the program runs whole, and its shardings say nothing.
  int64_t meshDevices = 1;
  /// As applyMesh takes it; empty: the program's own.
  std::string mesh;
  /// As applyShard takes each.
  std::vector<std::string> shards;
  PropagationOptions propagation = {};
  /// The function that runs.
  std::string entry;
  /// Stops at the program of one device.
  bool keepPartitioned = false;
  /// Says what travels, as remarks.
  bool explain = false;
  /// Bytes of the partitioned program, where they are asked for.
  llvm::json::Object *communication = nullptr;
};

/// Propagates, partitions and unrolls: afterwards the module is one program on
/// whole values without shardings. A program without a mesh stays as it is.
/// Fails with code Usage where the mesh has another number of devices.
llvm::Error shardProgram(mlir::ModuleOp module, const ShardOptions &options);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_SHARDPROGRAM_H
