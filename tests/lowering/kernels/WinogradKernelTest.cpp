// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Winograd convolutions against the interpreter, which reads the filters
// themselves.

#include "KernelHarness.h"
#include "ir/encodings/Winograd.h"
#include "lowering/kernels/EmitKernels.h"
#include "lowering/schedule/WinogradSchedule.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

using namespace zenith;
using zenith::testing::KernelHarness;

namespace {

/// A convolution over channels-last feature maps with a filter of 3 or 3x3
/// taps, or several planes of those, after its Winograd transform in panels.
struct Case {
  /// Of the input: 0 where it has no planes, or no rows.
  int64_t planes = 0, height = 8, width = 8;
  int64_t tile = 4, batch = 1, inputs = 8, outputs = 32;
  int64_t panel = 16;
  int64_t filterPlanes = 3, lowPlanes = 1, highPlanes = 1;
  int64_t low[2] = {1, 1}, high[2] = {1, 1};
  int64_t dilation = 1;
  bool channelsFirst = false; ///< input and result
  bool mark = true, dynamicBatch = false, dynamicInput = false;
  std::string epilogue;
  std::optional<float> oddValue; ///< at element `oddIndex` of the input
  int64_t oddIndex = 0;

  struct Dim {
    int64_t size, taps, low, high;
  };
  std::vector<Dim> spatial() const {
    std::vector<Dim> dims{{width, 3, low[1], high[1]}};
    if (height)
      dims.insert(dims.begin(), {height, 3, low[0], high[0]});
    if (planes)
      dims.insert(dims.begin(), {planes, filterPlanes, lowPlanes, highPlanes});
    return dims;
  }
  int64_t taps() const { return height ? 9 : 3; }
  int64_t points() const { return height ? (tile + 2) * (tile + 2) : tile + 2; }
  /// Rows of the panels for a point or a tap.
  int64_t kOfPoint() const { return inputs * (planes ? filterPlanes : 1); }
  int64_t rows() const { return (points() + taps()) * kOfPoint(); }
  int64_t panels() const { return (outputs + panel - 1) / panel; }
  std::vector<int64_t> inputShape() const;
  std::string text() const;
  /// Contents of the panels, from a filter of small integers.
  Tensor weights(mlir::RankedTensorType type) const;
  float filterAt(int64_t plane, int64_t tap, int64_t input,
                 int64_t output) const {
    int64_t mixed = plane * 2 + tap * 5 + input * 3 + output * 7;
    return float(mixed % 9 - 4) / 4;
  }
};

std::string joined(const std::vector<int64_t> &numbers, const char *between) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : between) + std::to_string(number);
  return text;
}

std::vector<int64_t> Case::inputShape() const {
  std::vector<int64_t> sizes{batch};
  for (const Dim &dim : spatial())
    sizes.push_back(dim.size);
  sizes.insert(channelsFirst ? sizes.begin() + 1 : sizes.end(), inputs);
  return sizes;
}

