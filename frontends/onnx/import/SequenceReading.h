// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences as lists of values, or as one tensor if the length is known at run
// time only.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_SEQUENCEREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_SEQUENCEREADING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// Dimensions and element type that all elements of a list share; nothing, and
/// the builder's error, if they differ.
struct ElementShape {
  DimVector dims;
  mlir::Type element;
};
std::optional<ElementShape>
sharedShape(ImportBuilder &b, llvm::ArrayRef<ImportedValue *> items,
            llvm::function_ref<Value(ImportedValue &)> read);

/// Elements along a new dimension 0.
Value stack(ImportBuilder &b, llvm::ArrayRef<Value> items,
            const ElementShape &shape);

/// A stacked sequence from the tensor of its elements.
ImportedValue stackedSequence(Value data);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_SEQUENCEREADING_H
