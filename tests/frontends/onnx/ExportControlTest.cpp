// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with control, ordering, scatters and attention mean the same after a
// way to ONNX and back.
#include "ModelEvaluation.h"
#include "frontends/onnx/ExportONNX.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

static std::string resultsOf(mlir::ModuleOp module, const Values &inputs) {
  auto results = runModule(module, inputs);
  if (!results)
    return llvm::toString(results.takeError());
  std::string text;
  for (const zenith::Tensor &result : *results)
    text += textOf(result) + "\n";
  return text;
}

/// The results of the program, before and after the way.
static void expectSame(const std::string &text, const Values &inputs,
                       int64_t opset = 18) {
  mlir::MLIRContext context;
  context.loadDialect<zenith::graph::GraphDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  ExportOptions options;
  options.opset = opset;
  auto model = exportONNX(*module, options);
  ASSERT_TRUE(model) << model.error().message();
  TemporaryFolder folder;
  ASSERT_TRUE(saveModel(*model, folder / "m.onnx"));
  auto loaded = loadModel(folder / "m.onnx");
  ASSERT_TRUE(loaded) << loaded.error().message();
  auto again = importONNX(*loaded, &context);
  ASSERT_TRUE(again) << again.error().message();
  std::string expected = resultsOf(*module, inputs);
  EXPECT_EQ(resultsOf(**again, inputs), expected);
  EXPECT_NE(expected.find("dense"), std::string::npos) << expected;
}

static std::string refusal(const std::string &text, int64_t opset = 17) {
  mlir::MLIRContext context;
  context.loadDialect<zenith::graph::GraphDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return "the test's IR does not parse";
  ExportOptions options;
  options.opset = opset;
  auto model = exportONNX(*module, options);
  return model ? "" : model.error().message();
}

/// Joins x to itself n times: the loop-carried dimension changes.
TEST(ExportControl, LoopsWithDynamicSizes) {
  expectSame(R"(
    func.func @main(%x: tensor<?xf32> {graph.name = "x", graph.dims = ["n"]},
                    %n: tensor<i64> {graph.name = "count"}) -> tensor<?xf32> {
      %zero = graph.constant dense<0> : tensor<i64>
      %one = graph.constant dense<1> : tensor<i64>
      %r:2 = graph.while %zero, %x cond {
        ^bb0(%i: tensor<i64>, %v: tensor<?xf32>):
          %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
          graph.yield %c : tensor<i1>
        } do {
        ^bb0(%i: tensor<i64>, %v: tensor<?xf32>):
          %j = graph.add %i, %one : tensor<i64>
          %w = graph.concat 0, %v, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
          graph.yield %j, %w : tensor<i64>, tensor<?xf32>
        } : (tensor<i64>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>)
      return %r#1 : tensor<?xf32>
    })",
             byName({floats("x", {2}, {1, 2}), integers("count", {}, {2})}));
}

TEST(ExportControl, BranchesByIndex) {
  for (int64_t index : {-1, 0, 1, 2, 7})
    expectSame(R"(
    func.func @main(%x: tensor<2xf32> {graph.name = "x"},
                    %i: tensor<i64> {graph.name = "i"}) -> tensor<2xf32> {
      %r = graph.case %i {
          %a = graph.neg %x : tensor<2xf32>
          graph.yield %a : tensor<2xf32>
        }, {
          graph.yield %x : tensor<2xf32>
        }, {
          %a = graph.mul %x, %x : tensor<2xf32>
          graph.yield %a : tensor<2xf32>
        } : (tensor<i64>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    })",
               byName({floats("x", {2}, {3, 4}), integers("i", {}, {index})}));
}

TEST(ExportOrdering, SortsByTwoKeys) {
  expectSame(R"(
    func.func @main(%a: tensor<2x4xi64> {graph.name = "a"},
                    %b: tensor<2x4xi64> {graph.name = "b"})
        -> (tensor<2x4xi64>, tensor<2x4xi64>) {
      %r:2 = graph.sort %a, %b 1 keys 2 descending : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)
      return %r#0, %r#1 : tensor<2x4xi64>, tensor<2x4xi64>
    })",
             byName({integers("a", {2, 4}, {1, 2, 1, 2, 0, 0, 5, 0}),
                     integers("b", {2, 4}, {3, 4, 9, 1, 7, 8, 0, 9})}));
}

