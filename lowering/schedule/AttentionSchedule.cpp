// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds keys and values in memory, packs what many queries read, and sizes the
// blocks: scores of a block stay in the second-level cache with the keys and
// values that they meet.

#include "lowering/schedule/AttentionSchedule.h"
#include "ir/encodings/KVSegments.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/SmallM.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

static constexpr int64_t keysOfBlock = 512;
static constexpr int64_t rowsOfBlock = 48;

std::optional<bool> AttentionSchedule::hasFewQueries() const {
  auto count = queryCount.constant();
  return count
             ? std::optional(*count <= target::TargetModel::mostQueriesInPlace)
             : std::nullopt;
}

graph::AttentionOp attentionAnchor(graph::FusionOp fusion) {
  auto found = fusion.getBody().front().getOps<graph::AttentionOp>();
  return found.empty() ? graph::AttentionOp() : *found.begin();
}

static unsigned sumBytes(const AttentionSchedule &space) {
  return space.product.sum.getIntOrFloatBitWidth() / 8;
}

/// Positions one stride apart, features side by side; a copy where they aren't.
static AttentionRows placeRows(AttentionSchedule &space, Value value,
                               graph::DimAnalysis &dims) {
  auto isRows = [](const PlacedOperand &placed) {
    unsigned rank = placed.dims.size();
    const StridedDim &positions = placed.dims[rank - 2],
                     &features = placed.dims[rank - 1];
    return positions.size() == 1 && features.size() == 1 &&
           (features[0].stride.isConstant(1) || features[0].size.isConstant(1));
  };
  PlacedOperand placed = placeOperand(space.product, value, dims);
  for (StridedDim &dim : placed.dims)
    coalesce(dim);
  if (placed.panel || !isRows(placed))
    placed = materialise(space.product, value, dims);
  AttentionRows rows;
  rows.source = placed.source;
  rows.batch.assign(placed.dims.begin(), placed.dims.end() - 2);
  rows.stride = placed.dims[placed.dims.size() - 2][0].stride;
  rows.features = *dims.dimsOf(value).back().constant();
  return rows;
}

/// Panels of `columns`, each `depth` long; entries that share rows share their
/// panels.
static void packRows(AttentionSchedule &space, AttentionRows &rows,
                     const Axis &columns, const Axis &depth) {
  Preparation pack;
  pack.kind = Preparation::PackPanels;
  pack.scratch = space.product.preparations.size();
  pack.from = rows.source;
  pack.columns = columns;
  pack.depth.push_back(depth);
  AttentionRows::Panels panels;
  panels.scratch = pack.scratch;
  panels.batch = rows.batch;
  DimExpr panel = int64_t(space.columns);
  DimExpr stride = depth.size * panel * DimExpr::ceilDiv(columns.size, panel);
  for (StridedDim &dim : llvm::reverse(panels.batch))
    for (Stride &digit : llvm::reverse(dim)) {
      if (digit.stride.isConstant(0))
        continue;
      pack.outer.insert(pack.outer.begin(),
                        Axis{digit.size, DimExpr(0), digit.stride});
      digit.stride = stride;
      stride = stride * digit.size;
    }
  pack.bytes = stride * DimExpr(int64_t(sumBytes(space)));
  rows.panels = std::move(panels);
  space.product.preparations.push_back(std::move(pack));
}

/// The product of weights and values, as far as epilogue and preparations look
/// at it.
static void describeProduct(AttentionSchedule &space,
                            graph::DimAnalysis &dims) {
  ContractionSpace &product = space.product;
  const graph::DimVector sizes = dims.dimsOf(space.op.getResult());
  unsigned rank = sizes.size();
  product.op = space.op;
  // Panels hold what the sums are of.
  product.a.element = product.b.element = product.sum;
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    product.outer.push_back({{sizes[dim], DimExpr(0), DimExpr(0)}, int(dim)});
  product.tile = {sizes[rank - 2], DimExpr(1), DimExpr(0)};
  product.columns = {sizes[rank - 1], DimExpr(0), DimExpr(1)};
  product.depth = {space.keyCount, DimExpr(1), DimExpr(1)};
  product.rowDims = {rank - 2};
  product.columnDims = {rank - 1};
  product.form = ContractionSpace::Panels;
  product.panel = space.columns;
}

/// Tiles as high as each other, none of which is mostly empty.
static int64_t tileHeight(int64_t rows, int64_t highest) {
  int64_t tiles = std::max<int64_t>(1, (rows + highest - 1) / highest);
  return std::clamp<int64_t>((rows + tiles - 1) / tiles, 1, highest);
}

