// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extremes over a rectangle are those over its rows' extremes, and over a box
// those over its planes': many fewer elements to look at where they are large.

#include "ir/matchers/ParameterValues.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::layout {

LogicalResult splitWindow(ReduceWindowOp op, PatternRewriter &rewriter) {
  constexpr int64_t fewestElements = 16;
  ArrayRef<int64_t> window = op.getWindow();
  int64_t elements = 1;
  SmallVector<int64_t> windowed;
  for (auto [dim, size] : llvm::enumerate(window))
    if (size > 1) {
      elements *= size;
      windowed.push_back(int64_t(dim));
    }
  bool dilated = llvm::any_of(op.getBaseDilation(),
                              [](int64_t step) { return step != 1; });
  bool exact =
      op.getKind() == ReduceKind::max || op.getKind() == ReduceKind::min;
  // Kernels with lanes along the rows do the same for a plane in a cache.
  unsigned together = window.back() == 1 ? 1 : 2;
  if (!exact || dilated || windowed.size() <= together ||
      elements < fewestElements)
    return failure();
  auto last = ArrayRef(windowed).take_back(together);
  auto along = [&](Value operand, RankedTensorType type, bool isLast) {
    auto some = [&](ArrayRef<int64_t> entries, int64_t neutral) {
      SmallVector<int64_t> result(entries);
      for (auto [dim, entry] : llvm::enumerate(result))
        if (llvm::is_contained(last, int64_t(dim)) != isLast)
          entry = neutral;
      return result;
    };
    return rewriter.create<ReduceWindowOp>(
        op.getLoc(), type, op.getKind(), operand, some(window, 1),
        some(op.getStrides(), 1), some(op.getLow(), 0), some(op.getHigh(), 0),
        some(op.getBaseDilation(), 1), some(op.getDilation(), 1));
  };
  SmallVector<int64_t> shape(typeOf(op.getOperand()).getShape());
  for (int64_t dim : last)
    shape[dim] = typeOf(op).getDimSize(dim);
  Value inner = along(op.getOperand(), typeOf(op).clone(shape), true);
  rewriter.replaceOp(op, along(inner, typeOf(op), false));
  return success();
}

} // namespace zenith::layout
