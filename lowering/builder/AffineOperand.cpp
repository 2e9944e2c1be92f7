// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows movement ops from a value to the block argument that it is made from,
// turning each op into arithmetic on strides.

#include "lowering/builder/AffineOperand.h"
#include "ir/GraphOps.h"
#include "ir/matchers/StridedView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

bool knownBeforeLaunch(const DimExpr &expr) {
  bool known = true;
  expr.forEachSymbol([&](const std::string &name) {
    if (!name.empty() && name.front() == '%')
      known = false;
  });
  return known;
}

void coalesce(StridedDim &digits) {
  DimExpr last = digits.empty() ? DimExpr(0) : digits.back().stride;
  llvm::erase_if(digits,
                 [](const Stride &digit) { return digit.size.isConstant(1); });
  for (unsigned i = digits.size(); i-- > 1;) {
    Stride &outer = digits[i - 1], &inner = digits[i];
    if (outer.stride != inner.size * inner.stride)
      continue;
    outer = {outer.size * inner.size, inner.stride};
    digits.erase(digits.begin() + i);
  }
  if (digits.empty())
    digits.push_back({DimExpr(1), last});
}

StridedDim flatten(ArrayRef<StridedDim> dims) {
  StridedDim all;
  for (const StridedDim &dim : dims)
    all.append(dim.begin(), dim.end());
  coalesce(all);
  return all;
}

/// Takes `size` elements from the inner end of `digits`.
static std::optional<StridedDim> takeInner(StridedDim &digits, DimExpr size) {
  StridedDim taken;
  while (!size.isConstant(1)) {
    if (digits.empty())
      return std::nullopt;
    Stride &last = digits.back();
    if (auto rest = size.exactDiv(last.size)) {
      taken.insert(taken.begin(), last);
      digits.pop_back();
      size = *rest;
      continue;
    }
    auto outer = last.size.exactDiv(size);
    if (!outer)
      return std::nullopt;
    taken.insert(taken.begin(), {size, last.stride});
    last = {*outer, last.stride * size};
    size = DimExpr(1);
  }
  coalesce(taken);
  return taken;
}

std::optional<SmallVector<StridedDim>> regroup(StridedDim digits,
                                               ArrayRef<DimExpr> sizes) {
  coalesce(digits);
  SmallVector<StridedDim> dims(sizes.size());
  // If there are no elements, any address is right.
  if (llvm::any_of(sizes,
                   [](const DimExpr &size) { return size.isConstant(0); })) {
    for (auto [dim, size] : llvm::zip(dims, sizes))
      dim.push_back({size, DimExpr(0)});
    return dims;
  }
  for (unsigned i = sizes.size(); i-- > 0;) {
    auto taken = takeInner(digits, sizes[i]);
    if (!taken)
      return std::nullopt;
    dims[i] = std::move(*taken);
  }
  for (const Stride &rest : digits)
    if (!rest.size.isConstant(1))
      return std::nullopt;
  return dims;
}

