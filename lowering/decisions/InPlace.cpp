// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides by the paths from an operand to a result.

#include "lowering/decisions/InPlace.h"
#include "lowering/routines/RoutineKernels.h"
#include "lowering/schedule/EpilogueForm.h"
#include "lowering/schedule/Schedule.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zenith::decisions {

// Every path from the argument to the result must keep the index: then a
// block's loads, which come before its stores, read only what the same block
// writes.
static bool keepsIndex(BlockArgument argument) {
  llvm::SetVector<Value> reached;
  reached.insert(argument);
  for (size_t next = 0; next < reached.size(); ++next)
    for (Operation *user : reached[next].getUsers()) {
      if (isa<graph::YieldOp>(user))
        continue;
      if (graph::familyOf(user) != graph::Family::Elementwise)
        return false;
      reached.insert(user->getResult(0));
    }
  return true;
}

static bool elementsMayShare(graph::FusionOp fusion, unsigned operand,
                             unsigned result) {
  auto from = cast<RankedTensorType>(fusion.getInputs()[operand].getType());
  auto to = cast<RankedTensorType>(fusion.getResultTypes()[result]);
  // Results of another shape have their own kernel, which may read the operand
  // after this one has written.
  bool oneShape =
      llvm::all_equal(llvm::map_range(fusion.getResultTypes(), [](Type type) {
        return cast<RankedTensorType>(type).getShape();
      }));
  return from == to && oneShape &&
         keepsIndex(fusion.getBody().getArgument(operand));
}

/// The value at `index` of the list that scatters into result `index`.
static Value scatteredInto(Operation *op, unsigned index) {
  if (auto scatter = dyn_cast<graph::ScatterOp>(op))
    return scatter.getOperand();
  return cast<graph::ScatterWithOp>(op).getInputs()[index];
}

/// The value of the body that a result updates at some places and copies
/// elsewhere; null where there is none.
static Value updatedBy(graph::FusionOp fusion, Value yielded) {
  Operation *op = yielded.getDefiningOp();
  if (auto update = dyn_cast_or_null<graph::DynamicUpdateSliceOp>(op))
    return fusion->getNumResults() == 1 ? update.getOperand() : Value();
  bool isOnly = llvm::count_if(fusion.getBody().front(), [](Operation &other) {
                  return isa<graph::ScatterOp, graph::ScatterWithOp>(other);
                }) == 1;
  if (!op || !isOnly || !isa<graph::ScatterOp, graph::ScatterWithOp>(op))
    return {};
  return scatteredInto(op, cast<OpResult>(yielded).getResultNumber());
}

// Only the copy reads the operand, each element at the index that it writes.
static bool updateMayShare(graph::FusionOp fusion, unsigned operand,
                           unsigned result) {
  Value argument = fusion.getBody().getArgument(operand),
        yielded = fusion.getBody().front().getTerminator()->getOperand(result);
  return updatedBy(fusion, yielded) == argument &&
         yielded.getType() == argument.getType() && argument.hasOneUse() &&
         llvm::count(fusion.getInputs(), fusion.getInputs()[operand]) == 1;
}

bool mayShareBytes(graph::FusionOp fusion, unsigned operand, unsigned result) {
  switch (fusion.getKind()) {
  case graph::FusionKind::contraction:
    return kernels::contractionMayShareBytes(fusion, operand, result);
  case graph::FusionKind::routine:
    return kernels::routineMayShareBytes(fusion, operand, result);
  case graph::FusionKind::scatter:
    return updateMayShare(fusion, operand, result);
  case graph::FusionKind::attention:
    return false;
  default:
    return sched::kindsOf(fusion).front() ==
               sched::ElementsAttr::getMnemonic() &&
           elementsMayShare(fusion, operand, result);
  }
}

SmallVector<graph::SharedBytes> sharedBytes(graph::FusionOp fusion) {
  SmallVector<graph::SharedBytes> shared;
  for (unsigned result = 0; result < fusion->getNumResults(); ++result)
    for (unsigned operand = 0; operand < fusion.getInputs().size(); ++operand)
      if (mayShareBytes(fusion, operand, result))
        shared.push_back({result, operand});
  return shared;
}

} // namespace zenith::decisions
