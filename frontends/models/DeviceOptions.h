// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program is dealt over devices, from the options of a compilation.

#ifndef ZENITH_FRONTENDS_MODELS_DEVICEOPTIONS_H
#define ZENITH_FRONTENDS_MODELS_DEVICEOPTIONS_H

#include "lowering/pipeline/CompileOptions.h"
#include "passes/sharding/partition/ShardProgram.h"

namespace zenith::models {

/// What --mesh-devices, --mesh, --shard, --propagation and
/// --conservative-propagation say about the program whose entry is `entry`.
sharding::ShardOptions shardOptions(const pipeline::CompileOptions &options,
                                    llvm::StringRef entry);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_DEVICEOPTIONS_H
