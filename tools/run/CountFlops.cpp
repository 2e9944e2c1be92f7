// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of contractions from dimension expressions.

#include "tools/run/CountFlops.h"

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace zenith;

double zenith::tools::countFlops(Operation *entry,
                                 const std::map<std::string, int64_t> &dims) {
  graph::DimAnalysis analysis;
  auto valueOf = [&](const std::string &name) {
    auto known = dims.find(name);
    return known == dims.end() ? std::nullopt
                               : std::optional<int64_t>(known->second);
  };
  auto size = [&](Value value, int64_t dim) {
    return double(
        analysis.dimOf(value, unsigned(dim)).evaluate(valueOf).value_or(0));
  };
  auto elements = [&](Value value) {
    double count = 1;
    for (int64_t dim = 0,
                 rank = cast<RankedTensorType>(value.getType()).getRank();
         dim < rank; ++dim)
      count *= size(value, dim);
    return count;
  };
  double flops = 0;
  entry->walk([&](Operation *op) {
    if (auto dot = dyn_cast<graph::DotGeneralOp>(op)) {
      double contracted = 1;
      for (int64_t dim : dot.getDims().getLhsContracting())
        contracted *= size(dot.getLhs(), dim);
      flops += 2 * elements(dot.getResult()) * contracted;
    } else if (auto convolution = dyn_cast<graph::ConvolutionOp>(op)) {
      double outputs = size(convolution.getKernel(),
                            convolution.getDims().getKernelOutput());
      flops += outputs > 0 ? 2 * elements(convolution.getResult()) *
                                 elements(convolution.getKernel()) / outputs
                           : 0;
    }
  });
  return flops;
}
