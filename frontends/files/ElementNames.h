// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types by name, and values whose bits represent another type.

#ifndef ZENITH_FRONTENDS_FILES_ELEMENTNAMES_H
#define ZENITH_FRONTENDS_FILES_ELEMENTNAMES_H

#include "ir/tensor/Tensor.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace zenith::files {

/// The type that MLIR spells `name` ("f32", "ui8", "complex<f32>", "i1" or
/// "bool"); null for others.
mlir::Type elementTypeNamed(llvm::StringRef name, mlir::MLIRContext *context);
/// The name that elementTypeNamed reads.
std::string elementName(mlir::Type element);
/// The type that stores `element` in files of NumPy's types: bf16 as ui16, f8
/// as ui8, i4 as i8, ui4 as ui8; the type itself if NumPy has it.
mlir::Type fileElement(mlir::Type element);
/// `tensor` as elements of `wanted` if its bits represent that type; else
/// unchanged.
Tensor asWanted(Tensor tensor, mlir::Type wanted);
/// "2x3", or "" for a scalar.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// "f32[2x3]"
std::string typeText(mlir::RankedTensorType type);
/// Reads "f32[2x3]", "f32[]" or "f32"; nothing if the text is no type.
std::optional<mlir::RankedTensorType> parseTypeText(llvm::StringRef text,
                                                    mlir::MLIRContext *context);

} // namespace zenith::files

#endif // ZENITH_FRONTENDS_FILES_ELEMENTNAMES_H