TEST(ExportOrdering, FindsRowsAndPlaces) {
  expectSame(R"(
    func.func @main(%x: tensor<4x2xi64> {graph.name = "x"},
                    %set: tensor<2x2xi64> {graph.name = "set"},
                    %list: tensor<3xi64> {graph.name = "list"})
        -> (tensor<?x2xi64>, tensor<4x2xi64>, tensor<4x2xi64>, tensor<?x2xi64>) {
      %m = graph.is_in %x, %set : (tensor<4x2xi64>, tensor<2x2xi64>) -> tensor<4xi1>
      %r = graph.compact %m, %x : (tensor<4xi1>, tensor<4x2xi64>) -> tensor<?x2xi64>
      %s = graph.searchsorted %list, %x : (tensor<3xi64>, tensor<4x2xi64>) -> tensor<4x2xi64>
      %t = graph.searchsorted %list, %x right : (tensor<3xi64>, tensor<4x2xi64>) -> tensor<4x2xi64>
      %u, %f, %i, %c = graph.unique %x sorted : tensor<4x2xi64> -> tensor<?x2xi64>, tensor<?xi64>, tensor<4xi64>, tensor<?xi64>
      return %r, %s, %t, %u : tensor<?x2xi64>, tensor<4x2xi64>, tensor<4x2xi64>, tensor<?x2xi64>
    })",
             byName({integers("x", {4, 2}, {5, 6, 1, 2, 5, 6, 3, 3}),
                     integers("set", {2, 2}, {1, 2, 5, 6}),
                     integers("list", {3}, {2, 5, 6})}));
}

TEST(ExportScatter, WritesParts) {
  for (int64_t start : {-3, 1, 9})
    expectSame(
        R"(
    func.func @main(%x: tensor<4x3xf32> {graph.name = "x"}, %u: tensor<2x3xf32> {graph.name = "u"},
                    %s: tensor<2x2xf32> {graph.name = "s"}, %i: tensor<i64> {graph.name = "i"},
                    %at: tensor<2x1xi64> {graph.name = "at"})
        -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
      %zero = graph.constant dense<0> : tensor<i64>
      %a = graph.dynamic_update_slice %x, %u, %i, %zero : (tensor<4x3xf32>, tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
      %b = graph.dynamic_update_slice %x, %s, %zero, %i : (tensor<4x3xf32>, tensor<2x2xf32>, tensor<i64>, tensor<i64>) -> tensor<4x3xf32>
      %c = graph.scatter sum, %x, %at, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
        : (tensor<4x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
      return %a, %b, %c : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
    })",
        byName({ramp("x", {4, 3}), ramp("u", {2, 3}), ramp("s", {2, 2}),
                integers("i", {}, {start}), integers("at", {2, 1}, {2, 2})}));
}

/// Windows that are not inside are left out; others move to their batch.
TEST(ExportScatter, WindowsAtAnyPlace) {
  expectSame(
      R"(
    func.func @main(%x: tensor<4x3xi64> {graph.name = "x"}, %u: tensor<3x2x2xi64> {graph.name = "u"},
                    %i: tensor<2x3xi64> {graph.name = "i"}, %v: tensor<2x4xi64> {graph.name = "v"},
                    %j: tensor<2x4xi64> {graph.name = "j"})
        -> (tensor<4x3xi64>, tensor<4x3xi64>, tensor<4x3xi64>) {
      %a = graph.scatter sum, %x, %i, %u <window = [1, 2], inserted = [], batching = [] x [], index_map = [1, 0], index_vector_dim = 0>
        : (tensor<4x3xi64>, tensor<2x3xi64>, tensor<3x2x2xi64>) -> tensor<4x3xi64>
      %b = graph.scatter set, %x, %i, %u <window = [1, 2], inserted = [], batching = [] x [], index_map = [0, 1], index_vector_dim = 0>
        : (tensor<4x3xi64>, tensor<2x3xi64>, tensor<3x2x2xi64>) -> tensor<4x3xi64>
      %c = graph.scatter max, %x, %j, %v <window = [], inserted = [1], batching = [0] x [1], index_map = [1], index_vector_dim = 2>
        : (tensor<4x3xi64>, tensor<2x4xi64>, tensor<2x4xi64>) -> tensor<4x3xi64>
      return %a, %b, %c : tensor<4x3xi64>, tensor<4x3xi64>, tensor<4x3xi64>
    })",
      byName({integers("x", {4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
              integers("u", {3, 2, 2},
                       {20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}),
              integers("i", {2, 3}, {1, -1, 0, 1, 0, 2}),
              integers("v", {2, 4}, {9, 8, 7, 6, 5, 4, 30, 2}),
              integers("j", {2, 4}, {0, 3, -1, 2, 1, 1, 0, 2})}));
}

TEST(ExportMovement, GapsBetweenElements) {
  expectSame(R"(
    func.func @main(%x: tensor<2x?xf32> {graph.name = "x", graph.dims = ["", "n"]}) -> tensor<?x?xf32> {
      %v = graph.constant dense<9.0> : tensor<f32>
      %r = graph.pad %x, %v [1, 0] [-1, 2] [2, 1] : tensor<2x?xf32>, tensor<f32> -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })",
             byName({ramp("x", {2, 3})}));
}

