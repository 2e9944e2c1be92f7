// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splat and per-channel constants.

#ifndef ZENITH_PASSES_QUANTIZE_SPLATORPERCHANNEL_H
#define ZENITH_PASSES_QUANTIZE_SPLATORPERCHANNEL_H

#include "mlir/IR/Builders.h"

namespace zenith::quantize {

/// The constant that all elements of `value` are (rank 0, `dim` -1), or the one
/// per index of its dimension `dim` (rank 1); null for other values.
mlir::Value splatOrPerChannel(mlir::OpBuilder &builder, mlir::Value value,
                              int64_t &dim);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_SPLATORPERCHANNEL_H
