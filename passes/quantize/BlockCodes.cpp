// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches products of integers and scales, and differences of codes and zero
// points, and finds the bits of codes through movement from the fields of bytes
// that they are cut from.

#include "passes/quantize/BlockCodes.h"
#include "ir/GraphOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::quantize {

std::optional<RepeatedEntries> matchRepeated(Value value, int64_t kDim) {
  auto reshape = uncut(value).getDefiningOp<ReshapeOp>();
  auto broadcast = reshape ? reshape.getOperand().getDefiningOp<BroadcastOp>()
                           : BroadcastOp();
  if (!broadcast || typeOf(broadcast).getRank() != 3 ||
      typeOf(broadcast.getOperand()).getRank() != 2)
    return std::nullopt;
  int64_t repeated = kDim + 1;
  SmallVector<int64_t> mapping;
  for (int64_t d = 0; d < 3; ++d)
    if (d != repeated)
      mapping.push_back(d);
  RankedTensorType entries = typeOf(broadcast.getOperand());
  int64_t block = typeOf(broadcast).getDimSize(repeated);
  if (broadcast.getMapping() != ArrayRef<int64_t>(mapping) ||
      entries.getDimSize(kDim) !=
          int64_t(llvm::divideCeil(typeOf(value).getDimSize(kDim), block)) ||
      entries.getDimSize(kDim) * block != typeOf(reshape).getDimSize(kDim) ||
      entries.getDimSize(1 - kDim) != typeOf(value).getDimSize(1 - kDim))
    return std::nullopt;
  return RepeatedEntries{broadcast.getOperand(), block};
}

static std::optional<BlockWeights> weightsOf(Value value, int64_t kDim) {
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    kDim = transpose.getPermutation()[kDim];
    value = transpose.getOperand();
  }
  auto product = value.getDefiningOp<MulOp>();
  if (!product)
    return std::nullopt;
  for (auto [factor, scale] :
       {std::make_pair(product.getLhs(), product.getRhs()),
        std::make_pair(product.getRhs(), product.getLhs())}) {
    auto difference = factor.getDefiningOp<SubOp>();
    auto convert =
        (difference ? difference.getLhs() : factor).getDefiningOp<ConvertOp>();
    auto repeated = matchRepeated(scale, kDim);
    auto zeros =
        difference ? matchRepeated(difference.getRhs(), kDim) : std::nullopt;
    if (!convert || !repeated ||
        (difference && (!zeros || zeros->block != repeated->block)))
      continue;
    auto range = rangeOf(convert.getOperand());
    if (range && range->fits(16))
      return BlockWeights{convert.getOperand(), repeated->entries,
                          zeros ? zeros->entries : Value(), kDim,
                          repeated->block};
  }
  return std::nullopt;
}

std::optional<BlockWeights> matchBlockWeights(DotGeneralOp dot) {
  DotDimsAttr dims = dot.getDims();
  RankedTensorType right = typeOf(dot.getRhs());
  if (!dims.getRhsBatching().empty() || right.getRank() != 2 ||
      dims.getRhsContracting().size() != 1 || !right.hasStaticShape() ||
      right.getNumElements() == 0 || !typeOf(dot).getElementType().isF32() ||
      !isParameter(dot.getRhs()) || isFixed(dot.getLhs()))
    return std::nullopt;
  return weightsOf(dot.getRhs(), dims.getRhsContracting().front());
}

/// The integer that conversions left as it is. Those of ui8 to i8 do so for
/// values below 128, which codes of 4 bits are.
static Value beforeConversions(Value value) {
  while (auto convert = value.getDefiningOp<ConvertOp>()) {
    Type from = typeOf(convert.getOperand()).getElementType(),
         to = typeOf(value).getElementType();
    auto range = rangeOf(convert.getOperand()), held = rangeOfType(to);
    bool isKept =
        range && (to.isInteger(32) || (held && range->low >= held->low &&
                                       range->high <= held->high));
    if (!isKept && !(from.isUnsignedInteger(8) && to.isSignlessInteger(8)))
      return value;
    value = convert.getOperand();
  }
  return value;
}

