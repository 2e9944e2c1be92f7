// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs block-wise quantized weights of matmuls, as many bits as they are: a
// GEMM widens a block of a panel once for all rows of a task, or few rows meet
// them in registers.

#include "ir/GraphOps.h"
#include "ir/encodings/CodedPanels.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/BlockCodes.h"
#include "passes/quantize/CodeBytes.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKBLOCKCODESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

namespace {
/// Packs the weights of one matmul.
class BlockPacking {
public:
  BlockPacking(DotGeneralOp dot, const BlockWeights &weights, int64_t panel)
      : dot(dot), weights(weights), panel(panel), builder(dot),
        loc(dot.getLoc()) {}
  /// nullopt where the integers take more than a byte.
  std::optional<CodedPanels> pack();

private:
  /// A matrix that lies as the weights do, in panels of columns.
  Value panelsOf(Value matrix) {
    if (weights.kDim == 1)
      matrix = transposed(builder, loc, matrix, {1, 0});
    return packPanels(builder, loc, matrix, panel);
  }
  void packCodes(const CodedIntegers &codes, CodedPanels &packed);
  bool packBytes(CodedPanels &packed);

  DotGeneralOp dot;
  const BlockWeights &weights;
  int64_t panel;
  OpBuilder builder;
  Location loc;
};
} // namespace

void BlockPacking::packCodes(const CodedIntegers &codes, CodedPanels &packed) {
  auto fromLow = [&](Value value) {
    return panelsOf(codesFromZero(builder, loc, value, codes.low));
  };
  Value bytes = fromLow(codes.codes);
  RankedTensorType type = typeOf(bytes);
  int64_t count = type.getDimSize(0), pairs = (type.getDimSize(1) + 1) / 2,
          width = type.getDimSize(2);
  bytes = reshaped(builder, loc,
                   zeroPadded(builder, loc, bytes, {count, 2 * pairs, width}),
                   {count, pairs, 2, width});
  packed.integers = pairsInBytes(builder, loc, bytes, /*dim=*/2);
  packed.isHalved = true;
  if (codes.zeros)
    packed.zeros = fromLow(codes.zeros);
  packed.zero = codes.zero - codes.low;
}

/// A byte for each integer, or for each code beside zero points; false where
/// more are needed.
bool BlockPacking::packBytes(CodedPanels &packed) {
  auto codes = matchCodedBytes(weights.integers, weights.kDim, weights.block);
  if (codes && !weights.zeros) {
    packed.integers = panelsOf(codes->codes);
    packed.zeros = panelsOf(converted(builder, codes->zeros,
                                      typeOf(codes->codes).getElementType()));
    return true;
  }
  auto range = rangeOf(weights.integers);
  bool isSigned = range->fits(8);
  if (!isSigned && (range->low < 0 || range->high > 255))
    return false;
  Type byte = isSigned ? Type(builder.getI8Type())
                       : Type(builder.getIntegerType(8, /*isSigned=*/false));
  packed.integers = panelsOf(converted(builder, weights.integers, byte));
  return true;
}

std::optional<CodedPanels> BlockPacking::pack() {
  CodedPanels packed;
  packed.k = typeOf(weights.integers).getDimSize(weights.kDim);
  packed.block = weights.block;
  auto codes =
      matchCodedIntegers(weights.integers, weights.kDim, weights.block);
  // A float that is subtracted is no zero point of other codes.
  bool isPlain = codes && codes->low == 0 && !codes->zeros && codes->zero == 0;
  if (codes && (!weights.zeros || isPlain))
    packCodes(*codes, packed);
  else if (!packBytes(packed))
    return std::nullopt;
  if (weights.zeros)
    packed.zeros = panelsOf(weights.zeros);
  packed.scales = panelsOf(weights.scales);
  return packed;
}

/// Fewer columns than half a panel would be packed in narrower ones, which
/// kernels read in f32.
static void packWeights(DotGeneralOp dot, int64_t panel) {
  auto weights = matchBlockWeights(dot);
  if (!weights)
    return;
  RankedTensorType type = typeOf(weights->integers);
  int64_t k = type.getDimSize(weights->kDim),
          columns = type.getDimSize(1 - weights->kDim);
  if (columns <= panel / 2)
    return;
  auto packed = BlockPacking(dot, *weights, panel).pack();
  if (!packed)
    return;
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  dot.getRhsMutable().assign(unpackPanels(
      builder, loc, decodePanels(builder, loc, *packed), k, columns));
  dot.setDimsAttr(DotDimsAttr::get(dot.getContext(), {}, {},
                                   dot.getDims().getLhsContracting(), {0}));
}

namespace {

struct PackBlockCodesPass : impl::PackBlockCodesPassBase<PackBlockCodesPass> {
  using PackBlockCodesPassBase::PackBlockCodesPassBase;

  void runOnOperation() override {
    target::TargetModel model = target::modelOf(getOperation());
    if (!model.coreCaches)
      return;
    SmallVector<DotGeneralOp> matmuls;
    getOperation().walk([&](DotGeneralOp op) { matmuls.push_back(op); });
    for (DotGeneralOp op : matmuls)
      packWeights(op, panel ? panel : int64_t(model.nr));
  }
};

} // namespace
} // namespace zenith::quantize
