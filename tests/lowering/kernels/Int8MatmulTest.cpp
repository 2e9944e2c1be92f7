// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer matmuls with K-interleaved weights: odd K, few and many rows,
// convolutions, and rows that are not contiguous along K.

#include "FusionText.h"
#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::KernelHarness;
using zenith::testing::tensorText;

namespace {

class InterleavedIntegers : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};

  /// NR of this machine's target.
  int64_t panel() const { return harness.target.nr; }

  static std::string numbers(std::vector<int64_t> values) {
    std::string text;
    for (int64_t value : values)
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "[" + text + "]";
  }

  static std::string packedType(int64_t k, int64_t n, int64_t panel,
                                const std::string &narrow) {
    return tensorText({(n + panel - 1) / panel, (k + 1) / 2, panel, 2}, narrow);
  }

  /// Ops that read %p as the matrix %w of i16.
  static std::string unpacking(int64_t k, int64_t n, int64_t panel,
                               const std::string &narrow) {
    int64_t panels = (n + panel - 1) / panel, groups = (k + 1) / 2;
    std::string split = tensorText({groups, 2, panels, panel}, narrow),
                whole = tensorText({groups * 2, panels * panel}, narrow),
                cut = tensorText({k, n}, narrow);
    std::string text = "    %t = graph.transpose %p [1, 3, 0, 2] : " +
                       packedType(k, n, panel, narrow) + " -> " + split +
                       "\n    %u = graph.reshape %t : " + split + " -> " +
                       whole + "\n    %s = graph.slice %u [0, 0] " +
                       numbers({k, n}) + " [1, 1] : " + whole + " -> " + cut;
    if (narrow == "i16")
      return text + "\n    %w = graph.reshape %s : " + cut + " -> " + cut +
             "\n";
    return text + "\n    %w = graph.convert %s : " + cut + " -> " +
           tensorText({k, n}, "i16") + "\n";
  }

  static std::string matmul(int64_t m, int64_t k, int64_t n, int64_t panel,
                            const std::string &narrow,
                            bool transposedRows = false) {
    std::string a = transposedRows ? tensorText({k, m}, "i16")
                                   : tensorText({m, k}, "i16"),
                w = tensorText({k, n}, "i16"), r = tensorText({m, n}, "i32");
    return zenith::testing::fusionText(
        "contraction",
        "%a : " + a + ", %p : " + packedType(k, n, panel, narrow), r,
        unpacking(k, n, panel, narrow) +
            "    %r = graph.dot_general %a, %w <batching = [] x [], "
            "contracting = [" +
            (transposedRows ? "0" : "1") + "] x [0]> : (" + a + ", " + w +
            ") -> " + r);
  }

  /// u8 times i8 in groups of four, as passes for targets with byte dot
  /// products write it.
  static std::string bytes(int64_t m, int64_t k, int64_t n, int64_t panel) {
    int64_t panels = (n + panel - 1) / panel;
    std::string a = tensorText({m, k}, "ui8"),
                p = tensorText({panels, k / 4, panel, 4}, "i8"),
                split = tensorText({k / 4, 4, panels, panel}, "i8"),
                whole = tensorText({k, panels * panel}, "i8"),
                cut = tensorText({k, n}, "i8"), x = tensorText({m, k}, "i32"),
                w = tensorText({k, n}, "i32"), r = tensorText({m, n}, "i32");
    return zenith::testing::fusionText(
        "contraction", "%a : " + a + ", %p : " + p, r,
        "    %x = graph.convert %a : " + a + " -> " + x +
            "\n    %t = graph.transpose %p [1, 3, 0, 2] : " + p + " -> " +
            split + "\n    %u = graph.reshape %t : " + split + " -> " + whole +
            "\n    %s = graph.slice %u [0, 0] " + numbers({k, n}) +
            " [1, 1] : " + whole + " -> " + cut +
            "\n    %w = graph.convert %s : " + cut + " -> " + w +
            "\n    %r = graph.dot_general %x, %w <batching = [] x [], "
            "contracting = [1] x [0]> : (" +
            x + ", " + w + ") -> " + r);
  }

  /// Bytes of all values, the left operand's above 127 too.
  static Tensor allBytes(mlir::RankedTensorType type, unsigned number) {
    Tensor tensor(type);
    char *bytes = tensor.writable();
    for (int64_t i = 0; i < tensor.byteSize(); ++i)
      bytes[i] = char(37 * i + 11 * number + i / 7);
    return tensor;
  }

  bool usesGroups() const {
    return harness.emitted.find("_interleaved") != std::string::npos;
  }
};

TEST_F(InterleavedIntegers, Matmuls) {
  for (const char *narrow : {"i8", "ui8", "i16"})
    for (int64_t m : {1, 2, 7, 13})
      for (auto [k, n] : {std::pair<int64_t, int64_t>{1, 17},
                          {2, 3},
                          {33, 20},
                          {64, 40},
                          {7, 100}}) {
        SCOPED_TRACE(std::string(narrow) + " " + std::to_string(m) + "x" +
                     std::to_string(k) + "x" + std::to_string(n));
        harness.check(matmul(m, k, n, panel(), narrow));
        EXPECT_TRUE(usesGroups());
      }
}

