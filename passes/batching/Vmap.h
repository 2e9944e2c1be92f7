// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function on a batch from a function on one row.

#ifndef ZENITH_PASSES_BATCHING_VMAP_H
#define ZENITH_PASSES_BATCHING_VMAP_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace zenith::batching {

struct VmapOptions {
  /// Per argument the dimension of rows that it gets, or none.
  llvm::SmallVector<std::optional<int64_t>> in;
  /// Per result the dimension of rows that it gets, or one for all.
  llvm::SmallVector<int64_t> out{0};
  /// Of the new function.
  std::string name;
  /// The number of rows; dynamic with a name of its own where it is not known.
  int64_t rows = mlir::ShapedType::kDynamic;
};

/// What is wrong with options for a function of this type; empty if nothing is.
std::string mistakeIn(const VmapOptions &options, mlir::FunctionType type);

/// Builds a function that gives in each row what `function` gives for the row's
/// arguments; it stands at the end of no module yet. Names, dims and locations
/// carry over. Fails with a message at an op that has no batched form.
/// Precondition: the options have no mistake.
llvm::FailureOr<mlir::OwningOpRef<mlir::func::FuncOp>>
vmapFunction(mlir::func::FuncOp function, const VmapOptions &options);

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_VMAP_H
