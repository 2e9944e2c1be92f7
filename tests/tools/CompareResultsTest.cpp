// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tolerances of comparisons, NaN, units in the last place, the worst element.

#include "tools/model/CompareResults.h"

#include "frontends/files/ElementNames.h"
#include "ir/tensor/Scalar.h"
#include "mlir/IR/MLIRContext.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::tools;

namespace {
struct CompareResultsTest : testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};

  Tensor tensor(const std::string &type, const std::vector<double> &values) {
    Tensor result(*files::parseTypeText(type, &context));
    interpreter::ElementAccess access(result.elementType());
    char *to = result.writable();
    for (double value : values) {
      access.store(to, interpreter::Scalar::ofFloat(value));
      to += access.bytes();
    }
    return result;
  }
  bool equal(const std::string &type, double a, double b,
             const Tolerance &tolerance = {}) {
    return !compareTensors(tensor(type, {a}), tensor(type, {b}), tolerance);
  }
};
} // namespace

TEST_F(CompareResultsTest, SpecialValues) {
  EXPECT_TRUE(equal("f32[1]", NAN, NAN));
  EXPECT_FALSE(equal("f32[1]", NAN, 1));
  EXPECT_FALSE(
      equal("f32[1]", INFINITY, 1e30, Tolerance{1.0, 1.0, std::nullopt}));
  EXPECT_TRUE(equal("f32[1]", INFINITY, INFINITY));
  EXPECT_TRUE(equal("f32[1]", -0.0, 0.0));
}

TEST_F(CompareResultsTest, Tolerances) {
  EXPECT_TRUE(equal("f32[1]", 1.00001, 1));
  EXPECT_FALSE(equal("f32[1]", 1.001, 1));
  EXPECT_TRUE(equal("f32[1]", 1.001, 1, {1e-2, std::nullopt, std::nullopt}));
  EXPECT_TRUE(equal("f32[1]", 0.5, 0, {std::nullopt, 0.5, std::nullopt}));
  EXPECT_FALSE(equal("i32[1]", 7, 8));
  EXPECT_TRUE(equal("i32[1]", 7, 8, {std::nullopt, 1.0, std::nullopt}));
}

TEST_F(CompareResultsTest, UnitsInTheLastPlace) {
  float next = std::nextafter(1.0f, 2.0f), below = -std::nextafter(0.0f, 1.0f);
  EXPECT_TRUE(
      equal("f32[1]", double(next), 1, {std::nullopt, std::nullopt, 1}));
  EXPECT_FALSE(
      equal("f32[1]", double(next), 1, {std::nullopt, std::nullopt, 0}));
  double wide = std::nextafter(1.0, 2.0);
  EXPECT_TRUE(equal("f64[1]", wide, 1, {std::nullopt, std::nullopt, 1}));
  EXPECT_FALSE(equal("f64[1]", wide, 1, {std::nullopt, std::nullopt, 0}));
  EXPECT_TRUE(equal("f32[1]", double(below), -double(below),
                    {std::nullopt, std::nullopt, 2}));
  EXPECT_FALSE(
      equal("f16[1]", 1, 1.001953125, {std::nullopt, std::nullopt, 1}));
}

TEST_F(CompareResultsTest, NamesTheWorstElement) {
  auto text = compareTensors(tensor("f32[2x2]", {1, 2, 3, 4}),
                             tensor("f32[2x2]", {1, 5, 3, 3}), {});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "2 of 4 elements differ, worst at [0, 1]: 2, expected 5");
  text =
      compareTensors(tensor("f32[2]", {1, 2}), tensor("f32[1x2]", {1, 2}), {});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "type f32[2], expected f32[1x2]");
}
