// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that GraphIR lacks, narrow floats and integers of two bits: stored
// as integers that hold their bits, computed on as wider numbers.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BUILDER_NARROWELEMENTS_H
#define ZENITH_FRONTENDS_STABLEHLO_BUILDER_NARROWELEMENTS_H

#include "frontends/stablehlo/builder/HLOBuilder.h"

namespace zenith::stablehlo {

bool isTwoBits(Type element);
/// The integer type that stores such elements; null for others.
Type narrowStorage(Type element);
/// The type of GraphIR that has all their values; null for other elements.
Type widerElement(Type element);
/// The values that stored elements of type `from` represent, as widerElement.
Value decodeNarrow(HLOBuilder &b, Value stored, Type from);
/// The value converted to a narrow type, as it is stored: nearest for floats,
/// the low bits of an integer, the nearest of both integers for a float.
Value encodeNarrow(HLOBuilder &b, Value value, Type to);
/// The same numbers of f64 as they are stored.
mlir::ElementsAttr encodeNarrow(mlir::DenseFPElementsAttr numbers, Type to);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BUILDER_NARROWELEMENTS_H
