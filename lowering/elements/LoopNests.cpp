// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits lane loops with masked tails, and loop tiling for transposed reads:
// square tiles of lanes.

#include "lowering/elements/LoopNests.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

void unflattenRow(ElementEmitter &emitter, const IterationSpace &space,
                  ArrayRef<unsigned> which, Value row,
                  MutableArrayRef<LaneIndex> loopIndex) {
  KernelBuilder &kernel = emitter.kernel;
  for (unsigned i = which.size(); i-- > 0;) {
    const DimExpr &size = space.size(which[i]);
    Value here = i == 0 ? row : kernel.rem(row, kernel.size(size));
    if (i > 0)
      row = kernel.div(row, kernel.size(size));
    loopIndex[which[i]] = emitter.indices.scalar(here, size);
  }
}

/// Whether digits of a number, which have these sizes, are found by divisions
/// by constants.
static bool haveKnownSizes(ArrayRef<DimExpr> digits) {
  return digits.size() < 2 ||
         llvm::all_of(
             digits.drop_front(),
             [](const DimExpr &size) { return size.constant().has_value(); });
}

void forEachRowIndex(
    ElementEmitter &emitter, const IterationSpace &space,
    ArrayRef<unsigned> which, const RowTasks &tasks,
    function_ref<void(SmallVector<LaneIndex>, Value, Value)> body) {
  KernelBuilder &kernel = emitter.kernel;
  SmallVector<DimExpr> sizes;
  for (unsigned loop : which)
    sizes.push_back(space.size(loop));
  if (haveKnownSizes(sizes))
    return forEachRow(kernel, tasks, [&](Value row, Value low, Value high) {
      ElementEmitter::Scope scope(emitter);
      SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
      unflattenRow(emitter, space, which, row, loopIndex);
      body(std::move(loopIndex), low, high);
    });
  forEachRowDigits(
      kernel, tasks, sizes, [&](ArrayRef<Value> digits, Value low, Value high) {
        ElementEmitter::Scope scope(emitter);
        SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
        for (auto [loop, digit, size] : llvm::zip_equal(which, digits, sizes))
          loopIndex[loop] = emitter.indices.scalar(digit, size);
        body(std::move(loopIndex), low, high);
      });
}

void forEachTaskIndex(
    ElementEmitter &emitter, const IterationSpace &space,
    ArrayRef<unsigned> which, ArrayRef<DimExpr> parts,
    function_ref<void(SmallVector<LaneIndex>, ArrayRef<Value>)> body) {
  KernelBuilder &kernel = emitter.kernel;
  SmallVector<DimExpr> sizes;
  for (unsigned loop : which)
    sizes.push_back(space.size(loop));
  sizes.append(parts.begin(), parts.end());
  auto run = [&](ArrayRef<Value> digits) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
    for (auto [loop, digit] : llvm::zip(which, digits))
      loopIndex[loop] = emitter.indices.scalar(digit, space.size(loop));
    body(std::move(loopIndex), digits.drop_front(which.size()));
  };
  if (!haveKnownSizes(sizes))
    return forEachNumber(kernel, kernel.begin(), kernel.end(), sizes, run);
  kernel.loop(kernel.begin(), kernel.end(), kernel.index(1), [&](Value task) {
    SmallVector<Value> digits(sizes.size(), task);
    // Parts of a task are remainders, which say how large they are.
    for (size_t i = sizes.size(); i-- > (which.empty() ? 0 : 1);) {
      Value size = kernel.size(sizes[i]);
      digits[i] = kernel.rem(digits[0], size);
      if (i > 0)
        digits[0] = kernel.div(digits[0], size);
    }
    run(digits);
  });
}

LaneRun laneRun(KernelBuilder &kernel, ArrayRef<DimExpr> ends, size_t number,
                Value low, Value high) {
  LaneRun run{number > 0 ? ends[number - 1] : DimExpr(0), ends[number], low,
              high};
  if (number > 0)
    run.first = kernel.max(run.first, kernel.size(run.begin));
  if (number + 1 < ends.size())
    run.last = kernel.min(run.last, kernel.size(run.end));
  if (ends.size() > 1)
    run.last = kernel.max(run.first, run.last);
  return run;
}

