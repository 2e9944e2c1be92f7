// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selections of the first elements beside the interpreter: of rows and columns,
// short and long ones, with ties and NaN.

#include "tests/lowering/routines/RoutineHarness.h"

using namespace zenith;
using zenith::testing::elementTypes;
using zenith::testing::tensor;

namespace {

class TopKKernelTest : public zenith::testing::RoutineKernelTest {};

TEST_F(TopKKernelTest, TopK) {
  fillSpecial();
  for (const char *element : elementTypes)
    for (const char *order : {"", " smallest"}) {
      std::string x = tensor("3x29x2x", element), v = tensor("3x7x2x", element);
      check("%x : " + x, v + ", tensor<3x7x2xi64>",
            "%r:2 = graph.top_k %x 1" + std::string(order) + " : (" + x +
                ") -> (" + v + ", tensor<3x7x2xi64>)",
            "%r#0, %r#1");
    }
}

TEST_F(TopKKernelTest, TopKOfLongRows) {
  fillSpecial();
  for (const char *element : {"f32", "f64", "i8", "ui64", "bf16", "f16"})
    for (const char *order : {"", " smallest"}) {
      std::string x = tensor("2x700x2x", element),
                  v = tensor("2x7x2x", element);
      check("%x : " + x, v + ", tensor<2x7x2xi64>",
            "%r:2 = graph.top_k %x 1" + std::string(order) + " : (" + x +
                ") -> (" + v + ", tensor<2x7x2xi64>)",
            "%r#0, %r#1");
    }
  // Some in order, some dropped again and again, all kept.
  for (const char *element : {"f32", "f64", "i32", "i64"})
    for (const char *k : {"1", "9", "40", "2000", "2999"})
      for (const char *order : {"", " smallest"}) {
        std::string x = tensor("3x3000x", element),
                    v = tensor(std::string("3x") + k + "x", element),
                    i = tensor(std::string("3x") + k + "x", "i64");
        check("%x : " + x, v + ", " + i,
              "%r:2 = graph.top_k %x 1" + std::string(order) + " : (" + x +
                  ") -> (" + v + ", " + i + ")",
              "%r#0, %r#1");
      }
}

TEST_F(TopKKernelTest, FewOfOneLongRow) {
  // Found by a limit, though there are few keys.
  fillSpecial();
  for (const char *element : {"f16", "bf16"})
    for (const char *order : {"", " smallest"}) {
      std::string x = tensor("70000x", element), v = tensor("9x", element);
      check("%x : " + x, v + ", tensor<9xi64>",
            "%r:2 = graph.top_k %x 0" + std::string(order) + " : (" + x +
                ") -> (" + v + ", tensor<9xi64>)",
            "%r#0, %r#1");
    }
}

TEST_F(TopKKernelTest, TopKOfManyEqual) {
  // Nearly all of a filter's elements are within the limit.
  fillSpecial();
  for (const char *order : {"", " smallest"})
    check("%x : tensor<90000xf32>", "tensor<20000xf32>, tensor<20000xi64>",
          "%r:2 = graph.top_k %x 0" + std::string(order) +
              " : (tensor<90000xf32>) -> (tensor<20000xf32>, "
              "tensor<20000xi64>)",
          "%r#0, %r#1");
}

TEST_F(TopKKernelTest, TopKOfColumns) {
  // Tiles of columns and what is left of them; limits by groups, or none.
  for (const char *special : {"", "special"}) {
    if (*special)
      fillSpecial();
    for (const char *element : {"f32", "f64", "i32", "i64", "f16", "ui32"})
      for (const char *k : {"1", "3", "17", "40"})
        for (const char *order : {"", " smallest"}) {
          std::string x = tensor("2x75x19x", element),
                      shape = std::string("2x") + k + "x19x";
          check("%x : " + x,
                tensor(shape, element) + ", " + tensor(shape, "i64"),
                "%r:2 = graph.top_k %x 1" + std::string(order) + " : (" + x +
                    ") -> (" + tensor(shape, element) + ", " +
                    tensor(shape, "i64") + ")",
                "%r#0, %r#1");
        }
  }
}

TEST_F(TopKKernelTest, FewOfShortRowsAndOfColumns) {
  // A row in each lane, some lanes without any; rows of which nearly all is
  // taken, elements that come last among it.
  fillSpecial();
  for (const char *element :
       {"i1", "i8", "ui16", "i32", "ui32", "f16", "bf16", "f32"})
    for (const char *k : {"1", "5", "8"})
      for (const char *order : {"", " smallest"}) {
        auto few = [&](const std::string &before, const char *length,
                       const std::string &behind, const char *dim) {
          std::string x = tensor(before + length + "x" + behind, element),
                      shape = before + k + "x" + behind;
          check("%x : " + x,
                tensor(shape, element) + ", " + tensor(shape, "i64"),
                "%r:2 = graph.top_k %x " + std::string(dim) + order + " : (" +
                    x + ") -> (" + tensor(shape, element) + ", " +
                    tensor(shape, "i64") + ")",
                "%r#0, %r#1");
        };
        few("21x", "9", "", "1");
        few("2x", "70", "19x", "1");
      }
}

TEST_F(TopKKernelTest, TopKOfEveryLength) {
  fillFractions();
  for (int64_t length : {1, 15, 31, 32, 33, 64, 1037})
    for (int64_t k : {1, 8, 17, 33, 300, 700, 1037})
      if (k <= length)
        for (const char *element : {"f32", "f64"}) {
          std::string x = tensor("3x" + std::to_string(length) + "x", element),
                      shape = "3x" + std::to_string(k) + "x";
          check("%x : " + x,
                tensor(shape, element) + ", " + tensor(shape, "i64"),
                "%r:2 = graph.top_k %x 1 : (" + x + ") -> (" +
                    tensor(shape, element) + ", " + tensor(shape, "i64") + ")",
                "%r#0, %r#1");
        }
}

TEST_F(TopKKernelTest, TopKByCounting) {
  // One long row of few keys, in several tasks.
  for (const char *element : {"ui8", "i8", "bf16"})
    for (const char *order : {"", " smallest"}) {
      std::string x = tensor("?x", element), v = tensor("?x", element);
      for (int64_t size : {0, 1, 40000, 200003})
        check("%x : " + x + ", %k : tensor<?xi1>", v + ", tensor<?xi64>",
              "%n = graph.dim %k, 0 : tensor<?xi1>\n"
              "%r:2 = graph.top_k %x, %n 0" +
                  std::string(order) + " : (" + x + ", tensor<i64>) -> (" + v +
                  ", tensor<?xi64>)",
              "%r#0, %r#1", {{size}, {size / 3}});
    }
}

} // namespace
