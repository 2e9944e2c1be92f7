// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions against the interpreter: dimensions, padding, strides,
// dilations, groups, dimension numbers.

#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::KernelHarness;

namespace {

using Sizes = std::vector<int64_t>;

std::string list(const Sizes &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

std::string tensor(const Sizes &shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + "f32>";
}

/// A convolution by its sizes; channels are last unless `numbers` says so.
struct Convolution {
  int64_t batch = 1, features = 3, outputs = 16, groups = 1;
  Sizes image, window, strides, low, high, inputDilation, kernelDilation;
  bool channelsFirst = false, packed = false, dynamic = false;
  bool transposed = false; ///< output features come first in the filter
  std::string epilogue;

  Convolution(Sizes image, Sizes window) : image(image), window(window) {
    strides = inputDilation = kernelDilation = Sizes(image.size(), 1);
    low = high = Sizes(image.size(), 0);
  }

  Sizes outputImage() const {
    Sizes result;
    for (size_t i = 0; i < image.size(); ++i) {
      int64_t size = (image[i] - 1) * inputDilation[i] + 1 + low[i] + high[i];
      int64_t reach = (window[i] - 1) * kernelDilation[i] + 1;
      result.push_back(size < reach ? 0 : (size - reach) / strides[i] + 1);
    }
    return result;
  }
  Sizes order(int64_t first, const Sizes &middle, int64_t last) const {
    Sizes shape{first};
    if (channelsFirst)
      shape.push_back(last);
    shape.insert(shape.end(), middle.begin(), middle.end());
    if (!channelsFirst)
      shape.push_back(last);
    return shape;
  }
  std::string text() const;
  void check(KernelHarness &harness) const {
    std::string program = text();
    SCOPED_TRACE(program);
    harness.check(program, {order(batch, image, features)});
  }
};

std::string Convolution::text() const {
  Sizes shownImage = dynamic ? Sizes(image.size(), -1) : image;
  Sizes shownOutput = dynamic ? Sizes(image.size(), -1) : outputImage();
  int64_t shownBatch = dynamic ? -1 : batch, inner = features / groups;
  std::string x = tensor(order(shownBatch, shownImage, features)),
              r = tensor(order(shownBatch, shownOutput, outputs));
  Sizes kernel = window, spatial, kernelSpatial;
  int64_t first = channelsFirst ? 2 : 1;
  for (size_t i = 0; i < image.size(); ++i) {
    spatial.push_back(int64_t(i) + first);
    kernelSpatial.push_back(int64_t(i) + (channelsFirst ? 2 : 0));
  }
  int64_t rank = int64_t(image.size()) + 2;
  if (channelsFirst)
    kernel.insert(kernel.begin(), {outputs, inner});
  else
    kernel.insert(kernel.end(), {inner, outputs});
  std::string w = tensor(kernel), stored = w, unpack;
  std::string kernelValue = "%y";
  if (transposed) {
    Sizes sizes{outputs}, order;
    sizes.insert(sizes.end(), kernel.begin(), kernel.end() - 1);
    for (int64_t d = 1; d < rank; ++d)
      order.push_back(d);
    order.push_back(0);
    stored = tensor(sizes);
    unpack = "%k = graph.transpose %y " + list(order) + " : " + stored +
             " -> " + w + "\n";
    kernelValue = "%k";
  } else if (packed && groups > 1) {
    int64_t kSize = inner, width = outputs / groups;
    for (int64_t size : window)
      kSize *= size;
    width = width % 16 ? width : 16;
    Sizes split{kSize, outputs / width, width};
    stored = tensor({outputs / width, kSize, width});
    unpack = "%t = graph.transpose %y [1, 0, 2] : " + stored + " -> " +
             tensor(split) + "\n%k = graph.reshape %t : " + tensor(split) +
             " -> " + w + "\n";
    kernelValue = "%k";
  } else if (packed) {
    int64_t kSize = inner, panels = (outputs + 15) / 16;
    for (int64_t size : window)
      kSize *= size;
    stored = tensor({panels, kSize, 16});
    Sizes wide{kSize, panels * 16}, matrix{kSize, outputs};
    unpack = "%t = graph.transpose %y [1, 0, 2] : " + stored + " -> " +
             tensor({kSize, panels, 16}) +
             "\n%f = graph.reshape %t : " + tensor({kSize, panels, 16}) +
             " -> " + tensor(wide) + "\n";
    std::string last = "%f";
    if (wide != matrix) {
      unpack += "%s = graph.slice %f [0, 0] " + list(matrix) +
                " [1, 1] : " + tensor(wide) + " -> " + tensor(matrix) + "\n";
      last = "%s";
    }
    unpack += "%k = graph.reshape " + last + " : " + tensor(matrix) + " -> " +
              w + "\n";
    kernelValue = "%k";
  }
  std::string numbers =
      channelsFirst
          ? "<input = (0, 1, " + list(spatial) + "), kernel = (1, 0, " +
                list(kernelSpatial) + "), output = (0, 1, " + list(spatial) +
                ")>"
          : "<input = (0, " + std::to_string(rank - 1) + ", " + list(spatial) +
                "), kernel = (" + std::to_string(rank - 2) + ", " +
                std::to_string(rank - 1) + ", " + list(kernelSpatial) +
                "), output = (0, " + std::to_string(rank - 1) + ", " +
                list(spatial) + ")>";
  std::string result = epilogue.empty() ? "%d" : "%e";
  return "func.func @main(%a: " + x + ", %b: " + stored + ") -> " + r +
         " {\n%r = graph.fusion contraction (%x = %a : " + x +
         ", %y = %b : " + stored + ") -> " + r + " {\n" + unpack +
         "%d = graph.convolution %x, " + kernelValue + " " + numbers +
         " strides " + list(strides) + " low " + list(low) + " high " +
         list(high) + " input_dilation " + list(inputDilation) +
         " kernel_dilation " + list(kernelDilation) + " groups " +
         std::to_string(groups) + " : (" + x + ", " + w + ") -> " + r + "\n" +
         (epilogue.empty() ? ""
                           : "%e = graph." + epilogue + " %d : " + r + "\n") +
         "graph.yield " + result + " : " + r + "\n}\nreturn %r : " + r + "\n}";
}

class ConvolutionKernel : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};
};

