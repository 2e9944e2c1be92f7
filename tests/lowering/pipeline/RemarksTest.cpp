// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks through diagnostics, and their two texts.

#include "lowering/pipeline/Remarks.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::pipeline;

TEST(Remarks, KeepCodeTextAndPayload) {
  mlir::MLIRContext context;
  std::vector<Remark> taken;
  DiagnosticCollector collector(
      &context, [&](const Remark &remark) { taken.push_back(remark); });
  auto place = mlir::FileLineColLoc::get(&context, "model.mlir", 3, 5);
  remarks::emit(place, remarks::Code::PRE113, {0.5, 0.75});
  remarks::emit(place, remarks::Code::FUS101, {"apart: alone", ""});
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(toText(taken[0]),
            "precision PRE113 model.mlir:3:5: no narrow op keeps the bound of "
            "5.000e-01: the least error was 7.500e-01");
  // Fields of remarks on precision stand at the top too.
  EXPECT_NE(toJSON(taken[0]).find(R"("bound":0.5,"code")"), std::string::npos)
      << toJSON(taken[0]);
  EXPECT_EQ(
      toJSON(taken[1]),
      R"({"code":"FUS101","location":"model.mlir:3:5","payload":{"decision":"apart: alone","reason":""},"text":"apart: alone: ","topic":"fusion"})");
  EXPECT_EQ(taken[0].payload[1].first, "least");
  ASSERT_NE(taken[0].payload[1].second.number(), nullptr);
  EXPECT_EQ(*taken[0].payload[1].second.number(), 0.75);
  EXPECT_FALSE(collector.hasErrors());
}

TEST(Remarks, OfOthersAreNotTaken) {
  mlir::MLIRContext context;
  unsigned taken = 0;
  DiagnosticCollector collector(&context, [&](const Remark &) { ++taken; });
  mlir::emitRemark(mlir::UnknownLoc::get(&context))
      << "fusion: FUS101: a text that only looks like one";
  EXPECT_EQ(taken, 0u);
}

TEST(Remarks, ErrorsKeepTheirNotesAndPlace) {
  mlir::MLIRContext context;
  DiagnosticCollector collector(&context, {});
  auto place = mlir::NameLoc::get(mlir::StringAttr::get(&context, "node 7"));
  mlir::emitError(place, "no kernel").attachNote() << "made here";
  EXPECT_TRUE(collector.hasErrors());
  EXPECT_EQ(collector.errorText(), "no kernel\nnote: made here");
  EXPECT_EQ(collector.firstLocation(), "\"node 7\"");
}
