// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target models: what one lacks that another counts on, and which one a module
// has.

#include "ir/target/TargetModel.h"

#include "ir/GraphOps.h"
#include "ir/target/OpenCLTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace zenith;
using target::TargetModel;

TEST(TargetModel, EqualByEveryField) {
  TargetModel model;
  forEachField(model, [&](llvm::StringRef name, auto &field) {
    TargetModel before = model;
    EXPECT_TRUE(before == model);
    field =
        static_cast<std::decay_t<decltype(field)>>(!static_cast<bool>(field));
    EXPECT_FALSE(before == model) << name.str();
    EXPECT_NE(hash_value(before), hash_value(model)) << name.str();
  });
}

TEST(TargetModel, NamesWhatAMachineLacks) {
  TargetModel machine, wanted;
  EXPECT_EQ(missingFrom(machine, wanted), "");
  wanted.l2Bytes = 1 << 20;
  wanted.fma = false;
  EXPECT_EQ(missingFrom(machine, wanted), "");
  wanted.vnni = true;
  EXPECT_EQ(missingFrom(machine, wanted), "vnni");
  machine.vnni = true;
  EXPECT_EQ(missingFrom(machine, wanted), "");
  // Code for a printer is no code for a code generator, either way.
  EXPECT_EQ(missingFrom(onDevice(machine), wanted), "device");
}

TEST(TargetModel, SharesAreProportional) {
  TargetModel model;
  EXPECT_EQ(model.l2Share(0.5), 256 * 1024);
  EXPECT_EQ(model.l2Share(75.0 / 256), 150 * 1024);
  EXPECT_EQ(model.l1Share(0.75), 24 * 1024);
  model.l2Bytes *= 2;
  EXPECT_EQ(model.l2Share(0.5), 512 * 1024);
}

TEST(TargetModel, ModulesWithoutTargetAreGeneric) {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect>();
  auto plain = parseSourceString<ModuleOp>("module {}", &context);
  EXPECT_FALSE(target::targetOf(*plain));
  EXPECT_TRUE(target::modelOf(*plain) == TargetModel());
  auto nested = parseSourceString<ModuleOp>(
      R"(module attributes {graph.target = #graph.target<"cpu:a", mr = 9>} {
           module @inner {}
         })",
      &context);
  ASSERT_TRUE(bool(nested));
  auto inner = nested->lookupSymbol<ModuleOp>("inner");
  EXPECT_EQ(target::targetOf(inner).getText(), "cpu:a");
  EXPECT_EQ(target::modelOf(inner).mr, 9u);
  EXPECT_EQ(target::modelOf(inner).lanes, TargetModel().lanes);
}

TEST(OpenCLTarget, DevicesWithoutVectorsHaveSmallTiles) {
  target::OpenCLTarget device;
  EXPECT_TRUE(device.model().device);
  EXPECT_EQ(device.model().nr, 16u);
  device.isCPU = false;
  EXPECT_EQ(device.model().nr, 8u);
  EXPECT_EQ(device.model().mr, 4u);
}
