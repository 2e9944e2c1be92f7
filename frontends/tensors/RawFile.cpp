// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the size of a raw file and clears bits beyond the width of narrow
// elements.

#include "frontends/tensors/RawFile.h"

#include "frontends/files/ElementNames.h"
#include "ir/LLVMError.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::files;
using namespace zenith::tensors;

// Bytes of booleans and of integers of 4 bits may have more bits set than the
// type has.
static void wrapNarrow(Tensor &tensor) {
  Type element = tensor.elementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() >= 8)
    return;
  bool isBool = element.isInteger(1), isUnsigned = element.isUnsignedInteger();
  for (char &byte :
       MutableArrayRef<char>(tensor.writable(), size_t(tensor.size()))) {
    int low = byte & 15;
    byte = char(isBool ? byte != 0 : isUnsigned || low < 8 ? low : low - 16);
  }
}

llvm::Expected<Tensor> zenith::tensors::readRaw(const files::ByteSource &file,
                                                RankedTensorType type) {
  std::optional<int64_t> bytes =
      type.hasStaticShape() ? tensorBytes(type) : std::nullopt;
  if (!bytes || uint64_t(*bytes) != file.bytes().size())
    return makeError(ErrorCode::Invalid,
                     "has " + std::to_string(file.bytes().size()) + " bytes, " +
                         typeText(type) + " takes " +
                         (bytes ? std::to_string(*bytes) : "an unknown number"),
                     file.path());
  Tensor tensor(type, ArrayRef<char>(file.bytes().data(), file.bytes().size()));
  if (!tensor)
    return makeError(ErrorCode::Invalid, "is larger than the free memory",
                     file.path());
  wrapNarrow(tensor);
  return tensor;
}
