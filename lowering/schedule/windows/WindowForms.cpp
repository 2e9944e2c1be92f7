// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses forms of windows by what lanes can run along, and by the caches.

#include "lowering/schedule/windows/WindowForms.h"
#include "ir/dims/OneFactor.h"
#include "lowering/builder/MachineClasses.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/schedule/windows/DotWindowSchedule.h"

using namespace mlir;
using zenith::graph::DimExpr;
using zenith::sched::WindowForm;

namespace zenith::kernels {

/// Small filters over long rows are bound by memory; a copy would not overlap
/// with their arithmetic.
static constexpr int64_t fewTaps = 9, longRow = 4;

/// One native vector of the fusion's widest element, since the accumulators of
/// several positions fill the registers.
static int64_t chosenLanes(graph::FusionOp fusion, const TargetModel &target) {
  return std::min(4 * target.lanes,
                  std::max(1u, target.lanes * 4 / widestBytes(fusion)));
}

WindowKeys windowKeys(Attribute schedule) {
  WindowKeys keys;
  auto read = [&](auto kind, WindowForm form, int64_t lanes) {
    keys.form = form;
    keys.lanes = lanes;
    if (DenseI64ArrayAttr tile = kind.getTile())
      keys.tile.assign(tile.asArrayRef().begin(), tile.asArrayRef().end());
    if (DenseI64ArrayAttr block = kind.getBlock())
      keys.block.assign(block.asArrayRef().begin(), block.asArrayRef().end());
    keys.keep = kind.getKeep();
  };
  if (auto window = dyn_cast_or_null<sched::WindowAttr>(schedule))
    read(window, window.getForm(), window.getLanes() * window.getItem());
  else if (auto conv = dyn_cast_or_null<sched::ConvAttr>(schedule))
    read(conv, conv.getForm().window, conv.getLanes());
  return keys;
}

WindowForms::WindowForms(graph::FusionOp fusion, graph::DimAnalysis &dims,
                         const TargetModel &target, const WindowLoops &loops,
                         int64_t given)
    : fusion(fusion), target(target), loops(loops),
      lanes(given ? given : chosenLanes(fusion, target)),
      mayUseDots((!given || given == int64_t(target.lanes)) &&
                 DotWindowSchedule::hasInstruction(loops, target) &&
                 DotWindowSchedule::supports(loops, dims)) {
  if (loops.lanesAlongRow())
    geometry = PlaneGeometry::of(loops);
}

int64_t WindowForms::lanesOf(WindowForm form) const {
  // Those of the instructions.
  return form == WindowForm::Dots ? int64_t(target.lanes) : lanes;
}

int64_t WindowForms::bytesOfInput() const {
  Type element = WindowSums(loops.anchor).element;
  return element.isIntOrFloat()
             ? std::max(8u, element.getIntOrFloatBitWidth()) / 8
             : 1;
}

std::optional<PlaneGeometry> WindowForms::planes(const WindowKeys &keys) const {
  auto own = geometry;
  if (own && own->isTile && keys.block.size() == 3)
    own->setTile(keys.block[1], keys.block[2], keys.lanes ? keys.lanes : lanes);
  else if (own && own->isTile)
    // The copy fills half of the first-level cache at most.
    own->chooseTile(lanes, int64_t(target.l1Share(0.5)) / bytesOfInput());
  return own;
}

int64_t WindowForms::copiedBytes(const PlaneGeometry &planes) const {
  return planes.elements(lanes) * bytesOfInput();
}

int64_t WindowForms::copiedBytes(const InterleavedPlanes &planes) const {
  return 2 * planes.positions * planes.lanes * bytesOfInput();
}

bool WindowForms::copiesPlanes() const {
  constexpr int64_t longestWindow = 32, longestStride = 8;
  Type element = WindowSums(loops.anchor).element;
  bool plain = element.isIntOrFloat() && memoryType(element) == element &&
               registerType(element) == element;
  // Rows are copied by vectors.
  if (!geometry || !plain || !target.stackArrays || lanes < 2 ||
      std::max(geometry->x.taps, geometry->y.taps) > longestWindow)
    return false;
  // A tile's copy parts whole vectors into one for each phase.
  if (geometry->isTile && geometry->x.stride > longestStride)
    return false;
  auto conv = dyn_cast<graph::ConvolutionOp>(loops.anchor);
  if (!conv)
    return true;
  auto type = cast<RankedTensorType>(conv.getKernel().getType());
  return isa<FloatType>(element) && type.getElementType() == element &&
         getElementTypeOrSelf(conv.getType()) == element &&
         type.getDimSize(conv.getDims().getKernelInput()) == 1;
}

/// Whether planes, or their tiles, fit a cache that is fast enough for the
/// taps.
bool WindowForms::copyPaysOff() const {
  // Rows share no sums, so an element must be read more often than this for the
  // copy to pay off: for a 5x5 filter at stride 2, but not at stride 3.
  constexpr int64_t fewReads = 4;
  auto own = planes({});
  if (own->readsInPlace())
    return true;
  int64_t taps = own->taps(), steps = own->x.stride * own->y.stride;
  // Positions that do not overlap read each element once, which costs less than
  // copying it.
  if (taps <= steps)
    return false;
  bool small = taps <= fewTaps;
  if (small && !own->isTile && own->x.results >= longRow * lanes)
    return false;
  auto pool = dyn_cast<graph::ReduceWindowOp>(loops.anchor);
  bool sums = pool && pool.getKind() != graph::ReduceKind::max &&
              pool.getKind() != graph::ReduceKind::min;
  // To vectors that fill lines the second-level cache delivers them as fast as
  // large filters reduce them.
  bool far =
      vectorsFillLines(target) && !small && (!sums || taps > fewReads * steps);
  return double(copiedBytes(*own)) <=
         (far ? target.l2Share(0.25) : target.l1Share(1));
}

/// Of sizes that only a run knows: 1 where the rows of planes are read where
/// they lie instead, as they are with static sizes, if they suit that; else 0.
DimExpr WindowForms::readsRowsInPlace() const {
  auto own = planes({});
  if (!own->isTile || own->readsInPlace() || own->taps() > fewTaps)
    return 0;
  const PlaneSide &x = own->x, &y = own->y;
  auto padded = [](const PlaneSide &side) {
    return (side.planeResults - 1) * DimExpr(side.stride) +
           DimExpr(side.reach() + 1);
  };
  int64_t cached =
      int64_t(target.l1Share(1)) * 8 /
      int64_t(WindowSums(loops.anchor).element.getIntOrFloatBitWidth());
  // Copies of strided rows have several phases.
  int64_t shortest = x.stride > 1 ? lanes + lanes / 2 : longRow * lanes;
  DimExpr isLong = isAtLeast(x.planeResults, shortest),
          isLarge = isAtLeast(padded(y) * padded(x), cached + 1);
  return DimExpr::min(isLong + isLarge, 1);
}

/// Depthwise convolutions over planes whose rows have few results, of which
/// vectors of the widest registers would be mostly empty.
std::optional<WindowVariant> WindowForms::narrowVariant() const {
  constexpr int64_t fewestLanes = 8;
  int64_t narrow = lanes / 2;
  if (!isa<graph::ConvolutionOp>(loops.anchor) || !geometry->rowLoop ||
      narrow < fewestLanes)
    return std::nullopt;
  PlaneGeometry tile = *geometry;
  tile.setTile(1, narrow, narrow);
  DimExpr fits = isAtMost(tile.x.planeResults, narrow);
  if (!tile.readsInPlace() || tile.taps() > fewTaps || fits.constant())
    return std::nullopt;
  return WindowVariant{WindowForm::Planes, fits, narrow};
}

/// 1 where lanes can run along a row, else 0: it has at least one vector, and
/// only the outer vectors read padding.
DimExpr WindowForms::fillsVectors() const {
  const WindowDim *span = loops.spanOf(loops.column);
  const DimExpr &positions = loops.space.size(loops.column);
  if (!span)
    return 1;
  DimExpr first = span->firstInside(), end = span->endInside(positions);
  if (span->stride > 2 || !isAtMost(first, lanes).isConstant(1))
    return 0;
  DimExpr from = first.isConstant(0) ? 0 : lanes,
          to = positions - isAtLeast(positions - end, 1) * DimExpr(lanes),
          between = isAtLeast(to - from, 1);
  DimExpr isLong = isAtLeast(end - first, lanes);
  if (positions.constant())
    isLong = DimExpr(1) - between * (DimExpr(1) - isLong);
  return isAtLeast(positions, lanes) * isAtLeast(end - positions, -lanes) *
         isLong;
}

std::optional<InterleavedPlanes>
WindowForms::interleaved(const WindowKeys &given) const {
  if (!geometry || !copiesPlanes())
    return std::nullopt;
  // With what it is copied from, twice the first-level cache.
  int64_t positions = given.block.size() == 1 ? given.block[0]
                                              : int64_t(target.l1Share(1)) /
                                                    (lanes * bytesOfInput());
  return InterleavedPlanes::of(loops, lanes, positions);
}

/// Small planes of unknown size whose windows overlap. Those that few taps read
/// in place take about as long there, but narrow vectors of strided rows would
/// be one more variant than these.
std::optional<WindowVariant> WindowForms::interleavedVariant() const {
  if (!geometry || !geometry->isTile || !geometry->overlaps())
    return std::nullopt;
  auto planes = interleaved({});
  if (!planes)
    return std::nullopt;
  if (geometry->taps() <= fewTaps) {
    bool isNarrow = narrowVariant().has_value();
    bool fillsLanes = isAtLeast(planes->planes, lanes).isConstant(1);
    if (isNarrow ? geometry->x.stride == 1 || !fillsLanes
                 : geometry->readsInPlace())
      return std::nullopt;
  }
  return WindowVariant{WindowForm::Interleaved, planes->fits()};
}

bool WindowForms::supports(WindowForm form) const {
  switch (form) {
  case WindowForm::Open:
    return false;
  case WindowForm::Channels:
    return !loops.lanesAlongRow();
  case WindowForm::Rows:
    return loops.lanesAlongRow() && fillsVectors().isConstant(1);
  case WindowForm::Planes:
    return loops.lanesAlongRow() && copiesPlanes();
  case WindowForm::Interleaved: {
    auto planes = interleaved({});
    return planes && planes->fits().isConstant(1);
  }
  case WindowForm::Dots:
    return mayUseDots;
  }
  llvm_unreachable("not a form");
}

SmallVector<WindowVariant, 2> WindowForms::chosen() const {
  if (mayUseDots)
    return {{WindowForm::Dots, 1}};
  if (!loops.lanesAlongRow())
    return {{WindowForm::Channels, 1}};
  DimExpr fills = fillsVectors();
  if (!copiesPlanes() || !copyPaysOff()) {
    if (fills.isConstant(1))
      return {{WindowForm::Rows, 1}};
    return {};
  }
  DimExpr inPlace = graph::oneFactor(fills * readsRowsInPlace());
  SmallVector<WindowVariant, 2> variants;
  if (auto sideBySide = interleavedVariant())
    variants.push_back(*sideBySide);
  else if (auto narrow = narrowVariant(); narrow && !inPlace.isConstant(1))
    variants.push_back(*narrow);
  if (!inPlace.isConstant(0))
    variants.push_back({WindowForm::Rows, inPlace});
  if (!inPlace.isConstant(1))
    variants.push_back({WindowForm::Planes, DimExpr(1) - inPlace});
  // Bounds of sizes may leave nothing to the variants behind one.
  auto always = llvm::find_if(variants, [](const WindowVariant &variant) {
    return variant.guard.isConstant(1);
  });
  if (always != variants.end())
    variants.erase(std::next(always), variants.end());
  return variants;
}

void WindowForms::addChannels(WindowKeys &keys) const {
  int64_t bytes = widestBytes(fusion), aliasedBytes = target.l1WayBytes() / 2;
  auto channels = loops.space.size(loops.lane).constant();
  // Positions a power of two apart evict each other from the first-level cache,
  // and the cache line that holds the other channels would be read again for
  // them.
  bool aliased = channels && *channels * bytes % aliasedBytes == 0;
  int64_t vectors =
      aliased && int64_t(target.lanes) * 4 < target.lineBytes ? 2 : 1;
  // Few enough positions for the registers and for unrolling all taps: more
  // taps are too much code. With large filters more positions share each load
  // of the weights, which pays off.
  constexpr int64_t unrolled = 640;
  int64_t taps = loops.spanOf(loops.column)->count;
  if (auto convolution = dyn_cast<graph::ConvolutionOp>(loops.anchor))
    taps *= cast<RankedTensorType>(convolution.getKernel().getType())
                .getDimSize(convolution.getDims().getKernelInput());
  int64_t positions =
      std::clamp<int64_t>(unrolled / taps, 2, target.fmasInFlight()) / vectors;
  if (keys.tile.empty())
    keys.tile = {positions, vectors * lanes};
  // Depthwise filters reuse little of what they read: a task takes as long as
  // one of contractions with more work.
  double enough = target.taskFlops(0.4) / loops.flopsOf(fusion, 1);
  if (keys.block.empty())
    keys.block = {std::max<int64_t>(1, int64_t(enough)),
                  int64_t(target.l2Share(0.25)) / int64_t(sizeof(float))};
}

/// Windows reuse little of what they read: a task takes as long as one of
/// contractions with three times the work.
int64_t WindowForms::planesOfTask(const PlaneGeometry &tile) const {
  double flops = flopsOfPlane(fusion, WindowSums(loops.anchor), tile);
  return std::max<int64_t>(1, int64_t(target.taskFlops(0.3) / flops));
}

void WindowForms::addPlanes(WindowKeys &keys) const {
  // As many sums as hide the latency of multiply-adds.
  if (!keys.keep)
    keys.keep = target.fmasInFlight();
  auto own = planes(keys);
  if (keys.block.empty())
    keys.block = {planesOfTask(*own)};
  if (own->isTile && keys.block.size() == 1)
    keys.block.append({own->y.results, own->x.results});
}

WindowKeys WindowForms::keysOf(const WindowVariant &variant,
                               const WindowKeys &given) const {
  constexpr int64_t rowsOfTile = 32;
  if (!variant.lanes)
    return keysOf(variant.form, given);
  WindowKeys keys;
  keys.form = variant.form;
  keys.lanes = variant.lanes;
  keys.keep = target.fmasInFlight();
  PlaneGeometry tile = *geometry;
  tile.setTile(rowsOfTile, variant.lanes, variant.lanes);
  keys.block = {planesOfTask(tile), rowsOfTile, variant.lanes};
  return keys;
}

WindowKeys WindowForms::keysOf(WindowForm form, const WindowKeys &given) const {
  WindowKeys keys = given;
  keys.form = form;
  keys.lanes = lanesOf(form);
  switch (form) {
  case WindowForm::Open:
    break;
  case WindowForm::Channels:
    addChannels(keys);
    break;
  case WindowForm::Rows: {
    constexpr int64_t vectors = 4;
    if (keys.tile.empty())
      keys.tile = {1, vectors * lanes};
    if (keys.block.empty())
      keys.block = {elementsPerTask};
    break;
  }
  case WindowForm::Planes:
    addPlanes(keys);
    break;
  case WindowForm::Interleaved: {
    // A step of a pooling is several instructions.
    int64_t columns = isa<graph::ConvolutionOp>(loops.anchor) ? 4 : 2;
    if (keys.tile.empty())
      keys.tile = {columns, lanes};
    if (keys.block.empty())
      keys.block = {interleaved(given)->positions};
    break;
  }
  case WindowForm::Dots: {
    DotWindowSchedule schedule(loops);
    if (keys.tile.empty())
      keys.tile = schedule.chosenTile(target);
    schedule.setTile(keys.tile);
    if (keys.block.empty())
      keys.block = schedule.chosenBlock(fusion, target);
    break;
  }
  }
  return keys;
}

} // namespace zenith::kernels
