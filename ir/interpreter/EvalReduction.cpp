// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Reduction family: reductions over dimensions, windows and
// prefixes.

#include "ir/interpreter/EvalReduction.h"
#include "ir/GraphOps.h"
#include "ir/interpreter/ElementLoops.h"
#include "ir/interpreter/Reducing.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/tensor/SmallFloat.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

static llvm::Error unknownKind(const OpEvaluation &e) {
  return e.fail("has no meaning on these element types",
                ErrorCode::Unsupported);
}

Expected<Rows> zenith::interpreter::rowsOver(const OpEvaluation &e,
                                             const Tensor &operand,
                                             ArrayRef<int64_t> dims) {
  Rows rows;
  for (int64_t i = 0, rank = operand.shape().size(); i < rank; ++i)
    if (!llvm::is_contained(dims, i)) {
      rows.order.push_back(i);
      rows.kept.push_back(operand.shape()[i]);
      rows.count *= operand.shape()[i];
    }
  for (int64_t dim : dims) {
    rows.order.push_back(dim);
    rows.length *= operand.shape()[dim];
  }
  Expected<Tensor> values = permuted(e, operand, rows.order);
  if (!values)
    return values.takeError();
  rows.values = widened(*values);
  return rows;
}

static Expected<Tensor> evaluateReduce(graph::ReduceOp op,
                                       const OpEvaluation &e) {
  Expected<Rows> rows = rowsOver(e, e.operand(0), op.getDims());
  if (!rows)
    return rows.takeError();
  if (llvm::Error error = e.checkShape(rows->kept))
    return std::move(error);
  Type element = rows->values.elementType();
  Expected<Tensor> result = e.temporary(rows->kept, element);
  if (!result)
    return result;
  bool known = visitReduction(
      op.getKind(), element, [&](auto tag, auto reduction, unsigned width) {
        using T = typename decltype(tag)::type;
        const T *from = elementsOf<T>(rows->values).data();
        T *to = writableElements<T>(*result).data();
        for (int64_t row = 0; row < rows->count; ++row) {
          auto state = reduction.start(width);
          for (int64_t i = 0; i < rows->length; ++i)
            state = reduction.step(state, *from++);
          to[row] = reduceResult<T>(state, width);
        }
      });
  if (!known)
    return unknownKind(e);
  return narrowed(*result, e.resultElement());
}

// Position of the best element of a row; NaN is better than all other values.
template <typename T>
static int64_t bestOf(const T *row, int64_t length, bool wantMax, bool last) {
  int64_t best = 0;
  auto better = [&](T a, T b) {
    bool aNaN = a != a, bNaN = b != b;
    if (aNaN || bNaN)
      return aNaN && (!bNaN || last);
    if (a == b)
      return last;
    return wantMax ? a > b : a < b;
  };
  for (int64_t i = 1; i < length; ++i)
    if (better(row[i], row[best]))
      best = i;
  return best;
}

static Expected<Tensor> evaluateArgReduce(graph::ArgReduceOp op,
                                          const OpEvaluation &e) {
  Expected<Rows> rows = rowsOver(e, e.operand(0), {int64_t(op.getDim())});
  if (!rows)
    return rows.takeError();
  if (rows->length == 0 && rows->count > 0)
    return e.fail("dimension " + Twine(op.getDim()) + " is empty at run time");
  Expected<Tensor> result = e.allocate(rows->kept);
  if (!result)
    return result;
  bool wantMax = op.getKind() == graph::ReduceKind::max, last = op.getLast();
  bool narrow = e.resultElement().isInteger(32);
  char *to = result->writable();
  auto run = [&](auto tag, unsigned) {
    using T = typename decltype(tag)::type;
    const T *from = elementsOf<T>(rows->values).data();
    for (int64_t row = 0; row < rows->count; ++row, from += rows->length) {
      int64_t best = bestOf(from, rows->length, wantMax, last);
      if (narrow)
        reinterpret_cast<int32_t *>(to)[row] = int32_t(best);
      else
        reinterpret_cast<int64_t *>(to)[row] = best;
    }
  };
  Type element = rows->values.elementType();
  if (element.isF32())
    run(TypeTag<float>(), 32);
  else if (element.isF64())
    run(TypeTag<double>(), 64);
  else if (isa<IntegerType>(element))
    visitInteger(element, run);
  else
    return unknownKind(e);
  return result;
}

namespace {
/// A scan of one row.
template <typename T, typename Reduction> struct ScanReduce {
  unsigned width;
  bool exclusive, reverse;
  std::optional<SmallFloat> small; ///< rounds every element

  void run(const T *from, T *to, int64_t length) const {
    auto state = Reduction::start(width);
    for (int64_t i = 0; i < length; ++i) {
      int64_t at = reverse ? length - 1 - i : i;
      auto next = rounded(Reduction::step(state, from[at]));
      to[at] = reduceResult<T>(exclusive ? state : next, width);
      state = next;
    }
  }

private:
  typename Reduction::State rounded(typename Reduction::State state) const {
    if constexpr (std::is_same_v<T, float>)
      if (small) {
        double value = small->decode(small->encode(reduceResult<T>(state, 32)));
        return Reduction::step(Reduction::start(width), T(value));
      }
    return state;
  }
};
} // namespace