TEST_F(InterleavedIntegers, FourBytes) {
  harness.fill = allBytes;
  for (int64_t m : {1, 2, 7, 13})
    for (auto [k, n] :
         {std::pair<int64_t, int64_t>{4, 17}, {36, 20}, {64, 40}, {2500, 16}}) {
      SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(k) + "x" +
                   std::to_string(n));
      harness.check(bytes(m, k, n, panel()));
      EXPECT_TRUE(usesGroups());
    }
}

TEST_F(InterleavedIntegers, OtherVectorLengths) {
  for (auto [lanes, panel] : {std::pair<unsigned, unsigned>{4, 8}, {16, 64}}) {
    harness.target.lanes = lanes;
    harness.target.nr = panel;
    for (int64_t m : {1, 9})
      harness.check(matmul(m, 21, 70, panel, "i8"));
    EXPECT_TRUE(usesGroups());
  }
}

TEST_F(InterleavedIntegers, LongKInBlocks) {
  harness.check(matmul(30, 2501, 20, panel(), "i8"));
  EXPECT_TRUE(usesGroups());
}

TEST_F(InterleavedIntegers, DynamicRows) {
  for (int64_t m : {0, 1, 5, 8, 19})
    harness.check(matmul(-1, 31, 50, panel(), "i8"),
                  {{m, 31}, {(50 + panel() - 1) / panel(), 16, panel(), 2}});
}

TEST_F(InterleavedIntegers, RowsStridedAlongKAreCopied) {
  harness.check(matmul(9, 21, 20, panel(), "i8", /*transposedRows=*/true));
}

TEST_F(InterleavedIntegers, PanelsOfAnotherWidthAreUnpacked) {
  harness.check(matmul(9, 21, 40, 12, "i8"));
  EXPECT_FALSE(usesGroups());
}

TEST_F(InterleavedIntegers, OpenCLKernelsUnpackThem) {
  harness.target = onDevice(harness.target);
  harness.check(matmul(9, 21, 40, 16, "i8"));
  EXPECT_FALSE(usesGroups());
}

TEST_F(InterleavedIntegers, Convolutions) {
  for (int64_t padding : {0, 1}) {
    std::string low = numbers({padding, padding}),
                result = tensorText({1, 3 + 2 * padding, 4 + 2 * padding, 20},
                                    "i32");
    harness.check(zenith::testing::fusionText(
        "contraction",
        "%a : tensor<1x5x6x4xi16>, %p : " + packedType(36, 20, panel(), "i16"),
        result,
        unpacking(36, 20, panel(), "i16") +
            "    %k = graph.reshape %w : tensor<36x20xi16> -> "
            "tensor<3x3x4x20xi16>\n"
            "    %r = graph.convolution %a, %k <input = (0, 3, [1, 2]), kernel "
            "= (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low " +
            low + " high " + low +
            " input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : "
            "(tensor<1x5x6x4xi16>, tensor<3x3x4x20xi16>) -> " +
            result));
    EXPECT_TRUE(usesGroups());
  }
}

// Channels first: a copy makes them contiguous, and int8 is not widened.
TEST_F(InterleavedIntegers, BytesOfChannelsFirst) {
  harness.fill = allBytes;
  std::string packed = tensorText({1, 4, panel(), 4}, "i8"),
              split = tensorText({4, 4, 1, panel()}, "i8"),
              whole = tensorText({16, panel()}, "i8");
  harness.check(zenith::testing::fusionText(
      "contraction", "%a : tensor<1x16x5x6xui8>, %p : " + packed,
      "tensor<1x5x6x8xi32>",
      "    %m = graph.transpose %a [0, 2, 3, 1] : tensor<1x16x5x6xui8> -> "
      "tensor<1x5x6x16xui8>\n"
      "    %x = graph.convert %m : tensor<1x5x6x16xui8> -> "
      "tensor<1x5x6x16xi32>\n"
      "    %t = graph.transpose %p [1, 3, 0, 2] : " +
          packed + " -> " + split + "\n    %u = graph.reshape %t : " + split +
          " -> " + whole +
          "\n    %s = graph.slice %u [0, 0] [16, 8] [1, 1] : " + whole +
          " -> tensor<16x8xi8>\n"
          "    %k = graph.reshape %s : tensor<16x8xi8> -> tensor<1x1x16x8xi8>\n"
          "    %w = graph.convert %k : tensor<1x1x16x8xi8> -> "
          "tensor<1x1x16x8xi32>\n"
          "    %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = "
          "(2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [0, 0] "
          "high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : "
          "(tensor<1x5x6x16xi32>, tensor<1x1x16x8xi32>) -> "
          "tensor<1x5x6x8xi32>"));
  EXPECT_TRUE(usesGroups());
}

} // namespace