/// Dimensions move before GatherND and after it.
TEST(ExportIndexing, GathersOfAnyOrder) {
  expectSame(R"(
    func.func @main(%x: tensor<2x3x4xf32> {graph.name = "x"}, %i: tensor<1x2x3xi64> {graph.name = "i"})
        -> tensor<3x2x1x3xf32> {
      %r = graph.gather %x, %i <offset = [0, 2], collapsed = [], batching = [0] x [1], index_map = [2], index_vector_dim = 0> sizes [1, 3, 1]
        : (tensor<2x3x4xf32>, tensor<1x2x3xi64>) -> tensor<3x2x1x3xf32>
      return %r : tensor<3x2x1x3xf32>
    })",
             byName({ramp("x", {2, 3, 4}),
                     integers("i", {1, 2, 3}, {0, 3, 1, 2, 2, 0})}));
}

/// Positions that are not inside mean the nearest ones that are.
TEST(ExportIndexing, ClampsPositions) {
  expectSame(R"(
    func.func @main(%x: tensor<4x3xf32> {graph.name = "x"}, %i: tensor<3xi64> {graph.name = "i"}, %j: tensor<3x2xi64> {graph.name = "j"})
        -> (tensor<3x3xf32>, tensor<3xf32>, tensor<2x3x2xf32>) {
      %a = graph.gather %x, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 3]
        : (tensor<4x3xf32>, tensor<3xi64>) -> tensor<3x3xf32>
      %b = graph.gather %x, %j <offset = [], collapsed = [0, 1], batching = [] x [], index_map = [0, 1], index_vector_dim = 1> sizes [1, 1]
        : (tensor<4x3xf32>, tensor<3x2xi64>) -> tensor<3xf32>
      %c = graph.gather %x, %j <offset = [0, 2], collapsed = [], batching = [] x [], index_map = [0, 1], index_vector_dim = 1> sizes [2, 2]
        : (tensor<4x3xf32>, tensor<3x2xi64>) -> tensor<2x3x2xf32>
      return %a, %b, %c : tensor<3x3xf32>, tensor<3xf32>, tensor<2x3x2xf32>
    })",
             byName({ramp("x", {4, 3}), integers("i", {3}, {-2, 1, 9}),
                     integers("j", {3, 2}, {-1, 2, 5, 1, 2, 0})}));
}

TEST(ExportElementwise, ShiftsAnglesAndBooleans) {
  expectSame(
      R"(
    func.func @main(%x: tensor<6xi64> {graph.name = "x"}, %s: tensor<6xi64> {graph.name = "s"}, %y: tensor<6xf32> {graph.name = "y"})
        -> (tensor<6xi64>, tensor<6xi64>, tensor<6xi64>, tensor<6xf32>, tensor<6xi1>) {
      %a = graph.shift_left %x, %s : tensor<6xi64>
      %b = graph.shift_right_logical %x, %s : tensor<6xi64>
      %c = graph.shift_right_arithmetic %x, %s : tensor<6xi64>
      %n = graph.neg %y : tensor<6xf32>
      %z = graph.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0.0, -0.0]> : tensor<6xf32>
      %d = graph.atan2 %z, %n : tensor<6xf32>
      %p = graph.compare lt, %x, %s : tensor<6xi64> -> tensor<6xi1>
      %q = graph.compare eq, %z, %y : tensor<6xf32> -> tensor<6xi1>
      %o = graph.compare lt, %p, %q : tensor<6xi1> -> tensor<6xi1>
      %e = graph.select %o, %p, %q : tensor<6xi1>, tensor<6xi1>
      return %a, %b, %c, %d, %e : tensor<6xi64>, tensor<6xi64>, tensor<6xi64>, tensor<6xf32>, tensor<6xi1>
    })",
      byName({integers("x", {6}, {1, -1, -9, 77, -8, 5}),
              integers("s", {6}, {3, 64, 2, -1, 0, 63}), ramp("y", {6})}));
}

