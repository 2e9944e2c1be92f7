// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointwise kernels beside the interpreter: movement, indexing, types, odd
// sizes.

#include "FusionText.h"
#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::testing;

namespace {

class PointwiseFixture : public ::testing::Test {
protected:
  PointwiseFixture() : harness(kernels::emitKernels) {}

  void check(const std::string &arguments, const std::string &result,
             const std::string &body,
             std::vector<std::vector<int64_t>> shapes = {}) {
    harness.check(fusionText("pointwise", arguments, result, body),
                  std::move(shapes));
  }

  KernelHarness harness;
};

class PointwiseKernel : public PointwiseFixture,
                        public ::testing::WithParamInterface<unsigned> {
protected:
  PointwiseKernel() { harness.target.lanes = GetParam(); }
};

TEST_P(PointwiseKernel, AddsOddSizes) {
  for (const char *size : {"0", "1", "3", "17", "4095", "10000"}) {
    std::string type = "tensor<" + std::string(size) + "xf32>";
    check("%a : " + type + ", %b : " + type, type,
          "%r = graph.add %a, %b : " + type);
  }
}

TEST_P(PointwiseKernel, Scalars) {
  check("%a : tensor<f32>, %b : tensor<f32>", "tensor<f32>",
        "%r = graph.mul %a, %b : tensor<f32>");
}

TEST_P(PointwiseKernel, CollapsesAndBroadcasts) {
  check("%a : tensor<3x5x7xf32>, %b : tensor<7xf32>, %c : tensor<3x1x1xf32>",
        "tensor<3x5x7xf32>", R"(
    %0 = graph.broadcast %b [2] : tensor<7xf32> -> tensor<3x5x7xf32>
    %1 = graph.broadcast %c [0, 1, 2] : tensor<3x1x1xf32> -> tensor<3x5x7xf32>
    %2 = graph.add %a, %0 : tensor<3x5x7xf32>
    %r = graph.mul %2, %1 : tensor<3x5x7xf32>)");
  check("%a : tensor<20x30xf32>", "tensor<20x30xf32>",
        "%r = graph.neg %a : tensor<20x30xf32>");
}

TEST_P(PointwiseKernel, DynamicSizes) {
  check("%a : tensor<?x?xf32>, %b : tensor<?x?xf32>", "tensor<?x?xf32>",
        "%r = graph.add %a, %b : tensor<?x?xf32>", {{5, 13}, {5, 13}});
  check("%a : tensor<?x24xf32>", "tensor<?x2x12xf32>", R"(
    %n = graph.dim %a, 0 : tensor<?x24xf32>
    %r = graph.reshape %a [%n] : tensor<?x24xf32> -> tensor<?x2x12xf32>)",
        {{7, 24}});
  // Rows of one part, and of several.
  for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{
           {3, 7}, {0, 5}, {4, 0}, {3, 4095}, {2, 9000}})
    check("%a : tensor<?x?xf32>", "tensor<?x?xf32>",
          "%z = graph.constant dense<2.0> : tensor<f32>\n"
          "%r = graph.pad %a, %z [1, 1] [0, 2] [0, 0] : tensor<?x?xf32>, "
          "tensor<f32> -> tensor<?x?xf32>",
          {shape});
  // Several indices that no constant divides.
  for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{
           {2, 3, 4, 5}, {3, 0, 2, 7}, {1, 1, 1, 1}, {2, 2, 3, 5000}})
    check("%a : tensor<?x?x?x?xf32>", "tensor<?x?x?x?xf32>",
          "%t = graph.transpose %a [2, 0, 1, 3] : tensor<?x?x?x?xf32> -> "
          "tensor<?x?x?x?xf32>\n"
          "%r = graph.neg %t : tensor<?x?x?x?xf32>",
          {shape});
  // Strided rows, whose last vector is masked.
  for (int64_t stride : {2, 3, 4, 5})
    for (int64_t length : {1, 2, 7, 33, 70})
      check("%a : tensor<3x?xf32>", "tensor<3x?xf32>",
            "%n = graph.dim %a, 1 : tensor<3x?xf32>\n"
            "%s = graph.constant dense<" +
                std::to_string(stride) +
                "> : tensor<i64>\n"
                "%o = graph.constant dense<" +
                std::to_string(stride - 1) +
                "> : tensor<i64>\n"
                "%m = graph.add %n, %o : tensor<i64>\n"
                "%c = graph.div %m, %s : tensor<i64>\n"
                "%r = graph.slice %a [0, 0] [3, %c] [1, " +
                std::to_string(stride) +
                "] : tensor<3x?xf32> -> tensor<3x?xf32>",
            {{3, length}});
}

// Rows of unknown length between borders: the first and last vectors of a row
// have elements of both.
TEST_P(PointwiseKernel, BordersOfUnknownRows) {
  for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{
           {3, 2}, {0, 5}, {2, 15}, {3, 17}, {2, 33}, {1, 70}, {2, 9000}}) {
    std::string open = "tensor<?x?xf32>", border = "tensor<?x2xf32>";
    check("%a : " + open, open,
          "%n = graph.dim %a, 0 : " + open +
              "\n%m = graph.dim %a, 1 : " + open +
              "\n%two = graph.constant dense<2> : tensor<i64>\n"
              "%last = graph.sub %m, %two : tensor<i64>\n"
              "%f = graph.slice %a [0, 0] [%n, 2] [1, 1] : " +
              open + " -> " + border +
              "\n%l = graph.slice %a [0, %last] [%n, "
              "2] [1, 1] : " +
              open + " -> " + border + "\n%rf = graph.reverse %f [1] : " +
              border + "\n%r = graph.concat 1, %rf, %a, %l : (" + border +
              ", " + open + ", " + border + ") -> " + open,
          {shape});
    // Rows around rows, which are read at a chosen index.
    std::string rows = "tensor<2x?xf32>";
    check("%a : " + open, open,
          "%n = graph.dim %a, 0 : " + open +
              "\n%m = graph.dim %a, 1 : " + open +
              "\n%two = graph.constant dense<2> : tensor<i64>\n"
              "%last = graph.sub %n, %two : tensor<i64>\n"
              "%f = graph.slice %a [0, 0] [2, %m] [1, 1] : " +
              open + " -> " + rows +
              "\n%l = graph.slice %a [%last, 0] [2, %m] [1, 1] : " + open +
              " -> " + rows + "\n%rf = graph.reverse %f [0] : " + rows +
              "\n%r = graph.concat 0, %rf, %a, %l : (" + rows + ", " + open +
              ", " + rows + ") -> " + open,
          {{shape[1], shape[0]}});
    check("%a : " + open + ", %v : tensor<f32>", open,
          "%p = graph.pad %a, %v [0, 3] [1, 1] [0, 0] : " + open +
              ", tensor<f32> -> " + open + "\n%r = graph.neg %p : " + open,
          {shape, {}});
  }
}

