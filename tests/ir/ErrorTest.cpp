// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error keeps its code, text and location on its way through functions that
// return results, and through LLVM's errors.

#include "ir/LLVMError.h"
#include <gtest/gtest.h>

using namespace zenith;

namespace {

Result<int> half(int value) {
  if (value % 2)
    return invalid("is odd").in("value");
  return value / 2;
}

TEST(ErrorValue, GathersLocationsFromInsideOut) {
  EXPECT_EQ(*half(4), 2);
  Result<int> odd = half(3);
  ASSERT_FALSE(bool(odd));
  Error error = std::move(odd.error()).in("graph");
  EXPECT_EQ(error.code, ErrorCode::Invalid);
  EXPECT_EQ(error.location, "graph/value");
  EXPECT_EQ(error.message(), "graph/value: is odd");
}

TEST(ErrorValue, OfFilesKeepsTheInnerLocationInTheText) {
  Error error = unsupported("is new", "node 'n'").ofFile("m.onnx");
  EXPECT_EQ(error.code, ErrorCode::Unsupported);
  EXPECT_EQ(error.text, "node 'n': is new");
  EXPECT_EQ(error.location, "m.onnx");
}

TEST(LLVMErrorValue, CarriesTheErrorUnchanged) {
  llvm::Error carried = reportedError(ErrorCode::Run, "failed", "m.mlir:3:5");
  Error error = errorOf(std::move(carried));
  EXPECT_EQ(error.code, ErrorCode::Run);
  EXPECT_EQ(error.text, "failed");
  EXPECT_EQ(error.location, "m.mlir:3:5");
  EXPECT_TRUE(error.reported);
  EXPECT_EQ(llvm::toString(makeError(error)), "m.mlir:3:5: failed");
}

TEST(LLVMErrorValue, FirstOfSeveralCountsAndForeignErrorsAreInternal) {
  llvm::Error foreign =
      llvm::createStringError(llvm::inconvertibleErrorCode(), "no symbol");
  Error first = errorOf(llvm::joinErrors(
      std::move(foreign), makeError(ErrorCode::Usage, "a second")));
  EXPECT_EQ(first.code, ErrorCode::Internal);
  EXPECT_EQ(first.message(), "no symbol");
}

} // namespace
