// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of dimension analysis: functions in, the dimensions of their results as
// text out.

#include "ir/DimAnalysis.h"
#include "ir/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace zenith::graph;

namespace {

class DimAnalysisTest : public testing::Test {
protected:
  DimAnalysisTest() {
    context.loadDialect<GraphDialect, mlir::func::FuncDialect>();
  }

  /// Dimensions of what the first function returns, each value's joined by
  /// commas.
  std::vector<std::string> resultDims(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    std::vector<std::string> result;
    if (!module)
      return result;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    DimAnalysis analysis;
    for (mlir::Value value : function.front().getTerminator()->getOperands()) {
      std::string joined;
      for (const DimExpr &dim : analysis.dimsOf(value))
        joined += (joined.empty() ? "" : ", ") + dim.str();
      result.push_back(joined);
    }
    return result;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

using Texts = std::vector<std::string>;

TEST_F(DimAnalysisTest, ArgumentsTakeNamesFromTheSignature) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<?x4x?xf32> {graph.dims = ["batch", "4", "past + seq"]}, %y: tensor<2x?xf32>)
        -> (tensor<?x4x?xf32>, tensor<2x?xf32>) {
      return %x, %y : tensor<?x4x?xf32>, tensor<2x?xf32>
    })"),
            (Texts{"batch, 4, past + seq", "2, arg1_d1"}));
}

TEST_F(DimAnalysisTest, BoundsSimplify) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<?x?xf32> {graph.dims = ["min(n, 512) + 1", "m"]}) -> tensor<?x?xf32>
        attributes {graph.dim_bounds = {n = #graph.bounds<1 to 256>}} {
      return %x : tensor<?x?xf32>
    })"),
            (Texts{"n + 1, m"}));
}

TEST_F(DimAnalysisTest, MovementOpsCarryDimensions) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<?x12x?xf32> {graph.dims = ["b", "12", "s"]}) -> (tensor<?x?x12xf32>, tensor<?x?xf32>, tensor<?x24x?xf32>) {
      %t = graph.transpose %x [2, 0, 1] : tensor<?x12x?xf32> -> tensor<?x?x12xf32>
      %b = graph.dim %x, 0 : tensor<?x12x?xf32>
      %s = graph.dim %x, 2 : tensor<?x12x?xf32>
      %c = graph.constant dense<12> : tensor<i64>
      %m = graph.mul %s, %c : tensor<i64>
      %r = graph.reshape %x [%b, %m] : tensor<?x12x?xf32> -> tensor<?x?xf32>
      %j = graph.concat 1, %x, %x : (tensor<?x12x?xf32>, tensor<?x12x?xf32>) -> tensor<?x24x?xf32>
      return %t, %r, %j : tensor<?x?x12xf32>, tensor<?x?xf32>, tensor<?x24x?xf32>
    })"),
            (Texts{"s, b, 12", "b, 12*s", "b, 24, s"}));
}

TEST_F(DimAnalysisTest, ReshapeWithOneUnknownUsesTheElementCount) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<?x12x?xf32> {graph.dims = ["b", "12", "s"]}, %n: tensor<i64>) -> tensor<?x4xf32> {
      %r = graph.reshape %x [%n] : tensor<?x12x?xf32> -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    })"),
            (Texts{"3*b*s, 4"}));
}

TEST_F(DimAnalysisTest, ShapesThatTravelAsVectors) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<?x?xf32> {graph.dims = ["b", "s"]}, %v: tensor<f32>) -> tensor<?x?xf32> {
      %b = graph.dim %x, 0 : tensor<?x?xf32>
      %s = graph.dim %x, 1 : tensor<?x?xf32>
      %b1 = graph.reshape %b : tensor<i64> -> tensor<1xi64>
      %s1 = graph.reshape %s : tensor<i64> -> tensor<1xi64>
      %shape = graph.concat 0, %b1, %s1 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
      %p = graph.slice %shape [1] [1] [1] : tensor<2xi64> -> tensor<1xi64>
      %q = graph.reshape %p : tensor<1xi64> -> tensor<i64>
      %r = graph.broadcast %v [] [%q, %b] : tensor<f32> -> tensor<?x?xf32>
      return %r : tensor<?x?xf32>
    })"),
            (Texts{"s, b"}));
}