std::string Case::text() const {
  std::vector<Dim> dims = spatial();
  std::vector<int64_t> given, found, filter, lows, highs, ones, dimensions,
      inner, taps;
  for (const Dim &dim : dims) {
    given.push_back(dim.size);
    found.push_back(dim.size + dim.low + dim.high - (dim.taps - 1) * dilation);
    filter.push_back(dim.taps);
    lows.push_back(dim.low), highs.push_back(dim.high);
    taps.push_back(int64_t(ones.size())), ones.push_back(1);
    dimensions.push_back(int64_t(ones.size()));
    inner.push_back(int64_t(ones.size()) + 1);
  }
  int64_t spatialDims = int64_t(dims.size());
  auto typeOf = [&](const std::vector<int64_t> &sizes, int64_t c, bool first) {
    std::string text =
        "tensor<" + (dynamicBatch ? "?" : std::to_string(batch)) + "x";
    std::string channels = std::to_string(c) + "x";
    text += first ? channels : "";
    for (int64_t size : sizes)
      text += (dynamicInput ? "?" : std::to_string(size)) + "x";
    return text + (first ? "" : channels) + "f32>";
  };
  std::string input = typeOf(given, inputs, channelsFirst),
              x = typeOf(given, inputs, false),
              r = typeOf(found, outputs, false),
              result = typeOf(found, outputs, channelsFirst);
  int64_t before = points() * kOfPoint(), own = this->taps() * kOfPoint();
  std::string packed =
      llvm::formatv("tensor<{0}x{1}x{2}xf32>", panels(), rows(), panel);
  std::string split = llvm::formatv("tensor<{1}x{0}x{2}xf32>", panels(), rows(),
                                    panel),
              wide = llvm::formatv("tensor<{0}x{1}xf32>", rows(),
                                   panel * panels()),
              matrix = llvm::formatv("tensor<{0}x{1}xf32>", rows(), outputs),
              flat = llvm::formatv("tensor<{0}x{1}xf32>", own, outputs),
              kernel = llvm::formatv("tensor<{0}x{1}x{2}xf32>",
                                     joined(filter, "x"), inputs, outputs);
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
          llvm::formatv(" [{0}, 0] [{1}, {2}] [1, 1] : ", before, own, outputs)
              .str() +
          matrix + " -> " + flat + "\n%k = graph.reshape %w3 : " + flat +
          " -> " + kernel + "\n";
  std::string from = "%x", last = "%d";
  if (channelsFirst) {
    body += llvm::formatv("%t = graph.transpose %x [0, {0}, 1] : ",
                          joined(inner, ", "))
                .str() +
            input + " -> " + x + "\n";
    from = "%t";
  }
  std::string order = joined(dimensions, ", ");
  body +=
      "%d = graph.convolution " + from + ", %k " +
      llvm::formatv("<input = (0, {0}, [{1}]), kernel = ({2}, {0}, [{3}]), "
                    "output = (0, {0}, [{1}])> strides [{4}] low [{5}] "
                    "high [{6}] input_dilation [{4}] kernel_dilation [{7}]",
                    spatialDims + 1, order, spatialDims, joined(taps, ", "),
                    joined(ones, ", "), joined(lows, ", "), joined(highs, ", "),
                    joined(std::vector<int64_t>(dims.size(), dilation), ", "))
          .str() +
      " groups 1 " +
      (mark ? "{graph.winograd_tile = " + std::to_string(tile) + "} " : "") +
      ": (" + x + ", " + kernel + ") -> " + r + "\n";
  if (!epilogue.empty()) {
    body += "%e = graph." + epilogue + " %d : " + r + "\n";
    last = "%e";
  }
  if (channelsFirst) {
    body += llvm::formatv("%l = graph.transpose {0} [0, {1}, {2}] : ", last,
                          spatialDims + 1, order)
                .str() +
            r + " -> " + result + "\n";
    last = "%l";
  }
  return "func.func @main(%a: " + input + ", %b: " + packed + ") -> " + result +
         " {\n%r = graph.fusion contraction (%x = %a : " + input +
         ", %y = %b : " + packed + ") -> " + result + " {\n" + body +
         "graph.yield " + last + " : " + result + "\n}\nreturn %r : " + result +
         "\n}";
}

Tensor Case::weights(mlir::RankedTensorType type) const {
  Tensor tensor(type);
  float *data = reinterpret_cast<float *>(tensor.writable());
  auto across = graph::WinogradTransform(tile).window(),
       down = graph::WinogradTransform(height ? tile : 1).window();
  int64_t size = tile + 2, perLine = 3;
  for (int64_t row = 0; row < rows(); ++row)
    for (int64_t column = 0; column < panel * panels(); ++column) {
      // Transformed values are stored point by point, the filter plane by
      // plane.
      int64_t input = row % inputs, block = row / inputs;
      int64_t ofPoint = kOfPoint() / inputs, tap = block - points() * ofPoint;
      double value = 0;
      if (tap >= 0)
        value = filterAt(tap / taps(), tap % taps(), input, column);
      else
        for (int64_t own = 0; own < taps(); ++own)
          value += down[block / ofPoint / size][own / perLine] *
                   across[block / ofPoint % size][own % perLine] *
                   filterAt(block % ofPoint, own, input, column);
      bool inside = column < outputs;
      data[(column / panel * rows() + row) * panel + column % panel] =
          inside ? float(value) : 0.0f;
    }
  return tensor;
}

