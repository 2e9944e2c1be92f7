// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors, results and operand access that all evaluators share.

#include "ir/interpreter/OpEvaluation.h"

#include "ir/LocationText.h"
#include "ir/tensor/Scalar.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;

llvm::Error OpEvaluation::fail(const Twine &message, ErrorCode code) const {
  // Errors outlive contexts, so the location is text.
  return makeError(code, "'" + op->getName().getStringRef() + "' op " + message,
                   graph::placeOf(op->getLoc()));
}

llvm::Error OpEvaluation::checkShape(ArrayRef<int64_t> shape,
                                     unsigned index) const {
  RankedTensorType type = resultType(index);
  if (int64_t(shape.size()) != type.getRank())
    return fail("result has rank " + Twine(shape.size()) +
                " at run time, its type has rank " + Twine(type.getRank()));
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size < 0)
      return fail("dimension " + Twine(dim) + " of the result would be " +
                  Twine(size));
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != size)
      return fail("dimension " + Twine(dim) + " of the result is " +
                  Twine(size) + " at run time, its type says " +
                  Twine(type.getDimSize(dim)));
  }
  return llvm::Error::success();
}

llvm::Expected<Tensor> OpEvaluation::temporary(ArrayRef<int64_t> shape,
                                               Type element) const {
  auto type = RankedTensorType::get(shape, element);
  std::optional<int64_t> bytes = tensorBytes(type);
  if (!bytes || *bytes > maxTensorBytes)
    return fail("a value would take " +
                    (bytes ? Twine(*bytes) : Twine("more than 2^63")) +
                    " bytes, the limit is " + Twine(maxTensorBytes),
                ErrorCode::Memory);
  Tensor result(type);
  if (!result)
    return fail("no memory for a value of " + Twine(*bytes) + " bytes",
                ErrorCode::Memory);
  return result;
}

llvm::Expected<Tensor> OpEvaluation::allocate(ArrayRef<int64_t> shape,
                                              unsigned index) const {
  if (llvm::Error error = checkShape(shape, index))
    return std::move(error);
  return temporary(shape, resultType(index).getElementType());
}

llvm::Expected<Shape> OpEvaluation::shapeFromOperands(unsigned first) const {
  Shape shape(resultType().getShape());
  for (int64_t &dim : shape)
    if (ShapedType::isDynamic(dim)) {
      if (first >= operands.size())
        return fail("has fewer dimension operands than dynamic dimensions");
      dim = integerOf(operands[first++]);
      if (dim < 0)
        return fail("got the negative dimension " + Twine(dim));
    }
  return shape;
}

SmallVector<int64_t> zenith::interpreter::integersOf(const Tensor &tensor) {
  ElementAccess access(tensor.elementType());
  SmallVector<int64_t> values;
  values.reserve(tensor.size());
  const char *from = tensor.bytes();
  for (int64_t i = 0, e = tensor.size(); i < e; ++i, from += access.bytes())
    values.push_back(access.load(from).asInt64());
  return values;
}

int64_t zenith::interpreter::integerOf(const Tensor &scalar) {
  return elementAt(scalar, 0).asInt64();
}

bool zenith::interpreter::isSmallFloat(Type element) {
  return SmallFloat::of(element).has_value();
}

Tensor zenith::interpreter::widened(const Tensor &tensor) {
  std::optional<SmallFloat> format = SmallFloat::of(tensor.elementType());
  if (!format)
    return tensor;
  Tensor result(RankedTensorType::get(
      tensor.shape(), Float32Type::get(tensor.elementType().getContext())));
  MutableArrayRef<float> to = writableElements<float>(result);
  if (format->width() == 8) {
    for (auto [out, bits] : llvm::zip(to, elementsOf<uint8_t>(tensor)))
      out = float(format->decode(bits));
    return result;
  }
  for (auto [out, bits] : llvm::zip(to, elementsOf<uint16_t>(tensor)))
    out = float(format->decode(bits));
  return result;
}

Tensor zenith::interpreter::narrowed(const Tensor &tensor, Type element) {
  std::optional<SmallFloat> format = SmallFloat::of(element);
  if (!format)
    return tensor;
  Tensor result(RankedTensorType::get(tensor.shape(), element));
  ArrayRef<float> from = elementsOf<float>(tensor);
  if (format->width() == 8) {
    for (auto [out, value] : llvm::zip(writableElements<uint8_t>(result), from))
      out = uint8_t(format->encode(value));
    return result;
  }
  for (auto [out, value] : llvm::zip(writableElements<uint16_t>(result), from))
    out = format->encode(value);
  return result;
}
