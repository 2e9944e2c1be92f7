// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composes movement ops into strides, with symbolic sizes.

#include "ir/matchers/StridedView.h"
#include "ir/GraphOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::graph {

DimExpr expandStride(const DimExpr &size) {
  return DimExpr::min(size - DimExpr(1), DimExpr(1));
}

DimVector denseStrides(const DimVector &dims) {
  DimVector strides(dims.size(), DimExpr(1));
  for (size_t d = dims.size(); d-- > 1;)
    strides[d - 1] = strides[d] * dims[d];
  return strides;
}

/// Indices of the dimensions that are not 1.
static SmallVector<unsigned> properDims(const DimVector &dims) {
  SmallVector<unsigned> proper;
  for (auto [d, size] : llvm::enumerate(dims))
    if (!size.isConstant(1))
      proper.push_back(d);
  return proper;
}

/// True where the product of sizes `lhs` must be extended before it can equal
/// `rhs`; nullopt where symbolic sizes do not tell.
static std::optional<bool> lhsGrows(const DimExpr &lhs, const DimExpr &rhs) {
  if (lhs.constant() && rhs.constant())
    return *lhs.constant() < *rhs.constant();
  if (rhs.exactDiv(lhs))
    return true;
  if (lhs.exactDiv(rhs))
    return false;
  return std::nullopt;
}

std::optional<DimVector> reshapeStrides(const DimVector &from,
                                        const DimVector &strides,
                                        const DimVector &to) {
  DimVector result(to.size(), DimExpr(0));
  auto isZero = [](const DimExpr &size) { return size.isConstant(0); };
  if (llvm::any_of(from, isZero) || llvm::any_of(to, isZero))
    return result;
  SmallVector<unsigned> olds = properDims(from), news = properDims(to);
  size_t i = 0, j = 0;
  while (i < olds.size() && j < news.size()) {
    size_t firstOld = i, firstNew = j;
    DimExpr oldSize = from[olds[i++]], newSize = to[news[j++]];
    while (oldSize != newSize) {
      std::optional<bool> growOld = lhsGrows(oldSize, newSize);
      if (!growOld || (*growOld ? i == olds.size() : j == news.size()))
        return std::nullopt;
      if (*growOld)
        oldSize = oldSize * from[olds[i++]];
      else
        newSize = newSize * to[news[j++]];
    }
    for (size_t k = firstOld; k + 1 < i; ++k)
      if (strides[olds[k]] != strides[olds[k + 1]] * from[olds[k + 1]])
        return std::nullopt;
    DimExpr stride = strides[olds[i - 1]];
    for (size_t k = j; k-- > firstNew;) {
      result[news[k]] = stride;
      stride = stride * to[news[k]];
    }
  }
  if (i != olds.size() || j != news.size())
    return std::nullopt;
  return result;
}

static StridedView slicedView(SliceOp slice, StridedView view,
                              DimAnalysis &analysis) {
  unsigned dynamic = 0;
  for (unsigned d = 0; d < view.strides.size(); ++d) {
    int64_t start = slice.getStaticStarts()[d];
    DimExpr first = ShapedType::isDynamic(start)
                        ? analysis.scalar(slice.getStarts()[dynamic++])
                        : DimExpr(start);
    view.offset = view.offset + first * view.strides[d];
    view.strides[d] = view.strides[d] * DimExpr(slice.getStrides()[d]);
  }
  return view;
}

static StridedView broadcastView(BroadcastOp broadcast, StridedView view) {
  auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
  auto to = cast<RankedTensorType>(broadcast.getType());
  DimVector strides(to.getRank(), DimExpr(0));
  for (auto [d, target] : llvm::enumerate(broadcast.getMapping()))
    if (from.getDimSize(d) != 1 || to.getDimSize(target) == 1)
      strides[target] = view.strides[d];
  view.strides = std::move(strides);
  return view;
}

static StridedView expandView(ExpandOp expand, StridedView view,
                              DimAnalysis &analysis) {
  for (auto [d, size] : llvm::enumerate(analysis.dimsOf(expand.getOperand())))
    if (size != analysis.dimOf(expand.getResult(), d))
      view.strides[d] = view.strides[d] * expandStride(size);
  return view;
}

/// The view through one more op; nullopt where it is not strided.
static std::optional<StridedView>
throughOp(Operation *op, const StridedView &view, DimAnalysis &analysis) {
  return llvm::TypeSwitch<Operation *, std::optional<StridedView>>(op)
      .Case([&](TransposeOp transpose) {
        StridedView moved = view;
        for (auto [d, source] : llvm::enumerate(transpose.getPermutation()))
          moved.strides[d] = view.strides[source];
        return moved;
      })
      .Case([&](SliceOp slice) { return slicedView(slice, view, analysis); })
      .Case(
          [&](BroadcastOp broadcast) { return broadcastView(broadcast, view); })
      .Case([&](ExpandOp expand) { return expandView(expand, view, analysis); })
      .Case([&](ReshapeOp reshape) -> std::optional<StridedView> {
        std::optional<DimVector> strides =
            reshapeStrides(analysis.dimsOf(reshape.getOperand()), view.strides,
                           analysis.dimsOf(reshape.getResult()));
        if (!strides)
          return std::nullopt;
        return StridedView{view.base, view.offset, *strides};
      })
      .Default([](Operation *) { return std::nullopt; });
}

StridedView viewOf(Value value, DimAnalysis &analysis) {
  SmallVector<Operation *> chain;
  Value base = value;
  while (Operation *op = base.getDefiningOp()) {
    if (!isa<TransposeOp, SliceOp, BroadcastOp, ExpandOp, ReshapeOp>(op))
      break;
    chain.push_back(op);
    base = op->getOperand(0);
  }
  StridedView view{base, DimExpr(0), denseStrides(analysis.dimsOf(base))};
  for (Operation *op : llvm::reverse(chain)) {
    if (std::optional<StridedView> next = throughOp(op, view, analysis))
      view = *next;
    else
      view = {op->getResult(0), DimExpr(0),
              denseStrides(analysis.dimsOf(op->getResult(0)))};
  }
  return view;
}

std::optional<DimVector> writeStrides(ArrayRef<Operation *> chain,
                                      DimAnalysis &analysis) {
  if (chain.empty())
    return std::nullopt;
  DimVector strides = denseStrides(analysis.dimsOf(chain.back()->getResult(0)));
  for (Operation *op : llvm::reverse(chain)) {
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      DimVector source(strides.size());
      for (auto [d, dim] : llvm::enumerate(transpose.getPermutation()))
        source[dim] = strides[d];
      strides = std::move(source);
      continue;
    }
    if (!isa<ReshapeOp>(op))
      return std::nullopt;
    std::optional<DimVector> source =
        reshapeStrides(analysis.dimsOf(op->getResult(0)), strides,
                       analysis.dimsOf(op->getOperand(0)));
    if (!source)
      return std::nullopt;
    strides = std::move(*source);
  }
  return strides;
}

std::optional<DimVector> writeStrides(Value from, Value to,
                                      DimAnalysis &analysis) {
  if (from == to)
    return denseStrides(analysis.dimsOf(to));
  SmallVector<Operation *> chain;
  for (; to != from; to = to.getDefiningOp()->getOperand(0)) {
    if (!isa_and_nonnull<TransposeOp, ReshapeOp>(to.getDefiningOp()))
      return std::nullopt;
    chain.insert(chain.begin(), to.getDefiningOp());
  }
  return writeStrides(chain, analysis);
}

} // namespace zenith::graph
