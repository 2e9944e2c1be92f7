// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of a reduction, and the value that it starts from.

#ifndef ZENITH_LOWERING_ELEMENTS_REDUCTIONSTEPS_H
#define ZENITH_LOWERING_ELEMENTS_REDUCTIONSTEPS_H

#include "lowering/elements/ElementEmitter.h"

namespace zenith::kernels {

/// One step of a reduction of elements of type `element`; f16 and bf16 are
/// accumulated in f32.
mlir::Value reduceStep(ElementEmitter &emitter, graph::ReduceKind kind,
                       mlir::Type element, mlir::Value x, mlir::Value y);
/// The neutral element of a reduction, `like` a scalar or vector type.
mlir::Value neutralElement(KernelBuilder &kernel, graph::ReduceKind kind,
                           mlir::Type element, mlir::Type like);
/// One step of an arg_reduce: returns the better value and writes its position
/// to `atResult`.
mlir::Value argStep(KernelBuilder &kernel, graph::ArgReduceOp op,
                    mlir::Value best, mlir::Value bestAt, mlir::Value x,
                    mlir::Value at, mlir::Value &atResult);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_REDUCTIONSTEPS_H
