// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that reductions and windows share: operands with initial values, and
// the kind of a reduction.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_REDUCEREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_REDUCEREADING_H

#include "frontends/stablehlo/import/OpReading.h"

namespace zenith::stablehlo {

/// Operands in the types of the region's arguments.
struct ReduceOperands {
  Values inputs, inits;
  llvm::SmallVector<Type> scalars; ///< of the region's arguments
};
/// Nothing if the op is wrong; the error has been reported.
std::optional<ReduceOperands> readReduce(OpReading &x);

/// The kind of a region that is one op.
std::optional<graph::ReduceKind> reduceKind(mlir::Region &body, Type element);
/// True for sums and products of small floats: a region rounds at every step, a
/// reduction by kind once.
bool roundsOnce(graph::ReduceKind kind, Type element);
/// True for the neutral element of this kind, which the reduction may omit.
bool isNeutral(Value init, graph::ReduceKind kind);
/// Joins `init` with each element.
Value joinWith(HLOBuilder &x, graph::ReduceKind kind, Value value, Value init);

/// custom_call @stablehlo.dynamic_reduce_window: scans and windows of known
/// size; refused if the size of a window is a value otherwise.
void importDynamicReduceWindow(OpReading &x);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_REDUCEREADING_H
