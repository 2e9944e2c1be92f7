// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variants of a choice, by the sizes of a run: guards may hold together.

#include "lowering/schedule/Schedule.h"
#include "mlir/IR/Builders.h"
#include <gtest/gtest.h>

using namespace zenith;
using graph::DimExpr;

namespace {

TEST(GuardedVariants, FirstThatHoldsIsTheOnlyOne) {
  mlir::MLIRContext context;
  context.loadDialect<sched::SchedDialect>();
  mlir::Builder builder(&context);
  auto choice = sched::ChoiceAttr::get(
      &context,
      builder.getStrArrayAttr(
          {"1 <= min(1, n)*max(0, 1 - m)", "n <= 28", "n <= 64", "else"}),
      builder.getI64ArrayAttr({0, 1, 2, 3}));
  auto variants = sched::guardedVariants(choice);
  ASSERT_EQ(variants.size(), 4u);
  for (auto [n, m, first] : std::vector<std::array<int64_t, 3>>{{10, 0, 0},
                                                                {100, 0, 0},
                                                                {0, 0, 1},
                                                                {28, 1, 1},
                                                                {29, 2, 2},
                                                                {65, 1, 3}}) {
    auto sizeOf = [&, n = n, m = m](const std::string &name) {
      return std::optional<int64_t>(name == "n" ? n : m);
    };
    for (size_t number = 0; number < variants.size(); ++number)
      EXPECT_EQ(variants[number].guard.evaluate(sizeOf),
                int64_t(number) == first ? 1 : 0)
          << "variant " << number << " for n = " << n << ", m = " << m;
  }
}

} // namespace
