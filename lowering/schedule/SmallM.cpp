// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of few rows lie in narrow panels, for all rows to be one tile; where
// only the run knows how few, wide tiles read two of these at a time.

#include "lowering/schedule/SmallM.h"
#include "ir/Contraction.h"
#include "ir/encodings/PackedPanels.h"
#include "lowering/builder/SizeChoice.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

TargetModel halved(TargetModel target) {
  target.nr /= 2;
  target.mr = 2 * target.mr + 2;
  return target;
}

static bool isWide(const TargetModel &target) {
  constexpr unsigned fewestVectors = 4;
  return target.nr / target.lanes >= fewestVectors;
}

static bool hasFixedRows(graph::DotGeneralOp dot) {
  auto type = cast<RankedTensorType>(dot.getLhs().getType());
  return llvm::none_of(graph::freeDims(type.getRank(),
                                       dot.getDims().getLhsBatching(),
                                       dot.getDims().getLhsContracting()),
                       [&](int64_t dim) { return type.isDynamicDim(dim); });
}

/// Gates are as wide as so many narrow panels.
static bool partsPanels(graph::FusionOp fusion, graph::DotGeneralOp dot,
                        const TargetModel &target) {
  auto dependent = dependents(fusion, dot);
  auto slices = fusion.getBody().front().getOps<graph::SliceOp>();
  return llvm::any_of(slices, [&](graph::SliceOp slice) {
    return dependent.contains(slice.getOperand()) &&
           slice.getType().getShape().back() % int64_t(target.nr) != 0;
  });
}

TargetModel tileTarget(graph::FusionOp fusion, const TargetModel &target) {
  auto dot = dyn_cast_or_null<graph::DotGeneralOp>(contractionAnchor(fusion));
  auto panels = dot ? graph::matchUnpackedPanels(dot.getRhs()) : std::nullopt;
  // A single panel has no others to be wider with.
  bool halves =
      panels && panels->panel * 2 == int64_t(target.nr) && isWide(target) &&
      cast<RankedTensorType>(panels->packed.getType()).getDimSize(0) != 1;
  return halves && (hasFixedRows(dot) || partsPanels(fusion, dot, target))
             ? halved(target)
             : target;
}

std::optional<SmallMVariant> smallMVariant(graph::FusionOp fusion,
                                           graph::DimAnalysis &dims,
                                           const ContractionSpace &space,
                                           const TargetModel &target) {
  if (space.form != ContractionSpace::Panels ||
      space.panel * 2 != tileColumns(space.sum, target) || !space.lines.empty())
    return std::nullopt;
  SmallMVariant few{halved(target), {}, {}};
  auto own = contractionSpace(fusion, dims, few.target);
  if (failed(own) || own->preparations.size() != space.preparations.size())
    return std::nullopt;
  few.space = std::move(*own);
  // What is known of the rows is that they are few. Even one of them had better
  // meet panel after panel, from one end of memory to the other.
  DimExpr rows = space.tile.size;
  few.space.tile.size =
      DimExpr::min(rows, DimExpr(target::TargetModel::mostRowsOfHalfPanels));
  few.taken = isAtMost(rows, target::TargetModel::mostRowsOfHalfPanels);
  return few;
}

} // namespace zenith::kernels
