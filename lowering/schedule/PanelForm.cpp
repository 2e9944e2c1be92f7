// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how a GEMM reads B: row-major, packed in panels, copied by tasks, or
// along K.

#include "lowering/builder/MachineClasses.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/ContractionSpace.h"
#include "lowering/schedule/KBlocking.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// Ratios of multiplications to copied elements: of a K of at least `shortestK`,
// a large B is packed for more than `sweptRows` rows, a small one for
// `severalRows`.
static constexpr int64_t shortestK = 32, sweptRows = 12, severalRows = 48;
/// Rows whose accumulators a task keeps in cache beside its copies of B.
static constexpr int64_t mostCopiedRows = 256;
/// The same where only a run knows the rows: each block of them copies B again,
/// which takes longer than accumulators from the second-level cache.
static constexpr int64_t rowsOfCopies = 2 * mostCopiedRows;

static bool isLargeB(int64_t kSize, int64_t columns,
                     const TargetModel &target) {
  return double(kSize * columns * 4) > target.l2Share(0.5);
}

static bool cutsVectors(const ContractionSpace &space, int64_t columns,
                        const TargetModel &target) {
  return columns % int64_t(sumLanes(space.sum, target)) != 0;
}

/// B is one panel already: the only one of weights that were packed before, in
/// the type of the sums or multiplied as it is.
static bool isSinglePanel(const ContractionSpace &space,
                          const TargetModel &target) {
  int64_t columns = nrOf(space.sum, target),
          lanes = sumLanes(space.sum, target);
  auto weights = encodedB(space.op);
  auto used = space.columns.size.constant();
  return weights && !weights->filter &&
         weights->argument.getArgNumber() == space.b.index && used &&
         *used <= weights->width && weights->width <= columns &&
         weights->width % lanes == 0 && !space.b.scratch &&
         weights->group == 1 &&
         (space.b.element == space.sum || multipliesKPairs(space, target)) &&
         space.columns.strideB.isConstant(1) &&
         space.kAxis.strideB.isConstant(weights->width) && space.outer.empty();
}

/// Whether the operands are such that tasks can copy blocks of B.
static bool canCopyInTasks(const ContractionSpace &space,
                           const TargetModel &target) {
  auto columns = space.columns.size.constant(),
       kSize = space.kAxis.size.constant();
  // A B that several matmuls of a batch share is copied once.
  bool shared = llvm::any_of(space.outer, [](const OuterAxis &outer) {
    return outer.axis.strideB.isConstant(0);
  });
  return columns && *columns > 0 && kSize && *kSize > 0 && !shared &&
         isa<graph::DotGeneralOp>(space.op) && space.taps.empty() &&
         !space.symmetric && space.gateSlices.empty() && target.stackArrays &&
         (isSmallWithLongK(space, target) || !needsAPacking(space, target));
}

std::optional<int64_t> fewestCopiedRows(const ContractionSpace &space,
                                        const TargetModel &target) {
  auto columns = space.columns.size.constant(),
       kSize = space.totalK().constant();
  if (space.rowAxis.size.constant() || !space.outerRows.empty() || !columns ||
      !kSize || *kSize < shortestK || !space.outerCount().isConstant(1) ||
      !space.columns.strideB.isConstant(1) || isSinglePanel(space, target) ||
      !canCopyInTasks(space, target) ||
      (*columns < 64 && !cutsVectors(space, *columns, target)))
    return std::nullopt;
  return isLargeB(*kSize, *columns, target) ? sweptRows + 1 : severalRows;
}

/// Whether up to so many rows read a row-major B in place as fast as copies of
/// its panels: each vector is a whole cache line of it, which the cache that
/// all cores share still has when the next tile reads it.
static bool readsLinesInPlace(const ContractionSpace &space, int64_t rows,
                              const TargetModel &target) {
  double bytes = estimate(space.totalK()) * estimate(space.columns.size) *
                 elementSize(space.b.element);
  return rows <= mostCopiedRows && vectorsFillLines(target) &&
         space.b.element == space.sum &&
         bytes <= 0.5 * double(target.sharedCacheBytes) &&
         canCopyInTasks(space, target) && !isSmallWithLongK(space, target);
}

