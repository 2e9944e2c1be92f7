// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reductions and windows share: operands with initial values, and the
// kind of a fold.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_REDUCEREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_REDUCEREADING_H

#include "frontends/stablehlo/import/ProgramReading.h"

namespace zenith::stablehlo {

/// Operands in the types that the region works in.
struct Fold {
  Values inputs, inits;
  llvm::SmallVector<Type> scalars; ///< of the region's arguments
};
/// Nothing where the op is wrong; it has been reported.
std::optional<Fold> readReduce(OpReading &x);

/// The kind of a region that is one op.
std::optional<graph::ReduceKind> reduceKind(mlir::Region &body, Type element);
/// True for sums and products of small floats: their region rounds at every
/// step, an op of a kind once.
bool roundsOnce(graph::ReduceKind kind, Type element);
/// True for a constant that a fold of this kind may start from unseen.
bool isNeutral(Value init, graph::ReduceKind kind);
/// The fold of `init` and each element.
Value joinWith(HLOBuilder &x, graph::ReduceKind kind, Value value, Value init);

/// custom_call @stablehlo.dynamic_reduce_window: cumulative folds and windows
/// of known size; refused where the size of a window is a value otherwise.
void importDynamicReduceWindow(OpReading &x);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_REDUCEREADING_H
