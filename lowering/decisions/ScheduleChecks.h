// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the constraints of schedules, sched_c1 to sched_c14.

#ifndef ZENITH_LOWERING_DECISIONS_SCHEDULECHECKS_H
#define ZENITH_LOWERING_DECISIONS_SCHEDULECHECKS_H

#include "lowering/schedule/Schedule.h"
#include "llvm/ADT/Twine.h"

namespace zenith::decisions {

/// The constraints in the order of docs/schedules.md.
enum Constraint : unsigned {
  KindFits = 1,
  GroupSize,
  TileSizes,
  ItemsFillGroup,
  LocalMemory,
  LaneCount,
  OperandForms,
  TaskCount,
  ScratchBytes,
  SharedOperands,
  ChoiceForm,
  ModelLimits,
  HostRoutines,
  SlicesOfK
};

/// "'graph.fusion' op schedule: KEY: got GOT, expected EXPECTED (sched_cN)".
mlir::LogicalResult refuse(graph::FusionOp fusion, Constraint constraint,
                           const llvm::Twine &key, const llvm::Twine &got,
                           const llvm::Twine &expected);

/// sched_c3: a number is there for what counts.
mlir::LogicalResult checkPrefetch(graph::FusionOp fusion,
                                  const sched::Prefetch &prefetch);

/// What types and ops alone say of a schedule that is no choice.
mlir::LogicalResult checkKind(graph::FusionOp fusion, graph::Schedule schedule);
mlir::LogicalResult checkGroup(graph::FusionOp fusion,
                               graph::Schedule schedule);
mlir::LogicalResult checkProduct(graph::FusionOp fusion,
                                 graph::Schedule schedule);
mlir::LogicalResult checkLoops(graph::FusionOp fusion,
                               graph::Schedule schedule);
mlir::LogicalResult checkTasks(graph::FusionOp fusion,
                               graph::Schedule schedule);
mlir::LogicalResult checkBuffers(graph::FusionOp fusion,
                                 graph::Schedule schedule);
mlir::LogicalResult checkChoice(graph::FusionOp fusion,
                                sched::ChoiceAttr choice);

/// All of them.
mlir::LogicalResult checkSchedule(graph::FusionOp fusion,
                                  graph::Schedule schedule);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_SCHEDULECHECKS_H
