// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of scatter and scatter_with: windows of updates reduced into the
// operands, one position of the indices after the other.

#include "ir/GraphOps.h"
#include "ir/interpreter/ElementLoops.h"
#include "ir/interpreter/ScalarFunction.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/tensor/SmallFloat.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

namespace {
/// What the dimension numbers say, for shapes at run time.
class ScatterPlan {
public:
  static Expected<ScatterPlan>
  make(const OpEvaluation &e, graph::ScatterDimsAttr dims,
       const Tensor &operand, const Tensor &indices, const Tensor &updates);

  /// Calls fn(operand offset, update offset) for each window that lies inside
  /// of the operand.
  template <typename Fn> llvm::Error forEachWindow(Fn &&fn) const {
    Shape position(batch.size(), 0);
    for (int64_t i = 0; i < windows; ++i, stepPosition(position, batch)) {
      int64_t base = 0, from = 0, to = 0;
      for (size_t k = 0; k < batch.size(); ++k) {
        base += position[k] * indexStrides[k];
        from += position[k] * batchStrides[k];
        to += position[k] * operandBatchStrides[k];
      }
      if (!startOf(base, to))
        continue;
      if (llvm::Error error = fn(to, from))
        return error;
    }
    return llvm::Error::success();
  }

  Shape box; ///< sizes of a window, strides of both sides below
  Shape to, from;

private:
  bool startOf(int64_t base, int64_t &offset) const {
    for (size_t k = 0; k < starts.size(); ++k) {
      int64_t at = values[size_t(base + int64_t(k) * step)];
      if (at < 0 || at > starts[k].last)
        return false;
      offset += at * starts[k].stride;
    }
    return true;
  }
  struct Start {
    int64_t last, stride; ///< largest start whose window fits
  };
  SmallVector<Start> starts; ///< one per entry of an index vector
  SmallVector<int64_t> values;
  int64_t step = 0, windows = 1;
  Shape batch, indexStrides, batchStrides, operandBatchStrides;
};
} // namespace

Expected<ScatterPlan> ScatterPlan::make(const OpEvaluation &e,
                                        graph::ScatterDimsAttr dims,
                                        const Tensor &operand,
                                        const Tensor &indices,
                                        const Tensor &updates) {
  ScatterPlan plan;
  Shape strides = stridesOf(operand.shape());
  Shape updateStrides = stridesOf(updates.shape());
  Shape indexStrides = stridesOf(indices.shape());
  // Dimensions of the operand that windows have, in order.
  Shape window(operand.shape().size(), 1);
  auto nextWindow = dims.getUpdateWindowDims().begin();
  for (auto [i, size] : llvm::enumerate(operand.shape())) {
    if (llvm::is_contained(dims.getInsertedWindowDims(), int64_t(i)) ||
        llvm::is_contained(dims.getInputBatchingDims(), int64_t(i)))
      continue;
    int64_t dim = *nextWindow++;
    window[i] = updates.shape()[dim];
    if (window[i] > size)
      return e.fail("windows of " + Twine(window[i]) + " exceed dimension " +
                    Twine(i) + " of the operand, " + Twine(size) +
                    " at run time");
    plan.box.push_back(window[i]);
    plan.to.push_back(strides[i]);
    plan.from.push_back(updateStrides[dim]);
  }
  int64_t updateDim = 0, rank = updates.shape().size();
  for (auto [i, size] : llvm::enumerate(indices.shape())) {
    if (int64_t(i) == dims.getIndexVectorDim())
      continue;
    while (llvm::is_contained(dims.getUpdateWindowDims(), updateDim))
      ++updateDim;
    if (updateDim >= rank || updates.shape()[updateDim] != size)
      return e.fail("dimension " + Twine(i) + " of the indices is " +
                    Twine(size) + " at run time, that of the updates is not");
    plan.batch.push_back(size);
    plan.windows *= size;
    plan.indexStrides.push_back(indexStrides[i]);
    plan.batchStrides.push_back(updateStrides[updateDim++]);
    plan.operandBatchStrides.push_back(0);
    for (auto [inputDim, indexDim] : llvm::zip(dims.getInputBatchingDims(),
                                               dims.getIndicesBatchingDims())) {
      if (indexDim != int64_t(i))
        continue;
      if (operand.shape()[inputDim] != size)
        return e.fail("batching dimensions " + Twine(inputDim) + " and " +
                      Twine(i) + " are " + Twine(operand.shape()[inputDim]) +
                      " and " + Twine(size) + " at run time");
      plan.operandBatchStrides.back() += strides[inputDim];
    }
  }
  int64_t entries = 1;
  if (dims.getIndexVectorDim() < int64_t(indices.shape().size())) {
    plan.step = indexStrides[dims.getIndexVectorDim()];
    entries = indices.shape()[dims.getIndexVectorDim()];
  }
  if (entries != int64_t(dims.getIndexMap().size()))
    return e.fail("index vectors have " + Twine(entries) +
                  " entries at run time, expected " +
                  Twine(dims.getIndexMap().size()));
  for (int64_t dim : dims.getIndexMap())
    plan.starts.push_back({operand.shape()[dim] - window[dim], strides[dim]});
  plan.values = integersOf(indices);
  if (updates.size() == 0)
    plan.windows = 0;
  return plan;
}

