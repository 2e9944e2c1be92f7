// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls against the interpreter: shapes with and without remainders, every
// form of B, movement before and after, types.

#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include "lowering/schedule/EpilogueForm.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::KernelHarness;

namespace {

class ContractionKernel : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};

  static std::string matrixText(const std::string &m, const std::string &k,
                                const std::string &n,
                                const std::string &element = "f32",
                                const std::string &result = "f32") {
    auto type = [](const std::string &x, const std::string &y,
                   const std::string &of) {
      return "tensor<" + x + "x" + y + "x" + of + ">";
    };
    std::string a = type(m, k, element), b = type(k, n, element),
                c = type(m, n, result);
    return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c +
           " {\n  %r = graph.fusion contraction (%x = %a : " + a +
           ", %y = %b : " + b + ") -> " + c +
           " {\n    %d = graph.dot_general %x, %y <batching = [] x [], "
           "contracting = [1] x [0]> : (" +
           a + ", " + b + ") -> " + c + "\n    graph.yield %d : " + c +
           "\n  }\n  return %r : " + c + "\n}";
  }
  static std::string number(int64_t x) {
    return x < 0 ? "?" : std::to_string(x);
  }
  void checkMatrix(int64_t m, int64_t k, int64_t n) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(k) + "x" +
                 std::to_string(n));
    harness.check(
        matrixText(number(m), number(k), number(n)),
        {{m < 0 ? 8 : m, k < 0 ? 9 : k}, {k < 0 ? 9 : k, n < 0 ? 10 : n}});
  }
};

TEST_F(ContractionKernel, StaticShapes) {
  for (auto [m, k, n] : std::vector<std::tuple<int, int, int>>{{1, 1, 1},
                                                               {6, 8, 16},
                                                               {7, 5, 17},
                                                               {13, 33, 31},
                                                               {5, 64, 48},
                                                               {2, 3, 100},
                                                               {1, 40, 33},
                                                               {3, 7, 1},
                                                               {64, 1, 16}})
    checkMatrix(m, k, n);
}

TEST_F(ContractionKernel, NothingToSumOrToStore) {
  checkMatrix(5, 0, 17);
  checkMatrix(0, 4, 17);
  checkMatrix(5, 4, 0);
}

/// A fusion of two operands: BODY uses %x and %y and yields %r.
std::string fusionText(const std::string &a, const std::string &b,
                       const std::string &c, const std::string &body,
                       const std::string &more = "",
                       const std::string &moreType = "") {
  bool third = !more.empty();
  std::string text =
      "func.func @main(%a: " + a + ", %b: " + b +
      (third ? ", %c: " + moreType : "") + ") -> " + c +
      " {\n  %r = graph.fusion contraction (%x = %a : " + a +
      ", %y = %b : " + b + (third ? ", %" + more + " = %c : " + moreType : "") +
      ") -> " + c + " {\n" + body + "\n    graph.yield %r : " + c +
      "\n  }\n  return %r : " + c + "\n}";
  return text;
}

TEST_F(ContractionKernel, DynamicShapes) {
  std::string text = matrixText("?", "?", "?");
  for (auto [m, k, n] : std::vector<std::tuple<int, int, int>>{{1, 1, 1},
                                                               {13, 7, 33},
                                                               {0, 3, 4},
                                                               {4, 0, 5},
                                                               {3, 5, 0},
                                                               {35, 19, 16}}) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(k) + "x" +
                 std::to_string(n));
    harness.check(text, {{m, k}, {k, n}});
  }
  for (int m = 0; m < 20; ++m)
    harness.check(matrixText("?", "9", "20"), {{m, 9}, {9, 20}});
}

TEST_F(ContractionKernel, ElementTypes) {
  for (const char *type :
       {"f64", "i32", "i64", "ui8", "i8", "i16", "ui32", "bf16", "f16"}) {
    SCOPED_TRACE(type);
    harness.check(matrixText("7", "5", "19", type, type));
    harness.check(matrixText("2", "9", "16", type, type));
  }
  harness.check(matrixText("7", "5", "19", "i8", "i32"));
  harness.check(matrixText("7", "5", "19", "ui8", "i32"));
  harness.check(matrixText("7", "5", "19", "bf16", "f32"));
  harness.check(matrixText("7", "5", "19", "f16", "f32"));
  EXPECT_NE(harness.refusal(
                matrixText("2", "3", "4", "complex<f32>", "complex<f32>")),
            "");
}

TEST_F(ContractionKernel, TransposedOperands) {
  // B^T: a dot kernel for few rows, transposed panels for many.
  for (int m : {1, 3, 5, 17})
    for (int k : {1, 8, 21, 64})
      for (int n : {1, 9, 16, 33}) {
        std::string a = "tensor<" + std::to_string(m) + "x" +
                        std::to_string(k) + "xf32>",
                    b = "tensor<" + std::to_string(n) + "x" +
                        std::to_string(k) + "xf32>",
                    c = "tensor<" + std::to_string(m) + "x" +
                        std::to_string(n) + "xf32>";
        SCOPED_TRACE(a + b);
        harness.check(fusionText(
            a, b, c,
            "%r = graph.dot_general %x, %y <batching = [] x [], contracting = "
            "[1] x [1]> : (" +
                a + ", " + b + ") -> " + c));
      }
  harness.check(fusionText(
      "tensor<9x13xf32>", "tensor<9x21xf32>", "tensor<13x21xf32>",
      "%r = graph.dot_general %x, %y <batching = [] x [], contracting = [0] x "
      "[0]> : (tensor<9x13xf32>, tensor<9x21xf32>) -> tensor<13x21xf32>"));
  harness.check(fusionText(
      "tensor<9x13xf64>", "tensor<21x9xf64>", "tensor<13x21xf64>",
      "%r = graph.dot_general %x, %y <batching = [] x [], contracting = [0] x "
      "[1]> : (tensor<9x13xf64>, tensor<21x9xf64>) -> tensor<13x21xf64>"));
  harness.check(
      fusionText(
          "tensor<?x?xf32>", "tensor<?x?xf32>", "tensor<?x?xf32>",
          "%r = graph.dot_general %x, %y <batching = [] x [], contracting = "
          "[1] x "
          "[1]> : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>"),
      {{11, 13}, {21, 13}});
}

