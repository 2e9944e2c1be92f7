// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Erasing what lies in the regions of an op.

#include "ir/program/EraseNests.h"
#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace zenith::graph {

TEST(EraseNestsTest, inner_regions_may_use_what_outer_ones_define) {
  MLIRContext context;
  context.loadDialect<GraphDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
    func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
      %a = graph.if %c then {
        %n = graph.neg %x : tensor<4xf32>
        %b = graph.if %c then {
          %s = graph.add %n, %x : tensor<4xf32>
          graph.yield %s : tensor<4xf32>
        } else {
          graph.yield %n : tensor<4xf32>
        } : (tensor<i1>) -> tensor<4xf32>
        graph.yield %b : tensor<4xf32>
      } else {
        graph.yield %x : tensor<4xf32>
      } : (tensor<i1>) -> tensor<4xf32>
      %r = graph.exp %a : tensor<4xf32>
      return %r : tensor<4xf32>
    })",
                                            &context);
  ASSERT_TRUE(module);
  eraseInside(*module);
  EXPECT_TRUE((*module)->getRegion(0).empty());
}

} // namespace zenith::graph
