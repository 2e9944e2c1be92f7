// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes of element types in both directions.

#include "lowering/elements/ElementCodes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/ABI.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace zenith::kernels;

TEST(ElementCodes, EveryTypeHasItsCode) {
  MLIRContext context;
  int types = 0;
  for (int32_t code = ZENITH_I1; code <= ZENITH_C128; ++code)
    if (Type type = elementType(&context, code)) {
      ++types;
      EXPECT_EQ(elementCode(type), code);
    }
  EXPECT_GT(types, 20);
  using Sign = IntegerType::SignednessSemantics;
  EXPECT_EQ(elementCode(IntegerType::get(&context, 8, Sign::Signed)), 0);
  EXPECT_EQ(elementCode(IntegerType::get(&context, 1, Sign::Unsigned)), 0);
  EXPECT_EQ(elementCode(IntegerType::get(&context, 24)), 0);
  EXPECT_EQ(elementCode(IndexType::get(&context)), 0);
}
