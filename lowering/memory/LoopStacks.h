// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outlined loops that write a row of stacks in each trip, and the later loops
// that read these row by row.

#ifndef ZENITH_LOWERING_MEMORY_LOOPSTACKS_H
#define ZENITH_LOWERING_MEMORY_LOOPSTACKS_H

#include "lowering/host/HostDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace zenith::memory {

/// A fusion in the body of a later loop that slices one row out of a stack.
struct StackRead {
  graph::FusionOp fusion;
  unsigned operand;  ///< of the fusion, that is the stack
  mlir::Value index; ///< of the row, a scalar of that body
};

/// A carried value into which each trip writes the row of its number.
struct LoopStack {
  unsigned index;         ///< of the carried value
  graph::FusionOp update; ///< of the body; elementwise but for the write
  graph::DynamicUpdateSliceOp write; ///< in `update`
  /// The carried value of which the row is the bytes, if it is one.
  std::optional<unsigned> carried;
  llvm::SmallVector<StackRead> reads;
};

/// A loop of a known number of trips with stacks that only later loops of the
/// same block read; its functions, and theirs, have no other callers.
struct StackedLoop {
  host::LoopOp loop;
  mlir::func::FuncOp condition, body;
  unsigned counter = 0; ///< carried value: 0, 1, 2, ...
  int64_t trips = 0;
  llvm::SmallVector<LoopStack> stacks;
};

/// How many ops of a module name each function.
using CallCounts = llvm::DenseMap<mlir::Operation *, unsigned>;
CallCounts callCounts(mlir::ModuleOp module, const mlir::SymbolTable &symbols);

/// Nothing for loops without such stacks.
std::optional<StackedLoop> stackedLoop(host::LoopOp loop,
                                       const mlir::SymbolTable &symbols,
                                       const CallCounts &calls);

/// Trips of a loop that counts from 0 by 1 to a constant, and the carried value
/// that counts; nothing for other loops.
struct LoopTrips {
  unsigned counter;
  int64_t count;
};
std::optional<LoopTrips> tripsOf(host::LoopOp loop,
                                 const mlir::SymbolTable &symbols);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_LOOPSTACKS_H
