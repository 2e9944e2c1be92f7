// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in one kernel: per block of queries the scores of a block of keys,
// their softmax in place (online softmax, as in FlashAttention), and the matmul
// with the values; then the next block of keys.

#include "ir/encodings/KVSegments.h"
#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/gemm/GemmEpilogue.h"
#include "lowering/kernels/AttentionSoftmax.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/microkernels/Int8Dot.h"
#include "lowering/microkernels/MicroKernelCalls.h"
#include "lowering/packing/PackPanels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

class AttentionNest {
public:
  AttentionNest(KernelBuilder &kernel, const AttentionSchedule &space,
                const EpilogueForm &form)
      : k(kernel), space(space), op(space.op), emitter(kernel),
        epilogue(kernel, space.matmul, form), softmax(kernel, emitter, space),
        lanes(sumLanes(space.matmul.sum, kernel.target)),
        queryStride(llvm::alignTo(space.headSize, space.nr)),
        width(llvm::alignTo(space.segments[0].values.features, space.nr)) {
    emitter.indices.width = space.nr;
  }
  FailureOr<Launch> emit();

private:
  void allocate();
  void task(Value number);
  void copyQueries();
  void storeQuery(LaneValue x, Value at);
  void blocks(bool few);
  void blocksOfSegment(const AttentionSchedule::Segment &segment, Value last,
                       bool few);
  void scoreTiles(Value count);
  void byVectors(unsigned vectors, Value left,
                 function_ref<void(unsigned vectors)> run);
  void scoreRows(Value count);
  void sumTiles(Value count);
  void sumRows(Value count);
  void weighRows(Value count);
  void finish();
  Value offsetOf(ArrayRef<StridedDim> digits);
  Value keyInSegment() { return k.sub(block.firstKey, firstOfSegment); }
  /// Tiles multiply queries of this type, and keys in panels of it.
  Type scoredType() const {
    return space.multipliesPairs ? Type(k.b.getBF16Type()) : space.matmul.sum;
  }
  MicroKernel microKernel(unsigned mr, unsigned vectors, Type b) const;
  MicroKernel scoreKernel() const;
  void forTiles(function_ref<void(Value firstRow)> body) {
    k.loop(k.index(0), rows, k.index(space.mr), body);
  }
  void forRows(function_ref<void(Value row)> body) {
    k.loop(k.index(0), rows, k.index(1), body);
  }

  KernelBuilder &k;
  const AttentionSchedule &space;
  graph::AttentionOp op;
  ElementEmitter emitter;
  GemmEpilogue epilogue;
  AttentionSoftmax softmax;
  unsigned lanes;
  int64_t queryStride, width; ///< elements of a row of queries, and of sums
  Value queries, sums;
  Value pairs; ///< queries as tiles of pairs multiply them
  ScoreBlock block;
  const AttentionSchedule::Segment *segment = nullptr; ///< of the current block
  Value firstOfSegment;
  Value rows; ///< of the task
};

} // namespace

void AttentionNest::allocate() {
  Type sum = space.matmul.sum;
  auto memory = [&](int64_t count, Type element) -> Value {
    return k.b.create<memref::AllocaOp>(
        k.loc, MemRefType::get({count}, memoryType(element)),
        k.b.getI64IntegerAttr(k.target.lineBytes));
  };
  softmax.allocate();
  int64_t count = space.blockRows * queryStride;
  if (!space.multipliesPairs || space.isInPlace != false)
    queries = memory(count, sum);
  if (space.multipliesPairs)
    pairs = memory(count, scoredType());
  sums = memory(space.blockRows * width, sum);
  // Tiles are whole: elements of rows after the last one are never used.
  auto type = VectorType::get({int64_t(space.nr)}, sum);
  k.loop(k.index(0), k.index(count), k.index(space.nr),
         [&](Value at) { storeQuery({&k, k.constant(type, 0.0)}, at); });
}

