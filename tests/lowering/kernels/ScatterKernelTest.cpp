// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatters and reductions with regions beside the interpreter: wide and narrow
// windows, indices out of bounds, repeated indices, every element type.

#include "FusionText.h"
#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::fusionText;
using zenith::testing::KernelHarness;

namespace {

class ScatterKernelTest : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};
  void check(const std::string &kind, const std::string &arguments,
             const std::string &results, const std::string &body,
             const std::string &yields = "%r",
             std::vector<std::vector<int64_t>> shapes = {}) {
    SCOPED_TRACE(body);
    harness.check(fusionText(kind, arguments, results, body, yields),
                  std::move(shapes));
  }
  void scatter(const std::string &form, const std::string &operand,
               const std::string &indices, const std::string &updates,
               const std::string &dims,
               std::vector<std::vector<int64_t>> shapes = {}) {
    check("scatter",
          "%x : " + operand + ", %i : " + indices + ", %u : " + updates,
          operand,
          "%r = graph.scatter " + form + ", %x, %i, %u <" + dims + "> : (" +
              operand + ", " + indices + ", " + updates + ") -> " + operand,
          "%r", std::move(shapes));
  }
};

const char *const rows = "window = [1], inserted = [0], batching = [] x [], "
                         "index_map = [0], index_vector_dim = 1";
const char *const points =
    "window = [], inserted = [0, 1], batching = [] x [], "
    "index_map = [1, 0], index_vector_dim = 1";

TEST_F(ScatterKernelTest, KindsAndTypes) {
  for (const char *kind : {"set", "sum", "prod", "max", "min"})
    for (const char *element :
         {"i4", "ui8", "i32", "ui64", "f16", "bf16", "f32", "f64"}) {
      std::string type = element;
      scatter(kind, "tensor<5x7x" + type + ">", "tensor<13x1xi32>",
              "tensor<13x7x" + type + ">", rows);
    }
  for (const char *kind : {"set", "max", "min"})
    scatter(kind, "tensor<5x3xi1>", "tensor<9x1xi8>", "tensor<9x3xi1>", rows);
}

TEST_F(ScatterKernelTest, IndexTypes) {
  for (const char *element : {"i8", "ui8", "i32", "ui32", "i64", "ui64"})
    scatter("sum", "tensor<3x3xf32>",
            "tensor<40x2x" + std::string(element) + ">", "tensor<40xf32>",
            points);
}

TEST_F(ScatterKernelTest, WideRows) {
  scatter("sum", "tensor<4x1001xf32>", "tensor<11x1xi64>",
          "tensor<11x1001xf32>", rows);
  scatter("set", "tensor<?x?xbf16>", "tensor<?x1xi64>", "tensor<?x?xbf16>",
          rows, {{4, 700}, {6, 1}, {6, 700}});
}

TEST_F(ScatterKernelTest, ManyPoints) {
  scatter("sum", "tensor<6x5xi32>", "tensor<40000x2xi32>", "tensor<40000xi32>",
          points);
  scatter("sum", "tensor<?xf64>", "tensor<?x1xi64>", "tensor<?xf64>",
          "window = [], inserted = [0], batching = [] x [], index_map = [0], "
          "index_vector_dim = 1",
          {{5}, {200, 1}, {200}});
}

TEST_F(ScatterKernelTest, Windows) {
  scatter("sum", "tensor<4x5x6xf32>", "tensor<3x2x2xi64>",
          "tensor<3x2x2x5x2xf32>",
          "window = [2, 3, 4], inserted = [], batching = [] x [], index_map = "
          "[2, 0], index_vector_dim = 2");
  scatter("set", "tensor<4x5xf32>", "tensor<2xi64>", "tensor<2x3xf32>",
          "window = [0, 1], inserted = [], batching = [] x [], index_map = [0, "
          "1], index_vector_dim = 0");
  scatter("set", "tensor<f32>", "tensor<0xi64>", "tensor<f32>",
          "window = [], inserted = [], batching = [] x [], index_map = [], "
          "index_vector_dim = 0");
}

TEST_F(ScatterKernelTest, Batches) {
  scatter("max", "tensor<3x8x2xf32>", "tensor<5x3x1xi64>", "tensor<5x3x2xf32>",
          "window = [2], inserted = [1], batching = [0] x [1], index_map = "
          "[1], index_vector_dim = 2");
}

