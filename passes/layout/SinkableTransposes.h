// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mark of transposes that zenith-choose-layouts makes and that
// zenith-sink-transposes moves.

#ifndef ZENITH_PASSES_LAYOUT_SINKABLETRANSPOSES_H
#define ZENITH_PASSES_LAYOUT_SINKABLETRANSPOSES_H

#include "mlir/Support/LLVM.h"

namespace zenith::layout {

/// On a graph.transpose: it may move below the ops that read it.
/// zenith-sink-transposes removes the mark.
inline constexpr llvm::StringLiteral sinkableAttrName = "graph.sinkable";

} // namespace zenith::layout

#endif // ZENITH_PASSES_LAYOUT_SINKABLETRANSPOSES_H
