// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locates keys and values in memory, packs what many queries read, and sizes
// the blocks: the scores of a block stay in the second-level cache with the
// keys and values they are computed with.

#include "lowering/schedule/AttentionSchedule.h"
#include "ir/encodings/KVSegments.h"
#include "ir/encodings/PackedPanels.h"
#include "lowering/builder/Guards.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/SmallM.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Eight tiles of six rows: enough to share what is read of keys and values.
static constexpr int64_t rowsOfBlock = 48;
/// The scores of a block fill a part of the second-level cache; a power of two,
/// which panels divide.
static int64_t keysOfBlock(const TargetModel &target) {
  auto fitting = uint64_t(target.l2Share(3.0 / 16)) /
                 uint64_t(sizeof(float) * rowsOfBlock);
  return int64_t(llvm::bit_floor(std::max<uint64_t>(fitting, target.nr)));
}

graph::AttentionOp attentionAnchor(graph::FusionOp fusion) {
  auto found = fusion.getBody().front().getOps<graph::AttentionOp>();
  return found.empty() ? graph::AttentionOp() : *found.begin();
}

static unsigned sumBytes(const AttentionSchedule &space) {
  return space.matmul.sum.getIntOrFloatBitWidth() / 8;
}

/// Rows at one stride with contiguous features; a copy where the value is not
/// stored so.
static AttentionRows locateRows(AttentionSchedule &space, Value value,
                                graph::DimAnalysis &dims) {
  auto isRows = [](const LocatedOperand &located) {
    unsigned rank = located.dims.size();
    const StridedDim &positions = located.dims[rank - 2],
                     &features = located.dims[rank - 1];
    return positions.size() == 1 && features.size() == 1 &&
           (features[0].stride.isConstant(1) || features[0].size.isConstant(1));
  };
  LocatedOperand located = locateOperand(space.matmul, value, dims);
  for (StridedDim &dim : located.dims)
    coalesce(dim);
  if (located.panel || !isRows(located))
    located = materialise(space.matmul, value, dims);
  AttentionRows rows;
  rows.source = located.source;
  rows.batch.assign(located.dims.begin(), located.dims.end() - 2);
  rows.stride = located.dims[located.dims.size() - 2][0].stride;
  rows.features = *dims.dimsOf(value).back().constant();
  return rows;
}

/// Plans a copy in panels of NR columns, `kAxis` rows each. Batch entries that
/// share rows share their panels.
static void packRows(AttentionSchedule &space, AttentionRows &rows,
                     const Axis &columns, const Axis &kAxis,
                     unsigned kInterleave = 1) {
  Preparation pack;
  pack.kind = Preparation::PackPanels;
  pack.scratch = space.matmul.preparations.size();
  pack.from = rows.source;
  pack.columns = columns;
  pack.kAxes.push_back(kAxis);
  pack.kInterleave = kInterleave;
  AttentionRows::Panels panels;
  panels.scratch = pack.scratch;
  panels.batch = rows.batch;
  DimExpr panel = int64_t(space.nr);
  DimExpr stride = kAxis.size * panel * DimExpr::ceilDiv(columns.size, panel);
  for (StridedDim &dim : llvm::reverse(panels.batch))
    for (Stride &digit : llvm::reverse(dim)) {
      if (digit.stride.isConstant(0))
        continue;
      pack.outer.insert(pack.outer.begin(),
                        Axis{digit.size, DimExpr(0), digit.stride});
      digit.stride = stride;
      stride = stride * digit.size;
    }
  pack.bytes = stride * DimExpr(int64_t(sumBytes(space) / kInterleave));
  rows.panels = std::move(panels);
  space.matmul.preparations.push_back(std::move(pack));
}

/// The matmul of weights and values, as far as the epilogue and the
/// preparations need it.
static void describeMatmul(AttentionSchedule &space, graph::DimAnalysis &dims) {
  ContractionSpace &matmul = space.matmul;
  const graph::DimVector sizes = dims.dimsOf(space.op.getResult());
  unsigned rank = sizes.size();
  matmul.op = space.op;
  // Panels have the type of the accumulators.
  matmul.a.element = matmul.b.element = matmul.sum;
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    matmul.outer.push_back({{sizes[dim], DimExpr(0), DimExpr(0)}, int(dim)});
  matmul.rowAxis = {sizes[rank - 2], DimExpr(1), DimExpr(0)};
  matmul.columns = {sizes[rank - 1], DimExpr(0), DimExpr(1)};
  matmul.kAxis = {space.keyCount, DimExpr(1), DimExpr(1)};
  matmul.rowDims = {rank - 2};
  matmul.columnDims = {rank - 1};
  matmul.form = ContractionSpace::Panels;
  matmul.panel = space.nr;
}

