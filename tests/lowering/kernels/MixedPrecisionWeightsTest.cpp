// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls with weights of a narrower type: packed and not, one row and many,
// narrow floats and integers, convolutions.

#include "FusionText.h"
#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <array>
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::KernelHarness;
using zenith::testing::tensorText;

namespace {

class NarrowWeights : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};

  /// NR of this machine's target.
  int64_t panel() const { return harness.target.nr; }

  /// [m, k] times packed panels of `columns` columns of `narrow`; m < 0 is
  /// dynamic.
  static std::string packedText(int64_t m, int64_t k, int64_t n,
                                int64_t columns, const std::string &narrow) {
    int64_t panels = (n + columns - 1) / columns;
    std::string a = tensorText({m, k}, "f32"),
                p = tensorText({panels, k, columns}, narrow),
                t = tensorText({k, panels, columns}, narrow),
                u = tensorText({k, panels * columns}, narrow),
                s = tensorText({k, n}, narrow), w = tensorText({k, n}, "f32"),
                r = tensorText({m, n}, "f32");
    return zenith::testing::fusionText(
        "contraction", "%a : " + a + ", %p : " + p, r,
        "    %t = graph.transpose %p [1, 0, 2] : " + p + " -> " + t +
            "\n    %u = graph.reshape %t : " + t + " -> " + u +
            "\n    %s = graph.slice %u [0, 0] [" + std::to_string(k) + ", " +
            std::to_string(n) + "] [1, 1] : " + u + " -> " + s +
            "\n    %w = graph.convert %s : " + s + " -> " + w +
            "\n    %r = graph.dot_general %a, %w <batching = [] x [], "
            "contracting = [1] x [0]> : (" +
            a + ", " + w + ") -> " + r);
  }
};

/// [m, k] times panels of bf16 in which pairs of k lie side by side; what
/// `tail` computes of the product %d, if anything, is %r and has type `result`.
std::string pairedText(int64_t m, int64_t k, int64_t n, int64_t columns,
                       const std::string &tail = "", std::string result = "") {
  int64_t panels = (n + columns - 1) / columns, pairs = (k + 1) / 2;
  std::string a = tensorText({m, k}, "bf16"),
              p = tensorText({panels, pairs, columns, 2}, "bf16"),
              t = tensorText({pairs, 2, panels, columns}, "bf16"),
              u = tensorText({2 * pairs, panels * columns}, "bf16"),
              w = tensorText({k, n}, "bf16"), r = tensorText({m, n}, "f32");
  if (result.empty())
    result = r;
  return zenith::testing::fusionText(
      "contraction", "%a : " + a + ", %p : " + p, result,
      "    %t = graph.transpose %p [1, 3, 0, 2] : " + p + " -> " + t +
          "\n    %u = graph.reshape %t : " + t + " -> " + u +
          "\n    %s = graph.slice %u [0, 0] [" + std::to_string(k) + ", " +
          std::to_string(n) + "] [1, 1] : " + u + " -> " + w +
          "\n    %w = graph.reshape %s : " + w + " -> " + w + "\n    " +
          (tail.empty() ? "%r" : "%d") +
          " = graph.dot_general %a, %w <batching = [] x [], "
          "contracting = [1] x [0]> : (" +
          a + ", " + w + ") -> " + r + tail);
}

TEST_F(NarrowWeights, PairsOfK) {
  for (int64_t m : {1, 2, 7, 40})
    for (auto [k, n] : {std::pair<int64_t, int64_t>{1, 17},
                        {33, 20},
                        {64, 40},
                        {7, 100},
                        {2501, 70}}) {
      SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(k) + "x" +
                   std::to_string(n));
      harness.check(pairedText(m, k, n, panel()));
      bool interleaves =
          harness.emitted.find("_interleaved2") != std::string::npos;
      EXPECT_EQ(interleaves, harness.target.bf16Pairs);
    }
}

