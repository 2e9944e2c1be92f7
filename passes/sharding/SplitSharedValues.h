// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of what several readers share only because it is cheap to write once:
// constants, broadcasts of scalars, functions.

#ifndef ZENITH_PASSES_SHARDING_SPLITSHAREDVALUES_H
#define ZENITH_PASSES_SHARDING_SPLITSHAREDVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace zenith::sharding {

/// Copies made so that each reader may have its own sharding; merge() joins
/// those that got the same one.
class SharedValues {
public:
  /// Copies constants, iotas, broadcasts of scalars and elementwise ops,
  /// broadcasts and slices of these for each reader.
  void splitConstants(mlir::ModuleOp module);
  /// Copies functions so that each is called at most once.
  void splitCalls(mlir::ModuleOp module);
  void merge(mlir::ModuleOp module);

private:
  void splitConstants(mlir::func::FuncOp function);
  /// Each original with its copies, in the order of the program.
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> constants;
  llvm::SmallVector<llvm::SmallVector<mlir::func::FuncOp>> functions;
};

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_SPLITSHAREDVALUES_H