namespace {
/// One dimension of a window, in bytes.
struct BoxLoop {
  int64_t count, to, from;
};
} // namespace

// Calls fn(to, from) on all pairs of elements of a window.
template <typename Fn>
static void forEachPair(char *to, const char *from, ArrayRef<BoxLoop> loops,
                        Fn &fn) {
  if (loops.empty())
    return fn(to, from);
  const BoxLoop &loop = loops[0];
  for (int64_t i = 0; i < loop.count; ++i, to += loop.to, from += loop.from)
    if (loops.size() == 1)
      fn(to, from);
    else
      forEachPair(to, from, loops.drop_front(), fn);
}

static SmallVector<BoxLoop> boxLoops(const ScatterPlan &plan, int64_t bytes) {
  SmallVector<BoxLoop> loops;
  for (size_t i = 0; i < plan.box.size(); ++i)
    if (plan.box[i] != 1)
      loops.push_back({plan.box[i], plan.to[i] * bytes, plan.from[i] * bytes});
  return loops;
}

template <typename T> static T joined(graph::ScatterKind kind, T x, T y) {
  if constexpr (!std::is_same_v<T, std::complex<float>> &&
                !std::is_same_v<T, std::complex<double>>) {
    if (kind == graph::ScatterKind::max)
      return maxOf(x, y);
    if (kind == graph::ScatterKind::min)
      return minOf(x, y);
  }
  return kind == graph::ScatterKind::sum    ? T(x + y)
         : kind == graph::ScatterKind::prod ? T(x * y)
                                            : y;
}

// Calls fn(TypeTag<T>, join) where join(T, T) reduces stored elements.
template <typename Fn>
static void visitJoin(graph::ScatterKind kind, Type element, Fn &&fn) {
  auto plain = [&](auto tag) {
    using T = typename decltype(tag)::type;
    fn(tag, [kind](T x, T y) { return joined(kind, x, y); });
  };
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF32()
               ? plain(TypeTag<std::complex<float>>())
               : plain(TypeTag<std::complex<double>>());
  if (auto format = SmallFloat::of(element)) {
    auto small = [&](auto tag) {
      using T = typename decltype(tag)::type;
      fn(tag, [kind, format](T x, T y) {
        if (kind == graph::ScatterKind::set)
          return y;
        return T(format->encode(
            joined(kind, float(format->decode(x)), float(format->decode(y)))));
      });
    };
    return format->width() == 8 ? small(TypeTag<uint8_t>())
                                : small(TypeTag<uint16_t>());
  }
  if (element.isF32())
    return plain(TypeTag<float>());
  if (element.isF64())
    return plain(TypeTag<double>());
  visitInteger(element, [&](auto tag, unsigned width) {
    using T = typename decltype(tag)::type;
    fn(tag, [kind, width](T x, T y) {
      using W = std::make_unsigned_t<Wide<T>>;
      if (kind == graph::ScatterKind::sum)
        return wrapTo<T>(W(x) + W(y), width);
      if (kind == graph::ScatterKind::prod)
        return wrapTo<T>(W(x) * W(y), width);
      return joined(kind, x, y);
    });
  });
}

