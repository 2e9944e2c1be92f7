// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers of a few ops to the fusion question: those that depend on operands or
// attributes.

#include "passes/fusion/FusionRule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace zenith;
using fusion::FusionRule;
using fusion::Role;
using graph::FusionKind;

namespace {

class FusionRules : public testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    fusion::registerFusionRules(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  }
  /// The last op before the return of a function with these arguments.
  FusionRule rule(StringRef arguments, StringRef body) {
    std::string text = "func.func @f(" + arguments.str() + ") {\n" +
                       body.str() + "\nreturn\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    auto function = cast<func::FuncOp>(module->lookupSymbol("f"));
    return cast<FusionRule>(
        function.getBody().front().getTerminator()->getPrevNode());
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  graph::DimAnalysis dims;
};

/// A convolution of 8 channels in groups.
std::string convolution(int64_t groups) {
  std::string filter = "tensor<8x" + std::to_string(8 / groups) + "x3xf32>";
  return "%r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, "
         "[2]), output = (0, 1, [2])> strides [1] low [1] high [1] "
         "input_dilation [1] kernel_dilation [1] groups " +
         std::to_string(groups) + " : (tensor<1x8x8xf32>, " + filter +
         ") -> tensor<1x8x8xf32>";
}

TEST_F(FusionRules, ConvolutionOfFewChannelsPerGroupIsAWindow) {
  FusionRule whole =
      rule("%x: tensor<1x8x8xf32>, %w: tensor<8x8x3xf32>", convolution(1));
  EXPECT_EQ(whole.role(dims), Role::Contraction);
  EXPECT_EQ(whole.kernelKind(), FusionKind::contraction);
  FusionRule depthwise =
      rule("%x: tensor<1x8x8xf32>, %w: tensor<8x1x3xf32>", convolution(8));
  EXPECT_EQ(depthwise.role(dims), Role::Window);
  EXPECT_EQ(depthwise.kernelKind(), FusionKind::window);
}

TEST_F(FusionRules, ArithmeticOnDimensionsStaysOutside) {
  FusionRule add =
      rule("%x: tensor<?xf32>", "%d = graph.dim %x, 0 : tensor<?xf32>\n"
                                "%r = graph.add %d, %d : tensor<i64>");
  EXPECT_EQ(add.role(dims), Role::Outside);
}

TEST_F(FusionRules, ArithmeticOnDataIsPointwise) {
  FusionRule add =
      rule("%x: tensor<4xf32>", "%r = graph.add %x, %x : tensor<4xf32>");
  EXPECT_EQ(add.role(dims), Role::Pointwise);
  EXPECT_EQ(add.kernelKind(), FusionKind::pointwise);
  EXPECT_TRUE(add.isElementwise());
  EXPECT_TRUE(add.memoryOperands(dims).empty());
}

TEST_F(FusionRules, MatmulReadsWhatATransposeReads) {
  FusionRule dot = rule(
      "%x: tensor<2x3xf32>, %w: tensor<4x3xf32>",
      "%t = graph.transpose %w [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>\n"
      "%r = graph.dot_general %x, %t <batching = [] x [], contracting = [1] x "
      "[0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>");
  EXPECT_EQ(dot.role(dims), Role::Contraction);
  SmallVector<Value> needed = dot.memoryOperands(dims);
  ASSERT_EQ(needed.size(), 2u);
  EXPECT_TRUE(isa<BlockArgument>(needed[1]));
}

TEST_F(FusionRules, UpdateOfConstantIsPointwise) {
  FusionRule update =
      rule("%u: tensor<2xf32>, %s: tensor<i64>",
           "%c = graph.constant dense<0.0> : tensor<4xf32>\n"
           "%r = graph.dynamic_update_slice %c, %u, %s : (tensor<4xf32>, "
           "tensor<2xf32>, tensor<i64>) -> tensor<4xf32>");
  EXPECT_EQ(update.role(dims), Role::Pointwise);
  update = rule("%c: tensor<4xf32>, %u: tensor<2xf32>, %s: tensor<i64>",
                "%r = graph.dynamic_update_slice %c, %u, %s : (tensor<4xf32>, "
                "tensor<2xf32>, tensor<i64>) -> tensor<4xf32>");
  EXPECT_EQ(update.role(dims), Role::Opaque);
  EXPECT_EQ(update.kernelKind(), FusionKind::scatter);
  EXPECT_EQ(update.updatedOperands(), 1u);
}

TEST_F(FusionRules, NormsReduceFromTheirAxisOn) {
  FusionRule softmax = rule("%x: tensor<2x3x4xf32>",
                            "%r = graph.softmax %x [2] : tensor<2x3x4xf32>");
  EXPECT_EQ(softmax.role(dims), Role::Reduction);
  EXPECT_EQ(softmax.reducedDims(), SmallVector<int64_t>{2});
}

} // namespace