static Expected<Tensor> evaluateCumulative(graph::CumulativeOp op,
                                           const OpEvaluation &e) {
  Expected<Rows> rows = rowsOver(e, e.operand(0), {int64_t(op.getDim())});
  if (!rows)
    return rows.takeError();
  Expected<Tensor> result =
      e.temporary(rows->values.shape(), rows->values.elementType());
  if (!result)
    return result;
  auto small = SmallFloat::of(e.resultElement());
  bool known =
      visitReduction(op.getKind(), rows->values.elementType(),
                     [&](auto tag, auto reduction, unsigned width) {
                       using T = typename decltype(tag)::type;
                       ScanReduce<T, decltype(reduction)> running{
                           width, op.getExclusive(), op.getReverse(), small};
                       const T *from = elementsOf<T>(rows->values).data();
                       T *to = writableElements<T>(*result).data();
                       for (int64_t row = 0; row < rows->count; ++row)
                         running.run(from + row * rows->length,
                                     to + row * rows->length, rows->length);
                     });
  if (!known)
    return unknownKind(e);
  return permuted(e, narrowed(*result, e.resultElement()),
                  inverseOf(rows->order));
}

SmallVector<int64_t> zenith::interpreter::inverseOf(ArrayRef<int64_t> order) {
  SmallVector<int64_t> inverse(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    inverse[dim] = i;
  return inverse;
}

// Result shape of a window that moves over all dimensions.
static Expected<Shape> windowShape(graph::ReduceWindowOp op,
                                   const OpEvaluation &e) {
  Shape shape;
  for (auto [i, size] : llvm::enumerate(e.operand(0).shape())) {
    int64_t dilated = size ? (size - 1) * op.getBaseDilation()[i] + 1 : 0;
    int64_t padded = dilated + op.getLow()[i] + op.getHigh()[i];
    int64_t reach = (op.getWindow()[i] - 1) * op.getDilation()[i] + 1;
    shape.push_back(padded < reach ? 0
                                   : (padded - reach) / op.getStrides()[i] + 1);
  }
  return shape;
}

namespace {
// Reduces the window of one output position, dimension by dimension.
template <typename T, typename Reduction> struct WindowReduce {
  graph::ReduceWindowOp op;
  ArrayRef<int64_t> shape, strides;
  ArrayRef<int64_t> window, step, low, baseDilation, dilation;
  typename Reduction::State state;

  WindowReduce(graph::ReduceWindowOp op, ArrayRef<int64_t> shape,
               ArrayRef<int64_t> strides)
      : op(op), shape(shape), strides(strides), window(op.getWindow()),
        step(op.getStrides()), low(op.getLow()),
        baseDilation(op.getBaseDilation()), dilation(op.getDilation()),
        state(Reduction::start(0)) {}

  void visit(size_t dim, const T *from, ArrayRef<int64_t> position) {
    if (dim == shape.size()) {
      state = Reduction::step(state, *from);
      return;
    }
    for (int64_t w = 0; w < window[dim]; ++w) {
      int64_t at = position[dim] * step[dim] + w * dilation[dim] - low[dim];
      if (at < 0 || at % baseDilation[dim] != 0 ||
          at / baseDilation[dim] >= shape[dim])
        continue;
      visit(dim + 1, from + at / baseDilation[dim] * strides[dim], position);
    }
  }
};
} // namespace

static Expected<Tensor> evaluateReduceWindow(graph::ReduceWindowOp op,
                                             const OpEvaluation &e) {
  Expected<Shape> shape = windowShape(op, e);
  if (!shape)
    return shape.takeError();
  if (llvm::Error error = e.checkShape(*shape))
    return std::move(error);
  Tensor operand = widened(e.operand(0));
  Expected<Tensor> result = e.temporary(*shape, operand.elementType());
  if (!result || result->size() == 0)
    return result ? Expected<Tensor>(narrowed(*result, e.resultElement()))
                  : std::move(result);
  Shape strides = stridesOf(operand.shape());
  bool known = visitReduction(
      op.getKind(), operand.elementType(),
      [&](auto tag, auto reduction, unsigned width) {
        using T = typename decltype(tag)::type;
        using Reduction = decltype(reduction);
        WindowReduce<T, Reduction> windows(op, operand.shape(), strides);
        T *to = writableElements<T>(*result).data();
        Shape position(shape->size(), 0);
        for (int64_t i = 0, count = result->size(); i < count; ++i) {
          windows.state = Reduction::start(width);
          windows.visit(0, elementsOf<T>(operand).data(), position);
          to[i] = reduceResult<T>(windows.state, width);
          stepPosition(position, *shape);
        }
      });
  if (!known)
    return unknownKind(e);
  return narrowed(*result, e.resultElement());
}

Expected<Tensor> zenith::interpreter::evaluateReduction(const OpEvaluation &e) {
  if (auto op = dyn_cast<graph::ReduceOp>(e.op))
    return evaluateReduce(op, e);
  if (auto op = dyn_cast<graph::ArgReduceOp>(e.op))
    return evaluateArgReduce(op, e);
  if (auto op = dyn_cast<graph::ReduceWindowOp>(e.op))
    return evaluateReduceWindow(op, e);
  if (auto op = dyn_cast<graph::CumulativeOp>(e.op))
    return evaluateCumulative(op, e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
