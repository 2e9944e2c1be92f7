// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage of tensor values, and their conversion from and to attributes.

#include "ir/tensor/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <cstring>
#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace mlir;

namespace zenith {

// Rows of the inner loops start at a cache line.
static constexpr size_t storageAlignment = 64;

unsigned elementBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * elementBytes(complex.getElementType());
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

std::optional<int64_t> tensorBytes(RankedTensorType type) {
  int64_t bytes = elementBytes(type.getElementType());
  bool overflow = false, empty = false;
  for (int64_t dim : type.getShape()) {
    empty |= dim == 0;
    overflow |= llvm::MulOverflow(bytes, dim, bytes) != 0;
  }
  if (empty)
    return 0;
  if (overflow)
    return std::nullopt;
  return bytes;
}

// A signless or signed integer of fewer than 8 bits, or a boolean.
static bool isNarrow(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() < 8;
}

/// Kernels that stream through a tensor run 1.1 to 1.5 times as fast on huge
/// pages; a system without them refuses, and small pages do.
static void askForHugePages([[maybe_unused]] char *block,
                            [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  constexpr size_t hugePage = size_t(1) << 21, worthwhile = 2 * hugePage;
  if (bytes < worthwhile)
    return;
  auto first = llvm::alignTo(reinterpret_cast<uintptr_t>(block), hugePage);
  auto last = llvm::alignDown(reinterpret_cast<uintptr_t>(block) + bytes,
                              uint64_t(hugePage));
  (void)madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
#endif
}

Tensor::Tensor(RankedTensorType type) {
  std::optional<int64_t> bytes = tensorBytes(type);
  if (!bytes)
    return;
  // calloc takes large blocks zeroed from the system, page by page as they are
  // touched.
  size_t blockBytes = static_cast<size_t>(*bytes) + storageAlignment;
  char *block = static_cast<char *>(std::calloc(blockBytes, 1));
  if (!block)
    return;
  askForHugePages(block, blockBytes);
  own = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(block), storageAlignment));
  owner = std::shared_ptr<const void>(block, [](void *p) { std::free(p); });
  data = own;
  tensorType = type;
}

Tensor::Tensor(RankedTensorType type, ArrayRef<char> bytes) : Tensor(type) {
  if (tensorType && !bytes.empty())
    std::memcpy(own, bytes.data(), std::min<size_t>(bytes.size(), byteSize()));
}

Tensor::Tensor(RankedTensorType type, const char *bytes,
               std::shared_ptr<const void> bytesOwner) {
  std::optional<int64_t> size = tensorBytes(type);
  if (!size)
    return;
  // Typed loops need whole elements aligned; files may have them anywhere.
  unsigned alignment = std::min(elementBytes(type.getElementType()), 8u);
  if (reinterpret_cast<uintptr_t>(bytes) % alignment != 0) {
    *this = Tensor(type, ArrayRef<char>(bytes, *size));
    return;
  }
  tensorType = type;
  owner = std::move(bytesOwner);
  data = bytes;
}

int64_t Tensor::byteSize() const {
  return size() * int64_t(elementBytes(elementType()));
}

char *Tensor::writable() {
  if (!own || owner.use_count() != 1)
    *this = Tensor(tensorType, ArrayRef<char>(data, byteSize()));
  return own;
}

Tensor Tensor::reshaped(ArrayRef<int64_t> shape) const {
  Tensor result = *this;
  result.tensorType = RankedTensorType::get(shape, elementType());
  return result;
}

// Bits of one element of an attribute, sign- or zero-extended to its bytes.
static void storeBits(char *to, APInt bits, Type element) {
  unsigned bytes = elementBytes(element);
  if (bits.getBitWidth() < 8 * bytes)
    bits = element.isUnsignedInteger() || element.isInteger(1)
               ? bits.zext(8 * bytes)
               : bits.sext(8 * bytes);
  std::memcpy(to, bits.getRawData(), bytes);
}

static Tensor fromNarrowElements(DenseElementsAttr dense,
                                 RankedTensorType type) {
  Tensor result(type);
  if (!result)
    return result;
  char *to = result.writable();
  for (const APInt &bits : dense.getValues<APInt>())
    storeBits(to++, bits, type.getElementType());
  return result;
}

static Tensor fromDense(DenseElementsAttr dense, RankedTensorType type) {
  if (isNarrow(type.getElementType()))
    return fromNarrowElements(dense, type);
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat())
    return Tensor(type, raw);
  Tensor result(type);
  if (!result)
    return result;
  char *to = result.writable();
  unsigned step = elementBytes(type.getElementType());
  for (int64_t i = 0, e = result.size(); i < e; ++i, to += step)
    std::memcpy(to, raw.data(), step);
  return result;
}

Tensor Tensor::fromElements(ElementsAttr elements) {
  auto type = dyn_cast<RankedTensorType>(elements.getShapedType());
  if (!type || !type.hasStaticShape())
    return Tensor();
  if (auto dense = dyn_cast<DenseElementsAttr>(Attribute(elements)))
    return fromDense(dense, type);
  if (auto resource =
          dyn_cast<DenseResourceElementsAttr>(Attribute(elements))) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    std::optional<int64_t> bytes = tensorBytes(type);
    if (!blob || !bytes || int64_t(blob->getData().size()) != *bytes)
      return Tensor();
    return Tensor(type, blob->getData());
  }
  if (auto sparse = dyn_cast<SparseElementsAttr>(Attribute(elements)))
    if (type.getElementType().isIntOrFloat()) {
      Tensor result(type);
      char *to = result ? result.writable() : nullptr;
      unsigned step = elementBytes(type.getElementType());
      bool isFloat = isa<FloatType>(type.getElementType());
      for (int64_t i = 0, e = result ? result.size() : 0; i < e; ++i) {
        APInt bits = isFloat ? sparse.getValues<APFloat>()[i].bitcastToAPInt()
                             : sparse.getValues<APInt>()[i];
        storeBits(to + i * step, bits, type.getElementType());
      }
      return result;
    }
  return Tensor();
}

DenseElementsAttr Tensor::toElements() const {
  if (!isNarrow(elementType()))
    return DenseElementsAttr::getFromRawBuffer(
        tensorType, ArrayRef<char>(data, byteSize()));
  unsigned width = elementType().getIntOrFloatBitWidth();
  SmallVector<APInt> values;
  values.reserve(size());
  for (int64_t i = 0, e = size(); i < e; ++i)
    values.push_back(APInt(8, uint8_t(data[i])).trunc(width));
  return DenseElementsAttr::get(tensorType, ArrayRef<APInt>(values));
}

} // namespace zenith
