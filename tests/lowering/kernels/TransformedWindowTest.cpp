// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions with transformed windows against the interpreter, which reads
// the windows themselves.

#include "lowering/kernels/TransformedWindow.h"
#include "KernelHarness.h"
#include "ir/WindowTransform.h"
#include "lowering/kernels/ContractionKernel.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

using namespace zenith;
using zenith::testing::KernelHarness;

namespace {

/// A convolution over channels-last images with a window of 3x3, its values in
/// panels before it.
struct Case {
  int64_t tile = 4, batch = 1, height = 8, width = 8, inputs = 8, outputs = 32;
  int64_t panel = 16;
  int64_t low[2] = {1, 1}, high[2] = {1, 1};
  bool channelsFirst = false; ///< image and result
  bool mark = true, dynamicBatch = false, dynamicImage = false;
  std::string epilogue;
  std::optional<float> oddPixel; ///< at element `oddPlace` of the image
  int64_t oddPlace = 0;

  int64_t points() const { return (tile + 2) * (tile + 2); }
  int64_t rows() const { return (points() + 9) * inputs; }
  int64_t panels() const { return (outputs + panel - 1) / panel; }
  std::string text() const;
  /// What the panels hold, from a window of small numbers.
  Tensor weights(mlir::RankedTensorType type) const;
  float windowAt(int64_t tap, int64_t input, int64_t output) const {
    return float((tap * 5 + input * 3 + output * 7) % 9 - 4) / 4;
  }
};

std::string Case::text() const {
  int64_t h = height + low[0] + high[0] - 2, w = width + low[1] + high[1] - 2;
  std::string n = dynamicBatch ? "?" : std::to_string(batch);
  auto image = [&](int64_t height, int64_t width, int64_t c, bool first) {
    std::string h = dynamicImage ? "?" : std::to_string(height),
                w = dynamicImage ? "?" : std::to_string(width);
    return first
               ? llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", n, c, h, w).str()
               : llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", n, h, w, c).str();
  };
  std::string given = image(height, width, inputs, channelsFirst),
              x = image(height, width, inputs, false),
              r = image(h, w, outputs, false),
              result = image(h, w, outputs, channelsFirst);
  std::string packed =
      llvm::formatv("tensor<{0}x{1}x{2}xf32>", panels(), rows(), panel);
  std::string split = llvm::formatv("tensor<{1}x{0}x{2}xf32>", panels(), rows(),
                                    panel),
              wide = llvm::formatv("tensor<{0}x{1}xf32>", rows(),
                                   panel * panels()),
              matrix = llvm::formatv("tensor<{0}x{1}xf32>", rows(), outputs),
              flat = llvm::formatv("tensor<{0}x{1}xf32>", 9 * inputs, outputs),
              window =
                  llvm::formatv("tensor<3x3x{0}x{1}xf32>", inputs, outputs);
  std::string body = "%w0 = graph.transpose %y [1, 0, 2] : " + packed + " -> " +
                     split + "\n%w1 = graph.reshape %w0 : " + split + " -> " +
                     wide + "\n";
  std::string whole = "%w1";
  if (wide != matrix) {
    body += llvm::formatv("%w2 = graph.slice %w1 [0, 0] [{0}, {1}] [1, 1] : ",
                          rows(), outputs)
                .str() +
            wide + " -> " + matrix + "\n";
    whole = "%w2";
  }
  body += "%w3 = graph.slice " + whole +
          llvm::formatv(" [{0}, 0] [{1}, {2}] [1, 1] : ", points() * inputs,
                        9 * inputs, outputs)
              .str() +
          matrix + " -> " + flat + "\n%k = graph.reshape %w3 : " + flat +
          " -> " + window + "\n";
  std::string input = "%x", last = "%d";
  if (channelsFirst) {
    body +=
        "%t = graph.transpose %x [0, 2, 3, 1] : " + given + " -> " + x + "\n";
    input = "%t";
  }
  body += "%d = graph.convolution " + input +
          ", %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, "
          "3, [1, 2])> strides [1, 1] " +
          llvm::formatv("low [{0}, {1}] high [{2}, {3}]", low[0], low[1],
                        high[0], high[1])
              .str() +
          " input_dilation [1, 1] kernel_dilation [1, 1] groups 1 " +
          (mark ? "{graph.window_tile = " + std::to_string(tile) + "} " : "") +
          ": (" + x + ", " + window + ") -> " + r + "\n";
  if (!epilogue.empty()) {
    body += "%e = graph." + epilogue + " %d : " + r + "\n";
    last = "%e";
  }
  if (channelsFirst) {
    body += "%l = graph.transpose " + last + " [0, 3, 1, 2] : " + r + " -> " +
            result + "\n";
    last = "%l";
  }
  return "func.func @main(%a: " + given + ", %b: " + packed + ") -> " + result +
         " {\n%r = graph.fusion contraction (%x = %a : " + given +
         ", %y = %b : " + packed + ") -> " + result + " {\n" + body +
         "graph.yield " + last + " : " + result + "\n}\nreturn %r : " + result +
         "\n}";
}

Tensor Case::weights(mlir::RankedTensorType type) const {
  Tensor tensor(type);
  float *data = reinterpret_cast<float *>(tensor.writable());
  auto factors = graph::WindowTransform(tile).window();
  for (int64_t row = 0; row < rows(); ++row)
    for (int64_t column = 0; column < panel * panels(); ++column) {
      int64_t block = row / inputs, input = row % inputs, size = tile + 2;
      double value = 0;
      if (block >= points())
        value = windowAt(block - points(), input, column);
      else
        for (int64_t tap = 0; tap < 9; ++tap)
          value += factors[block / size][tap / 3] *
                   factors[block % size][tap % 3] *
                   windowAt(tap, input, column);
      bool inside = column < outputs;
      data[(column / panel * rows() + row) * panel + column % panel] =
          inside ? float(value) : 0.0f;
    }
  return tensor;
}

class TransformedWindow : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitContraction};

  /// The cases' windows lie in panels of 16 columns.
  TransformedWindow() {
    harness.target.lanes = 8;
    harness.target.panel = 16;
  }

  void check(const Case &what) {
    std::string text = what.text();
    SCOPED_TRACE(text);
    harness.tolerance = 1e-3;
    harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
      if (number == 1)
        return what.weights(type);
      Tensor image = zenith::testing::smallIntegers(type, number + 1);
      if (what.oddPixel)
        reinterpret_cast<float *>(image.writable())[what.oddPlace] =
            *what.oddPixel;
      return image;
    };
    std::vector<int64_t> image{what.batch, what.height, what.width,
                               what.inputs};
    if (what.channelsFirst)
      image = {what.batch, what.inputs, what.height, what.width};
    harness.check(text, {image});
  }
  bool isTransformed() const {
    return harness.emitted.find("interpolate_") != std::string::npos;
  }
};