TEST_F(ConvolutionKernel, WithoutBorder) {
  Convolution plain({9, 11}, {3, 3});
  plain.batch = 2;
  plain.check(harness);
  plain.strides = {2, 3};
  plain.check(harness);
  plain.kernelDilation = {2, 1};
  plain.check(harness);
  plain.kernelDilation = {1, 2};
  plain.outputs = 21;
  plain.check(harness);
}

TEST_F(ConvolutionKernel, Borders) {
  for (bool packed : {false, true})
    for (int64_t width : {1, 2, 5, 7, 19}) {
      Convolution same({5, width}, {3, 3});
      same.packed = packed;
      same.outputs = packed ? 33 : 16;
      same.low = same.high = {1, 1};
      same.check(harness);
      same.strides = {2, 2};
      same.check(harness);
    }
  Convolution wide({4, 6}, {5, 5});
  wide.low = {4, 3};
  wide.high = {2, 4};
  wide.kernelDilation = {2, 1};
  wide.check(harness);
  wide.kernelDilation = {1, 2};
  wide.high = {-1, 4};
  wide.check(harness);
  wide.low = {-1, -2};
  wide.check(harness);
}

TEST_F(ConvolutionKernel, OneByOne) {
  Convolution pointwise({6, 7}, {1, 1});
  pointwise.features = 8;
  pointwise.packed = true;
  pointwise.check(harness);
  pointwise.strides = {2, 2};
  pointwise.check(harness);
  pointwise.low = pointwise.high = {1, 1};
  pointwise.check(harness);
}

// With many columns, only positions that strides visit are copied.
TEST_F(ConvolutionKernel, FewOfThePositions) {
  for (bool channelsFirst : {false, true}) {
    Convolution strided({13, 14}, {1, 1});
    strided.batch = 2;
    strided.features = 33;
    strided.outputs = 72;
    strided.strides = {2, 3};
    strided.channelsFirst = channelsFirst;
    strided.check(harness);
    strided.high = {-2, -1};
    strided.check(harness);
    strided.low = {-1, 0};
    strided.check(harness);
  }
}

// Positions whose taps do not overlap.
TEST_F(ConvolutionKernel, Patches) {
  Convolution patches({32, 24}, {8, 8});
  patches.strides = {8, 8};
  patches.outputs = 40;
  patches.packed = true;
  patches.check(harness);
}