FailureOr<Launch> AttentionNest::emit() {
  allocate();
  k.loop(k.begin(), k.end(), k.index(1), [&](Value number) { task(number); });
  if (epilogue.failed() || emitter.failed())
    return failure();
  double pairs = double(space.blockRows) * estimate(space.keyCount);
  return k.finish(
      space.matmul.outerCount() * space.rowBlocks,
      pairs * (2 * (space.headSize + space.segments[0].values.features) + 20));
}

/// Offset of the task's batch entry in an operand with these strides.
Value AttentionNest::offsetOf(ArrayRef<StridedDim> digits) {
  Value sum = k.index(0);
  for (auto [dim, value] : llvm::zip(digits, block.batch)) {
    Value rest = value;
    for (unsigned i = dim.size(); i-- > 0;) {
      Value size = k.size(dim[i].size);
      Value digit = i ? k.rem(rest, size) : rest;
      rest = i ? k.div(rest, size) : rest;
      sum = k.add(sum, k.mul(digit, k.size(dim[i].stride)));
    }
  }
  return sum;
}

void AttentionNest::task(Value number) {
  Value count = k.size(space.rowBlocks);
  Value flat = k.div(number, count);
  const auto &outer = space.matmul.outer;
  block.batch.assign(outer.size(), Value());
  for (unsigned i = outer.size(); i-- > 0;) {
    Value size = k.size(outer[i].axis.size);
    block.batch[i] = i ? k.rem(flat, size) : flat;
    flat = i ? k.div(flat, size) : flat;
  }
  Value perTask = k.size(space.rowsPerTask);
  block.firstRow = k.mul(k.rem(number, count), perTask);
  rows = k.max(k.min(perTask, k.sub(k.size(space.queryCount), block.firstRow)),
               k.index(0));
  copyQueries();
  softmax.begin(rows);
  auto type = VectorType::get({int64_t(space.nr)}, space.matmul.sum);
  Value height = k.index(space.mr);
  Value whole = k.mul(k.div(k.add(rows, k.sub(height, k.index(1))), height),
                      k.index(space.mr * width));
  k.loop(k.index(0), whole, k.index(space.nr), [&](Value at) {
    k.b.create<vector::StoreOp>(k.loc, k.constant(type, 0.0), sums, at);
  });
  if (auto known = space.isInPlace) {
    blocks(*known);
  } else {
    Value few = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sle,
                                          k.size(space.queryCount),
                                          k.index(space.mostInPlace));
    auto branch = k.b.create<scf::IfOp>(k.loc, few, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    blocks(true);
    k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
    blocks(false);
  }
  finish();
}

void AttentionNest::storeQuery(LaneValue x, Value at) {
  if (queries)
    k.b.create<vector::StoreOp>(k.loc, x.v, queries, at);
  if (pairs)
    k.b.create<vector::StoreOp>(k.loc, toMemory(k, scoredType(), x.v), pairs,
                                at);
}

/// Copies the queries of the task, contiguous: times the scale in the type of
/// the accumulators, or as they are.
void AttentionNest::copyQueries() {
  double scale = op.getScale().convertToDouble();
  forRows([&](Value row) {
    k.laneLoop(
        k.index(0), k.index(space.headSize), space.nr,
        [&](Value start, Value mask) {
          ElementEmitter::Scope scope(emitter);
          emitter.active.mask = mask;
          IndexMath &math = emitter.indices;
          SmallVector<LaneIndex> index;
          for (auto [value, axis] : llvm::zip(block.batch, space.matmul.outer))
            index.push_back(math.scalar(value, axis.axis.size));
          index.push_back(
              math.scalar(k.add(block.firstRow, row), space.queryCount));
          index.push_back(math.lanes(start, DimExpr(space.headSize), space.nr));
          Value x = emitter.emit(op.getQuery(), index);
          if (!x)
            return;
          LaneValue query{&k, k.broadcast(x, space.nr)};
          storeQuery(space.multipliesPairs ? query : query * scale,
                     k.add(k.mul(row, k.index(queryStride)), start));
        });
  });
}

