// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which results are written by non-temporal stores, past the caches.

#ifndef ZENITH_LOWERING_DECISIONS_STREAMSTORES_H
#define ZENITH_LOWERING_DECISIONS_STREAMSTORES_H

#include "ir/target/TargetModel.h"
#include "lowering/schedule/Schedule.h"

namespace zenith::decisions {

/// Streaming, for the results that a kernel could stream for some sizes: of
/// plain loops, whose caller alone reads them, in whole cache lines. Plain
/// where there are none.
sched::Stores streamingStores(graph::FusionOp fusion, graph::DimAnalysis &dims,
                              const target::TargetModel &model);

/// The schedule, of kind elements or reduce, with streaming stores where they
/// pay off: for results that exceed the caches, or leave them before the
/// program ends, unless the kernel writes more than twice what it reads. A
/// choice where only a run knows. Sizes that depend on data have no streaming
/// stores: their names are those of one analysis.
graph::Schedule withStreamingStores(graph::FusionOp fusion,
                                    graph::Schedule schedule,
                                    graph::DimAnalysis &dims,
                                    const target::TargetModel &model);

/// What the schedule streams.
struct StreamedResults {
  sched::Stores stores;
  graph::DimExpr guard; ///< 1 where a run streams them, else 0
};
StreamedResults streamedResults(graph::Schedule schedule);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_STREAMSTORES_H