TEST_P(PointwiseKernel, MergesHeads) {
  check("%a : tensor<2x3x5x12xf32>", "tensor<2x5x36xf32>", R"(
    %0 = graph.transpose %a [0, 2, 1, 3] : tensor<2x3x5x12xf32> -> tensor<2x5x3x12xf32>
    %r = graph.reshape %0 : tensor<2x5x3x12xf32> -> tensor<2x5x36xf32>)");
  check("%a : tensor<2x5x36xf32>", "tensor<2x3x5x12xf32>", R"(
    %0 = graph.reshape %a : tensor<2x5x36xf32> -> tensor<2x5x3x12xf32>
    %r = graph.transpose %0 [0, 2, 1, 3] : tensor<2x5x3x12xf32> -> tensor<2x3x5x12xf32>)");
}

TEST_P(PointwiseKernel, ReshapesAcrossBoundaries) {
  check("%a : tensor<6x10xf32>, %b : tensor<4x15xf32>", "tensor<4x15xf32>", R"(
    %0 = graph.reshape %a : tensor<6x10xf32> -> tensor<4x15xf32>
    %r = graph.add %0, %b : tensor<4x15xf32>)");
  check("%a : tensor<6x10xf32>", "tensor<10x6xf32>", R"(
    %0 = graph.transpose %a [1, 0] : tensor<6x10xf32> -> tensor<10x6xf32>
    %1 = graph.reshape %0 : tensor<10x6xf32> -> tensor<4x15xf32>
    %2 = graph.neg %1 : tensor<4x15xf32>
    %r = graph.reshape %2 : tensor<4x15xf32> -> tensor<10x6xf32>)");
}

TEST_P(PointwiseKernel, Transposes) {
  for (auto [rows, columns] :
       {std::pair(16, 16), std::pair(49, 33), std::pair(3, 40),
        std::pair(300, 5), std::pair(530, 24), std::pair(64, 512)}) {
    std::string from =
        "tensor<" + std::to_string(rows) + "x" + std::to_string(columns);
    std::string to =
        "tensor<" + std::to_string(columns) + "x" + std::to_string(rows);
    for (const char *element : {"xf32>", "xf64>", "xi8>", "xbf16>"})
      check("%a : " + from + element + ", %b : " + to + element, to + element,
            "%0 = graph.transpose %a [1, 0] : " + from + element + " -> " + to +
                element + "\n%r = graph.add %0, %b : " + to + element);
  }
}

TEST_P(PointwiseKernel, TransposesPadded) {
  check("%a : tensor<21x19xf32>, %v : tensor<f32>", "tensor<24x27xf32>", R"(
    %0 = graph.pad %a, %v [3, 2] [3, 3] [0, 0] : tensor<21x19xf32>, tensor<f32> -> tensor<27x24xf32>
    %r = graph.transpose %0 [1, 0] : tensor<27x24xf32> -> tensor<24x27xf32>)");
}

// Squares that overlap at the ends, and short rows whose last vector reaches
// into the next row; no read may pass the end of another operand.
TEST_P(PointwiseKernel, TransposesOddRows) {
  for (const char *element : {"f32", "f64", "f16", "ui8"})
    for (const char *row : {"5", "7", "12"})
      for (const char *rows : {"15", "263"}) {
        std::string type = std::string("x") + element + ">",
                    from = "tensor<2x" + std::string(row) + "x" + rows + type,
                    to = "tensor<2x" + std::string(rows) + "x" + row + type,
                    bias = "tensor<" + std::string(row) + type;
        check("%a : " + from + ", %b : " + bias, to,
              "%t = graph.transpose %a [0, 2, 1] : " + from + " -> " + to +
                  "\n%c = graph.broadcast %b [2] : " + bias + " -> " + to +
                  "\n%r = graph.add %t, %c : " + to);
      }
}

// Squares end inside of a tensor's rows, where another task's rows follow.
TEST_P(PointwiseKernel, TransposesOddRowsOfImages) {
  for (const char *row : {"1", "3", "7", "9"}) {
    std::string channels = row, from = "tensor<" + channels + "x15x31xf32>",
                to = "tensor<15x31x" + channels + "xf32>",
                line = "tensor<31x" + channels + "xf32>";
    check("%a : " + from + ", %b : " + line, to,
          "%t = graph.transpose %a [1, 2, 0] : " + from + " -> " + to +
              "\n%c = graph.broadcast %b [1, 2] : " + line + " -> " + to +
              "\n%r = graph.max %t, %c : " + to);
  }
}

// The result takes over the other operand's bytes.
TEST_P(PointwiseKernel, TransposesOddRowsInPlace) {
  harness.sharedOperand = 1;
  for (const char *row : {"5", "7", "12"}) {
    std::string from = "tensor<" + std::string(row) + "x263xf32>",
                to = "tensor<263x" + std::string(row) + "xf32>";
    check("%a : " + from + ", %b : " + to, to,
          "%t = graph.transpose %a [1, 0] : " + from + " -> " + to +
              "\n%r = graph.add %t, %b : " + to);
  }
}

TEST_P(PointwiseKernel, ChannelsLast) {
  check("%a : tensor<2x5x9x7xf32>", "tensor<2x9x7x5xf32>",
        "%r = graph.transpose %a [0, 2, 3, 1] : tensor<2x5x9x7xf32> -> "
        "tensor<2x9x7x5xf32>");
  check("%a : tensor<?x?x9x7xf32>", "tensor<?x9x7x?xf32>",
        "%r = graph.transpose %a [0, 2, 3, 1] : tensor<?x?x9x7xf32> -> "
        "tensor<?x9x7x?xf32>",
        {{2, 19, 9, 7}});
}

