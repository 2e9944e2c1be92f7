// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How MLIR types look in OpenCL C, and the small expressions that only types
// decide: casts, literals.

#ifndef ZENITH_LOWERING_OPENCL_PRINTEDTYPES_H
#define ZENITH_LOWERING_OPENCL_PRINTEDTYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace zenith::opencl {

/// Address spaces that a pointer of a kernel can point to.
enum class Space { Global, Private };
llvm::StringRef spelled(Space space);

/// Lanes of the chunks of a type: {1} for scalars, else powers of two of at
/// most 16, the largest first.
llvm::SmallVector<unsigned, 4> chunkLanes(mlir::Type type);
/// Lanes of a scalar or vector type.
unsigned laneCount(mlir::Type type);

/// "float", "int8". Narrow floats are their bits (ushort, uchar). i1 is int: 0
/// or 1 where lanes == 1, 0 or -1 in vectors. Empty where there is no such
/// type.
std::string typeName(mlir::Type element, unsigned lanes);
/// Type of an element in memory.
std::string memoryName(mlir::Type element);
/// Bits of a lane in registers.
unsigned laneBits(mlir::Type element);
/// "uint8" of an integer type; "int8" of any type: lanes of the same size.
std::string unsignedName(mlir::Type element, unsigned lanes);
std::string signedName(mlir::Type element, unsigned lanes);

/// Same bits as another type of the same size.
std::string reinterpret(const std::string &value, const std::string &typeName,
                        unsigned lanes);
/// Same numbers.
std::string convert(const std::string &value, const std::string &typeName,
                    unsigned lanes);

/// A constant element as text; parenthesised where it has a sign.
std::string literal(mlir::Attribute element, unsigned lanes);

} // namespace zenith::opencl

#endif // ZENITH_LOWERING_OPENCL_PRINTEDTYPES_H
