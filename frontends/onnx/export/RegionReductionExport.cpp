// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of reductions by a region: its ops work on whole slices, since
// elementwise operators take any rank.
#include "frontends/onnx/export/RegionReductionExport.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using Names = ExportBuilder::Names;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Upper bound of the elements of all windows together.
static constexpr int64_t gatheredElements = int64_t(1) << 24;

SmallVector<int64_t> zenith::onnx::windowedDims(const Windows &windows) {
  SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < windows.window.size(); ++dim)
    if (windows.window[dim] != 1 || windows.strides[dim] != 1 ||
        windows.low[dim] != 0 || windows.high[dim] != 0 ||
        windows.baseDilation[dim] != 1)
      dims.push_back(dim);
  return dims;
}

SmallVector<int64_t> zenith::onnx::sideBySideDims(const Windows &windows) {
  SmallVector<int64_t> dims = windowedDims(windows);
  for (auto [i, dim] : llvm::enumerate(dims))
    dim += 1 + i;
  return dims;
}

static bool fits(const Windows &windows) {
  int64_t elements = 1;
  for (int64_t dim = 0; dim < windows.result.getRank(); ++dim) {
    if (windows.result.isDynamicDim(dim))
      return false;
    elements *= windows.result.getDimSize(dim) * windows.window[dim];
    if (elements > gatheredElements)
      return false;
  }
  return true;
}

std::string zenith::onnx::sideBySide(ExportBuilder &b, const Windows &windows,
                                     Value operand,
                                     const std::string &padding) {
  std::string x = b.name(operand);
  if (!fits(windows)) {
    b.fail(unsupported(
        "this reduction over windows, which are large or of dynamic "
        "shape"));
    return x;
  }
  SmallVector<Size> sizes = b.sizes(operand);
  for (auto [dim, factor] : llvm::enumerate(windows.baseDilation))
    x = b.dilate(x, sizes, dim, factor, padding);
  SmallVector<int64_t> pads(windows.low);
  pads.append(windows.high.begin(), windows.high.end());
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    x = b.node("Pad", {x, b.ints(pads), padding});
  // From the last dimension on, so that the dimensions before keep their
  // indices.
  SmallVector<int64_t> dims = windowedDims(windows);
  for (int64_t dim : llvm::reverse(dims)) {
    int64_t count = windows.result.getDimSize(dim), size = windows.window[dim];
    SmallVector<int64_t> at;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < size; ++k)
        at.push_back(i * windows.strides[dim] + k * windows.dilation[dim]);
    auto shape = RankedTensorType::get(
        {count, size}, IntegerType::get(operand.getContext(), 64));
    x = b.node(
        "Gather",
        {x, b.constant(DenseElementsAttr::get(shape, ArrayRef<int64_t>(at)))},
        {makeInt("axis", dim)});
  }
  return x;
}

Names zenith::onnx::reduceSteps(
    ExportBuilder &b, TypeRange types, Names start, Names values,
    llvm::function_ref<Names(ArrayRef<std::string>, ArrayRef<std::string>)>
        step) {
  size_t count = types.size();
  Graph body = b.subgraph("fold", types, [&](Graph &graph) {
    Names inputs;
    for (const char *wish : {"so_far", "next"})
      for (mlir::Type type : types) {
        graph.inputs.push_back(b.declare(b.fresh(wish), type));
        inputs.push_back(graph.inputs.back().name);
      }
    return step(ArrayRef(inputs).take_front(count),
                ArrayRef(inputs).drop_front(count));
  });
  if (b.failed())
    return Names(count);
  start.insert(start.end(), values.begin(), values.end());
  return b.nodes(
      "Scan", std::move(start),
      {makeGraph("body", std::move(body)), makeInt("num_scan_inputs", count)},
      count);
}

std::string zenith::onnx::reducedDimsFirst(ExportBuilder &b,
                                           const std::string &value,
                                           ArrayRef<Size> sizes,
                                           ArrayRef<int64_t> dims) {
  SmallVector<int64_t> order(dims);
  SmallVector<Size> reduced, shape;
  for (int64_t dim : dims)
    reduced.push_back(sizes[dim]);
  shape.push_back(b.product(reduced));
  for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim)
    if (!llvm::is_contained(dims, dim)) {
      order.push_back(dim);
      shape.push_back(sizes[dim]);
    }
  return b.reshape(b.transpose(value, order), shape);
}

/// Applies a region to slices in the shape of the op's results.
static void writeSteps(Operation *op, Block &region, ValueRange inits,
                       const Names &values, ExportBuilder &b) {
  Names start;
  for (auto [init, result] : llvm::zip(inits, op->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (!type.hasStaticShape())
      return b.fail(unsupported("a reduction to a dynamic shape"));
    start.push_back(b.node("Expand", {b.name(init), b.ints(type.getShape())}));
  }
  Names results =
      reduceSteps(b, op->getResultTypes(), start, values,
                  [&](ArrayRef<std::string> soFar, ArrayRef<std::string> next) {
                    unsigned count = soFar.size();
                    for (unsigned i = 0; i < count; ++i) {
                      b.bind(region.getArgument(i), soFar[i]);
                      b.bind(region.getArgument(count + i), next[i]);
                    }
                    return b.block(region);
                  });
  for (auto [result, name] : llvm::zip(op->getResults(), results))
    b.bind(result, name);
}

static void writeReduceWith(Operation *op, ExportBuilder &b,
                            const ExportRow &) {
  auto reduce = cast<graph::ReduceWithOp>(op);
  Names values;
  for (Value operand : reduce.getInputs())
    values.push_back(reducedDimsFirst(b, b.name(operand), b.sizes(operand),
                                      reduce.getDims()));
  writeSteps(op, reduce.getBody().front(), reduce.getInits(), values, b);
}

static void writeReduceWindowWith(Operation *op, ExportBuilder &b,
                                  const ExportRow &) {
  auto reduce = cast<graph::ReduceWindowWithOp>(op);
  Windows windows = windowsOf(reduce, op->getResultTypes()[0]);
  Names values;
  for (auto [operand, init] :
       llvm::zip(reduce.getInputs(), reduce.getInits())) {
    std::string apart = sideBySide(b, windows, operand, b.name(init));
    if (b.failed())
      return;
    SmallVector<Size> sizes;
    for (int64_t dim = 0; dim < windows.result.getRank(); ++dim) {
      sizes.push_back({windows.result.getDimSize(dim), ""});
      if (llvm::is_contained(windowedDims(windows), dim))
        sizes.push_back({windows.window[dim], ""});
    }
    values.push_back(
        reducedDimsFirst(b, apart, sizes, sideBySideDims(windows)));
  }
  writeSteps(op, reduce.getBody().front(), reduce.getInits(), values, b);
}

llvm::ArrayRef<ExportRow> zenith::onnx::regionReductionExports() {
  static const ExportRow rows[] = {
      {"graph.reduce_window_with", writeReduceWindowWith},
      {"graph.reduce_with", writeReduceWith},
  };
  return rows;
}
