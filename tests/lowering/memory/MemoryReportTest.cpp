// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The certificate as JSON.

#include "lowering/memory/MemoryReport.h"

#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace zenith;
using graph::DimExpr;

TEST(MemoryReport, GivesFormulaAndNumber) {
  memory::MemoryReport report;
  report.entry = "main";
  report.parameters = DimExpr(1000);
  report.activations = DimExpr(64) * DimExpr::symbol("batch");
  report.temporaries = DimExpr(128);
  auto json = llvm::json::parse(memory::toJSON(
      report, [](const std::string &) { return std::optional<int64_t>(3); }));
  ASSERT_TRUE(bool(json));
  const llvm::json::Object *classes = json->getAsObject()->getObject("classes");
  EXPECT_EQ(classes->getObject("activations")->getString("formula"),
            "64*batch");
  EXPECT_EQ(classes->getObject("activations")->getInteger("bytes"), 192);
  EXPECT_EQ(json->getAsObject()->getObject("arena")->getInteger("bytes"), 320);
  EXPECT_EQ(json->getAsObject()->getObject("peak")->getInteger("bytes"), 1320);
}

TEST(MemoryReport, UnknownDimensionsHaveNoNumber) {
  memory::MemoryReport report;
  report.inputs = DimExpr::symbol("seq");
  auto json = llvm::json::parse(memory::toJSON(
      report, [](const std::string &) { return std::optional<int64_t>(); }));
  ASSERT_TRUE(bool(json));
  const llvm::json::Object *inputs =
      json->getAsObject()->getObject("classes")->getObject("inputs");
  EXPECT_TRUE(inputs->get("bytes")->getAsNull().has_value());
}
