// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of few rows lie in narrow panels, for all rows to be one tile.

#include "lowering/kernels/TileTarget.h"
#include "ir/PackedPanels.h"
#include "lowering/kernels/ContractionSpace.h"

namespace zenith::kernels {

KernelTarget tileTarget(graph::FusionOp fusion, const KernelTarget &target) {
  KernelTarget own = target;
  auto dot =
      llvm::dyn_cast_or_null<graph::DotGeneralOp>(contractionAnchor(fusion));
  auto panels = dot ? graph::matchUnpackedPanels(dot.getRhs()) : std::nullopt;
  constexpr unsigned fewestVectors = 4;
  if (!panels || panels->panel * 2 != int64_t(target.panel) ||
      target.panel / target.lanes < fewestVectors)
    return own;
  // The registers that columns leave hold broadcast rows and panels.
  own.panel = target.panel / 2;
  own.rows = 2 * target.rows + 2;
  return own;
}

} // namespace zenith::kernels