TEST_F(ContractionKernel, VectorsAndOuterProducts) {
  harness.check(fusionText(
      "tensor<37xf32>", "tensor<37x21xf32>", "tensor<21xf32>",
      "%r = graph.dot_general %x, %y <batching = [] x [], contracting = [0] x "
      "[0]> : (tensor<37xf32>, tensor<37x21xf32>) -> tensor<21xf32>"));
  harness.check(fusionText(
      "tensor<21x37xf32>", "tensor<37xf32>", "tensor<21xf32>",
      "%r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x "
      "[0]> : (tensor<21x37xf32>, tensor<37xf32>) -> tensor<21xf32>"));
  harness.check(fusionText(
      "tensor<37xf32>", "tensor<37xf32>", "tensor<f32>",
      "%r = graph.dot_general %x, %y <batching = [] x [], contracting = [0] x "
      "[0]> : (tensor<37xf32>, tensor<37xf32>) -> tensor<f32>"));
  harness.check(fusionText(
      "tensor<5xf32>", "tensor<37xf32>", "tensor<5x37xf32>",
      "%r = graph.dot_general %x, %y <batching = [] x [], contracting = [] x "
      "[]> : (tensor<5xf32>, tensor<37xf32>) -> tensor<5x37xf32>"));
}

TEST_F(ContractionKernel, HeadsOfAttention) {
  // Scores: both operands [batch, length, heads, head size].
  std::string x = "tensor<?x7x3x16xf32>", s = "tensor<?x3x7x7xf32>";
  harness.check(
      fusionText(x, x, s,
                 "%r = graph.dot_general %x, %y <batching = [0, 2] x [0, 2], "
                 "contracting = [3] x [3]> : (" +
                     x + ", " + x + ") -> " + s),
      {{2, 7, 3, 16}, {2, 7, 3, 16}});
  // After transposes, and stored with merged heads.
  std::string p = "tensor<2x3x7x7xf32>", v = "tensor<2x7x48xf32>";
  harness.check(fusionText(p, v, v,
                           "%s = graph.reshape %y : " + v +
                               R"( -> tensor<2x7x3x16xf32>
    %t = graph.transpose %s [0, 2, 1, 3] : tensor<2x7x3x16xf32> -> tensor<2x3x7x16xf32>
    %d = graph.dot_general %x, %t <batching = [0, 1] x [0, 1], contracting = [3] x [2]> : (tensor<2x3x7x7xf32>, tensor<2x3x7x16xf32>) -> tensor<2x3x7x16xf32>
    %u = graph.transpose %d [0, 2, 1, 3] : tensor<2x3x7x16xf32> -> tensor<2x7x3x16xf32>
    %r = graph.reshape %u : tensor<2x7x3x16xf32> -> )" +
                               v));
  // Heads merged into the batch.
  harness.check(
      fusionText(p, v, "tensor<6x7x16xf32>",
                 "%s = graph.reshape %y : " + v + R"( -> tensor<2x7x3x16xf32>
    %t = graph.transpose %s [0, 2, 1, 3] : tensor<2x7x3x16xf32> -> tensor<2x3x7x16xf32>
    %m = graph.reshape %t : tensor<2x3x7x16xf32> -> tensor<6x7x16xf32>
    %n = graph.reshape %x : tensor<2x3x7x7xf32> -> tensor<6x7x7xf32>
    %r = graph.dot_general %n, %m <batching = [0] x [0], contracting = [2] x [1]> : (tensor<6x7x7xf32>, tensor<6x7x16xf32>) -> tensor<6x7x16xf32>)"));
}