static Expected<Results> evaluateKind(graph::ScatterOp op,
                                      const OpEvaluation &e) {
  Expected<ScatterPlan> plan = ScatterPlan::make(e, op.getDims(), e.operand(0),
                                                 e.operand(1), e.operand(2));
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = e.checkShape(e.operand(0).shape()))
    return std::move(error);
  Tensor updates = e.operand(2), result = e.take(0);
  char *to = result.writable();
  const char *from = updates.bytes();
  int64_t bytes = elementBytes(result.elementType());
  SmallVector<BoxLoop> loops = boxLoops(*plan, bytes);
  visitJoin(op.getKind(), result.elementType(), [&](auto tag, auto join) {
    using T = typename decltype(tag)::type;
    auto update = [&](char *target, const char *source) {
      T *element = reinterpret_cast<T *>(target);
      *element = join(*element, *reinterpret_cast<const T *>(source));
    };
    llvm::cantFail(plan->forEachWindow([&](int64_t target, int64_t source) {
      forEachPair(to + target * bytes, from + source * bytes, loops, update);
      return llvm::Error::success();
    }));
  });
  return Results{std::move(result)};
}

static Expected<Results> evaluateWith(graph::ScatterWithOp op,
                                      const OpEvaluation &e) {
  size_t count = op.getInputs().size();
  ArrayRef<Tensor> updates = e.operands.drop_front(count + 1);
  for (size_t i = 0; i < count; ++i)
    if (e.operand(i).shape() != e.operand(0).shape() ||
        updates[i].shape() != updates[0].shape())
      return e.fail("operands or updates have different shapes at run time");
  Expected<ScatterPlan> plan = ScatterPlan::make(e, op.getDims(), e.operand(0),
                                                 e.operand(count), updates[0]);
  if (!plan)
    return plan.takeError();
  Expected<ScalarFunction> function = ScalarFunction::compile(e, op.getBody());
  if (!function)
    return function.takeError();
  Results results;
  SmallVector<char *> to;
  SmallVector<ElementAccess> accesses;
  for (size_t i = 0; i < count; ++i) {
    if (llvm::Error error = e.checkShape(e.operand(i).shape(), i))
      return std::move(error);
    results.push_back(e.take(i));
  }
  for (Tensor &result : results) {
    to.push_back(result.writable());
    accesses.emplace_back(result.elementType());
  }
  auto update = [&](int64_t target, int64_t source) -> llvm::Error {
    for (size_t i = 0; i < count; ++i) {
      int64_t bytes = accesses[i].bytes();
      function->argument(i) = accesses[i].load(to[i] + target * bytes);
      function->argument(count + i) =
          accesses[i].load(updates[i].bytes() + source * bytes);
    }
    if (llvm::Error error = function->run())
      return error;
    for (size_t i = 0; i < count; ++i)
      accesses[i].store(to[i] + target * int64_t(accesses[i].bytes()),
                        function->result(i));
    return llvm::Error::success();
  };
  Shape offset(plan->box.size(), 0);
  llvm::Error error =
      plan->forEachWindow([&](int64_t target, int64_t source) -> llvm::Error {
        do {
          int64_t into = target, out = source;
          for (size_t i = 0; i < offset.size(); ++i) {
            into += offset[i] * plan->to[i];
            out += offset[i] * plan->from[i];
          }
          if (llvm::Error failed = update(into, out))
            return failed;
        } while (stepPosition(offset, plan->box));
        return llvm::Error::success();
      });
  if (error)
    return std::move(error);
  return results;
}

Expected<Results> zenith::interpreter::evaluateScatter(const OpEvaluation &e) {
  if (auto op = dyn_cast<graph::ScatterOp>(e.op))
    return evaluateKind(op, e);
  if (auto op = dyn_cast<graph::ScatterWithOp>(e.op))
    return evaluateWith(op, e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
