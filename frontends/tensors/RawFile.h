// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that contain only little-endian, row-major elements.

#ifndef ZENITH_FRONTENDS_TENSORS_RAWFILE_H
#define ZENITH_FRONTENDS_TENSORS_RAWFILE_H

#include "frontends/files/MappedBytes.h"
#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"

namespace zenith::tensors {

/// The file must have exactly the bytes of the static `type`, a byte for each
/// element below 8 bits.
llvm::Expected<Tensor> readRaw(const files::ByteSource &file,
                               mlir::RankedTensorType type);

} // namespace zenith::tensors

#endif // ZENITH_FRONTENDS_TENSORS_RAWFILE_H