class TransformedFilter : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};

  /// The cases' filters are in panels of 16 columns.
  TransformedFilter() {
    harness.target.lanes = 8;
    harness.target.nr = 16;
  }

  void check(const Case &what) {
    std::string text = what.text();
    SCOPED_TRACE(text);
    harness.tolerance = 1e-3;
    harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
      if (number == 1)
        return what.weights(type);
      Tensor input = zenith::testing::smallIntegers(type, number + 1);
      if (what.oddValue)
        reinterpret_cast<float *>(input.writable())[what.oddIndex] =
            *what.oddValue;
      return input;
    };
    harness.check(text, {what.inputShape()});
  }
  bool isTransformed() const {
    return harness.emitted.find("winograd_output_") != std::string::npos;
  }
};

TEST_F(TransformedFilter, SizesAndBorders) {
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

TEST_F(TransformedFilter, UnequalBorders) {
  Case what;
  what.low[0] = 2, what.low[1] = 0, what.high[0] = 0, what.high[1] = 2;
  what.height = 9, what.width = 13;
  check(what);
  what.channelsFirst = true;
  check(what);
}

TEST_F(TransformedFilter, ChannelsFirst) {
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

TEST_F(TransformedFilter, CutColumnsAndOddChannels) {
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

/// Panels of four vectors, also a single one; of the last panel, only vectors
/// that have columns are computed.
TEST_F(TransformedFilter, WidePanels) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
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
      what.oddValue = std::numeric_limits<float>::infinity();
      what.oddIndex = 457;
      check(what);
    }
}

TEST_F(TransformedFilter, DynamicBatch) {
  Case what;
  what.dynamicBatch = true;
  for (int64_t batch : {0, 1, 5}) {
    what.batch = batch;
    check(what);
  }
}

TEST_F(TransformedFilter, DynamicFeatureMaps) {
  for (bool first : {false, true})
    for (auto [height, width] : {std::pair(1, 1), std::pair(7, 6),
                                 std::pair(33, 30), std::pair(3, 130)}) {
      Case what;
      what.dynamicBatch = what.dynamicInput = true;
      what.batch = 2, what.outputs = 24, what.epilogue = "neg";
      what.height = height, what.width = width;
      what.channelsFirst = first;
      check(what);
      EXPECT_TRUE(isTransformed());
    }
}

/// Rows of small feature maps, which are not transformed, are divided into
/// tiles of balanced height: even the highest micro-kernel skips rows.
TEST_F(TransformedFilter, BalancedTilesOfDynamicFeatureMaps) {
  for (int64_t width = 1; width <= 9; ++width) {
    Case what;
    what.dynamicBatch = what.dynamicInput = true;
    what.batch = 1, what.outputs = 24, what.epilogue = "neg";
    what.height = 2, what.width = width;
    check(what);
    EXPECT_TRUE(harness.hasRun("kernel"));
  }
  EXPECT_TRUE(llvm::any_of(harness.functions, [](llvm::StringRef name) {
    return name.contains("6x2x8_clipped_taps_sets2_or_less2_skipped");
  }));
}

/// Small feature maps of unknown size take smaller tiles, which read the filter
/// at some of the stored points.
TEST_F(TransformedFilter, NestedTilesOfSmallFeatureMaps) {
  harness.target.memoryBytesPerCycle = 64;
  for (bool first : {false, true})
    for (auto [height, width, batch] :
         {std::tuple(4, 4, 1), std::tuple(6, 5, 2), std::tuple(1, 2, 1),
          std::tuple(26, 27, 1), std::tuple(6, 5, 0)}) {
      Case what;
      what.dynamicBatch = what.dynamicInput = true;
      what.inputs = 64, what.outputs = 64, what.epilogue = "neg";
      what.height = height, what.width = width, what.batch = batch;
      what.channelsFirst = first;
      if (width == 5 && batch) {
        what.oddValue = std::numeric_limits<float>::infinity();
        what.oddIndex = 71;
      }
      check(what);
      EXPECT_EQ(harness.hasRun("_winograd2"),
                (height == 4 || height == 6) && batch);
      EXPECT_EQ(harness.hasRun("_winograd1"), height == 26);
    }
  EXPECT_NE(harness.emitted.find("winograd_input_2x2x8_of6"),
            std::string::npos);
}

TEST_F(TransformedFilter, NestedTilesOfLinesAndVolumes) {
  harness.target.memoryBytesPerCycle = 64;
  for (int64_t planes : {0, 2})
    for (int64_t width : {1, 4, 6, 40}) {
      Case what;
      what.dynamicBatch = what.dynamicInput = true;
      what.inputs = 64, what.outputs = 40;
      what.planes = planes, what.height = planes ? 4 : 0, what.width = width;
      check(what);
    }
}

/// Tasks transform the tiles of feature maps that would leave the caches,
/// without a kernel for the input transform.
TEST_F(TransformedFilter, LargeFeatureMaps) {
  Case what;
  what.tile = 2;
  what.height = 157, what.width = 161, what.outputs = 17;
  auto evaluatesFirst = [&] {
    return harness.emitted.find("_transform_input") != std::string::npos;
  };
  check(what);
  EXPECT_FALSE(evaluatesFirst());
  what.height = 2;
  check(what);
  EXPECT_TRUE(evaluatesFirst());
}

TEST_F(TransformedFilter, LongLines) {
  Case what;
  what.height = 2, what.width = 301, what.outputs = 17;
  check(what);
  what.channelsFirst = true;
  check(what);
  what.width = 521;
  check(what);
}

/// An input that isn't finite, or whose transform isn't, reaches the results
/// that read it and no others.
TEST_F(TransformedFilter, NonFiniteInputs) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (int64_t tile : {2, 4})
    for (bool first : {false, true})
      for (float value : {infinity, std::nanf(""), 3e38f}) {
        Case what;
        what.tile = tile, what.channelsFirst = first;
        what.batch = 2, what.height = 11, what.width = 10, what.outputs = 40;
        what.oddValue = value;
        for (int64_t place : {437, 2 * 11 * 10 * 8 - 1}) {
          what.oddIndex = place;
          check(what);
        }
      }
}

