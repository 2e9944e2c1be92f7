// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer scalars that the host of a program computes itself, because launching
// a kernel for one scalar takes longer.

#ifndef ZENITH_IR_MATCHERS_HOSTSCALARS_H
#define ZENITH_IR_MATCHERS_HOSTSCALARS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace zenith::graph {

/// True for a tensor of rank 0 of integers of 1 to 64 bits.
bool isHostScalarType(mlir::Type type);

/// True for elementwise ops on integer scalars that the host has code for.
bool isHostArithmetic(mlir::Operation *op);

/// The host scalars of a flat function: scalar arguments, constants, sizes,
/// results of host_read and of ops of other dialects (control), arithmetic on
/// these, and what barriers make of these.
class HostScalars {
public:
  HostScalars() = default;
  explicit HostScalars(mlir::Block &block);
  bool contains(mlir::Value value) const { return scalars.contains(value); }
  /// True for arithmetic that the host does.
  bool computes(mlir::Operation *op) const;
  /// For values that are added while a pass runs.
  void insert(mlir::Value value) { scalars.insert(value); }
  /// Adds the results of an op whose operands have been visited.
  void visit(mlir::Operation *op);

private:
  llvm::DenseSet<mlir::Value> scalars;
};

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_HOSTSCALARS_H
