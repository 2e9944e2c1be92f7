// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets by name: what they are shaped like, what is refused.

#include "lowering/cpu/CPUTarget.h"

#include "lowering/builder/KernelPlan.h"
#include "llvm/Target/TargetMachine.h"
#include <gtest/gtest.h>

using zenith::cpu::CPUTarget;

static CPUTarget parsed(llvm::StringRef text) {
  llvm::Expected<CPUTarget> target = CPUTarget::parse(text);
  EXPECT_TRUE(bool(target)) << text.str();
  return target ? *target : CPUTarget();
}

TEST(CPUTarget, HostRunsHere) {
  CPUTarget host = parsed("cpu");
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_FALSE(bool(host.checkRunsHere()));
}

TEST(CPUTarget, LanesFollowTheName) {
  EXPECT_EQ(parsed("cpu:x86-64").kernelTarget().lanes, 4u);
  EXPECT_EQ(parsed("cpu:x86-64").kernelTarget().panel, 8u);
  EXPECT_FALSE(parsed("cpu:x86-64").fma);
  EXPECT_EQ(parsed("cpu:x86-64-v3").kernelTarget().lanes, 8u);
  EXPECT_EQ(parsed("cpu:x86-64-v3").kernelTarget().panel, 16u);
  EXPECT_TRUE(parsed("cpu:x86-64-v3").fma);
  EXPECT_EQ(parsed("cpu:x86-64-v4").kernelTarget().lanes, 16u);
  EXPECT_EQ(parsed("cpu:x86-64-v4").kernelTarget().panel, 64u);
  EXPECT_TRUE(parsed("cpu:znver4").bf16Pairs);
  EXPECT_TRUE(parsed("cpu:znver4").vnni);
  EXPECT_FALSE(parsed("cpu:x86-64-v4").bf16Pairs);
  // Pairs are slower than f32 there.
  EXPECT_FALSE(parsed("cpu:sapphirerapids").bf16Pairs);
  EXPECT_TRUE(parsed("cpu:alderlake").vnni);
}

TEST(CPUTarget, BitsOverrideTheNames) {
  zenith::kernels::KernelTarget wide =
                                    parsed("cpu:x86-64-v3:512").kernelTarget(),
                                narrow =
                                    parsed("cpu:znver4:256").kernelTarget();
  EXPECT_EQ(wide.lanes, 16u);
  EXPECT_EQ(wide.panel, 64u);
  EXPECT_FALSE(wide.bf16Pairs);
  EXPECT_EQ(narrow.lanes, 8u);
  EXPECT_FALSE(narrow.bf16Pairs);
  EXPECT_FALSE(parsed("cpu:alderlake:512").kernelTarget().vnni);
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

TEST(CPUTarget, ForeignFeaturesAreNamed) {
  CPUTarget newest = parsed("cpu:sapphirerapids");
  llvm::Error error = newest.checkRunsHere();
  if (error)
    EXPECT_NE(llvm::toString(std::move(error)).find("it lacks "),
              std::string::npos);
}
