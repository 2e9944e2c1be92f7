// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Movement family: each op is one strided copy, or a few.

#include "ir/GraphOps.h"
#include "ir/interpreter/OpEvaluation.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/tensor/Scalar.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

static Expected<Tensor> evaluate(graph::ConstantOp op, const OpEvaluation &e) {
  Tensor value = Tensor::fromElements(op.getValue());
  if (!value)
    return e.fail("has elements that cannot be read", ErrorCode::Unsupported);
  return value;
}

static Expected<Tensor> evaluate(graph::DimOp op, const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate({});
  if (result)
    writableElements<int64_t>(*result)[0] = e.operand(0).shape()[op.getDim()];
  return result;
}

static Expected<Tensor> evaluate(graph::IotaOp op, const OpEvaluation &e) {
  Expected<Shape> shape = e.shapeFromOperands(0);
  if (!shape)
    return shape.takeError();
  Expected<Tensor> result = e.allocate(*shape);
  if (!result)
    return result;
  ElementAccess access(e.resultElement());
  int64_t dim = op.getDim(), inner = stridesOf(*shape)[dim];
  char *to = result->writable();
  for (int64_t i = 0, count = result->size(); i < count; ++i)
    access.store(to + i * int64_t(access.bytes()),
                 Scalar::ofSigned(i / inner % (*shape)[dim]));
  return result;
}

static Expected<Tensor> evaluate(graph::BroadcastOp op, const OpEvaluation &e) {
  Expected<Shape> shape = e.shapeFromOperands(1);
  if (!shape)
    return shape.takeError();
  const Tensor &from = e.operand(0);
  auto declared = cast<RankedTensorType>(op.getOperand().getType());
  Shape strides = stridesOf(from.shape());
  StridedView view{0, Shape(shape->size(), 0)};
  for (auto [i, dim] : llvm::enumerate(op.getMapping())) {
    int64_t size = from.shape()[i];
    if (!declared.isDynamicDim(i) && declared.getDimSize(i) == 1)
      continue;
    if (size != (*shape)[dim])
      return e.fail("operand dimension " + Twine(i) + " is " + Twine(size) +
                    " at run time, result dimension " + Twine(dim) + " is " +
                    Twine((*shape)[dim]));
    view.strides[dim] = strides[i];
  }
  Expected<Tensor> result = e.allocate(*shape);
  if (result)
    copyStrided(result->writable(), {0, stridesOf(*shape)}, from.bytes(), view,
                *shape, elementBytes(e.resultElement()));
  return result;
}

static Expected<Tensor> evaluate(graph::ExpandOp op, const OpEvaluation &e) {
  Expected<Shape> shape = e.shapeFromOperands(1);
  if (!shape)
    return shape.takeError();
  const Tensor &from = e.operand(0);
  Shape strides = stridesOf(from.shape());
  StridedView view{0, Shape(shape->size(), 0)};
  for (auto [dim, size] : llvm::enumerate(from.shape())) {
    if (size != 1 && size != (*shape)[dim])
      return e.fail("operand dimension " + Twine(dim) + " is " + Twine(size) +
                    " at run time, result dimension " + Twine(dim) + " is " +
                    Twine((*shape)[dim]));
    view.strides[dim] = size == 1 ? 0 : strides[dim];
  }
  Expected<Tensor> result = e.allocate(*shape);
  if (result)
    copyStrided(result->writable(), {0, stridesOf(*shape)}, from.bytes(), view,
                *shape, elementBytes(e.resultElement()));
  return result;
}

static Expected<Tensor> evaluate(graph::ReshapeOp op, const OpEvaluation &e) {
  Expected<Shape> shape = e.shapeFromOperands(1);
  if (!shape)
    return shape.takeError();
  if (llvm::Error error = e.checkShape(*shape))
    return std::move(error);
  std::optional<int64_t> bytes =
      tensorBytes(RankedTensorType::get(*shape, e.resultElement()));
  if (!bytes || *bytes != e.operand(0).byteSize()) {
    std::string dims;
    for (int64_t size : *shape)
      dims += (dims.empty() ? "" : "x") + std::to_string(size);
    return e.fail("cannot give " + Twine(e.operand(0).size()) +
                  " elements the shape [" + dims + "]");
  }
  return e.operand(0).reshaped(*shape);
}

static Expected<Tensor> evaluate(graph::TransposeOp op, const OpEvaluation &e) {
  Expected<Tensor> result = permuted(e, e.operand(0), op.getPermutation());
  if (result)
    if (llvm::Error error = e.checkShape(result->shape()))
      return std::move(error);
  return result;
}

// Entries of a mixed list: the static ones, or the next operand.
static Shape mixedEntries(ArrayRef<int64_t> entries, const OpEvaluation &e,
                          unsigned &next) {
  Shape values(entries);
  for (int64_t &value : values)
    if (ShapedType::isDynamic(value))
      value = integerOf(e.operand(next++));
  return values;
}