/// Whole vectors of a part of a lane loop, then what is left of it by vectors
/// of `narrow` lanes: under a mask, wide ones would mostly compute nothing.
static void forEachNarrowing(ElementEmitter &emitter, const LaneRun &run,
                             unsigned narrow,
                             function_ref<void(const LaneIndex &)> body) {
  KernelBuilder &kernel = emitter.kernel;
  IndexMath &indices = emitter.indices;
  unsigned width = indices.width;
  // Bounds of the lane are those of wide vectors.
  indices.laneOffset();
  auto block = [&](Value start) {
    auto begin = run.begin.constant();
    body(indices.lanes(start, run.end,
                       begin ? std::gcd(*begin, int64_t(indices.width)) : 1,
                       run.begin));
  };
  Value rest = kernel.rem(kernel.sub(run.last, run.first), kernel.index(width));
  Value full = kernel.sub(run.last, rest);
  kernel.loop(run.first, full, kernel.index(width), [&](Value start) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = Value();
    block(start);
  });
  // Not by a loop: rows of one length share the masks.
  indices.width = narrow;
  for (unsigned before = 0; before < width; before += narrow) {
    Value left = kernel.sub(rest, kernel.index(before));
    Value isSome = kernel.b.create<arith::CmpIOp>(
        kernel.loc, arith::CmpIPredicate::sgt, left, kernel.index(0));
    kernel.ifThen(isSome, [&] {
      ElementEmitter::Scope scope(emitter);
      emitter.active.mask = kernel.mask(left, narrow);
      block(kernel.add(full, kernel.index(before)));
    });
  }
  indices.width = width;
}

/// Lanes of one register of the widest element.
static unsigned nativeLanes(const KernelBuilder &kernel) {
  return std::max(1u, kernel.target.lanes * 4 / widestBytes(kernel.fusion));
}

void forEachLaneBlock(ElementEmitter &emitter, const IterationSpace &space,
                      unsigned lane, Value low, Value high,
                      function_ref<void(const LaneIndex &)> body,
                      bool anyWidth) {
  constexpr int64_t fewElements = 4;
  KernelBuilder &kernel = emitter.kernel;
  SmallVector<DimExpr> ends(space.edges(lane));
  ends.push_back(space.size(lane));
  anyWidth &= !ends.back().constant();
  bool bordersSingly = anyWidth && ends.size() > 1;
  for (size_t number = 0; number < ends.size(); ++number) {
    LaneRun run = laneRun(kernel, ends, number, low, high);
    unsigned width = emitter.indices.width, native = nativeLanes(kernel);
    if (bordersSingly &&
        (run.end - run.begin).provablyAtMost(DimExpr(fewElements))) {
      emitter.indices.width = 1;
      kernel.loop(run.first, run.last, kernel.index(1), [&](Value at) {
        ElementEmitter::Scope scope(emitter);
        body(emitter.indices.scalar(at, run.end, 1, run.begin));
      });
      emitter.indices.width = width;
      continue;
    }
    if (anyWidth && native < width) {
      forEachNarrowing(emitter, run, native, body);
      continue;
    }
    auto begin = run.begin.constant();
    int64_t divisor = begin ? std::gcd(*begin, int64_t(width)) : 1;
    kernel.laneLoop(run.first, run.last, width, [&](Value start, Value mask) {
      ElementEmitter::Scope scope(emitter);
      emitter.active.mask = mask;
      body(emitter.indices.lanes(start, run.end, divisor, run.begin));
    });
  }
}

// Emits tile rows one by one. The first row loads the whole square, before code
// that depends on the count of rows. Null counts: all lanes, all rows.
static void emitTile(
    ElementEmitter &emitter, const LaneIndex &lanes, const LaneIndex &tile,
    Value laneCount, Value tileCount,
    function_ref<void(const LaneIndex &lanes, const LaneIndex &tile)> body) {
  KernelBuilder &kernel = emitter.kernel;
  unsigned width = emitter.indices.width;
  ElementEmitter::Scope scope(emitter);
  if (laneCount) {
    emitter.active.mask = kernel.mask(laneCount, width);
    emitter.active.count = laneCount;
  }
  if (tileCount)
    emitter.active.tileMask = kernel.mask(tileCount, width);
  auto known = tileCount ? kernel.constantOf(tileCount) : int64_t(width);
  for (int64_t row = 0; row < known.value_or(width); ++row) {
    emitter.indices.tileRow = row;
    if (row == 0 || known) {
      body(lanes, tile);
      continue;
    }
    Value inside = kernel.b.create<arith::CmpIOp>(
        kernel.loc, arith::CmpIPredicate::sgt, tileCount, kernel.index(row));
    kernel.ifThen(inside, [&] {
      ElementEmitter::Scope scope(emitter);
      body(lanes, tile);
    });
  }
  emitter.indices.tileRow = 0;
  emitter.active.count = emitter.active.tileMask = Value();
}