TEST_F(ConvolutionKernel, OneAndThreeDimensions) {
  Convolution line({23}, {4});
  line.low = {2};
  line.high = {1};
  line.packed = true;
  line.check(harness);
  line.strides = {3};
  line.check(harness);
  Convolution block({4, 5, 6}, {3, 2, 3});
  block.low = {1, 0, 1};
  block.high = {1, 1, 1};
  block.check(harness);
  block.strides = {2, 1, 2};
  block.packed = true;
  block.check(harness);
}

TEST_F(ConvolutionKernel, ChannelsFirst) {
  Convolution first({6, 7}, {3, 3});
  first.channelsFirst = true;
  first.check(harness);
  first.low = first.high = {1, 1};
  first.check(harness);
  first.strides = {2, 2};
  first.outputs = 5;
  first.check(harness);
  Convolution pointwise({6, 7}, {1, 1});
  pointwise.channelsFirst = true;
  pointwise.check(harness);
}

// Rows that are contiguous in the result are stored by whole vectors.
TEST_F(ConvolutionKernel, ColumnsOfResults) {
  for (unsigned lanes : {4u, 8u, 16u}) {
    harness.target.lanes = lanes;
    harness.target.nr = 2 * lanes;
    for (int64_t features : {1, 3, 7, 17}) {
      Convolution first({9, 13}, {3, 3});
      first.channelsFirst = true;
      first.batch = 2;
      first.features = features;
      first.outputs = 37;
      first.low = first.high = {1, 1};
      first.strides = {1, features == 3 ? 2 : 1};
      first.epilogue = "neg";
      first.check(harness);
    }
    // Rows that fill cache lines together, in several tasks and feature maps.
    Convolution lines({40, 28}, {3, 3});
    lines.channelsFirst = true;
    lines.batch = 2;
    lines.outputs = 33;
    lines.low = lines.high = {1, 1};
    lines.epilogue = "neg";
    lines.check(harness);
    Convolution deep({7, 9}, {1, 1});
    deep.channelsFirst = true;
    deep.features = 900;
    deep.outputs = 40;
    for (int64_t batch : {1, 3}) {
      deep.batch = batch;
      deep.check(harness);
    }
    Convolution grouped({5, 8}, {3, 3});
    grouped.channelsFirst = true;
    grouped.features = 6;
    grouped.outputs = 42;
    grouped.groups = 2;
    grouped.check(harness);
  }
}

// Operands of the epilogue may be broadcast along either dimension of the rows,
// or have them in the other order.
TEST_F(ConvolutionKernel, ColumnsOfResultsBesideOtherRows) {
  std::string x = tensor({1, 20, 20, 3}), w = tensor({1, 1, 3, 8}),
              d = tensor({1, 20, 20, 8}), r = tensor({1, 8, 20, 20});
  for (const char *mapping : {"[0, 3, 1, 2]", "[0, 3, 2, 1]"})
    for (const Sizes &addend :
         {Sizes{1, 8, 20, 1}, Sizes{1, 8, 1, 20}, Sizes{1, 1, 20, 1},
          Sizes{1, 8, 1, 1}, Sizes{1, 8, 20, 20}}) {
      std::string z = tensor(addend);
      harness.check(
          "func.func @main(%a: " + x + ", %b: " + w + ", %c: " + z + ") -> " +
          r + " {\n%r = graph.fusion contraction (%x = %a : " + x +
          ", %y = %b : " + w + ", %z = %c : " + z + ") -> " + r +
          " {\n%d = graph.convolution %x, %y <input = (0, 3, [1, 2]), kernel = "
          "(2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [0, 0] "
          "high [0, 0] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : "
          "(" +
          x + ", " + w + ") -> " + d + "\n%w = graph.broadcast %z " + mapping +
          " : " + z + " -> " + d + "\n%e = graph.sub %d, %w : " + d +
          "\n%t = graph.transpose %e [0, 3, 1, 2] : " + d + " -> " + r +
          "\ngraph.yield %t : " + r + "\n}\nreturn %r : " + r + "\n}");
    }
}

