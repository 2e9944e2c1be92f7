// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What import rules of classical learning share: lists in attributes, tables of
// constants, the transforms of scores, labels.
#ifndef ZENITH_FRONTENDS_ONNX_LAYERS_LEARNINGREADING_H
#define ZENITH_FRONTENDS_ONNX_LAYERS_LEARNINGREADING_H

#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/ScalarValue.h"

namespace zenith::onnx {

/// Elements of an attribute that is a list of floats or integers or a tensor,
/// or of the tensor attribute NAME_as_tensor; empty if there is none.
std::vector<double> numbersAttribute(NodeReading &n, const char *name);
/// Row-major constants of a float or integer type.
Value constantTable(ImportBuilder &b, llvm::ArrayRef<double> values,
                    llvm::ArrayRef<int64_t> shape, mlir::Type element);
/// Input 0 as [samples, features]; the node's error if it is not of rank 1 or
/// 2.
Value samplesOf(NodeReading &n, mlir::Type element);
/// Scores of [samples, targets] transformed as the word in `transform` says.
Value transformedScores(NodeReading &n, Value scores,
                        llvm::StringRef transform);
/// x times the transposed table of [rows, features]: [samples, rows].
Value timesTransposed(ImportBuilder &b, Value x, Value table);
/// The first index of the largest score of each sample.
Value largestScore(ImportBuilder &b, Value scores);
/// How many classes the node names: by strings, else by the integers of an
/// attribute.
int64_t classCount(NodeReading &n, const char *attribute);
/// Result 0 from the indices of classes: strings of classlabels_strings, else
/// integers of an attribute.
void setLabels(NodeReading &n, Value classes, const char *attribute);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_LEARNINGREADING_H
