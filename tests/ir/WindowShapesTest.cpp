// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of padded and windowed sizes against counting positions one by one.

#include "ir/dims/WindowShapes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <gtest/gtest.h>

using namespace zenith::graph;

namespace {

int64_t countPositions(int64_t size, const WindowDim &window) {
  int64_t padded = (size == 0 ? 0 : (size - 1) * window.baseDilation + 1) +
                   window.low + window.high;
  int64_t reach = (window.size - 1) * window.dilation + 1, count = 0;
  for (int64_t start = 0; start + reach <= padded; start += window.stride)
    ++count;
  return count;
}

TEST(WindowShapesTest, AgreesWithCounting) {
  for (int64_t size = 0; size < 7; ++size)
    for (int64_t window = 1; window < 4; ++window)
      for (int64_t stride = 1; stride < 4; ++stride)
        for (int64_t low = -1; low < 2; ++low)
          for (int64_t dilation = 1; dilation < 3; ++dilation)
            for (int64_t baseDilation = 1; baseDilation < 4; ++baseDilation) {
              WindowDim dim{window, stride, low, 1, baseDilation, dilation};
              EXPECT_EQ(windowedSize(size, dim), countPositions(size, dim));
              auto value = windowedSize(DimExpr::symbol("n"), dim)
                               .evaluate([&](const std::string &) {
                                 return std::optional(size);
                               });
              EXPECT_EQ(value, countPositions(size, dim));
            }
}

TEST(WindowShapesTest, UsualWindowsReadWell) {
  DimExpr n = DimExpr::symbol("n");
  EXPECT_EQ(windowedSize(n, {3, 1, 1, 1, 1, 1}), n);
  EXPECT_EQ(windowedSize(n, {3, 2, 1, 1, 1, 1}),
            DimExpr::floorDiv(n + DimExpr(1), 2));
  EXPECT_EQ(windowedSize(mlir::ShapedType::kDynamic, WindowDim()),
            mlir::ShapedType::kDynamic);
}

TEST(WindowShapesTest, Padding) {
  EXPECT_EQ(paddedSize(3, 1, 2, 0), 6);
  EXPECT_EQ(paddedSize(3, 0, 0, 2), 7);
  EXPECT_EQ(paddedSize(0, 1, 2, 5), 3);
  EXPECT_EQ(paddedSize(3, -2, -2, 0), -1);
}

} // namespace
