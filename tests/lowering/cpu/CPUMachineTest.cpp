// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code generators say of machines that lack instructions.

#include "lowering/cpu/CPUMachine.h"

#include "llvm/Target/TargetMachine.h"
#include <gtest/gtest.h>

using namespace zenith::cpu;
using zenith::target::CPUTarget;

TEST(CPUMachine, HostRunsHere) {
  CPUTarget host = CPUTarget::host();
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_FALSE(bool(checkRunsHere(host)));
  auto machine = createMachine(host);
  ASSERT_TRUE(bool(machine));
  EXPECT_EQ((*machine)->getTargetCPU().str(), host.cpu);
}

TEST(CPUMachine, ForeignFeaturesAreNamed) {
  CPUTarget newest = llvm::cantFail(CPUTarget::parse("cpu:sapphirerapids"));
  llvm::Error error = checkRunsHere(newest);
  if (error)
    EXPECT_NE(llvm::toString(std::move(error)).find("it lacks "),
              std::string::npos);
}

/// A virtual machine hides some of these from programs that don't need them.
TEST(CPUMachine, FeaturesThatNoCodeUsesAreNotMissed) {
  CPUTarget host = CPUTarget::host();
  llvm::Error error =
      checkRunsHere(llvm::cantFail(CPUTarget::parse("cpu:" + host.cpu)));
  std::string text = error ? llvm::toString(std::move(error)) : "";
  for (const char *name : {"mwaitx", "sgx", "clzero", "rdrnd", "xsave", "pku"})
    EXPECT_EQ(text.find(name), std::string::npos) << text;
}
