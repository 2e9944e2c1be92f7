// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether what functions and programs read by number is shared by a control op
// around them.

#ifndef ZENITH_LOWERING_HOST_SHAREDSCOPES_H
#define ZENITH_LOWERING_HOST_SHAREDSCOPES_H

#include "lowering/host/HostDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace zenith::host {

/// The same element type and rank: static and dynamic sizes go together.
bool areAlike(mlir::Type lhs, mlir::Type rhs);

/// Follows control ops of an entry into what they run, in time linear in that.
class SharedScopes {
public:
  explicit SharedScopes(mlir::SymbolTableCollection &symbols)
      : symbols(symbols) {}
  /// Checks what `control` of a function or program runs, if that is an entry.
  /// Failure has been reported at the reader of a value that is not shared.
  mlir::LogicalResult check(mlir::Operation *control);

private:
  mlir::LogicalResult enter(mlir::Operation *control);
  mlir::LogicalResult visit(mlir::Operation *callee);
  mlir::LogicalResult visitStep(mlir::Operation *step);
  mlir::LogicalResult visitRead(SharedOp read);

  /// Of a control op: the type of each shared value in a function, and in a
  /// program the attribute that says where it is.
  using Shared = llvm::PointerUnion<mlir::Type, mlir::Attribute>;
  static Shared sharedBy(mlir::Operation *control, unsigned position);

  mlir::SymbolTableCollection &symbols;
  llvm::DenseMap<int64_t, Shared> known;
  llvm::DenseSet<mlir::Operation *> open; ///< functions on the way
};

} // namespace zenith::host

#endif // ZENITH_LOWERING_HOST_SHAREDSCOPES_H
