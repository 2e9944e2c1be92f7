// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the common keys of each kind.

#include "lowering/decisions/ScheduleKeys.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith::sched;

namespace zenith::decisions {

// MLIR has one, too.
using sched::ElementsAttr;

template <typename Kind> static ScheduleKeys commonKeys(Kind schedule) {
  return {schedule.getOn(),    schedule.getGroup(),   0,
          schedule.getTasks(), schedule.getScratch(), schedule.getShares(),
          schedule.getStore()};
}

template <typename Kind> static ScheduleKeys vectorKeys(Kind schedule) {
  ScheduleKeys keys = commonKeys(schedule);
  keys.lanes = schedule.getLanes();
  return keys;
}

ScheduleKeys keysOf(Attribute schedule) {
  return llvm::TypeSwitch<Attribute, ScheduleKeys>(schedule)
      .Case<ElementsAttr, ReduceAttr, GemmAttr, ConvAttr, WindowAttr, ScanAttr,
            ScatterAttr, AttentionAttr>(
          [](auto kind) { return vectorKeys(kind); })
      .Case<SortAttr, TopKAttr, SetAttr>(
          [](auto kind) { return commonKeys(kind); })
      .Case([](RoutineAttr routine) -> ScheduleKeys {
        return {routine.getOn(),
                {},
                0,
                routine.getTasks(),
                routine.getScratch(),
                routine.getShares(),
                {}};
      })
      .Case([](ChoiceAttr choice) {
        return choice.getVariants().empty() ? ScheduleKeys()
                                            : keysOf(choice.getVariants()[0]);
      })
      .Default([](Attribute) { return ScheduleKeys(); });
}

SmallVector<graph::Schedule, 2> variantsOf(graph::Schedule schedule) {
  auto choice = dyn_cast<ChoiceAttr>(schedule);
  if (!choice)
    return {schedule};
  SmallVector<graph::Schedule, 2> variants;
  for (Attribute variant : choice.getVariants())
    if (auto known = dyn_cast<graph::Schedule>(variant))
      variants.push_back(known);
  return variants;
}

} // namespace zenith::decisions