TEST(ExportReduction, WindowsOfIntegers) {
  expectSame(R"(
    func.func @main(%x: tensor<2x5xi64> {graph.name = "x"}) -> (tensor<2x3xi64>, tensor<1x5xi64>, tensor<2x5xi64>) {
      %a = graph.reduce_window min, %x window [1, 3] strides [1, 2] low [0, 1] high [0, 1] base_dilation [1, 1] dilation [1, 1] : tensor<2x5xi64> -> tensor<2x3xi64>
      %b = graph.reduce_window prod, %x window [2, 2] strides [1, 1] low [0, 0] high [0, 1] base_dilation [1, 1] dilation [1, 1] : tensor<2x5xi64> -> tensor<1x5xi64>
      %c = graph.cumulative max, %x 1 : tensor<2x5xi64>
      return %a, %b, %c : tensor<2x3xi64>, tensor<1x5xi64>, tensor<2x5xi64>
    })",
             byName({integers("x", {2, 5}, {3, -7, 5, 0, 9, -2, 8, 1, 4, 6})}));
}

TEST(ExportControl, BarriersAndScalarsOfTheHost) {
  expectSame(R"(
    func.func @main(%x: tensor<5xi64> {graph.name = "x"}) -> (tensor<5xi64>, tensor<i64>) {
      %s = graph.reduce sum, %x [0] : tensor<5xi64> -> tensor<i64>
      %n = graph.host_read %s : tensor<i64>
      %b:2 = graph.barrier %x, %n : (tensor<5xi64>, tensor<i64>) -> (tensor<5xi64>, tensor<i64>)
      %y = graph.neg %b#0 : tensor<5xi64>
      return %y, %b#1 : tensor<5xi64>, tensor<i64>
    })",
             byName({integers("x", {5}, {3, -7, 5, 0, 9})}));
}

/// Where 1 + x and e^x round to 1, and where they end.
TEST(ExportElementwise, LogarithmsNearOne) {
  auto model = [](const std::string &op, const std::string &end) {
    return R"(
    func.func @main() -> tensor<4xf64> {
      %x = graph.constant dense<[1.0e-17, -0.0, 0x7FF0000000000000, )" +
           end + R"(]> : tensor<4xf64>
      %r = graph.)" +
           op + R"( %x : tensor<4xf64>
      return %r : tensor<4xf64>
    })";
  };
  expectSame(model("log1p", "-1.0"), byName({}));
  expectSame(model("expm1", "0xFFF0000000000000"), byName({}));
}

/// Regions that no operator names run in the steps of a Scan.
TEST(ExportReduction, FoldsByRegions) {
  expectSame(R"(
    func.func @main(%x: tensor<2x5xi64> {graph.name = "x"}, %y: tensor<2x5xi64> {graph.name = "y"})
        -> (tensor<2xi64>, tensor<2xi64>, tensor<2x3xi64>, tensor<5xi64>) {
      %c = graph.constant dense<3> : tensor<i64>
      %r:2 = graph.reduce_with (%x, %y), (%c, %c) [1] {
        ^bb0(%a: tensor<i64>, %b: tensor<i64>, %d: tensor<i64>, %e: tensor<i64>):
          %s = graph.sub %a, %d : tensor<i64>
          %p = graph.compare lt, %s, %e : tensor<i64> -> tensor<i1>
          %t = graph.select %p, %e, %b : tensor<i1>, tensor<i64>
          graph.yield %s, %t : tensor<i64>, tensor<i64>
        } : (tensor<2x5xi64>, tensor<2x5xi64>, tensor<i64>, tensor<i64>) -> (tensor<2xi64>, tensor<2xi64>)
      %w = graph.reduce_window_with (%x), (%c) window [1, 2] strides [1, 2] low [0, 0] high [0, 1] base_dilation [1, 1] dilation [1, 1] {
        ^bb0(%a: tensor<i64>, %b: tensor<i64>):
          %s = graph.sub %b, %a : tensor<i64>
          graph.yield %s : tensor<i64>
        } : (tensor<2x5xi64>, tensor<i64>) -> tensor<2x3xi64>
      %o = graph.reduce any, %x [0] : tensor<2x5xi64> -> tensor<5xi64>
      return %r#0, %r#1, %w, %o : tensor<2xi64>, tensor<2xi64>, tensor<2x3xi64>, tensor<5xi64>
    })",
             byName({integers("x", {2, 5}, {3, -7, 5, 0, 9, -2, 8, 1, 4, 6}),
                     integers("y", {2, 5}, {1, 2, -3, 4, -5, 6, 7, 8, 9, 0})}));
}