/// MR such that tiles are of equal height, at most `highest`, and none is
/// mostly empty.
static int64_t tileHeight(int64_t rows, int64_t highest) {
  int64_t tiles = std::max<int64_t>(1, (rows + highest - 1) / highest);
  return std::clamp<int64_t>((rows + tiles - 1) / tiles, 1, highest);
}

/// Blocks of equal height, where the rows do not fill the last one otherwise.
static void chooseBlocks(AttentionSchedule &space, int64_t mostKeys,
                         const TargetModel &target) {
  int64_t height = space.mr;
  space.blockRows = height * std::max<int64_t>(1, rowsOfBlock / height);
  space.blockKeys = keysOfBlock(target);
  if (auto count = space.queryCount.constant())
    space.blockRows = std::clamp((*count + height - 1) / height * height,
                                 height, space.blockRows);
  if (int64_t keys = space.keyCount.constant().value_or(mostKeys)) {
    int64_t columns = space.nr;
    space.blockKeys = std::clamp((keys + columns - 1) / columns * columns,
                                 columns, space.blockKeys);
  }
}

/// Divides the queries among tasks, by blocks that a schedule gives or those
/// that were chosen.
static void divideQueries(AttentionSchedule &space,
                          const AttentionVariant &variant) {
  if (variant.blockRows)
    space.blockRows = variant.blockRows;
  if (variant.blockKeys)
    space.blockKeys = variant.blockKeys;
  int64_t height = space.mr;
  DimExpr blocks = DimExpr::ceilDiv(space.queryCount, DimExpr(space.blockRows));
  space.rowBlocks = blocks;
  space.rowsPerTask =
      DimExpr::ceilDiv(space.queryCount,
                       DimExpr::max(blocks, DimExpr(1)) * DimExpr(height)) *
      DimExpr(height);
}

/// The target with the register tile for these sizes. Keys and features are
/// padded to whole panels: where few of them leave most of a wide one empty,
/// narrower and taller tiles take fewer instructions. The softmax weight of a
/// key takes about ten.
static TargetModel targetFor(int64_t queries, int64_t headSize, int64_t keys,
                             int64_t features, const TargetModel &target) {
  constexpr double clearly = 0.9, perWeight = 10;
  auto instructions = [&](const TargetModel &own) {
    auto vectors = [&](int64_t count) {
      return double(llvm::alignTo(uint64_t(count), own.nr) / own.lanes);
    };
    int64_t height = tileHeight(queries, own.mr);
    double rows = double(llvm::alignTo(uint64_t(queries), uint64_t(height)));
    return rows * (vectors(keys) * double(headSize) +
                   double(keys) * vectors(features)) +
           double(queries) * vectors(keys) * perWeight;
  };
  TargetModel best = target;
  for (TargetModel own = halved(target); own.nr >= own.lanes; own = halved(own))
    if (instructions(own) < clearly * instructions(best))
      best = own;
  best.mr = unsigned(tileHeight(queries, best.mr));
  return best;
}

/// A variant with panels of one vector, for keys that leave half of a wide
/// panel empty. As many rows as hide the latency of multiply-adds, of which few
/// stay empty.
static std::optional<AttentionVariant>
fewKeysVariant(const DimExpr &keys, const TargetModel &target) {
  constexpr unsigned fewestVectors = 4;
  if (target.nr < fewestVectors * target.lanes)
    return std::nullopt;
  AttentionVariant few{target, target.nr / 2, isAtMost(keys, target.nr / 2)};
  few.target.nr = target.lanes;
  few.target.mr = unsigned(target.fmasInFlight());
  return few;
}

static SmallVector<AttentionVariant, 2>
chosenVariants(graph::FusionOp fusion, graph::DimAnalysis &dims,
               const TargetModel &target) {
  AttentionVariant any{target, 0, 1};
  graph::AttentionOp op = attentionAnchor(fusion);
  if (!op || !target.tileVariants)
    return {any};
  unsigned rank = cast<RankedTensorType>(op.getType()).getRank();
  DimExpr queryCount = dims.dimOf(op.getQuery(), rank - 2),
          keyCount = dims.dimOf(op.getKey(), rank - 2);
  auto queries = queryCount.constant(), keys = keyCount.constant(),
       headSize = dims.dimOf(op.getQuery(), rank - 1).constant(),
       features = dims.dimOf(op.getValue(), rank - 1).constant();
  if (queries && keys && headSize && features) {
    any.target = targetFor(*queries, *headSize, *keys, *features, target);
    return {any};
  }
  bool tiles = !queries || *queries > target::TargetModel::mostQueriesInPlace;
  auto few = tiles ? fewKeysVariant(keyCount, target) : std::nullopt;
  if (!few || few->guard.isConstant(0))
    return {any};
  if (few->guard.isConstant(1))
    return {*few};
  any.guard = DimExpr(1) - few->guard;
  return {*few, any};
}

