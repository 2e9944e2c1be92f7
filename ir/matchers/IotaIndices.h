// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices that only count along a dimension: nobody has to write them down, or
// to ask whether they are inside.

#ifndef ZENITH_IR_MATCHERS_IOTAINDICES_H
#define ZENITH_IR_MATCHERS_IOTAINDICES_H

#include "ir/GraphOps.h"
#include "ir/dims/DimAnalysis.h"

namespace zenith::graph {

/// The iota whose elements, row-major, the i64 of a list of rank 1 are; null
/// where it is another list.
IotaOp iotaListOf(mlir::Value list);

/// The dimension of `indices` along which component `number` of the tuples,
/// which lie along `vectorDim`, counts from 0; none where it comes from
/// elsewhere.
std::optional<int64_t> iotaDim(mlir::Value indices, int64_t vectorDim,
                               int64_t number);

/// The same for component `number` of a gather's starts where all of them are
/// inside; the dimension is one of the result, without those of offsets.
std::optional<int64_t> iotaStart(GatherOp op, int64_t number,
                                 DimAnalysis &dims);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_IOTAINDICES_H