TEST_F(ConvolutionKernel, Groups) {
  Convolution grouped({6, 7}, {3, 3});
  grouped.features = 6;
  grouped.outputs = 20;
  grouped.groups = 2;
  grouped.low = grouped.high = {1, 1};
  grouped.check(harness);
  grouped.channelsFirst = true;
  grouped.check(harness);
  grouped.channelsFirst = false;
  grouped.groups = 6;
  grouped.outputs = 6;
  grouped.check(harness);
  // Groups, and panels of them, apart in memory.
  grouped.packed = true;
  grouped.groups = 2;
  for (int64_t outputs : {10, 32, 96}) {
    grouped.outputs = outputs;
    grouped.strides = {1, 1};
    grouped.check(harness);
    grouped.strides = {2, 1};
    grouped.check(harness);
  }
}

// Groups with few columns, which leave registers to more rows of a tile.
TEST_F(ConvolutionKernel, GroupsOfVectors) {
  for (int64_t height : {5, 70}) {
    Convolution grouped({height, 29}, {3, 3});
    grouped.features = 24;
    grouped.outputs = 24;
    grouped.groups = 3;
    grouped.packed = true;
    grouped.batch = 2;
    grouped.low = grouped.high = {1, 1};
    grouped.epilogue = "neg";
    grouped.check(harness);
    grouped.strides = {2, 2};
    grouped.check(harness);
    grouped.channelsFirst = true;
    grouped.check(harness);
  }
}

TEST_F(ConvolutionKernel, FewOutputs) {
  for (unsigned lanes : {4u, 8u, 16u})
    for (int64_t outputs : {2, 5, 8, 11}) {
      harness.target.lanes = lanes;
      harness.target.nr = 4 * lanes;
      Convolution few({7, 13}, {3, 3});
      few.outputs = outputs;
      few.low = few.high = {1, 1};
      few.epilogue = "neg";
      few.check(harness);
      few.channelsFirst = true;
      few.check(harness);
      few.features = 5;
      few.check(harness);
    }
}

// Lanes along K, with all outputs in one tile.
TEST_F(ConvolutionKernel, FewOutputsOfLongSums) {
  for (unsigned lanes : {4u, 8u, 16u})
    for (int64_t outputs : {1, 2, 3, 4}) {
      harness.target.lanes = lanes;
      harness.target.nr = 2 * lanes;
      Convolution few({7, 13}, {3, 3});
      few.transposed = true;
      few.outputs = outputs;
      few.features = 21;
      few.epilogue = "neg";
      few.check(harness);
      EXPECT_NE(harness.emitted.find("_along_k"), std::string::npos);
      few.low = few.high = {1, 1};
      few.batch = 2;
      few.check(harness);
      few.features = 32;
      few.strides = {2, 1};
      few.kernelDilation = {1, 2};
      few.check(harness);
      Convolution pointwise({5, 9}, {1, 1});
      pointwise.transposed = true;
      pointwise.outputs = outputs;
      pointwise.features = 70;
      pointwise.check(harness);
      Convolution line({40}, {16});
      line.transposed = true;
      line.outputs = outputs;
      line.features = 19;
      line.low = {7};
      line.high = {8};
      line.check(harness);
    }
}

/// The gradient of 3x2 filters with padding `around` and stride `apart`, from
/// the input and the gradient of the output.
static std::string gradientText(const Sizes &image, int64_t channels,
                                int64_t outputs, int64_t around, int64_t apart,
                                bool transposed) {
  int64_t batch = 3;
  Sizes results;
  for (size_t i = 0; i < 2; ++i)
    results.push_back((image[i] + 2 * around - 3 + int64_t(i)) / apart + 1);
  // Input positions after the last one that the filter reads.
  Sizes high;
  for (size_t i = 0; i < 2; ++i)
    high.push_back((results[i] - 1) * apart + 3 - int64_t(i) - image[i] -
                   around);
  std::string x = tensor({batch, image[0], image[1], channels}),
              g = tensor({batch, results[0], results[1], outputs}),
              a = tensor({channels, image[0], image[1], batch}),
              b = tensor({results[0], results[1], batch, outputs}),
              d = tensor({channels, 3, 2, outputs}),
              r = transposed ? tensor({outputs, channels, 3, 2}) : d;
  return "func.func @main(%a: " + x + ", %b: " + g + ") -> " + r +
         " {\n%r = graph.fusion contraction (%x = %a : " + x +
         ", %y = %b : " + g + ") -> " + r +
         " {\n%l = graph.transpose %x [3, 1, 2, 0] : " + x + " -> " + a +
         "\n%k = graph.transpose %y [1, 2, 0, 3] : " + g + " -> " + b +
         "\n%d = graph.convolution %l, %k <input = (0, 3, [1, 2]), kernel = "
         "(2, "
         "3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low " +
         list({around, around}) + " high " + list(high) +
         " input_dilation [1, 1] kernel_dilation " + list({apart, apart}) +
         " groups 1 : (" + a + ", " + b + ") -> " + d +
         "\n%e = graph.neg %d : " + d + "\n" +
         (transposed ? "%t = graph.transpose %e [3, 0, 1, 2] : " + d + " -> " +
                           r + "\n"
                     : "") +
         "graph.yield " + (transposed ? "%t" : "%e") + " : " + r +
         "\n}\nreturn %r : " + r + "\n}";
}

