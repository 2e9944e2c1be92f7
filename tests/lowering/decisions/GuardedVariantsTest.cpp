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

/// What a guard excludes is said once, however many variants follow.
TEST(GuardedVariants, GuardsGrowByTheTextOfThoseBefore) {
  mlir::MLIRContext context;
  context.loadDialect<sched::SchedDialect>();
  mlir::Builder builder(&context);
  std::vector<std::string> texts;
  for (int64_t number = 1; number <= 12; ++number)
    texts.push_back("n*m + " + std::to_string(number) +
                    "*n <= " + std::to_string(100 * number));
  std::vector<llvm::StringRef> guards(texts.begin(), texts.end());
  guards.push_back("else");
  std::vector<int64_t> numbers(guards.size(), 0);
  auto variants = sched::guardedVariants(
      sched::ChoiceAttr::get(&context, builder.getStrArrayAttr(guards),
                             builder.getI64ArrayAttr(numbers)));
  ASSERT_EQ(variants.size(), guards.size());
  for (size_t number = 0; number < variants.size(); ++number) {
    EXPECT_LT(variants[number].guard.str().size(), 200 * (number + 1));
    // 50 * (10 + k) <= 100 * k holds from k = 10 on.
    auto sizeOf = [&](const std::string &name) {
      return std::optional<int64_t>(name == "n" ? 50 : 10);
    };
    EXPECT_EQ(variants[number].guard.evaluate(sizeOf), number == 9 ? 1 : 0)
        << "variant " << number;
  }
}

} // namespace
