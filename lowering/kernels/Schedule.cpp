// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the schedules of all kernels share: widths, tasks of rows, lane loops
// split at edges.

#include "lowering/kernels/Schedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

unsigned widestBytes(graph::FusionOp fusion) {
  unsigned widest = 1;
  auto count = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() == 0)
      return;
    Type element = registerType(type.getElementType());
    if (element.isIntOrFloat())
      widest = std::max(widest, (element.getIntOrFloatBitWidth() + 7) / 8);
  };
  for (Value argument : fusion.getBody().getArguments())
    count(argument);
  fusion.getBody().walk(
      [&](Operation *op) { llvm::for_each(op->getResults(), count); });
  return widest;
}

static bool isTranscendental(Operation *op) {
  return isa<graph::ExpOp, graph::Expm1Op, graph::LogOp, graph::Log1pOp,
             graph::CbrtOp, graph::SinOp, graph::CosOp, graph::TanOp,
             graph::AsinOp, graph::AcosOp, graph::AtanOp, graph::SinhOp,
             graph::CoshOp, graph::TanhOp, graph::AsinhOp, graph::AcoshOp,
             graph::AtanhOp, graph::LogisticOp, graph::ErfOp, graph::PowOp,
             graph::Atan2Op>(op);
}

double costPerElement(graph::FusionOp fusion) {
  double cost = 1;
  fusion.getBody().walk([&](Operation *op) {
    cost += isTranscendental(op)                             ? 20
            : graph::familyOf(op) == graph::Family::Movement ? 0
                                                             : 1;
  });
  return cost;
}

// Long dependent chains profit from more independent vectors than two.
unsigned valueWidth(graph::FusionOp fusion, const KernelTarget &target) {
  unsigned chain = 0;
  fusion.getBody().walk([&](Operation *op) { chain += isTranscendental(op); });
  unsigned bytes = widestBytes(fusion);
  unsigned vectors = chain >= 2 && target.lanes >= 16 ? 4 : 2;
  return std::min(8 * target.lanes, vectors * target.lanes * 4 / bytes);
}

RowTasks RowTasks::plan(DimExpr rows, DimExpr rowLength, int64_t elements,
                        bool cutRows) {
  RowTasks t;
  t.rows = rows;
  t.rowLength = rowLength;
  auto length = rowLength.constant();
  if (length && (*length <= 2 * elements || !cutRows)) {
    t.rowsPerTask =
        std::max<int64_t>(1, elements / std::max<int64_t>(1, *length));
    if (auto count = rows.constant())
      t.rowsPerTask = std::max<int64_t>(1, std::min(t.rowsPerTask, *count));
    t.tasks = DimExpr::ceilDiv(rows, t.rowsPerTask);
    t.elementsPerTask = double(t.rowsPerTask) * *length;
    return t;
  }
  t.elementsPerTask = elements;
  if (!cutRows) {
    t.tasks = rows;
    return t;
  }
  t.chunk = elements;
  t.tasks = rows * DimExpr::ceilDiv(rowLength, elements);
  return t;
}

void RowTasks::roundUpTo(unsigned together) {
  rowsPerTask = int64_t(llvm::alignTo(uint64_t(rowsPerTask), together));
  tasks = DimExpr::ceilDiv(rows, rowsPerTask);
}

/// The first row of a task and the one behind its last.
static std::pair<Value, Value> rowsOfTask(KernelBuilder &kernel,
                                          const RowTasks &tasks, Value task) {
  Value first = kernel.mul(task, kernel.index(tasks.rowsPerTask)),
        last = kernel.add(first, kernel.index(tasks.rowsPerTask));
  auto rows = tasks.rows.constant();
  if (!rows || *rows % tasks.rowsPerTask)
    last = kernel.min(last, kernel.size(tasks.rows));
  return {first, last};
}

