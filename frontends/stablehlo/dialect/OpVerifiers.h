// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks StableHLO ops against the constraints of their specification.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPVERIFIERS_H
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPVERIFIERS_H

#include "mlir/IR/OpDefinition.h"

namespace zenith::stablehlo {

/// Reports the first constraint that the op breaks. Its operands, attributes
/// and regions have been verified.
mlir::LogicalResult verifyStableHLOOp(mlir::Operation *op);

/// Ops with constraints beyond those of their declaration.
template <typename ConcreteType>
class HasConstraints
    : public mlir::OpTrait::TraitBase<ConcreteType, HasConstraints> {
public:
  static mlir::LogicalResult verifyRegionTrait(mlir::Operation *op) {
    return verifyStableHLOOp(op);
  }
};

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_OPVERIFIERS_H
