// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vmap as users and programs write it.

#ifndef ZENITH_PASSES_BATCHING_MAPOVERROWS_H
#define ZENITH_PASSES_BATCHING_MAPOVERROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace zenith::batching {

struct RowMapping {
  /// Per argument the dimension to map over, or `_`.
  llvm::ArrayRef<std::string> in;
  /// Where it is in the results: one for all, one for each, or 0.
  llvm::ArrayRef<std::string> out;
  std::string name; ///< of the new function
  /// What the new function's arguments are known to be.
  std::optional<mlir::FunctionType> declared;
};

/// The function that maps `function` over rows, private, after it in the
/// module.
/// Errors: Usage for dimensions that the function doesn't have, Invalid for
/// declared sizes that disagree, Unsupported for an op without a batched form.
llvm::Expected<mlir::func::FuncOp> mapOverRows(mlir::func::FuncOp function,
                                               const RowMapping &mapping);

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_MAPOVERROWS_H