TEST_F(TransformedWindow, SizesAndBorders) {
  for (int64_t tile : {2, 4})
    for (auto [height, width] :
         {std::pair(1, 1), std::pair(1, 9), std::pair(7, 3), std::pair(14, 14),
          std::pair(6, 31)})
      for (bool borders : {true, false}) {
        Case what;
        what.tile = tile;
        what.height = height + (borders ? 0 : 2);
        what.width = width + (borders ? 0 : 2);
        if (!borders)
          what.low[0] = what.low[1] = what.high[0] = what.high[1] = 0;
        check(what);
        EXPECT_TRUE(isTransformed());
      }
}

TEST_F(TransformedWindow, UnequalBorders) {
  Case what;
  what.low[0] = 2, what.low[1] = 0, what.high[0] = 0, what.high[1] = 2;
  what.height = 9, what.width = 13;
  check(what);
  what.channelsFirst = true;
  check(what);
}

TEST_F(TransformedWindow, ChannelsFirst) {
  for (auto [height, width] :
       {std::pair(5, 7), std::pair(3, 1), std::pair(16, 16), std::pair(2, 121)})
    for (int64_t batch : {1, 3}) {
      Case what;
      what.height = height, what.width = width, what.batch = batch;
      what.channelsFirst = true;
      what.epilogue = "neg";
      check(what);
      EXPECT_TRUE(isTransformed());
    }
}

