// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types by code, and codes by type.

#include "lowering/elements/ElementCodes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "runtime/ABI.h"

using namespace mlir;

namespace zenith::kernels {

Type elementType(MLIRContext *context, int32_t code) {
  auto integer = [&](unsigned width, IntegerType::SignednessSemantics sign =
                                         IntegerType::Signless) -> Type {
    return IntegerType::get(context, width, sign);
  };
  switch (code) {
  case ZENITH_I1:
    return integer(1);
  case ZENITH_I4:
    return integer(4);
  case ZENITH_UI4:
    return integer(4, IntegerType::Unsigned);
  case ZENITH_I8:
    return integer(8);
  case ZENITH_I16:
    return integer(16);
  case ZENITH_I32:
    return integer(32);
  case ZENITH_I64:
    return integer(64);
  case ZENITH_UI8:
    return integer(8, IntegerType::Unsigned);
  case ZENITH_UI16:
    return integer(16, IntegerType::Unsigned);
  case ZENITH_UI32:
    return integer(32, IntegerType::Unsigned);
  case ZENITH_UI64:
    return integer(64, IntegerType::Unsigned);
  case ZENITH_F16:
    return Float16Type::get(context);
  case ZENITH_BF16:
    return BFloat16Type::get(context);
  case ZENITH_F32:
    return Float32Type::get(context);
  case ZENITH_F64:
    return Float64Type::get(context);
  case ZENITH_F8E4M3:
    return Float8E4M3Type::get(context);
  case ZENITH_F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ZENITH_F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ZENITH_F8E4M3B11FNUZ:
    return Float8E4M3B11FNUZType::get(context);
  case ZENITH_F8E5M2:
    return Float8E5M2Type::get(context);
  case ZENITH_F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ZENITH_C64:
    return ComplexType::get(Float32Type::get(context));
  case ZENITH_C128:
    return ComplexType::get(Float64Type::get(context));
  }
  return Type();
}

/// Integers have their code by width: to look types up until one is the same
/// takes as long as a small kernel.
static int32_t integerCode(IntegerType type) {
  const bool isUnsigned = type.isUnsigned();
  switch (type.isSigned() ? 0 : type.getWidth()) {
  case 1:
    return isUnsigned ? 0 : ZENITH_I1;
  case 4:
    return isUnsigned ? ZENITH_UI4 : ZENITH_I4;
  case 8:
    return isUnsigned ? ZENITH_UI8 : ZENITH_I8;
  case 16:
    return isUnsigned ? ZENITH_UI16 : ZENITH_I16;
  case 32:
    return isUnsigned ? ZENITH_UI32 : ZENITH_I32;
  case 64:
    return isUnsigned ? ZENITH_UI64 : ZENITH_I64;
  default:
    return 0;
  }
}

int32_t elementCode(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerCode(integer);
  for (int32_t code = ZENITH_I1; code <= ZENITH_C128; ++code)
    if (elementType(type.getContext(), code) == type)
      return code;
  return 0;
}

} // namespace zenith::kernels
