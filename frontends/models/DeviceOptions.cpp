// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a compilation as those of the passes over devices.

#include "frontends/models/DeviceOptions.h"

using namespace zenith;

sharding::ShardOptions
zenith::models::shardOptions(const pipeline::CompileOptions &options,
                             llvm::StringRef entry) {
  sharding::ShardOptions dealt;
  dealt.meshDevices = options.meshDevices;
  dealt.mesh = options.mesh;
  dealt.shards = options.shards;
  dealt.entry = entry.str();
  auto strategy =
      sharding::strategyOf(zenith::options::wordOf(options.propagation));
  dealt.propagation.strategy = strategy.value_or(sharding::Strategy::Full);
  dealt.propagation.conservative = options.conservativePropagation;
  return dealt;
}
