// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For small M, B is packed in half-width panels and the tile is twice as tall;
// if M is dynamic, full-width tiles read two half panels. A row-major B, which
// tasks copy for many rows, is read where it lies, and one row meets codes in
// registers.

#include "lowering/schedule/SmallM.h"
#include "ir/ops/Contraction.h"
#include "lowering/builder/Dependents.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/schedule/EpilogueForm.h"

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

/// Whether a gate's width is a multiple of half panels only.
static bool gatesSplitPanels(graph::FusionOp fusion, graph::DotGeneralOp dot,
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
  auto encoded = dot ? encodedB(dot) : std::nullopt;
  // A single panel cannot be read side by side with another.
  bool halves =
      encoded && encoded->width * 2 == int64_t(target.nr) && isWide(target) &&
      cast<RankedTensorType>(encoded->argument.getType()).getDimSize(0) != 1;
  return halves && (hasFixedRows(dot) || gatesSplitPanels(fusion, dot, target))
             ? halved(target)
             : target;
}

std::optional<SmallMVariant> smallMVariant(graph::FusionOp fusion,
                                           graph::DimAnalysis &dims,
                                           const ContractionSpace &space,
                                           const TargetModel &target,
                                           const sched::Operand &wantedA) {
  SmallMVariant small;
  sched::Operands wanted{wantedA, {}};
  auto copied = fewestCopiedRows(space, target);
  if (space.form == ContractionSpace::Panels &&
      space.panel * 2 == nrOf(space.sum, target) && space.outerRows.empty()) {
    small.target = halved(target);
    small.mostRows = TargetModel::mostRowsOfHalfPanels;
  } else if (space.form == ContractionSpace::Copied && copied) {
    small.target = target;
    small.mostRows = *copied - 1;
    wanted.b.form = sched::Operand::Rows;
  } else if (space.codes && !space.rowAxis.size.constant()) {
    small.target = target;
    small.mostRows = 1;
    wanted.b.form = sched::Operand::Panels;
  } else {
    return std::nullopt;
  }
  auto own = contractionSpace(fusion, dims, small.target, wanted);
  if (failed(own) || own->preparations.size() != space.preparations.size())
    return std::nullopt;
  small.space = std::move(*own);
  // The space's M is bounded. Even a single row then reads panel after panel,
  // in the order of memory.
  DimExpr rows = space.rowAxis.size;
  small.space.rowAxis.size = DimExpr::min(rows, DimExpr(small.mostRows));
  small.guard = isAtMost(rows, small.mostRows);
  return small;
}

} // namespace zenith::kernels
