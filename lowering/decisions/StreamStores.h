// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which results are written by non-temporal stores, past the caches.

#ifndef ZENITH_LOWERING_DECISIONS_STREAMSTORES_H
#define ZENITH_LOWERING_DECISIONS_STREAMSTORES_H

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"

namespace zenith::decisions {

/// Whether a kernel could stream a result for some sizes: of plain loops, whose
/// caller alone reads it, in whole cache lines.
bool mayStream(graph::FusionOp fusion, unsigned result,
               graph::DimAnalysis &dims, const target::TargetModel &model);

/// The schedule, of kind elements or reduce, with streaming stores where they
/// pay off: for results that exceed the caches, unless the kernel writes more
/// than twice what it reads. A choice where only a run knows. Sizes that depend
/// on data have no streaming stores: their names are those of one analysis.
graph::Schedule withStreamingStores(graph::FusionOp fusion,
                                    graph::Schedule schedule,
                                    graph::DimAnalysis &dims,
                                    const target::TargetModel &model);

/// 1 where a run streams results, else 0, as the schedule says.
graph::DimExpr streamingGuard(graph::Schedule schedule);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_STREAMSTORES_H
