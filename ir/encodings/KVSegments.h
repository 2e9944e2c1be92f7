// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys and values that come in pieces, as a cache and what is appended to it.

#ifndef ZENITH_IR_ENCODINGS_KVSEGMENTS_H
#define ZENITH_IR_ENCODINGS_KVSEGMENTS_H

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"

namespace zenith::graph {

/// Keys and values at the same positions, which follow those of earlier
/// segments.
struct KVSegment {
  mlir::Value key, value;
  DimExpr count;
};

/// The segments that an attention of at most `mostQueries` queries reads one
/// after the other. There is one segment if keys and values are whole or joined
/// at different positions, or if the number of queries may be larger.
llvm::SmallVector<KVSegment>
kvSegments(AttentionOp attention, DimAnalysis &analysis, int64_t mostQueries);

/// Whether the joined value has no reader but attentions of at most
/// `mostQueries` queries, which read its segments.
bool isReadBySegments(ConcatOp concat, DimAnalysis &analysis,
                      int64_t mostQueries);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_KVSEGMENTS_H
