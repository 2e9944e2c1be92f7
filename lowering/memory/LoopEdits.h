// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of what outlined loops carry, capture and stack.

#ifndef ZENITH_LOWERING_MEMORY_LOOPEDITS_H
#define ZENITH_LOWERING_MEMORY_LOOPEDITS_H

#include "lowering/memory/LoopStacks.h"
#include "llvm/ADT/MapVector.h"

namespace zenith::memory {

/// The sizes of a static type as host.loop has them.
mlir::ArrayAttr extentsOf(mlir::RankedTensorType type);

/// Lets a fusion read a row instead of slicing it out of a stack.
void readRow(const StackRead &read, mlir::Value row);

/// Loops of one function by their bodies: a loop that carries more than before
/// is another op. Only the loops of this class's callers may call their
/// functions.
class LoopEdits {
public:
  using Value = mlir::Value;

  LoopEdits(mlir::SymbolTable &symbols, mlir::func::FuncOp function);

  mlir::SymbolTable &symbols;
  /// The loop with that body, and the bodies in the order of the function.
  host::LoopOp loopOf(mlir::func::FuncOp body) const {
    return loops.lookup(body);
  }
  llvm::SmallVector<mlir::func::FuncOp> bodies() const;
  mlir::func::FuncOp bodyOf(host::LoopOp loop) const {
    return symbols.lookup<mlir::func::FuncOp>(loop.getBody());
  }

  /// The loop with further carried values, arguments of its functions, which
  /// the caller lets the body return. Those that it had stay where they were.
  host::LoopOp carryMore(host::LoopOp loop, mlir::ValueRange inits);
  /// The argument of the body of a later loop that is `outside`, a value around
  /// both loops.
  Value captured(host::LoopOp reader, Value outside);
  /// Takes stacks that nothing reads any more out of a loop, and what they
  /// alone rest on.
  void dropStacks(StackedLoop &stacked,
                  llvm::function_ref<bool(const LoopStack &)> isDropped);

private:
  void dropCaptures(host::LoopOp reader);

  llvm::MapVector<mlir::func::FuncOp, host::LoopOp> loops;
};

/// Visits loops with stacks, inner ones first, until one visit fails.
mlir::LogicalResult forEachStackedLoop(
    mlir::ModuleOp module,
    llvm::function_ref<mlir::LogicalResult(StackedLoop &, LoopEdits &)> visit);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_LOOPEDITS_H
