// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares, creates and registers the passes that make programs of one device.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPASSES_H
#define ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace zenith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/sharding/partition/PartitionPasses.h.inc"

} // namespace zenith

#endif // ZENITH_PASSES_SHARDING_PARTITION_PARTITIONPASSES_H
