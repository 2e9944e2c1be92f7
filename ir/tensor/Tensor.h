// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of the interpreter and of the tools: a static tensor type and its
// bytes.

#ifndef ZENITH_IR_TENSOR_TENSOR_H
#define ZENITH_IR_TENSOR_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace zenith {

/// Bytes that one element takes in memory; sub-byte types (i1, i4, ui4) take
/// one.
unsigned elementBytes(mlir::Type element);
/// Bytes of a static tensor type; nullopt where the product exceeds int64_t.
std::optional<int64_t> tensorBytes(mlir::RankedTensorType type);

/// Row-major, little-endian elements. Copies share the bytes; `writable` makes
/// them its own first.
class Tensor {
public:
  Tensor() = default;
  /// Zero-filled.
  explicit Tensor(mlir::RankedTensorType type);
  Tensor(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);
  /// Views bytes that `owner` keeps alive (a mapped file, say).
  Tensor(mlir::RankedTensorType type, const char *bytes,
         std::shared_ptr<const void> owner);
  static Tensor fromElements(mlir::ElementsAttr elements);
  mlir::DenseElementsAttr toElements() const;

  mlir::RankedTensorType type() const { return tensorType; }
  mlir::Type elementType() const { return tensorType.getElementType(); }
  llvm::ArrayRef<int64_t> shape() const { return tensorType.getShape(); }
  int64_t size() const { return tensorType.getNumElements(); }
  int64_t byteSize() const;
  const char *bytes() const { return data; }
  char *writable();
  explicit operator bool() const { return bool(tensorType); }
  /// The same bytes under another shape of as many elements.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;

private:
  mlir::RankedTensorType tensorType;
  std::shared_ptr<const void> owner;
  char *own = nullptr; ///< the same address when the bytes are writable
  const char *data = nullptr;
};

} // namespace zenith

#endif // ZENITH_IR_TENSOR_TENSOR_H
