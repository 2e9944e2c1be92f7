// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises regions of a single op on the accumulated value and the next one.

#include "passes/raise/RegionReduceKind.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

std::optional<ReduceKind> regionReduceKind(Region &region, unsigned index) {
  Block &block = region.front();
  unsigned count = block.getNumArguments() / 2;
  Value result = block.getTerminator()->getOperand(index);
  Operation *op = result.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || op->getBlock() != &block)
    return std::nullopt;
  Value old = block.getArgument(index), next = block.getArgument(count + index);
  bool fits = (op->getOperand(0) == old && op->getOperand(1) == next) ||
              (op->getOperand(0) == next && op->getOperand(1) == old);
  if (!fits)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<ReduceKind>>(op)
      .Case([](AddOp) { return ReduceKind::sum; })
      .Case([](MulOp) { return ReduceKind::prod; })
      .Case([](MaxOp) { return ReduceKind::max; })
      .Case([](MinOp) { return ReduceKind::min; })
      .Case([](AndOp) { return ReduceKind::all; })
      .Case([](OrOp) { return ReduceKind::any; })
      .Case([](XorOp) { return ReduceKind::parity; })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace zenith::raise