void forEachRow(KernelBuilder &kernel, const RowTasks &tasks,
                function_ref<void(Value, Value, Value)> body) {
  Value one = kernel.index(1), length = kernel.size(tasks.rowLength);
  kernel.loop(kernel.begin(), kernel.end(), one, [&](Value task) {
    if (tasks.chunk) {
      Value chunks =
          kernel.size(DimExpr::ceilDiv(tasks.rowLength, tasks.chunk));
      bool single = tasks.rows.isConstant(1);
      Value row, number;
      if (tasks.chunksFirst) {
        Value rows = kernel.max(kernel.size(tasks.rows), one);
        row = kernel.rem(task, rows);
        number = kernel.div(task, rows);
      } else {
        row = single ? kernel.index(0) : kernel.div(task, chunks);
        number = single ? task : kernel.rem(task, chunks);
      }
      Value low = kernel.mul(number, kernel.index(tasks.chunk));
      body(row, low,
           kernel.min(kernel.add(low, kernel.index(tasks.chunk)), length));
      return;
    }
    if (tasks.rowsPerTask == 1) {
      body(task, kernel.index(0), length);
      return;
    }
    auto [first, last] = rowsOfTask(kernel, tasks, task);
    kernel.loop(first, last, one,
                [&](Value row) { body(row, kernel.index(0), length); });
  });
}

void forEachRows(KernelBuilder &kernel, const RowTasks &tasks,
                 unsigned together, function_ref<void(Value, unsigned)> body) {
  if (together == 1)
    return forEachRow(kernel, tasks,
                      [&](Value row, Value, Value) { body(row, 1); });
  Value one = kernel.index(1), step = kernel.index(together);
  kernel.loop(kernel.begin(), kernel.end(), one, [&](Value task) {
    auto [first, last] = rowsOfTask(kernel, tasks, task);
    Value whole = kernel.sub(last, kernel.rem(kernel.sub(last, first), step));
    kernel.loop(first, whole, step, [&](Value row) { body(row, together); });
    auto rows = tasks.rows.constant();
    if (!rows || *rows % together)
      kernel.loop(whole, last, one, [&](Value row) { body(row, 1); });
  });
}

void unflattenRow(ElementEmitter &emitter, const IterationSpace &space,
                  ArrayRef<unsigned> which, Value row,
                  MutableArrayRef<Ix> loopIndex) {
  KernelBuilder &kernel = emitter.kernel;
  for (unsigned i = which.size(); i-- > 0;) {
    const DimExpr &size = space.size(which[i]);
    Value here = i == 0 ? row : kernel.rem(row, kernel.size(size));
    if (i > 0)
      row = kernel.div(row, kernel.size(size));
    loopIndex[which[i]] = emitter.indices.scalar(here, size);
  }
}

void forEachLaneBlock(ElementEmitter &emitter, const IterationSpace &space,
                      unsigned lane, Value low, Value high,
                      function_ref<void(const Ix &)> body) {
  KernelBuilder &kernel = emitter.kernel;
  SmallVector<DimExpr> ends(space.edges(lane));
  ends.push_back(space.size(lane));
  DimExpr begin = 0;
  for (size_t number = 0; number < ends.size(); ++number) {
    const DimExpr &end = ends[number];
    Value first = low, last = high;
    if (number > 0)
      first = kernel.max(first, kernel.size(begin));
    if (number + 1 < ends.size())
      last = kernel.min(last, kernel.size(end));
    if (ends.size() > 1)
      last = kernel.max(first, last);
    unsigned width = emitter.indices.width;
    int64_t divisor =
        begin.constant() ? std::gcd(*begin.constant(), int64_t(width)) : 1;
    kernel.laneLoop(first, last, width, [&](Value start, Value mask) {
      ElementEmitter::Scope scope(emitter);
      emitter.mask = mask;
      body(emitter.indices.lanes(start, end, divisor, begin));
    });
    begin = end;
  }
}

