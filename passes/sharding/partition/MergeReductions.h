// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several small sums over one group of devices as one message.

#ifndef ZENITH_PASSES_SHARDING_PARTITION_MERGEREDUCTIONS_H
#define ZENITH_PASSES_SHARDING_PARTITION_MERGEREDUCTIONS_H

#include "mlir/IR/Operation.h"

namespace zenith::sharding {

/// In each block inside of `root`: all_reduces over the same devices by the
/// same kind, none of which needs another one's result, become one of all their
/// values, at the place of the last one. Ops that need the results of the
/// earlier ones move behind it. A message takes at most 4 MiB of one device;
/// larger values gain nothing and would live longer. Bytes and bits stay.
void mergeReductions(mlir::Operation *root);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PARTITION_MERGEREDUCTIONS_H
