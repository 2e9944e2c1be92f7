// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys that the schedules of matrix products and convolutions share.

#ifndef ZENITH_LOWERING_DECISIONS_PRODUCTKEYS_H
#define ZENITH_LOWERING_DECISIONS_PRODUCTKEYS_H

#include "lowering/decisions/ScheduleKeys.h"
#include <optional>

namespace zenith::decisions {

/// #sched.gemm and #sched.conv; Schedule.td says what each key means.
struct ProductKeys {
  mlir::DenseI64ArrayAttr tile, item;
  int64_t lanes = 0;
  sched::Operands operands;
  mlir::DenseI64ArrayAttr block;
  sched::KLoop kLoop;
  sched::Joined joined;
  sched::Prefetches prefetch;
  mlir::DenseI64ArrayAttr heights, finish;
  int64_t sums = 0;
  int64_t stages = 1, vector = 1, kSlices = 1;
  sched::Fragment fragment;
  sched::ConvForm form;                    ///< convolutions only
  int64_t keep = 0;                        ///< depthwise ones over planes only
  int64_t fewestTasks = 0, inputTiles = 0; ///< Winograd only
  int64_t mirror = 0;                      ///< symmetric products only
};

/// Nullopt for schedules of other kinds.
std::optional<ProductKeys> productKeys(mlir::Attribute schedule);
/// The attribute with these keys: of a convolution, or of a matrix product.
mlir::Attribute productAttr(mlir::MLIRContext *context, bool isConv,
                            const ProductKeys &keys,
                            const ScheduleKeys &common);

/// Bytes of local memory that a group's tiles take.
int64_t localBytesOf(graph::FusionOp fusion, const ProductKeys &keys);

/// Groups of a product with the result `sizes`; nullopt for schedules of other
/// forms, and for convolutions.
std::optional<graph::DimExpr> groupTasks(graph::FusionOp fusion,
                                         graph::Schedule schedule,
                                         llvm::ArrayRef<graph::DimExpr> sizes);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_PRODUCTKEYS_H