std::optional<SmallVector<StridePair>> refine(StridedDim first,
                                              StridedDim second) {
  coalesce(first);
  coalesce(second);
  SmallVector<StridePair> pairs;
  // Both sides are equal for a valid op, though their expressions may differ.
  if (first.size() == 1 && second.size() == 1) {
    DimExpr size = second[0].size.constant() ? second[0].size : first[0].size;
    pairs.push_back({size, first[0].stride, second[0].stride});
    return pairs;
  }
  while (!first.empty() && !second.empty()) {
    Stride &x = first.back(), &y = second.back();
    if (x.size == y.size) {
      pairs.push_back({x.size, x.stride, y.stride});
      first.pop_back();
      second.pop_back();
    } else if (auto outer = y.size.exactDiv(x.size)) {
      pairs.push_back({x.size, x.stride, y.stride});
      y = {*outer, y.stride * x.size};
      first.pop_back();
    } else if (auto outer = x.size.exactDiv(y.size)) {
      pairs.push_back({y.size, x.stride, y.stride});
      x = {*outer, x.stride * y.size};
      second.pop_back();
    } else {
      return std::nullopt;
    }
  }
  auto more = [](const Stride &digit) { return !digit.size.isConstant(1); };
  if (llvm::any_of(first, more) || llvm::any_of(second, more))
    return std::nullopt;
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

static SmallVector<StridedDim> rowMajor(ArrayRef<DimExpr> sizes) {
  SmallVector<StridedDim> dims(sizes.size());
  DimExpr stride = 1;
  for (unsigned i = sizes.size(); i-- > 0;) {
    dims[i].push_back({sizes[i], stride});
    stride = stride * sizes[i];
  }
  return dims;
}

OperandView rowMajorView(Value value, graph::DimAnalysis &dims) {
  OperandView view;
  view.source = dyn_cast<BlockArgument>(value);
  view.offset = 0;
  view.dims = rowMajor(dims.dimsOf(value));
  return view;
}

static bool broadcastView(graph::BroadcastOp op, OperandView &view,
                          graph::DimAnalysis &dims) {
  auto operandDims = dims.dimsOf(op.getOperand());
  SmallVector<StridedDim> result;
  for (const DimExpr &size : dims.dimsOf(op.getResult()))
    result.push_back({{size, DimExpr(0)}});
  for (auto [i, to] : llvm::enumerate(op.getMapping()))
    if (!operandDims[i].isConstant(1))
      result[to] = view.dims[i];
  view.dims = std::move(result);
  return true;
}

static bool expandView(graph::ExpandOp op, OperandView &view,
                       graph::DimAnalysis &dims) {
  auto operandDims = dims.dimsOf(op.getOperand());
  for (auto [i, size] : llvm::enumerate(dims.dimsOf(op.getResult()))) {
    StridedDim &dim = view.dims[i];
    if (operandDims[i] == size)
      continue;
    coalesce(dim);
    DimExpr stride = graph::expandStride(operandDims[i]);
    if (!stride.isConstant(0) &&
        (dim.size() != 1 || !knownBeforeLaunch(stride)))
      return false;
    dim = {{size, dim.back().stride * stride}};
  }
  return true;
}

static bool sliceView(graph::SliceOp op, OperandView &view,
                      graph::DimAnalysis &dims) {
  auto operandDims = dims.dimsOf(op.getOperand());
  auto resultDims = dims.dimsOf(op.getResult());
  unsigned dynamic = 0;
  for (auto [i, start] : llvm::enumerate(op.getStaticStarts())) {
    DimExpr first = ShapedType::isDynamic(start)
                        ? dims.scalar(op.getStarts()[dynamic++])
                        : DimExpr(start);
    int64_t step = op.getStrides()[i];
    StridedDim &dim = view.dims[i];
    if (first.isConstant(0) && step == 1 && resultDims[i] == operandDims[i])
      continue;
    coalesce(dim);
    if (!knownBeforeLaunch(first))
      return false;
    if (dim.size() == 1) {
      view.offset = view.offset + first * dim[0].stride;
      dim[0] = {resultDims[i], dim[0].stride * DimExpr(step)};
      continue;
    }
    // Whole inner runs: the slice takes outer digits only.
    DimExpr inner = 1;
    for (const Stride &digit : llvm::drop_begin(dim))
      inner = inner * digit.size;
    auto firstOuter = first.exactDiv(inner),
         outerCount = resultDims[i].exactDiv(inner);
    if (step != 1 || !firstOuter || !outerCount)
      return false;
    view.offset = view.offset + *firstOuter * dim[0].stride;
    dim[0].size = *outerCount;
  }
  return true;
}

std::optional<OperandView> operandView(Value value, graph::DimAnalysis &dims) {
  if (isa<BlockArgument>(value))
    return rowMajorView(value, dims);
  Operation *op = value.getDefiningOp();
  if (!isa<graph::TransposeOp, graph::ReshapeOp, graph::BroadcastOp,
           graph::ExpandOp, graph::SliceOp>(op))
    return std::nullopt;
  auto view = operandView(op->getOperand(0), dims);
  if (!view)
    return std::nullopt;
  bool ok =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](graph::TransposeOp transpose) {
            auto before = view->dims;
            for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
              view->dims[to] = before[from];
            return true;
          })
          .Case([&](graph::ReshapeOp) {
            auto after = regroup(flatten(view->dims), dims.dimsOf(value));
            if (after)
              view->dims = std::move(*after);
            return after.has_value();
          })
          .Case([&](graph::BroadcastOp broadcast) {
            return broadcastView(broadcast, *view, dims);
          })
          .Case([&](graph::ExpandOp expand) {
            return expandView(expand, *view, dims);
          })
          .Case([&](graph::SliceOp slice) {
            return sliceView(slice, *view, dims);
          })
          .Default([](Operation *) { return false; });
  if (!ok)
    return std::nullopt;
  return view;
}

ResultView resultView(Value yielded, graph::DimAnalysis &dims) {
  ResultView whole{
      yielded, {BlockArgument(), DimExpr(0), rowMajor(dims.dimsOf(yielded))}};
  ResultView result = whole;
  while (Operation *op = result.root.getDefiningOp()) {
    if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
      auto after = result.view.dims;
      for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
        result.view.dims[from] = after[to];
    } else if (isa<graph::ReshapeOp>(op)) {
      auto before =
          regroup(flatten(result.view.dims), dims.dimsOf(op->getOperand(0)));
      if (!before)
        return whole;
      result.view.dims = std::move(*before);
    } else {
      break;
    }
    result.root = op->getOperand(0);
  }
  return result;
}

} // namespace zenith::kernels
