// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that compute each element of the results on its own: rows of lanes,
// or square tiles where what is read and what is written have no contiguous
// dimension in common.

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/KernelPlan.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/IndexingElements.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/EmitKernels.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/schedule/LaneChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
class PointwiseKernel {
public:
  /// Writes values of one shape to results number `numbers`.
  PointwiseKernel(const EmissionContext &context, StringRef name,
                  ArrayRef<Value> values, ArrayRef<unsigned> numbers,
                  graph::DynamicUpdateSliceOp into)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               name),
        emitter(kernel), numbers(numbers), results(values), into(into),
        space(context.dims, context.dims.dimsOf(results[0]),
              roots(context.dims)) {}

  FailureOr<Launch> run() {
    return unlessFailed(emitter,
                        space.rank() == 0 ? emitSingle() : emitLoops());
  }

private:
  SmallVector<SpaceRoot> roots(graph::DimAnalysis &dims) {
    SmallVector<SpaceRoot> roots;
    for (Value result : results) {
      // A part has the row stride of the whole.
      SpaceRoot root{result, {}, true, into ? into.getOperand() : Value()};
      for (unsigned d = 0; d < dims.dimsOf(result).size(); ++d)
        root.dims.push_back(d);
      roots.push_back(std::move(root));
    }
    return roots;
  }

  // All loads of a block come before its stores: a result may share an
  // operand's bytes.
  // With `pastEnd`, whole vectors are stored, whatever the mask.
  void emitElements(ArrayRef<LaneIndex> loopIndex, bool pastEnd = false) {
    SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loopIndex);
    SmallVector<Value> values;
    for (Value result : results)
      values.push_back(emitter.emit(result, index));
    if (into)
      index = updatedIndex(into, emitter, index);
    ElementEmitter::Scope scope(emitter);
    if (pastEnd)
      emitter.active.mask = Value();
    for (auto [number, value] : llvm::zip(numbers, values))
      if (!emitter.failed())
        emitter.store(number, value, index);
  }

  Launch emitSingle() {
    kernel.loop(kernel.begin(), kernel.end(), kernel.index(1), [&](Value) {
      ElementEmitter::Scope scope(emitter);
      emitElements({});
    });
    return kernel.finish(1, costPerElement(kernel.fusion));
  }

  // The same for all iterations of a short loop beside the lanes.
  void emitTurns(ArrayRef<LaneIndex> loopIndex, unsigned pair) {
    SmallVector<SmallVector<Value>> values(results.size());
    SmallVector<LaneIndex> at(loopIndex), index;
    for (int64_t turn = *space.size(pair).constant(); turn-- > 0;) {
      at[pair] = LaneIndex(turn);
      index = space.shapeIndex(emitter.indices, at);
      for (auto [number, result] : llvm::enumerate(results))
        values[number].insert(values[number].begin(),
                              emitter.emit(result, index));
    }
    for (auto [number, turns] : llvm::zip(numbers, values))
      if (!emitter.failed())
        emitter.storeInterleaved(number, turns, index);
  }

  /// A short loop whose elements lie between those of neighbouring lanes in all
  /// results: positions with few channels, repeated elements.
  std::optional<unsigned> choosePair(unsigned lane) {
    if (into || llvm::any_of(results, [](Value value) {
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

  SmallVector<unsigned> loopsWithout(ArrayRef<unsigned> excluded) {
    SmallVector<unsigned> loops;
    for (unsigned loop = 0; loop < space.rank(); ++loop)
      if (!llvm::is_contained(excluded, loop))
        loops.push_back(loop);
    return loops;
  }

  Launch emitLoops() {
    unsigned lane = *chooseLaneLoop(space, loopsWithout({}));
    if (auto row = chooseShortRow(lane))
      return emitTiles(*row, lane);
    if (auto tile = chooseTileLoop(lane); tile && !into)
      return emitTiles(lane, *tile);
    return emitRows(lane);
  }

  /// Whether the last vector of a row may overlap the one before, instead of
  /// being masked: masks of narrow elements take many instructions where no
  /// mask registers exist.
  bool mayOverlap(unsigned lane, const RowTasks &tasks) {
    auto size = space.size(lane).constant();
    int64_t width = emitter.indices.width;
    if (kernel.target.avx512 || tasks.chunk || into || !size || *size < width ||
        *size % width == 0 || !space.edges(lane).empty())
      return false;
    bool anyNarrow = false;
    for (Value value : results) {
      Type element = getElementTypeOrSelf(value.getType());
      anyNarrow |=
          element.isIntOrFloat() && element.getIntOrFloatBitWidth() < 32;
    }
    return anyNarrow && mayWriteTwice();
  }

  /// Whether an element may be written before others are computed, and again:
  /// not if it may share its bytes with an operand that is still to be read.
  bool mayWriteTwice() {
    for (unsigned number : numbers)
      for (unsigned i = 0; i < kernel.fusion.getInputs().size(); ++i)
        if (mayShareBytes(kernel.fusion, i, number))
          return false;
    return true;
  }

  /// A loop that moves gathered reads but not their indices, such as the loop
  /// over the channels of a feature map: indices are computed once for all of
  /// it. Cheap indices are recomputed instead, so that rows are written in
  /// order: each iteration has cache lines of its own.
  std::optional<unsigned> chooseRepeated(unsigned lane) {
    constexpr double fewInstructions = 10;
    constexpr int64_t mostTurns = 256;
    if (costPerElement(kernel.fusion) < fewInstructions || into ||
        !kernel.target.coreCaches || !mayWriteTwice())
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
    for (unsigned loop = 0; loop < space.rank(); ++loop) {
      int64_t turns = space.size(loop).constant().value_or(0);
      if (loop != lane && turns > 1 && turns <= mostTurns && repeats(loop) &&
          space.edges(loop).empty())
        return loop;
    }
    return std::nullopt;
  }

  /// Values that do not depend on the loop are kept from its first iteration.
  void emitRepeated(SmallVector<LaneIndex> &loopIndex, unsigned loop) {
    const DimExpr &size = space.size(loop);
    Value one = kernel.index(1);
    loopIndex[loop] = LaneIndex(0);
    emitElements(loopIndex);
    kernel.loop(one, kernel.size(size), one, [&](Value turn) {
      ElementEmitter::Scope scope(emitter);
      loopIndex[loop] = emitter.indices.scalar(turn, size);
      emitElements(loopIndex);
    });
  }

  void forEachOverlapping(unsigned lane,
                          function_ref<void(const LaneIndex &lanes)> body) {
    int64_t size = *space.size(lane).constant(), width = emitter.indices.width,
            full = size - size % width;
    auto block = [&](Value start) {
      ElementEmitter::Scope scope(emitter);
      body(emitter.indices.lanes(start, size));
    };
    kernel.loop(kernel.index(0), kernel.index(full), kernel.index(width),
                block);
    block(kernel.index(size - width));
  }

  /// Whether other rows read the elements between those that lanes read: soon
  /// after, they are still in a cache.
  bool sharesLines(unsigned lane) {
    constexpr int64_t fewElements = 4;
    return llvm::any_of(
        space.accesses(), [&](const IterationSpace::Access &access) {
          auto stride = access.factors[lane].constant();
          return !access.written && !access.opaque[lane] && stride &&
                 *stride > 1 && *stride <= fewElements;
        });
  }

  /// Lanes that the longest run between edges of a loop fills.
  unsigned lanesOfPieces(unsigned lane) {
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

  Launch emitRows(unsigned lane) {
    emitter.indices.width =
        std::min(valueWidth(kernel.fusion, kernel.target), lanesOfPieces(lane));
    std::optional<unsigned> pair = choosePair(lane),
                            repeated =
                                pair ? std::nullopt : chooseRepeated(lane);
    SmallVector<unsigned> inner{lane};
    double cost = costPerElement(kernel.fusion);
    int64_t elements = cost > 40 ? elementsPerTask / 4 : elementsPerTask;
    if (pair || repeated) {
      inner.push_back(pair ? *pair : *repeated);
      int64_t turns = *space.size(inner.back()).constant();
      cost *= double(turns);
      elements = std::max<int64_t>(emitter.indices.width, elements / turns);
    }
    SmallVector<unsigned> outer = loopsWithout(inner);
    RowTasks tasks =
        RowTasks::plan(space.rows(inner), space.size(lane), elements);
    tasks.chunksFirst = sharesLines(lane);
    bool overlaps = !pair && !repeated && mayOverlap(lane, tasks);
    forEachRow(kernel, tasks, [&](Value row, Value low, Value high) {
      ElementEmitter::Scope scope(emitter);
      SmallVector<LaneIndex> loopIndex(space.rank());
      unflattenRow(emitter, space, outer, row, loopIndex);
      auto block = [&](const LaneIndex &lanes) {
        SmallVector<LaneIndex> at(loopIndex);
        at[lane] = lanes;
        if (pair)
          emitTurns(at, *pair);
        else if (repeated)
          emitRepeated(at, *repeated);
        else
          emitElements(at);
      };
      if (overlaps)
        forEachOverlapping(lane, block);
      else
        forEachLaneBlock(emitter, space, lane, low, high, block);
    });
    return kernel.finish(tasks.tasks, tasks.elementsPerTask * cost);
  }

  /// Where `lane` reads along rows and writes from one short row to the next:
  /// the loop along the short rows, if they fill most of a vector.
  std::optional<unsigned> chooseShortRow(unsigned lane) {
    int64_t width = kernel.target.lanes;
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
      if (loop != lane && writesRows && chooseTileLoop(loop) == lane &&
          mayOverlapTiles(loop, lane))
        return loop;
    }
    return std::nullopt;
  }

  /// Whether squares need not be cut: the last ones may overlap those before,
  /// and the lanes after a short row may be written, since the next row of the
  /// square overwrites them.
  bool mayOverlapTiles(unsigned lane, unsigned tile) {
    int64_t width = kernel.target.lanes;
    auto lanes = space.size(lane).constant(),
         rows = space.size(tile).constant();
    if (!lanes || !rows || *rows < width || into || !kernel.target.shuffles ||
        !space.edges(lane).empty())
      return false;
    bool followed = llvm::all_of(
        space.accesses(), [&](const IterationSpace::Access &access) {
          return !access.written || (access.factors[lane].isConstant(1) &&
                                     access.factors[tile].isConstant(*lanes));
        });
    return (*lanes >= width || followed) && mayWriteTwice();
  }

  /// Whether squares can be cut at the edges of a loop: few and known ones,
  /// each of which is code of its own, with room for whole squares between.
  bool hasKnownEdges(unsigned loop) {
    constexpr size_t mostEdges = 3;
    ArrayRef<DimExpr> edges = space.edges(loop);
    return !edges.empty() && edges.size() <= mostEdges &&
           space.size(loop).constant() && kernel.target.shuffles &&
           lanesOfPieces(loop) >= kernel.target.lanes &&
           llvm::all_of(edges, [](const DimExpr &edge) {
             return edge.constant().has_value();
           });
  }

  // The loop along which operands that are strided along `lane` are contiguous.
  // Tiles read whole squares, so nothing may end inside of one: they are cut at
  // the edges of lanes.
  std::optional<unsigned> chooseTileLoop(unsigned lane) {
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

  Launch emitTiles(unsigned lane, unsigned tile);

  KernelBuilder kernel;
  ElementEmitter emitter;
  ArrayRef<unsigned> numbers;
  SmallVector<Value> results;
  graph::DynamicUpdateSliceOp into; ///< where the values are its update
  IterationSpace space;
};
} // namespace

FailureOr<Launch> emitValues(const EmissionContext &context, StringRef name,
                             ArrayRef<Value> values, ArrayRef<unsigned> numbers,
                             graph::DynamicUpdateSliceOp into) {
  return PointwiseKernel(context, name, values, numbers, into).run();
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

// A task covers `tileChunk` elements of the tile loop, and all lanes of a row
// for them: reads then use whole lines, and so do writes.
Launch PointwiseKernel::emitTiles(unsigned lane, unsigned tile) {
  constexpr int64_t tileChunk = 256;
  emitter.indices.width = kernel.target.lanes;
  bool overlap = mayOverlapTiles(lane, tile);
  SmallVector<unsigned> outer = loopsWithout({lane, tile});
  const DimExpr &laneSize = space.size(lane), &tileSize = space.size(tile);
  DimExpr chunks = DimExpr::ceilDiv(tileSize, tileChunk),
          rows = space.rows({lane, tile}), parts = 1;
  int64_t lanesPerTask = space.edges(lane).empty()
                             ? lanesOfTask(laneSize, tileSize, rows * chunks)
                             : 0;
  if (lanesPerTask)
    parts = DimExpr::ceilDiv(laneSize, lanesPerTask);
  kernel.loop(kernel.begin(), kernel.end(), kernel.index(1), [&](Value task) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<LaneIndex> loopIndex(space.rank());
    std::pair<Value, Value> laneRange;
    if (!parts.isConstant(1)) {
      Value count = kernel.size(parts);
      Value first =
          kernel.mul(kernel.rem(task, count), kernel.index(lanesPerTask));
      laneRange = {first,
                   kernel.min(kernel.add(first, kernel.index(lanesPerTask)),
                              kernel.size(laneSize))};
      task = kernel.div(task, count);
    }
    Value chunkCount = kernel.size(chunks);
    unflattenRow(emitter, space, outer, kernel.div(task, chunkCount),
                 loopIndex);
    Value tileLow =
        kernel.mul(kernel.rem(task, chunkCount), kernel.index(tileChunk));
    Value tileHigh = kernel.min(kernel.add(tileLow, kernel.index(tileChunk)),
                                kernel.size(tileSize));
    SmallVector<DimExpr> ends(space.edges(lane));
    ends.push_back(laneSize);
    DimExpr begin = 0;
    for (const DimExpr &end : ends) {
      forEachTile(
          emitter, end - begin, tileSize, tileLow, tileHigh,
          [&](const LaneIndex &lanes, const LaneIndex &tileRow) {
            SmallVector<LaneIndex> at(loopIndex);
            at[lane] = lanes;
            at[tile] = tileRow;
            // A vector may only store beyond its row into rows of this square.
            int64_t width = emitter.indices.width,
                    rowsFrom = width - emitter.indices.tileRow;
            bool isFollowed =
                overlap && rowsFrom * *laneSize.constant() >= width;
            emitElements(at, isFollowed);
          },
          overlap, begin, laneRange);
      begin = end;
    }
  });
  double elements =
      double(std::min(tileChunk, tileSize.constant().value_or(tileChunk))) *
      double(parts.isConstant(1) ? laneSize.constant().value_or(64)
                                 : lanesPerTask);
  return kernel.finish(rows * chunks * parts,
                       elements * 2 * costPerElement(kernel.fusion));
}

// Results of different shapes get a kernel each.
FailureOr<KernelPlan> emitPointwise(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  auto results = fusion.getBody().front().getTerminator()->getOperands();
  std::vector<SmallVector<unsigned>> groups;
  for (unsigned number = 0; number < results.size(); ++number) {
    auto same = llvm::find_if(groups, [&](const SmallVector<unsigned> &group) {
      return context.dims.dimsOf(results[group.front()]) ==
             context.dims.dimsOf(results[number]);
    });
    if (same == groups.end())
      groups.push_back({number});
    else
      same->push_back(number);
  }
  KernelPlan plan;
  for (auto [number, group] : llvm::enumerate(groups)) {
    std::string name = context.name.str();
    if (number > 0)
      name += "_" + std::to_string(number);
    SmallVector<Value> values;
    for (unsigned result : group)
      values.push_back(results[result]);
    if (!addLaunch(plan, emitValues(context, name, values, group)))
      return failure();
  }
  return plan;
}

} // namespace zenith::kernels