// Row by row; the first row loads the square, before anything that depends on
// how many rows there are. Null counts: all lanes, all rows.
static void emitTile(ElementEmitter &emitter, const Ix &lanes, const Ix &tile,
                     Value laneCount, Value tileCount,
                     function_ref<void(const Ix &lanes, const Ix &tile)> body) {
  KernelBuilder &kernel = emitter.kernel;
  unsigned width = emitter.indices.width;
  ElementEmitter::Scope scope(emitter);
  if (laneCount) {
    emitter.mask = kernel.mask(laneCount, width);
    emitter.laneCount = laneCount;
  }
  if (tileCount)
    emitter.tileMask = kernel.mask(tileCount, width);
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
  emitter.laneCount = emitter.tileMask = Value();
}

void forEachTile(ElementEmitter &emitter, const DimExpr &laneSize,
                 const DimExpr &tileSize, Value tileLow, Value tileHigh,
                 function_ref<void(const Ix &, const Ix &)> body, bool overlap,
                 const DimExpr &laneBegin, std::pair<Value, Value> laneRange) {
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
    Ix lanes = emitter.indices.lanes(laneStart, laneEnd, divisor, laneBegin),
       tile = emitter.indices.tile(tileStart, tileSize);
    if (even)
      return emitTile(emitter, lanes, tile, {}, {}, body);
    if (overlap)
      return emitTile(emitter, lanes, tile,
                      cutLanes ? kernel.size(laneSize) : Value(), {}, body);
    // Squares that all have the same few lanes or rows are whole but for these.
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
  // Where the rows that are written are the longer ones, long pieces of a few
  // of them at a time: squares that write parts of cache lines would lose them
  // before their other parts come if rows lie a power of two apart. Else the
  // same holds for what is read, along the other dimension.
  constexpr int64_t longPiece = 256, lineBytes = 64;
  auto [lanesBegin, lanesEnd] = laneRange;
  if (!lanesEnd) {
    lanesBegin = kernel.size(laneBegin);
    lanesEnd = kernel.size(laneEnd);
  }
  bool longRows = tileSize.provablyAtMost(laneSize) &&
                  width * widestBytes(kernel.fusion) < lineBytes;
  Value piece = longRows ? kernel.index(longPiece) : step;
  kernel.loop(
      lanesBegin, lanesEnd, piece, [&, last = lanesEnd](Value pieceStart) {
        Value pieceEnd = kernel.min(kernel.add(pieceStart, piece), last);
        kernel.loop(tileLow, tileHigh, step, [&](Value tileStart) {
          if (!longRows)
            return tileAt(pieceStart, tileStart);
          kernel.loop(pieceStart, pieceEnd, step,
                      [&](Value lanes) { tileAt(lanes, tileStart); });
        });
      });
}

/// True for what is the same all along a loop that is much longer than a
/// vector: sums of rows, and what is repeated along them.
static bool isRare(const IterationSpace &space,
                   const IterationSpace::Access &access) {
  constexpr int64_t longRow = 32;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    if (!access.opaque[loop] && access.factors[loop].isConstant(0) &&
        space.size(loop).constant().value_or(longRow) >= longRow)
      return true;
  return false;
}

std::optional<unsigned> chooseLaneLoop(const IterationSpace &space,
                                       ArrayRef<unsigned> candidates) {
  std::optional<unsigned> best;
  double bestScore = 0;
  for (unsigned loop : candidates) {
    double score = 0;
    for (const IterationSpace::Access &access : space.accesses()) {
      bool small = access.small || isRare(space, access);
      double weight = small ? 0.1 : access.written ? 1.5 : 1;
      if (access.opaque[loop])
        score -= weight;
      else if (access.factors[loop].isConstant(1))
        score += weight;
      else if (!access.factors[loop].isConstant(0))
        score -= weight;
    }
    // A loop shorter than a vector wastes lanes.
    if (auto size = space.size(loop).constant(); size && *size < 8)
      score -= 8.5 - double(*size);
    if (!best || score >= bestScore) {
      best = loop;
      bestScore = score;
    }
  }
  return best;
}

FailureOr<Launch> unlessFailed(const ElementEmitter &emitter, Launch launch) {
  if (!emitter.failed())
    return launch;
  launch.kernel.erase();
  return failure();
}

} // namespace zenith::kernels
