// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads samples, checks them, and cuts them into batches.

#include "tools/model/Samples.h"

#include "frontends/files/ElementNames.h"
#include "frontends/models/Diagnostics.h"
#include "ir/tensor/Scalar.h"
#include <cmath>

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;
using models::ArgumentInfo;

/// Samples of one batch: enough rows for products to run fast, few enough for
/// activations to stay in memory.
static constexpr int64_t samplesPerBatch = 32;

static bool isOpen(const ArgumentInfo &argument) {
  return argument.type.getRank() > 0 && argument.type.isDynamicDim(0);
}

/// True where samples fill the fixed first dimension of the input, several at a
/// time, instead of having a dimension more.
static bool fillsFront(const ArgumentInfo &argument, const Tensor &value) {
  ArrayRef<int64_t> shape = value.shape(), wanted = argument.type.getShape();
  return !isOpen(argument) && !wanted.empty() &&
         shape.size() == wanted.size() && wanted[0] > 0 &&
         shape[0] % wanted[0] == 0;
}

static std::string expectedText(const ArgumentInfo &argument) {
  std::string text = isOpen(argument) ? "" : "samples x ";
  for (auto [d, size] : llvm::enumerate(argument.type.getShape())) {
    text += d ? " x " : "";
    text += ShapedType::isDynamic(size)
                ? (d == 0 ? "samples" : argument.dims[d].str())
                : std::to_string(size);
  }
  return text;
}

static llvm::Error checkSamples(const ArgumentInfo &argument,
                                const Tensor &value) {
  ArrayRef<int64_t> shape = value.shape(), wanted = argument.type.getShape();
  bool sharesFront = isOpen(argument) || fillsFront(argument, value);
  bool fits = shape.size() == wanted.size() + (sharesFront ? 0 : 1) &&
              value.elementType() == argument.type.getElementType();
  if (fits)
    for (auto [size, expected] : llvm::zip(
             shape.drop_front(), sharesFront ? wanted.drop_front() : wanted))
      fits &= ShapedType::isDynamic(expected) || size == expected;
  if (!fits)
    return makeError(ErrorCode::Invalid,
                     "samples of input '" + argument.name + "' are " +
                         files::typeText(value.type()) + ", expected " +
                         expectedText(argument) + " of the type of " +
                         files::typeText(argument.type));
  if (shape[0] == 0)
    return makeError(ErrorCode::Invalid,
                     "there are no samples of input '" + argument.name + "'");
  if (!isa<FloatType>(value.elementType()))
    return llvm::Error::success();
  for (int64_t i = 0; i < value.size(); ++i) {
    double element = interpreter::elementAt(value, i).asDouble();
    if (!std::isfinite(element))
      return makeError(ErrorCode::Invalid,
                       "samples of input '" + argument.name + "' hold " +
                           (std::isnan(element) ? "NaN" : "infinity") +
                           " in sample " +
                           std::to_string(i / (value.size() / shape[0])));
  }
  return llvm::Error::success();
}

/// `count` samples from `first` on, as the argument takes them.
static Tensor cut(const Tensor &all, const ArgumentInfo &argument,
                  int64_t first, int64_t count) {
  int64_t bytes = all.byteSize() / all.shape()[0];
  SmallVector<int64_t> shape(all.shape());
  shape[0] = count;
  if (!isOpen(argument) && !fillsFront(argument, all))
    shape.erase(shape.begin());
  return Tensor(all.type().clone(shape),
                ArrayRef(all.bytes() + first * bytes, count * bytes));
}

llvm::Expected<SampleBatches> zenith::tools::readSamples(
    ArrayRef<ArgumentInfo> arguments, ArrayRef<std::string> inputNames,
    ArrayRef<models::KeyedFile> files, MLIRContext *context) {
  std::vector<Tensor> values(arguments.size());
  for (const models::KeyedFile &file : files) {
    llvm::Expected<unsigned> index =
        models::inputIndex(file.key, inputNames, "--calibrate");
    if (!index)
      return index.takeError();
    if (values[*index])
      return makeError(ErrorCode::Usage, "--calibrate: input '" +
                                             arguments[*index].name +
                                             "' is given twice");
    llvm::Expected<Tensor> value = models::readKeyedFile(
        file, arguments[*index].type.getElementType(), context);
    if (!value)
      return value.takeError();
    if (llvm::Error error = checkSamples(arguments[*index], *value))
      return std::move(error);
    values[*index] = std::move(*value);
  }
  int64_t count = 0, perBatch = 0;
  for (auto [argument, value] : llvm::zip(arguments, values)) {
    if (!value)
      return makeError(ErrorCode::Usage, "--calibrate: there are no samples of "
                                         "input '" +
                                             argument.name + "'");
    if (count && value.shape()[0] != count)
      return makeError(ErrorCode::Invalid,
                       "input '" + argument.name + "' has " +
                           std::to_string(value.shape()[0]) +
                           " samples, others have " + std::to_string(count));
    count = value.shape()[0];
    if (isOpen(argument))
      continue;
    int64_t own = fillsFront(argument, value) ? argument.type.getDimSize(0) : 1;
    if (perBatch && own != perBatch)
      return makeError(ErrorCode::Invalid,
                       "input '" + argument.name + "' takes " +
                           std::to_string(own) + " samples at a time, others " +
                           std::to_string(perBatch));
    perBatch = own;
  }
  if (!perBatch)
    perBatch = samplesPerBatch;
  SampleBatches batches;
  for (int64_t first = 0; first < count; first += perBatch) {
    batches.emplace_back();
    for (auto [argument, value] : llvm::zip(arguments, values))
      batches.back().push_back(
          cut(value, argument, first, std::min(perBatch, count - first)));
  }
  return batches;
}