TEST_F(ContractionKernel, SumOverSplitDimension) {
  // The contracting dimension has two digits on the left: [heads, head size].
  harness.check(fusionText(
      "tensor<2x3x5x8xf32>", "tensor<24x19xf32>", "tensor<2x5x19xf32>",
      R"(%t = graph.transpose %x [0, 2, 1, 3] : tensor<2x3x5x8xf32> -> tensor<2x5x3x8xf32>
    %m = graph.reshape %t : tensor<2x5x3x8xf32> -> tensor<2x5x24xf32>
    %r = graph.dot_general %m, %y <batching = [] x [], contracting = [2] x [0]> : (tensor<2x5x24xf32>, tensor<24x19xf32>) -> tensor<2x5x19xf32>)"));
  // Two dimensions at once, in different orders.
  harness.check(fusionText(
      "tensor<5x3x4xf32>", "tensor<4x3x17xf32>", "tensor<5x17xf32>",
      "%r = graph.dot_general %x, %y <batching = [] x [], contracting = [1, 2] "
      "x [1, 0]> : (tensor<5x3x4xf32>, tensor<4x3x17xf32>) -> "
      "tensor<5x17xf32>"));
}

TEST_F(ContractionKernel, SlicesAndBroadcasts) {
  harness.check(fusionText(
      "tensor<8x20xf32>", "tensor<1x7x33xf32>", "tensor<2x4x17xf32>",
      R"(%s = graph.slice %x [1, 5] [4, 7] [2, 1] : tensor<8x20xf32> -> tensor<4x7xf32>
    %l = graph.broadcast %s [1, 2] : tensor<4x7xf32> -> tensor<2x4x7xf32>
    %t = graph.slice %y [0, 0, 9] [1, 7, 17] [1, 1, 1] : tensor<1x7x33xf32> -> tensor<1x7x17xf32>
    %u = graph.broadcast %t [0, 1, 2] : tensor<1x7x17xf32> -> tensor<2x7x17xf32>
    %r = graph.dot_general %l, %u <batching = [0] x [0], contracting = [2] x [1]> : (tensor<2x4x7xf32>, tensor<2x7x17xf32>) -> tensor<2x4x17xf32>)"));
  // Every third column: not contiguous, so panels are packed.
  harness.check(fusionText(
      "tensor<6x9xf32>", "tensor<9x60xf32>", "tensor<6x20xf32>",
      R"(%s = graph.slice %y [0, 2] [9, 20] [1, 3] : tensor<9x60xf32> -> tensor<9x20xf32>
    %r = graph.dot_general %x, %s <batching = [] x [], contracting = [1] x [0]> : (tensor<6x9xf32>, tensor<9x20xf32>) -> tensor<6x20xf32>)"));
}

/// Rows times a matrix in panels; -1: dynamic M.
static std::string packedText(int rows, int n, int panel, int kSize = 10) {
  int count = (n + panel - 1) / panel;
  std::string m = rows < 0 ? "?" : std::to_string(rows),
              k = std::to_string(kSize),
              split = std::to_string(count) + "x" + std::to_string(panel),
              wide =
                  "tensor<" + k + "x" + std::to_string(count * panel) + "xf32>",
              b = "tensor<" + k + "x" + std::to_string(n) + "xf32>",
              a = "tensor<" + m + "x" + k + "xf32>",
              w = "tensor<" + std::to_string(count) + "x" + k + "x" +
                  std::to_string(panel) + "xf32>",
              c = "tensor<" + m + "x" + std::to_string(n) + "xf32>";
  return fusionText(
      a, w, c,
      "%t = graph.transpose %y [1, 0, 2] : " + w + " -> tensor<" + k + "x" +
          split + "xf32>\n%f = graph.reshape %t : tensor<" + k + "x" + split +
          "xf32> -> " + wide + "\n%s = graph.slice %f [0, 0] [" + k + ", " +
          std::to_string(n) + "] [1, 1] : " + wide + " -> " + b +
          "\n%r = graph.dot_general %x, %s <batching = [] x [], contracting = "
          "[1] x [0]> : (" +
          a + ", " + b + ") -> " + c);
}

TEST_F(ContractionKernel, PackedParameter) {
  for (int n : {16, 33, 40})
    harness.check(packedText(7, n, 16));
}

TEST_F(ContractionKernel, SinglePanelIsReadInPlace) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.mr = 6;
  for (int n : {7, 24, 33, 64}) {
    harness.check(packedText(300, n, 64, 40));
    EXPECT_FALSE(llvm::any_of(harness.functions, [](const std::string &name) {
      return name.find("prepare") != std::string::npos;
    })) << n;
  }
}

TEST_F(ContractionKernel, HalfPanelsOfSmallM) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.mr = 6;
  for (int rows : {1, 7, 8, 12, 14, 15, 28, 31})
    for (int n : {33, 64, 100, 129})
      harness.check(packedText(rows, n, 32));
  // One tile of all rows.
  harness.check(packedText(13, 64, 32));
  EXPECT_TRUE(llvm::any_of(harness.functions, [](const std::string &name) {
    return name.find("13x2x16") != std::string::npos;
  }));
}

TEST_F(ContractionKernel, HalfPanelsOfDynamicM) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.mr = 6;
  for (int n : {64, 100})
    for (int rows : {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                     12, 13, 28, 29, 31, 32, 33, 34, 49, 60, 61})
      harness.check(packedText(-1, n, 32),
                    {{rows, 10}, {(n + 31) / 32, 10, 32}});
  auto has = [&](llvm::StringRef tile) {
    return llvm::any_of(harness.functions, [&](llvm::StringRef name) {
      return name.contains(tile);
    });
  };
  // Wide tiles of two panels, and the small-M variant, which has the
  // micro-kernels for what wide tiles leave too.
  for (const char *tile :
       {"_6x4x16_whole_by1x32_half_panels", "_14x2x16_or_less3_by",
        "_10x2x16_or_less7_skipped", "_2x2x16_or_less_by", "_14x1x16"})
    EXPECT_TRUE(has(tile)) << tile;
  for (const char *tile : {"_3x4x16", "_12x2x16", "_6x2x16", "_4x2x16"})
    EXPECT_FALSE(has(tile)) << tile;
  // The last of many panels has no micro-kernels of its own.
  for (int n : {1032, 1050})
    for (int rows : {5, 29, 30})
      harness.check(packedText(-1, n, 32), {{rows, 10}, {33, 10, 32}});
  EXPECT_FALSE(has("x1x16"));
  // Blocks of long K.
  for (int rows : {2, 13, 28, 70})
    harness.check(packedText(-1, 164, 32, 2100), {{rows, 2100}, {6, 2100, 32}});
}

// Few heights serve all numbers of rows, wherever B comes from: rows that are
// not there are skipped.
TEST_F(ContractionKernel, FewHeightsOfLargeB) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.mr = 6;
  harness.target.l1Bytes = 16 << 10;
  harness.target.l2Bytes = 32 << 10;
  for (int rows :
       {0, 1, 2, 3, 5, 6, 7, 10, 11, 12, 14, 17, 27, 29, 30, 31, 33}) {
    SCOPED_TRACE(rows);
    harness.check(packedText(-1, 100, 32, 100), {{rows, 100}, {4, 100, 32}});
  }
  auto has = [&](llvm::StringRef tile) {
    return llvm::any_of(harness.functions, [&](llvm::StringRef name) {
      return name.contains(tile) && name.contains("_or_less");
    });
  };
  for (const char *tile : {"_14x2x16", "_10x2x16", "_2x2x16"})
    EXPECT_TRUE(has(tile)) << tile;
  for (const char *tile : {"_12x2x16", "_6x2x16"})
    EXPECT_FALSE(has(tile)) << tile;
}