/// The range of integers that are fields of bytes, moved and joined.
static std::optional<IntegerRange> rangeOfFields(Value value,
                                                 unsigned opsLeft = 16) {
  Operation *op = value.getDefiningOp();
  if (!op || opsLeft == 0)
    return rangeOf(value);
  if (isa<ReshapeOp, TransposeOp, SliceOp, BroadcastOp, ConvertOp>(op))
    return typeOf(op->getOperand(0)).getElementType().isInteger()
               ? rangeOfFields(op->getOperand(0), opsLeft - 1)
               : std::nullopt;
  if (isa<AndOp>(op))
    if (auto mask = splatValue(op->getOperand(1)); mask && *mask >= 0)
      return IntegerRange{0, int64_t(*mask)};
  if (isa<ShiftRightLogicalOp>(op) &&
      typeOf(value).getElementType().isUnsignedInteger(8))
    if (auto count = splatValue(op->getOperand(1)); count && *count < 8)
      return IntegerRange{0, 255 >> int64_t(*count)};
  if (!isa<ConcatOp>(op))
    return rangeOf(value);
  std::optional<IntegerRange> all;
  for (Value part : op->getOperands()) {
    auto range = rangeOfFields(part, opsLeft - 1);
    if (!range)
      return std::nullopt;
    all = all ? IntegerRange{std::min(all->low, range->low),
                             std::max(all->high, range->high)}
              : *range;
  }
  return all;
}

/// Codes of any number of bits.
static std::optional<CodedIntegers>
matchDifference(Value integers, int64_t kDim, int64_t block) {
  integers = beforeConversions(integers);
  CodedIntegers result{integers, 0, {}, 0};
  if (auto difference = integers.getDefiningOp<SubOp>()) {
    result.codes = difference.getLhs();
    Value zeros = beforeConversions(difference.getRhs());
    if (auto zero = splatValue(zeros)) {
      result.zero = int64_t(*zero);
    } else {
      auto repeated = matchRepeated(zeros, kDim);
      if (!repeated || repeated->block != block)
        return std::nullopt;
      result.zeros = repeated->entries;
    }
  }
  return result;
}

std::optional<CodedIntegers> matchCodedBytes(Value integers, int64_t kDim,
                                             int64_t block) {
  auto result = matchDifference(integers, kDim, block);
  if (!result || !result->zeros)
    return std::nullopt;
  result->codes = beforeConversions(result->codes);
  result->zeros = beforeConversions(result->zeros);
  Type type = typeOf(result->codes).getElementType();
  auto zeros = rangeOfFields(result->zeros), held = rangeOfType(type);
  if (!type.isInteger(8) || !zeros || zeros->low < held->low ||
      zeros->high > held->high)
    return std::nullopt;
  return result;
}

std::optional<CodedIntegers> matchCodedIntegers(Value integers, int64_t kDim,
                                                int64_t block) {
  constexpr int64_t codesOf4Bits = 16;
  auto difference = matchDifference(integers, kDim, block);
  auto range = difference ? rangeOfFields(difference->codes) : std::nullopt;
  if (!range || range->high - range->low >= codesOf4Bits)
    return std::nullopt;
  CodedIntegers &result = *difference;
  result.low = range->low;
  auto bytes = [](int64_t value) { return value >= -128 && value < 128; };
  auto zeros = result.zeros ? rangeOfFields(result.zeros)
                            : IntegerRange{result.zero, result.zero};
  // Differences are computed in bytes.
  if (!zeros || !bytes(range->high - zeros->low) ||
      !bytes(range->low - zeros->high) || !bytes(zeros->low - range->low) ||
      !bytes(zeros->high - range->low))
    return std::nullopt;
  return result;
}

std::optional<int64_t> bitsOfCodes(const BlockWeights &weights) {
  if (matchCodedIntegers(weights.integers, weights.kDim, weights.block))
    return 4;
  auto range = rangeOf(weights.integers);
  bool areBytes =
      range && (range->fits(8) || (range->low >= 0 && range->high <= 255));
  bool haveZeros =
      !weights.zeros &&
      matchCodedBytes(weights.integers, weights.kDim, weights.block);
  return areBytes || haveZeros ? std::optional<int64_t>(8) : std::nullopt;
}

} // namespace zenith::quantize
