// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `wrt` and `of` name in a function.

#ifndef ZENITH_PASSES_AUTODIFF_DERIVEDSIGNATURE_H
#define ZENITH_PASSES_AUTODIFF_DERIVEDSIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/Transformation.h"
#include "llvm/Support/Error.h"

namespace zenith::autodiff {

/// What a function is differentiated by: an argument or a parameter.
struct Variable {
  std::string name; ///< may be empty
  mlir::Type type;
  unsigned argument = 0;
  std::string param; ///< the symbol of a parameter, else empty
};

/// The entries of `wrt`; without any, all arguments of floats.
llvm::Expected<llvm::SmallVector<Variable>>
variablesOf(mlir::func::FuncOp function, const Transformation &transformation);
/// The results in `of`; without any, all of floats, or result 0 of grad.
llvm::Expected<llvm::SmallVector<unsigned>>
resultsOf(mlir::func::FuncOp function, const Transformation &transformation);

/// Attributes for a derivative of something called `name` with these
/// attributes: the same dimensions, and `prefix` and the name, unless an
/// argument or a result has it.
mlir::DictionaryAttr derivedAttributes(mlir::func::FuncOp function,
                                       llvm::StringRef prefix,
                                       llvm::StringRef name,
                                       mlir::DictionaryAttr attributes);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_DERIVEDSIGNATURE_H
