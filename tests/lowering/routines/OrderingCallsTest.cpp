// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts, searches and suppression beside the interpreter, of odd shapes and
// every element type, and what kernels of routines refuse.

#include "tests/lowering/routines/RoutineHarness.h"

using namespace zenith;
using zenith::testing::elementTypes;
using zenith::testing::fusionText;
using zenith::testing::tensor;

namespace {

class OrderingKernelTest : public zenith::testing::RoutineKernelTest {};

TEST_F(OrderingKernelTest, Sort) {
  fillSpecial();
  for (const char *element : elementTypes)
    for (const char *order : {"", " descending"}) {
      std::string type = tensor("5x37x", element);
      check("%x : " + type, type,
            "%r = graph.sort %x 1 keys 1" + std::string(order) + " : (" + type +
                ") -> " + type,
            "%r");
    }
}

TEST_F(OrderingKernelTest, SortPairsAndKeys) {
  fillSpecial();
  std::string f = "tensor<3x41x5xf32>", i = "tensor<3x41x5xi64>",
              h = "tensor<3x41x5xf16>";
  check("%x : " + f + ", %y : " + i + ", %z : " + h, f + ", " + i + ", " + h,
        "%r:3 = graph.sort %x, %y, %z 1 keys 2 : (" + f + ", " + i + ", " + h +
            ") -> (" + f + ", " + i + ", " + h + ")",
        "%r#0, %r#1, %r#2");
  check("%x : " + i + ", %y : " + f, f,
        "%r:2 = graph.sort %x, %y 2 keys 2 descending : (" + i + ", " + f +
            ") -> (" + i + ", " + f + ")",
        "%r#1");
}

TEST_F(OrderingKernelTest, SortLongRows) {
  fillSpecial();
  for (const char *element : {"ui8", "f32", "i64"}) {
    std::string x = tensor("2x3001x", element), i = "tensor<2x3001xi32>";
    check("%x : " + x + ", %y : " + i, x + ", " + i,
          "%r:2 = graph.sort %x, %y 1 keys 1 : (" + x + ", " + i + ") -> (" +
              x + ", " + i + ")",
          "%r#0, %r#1");
  }
}

TEST_F(OrderingKernelTest, SortNothingAndDynamic) {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{0, 7}, {7, 0}, {1, 1}, {13, 600}})
    check("%x : tensor<?x?xf32>", "tensor<?x?xf32>",
          "%r = graph.sort %x 0 keys 1 : (tensor<?x?xf32>) -> tensor<?x?xf32>",
          "%r", {shape});
}

TEST_F(OrderingKernelTest, SortWith) {
  fillSpecial();
  std::string body = R"(%r:2 = graph.sort_with %x, %y 1 {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %aa = graph.abs %a : tensor<f32>
      %bb = graph.mul %b, %s : tensor<f32>
      %p = graph.compare gt, %aa, %bb : tensor<f32> -> tensor<i1>
      graph.yield %p : tensor<i1>
    } : (tensor<4x53xf32>, tensor<4x53xi32>) -> (tensor<4x53xf32>, tensor<4x53xi32>))";
  check("%x : tensor<4x53xf32>, %y : tensor<4x53xi32>, %s : tensor<f32>",
        "tensor<4x53xf32>, tensor<4x53xi32>", body, "%r#0, %r#1");
}

TEST_F(OrderingKernelTest, SortWithDynamicBF16) {
  fillSpecial();
  std::string body = R"(%r = graph.sort_with %x 0 {
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %p = graph.compare lt, %a, %b : tensor<bf16> -> tensor<i1>
      graph.yield %p : tensor<i1>
    } : (tensor<?x3xbf16>) -> tensor<?x3xbf16>)";
  for (int64_t size : {0, 1, 2, 100})
    check("%x : tensor<?x3xbf16>", "tensor<?x3xbf16>", body, "%r", {{size, 3}});
}

