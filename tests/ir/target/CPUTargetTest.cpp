// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets by name: what they are shaped like, what is refused.

#include "ir/target/CPUTarget.h"

#include "ir/target/TargetModel.h"
#include <gtest/gtest.h>

using zenith::target::CPUTarget;

static CPUTarget parsed(llvm::StringRef text) {
  llvm::Expected<CPUTarget> target = CPUTarget::parse(text);
  EXPECT_TRUE(bool(target)) << text.str();
  return target ? *target : CPUTarget();
}

TEST(CPUTarget, LanesFollowTheName) {
  EXPECT_EQ(parsed("cpu:x86-64").model().lanes, 4u);
  EXPECT_EQ(parsed("cpu:x86-64").model().nr, 8u);
  EXPECT_FALSE(parsed("cpu:x86-64").fma);
  EXPECT_EQ(parsed("cpu:x86-64-v3").model().lanes, 8u);
  EXPECT_EQ(parsed("cpu:x86-64-v3").model().nr, 16u);
  EXPECT_TRUE(parsed("cpu:x86-64-v3").fma);
  EXPECT_EQ(parsed("cpu:x86-64-v4").model().lanes, 16u);
  EXPECT_EQ(parsed("cpu:x86-64-v4").model().nr, 64u);
  EXPECT_TRUE(parsed("cpu:znver4").bf16Pairs);
  EXPECT_TRUE(parsed("cpu:znver4").vnni);
  EXPECT_FALSE(parsed("cpu:x86-64-v4").bf16Pairs);
  // Pairs are slower than f32 there.
  EXPECT_FALSE(parsed("cpu:sapphirerapids").bf16Pairs);
  EXPECT_TRUE(parsed("cpu:alderlake").vnni);
}

/// The name of the architecture's baseline has no row in LLVM's table.
TEST(CPUTarget, GenericIsTheBaseline) {
  CPUTarget generic = parsed("cpu:generic");
  EXPECT_EQ(generic.model().lanes, 4u);
  EXPECT_FALSE(generic.fma);
}

/// One feature may imply others that LLVM's table doesn't repeat.
TEST(CPUTarget, ImpliedFeaturesCount) {
  EXPECT_EQ(parsed("cpu:alderlake").model().lanes, 8u);
  EXPECT_TRUE(parsed("cpu:x86-64-v4").avx512);
}

TEST(CPUTarget, ModelFollowsTheVectors) {
  zenith::target::TargetModel narrow = parsed("cpu:x86-64-v3").model(),
                              wide = parsed("cpu:znver4").model();
  EXPECT_EQ(narrow.registers, 16u);
  EXPECT_EQ(narrow.mr, 6u);
  EXPECT_EQ(narrow.kInterleave, 2u);
  EXPECT_EQ(narrow.streamingBytes, 0);
  EXPECT_EQ(wide.registers, 32u);
  EXPECT_EQ(wide.kInterleave, 4u);
  EXPECT_EQ(wide.streamingBytes, 32 << 20);
  EXPECT_GT(wide.memoryBytesPerCycle, narrow.memoryBytesPerCycle);
  EXPECT_EQ(parsed("cpu:sapphirerapids").model().streamingBytes, 5 << 19);
  EXPECT_EQ(parsed("cpu:x86-64").model().mr, 5u);
}

TEST(CPUTarget, BitsOverrideTheNames) {
  zenith::target::TargetModel wide = parsed("cpu:x86-64-v3:512").model(),
                              narrow = parsed("cpu:znver4:256").model();
  EXPECT_EQ(wide.lanes, 16u);
  EXPECT_EQ(wide.nr, 64u);
  EXPECT_FALSE(wide.bf16Pairs);
  EXPECT_TRUE(wide.avx2);
  EXPECT_FALSE(wide.avx512);
  EXPECT_FALSE(parsed("cpu:x86-64:256").model().avx2);
  EXPECT_EQ(narrow.lanes, 8u);
  EXPECT_FALSE(narrow.bf16Pairs);
  EXPECT_GT(narrow.vectorFmasPerCycle,
            parsed("cpu:znver4").model().vectorFmasPerCycle);
  EXPECT_FALSE(parsed("cpu:alderlake:512").model().vnni);
  llvm::Expected<CPUTarget> odd = CPUTarget::parse("cpu:x86-64-v3:384");
  ASSERT_FALSE(bool(odd));
  EXPECT_NE(llvm::toString(odd.takeError()).find("not '384'"),
            std::string::npos);
}

TEST(CPUTarget, UnknownNameGivesTheNearest) {
  llvm::Expected<CPUTarget> target = CPUTarget::parse("cpu:znverr4");
  ASSERT_FALSE(bool(target));
  std::string text = llvm::toString(target.takeError());
  EXPECT_NE(text.find("did you mean 'znver4'"), std::string::npos) << text;
  llvm::Expected<CPUTarget> nameless = CPUTarget::parse("cpu:");
  EXPECT_FALSE(bool(nameless));
  llvm::consumeError(nameless.takeError());
}