TEST_F(ContractionKernel, Epilogues) {
  // Bias, residual, clamp, in the shape of the result.
  harness.check(
      fusionText(
          "tensor<?x10xf32>", "tensor<10x33xf32>", "tensor<?x33xf32>",
          R"(%d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<?x10xf32>, tensor<10x33xf32>) -> tensor<?x33xf32>
    %n = graph.dim %d, 0 : tensor<?x33xf32>
    %z = graph.broadcast %bias [1] [%n] : tensor<33xf32> -> tensor<?x33xf32>
    %s = graph.add %d, %z : tensor<?x33xf32>
    %r = graph.mul %s, %s : tensor<?x33xf32>)",
          "bias", "tensor<33xf32>"),
      {{7, 10}, {}, {}});
  // Split into heads, with the bias after that.
  harness.check(fusionText(
      "tensor<2x5x10xf32>", "tensor<10x48xf32>", "tensor<2x3x5x16xf32>",
      R"(%d = graph.dot_general %x, %y <batching = [] x [], contracting = [2] x [0]> : (tensor<2x5x10xf32>, tensor<10x48xf32>) -> tensor<2x5x48xf32>
    %h = graph.reshape %d : tensor<2x5x48xf32> -> tensor<2x5x3x16xf32>
    %t = graph.transpose %h [0, 2, 1, 3] : tensor<2x5x3x16xf32> -> tensor<2x3x5x16xf32>
    %z = graph.broadcast %bias [1, 3] : tensor<3x16xf32> -> tensor<2x3x5x16xf32>
    %r = graph.add %t, %z : tensor<2x3x5x16xf32>)",
      "bias", "tensor<3x16xf32>"));
  // Heads of a length that no vector divides.
  harness.check(fusionText(
      "tensor<2x5x10xf32>", "tensor<10x21xf32>", "tensor<2x3x5x7xf32>",
      R"(%d = graph.dot_general %x, %y <batching = [] x [], contracting = [2] x [0]> : (tensor<2x5x10xf32>, tensor<10x21xf32>) -> tensor<2x5x21xf32>
    %h = graph.reshape %d : tensor<2x5x21xf32> -> tensor<2x5x3x7xf32>
    %r = graph.transpose %h [0, 2, 1, 3] : tensor<2x5x3x7xf32> -> tensor<2x3x5x7xf32>)"));
  // A bias of rows before columns become a feature map, which is transposed
  // too.
  for (bool turns : {false, true})
    harness.check(fusionText(
        "tensor<9x10xf32>", "tensor<10x21xf32>",
        turns ? "tensor<7x9x3xf32>" : "tensor<1x9x7x3xf32>",
        std::string(
            R"(%d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<9x10xf32>, tensor<10x21xf32>) -> tensor<9x21xf32>
    %z = graph.broadcast %bias [0] : tensor<9xf32> -> tensor<9x21xf32>
    %s = graph.add %d, %z : tensor<9x21xf32>
)") + (turns
           ? R"(%h = graph.reshape %s : tensor<9x21xf32> -> tensor<9x7x3xf32>
    %r = graph.transpose %h [1, 0, 2] : tensor<9x7x3xf32> -> tensor<7x9x3xf32>)"
           : "%r = graph.reshape %s : tensor<9x21xf32> -> tensor<1x9x7x3xf32>"),
        "bias", "tensor<9xf32>"));
  // A transposed result.
  harness.check(fusionText(
      "tensor<9x10xf32>", "tensor<10x21xf32>", "tensor<21x9xf32>",
      R"(%d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<9x10xf32>, tensor<10x21xf32>) -> tensor<9x21xf32>
    %r = graph.transpose %d [1, 0] : tensor<9x21xf32> -> tensor<21x9xf32>)"));
  // Another type than the matmul's.
  harness.check(fusionText(
      "tensor<9x10xf32>", "tensor<10x21xf32>", "tensor<9x21xi32>",
      R"(%d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<9x10xf32>, tensor<10x21xf32>) -> tensor<9x21xf32>
    %r = graph.convert %d : tensor<9x21xf32> -> tensor<9x21xi32>)"));
}

/// A sum of -0 and a bias of -0: the maximum with 0 is 0, whose inverse tells.
TEST_F(ContractionKernel, MaximumOfNegativeZero) {
  harness.fill = [](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor(type);
    constexpr float values[] = {-1e-30f, 1e-30f, -0.0f};
    auto *to = reinterpret_cast<float *>(tensor.writable());
    std::fill(to, to + tensor.size(), values[number]);
    return tensor;
  };
  harness.check(fusionText(
      "tensor<9x1xf32>", "tensor<1x64xf32>", "tensor<9x64xf32>",
      R"(%d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<9x1xf32>, tensor<1x64xf32>) -> tensor<9x64xf32>
    %s = graph.broadcast %z [1] : tensor<64xf32> -> tensor<9x64xf32>
    %u = graph.add %d, %s : tensor<9x64xf32>
    %zero = graph.constant dense<0.0> : tensor<9x64xf32>
    %one = graph.constant dense<1.0> : tensor<9x64xf32>
    %m = graph.max %u, %zero : tensor<9x64xf32>
    %r = graph.div %one, %m : tensor<9x64xf32>)",
      "z", "tensor<64xf32>"));
}

