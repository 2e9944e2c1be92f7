// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that compute each element of the results on its own: rows of lanes,
// or square tiles where what is read and what is written have no contiguous
// dimension in common.

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/KernelPlan.h"
#include "lowering/elements/IndexingElements.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/schedule/ElementsSchedule.h"
#include "lowering/schedule/LaneChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
class PointwiseKernel {
public:
  PointwiseKernel(const EmissionContext &context, StringRef name,
                  WrittenValues written)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               name),
        emitter(kernel), form(elementsForm(context.fusion, context.target)),
        schedule(context.fusion, context.dims, context.target,
                 std::move(written), form.shares),
        space(schedule.loops()), numbers(schedule.written.numbers),
        results(schedule.written.values), into(schedule.written.into) {}

  FailureOr<Launch> run() {
    return unlessFailed(emitter,
                        space.rank() == 0 ? emitSingle() : emitLoops());
  }

private:
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

  Launch emitLoops() {
    auto square = form.squares ? schedule.square() : std::nullopt;
    return square ? emitTiles(*square) : emitRows(schedule.rowLane());
  }

  /// Values that do not depend on the loop are kept from its first iteration.
  void emitRepeated(SmallVector<LaneIndex> &loopIndex, unsigned loop) {
    const DimExpr &size = space.size(loop);
    Value one = kernel.index(1);
    auto turns = [&] {
      ElementEmitter::Scope scope(emitter);
      loopIndex[loop] = LaneIndex(0);
      emitElements(loopIndex);
      kernel.loop(one, kernel.size(size), one, [&](Value turn) {
        ElementEmitter::Scope scope(emitter);
        loopIndex[loop] = emitter.indices.scalar(turn, size);
        emitElements(loopIndex);
      });
    };
    if (size.constant())
      return turns();
    kernel.ifThen(kernel.b.create<arith::CmpIOp>(kernel.loc,
                                                 arith::CmpIPredicate::sge,
                                                 kernel.size(size), one),
                  turns);
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

  Launch emitRows(unsigned lane) {
    emitter.indices.width = std::min(form.lanes, schedule.lanesOfPieces(lane));
    ElementsSchedule::Rows rows =
        schedule.rows(lane, emitter.indices.width, form.block);
    const RowTasks &tasks = rows.tasks;
    SmallVector<unsigned> inner{lane};
    if (rows.pair || rows.repeated)
      inner.push_back(rows.pair ? *rows.pair : *rows.repeated);
    SmallVector<unsigned> outer = schedule.loopsWithout(inner);
    bool overlaps = !rows.pair && !rows.repeated &&
                    schedule.mayOverlap(lane, tasks, emitter.indices.width);
    forEachRowIndex(
        emitter, space, outer, tasks,
        [&](SmallVector<LaneIndex> loopIndex, Value low, Value high) {
          auto block = [&](const LaneIndex &lanes) {
            SmallVector<LaneIndex> at(loopIndex);
            at[lane] = lanes;
            if (rows.pair)
              emitTurns(at, *rows.pair);
            else if (rows.repeated)
              emitRepeated(at, *rows.repeated);
            else
              emitElements(at);
          };
          if (overlaps)
            forEachOverlapping(lane, block);
          else
            forEachLaneBlock(emitter, space, lane, low, high, block,
                             /*anyWidth=*/true);
        });
    return kernel.finish(tasks.tasks, tasks.elementsPerTask * rows.cost);
  }

  Launch emitTiles(ElementsSchedule::Square square);
  void emitSquares(ElementsSchedule::Square square,
                   ArrayRef<LaneIndex> loopIndex, Value low, Value high,
                   std::pair<Value, Value> laneRange);
  void emitAlongTiles(ElementsSchedule::Square square,
                      ArrayRef<LaneIndex> loopIndex, Value low, Value high);

  KernelBuilder kernel;
  ElementEmitter emitter;
  ElementsForm form;
  ElementsSchedule schedule;
  const IterationSpace &space;
  ArrayRef<unsigned> numbers;
  ArrayRef<Value> results;
  graph::DynamicUpdateSliceOp into; ///< where the values are its update
};
} // namespace

FailureOr<Launch> emitValues(const EmissionContext &context, StringRef name,
                             ArrayRef<Value> values, ArrayRef<unsigned> numbers,
                             graph::DynamicUpdateSliceOp into) {
  return PointwiseKernel(
             context, name,
             {SmallVector<Value>(values), SmallVector<unsigned>(numbers), into})
      .run();
}

