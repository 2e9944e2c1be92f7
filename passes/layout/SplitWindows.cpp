// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The maximum over a rectangle is the maximum over the maxima of its rows, and
// over a box that over its planes: separate reductions compare fewer elements.

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SPLITWINDOWSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

/// The dimensions to reduce first; none where the window is small, has no
/// exact reduction, or is reduced as fast at once.
static SmallVector<int64_t> innermostDims(ReduceWindowOp op) {
  constexpr int64_t fewestElements = 16;
  int64_t elements = 1;
  SmallVector<int64_t> windowed;
  for (auto [dim, size] : llvm::enumerate(op.getWindow()))
    if (size > 1) {
      elements *= size;
      windowed.push_back(int64_t(dim));
    }
  bool dilated = llvm::any_of(op.getBaseDilation(),
                              [](int64_t step) { return step != 1; });
  bool exact =
      op.getKind() == ReduceKind::max || op.getKind() == ReduceKind::min;
  // Kernels with lanes along the rows split a window of two dimensions
  // themselves, for a plane in a cache.
  unsigned together = op.getWindow().back() == 1 ? 1 : 2;
  if (!exact || dilated || windowed.size() <= together ||
      elements < fewestElements)
    return {};
  return SmallVector<int64_t>(ArrayRef(windowed).take_back(together));
}

/// Reduces along `innermost` first, then along the other dimensions; gives both
/// ops.
static SmallVector<ReduceWindowOp> splitWindow(ReduceWindowOp op,
                                               ArrayRef<int64_t> innermost,
                                               RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  auto along = [&](Value operand, RankedTensorType type, bool isInner) {
    auto some = [&](ArrayRef<int64_t> entries, int64_t neutral) {
      SmallVector<int64_t> result(entries);
      for (auto [dim, entry] : llvm::enumerate(result))
        if (llvm::is_contained(innermost, int64_t(dim)) != isInner)
          entry = neutral;
      return result;
    };
    return rewriter.create<ReduceWindowOp>(
        op.getLoc(), type, op.getKind(), operand, some(op.getWindow(), 1),
        some(op.getStrides(), 1), some(op.getLow(), 0), some(op.getHigh(), 0),
        some(op.getBaseDilation(), 1), some(op.getDilation(), 1));
  };
  SmallVector<int64_t> shape(typeOf(op.getOperand()).getShape());
  for (int64_t dim : innermost)
    shape[dim] = typeOf(op).getDimSize(dim);
  ReduceWindowOp inner = along(op.getOperand(), typeOf(op).clone(shape), true);
  ReduceWindowOp outer = along(inner, typeOf(op), false);
  rewriter.replaceOp(op, outer);
  return {inner, outer};
}

namespace {

struct SplitWindowsPass : impl::SplitWindowsPassBase<SplitWindowsPass> {
  using SplitWindowsPassBase::SplitWindowsPassBase;

  void runOnOperation() override {
    SmallVector<ReduceWindowOp> pending;
    getOperation().walk([&](ReduceWindowOp op) { pending.push_back(op); });
    IRRewriter rewriter(&getContext());
    while (!pending.empty()) {
      ReduceWindowOp op = pending.pop_back_val();
      SmallVector<int64_t> innermost = innermostDims(op);
      if (!innermost.empty())
        pending.append(splitWindow(op, innermost, rewriter));
    }
  }
};

} // namespace
} // namespace zenith::layout