TEST_P(PointwiseKernel, PadsAndSlices) {
  check("%a : tensor<4x30xf32>, %v : tensor<f32>", "tensor<7x41xf32>",
        "%r = graph.pad %a, %v [1, 4] [2, 7] [0, 0] : tensor<4x30xf32>, "
        "tensor<f32> -> tensor<7x41xf32>");
  check("%a : tensor<4x30xf32>, %v : tensor<f32>", "tensor<9x57xf32>",
        "%r = graph.pad %a, %v [1, -2] [1, 0] [1, 1] : tensor<4x30xf32>, "
        "tensor<f32> -> tensor<9x57xf32>");
  check("%a : tensor<4x30xf32>", "tensor<2x9xf32>",
        "%r = graph.slice %a [1, 2] [2, 9] [2, 3] : tensor<4x30xf32> -> "
        "tensor<2x9xf32>");
  check("%a : tensor<?x30xf32>, %v : tensor<f32>", "tensor<?x41xf32>",
        "%r = graph.pad %a, %v [1, 4] [2, 7] [0, 0] : tensor<?x30xf32>, "
        "tensor<f32> -> tensor<?x41xf32>",
        {{3, 30}});
}

TEST_P(PointwiseKernel, FewElementsApart) {
  // Reads end with the last element of the operand.
  for (const char *stride : {"2", "3", "4", "5"})
    for (const char *element : {"f32", "f64", "i8", "bf16"}) {
      int64_t apart = stride[0] - '0';
      std::string from = "tensor<3x" + std::to_string(72 * apart + 1) + "x" +
                         element + ">",
                  to = std::string("tensor<3x73x") + element + ">";
      check("%a : " + from, to,
            "%r = graph.slice %a [0, 0] [3, 73] [1, " + std::string(stride) +
                "] : " + from + " -> " + to);
    }
  check("%a : tensor<2x9x23x3xf32>", "tensor<2x3x9x23xf32>",
        "%r = graph.transpose %a [0, 3, 1, 2] : tensor<2x9x23x3xf32> -> "
        "tensor<2x3x9x23xf32>");
  check("%a : tensor<2x16x8x4xf32>", "tensor<2x4x16x8xf32>",
        "%r = graph.transpose %a [0, 3, 1, 2] : tensor<2x16x8x4xf32> -> "
        "tensor<2x4x16x8xf32>");
}

// Elements of a lane lie between those of neighbouring lanes.
TEST_P(PointwiseKernel, StoresInTurns) {
  for (const char *element : {"f32", "ui8", "i64", "bf16", "i1"}) {
    std::string type = std::string("x") + element + ">";
    for (const char *times : {"2", "3", "4"}) {
      std::string wide = "tensor<3x37x" + std::string(times) + type,
                  flat = "tensor<3x" + std::to_string(37 * std::stoi(times)) +
                         type;
      check("%a : tensor<3x37" + type, flat,
            "%0 = graph.broadcast %a [0, 1] : tensor<3x37" + type + " -> " +
                wide + "\n%r = graph.reshape %0 : " + wide + " -> " + flat);
    }
    check("%a : tensor<3x9x23" + type, "tensor<9x23x3" + type,
          "%r = graph.transpose %a [1, 2, 0] : tensor<3x9x23" + type +
              " -> tensor<9x23x3" + type);
  }
  check("%a : tensor<5x19xf32>, %b : tensor<5x19xf32>", "tensor<5x38xf32>", R"(
    %0 = graph.reshape %a : tensor<5x19xf32> -> tensor<5x19x1xf32>
    %1 = graph.neg %b : tensor<5x19xf32>
    %2 = graph.reshape %1 : tensor<5x19xf32> -> tensor<5x19x1xf32>
    %3 = graph.concat 2, %0, %2 : (tensor<5x19x1xf32>, tensor<5x19x1xf32>) -> tensor<5x19x2xf32>
    %r = graph.reshape %3 : tensor<5x19x2xf32> -> tensor<5x38xf32>)");
  check("%a : tensor<?x2xf32>", "tensor<2x?xf32>", R"(
    %r = graph.transpose %a [1, 0] : tensor<?x2xf32> -> tensor<2x?xf32>)",
        {{21, 2}});
  check("%a : tensor<2x?xf32>", "tensor<?x2xf32>", R"(
    %r = graph.transpose %a [1, 0] : tensor<2x?xf32> -> tensor<?x2xf32>)",
        {{2, 21}});
}

TEST_P(PointwiseKernel, FunctionsOfDoubles) {
  harness.tolerance = 4e-16;
  for (const char *op : {"exp", "log", "sin", "cos", "tanh", "logistic"})
    check("%a : tensor<1003xf64>", "tensor<1003xf64>",
          "%r = graph." + std::string(op) + " %a : tensor<1003xf64>");
}

TEST_P(PointwiseKernel, Concatenates) {
  check("%a : tensor<3x20xf32>, %b : tensor<3x7xf32>, %c : tensor<3x1xf32>",
        "tensor<3x28xf32>",
        "%r = graph.concat 1, %a, %b, %c : (tensor<3x20xf32>, tensor<3x7xf32>, "
        "tensor<3x1xf32>) -> tensor<3x28xf32>");
  check("%a : tensor<2x20xf32>, %b : tensor<0x20xf32>, %c : tensor<1x20xf32>",
        "tensor<3x20xf32>",
        "%r = graph.concat 0, %a, %b, %c : (tensor<2x20xf32>, "
        "tensor<0x20xf32>, tensor<1x20xf32>) -> tensor<3x20xf32>");
  check("%a : tensor<3x?xf32>, %b : tensor<3x?xf32>", "tensor<3x?xf32>",
        "%r = graph.concat 1, %a, %b : (tensor<3x?xf32>, tensor<3x?xf32>) -> "
        "tensor<3x?xf32>",
        {{3, 21}, {3, 5}});
}

