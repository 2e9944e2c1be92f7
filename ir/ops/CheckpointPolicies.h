// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policies of graph.checkpoint, by the names of jax.checkpoint_policies.

#ifndef ZENITH_IR_OPS_CHECKPOINTPOLICIES_H
#define ZENITH_IR_OPS_CHECKPOINTPOLICIES_H

#include "ir/GraphOps.h"
#include <optional>

namespace zenith::graph {

/// What differentiation keeps of the values of a checkpoint's region.
enum class CheckpointPolicy {
  Nothing,
  Everything,
  Dots,          ///< results of dot_general; convolutions are not meant
  UnbatchedDots, ///< those without batch dimensions
  OnlyNames,     ///< results of graph.named with one of the names
  NamesBut,      ///< results of graph.named with another name
  AnythingBut,   ///< everything but those with one of the names
};

/// The policy of a name such as "dots_saveable"; none where it is unknown.
/// Policies that offload keep the same values as their namesakes that save.
std::optional<CheckpointPolicy> checkpointPolicyOf(llvm::StringRef name);

/// The name of a policy that `name` was most likely meant to be.
llvm::StringRef nearestCheckpointPolicy(llvm::StringRef name);

/// Whether the policy of `checkpoint` keeps a value that `op`, of its region
/// or a copy of it, computes.
bool isSaveable(CheckpointOp checkpoint, mlir::Operation *op);

} // namespace zenith::graph

#endif // ZENITH_IR_OPS_CHECKPOINTPOLICIES_H
