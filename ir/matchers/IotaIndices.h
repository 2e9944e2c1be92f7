// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices that are an iota along a dimension: they need neither memory nor
// bounds checks.

#ifndef ZENITH_IR_MATCHERS_IOTAINDICES_H
#define ZENITH_IR_MATCHERS_IOTAINDICES_H

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"

namespace zenith::graph {

/// The iota whose row-major elements are the i64 list of rank 1; null for other
/// lists.
IotaOp iotaListOf(mlir::Value list);

/// The dimension of `indices` along which component `number` of the tuples,
/// which lie along `vectorDim`, is an iota; nullopt for other components.
std::optional<int64_t> iotaDim(mlir::Value indices, int64_t vectorDim,
                               int64_t number);

/// The same for component `number` of a gather's starts where all of them are
/// in bounds; the dimension is one of the result, without those of offsets.
std::optional<int64_t> iotaStart(GatherOp op, int64_t number,
                                 DimAnalysis &dims);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_IOTAINDICES_H