TEST_F(DimAnalysisTest, DataGivesFreshSymbols) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%v: tensor<f32>, %n: tensor<i64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
      %c = graph.constant dense<3> : tensor<i64>
      %m = graph.add %n, %c : tensor<i64>
      %x = graph.broadcast %v [] [%n] : tensor<f32> -> tensor<?xf32>
      %y = graph.broadcast %v [] [%n] : tensor<f32> -> tensor<?xf32>
      %z = graph.broadcast %v [] [%m] : tensor<f32> -> tensor<?xf32>
      return %x, %y, %z : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
    })"),
            (Texts{"%i0", "%i0", "%i0 + 3"}));
}

TEST_F(DimAnalysisTest, WindowsContractionsAndReductions) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<?x3x?x?xf32> {graph.dims = ["n", "3", "h", "w"]}, %k: tensor<8x3x3x3xf32>, %y: tensor<8x?xf32> {graph.dims = ["8", "m"]})
        -> (tensor<?x8x?x?xf32>, tensor<?x8xf32>, tensor<?x?xf32>) {
      %c = graph.convolution %x, %k <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
        strides [1, 2] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1
        : (tensor<?x3x?x?xf32>, tensor<8x3x3x3xf32>) -> tensor<?x8x?x?xf32>
      %r = graph.reduce sum, %c [2, 3] : tensor<?x8x?x?xf32> -> tensor<?x8xf32>
      %d = graph.dot_general %r, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x?xf32>) -> tensor<?x?xf32>
      return %c, %r, %d : tensor<?x8x?x?xf32>, tensor<?x8xf32>, tensor<?x?xf32>
    })"),
            (Texts{"n, 8, h, floordiv(w + 1, 2)", "n, 8", "n, m"}));
}

TEST_F(DimAnalysisTest, FusionRegionsAreTransparent) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<?x4xf32> {graph.dims = ["n", "4"]}) -> tensor<4x?xf32> {
      %r = graph.fusion pointwise (%a = %x : tensor<?x4xf32>) -> tensor<4x?xf32> {
        %e = graph.exp %a : tensor<?x4xf32>
        %t = graph.transpose %e [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
        graph.yield %t : tensor<4x?xf32>
      }
      return %r : tensor<4x?xf32>
    })"),
            (Texts{"4, n"}));
}

