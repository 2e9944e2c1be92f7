// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes one tensor in the format that the file's suffix names.

#ifndef ZENITH_FRONTENDS_TENSORS_TENSORIO_H
#define ZENITH_FRONTENDS_TENSORS_TENSORIO_H

#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace zenith::tensors {

/// Reads .npy, .pb, and .raw (whose type `wanted` must give, static). `wanted`
/// decides what the bits represent (bf16 as uint16 and the like); otherwise the
/// tensor has the type of the file, and callers compare. Errors are LLVMErrors
/// at the file.
llvm::Expected<Tensor> readTensor(const std::string &path,
                                  std::optional<mlir::RankedTensorType> wanted,
                                  mlir::MLIRContext *context);

/// Writes .npy or .pb (`name` is the TensorProto's; `storedType` the ONNX type
/// that the elements store, where GraphIR lacks it).
llvm::Error writeTensor(const std::string &path, const Tensor &tensor,
                        llvm::StringRef name = "",
                        llvm::StringRef storedType = {});

} // namespace zenith::tensors

#endif // ZENITH_FRONTENDS_TENSORS_TENSORIO_H