// Heads of queries, keys and values side by side: a vector's lanes are all of
// one operand, or not, by how wide a head is.
TEST_P(PointwiseKernel, JoinsHeads) {
  for (int64_t depth : {32, 16, 12, 8, 5}) {
    std::string d = std::to_string(depth), w = std::to_string(2 * depth),
                all = std::to_string(6 * depth),
                head = "tensor<3x2x4x" + d + "xf32>",
                turned = "tensor<3x4x2x" + d + "xf32>",
                rows = "tensor<3x4x" + w + "xf32>", body;
    for (std::string name : {"a", "b", "c"})
      body += "%t" + name + " = graph.transpose %" + name +
              " [0, 2, 1, 3] : " + head + " -> " + turned + "\n%r" + name +
              " = graph.reshape %t" + name + " : " + turned + " -> " + rows +
              "\n";
    check("%a : " + head + ", %b : " + head + ", %c : " + head,
          "tensor<3x4x" + all + "xf32>",
          body + "%r = graph.concat 2, %ra, %rb, %rc : (" + rows + ", " + rows +
              ", " + rows + ") -> tensor<3x4x" + all + "xf32>");
  }
}

// Transposed squares end where a pad or an operand does.
TEST_P(PointwiseKernel, TurnsWhatIsPaddedOrJoined) {
  check("%a : tensor<2x5x33x21xf32>", "tensor<2x21x6x36xf32>",
        "%z = graph.constant dense<7.0> : tensor<f32>\n"
        "%p = graph.pad %a, %z [0, 0, 1, 0] [0, 1, 2, 0] [0, 0, 0, 0] : "
        "tensor<2x5x33x21xf32>, tensor<f32> -> tensor<2x6x36x21xf32>\n"
        "%r = graph.transpose %p [0, 3, 1, 2] : tensor<2x6x36x21xf32> -> "
        "tensor<2x21x6x36xf32>");
  check("%a : tensor<40x50xf32>, %b : tensor<18x50xf32>", "tensor<50x58xf32>",
        "%s = graph.transpose %a [1, 0] : tensor<40x50xf32> -> "
        "tensor<50x40xf32>\n"
        "%t = graph.transpose %b [1, 0] : tensor<18x50xf32> -> "
        "tensor<50x18xf32>\n"
        "%r = graph.concat 1, %s, %t : (tensor<50x40xf32>, tensor<50x18xf32>) "
        "-> tensor<50x58xf32>");
}

TEST_P(PointwiseKernel, Reverses) {
  check("%a : tensor<5x37xf32>", "tensor<5x37xf32>",
        "%r = graph.reverse %a [0, 1] : tensor<5x37xf32>");
}

TEST_P(PointwiseKernel, ReversesMergedDimensions) {
  check("%a : tensor<3x17xf32>", "tensor<3x1x51xf32>", R"(
    %b = graph.broadcast %a [0, 1] : tensor<3x17xf32> -> tensor<3x17x3xf32>
    %m = graph.reshape %b : tensor<3x17x3xf32> -> tensor<3x1x51xf32>
    %r = graph.reverse %m [0, 1, 2] : tensor<3x1x51xf32>)");
  check("%a : tensor<6x4x2xf32>", "tensor<3x16xf32>", R"(
    %t = graph.transpose %a [0, 2, 1] : tensor<6x4x2xf32> -> tensor<6x2x4xf32>
    %m = graph.reshape %t : tensor<6x2x4xf32> -> tensor<3x16xf32>
    %r = graph.reverse %m [1] : tensor<3x16xf32>)");
  check("%a : tensor<7x5xf32>", "tensor<33xf32>", R"(
    %t = graph.transpose %a [1, 0] : tensor<7x5xf32> -> tensor<5x7xf32>
    %m = graph.reshape %t : tensor<5x7xf32> -> tensor<35xf32>
    %s = graph.slice %m [1] [33] [1] : tensor<35xf32> -> tensor<33xf32>
    %r = graph.reverse %s [0] : tensor<33xf32>)");
}

TEST_P(PointwiseKernel, Iota) {
  check("%a : tensor<5x37xf32>", "tensor<5x37xf32>", R"(
    %0 = graph.iota 1 : tensor<5x37xf32>
    %1 = graph.iota 0 : tensor<5x37xf32>
    %2 = graph.mul %0, %1 : tensor<5x37xf32>
    %r = graph.add %a, %2 : tensor<5x37xf32>)");
}

TEST_P(PointwiseKernel, Constants) {
  check("%a : tensor<3x4xf32>", "tensor<3x4xf32>", R"(
    %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %s = graph.constant dense<5.0> : tensor<3x4xf32>
    %0 = graph.broadcast %c [1] : tensor<4xf32> -> tensor<3x4xf32>
    %1 = graph.mul %a, %0 : tensor<3x4xf32>
    %r = graph.add %1, %s : tensor<3x4xf32>)");
}

TEST_P(PointwiseKernel, Gathers) {
  check("%t : tensor<9x21xf32>, %i : tensor<6x1xi64>", "tensor<6x21xf32>", R"(
    %r = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
      sizes [1, 21] : (tensor<9x21xf32>, tensor<6x1xi64>) -> tensor<6x21xf32>)");
  check("%t : tensor<9xf32>, %i : tensor<33x1xi32>", "tensor<33xf32>", R"(
    %r = graph.gather %t, %i <offset = [], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
      sizes [1] : (tensor<9xf32>, tensor<33x1xi32>) -> tensor<33xf32>)");
  check("%t : tensor<3x9xf32>, %i : tensor<3x5xui8>", "tensor<3x5xf32>", R"(
    %r = graph.gather %t, %i <offset = [], collapsed = [1], batching = [0] x [0], index_map = [1], index_vector_dim = 2>
      sizes [1, 1] : (tensor<3x9xf32>, tensor<3x5xui8>) -> tensor<3x5xf32>)");
}

TEST_P(PointwiseKernel, GathersOfReshapedRows) {
  // An index into a table that lies in memory as rows.
  check("%t : tensor<7x13xi64>, %i : tensor<33x1xi64>", "tensor<33xi64>", R"(
    %0 = graph.reshape %t : tensor<7x13xi64> -> tensor<91xi64>
    %r = graph.gather %0, %i <offset = [], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
      sizes [1] : (tensor<91xi64>, tensor<33x1xi64>) -> tensor<33xi64>)");
}