// Sums along rows of positions, or over the batch first where rows are short.
TEST_F(ConvolutionKernel, GradientsOfWeights) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  for (bool transposed : {false, true})
    for (int64_t around : {0, 1})
      for (int64_t apart : {1, 2})
        for (const Sizes &image : {Sizes{5, 31}, Sizes{30, 14}, Sizes{6, 5}}) {
          int64_t channels = transposed ? 23 : 16,
                  outputs = transposed ? 17 : 130;
          harness.check(gradientText(image, channels, outputs, around, apart,
                                     transposed));
        }
}

TEST_F(ConvolutionKernel, DilatedInput) {
  Convolution transposed({3, 4}, {3, 3});
  transposed.inputDilation = {2, 3};
  transposed.low = {2, 1};
  transposed.high = {1, 2};
  transposed.check(harness);
  transposed.channelsFirst = true;
  transposed.check(harness);
}

TEST_F(ConvolutionKernel, DynamicFeatureMaps) {
  Convolution dynamic({5, 9}, {3, 3});
  dynamic.dynamic = true;
  dynamic.low = dynamic.high = {1, 1};
  for (Sizes image : {Sizes{5, 9}, Sizes{1, 1}, Sizes{2, 14}, Sizes{3, 6}}) {
    dynamic.image = image;
    dynamic.batch = 2;
    dynamic.check(harness);
    dynamic.strides = {2, 2};
    dynamic.check(harness);
    dynamic.strides = {1, 1};
  }
  dynamic.packed = true;
  dynamic.epilogue = "neg";
  dynamic.check(harness);
}

// Rows of unknown number are stored along the columns all the same, down to
// one position.
TEST_F(ConvolutionKernel, DynamicColumnsOfResults) {
  for (unsigned lanes : {4u, 16u}) {
    harness.target.lanes = lanes;
    harness.target.nr = 2 * lanes;
    for (Sizes image : {Sizes{5, 9}, Sizes{1, 1}, Sizes{2, 14}, Sizes{3, 40}}) {
      Convolution dynamic(image, {3, 3});
      dynamic.dynamic = true;
      dynamic.channelsFirst = true;
      dynamic.batch = 2;
      dynamic.features = 3;
      dynamic.outputs = 37;
      dynamic.low = dynamic.high = {1, 1};
      dynamic.epilogue = "neg";
      dynamic.check(harness);
      dynamic.strides = {2, 2};
      dynamic.check(harness);
    }
  }
}

TEST_F(ConvolutionKernel, LongKInBlocks) {
  Convolution deep({5, 7}, {3, 3});
  deep.features = 270;
  deep.low = deep.high = {1, 1};
  for (bool packed : {false, true}) {
    deep.packed = packed;
    deep.outputs = packed ? 16 : 21;
    deep.strides = {1, 1};
    deep.check(harness);
    EXPECT_NE(harness.emitted.find("_accumulates"), std::string::npos);
    deep.strides = {2, 2};
    deep.check(harness);
  }
}

TEST_F(ConvolutionKernel, PrintedKernelsCallNothing) {
  harness.target = onDevice(harness.target);
  Convolution same({5, 9}, {3, 3});
  same.low = same.high = {1, 1};
  same.check(harness);
  EXPECT_EQ(harness.emitted.find("func.call"), std::string::npos);
  EXPECT_EQ(harness.emitted.find("reinterpret_cast"), std::string::npos);
}

} // namespace