TEST_F(TransformedFilter, Volumes) {
  for (bool first : {false, true})
    for (auto [planes, height, width] :
         {std::tuple(1, 1, 1), std::tuple(4, 9, 6), std::tuple(5, 3, 121)})
      for (int64_t filterPlanes : {1, 2, 3}) {
        Case what;
        what.planes = planes, what.height = height, what.width = width;
        what.filterPlanes = filterPlanes, what.batch = 2, what.outputs = 24;
        what.lowPlanes = filterPlanes / 2, what.highPlanes = filterPlanes - 1;
        what.channelsFirst = first, what.epilogue = "neg";
        check(what);
        EXPECT_TRUE(isTransformed());
      }
}

TEST_F(TransformedFilter, VolumesInWidePanels) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.avx512 = true;
  for (int64_t outputs : {16, 64, 80}) {
    Case what;
    what.panel = 64, what.inputs = 16, what.outputs = outputs;
    what.planes = 7, what.height = 29, what.width = 30;
    check(what);
    EXPECT_TRUE(isTransformed());
  }
}

/// Blocks of tasks that transform their own tiles have tiles of several planes.
TEST_F(TransformedFilter, LargeVolumes) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.avx512 = true;
  for (int64_t filterPlanes : {1, 2, 3})
    for (int64_t outputs : {24, 80}) {
      Case what;
      what.panel = 64, what.batch = 2, what.outputs = outputs;
      what.planes = 7, what.height = 21, what.width = 24;
      what.filterPlanes = filterPlanes, what.highPlanes = filterPlanes - 1;
      what.lowPlanes = 0;
      check(what);
      EXPECT_TRUE(isTransformed());
      EXPECT_EQ(harness.emitted.find("_transform_input"), std::string::npos);
      what.oddValue = std::numeric_limits<float>::infinity();
      what.oddIndex = 51457;
      check(what);
    }
}

