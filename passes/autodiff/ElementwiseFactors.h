// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of functions of one real or complex number.

#ifndef ZENITH_PASSES_AUTODIFF_ELEMENTWISEFACTORS_H
#define ZENITH_PASSES_AUTODIFF_ELEMENTWISEFACTORS_H

#include "passes/autodiff/RuleBuilder.h"

namespace zenith::autodiff {

// The derivative of each op at its operand, of the operand's type; in terms of
// the result where that saves evaluating the function again.
mlir::Value factorOf(graph::ExpOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::Expm1Op op, RuleBuilder &rule);
mlir::Value factorOf(graph::LogOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::Log1pOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::SqrtOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::RsqrtOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::CbrtOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::SinOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::CosOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::TanOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::AsinOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::AcosOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::AtanOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::SinhOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::CoshOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::TanhOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::AsinhOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::AcoshOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::AtanhOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::LogisticOp op, RuleBuilder &rule);
mlir::Value factorOf(graph::ErfOp op, RuleBuilder &rule);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_ELEMENTWISEFACTORS_H
