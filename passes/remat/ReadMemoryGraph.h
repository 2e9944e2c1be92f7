// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory graphs from outside: checked, and read from JSON.

#ifndef ZENITH_PASSES_REMAT_READMEMORYGRAPH_H
#define ZENITH_PASSES_REMAT_READMEMORYGRAPH_H

#include "ir/Error.h"
#include "passes/remat/MemoryGraph.h"

namespace zenith::remat {

/// The first mistake: an index out of range, a value or pair named twice, a
/// value that two steps write, a size that is negative or together with the
/// others above mostBytes, a cost that is negative or not finite, a cycle.
/// Code Invalid; the location is the key, as in `steps[3].reads[0]`.
Status checkGraph(const MemoryGraph &graph);

/// Reads {"format": "memory-graph", "version": 1, "name", "values", "steps":
/// [{"cost", "reads", "writes", "shares", "scratch", "after", "repeatable",
/// "kind"}], "keep"}; of a step the keys from "shares" on may be absent.
/// Errors as checkGraph().
Result<MemoryGraph> parseMemoryGraph(const llvm::json::Value &text);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_READMEMORYGRAPH_H
