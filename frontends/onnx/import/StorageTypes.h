// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and makes values of emulated types, which GraphIR does not have.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_STORAGETYPES_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_STORAGETYPES_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// True for floats that are stored as integers of the same bits.
inline bool isStoredAsBits(DataType type) {
  return type == DataType::Float4E2M1 || type == DataType::Float8E8M0;
}
/// The values that such bits represent, in f32.
Value decodedBits(NodeReading &n, size_t index);
/// True for the numbers that storageTypeOf has a type for.
bool isEmulatedNumber(DataType type);
/// The value converted to an emulated type, as it is stored. Exponents alone
/// are rounded as the word says: up, down or nearest.
Value encodedBits(ImportBuilder &b, Value value, DataType type,
                  llvm::StringRef rounding = "up");

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_STORAGETYPES_H
