// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of values in small fused functions: in place, results, reshapes,
// donated arguments.

#include "lowering/memory/PlanBuffers.h"

#include "lowering/decisions/Decide.h"
#include "lowering/decisions/Schedules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace zenith;
using memory::BufferLocation;
using memory::BufferPlan;

namespace {

class PlanBuffers : public ::testing::Test {
protected:
  PlanBuffers() : context(dialects()) { context.loadAllAvailableDialects(); }

  static mlir::DialectRegistry dialects() {
    mlir::DialectRegistry registry;
    decisions::registerSchedules(registry);
    registry.insert<graph::GraphDialect, mlir::func::FuncDialect>();
    return registry;
  }

  void schedule() {
    function.walk([&](graph::FusionOp fusion) {
      auto decision = decisions::decide(fusion, dims, target::TargetModel());
      ASSERT_TRUE(mlir::succeeded(decision));
      fusion.setScheduleAttr(decision->schedule);
    });
  }

  BufferPlan plan(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module));
    function = *module->getOps<mlir::func::FuncOp>().begin();
    schedule();
    auto made = memory::planBuffers(function, dims, target::TargetModel(),
                                    memory::ModuleContext(*module));
    EXPECT_TRUE(mlir::succeeded(made));
    return mlir::succeeded(made) ? std::move(*made) : BufferPlan();
  }
  /// Location of the result of fusion `index`.
  BufferLocation locationOf(const BufferPlan &plan, unsigned index) {
    auto fusions = function.getOps<graph::FusionOp>();
    return plan.locations.lookup(
        (*std::next(fusions.begin(), index)).getResult(0));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  graph::DimAnalysis dims;
};

std::string exp(const std::string &to, const std::string &from,
                const std::string &type = "tensor<?x64xf32>") {
  return "%" + to + " = graph.fusion pointwise (%a = %" + from + " : " + type +
         ") -> " + type + " { %e = graph.exp %a : " + type +
         "\n graph.yield %e : " + type + " }\n";
}

TEST_F(PlanBuffers, ChainsLiveInTheResult) {
  BufferPlan made = plan(
      R"(func.func @main(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]}) -> tensor<?x64xf32> {)" +
      exp("1", "x") + exp("2", "1") + exp("3", "2") +
      "return %3 : tensor<?x64xf32> }");
  for (unsigned index = 0; index < 3; ++index)
    EXPECT_EQ(locationOf(made, index),
              (BufferLocation{BufferLocation::Result, 0, graph::DimExpr(0)}))
        << index;
  EXPECT_EQ(made.arenaBytes.str(), "0");
  EXPECT_TRUE(made.copies.empty());
}

TEST_F(PlanBuffers, ValuesWithLaterReadersKeepTheirBytes) {
  BufferPlan made =
      plan(R"(func.func @main(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]})
      -> (tensor<?x64xf32>, tensor<?x64xf32>) {)" +
           exp("1", "x") + exp("2", "1") + exp("3", "1") +
           "return %2, %3 : tensor<?x64xf32>, tensor<?x64xf32> }");
  EXPECT_EQ(locationOf(made, 1).kind, BufferLocation::Result);
  EXPECT_EQ(locationOf(made, 1).index, 0u);
  // The first value dies at the third fusion, which writes over it.
  EXPECT_EQ(locationOf(made, 0),
            (BufferLocation{BufferLocation::Result, 1, graph::DimExpr(0)}));
  EXPECT_EQ(locationOf(made, 2),
            (BufferLocation{BufferLocation::Result, 1, graph::DimExpr(0)}));
}

TEST_F(PlanBuffers, WhatNoKernelWritesIsCopied) {
  BufferPlan made =
      plan(R"(func.func @main(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]})
      -> (tensor<?x64xf32>, tensor<i64>) {
    %d = graph.dim %x, 0 : tensor<?x64xf32>
    return %x, %d : tensor<?x64xf32>, tensor<i64> })");
  ASSERT_EQ(made.copies.size(), 2u);
  EXPECT_EQ(made.copies[0].from.kind, BufferLocation::Argument);
  EXPECT_EQ(made.copies[0].bytes.str(), "256*n");
  EXPECT_EQ(made.copies[1].scalar->str(), "n");
}

