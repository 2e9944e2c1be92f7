// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers' vocabulary for ops with regions.

#ifndef ZENITH_IR_OPS_REGIONCHECKS_H
#define ZENITH_IR_OPS_REGIONCHECKS_H

#include "ir/GraphDialect.h"
#include "ir/ShapeChecks.h"
#include "mlir/IR/Region.h"

namespace zenith::graph {

/// One region of the op that `checks` speaks for.
struct RegionChecks {
  const ShapeChecks &checks;
  mlir::Region &region;
  std::string name;
  unsigned constraint;

  /// The region's arguments have exactly these types.
  mlir::LogicalResult arguments(mlir::TypeRange expected) const;
  /// It ends in graph.yield with values of exactly these types.
  mlir::LogicalResult yields(mlir::TypeRange expected) const;
  /// As yields, but the values may know more dimensions than `expected`.
  mlir::LogicalResult yieldsAtLeast(mlir::TypeRange expected) const;

private:
  mlir::FailureOr<mlir::ValueRange> yielded(size_t count) const;
};

/// Equal, or `general` is dynamic where `special` is not.
bool generalizes(mlir::Type general, mlir::Type special);

/// Rank-0 tensors of the element types of `tensors`, each `copies` times in a
/// row.
llvm::SmallVector<mlir::Type> scalarsOf(mlir::TypeRange tensors,
                                        unsigned copies = 1);

/// `region` folds: it gets the scalars of `tensors` twice, one set after the
/// other, and yields them once.
mlir::LogicalResult checkReduceRegion(const ShapeChecks &checks,
                                      mlir::Region &region,
                                      mlir::TypeRange tensors,
                                      unsigned constraint);

/// sum and prod take numbers, max and min all but complex numbers, the others
/// integers and booleans.
mlir::LogicalResult checkReduceKind(const ShapeChecks &checks, ReduceKind kind,
                                    mlir::Type element, unsigned constraint);

/// All of `values` have the shape of the first.
mlir::LogicalResult checkOneShape(const ShapeChecks &checks,
                                  llvm::StringRef place,
                                  mlir::ValueRange values, unsigned constraint);

} // namespace zenith::graph

#endif // ZENITH_IR_OPS_REGIONCHECKS_H