MicroKernel AttentionNest::microKernel(unsigned mr, unsigned vectors,
                                       Type b) const {
  MicroKernel kernel;
  kernel.mr = mr;
  kernel.vectors = vectors;
  kernel.lanes = lanes;
  kernel.sets = accumulatorSets(kernel.tileVectors());
  kernel.fma = k.target.fma;
  kernel.a = kernel.sum = space.matmul.sum;
  kernel.b = b;
  return kernel;
}

MicroKernel AttentionNest::scoreKernel() const {
  MicroKernel kernel = microKernel(space.mr, space.nr / lanes, scoredType());
  kernel.a = scoredType();
  if (space.multipliesPairs) {
    kernel.form = InterleavedK{InterleavedK::Pairs, vnniLanes(k.target)};
    kernel.kMultiple = unsigned(space.headSize);
  }
  return kernel;
}

/// Key block after key block, up to the last key visible to any of the rows.
void AttentionNest::blocks(bool few) {
  Value last = k.size(space.keyCount);
  if (op.getCausal())
    last = k.max(k.index(0),
                 k.min(last, k.add(k.add(block.firstRow, rows),
                                   k.size(space.keyCount - space.queryCount))));
  firstOfSegment = k.index(0);
  for (const AttentionSchedule::Segment &segment : space.segments) {
    Value next = k.add(firstOfSegment, k.size(segment.keyCount));
    bool isLast = &segment == &space.segments.back();
    blocksOfSegment(segment, isLast ? last : k.min(last, next), few);
    firstOfSegment = next;
  }
}

void AttentionNest::blocksOfSegment(const AttentionSchedule::Segment &part,
                                    Value last, bool few) {
  segment = &part;
  Value step = k.index(space.blockKeys);
  k.loop(firstOfSegment, last, step, [&](Value firstKey) {
    block.firstKey = firstKey;
    Value count = k.min(step, k.sub(last, firstKey));
    block.keys = count;
    few ? scoreRows(count) : scoreTiles(count);
    weighRows(count);
    few ? sumRows(count) : sumTiles(count);
  });
}

void AttentionNest::scoreTiles(Value count) {
  const AttentionRows &keys = segment->keys;
  Value memory = k.scratch(keys.panels->scratch, memoryType(scoredType())),
        base = k.add(offsetOf(keys.panels->batch),
                     k.mul(block.firstKey, k.index(space.headSize)));
  MicroKernel kernel = scoreKernel();
  k.loop(k.index(0), count, k.index(space.nr), [&](Value column) {
    byVectors(kernel.vectors, k.sub(count, column), [&](unsigned vectors) {
      kernel.vectors = vectors;
      forTiles([&](Value row) {
        MicroKernelArgs args;
        args.a = space.multipliesPairs ? pairs : queries, args.b = memory;
        args.c = softmax.scores();
        args.aOffset = k.mul(row, k.index(queryStride));
        args.rowStride = k.index(queryStride);
        args.kStrideA = k.index(1);
        args.bOffset = k.add(base, k.mul(column, k.index(space.headSize)));
        args.kStrideB = k.index(space.nr);
        args.kSize = k.index(space.headSize);
        args.cOffset = k.add(k.mul(row, k.index(space.blockKeys)), column);
        args.rowStrideC = k.index(space.blockKeys);
        callMicroKernel(k, kernel, args);
      });
    });
  });
}