TEST_F(PlanBuffers, ReshapesShareBytes) {
  BufferPlan made = plan(
      R"(func.func @main(%x: tensor<4x64xf32>) -> tensor<64x4xf32> {)" +
      exp("1", "x", "tensor<4x64xf32>") +
      R"(%2 = graph.fusion pointwise (%a = %1 : tensor<4x64xf32>) -> tensor<64x4xf32> {
      %r = graph.reshape %a : tensor<4x64xf32> -> tensor<64x4xf32>
      graph.yield %r : tensor<64x4xf32> }
    return %2 : tensor<64x4xf32> })");
  EXPECT_EQ(locationOf(made, 0), locationOf(made, 1));
  EXPECT_EQ(locationOf(made, 0).kind, BufferLocation::Result);
}

TEST_F(PlanBuffers, ResultsTakeOverDonatedArguments) {
  BufferPlan made = plan(
      R"(func.func @main(%x: tensor<4x64xf32> {graph.donated}, %y: tensor<4x64xf32>)
      -> (tensor<4x64xf32>, tensor<4x64xf32>) {)" +
      exp("1", "y", "tensor<4x64xf32>") + exp("2", "x", "tensor<4x64xf32>") +
      "return %1, %2 : tensor<4x64xf32>, tensor<4x64xf32> }");
  ASSERT_EQ(made.donations.size(), 1u);
  EXPECT_EQ(made.donations[0].result, 1u);
  EXPECT_EQ(made.donations[0].argument, 0u);
}

// Momentum is decayed before the product is added: the decayed value does not
// rest on the product, but is computed where it is added.
TEST_F(PlanBuffers, OptimiserStateOfAProductIsUpdatedInPlace) {
  BufferPlan made = plan(R"(
    func.func @main(%x: tensor<64x96xf32>, %g: tensor<64x96xf32>, %w: tensor<96x96xf32> {graph.donated},
                    %m: tensor<96x96xf32> {graph.donated}) -> (tensor<96x96xf32>, tensor<96x96xf32>) {
      %0:2 = graph.fusion contraction (%a = %x : tensor<64x96xf32>, %b = %g : tensor<64x96xf32>, %c = %w : tensor<96x96xf32>, %d = %m : tensor<96x96xf32>) -> (tensor<96x96xf32>, tensor<96x96xf32>) {
        %decay = graph.constant dense<0.9> : tensor<96x96xf32>
        %old = graph.mul %d, %decay : tensor<96x96xf32>
        %p = graph.dot_general %a, %b <batching = [] x [], contracting = [0] x [0]> : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<96x96xf32>
        %new = graph.add %old, %p : tensor<96x96xf32>
        %next = graph.sub %c, %new : tensor<96x96xf32>
        graph.yield %new, %next : tensor<96x96xf32>, tensor<96x96xf32>
      }
      return %0#0, %0#1 : tensor<96x96xf32>, tensor<96x96xf32> })");
  EXPECT_EQ(made.donations.size(), 2u);
}

TEST_F(PlanBuffers, PreparedValuesLieInTheirArena) {
  BufferPlan made = plan(R"(
    func.func private @prepare() -> (tensor<8xf32>, tensor<4x64xf32>) {
      %w = graph.get_param @w : tensor<4x64xf32>
      %b = graph.get_param @b : tensor<8xf32>)" +
                         exp("1", "w", "tensor<4x64xf32>") + R"(
      return %b, %1 : tensor<8xf32>, tensor<4x64xf32> }
    graph.param @w : tensor<4x64xf32>
    graph.param @b : tensor<8xf32>)");
  EXPECT_EQ(locationOf(made, 0),
            (BufferLocation{BufferLocation::Derived, 1, graph::DimExpr(128)}));
  ASSERT_EQ(made.copies.size(), 1u);
  EXPECT_EQ(made.copies[0].from,
            (BufferLocation{BufferLocation::Param, 1, graph::DimExpr(0)}));
}

TEST_F(PlanBuffers, RefusesWhatIsNoFusion) {
  module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = graph.exp %x : tensor<4xf32>
    return %0 : tensor<4xf32> })",
      &context);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  function = *module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_TRUE(mlir::failed(
      memory::planBuffers(function, dims, {}, memory::ModuleContext(*module))));
  EXPECT_NE(message.find("'graph.exp' op is not part of a fusion"),
            std::string::npos)
      << message;
}

} // namespace
