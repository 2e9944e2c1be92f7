// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph dialect, its attributes and enums, and the family of an op.

#ifndef ZENITH_IR_GRAPHDIALECT_H
#define ZENITH_IR_GRAPHDIALECT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include <optional>

#include "ir/GraphDialect.h.inc"
#include "ir/GraphEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/GraphAttrs.h.inc"

namespace zenith::graph {

/// Rows of the grid (question x family).
enum class Family {
  Elementwise,
  Contraction,
  LinearAlgebra,
  Reduction,
  Movement,
  Indexing,
  Ordering,
  Search,
  Random,
  Composite,
  Control,
  Collective
};
llvm::StringRef familyName(Family family);

/// Trait that says to which family an op belongs.
template <Family F> struct InFamily {
  template <typename ConcreteOp>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteOp, Impl> {};
};
/// Family of an op of the graph or search dialect; nullopt for ops of others.
std::optional<Family> familyOf(mlir::OperationName name);
inline std::optional<Family> familyOf(mlir::Operation *op) {
  return familyOf(op->getName());
}

/// Attribute names on arguments and results of entry functions.
inline constexpr llvm::StringLiteral nameAttrName = "graph.name";
inline constexpr llvm::StringLiteral dimsAttrName = "graph.dims";
/// How a value is dealt over a mesh: #graph.sharding on arguments and results
/// of functions, a list of these (or unit) on ops.
inline constexpr llvm::StringLiteral shardingAttrName = "graph.sharding";
/// What is known of named dimensions: a dictionary of #graph.bounds on
/// functions whose arguments name them.
inline constexpr llvm::StringLiteral dimBoundsAttrName = "graph.dim_bounds";
/// How operands of a fusion are laid out in memory: an array with an encoding
/// (ir/attributes/EncodingAttrs.h), or unit, for each.
inline constexpr llvm::StringLiteral encodingsAttrName = "graph.encodings";
/// On a module: the policy of its precision, as --mixed-precision has it.
inline constexpr llvm::StringLiteral precisionAttrName = "graph.precision";
/// On a product: its source asks for all of f32, as HIGHEST of StableHLO does.
inline constexpr llvm::StringLiteral highestPrecisionAttrName =
    "graph.highest_precision";
/// Names of the functions that compilation knows: the one that computes derived
/// parameters.
inline constexpr llvm::StringLiteral prepareFunctionName = "prepare";
/// On functions that only control ops of the host dialect call: their scalar
/// arguments are passed by value.
inline constexpr llvm::StringLiteral nestedAttrName = "host.nested";

/// On a function without a body: what it is derived from, as
/// `{rule = "vjp", of = @f, options = "wrt=0"}`.
inline constexpr llvm::StringLiteral deriveAttrName = "graph.derive";
/// On a function: the one that computes its tangents.
inline constexpr llvm::StringLiteral customJvpAttrName = "graph.custom_jvp";
/// On a function: `{forward = @a, backward = @b}`, which compute its gradients.
inline constexpr llvm::StringLiteral customVjpAttrName = "graph.custom_vjp";
/// Form and signatures of the three attributes above (custom_c1 to custom_c8).
llvm::LogicalResult verifyDerivationAttribute(mlir::Operation *op,
                                              mlir::NamedAttribute attribute);
/// Whether a type is a tensor of floats or complex numbers: values that have
/// derivatives.
bool isDifferentiable(mlir::Type type);

/// Checks c1 and c2 of elementwise ops.
llvm::LogicalResult verifyElementwiseTypes(mlir::Operation *op);
template <typename ConcreteOp>
class ElementwiseTypes
    : public mlir::OpTrait::TraitBase<ConcreteOp, ElementwiseTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyElementwiseTypes(op);
  }
};

} // namespace zenith::graph

#endif // ZENITH_IR_GRAPHDIALECT_H