void forEachTile(ElementEmitter &emitter, int64_t piece,
                 const DimExpr &laneSize, const DimExpr &tileSize,
                 Value tileLow, Value tileHigh,
                 function_ref<void(const LaneIndex &, const LaneIndex &)> body,
                 bool overlap, const DimExpr &laneBegin,
                 std::pair<Value, Value> laneRange) {
  KernelBuilder &kernel = emitter.kernel;
  unsigned width = emitter.indices.width;
  Value step = kernel.index(width);
  const DimExpr laneEnd = laneBegin + laneSize;
  bool even = laneSize.exactDiv(width) && tileSize.exactDiv(width);
  auto below = [&](const DimExpr &size) {
    return size.provablyAtMost(DimExpr(int64_t(width) - 1));
  };
  auto tileAt = [&](Value laneStart, Value tileStart) {
    ElementEmitter::Scope scope(emitter);
    bool cutLanes = below(laneSize);
    if (overlap) {
      auto inside = [&](Value start, const DimExpr &size) {
        return size.exactDiv(width)
                   ? start
                   : kernel.min(start, kernel.size(size - int64_t(width)));
      };
      tileStart = inside(tileStart, tileSize);
      laneStart = cutLanes ? laneStart : inside(laneStart, laneSize);
    }
    bool aligned = !overlap || cutLanes || laneSize.exactDiv(width);
    int64_t divisor = aligned ? width : 1;
    if (!laneBegin.isConstant(0))
      divisor = std::gcd(divisor, laneBegin.constant().value_or(1));
    LaneIndex lanes =
                  emitter.indices.lanes(laneStart, laneEnd, divisor, laneBegin),
              tile = emitter.indices.tile(tileStart, tileSize);
    if (even)
      return emitTile(emitter, lanes, tile, {}, {}, body);
    if (overlap)
      return emitTile(emitter, lanes, tile,
                      cutLanes ? kernel.size(laneSize) : Value(), {}, body);
    // If all squares have the same few lanes or rows, only these are masked.
    bool fewLanes = laneSize.constant() && below(laneSize),
         fewRows = tileSize.constant() && below(tileSize);
    Value lanesLeft =
        fewLanes
            ? kernel.size(laneSize)
            : kernel.min(step, kernel.sub(kernel.size(laneEnd), laneStart));
    Value tilesLeft = fewRows
                          ? kernel.size(tileSize)
                          : kernel.min(step, kernel.sub(tileHigh, tileStart));
    Value whole = kernel.b.create<arith::CmpIOp>(
        kernel.loc, arith::CmpIPredicate::eq,
        fewRows    ? lanesLeft
        : fewLanes ? tilesLeft
                   : kernel.add(lanesLeft, tilesLeft),
        kernel.index((fewLanes || fewRows ? 1 : 2) * int64_t(width)));
    if ((fewLanes || !below(laneSize)) && (fewRows || !below(tileSize)))
      kernel.ifThen(whole, [&] {
        emitTile(emitter, lanes, tile, fewLanes ? lanesLeft : Value(),
                 fewRows ? tilesLeft : Value(), body);
      });
    Value cut = kernel.b.create<arith::XOrIOp>(
        kernel.loc, whole, kernel.integer(whole.getType(), 1));
    kernel.ifThen(cut, [&] {
      emitTile(emitter, lanes, tile, lanesLeft, tilesLeft, body);
    });
  };
  auto [lanesBegin, lanesEnd] = laneRange;
  if (!lanesEnd) {
    lanesBegin = kernel.size(laneBegin);
    lanesEnd = kernel.size(laneEnd);
  }
  bool longRows = piece > width && tileSize.provablyAtMost(laneSize);
  Value ofPiece = longRows ? kernel.index(piece) : step;
  kernel.loop(
      lanesBegin, lanesEnd, ofPiece, [&, last = lanesEnd](Value pieceStart) {
        Value pieceEnd = kernel.min(kernel.add(pieceStart, ofPiece), last);
        kernel.loop(tileLow, tileHigh, step, [&](Value tileStart) {
          if (!longRows)
            return tileAt(pieceStart, tileStart);
          kernel.loop(pieceStart, pieceEnd, step,
                      [&](Value lanes) { tileAt(lanes, tileStart); });
        });
      });
}

FailureOr<Launch> unlessFailed(const ElementEmitter &emitter, Launch launch) {
  if (!emitter.failed())
    return launch;
  launch.kernel.erase();
  return failure();
}

} // namespace zenith::kernels
