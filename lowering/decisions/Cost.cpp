// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of kernels: counts arithmetic and bytes of a fusion, and what
// of the peak a schedule's vectors and register tiles reach.

#include "lowering/decisions/Cost.h"
#include "ir/encodings/PackedPanels.h"
#include "lowering/decisions/ProductKeys.h"
#include "lowering/decisions/ScheduleKeys.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/schedule/ContractionSpace.h"
#include "passes/cost/CostRule.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace zenith::sched;

namespace zenith::decisions {

// MLIR has one, too.
using sched::ElementsAttr;

int64_t bytesOfElement(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (auto pair = dyn_cast<ComplexType>(element))
    return 2 * int64_t(kernels::elementSize(pair.getElementType()));
  return kernels::elementSize(element);
}

static double bytesOf(ValueRange values, graph::DimAnalysis &dims) {
  double bytes = 0;
  for (Value value : values)
    bytes += kernels::estimate(dims.elementCount(value)) *
             double(bytesOfElement(value));
  return bytes;
}

/// Bytes that a kernel reads: of a table that it only gathers from, those of
/// the gathered rows.
static double bytesRead(graph::FusionOp fusion, graph::DimAnalysis &dims) {
  double bytes = 0;
  for (auto [input, argument] :
       llvm::zip(fusion.getInputs(), fusion.getBody().getArguments())) {
    double all = bytesOf(ValueRange(input), dims), gathered = 0,
           element = double(bytesOfElement(input));
    bool onlyGathers = llvm::all_of(argument.getUses(), [&](OpOperand &use) {
      auto gather = dyn_cast<graph::GatherOp>(use.getOwner());
      if (!gather || use.getOperandNumber() != 0)
        return false;
      gathered +=
          kernels::estimate(dims.elementCount(gather.getResult())) * element;
      return true;
    });
    bytes += onlyGathers ? std::min(all, gathered) : all;
  }
  return bytes;
}

static double flopsOf(graph::FusionOp fusion, graph::DimAnalysis &dims) {
  double flops = 0;
  for (Operation &op : fusion.getBody().front())
    if (auto rule = dyn_cast<cost::CostRule>(op))
      flops += kernels::estimate(rule.flops(dims));
  return flops;
}

/// Native vectors that `lanes` elements of `bytes` fill.
static double vectorsOf(int64_t lanes, int64_t bytes,
                        const target::TargetModel &model) {
  return double(lanes * bytes) / double(int64_t(sizeof(float)) * model.lanes);
}

/// Plain loops: two independent vectors keep the units busy.
static double slowdownOfLoops(graph::FusionOp fusion, int64_t lanes,
                              const target::TargetModel &model) {
  constexpr double enough = 2;
  return lanes ? std::max(1.0, enough / vectorsOf(lanes,
                                                  kernels::widestBytes(fusion),
                                                  model))
               : 1;
}

/// A step of K of a tile of m rows by v vectors takes the longest of m*v
/// multiply-adds and m+v loads, two of each in a cycle, and the latency of a
/// multiply-add; and a cycle for each register that there is not.
static double slowdownOfTile(int64_t rows, int64_t columns, int64_t lanes,
                             const target::TargetModel &model) {
  if (!lanes)
    return 1;
  constexpr double perCycle = 2;
  double m = double(rows), v = std::max(1.0, double(columns) / double(lanes)),
         ideal = m * v / perCycle,
         missing = std::max(0.0, m * v + v + 1 - double(model.registers));
  double cycles =
      std::max({ideal, (m + v) / perCycle, double(model.fmaLatency)}) + missing;
  return cycles / ideal *
         std::max(1.0, 1 / vectorsOf(lanes, sizeof(float), model));
}

/// Multiplications of a Winograd convolution, as a part of the direct sum's:
/// (results + 2) / (3 * results) in each dimension. Transforms take half of the
/// gain, as a factor.
static double gainOfWinograd(graph::FusionOp fusion, int64_t results) {
  auto anchor = dyn_cast_or_null<graph::ConvolutionOp>(
      kernels::contractionAnchor(fusion));
  if (!anchor || results < 1)
    return 1;
  size_t dims = std::min<size_t>(2, anchor.getStrides().size());
  double ofDim = double(results + 2) / (3 * double(results));
  return std::sqrt(std::pow(ofDim, double(dims)));
}

/// Products that a lane adds by one instruction: of narrow operands, as they
/// are before they are widened, several, where the target has that.
static double productsOfLane(graph::FusionOp fusion,
                             const target::TargetModel &model) {
  Operation *anchor = kernels::contractionAnchor(fusion);
  if (!anchor)
    return 1;
  auto all = [&](llvm::function_ref<bool(Type)> holds) {
    return llvm::all_of(anchor->getOperands().take_front(2), [&](Value value) {
      return holds(
          getElementTypeOrSelf(graph::beforeWidening(value).getType()));
    });
  };
  if (all([](Type type) {
        return type.isInteger() && type.getIntOrFloatBitWidth() <= 8;
      }))
    return model.vnni ? 4 : model.kInterleave;
  bool arePairs = all([](Type type) { return type.isBF16(); });
  return arePairs && model.bf16Pairs ? 2 : 1;
}

static double slowdownOfProduct(graph::FusionOp fusion, const ProductKeys &keys,
                                const target::TargetModel &model) {
  double slower =
      !keys.tile || keys.operands.b.form == Operand::Dots ||
              keys.form.kind == ConvForm::Depthwise
          ? 1
          : slowdownOfTile(keys.tile[0], keys.tile[1], keys.lanes, model);
  slower /= productsOfLane(fusion, model);
  return keys.form.kind == ConvForm::Winograd
             ? slower * gainOfWinograd(fusion, keys.form.results)
             : slower;
}

static double slowdownOf(graph::FusionOp fusion, graph::Schedule schedule,
                         const target::TargetModel &model) {
  auto loops = [&](auto kind) {
    return slowdownOfLoops(fusion, kind.getLanes() * kind.getItem(), model);
  };
  if (auto product = productKeys(schedule))
    return schedule.runsOn() == graph::RunOn::Task
               ? slowdownOfProduct(fusion, *product, model)
               : 1;
  return llvm::TypeSwitch<Attribute, double>(schedule)
      .Case<ElementsAttr, ReduceAttr, WindowAttr, ScanAttr, ScatterAttr>(loops)
      .Case([&](AttentionAttr attention) {
        DenseI64ArrayAttr tile = attention.getTile();
        // Each block of keys scales the sums of the blocks before.
        double scaling =
            1 + 1 / double(std::max<int64_t>(1, attention.getKeys()));
        return tile ? scaling * slowdownOfTile(tile[0], tile[1],
                                               attention.getLanes(), model)
                    : 1;
      })
      .Default([](Attribute) { return 1; });
}

static constexpr double perMicrosecond = 1e3; // of 1e9 in a second

namespace {
/// What computes a kernel, per microsecond: a core of a processor, or all of
/// another device.
struct Throughput {
  double flops, bytes;
  Throughput(const target::TargetModel &model, double touched) {
    // Cores with caches of their own run tasks one by one.
    if (!model.coreCaches) {
      flops = model.f32Gflops * perMicrosecond;
      bytes = model.gbps * perMicrosecond;
      return;
    }
    // Two multiply-adds of a vector in a cycle, of two operations each.
    constexpr double operationsOfLane = 4;
    double gflops = model.f32Gflops / model.units,
           gigahertz = gflops / (operationsOfLane * model.lanes);
    flops = gflops * perMicrosecond;
    bytes = model.memoryBytesPerCycle * gigahertz * perMicrosecond;
    // The last level answers half as fast again as memory does.
    if (touched <= double(model.sharedCacheBytes))
      bytes *= 1.5;
  }
};
} // namespace

graph::ScheduleCost costOf(graph::FusionOp fusion, graph::Schedule schedule,
                           graph::DimAnalysis &dims,
                           const target::TargetModel &model) {
  graph::ScheduleCost cost;
  cost.flops = flopsOf(fusion, dims);
  cost.bytes = bytesRead(fusion, dims) + bytesOf(fusion.getResults(), dims);
  Throughput rate(model, cost.bytes);
  double compute = slowdownOf(fusion, variantsOf(schedule).back(), model) *
                   cost.flops / rate.flops,
         memory = cost.bytes / rate.bytes;
  cost.microseconds = std::max(compute, memory) + model.launchUs;
  using Bound = graph::ScheduleCost;
  cost.bound = std::max(compute, memory) < model.launchUs ? Bound::Launch
               : compute > memory                         ? Bound::Compute
                                                          : Bound::Memory;
  return cost;
}

double microsecondsByLines(graph::FusionOp fusion, graph::DimAnalysis &dims,
                           const target::TargetModel &model) {
  double lines = 0;
  for (Value input : fusion.getInputs())
    lines += kernels::estimate(dims.elementCount(input));
  double bytes =
      lines * double(model.lineBytes) + bytesOf(fusion.getResults(), dims);
  return bytes / Throughput(model, bytes).bytes + model.launchUs;
}

} // namespace zenith::decisions
