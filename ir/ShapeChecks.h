// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers' vocabulary: one function and one wording per kind of mistake.

#ifndef ZENITH_IR_SHAPECHECKS_H
#define ZENITH_IR_SHAPECHECKS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/Twine.h"
#include <optional>

namespace zenith::graph {

/// Speaks for one op, verified in place or about to be built at a location.
/// Every message reads
/// `'graph.<op>' op <place>: got <got>, expected <expected>
/// (<op>_c<constraint>)`.
class ShapeChecks {
public:
  explicit ShapeChecks(mlir::Operation *op)
      : op(op), opName(op->getName().stripDialect()) {}
  ShapeChecks(std::optional<mlir::Location> location, llvm::StringRef opName)
      : location(location), opName(opName) {}

  mlir::LogicalResult fail(const llvm::Twine &place, const llvm::Twine &got,
                           const llvm::Twine &expected,
                           unsigned constraint) const;

  /// lower <= value < upper.
  mlir::LogicalResult inRange(const llvm::Twine &place, int64_t value,
                              int64_t lower, int64_t upper,
                              unsigned constraint) const;
  /// Every value lies in [0, bound) and none appears twice.
  mlir::LogicalResult distinctInRange(const llvm::Twine &place,
                                      llvm::ArrayRef<int64_t> values,
                                      int64_t bound, unsigned constraint) const;
  /// As distinctInRange, and each value is larger than the one before.
  mlir::LogicalResult ascendingInRange(const llvm::Twine &place,
                                       llvm::ArrayRef<int64_t> values,
                                       int64_t bound,
                                       unsigned constraint) const;
  mlir::LogicalResult permutation(const llvm::Twine &place,
                                  llvm::ArrayRef<int64_t> values, int64_t rank,
                                  unsigned constraint) const;
  mlir::LogicalResult disjoint(const llvm::Twine &place,
                               llvm::ArrayRef<int64_t> lhs,
                               llvm::ArrayRef<int64_t> rhs,
                               unsigned constraint) const;
  /// Every value is at least `lower`.
  mlir::LogicalResult atLeast(const llvm::Twine &place,
                              llvm::ArrayRef<int64_t> values, int64_t lower,
                              unsigned constraint) const;
  mlir::LogicalResult count(const llvm::Twine &place, int64_t got,
                            int64_t expected, unsigned constraint) const;
  /// Sizes are equal, or one of them is known at run time only.
  mlir::LogicalResult sameSize(const llvm::Twine &place, int64_t got,
                               int64_t expected, unsigned constraint) const;
  mlir::LogicalResult sameType(const llvm::Twine &place, mlir::Type got,
                               mlir::Type expected, unsigned constraint) const;
  /// Elements of the expected type; two numbers each where that is complex,
  /// which the builtin attribute does not ask for.
  mlir::LogicalResult elements(const llvm::Twine &place, mlir::ElementsAttr got,
                               mlir::Type expected, unsigned constraint) const;
  /// One operand per dynamic dimension of `type`.
  mlir::LogicalResult dimOperands(const llvm::Twine &place, size_t got,
                                  mlir::RankedTensorType type,
                                  unsigned constraint) const;
  /// Element types are equal and shapes may be equal at run time.
  mlir::LogicalResult compatible(const llvm::Twine &place, mlir::Type got,
                                 mlir::Type expected,
                                 unsigned constraint) const;

private:
  mlir::Operation *op = nullptr;
  std::optional<mlir::Location> location;
  llvm::StringRef opName;
};

std::string typeText(mlir::Type type);
std::string listText(llvm::ArrayRef<int64_t> values);
/// "?" where the size is dynamic.
std::string sizeText(int64_t size);

} // namespace zenith::graph

#endif // ZENITH_IR_SHAPECHECKS_H