TEST_P(PointwiseKernel, GathersOfBytes) {
  // Rows that fit vectors, and shorter and longer ones; indices past the end.
  for (int64_t row : {5, 16, 24, 40, 54, 64, 65, 128, 200, 256})
    for (const char *element : {"i8", "ui8", "i16"})
      for (const char *place : {"ui8", "i8"}) {
        std::string length = std::to_string(row);
        std::string table = "tensor<3x" + length + "x" + element + ">",
                    places = "tensor<3x" + length + "x1x" + place + ">";
        check("%t : " + table + ", %i : " + places, table,
              "%r = graph.gather %t, %i <offset = [], collapsed = [1], "
              "batching = [0] x [0], index_map = [1], index_vector_dim = 2> "
              "sizes [1, 1] : (" +
                  table + ", " + places + ") -> " + table);
      }
}

TEST_P(PointwiseKernel, DynamicSlices) {
  check("%a : tensor<6x20xf32>, %i : tensor<i32>, %j : tensor<i32>",
        "tensor<2x11xf32>",
        "%r = graph.dynamic_slice %a, %i, %j : (tensor<6x20xf32>, tensor<i32>, "
        "tensor<i32>) -> tensor<2x11xf32>");
  check("%a : tensor<6x20xf32>, %u : tensor<2x20xf32>, %i : tensor<i64>, %j : "
        "tensor<i64>",
        "tensor<6x20xf32>",
        "%r = graph.dynamic_update_slice %a, %u, %i, %j : (tensor<6x20xf32>, "
        "tensor<2x20xf32>, tensor<i64>, tensor<i64>) -> tensor<6x20xf32>");
  check("%a : tensor<6x20xf32>, %u : tensor<2x9xf32>, %i : tensor<i32>, %j : "
        "tensor<i32>",
        "tensor<6x20xf32>",
        "%r = graph.dynamic_update_slice %a, %u, %i, %j : (tensor<6x20xf32>, "
        "tensor<2x9xf32>, tensor<i32>, tensor<i32>) -> tensor<6x20xf32>");
  // Rows and columns of the slice look like one loop if the start is left out:
  // then they are 2 and 1 apart in memory.
  check("%a : tensor<8x6x2xf32>, %i : tensor<i64>, %j : tensor<i64>",
        "tensor<12x2xf32>",
        "%0 = graph.reshape %a : tensor<8x6x2xf32> -> tensor<2x2x2x6x2xf32>\n"
        "%1 = graph.transpose %0 [2, 3, 0, 1, 4] : tensor<2x2x2x6x2xf32> -> "
        "tensor<2x6x2x2x2xf32>\n"
        "%2 = graph.reshape %1 : tensor<2x6x2x2x2xf32> -> tensor<12x8xf32>\n"
        "%r = graph.dynamic_slice %2, %i, %j : (tensor<12x8xf32>, tensor<i64>, "
        "tensor<i64>) -> tensor<12x2xf32>");
}

/// Every op and type, at one width.
class ElementTypes : public PointwiseFixture {
protected:
  ElementTypes() { harness.target.lanes = 8; }
};

TEST_F(ElementTypes, IntegerOps) {
  for (const char *element : {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32",
                              "ui64", "i4", "ui4"}) {
    std::string type = std::string("tensor<40x") + element + ">";
    for (const char *op :
         {"add", "sub", "mul", "div", "rem", "floor_mod", "pow", "max", "min",
          "and", "or", "xor", "shift_left", "shift_right_arithmetic",
          "shift_right_logical"})
      check("%a : " + type + ", %b : " + type, type,
            std::string("%r = graph.") + op + " %a, %b : " + type);
    for (const char *op :
         {"abs", "neg", "sign", "not", "popcount", "count_leading_zeros"})
      check("%a : " + type, type,
            std::string("%r = graph.") + op + " %a : " + type);
  }
}

TEST_F(ElementTypes, FloatOps) {
  harness.tolerance = 1e-6;
  for (const char *element : {"f32", "f64", "f16", "bf16"}) {
    std::string type = std::string("tensor<40x") + element + ">";
    for (const char *op : {"add", "sub", "mul", "div", "rem", "floor_mod",
                           "max", "min", "atan2", "pow"})
      check("%a : " + type + ", %b : " + type, type,
            std::string("%r = graph.") + op + " %a, %b : " + type);
    for (const char *op : {"abs", "neg", "sign", "floor", "ceil", "round_even",
                           "round_away", "sqrt", "rsqrt", "exp", "log", "tanh",
                           "erf", "sin", "cos", "logistic", "cbrt"})
      check("%a : " + type, type,
            std::string("%r = graph.") + op + " %a : " + type);
    check("%a : " + type, "tensor<40xi1>",
          "%r = graph.is_finite %a : " + type + " -> tensor<40xi1>");
  }
}

// Known divisors, whose quotients are bits of those by division: ends of the
// range, both zeros, and NaN.
TEST_F(ElementTypes, QuotientsByANumber) {
  std::vector<float> numbers = {0.0f,
                                -0.0f,
                                1.0f,
                                -5.5f,
                                3e38f,
                                -3e38f,
                                1e-20f,
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()};
  harness.fill = [&](mlir::RankedTensorType type, unsigned) {
    Tensor tensor(type);
    auto *to = reinterpret_cast<float *>(tensor.writable());
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      to[i] =
          i < int64_t(numbers.size()) ? numbers[i] : float(i) * 0.37f - 300.0f;
    return tensor;
  };
  harness.tolerance = 0;
  for (const char *number :
       {"0.0187175535", "-3.0", "0.125", "1.0e-12", "1.0e30", "0.0", "1.0e-44"})
    check("%a : tensor<2000xf32>", "tensor<2000xf32>",
          std::string("%c = graph.constant dense<") + number +
              "> : tensor<2000xf32>\n%r = graph.div %a, %c : tensor<2000xf32>");
}