/// A last panel of fewer columns than others have, which fill vectors or not,
/// beside results in other places.
TEST_F(ContractionKernel, EpilogueOfTheLastPanel) {
  for (unsigned lanes : {8u, 16u}) {
    harness.target.lanes = lanes;
    harness.target.nr = 4 * lanes;
    for (int64_t columns : {3, 16, 24, 48, 80, 96, 100, 144})
      for (bool transposes : {false, true}) {
        SCOPED_TRACE(std::to_string(columns) +
                     (transposes ? " transposed" : ""));
        std::string n = std::to_string(columns), c = "tensor<13x" + n + "xf32>",
                    t = "tensor<" + n + "x13xf32>",
                    b = "tensor<7x" + n + "xf32>";
        std::string body = "%d = graph.dot_general %x, %y <batching = [] x [], "
                           "contracting = [1] x [0]> : (tensor<13x7xf32>, " +
                           b + ") -> " + c +
                           "\n%s = graph.broadcast %z [1] : "
                           "tensor<" +
                           n + "xf32> -> " + c +
                           "\n%u = graph.add %d, %s : " + c;
        if (transposes)
          body += "\n%r = graph.transpose %u [1, 0] : " + c + " -> " + t;
        else
          body += "\n%r = graph.convert %u : " + c + " -> tensor<13x" + n +
                  "xbf16>";
        harness.check(fusionText("tensor<13x7xf32>", b,
                                 transposes ? t : "tensor<13x" + n + "xbf16>",
                                 body, "z", "tensor<" + n + "xf32>"));
      }
  }
}

/// The epilogue of a matmul of `columns` columns with four gates.
static std::string gates(int64_t rows, int64_t width, int64_t kSize = 7) {
  bool dynamic = rows < 0;
  std::string count = dynamic ? "?" : std::to_string(rows),
              size = dynamic ? "%n" : count;
  std::string all =
                  "tensor<" + count + "x" + std::to_string(4 * width) + "xf32>",
              one = "tensor<" + count + "x" + std::to_string(width) + "xf32>";
  std::string a = "tensor<" + count + "x" + std::to_string(kSize) + "xf32>",
              b = "tensor<" + std::to_string(kSize) + "x" +
                  std::to_string(4 * width) + "xf32>",
              body;
  body = "%d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] "
         "x [0]> : (" +
         a + ", " + b + ") -> " + all + "\n%t = graph.mul %d, %z : " + all;
  if (dynamic)
    body += "\n%n = graph.dim %x, 0 : " + a;
  for (int64_t gate : {0, 2, 1, 3})
    body += "\n%g" + std::to_string(gate) + " = graph.slice " +
            (gate == 1 ? "%d" : "%t") + " [0, " + std::to_string(gate * width) +
            "] [" + size + ", " + std::to_string(width) + "] [1, 1] : " + all +
            " -> " + one;
  body += "\n%p = graph.mul %g0, %g3 : " + one +
          "\n%m = graph.max %g1, %g2 : " + one +
          "\n%r = graph.sub %p, %m : " + one;
  return fusionText(a, b, one, body, "z", all);
}

TEST_F(ContractionKernel, GatesAreSummedTogether) {
  harness.target.lanes = 8;
  harness.target.nr = 16;
  harness.check(gates(1, 16));
  harness.check(gates(8, 32));
  harness.check(gates(13, 48));
  harness.check(gates(61, 16));     // several tasks of rows
  harness.check(gates(50, 48, 40)); // tasks would copy such a B
  for (int64_t rows : {0, 1, 13, 150})
    harness.check(gates(-1, 48), {{rows, 7}, {7, 192}, {rows, 192}});
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.check(gates(9, 64));
  // Gates that end inside of a tile's columns.
  EXPECT_NE(harness.refusal(gates(9, 24)), "");
}

TEST_F(ContractionKernel, OtherVectorLengths) {
  for (auto [lanes, panel, rows] :
       std::vector<std::tuple<unsigned, unsigned, unsigned>>{{4, 8, 5},
                                                             {16, 64, 6}}) {
    harness.target.lanes = lanes;
    harness.target.nr = panel;
    harness.target.mr = rows;
    harness.target.fma = lanes != 4;
    checkMatrix(13, 7, 83);
    checkMatrix(-1, 7, 64);
    std::string b = "tensor<83x21xf32>";
    harness.check(fusionText(
        "tensor<13x21xf32>", b, "tensor<13x83xf32>",
        "%r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] "
        "x [1]> : (tensor<13x21xf32>, " +
            b + ") -> tensor<13x83xf32>"));
  }
}

TEST_F(ContractionKernel, PanelsArePackedSideBySide) {
  checkMatrix(61, 40, 1051);
  harness.check(fusionText(
      "tensor<2x97x40xf32>", "tensor<2x40x600xf32>", "tensor<2x97x600xf32>",
      "%r = graph.dot_general %x, %y <batching = [0] x [0], contracting = [2] "
      "x [1]> : (tensor<2x97x40xf32>, tensor<2x40x600xf32>) -> "
      "tensor<2x97x600xf32>"));
  harness.check(matrixText("260", "33", "390"));
  harness.check(matrixText("260", "33", "390", "i8", "i32"));
}