// A step of a recurrent network under a policy of bf16: gates are columns of
// products of pairs.
TEST_F(NarrowWeights, GatesOfPairs) {
  for (int64_t m : {1, 8, 13})
    for (int64_t k : {6, 33}) {
      SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(k));
      std::string all = tensorText({m, 3 * panel()}, "f32"),
                  one = tensorText({m, panel()}, "f32"), tail;
      for (int64_t gate : {0, 1, 2})
        tail += "\n    %g" + std::to_string(gate) + " = graph.slice %d [0, " +
                std::to_string(gate * panel()) + "] [" + std::to_string(m) +
                ", " + std::to_string(panel()) + "] [1, 1] : " + all + " -> " +
                one;
      tail += "\n    %q = graph.mul %g0, %g2 : " + one +
              "\n    %r = graph.sub %q, %g1 : " + one;
      harness.check(pairedText(m, k, 3 * panel(), panel(), tail, one));
      EXPECT_EQ(harness.emitted.find("_interleaved2") != std::string::npos,
                harness.target.bf16Pairs);
    }
}

// Three channels have an odd K in each row of taps, so that pairs are put side
// by side in registers. The only panel is read where it lies.
TEST_F(NarrowWeights, PairsOfThreeChannels) {
  int64_t columns = panel();
  std::string x = tensorText({1, 9, 11, 3}, "bf16"),
              p = tensorText({1, 27, columns}, "bf16"),
              t = tensorText({27, 1, columns}, "bf16"),
              u = tensorText({27, columns}, "bf16"),
              w = tensorText({3, 3, 3, columns}, "bf16"),
              r = tensorText({1, 4, 5, columns}, "f32");
  harness.check(zenith::testing::fusionText(
      "contraction", "%a : " + x + ", %p : " + p, r,
      "    %t = graph.transpose %p [1, 0, 2] : " + p + " -> " + t +
          "\n    %u = graph.reshape %t : " + t + " -> " + u +
          "\n    %w = graph.reshape %u : " + u + " -> " + w +
          "\n    %r = graph.convolution %a, %w <input = (0, 3, [1, 2]), "
          "kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [2, 2] "
          "low [0, 0] high [0, 0] input_dilation [1, 1] kernel_dilation [1, "
          "1] groups 1 : (" +
          x + ", " + w + ") -> " + r));
  bool copies = harness.emitted.find("prepare") != std::string::npos;
  EXPECT_EQ(copies, !harness.target.bf16Pairs);
}

TEST_F(NarrowWeights, PackedPanels) {
  for (const char *narrow : {"i8", "ui8", "i16", "bf16", "f16"})
    for (int64_t m : {1, 2, 7})
      for (auto [k, n] :
           {std::pair<int64_t, int64_t>{1, 17}, {33, 20}, {64, 40}, {7, 100}}) {
        SCOPED_TRACE(std::string(narrow) + " " + std::to_string(m) + "x" +
                     std::to_string(k) + "x" + std::to_string(n));
        harness.check(packedText(m, k, n, panel(), narrow));
      }
  EXPECT_NE(harness.emitted.find("xf16>"), std::string::npos);
}

TEST_F(NarrowWeights, WeightsStayNarrowInMemory) {
  harness.check(packedText(3, 20, 40, panel(), "bf16"));
  std::string lanes = std::to_string(harness.target.lanes);
  EXPECT_NE(harness.emitted.find("vector<" + lanes + "xi16>"),
            std::string::npos);
  // No panels are widened in advance.
  EXPECT_EQ(harness.emitted.find("prepare"), std::string::npos);
}

// Enough tiles to share panels that are widened in advance, also in blocks of
// long K.
TEST_F(NarrowWeights, ManyRows) {
  for (const char *narrow : {"bf16", "f16"})
    for (auto [m, k, n] :
         {std::array<int64_t, 3>{40, 33, 100}, {37, 2500, 70}, {300, 5, 130}}) {
      SCOPED_TRACE(std::string(narrow) + " " + std::to_string(m) + "x" +
                   std::to_string(k) + "x" + std::to_string(n));
      harness.check(packedText(m, k, n, panel(), narrow));
    }
}

