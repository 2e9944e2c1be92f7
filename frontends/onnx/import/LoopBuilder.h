// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds loops and branches from functions that emit one step: finds by itself
// which loop-carried dimensions change from step to step.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_LOOPBUILDER_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_LOOPBUILDER_H

#include "frontends/onnx/import/ImportBuilder.h"

namespace zenith::onnx {

using Values = llvm::SmallVector<Value>;
/// Emits the inside of a region from its arguments and gives what it yields.
/// Called once more for every set of dimensions that turn out to change.
using RegionBody = llvm::function_ref<Values(mlir::ValueRange)>;

/// Runs `body` on loop-carried values while `condition` gives true.
Values buildWhile(ImportBuilder &b, llvm::ArrayRef<Value> inits,
                  RegionBody condition, RegionBody body);
/// Runs `body(index, carried)` for index 0, 1, ... below `count` (i64 scalar).
using StepBody = llvm::function_ref<Values(Value, mlir::ValueRange)>;
Values buildFor(ImportBuilder &b, Value count, llvm::ArrayRef<Value> inits,
                StepBody body);
/// One of two branches; each yields as many values, of one rank and element
/// type.
Values buildIf(ImportBuilder &b, Value condition,
               llvm::function_ref<Values()> onTrue,
               llvm::function_ref<Values()> onFalse);
/// Emits `body` where it never runs, to learn the shapes of its values: the
/// values must not be used, their dimensions may be read.
Values probe(ImportBuilder &b, mlir::TypeRange arguments, RegionBody body);

/// The part of a value at `index` of a dimension, which disappears.
Value takeAt(ImportBuilder &b, Value value, int64_t dim, Value index);
/// The buffer with `element` at `index` of dimension 0.
Value putAt(ImportBuilder &b, Value buffer, Value index, Value element);
/// A rank-0 value from one element of any shape.
Value asScalar(ImportBuilder &b, Value value);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_LOOPBUILDER_H
