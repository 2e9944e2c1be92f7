// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how a product reads B: as it lies, packed in panels, copied by tasks,
// or along the depth.

#include "ir/encodings/PackedPanels.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/ContractionSpace.h"
#include "lowering/schedule/GemmSchedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Row-major B that tile after tile reads again: a panel of it takes a line
/// from each row, and lines a power of two apart push each other out of the
/// cache; columns that end inside of a vector are masked in each step. Of a
/// batch of products, each must be worth the extra trip through memory.
static bool isBetterPacked(const ContractionSpace &space,
                           const TargetModel &target) {
  auto rows = (space.lineCount() * space.tile.size).constant();
  auto columns = space.columns.size.constant(),
       depth = space.depthOfAllTaps().constant();
  if (!rows || !columns || !depth)
    return false;
  bool cutsVectors =
      *columns > 2 && *columns % int64_t(sumLanes(space.sum, target)) != 0;
  if (isa<graph::ConvolutionOp>(space.op) && cutsVectors && *depth >= 16)
    return *rows >= 48;
  constexpr int64_t sweptRows = 12, manyRows = 256, tallRows = 4096;
  if (space.outerCount().isConstant(1)) {
    if (*depth < 32)
      return (*rows > manyRows && *columns >= 64 && *depth >= 8) ||
             (*rows > tallRows && cutsVectors && *depth >= 8);
    if (*rows < 48)
      return *rows > sweptRows &&
             double(*depth * *columns * 4) > target.l2Share(0.5);
    return *columns >= 64 || *columns % int64_t(sumLanes(space.sum, target));
  }
  return *rows >= 96 && *depth * *columns * 4 > target.l3Bytes;
}

/// Small integers stay as they are: they are widened, or multiplied in pairs,
/// in registers.
static Type packedElement(const ContractionSpace &space) {
  Type element = space.b.element;
  bool narrow =
      element.isInteger() && memoryType(element).getIntOrFloatBitWidth() <= 16;
  return narrow ? element : space.sum;
}

/// A copy of all of B goes through memory, and comes back for each block of
/// rows. Where one task has all rows, it had better copy what it multiplies.
static bool copiesInTasks(const ContractionSpace &space,
                          const TargetModel &target) {
  constexpr int64_t mostRows = 256, mostTiles = 64;
  DimExpr heights = int64_t(target.mr);
  auto rows = (space.lineCount() * space.tile.size).constant(),
       tiles = (space.lineCount() * DimExpr::ceilDiv(space.tile.size, heights))
                   .constant();
  if (!rows || *rows < 1 || *rows > mostRows || !tiles || *tiles > mostTiles)
    return false;
  auto columns = space.columns.size.constant(),
       depth = space.depth.size.constant();
  // A B that several products share is copied once.
  bool shared = llvm::any_of(space.outer, [](const OuterAxis &outer) {
    return outer.axis.strideB.isConstant(0);
  });
  return columns && *columns > 0 && depth && *depth > 0 && !shared &&
         isa<graph::DotGeneralOp>(space.op) && space.taps.empty() &&
         !space.symmetric && space.parts.empty() && !target.printed &&
         (hasFewLongSums(space, target) || !rowsNeedPacking(space, target));
}

static void packPanels(ContractionSpace &space, const TargetModel &target) {
  Preparation pack;
  pack.kind = Preparation::PackPanels;
  pack.scratch = space.preparations.size();
  pack.from = space.b;
  pack.columns = space.columns;
  for (const TapAxis &tap : space.taps)
    pack.depth.push_back(tap.axis);
  pack.depth.push_back(space.depth);
  unsigned columns = tileColumns(space.sum, target);
  DimExpr stride = columns;
  auto place = [&](Axis &axis) {
    axis.strideB = stride;
    stride = stride * axis.size;
  };
  place(space.depth);
  for (TapAxis &tap : llvm::reverse(space.taps))
    place(tap.axis);
  stride = stride * DimExpr::ceilDiv(space.columns.size, DimExpr(columns));
  for (OuterAxis &axis : llvm::reverse(space.outer)) {
    if (axis.axis.strideB.isConstant(0))
      continue;
    pack.outer.insert(pack.outer.begin(), axis.axis);
    place(axis.axis);
  }
  Type packed = packedElement(space);
  pack.bytes = stride * DimExpr(elementSize(packed));
  space.columns.strideB = DimExpr(1);
  space.b = {true, pack.scratch, packed, DimExpr(0)};
  space.panel = columns;
  space.form = ContractionSpace::Panels;
  space.preparations.push_back(std::move(pack));
}

