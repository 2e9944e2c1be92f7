// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys and values that come in pieces, as a cache and what is appended to it.

#ifndef ZENITH_IR_ENCODINGS_KVSEGMENTS_H
#define ZENITH_IR_ENCODINGS_KVSEGMENTS_H

#include "ir/GraphOps.h"
#include "ir/dims/DimAnalysis.h"

namespace zenith::graph {

/// Up to this many queries meet keys and values where they lie: packing, or
/// joining pieces, would cost as much as the products.
constexpr int64_t fewQueries = 4;

/// The same positions of keys and values, behind those of earlier pieces.
struct KVSegment {
  mlir::Value key, value;
  DimExpr count;
};

/// What few queries read one after the other; one piece where keys and values
/// are whole, joined at different places, or not for few queries for certain.
llvm::SmallVector<KVSegment> kvSegments(AttentionOp attention,
                                        DimAnalysis &analysis);

/// Whether nobody reads the joined value, but attention its pieces.
bool isReadBySegments(ConcatOp concat, DimAnalysis &analysis);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_KVSEGMENTS_H