/// Vectors that hold the keys of a panel, of which `left` or fewer exist: half
/// as many as long as they do.
void AttentionNest::byVectors(unsigned vectors, Value left,
                              function_ref<void(unsigned vectors)> run) {
  auto keys = segment->keyCount.constant();
  bool areWhole = keys && *keys % space.nr == 0 && !op.getCausal();
  if (vectors == 1 || areWhole) {
    run(vectors);
    return;
  }
  Value fillsMore = k.b.create<arith::CmpIOp>(
      k.loc, arith::CmpIPredicate::sgt, left, k.index(vectors / 2 * lanes));
  auto branch =
      k.b.create<scf::IfOp>(k.loc, fillsMore, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  run(vectors);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  byVectors(vectors / 2, left, run);
}

void AttentionNest::scoreRows(Value count) {
  const AttentionRows &keys = segment->keys;
  MicroKernelArgs args;
  args.a = queries, args.b = memoryOf(k, keys.source),
  args.c = softmax.scores();
  args.aOffset = k.index(0);
  args.rowStride = k.index(queryStride);
  args.bOffset = k.add(k.add(k.size(keys.source.offset), offsetOf(keys.batch)),
                       k.mul(keyInSegment(), k.size(keys.stride)));
  args.kSize = k.index(space.headSize);
  args.cOffset = k.index(0);
  args.rowStrideC = k.index(space.blockKeys);
  args.columns = count;
  MicroKernel kernel = microKernel(1, 1, keys.source.element);
  kernel.sets = dotSets(segment->keyCount.constant());
  callDotKernel(k, kernel, args, rows, k.size(keys.stride));
}

void AttentionNest::weighRows(Value count) {
  Value later = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sgt,
                                          block.firstKey, k.index(0));
  auto type = VectorType::get({int64_t(space.nr)}, space.matmul.sum);
  forRows([&](Value row) {
    Value factor = softmax.weigh(row, block);
    k.ifThen(later, [&] {
      LaneValue factors{&k, k.broadcast(factor, space.nr)};
      Value first = k.mul(row, k.index(width));
      k.loop(first, k.add(first, k.index(width)), k.index(space.nr),
             [&](Value at) {
               LaneValue x{&k,
                           k.b.create<vector::LoadOp>(k.loc, type, sums, at)};
               k.b.create<vector::StoreOp>(k.loc, (x * factors).v, sums, at);
             });
    });
  });
}

void AttentionNest::sumTiles(Value count) {
  const AttentionRows &values = segment->values;
  bool packed = values.panels.has_value();
  int64_t features = values.features, columns = space.nr;
  Value memory = packed ? k.scratch(values.panels->scratch, space.matmul.sum)
                        : memoryOf(k, values.source);
  Value base =
      packed
          ? k.add(offsetOf(values.panels->batch),
                  k.mul(block.firstKey, k.index(columns)))
          : k.add(k.add(k.size(values.source.offset), offsetOf(values.batch)),
                  k.mul(block.firstKey, k.size(values.stride)));
  MicroKernel kernel =
      microKernel(space.mr, space.nr / lanes,
                  packed ? space.matmul.sum : values.source.element);
  kernel.accumulates = true;
  auto panel = [&](Value column, bool full) {
    if (!full && !packed)
      kernel.form = OuterProduct{OuterProduct::Masked(), {}};
    forTiles([&](Value row) {
      MicroKernelArgs args;
      args.a = softmax.scores(), args.b = memory, args.c = sums;
      args.aOffset = k.mul(row, k.index(space.blockKeys));
      args.rowStride = k.index(space.blockKeys);
      args.kStrideA = k.index(1);
      args.bOffset =
          k.add(base, packed ? k.mul(column, k.size(space.keyCount)) : column);
      args.kStrideB = packed ? k.index(columns) : k.size(values.stride);
      args.kSize = count;
      args.cOffset = k.add(k.mul(row, k.index(width)), column);
      args.rowStrideC = k.index(width);
      args.columns = k.index(features % columns);
      callMicroKernel(k, kernel, args);
    });
  };
  int64_t whole = features - features % columns;
  k.loop(k.index(0), k.index(whole), k.index(columns),
         [&](Value column) { panel(column, true); });
  if (whole < features)
    panel(k.index(whole), false);
}