TEST_F(DimAnalysisTest, TruncatingQuotientsAreExact) {
  resultDims(R"(
    func.func @f(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<i64> {
      %n = graph.dim %x, 0 : tensor<?xf32>
      %c1 = graph.constant dense<3> : tensor<i64>
      %c2 = graph.constant dense<2> : tensor<i64>
      %s = graph.sub %n, %c1 : tensor<i64>
      %d = graph.div %s, %c2 : tensor<i64>
      return %d : tensor<i64>
    })");
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  DimAnalysis analysis;
  DimExpr quotient =
      analysis.scalar(function.front().getTerminator()->getOperand(0));
  for (int64_t size = 0; size < 9; ++size)
    EXPECT_EQ(quotient.evaluate(
                  [&](const std::string &) { return std::optional(size); }),
              (size - 3) / 2);
}

TEST_F(DimAnalysisTest, DeepProgramsDontExhaustTheStack) {
  std::string text = "func.func @f(%x0: tensor<?xf32> {graph.dims = [\"n\"]}) "
                     "-> tensor<?xf32> {\n";
  const int depth = 20000;
  for (int i = 1; i <= depth; ++i)
    text += "%x" + std::to_string(i) + " = graph.exp %x" +
            std::to_string(i - 1) + " : tensor<?xf32>\n";
  text += "return %x" + std::to_string(depth) + " : tensor<?xf32>\n}";
  EXPECT_EQ(resultDims(text), (Texts{"n"}));
}

TEST_F(DimAnalysisTest, DeepSizesDontExhaustTheStack) {
  std::string text = "func.func @f(%x: tensor<?xf32> {graph.dims = [\"n\"]}, "
                     "%v: tensor<f32>) -> tensor<?xf32> {\n"
                     "%s0 = graph.dim %x, 0 : tensor<?xf32>\n%c = "
                     "graph.constant dense<1> : tensor<i64>\n";
  const int depth = 20000;
  for (int i = 1; i <= depth; ++i) {
    std::string before = "%s" + std::to_string(i - 1),
                after = std::to_string(i);
    text += "%a" + after + " = graph.add " + before +
            ", %c : tensor<i64>\n" + //
            "%b" + after + " = graph.reshape %a" + after +
            " : tensor<i64> -> tensor<1xi64>\n" + //
            "%s" + after + " = graph.reshape %b" + after +
            " : tensor<1xi64> -> tensor<i64>\n";
  }
  text += "%r = graph.broadcast %v [] [%s" + std::to_string(depth) +
          "] : tensor<f32> -> tensor<?xf32>\n";
  EXPECT_EQ(resultDims(text + "return %r : tensor<?xf32>\n}"),
            (Texts{"n + " + std::to_string(depth)}));
}

TEST_F(DimAnalysisTest, GrowingExpressionsAreCut) {
  std::string text = "func.func @f(%v: tensor<f32>, %s0: tensor<i64>, %t0: "
                     "tensor<i64>) -> tensor<?xf32> {\n";
  const int depth = 200;
  for (int i = 1; i <= depth; ++i) {
    std::string before = std::to_string(i - 1), after = std::to_string(i);
    text += "%s" + after + " = graph.max %s" + before + ", %t" + before +
            " : tensor<i64>\n" + //
            "%t" + after + " = graph.mul %s" + before + ", %t" + before +
            " : tensor<i64>\n";
  }
  text += "%r = graph.broadcast %v [] [%s" + std::to_string(depth) +
          "] : tensor<f32> -> tensor<?xf32>\n";
  auto dims = resultDims(text + "return %r : tensor<?xf32>\n}");
  ASSERT_EQ(dims.size(), 1u);
  EXPECT_LT(dims[0].size(), 2000u);
}

TEST_F(DimAnalysisTest, ResultsOfOneOpShareAFreshSymbol) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}, %m: tensor<?xi1> {graph.dims = ["n"]})
        -> (tensor<?x3xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x3xf32>, tensor<?x3xf32>) {
      %r, %f, %i, %c = graph.unique %x : tensor<?x3xf32> -> tensor<?x3xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %s:2 = graph.compact %m, %x, %x : (tensor<?xi1>, tensor<?x3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
      return %r, %f, %i, %c, %s#1, %s#0
          : tensor<?x3xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x3xf32>, tensor<?x3xf32>
    })"),
            (Texts{"%0, 3", "%0", "n", "%0", "%1, 3", "%1, 3"}));
}

TEST_F(DimAnalysisTest, BranchesAgreeOnDimensions) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%p: tensor<i1>, %x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["m"]},
                 %z: tensor<4xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
      %r:3 = graph.if %p then {
        %e = graph.exp %x : tensor<?xf32>
        graph.yield %e, %x, %z : tensor<?xf32>, tensor<?xf32>, tensor<4xf32>
      } else {
        graph.yield %x, %y, %z : tensor<?xf32>, tensor<?xf32>, tensor<4xf32>
      } : (tensor<i1>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      return %r#0, %r#1, %r#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
    })"),
            (Texts{"n", "%0", "4"}));
}

TEST_F(DimAnalysisTest, LoopsKeepWhatTheBodyLeavesAlone) {
  // The second one grows; the third has its size, and the first swaps places
  // with the fourth.
  EXPECT_EQ(resultDims(R"(
    func.func @f(%p: tensor<i1>, %x: tensor<?xf32> {graph.dims = ["n"]}, %one: tensor<1xf32>)
        -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
      %r:4 = graph.while %x, %x, %x, %x cond {
      ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?xf32>):
        graph.yield %p : tensor<i1>
      } do {
      ^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %d: tensor<?xf32>):
        %e = graph.add %a, %d : tensor<?xf32>
        %g = graph.concat 0, %b, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
        %h = graph.exp %g : tensor<?xf32>
        graph.yield %d, %g, %h, %e : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
      } : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
    })"),
            (Texts{"n", "%1", "%1", "n"}));
}