// Halves, the largest numbers, denormals, and NaN beside them: vectors without
// denormals are rounded by another instruction.
TEST_F(ElementTypes, RoundsToBF16) {
  constexpr uint32_t numbers[] = {
      0x00000000, 0x80000000, 0x3f808000, 0x3f818000, 0x3f807fff, 0x3f808001,
      0x7f7f7fff, 0x7f7f8000, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
      0x7fffffff, 0xffffffff, 0x7f800001, 0x00800000, 0x00807fff, 0x80808000};
  constexpr uint32_t denormals[] = {0x00000001, 0x00007fff, 0x00008000,
                                    0x00008001, 0x00018000, 0x007f7fff,
                                    0x007fffff, 0x80008001, 0x807fffff};
  constexpr int64_t ordinary = 256;
  harness.fill = [&](mlir::RankedTensorType type, unsigned) {
    Tensor tensor(type);
    auto *to = reinterpret_cast<uint32_t *>(tensor.writable());
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      to[i] = i >= ordinary && i % 3 == 0 ? denormals[i % std::size(denormals)]
                                          : numbers[i % std::size(numbers)];
    return tensor;
  };
  for (unsigned lanes : {4u, 8u, 16u}) {
    harness.target.lanes = lanes;
    check("%a : tensor<500xf32>", "tensor<500xbf16>",
          "%r = graph.convert %a : tensor<500xf32> -> tensor<500xbf16>");
    check("%a : tensor<500xf32>", "tensor<500xf32>",
          "%0 = graph.convert %a : tensor<500xf32> -> tensor<500xbf16>\n"
          "%r = graph.convert %0 : tensor<500xbf16> -> tensor<500xf32>");
  }
}

// Quotients: rounding of halves, bounds, values out of range and NaN; with
// constant zero points and others.
TEST_F(ElementTypes, Quantizes) {
  std::vector<float> numbers = {0.0f,
                                -0.0f,
                                3e38f,
                                -3e38f,
                                5e9f,
                                -5e9f,
                                8388607.5f,
                                std::nextafter(0.5f, 0.0f),
                                std::nextafter(0.5f, 1.0f),
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::quiet_NaN()};
  harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
    if (!type.getElementType().isF32())
      return smallIntegers(type, number);
    Tensor tensor(type);
    auto *to = reinterpret_cast<float *>(tensor.writable());
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      to[i] =
          i < int64_t(numbers.size()) ? numbers[i] : float(i) * 0.25f - 300.0f;
    return tensor;
  };
  struct Case {
    const char *element, *least, *most, *zero;
  };
  for (Case c : {Case{"ui8", "0.0", "255.0", "0.0"},
                 Case{"ui8", "0.0", "255.0", "131.0"},
                 Case{"i8", "-128.0", "127.0", "0.0"},
                 Case{"i8", "-128.0", "127.0", "-7.0"},
                 Case{"ui16", "0.0", "65535.0", "32769.0"},
                 Case{"i16", "-32768.0", "32767.0", "5.0"},
                 Case{"i8", "-8.0", "7.0", "3.0"}}) {
    auto convert = [&](const std::string &zero, const std::string &divisor) {
      return zero + "%d = graph.constant dense<" + divisor +
             "> : tensor<2500xf32>\n" +
             "%q = graph.div %a, %d : tensor<2500xf32>\n" +
             "%0 = graph.round_even %q : tensor<2500xf32>\n" +
             "%1 = graph.add %0, %z : tensor<2500xf32>\n" +
             "%l = graph.constant dense<" + c.least + "> : tensor<2500xf32>\n" +
             "%m = graph.constant dense<" + c.most + "> : tensor<2500xf32>\n" +
             "%2 = graph.max %1, %l : tensor<2500xf32>\n" +
             "%3 = graph.min %2, %m : tensor<2500xf32>\n" +
             "%r = graph.convert %3 : tensor<2500xf32> -> tensor<2500x" +
             c.element + ">";
    };
    std::string result = std::string("tensor<2500x") + c.element + ">";
    for (const char *divisor : {"1.0", "0.5", "0.7", "1.0e-3", "1.0e20"})
      check("%a : tensor<2500xf32>", result,
            convert(std::string("%z = graph.constant dense<") + c.zero +
                        "> : tensor<2500xf32>\n",
                    divisor));
    check(std::string("%a : tensor<2500xf32>, %b : tensor<") + c.element + ">",
          result,
          convert(std::string("%c = graph.convert %b : tensor<") + c.element +
                      "> -> tensor<f32>\n%z = graph.broadcast %c [] : "
                      "tensor<f32> -> tensor<2500xf32>\n",
                  "0.25"));
  }
}

// Quotients of a few bits, of more than a mantissa has, and of all exponents.
TEST_F(ElementTypes, Remainders) {
  for (const char *element : {"f32", "f64"})
    for (const char *factor : {"1.0", "1.0e9", "1.0e30"}) {
      std::string type = std::string("tensor<200x") + element + ">";
      for (const char *op : {"rem", "floor_mod"})
        check("%a : " + type + ", %b : " + type, type,
              std::string("%c = graph.constant dense<") + factor +
                  "> : " + type + "\n%0 = graph.mul %a, %c : " + type +
                  "\n%r = graph." + op + " %0, %b : " + type);
    }
}

TEST_F(ElementTypes, ComparesAndSelects) {
  for (const char *element : {"f32", "f64", "bf16", "i32", "ui8", "i1"}) {
    std::string type = std::string("tensor<40x") + element + ">";
    for (const char *direction : {"eq", "ne", "lt", "le", "gt", "ge"})
      check("%a : " + type + ", %b : " + type, type,
            "%0 = graph.compare " + std::string(direction) +
                ", %a, %b : " + type + " -> tensor<40xi1>\n" +
                "%r = graph.select %0, %a, %b : tensor<40xi1>, " + type);
  }
  check("%a : tensor<40xf32>, %l : tensor<40xf32>, %h : tensor<40xf32>",
        "tensor<40xf32>", "%r = graph.clamp %l, %a, %h : tensor<40xf32>");
}

TEST_F(ElementTypes, Converts) {
  std::vector<std::string> elements = {"f32",  "f64",  "f16", "bf16", "i1",
                                       "i8",   "i16",  "i32", "i64",  "ui8",
                                       "ui32", "ui64", "i4",  "ui4"};
  for (const std::string &from : elements)
    for (const std::string &to : elements)
      check("%a : tensor<37x" + from + ">", "tensor<37x" + to + ">",
            "%r = graph.convert %a : tensor<37x" + from + "> -> tensor<37x" +
                to + ">");
  check("%a : tensor<37xf32>", "tensor<37xi32>",
        "%r = graph.bitcast %a : tensor<37xf32> -> tensor<37xi32>");
  check("%a : tensor<37xi16>", "tensor<37xbf16>",
        "%r = graph.bitcast %a : tensor<37xi16> -> tensor<37xbf16>");
  check("%a : tensor<37xf16>", "tensor<37xui16>",
        "%r = graph.bitcast %a : tensor<37xf16> -> tensor<37xui16>");
}

