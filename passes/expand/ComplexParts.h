// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which two real values a complex one has become.

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
  /// Reads them with real and imag where the value comes as a whole.
  Parts of(mlir::Value value);
  void set(mlir::Value value, Parts known);
  /// The value itself where it comes as a whole, else one put together.
  mlir::Value whole(mlir::OpBuilder &builder, mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, Parts> parts;
  /// Values of `parts` that exist as a whole as well.
  llvm::DenseSet<mlir::Value> wholes;
};

/// Builds what `op` gives on parts: sets those of its complex results and
/// replaces the others. False where the op needs whole numbers; then nothing
/// has changed.
bool splitByRule(mlir::Operation *op, mlir::OpBuilder &builder,
                 ComplexParts &parts);

} // namespace zenith::expand

#endif // ZENITH_PASSES_EXPAND_COMPLEXPARTS_H