TEST_F(ScatterKernelTest, Empty) {
  scatter("sum", "tensor<?x3xf32>", "tensor<?x1xi64>", "tensor<?x3xf32>", rows,
          {{0, 3}, {2, 1}, {2, 3}});
  scatter("sum", "tensor<?x3xf32>", "tensor<?x1xi64>", "tensor<?x3xf32>", rows,
          {{2, 3}, {0, 1}, {0, 3}});
}

// Indices along one dimension are those of the updates: tasks divide these.
TEST_F(ScatterKernelTest, OwnIndices) {
  for (const char *element : {"f32", "f64", "bf16", "i32"})
    for (const char *kind : {"set", "sum", "prod", "max", "min"})
      for (bool first : {true, false}) {
        std::string type = element, number = first ? "%n, %j" : "%j, %n",
                    updates = "tensor<181x193x" + type + ">",
                    operand = "tensor<200x197x" + type + ">";
        check("scatter",
              "%x : " + operand + ", %i : tensor<181x193xi64>, %u : " + updates,
              operand,
              "%n = graph.iota " + std::string(first ? "0" : "1") +
                  " : tensor<181x193x1xi64>\n"
                  "%j = graph.reshape %i : tensor<181x193xi64> -> "
                  "tensor<181x193x1xi64>\n"
                  "%p = graph.concat 2, " +
                  number +
                  " : (tensor<181x193x1xi64>, tensor<181x193x1xi64>) -> "
                  "tensor<181x193x2xi64>\n"
                  "%r = graph.scatter " +
                  kind +
                  ", %x, %p, %u <window = [], inserted = [0, 1], batching = [] "
                  "x [], index_map = [0, 1], index_vector_dim = 2> : (" +
                  operand + ", tensor<181x193x2xi64>, " + updates + ") -> " +
                  operand,
              "%r");
      }
}

TEST_F(ScatterKernelTest, ManyBatches) {
  scatter("max", "tensor<50x8x2xf32>", "tensor<400x50x1xi64>",
          "tensor<400x50x2xf32>",
          "window = [2], inserted = [1], batching = [0] x [1], index_map = "
          "[1], index_vector_dim = 2");
  scatter("min", "tensor<70xf64>", "tensor<40000x1xi64>", "tensor<40000xf64>",
          "window = [], inserted = [0], batching = [] x [], index_map = [0], "
          "index_vector_dim = 1");
}

TEST_F(ScatterKernelTest, InPlace) {
  harness.sharedOperand = 0;
  scatter("sum", "tensor<9x17xf32>", "tensor<6x1xi64>", "tensor<6x17xf32>",
          rows);
}

TEST_F(ScatterKernelTest, ComputedOperands) {
  check("scatter", "%i : tensor<20xi32>, %u : tensor<3x20xf32>",
        "tensor<5x3xf32>",
        R"(%z = graph.constant dense<1.5> : tensor<f32>
      %o = graph.broadcast %z [] : tensor<f32> -> tensor<5x3xf32>
      %j = graph.reshape %i : tensor<20xi32> -> tensor<20x1xi32>
      %t = graph.transpose %u [1, 0] : tensor<3x20xf32> -> tensor<20x3xf32>
      %e = graph.mul %t, %t : tensor<20x3xf32>
      %r = graph.scatter sum, %o, %j, %e <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
        : (tensor<5x3xf32>, tensor<20x1xi32>, tensor<20x3xf32>) -> tensor<5x3xf32>)");
}

TEST_F(ScatterKernelTest, ScatterWith) {
  check(
      "scatter",
      "%x : tensor<5x6xf32>, %y : tensor<5x6xi32>, %i : tensor<9x1xi64>, %u "
      ": tensor<9x6xf32>, %v : tensor<9x6xi32>, %s : tensor<f32>",
      "tensor<5x6xf32>, tensor<5x6xi32>",
      R"(%r:2 = graph.scatter_with (%x, %y), %i, (%u, %v) <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
        ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
          %m = graph.mul %c, %s : tensor<f32>
          %p = graph.compare gt, %m, %a : tensor<f32> -> tensor<i1>
          %e = graph.select %p, %m, %a : tensor<i1>, tensor<f32>
          %f = graph.sub %b, %d : tensor<i32>
          graph.yield %e, %f : tensor<f32>, tensor<i32>
        } : (tensor<5x6xf32>, tensor<5x6xi32>, tensor<9x1xi64>, tensor<9x6xf32>, tensor<9x6xi32>) -> (tensor<5x6xf32>, tensor<5x6xi32>))",
      "%r#0, %r#1");
}