TEST_F(ContractionKernel, TasksCopyThePanelsTheyMultiply) {
  // One block of K and several, whole panels and partial ones, one panel per
  // task and four side by side.
  for (auto [m, k, n] : std::vector<std::tuple<int, int, int>>{{13, 300, 260},
                                                               {17, 513, 150},
                                                               {48, 40, 600},
                                                               {256, 33, 65},
                                                               {50, 260, 10},
                                                               {61, 33, 2},
                                                               {52, 257, 3}})
    checkMatrix(m, k, n);
  for (const char *type : {"f64", "i32", "i16", "ui8", "bf16", "f16"})
    harness.check(matrixText("50", "270", "131", type, type));
  harness.check(matrixText("50", "33", "390", "i8", "i32"));
  harness.check(matrixText("50", "33", "390", "bf16", "f32"));
  // B^T, and a batch of it; an epilogue.
  harness.check(fusionText(
      "tensor<9x300xf32>", "tensor<70x300xf32>", "tensor<9x70xf32>",
      "%d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x "
      "[1]> : (tensor<9x300xf32>, tensor<70x300xf32>) -> tensor<9x70xf32>\n"
      "%r = graph.neg %d : tensor<9x70xf32>"));
  for (int k : {24, 300}) {
    std::string d = std::to_string(k), a = "tensor<3x24x" + d + "xf32>",
                c = "tensor<3x24x24xf32>";
    harness.check(fusionText(
        a, a, c,
        "%r = graph.dot_general %x, %y <batching = [0] x [0], contracting = "
        "[2] x [2]> : (" +
            a + ", " + a + ") -> " + c));
  }
}

TEST_F(ContractionKernel, ColumnsAfterTheLastWholePanel) {
  for (auto [m, k, n] : std::vector<std::tuple<int, int, int>>{
           {24, 24, 24}, {7, 300, 24}, {3, 40, 29}, {20, 16, 40}})
    checkMatrix(m, k, n);
}

TEST_F(ContractionKernel, FewRowsSweepLargeMatrices) {
  for (auto [m, k, n] : std::vector<std::tuple<int, int, int>>{{1, 100, 1500},
                                                               {3, 131, 1061},
                                                               {6, 64, 2049},
                                                               {1, 300, 255},
                                                               {1, 33, 9001},
                                                               {7, 131, 1061},
                                                               {23, 300, 230},
                                                               {12, 40, 2048},
                                                               {47, 300, 230}})
    checkMatrix(m, k, n);
  harness.check(matrixText("2", "90", "1201", "f64", "f64"));
  harness.check(matrixText("1", "90", "1201", "i32", "i32"));
}

TEST_F(ContractionKernel, PairsOfNarrowIntegers) {
  for (unsigned lanes : {4u, 8u, 16u}) {
    harness.target.lanes = lanes;
    harness.target.nr = 2 * lanes;
    for (auto [m, k, n] : std::vector<std::tuple<int, int, int>>{
             {1, 1, 5}, {1, 37, 33}, {7, 8, 40}, {13, 45, 31}, {60, 64, 70}})
      harness.check(matrixText(number(m), number(k), number(n), "i16", "i32"));
    harness.check(matrixText("?", "?", "?", "i16", "i32"), {{5, 9}, {9, 21}});
  }
}

TEST_F(ContractionKernel, WidenedIntegers) {
  for (const char *narrow : {"i8", "ui8"})
    for (const char *wide : {"i16", "i32"}) {
      std::string a = std::string("tensor<7x9x") + wide + ">",
                  b = std::string("tensor<9x35x") + narrow + ">",
                  w = std::string("tensor<9x35x") + wide + ">";
      harness.check(
          fusionText(a, b, "tensor<7x35xi32>",
                     "%0 = graph.convert %y : " + b + " -> " + w +
                         "\n%r = graph.dot_general %x, %0 <batching = [] x [], "
                         "contracting = [1] x [0]> : (" +
                         a + ", " + w + ") -> tensor<7x35xi32>"));
    }
}

TEST_F(ContractionKernel, LongKInBlocks) {
  harness.target.lanes = 8;
  harness.target.nr = 16;
  harness.target.mr = 6;
  checkMatrix(25, 2500, 33);
  EXPECT_NE(harness.emitted.find("uk_f32_5x2x8_accumulates"),
            std::string::npos);
  checkMatrix(-1, 2500, 33);
  // Tiles meet several panels, of one block of rows and of two.
  checkMatrix(260, 2410, 39);
  checkMatrix(390, 2401, 17);
  // Two tasks have the rows of a single panel, a thread may have both.
  checkMatrix(61, 2500, 15);
  // Few rows read B once in any case.
  checkMatrix(9, 2500, 16);
  EXPECT_EQ(harness.emitted.find("_accumulates"), std::string::npos);
  std::string b = "tensor<33x2500xf32>";
  harness.check(fusionText(
      "tensor<25x2500xf32>", b, "tensor<25x33xf32>",
      "%d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x "
      "[1]> : (tensor<25x2500xf32>, " +
          b + ") -> tensor<25x33xf32>\n%r = graph.neg %d : tensor<25x33xf32>"));
}

TEST_F(ContractionKernel, RowsThatLieSideBySide) {
  auto check = [&](int kSize, int rows, int columns) {
    SCOPED_TRACE(rows);
    std::string k = std::to_string(kSize), n = std::to_string(columns),
                m = std::to_string(rows);
    std::string a = "tensor<" + k + "x" + m + "xf32>",
                b = "tensor<" + k + "x" + n + "xf32>",
                c = "tensor<" + m + "x" + n + "xf32>";
    harness.check(fusionText(
        a, b, c,
        "%d = graph.dot_general %x, %y <batching = [] x [], contracting = [0] "
        "x [0]> : (" +
            a + ", " + b + ") -> " + c + "\n%r = graph.neg %d : " + c));
    EXPECT_NE(harness.emitted.find("_accumulates"), std::string::npos);
  };
  harness.target.lanes = 8;
  harness.target.nr = 16;
  harness.target.mr = 6;
  check(64, 48, 128);
  check(400, 205, 130);
  check(70, 512, 144);
  check(2400, 49, 333);
  harness.target.lanes = 16;
  harness.target.nr = 64;
  check(257, 257, 128);
  check(400, 405, 130);
}

