// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Varies one key of a schedule at a time, and estimates what that costs.

#include "lowering/decisions/RunnersUp.h"
#include "lowering/decisions/Cost.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith::sched;

namespace zenith::decisions {

// MLIR has one, too.
using sched::ElementsAttr;

namespace {
/// Collects the candidates of one schedule.
struct Candidates {
  graph::FusionOp fusion;
  graph::DimAnalysis &dims;
  const target::TargetModel &model;
  std::vector<RunnerUp> found;

  void add(Attribute attribute, StringRef why) {
    auto schedule = cast<graph::Schedule>(attribute);
    found.push_back({schedule, why.str(),
                     costOf(fusion, schedule, dims, model).microseconds});
  }
  DenseI64ArrayAttr integers(ArrayRef<int64_t> values) {
    return DenseI64ArrayAttr::get(fusion.getContext(), values);
  }

  void narrower(ElementsAttr own, int64_t item, int64_t lanes, StringRef why);
  void narrower(ReduceAttr own, int64_t item, int64_t lanes, StringRef why);
  template <typename Kind>
  void narrower(Kind own, int64_t item, int64_t lanes, StringRef why);
  template <typename Kind> void halveLanes(Kind own);
  void product(Attribute own, const ConvForm &form, ArrayRef<int64_t> tile,
               int64_t lanes, StringRef why);
  void visit(ElementsAttr own);
  void visit(ReduceAttr own) { halveLanes(own); }
  void visit(WindowAttr own) { halveLanes(own); }
  void visit(ScanAttr own) { halveLanes(own); }
  void visit(ScatterAttr own) { halveLanes(own); }
  void visit(GemmAttr own);
  void visit(ConvAttr own);
  void visit(AttentionAttr own);
};
} // namespace

void Candidates::narrower(ElementsAttr own, int64_t item, int64_t lanes,
                          StringRef why) {
  add(ElementsAttr::get(fusion.getContext(), own.getOn(), {}, own.getBlock(),
                        {}, 0, item, lanes, {}, {}, own.getShares(),
                        own.getStore()),
      why);
}

void Candidates::narrower(ReduceAttr own, int64_t item, int64_t lanes,
                          StringRef why) {
  add(ReduceAttr::get(fusion.getContext(), own.getOn(), {}, own.getRows(), 0,
                      own.getSlots(), own.getChunk(), {}, 0, {}, {}, 0, item,
                      lanes, {}, own.getScratch(), own.getShares(),
                      own.getStore()),
      why);
}

template <typename Kind>
void Candidates::narrower(Kind own, int64_t item, int64_t lanes,
                          StringRef why) {
  if constexpr (std::is_same_v<Kind, ScatterAttr>)
    add(Kind::get(fusion.getContext(), own.getOn(), {}, own.getBy(),
                  own.getParts(), own.getTile(), own.getBlock(), item, lanes,
                  {}, {}, own.getShares(), own.getStore()),
        why);
  else if constexpr (std::is_same_v<Kind, WindowAttr>)
    add(Kind::get(fusion.getContext(), own.getOn(), {}, own.getForm(), {},
                  own.getBlock(), own.getKeep(), item, lanes, {}, {},
                  own.getShares(), own.getStore()),
        why);
  else
    add(Kind::get(fusion.getContext(), own.getOn(), {}, own.getTile(),
                  own.getBlock(), item, lanes, {}, {}, own.getShares(),
                  own.getStore()),
        why);
}

template <typename Kind> void Candidates::halveLanes(Kind own) {
  constexpr StringLiteral why = "fewer vectors at a time hide less latency";
  if (own.getItem() > 1)
    narrower(own, own.getItem() / 2, own.getLanes(), why);
  else if (own.getLanes() > 1)
    narrower(own, 1, own.getLanes() / 2, why);
}

void Candidates::visit(ElementsAttr own) {
  if (!own.getTile())
    return halveLanes(own);
  narrower(own, own.getItem(), own.getLanes(),
           "it reads a cache line for each element");
  found.back().microseconds = microsecondsByLines(fusion, dims, model);
}

/// Half of a tile's columns, or of its rows where there is one vector.
static SmallVector<int64_t> halved(ArrayRef<int64_t> tile, int64_t lanes) {
  SmallVector<int64_t> sizes(tile.take_front(2));
  if (sizes[1] % (2 * lanes) == 0)
    sizes[1] /= 2;
  else
    sizes[0] = (sizes[0] + 1) / 2;
  return sizes;
}

static constexpr StringLiteral smallTile =
    "a smaller tile loads more for each multiply-add";

/// A product of which other keys are left open.
void Candidates::product(Attribute own, const ConvForm &form,
                         ArrayRef<int64_t> tile, int64_t lanes, StringRef why) {
  ProductKeys keys;
  keys.form = form;
  keys.lanes = lanes;
  if (!tile.empty())
    keys.tile = integers(tile);
  ScheduleKeys common = keysOf(own);
  common.group = {};
  common.tasks = {};
  common.scratch = {};
  add(productAttr(fusion.getContext(), isa<ConvAttr>(own), keys, common), why);
}

void Candidates::visit(GemmAttr own) {
  if (own.getTile() && own.getLanes())
    product(own, {}, halved(own.getTile().asArrayRef(), own.getLanes()),
            own.getLanes(), smallTile);
}

void Candidates::visit(ConvAttr own) {
  auto with = [&](const ConvForm &form, ArrayRef<int64_t> tile, int64_t lanes,
                  StringRef why) { product(own, form, tile, lanes, why); };
  ConvForm form = own.getForm();
  if (form.kind == ConvForm::Winograd)
    with({ConvForm::Direct, 0}, {}, 0, "it has more multiplications");
  else if (form.window == WindowForm::Dots)
    with({ConvForm::Depthwise, 0, WindowForm::Channels}, {}, own.getLanes(),
         "it widens elements for each tap");
  else if (form.kind == ConvForm::Depthwise && own.getLanes() > 1)
    with(form, {}, own.getLanes() / 2,
         "fewer channels at a time hide less latency");
  else if (own.getTile() && own.getLanes())
    with(form, halved(own.getTile().asArrayRef(), own.getLanes()),
         own.getLanes(), smallTile);
}

void Candidates::visit(AttentionAttr own) {
  DenseI64ArrayAttr tile = own.getTile();
  if (!tile || own.getKeys() % (2 * tile[1]))
    return;
  add(AttentionAttr::get(fusion.getContext(), own.getOn(), {}, own.getRows(),
                         own.getKeys() / 2, tile, {}, own.getLanes(),
                         own.getOperands(), own.getInPlace(), 1, {},
                         own.getScratch(), own.getShares(), own.getStore()),
      "more blocks of keys scale the sums more often");
}

std::vector<RunnerUp> runnersUp(graph::FusionOp fusion,
                                graph::Schedule schedule,
                                graph::DimAnalysis &dims,
                                const target::TargetModel &model) {
  Candidates candidates{fusion, dims, model, {}};
  if (schedule.runsOn() == graph::RunOn::Task)
    llvm::TypeSwitch<Attribute>(variantsOf(schedule).back())
        .Case<ElementsAttr, ReduceAttr, WindowAttr, ScanAttr, ScatterAttr,
              GemmAttr, ConvAttr, AttentionAttr>(
            [&](auto kind) { candidates.visit(kind); })
        .Default([](Attribute) {});
  llvm::stable_sort(candidates.found,
                    [](const RunnerUp &one, const RunnerUp &other) {
                      return one.microseconds < other.microseconds;
                    });
  return std::move(candidates.found);
}

} // namespace zenith::decisions