/// The tile that a schedule gives.
static void setTile(AttentionVariant &variant, graph::FusionOp fusion,
                    sched::AttentionAttr given) {
  TargetModel &target = variant.target;
  Type element = getElementTypeOrSelf(attentionAnchor(fusion).getType());
  unsigned ofSum = sumLanes(sumType(element, element), target),
           scale = std::max(1u, target.lanes / ofSum);
  int64_t columns = int64_t(target.nr / target.lanes) * ofSum;
  unsigned lanes = given.getLanes() ? unsigned(given.getLanes()) : ofSum;
  if (DenseI64ArrayAttr tile = given.getTile()) {
    target.mr = unsigned(tile[0]);
    columns = tile[1];
  }
  target.lanes = lanes * scale;
  target.nr = unsigned(columns / lanes) * target.lanes;
  variant.blockRows = given.getRows();
  variant.blockKeys = given.getKeys();
  variant.operands = given.getOperands();
  variant.mostInPlace = given.getInPlace();
}

/// The keys of a choice's first variant: its guard compares their number.
static int64_t mostKeysOf(sched::ChoiceAttr choice) {
  auto guard = Guard::parse(cast<StringAttr>(choice.getGuards()[0]).getValue());
  return guard ? guard->upper.constant().value_or(0) : 0;
}

/// The variants that a schedule gives. A single one serves all sizes.
static SmallVector<AttentionVariant, 2> givenVariants(graph::FusionOp fusion,
                                                      graph::DimAnalysis &dims,
                                                      const TargetModel &target,
                                                      Attribute schedule) {
  auto choice = dyn_cast<sched::ChoiceAttr>(schedule);
  if (!choice) {
    auto given = cast<sched::AttentionAttr>(schedule);
    AttentionVariant only{target, 0, 1};
    if (!given.getTile())
      only = chosenVariants(fusion, dims, target).back();
    only.guard = 1;
    setTile(only, fusion, given);
    return {only};
  }
  graph::AttentionOp op = attentionAnchor(fusion);
  unsigned rank = cast<RankedTensorType>(op.getType()).getRank();
  int64_t mostKeys = mostKeysOf(choice);
  DimExpr isFew = isAtMost(dims.dimOf(op.getKey(), rank - 2), mostKeys);
  AttentionVariant few{target, mostKeys, isFew},
      any{target, 0, DimExpr(1) - isFew};
  setTile(few, fusion, cast<sched::AttentionAttr>(choice.getVariants()[0]));
  setTile(any, fusion, cast<sched::AttentionAttr>(choice.getVariants()[1]));
  return {few, any};
}

SmallVector<AttentionVariant, 2> attentionVariants(graph::FusionOp fusion,
                                                   graph::DimAnalysis &dims,
                                                   const TargetModel &target) {
  Attribute schedule = fusion.getScheduleAttr();
  auto choice = dyn_cast_or_null<sched::ChoiceAttr>(schedule);
  // Another number of variants is none that was chosen.
  bool isGiven = schedule && attentionAnchor(fusion) &&
                 (!choice || choice.getVariants().size() == 2);
  return isGiven ? givenVariants(fusion, dims, target, schedule)
                 : chosenVariants(fusion, dims, target);
}

void addScratch(SmallVector<DimExpr> &bytes, const AttentionSchedule &space) {
  const auto &preparations = space.matmul.preparations;
  bytes.resize(std::max(bytes.size(), preparations.size()));
  for (auto [all, preparation] : llvm::zip(bytes, preparations))
    all = DimExpr::max(all, preparation.bytes);
}

