// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides by contiguity of accesses how elements are computed: rows of lanes,
// or squares where what is read and what is written have no contiguous
// dimension in common.

#include "lowering/schedule/ElementsSchedule.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/Schedule.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

SmallVector<WrittenValues> writtenValues(graph::FusionOp fusion,
                                         graph::DimAnalysis &dims) {
  SmallVector<WrittenValues> groups;
  auto results = fusion.getBody().front().getTerminator()->getOperands();
  for (auto [number, result] : llvm::enumerate(results)) {
    Value value = result;
    auto *same = llvm::find_if(groups, [&](const WrittenValues &group) {
      return dims.dimsOf(group.values.front()) == dims.dimsOf(value);
    });
    if (same == groups.end())
      same = &groups.emplace_back();
    same->values.push_back(value);
    same->numbers.push_back(number);
  }
  return groups;
}

static SmallVector<SpaceRoot> rootsOf(const WrittenValues &written,
                                      graph::DimAnalysis &dims) {
  SmallVector<SpaceRoot> roots;
  graph::DynamicUpdateSliceOp into = written.into;
  for (Value value : written.values) {
    // A part has the row stride of the whole.
    SpaceRoot root{value, {}, true, into ? into.getOperand() : Value()};
    for (unsigned d = 0; d < dims.dimsOf(value).size(); ++d)
      root.dims.push_back(d);
    roots.push_back(std::move(root));
  }
  return roots;
}

ElementsSchedule::ElementsSchedule(graph::FusionOp fusion,
                                   graph::DimAnalysis &dims,
                                   const TargetModel &target,
                                   WrittenValues values,
                                   ArrayRef<graph::SharedBytes> shared)
    : written(std::move(values)), fusion(fusion), target(target),
      space(dims, dims.dimsOf(written.values.front()), rootsOf(written, dims)),
      sharesBytes(llvm::any_of(shared, [&](const graph::SharedBytes &pair) {
        return llvm::is_contained(written.numbers, pair.result);
      })) {}

SmallVector<unsigned>
ElementsSchedule::loopsWithout(ArrayRef<unsigned> excluded) const {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    if (!llvm::is_contained(excluded, loop))
      loops.push_back(loop);
  return loops;
}

unsigned ElementsSchedule::rowLane() const {
  return *chooseLaneLoop(space, loopsWithout({}));
}

std::optional<ElementsSchedule::Square> ElementsSchedule::square() const {
  if (space.rank() == 0)
    return std::nullopt;
  unsigned lane = rowLane();
  if (auto row = shortRow(lane))
    return Square{*row, lane};
  if (auto tile = tileLoop(lane); tile && !written.into)
    return Square{lane, *tile};
  return std::nullopt;
}

std::optional<unsigned> ElementsSchedule::pairLoop(unsigned lane) const {
  if (written.into || llvm::any_of(written.values, [](Value value) {
        return isa<ComplexType>(getElementTypeOrSelf(value.getType()));
      }))
    return std::nullopt;
  for (unsigned loop = 0; loop < space.rank(); ++loop) {
    constexpr int64_t mostTurns = 4;
    int64_t turns = space.size(loop).constant().value_or(0);
    if (loop != lane && turns > 1 && turns <= mostTurns &&
        llvm::all_of(space.accesses(),
                     [&](const IterationSpace::Access &access) {
                       return !access.written ||
                              (!access.opaque[lane] && !access.opaque[loop] &&
                               access.factors[loop].isConstant(1) &&
                               access.factors[lane].isConstant(turns));
                     }))
      return loop;
  }
  return std::nullopt;
}

bool ElementsSchedule::mayOverlap(unsigned lane, const RowTasks &tasks,
                                  int64_t width) const {
  auto size = space.size(lane).constant();
  if (target.avx512 || tasks.chunk || written.into || !size || *size < width ||
      *size % width == 0 || !space.edges(lane).empty())
    return false;
  bool anyNarrow = false;
  for (Value value : written.values) {
    Type element = getElementTypeOrSelf(value.getType());
    anyNarrow |= element.isIntOrFloat() && element.getIntOrFloatBitWidth() < 32;
  }
  return anyNarrow && mayWriteTwice();
}

/// Whether an element may be written before others are computed, and again:
/// not if it may share its bytes with an operand that is still to be read.
bool ElementsSchedule::mayWriteTwice() const { return !sharesBytes; }