TEST_F(ContractionKernel, SeveralResultsByWholeRows) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.avx512 = true;
  std::string a = "tensor<100x300xf32>", b = "tensor<100x200xf32>",
              c = "tensor<300x200xf32>", two = c + ", " + c;
  harness.check(
      "func.func @main(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> (" +
      two + ") {\n%r:2 = graph.fusion contraction (%x = %a : " + a +
      ", %y = %b : " + b + ", %z = %c : " + c + ") -> (" + two +
      ") {\n%d = graph.dot_general %x, %y <batching = [] x [], contracting = "
      "[0] x [0]> : (" +
      a + ", " + b + ") -> " + c + "\n%s = graph.add %d, %z : " + c +
      "\n%t = graph.mul %s, %z : " + c + "\ngraph.yield %s, %t : " + two +
      "\n}\nreturn %r#0, %r#1 : " + two + "\n}");
}

TEST_F(ContractionKernel, FewResultsOfLongSums) {
  harness.target.lanes = 8;
  harness.target.nr = 16;
  harness.target.mr = 6;
  auto check = [&](int64_t kSize, int64_t rows, int64_t columns,
                   const std::string &of, const std::string &to) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(kSize) + "x" +
                 std::to_string(columns) + " " + of);
    auto type = [](int64_t x, int64_t y, const std::string &element) {
      return "tensor<" + std::to_string(x) + "x" + std::to_string(y) + "x" +
             element + ">";
    };
    std::string a = type(kSize, rows, of), b = type(kSize, columns, of),
                c = type(rows, columns, to);
    harness.check(fusionText(
        a, b, c,
        "%d = graph.dot_general %x, %y <batching = [] x [], contracting = [0] "
        "x [0]> : (" +
            a + ", " + b + ") -> " + c + "\n%r = graph.add %d, %z : " + c,
        "z", c));
    EXPECT_NE(harness.emitted.find("memref.prefetch"), std::string::npos);
    EXPECT_NE(harness.emitted.find("_accumulates"), std::string::npos);
  };
  for (auto [kSize, rows, columns] :
       std::vector<std::tuple<int, int, int>>{{2100, 8, 100},
                                              {2100, 13, 40},
                                              {2100, 50, 70},
                                              {2061, 100, 9},
                                              {2049, 9, 256},
                                              {2048, 256, 1},
                                              {2061, 33, 17},
                                              {2300, 48, 130}})
    check(kSize, rows, columns, "f32", "f32");
  check(2100, 40, 70, "f64", "f64");
  check(2100, 40, 200, "i8", "i32");
  check(2100, 80, 70, "i16", "i32");
  check(2100, 70, 30, "bf16", "f32");
  check(2100, 10, 80, "f16", "f32");
}

TEST_F(ContractionKernel, FewColumnsAlongK) {
  harness.target.lanes = 8;
  harness.target.nr = 16;
  harness.target.mr = 6;
  auto check = [&](int64_t rows, int64_t kSize, int64_t columns,
                   const std::string &of = "f32",
                   const std::string &to = "f32") {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(kSize) + "x" +
                 std::to_string(columns) + " " + of);
    std::string a = "tensor<2x" + std::to_string(rows) + "x" +
                    std::to_string(kSize) + "x" + of + ">",
                b = "tensor<2x" + std::to_string(columns) + "x" +
                    std::to_string(kSize) + "x" + of + ">",
                c = "tensor<2x" + std::to_string(rows) + "x" +
                    std::to_string(columns) + "x" + to + ">";
    harness.check(fusionText(
        a, b, c,
        "%d = graph.dot_general %x, %y <batching = [0] x [0], contracting = "
        "[2] x [2]> : (" +
            a + ", " + b + ") -> " + c + "\n%r = graph.neg %d : " + c));
    EXPECT_NE(harness.emitted.find("_along_k"), std::string::npos);
  };
  for (int64_t columns : {2, 3, 5, 6})
    check(13, 70, columns);
  check(4, 64, 5);
  check(41, 301, 4);
  check(9, 90, 5, "f64", "f64");
  check(9, 90, 3, "bf16");
}

TEST_F(ContractionKernel, TallMatmulsOfFewColumns) {
  harness.target.lanes = 8;
  harness.target.nr = 16;
  harness.target.mr = 6;
  for (auto [m, k, n] : std::vector<std::tuple<int, int, int>>{
           {4099, 16, 10}, {4100, 9, 3}, {4097, 8, 8}})
    checkMatrix(m, k, n);
  checkMatrix(5003, 37, 3);
  EXPECT_NE(harness.emitted.find("_rows"), std::string::npos);
  // Rows a power of two apart map to the same sets of the cache.
  checkMatrix(50, 1024, 5);
  EXPECT_NE(harness.emitted.find("uk_f32_6x1x8"), std::string::npos);
  checkMatrix(50, 1000, 5);
  EXPECT_NE(harness.emitted.find("uk_f32_10x1x8"), std::string::npos);
}

TEST_F(ContractionKernel, PrintedKernelsCallNothing) {
  harness.target = onDevice(harness.target);
  for (auto [m, k, n] : std::vector<std::tuple<int, int, int>>{
           {13, 7, 33}, {1, 9, 16}, {-1, 5, 17}}) {
    checkMatrix(m, k, n);
    EXPECT_EQ(harness.emitted.find("func.call"), std::string::npos);
    EXPECT_EQ(harness.emitted.find("reinterpret_cast"), std::string::npos);
  }
}

