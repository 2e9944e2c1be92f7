// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides what kernels of poolings and depthwise convolutions do: what lanes
// run along, tiles and tasks.

#include "ir/ShapeChecks.h"
#include "lowering/builder/Guards.h"
#include "lowering/decisions/Decide.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/ScheduleChecks.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/schedule/ElementsSchedule.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/windows/DotWindowSchedule.h"
#include "lowering/schedule/windows/WindowForms.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith::sched;
using zenith::graph::DimExpr;
using zenith::kernels::WindowKeys;

namespace zenith::decisions {

/// Keys as an attribute: of a convolution, or of a pooling. Vectors have at
/// most 64 lanes.
static Attribute windowAttr(const Request &request, const WindowKeys &keys) {
  constexpr int64_t mostLanes = 64;
  MLIRContext *context = request.context();
  int64_t lanes = std::min(keys.lanes, mostLanes);
  auto integers = [&](ArrayRef<int64_t> values) {
    return values.empty() ? DenseI64ArrayAttr() : request.integers(values);
  };
  if (kindsOf(request.fusion).front() == ConvAttr::getMnemonic()) {
    ProductKeys product;
    product.form = {ConvForm::Depthwise, 0, keys.form};
    product.keep = keys.keep;
    product.tile = integers(keys.tile);
    product.lanes = keys.lanes;
    product.block = integers(keys.block);
    ScheduleKeys common;
    common.tasks = request.tasks();
    common.shares = request.shares;
    return productAttr(context, /*isConv=*/true, product, common);
  }
  return WindowAttr::get(context, graph::RunOn::Task, {}, keys.form,
                         integers(keys.tile), integers(keys.block), keys.keep,
                         keys.lanes / lanes, lanes, request.tasks(), {},
                         request.shares, Store::Plain);
}

static LogicalResult refuseList(graph::FusionOp fusion, Constraint constraint,
                                StringRef key, ArrayRef<int64_t> got,
                                const Twine &expected) {
  return refuse(fusion, constraint, key,
                got.empty() ? "none" : graph::listText(got), expected);
}

/// sched_c3, sched_c6, sched_c12: tiles that a form has.
static LogicalResult checkTile(const Request &request, const WindowKeys &keys,
                               const kernels::WindowLoops &loops) {
  // More sums would spend their time in memory, and their code is long.
  constexpr int64_t mostSums = 64, mostVectors = 16;
  ArrayRef<int64_t> tile = keys.tile;
  auto fail = [&](Constraint constraint, const Twine &expected) {
    return refuseList(request.fusion, constraint, "tile", tile, expected);
  };
  if (keys.form == WindowForm::Planes)
    return tile.empty() ? success() : fail(TileSizes, "none for planes");
  if (tile.size() != 2)
    return fail(TileSizes, "two sizes");
  int64_t sums = tile[0] * tile[1];
  if (keys.form == WindowForm::Dots) {
    int64_t rows = kernels::DotWindowSchedule(loops).mostRows();
    if (tile[0] > rows)
      return fail(TileSizes, "at most " + Twine(rows) + " rows");
  } else {
    if (tile[1] % keys.lanes || !llvm::isPowerOf2_64(uint64_t(tile[1])))
      return fail(LaneCount, "a power of two of columns, a multiple of " +
                                 Twine(keys.lanes) + " lanes");
    if (keys.form == WindowForm::Rows && tile[0] != 1)
      return fail(TileSizes, "one row");
    if (keys.form == WindowForm::Interleaved && tile[1] != keys.lanes)
      return fail(TileSizes, "one vector");
    if (tile[1] / keys.lanes > mostVectors)
      return fail(ModelLimits, "at most " + Twine(mostVectors) + " vectors");
    sums /= keys.lanes;
  }
  return sums <= mostSums ? success()
                          : fail(ModelLimits, "at most " + Twine(mostSums) +
                                                  " vectors of sums");
}

/// sched_c3, sched_c12: tasks that a form has, and the memory of a copy.
static LogicalResult checkBlock(const Request &request, const WindowKeys &keys,
                                const kernels::WindowForms &forms) {
  constexpr int64_t mostBytes = 256 << 10, mostSums = 64;
  graph::FusionOp fusion = request.fusion;
  ArrayRef<int64_t> block = keys.block;
  std::string copies =
      "copies of at most " + std::to_string(mostBytes) + " bytes";
  if (keys.form != WindowForm::Planes) {
    bool isOne =
        keys.form == WindowForm::Rows || keys.form == WindowForm::Interleaved;
    if (block.size() != (isOne ? 1u : 2u))
      return refuseList(fusion, TileSizes, "block", block,
                        isOne ? "one size" : "two sizes");
    if (keys.form == WindowForm::Interleaved) {
      auto planes = forms.interleaved(keys);
      if (!planes)
        return refuseList(fusion, ModelLimits, "block", block,
                          "positions of a row of windows");
      if (forms.copiedBytes(*planes) > mostBytes)
        return refuseList(fusion, ModelLimits, "block", block, copies);
    }
    return keys.keep == 0 ? success()
                          : refuse(fusion, ModelLimits, "keep",
                                   Twine(keys.keep), "none but for planes");
  }
  auto planes = forms.planes(keys);
  if (block.size() != (planes->isTile ? 3u : 1u))
    return refuseList(fusion, TileSizes, "block", block,
                      planes->isTile ? "tiles, and rows and columns of one"
                                     : "planes");
  if (planes->isTile && block[2] % keys.lanes)
    return refuseList(fusion, LaneCount, "block", block,
                      "columns that are a multiple of " + Twine(keys.lanes) +
                          " lanes");
  if (planes->isTile && !planes->rowLoop && block[1] != 1)
    return refuseList(fusion, TileSizes, "block", block, "tiles of one row");
  if (forms.copiedBytes(*planes) > mostBytes)
    return refuseList(fusion, ModelLimits, "block", block, copies);
  return keys.keep <= mostSums
             ? success()
             : refuse(fusion, ModelLimits, "keep", Twine(keys.keep),
                      "at most " + Twine(mostSums) + " vectors of sums");
}

/// Windows whose region says how elements combine.
static FailureOr<Decision> decideRegion(const Request &request,
                                        const WindowKeys &given) {
  if (given.form != WindowForm::Open || !given.tile.empty() ||
      !given.block.empty() || given.keep)
    return refuse(request.fusion, ModelLimits, "form, tile, block, keep",
                  textOf(request.given), "none with a region");
  WindowKeys keys;
  keys.lanes =
      given.lanes
          ? given.lanes
          : int64_t(kernels::valueWidth(request.fusion, request.target));
  return Decision{cast<graph::Schedule>(windowAttr(request, keys)), {}, {}};
}

/// Keys of a product that a depthwise convolution has no use for.
static LogicalResult refuseProductKeys(const Request &request) {
  auto given = request.given ? productKeys(request.given) : std::nullopt;
  if (!given)
    return success();
  if (given->form.kind != ConvForm::Depthwise &&
      given->form.kind != ConvForm::Open)
    return refuse(request.fusion, OperandForms, "form", textOf(request.given),
                  "depthwise");
  bool has = given->operands != Operands() ||
             given->kLoop.kind != KLoop::Open || given->joined.count;
  if (has)
    return refuse(request.fusion, ModelLimits, "operands, k_loop, joined",
                  textOf(request.given), "none for a depthwise convolution");
  return given->kSlices == 1 ? success()
                             : refuse(request.fusion, SlicesOfK, "k_slices",
                                      Twine(given->kSlices), "1 for a task");
}

FailureOr<Decision> decideWindow(const Request &request) {
  graph::FusionOp fusion = request.fusion;
  WindowKeys given = kernels::windowKeys(request.given);
  if (failed(refuseProductKeys(request)) || failed(request.check({}, {})))
    return failure();
  bool isRegion = llvm::any_of(fusion.getBody().front(), [](Operation &op) {
    return isa<graph::ReduceWindowWithOp>(op);
  });
  if (isRegion)
    return decideRegion(request, given);
  bool isSingle = request.given && !request.givenAs<ChoiceAttr>();
  auto loops = kernels::WindowLoops::of(fusion, request.dims);
  // What has no loops of its own is computed per element.
  if (!loops && !isSingle)
    return decideElements(request);
  if (!loops)
    return refuse(fusion, KindFits, "kind", request.given.kind(),
                  "elements: the window has no loops of its own");
  kernels::WindowForms forms(fusion, request.dims, request.target, *loops,
                             given.lanes);
  SmallVector<kernels::WindowVariant, 2> variants = forms.chosen();
  if (given.form != WindowForm::Open && forms.supports(given.form))
    variants = {{given.form, 1}};
  else if (given.form != WindowForm::Open)
    variants.clear();
  if (variants.empty() && !isSingle)
    return decideElements(request);
  if (variants.empty())
    return refuse(fusion, KindFits, "form", textOf(request.given),
                  "another one, or elements");
  SmallVector<std::string> guards;
  for (const kernels::WindowVariant &variant : ArrayRef(variants).drop_back())
    guards.push_back(kernels::Guard{DimExpr(1), variant.guard}.str());
  guards.push_back(kernels::elseGuard.str());
  // One variant for all sizes, of which a copy may have any.
  bool nameData =
      llvm::any_of(guards, [](StringRef guard) { return guard.contains('%'); });
  if (isSingle || nameData)
    variants = {variants.back()};
  SmallVector<Attribute> schedules;
  for (const kernels::WindowVariant &variant : variants) {
    WindowKeys keys = forms.keysOf(variant, given);
    if (failed(checkTile(request, keys, *loops)) ||
        failed(checkBlock(request, keys, forms)))
      return failure();
    schedules.push_back(windowAttr(request, keys));
  }
  if (schedules.size() == 1)
    return Decision{cast<graph::Schedule>(schedules.front()), {}, {}};
  Builder builder(request.context());
  return Decision{
      graph::Schedule(ChoiceAttr::get(
          request.context(),
          builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(guards)),
          builder.getArrayAttr(schedules))),
      {},
      {}};
}

} // namespace zenith::decisions