TEST_P(PointwiseKernel, FoldsInPlace) {
  check("%a : tensor<5x37xf32>", "tensor<5x37xf32>", R"(
    %0 = graph.cumulative sum, %a 1 : tensor<5x37xf32>
    %r = graph.add %0, %a : tensor<5x37xf32>)");
  check("%a : tensor<5x37xf32>", "tensor<5x37xf32>",
        "%r = graph.cumulative max, %a 0 exclusive reverse : tensor<5x37xf32>");
  // Few columns, some that fit in registers, and rows kept in the result.
  for (const char *shape : {"40x3", "40x7", "9x60", "9x300", "5x2500"}) {
    std::string type = std::string("tensor<") + shape + "xf32>";
    for (const char *how : {"", " reverse", " exclusive"})
      check("%a : " + type, type,
            "%r = graph.cumulative sum, %a 0" + std::string(how) + " : " +
                type);
  }
  for (const char *how : {"", " exclusive reverse"})
    check("%a : tensor<3x5x200xf16>", "tensor<3x5x200xf16>",
          "%r = graph.cumulative sum, %a 1" + std::string(how) +
              " : tensor<3x5x200xf16>");
  // Rows of small floats side by side.
  for (const char *type : {"tensor<19x37xf16>", "tensor<2x3x9x5xbf16>"})
    for (const char *how : {"", " exclusive reverse"})
      check("%a : " + std::string(type), type,
            "%r = graph.cumulative sum, %a 1" + std::string(how) + " : " +
                type);
  check("%a : tensor<5x200xi64>", "tensor<5x200xi64>", R"(
    %0 = graph.cumulative max, %a 0 : tensor<5x200xi64>
    %r = graph.add %0, %a : tensor<5x200xi64>)");
}

// Rows of unknown length are scanned in registers where they are short.
TEST_P(PointwiseKernel, FoldsRowsOfUnknownLength) {
  std::string type = "tensor<?x?x?xf32>";
  for (int64_t columns : {0, 1, 7, 8, 60, 131, 1200})
    for (const char *how : {"", " reverse", " exclusive"})
      for (int64_t steps : {0, 1, 9})
        check("%a : " + type, type,
              "%r = graph.cumulative sum, %a 1" + std::string(how) + " : " +
                  type,
              {{3, steps, columns}});
}

// Indices of rows are counted up, also where a task begins between rows.
TEST_P(PointwiseKernel, CountsRowsOfUnknownSizes) {
  std::string type = "tensor<?x?x?x?xf32>";
  for (std::vector<int64_t> shape :
       std::vector<std::vector<int64_t>>{{1, 1, 1, 1},
                                         {2, 3, 5, 7},
                                         {3, 1, 17, 8},
                                         {0, 4, 2, 9},
                                         {4, 0, 3, 8},
                                         {2, 3, 4, 0},
                                         {2, 2, 3, 9000}}) {
    check("%a : " + type + ", %z : tensor<f32>", type,
          "%r = graph.pad %a, %z [0, 1, 2, 1] [1, 0, 1, 2] [0, 0, 0, 0] : " +
              type + ", tensor<f32> -> " + type,
          {shape, {}});
    check("%a : " + type, type,
          "%0 = graph.transpose %a [2, 0, 1, 3] : " + type + " -> " + type +
              "\n%r = graph.reverse %0 [1, 2] : " + type,
          {shape});
    check("%a : " + type, "tensor<?x?xf32>",
          "%r = graph.reduce sum, %a [0, 2] : " + type + " -> tensor<?x?xf32>",
          {shape});
  }
}

// Of squares of unknown sizes, tasks have one chunk of rows, or several; rows
// of few lanes are shorter than half a vector.
TEST_P(PointwiseKernel, TransposesUnknownSizes) {
  std::string of4 = "tensor<?x?x?x?xf32>", of5 = "tensor<?x?x?x?x?xf32>";
  for (std::vector<int64_t> shape :
       std::vector<std::vector<int64_t>>{{2, 3, 20, 30},
                                         {1, 9, 7, 8},
                                         {7, 8, 1, 9},
                                         {8, 1, 3, 17},
                                         {9, 2, 3, 7},
                                         {17, 3, 2, 1},
                                         {3, 2, 2, 600},
                                         {0, 2, 3, 4},
                                         {2, 0, 3, 4},
                                         {4, 3, 2, 0}})
    check("%a : " + of4, of4,
          "%r = graph.transpose %a [3, 2, 1, 0] : " + of4 + " -> " + of4,
          {shape});
  for (std::vector<int64_t> shape :
       std::vector<std::vector<int64_t>>{{1, 4, 7, 4, 7},
                                         {2, 7, 1, 8, 9},
                                         {1, 8, 2, 9, 17},
                                         {3, 9, 2, 1, 8},
                                         {1, 2, 3, 17, 1},
                                         {1, 3, 0, 2, 4}})
    check("%a : " + of5, of5,
          "%r = graph.transpose %a [0, 2, 4, 1, 3] : " + of5 + " -> " + of5,
          {shape});
}

TEST_P(PointwiseKernel, LongRowsOfFewTasks) {
  for (const char *element : {"f32", "i8", "f64"}) {
    std::string from = std::string("tensor<1100x35x") + element + ">",
                to = std::string("tensor<35x1100x") + element + ">";
    check("%a : " + from + ", %b : " + to, to,
          "%0 = graph.transpose %a [1, 0] : " + from + " -> " + to +
              "\n%r = graph.add %0, %b : " + to);
  }
}