TEST_F(ContractionKernel, KernelsShareMicroKernels) {
  harness.target.lanes = 8;
  harness.target.nr = 16;
  harness.target.mr = 6;
  checkMatrix(18, 5, 32);
  EXPECT_EQ(harness.functions,
            (std::vector<std::string>{"kernel", "uk_f32_6x2x8_by1x32"}));
  // Of a K that is whole rounds nothing is left over.
  checkMatrix(18, 8, 32);
  EXPECT_EQ(harness.functions,
            (std::vector<std::string>{"kernel", "uk_f32_6x2x8_whole_by1x32"}));
  // 19 rows are three tiles of 5 and one of 4.
  checkMatrix(19, 5, 32);
  EXPECT_EQ(harness.functions,
            (std::vector<std::string>{"kernel", "uk_f32_5x2x8_by1x32",
                                      "uk_f32_4x2x8_by1x32"}));
}

TEST_F(ContractionKernel, EveryOtherHeightOfUnknownRows) {
  harness.target.lanes = 8;
  harness.target.nr = 16;
  harness.target.mr = 7;
  auto text = matrixText("?", "5", "24");
  for (int64_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 49}) {
    SCOPED_TRACE(rows);
    harness.check(text, {{rows, 5}, {5, 24}});
  }
  std::vector<std::string> heights{"kernel"};
  // Rows are skipped where computing them again would take time.
  for (const char *tile :
       {"7x2x8_or_less", "5x2x8_or_less_skipped", "3x2x8_or_less", "1x2x8",
        "7x1x8_or_less", "5x1x8_or_less", "3x1x8_or_less", "1x1x8"})
    heights.push_back("uk_f32_" + std::string(tile) + "_by1x24");
  EXPECT_EQ(harness.functions, heights);
}

// Of columns that end in the first half of a tile, the second half is skipped;
// where only a run knows them, at each k.
TEST_F(ContractionKernel, ColumnsOfOneHalf) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.mr = 6;
  std::string a = "tensor<?x?x?xf32>";
  std::string text = fusionText(
      a, a, a,
      "%r = graph.dot_general %x, %y <batching = [0] x [0], contracting = [2] "
      "x [1]> : (" +
          a + ", " + a + ") -> " + a);
  for (int64_t rows : {0, 1, 2, 3, 5, 7, 13, 49})
    for (auto [k, columns] :
         std::vector<std::pair<int64_t, int64_t>>{{0, 5},
                                                  {1, 25},
                                                  {7, 16},
                                                  {9, 31},
                                                  {5, 32},
                                                  {7, 33},
                                                  {3, 63},
                                                  {11, 64},
                                                  {13, 89},
                                                  {2, 97}}) {
      SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(k) + "x" +
                   std::to_string(columns));
      harness.check(text, {{3, rows, k}, {3, k, columns}});
    }
  EXPECT_TRUE(llvm::any_of(harness.functions, [](llvm::StringRef name) {
    return name.contains("_4x4x16_or_less_skipped") &&
           name.ends_with("_masked_by_halves");
  }));
  // Known columns leave no vectors over.
  harness.check(matrixText("?", "7", "25"), {{5, 7}, {7, 25}});
  EXPECT_TRUE(llvm::none_of(harness.functions, [](llvm::StringRef name) {
    return name.contains("_by_halves");
  }));
}

// Accumulators that wait in memory are those of the rows that are there.
TEST_F(ContractionKernel, SweepsSkipRows) {
  harness.target.lanes = 16;
  harness.target.nr = 64;
  harness.target.mr = 6;
  harness.target.l1Bytes = 16 << 10;
  harness.target.l2Bytes = 32 << 10;
  for (int64_t rows = 0; rows <= 13; ++rows) {
    SCOPED_TRACE(rows);
    harness.check(matrixText("?", "301", "200"), {{rows, 301}, {301, 200}});
  }
  EXPECT_TRUE(llvm::any_of(harness.functions, [](llvm::StringRef name) {
    return name.contains("_4x4x16_accumulates_or_less_skipped");
  }));
}

// Few rows read a row-major B where it lies. For more, tasks copy its panels,
// for blocks of rows, whose number only the run knows.
TEST_F(ContractionKernel, CopiesOfUnknownRows) {
  for (auto [lanes, k, n] : std::vector<std::tuple<unsigned, int64_t, int64_t>>{
           {8, 300, 77}, {16, 33, 64}}) {
    harness.target.lanes = lanes;
    harness.target.nr = lanes == 8 ? 16 : 64;
    for (int64_t rows : {0, 1, 5, 47, 48, 260, 523}) {
      SCOPED_TRACE(rows);
      harness.check(matrixText("?", number(k), number(n)), {{rows, k}, {k, n}});
    }
    EXPECT_NE(harness.emitted.find("_small_m"), std::string::npos);
  }
}

TEST_F(ContractionKernel, ResidualMayBeOverwritten) {
  std::string a = "tensor<4x5xf32>", c = "tensor<4x16xf32>";
  auto fusion = [&](const std::string &body) {
    return fusionText(a, "tensor<5x16xf32>", c,
                      "%d = graph.dot_general %x, %y <batching = [] x [], "
                      "contracting = [1] x [0]> : (" +
                          a + ", tensor<5x16xf32>) -> " + c + "\n" + body,
                      "z", c);
  };
  auto mayShare = [&](const std::string &text) {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &harness.context());
    std::vector<bool> shares;
    module->walk([&](graph::FusionOp op) {
      for (unsigned i = 0; i < 3; ++i)
        shares.push_back(kernels::contractionMayShareBytes(op, i, 0));
    });
    return shares;
  };
  EXPECT_EQ(mayShare(fusion("%r = graph.add %d, %z : " + c)),
            (std::vector<bool>{false, false, true}));
  // Read at other indices than it is written.
  EXPECT_EQ(mayShare(fusion("%t = graph.reverse %z [0] : " + c +
                            "\n%r = graph.add %d, %t : " + c)),
            (std::vector<bool>{false, false, false}));
}

} // namespace