/// Few columns leave most of a vector empty where lanes run along them; along
/// the depth, all lanes count, and the sums of lanes are few beside it.
static bool suitsTiledDots(const ContractionSpace &space,
                           const TargetModel &target) {
  constexpr int64_t fewestRows = 4, shortestSum = 64;
  bool product = isa<graph::DotGeneralOp>(space.op);
  int64_t fewestColumns = product ? 2 : 1, mostColumns = product ? 6 : 4;
  auto columns = space.columns.size.constant(),
       depth = space.depth.size.constant(),
       all = space.depthOfAllTaps().constant(),
       rows = (space.lineCount() * space.tile.size).constant();
  return (!product || space.taps.empty()) && !target.printed &&
         isa<FloatType>(space.sum) && columns && *columns >= fewestColumns &&
         *columns <= mostColumns && depth &&
         *depth >= int64_t(sumLanes(space.sum, target)) && all &&
         *all >= shortestSum && (!rows || *rows >= fewestRows) &&
         space.depth.strideA.isConstant(1) && space.depth.strideB.isConstant(1);
}

/// Rows whose lines meet in the same sets of the first-level cache: more of
/// them than it has ways would push each other out at each depth.
static bool rowsCollide(const ContractionSpace &space,
                        const TargetModel &target) {
  auto apart =
      (space.tile.strideA * DimExpr(int64_t(elementSize(space.a.element))))
          .constant();
  return apart && *apart > 0 && *apart % target.l1WayBytes() == 0;
}

unsigned tileRows(const ContractionSpace &space, const TargetModel &target) {
  constexpr unsigned mostRows = 12, mostDots = 8;
  unsigned vectors = std::max(1u, target.nr / target.lanes);
  unsigned sums = target.mr * vectors;
  auto columns = space.columns.size.constant();
  if (space.tiledDots)
    return std::min<unsigned>(mostDots, sums / *columns);
  // Columns that leave vectors of a panel free leave their registers to rows.
  int64_t lanes = sumLanes(space.sum, target);
  if (!columns || *columns <= 1 || target.printed ||
      *columns > lanes * (vectors - 1) || rowsCollide(space, target))
    return target.mr;
  unsigned used = unsigned(llvm::divideCeil(*columns, lanes));
  return std::max(target.mr, std::min(mostRows, sums / used));
}

/// B is a panel as it lies: the only one of weights that were packed before.
static bool isSinglePanel(const ContractionSpace &space,
                          const TargetModel &target) {
  int64_t columns = tileColumns(space.sum, target),
          lanes = sumLanes(space.sum, target);
  auto weights = graph::matchUnpackedPanels(space.op->getOperand(1));
  auto source =
      weights ? dyn_cast<BlockArgument>(weights->packed) : BlockArgument();
  auto used = space.columns.size.constant();
  return source && source.getArgNumber() == space.b.index && used &&
         *used <= weights->panel && weights->panel <= columns &&
         weights->panel % lanes == 0 && !space.b.scratch &&
         weights->group == 1 && space.b.element == space.sum &&
         space.columns.strideB.isConstant(1) &&
         space.depth.strideB.isConstant(weights->panel) && space.outer.empty();
}

void chooseForm(ContractionSpace &space, const TargetModel &target) {
  if (space.panel) {
    space.form = ContractionSpace::Panels;
    return;
  }
  if (suitsTiledDots(space, target)) {
    space.form = ContractionSpace::Dots;
    space.tiledDots = true;
    return;
  }
  bool single = space.columns.size.isConstant(1);
  bool rowMajor = space.columns.strideB.isConstant(1);
  auto rows = (space.lineCount() * space.tile.size).constant(),
       columns = space.columns.size.constant();
  bool few = (rows && *rows <= 4) || (columns && *columns <= 4);
  bool alongDepth = space.taps.empty() && space.depth.strideA.isConstant(1) &&
                    space.depth.strideB.isConstant(1);
  if (few && alongDepth && (single || !rowMajor)) {
    space.form = ContractionSpace::Dots;
  } else if (single || (rowMajor && !isBetterPacked(space, target))) {
    space.columns.strideB = DimExpr(1);
    space.form = ContractionSpace::Direct;
  } else if (isSinglePanel(space, target)) {
    space.panel = tileColumns(space.sum, target);
    space.form = ContractionSpace::Panels;
  } else if (copiesInTasks(space, target)) {
    space.form = ContractionSpace::Copied;
    space.copied = packedElement(space);
  } else {
    packPanels(space, target);
  }
}

} // namespace zenith::kernels
