// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of products: rows of both operands are a batching dimension, rows of
// one a free dimension.

#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "passes/batching/BatchConvolution.h"
#include "passes/batching/RowDims.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

struct DotGeneralBatching
    : BatchRule::ExternalModel<DotGeneralBatching, DotGeneralOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    auto dot = cast<DotGeneralOp>(op);
    bool lhs = batcher.varies(dot.getLhs()), rhs = batcher.varies(dot.getRhs());
    DotDimsAttr dims = dot.getDims();
    auto side = [](bool varies, ArrayRef<int64_t> list) {
      return varies ? shifted(list) : SmallVector<int64_t>(list);
    };
    SmallVector<int64_t> lhsBatching = side(lhs, dims.getLhsBatching()),
                         rhsBatching = side(rhs, dims.getRhsBatching());
    if (lhs && rhs) {
      lhsBatching.insert(lhsBatching.begin(), 0);
      rhsBatching.insert(rhsBatching.begin(), 0);
    }
    auto newDims = DotDimsAttr::get(op->getContext(), lhsBatching, rhsBatching,
                                    side(lhs, dims.getLhsContracting()),
                                    side(rhs, dims.getRhsContracting()));
    // Where the rows are among the dimensions of the result: in front of the
    // free dimensions of the operand that they come from.
    int64_t place = lhs && rhs ? 0 : int64_t(dims.getLhsBatching().size());
    if (!lhs)
      place = typeOf(dot.getLhs()).getRank() -
              int64_t(dims.getLhsContracting().size());
    RankedTensorType type = typeOf(dot.getResult());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + place, batcher.size.number);
    Value product = batcher.b.create<DotGeneralOp>(
        batcher.loc, type.clone(shape), batcher.mapped(dot.getLhs()),
        batcher.mapped(dot.getRhs()), newDims);
    batcher.bind(dot.getResult(), batcher.rowsInFront(product, place));
    return success();
  }
};

struct ConvolutionBatching
    : BatchRule::ExternalModel<ConvolutionBatching, ConvolutionOp> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return batchConvolution(cast<ConvolutionOp>(op), batcher);
  }
};

} // namespace

void attachContractionBatching(MLIRContext *context) {
  DotGeneralOp::attachInterface<DotGeneralBatching>(*context);
  ConvolutionOp::attachInterface<ConvolutionBatching>(*context);
}

} // namespace zenith::batching
