// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the attributes of dialect sched answer: one model for all kinds.

#include "lowering/decisions/Schedules.h"
#include "lowering/decisions/Cost.h"
#include "lowering/decisions/Decide.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/ScheduleChecks.h"
#include "lowering/decisions/ScheduleKeys.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::decisions {

// MLIR has one, too.
using sched::ElementsAttr;

/// Texts of expressions that the verifier has accepted.
static SmallVector<DimExpr> exprs(ArrayAttr texts) {
  SmallVector<DimExpr> all;
  for (Attribute text : texts ? texts.getValue() : ArrayRef<Attribute>())
    all.push_back(*DimExpr::parse(cast<StringAttr>(text).str()));
  return all;
}

static SmallVector<graph::SharedBytes> pairs(ArrayAttr shares) {
  SmallVector<graph::SharedBytes> all;
  for (Attribute pair : shares ? shares.getValue() : ArrayRef<Attribute>()) {
    auto numbers = cast<ArrayAttr>(pair);
    all.push_back({unsigned(cast<IntegerAttr>(numbers[0]).getInt()),
                   unsigned(cast<IntegerAttr>(numbers[1]).getInt())});
  }
  return all;
}

/// Tasks that the other keys demand.
static DimExpr derivedTasks(Operation *fusion, graph::DimAnalysis &dims) {
  FailureOr<Decision> decision =
      decide(cast<graph::FusionOp>(fusion), dims, target::modelOf(fusion));
  return succeeded(decision) && decision->tasks ? *decision->tasks : DimExpr(0);
}

namespace {
template <typename Kind>
struct Model : graph::Schedule::ExternalModel<Model<Kind>, Kind> {
  StringRef kind(Attribute) const { return Kind::getMnemonic(); }
  graph::RunOn runsOn(Attribute schedule) const { return keysOf(schedule).on; }
  DimExpr tasks(Attribute schedule, Operation *fusion,
                graph::DimAnalysis &dims) const {
    StringAttr given = keysOf(schedule).tasks;
    return given ? *DimExpr::parse(given.str()) : derivedTasks(fusion, dims);
  }
  SmallVector<DimExpr> scratch(Attribute schedule, Operation *,
                               graph::DimAnalysis &) const {
    return exprs(keysOf(schedule).scratch);
  }
  int64_t localBytes(Attribute schedule, Operation *fusion) const {
    auto product = productKeys(schedule);
    return product ? localBytesOf(cast<graph::FusionOp>(fusion), *product) : 0;
  }
  SmallVector<graph::SharedBytes> shares(Attribute schedule) const {
    return pairs(keysOf(schedule).shares);
  }
  graph::ScheduleCost cost(Attribute schedule, Operation *fusion,
                           graph::DimAnalysis &dims,
                           const target::TargetModel &model) const {
    return costOf(cast<graph::FusionOp>(fusion),
                  cast<graph::Schedule>(schedule), dims, model);
  }
  LogicalResult verifyFusion(Attribute schedule, Operation *fusion) const {
    return checkSchedule(cast<graph::FusionOp>(fusion),
                         cast<graph::Schedule>(schedule));
  }
};
} // namespace

template <typename... Kinds> static void attach(MLIRContext &context) {
  (Kinds::template attachInterface<Model<Kinds>>(context), ...);
}

void registerSchedules(DialectRegistry &registry) {
  using namespace sched;
  registry.insert<SchedDialect>();
  registry.addExtension(+[](MLIRContext *context, SchedDialect *) {
    attach<ElementsAttr, ReduceAttr, GemmAttr, ConvAttr, WindowAttr, ScanAttr,
           ScatterAttr, AttentionAttr, SortAttr, TopKAttr, SetAttr, RoutineAttr,
           ChoiceAttr>(*context);
  });
}

} // namespace zenith::decisions
