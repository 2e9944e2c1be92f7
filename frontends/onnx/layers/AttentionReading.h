// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splitting and joining of attention heads, which several import rules need.
#ifndef ZENITH_FRONTENDS_ONNX_LAYERS_ATTENTIONREADING_H
#define ZENITH_FRONTENDS_ONNX_LAYERS_ATTENTIONREADING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// [batch, sequence, heads * size] as [batch, heads, sequence, size].
Value splitHeads(NodeReading &n, Value value, int64_t heads);
/// The inverse of splitHeads.
Value joinHeads(ImportBuilder &b, Value value);
/// How many query heads share a key head; the node's error if the quotient is
/// not an integer.
DimExpr queriesPerKey(NodeReading &n, const DimExpr &queryHeads,
                      const DimExpr &keyHeads);

/// 1 / sqrt(size) of heads of known size, else 1: scaledByHeads does the rest.
double scaleOfHeads(const DimExpr &size);
/// Queries times 1 / sqrt of their last dimension, where only the run knows it.
Value scaledByHeads(ImportBuilder &b, Value query);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_ATTENTIONREADING_H