TEST_F(NarrowWeights, DynamicRows) {
  for (int64_t m : {0, 1, 5, 8, 19, 200})
    harness.check(packedText(-1, 30, 50, panel(), "bf16"),
                  {{m, 30}, {(50 + panel() - 1) / panel(), 30, panel()}});
}

TEST_F(NarrowWeights, RowMajorAndTransposed) {
  for (int64_t m : {1, 9}) {
    std::string a = tensorText({m, 24}, "f32"), r = tensorText({m, 21}, "f32");
    harness.check(zenith::testing::fusionText(
        "contraction", "%a : " + a + ", %p : tensor<24x21xbf16>", r,
        "    %w = graph.convert %p : tensor<24x21xbf16> -> tensor<24x21xf32>\n"
        "    %r = graph.dot_general %a, %w <batching = [] x [], contracting = "
        "[1] x [0]> : (" +
            a + ", tensor<24x21xf32>) -> " + r));
    harness.check(zenith::testing::fusionText(
        "contraction", "%a : " + a + ", %p : tensor<21x24xbf16>", r,
        "    %w = graph.convert %p : tensor<21x24xbf16> -> tensor<21x24xf32>\n"
        "    %r = graph.dot_general %a, %w <batching = [] x [], contracting = "
        "[1] x [1]> : (" +
            a + ", tensor<21x24xf32>) -> " + r));
  }
}

TEST_F(NarrowWeights, Convolution) {
  harness.check(zenith::testing::fusionText(
      "contraction", "%a : tensor<1x5x6x4xf32>, %p : tensor<3x3x4x20xbf16>",
      "tensor<1x5x6x20xf32>",
      "    %w = graph.convert %p : tensor<3x3x4x20xbf16> -> "
      "tensor<3x3x4x20xf32>\n"
      "    %r = graph.convolution %a, %w <input = (0, 3, [1, 2]), kernel = "
      "(2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] "
      "high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : "
      "(tensor<1x5x6x4xf32>, tensor<3x3x4x20xf32>) -> tensor<1x5x6x20xf32>"));
}

// Panels of a filter, whose blocks of K are rows of taps where K is long.
TEST_F(NarrowWeights, PackedConvolution) {
  for (int64_t inputs : {4, 80}) {
    int64_t depth = 9 * inputs, columns = panel(), panels = 130 / columns + 1;
    std::string x = tensorText({1, 9, 11, inputs}, "f32"),
                p = tensorText({panels, depth, columns}, "bf16"),
                t = tensorText({depth, panels, columns}, "bf16"),
                u = tensorText({depth, panels * columns}, "bf16"),
                s = tensorText({depth, 130}, "bf16"),
                k = tensorText({3, 3, inputs, 130}, "bf16"),
                w = tensorText({3, 3, inputs, 130}, "f32"),
                r = tensorText({1, 9, 11, 130}, "f32");
    harness.check(zenith::testing::fusionText(
        "contraction", "%a : " + x + ", %p : " + p, r,
        "    %t = graph.transpose %p [1, 0, 2] : " + p + " -> " + t +
            "\n    %u = graph.reshape %t : " + t + " -> " + u +
            "\n    %s = graph.slice %u [0, 0] [" + std::to_string(depth) +
            ", 130] [1, 1] : " + u + " -> " + s +
            "\n    %k = graph.reshape %s : " + s + " -> " + k +
            "\n    %w = graph.convert %k : " + k + " -> " + w +
            "\n    %r = graph.convolution %a, %w <input = (0, 3, [1, 2]), "
            "kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] "
            "low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, "
            "1] groups 1 : (" +
            x + ", " + w + ") -> " + r));
  }
}

} // namespace
