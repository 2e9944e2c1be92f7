// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Digits of dimensions: joined, split, refined against each other.

#include "lowering/builder/AffineOperand.h"
#include <gtest/gtest.h>

using namespace zenith::kernels;
using zenith::graph::DimExpr;

namespace {

DimExpr expr(const std::string &text) { return *DimExpr::parse(text); }

StridedDim digits(std::vector<std::pair<std::string, std::string>> pairs) {
  StridedDim dim;
  for (auto &[size, stride] : pairs)
    dim.push_back({expr(size), expr(stride)});
  return dim;
}

std::string text(const StridedDim &dim) {
  std::string all;
  for (const Stride &digit : dim)
    all += "(" + digit.size.str() + " by " + digit.stride.str() + ")";
  return all;
}

TEST(AffineOperand, CoalesceJoinsRunsAndDropsOnes) {
  StridedDim dim = digits({{"batch", "64*seq"}, {"1", "7"}, {"seq", "64"}});
  coalesce(dim);
  EXPECT_EQ(text(dim), text(digits({{"batch*seq", "64"}})));
  StridedDim repeated = digits({{"3", "0"}, {"4", "0"}});
  coalesce(repeated);
  EXPECT_EQ(text(repeated), "(12 by 0)");
  StridedDim ones = digits({{"1", "5"}});
  coalesce(ones);
  EXPECT_EQ(text(ones), "(1 by 5)");
}

TEST(AffineOperand, RegroupSplitsAndMerges) {
  auto heads = regroup(digits({{"seq", "768"}, {"768", "1"}}),
                       {expr("seq"), expr("12"), expr("64")});
  ASSERT_TRUE(heads);
  EXPECT_EQ(text((*heads)[0]), "(seq by 768)");
  EXPECT_EQ(text((*heads)[1]), "(12 by 64)");
  EXPECT_EQ(text((*heads)[2]), "(64 by 1)");
  // Transposed heads merge into a dimension of two digits.
  auto merged = regroup(digits({{"5", "8"}, {"3", "40"}, {"8", "1"}}),
                        {expr("5"), expr("24")});
  ASSERT_TRUE(merged);
  EXPECT_EQ(text((*merged)[1]), "(3 by 40)(8 by 1)");
  EXPECT_FALSE(
      regroup(digits({{"4", "1"}, {"6", "4"}}), {expr("3"), expr("8")}));
  auto empty =
      regroup(digits({{"0", "4"}, {"4", "1"}}), {expr("7"), expr("0")});
  ASSERT_TRUE(empty);
  EXPECT_EQ(text((*empty)[0]), "(7 by 0)");
}

TEST(AffineOperand, RefineNestsBothSides) {
  auto pairs =
      refine(digits({{"3", "40"}, {"8", "1"}}), digits({{"24", "16"}}));
  ASSERT_TRUE(pairs);
  ASSERT_EQ(pairs->size(), 2u);
  EXPECT_EQ((*pairs)[0].second.str(), "128");
  EXPECT_EQ((*pairs)[1].size.str(), "8");
  // Whole dimensions are equal whatever their names.
  auto named = refine(digits({{"past + seq", "1"}}), digits({{"total", "9"}}));
  ASSERT_TRUE(named);
  EXPECT_EQ((*named)[0].size.str(), expr("past + seq").str());
  EXPECT_FALSE(refine(digits({{"4", "1"}, {"6", "8"}}),
                      digits({{"3", "1"}, {"8", "9"}})));
}

TEST(AffineOperand, DataIsNotKnownBeforeLaunch) {
  EXPECT_TRUE(knownBeforeLaunch(expr("24*batch")));
  EXPECT_FALSE(knownBeforeLaunch(DimExpr::symbol("%3") * DimExpr(2)));
}

} // namespace
