// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remark diagnostics as structured remarks, and their two texts.

#include "lowering/pipeline/Remarks.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace zenith::pipeline;

TEST(Remarks, AreSplitIntoTopicCodeAndText) {
  mlir::MLIRContext context;
  std::vector<Remark> remarks;
  DiagnosticCollector collector(
      &context, [&](const Remark &remark) { remarks.push_back(remark); });
  auto place = mlir::FileLineColLoc::get(&context, "model.mlir", 3, 5);
  mlir::emitRemark(place) << "fusion: FUS101: two: parts";
  mlir::emitRemark(mlir::UnknownLoc::get(&context)) << "search: no code here";
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(toText(remarks[0]), "fusion FUS101 model.mlir:3:5: two: parts");
  EXPECT_EQ(
      toJSON(remarks[0]),
      R"({"code":"FUS101","location":"model.mlir:3:5","text":"two: parts","topic":"fusion"})");
  EXPECT_EQ(toText(remarks[1]), "search: no code here");
  EXPECT_FALSE(collector.hasErrors());
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
