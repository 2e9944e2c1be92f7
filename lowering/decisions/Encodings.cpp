// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the movement of a contraction's right operand once, and writes what
// it amounts to.

#include "lowering/decisions/Encodings.h"
#include "ir/attributes/EncodingAttrs.h"
#include "ir/encodings/CodedPanels.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/Winograd.h"
#include "lowering/decisions/ScheduleChecks.h"
#include "lowering/schedule/ContractionSpace.h"

using namespace mlir;

namespace zenith::decisions {

Value matrixOfB(Operation *anchor) {
  auto conv = dyn_cast<graph::ConvolutionOp>(anchor);
  auto filter = conv ? graph::matchTransformedFilter(conv) : std::nullopt;
  return filter ? filter->matrix : anchor->getOperand(1);
}

/// An operand of the fusion and its encoding; null where there is none.
static std::pair<BlockArgument, Attribute> encodingOf(graph::FusionOp fusion) {
  Operation *anchor = kernels::contractionAnchor(fusion);
  if (!anchor)
    return {};
  MLIRContext *context = fusion.getContext();
  if (auto conv = dyn_cast<graph::ConvolutionOp>(anchor))
    if (auto filter = graph::matchTransformedFilter(conv)) {
      // The matrix of points lies in panels itself.
      auto panels = graph::matchUnpackedPanels(filter->matrix);
      return {dyn_cast<BlockArgument>(panels ? panels->packed : filter->matrix),
              graph::WinogradAttr::get(context, filter->points.across.tile)};
    }
  if (auto panels = graph::matchUnpackedPanels(anchor->getOperand(1))) {
    auto codes = graph::matchCodedPanels(panels->packed);
    return {dyn_cast<BlockArgument>(codes ? codes->integers : panels->packed),
            graph::PanelsAttr::get(context, panels->panel, panels->group)};
  }
  return {};
}

ArrayAttr encodingsOf(graph::FusionOp fusion) {
  auto [argument, encoding] = encodingOf(fusion);
  if (!argument || argument.getOwner() != &fusion.getBody().front())
    return {};
  Builder builder(fusion.getContext());
  SmallVector<Attribute> all(fusion.getInputs().size(), builder.getUnitAttr());
  all[argument.getArgNumber()] = encoding;
  return builder.getArrayAttr(all);
}

LogicalResult writeEncodings(graph::FusionOp fusion) {
  ArrayAttr own = encodingsOf(fusion);
  Attribute given = fusion->getAttr(graph::encodingsAttrName);
  if (given && given != own)
    return refuse(fusion, OperandForms, graph::encodingsAttrName,
                  sched::textOf(given), own ? sched::textOf(own) : "none");
  if (own)
    fusion->setAttr(graph::encodingsAttrName, own);
  return success();
}

} // namespace zenith::decisions
