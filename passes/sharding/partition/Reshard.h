// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a value gets from one layout to another: the collectives and what they
// send.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_RESHARD_H
#define ZENITH_PASSES_SHARDING_PARTITION_RESHARD_H

#include "passes/sharding/partition/LocalBuilder.h"
#include <vector>

namespace zenith::sharding {

/// One collective or local cut, from the layout of the step before to `to`.
struct ReshardStep {
  enum Kind {
    Slice,         ///< axes enter dimensions: each device cuts its own block
    AllGather,     ///< axes leave dimensions
    AllToAll,      ///< axes move between dimensions
    Permute,       ///< blocks of one shape change devices
    AllReduce,     ///< terms along axes are joined
    ReduceScatter, ///< they are joined, and the axes enter a dimension
  };
  Kind kind;
  Layout to;
  Atoms atoms;     ///< the devices that meet
  double sent = 0; ///< bytes that one device sends
};

/// Steps from `from` to `to` of a value of type `whole`; `to.partial` is a part
/// of `from.partial`. Formulas of bytes: docs/sharding.md.
std::vector<ReshardStep> planReshard(mlir::RankedTensorType whole,
                                     const Layout &from, const Layout &to,
                                     const DeviceAxes &axes);
double sentBytes(llvm::ArrayRef<ReshardStep> steps);

/// Does the steps on `value`, which has layout `from`.
Value reshard(LocalBuilder &builder, mlir::RankedTensorType whole, Value value,
              const Layout &from, llvm::ArrayRef<ReshardStep> steps);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_RESHARD_H