/// Whether packing a row-major B that many tiles read pays off. A panel of a
/// row-major B takes a cache line from each row, and lines a power of two apart
/// evict each other; columns that end inside of a vector are masked at each k.
/// In a batch of matmuls, each must be worth the extra trip through memory.
static bool isBetterPacked(const ContractionSpace &space,
                           const TargetModel &target) {
  auto rows = (space.outerRowCount() * space.rowAxis.size).constant();
  auto columns = space.columns.size.constant(),
       kSize = space.totalK().constant();
  // Where only a run knows the rows, few of them are another variant's.
  if (!rows)
    return fewestCopiedRows(space, target).has_value();
  if (!columns || !kSize)
    return false;
  bool masked = *columns > 2 && cutsVectors(space, *columns, target);
  if (isa<graph::ConvolutionOp>(space.op) && masked && *kSize >= 16)
    return *rows >= severalRows;
  constexpr int64_t manyRows = 256, tallRows = 4096;
  if (space.outerCount().isConstant(1)) {
    if (*kSize < shortestK)
      return (*rows > manyRows && *columns >= 64 && *kSize >= 8) ||
             (*rows > tallRows && masked && *kSize >= 8);
    if (readsLinesInPlace(space, *rows, target))
      return false;
    if (*rows < severalRows)
      return *rows > sweptRows && isLargeB(*kSize, *columns, target);
    return *columns >= 64 || cutsVectors(space, *columns, target);
  }
  return *rows >= 96 && *kSize * *columns * 4 > target.l3Bytes;
}

/// Element type of the panels. Narrow integers keep theirs: micro-kernels widen
/// them, or multiply them in pairs, in registers. So does bf16 in pairs.
static Type packedElement(const ContractionSpace &space) {
  Type element = space.b.element;
  bool narrow =
      element.isInteger() && memoryType(element).getIntOrFloatBitWidth() <= 16;
  return narrow || space.kInterleave > 1 ? element : space.sum;
}

/// Whether copies of B have pairs of bf16 side by side. Half a pair at the end
/// of the innermost axis, if it is one of rows, is padded with zeros.
static bool copiesPairs(const ContractionSpace &space,
                        const TargetModel &target) {
  auto kSize = space.kAxis.size.constant();
  bool isAlongK = space.taps.empty() && space.kAxis.strideB.isConstant(1);
  return hasBF16Pairs(space.a.element, space.b.element, space.sum, target) &&
         space.kAxis.strideA.isConstant(1) &&
         (!isAlongK || (kSize && *kSize % 2 == 0));
}

/// Whether tasks copy B themselves. A copy of all of B goes through memory, and
/// is read again for each block of rows; a task that has all rows keeps its
/// copy in cache instead. Where only a run knows how many rows there are, tasks
/// have blocks of them.
static bool copiesInTasks(const ContractionSpace &space,
                          const TargetModel &target) {
  if (fewestCopiedRows(space, target))
    return true;
  constexpr int64_t mostTiles = 64;
  DimExpr mr = int64_t(target.mr);
  auto rows = (space.outerRowCount() * space.rowAxis.size).constant(),
       tiles =
           (space.outerRowCount() * DimExpr::ceilDiv(space.rowAxis.size, mr))
               .constant();
  return rows && *rows >= 1 && *rows <= mostCopiedRows && tiles &&
         *tiles <= mostTiles && canCopyInTasks(space, target);
}

int64_t tilesOfCopies(const ContractionSpace &space,
                      const TargetModel &target) {
  return std::max<int64_t>(1, rowsOfCopies / mrOf(space, target));
}

static void packPanels(ContractionSpace &space, const TargetModel &target) {
  Preparation pack;
  pack.kind = Preparation::PackPanels;
  pack.kInterleave = space.kInterleave;
  pack.scratch = space.preparations.size();
  pack.from = space.b;
  pack.columns = space.columns;
  for (const TapAxis &tap : space.taps)
    pack.kAxes.push_back(tap.axis);
  pack.kAxes.push_back(space.kAxis);
  unsigned columns = nrOf(space.sum, target);
  DimExpr stride = columns;
  auto layOut = [&](Axis &axis, const DimExpr &size) {
    axis.strideB = stride;
    stride = stride * size;
  };
  layOut(space.kAxis, paddedK(space.kAxis.size, space.kInterleave));
  for (TapAxis &tap : llvm::reverse(space.taps))
    layOut(tap.axis, tap.axis.size);
  stride = stride * DimExpr::ceilDiv(space.columns.size, DimExpr(columns));
  for (OuterAxis &axis : llvm::reverse(space.outer)) {
    if (axis.axis.strideB.isConstant(0))
      continue;
    pack.outer.insert(pack.outer.begin(), axis.axis);
    layOut(axis.axis, axis.axis.size);
  }
  Type packed = packedElement(space);
  pack.bytes = stride * DimExpr(elementSize(packed));
  space.columns.strideB = DimExpr(1);
  space.b = {true, pack.scratch, packed, DimExpr(0)};
  space.panel = columns;
  space.form = ContractionSpace::Panels;
  space.preparations.push_back(std::move(pack));
}

