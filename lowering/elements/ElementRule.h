// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that answers what one element of an op's result is, and the
// registration of its answers.

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTRULE_H
#define ZENITH_LOWERING_ELEMENTS_ELEMENTRULE_H

#include "ir/AttachRules.h"
#include "lowering/builder/IndexMath.h"

namespace zenith::kernels {
class ElementEmitter;
}

#include "lowering/elements/ElementRule.h.inc"

namespace zenith::kernels {

/// Answers for every op that a kernel computes element by element, attached
/// when the dialect is loaded.
void registerElementRules(mlir::DialectRegistry &registry);

/// The values of which an elementwise op reads the elements at its own index;
/// empty for other ops, and for those on complex numbers.
llvm::SmallVector<mlir::Value> sourcesAtIndex(mlir::Operation *op);

/// The answer of an op whose lanes a function emits.
template <auto function> struct FunctionElement;
template <typename Op, mlir::Value (*function)(Op, ElementEmitter &,
                                               llvm::ArrayRef<LaneIndex>)>
struct FunctionElement<function>
    : ElementRule::ExternalModel<FunctionElement<function>, Op> {
  mlir::Value emitElement(mlir::Operation *op, ElementEmitter &emitter,
                          llvm::ArrayRef<LaneIndex> index) const {
    return function(mlir::cast<Op>(op), emitter, index);
  }
};

void attachElementwiseElements(mlir::MLIRContext *context);
void attachMovementElements(mlir::MLIRContext *context);
void attachIndexingElements(mlir::MLIRContext *context);
void attachReductionElements(mlir::MLIRContext *context);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_ELEMENTRULE_H