std::optional<unsigned> ElementsSchedule::repeatedLoop(unsigned lane) const {
  constexpr double fewInstructions = 10;
  constexpr int64_t mostTurns = 256;
  if (costPerElement(fusion) < fewInstructions || written.into ||
      !target.coreCaches || !mayWriteTwice())
    return std::nullopt;
  auto repeats = [&](unsigned loop) {
    bool movesLanes = false, keepsPlaces = false;
    for (const IterationSpace::Access &access : space.accesses()) {
      if (access.written)
        continue;
      if (access.opaque[loop])
        return false;
      bool moves = !access.factors[loop].isConstant(0);
      movesLanes |= access.opaque[lane] && moves;
      keepsPlaces |= !access.opaque[lane] && !moves && !access.small;
    }
    return movesLanes && keepsPlaces;
  };
  std::optional<unsigned> unknown;
  for (unsigned loop = 0; loop < space.rank(); ++loop) {
    auto turns = space.size(loop).constant();
    if (loop == lane || (turns && (*turns <= 1 || *turns > mostTurns)) ||
        !repeats(loop) || !space.edges(loop).empty())
      continue;
    if (turns)
      return loop;
    if (!unknown)
      unknown = loop;
  }
  return unknown;
}

/// Whether other rows read the elements between those that lanes read: soon
/// after, they are still in a cache.
bool ElementsSchedule::sharesLines(unsigned lane) const {
  constexpr int64_t fewElements = 4;
  return llvm::any_of(space.accesses(),
                      [&](const IterationSpace::Access &access) {
                        auto stride = access.factors[lane].constant();
                        return !access.written && !access.opaque[lane] &&
                               stride && *stride > 1 && *stride <= fewElements;
                      });
}

unsigned ElementsSchedule::lanesOfPieces(unsigned lane) const {
  SmallVector<DimExpr> ends(space.edges(lane));
  ends.push_back(space.size(lane));
  int64_t longest = 1, begin = 0;
  for (const DimExpr &end : ends) {
    auto known = end.constant();
    if (!known)
      return ~0u;
    longest = std::max(longest, *known - std::exchange(begin, *known));
  }
  return unsigned(std::min<uint64_t>(llvm::PowerOf2Ceil(longest), ~0u));
}

int64_t blockOfElements(graph::FusionOp fusion) {
  constexpr double longToCompute = 40;
  return costPerElement(fusion) > longToCompute ? elementsPerTask / 4
                                                : elementsPerTask;
}

ElementsSchedule::Rows ElementsSchedule::rows(unsigned lane, int64_t width,
                                              int64_t block) const {
  Rows rows;
  rows.pair = pairLoop(lane);
  if (!rows.pair)
    rows.repeated = repeatedLoop(lane);
  rows.cost = costPerElement(fusion);
  SmallVector<unsigned> inner{lane};
  if (rows.pair || rows.repeated) {
    inner.push_back(rows.pair ? *rows.pair : *rows.repeated);
    constexpr int64_t usualTurns = 64;
    int64_t turns = space.size(inner.back()).constant().value_or(usualTurns);
    rows.cost *= double(turns);
    block = std::max<int64_t>(width, block / turns);
  }
  rows.tasks = RowTasks::plan(space.rows(inner), space.size(lane), block);
  rows.tasks.chunksFirst = sharesLines(lane);
  return rows;
}

/// Where `lane` reads along rows and writes from one short row to the next:
/// the loop along the short rows, if they fill most of a vector.
std::optional<unsigned> ElementsSchedule::shortRow(unsigned lane) const {
  int64_t width = target.lanes;
  for (unsigned loop = 0; loop < space.rank(); ++loop) {
    int64_t size = space.size(loop).constant().value_or(0);
    bool writesRows =
        2 * size > width && size < width &&
        llvm::all_of(
            space.accesses(),
            [&](const IterationSpace::Access &access) {
              return !access.written ||
                     (!access.opaque[lane] && !access.opaque[loop] &&
                      access.factors[loop].isConstant(1) &&
                      access.factors[lane].isConstant(size));
            });
    if (loop != lane && writesRows && tileLoop(loop) == lane &&
        mayOverlapTiles(loop, lane))
      return loop;
  }
  return std::nullopt;
}

bool ElementsSchedule::mayOverlapTiles(unsigned lane, unsigned tile) const {
  int64_t width = target.lanes;
  auto lanes = space.size(lane).constant(), rows = space.size(tile).constant();
  if (!lanes || !rows || *rows < width || written.into || !target.shuffles ||
      !space.edges(lane).empty())
    return false;
  bool followed =
      llvm::all_of(space.accesses(), [&](const IterationSpace::Access &access) {
        return !access.written || (access.factors[lane].isConstant(1) &&
                                   access.factors[tile].isConstant(*lanes));
      });
  return (*lanes >= width || followed) && mayWriteTwice();
}

