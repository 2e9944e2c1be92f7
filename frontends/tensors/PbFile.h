// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor values from and to ONNX TensorProtos, which frontends/onnx/model
// parses and writes.

#ifndef ZENITH_FRONTENDS_TENSORS_PBFILE_H
#define ZENITH_FRONTENDS_TENSORS_PBFILE_H

#include "frontends/onnx/model/ONNXModel.h"
#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"

namespace zenith::tensors {

/// The element type of an ONNX data type; null if GraphIR has none.
mlir::Type elementTypeOf(onnx::DataType type, mlir::MLIRContext *context);

/// Elements below 8 bits unpacked to a byte each; others view the file.
/// `location` names the file in errors.
llvm::Expected<Tensor> fromTensorProto(const onnx::Tensor &proto,
                                       llvm::StringRef location,
                                       mlir::MLIRContext *context);
/// Owns a copy of the elements. `storedType` names the ONNX type that they
/// store, where GraphIR lacks it.
llvm::Expected<onnx::Tensor> toTensorProto(const Tensor &tensor,
                                           llvm::StringRef name,
                                           llvm::StringRef storedType = {});

llvm::Expected<Tensor> readPb(const std::string &path,
                              mlir::MLIRContext *context);
llvm::Error writePb(const std::string &path, const Tensor &tensor,
                    llvm::StringRef name, llvm::StringRef storedType = {});

} // namespace zenith::tensors

#endif // ZENITH_FRONTENDS_TENSORS_PBFILE_H