TEST_F(TransformedWindow, CutColumnsAndOddChannels) {
  for (int64_t outputs : {17, 33, 40})
    for (bool first : {false, true}) {
      Case what;
      what.inputs = 24, what.outputs = outputs, what.batch = 2;
      what.height = 9, what.width = 11;
      what.channelsFirst = first;
      what.epilogue = "neg";
      check(what);
    }
}

/// Panels of four vectors, one of which may be all there is; of the last one,
/// only vectors that have columns are computed.
TEST_F(TransformedWindow, WidePanels) {
  harness.target.lanes = 16;
  harness.target.panel = 64;
  harness.target.avx512 = true;
  for (int64_t outputs : {16, 24, 48, 64, 80, 130})
    for (bool first : {false, true}) {
      Case what;
      what.panel = 64, what.inputs = 40, what.outputs = outputs;
      what.height = 31, what.width = 26, what.batch = outputs == 64 ? 3 : 1;
      what.channelsFirst = first;
      what.epilogue = "neg";
      check(what);
      EXPECT_TRUE(isTransformed());
      what.oddPixel = std::numeric_limits<float>::infinity();
      what.oddPlace = 457;
      check(what);
    }
}

TEST_F(TransformedWindow, DynamicBatch) {
  Case what;
  what.dynamicBatch = true;
  for (int64_t batch : {0, 1, 5}) {
    what.batch = batch;
    check(what);
  }
}

TEST_F(TransformedWindow, DynamicImages) {
  for (bool first : {false, true})
    for (auto [height, width] : {std::pair(1, 1), std::pair(7, 6),
                                 std::pair(33, 30), std::pair(3, 130)}) {
      Case what;
      what.dynamicBatch = what.dynamicImage = true;
      what.batch = 2, what.outputs = 24, what.epilogue = "neg";
      what.height = height, what.width = width;
      what.channelsFirst = first;
      check(what);
      EXPECT_TRUE(isTransformed());
    }
}

/// Tasks evaluate the tiles of images that leave the caches themselves, one
/// kernel less.
TEST_F(TransformedWindow, LargeImages) {
  Case what;
  what.tile = 2;
  what.height = 157, what.width = 161, what.outputs = 17;
  auto evaluatesFirst = [&] {
    return harness.emitted.find("_values") != std::string::npos;
  };
  check(what);
  EXPECT_FALSE(evaluatesFirst());
  what.height = 2;
  check(what);
  EXPECT_TRUE(evaluatesFirst());
}

TEST_F(TransformedWindow, LongLines) {
  Case what;
  what.height = 2, what.width = 301, what.outputs = 17;
  check(what);
  what.channelsFirst = true;
  check(what);
  what.width = 521;
  check(what);
}

/// A pixel that isn't finite, or whose values at points aren't, reaches the
/// results whose windows hold it and no others.
TEST_F(TransformedWindow, NotFinitePixels) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (int64_t tile : {2, 4})
    for (bool first : {false, true})
      for (float pixel : {infinity, std::nanf(""), 3e38f}) {
        Case what;
        what.tile = tile, what.channelsFirst = first;
        what.batch = 2, what.height = 11, what.width = 10, what.outputs = 40;
        what.oddPixel = pixel;
        for (int64_t place : {437, 2 * 11 * 10 * 8 - 1}) {
          what.oddPlace = place;
          check(what);
        }
      }
}

TEST_F(TransformedWindow, OtherTargets) {
  Case what;
  what.epilogue = "neg";
  harness.target.lanes = 4;
  harness.target.fma = false;
  harness.target.panel = 8;
  check(what);
  EXPECT_FALSE(isTransformed());
  harness.target = {};
  harness.target.lanes = 4;
  harness.target.panel = 16;
  check(what);
  EXPECT_TRUE(isTransformed());
  harness.target = {};
  harness.target.opencl = true;
  check(what);
  EXPECT_FALSE(isTransformed());
}

TEST_F(TransformedWindow, WithoutMarkAsItIs) {
  Case what;
  what.mark = false;
  check(what);
  EXPECT_FALSE(isTransformed());
}

} // namespace
