// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of dimension expressions: canonical form, quotients, proofs, text.

#include "ir/dims/DimExpr.h"
#include <gtest/gtest.h>

using zenith::graph::DimExpr;

namespace {

DimExpr parsed(const std::string &text) {
  auto result = DimExpr::parse(text);
  EXPECT_TRUE(result) << text;
  return result.value_or(DimExpr());
}

const DimExpr n = DimExpr::symbol("n"), m = DimExpr::symbol("m");

TEST(DimExprTest, EqualMeansEqual) {
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ(n + m - n, m);
  EXPECT_EQ(n - n, DimExpr(0));
  EXPECT_EQ(n * DimExpr(0), DimExpr(0));
  EXPECT_NE(n, m);
  EXPECT_EQ(DimExpr::floorDiv(n, 2), DimExpr::floorDiv(n, 2));
  EXPECT_NE(DimExpr::floorDiv(n, 2), DimExpr::floorDiv(n, 3));
}

TEST(DimExprTest, Constants) {
  EXPECT_EQ(DimExpr().constant(), 0);
  EXPECT_EQ(DimExpr(7).constant(), 7);
  EXPECT_EQ(n.constant(), std::nullopt);
  EXPECT_EQ(n.asSymbol(), "n");
  EXPECT_EQ((n + n).asSymbol(), std::nullopt);
  EXPECT_EQ((n * n).asSymbol(), std::nullopt);
}

TEST(DimExprTest, FloorDivisionOfNumbers) {
  EXPECT_EQ(DimExpr::floorDiv(7, 2).constant(), 3);
  EXPECT_EQ(DimExpr::floorDiv(-7, 2).constant(), -4);
  EXPECT_EQ(DimExpr::floorDiv(7, -2).constant(), -4);
  EXPECT_EQ(DimExpr::floorDiv(-7, -2).constant(), 3);
  EXPECT_EQ(DimExpr::floorDiv(7, 0).constant(), 0);
  EXPECT_EQ(DimExpr::floorDiv(INT64_MIN, -1).constant(), INT64_MAX);
  EXPECT_EQ(DimExpr::ceilDiv(7, 2).constant(), 4);
  EXPECT_EQ(DimExpr::ceilDiv(-7, 2).constant(), -3);
  EXPECT_EQ(DimExpr::mod(-7, 2).constant(), 1);
  EXPECT_EQ(DimExpr::mod(7, 0).constant(), 0);
}

TEST(DimExprTest, CommonSizes) {
  EXPECT_EQ(DimExpr::broadcast(1, n), n);
  EXPECT_EQ(DimExpr::broadcast(n, 1), n);
  EXPECT_EQ(DimExpr::broadcast(n, n), n);
  EXPECT_EQ(DimExpr::broadcast(n, 4), DimExpr(4));
  EXPECT_EQ(DimExpr::broadcast(n, 0), DimExpr(0));
  EXPECT_EQ(DimExpr::broadcast(m, DimExpr(2) * n), DimExpr(2) * n);
  EXPECT_EQ(DimExpr::broadcast(m, n + 2), n + 2);
  EXPECT_EQ(DimExpr::broadcast(DimExpr::min(512, n), n), n);
  DimExpr common = DimExpr::broadcast(n, m);
  EXPECT_EQ(common, DimExpr::broadcast(m, n));
  EXPECT_EQ(common, DimExpr::broadcast(common, n));
  EXPECT_EQ(DimExpr::parse(common.str()), common);
  auto valueAt = [&](int64_t first, int64_t second) {
    return common.evaluate([&](const std::string &name) {
      return std::optional(name == "n" ? first : second);
    });
  };
  EXPECT_EQ(valueAt(1, 5), 5);
  EXPECT_EQ(valueAt(5, 1), 5);
  EXPECT_EQ(valueAt(5, 5), 5);
  EXPECT_EQ(valueAt(1, 0), 0);
  EXPECT_EQ(valueAt(0, 1), 0);
  EXPECT_TRUE(DimExpr(0).provablyAtMost(common));
  EXPECT_FALSE(n.provablyAtMost(common));
}

TEST(DimExprTest, ExactQuotients) {
  EXPECT_EQ(DimExpr::floorDiv(DimExpr(24) * n, 12), DimExpr(2) * n);
  EXPECT_EQ(DimExpr::floorDiv(n * m, m), n);
  EXPECT_EQ((n * n - m * m).exactDiv(n + m), n - m);
  EXPECT_EQ((n * n + m).exactDiv(n), std::nullopt);
  EXPECT_EQ((DimExpr(3) * n).exactDiv(2), std::nullopt);
  EXPECT_EQ(n.exactDiv(0), std::nullopt);
  EXPECT_EQ(DimExpr::mod(DimExpr(6) * n, 3), DimExpr(0));
}

TEST(DimExprTest, WholePartsLeaveQuotients) {
  EXPECT_EQ(DimExpr::floorDiv(DimExpr(2) * n + DimExpr(3), 2), n + DimExpr(1));
  EXPECT_EQ(DimExpr::floorDiv(n - DimExpr(1), 2) + DimExpr(1),
            DimExpr::floorDiv(n + DimExpr(1), 2));
  EXPECT_EQ(DimExpr::mod(DimExpr(4) * n + DimExpr(5), 2), DimExpr(1));
}

TEST(DimExprTest, MinimumAndMaximumUseProofs) {
  EXPECT_EQ(DimExpr::max(n, n + m), n + m);
  EXPECT_EQ(DimExpr::min(n, n + DimExpr(1)), n);
  EXPECT_EQ(DimExpr::max(n, 0), n);
  EXPECT_EQ(DimExpr::max(n, m), DimExpr::max(m, n));
  EXPECT_EQ(DimExpr::max(3, 5).constant(), 5);
}

TEST(DimExprTest, Proofs) {
  EXPECT_TRUE(n.provablyAtMost(n));
  EXPECT_TRUE(n.provablyAtMost(n * DimExpr(2)));
  EXPECT_FALSE(n.provablyAtMost(m));
  EXPECT_FALSE(n.provablyAtMost(n * m));
  EXPECT_TRUE(n.provablyAtMost(n * m, /*atLeastOne=*/true));
  EXPECT_TRUE(DimExpr::floorDiv(n, 2).provablyAtMost(n));
  EXPECT_TRUE(DimExpr::mod(n, 8).provablyAtMost(7));
  EXPECT_TRUE(DimExpr::min(n, m).provablyAtMost(n));
  EXPECT_TRUE(n.provablyAtMost(DimExpr::max(n, m)));
  EXPECT_FALSE((DimExpr(0) - n).provablyAtMost(DimExpr(-1)));
  EXPECT_TRUE((DimExpr(0) - n).provablyAtMost(0));
}

// What is proved of quotients holds for all sizes, and what fails for one size
// is not proved.
TEST(DimExprTest, ProofsOfQuotients) {
  DimExpr half = DimExpr::floorDiv(n, 2), up = DimExpr::ceilDiv(n, 4);
  const std::pair<DimExpr, DimExpr> pairs[] = {
      {half * 2, n},         {n, half * 2},     {n, half * 2 + 1},
      {n, up * 4},           {up * 4, n + 3},   {up * 4, n + 2},
      {half * 2 - 1, n - 1}, {half * 3, n * 2}, {half * 4 + 1, n * 2}};
  for (const auto &[lower, upper] : pairs) {
    bool holds = true;
    for (int64_t size = 0; size < 16; ++size) {
      auto valueOf = [&](const std::string &) { return std::optional(size); };
      holds &= *lower.evaluate(valueOf) <= *upper.evaluate(valueOf);
    }
    if (!holds)
      EXPECT_FALSE(lower.provablyAtMost(upper)) << lower.str() << upper.str();
  }
  EXPECT_TRUE((half * 2).provablyAtMost(n));
  EXPECT_TRUE(n.provablyAtMost(half * 2 + 1));
  EXPECT_TRUE(n.provablyAtMost(up * 4));
  EXPECT_TRUE((up * 4).provablyAtMost(n + 3));
}

TEST(DimExprTest, ScalarsOfUnknownSignProveNothing) {
  DimExpr unknown = DimExpr::symbol("%i0");
  EXPECT_FALSE(DimExpr(0).provablyAtMost(unknown));
  EXPECT_FALSE(n.provablyAtMost(n + unknown, true));
  EXPECT_TRUE(n.provablyAtMost(n + unknown * unknown));
}

TEST(DimExprTest, HostileSizesSaturate) {
  DimExpr big(INT64_MAX);
  EXPECT_EQ((big * DimExpr(2)).constant(), INT64_MAX);
  EXPECT_EQ((big + big).constant(), INT64_MAX);
  EXPECT_FALSE((big * n).provablyAtMost(big * n * DimExpr(2)));
  EXPECT_EQ((n * m).evaluate([](const std::string &) {
    return std::optional<int64_t>(INT64_MAX);
  }),
            INT64_MAX);
}

TEST(DimExprTest, Evaluates) {
  auto value = [](const std::string &name) {
    return name == "n" ? std::optional<int64_t>(7) : std::nullopt;
  };
  EXPECT_EQ((n * n + DimExpr(1)).evaluate(value), 50);
  EXPECT_EQ(DimExpr::floorDiv(n, 2).evaluate(value), 3);
  EXPECT_EQ(DimExpr::mod(n, 4).evaluate(value), 3);
  EXPECT_EQ(DimExpr::min(n, DimExpr(2) * n - DimExpr(9)).evaluate(value), 5);
  EXPECT_EQ(m.evaluate(value), std::nullopt);
}

TEST(DimExprTest, TextGoesRound) {
  for (const char *text :
       {"24*batch", "past + seq", "n", "0", "7", "2*n - 3", "n**2*m + 1",
        "floordiv(n + 1, 2)", "mod(n, 8)", "max(m, n)", "min(m, n) + 2",
        "-n + 5", "unk__12.dim_0", "2*'batch size'", "'a-b' + a - b", "'it''s'",
        "'7'", "''", "-9223372036854775808"})
    EXPECT_EQ(parsed(parsed(text).str()), parsed(text)) << text;
  EXPECT_EQ(parsed("((seq**2)//seq)").str(), "seq");
  EXPECT_EQ(parsed("past + seq").str(), "past + seq");
  EXPECT_EQ(parsed("3 - n").str(), "-n + 3");
  EXPECT_EQ(parsed("floor(n)"), n);
  EXPECT_EQ(parsed("'n'"), n);
  EXPECT_EQ(parsed("'n'").str(), "n");
  EXPECT_EQ(DimExpr::symbol("batch size").str(), "'batch size'");
  EXPECT_EQ(parsed("'it''s'").asSymbol(), "it's");
  EXPECT_EQ(parsed("ceildiv(n, 2)"), DimExpr::ceilDiv(n, 2));
}

TEST(DimExprTest, RefusesWhatIsNoExpression) {
  for (const char *text :
       {"", "+", "n +", "(n", "n)", "n m", "f(n)", "max(n)", "n/2",
        "99999999999999999999", "'n", "'n''", "n**-1", "n**n", "n**1000"})
    EXPECT_FALSE(DimExpr::parse(text)) << text;
  EXPECT_FALSE(DimExpr::parse(std::string(100000, '(')));
  std::string wide = "a0";
  for (int i = 1; i < 2000; ++i)
    wide += "+a" + std::to_string(i);
  EXPECT_FALSE(DimExpr::parse(wide));
}

TEST(DimExprTest, BoundsProveOrder) {
  const DimExpr few = DimExpr::symbol("few", {1, 28, 1}),
                many = DimExpr::symbol("many", {64, 4096, 1});
  EXPECT_TRUE(few.provablyAtMost(28));
  EXPECT_FALSE(few.provablyAtMost(27));
  EXPECT_TRUE(DimExpr(1).provablyAtMost(few));
  EXPECT_TRUE(few.provablyAtMost(many));
  EXPECT_FALSE(n.provablyAtMost(28));
  EXPECT_TRUE((few * few).provablyAtMost(784));
  EXPECT_FALSE((few * n).provablyAtMost(many));
  EXPECT_TRUE(DimExpr::floorDiv(many, 64).provablyAtMost(64));
  EXPECT_TRUE(DimExpr(1).provablyAtMost(DimExpr::floorDiv(many, 64)));
  EXPECT_TRUE(DimExpr::mod(few, 5).provablyAtMost(4));
  EXPECT_EQ(DimExpr::min(few, 28), few);
  EXPECT_EQ(DimExpr::max(few, many), many);
  // The guard of few rows.
  EXPECT_EQ(DimExpr::min(DimExpr::max(DimExpr(29) - few, 0), 1), DimExpr(1));
  EXPECT_EQ(DimExpr::min(DimExpr::max(DimExpr(29) - many, 0), 1), DimExpr(0));
}

TEST(DimExprTest, BoundsAreNoPartOfIdentity) {
  const DimExpr known = DimExpr::symbol("n", {1, 28, 4});
  EXPECT_EQ(known, n);
  EXPECT_EQ((known + m).str(), "m + n");
  EXPECT_EQ(parsed("min(n, 28)").withBounds([](const std::string &name) {
    return name == "n" ? zenith::graph::DimBounds{1, 28, 1}
                       : zenith::graph::DimBounds();
  }),
            n);
  auto few = [](const std::string &) {
    return zenith::graph::DimBounds{1, 28, 1};
  };
  const DimExpr common = DimExpr::broadcast(n, m);
  EXPECT_EQ(common.withBounds(few), common);
  EXPECT_TRUE(common.withBounds(few).provablyAtMost(28));
}

TEST(DimExprTest, MultiplesDivide) {
  const DimExpr k = DimExpr::symbol("k", {0, INT64_MAX, 16});
  EXPECT_EQ(DimExpr::mod(k, 16), DimExpr(0));
  EXPECT_EQ(DimExpr::mod(k, 8), DimExpr(0));
  EXPECT_EQ(DimExpr::mod(DimExpr(3) * k + DimExpr(21), 16), DimExpr(5));
  EXPECT_EQ(DimExpr::mod(k * n, 32), DimExpr::mod(k * n, 32));
  EXPECT_NE(DimExpr::mod(k, 32), DimExpr(0));
  EXPECT_EQ(DimExpr::mod(DimExpr(2) * k, 32), DimExpr(0));
  EXPECT_EQ(DimExpr::mod(k * k, 256), DimExpr(0));
  // Whole tiles: rounding up is rounding down.
  EXPECT_EQ(DimExpr::ceilDiv(k, 16), DimExpr::floorDiv(k, 16));
  EXPECT_EQ(DimExpr::floorDiv(k + DimExpr(15), 16), DimExpr::floorDiv(k, 16));
  EXPECT_EQ(DimExpr::ceilDiv(k + DimExpr(1), 16),
            DimExpr::floorDiv(k, 16) + DimExpr(1));
  for (int64_t value : {0, 16, 48, 4096})
    for (const DimExpr &expr :
         {DimExpr::ceilDiv(k, 16), DimExpr::floorDiv(DimExpr(6) * k + 5, 32),
          DimExpr::ceilDiv(DimExpr(3) * k - DimExpr(7), 48)}) {
      auto at = [&](const std::string &) { return std::optional(value); };
      EXPECT_EQ(expr.evaluate(at), parsed(expr.str()).evaluate(at))
          << expr.str();
    }
}

} // namespace
