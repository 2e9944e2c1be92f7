// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes that only the run knows. Their count is known, so they choose one of few
// ways to do a node, or give each dimension a value that is computed.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_OPENAXES_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_OPENAXES_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// True where an input of integers is given, has elements and is no constant.
bool isOpen(NodeReading &n, size_t input);

/// Imports the node once for each set of axes that input `input` may have, in
/// branches of which the run takes one: `rule` gets a node whose axes are
/// constants. `rankOf(count)` is the rank that `count` axes address. Of
/// dimensions with these `sizes` only those that may be 1 can be axes. False,
/// and nothing done, where the axes are known.
bool importByAxes(NodeReading &n, size_t input,
                  llvm::function_ref<int64_t(int64_t)> rankOf,
                  void (*rule)(NodeReading &),
                  llvm::ArrayRef<graph::DimExpr> sizes = {});

/// The axes of input `input` as integers that count from 0; states that they
/// are in range.
class OpenAxes {
public:
  OpenAxes(NodeReading &n, size_t input, int64_t rank);
  size_t size() const { return axes.size(); }
  /// What dimension `dim` gets: the entry of `values` at the axis that is
  /// `dim`, else `otherwise`.
  DimExpr valueFor(int64_t dim, llvm::ArrayRef<DimExpr> values,
                   const DimExpr &otherwise) const;
  /// 1 << axis, summed; states that no axis is given twice.
  Value mask() const;
  /// Sum of the weights of the dimensions that are axes.
  Value sumOver(llvm::function_ref<int64_t(int64_t)> weight) const;

private:
  Value equals(Value axis, int64_t dim) const;

  ImportBuilder &b;
  int64_t rank;
  llvm::SmallVector<Value> axes;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_OPENAXES_H
