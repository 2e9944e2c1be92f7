// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files, versions 1 to 3.

#ifndef ZENITH_FRONTENDS_TENSORS_NPYFILE_H
#define ZENITH_FRONTENDS_TENSORS_NPYFILE_H

#include "frontends/files/MappedBytes.h"
#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"

namespace zenith::tensors {

/// Any order of bytes and dimensions; the elements are copied. `wanted` (may be
/// null) is the type that bits of 1 or 2 bytes may represent.
llvm::Expected<Tensor> readNpy(const files::ByteSource &file, mlir::Type wanted,
                               mlir::MLIRContext *context);
/// Version 1, little-endian, row-major; the file appears complete or not at
/// all.
llvm::Error writeNpy(const std::string &path, const Tensor &tensor);

} // namespace zenith::tensors

#endif // ZENITH_FRONTENDS_TENSORS_NPYFILE_H
