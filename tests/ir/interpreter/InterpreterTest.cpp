// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs: calls, fusion regions, parameters, @prepare, and what is refused.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;
using zenith::Tensor;

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Interpreter, CallsAndFusions) {
  EXPECT_EQ(
      evaluateModule(R"(
func.func private @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = graph.add %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %z = graph.fusion pointwise (%a = %y : tensor<?xf32>) -> tensor<?xf32> {
    %n = graph.neg %a : tensor<?xf32>
    graph.yield %n : tensor<?xf32>
  }
  return %z, %x : tensor<?xf32>, tensor<?xf32>
})",
                     {"dense<[1.0, 2.0]> : tensor<2xf32>"}),
      "dense<[-2.000000e+00, -4.000000e+00]> : "
      "tensor<2xf32>\ndense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>");
}

static const char *const withParams = R"(
graph.param @w : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
graph.derived_param @d : tensor<2xf32> from 0
func.func private @prepare() -> tensor<2xf32> {
  %w = graph.get_param @w : tensor<2xf32>
  %r = graph.add %w, %w : tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @main() -> (tensor<2xf32>, tensor<2xf32>) {
  %w = graph.get_param @w : tensor<2xf32>
  %d = graph.get_param @d : tensor<2xf32>
  return %w, %d : tensor<2xf32>, tensor<2xf32>
})";

TEST(Interpreter, ParametersAndPrepare) {
  EXPECT_EQ(evaluateModule(withParams),
            "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>\n"
            "dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>");
  Options options;
  options.loadParam = [](llvm::StringRef name, mlir::RankedTensorType type,
                         mlir::Attribute) -> llvm::Expected<Tensor> {
    return Tensor(type);
  };
  EXPECT_EQ(evaluateModule(withParams, {}, options),
            "dense<0.000000e+00> : tensor<2xf32>\ndense<0.000000e+00> : "
            "tensor<2xf32>");
  options.loadParam = [](llvm::StringRef, mlir::RankedTensorType,
                         mlir::Attribute) -> llvm::Expected<Tensor> {
    return Tensor();
  };
  EXPECT_EQ(evaluateModule(withParams, {}, options),
            evaluateModule(withParams));
}

TEST(Interpreter, ReportsResults) {
  std::string seen;
  Options options;
  options.onResult = [&](mlir::Operation *op, llvm::ArrayRef<Tensor>) {
    seen += op->getName().stripDialect().str() + " ";
  };
  evaluateModule(withParams, {}, options);
  EXPECT_EQ(seen, "get_param get_param add get_param ");
}

TEST(Interpreter, RefusesWrongArguments) {
  std::string text = "func.func @main(%x: tensor<2x?xf32>) -> tensor<2x?xf32> "
                     "{\n  return %x : tensor<2x?xf32>\n}";
  EXPECT_TRUE(contains(evaluateModule(text), "takes 1 arguments, got 0"));
  EXPECT_TRUE(contains(evaluateModule(text, {"dense<1.0> : tensor<3x1xf32>"}),
                       "dimension 0 of argument 0 is 2, the value has 3"));
  EXPECT_TRUE(contains(evaluateModule(text, {"dense<1> : tensor<2x1xi32>"}),
                       "another element type"));
  EXPECT_TRUE(contains(evaluateModule(text, {"dense<1.0> : tensor<2xf32>"}),
                       "has rank 2, the value has rank 1"));
}

TEST(Interpreter, RefusesWhatHasNoValue) {
  EXPECT_TRUE(
      contains(evaluateModule("graph.param @w : tensor<2xf32>\nfunc.func "
                              "@main() -> tensor<2xf32> {\n"
                              "  %w = graph.get_param @w : tensor<2xf32>\n  "
                              "return %w : tensor<2xf32>\n}"),
               "parameter @w has no value here"));
  EXPECT_TRUE(contains(
      evaluateModule(
          "func.func @main() {\n  call @main() : () -> ()\n  return\n}"),
      "nested more than"));
  EXPECT_TRUE(
      contains(evaluateModule("func.func private @f()\nfunc.func @main() {\n  "
                              "call @f() : () -> ()\n  return\n}"),
               "has no body"));
}

TEST(Interpreter, ErrorsNameOpAndLocation) {
  std::string text = "func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {\n"
                     "  %r = graph.slice %x [0] [3] [1] : tensor<?xf32> -> "
                     "tensor<3xf32> loc(\"net.onnx\":7:3)\n"
                     "  return %r : tensor<3xf32>\n}";
  EXPECT_TRUE(
      contains(evaluateModule(text, {"dense<1.0> : tensor<2xf32>"}),
               "error: net.onnx:7:3: 'graph.slice' op part of 3 elements"));
}