/// Squares over rows [low, high) of the tile loop, cut at the edges of lanes.
void PointwiseKernel::emitSquares(ElementsSchedule::Square square,
                                  ArrayRef<LaneIndex> loopIndex, Value low,
                                  Value high,
                                  std::pair<Value, Value> laneRange) {
  unsigned lane = square.lane, tile = square.tile;
  bool overlap = schedule.mayOverlapTiles(lane, tile);
  const DimExpr &laneSize = space.size(lane);
  SmallVector<DimExpr> ends(space.edges(lane));
  ends.push_back(laneSize);
  DimExpr begin = 0;
  for (const DimExpr &end : ends) {
    forEachTile(
        emitter, form.piece, end - begin, space.size(tile), low, high,
        [&](const LaneIndex &lanes, const LaneIndex &tileRow) {
          SmallVector<LaneIndex> at(loopIndex);
          at[lane] = lanes;
          at[tile] = tileRow;
          // A vector may only store beyond its row into rows of this square.
          int64_t width = emitter.indices.width,
                  rowsFrom = width - emitter.indices.tileRow;
          bool isFollowed = overlap && rowsFrom * *laneSize.constant() >= width;
          emitElements(at, isFollowed);
        },
        overlap, begin, laneRange);
    begin = end;
  }
}

/// Elements of rows [low, high) of the tile loop with lanes along it, for one
/// element of the other loop after the other: where these are few, squares
/// would be mostly empty.
void PointwiseKernel::emitAlongTiles(ElementsSchedule::Square square,
                                     ArrayRef<LaneIndex> loopIndex, Value low,
                                     Value high) {
  IndexMath &indices = emitter.indices;
  const DimExpr &rows = space.size(square.lane);
  unsigned width = indices.width;
  // Bounds of the lane are those of the squares' vectors.
  indices.laneOffset();
  indices.width = width / 2;
  kernel.laneLoop(low, high, indices.width, [&](Value start, Value mask) {
    kernel.loop(
        kernel.index(0), kernel.size(rows), kernel.index(1), [&](Value row) {
          ElementEmitter::Scope scope(emitter);
          emitter.active.mask = mask;
          SmallVector<LaneIndex> at(loopIndex);
          at[square.lane] = indices.scalar(row, rows);
          at[square.tile] = indices.lanes(start, space.size(square.tile));
          emitElements(at);
        });
  });
  indices.width = width;
}

Launch PointwiseKernel::emitTiles(ElementsSchedule::Square square) {
  unsigned lane = square.lane, tile = square.tile;
  emitter.indices.width = kernel.target.lanes;
  SmallVector<unsigned> outer = schedule.loopsWithout({lane, tile});
  const DimExpr &laneSize = space.size(lane), &tileSize = space.size(tile);
  const ElementsSchedule::Squares squares = schedule.squares(square);
  bool cutsRows = !squares.parts.isConstant(1);
  int64_t lanesPerTask = squares.lanesPerTask;
  constexpr int64_t tileChunk = ElementsSchedule::Squares::tileChunk;
  int64_t few = emitter.indices.width / 2;
  bool mayBeFew =
      few > 1 && !laneSize.constant() && !DimExpr(few).provablyAtMost(laneSize);
  auto run = [&](ArrayRef<LaneIndex> loopIndex, ArrayRef<Value> numbers) {
    std::pair<Value, Value> laneRange;
    if (cutsRows) {
      Value first = kernel.mul(numbers[1], kernel.index(lanesPerTask));
      laneRange = {first,
                   kernel.min(kernel.add(first, kernel.index(lanesPerTask)),
                              kernel.size(laneSize))};
    }
    Value tileLow = kernel.mul(numbers[0], kernel.index(tileChunk));
    Value tileHigh = kernel.min(kernel.add(tileLow, kernel.index(tileChunk)),
                                kernel.size(tileSize));
    auto inSquares = [&] {
      emitSquares(square, loopIndex, tileLow, tileHigh, laneRange);
    };
    if (!mayBeFew)
      return inSquares();
    Value areFew = kernel.b.create<arith::CmpIOp>(
        kernel.loc, arith::CmpIPredicate::ult, kernel.size(laneSize),
        kernel.index(few));
    auto branch = kernel.b.create<scf::IfOp>(kernel.loc, areFew,
                                             /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(kernel.b);
    kernel.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    {
      ElementEmitter::Scope scope(emitter);
      emitAlongTiles(square, loopIndex, tileLow, tileHigh);
    }
    kernel.b.setInsertionPoint(branch.elseBlock()->getTerminator());
    inSquares();
  };
  forEachTaskIndex(emitter, space, outer, {squares.chunks, squares.parts}, run);
  double elements =
      double(std::min(tileChunk, tileSize.constant().value_or(tileChunk))) *
      double(cutsRows ? lanesPerTask : laneSize.constant().value_or(64));
  return kernel.finish(squares.rows * squares.chunks * squares.parts,
                       elements * 2 * costPerElement(kernel.fusion));
}

FailureOr<KernelPlan> emitPointwise(const EmissionContext &context) {
  KernelPlan plan;
  for (auto [number, written] :
       llvm::enumerate(writtenValues(context.fusion, context.dims))) {
    std::string name = context.name.str();
    if (number > 0)
      name += "_" + std::to_string(number);
    if (!addLaunch(plan,
                   emitValues(context, name, written.values, written.numbers)))
      return failure();
  }
  return plan;
}

} // namespace zenith::kernels
