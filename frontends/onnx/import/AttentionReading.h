// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heads of attention as several import rules need them.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_ATTENTIONREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_ATTENTIONREADING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// [batch, sequence, heads * size] as [batch, heads, sequence, size].
Value splitHeads(NodeReading &n, Value value, int64_t heads);
/// The way back.
Value joinHeads(ImportBuilder &b, Value value);
/// How many heads of queries share a head of keys; 0 and the node's error where
/// that is no whole number.
int64_t queriesPerKey(NodeReading &n, const DimExpr &queryHeads,
                      const DimExpr &keyHeads);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_ATTENTIONREADING_H
