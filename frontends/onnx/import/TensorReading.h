// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX data types and constants in terms of MLIR: element types, dense
// attributes, integers.

#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_TENSORREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_TENSORREADING_H

#include "frontends/onnx/model/ONNXModel.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace zenith::onnx {

/// IR type of an ONNX data type; null if GraphIR has none.
mlir::Type elementTypeOf(DataType type, mlir::MLIRContext *context);
/// The integer type that stores the elements of a type that GraphIR lacks:
/// integers of 2 bits by their values, floats by their bits.
mlir::Type storageTypeOf(DataType type, mlir::MLIRContext *context);
/// Elements of a constant as an attribute.
mlir::DenseElementsAttr denseElements(const Tensor &tensor,
                                      mlir::RankedTensorType type);
/// Integers of a constant integer or boolean tensor, sign-extended; nothing for
/// other types and unsigned 64-bit overflow.
std::optional<llvm::SmallVector<int64_t>> integersOf(const Tensor &tensor);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_TENSORREADING_H