const char *const argMax = R"( {
      ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
        %p = graph.compare ge, %c, %a : tensor<f32> -> tensor<i1>
        %e = graph.select %p, %c, %a : tensor<i1>, tensor<f32>
        %f = graph.select %p, %d, %b : tensor<i1>, tensor<i32>
        graph.yield %e, %f : tensor<f32>, tensor<i32>
      } : )";

TEST_F(ScatterKernelTest, ReduceWith) {
  struct {
    const char *dims, *result;
  } cases[] = {{"[0]", "7x11x"}, {"[1]", "5x11x"}, {"[2]", "5x7x"},
               {"[0, 2]", "7x"}, {"[1, 2]", "5x"}, {"[0, 1, 2]", ""},
               {"[]", "5x7x11x"}};
  std::string f = "tensor<5x7x11xf32>", i = "tensor<5x7x11xi32>";
  for (auto &c : cases) {
    std::string rf = "tensor<" + std::string(c.result) + "f32>",
                ri = "tensor<" + std::string(c.result) + "i32>";
    std::string types = "(" + f + ", " + i +
                        ", tensor<f32>, tensor<i32>) -> (" + rf + ", " + ri +
                        ")";
    std::string arguments =
        "%x : " + f + ", %y : " + i + ", %s : tensor<f32>, %t : tensor<i32>";
    std::string body = "%r:2 = graph.reduce_with (%x, %y), (%s, %t) " +
                       std::string(c.dims) + argMax + types;
    check("reduction", arguments, rf + ", " + ri, body, "%r#0, %r#1");
    check("reduction", arguments, ri, body, "%r#1");
  }
}

TEST_F(ScatterKernelTest, ReduceWithDynamicAndCaptured) {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{3, 37}, {0, 5}, {5, 0}, {1, 1}})
    for (const char *dim : {"[0]", "[1]"})
      check("reduction",
            "%x : tensor<?x?xbf16>, %s : tensor<bf16>, %k : tensor<bf16>",
            "tensor<?xbf16>",
            "%r = graph.reduce_with (%x), (%s) " + std::string(dim) + R"( {
          ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
            %c = graph.mul %a, %k : tensor<bf16>
            %d = graph.sub %c, %b : tensor<bf16>
            graph.yield %d : tensor<bf16>
          } : (tensor<?x?xbf16>, tensor<bf16>) -> tensor<?xbf16>)",
            "%r", {shape, {}, {}});
}

TEST_F(ScatterKernelTest, ReduceWindowWith) {
  struct {
    const char *attributes, *result;
  } cases[] = {
      {"window [1, 2, 3] strides [1, 2, 1] low [0, 0, 0] high [0, 0, 0] "
       "base_dilation [1, 1, 1] dilation [1, 1, 1]",
       "2x4x7x"},
      {"window [1, 3, 3] strides [1, 2, 2] low [0, 1, 2] high [0, 1, 0] "
       "base_dilation [1, 1, 1] dilation [1, 1, 2]",
       "2x4x4x"},
      {"window [2, 2, 2] strides [1, 1, 3] low [1, 0, 1] high [0, -1, 2] "
       "base_dilation [1, 2, 3] dilation [1, 1, 1]",
       "2x13x9x"},
  };
  std::string f = "tensor<2x8x9xf32>", i = "tensor<2x8x9xi32>";
  for (auto &c : cases) {
    std::string rf = "tensor<" + std::string(c.result) + "f32>",
                ri = "tensor<" + std::string(c.result) + "i32>";
    check("window",
          "%x : " + f + ", %y : " + i + ", %s : tensor<f32>, %t : tensor<i32>",
          rf + ", " + ri,
          "%r:2 = graph.reduce_window_with (%x, %y), (%s, %t) " +
              std::string(c.attributes) + argMax + "(" + f + ", " + i +
              ", tensor<f32>, tensor<i32>) -> (" + rf + ", " + ri + ")",
          "%r#0, %r#1");
  }
}

} // namespace