/// Blocks of equal height where the rows don't fill the last one.
static void chooseBlocks(AttentionSchedule &space, int64_t mostKeys) {
  int64_t height = space.heights;
  space.blockRows = height * std::max<int64_t>(1, rowsOfBlock / height);
  space.blockKeys = keysOfBlock;
  if (auto count = space.queryCount.constant())
    space.blockRows = std::clamp((*count + height - 1) / height * height,
                                 height, space.blockRows);
  if (int64_t keys = space.keyCount.constant().value_or(mostKeys)) {
    int64_t columns = space.columns;
    space.blockKeys = std::clamp((keys + columns - 1) / columns * columns,
                                 columns, space.blockKeys);
  }
  DimExpr blocks = DimExpr::ceilDiv(space.queryCount, DimExpr(space.blockRows));
  space.rowBlocks = blocks;
  space.rowsPerTask =
      DimExpr::ceilDiv(space.queryCount,
                       DimExpr::max(blocks, DimExpr(1)) * DimExpr(height)) *
      DimExpr(height);
}

/// Keys and features fill whole panels. Where few of them leave most of a wide
/// one empty, narrower and higher tiles take fewer instructions; the weight of
/// a key takes about ten.
static TargetModel targetFor(int64_t queries, int64_t depth, int64_t keys,
                             int64_t features, const TargetModel &target) {
  constexpr double clearly = 0.9, perWeight = 10;
  auto instructions = [&](const TargetModel &own) {
    auto vectors = [&](int64_t count) {
      return double(llvm::alignTo(uint64_t(count), own.nr) / own.lanes);
    };
    int64_t height = tileHeight(queries, own.mr);
    double rows = double(llvm::alignTo(uint64_t(queries), uint64_t(height)));
    return rows * (vectors(keys) * double(depth) +
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

/// Panels of one vector, for keys that leave half of a wide one empty. Eight
/// rows of it keep multiply-adds busy, and few of them stay empty.
static std::optional<AttentionVariant>
variantOfFewKeys(const DimExpr &keys, const TargetModel &target) {
  constexpr unsigned fewestVectors = 4, rows = 8;
  if (target.nr < fewestVectors * target.lanes)
    return std::nullopt;
  AttentionVariant few{target, target.nr / 2, isAtMost(keys, target.nr / 2)};
  few.target.nr = target.lanes;
  few.target.mr = rows;
  return few;
}

SmallVector<AttentionVariant, 2> attentionVariants(graph::FusionOp fusion,
                                                   graph::DimAnalysis &dims,
                                                   const TargetModel &target) {
  AttentionVariant any{target, 0, 1};
  graph::AttentionOp op = attentionAnchor(fusion);
  if (!op || target.printed)
    return {any};
  unsigned rank = cast<RankedTensorType>(op.getType()).getRank();
  DimExpr queryCount = dims.dimOf(op.getQuery(), rank - 2),
          keyCount = dims.dimOf(op.getKey(), rank - 2);
  auto queries = queryCount.constant(), keys = keyCount.constant(),
       depth = dims.dimOf(op.getQuery(), rank - 1).constant(),
       features = dims.dimOf(op.getValue(), rank - 1).constant();
  if (queries && keys && depth && features) {
    any.target = targetFor(*queries, *depth, *keys, *features, target);
    return {any};
  }
  bool tiles = !queries || *queries > target::TargetModel::mostQueriesInPlace;
  auto few = tiles ? variantOfFewKeys(keyCount, target) : std::nullopt;
  if (!few || few->taken.isConstant(0))
    return {any};
  if (few->taken.isConstant(1))
    return {*few};
  any.taken = DimExpr(1) - few->taken;
  return {*few, any};
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
  auto depth = dims.dimOf(space.op.getQuery(), rank - 1).constant();
  Type element = getElementTypeOrSelf(space.op.getType());
  space.product.sum = sumType(element, element);
  if (!depth || !dims.dimOf(space.op.getValue(), rank - 1).constant())
    return space.op.emitError("unsupported: a dynamic number of features");
  space.depth = *depth;
  space.columns = tileColumns(space.product.sum, target);
  space.heights = target.mr;
  describeProduct(space, dims);
  chooseBlocks(space, variant.mostKeys);
  for (const graph::KVSegment &piece : graph::kvSegments(
           space.op, dims, target::TargetModel::mostQueriesInPlace))
    space.pieces.push_back({placeRows(space, piece.key, dims),
                            placeRows(space, piece.value, dims), piece.count});
  if (space.hasFewQueries() == true)
    return space;
  AttentionRows &keys = space.pieces[0].keys, &values = space.pieces[0].values;
  packRows(space, keys, {space.keyCount, DimExpr(0), keys.stride},
           {DimExpr(space.depth), DimExpr(0), DimExpr(1)});
  // Rows that follow each other stay together in the cache as they are, unless
  // tile after tile takes every other line of them; others are copied for tiles
  // enough to read the copy, and rows that the first-level cache may not hold.
  constexpr int64_t fewTiles = 2;
  auto queries = space.queryCount.constant();
  if ((queries && *queries <= fewTiles * int64_t(space.heights)) ||
      variant.mostKeys)
    return space;
  if (values.stride != DimExpr(values.features) ||
      values.features > int64_t(space.columns))
    packRows(space, values, {DimExpr(values.features), DimExpr(0), DimExpr(1)},
             {space.keyCount, DimExpr(0), values.stride});
  return space;
}

} // namespace zenith::kernels
