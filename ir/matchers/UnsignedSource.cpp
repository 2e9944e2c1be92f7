// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks through converts for unsigned integers.

#include "ir/matchers/UnsignedSource.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;

namespace zenith::graph {

static bool holdsUnsigned(Type type, unsigned bits) {
  if (auto floating = dyn_cast<FloatType>(type))
    return bits <= floating.getFPMantissaWidth();
  auto integer = dyn_cast<IntegerType>(type);
  return integer && (integer.isUnsigned() ? integer.getWidth() >= bits
                                          : integer.getWidth() > bits);
}

Value unsignedSourceOf(Value value) {
  Value source = value;
  SmallVector<Type> types{typeOf(value).getElementType()};
  while (auto convert = source.getDefiningOp<ConvertOp>()) {
    source = convert.getOperand();
    types.push_back(typeOf(source).getElementType());
  }
  Type own = types.back();
  bool isHeld = own.isUnsignedInteger() && llvm::all_of(types, [&](Type type) {
                  return holdsUnsigned(type, own.getIntOrFloatBitWidth());
                });
  return isHeld ? source : Value();
}

} // namespace zenith::graph
