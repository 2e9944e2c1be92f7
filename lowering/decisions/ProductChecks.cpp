// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of the schedules of products: tiles, items, lanes, operands,
// local memory, slices of K.

#include "ir/ShapeChecks.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/target/TargetModel.h"
#include "lowering/decisions/Encodings.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/ScheduleChecks.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/schedule/ContractionSpace.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith::sched;

namespace zenith::decisions {

template <typename Product> static ProductKeys sharedKeys(Product product) {
  ProductKeys keys;
  keys.tile = product.getTile();
  keys.item = product.getItem();
  keys.lanes = product.getLanes();
  keys.operands = product.getOperands();
  keys.block = product.getBlock();
  keys.kLoop = product.getKLoop();
  keys.joined = product.getJoined();
  keys.prefetch = product.getPrefetch();
  keys.heights = product.getHeights();
  keys.finish = product.getFinish();
  keys.sums = product.getSums();
  keys.stages = product.getStages();
  keys.vector = product.getVector();
  keys.kSlices = product.getKSlices();
  keys.fragment = product.getFragment();
  return keys;
}

std::optional<ProductKeys> productKeys(Attribute schedule) {
  if (auto gemm = dyn_cast<GemmAttr>(schedule)) {
    ProductKeys keys = sharedKeys(gemm);
    keys.mirror = gemm.getMirror();
    return keys;
  }
  auto conv = dyn_cast<ConvAttr>(schedule);
  if (!conv)
    return std::nullopt;
  ProductKeys keys = sharedKeys(conv);
  keys.form = conv.getForm();
  keys.keep = conv.getKeep();
  keys.fewestTasks = conv.getFewestTasks();
  keys.inputTiles = conv.getInputTiles();
  return keys;
}

Attribute productAttr(MLIRContext *context, bool isConv,
                      const ProductKeys &keys, const ScheduleKeys &common) {
  if (isConv)
    return ConvAttr::get(context, common.on, common.group, keys.form, keys.keep,
                         keys.fewestTasks, keys.inputTiles, keys.tile,
                         keys.item, keys.lanes, keys.operands, keys.block,
                         keys.kLoop, keys.joined, keys.prefetch, keys.heights,
                         keys.finish, keys.sums, keys.stages, keys.vector,
                         keys.kSlices, keys.fragment, common.tasks,
                         common.scratch, common.shares, common.store);
  return GemmAttr::get(context, common.on, common.group, keys.mirror, keys.tile,
                       keys.item, keys.lanes, keys.operands, keys.block,
                       keys.kLoop, keys.joined, keys.prefetch, keys.heights,
                       keys.finish, keys.sums, keys.stages, keys.vector,
                       keys.kSlices, keys.fragment, common.tasks,
                       common.scratch, common.shares, common.store);
}

static bool allPositive(ArrayRef<int64_t> sizes) {
  return llvm::all_of(sizes, [](int64_t size) { return size > 0; });
}

static bool descends(ArrayRef<int64_t> sizes) {
  return !sizes.empty() && sizes.back() > 0 &&
         llvm::is_sorted(sizes, std::greater_equal<int64_t>());
}

/// sched_c3
static LogicalResult checkSizes(graph::FusionOp fusion, const ProductKeys &keys,
                                bool isGroup) {
  auto fail = [&](StringRef key, DenseI64ArrayAttr sizes,
                  const Twine &expected) {
    return refuse(fusion, TileSizes, key,
                  sizes ? graph::listText(sizes.asArrayRef()) : "none",
                  expected);
  };
  DenseI64ArrayAttr tile = keys.tile, item = keys.item, block = keys.block;
  // Each form of a window has its own sizes, which the phase checks.
  if (keys.form.kind == ConvForm::Depthwise && !isGroup)
    for (auto [key, sizes] : {std::pair(StringRef("tile"), tile),
                              std::pair(StringRef("block"), block)})
      if (sizes && !allPositive(sizes.asArrayRef()))
        return fail(key, sizes, "positive sizes");
  if (keys.keep < 0 || (keys.keep && keys.form.window != WindowForm::Planes))
    return refuse(fusion, TileSizes, "keep", Twine(keys.keep),
                  "a positive number, for planes only");
  if (isGroup && (!tile || tile.size() != 3))
    return fail("tile", tile, "rows, columns and k of a group's tile");
  if (tile && ((tile.size() != 2 && tile.size() != 3) ||
               !allPositive(tile.asArrayRef())))
    return fail("tile", tile, "[m, n] or [m, n, k], all positive");
  if (isGroup && !item)
    return fail("item", item, "rows and columns of an item");
  if (item && (item.size() != 2 || !allPositive(item.asArrayRef())))
    return fail("item", item, "rows and columns, both positive");
  if (item && (!tile || tile[0] % item[0] || tile[1] % item[1]))
    return fail("item", item,
                "divisors of tile " +
                    (tile ? graph::listText(tile.asArrayRef()) : "none"));
  if (keys.form.kind != ConvForm::Depthwise && block &&
      (block.size() != 2 || !allPositive(block.asArrayRef())))
    return fail("block", block, "tiles and panels, both positive");
  if (keys.finish &&
      (keys.finish.size() != 2 || !allPositive(keys.finish.asArrayRef())))
    return fail("finish", keys.finish, "tiles and rows, both positive");
  if (keys.heights && !descends(keys.heights.asArrayRef()))
    return fail("heights", keys.heights, "positive sizes, the highest first");
  if (keys.sums && keys.sums != 1 && keys.sums != 2 && keys.sums != 4)
    return refuse(fusion, TileSizes, "sums", Twine(keys.sums), "1, 2 or 4");
  for (const Prefetch &prefetch : {keys.prefetch.tiles, keys.prefetch.rest})
    if (failed(checkPrefetch(fusion, prefetch)))
      return failure();
  auto positive = [&](StringRef key, int64_t value) {
    return value > 0
               ? success()
               : refuse(fusion, TileSizes, key, Twine(value), "at least 1");
  };
  for (auto [key, value] :
       {std::pair(StringRef("mirror"), keys.mirror),
        std::pair(StringRef("fewest_tasks"), keys.fewestTasks),
        std::pair(StringRef("input_tiles"), keys.inputTiles)})
    if (value && failed(positive(key, value)))
      return failure();
  if (keys.joined.count < 0 || keys.joined.count == 1)
    return refuse(fusion, TileSizes, "joined", Twine(keys.joined.count),
                  "at least 2 tasks");
  constexpr int64_t mostAhead = 1 << 16;
  int64_t step = keys.kLoop.step;
  if (keys.kLoop.kind == KLoop::Sweep    ? step < 1
      : keys.kLoop.kind == KLoop::Packed ? step < 0 || step > mostAhead
                                         : step != 0)
    return refuse(fusion, TileSizes, "k_loop", Twine(step),
                  "panels of a step for sweep, at most " + Twine(mostAhead) +
                      " k ahead for packed, and only there");
  return failure(failed(positive("stages", keys.stages)) ||
                 failed(positive("vector", keys.vector)));
}

/// sched_c4
static LogicalResult checkItems(graph::FusionOp fusion, const ProductKeys &keys,
                                DenseI64ArrayAttr group) {
  if (!group)
    return success();
  int64_t items = 1, wanted = (keys.tile[0] / keys.item[0]) *
                              (keys.tile[1] / keys.item[1]);
  for (int64_t size : group.asArrayRef())
    items *= size;
  if (items == wanted)
    return success();
  return refuse(fusion, ItemsFillGroup, "group", Twine(items) + " items",
                Twine(wanted) + ", which fill the tile");
}

/// sched_c6
static LogicalResult checkLanes(graph::FusionOp fusion,
                                const ProductKeys &keys) {
  constexpr int64_t mostLanes = 64;
  int64_t lanes = keys.lanes;
  if (lanes < 0 || lanes > mostLanes ||
      (lanes && !llvm::isPowerOf2_64(uint64_t(lanes))))
    return refuse(fusion, LaneCount, "lanes", Twine(lanes),
                  "a power of two, at most 64");
  // Along K, lanes are no columns.
  bool alongK = keys.operands.b.form == Operand::Dots ||
                keys.form.window == WindowForm::Dots;
  if (lanes && keys.tile && !alongK && keys.tile[1] % lanes)
    return refuse(fusion, LaneCount, "lanes", Twine(lanes),
                  "a divisor of " + Twine(keys.tile[1]) + " columns");
  return success();
}

static StringRef nameOf(Operand::Form form) {
  constexpr StringLiteral names[] = {"open",   "rows", "panels", "widened",
                                     "copied", "dots", "padded", "local"};
  return names[form];
}

/// sched_c7
static LogicalResult checkOperand(graph::FusionOp fusion, bool isOfA,
                                  const Operand &operand, Value value,
                                  bool isGroup) {
  auto fail = [&](const Twine &expected) {
    return refuse(fusion, OperandForms, isOfA ? "operand A" : "operand B",
                  nameOf(operand.form), expected);
  };
  auto packed = value ? graph::matchUnpackedPanels(value) : std::nullopt;
  if (operand.width < 0 || operand.depth < 1 || operand.pad < 0)
    return fail("no negative sizes");
  switch (operand.form) {
  case Operand::Local:
    return isGroup ? success() : fail("a form without groups, for a task");
  case Operand::Padded:
  case Operand::Transposed:
    return isOfA ? success() : fail("a form that B has");
  case Operand::Panels:
  case Operand::Widened:
    // The phase says whether a launch widens A.
    if (isOfA && operand.form == Operand::Widened)
      return success();
    if (!packed)
      return fail("another form: the operand is not packed");
    if (operand.width && operand.width != packed->panel)
      return fail("panels<" + Twine(packed->panel) + ">, as it is packed");
    if (operand.depth != packed->group)
      return fail("depth = " + Twine(packed->group) + ", as it is packed");
    return success();
  default:
    return success();
  }
}

static LogicalResult checkOperands(graph::FusionOp fusion,
                                   const ProductKeys &keys, bool isGroup) {
  Operation *anchor = kernels::contractionAnchor(fusion);
  Value b = anchor ? matrixOfB(anchor) : Value();
  return failure(failed(checkOperand(fusion, /*isOfA=*/true, keys.operands.a,
                                     {}, isGroup)) ||
                 failed(checkOperand(fusion, /*isOfA=*/false, keys.operands.b,
                                     b, isGroup)));
}

int64_t localBytesOf(graph::FusionOp fusion, const ProductKeys &keys) {
  Operation *anchor = kernels::contractionAnchor(fusion);
  if (!anchor || !keys.tile || keys.tile.size() != 3)
    return 0;
  auto bytes = [&](const Operand &operand, unsigned number, int64_t rows,
                   int64_t columns) -> int64_t {
    if (operand.form != Operand::Local)
      return 0;
    Type element = getElementTypeOrSelf(anchor->getOperand(number).getType());
    return keys.stages * rows * (columns + operand.pad) *
           kernels::elementSize(element);
  };
  int64_t m = keys.tile[0], n = keys.tile[1], k = keys.tile[2];
  // A is transposed on its way into local memory.
  return bytes(keys.operands.a, 0, k, m) + bytes(keys.operands.b, 1, k, n);
}

std::optional<graph::DimExpr> groupTasks(graph::FusionOp fusion,
                                         graph::Schedule schedule,
                                         ArrayRef<graph::DimExpr> sizes) {
  auto keys = productKeys(schedule);
  Operation *anchor = kernels::contractionAnchor(fusion);
  // The free dimensions of each operand are one run of the result.
  auto dot = dyn_cast_or_null<graph::DotGeneralOp>(anchor);
  if (!keys || !dot || schedule.runsOn() != graph::RunOn::Group)
    return std::nullopt;
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
  unsigned batch = dot.getDims().getLhsBatching().size(),
           rows = unsigned(lhs.getRank()) - batch -
                  dot.getDims().getLhsContracting().size();
  auto product = [&](unsigned from, unsigned to) {
    graph::DimExpr count = 1;
    for (unsigned dim = from; dim < to; ++dim)
      count = count * sizes[dim];
    return count;
  };
  return product(0, batch) *
         graph::DimExpr::ceilDiv(product(batch, batch + rows), keys->tile[0]) *
         graph::DimExpr::ceilDiv(product(batch + rows, sizes.size()),
                                 keys->tile[1]);
}

/// The model of the module; without one, a GPU of 48 KiB of local memory.
static target::TargetModel modelOfGroups(graph::FusionOp fusion) {
  if (auto known = target::targetOf(fusion))
    return known.getModel();
  target::TargetModel generic;
  generic.localBytes = 48 << 10;
  return generic;
}

/// sched_c5, sched_c12
static LogicalResult checkLimits(graph::FusionOp fusion,
                                 const ProductKeys &keys, bool isGroup) {
  constexpr int64_t mostItemRegisters = 255, mostVector = 16;
  auto fail = [&](const Twine &key, const Twine &got, const Twine &expected) {
    return refuse(fusion, ModelLimits, key, got, expected);
  };
  target::TargetModel model = modelOfGroups(fusion);
  if (isGroup) {
    int64_t local = localBytesOf(fusion, keys);
    // A group's arrays are ordinary memory where the model has no other.
    if (!model.localIsMemory || model.localBytes)
      if (local > model.localBytes)
        return refuse(fusion, LocalMemory, "local memory",
                      Twine(local) + " bytes",
                      "at most " + Twine(model.localBytes));
    int64_t sums = keys.item[0] * keys.item[1],
            registers = sums + keys.item[0] + keys.item[1];
    if (registers > mostItemRegisters)
      return fail("item", Twine(registers) + " registers",
                  "at most " + Twine(mostItemRegisters));
    if (keys.prefetch != Prefetches() || keys.heights || keys.finish ||
        keys.sums || keys.mirror)
      return fail("prefetch, heights, finish, sums, mirror", "keys of tasks",
                  "none for a group");
  } else if (keys.item || keys.stages != 1 || keys.vector != 1) {
    return fail("item, stages, vector", "sizes of groups", "none for a task");
  }
  if (keys.vector > mostVector)
    return fail("vector", Twine(keys.vector), "at most " + Twine(mostVector));
  if (keys.fragment.element && !model.fragments)
    return fail("fragment", "a matrix instruction",
                "none: the target has no such instructions");
  return success();
}

/// Register tiles of tasks, sched_c12: more accumulators would spend their time
/// in memory.
static LogicalResult checkRegisters(graph::FusionOp fusion,
                                    const ProductKeys &keys) {
  constexpr int64_t mostVectors = 256;
  if (!keys.tile || !keys.lanes)
    return success();
  // Only along K are columns no multiple of lanes: each has a vector of sums.
  int64_t vectors =
      keys.tile[1] % keys.lanes ? keys.tile[1] : keys.tile[1] / keys.lanes;
  if (vectors <= mostVectors && keys.tile[0] <= mostVectors / vectors)
    return success();
  return refuse(fusion, ModelLimits, "tile",
                graph::listText(keys.tile.asArrayRef()),
                "at most " + Twine(mostVectors) + " vectors of accumulators");
}

LogicalResult checkProduct(graph::FusionOp fusion, graph::Schedule schedule) {
  auto keys = productKeys(schedule);
  if (!keys)
    return success();
  bool isGroup = schedule.runsOn() == graph::RunOn::Group;
  if (failed(checkSizes(fusion, *keys, isGroup)) ||
      failed(checkItems(fusion, *keys, keysOf(schedule).group)) ||
      failed(checkLanes(fusion, *keys)) ||
      failed(checkOperands(fusion, *keys, isGroup)) ||
      failed(checkLimits(fusion, *keys, isGroup)) ||
      (!isGroup && failed(checkRegisters(fusion, *keys))))
    return failure();
  // sched_c14
  if (keys->kSlices < 1)
    return refuse(fusion, SlicesOfK, "k_slices", Twine(keys->kSlices),
                  "at least 1");
  ArrayAttr scratch = keysOf(schedule).scratch;
  if (keys->kSlices > 1 && (!scratch || scratch.empty()))
    return refuse(fusion, SlicesOfK, "k_slices",
                  Twine(keys->kSlices) + " without scratch",
                  "a slot in scratch for each");
  return success();
}

} // namespace zenith::decisions