TEST_F(OrderingKernelTest, SearchSorted) {
  harness.fill = [](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor = zenith::testing::smallIntegers(type, number + 1);
    interpreter::ElementAccess access(type.getElementType());
    for (int64_t i = 0; number == 0 && i < tensor.size(); ++i)
      access.store(tensor.writable() + i * access.bytes(),
                   interpreter::Scalar::ofSigned(i / 3));
    return tensor;
  };
  for (const char *element : {"i8", "ui32", "i64", "bf16", "f32"})
    for (const char *side : {"", " right"})
      for (const char *list : {"0x", "1x", "14x"}) {
        std::string x = tensor(list, element), q = tensor("7x5x", element);
        check("%x : " + x + ", %q : " + q, "tensor<7x5xi64>",
              "%r = graph.searchsorted %x, %q" + std::string(side) + " : (" +
                  x + ", " + q + ") -> tensor<7x5xi64>",
              "%r");
      }
}

TEST_F(OrderingKernelTest, NonMaxSuppression) {
  harness.fill = [](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor = zenith::testing::smallIntegers(type, number + 1);
    interpreter::ElementAccess access(type.getElementType());
    if (number == 2)
      access.store(tensor.writable(), interpreter::Scalar::ofSigned(4));
    if (number == 3)
      access.store(tensor.writable(), interpreter::Scalar::ofFloat(0.25));
    if (number == 4)
      access.store(tensor.writable(), interpreter::Scalar::ofFloat(-2.5));
    return tensor;
  };
  for (const char *center : {"", " center"}) {
    check("%b : tensor<2x19x4xf32>, %s : tensor<2x3x19xf32>, %n : tensor<i64>, "
          "%o : tensor<f32>, %t : tensor<f32>",
          "tensor<?x3xi64>",
          "%r = graph.non_max_suppression %b, %s, %n, %o, %t" +
              std::string(center) +
              " : (tensor<2x19x4xf32>, tensor<2x3x19xf32>, tensor<i64>, "
              "tensor<f32>, tensor<f32>) -> tensor<?x3xi64>",
          "%r");
    check("%b : tensor<1x?x4xf32>, %s : tensor<1x2x?xf32>, %n : tensor<i64>, "
          "%o : tensor<f32>",
          "tensor<?x3xi64>",
          "%r = graph.non_max_suppression %b, %s, %n, %o" +
              std::string(center) +
              " : (tensor<1x?x4xf32>, tensor<1x2x?xf32>, tensor<i64>, "
              "tensor<f32>) -> tensor<?x3xi64>",
          "%r", {{1, 0, 4}, {1, 2, 0}});
  }
}

// More boxes than are sorted at a time, and more chosen than are compared with
// at a time; scores that are equal or NaN.
TEST_F(OrderingKernelTest, NonMaxSuppressionOfMany) {
  for (int64_t most : {3, 100, 1000}) {
    harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
      Tensor tensor = zenith::testing::smallIntegers(type, number + 1);
      interpreter::ElementAccess access(type.getElementType());
      auto put = [&](int64_t at, interpreter::Scalar value) {
        access.store(tensor.writable() + at * access.bytes(), value);
      };
      if (number == 2)
        put(0, interpreter::Scalar::ofSigned(most));
      if (number == 3)
        put(0, interpreter::Scalar::ofFloat(0.25));
      if (number == 4)
        put(0, interpreter::Scalar::ofFloat(124));
      for (int64_t i = 0; number == 0 && i < tensor.size(); ++i)
        put(i, interpreter::Scalar::ofFloat(double(i * 7919 % 311)));
      for (int64_t i = 0; number == 1 && i < tensor.size(); ++i)
        put(i, interpreter::Scalar::ofFloat(
                   i % 97 == 0 ? NAN : double(i * 7907 % 127)));
      return tensor;
    };
    check("%b : tensor<1x701x4xf32>, %s : tensor<1x2x701xf32>, %n : "
          "tensor<i64>, %o : tensor<f32>",
          "tensor<?x3xi64>",
          "%r = graph.non_max_suppression %b, %s, %n, %o : "
          "(tensor<1x701x4xf32>, tensor<1x2x701xf32>, tensor<i64>, "
          "tensor<f32>) -> tensor<?x3xi64>",
          "%r");
    check("%b : tensor<1x701x4xf32>, %s : tensor<1x2x701xf32>, %n : "
          "tensor<i64>, %o : tensor<f32>, %t : tensor<f32>",
          "tensor<?x3xi64>",
          "%r = graph.non_max_suppression %b, %s, %n, %o, %t : "
          "(tensor<1x701x4xf32>, tensor<1x2x701xf32>, tensor<i64>, "
          "tensor<f32>, tensor<f32>) -> tensor<?x3xi64>",
          "%r");
  }
}

