// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts arithmetic and bytes of a fusion.

#include "lowering/decisions/Cost.h"
#include "lowering/schedule/ContractionSpace.h"
#include "passes/cost/CostRule.h"

using namespace mlir;

namespace zenith::decisions {

static double bytesOf(ValueRange values, graph::DimAnalysis &dims) {
  double bytes = 0;
  for (Value value : values) {
    Type element = getElementTypeOrSelf(value.getType());
    bool isComplex = isa<ComplexType>(element);
    if (isComplex)
      element = cast<ComplexType>(element).getElementType();
    bytes += kernels::estimate(dims.elementCount(value)) *
             kernels::elementSize(element) * (isComplex ? 2 : 1);
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

graph::ScheduleCost costOf(graph::FusionOp fusion, graph::DimAnalysis &dims,
                           const target::TargetModel &model) {
  constexpr double perMicrosecond = 1e3; // of 1e9 in a second
  graph::ScheduleCost cost;
  cost.flops = flopsOf(fusion, dims);
  cost.bytes =
      bytesOf(fusion.getInputs(), dims) + bytesOf(fusion.getResults(), dims);
  double compute = cost.flops / (model.f32Gflops * perMicrosecond),
         memory = cost.bytes / (model.gbps * perMicrosecond);
  cost.microseconds = std::max(compute, memory) + model.launchUs;
  using Bound = graph::ScheduleCost;
  cost.bound = std::max(compute, memory) < model.launchUs ? Bound::Launch
               : compute > memory                         ? Bound::Compute
                                                          : Bound::Memory;
  return cost;
}

} // namespace zenith::decisions
