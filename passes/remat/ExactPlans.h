// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All best plans of a small memory graph, by search over sets of live values.

#ifndef ZENITH_PASSES_REMAT_EXACTPLANS_H
#define ZENITH_PASSES_REMAT_EXACTPLANS_H

#include "passes/remat/MemoryGraph.h"
#include "passes/remat/RematPlan.h"
#include <optional>

namespace zenith::remat {

/// Graphs of more steps are not tried.
inline constexpr size_t mostExactSteps = 20;

/// The plans that no order with any recomputation beats in both peak and cost;
/// without `recompute`, the order of least peak that runs each step once.
/// nullopt where the graph is too large or `maxWork` does not suffice; `work`
/// grows by what was done.
std::optional<PlanList> exactPlans(const MemoryGraph &graph, bool recompute,
                                   uint64_t maxWork, uint64_t &work);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_EXACTPLANS_H