TEST_F(OrderingKernelTest, Hash) {
  harness.fill = [](mlir::RankedTensorType type, unsigned) {
    Tensor tensor(type);
    interpreter::ElementAccess access(type.getElementType());
    uint64_t state = 5;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      access.store(tensor.writable() + i * access.bytes(),
                   interpreter::Scalar::ofSigned(int64_t(state)));
    }
    return tensor;
  };
  // Rows of less and of more than a block, and several tasks.
  for (const char *element :
       {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"})
    for (const char *shape : {"37x11", "3x700", "5000x3"}) {
      std::string rows = tensor(std::string(shape) + "x", element),
                  count = std::string(shape).substr(
                      0, std::string(shape).find('x')),
                  sums = "tensor<" + count + "x3xi64>",
                  polynomials = "tensor<" + count + "x1xui32>";
      check("%x : " + rows, sums,
            "%r = graph.hash matrix, %x seed -3 : " + rows + " -> " + sums,
            "%r");
      check("%x : " + rows, polynomials,
            "%r = graph.hash poly32, %x : " + rows + " -> " + polynomials,
            "%r");
    }
}

/// Numbers just below, at and above those whose products are summed as they
/// are.
TEST_F(OrderingKernelTest, HashesOfTheLargestSmallNumbers) {
  for (int64_t width : {1, 3, 11, 500})
    for (int64_t more : {-1, 0, 1}) {
      const int64_t number =
          std::min(int64_t(UINT32_MAX), (int64_t(1) << 33) / width) + more;
      harness.fill = [&](mlir::RankedTensorType type, unsigned) {
        Tensor tensor(type);
        auto *elements = reinterpret_cast<int64_t *>(tensor.writable());
        std::fill_n(elements, tensor.size(), number);
        return tensor;
      };
      std::string rows = "tensor<9x" + std::to_string(width) + "xi64>";
      check("%x : " + rows, "tensor<9x2xi64>",
            "%r = graph.hash matrix, %x seed 7 : " + rows +
                " -> tensor<9x2xi64>",
            "%r");
    }
}

TEST_F(OrderingKernelTest, RefusesUnknownRoutines) {
  EXPECT_EQ(harness.refusal(fusionText(
                "routine", "%x : tensor<4xf32>", "tensor<4xf32>",
                "%r = graph.custom_call \"magic\" (%x) : (tensor<4xf32>) -> "
                "tensor<4xf32>")),
            "no kernel for 'graph.custom_call' that calls 'magic', which is no "
            "routine here");
}

TEST_F(OrderingKernelTest, RefusesWhatIsNotAlone) {
  EXPECT_EQ(
      harness.refusal(
          fusionText("routine", "%x : tensor<4xf32>", "tensor<4xf32>",
                     "%y = graph.abs %x : tensor<4xf32>\n"
                     "%r = graph.sort %y 0 keys 1 : (tensor<4xf32>) -> "
                     "tensor<4xf32>")),
      "no kernel that computes an operand of 'zenith_routine_sort' inside "
      "of its call");
}

} // namespace