TEST_F(TransformedFilter, Lines) {
  for (int64_t tile : {2, 4})
    for (bool first : {false, true})
      for (int64_t width : {1, 7, 64, 301}) {
        Case what;
        what.height = 0, what.width = width, what.tile = tile;
        what.batch = 3, what.channelsFirst = first;
        check(what);
        EXPECT_TRUE(isTransformed());
      }
}

/// Tiles have positions of one phase of the dilation; rows are divided between
/// tiles.
TEST_F(TransformedFilter, Dilated) {
  for (int64_t dilation : {2, 5, 32})
    for (int64_t dims : {1, 2, 3})
      for (bool first : {false, true}) {
        Case what;
        what.dilation = dilation, what.channelsFirst = first;
        what.planes = dims == 3 ? 4 : 0, what.height = dims > 1 ? 11 : 0;
        what.width = 150, what.batch = 2, what.outputs = 24;
        what.lowPlanes = what.highPlanes = dilation;
        for (int64_t place : {0, 1})
          what.low[place] = dilation, what.high[place] = dilation;
        what.low[1] = 2 * dilation, what.high[1] = 0;
        check(what);
        EXPECT_TRUE(isTransformed());
        what.oddValue = std::numeric_limits<float>::infinity();
        what.oddIndex = 457;
        check(what);
      }
}

TEST_F(TransformedFilter, DynamicVolumes) {
  for (int64_t dims : {1, 3})
    for (auto [planes, width] :
         {std::pair(1, 1), std::pair(4, 33), std::pair(2, 130)}) {
      Case what;
      what.dynamicBatch = what.dynamicInput = true;
      what.planes = dims == 3 ? planes : 0, what.height = dims == 3 ? 5 : 0;
      what.width = width, what.batch = 2;
      check(what);
      EXPECT_TRUE(isTransformed());
    }
}

TEST_F(TransformedFilter, NotFiniteVolumes) {
  for (int64_t dims : {1, 3})
    for (float value : {std::numeric_limits<float>::infinity(), 3e38f}) {
      Case what;
      what.planes = dims == 3 ? 5 : 0, what.height = dims == 3 ? 7 : 0;
      what.width = 26, what.batch = 2, what.oddValue = value;
      for (int64_t place : {0, 93, 415}) {
        what.oddIndex = place;
        check(what);
      }
    }
}

TEST_F(TransformedFilter, OtherTargets) {
  Case what;
  what.epilogue = "neg";
  harness.target.lanes = 4;
  harness.target.fma = false;
  harness.target.nr = 8;
  check(what);
  EXPECT_FALSE(isTransformed());
  harness.target = {};
  harness.target.lanes = 4;
  harness.target.nr = 16;
  check(what);
  EXPECT_TRUE(isTransformed());
  harness.target = {};
  harness.target = onDevice(harness.target);
  check(what);
  EXPECT_FALSE(isTransformed());
}

TEST_F(TransformedFilter, WithoutMarkAsItIs) {
  Case what;
  what.mark = false;
  check(what);
  EXPECT_FALSE(isTransformed());
}

} // namespace
