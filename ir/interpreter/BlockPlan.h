// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block prepared for repeated runs: its values have slots, and each operand
// tells whether it is the last use.

#ifndef ZENITH_IR_INTERPRETER_BLOCKPLAN_H
#define ZENITH_IR_INTERPRETER_BLOCKPLAN_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace zenith::interpreter {

/// The location of a value: the frame, counted outwards, and the slot in it.
struct ValueSlot {
  unsigned level = 0, slot = 0;
  bool last = false; ///< no op reads the slot afterwards
};

struct PlannedOp {
  mlir::Operation *op;
  llvm::SmallVector<ValueSlot, 4> operands;
  llvm::SmallVector<int64_t, 2> results; ///< slots; -1 for unused results
  llvm::SmallVector<unsigned, 2> dead;   ///< slots that only its regions read
};

struct BlockPlan {
  explicit BlockPlan(mlir::Block &block);

  unsigned slotCount;         ///< the first ones are the arguments'
  std::vector<PlannedOp> ops; ///< the last is the terminator
};

/// Slots of the block's arguments and of its ops' results.
llvm::DenseMap<mlir::Value, unsigned> slotsOf(mlir::Block &block);

/// Blocks between `block` and the one that owns `value`; the first is `block`.
/// Empty if no enclosing block owns it.
llvm::SmallVector<mlir::Block *> blocksUpTo(mlir::Block *block,
                                            mlir::Value value);

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_BLOCKPLAN_H
