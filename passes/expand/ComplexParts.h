// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two real values that replace each complex one.

#ifndef ZENITH_PASSES_EXPAND_COMPLEXPARTS_H
#define ZENITH_PASSES_EXPAND_COMPLEXPARTS_H

#include "passes/expand/ComplexFormulas.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zenith::expand {

bool isComplex(mlir::Value value);
/// The type of a part of a complex tensor; other types as they are.
mlir::Type partType(mlir::Type type);

class ComplexParts {
public:
  /// Built with graph.real and graph.imag where the value exists as a whole.
  Parts of(mlir::Value value);
  void set(mlir::Value value, Parts known);
  /// The value itself where it exists as a whole, else built by graph.complex.
  mlir::Value whole(mlir::OpBuilder &builder, mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, Parts> parts;
  /// Values of `parts` that exist as a whole as well.
  llvm::DenseSet<mlir::Value> wholes;
};

/// Builds the results of `op` on parts: sets the parts of complex results and
/// replaces the others. False where the op needs whole complex values; then
/// nothing has changed.
bool splitByRule(mlir::Operation *op, mlir::OpBuilder &builder,
                 ComplexParts &parts);

} // namespace zenith::expand

#endif // ZENITH_PASSES_EXPAND_COMPLEXPARTS_H
