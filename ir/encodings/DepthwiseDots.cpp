// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises convolutions channel by channel of quantized images and of bf16.

#include "ir/encodings/DepthwiseDots.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;

namespace zenith::graph {

/// What `value` converts to `element`; null for what converts nothing.
static Value beforeConversion(Value value, Type element) {
  auto convert = value.getDefiningOp<ConvertOp>();
  bool converts = convert && typeOf(value).getElementType() == element;
  return converts ? convert.getOperand() : Value();
}

/// The same from a narrower integer.
static Value converted(Value value, Type element) {
  Value from = beforeConversion(value, element);
  return from && typeOf(from).getElementType().isInteger() ? from : Value();
}

static bool isDepthwise(ConvolutionOp op) {
  // f32 holds this many products of bytes.
  constexpr int64_t mostTaps = 512;
  RankedTensorType kernel = typeOf(op.getKernel());
  int64_t rank = kernel.getRank();
  auto isOne = [](int64_t number) { return number == 1; };
  if (!kernel.hasStaticShape() || rank < 3 || rank > 4 || !isChannelsLast(op) ||
      !llvm::all_of(op.getInputDilation(), isOne))
    return false;
  int64_t channels = kernel.getShape().back();
  return channels > 0 && kernel.getDimSize(rank - 2) == 1 &&
         int64_t(op.getGroups()) == channels &&
         typeOf(op.getInput()).getShape().back() == channels &&
         kernel.getNumElements() <= mostTaps * channels;
}

std::optional<DepthwiseDots> matchInt8Depthwise(ConvolutionOp op) {
  MLIRContext *context = op.getContext();
  Type f32 = Float32Type::get(context), i32 = IntegerType::get(context, 32);
  if (!typeOf(op).getElementType().isF32() || !isDepthwise(op))
    return std::nullopt;
  DepthwiseDots window;
  window.weights = converted(op.getKernel(), f32);
  Value wide = converted(op.getInput(), f32);
  if (!window.weights || !wide ||
      !typeOf(window.weights).getElementType().isSignlessInteger(8))
    return std::nullopt;
  if (auto difference = wide.getDefiningOp<SubOp>()) {
    auto zero = splatValue(difference.getRhs());
    if (!zero || *zero < 0 || *zero > 255 ||
        !typeOf(wide).getElementType().isInteger(32))
      return std::nullopt;
    window.zeroPoint = int64_t(*zero);
    wide = difference.getLhs();
  }
  window.input =
      typeOf(wide).getElementType() == i32 ? converted(wide, i32) : wide;
  if (!window.input ||
      !typeOf(window.input).getElementType().isUnsignedInteger(8))
    return std::nullopt;
  return window;
}

std::optional<DepthwiseDots> matchDepthwiseDots(ConvolutionOp op) {
  if (auto window = matchInt8Depthwise(op))
    return window;
  Type f32 = Float32Type::get(op.getContext());
  if (!typeOf(op).getElementType().isF32() || !isDepthwise(op))
    return std::nullopt;
  DepthwiseDots window;
  window.input = beforeConversion(op.getInput(), f32);
  window.weights = beforeConversion(op.getKernel(), f32);
  window.group = 2;
  auto isBF16 = [](Value value) {
    return value && typeOf(value).getElementType().isBF16();
  };
  return isBF16(window.input) && isBF16(window.weights) ? std::optional(window)
                                                        : std::nullopt;
}

} // namespace zenith::graph
