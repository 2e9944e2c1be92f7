// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a batched function calls: those that are not inlined because
// they have rules of derivation of their own.

#ifndef ZENITH_PASSES_BATCHING_ROWFUNCTIONS_H
#define ZENITH_PASSES_BATCHING_ROWFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zenith::batching {

/// Functions of a module on rows of all their arguments.
class RowFunctions {
public:
  /// Gives the function called `name` that maps `function` over dimension 0 of
  /// all arguments and results.
  using Map =
      llvm::function_ref<llvm::FailureOr<mlir::OwningOpRef<mlir::func::FuncOp>>(
          mlir::func::FuncOp function, std::string name)>;

  RowFunctions(mlir::ModuleOp module, int64_t rows, Map map)
      : module(module), rows(rows), map(map) {}

  /// The function that maps the one called `name`; made where there is none.
  /// Its own rules of derivation are mapped too, so that it can still be
  /// differentiated. A failure has been reported.
  llvm::FailureOr<mlir::func::FuncOp> of(llvm::StringRef name);

private:
  llvm::LogicalResult mapRules(mlir::func::FuncOp from, mlir::func::FuncOp to);
  llvm::FailureOr<mlir::FlatSymbolRefAttr> mapped(mlir::Attribute symbol);

  mlir::ModuleOp module;
  int64_t rows;
  Map map;
};

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_ROWFUNCTIONS_H
