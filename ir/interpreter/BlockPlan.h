// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block prepared for running many times: its values have numbers, and each
// operand says whether it is the last use.

#ifndef ZENITH_IR_INTERPRETER_BLOCKPLAN_H
#define ZENITH_IR_INTERPRETER_BLOCKPLAN_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace zenith::interpreter {

/// Where a value lives: in which frame, counted outwards, and its slot there.
struct ValueSlot {
  unsigned level = 0, slot = 0;
  bool last = false; ///< nobody reads the slot afterwards
};

struct PlannedOp {
  mlir::Operation *op;
  llvm::SmallVector<ValueSlot, 4> operands;
  llvm::SmallVector<int64_t, 2> results; ///< slots; -1 where nobody reads it
  llvm::SmallVector<unsigned, 2> dead;   ///< slots that only its regions read
};

struct BlockPlan {
  explicit BlockPlan(mlir::Block &block);

  unsigned slotCount;         ///< the first ones are the arguments'
  std::vector<PlannedOp> ops; ///< the last is the terminator
};

/// Numbers of the block's arguments and of its ops' results.
llvm::DenseMap<mlir::Value, unsigned> slotsOf(mlir::Block &block);

/// Blocks between `block` and the one that owns `value`; the first is `block`.
/// Empty where no block around it does.
llvm::SmallVector<mlir::Block *> blocksUpTo(mlir::Block *block,
                                            mlir::Value value);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_BLOCKPLAN_H