/// Whether squares can be cut at the edges of a loop: few and known ones,
/// each of which is code of its own, with room for whole squares between.
bool ElementsSchedule::hasKnownEdges(unsigned loop) const {
  constexpr size_t mostEdges = 3;
  ArrayRef<DimExpr> edges = space.edges(loop);
  return !edges.empty() && edges.size() <= mostEdges &&
         space.size(loop).constant() && target.shuffles &&
         lanesOfPieces(loop) >= target.lanes &&
         llvm::all_of(edges, [](const DimExpr &edge) {
           return edge.constant().has_value();
         });
}

// The loop along which operands that are strided along `lane` are contiguous.
// Tiles read whole squares, so nothing may end inside of one: they are cut at
// the edges of lanes.
std::optional<unsigned> ElementsSchedule::tileLoop(unsigned lane) const {
  bool cutsLanes = space.plain(lane) || hasKnownEdges(lane);
  for (unsigned loop = 0; loop < space.rank(); ++loop) {
    if (loop == lane || !cutsLanes || !space.plain(loop))
      continue;
    for (const IterationSpace::Access &access : space.accesses()) {
      if (access.written || access.small || access.opaque[lane] ||
          access.opaque[loop])
        continue;
      // A few loads give lanes that are a few elements apart.
      constexpr int64_t fewElements = 4;
      auto stride = access.factors[lane].constant();
      bool strided = !stride || *stride < -1 || *stride > fewElements;
      if (strided && access.factors[loop].isConstant(1))
        return loop;
    }
  }
  return std::nullopt;
}

/// Lanes of a task: all, unless there would be few tasks for long rows.
static int64_t lanesOfTask(const DimExpr &laneSize, const DimExpr &tileSize,
                           const DimExpr &tasks) {
  constexpr int64_t fewestTasks = 8, elementsOfTask = 16384, multiple = 256;
  auto lanes = laneSize.constant(), tile = tileSize.constant(),
       others = tasks.constant();
  if (!lanes || !tile || !others || *lanes == 0 || *tile == 0 || *others == 0)
    return 0;
  int64_t parts = std::clamp<int64_t>(
      std::min(fewestTasks / *others, *lanes * *tile / elementsOfTask), 1,
      fewestTasks);
  return int64_t(llvm::alignTo(uint64_t((*lanes + parts - 1) / parts),
                               uint64_t(multiple)));
}

ElementsSchedule::Squares ElementsSchedule::squares(Square square) const {
  const DimExpr &laneSize = space.size(square.lane),
                &tileSize = space.size(square.tile);
  Squares squares;
  squares.chunks = DimExpr::ceilDiv(tileSize, Squares::tileChunk);
  squares.rows = space.rows({square.lane, square.tile});
  squares.lanesPerTask =
      space.edges(square.lane).empty()
          ? lanesOfTask(laneSize, tileSize, squares.rows * squares.chunks)
          : 0;
  if (squares.lanesPerTask)
    squares.parts = DimExpr::ceilDiv(laneSize, squares.lanesPerTask);
  return squares;
}

int64_t pieceOfSquares(graph::FusionOp fusion, const TargetModel &target) {
  constexpr int64_t longPiece = 256;
  bool writesParts = target.lanes * widestBytes(fusion) < target.lineBytes;
  return writesParts ? longPiece : target.lanes;
}

ElementsForm elementsForm(graph::FusionOp fusion, const TargetModel &target) {
  ElementsForm form{valueWidth(fusion, target),
                    blockOfElements(fusion),
                    true,
                    pieceOfSquares(fusion, target),
                    {}};
  graph::Schedule schedule = fusion.getScheduleAttr();
  if (!schedule)
    return form;
  form.shares = schedule.shares();
  auto elements = dyn_cast<sched::ElementsAttr>(sched::lastVariant(schedule));
  if (!elements)
    return form;
  form.squares = bool(elements.getTile());
  if (elements.getLanes())
    form.lanes = unsigned(elements.getLanes() * elements.getItem());
  if (elements.getBlock())
    form.block = elements.getBlock();
  if (elements.getPiece())
    form.piece = elements.getPiece();
  return form;
}

unsigned givenLanes(graph::FusionOp fusion, unsigned chosen) {
  auto all = [](auto kind) { return kind.getLanes() * kind.getItem(); };
  Attribute schedule = fusion.getScheduleAttr();
  if (!schedule)
    return chosen;
  int64_t lanes =
      llvm::TypeSwitch<Attribute, int64_t>(sched::lastVariant(schedule))
          .Case<sched::ReduceAttr, sched::WindowAttr, sched::ScanAttr,
                sched::ScatterAttr>(all)
          .Default([](Attribute) { return 0; });
  return lanes ? unsigned(lanes) : chosen;
}

} // namespace zenith::kernels