TEST_P(PointwiseKernel, PlacesForAllChannels) {
  // Indices are computed once and used for all channels.
  check("%x : tensor<3x20x7xf32>, %p : tensor<45xf32>, %q : tensor<45xf32>",
        "tensor<3x45xf32>", R"(
    %a = graph.abs %p : tensor<45xf32>
    %b = graph.mul %a, %a : tensor<45xf32>
    %c = graph.floor %b : tensor<45xf32>
    %d = graph.convert %c : tensor<45xf32> -> tensor<45xi32>
    %e = graph.reshape %d : tensor<45xi32> -> tensor<45x1xi32>
    %f = graph.sub %q, %p : tensor<45xf32>
    %g = graph.abs %f : tensor<45xf32>
    %h = graph.add %g, %a : tensor<45xf32>
    %i = graph.floor %h : tensor<45xf32>
    %j = graph.convert %i : tensor<45xf32> -> tensor<45xi32>
    %k = graph.reshape %j : tensor<45xi32> -> tensor<45x1xi32>
    %l = graph.concat 1, %e, %k : (tensor<45x1xi32>, tensor<45x1xi32>) -> tensor<45x2xi32>
    %m = graph.gather %x, %l <offset = [0], collapsed = [1, 2], batching = [] x [], index_map = [1, 2], index_vector_dim = 1> sizes [3, 1, 1] : (tensor<3x20x7xf32>, tensor<45x2xi32>) -> tensor<3x45xf32>
    %n = graph.broadcast %h [1] : tensor<45xf32> -> tensor<3x45xf32>
    %r = graph.mul %m, %n : tensor<3x45xf32>)");
}

// The same where only a run knows how many channels there are.
TEST_P(PointwiseKernel, PlacesForUnknownChannels) {
  for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{
           {0, 5, 9}, {1, 1, 1}, {7, 0, 8}, {8, 9, 17}, {9, 8, 0}, {17, 3, 70}})
    check("%x : tensor<?x?x3x7xf32>, %p : tensor<?xf32>, %q : tensor<?xf32>",
          "tensor<?x?x3x?xf32>", R"(
    %a = graph.abs %p : tensor<?xf32>
    %b = graph.mul %a, %a : tensor<?xf32>
    %c = graph.floor %b : tensor<?xf32>
    %f = graph.sub %q, %p : tensor<?xf32>
    %g = graph.abs %f : tensor<?xf32>
    %h = graph.add %g, %a : tensor<?xf32>
    %i = graph.floor %h : tensor<?xf32>
    %j = graph.max %i, %c : tensor<?xf32>
    %k = graph.add %j, %g : tensor<?xf32>
    %l = graph.convert %k : tensor<?xf32> -> tensor<?xi32>
    %m = graph.gather %x, %l <offset = [0, 1, 2], collapsed = [3], batching = [] x [], index_map = [3], index_vector_dim = 1> sizes [-1, -1, 3, 1] : (tensor<?x?x3x7xf32>, tensor<?xi32>) -> tensor<?x?x3x?xf32>
    %d0 = graph.dim %x, 0 : tensor<?x?x3x7xf32>
    %d1 = graph.dim %x, 1 : tensor<?x?x3x7xf32>
    %d2 = graph.dim %p, 0 : tensor<?xf32>
    %n = graph.broadcast %h [3] [%d0, %d1, %d2] : tensor<?xf32> -> tensor<?x?x3x?xf32>
    %r = graph.mul %m, %n : tensor<?x?x3x?xf32>)",
          {{shape[0], shape[1], 3, 7}, {shape[2]}, {shape[2]}});
}

TEST_P(PointwiseKernel, InPlace) {
  harness.sharedOperand = 0;
  check("%a : tensor<30x33xf32>, %b : tensor<33x30xf32>", "tensor<30x33xf32>",
        R"(
    %0 = graph.transpose %b [1, 0] : tensor<33x30xf32> -> tensor<30x33xf32>
    %1 = graph.mul %a, %0 : tensor<30x33xf32>
    %r = graph.add %1, %a : tensor<30x33xf32>)");
  check("%a : tensor<5000xf32>, %b : tensor<5000xf32>", "tensor<5000xf32>",
        "%r = graph.sub %a, %b : tensor<5000xf32>");
}

TEST_P(PointwiseKernel, Gelu) {
  harness.tolerance = 1e-6;
  check("%a : tensor<40xf32>", "tensor<40xf32>", R"(
    %c = graph.constant dense<0.707106781> : tensor<40xf32>
    %one = graph.constant dense<1.0> : tensor<40xf32>
    %half = graph.constant dense<0.5> : tensor<40xf32>
    %0 = graph.mul %a, %c : tensor<40xf32>
    %1 = graph.erf %0 : tensor<40xf32>
    %2 = graph.add %1, %one : tensor<40xf32>
    %3 = graph.mul %a, %2 : tensor<40xf32>
    %r = graph.mul %3, %half : tensor<40xf32>)");
}

TEST_P(PointwiseKernel, GeluByTanhVanishes) {
  const std::vector<float> numbers{-INFINITY, INFINITY, NAN,  -3e38f,
                                   3e38f,     -1e30f,   -20,  20,
                                   -8,        -3,       -0.0, 0.5};
  harness.fill = [&](mlir::RankedTensorType type, unsigned) {
    Tensor tensor(type);
    std::copy(numbers.begin(), numbers.end(),
              reinterpret_cast<float *>(tensor.writable()));
    return tensor;
  };
  harness.tolerance = 1e-6;
  check("%a : tensor<12xf32>", "tensor<12xf32>", R"(
    %c = graph.constant dense<0.797884561> : tensor<12xf32>
    %cubic = graph.constant dense<0.044715> : tensor<12xf32>
    %one = graph.constant dense<1.0> : tensor<12xf32>
    %half = graph.constant dense<0.5> : tensor<12xf32>
    %0 = graph.mul %a, %a : tensor<12xf32>
    %1 = graph.mul %0, %a : tensor<12xf32>
    %2 = graph.mul %1, %cubic : tensor<12xf32>
    %3 = graph.add %a, %2 : tensor<12xf32>
    %4 = graph.mul %3, %c : tensor<12xf32>
    %5 = graph.tanh %4 : tensor<12xf32>
    %6 = graph.add %5, %one : tensor<12xf32>
    %7 = graph.mul %a, %half : tensor<12xf32>
    %r = graph.mul %7, %6 : tensor<12xf32>)");
}

INSTANTIATE_TEST_SUITE_P(Lanes, PointwiseKernel,
                         ::testing::Values(4u, 8u, 16u));

} // namespace
