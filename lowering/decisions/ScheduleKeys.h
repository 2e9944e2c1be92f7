// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys that all kinds of schedules have, whatever the kind.

#ifndef ZENITH_LOWERING_DECISIONS_SCHEDULEKEYS_H
#define ZENITH_LOWERING_DECISIONS_SCHEDULEKEYS_H

#include "lowering/schedule/Schedule.h"

namespace zenith::decisions {

/// Null and 0 where a schedule is silent.
struct ScheduleKeys {
  graph::RunOn on = graph::RunOn::Task;
  mlir::DenseI64ArrayAttr group;
  int64_t lanes = 0;
  mlir::StringAttr tasks;
  mlir::ArrayAttr scratch, shares;
  sched::Stores store;
};

/// Of a choice, those of its first variant: scratch and shares are the same in
/// all.
ScheduleKeys keysOf(mlir::Attribute schedule);

/// The variants of a choice; else the schedule itself.
llvm::SmallVector<graph::Schedule, 2> variantsOf(graph::Schedule schedule);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_SCHEDULEKEYS_H
