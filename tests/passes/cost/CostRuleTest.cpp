// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op of the families with arithmetic answers the cost question; a few
// answers with symbols.

#include "passes/cost/CostRule.h"
#include "ir/SearchOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace zenith;
using graph::DimExpr;

namespace {

class Costs : public testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    cost::registerCostRules(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<graph::GraphDialect, search::SearchDialect,
                        func::FuncDialect>();
  }
  /// Flops of the first op of `family` in a function body.
  std::string flops(StringRef text, graph::Family family) {
    module = parseSourceString<ModuleOp>(text, &context);
    std::string result = "none";
    graph::DimAnalysis dims;
    module->walk([&](Operation *op) {
      if (result == "none" && graph::familyOf(op) == family)
        result = cast<cost::CostRule>(op).flops(dims).str();
    });
    return result;
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Costs, EveryOpWithArithmeticAnswers) {
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    std::optional<graph::Family> family = graph::familyOf(OperationName(name));
    // Collectives are copies and sums of other ops before costs are asked.
    if (family && *family != graph::Family::Control &&
        *family != graph::Family::Collective)
      EXPECT_TRUE(name.hasInterface<cost::CostRule>())
          << name.getStringRef().str();
  }
}

TEST_F(Costs, ProductCountsTwoPerTerm) {
  EXPECT_EQ(
      flops(
          R"(func.func @f(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
    %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
    return %r : tensor<?x4xf32>
  })",
          graph::Family::Contraction),
      (DimExpr::symbol("n") * DimExpr(64)).str());
}

TEST_F(Costs, WindowFoldsEachOfItsElements) {
  EXPECT_EQ(flops(R"(func.func @f(%x: tensor<3x8xf32>) -> tensor<3x4xf32> {
    %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1]
      : tensor<3x8xf32> -> tensor<3x4xf32>
    return %r : tensor<3x4xf32>
  })",
                  graph::Family::Reduction),
            "24");
}

TEST_F(Costs, MovementIsFree) {
  EXPECT_EQ(flops(R"(func.func @f(%x: tensor<3x8xf32>) -> tensor<8x3xf32> {
    %r = graph.transpose %x [1, 0] : tensor<3x8xf32> -> tensor<8x3xf32>
    return %r : tensor<8x3xf32>
  })",
                  graph::Family::Movement),
            "0");
}

TEST_F(Costs, BytesOfOperandsAndResults) {
  module = parseSourceString<ModuleOp>(
      R"(func.func @f(%x: tensor<3x8xf32>) -> tensor<3x8xf16> {
    %r = graph.convert %x : tensor<3x8xf32> -> tensor<3x8xf16>
    return %r : tensor<3x8xf16>
  })",
      &context);
  graph::DimAnalysis dims;
  module->walk([&](graph::ConvertOp op) {
    EXPECT_EQ(cost::memoryBytes(op, dims).constant(), 24 * 4 + 24 * 2);
  });
}

} // namespace