static Expected<Tensor> evaluate(graph::SliceOp op, const OpEvaluation &e) {
  unsigned next = 1;
  Shape starts = mixedEntries(op.getStaticStarts(), e, next);
  Shape sizes = mixedEntries(op.getStaticSizes(), e, next);
  const Tensor &from = e.operand(0);
  Shape strides = stridesOf(from.shape());
  StridedView view;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t start = starts[i], stride = op.getStrides()[i];
    int64_t extent = from.shape()[i], reach = 0, last = start;
    bool outside =
        start < 0 || size < 0 || start > extent ||
        (size > 0 && (llvm::MulOverflow(size - 1, stride, reach) ||
                      llvm::AddOverflow(start, reach, last) || last >= extent));
    if (outside)
      return e.fail("part of " + Twine(size) + " elements from " +
                    Twine(start) + " by " + Twine(stride) +
                    " leaves dimension " + Twine(i) + " of size " +
                    Twine(extent));
    view.offset += start * strides[i];
    view.strides.push_back(stride * strides[i]);
  }
  Expected<Tensor> result = e.allocate(sizes);
  if (result)
    copyStrided(result->writable(), {0, stridesOf(sizes)}, from.bytes(), view,
                sizes, elementBytes(e.resultElement()));
  return result;
}

// Count of i = 0, 1, ... for which i * step + low is below 0.
static int64_t countBelowZero(int64_t low, int64_t step) {
  return low >= 0 ? 0 : (-low + step - 1) / step;
}

static Expected<Tensor> evaluate(graph::PadOp op, const OpEvaluation &e) {
  unsigned next = 2;
  Shape low = mixedEntries(op.getStaticLow(), e, next);
  Shape high = mixedEntries(op.getStaticHigh(), e, next);
  const Tensor &from = e.operand(0);
  Shape shape, box;
  SmallVector<int64_t> firsts;
  for (auto [i, size] : llvm::enumerate(from.shape())) {
    int64_t step = op.getInterior()[i] + 1, dilated = 0, whole = 0;
    if (size > 0 && (step <= 0 || llvm::MulOverflow(size - 1, step, dilated)))
      return e.fail("dimension " + Twine(i) + " of the result overflows");
    if (llvm::AddOverflow(low[i], size > 0 ? dilated + 1 : 0, whole) ||
        llvm::AddOverflow(whole, high[i], whole) || whole < 0 ||
        low[i] < -(int64_t(1) << 62))
      return e.fail("dimension " + Twine(i) + " of the result overflows");
    shape.push_back(whole);
    int64_t first = std::min(countBelowZero(low[i], step), size);
    int64_t end = std::min(countBelowZero(low[i] - whole, step), size);
    firsts.push_back(first);
    box.push_back(std::max<int64_t>(end - first, 0));
  }
  Expected<Tensor> result = e.allocate(shape);
  if (!result)
    return result;
  unsigned bytes = elementBytes(e.resultElement());
  char *to = result->writable();
  fillElements(to, result->size(), e.operand(1).bytes(), bytes);
  StridedView source{0, stridesOf(from.shape())}, target{0, stridesOf(shape)};
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t step = op.getInterior()[i] + 1;
    source.offset += firsts[i] * source.strides[i];
    target.offset += (low[i] + firsts[i] * step) * target.strides[i];
    target.strides[i] *= step;
  }
  copyStrided(to, target, from.bytes(), source, box, bytes);
  return result;
}

static Expected<Tensor> evaluate(graph::ConcatOp op, const OpEvaluation &e) {
  int64_t dim = op.getDim();
  Shape shape(e.operand(0).shape());
  for (const Tensor &part : e.operands.drop_front()) {
    for (auto [i, size] : llvm::enumerate(part.shape()))
      if (int64_t(i) != dim && size != shape[i])
        return e.fail("dimension " + Twine(i) + " of the operands is " +
                      Twine(shape[i]) + " and " + Twine(size) + " at run time");
    shape[dim] += part.shape()[dim];
  }
  Expected<Tensor> result = e.allocate(shape);
  if (!result)
    return result;
  StridedView target{0, stridesOf(shape)};
  for (const Tensor &part : e.operands) {
    copyStrided(result->writable(), target, part.bytes(),
                {0, stridesOf(part.shape())}, part.shape(),
                elementBytes(e.resultElement()));
    target.offset += part.shape()[dim] * target.strides[dim];
  }
  return result;
}

static Expected<Tensor> evaluate(graph::ReverseOp op, const OpEvaluation &e) {
  const Tensor &from = e.operand(0);
  StridedView view{0, stridesOf(from.shape())};
  for (int64_t dim : op.getDims()) {
    view.offset += (from.shape()[dim] - 1) * view.strides[dim];
    view.strides[dim] = -view.strides[dim];
  }
  Expected<Tensor> result = e.allocate(from.shape());
  if (result)
    copyStrided(result->writable(), {0, stridesOf(from.shape())}, from.bytes(),
                view, from.shape(), elementBytes(e.resultElement()));
  return result;
}

Expected<Tensor> zenith::interpreter::evaluateMovement(const OpEvaluation &e) {
  std::optional<Expected<Tensor>> result;
  llvm::TypeSwitch<Operation *>(e.op)
      .Case<graph::ConstantOp, graph::DimOp, graph::IotaOp, graph::BroadcastOp,
            graph::ExpandOp, graph::ReshapeOp, graph::TransposeOp,
            graph::SliceOp, graph::PadOp, graph::ConcatOp, graph::ReverseOp>(
          [&](auto op) { result.emplace(evaluate(op, e)); });
  if (!result)
    return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
  return std::move(*result);
}
