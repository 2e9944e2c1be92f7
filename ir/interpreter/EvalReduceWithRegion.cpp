// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions whose step is a region: over dimensions and over windows, of
// several operands at once.

#include "ir/GraphOps.h"
#include "ir/dims/WindowShapes.h"
#include "ir/interpreter/EvalReduction.h"
#include "ir/interpreter/ScalarFunction.h"
#include "ir/interpreter/StridedCopy.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

namespace {
/// The region with the reduction so far in its first arguments.
class RegionReduce {
public:
  static Expected<RegionReduce> make(const OpEvaluation &e, Region &region,
                                     ArrayRef<Tensor> inits) {
    Expected<ScalarFunction> function = ScalarFunction::compile(e, region);
    if (!function)
      return function.takeError();
    RegionReduce reduction(std::move(*function));
    for (const Tensor &init : inits) {
      reduction.inits.push_back(elementAt(init, 0));
      reduction.accesses.emplace_back(init.elementType());
    }
    reduction.state = reduction.inits;
    return reduction;
  }

  void start() { state = inits; }
  /// Reduces the elements at `index`; the start values if it is negative.
  llvm::Error step(ArrayRef<const char *> from, int64_t index) {
    size_t count = state.size();
    for (size_t i = 0; i < count; ++i) {
      function.argument(i) = state[i];
      function.argument(count + i) =
          index < 0 ? inits[i]
                    : accesses[i].load(from[i] +
                                       index * int64_t(accesses[i].bytes()));
    }
    if (llvm::Error error = function.run())
      return error;
    for (size_t i = 0; i < count; ++i)
      state[i] = function.result(i);
    return llvm::Error::success();
  }
  void store(ArrayRef<char *> to, int64_t index) const {
    for (size_t i = 0; i < state.size(); ++i)
      accesses[i].store(to[i] + index * int64_t(accesses[i].bytes()), state[i]);
  }

private:
  explicit RegionReduce(ScalarFunction function)
      : function(std::move(function)) {}

  ScalarFunction function;
  SmallVector<Scalar> inits, state;
  SmallVector<ElementAccess> accesses;
};
} // namespace

static llvm::Error checkOneShape(const OpEvaluation &e,
                                 ArrayRef<Tensor> inputs) {
  for (const Tensor &input : inputs)
    if (input.shape() != inputs[0].shape())
      return e.fail("operands have different shapes at run time");
  return llvm::Error::success();
}

// One result per operand, and the address of its bytes.
static llvm::Error makeResults(const OpEvaluation &e, ArrayRef<int64_t> shape,
                               Results &results, SmallVectorImpl<char *> &to) {
  for (unsigned i = 0; i < e.op->getNumResults(); ++i) {
    Expected<Tensor> result = e.allocate(shape, i);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  for (Tensor &result : results)
    to.push_back(result.writable());
  return llvm::Error::success();
}

static Expected<Results> evaluateReduceWith(graph::ReduceWithOp op,
                                            const OpEvaluation &e) {
  size_t count = op.getInputs().size();
  ArrayRef<Tensor> inputs = e.operands.take_front(count);
  if (llvm::Error error = checkOneShape(e, inputs))
    return std::move(error);
  Expected<RegionReduce> reduction =
      RegionReduce::make(e, op.getBody(), e.operands.drop_front(count));
  if (!reduction)
    return reduction.takeError();
  SmallVector<int64_t> order;
  Shape kept;
  int64_t length = 1;
  for (auto [i, size] : llvm::enumerate(inputs[0].shape()))
    if (!llvm::is_contained(op.getDims(), int64_t(i))) {
      order.push_back(i);
      kept.push_back(size);
    }
  for (int64_t dim : op.getDims()) {
    order.push_back(dim);
    length *= inputs[0].shape()[dim];
  }
  Results rows, results;
  SmallVector<const char *> from;
  SmallVector<char *> to;
  for (const Tensor &input : inputs) {
    Expected<Tensor> row = permuted(e, input, order);
    if (!row)
      return row.takeError();
    rows.push_back(std::move(*row));
    from.push_back(rows.back().bytes());
  }
  if (llvm::Error error = makeResults(e, kept, results, to))
    return std::move(error);
  for (int64_t row = 0, end = results[0].size(); row < end; ++row) {
    reduction->start();
    for (int64_t i = 0; i < length; ++i)
      if (llvm::Error error = reduction->step(from, row * length + i))
        return std::move(error);
    reduction->store(to, row);
  }
  return results;
}

namespace {
/// Row-major walk over the elements of an output position's window.
struct WindowWalk {
  SmallVector<graph::WindowDim> dims;
  Shape input, strides, output;

  /// Index of the input element at an offset in the window; -1 in padding and
  /// in gaps.
  int64_t index(ArrayRef<int64_t> position, ArrayRef<int64_t> offset) const {
    int64_t index = 0;
    for (size_t i = 0; i < dims.size(); ++i) {
      const graph::WindowDim &dim = dims[i];
      int64_t at =
          position[i] * dim.stride + offset[i] * dim.dilation - dim.low;
      if (at < 0 || at % dim.baseDilation != 0 ||
          at / dim.baseDilation >= input[i])
        return -1;
      index += at / dim.baseDilation * strides[i];
    }
    return index;
  }
};
} // namespace

static Expected<Results> evaluateReduceWindowWith(graph::ReduceWindowWithOp op,
                                                  const OpEvaluation &e) {
  size_t count = op.getInputs().size();
  ArrayRef<Tensor> inputs = e.operands.take_front(count);
  if (llvm::Error error = checkOneShape(e, inputs))
    return std::move(error);
  Expected<RegionReduce> reduction =
      RegionReduce::make(e, op.getBody(), e.operands.drop_front(count));
  if (!reduction)
    return reduction.takeError();
  WindowWalk walk;
  walk.input = Shape(inputs[0].shape());
  walk.strides = stridesOf(walk.input);
  for (auto [i, size] : llvm::enumerate(walk.input)) {
    walk.dims.push_back({op.getWindow()[i], op.getStrides()[i], op.getLow()[i],
                         op.getHigh()[i], op.getBaseDilation()[i],
                         op.getDilation()[i]});
    walk.output.push_back(graph::windowedSize(size, walk.dims.back()));
  }
  Results results;
  SmallVector<char *> to;
  SmallVector<const char *> from;
  for (const Tensor &input : inputs)
    from.push_back(input.bytes());
  if (llvm::Error error = makeResults(e, walk.output, results, to))
    return std::move(error);
  Shape position(walk.output.size(), 0), offset(walk.output.size(), 0);
  for (int64_t i = 0, end = results[0].size(); i < end; ++i) {
    reduction->start();
    do {
      if (llvm::Error error =
              reduction->step(from, walk.index(position, offset)))
        return std::move(error);
    } while (stepPosition(offset, op.getWindow()));
    reduction->store(to, i);
    stepPosition(position, walk.output);
  }
  return results;
}

Expected<Results>
zenith::interpreter::evaluateReduceWithRegion(const OpEvaluation &e) {
  if (auto op = dyn_cast<graph::ReduceWithOp>(e.op))
    return evaluateReduceWith(op, e);
  if (auto op = dyn_cast<graph::ReduceWindowWithOp>(e.op))
    return evaluateReduceWindowWith(op, e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