TEST(ExportReduction, RunningProductsAndDilatedSums) {
  expectSame(R"(
    func.func @main(%x: tensor<2x5xf32> {graph.name = "x"}) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x3xf32>) {
      %a = graph.cumulative prod, %x 1 : tensor<2x5xf32>
      %b = graph.cumulative max, %x 1 exclusive reverse : tensor<2x5xf32>
      %c = graph.reduce_window sum, %x window [1, 2] strides [1, 1] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 2] : tensor<2x5xf32> -> tensor<2x3xf32>
      return %a, %b, %c : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x3xf32>
    })",
             byName({ramp("x", {2, 5})}));
}

/// As ConvTranspose, and with gaps written out where strides forbid it.
TEST(ExportContraction, InputsWithGaps) {
  for (const char *strides : {"[1]", "[2]"})
    expectSame(
        std::string(R"(
    func.func @main(%x: tensor<1x4x5xf32> {graph.name = "x"}, %w: tensor<6x2x3xf32> {graph.name = "w"}) -> tensor<1x6x?xf32> {
      %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides )") +
            strides +
            R"( low [1] high [2] input_dilation [2] kernel_dilation [1] groups 2 : (tensor<1x4x5xf32>, tensor<6x2x3xf32>) -> tensor<1x6x?xf32>
      return %r : tensor<1x6x?xf32>
    })",
        byName({ramp("x", {1, 4, 5}), ramp("w", {6, 2, 3})}));
}

TEST(ExportControl, RefusesByNameAndPlace) {
  std::string text = refusal(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xi32> {
      %r = graph.bitcast %x : tensor<2xf32> -> tensor<2xi32> loc("bits")
      return %r : tensor<2xi32>
    })");
  EXPECT_NE(text.find("'bits' (graph.bitcast)"), std::string::npos) << text;
}

/// Queries of zeros: each key that is seen weighs the same.
TEST(ExportAttention, MasksAndGuards) {
  auto text = [](const std::string &attributes, bool hasMask) {
    std::string mask = hasMask ? ", %m" : "",
                type = hasMask ? ", tensor<1x?x?xi1>" : "";
    return R"(
    func.func @main(%q: tensor<1x?x2xf32> {graph.name = "q", graph.dims = ["1", "s", "2"]},
                    %k: tensor<1x?x2xf32> {graph.name = "k", graph.dims = ["1", "t", "2"]},
                    %m: tensor<1x?x?xi1> {graph.name = "m", graph.dims = ["1", "s", "t"]}) -> tensor<1x?x2xf32> {
      %r = graph.attention %q, %k, %k)" +
           mask + " {scale = 0.5 : f64" + attributes +
           "} : (tensor<1x?x2xf32>, tensor<1x?x2xf32>, tensor<1x?x2xf32>" +
           type + R"() -> tensor<1x?x2xf32>
      return %r : tensor<1x?x2xf32>
    })";
  };
  Values inputs =
      byName({floats("q", {1, 2, 2}, {0, 0, 0, 0}),
              floats("k", {1, 2, 2}, {1, 2, 3, 4}),
              tensorOf<char>("m", DataType::Bool, {1, 2, 2}, {1, 1, 0, 0})});
  for (int64_t opset : {13, 17, 18, 21, 23}) {
    expectSame(text("", false), inputs, opset);
    expectSame(text(", causal", false), inputs, opset);
    expectSame(text("", true), inputs, opset);
    expectSame(text(", guarded", true), inputs, opset);
    expectSame(text(", causal, removed = -1.0e9 : f64", true), inputs, opset);
  }
}
