// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bf16 operands that only a run knows: copies of both that put
// pairs of k side by side.

#include "FusionText.h"
#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <array>
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::KernelHarness;
using zenith::testing::tensorText;

namespace {

class PairedOperands : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};

  bool emits(const char *text) const {
    return harness.emitted.find(text) != std::string::npos;
  }
};

/// Sizes of a batch of products.
struct Sizes {
  int64_t batch, m, k, n;
};

/// A is [batch, m, k], or [batch, k, m] where it is `transposed`; B likewise.
std::string productText(const Sizes &s, bool transposedA, bool transposedB) {
  auto matrix = [&](int64_t rows, int64_t columns, bool transposed) {
    return tensorText(
        {s.batch, transposed ? columns : rows, transposed ? rows : columns},
        "bf16");
  };
  std::string a = matrix(s.m, s.k, transposedA),
              b = matrix(s.k, s.n, transposedB),
              r = tensorText({s.batch, s.m, s.n}, "f32");
  return zenith::testing::fusionText(
      "contraction", "%a : " + a + ", %b : " + b, r,
      "    %r = graph.dot_general %a, %b <batching = [0] x [0], contracting "
      "= [" +
          std::string(transposedA ? "1" : "2") + "] x [" +
          (transposedB ? "2" : "1") + "]> : (" + a + ", " + b + ") -> " + r);
}

TEST_F(PairedOperands, AllOrders) {
  for (Sizes sizes : {Sizes{1, 65, 34, 200},
                      {1, 320, 64, 130},
                      {1, 300, 33, 129},
                      {2, 70, 48, 192},
                      {1, 33, 1, 160},
                      {3, 1, 40, 256}})
    for (bool transposedA : {false, true})
      for (bool transposedB : {false, true}) {
        SCOPED_TRACE(std::to_string(sizes.m) + "x" + std::to_string(sizes.k) +
                     "x" + std::to_string(sizes.n) +
                     (transposedA ? " A transposed" : "") +
                     (transposedB ? " B transposed" : ""));
        harness.check(productText(sizes, transposedA, transposedB));
      }
}

// Many rows and columns: both operands are copied, B also where it is
// contiguous along an even K.
TEST_F(PairedOperands, CopiesHavePairs) {
  for (bool transposedA : {false, true})
    for (bool transposedB : {false, true}) {
      harness.check(productText({1, 320, 64, 256}, transposedA, transposedB));
      EXPECT_EQ(emits("_interleaved2"), harness.target.bf16Pairs);
    }
  harness.check(productText({1, 320, 63, 256}, true, false));
  EXPECT_EQ(emits("_interleaved2"), harness.target.bf16Pairs);
}

// What a policy rounds inside of the fusion is copied rounded, not widened.
TEST_F(PairedOperands, RoundedOperands) {
  for (bool transposedA : {false, true}) {
    int64_t m = 96, k = 320, n = 256;
    std::string af = tensorText({transposedA ? k : m, transposedA ? m : k},
                                "f32"),
                ah = tensorText({transposedA ? k : m, transposedA ? m : k},
                                "bf16"),
                bf = tensorText({k, n}, "f32"), bh = tensorText({k, n}, "bf16"),
                r = tensorText({m, n}, "f32");
    harness.check(zenith::testing::fusionText(
        "contraction", "%a : " + af + ", %b : " + bf, r,
        "    %ah = graph.convert %a : " + af + " -> " + ah +
            "\n    %aw = graph.convert %ah : " + ah + " -> " + af +
            "\n    %bh = graph.convert %b : " + bf + " -> " + bh +
            "\n    %bw = graph.convert %bh : " + bh + " -> " + bf +
            "\n    %r = graph.dot_general %aw, %bw <batching = [] x [], "
            "contracting = [" +
            (transposedA ? "0" : "1") + "] x [0]> : (" + af + ", " + bf +
            ") -> " + r));
    EXPECT_EQ(emits("_interleaved2"), harness.target.bf16Pairs);
  }
}

TEST_F(PairedOperands, NoElements) {
  for (Sizes sizes : {Sizes{1, 0, 8, 200}, {1, 64, 0, 200}, {0, 64, 8, 200}})
    for (bool transposedA : {false, true})
      harness.check(productText(sizes, transposedA, false));
}

/// The gradient of a 3x3 filter that moves by `step`: the batch of the forward
/// convolution is summed over as channels are, positions as those of a filter
/// as large as its result.
std::string filterGradientText(int64_t batch, int64_t line, int64_t channels,
                               int64_t outputs, int64_t step) {
  constexpr int64_t rows = 6;
  std::string steps = std::to_string(step),
              ends = step == 1 ? "1, 1" : "0, " + std::to_string(line % 2),
              x = tensorText({batch, rows, line, channels}, "bf16"),
              g = tensorText({batch, (rows + step - 1) / step,
                              (line + step - 1) / step, outputs},
                             "bf16"),
              r = tensorText({channels, 3, 3, outputs}, "f32");
  return zenith::testing::fusionText(
      "contraction", "%a : " + x + ", %b : " + g, r,
      "    %r = graph.convolution %a, %b <input = (3, 0, [1, 2]), kernel = (0, "
      "3, [1, 2]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [" +
          ends + "] input_dilation [1, 1] kernel_dilation [" + steps + ", " +
          steps + "] groups 1 : (" + x + ", " + g + ") -> " + r);
}

// Lines of a stride of two are copied once for each column of the filter.
TEST_F(PairedOperands, GradientsOfFilters) {
  for (int64_t step : {1, 2}) {
    for (auto [batch, line, channels, outputs] :
         {std::array<int64_t, 4>{2, 28, 32, 64},
          {3, 25, 40, 70},
          {8, 7, 24, 33}}) {
      SCOPED_TRACE(std::to_string(line) + " by " + std::to_string(step));
      harness.check(filterGradientText(batch, line, channels, outputs, step));
    }
    harness.check(filterGradientText(2, 28, 32, 64, step));
    EXPECT_EQ(emits("_interleaved2"), harness.target.bf16Pairs);
  }
}

/// Filters lie by outputs first, as PyTorch and JAX have them by default.
TEST_F(PairedOperands, FiltersByOutputs) {
  for (int64_t channels : {3, 16, 33}) {
    std::string x = tensorText({2, channels, 9, 11}, "bf16"),
                w = tensorText({70, channels, 3, 3}, "bf16"),
                r = tensorText({2, 70, 7, 9}, "f32");
    harness.check(zenith::testing::fusionText(
        "contraction", "%a : " + x + ", %w : " + w, r,
        "    %r = graph.convolution %a, %w <input = (0, 1, [2, 3]), kernel = "
        "(1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [1, 1] low [0, 0] "
        "high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : "
        "(" +
            x + ", " + w + ") -> " + r));
  }
}

} // namespace
