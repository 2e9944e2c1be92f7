// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls of a matrix with its own transpose (syrk): half is computed, half is
// mirrored.

#include "FusionText.h"
#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::KernelHarness;

namespace {

class SyrkMirror : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};

  /// x times itself over dimension `summed` of [2]: x x^T or x^T x.
  static std::string product(int64_t rows, int64_t depth, int summed,
                             const std::string &element,
                             const std::string &epilogue = "") {
    auto size = [](int64_t x) { return x < 0 ? "?" : std::to_string(x); };
    auto type = [&](int64_t a, int64_t b) {
      return "tensor<" + size(a) + "x" + size(b) + "x" + element + ">";
    };
    std::string a = summed ? type(rows, depth) : type(depth, rows),
                r = type(rows, rows), dim = std::to_string(summed);
    return zenith::testing::fusionText(
        "contraction", "%a : " + a, r,
        "    %p = graph.dot_general %a, %a <batching = [] x [], contracting = "
        "[" +
            dim + "] x [" + dim + "]> : (" + a + ", " + a + ") -> " + r +
            (epilogue.empty() ? ""
                              : "\n    %r = graph." + epilogue + " %p : " + r),
        epilogue.empty() ? "%p" : "%r");
  }

  bool mirrors() const {
    return harness.emitted.find("_mirror") != std::string::npos;
  }
};

TEST_F(SyrkMirror, Rows) {
  for (int64_t rows : {256, 261, 300})
    for (const char *element : {"f32", "f64", "i32"}) {
      SCOPED_TRACE(std::to_string(rows) + element);
      harness.check(product(rows, 67, 1, element));
      EXPECT_TRUE(mirrors());
    }
}

TEST_F(SyrkMirror, UnknownRows) {
  for (int64_t rows : {0, 1, 7, 63, 64, 65, 130, 257}) {
    SCOPED_TRACE(rows);
    harness.check(product(-1, 67, 1, "f32"), {{rows, 67}});
    EXPECT_TRUE(mirrors());
  }
}

TEST_F(SyrkMirror, Columns) {
  harness.check(product(270, 64, 0, "f32"));
  EXPECT_TRUE(mirrors());
}

TEST_F(SyrkMirror, OtherVectorLengths) {
  for (auto [lanes, panel] : {std::pair<unsigned, unsigned>{4, 8}, {16, 64}}) {
    harness.target.lanes = lanes;
    harness.target.nr = panel;
    harness.check(product(333, 64, 1, "f32"));
    EXPECT_TRUE(mirrors());
  }
}

TEST_F(SyrkMirror, SmallMatmulsAndEpiloguesAreWhole) {
  harness.check(product(200, 64, 1, "f32"));
  EXPECT_FALSE(mirrors());
  harness.check(product(256, 64, 1, "f32", "neg"));
  EXPECT_FALSE(mirrors());
}

} // namespace
