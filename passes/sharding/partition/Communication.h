// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the collectives of a program of one device send.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_COMMUNICATION_H
#define ZENITH_PASSES_SHARDING_PARTITION_COMMUNICATION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace zenith::sharding {

/// The object of --report=communication for the partitioned function `entry`:
/// bytes that the device that sends most sends, by kind and in all, with the
/// formulas of docs/sharding.md; loops of a known number of steps count as
/// often as they run, others once.
llvm::Expected<llvm::json::Object> communicationReport(mlir::ModuleOp module,
                                                       llvm::StringRef entry);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_COMMUNICATION_H