/// Few columns leave most of a vector empty where lanes run along them. Along K
/// all lanes are used, and the final reductions over lanes are few beside it.
static bool suitsTiledDots(const ContractionSpace &space,
                           const TargetModel &target) {
  constexpr int64_t fewestRows = 4, shortestSum = 64;
  bool matmul = isa<graph::DotGeneralOp>(space.op);
  int64_t fewestColumns = matmul ? 2 : 1, mostColumns = matmul ? 6 : 4;
  auto columns = space.columns.size.constant(),
       kSize = space.kAxis.size.constant(), all = space.totalK().constant(),
       rows = (space.outerRowCount() * space.rowAxis.size).constant();
  return (!matmul || space.taps.empty()) && target.tileVariants &&
         isa<FloatType>(space.sum) && columns && *columns >= fewestColumns &&
         *columns <= mostColumns && kSize &&
         *kSize >= int64_t(sumLanes(space.sum, target)) && all &&
         *all >= shortestSum && (!rows || *rows >= fewestRows) &&
         space.kAxis.strideA.isConstant(1) && space.kAxis.strideB.isConstant(1);
}

/// Whether the rows of A map to the same sets of the first-level cache: more of
/// them than it has ways would evict each other at each k.
static bool rowsCollide(const ContractionSpace &space,
                        const TargetModel &target) {
  auto apart =
      (space.rowAxis.strideA * DimExpr(int64_t(elementSize(space.a.element))))
          .constant();
  return apart && *apart > 0 && *apart % target.l1WayBytes() == 0;
}

unsigned mrOf(const ContractionSpace &space, const TargetModel &target) {
  // The addresses of more rows than these exceed the general registers; more
  // dot products than hide the latency of multiply-adds gain nothing.
  constexpr unsigned mostRows = 12;
  const unsigned mostDots = unsigned(target.fmasInFlight());
  unsigned vectors = std::max(1u, target.nr / target.lanes);
  unsigned sums = target.mr * vectors;
  auto columns = space.columns.size.constant();
  if (space.form == ContractionSpace::TiledDots)
    return target.tileVariants
               ? std::max(1u, std::min<unsigned>(mostDots, sums / *columns))
               : target.mr;
  // Columns that leave vectors of a panel unused leave their registers to rows.
  int64_t lanes = sumLanes(space.sum, target);
  if (!columns || *columns <= 1 || !target.tileVariants ||
      *columns > lanes * (vectors - 1) || rowsCollide(space, target))
    return target.mr;
  unsigned used = unsigned(llvm::divideCeil(*columns, lanes));
  return std::max(target.mr, std::min(mostRows, sums / used));
}

void chooseForm(ContractionSpace &space, const TargetModel &target,
                sched::Operand::Form wanted) {
  if (space.panel) {
    space.form = ContractionSpace::Panels;
    return;
  }
  if (suitsTiledDots(space, target)) {
    space.form = ContractionSpace::TiledDots;
    return;
  }
  bool single = space.columns.size.isConstant(1);
  bool rowMajor = space.columns.strideB.isConstant(1);
  auto rows = (space.outerRowCount() * space.rowAxis.size).constant(),
       columns = space.columns.size.constant();
  bool few = (rows && *rows <= 4) || (columns && *columns <= 4);
  bool contiguousK = space.taps.empty() && space.kAxis.strideA.isConstant(1) &&
                     space.kAxis.strideB.isConstant(1);
  auto staysInRows = [&] {
    return wanted == sched::Operand::Open ? !isBetterPacked(space, target)
                                          : wanted == sched::Operand::Rows;
  };
  if (few && contiguousK && (single || !rowMajor)) {
    space.form = ContractionSpace::Dots;
  } else if (single || (rowMajor && staysInRows())) {
    space.columns.strideB = DimExpr(1);
    space.form = ContractionSpace::Direct;
  } else if (isSinglePanel(space, target)) {
    space.panel = nrOf(space.sum, target);
    space.form = ContractionSpace::Panels;
  } else {
    if (copiesPairs(space, target))
      space.kInterleave = InterleavedK::Pairs;
    if (copiesInTasks(space, target)) {
      space.form = ContractionSpace::Copied;
      space.copied = packedElement(space);
    } else {
      packPanels(space, target);
    }
  }
}

} // namespace zenith::kernels