TEST_F(DimAnalysisTest, LoopsInsideOfLoopsEnd) {
  std::string head = R"(
    func.func @f(%p: tensor<i1>, %one: tensor<1xf32>, %a0: tensor<?xf32> {graph.dims = ["n"]}, %b0: tensor<?xf32> {graph.dims = ["n"]})
        -> (tensor<?xf32>, tensor<?xf32>) {)";
  std::string tail;
  constexpr int depth = 24;
  for (int i = 0; i < depth; ++i) {
    std::string at = std::to_string(i), next = std::to_string(i + 1);
    head += "%r" + at + ":2 = graph.while %a" + at + ", %b" + at +
            " cond {\n^bb0(%c: tensor<?xf32>, %d: tensor<?xf32>):\n"
            "graph.yield %p : tensor<i1>\n} do {\n^bb0(%a" +
            next + ": tensor<?xf32>, %b" + next + ": tensor<?xf32>):\n";
    std::string end =
        i + 1 == depth
            ? "%g = graph.concat 0, %a" + next +
                  ", %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>\n"
                  "graph.yield %g, %b" +
                  next + " : tensor<?xf32>, tensor<?xf32>\n"
            : "graph.yield %r" + next + "#0, %r" + next +
                  "#1 : tensor<?xf32>, tensor<?xf32>\n";
    tail = end +
           "} : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, "
           "tensor<?xf32>)\n" +
           tail;
  }
  Texts dims = resultDims(head + tail +
                          "return %r0#0, %r0#1 : tensor<?xf32>, "
                          "tensor<?xf32>\n}");
  ASSERT_EQ(dims.size(), 2u);
  EXPECT_EQ(dims[0][0], '%');
  EXPECT_EQ(dims[1], "n");
}

TEST_F(DimAnalysisTest, LoopsGiveArgumentsAndResultsSymbolsOfTheirOwn) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%p: tensor<i1>, %x: tensor<3x2xui8>) -> (tensor<?x2xui8>, tensor<?xi64>, tensor<?xi64>) {
      %k = graph.constant dense<0> : tensor<3xi64>
      %r:2 = graph.while %x, %k cond {
      ^bb0(%a: tensor<?x2xui8>, %b: tensor<?xi64>):
        graph.yield %p : tensor<i1>
      } do {
      ^bb0(%a: tensor<?x2xui8>, %b: tensor<?xi64>):
        %u, %f, %i, %c = graph.unique %a : tensor<?x2xui8> -> tensor<?x2xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
        graph.yield %u, %c : tensor<?x2xui8>, tensor<?xi64>
      } : (tensor<3x2xui8>, tensor<3xi64>) -> (tensor<?x2xui8>, tensor<?xi64>)
      %s = graph.add %r#1, %r#1 : tensor<?xi64>
      return %r#0, %r#1, %s : tensor<?x2xui8>, tensor<?xi64>, tensor<?xi64>
    })"),
            (Texts{"%3, 2", "%3", "%3"}));
}

TEST_F(DimAnalysisTest, TopKTakesItsSizeFromK) {
  EXPECT_EQ(resultDims(R"(
    func.func @f(%x: tensor<2x?xf32> {graph.dims = ["2", "n"]}, %k: tensor<i64>, %y: tensor<?xf32> {graph.dims = ["m"]})
        -> (tensor<2x?xf32>, tensor<2x?xi64>) {
      %n = graph.dim %y, 0 : tensor<?xf32>
      %v, %i = graph.top_k %x, %n 1 : (tensor<2x?xf32>, tensor<i64>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
      return %v, %i : tensor<2x?xf32>, tensor<2x?xi64>
    })"),
            (Texts{"2, m", "2, m"}));
}

} // namespace