/// Sums all features of a value at once, as far as there are registers, so that
/// values are read once, in order.
void AttentionNest::sumRows(Value count) {
  const AttentionRows &values = segment->values;
  Value base =
      k.add(k.add(k.size(values.source.offset), offsetOf(values.batch)),
            k.mul(keyInSegment(), k.size(values.stride)));
  int64_t features = values.features, most = 8 * lanes;
  forRows([&](Value row) {
    for (int64_t column = 0; column < features; column += most) {
      int64_t part = std::min(most, features - column);
      MicroKernel kernel = microKernel(
          1, unsigned(llvm::divideCeil(part, lanes)), values.source.element);
      kernel.accumulates = true;
      if (part % lanes != 0)
        kernel.form = OuterProduct{OuterProduct::Masked(), {}};
      MicroKernelArgs args;
      args.a = softmax.scores(), args.b = memoryOf(k, values.source);
      args.c = sums;
      args.aOffset = k.mul(row, k.index(space.blockKeys));
      args.rowStride = k.index(space.blockKeys);
      args.kStrideA = k.index(1);
      args.bOffset = k.add(base, k.index(column));
      args.kStrideB = k.size(values.stride);
      args.kSize = count;
      args.cOffset = k.add(k.mul(row, k.index(width)), k.index(column));
      args.rowStrideC = k.index(width);
      args.columns = k.index(part);
      callMicroKernel(k, kernel, args);
    }
  });
}

void AttentionNest::finish() {
  int64_t columns = space.nr, features = space.segments[0].values.features;
  auto type = VectorType::get({columns}, space.matmul.sum);
  forRows([&](Value row) {
    k.loop(k.index(0), k.index(width), k.index(columns), [&](Value column) {
      Value at = k.add(k.mul(row, k.index(width)), column);
      Value x = k.b.create<vector::LoadOp>(k.loc, type, sums, at);
      k.b.create<vector::StoreOp>(k.loc, softmax.normalised(row, x), sums, at);
    });
  });
  TileCoordinates at;
  at.outer = block.batch;
  at.row = block.firstRow;
  auto panel = [&](Value column, Value count) {
    at.column = column;
    epilogue.finish(sums, column, k.index(width), at, rows, count);
  };
  int64_t whole = features - features % columns;
  k.loop(k.index(0), k.index(whole), k.index(columns),
         [&](Value column) { panel(column, {}); });
  if (whole < features)
    panel(k.index(whole), k.index(features - whole));
}

static LogicalResult emitVariant(const EmissionContext &context,
                                 const ScheduledAttention &scheduled,
                                 StringRef name, KernelPlan &plan) {
  const auto &[variant, loops, form] = scheduled;
  addScratch(plan.scratchBytes, loops);
  for (const Preparation &preparation : loops.matmul.preparations) {
    std::string ownName =
        (name + "_prepare" + Twine(preparation.scratch)).str();
    auto launch =
        emitPreparation(preparation, loops.matmul, context.fusion, context.dims,
                        variant.target, context.kernels, ownName);
    if (failed(launch))
      return failure();
    launch->guard = variant.guard;
    // Few queries read keys and values where they lie.
    if (preparation.kind == Preparation::PackPanels && !loops.isInPlace)
      launch->guard =
          launch->guard *
          (DimExpr(1) - isAtMost(loops.queryCount, loops.mostInPlace));
    plan.launches.push_back(*launch);
  }
  KernelBuilder kernel(context.fusion, context.dims, variant.target,
                       context.kernels, name);
  auto launch = AttentionNest(kernel, loops, form).emit();
  if (failed(launch))
    return failure();
  launch->guard = variant.guard;
  plan.launches.push_back(*launch);
  return success();
}

FailureOr<KernelPlan> emitAttention(const EmissionContext &context,
                                    ArrayRef<ScheduledAttention> variants) {
  KernelPlan plan;
  for (const ScheduledAttention &scheduled : variants) {
    StringRef kind = scheduled.variant.mostKeys ? "_few_keys" : "";
    if (failed(
            emitVariant(context, scheduled, (context.name + kind).str(), plan)))
      return failure();
  }
  return plan;
}

} // namespace zenith::kernels
