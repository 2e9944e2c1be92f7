// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks through the concat ops above keys and values.

#include "ir/encodings/KVSegments.h"

using namespace mlir;

namespace zenith::graph {

static int64_t rankOf(AttentionOp attention) {
  return cast<RankedTensorType>(attention.getType()).getRank();
}

static ConcatOp joined(Value value, int64_t dim) {
  constexpr unsigned mostPieces = 4;
  auto concat = value.getDefiningOp<ConcatOp>();
  return concat && int64_t(concat.getDim()) == dim &&
                 concat->getNumOperands() <= mostPieces
             ? concat
             : ConcatOp();
}

SmallVector<KVSegment> kvSegments(AttentionOp attention, DimAnalysis &analysis,
                                  int64_t mostQueries) {
  Value key = attention.getKey(), value = attention.getValue();
  int64_t dim = rankOf(attention) - 2;
  SmallVector<KVSegment> whole{{key, value, analysis.dimOf(key, dim)}}, pieces;
  auto queries = analysis.dimOf(attention.getQuery(), dim).constant();
  ConcatOp keys = joined(key, dim), values = joined(value, dim);
  if (!queries || *queries > mostQueries || !keys || !values ||
      keys->getNumOperands() != values->getNumOperands())
    return whole;
  for (auto [ofKeys, ofValues] :
       llvm::zip(keys.getOperands(), values.getOperands())) {
    DimExpr count = analysis.dimOf(ofKeys, dim);
    if (count != analysis.dimOf(ofValues, dim))
      return whole;
    pieces.push_back({ofKeys, ofValues, count});
  }
  return pieces;
}

bool isReadBySegments(ConcatOp concat, DimAnalysis &analysis,
                      int64_t mostQueries) {
  return llvm::all_of(concat->getUses(), [&](OpOperand &use) {
    auto attention = dyn_cast<AttentionOp>(use.getOwner());
    return attention &&
           (use.get() == attention.getKey() ||
            use.get() == attention.getValue()) &&
           kvSegments(attention, analysis, mostQueries).size() > 1;
  });
}

} // namespace zenith::graph
