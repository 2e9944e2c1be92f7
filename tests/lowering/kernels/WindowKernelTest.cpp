// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling and depthwise convolutions beside the interpreter: channels last and
// first, padding, strides, dilations.

#include "FusionText.h"
#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::testing;

namespace {

class NHWCWindowKernel : public ::testing::TestWithParam<unsigned> {
protected:
  NHWCWindowKernel() : harness(kernels::emitKernels) {
    harness.target.lanes = GetParam();
    harness.target.fma = GetParam() > 4;
  }
  void check(const std::string &arguments, const std::string &results,
             const std::string &body,
             std::vector<std::vector<int64_t>> shapes = {}) {
    harness.check(fusionText("window", arguments, results, body),
                  std::move(shapes));
  }
  KernelHarness harness;
};

TEST_P(NHWCWindowKernel, PoolsChannelsLast) {
  check("%a : tensor<2x9x11x13xf32>", "tensor<2x5x6x13xf32>", R"(
    %r = graph.reduce_window max, %a window [1, 3, 3, 1] strides [1, 2, 2, 1] low [0, 1, 1, 0] high [0, 1, 1, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<2x9x11x13xf32> -> tensor<2x5x6x13xf32>)");
  check("%a : tensor<1x4x4x40xf32>", "tensor<1x4x4x40xf32>", R"(
    %0 = graph.reduce_window sum, %a window [1, 3, 3, 1] strides [1, 1, 1, 1] low [0, 1, 1, 0] high [0, 1, 1, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x4x4x40xf32> -> tensor<1x4x4x40xf32>
    %r = graph.add %0, %a : tensor<1x4x4x40xf32>)");
  check("%a : tensor<?x9x11x13xf32>", "tensor<?x7x7x13xf32>", R"(
    %r = graph.reduce_window sum, %a window [1, 3, 3, 1] strides [1, 1, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 2, 1] : tensor<?x9x11x13xf32> -> tensor<?x7x7x13xf32>)",
        {{3, 9, 11, 13}});
}

TEST_P(NHWCWindowKernel, PoolsChannelsFirst) {
  check("%a : tensor<2x3x9x11xf32>", "tensor<2x3x5x6xf32>", R"(
    %r = graph.reduce_window max, %a window [1, 1, 3, 3] strides [1, 1, 2, 2] low [0, 0, 1, 1] high [0, 0, 1, 1]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<2x3x9x11xf32> -> tensor<2x3x5x6xf32>)");
}

TEST_P(NHWCWindowKernel, LanesAlongRows) {
  for (auto [size, stride, result] : std::vector<std::tuple<int, int, int>>{
           {23, 1, 23}, {37, 2, 19}, {70, 1, 70}, {150, 2, 75}, {40, 2, 20}}) {
    auto shape = [](int channels, int height, int width) {
      return "tensor<2x" + std::to_string(channels) + "x" +
             std::to_string(height) + "x" + std::to_string(width) + "xf32>";
    };
    std::string from = shape(3, 9, size),
                to = shape(3, stride == 1 ? 9 : 5, result),
                step = std::to_string(stride);
    check("%x : " + from + ", %w : tensor<3x1x3x3xf32>, %b : tensor<3xf32>", to,
          "%0 = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, "
          "0, [2, 3]), output = (0, 1, [2, 3])> strides [" +
              step + ", " + step +
              "] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation "
              "[1, 1] groups 3 : (" +
              from + ", tensor<3x1x3x3xf32>) -> " + to +
              "\n%1 = graph.broadcast %b [1] : tensor<3xf32> -> " + to +
              "\n%r = graph.add %0, %1 : " + to);
    check("%a : " + from, to,
          "%r = graph.reduce_window max, %a window [1, 1, 3, 3] strides [1, "
          "1, " +
              step + ", " + step +
              "] low [0, 0, 1, 1] high [0, 0, 1, 1] base_dilation [1, 1, 1, 1] "
              "dilation [1, 1, 1, 1] : " +
              from + " -> " + to);
  }
}

TEST_P(NHWCWindowKernel, DilatedOperand) {
  check("%a : tensor<5x6xf32>", "tensor<9x10xf32>", R"(
    %0 = graph.reduce_window sum, %a window [2, 3] strides [1, 1] low [1, 0] high [0, 1] base_dilation [2, 2]
      dilation [1, 1] : tensor<5x6xf32> -> tensor<9x10xf32>
    %r = graph.neg %0 : tensor<9x10xf32>)");
}

TEST_P(NHWCWindowKernel, DepthwiseConvolution) {
  check("%x : tensor<1x9x11x21xf32>, %w : tensor<3x3x1x21xf32>, %b : "
        "tensor<21xf32>",
        "tensor<1x9x11x21xf32>", R"(
    %0 = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 21
      : (tensor<1x9x11x21xf32>, tensor<3x3x1x21xf32>) -> tensor<1x9x11x21xf32>
    %1 = graph.broadcast %b [3] : tensor<21xf32> -> tensor<1x9x11x21xf32>
    %r = graph.add %0, %1 : tensor<1x9x11x21xf32>)");
  check("%x : tensor<2x9x11x8xf32>, %w : tensor<5x5x1x8xf32>",
        "tensor<2x5x6x8xf32>", R"(
    %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [2, 2] low [2, 2] high [2, 2] input_dilation [1, 1] kernel_dilation [1, 1] groups 8
      : (tensor<2x9x11x8xf32>, tensor<5x5x1x8xf32>) -> tensor<2x5x6x8xf32>)");
}

// Products of widened halves are exact, so that they may be added in any form.
TEST_P(NHWCWindowKernel, DepthwiseConvolutionOfHalves) {
  for (std::string half : {"bf16", "f16"})
    for (std::string stride : {"1", "2"}) {
      std::string result =
          stride == "1" ? "tensor<1x9x11x21xf32>" : "tensor<1x5x6x21xf32>";
      check("%x : tensor<1x9x11x21x" + half + ">, %w : tensor<3x3x1x21x" +
                half + ">",
            result,
            "%0 = graph.convert %x : tensor<1x9x11x21x" + half +
                "> -> tensor<1x9x11x21xf32>\n"
                "%1 = graph.convert %w : tensor<3x3x1x21x" +
                half +
                "> -> tensor<3x3x1x21xf32>\n"
                "%r = graph.convolution %0, %1 <input = (0, 3, [1, 2]), kernel "
                "= (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [" +
                stride + ", " + stride +
                "] low [1, 1] high [1, 1] input_dilation [1, 1] "
                "kernel_dilation [1, 1] groups 21 : (tensor<1x9x11x21xf32>, "
                "tensor<3x3x1x21xf32>) -> " +
                result);
    }
  for (std::string size : {"9x11", "14x14", "40x70"})
    check("%x : tensor<1x5x" + size + "xbf16>, %w : tensor<5x1x3x3xbf16>",
          "tensor<1x5x" + size + "xf32>",
          "%0 = graph.convert %x : tensor<1x5x" + size +
              "xbf16> -> tensor<1x5x" + size +
              "xf32>\n"
              "%1 = graph.convert %w : tensor<5x1x3x3xbf16> -> "
              "tensor<5x1x3x3xf32>\n"
              "%r = graph.convolution %0, %1 <input = (0, 1, [2, 3]), kernel = "
              "(1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [1, 1] low [1, "
              "1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] "
              "groups 5 : (tensor<1x5x" +
              size + "xf32>, tensor<5x1x3x3xf32>) -> tensor<1x5x" + size +
              "xf32>");
}

// Int8 values are dequantized in the kernel, those of the padding too.
TEST_P(NHWCWindowKernel, DepthwiseConvolutionOfBytes) {
  for (std::string byte : {"ui8", "i8"})
    for (std::string padding : {"0", "1"}) {
      std::string result =
          padding == "1" ? "tensor<1x5x6x21xf32>" : "tensor<1x4x5x21xf32>";
      check("%x : tensor<1x9x11x21x" + byte + ">, %w : tensor<3x3x1x21xf32>",
            result,
            "%0 = graph.convert %x : tensor<1x9x11x21x" + byte +
                "> -> tensor<1x9x11x21xi32>\n"
                "%z = graph.constant dense<3> : tensor<1x9x11x21xi32>\n"
                "%1 = graph.sub %0, %z : tensor<1x9x11x21xi32>\n"
                "%2 = graph.convert %1 : tensor<1x9x11x21xi32> -> "
                "tensor<1x9x11x21xf32>\n"
                "%r = graph.convolution %2, %w <input = (0, 3, [1, 2]), kernel "
                "= (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [2, 2] low "
                "[" +
                padding + ", " + padding + "] high [" + padding + ", " +
                padding +
                "] input_dilation [1, 1] kernel_dilation [1, 1] groups 21 : "
                "(tensor<1x9x11x21xf32>, tensor<3x3x1x21xf32>) -> " +
                result);
    }
}

TEST_P(NHWCWindowKernel, GroupedConvolution) {
  check("%x : tensor<1x6x7x12xf32>, %w : tensor<3x3x4x18xf32>",
        "tensor<1x6x7x18xf32>", R"(
    %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 3
      : (tensor<1x6x7x12xf32>, tensor<3x3x4x18xf32>) -> tensor<1x6x7x18xf32>)");
  check("%x : tensor<1x4x6x7xf32>, %w : tensor<8x2x3x3xf32>",
        "tensor<1x8x6x7xf32>", R"(
    %r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 2
      : (tensor<1x4x6x7xf32>, tensor<8x2x3x3xf32>) -> tensor<1x8x6x7xf32>)");
  check("%x : tensor<1x4x6x7xf32>, %w : tensor<8x4x3x3xf32>",
        "tensor<1x8x12x14xf32>", R"(
    %r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
      strides [1, 1] low [1, 1] high [2, 2] input_dilation [2, 2] kernel_dilation [1, 1] groups 1
      : (tensor<1x4x6x7xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x12x14xf32>)");
}

// Pairs of rows, and a last one alone; a row of the feature map that holds no
// numbers spoils the positions that read it only.
TEST_P(NHWCWindowKernel, DepthwiseConvolutionOfPairs) {
  struct Case {
    std::string kernel, result, stride, low, dilation;
  };
  harness.fill = [](mlir::RankedTensorType type, unsigned number) {
    constexpr uint16_t infinity = 0x7f80, nan = 0x7fc0;
    Tensor tensor = smallIntegers(type, number + 1);
    auto *bits = reinterpret_cast<uint16_t *>(tensor.writable());
    constexpr int64_t row = 11 * 37;
    if (number == 0)
      for (int64_t i = 4 * row; i < 5 * row; ++i)
        bits[i] = i % 3 ? infinity : nan;
    return tensor;
  };
  for (const Case &c : {Case{"3x3", "9x11", "1", "1", "1"},
                        {"3x3", "5x6", "2", "1", "1"},
                        {"5x5", "5x6", "2", "2", "1"},
                        {"2x3", "10x11", "1", "1", "1"},
                        {"1x3", "11x11", "1", "1", "1"},
                        {"3x3", "7x9", "1", "1", "2"}}) {
    SCOPED_TRACE(c.kernel + " to " + c.result);
    std::string x = "tensor<1x9x11x37x", w = "tensor<" + c.kernel + "x1x37x",
                r = "tensor<1x" + c.result + "x37x";
    auto both = [](const std::string &number) {
      return "[" + number + ", " + number + "]";
    };
    check("%x : " + x + "bf16>, %w : " + w + "bf16>, %b : tensor<37xf32>",
          r + "bf16>",
          "%0 = graph.convert %x : " + x + "bf16> -> " + x +
              "f32>\n%1 = graph.convert %w : " + w + "bf16> -> " + w +
              "f32>\n%2 = graph.convolution %0, %1 <input = (0, 3, [1, 2]), "
              "kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides " +
              both(c.stride) + " low " + both(c.low) + " high " + both(c.low) +
              " input_dilation [1, 1] kernel_dilation " + both(c.dilation) +
              " groups 37 : (" + x + "f32>, " + w + "f32>) -> " + r +
              "f32>\n%3 = graph.broadcast %b [3] : tensor<37xf32> -> " + r +
              "f32>\n%4 = graph.add %2, %3 : " + r +
              "f32>\n%r = graph.convert %4 : " + r + "f32> -> " + r + "bf16>");
    bool multipliesPairs =
        harness.emitted.find("dpbf16ps") != std::string::npos;
    EXPECT_EQ(multipliesPairs, harness.target.bf16Pairs && c.dilation == "1");
  }
}

/// A depthwise convolution: one filter per channel.
struct Depthwise {
  int channels, height, width, rows, columns, stride, dilation, low, high,
      outputs = 1, inputs = 1;

  int result(int size, int window) const {
    return (size + low + high - (window - 1) * dilation - 1) / stride + 1;
  }
  int features() const { return channels / inputs * outputs; }
  std::string list(int x) const {
    return "[" + std::to_string(x) + ", " + std::to_string(x) + "]";
  }
};

std::string tensor(std::vector<int> sizes) {
  std::string text = "tensor<";
  for (int size : sizes)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

TEST_P(NHWCWindowKernel, PlanesInTheCache) {
  for (Depthwise d : std::vector<Depthwise>{{5, 14, 14, 3, 3, 1, 1, 1, 1},
                                            {3, 7, 9, 7, 7, 1, 1, 3, 3},
                                            {3, 28, 28, 5, 5, 2, 1, 2, 2},
                                            {2, 11, 33, 3, 5, 1, 2, 3, 3},
                                            {2, 9, 70, 5, 5, 2, 1, 1, 2},
                                            {4, 20, 17, 3, 3, 1, 1, 0, 0, 2},
                                            {2, 6, 101, 1, 31, 1, 1, 15, 15},
                                            {1, 92, 93, 5, 3, 2, 1, 1, 2},
                                            {3, 13, 12, 2, 2, 3, 1, 0, 1}}) {
    std::string from = tensor({2, d.channels, d.height, d.width}),
                to = tensor({2, d.features(), d.result(d.height, d.rows),
                             d.result(d.width, d.columns)}),
                kernel = tensor({d.features(), 1, d.rows, d.columns});
    std::string features = "tensor<" + std::to_string(d.features()) + "xf32>";
    check("%x : " + from + ", %w : " + kernel + ", %b : " + features, to,
          "%0 = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, "
          "0, [2, 3]), output = (0, 1, [2, 3])> strides " +
              d.list(d.stride) + " low " + d.list(d.low) + " high " +
              d.list(d.high) + " input_dilation [1, 1] kernel_dilation " +
              d.list(d.dilation) + " groups " + std::to_string(d.channels) +
              " : (" + from + ", " + kernel + ") -> " + to +
              "\n%1 = graph.broadcast %b [1] : " + features + " -> " + to +
              "\n%r = graph.add %0, %1 : " + to);
    if (d.outputs > 1)
      continue;
    for (const char *kind : {"max", "sum"})
      check("%a : " + from, to,
            std::string("%r = graph.reduce_window ") + kind + ", %a window " +
                "[1, 1, " + std::to_string(d.rows) + ", " +
                std::to_string(d.columns) + "] strides [1, 1, " +
                std::to_string(d.stride) + ", " + std::to_string(d.stride) +
                "] low [0, 0, " + std::to_string(d.low) + ", " +
                std::to_string(d.low) + "] high [0, 0, " +
                std::to_string(d.high) + ", " + std::to_string(d.high) +
                "] base_dilation [1, 1, 1, 1] dilation [1, 1, " +
                std::to_string(d.dilation) + ", " + std::to_string(d.dilation) +
                "] : " + from + " -> " + to);
  }
}

TEST_P(NHWCWindowKernel, TilesOfPlanesOfUnknownSize) {
  std::string plane = "tensor<2x3x?x?xf32>", row = "tensor<2x3x?xf32>";
  for (std::vector<int64_t> size : std::vector<std::vector<int64_t>>{{1, 1},
                                                                     {5, 7},
                                                                     {9, 40},
                                                                     {17, 150},
                                                                     {34, 17},
                                                                     {3, 1100},
                                                                     {0, 70},
                                                                     {70, 0},
                                                                     {2, 63},
                                                                     {1, 64},
                                                                     {13, 23},
                                                                     {300, 51}})
    for (int stride : {1, 2}) {
      std::string step = std::to_string(stride);
      std::vector<int64_t> shape = {2, 3, size[0], size[1]};
      for (const char *kind : {"max", "sum"})
        check("%a : " + plane, plane,
              std::string("%r = graph.reduce_window ") + kind +
                  ", %a window [1, 1, 3, 5] strides [1, 1, " + step + ", " +
                  step +
                  "] low [0, 0, 1, 3] high [0, 0, 1, 1] base_dilation [1, 1, "
                  "1, 1] dilation [1, 1, 1, 1] : " +
                  plane + " -> " + plane,
              {shape});
      check("%a : " + plane, plane,
            "%r = graph.reduce_window max, %a window [1, 1, 3, 3] strides [1, "
            "1, " +
                step + ", " + step +
                "] low [0, 0, 1, 2] high [0, 0, 1, 1] base_dilation [1, 1, 1, "
                "1] dilation [1, 1, 1, 1] : " +
                plane + " -> " + plane,
            {shape});
      // Long rows, and planes that the first cache doesn't hold, have no
      // copies; by strides no planes have any.
      bool isLarge = size[0] * size[1] * 4 > 60000,
           isLong = size[1] + 1 >= 4 * int64_t(GetParam());
      EXPECT_EQ(harness.hasRun("_rows"), stride == 1 && (isLong || isLarge))
          << size[0] << " x " << size[1] << " by " << stride;
      check("%x : " + plane + ", %w : tensor<3x1x3x3xf32>", plane,
            "%0 = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = "
            "(1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [" +
                step + ", " + step +
                "] low [1, 2] high [1, 2] input_dilation [1, 1] "
                "kernel_dilation [1, 2] groups 3 : (" +
                plane + ", tensor<3x1x3x3xf32>) -> " + plane +
                "\n%r = graph.neg %0 : " + plane,
            {shape, {3, 1, 3, 3}});
      // Rows of few results take half of a register.
      bool isNarrow = (size[1] + stride - 1) / stride <= 8;
      EXPECT_EQ(harness.hasRun("_narrow"), GetParam() == 16 && isNarrow)
          << size[0] << " x " << size[1] << " by " << stride;
      check("%x : " + row + ", %w : tensor<3x1x5xf32>", row,
            "%r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, "
            "0, [2]), output = (0, 1, [2])> strides [" +
                step +
                "] low [2] high [2] input_dilation [1] kernel_dilation [1] "
                "groups 3 : (" +
                row + ", tensor<3x1x5xf32>) -> " + row,
            {{2, 3, size[1]}, {3, 1, 5}});
    }
}

// Planes whose rows have few results are interleaved where they fill lanes;
// filters come channels-first or channels-last, and epilogues have elements of
// a plane alike or not.
TEST_P(NHWCWindowKernel, SmallPlanesOfUnknownSize) {
  std::string plane = "tensor<2x21x?x?xf32>";
  for (std::vector<int64_t> size : std::vector<std::vector<int64_t>>{
           {7, 7}, {1, 1}, {2, 8}, {0, 6}, {6, 0}, {15, 14}, {300, 3}, {4, 17}})
    for (int stride : {1, 2}) {
      std::string step = std::to_string(stride);
      std::vector<int64_t> shape = {2, 21, size[0], size[1]};
      auto expectInterleaved = [&](int64_t mostColumns) {
        int64_t lanes = GetParam(), results = (size[1] + stride - 1) / stride;
        EXPECT_EQ(harness.ran.size(), 1u);
        EXPECT_EQ(harness.hasRun("_interleaved"),
                  lanes >= 8 && results <= mostColumns &&
                      size[0] * size[1] >= lanes)
            << size[0] << " x " << size[1] << " by " << stride;
      };
      for (const char *kind : {"max", "sum"})
        check("%a : " + plane, plane,
              std::string("%r = graph.reduce_window ") + kind +
                  ", %a window [1, 1, 3, 5] strides [1, 1, " + step + ", " +
                  step +
                  "] low [0, 0, 1, 3] high [0, 0, 1, 1] base_dilation [1, 1, "
                  "1, 1] dilation [1, 1, 1, 1] : " +
                  plane + " -> " + plane,
              {shape});
      expectInterleaved(GetParam() / 2);
      check("%x : " + plane + ", %w : tensor<21x1x3x3xf32>", plane,
            "%r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = "
            "(1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [" +
                step + ", " + step +
                "] low [1, 1] high [1, 1] input_dilation [1, 1] "
                "kernel_dilation [1, 1] groups 21 : (" +
                plane + ", tensor<21x1x3x3xf32>) -> " + plane,
            {shape, {21, 1, 3, 3}});
      // Few taps read half registers in place, or tiles of a row.
      bool hasNarrow = GetParam() == 16;
      expectInterleaved((stride == 2) == hasNarrow ? GetParam() / 2 : 0);
      for (std::string kernel : {"21x1x5x4", "5x4x1x21"}) {
        bool isFirst = kernel.front() == '2';
        std::string w = "tensor<" + kernel + "xf32>";
        check("%x : " + plane + ", %w : " + w + ", %b : tensor<21xf32>", plane,
              "%0 = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel "
              "= (" +
                  std::string(isFirst ? "1, 0, [2, 3]" : "2, 3, [0, 1]") +
                  "), output = (0, 1, [2, 3])> strides [" + step + ", " + step +
                  "] low [2, 1] high [2, 2] input_dilation [1, 1] "
                  "kernel_dilation [1, 1] groups 21 : (" +
                  plane + ", " + w + ") -> " + plane +
                  "\n%h = graph.dim %0, 2 : " + plane +
                  "\n%v = graph.dim %0, 3 : " + plane +
                  (isFirst ? "\n%1 = graph.iota 3 [%h, %v] : "
                           : "\n%1 = graph.broadcast %b [1] [%h, %v] : "
                             "tensor<21xf32> -> ") +
                  plane + "\n%r = graph.add %0, %1 : " + plane,
              {shape,
               isFirst ? std::vector<int64_t>{21, 1, 5, 4}
                       : std::vector<int64_t>{5, 4, 1, 21},
               {21}});
        expectInterleaved(GetParam() / 2);
      }
    }
}

TEST_P(NHWCWindowKernel, PlanesOfUnknownSizeByLongStrides) {
  std::string plane = "tensor<2x3x?x?xf32>";
  auto pool = [&](int rows, int columns, int stride, int high) {
    std::string step = std::to_string(stride), pad = std::to_string(high);
    return "%r = graph.reduce_window max, %a window [1, 1, " +
           std::to_string(rows) + ", " + std::to_string(columns) +
           "] strides [1, 1, " + step + ", " + step +
           "] low [0, 0, 0, 0] high [0, 0, " + pad + ", " + pad +
           "] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : " + plane +
           " -> " + plane;
  };
  for (std::vector<int64_t> size : std::vector<std::vector<int64_t>>{
           {1, 5}, {0, 9}, {13, 23}, {9, 140}, {40, 17}}) {
    std::vector<int64_t> shape = {2, 3, size[0], size[1]};
    // Windows side by side, that overlap, and that leave elements out.
    check("%a : " + plane, plane, pool(2, 2, 2, 1), {shape});
    check("%a : " + plane, plane, pool(3, 3, 3, 2), {shape});
    check("%a : " + plane, plane, pool(3, 5, 3, 4), {shape});
    check("%a : " + plane, plane, pool(2, 3, 4, 2), {shape});
    check("%a : " + plane, plane, pool(2, 2, 9, 1), {shape});
  }
}

// Windows that share nothing are read where they lie, with their padding.
TEST_P(NHWCWindowKernel, WindowsSideBySideOfUnknownSize) {
  std::string plane = "tensor<2x3x?x?xf32>";
  for (std::vector<int64_t> size : std::vector<std::vector<int64_t>>{
           {1, 1}, {7, 8}, {0, 9}, {17, 0}, {33, 35}, {9, 140}, {140, 18}}) {
    std::vector<int64_t> shape = {2, 3, size[0], size[1]};
    for (const char *kind : {"max", "sum"})
      check("%a : " + plane, plane,
            std::string("%0 = graph.reduce_window ") + kind +
                ", %a window [1, 1, 2, 3] strides [1, 1, 3, 3] low [0, 0, 1, "
                "2] high [0, 0, 2, 1] base_dilation [1, 1, 1, 1] dilation [1, "
                "1, 2, 1] : " +
                plane + " -> " + plane + "\n%r = graph.neg %0 : " + plane,
            {shape});
    check("%x : " + plane + ", %w : tensor<3x1x2x2xf32>", plane,
          "%r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = "
          "(1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [2, 2] low [0, 1] "
          "high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 3 "
          ": (" +
              plane + ", tensor<3x1x2x2xf32>) -> " + plane,
          {shape, {3, 1, 2, 2}});
    // Along the row alone.
    check("%x : " + plane + ", %w : tensor<3x1x1x1xf32>", plane,
          "%r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = "
          "(1, 0, [2, 3]), output = (0, 1, [2, 3])> strides [1, 2] low [0, 0] "
          "high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 3 "
          ": (" +
              plane + ", tensor<3x1x1x1xf32>) -> " + plane,
          {shape, {3, 1, 1, 1}});
  }
}

TEST_P(NHWCWindowKernel, VolumesOfUnknownSize) {
  std::string volume = "tensor<2x3x?x?x?xf32>";
  for (std::vector<int64_t> size : std::vector<std::vector<int64_t>>{
           {1, 1, 1}, {4, 7, 8}, {0, 9, 9}, {3, 17, 0}, {5, 6, 70}})
    for (int stride : {1, 2}) {
      std::string step = std::to_string(stride);
      std::vector<int64_t> shape = {2, 3, size[0], size[1], size[2]};
      auto pool = [&](const std::string &kind, const std::string &window,
                      const std::string &pad, const std::string &dilation) {
        check("%a : " + volume, volume,
              "%r = graph.reduce_window " + kind + ", %a window [1, 1, " +
                  window + "] strides [1, 1, " + step + ", " + step + ", " +
                  step + "] low [0, 0, " + pad + "] high [0, 0, 1, 1, 2] " +
                  "base_dilation [1, 1, 1, 1, 1] dilation [1, 1, " + dilation +
                  "] : " + volume + " -> " + volume,
              {shape});
      };
      pool("max", "2, 2, 2", "0, 0, 0", "1, 1, 1");
      pool("sum", "3, 2, 3", "1, 1, 2", "1, 1, 1");
      pool("max", "3, 3, 3", "2, 1, 1", "1, 1, 2");
      // Of more lines than are unrolled.
      pool("sum", "5, 5, 2", "2, 2, 0", "1, 1, 1");
      check("%x : " + volume + ", %w : tensor<3x1x2x3x3xf32>", volume,
            "%r = graph.convolution %x, %w <input = (0, 1, [2, 3, 4]), kernel "
            "= (1, 0, [2, 3, 4]), output = (0, 1, [2, 3, 4])> strides [" +
                step + ", " + step + ", " + step +
                "] low [1, 1, 1] high [1, 1, 1] input_dilation [1, 1, 1] "
                "kernel_dilation [1, 2, 1] groups 3 : (" +
                volume + ", tensor<3x1x2x3x3xf32>) -> " + volume,
            {shape, {3, 1, 2, 3, 3}});
    }
}

TEST_P(NHWCWindowKernel, ChannelsOfSmallImages) {
  for (Depthwise d :
       std::vector<Depthwise>{{37, 7, 7, 7, 7, 1, 1, 3, 3},
                              {24, 14, 14, 5, 5, 1, 1, 2, 2},
                              {20, 9, 31, 3, 3, 2, 1, 1, 1},
                              {16, 5, 29, 3, 3, 1, 2, 2, 2},
                              {48, 3, 3, 5, 5, 1, 1, 2, 2},
                              {32, 8, 27, 3, 3, 1, 1, 1, 1, 4, 4},
                              {48, 6, 9, 3, 3, 2, 1, 1, 1, 2, 2},
                              {12, 6, 9, 3, 3, 1, 1, 0, 2, 4, 4}}) {
    std::string from = tensor({2, d.height, d.width, d.channels}),
                to = tensor({2, d.result(d.height, d.rows),
                             d.result(d.width, d.columns), d.features()}),
                kernel = tensor({d.rows, d.columns, d.inputs, d.features()});
    check("%x : " + from + ", %w : " + kernel, to,
          "%r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, "
          "3, [0, 1]), output = (0, 3, [1, 2])> strides " +
              d.list(d.stride) + " low " + d.list(d.low) + " high " +
              d.list(d.high) + " input_dilation [1, 1] kernel_dilation " +
              d.list(d.dilation) + " groups " +
              std::to_string(d.channels / d.inputs) + " : (" + from + ", " +
              kernel + ") -> " + to);
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, NHWCWindowKernel,
                         ::testing::Values(4u, 8u, 16u));

} // namespace
