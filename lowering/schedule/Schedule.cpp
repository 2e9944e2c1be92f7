// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect, and which kinds of schedule a fusion may have.

#include "lowering/schedule/Schedule.h"
#include "ir/SearchOps.h"
#include "ir/dims/OneFactor.h"
#include "lowering/builder/Guards.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

#include "lowering/schedule/ScheduleDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lowering/schedule/ScheduleAttrs.cpp.inc"

namespace zenith::sched {

// MLIR has one, too.
using sched::ElementsAttr;

void SchedDialect::initialize() { registerAttributes(); }

void SchedDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lowering/schedule/ScheduleAttrs.cpp.inc"
      >();
}

template <typename... Ops> static bool holds(graph::FusionOp fusion) {
  return llvm::any_of(fusion.getBody().front(),
                      [](Operation &op) { return isa<Ops...>(op); });
}

static StringRef kindOfRoutine(graph::FusionOp fusion) {
  if (holds<graph::SortOp, graph::SortWithOp>(fusion))
    return SortAttr::getMnemonic();
  if (holds<graph::TopKOp>(fusion))
    return TopKAttr::getMnemonic();
  bool isSet =
      holds<graph::UniqueOp, graph::CompactOp, graph::SearchSortedOp,
            graph::IsInOp, search::DedupOp, search::BitPositionsOp,
            search::BitsetDifferenceOp, search::TestAndSetOp,
            search::CosetBitRowsOp, search::CosetBitsOp, search::TestBitsOp,
            search::IndexBitsOp, search::NoteBitsOp, search::AppendNewOp,
            search::CountNeighboursOp>(fusion);
  return isSet ? SetAttr::getMnemonic() : RoutineAttr::getMnemonic();
}

SmallVector<StringRef, 2> kindsOf(graph::FusionOp fusion) {
  constexpr StringLiteral elements = ElementsAttr::getMnemonic();
  if (holds<graph::ReduceWithOp>(fusion))
    return {ReduceAttr::getMnemonic()};
  if (holds<graph::ReduceWindowWithOp>(fusion))
    return {WindowAttr::getMnemonic()};
  switch (fusion.getKind()) {
  case graph::FusionKind::contraction:
    return {holds<graph::ConvolutionOp>(fusion) ? ConvAttr::getMnemonic()
                                                : GemmAttr::getMnemonic()};
  case graph::FusionKind::attention:
    return {AttentionAttr::getMnemonic()};
  case graph::FusionKind::routine:
    return {kindOfRoutine(fusion)};
  case graph::FusionKind::scatter:
    if (holds<graph::ScatterOp, graph::ScatterWithOp>(fusion))
      return {ScatterAttr::getMnemonic()};
    return {elements};
  case graph::FusionKind::pointwise:
  case graph::FusionKind::copy:
  case graph::FusionKind::reduction:
  case graph::FusionKind::window:
    break;
  }
  if (holds<graph::CumulativeOp>(fusion))
    return {ScanAttr::getMnemonic()};
  // What has no loops of its own is computed per element.
  if (holds<graph::ReduceOp, graph::ArgReduceOp>(fusion))
    return {ReduceAttr::getMnemonic(), elements};
  if (fusion.getKind() == graph::FusionKind::window)
    return {holds<graph::ConvolutionOp>(fusion) ? ConvAttr::getMnemonic()
                                                : WindowAttr::getMnemonic(),
            elements};
  return {elements};
}

Attribute lastVariant(Attribute schedule) {
  auto choice = dyn_cast_or_null<ChoiceAttr>(schedule);
  return choice ? choice.getVariants().getValue().back() : schedule;
}

/// 1 where two sizes of 0 or 1 both are, without multiplying them out.
static graph::DimExpr both(const graph::DimExpr &x, const graph::DimExpr &y) {
  if (x.isConstant(1) || y.isConstant(1))
    return x.isConstant(1) ? y : x;
  return graph::oneFactor(x) * graph::oneFactor(y);
}

SmallVector<GuardedVariant, 2> guardedVariants(Attribute schedule) {
  auto choice = dyn_cast_or_null<ChoiceAttr>(schedule);
  if (!choice)
    return {{schedule, 1}};
  SmallVector<GuardedVariant, 2> variants;
  graph::DimExpr rest = 1;
  for (auto [guard, variant] :
       llvm::zip(choice.getGuards(), choice.getVariants())) {
    auto parsed = kernels::Guard::parse(cast<StringAttr>(guard).getValue());
    // Guards `1 <= x` are written of an x that is 0 or 1.
    graph::DimExpr holds = 1;
    if (parsed)
      holds = parsed->lower.isConstant(1) ? parsed->upper : parsed->taken();
    variants.push_back({variant, both(rest, holds)});
    rest = both(rest, graph::DimExpr(1) - holds);
  }
  return variants;
}

bool guardsNameData(Attribute schedule) {
  auto choice = dyn_cast_or_null<ChoiceAttr>(schedule);
  return choice && llvm::any_of(choice.getGuards(), [](Attribute guard) {
           return cast<StringAttr>(guard).getValue().contains('%');
         });
}

StringAttr givenTasks(Attribute schedule) {
  return llvm::TypeSwitch<Attribute, StringAttr>(lastVariant(schedule))
      .Case<ElementsAttr, ReduceAttr, GemmAttr, ConvAttr, WindowAttr, ScanAttr,
            ScatterAttr, AttentionAttr, SortAttr, TopKAttr, SetAttr,
            RoutineAttr>([](auto kind) { return kind.getTasks(); })
      .Default([](Attribute) { return StringAttr(); });
}

std::string textOf(Attribute schedule) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  return text;
}

} // namespace zenith::sched