/// Contiguous rows stay in the cache where they lie, unless each tile takes
/// only some cache lines of them. Other rows are copied, where enough tiles
/// read the copy.
static bool copiesValues(const AttentionSchedule &space,
                         const AttentionVariant &variant) {
  constexpr int64_t fewTiles = 2;
  if (variant.operands.b.form != sched::Operand::Open)
    return variant.operands.b.form == sched::Operand::Copied;
  const AttentionRows &values = space.segments[0].values;
  auto queries = space.queryCount.constant();
  bool isFew = queries && *queries <= fewTiles * int64_t(space.mr);
  return !isFew && !variant.mostKeys &&
         (values.stride != DimExpr(values.features) ||
          values.features > int64_t(space.nr));
}

/// Segments are read where they lie: there is no copy of all of them.
static void chooseInPlace(AttentionSchedule &space,
                          const AttentionVariant &variant) {
  constexpr int64_t most = target::TargetModel::mostQueriesInPlace;
  sched::Operand::Form given = variant.operands.a.form;
  if (auto queries = space.queryCount.constant())
    space.isInPlace =
        space.segments.size() > 1 ||
        (given == sched::Operand::Open ? *queries <= most
                                       : given == sched::Operand::Rows);
  else
    space.mostInPlace = variant.mostInPlace ? variant.mostInPlace : most;
}

/// Queries and keys that were bf16 before anything widened them, an even number
/// of features, and scores whose order scaling keeps.
static bool multipliesPairs(const AttentionSchedule &space,
                            const TargetModel &target) {
  graph::AttentionOp op = space.op;
  Value query = graph::beforeWidening(op.getQuery());
  return target.bf16Pairs && target.wideLoads && space.matmul.sum.isF32() &&
         getElementTypeOrSelf(query.getType()).isBF16() &&
         space.segments[0].keys.source.element.isBF16() &&
         space.headSize % int64_t(InterleavedK::Pairs) == 0 &&
         op.getScale().convertToDouble() > 0;
}

FailureOr<AttentionSchedule>
attentionSchedule(graph::FusionOp fusion, graph::DimAnalysis &dims,
                  const AttentionVariant &variant) {
  const TargetModel &target = variant.target;
  AttentionSchedule space;
  space.op = attentionAnchor(fusion);
  if (!space.op)
    return fusion.emitError("unsupported: an attention fusion needs one "
                            "graph.attention");
  unsigned rank = cast<RankedTensorType>(space.op.getType()).getRank();
  space.queryCount = dims.dimOf(space.op.getQuery(), rank - 2);
  space.keyCount = dims.dimOf(space.op.getKey(), rank - 2);
  auto headSize = dims.dimOf(space.op.getQuery(), rank - 1).constant();
  Type element = getElementTypeOrSelf(space.op.getType());
  space.matmul.sum = sumType(element, element);
  if (!headSize || !dims.dimOf(space.op.getValue(), rank - 1).constant())
    return space.op.emitError("unsupported: a dynamic number of features");
  space.headSize = *headSize;
  space.nr = nrOf(space.matmul.sum, target);
  space.mr = target.mr;
  describeMatmul(space, dims);
  chooseBlocks(space, variant.mostKeys, target);
  for (const graph::KVSegment &segment : graph::kvSegments(
           space.op, dims, target::TargetModel::mostQueriesInPlace))
    space.segments.push_back({locateRows(space, segment.key, dims),
                              locateRows(space, segment.value, dims),
                              segment.count});
  divideQueries(space, variant);
  chooseInPlace(space, variant);
  if (space.isInPlace == true)
    return space;
  AttentionRows &keys = space.segments[0].keys,
                &values = space.segments[0].values;
  space.multipliesPairs = multipliesPairs(space, target);
  packRows(space, keys, {space.keyCount, DimExpr(0), keys.stride},
           {DimExpr(space.headSize), DimExpr(0), DimExpr(1)},
           space.multipliesPairs ? InterleavedK::Pairs : 1);
  if (copiesValues(space, variant))
    packRows(space, values, {DimExpr(values.features), DimExpr(0), DimExpr(1)},
             {space.keyCount, DimExpr(0), values.stride});
  return space;
}

FailureOr<std::vector<ScheduledAttention>>
scheduledAttention(graph::FusionOp fusion, graph::DimAnalysis &dims,
                   const TargetModel &target) {
  std::vector<ScheduledAttention> scheduled;
  for (const AttentionVariant &variant :
       attentionVariants(fusion, dims, target)) {
    auto loops = attentionSchedule(fusion, dims, variant);
    if (failed(loops))
      return failure();
    auto form = EpilogueForm::make(fusion, dims, loops->matmul, variant.target);
    if (failed(form))
      return failure();
    scheduled.push_back({variant, std::move(*loops), std::move(*form)});
  }
  return scheduled;
}

} // namespace zenith::kernels
