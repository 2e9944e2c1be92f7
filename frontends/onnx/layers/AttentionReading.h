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
/// How many query heads share a key head; 0 and the node's error if the
/// quotient is not an integer.
int64_t queriesPerKey(NodeReading &n, const DimExpr &queryHeads,
                      const DimExpr &keyHeads);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_ATTENTIONREADING_H
