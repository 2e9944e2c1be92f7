// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs block-wise quantized weights of matmuls with several rows, as many bits
// as they are: a GEMM widens a block of a panel once for all rows of a task.

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

  DotGeneralOp dot;
  const BlockWeights &weights;
  int64_t panel;
  OpBuilder builder;
  Location loc;
};
} // namespace

void BlockPacking::packCodes(const CodedIntegers &codes, CodedPanels &packed) {
  Value bytes = panelsOf(codesFromZero(builder, loc, codes.codes, codes.low));
  RankedTensorType type = typeOf(bytes);
  bytes = reshaped(
      builder, loc, bytes,
      {type.getDimSize(0), type.getDimSize(1) / 2, 2, type.getDimSize(2)});
  packed.integers = pairsInBytes(builder, loc, bytes, /*dim=*/2);
  packed.isHalved = true;
  if (codes.zeros)
    packed.zeros =
        panelsOf(codesFromZero(builder, loc, codes.zeros, codes.low));
  packed.zero = codes.zero - codes.low;
}

std::optional<CodedPanels> BlockPacking::pack() {
  CodedPanels packed;
  packed.block = weights.block;
  auto codes =
      weights.block % 2 == 0
          ? matchCodedIntegers(weights.integers, weights.kDim, weights.block)
          : std::nullopt;
  if (codes)
    packCodes(*codes, packed);
  else if (rangeOf(weights.integers)->fits(8))
    packed.integers =
        panelsOf(converted(builder, weights.integers, builder.getI8Type()));
  else
    return std::nullopt;
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
