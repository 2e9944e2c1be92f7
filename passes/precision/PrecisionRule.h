// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that answers what may be narrow, and the registration of its
// answers.

#ifndef ZENITH_PASSES_PRECISION_PRECISIONRULE_H
#define ZENITH_PASSES_PRECISION_PRECISIONRULE_H

#include "ir/AttachRules.h"
#include "mlir/IR/OpDefinition.h"
#include <string>

namespace zenith::precision {

/// Which ops a policy makes narrow.
enum class List {
  Allow,  ///< products: operands have the policy's type, sums are f32
  Follow, ///< narrow where all their operands are and values are stored narrow
  Deny,   ///< f32 always
  None    ///< the types are the program's
};
llvm::StringRef wordOf(List list);

} // namespace zenith::precision

#include "passes/precision/PrecisionRule.h.inc"

namespace zenith::precision {

/// Answers for every op of GraphIR, attached when the dialect is loaded.
void registerPrecisionRules(mlir::DialectRegistry &registry);

void attachElementwisePrecision(mlir::MLIRContext *context);
void attachMovementPrecision(mlir::MLIRContext *context);
void attachContractionPrecision(mlir::MLIRContext *context);
void attachReductionPrecision(mlir::MLIRContext *context);
void attachIndexingPrecision(mlir::MLIRContext *context);
void attachOrderingPrecision(mlir::MLIRContext *context);
void attachRandomPrecision(mlir::MLIRContext *context);
void attachCompositePrecision(mlir::MLIRContext *context);
void attachCollectivePrecision(mlir::MLIRContext *context);
void attachControlPrecision(mlir::MLIRContext *context);
void attachSearchPrecision(mlir::MLIRContext *context);

/// The list of any op; None for ops of other dialects.
List listOf(mlir::Operation *op);

/// The name of an op in policies: its mnemonic, with the kind where that
/// decides, as in reduce_sum.
std::string policyName(mlir::Operation *op);

/// An external model that puts every op on one list.
template <List list_> struct OnList {
  template <typename Op>
  struct Model : PrecisionRule::ExternalModel<Model<Op>, Op> {
    List list(mlir::Operation *) const { return list_; }
  };
};

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_PRECISIONRULE_H
