// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides what kernels of matrix products, convolutions and attention do.

#include "ir/ShapeChecks.h"
#include "ir/encodings/PackedPanels.h"
#include "lowering/builder/Guards.h"
#include "lowering/decisions/Decide.h"
#include "lowering/decisions/Encodings.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/ScheduleChecks.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/AttentionSchedule.h"
#include "lowering/schedule/ElementsSchedule.h"
#include "lowering/schedule/EpilogueForm.h"
#include "lowering/schedule/gemm/GemmVariants.h"

using namespace mlir;
using namespace zenith::sched;
using zenith::graph::DimExpr;

namespace zenith::decisions {

using kernels::elseGuard;
using kernels::Guard;

namespace {
/// The variants of a fusion as they are found, with their guards.
struct Variants {
  SmallVector<Attribute> guards, schedules;
  void add(MLIRContext *context, const Guard &guard, Attribute schedule) {
    guards.push_back(StringAttr::get(context, guard.str()));
    schedules.push_back(schedule);
  }
  /// The only one, or a choice whose last one has no guard.
  graph::Schedule schedule(MLIRContext *context) {
    if (schedules.size() == 1)
      return cast<graph::Schedule>(schedules.front());
    guards.back() = StringAttr::get(context, elseGuard);
    return graph::Schedule(ChoiceAttr::get(context,
                                           ArrayAttr::get(context, guards),
                                           ArrayAttr::get(context, schedules)));
  }
};
} // namespace

/// A guard for what is 1 where a variant is taken, else 0.
static Guard guardOf(const DimExpr &taken) { return {DimExpr(1), taken}; }

static Attribute product(const Request &request, const ProductKeys &keys,
                         ArrayAttr scratch) {
  ScheduleKeys common;
  common.tasks = request.tasks();
  common.scratch = scratch;
  common.shares = request.shares;
  bool isConv = kindsOf(request.fusion).front() == ConvAttr::getMnemonic();
  return productAttr(request.context(), isConv, keys, common);
}

static Operands operandsOf(const kernels::ContractionSpace &space,
                           const target::TargetModel &target,
                           const kernels::GemmSchedule &schedule) {
  Operands operands;
  bool isCopied = space.formOfA == Operand::Rows && schedule.packsA();
  operands.a.form = isCopied ? Operand::Copied : space.formOfA;
  Operand &b = operands.b;
  switch (space.form) {
  case kernels::ContractionSpace::Panels:
    b.form = schedule.widens() ? Operand::Widened
             : space.b.scratch ? Operand::Copied
                               : Operand::Panels;
    b.width = space.panel;
    b.depth = space.kInterleave;
    break;
  case kernels::ContractionSpace::Copied:
    b.form = Operand::Copied;
    b.width = kernels::nrOf(space.sum, target);
    break;
  case kernels::ContractionSpace::Direct:
    b.form = Operand::Rows;
    break;
  case kernels::ContractionSpace::Dots:
  case kernels::ContractionSpace::TiledDots:
    b.form = Operand::Dots;
    break;
  }
  return operands;
}

static Attribute plainProduct(const Request &request,
                              const kernels::ContractionSpace &space,
                              const target::TargetModel &target,
                              const kernels::GemmSchedule &schedule,
                              ArrayAttr scratch) {
  bool tiled = space.form == kernels::ContractionSpace::TiledDots;
  SmallVector<int64_t> tile{kernels::mrOf(space, target),
                            tiled ? space.columns.size.constant().value_or(1)
                                  : int64_t(kernels::nrOf(space.sum, target))};
  if (schedule.kc())
    tile.push_back(schedule.kc());
  ProductKeys keys;
  keys.form = {ConvForm::Direct, 0};
  keys.tile = request.integers(tile);
  keys.lanes = kernels::sumLanes(space.sum, target);
  keys.operands = operandsOf(space, target, schedule);
  keys.block =
      request.integers({schedule.tilesPerTask, schedule.panelsPerTask});
  keys.kLoop = kernels::loopOf(schedule);
  keys.joined = kernels::joinedOf(schedule);
  keys.prefetch = schedule.prefetch;
  if (!schedule.heights.empty())
    keys.heights = request.integers(schedule.heights);
  if (const auto &stores = schedule.columnStores)
    keys.finish = request.integers({stores->tiles, stores->rows});
  keys.sums = schedule.sums;
  keys.mirror = schedule.mirrorRows;
  return product(request, keys, scratch);
}

/// A given prefetch of nothing stays one.
static bool isGivenNone(const Request &request) {
  auto conv = request.givenAs<ConvAttr>();
  return conv && conv.getPrefetch().tiles.kind == Prefetch::None;
}

/// Winograd convolutions have register tiles of the target, and blocks of
/// output tiles.
static Attribute winogradProduct(const Request &request,
                                 const kernels::WinogradSchedule &variant,
                                 ArrayAttr scratch) {
  const target::TargetModel &target = request.target;
  Type sum = variant.space.sum;
  const graph::WinogradTransform &across = variant.filter.across;
  int64_t results = across.size - across.taps + 1;
  ProductKeys keys;
  keys.form = {ConvForm::Winograd, results};
  keys.tile =
      request.integers({target.mr, int64_t(kernels::nrOf(sum, target))});
  keys.lanes = kernels::sumLanes(sum, target);
  keys.operands.a.form =
      variant.transformsInTasks ? Operand::Copied : Operand::Rows;
  keys.operands.b.form = Operand::Rows;
  if (auto panels = graph::matchUnpackedPanels(matrixOfB(variant.space.op)))
    keys.operands.b = {Operand::Panels, panels->panel, panels->group};
  keys.block = request.integers({variant.tilesOfBlock, variant.layersOfBlock});
  if (variant.prefetchesNextPoint)
    keys.prefetch.tiles = {Prefetch::Panel};
  else if (isGivenNone(request))
    keys.prefetch.tiles = {Prefetch::None};
  if (!variant.transformsInTasks) {
    keys.fewestTasks = variant.fewestTasks;
    keys.inputTiles = variant.tilesPerTransform;
  }
  return product(request, keys, scratch);
}

/// sched_c3, sched_c12: given blocks are of planes that the filter sums over,
/// and their arrays no larger than a thread's stack has room for.
static LogicalResult checkWinograd(const Request &request,
                                   const kernels::WinogradSchedule &variant) {
  constexpr double mostBytes = 4 << 20;
  graph::FusionOp fusion = request.fusion;
  int64_t tiles = variant.tilesOfBlock, planes = variant.layersOfBlock;
  auto fail = [&](Constraint constraint, const Twine &expected) {
    return refuse(fusion, constraint, "block", graph::listText({tiles, planes}),
                  expected);
  };
  if (planes > 1 && !variant.planesAreLayers)
    return fail(TileSizes, "one plane: tasks do not transform several");
  // Blocks of layers need static sizes.
  if (variant.planesAreLayers &&
      (variant.dilation[0] != 1 || !variant.tiles().constant()))
    return fail(TileSizes, "an input that is transformed first");
  return variant.taskBytes() <= mostBytes
             ? success()
             : fail(ModelLimits, "arrays of a task of at most " +
                                     Twine(int64_t(mostBytes)) + " bytes");
}

/// What a given product asks for beyond tiles and lanes is there, or refused.
static LogicalResult checkGiven(const Request &request, Attribute decided,
                                bool hasFreeBlocks) {
  auto given = request.given && !request.givenAs<ChoiceAttr>()
                   ? productKeys(request.given)
                   : std::nullopt;
  auto own = productKeys(decided);
  if (!given || !own)
    return success();
  graph::FusionOp fusion = request.fusion;
  auto text = [](DenseI64ArrayAttr sizes) {
    return sizes ? graph::listText(sizes.asArrayRef()) : std::string("none");
  };
  if (given->tile && given->tile != own->tile) {
    auto sizes = given->tile.asArrayRef();
    bool leavesK =
        sizes.size() == 2 && sizes == own->tile.asArrayRef().take_front(2);
    if (!leavesK)
      return refuse(fusion, TileSizes, "tile", text(given->tile),
                    text(own->tile) + " for these sizes and operands");
  }
  if (given->lanes && given->lanes != own->lanes)
    return refuse(fusion, LaneCount, "lanes", Twine(given->lanes),
                  Twine(own->lanes));
  // What follows a panel's columns of one k are those of the next.
  if (const Operand &b = own->operands.b;
      (b.form == Operand::Panels || b.form == Operand::Widened) && b.width &&
      own->lanes > b.width)
    return refuse(fusion, LaneCount, "lanes", Twine(own->lanes),
                  "at most " + Twine(b.width) + ", the columns of a panel");
  auto agrees = [](const Operand &wanted, const Operand &has) {
    return wanted.form == Operand::Open ||
           (wanted.form == has.form &&
            (!wanted.width || wanted.width == has.width) &&
            (wanted.depth == 1 || wanted.depth == has.depth));
  };
  if (!agrees(given->operands.a, own->operands.a) ||
      !agrees(given->operands.b, own->operands.b))
    return refuse(fusion, OperandForms, "operands", textOf(request.given),
                  textOf(decided));
  if (given->block && given->block != own->block)
    return refuse(fusion, TileSizes, "block", text(given->block),
                  text(own->block) + (hasFreeBlocks ? "" : " for these sizes"));
  if (!given->kLoop.agreesWith(own->kLoop))
    return refuse(fusion, TileSizes, "k_loop", textOf(request.given),
                  textOf(decided));
  if (given->joined.count && given->joined != own->joined)
    return refuse(fusion, TileSizes, "joined", textOf(request.given),
                  textOf(decided));
  if (given->heights && given->heights != own->heights)
    return refuse(fusion, TileSizes, "heights", text(given->heights),
                  own->heights ? text(own->heights) +
                                     " or others that are enough for a full "
                                     "tile"
                               : "none: M says them");
  if (given->finish && given->finish != own->finish)
    return refuse(fusion, TileSizes, "finish", text(given->finish),
                  text(own->finish) + " for these results");
  for (auto [key, wanted, has] :
       {std::tuple(StringRef("mirror"), given->mirror, own->mirror),
        std::tuple(StringRef("fewest_tasks"), given->fewestTasks,
                   own->fewestTasks),
        std::tuple(StringRef("input_tiles"), given->inputTiles,
                   own->inputTiles)})
    if (wanted && wanted != has)
      return refuse(fusion, TileSizes, key, Twine(wanted),
                    has ? "a multiple of the lanes" : "none for this product");
  if (given->sums && given->sums != own->sums)
    return refuse(fusion, TileSizes, "sums", Twine(given->sums),
                  "none for this product");
  if (!given->prefetch.tiles.agreesWith(own->prefetch.tiles) ||
      !given->prefetch.rest.agreesWith(own->prefetch.rest))
    return refuse(fusion, ModelLimits, "prefetch", textOf(request.given),
                  textOf(decided));
  if (given->kSlices != 1)
    return refuse(fusion, SlicesOfK, "k_slices", Twine(given->kSlices),
                  "1 for a task");
  if (given->form.kind != ConvForm::Open && given->form != own->form)
    return refuse(fusion, OperandForms, "form", textOf(request.given),
                  textOf(decided));
  return success();
}

/// Whether the epilogue stores its results column by column.
static FailureOr<bool> storesColumns(const Request &request,
                                     const kernels::ContractionSpace &space,
                                     const target::TargetModel &target) {
  auto form =
      kernels::EpilogueForm::make(request.fusion, request.dims, space, target);
  if (failed(form))
    return failure();
  return form->rowRun.has_value();
}

FailureOr<Decision> decideProduct(const Request &request) {
  graph::FusionOp fusion = request.fusion;
  if (fusion.getKind() != graph::FusionKind::contraction)
    return decideWindow(request);
  kernels::GivenTile tile = kernels::givenTile(fusion);
  auto single = request.givenAs<ConvAttr>();
  kernels::GemmVariants found(fusion, request.dims, request.target, tile,
                              single);
  if (found.hasPlain() && failed(found.space))
    return failure();
  bool wantsWinograd = single && single.getForm().kind == ConvForm::Winograd;
  ArrayAttr scratch = request.scratchAttr(found.scratchBytes);
  Variants variants;
  for (const kernels::WinogradSchedule &variant : found.winograd) {
    if (wantsWinograd && failed(checkWinograd(request, variant)))
      return failure();
    variants.add(request.context(), guardOf(variant.guard),
                 winogradProduct(request, variant, scratch));
  }
  std::optional<DimExpr> tasks;
  bool isFree = false;
  if (found.hasPlain()) {
    if (const auto &small = found.small) {
      auto stores = storesColumns(request, small->space, small->target);
      if (failed(stores))
        return failure();
      auto schedule =
          kernels::chooseGemm(small->space, small->target,
                              kernels::givenTileOfFewRows(fusion), *stores);
      variants.add(request.context(),
                   {found.space->rowAxis.size, DimExpr(small->mostRows)},
                   plainProduct(request, small->space, small->target, schedule,
                                scratch));
    }
    auto stores = storesColumns(request, *found.space, found.target);
    if (failed(stores))
      return failure();
    auto schedule =
        kernels::chooseGemm(*found.space, found.target, tile, *stores);
    isFree = kernels::hasFreeBlocks(*found.space, schedule);
    tasks =
        found.space->outerCount() * schedule.rowBlocks * schedule.panelGroups;
    variants.add(
        request.context(), guardOf(found.guardOfPlain()),
        plainProduct(request, *found.space, found.target, schedule, scratch));
  }
  if (variants.schedules.empty())
    return fusion.emitError("unsupported: no variant of the contraction");
  if (wantsWinograd &&
      (found.winograd.empty() || variants.schedules.size() > 1))
    return refuse(fusion, OperandForms, "form", "winograd",
                  found.winograd.empty()
                      ? "direct: the filter is not transformed"
                      : "a choice by sizes");
  graph::Schedule decided = variants.schedule(request.context());
  if (failed(checkGiven(request, variants.schedules.back(), isFree)) ||
      failed(request.check(tasks, found.scratchBytes)))
    return failure();
  return Decision{decided, tasks, {}};
}

/// How the keys and values of an attention come.
static Operands operandsOf(const kernels::AttentionSchedule &space) {
  auto comes = [&](const kernels::AttentionRows &rows) {
    Operand operand;
    operand.form = rows.panels ? Operand::Copied : Operand::Rows;
    operand.width = rows.panels ? space.nr : 0;
    return operand;
  };
  const auto &segment = space.segments.front();
  return {comes(segment.keys), comes(segment.values)};
}

/// sched_c7; sched_c12: operands of a known number of queries say how they
/// come.
static LogicalResult checkOperands(const Request &request,
                                   const kernels::AttentionSchedule &space) {
  auto given = request.givenAs<AttentionAttr>();
  if (given && given.getInPlace() && space.isInPlace)
    return refuse(request.fusion, ModelLimits, "in_place",
                  Twine(given.getInPlace()),
                  "none for a known number of queries");
  const Operands own = operandsOf(space);
  auto agrees = [](const Operand &wanted, const Operand &has) {
    return wanted.form == Operand::Open ||
           (wanted.form == has.form &&
            (!wanted.width || wanted.width == has.width));
  };
  if (!given || (agrees(given.getOperands().a, own.a) &&
                 agrees(given.getOperands().b, own.b)))
    return success();
  return refuse(request.fusion, OperandForms, "operands", textOf(given),
                "keys and values as rows where their number of queries is "
                "known, else keys that are copied, in panels as wide as the "
                "tile");
}

FailureOr<Decision> decideAttention(const Request &request) {
  graph::FusionOp fusion = request.fusion;
  auto given = request.givenAs<AttentionAttr>();
  if (given && (given.getSplit() != 1 || given.getItem()))
    return refuse(fusion, ModelLimits, "split, item", textOf(given),
                  "none for a task");
  SmallVector<DimExpr> bytes;
  auto found = kernels::attentionVariants(fusion, request.dims, request.target);
  std::vector<kernels::AttentionSchedule> loops;
  for (const kernels::AttentionVariant &variant : found) {
    auto space = kernels::attentionSchedule(fusion, request.dims, variant);
    if (failed(space))
      return failure();
    kernels::addScratch(bytes, *space);
    loops.push_back(std::move(*space));
  }
  ArrayAttr scratch = request.scratchAttr(bytes);
  Variants variants;
  std::optional<DimExpr> tasks;
  std::vector<Missing> missing;
  if (!request.target.tileVariants)
    missing.push_back({"tile of these sizes", "tile_variants"});
  for (auto [variant, space] : llvm::zip(found, loops)) {
    tasks = space.matmul.outerCount() * space.rowBlocks;
    if (space.blockRows % int64_t(space.mr) ||
        space.blockKeys % int64_t(space.nr))
      return refuse(fusion, TileSizes, "rows, keys",
                    graph::listText({space.blockRows, space.blockKeys}),
                    "multiples of " + graph::listText({int64_t(space.mr),
                                                       int64_t(space.nr)}));
    Attribute schedule = AttentionAttr::get(
        request.context(), graph::RunOn::Task, {}, space.blockRows,
        space.blockKeys,
        request.integers({int64_t(space.mr), int64_t(space.nr)}), {},
        kernels::sumLanes(space.matmul.sum, variant.target), operandsOf(space),
        space.mostInPlace, 1, request.tasks(), scratch, request.shares,
        Store::Plain);
    if (failed(checkOperands(request, space)))
      return failure();
    Guard guard = variant.mostKeys
                      ? Guard{space.keyCount, DimExpr(variant.mostKeys)}
                      : guardOf(variant.guard);
    variants.add(request.context(), guard, schedule);
  }
  // The last variant serves all sizes that have none of their own.
  graph::Schedule decided = variants.schedule(request.context());
  if (failed(request.check(tasks, bytes)))
    return failure();
  return Decision{decided, tasks, std::move(missing)};
}

} // namespace zenith::decisions
