// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models with names, and as JSON: all are valid and read back, mistakes are
// named with their key and line.

#include "ir/target/NamedModels.h"

#include "ir/GraphOps.h"
#include "ir/target/CPUTarget.h"
#include "ir/target/OpenCLTarget.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include <gtest/gtest.h>

using namespace zenith;
using target::GivenModel;
using target::TargetModel;

static std::string textOf(const TargetModel &model) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(target::toJSON(model));
  return text;
}

TEST(NamedModels, AllAreThere) {
  for (const char *name :
       {"avx2", "znver3", "znver4", "znver5", "emeraldrapids", "neoverse-v2",
        "pocl-avx2", "pocl-avx512", "nvidia-sm80", "nvidia-sm90",
        "gpu-generic-32", "gpu-generic-64", "mobile-16k"})
    EXPECT_TRUE(target::namedModel(name)) << name;
  EXPECT_FALSE(target::namedModel("znver"));
  EXPECT_EQ(target::modelNames().front(), "avx2");
  EXPECT_EQ(target::nearestModelName("nvidia-sm81"), "nvidia-sm80");
}

TEST(NamedModels, AreValid) {
  // A row that breaks a constraint is left out of the table.
  EXPECT_EQ(target::modelNames().size(), 14u);
  for (llvm::StringRef name : target::modelNames()) {
    const GivenModel &given = *target::namedModel(name);
    EXPECT_FALSE(target::faultOf(given.model)) << name.str();
    EXPECT_EQ(given.processors.empty(), given.model.device) << name.str();
  }
}

TEST(NamedModels, ReadBackAsJSON) {
  for (llvm::StringRef name : target::modelNames()) {
    const TargetModel &model = target::namedModel(name)->model;
    target::ModelFault fault;
    auto given = target::parseModel(textOf(model), TargetModel(), fault);
    ASSERT_TRUE(given) << name.str() << ": " << fault.text;
    EXPECT_TRUE(given->model == model) << name.str();
  }
}

TEST(NamedModels, ReadBackAsAttributes) {
  mlir::MLIRContext context;
  context.loadDialect<graph::GraphDialect>();
  for (llvm::StringRef name : target::modelNames()) {
    const TargetModel &model = target::namedModel(name)->model;
    std::string text;
    llvm::raw_string_ostream(text)
        << graph::TargetAttr::get(&context, name, model);
    auto attr = llvm::dyn_cast_or_null<graph::TargetAttr>(
        mlir::parseAttribute(text, &context));
    ASSERT_TRUE(attr) << text;
    EXPECT_TRUE(attr.getModel() == model) << text;
  }
}

/// What is asked of a processor agrees with the table's row of its name.
TEST(NamedModels, AreThoseOfTheirProcessors) {
  for (const char *name :
       {"avx2", "avx512", "znver3", "znver4", "znver5", "emeraldrapids"}) {
    const GivenModel &given = *target::namedModel(name);
    auto processor =
        target::CPUTarget::parse("cpu:" + given.processors.front());
    ASSERT_TRUE(bool(processor)) << name;
    EXPECT_EQ(target::differencesOf(processor->model()),
              target::differencesOf(given.model))
        << name;
    EXPECT_EQ(target::CPUTarget::of(given).cpu, given.processors.front());
  }
}

TEST(NamedModels, DevicesAskForTheRest) {
  target::OpenCLTarget device;
  device.isCPU = false;
  device.localBytes = 1 << 15;
  device.units = 7;
  TargetModel model = device.model();
  EXPECT_EQ(model.localBytes, 1 << 15);
  EXPECT_EQ(model.units, 7u);
  EXPECT_EQ(model.kind, target::Kind::GPU);
  EXPECT_EQ(model.subgroup, 32u);
  EXPECT_EQ(model.globalBytes, 0);
  EXPECT_FALSE(target::faultOf(model));
}

static std::string faultIn(llvm::StringRef text) {
  target::ModelFault fault;
  if (target::parseModel(text, TargetModel(), fault))
    return "";
  return std::to_string(fault.line) + ": " + fault.text;
}

TEST(ModelsAsJSON, MistakesNameKeyAndLine) {
  EXPECT_EQ(faultIn("{}"), "");
  EXPECT_EQ(faultIn("{\n \"l2_bytes\": 1048576,\n \"l2_byte\": 1\n}"),
            "3: 'l2_byte': is no key of a target model; did you mean "
            "'l2_bytes'?");
  EXPECT_EQ(faultIn("{\"lanes\":\n \"eight\"}"),
            "1: 'lanes': got \"eight\", expected a count");
  EXPECT_EQ(faultIn("{\"lanes\": -8}"), "1: 'lanes': got -8, expected a count");
  EXPECT_EQ(faultIn("{\"lanes\": 1.5}"),
            "1: 'lanes': got 1.5, expected a count");
  EXPECT_EQ(faultIn("{\"lanes\": 4294967296}"),
            "1: 'lanes': got 4294967296, expected a count");
  EXPECT_EQ(faultIn("{\n\n\"fma\": 1}"),
            "3: 'fma': got 1, expected true or false");
  EXPECT_EQ(faultIn("{\"kind\": \"tpu\"}"),
            "1: 'kind': got \"tpu\", expected \"cpu\" or \"gpu\"");
  EXPECT_EQ(faultIn("{\"gbps\": true}"),
            "1: 'gbps': got true, expected a number");
  EXPECT_EQ(faultIn("{\"processors\": \"znver4\"}"),
            "1: 'processors': got \"znver4\", expected a list of names");
  EXPECT_EQ(faultIn("{\n\"nr\": 12}"),
            "2: 'nr': got 12, expected a multiple of lanes (target_c2)");
  EXPECT_EQ(faultIn("{\n\"gbps\": true,\n\"fma\": 1,\n\"bf\": 2}"),
            "2: 'gbps': got true, expected a number");
  EXPECT_EQ(faultIn("[]"), "1: expected an object of a model's fields");
  EXPECT_NE(faultIn("{\"lanes\": 8").find("1: "), std::string::npos);
}

TEST(ModelsAsJSON, LeftOutIsAsInTheBase) {
  TargetModel base;
  base.l2Bytes = 1 << 20;
  target::ModelFault fault;
  auto given = target::parseModel(
      R"({"l1_bytes": 49152, "l1_ways": 12, "processors": ["znver5"]})", base,
      fault);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->model.l2Bytes, 1 << 20);
  EXPECT_EQ(given->model.l1WayBytes(), 4096);
  EXPECT_EQ(given->processors, std::vector<std::string>{"znver5"});
  auto device =
      target::parseModel(R"({"calls": true, "device": true})", base, fault);
  ASSERT_TRUE(device);
  EXPECT_TRUE(device->model.calls);
  EXPECT_FALSE(device->model.avx2);
}
