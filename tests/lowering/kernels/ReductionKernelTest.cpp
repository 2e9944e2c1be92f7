// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction kernels beside the interpreter: rows, columns, both, everything;
// several levels and results.

#include "FusionText.h"
#include "KernelHarness.h"
#include "lowering/kernels/EmitKernels.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::testing;

namespace {

class ReductionKernel : public ::testing::TestWithParam<unsigned> {
protected:
  ReductionKernel() : harness(kernels::emitKernels) {
    harness.target.lanes = GetParam();
  }
  void check(const std::string &arguments, const std::string &results,
             const std::string &body,
             std::vector<std::vector<int64_t>> shapes = {},
             const std::string &yields = "%r") {
    harness.check(fusionText("reduction", arguments, results, body, yields),
                  std::move(shapes));
  }
  KernelHarness harness;
};

TEST_P(ReductionKernel, Rows) {
  for (const char *columns : {"1", "7", "16", "100", "1003"})
    for (const char *kind : {"sum", "max", "min", "prod"}) {
      std::string from = std::string("tensor<5x") + columns + "xf32>";
      check("%a : " + from, "tensor<5xf32>",
            std::string("%r = graph.reduce ") + kind + ", %a [1] : " + from +
                " -> tensor<5xf32>");
    }
}

/// Counts of positions that differ from each of some rows, as bits of masks.
TEST_P(ReductionKernel, Differences) {
  harness.target.avx512 = GetParam() >= 16;
  for (int64_t columns : {3, 54, 64, 300})
    for (std::string sum : {"ui8", "i32"})
      for (int64_t rows : {0, 9}) {
        std::string element = sum == "ui8" ? "ui8>" : "f32>",
                    of = std::to_string(columns) + "x",
                    from = "tensor<?x" + of + element,
                    others = "tensor<3x" + of + element,
                    all = "tensor<?x3x" + of,
                    result = "tensor<?x3x" + sum + ">";
        check("%x : " + from + ", %y : " + others, result,
              "%n = graph.dim %x, 0 : " + from +
                  "\n%a = graph.broadcast %x [0, 2] [%n] : " + from + " -> " +
                  all + element +
                  "\n%b = graph.broadcast %y [1, 2] [%n] : " + others + " -> " +
                  all + element + "\n%d = graph.compare ne, %a, %b : " + all +
                  element + " -> " + all +
                  "i1>\n%c = graph.convert %d : " + all + "i1> -> " + all +
                  sum + ">\n%r = graph.reduce sum, %c [2] : " + all + sum +
                  "> -> " + result,
              {{rows, columns}, {3, columns}});
      }
}

TEST_P(ReductionKernel, SumsOfTableRows) {
  for (const char *element : {"ui8", "f32"})
    for (int64_t width : {3, 16, 40, 200, 300}) {
      std::string row = std::to_string(width) + "x" + element + ">",
                  table = "tensor<20x5x" + row, places = "tensor<?x20xui8>",
                  single = "tensor<?x20x1xui8>", result = "tensor<?x" + row;
      for (int64_t rows : {0, 1, 9})
        check("%t : " + table + ", %i : " + places, result,
              "%n = graph.dim %i, 0 : " + places + "\n%p = graph.reshape %i " +
                  "[%n] : " + places + " -> " + single +
                  "\n%g = graph.gather %t, %p <offset = [2], collapsed = [1], "
                  "batching = [0] x [1], index_map = [1], index_vector_dim = "
                  "2> sizes [1, 1, " +
                  std::to_string(width) + "] : (" + table + ", " + single +
                  ") -> tensor<?x20x" + row +
                  "\n%r = graph.reduce sum, %g [1] : tensor<?x20x" + row +
                  " -> " + result,
              {{20, 5, width}, {rows, 20}});
    }
}

// As a pass packs them: blocks of columns, each with all rows of the table.
TEST_P(ReductionKernel, SumsOfPackedTableRows) {
  for (int64_t block : {32, 64})
    for (int64_t rows : {0, 1, 9}) {
      std::string of = std::to_string(block) + "xf32>", blocks = "3x" + of,
                  row = std::to_string(3 * block) + "xf32>",
                  packed = "tensor<3x100x" + of,
                  ordered = "tensor<100x" + blocks,
                  table = "tensor<20x5x" + row, places = "tensor<?x20xui8>",
                  single = "tensor<?x20x1xui8>", result = "tensor<?x" + row;
      check("%b : " + packed + ", %i : " + places + ", %j : tensor<" + row,
            result,
            "%n = graph.dim %i, 0 : " + places +
                "\n%o = graph.transpose %b [1, 0, 2] : " + packed + " -> " +
                ordered + "\n%t = graph.reshape %o : " + ordered + " -> " +
                table + "\n%p = graph.reshape %i [%n] : " + places + " -> " +
                single +
                "\n%g = graph.gather %t, %p <offset = [2], collapsed = [1], "
                "batching = [0] x [1], index_map = [1], index_vector_dim = 2> "
                "sizes [1, 1, " +
                std::to_string(3 * block) + "] : (" + table + ", " + single +
                ") -> tensor<?x20x" + row +
                "\n%s = graph.reduce sum, %g [1] : tensor<?x20x" + row +
                " -> " + result +
                "\n%c = graph.broadcast %j [1] [%n] : tensor<" + row + " -> " +
                result + "\n%r = graph.add %s, %c : " + result,
            {{3, 100, block}, {rows, 20}, {3 * block}});
    }
}

TEST_P(ReductionKernel, EmptyRows) {
  check("%a : tensor<5x0xf32>", "tensor<5xf32>",
        "%r = graph.reduce max, %a [1] : tensor<5x0xf32> -> tensor<5xf32>");
  check("%a : tensor<0x7xf32>", "tensor<0xf32>",
        "%r = graph.reduce sum, %a [1] : tensor<0x7xf32> -> tensor<0xf32>");
  check("%a : tensor<0x7xf32>", "tensor<7xf32>",
        "%r = graph.reduce sum, %a [0] : tensor<0x7xf32> -> tensor<7xf32>");
}

TEST_P(ReductionKernel, Columns) {
  for (const char *shape : {"3x40", "100x7", "257x64", "1x33"}) {
    std::string columns =
        std::string(shape).substr(std::string(shape).find('x') + 1);
    std::string from = std::string("tensor<") + shape + "xf32>",
                to = "tensor<" + columns + "xf32>";
    check("%a : " + from, to,
          "%r = graph.reduce sum, %a [0] : " + from + " -> " + to);
  }
}

TEST_P(ReductionKernel, ColumnsInChunksOfRows) {
  for (const char *shape : {"300x201", "1030x70", "131x4100"}) {
    std::string columns =
        std::string(shape).substr(std::string(shape).find('x') + 1);
    std::string from = std::string("tensor<") + shape + "xf32>",
                to = "tensor<" + columns + "xf32>";
    check("%a : " + from, to + ", " + to,
          "%r = graph.reduce sum, %a [0] : " + from + " -> " + to +
              "\n%s = graph.reduce max, %a [0] : " + from + " -> " + to,
          {}, "%r, %s");
  }
  check("%a : tensor<?x72xi8>", "tensor<72xi8>",
        "%r = graph.reduce sum, %a [0] : tensor<?x72xi8> -> tensor<72xi8>",
        {{1001, 72}});
  check("%a : tensor<?x72xi1>", "tensor<72xi1>",
        "%r = graph.reduce any, %a [0] : tensor<?x72xi1> -> tensor<72xi1>",
        {{700, 72}});
}

TEST_P(ReductionKernel, SingleElementsOfAnyRank) {
  check("%a : tensor<300x700xf32>", "tensor<f32>, tensor<1x1xf32>",
        "%r = graph.reduce min, %a [0, 1] : tensor<300x700xf32> -> tensor<f32>"
        "\n%0 = graph.broadcast %r [] : tensor<f32> -> tensor<1x1xf32>"
        "\n%s = graph.neg %0 : tensor<1x1xf32>",
        {}, "%r, %s");
}

TEST_P(ReductionKernel, MiddleAndOuterDimensions) {
  check("%a : tensor<4x6x9xf32>", "tensor<4x9xf32>",
        "%r = graph.reduce max, %a [1] : tensor<4x6x9xf32> -> tensor<4x9xf32>");
  check(
      "%a : tensor<4x6x9xf32>", "tensor<6xf32>",
      "%r = graph.reduce sum, %a [0, 2] : tensor<4x6x9xf32> -> tensor<6xf32>");
  check("%a : tensor<2x5x7x3xf32>", "tensor<2x3xf32>",
        "%r = graph.reduce sum, %a [1, 2] : tensor<2x5x7x3xf32> -> "
        "tensor<2x3xf32>");
}

// Some cache lines of each row at a time, and rows that these do not divide.
TEST_P(ReductionKernel, DownLongRows) {
  for (const char *element : {"xf32>", "xf64>", "xf16>", "xi8>"})
    for (const char *kind : {"sum", "max"}) {
      std::string from = std::string("tensor<3x5x2100") + element,
                  to = std::string("tensor<3x2100") + element;
      check("%a : " + from, to,
            "%r = graph.reduce " + std::string(kind) + ", %a [1] : " + from +
                " -> " + to);
    }
  check("%a : tensor<150x517xf32>", "tensor<517xf32>", R"(
    %0 = graph.mul %a, %a : tensor<150x517xf32>
    %r = graph.reduce sum, %0 [0] : tensor<150x517xf32> -> tensor<517xf32>)");
}

TEST_P(ReductionKernel, Everything) {
  check("%a : tensor<300xf32>", "tensor<f32>",
        "%r = graph.reduce sum, %a [0] : tensor<300xf32> -> tensor<f32>");
  check("%a : tensor<200000xf32>", "tensor<f32>",
        "%r = graph.reduce sum, %a [0] : tensor<200000xf32> -> tensor<f32>");
  check(
      "%a : tensor<300x700xi32>", "tensor<i32>",
      "%r = graph.reduce max, %a [0, 1] : tensor<300x700xi32> -> tensor<i32>");
  check("%a : tensor<?xf32>", "tensor<f32>",
        "%r = graph.reduce sum, %a [0] : tensor<?xf32> -> tensor<f32>",
        {{40000}});
  check(
      "%a : tensor<40000x16xf32>", "tensor<16xf32>",
      "%r = graph.reduce sum, %a [0] : tensor<40000x16xf32> -> tensor<16xf32>");
  check("%a : tensor<2x3x50000xf32>", "tensor<3xf32>",
        "%r = graph.reduce sum, %a [0, 2] : tensor<2x3x50000xf32> -> "
        "tensor<3xf32>");
}

TEST_P(ReductionKernel, Softmax) {
  harness.tolerance = 2e-6;
  for (const char *shape : {"6x50", "3x1003", "1x8"}) {
    std::string s = shape, rows = s.substr(0, s.find('x')),
                full = "tensor<" + s + "xf32>",
                row = "tensor<" + rows + "xf32>";
    std::string body =
        "%m = graph.reduce max, %a [1] : " + full + " -> " + row + R"(
      %mb = graph.broadcast %m [0] : )" +
        row + " -> " + full + "\n%d = graph.sub %a, %mb : " + full +
        "\n%e = graph.exp %d : " + full +
        "\n%s = graph.reduce sum, %e [1] : " + full + " -> " + row +
        "\n%sb = graph.broadcast %s [0] : " + row + " -> " + full;
    check("%a : " + full, full, body + "\n%r = graph.div %e, %sb : " + full);
    check("%a : " + full, full,
          body + "\n%l = graph.log %sb : " + full +
              "\n%r = graph.sub %d, %l : " + full);
  }
}

TEST_P(ReductionKernel, ColumnsOfLargeMatrices) {
  check("%a : tensor<3x700x1003xf32>", "tensor<3x1003xf32>",
        "%r = graph.reduce sum, %a [1] : tensor<3x700x1003xf32> -> "
        "tensor<3x1003xf32>");
}

TEST_P(ReductionKernel, SoftmaxDownColumns) {
  harness.tolerance = 2e-6;
  check("%a : tensor<6x50xf32>", "tensor<6x50xf32>", R"(
    %m = graph.reduce max, %a [0] : tensor<6x50xf32> -> tensor<50xf32>
    %mb = graph.broadcast %m [1] : tensor<50xf32> -> tensor<6x50xf32>
    %d = graph.sub %a, %mb : tensor<6x50xf32>
    %e = graph.exp %d : tensor<6x50xf32>
    %s = graph.reduce sum, %e [0] : tensor<6x50xf32> -> tensor<50xf32>
    %sb = graph.broadcast %s [1] : tensor<50xf32> -> tensor<6x50xf32>
    %r = graph.div %e, %sb : tensor<6x50xf32>)");
}

TEST_P(ReductionKernel, SoftmaxOfThree) {
  harness.tolerance = 2e-6;
  check("%a : tensor<50x3xf32>", "tensor<50x3xf32>", R"(
    %m = graph.reduce max, %a [1] : tensor<50x3xf32> -> tensor<50xf32>
    %mb = graph.broadcast %m [0] : tensor<50xf32> -> tensor<50x3xf32>
    %d = graph.sub %a, %mb : tensor<50x3xf32>
    %e = graph.exp %d : tensor<50x3xf32>
    %s = graph.reduce sum, %e [1] : tensor<50x3xf32> -> tensor<50xf32>
    %sb = graph.broadcast %s [0] : tensor<50xf32> -> tensor<50x3xf32>
    %r = graph.div %e, %sb : tensor<50x3xf32>)");
}

// Several rows at once, and those that are left.
TEST_P(ReductionKernel, LayerNormWithResidual) {
  harness.tolerance = 2e-5;
  for (int64_t width : {1, 16, 70, 256}) {
    std::string body = R"(
    %n0 = graph.dim %a, 0 : tensor<?x70xf32>
    %n = graph.constant dense<0.0142857143> : tensor<f32>
    %eps = graph.constant dense<1.0e-5> : tensor<f32>
    %x = graph.add %a, %b : tensor<?x70xf32>
    %s = graph.reduce sum, %x [1] : tensor<?x70xf32> -> tensor<?xf32>
    %nb = graph.broadcast %n [] [%n0] : tensor<f32> -> tensor<?xf32>
    %mean = graph.mul %s, %nb : tensor<?xf32>
    %mb = graph.broadcast %mean [0] [%n0] : tensor<?xf32> -> tensor<?x70xf32>
    %d = graph.sub %x, %mb : tensor<?x70xf32>
    %q = graph.mul %d, %d : tensor<?x70xf32>
    %v = graph.reduce sum, %q [1] : tensor<?x70xf32> -> tensor<?xf32>
    %var = graph.mul %v, %nb : tensor<?xf32>
    %eb = graph.broadcast %eps [] [%n0] : tensor<f32> -> tensor<?xf32>
    %ve = graph.add %var, %eb : tensor<?xf32>
    %is = graph.rsqrt %ve : tensor<?xf32>
    %isb = graph.broadcast %is [0] [%n0] : tensor<?xf32> -> tensor<?x70xf32>
    %y = graph.mul %d, %isb : tensor<?x70xf32>
    %gb = graph.broadcast %g [1] [%n0] : tensor<70xf32> -> tensor<?x70xf32>
    %r = graph.mul %y, %gb : tensor<?x70xf32>)",
                arguments = "%a : tensor<?x70xf32>, %b : tensor<?x70xf32>, "
                            "%g : tensor<70xf32>",
                result = "tensor<?x70xf32>";
    for (std::string *text : {&body, &arguments, &result})
      for (size_t at = 0; (at = text->find("70x", at)) != std::string::npos;
           ++at)
        text->replace(at, 2, std::to_string(width));
    for (int64_t rows : {0, 1, 4, 23})
      check(arguments, result, body, {{rows, width}, {rows, width}});
  }
}

TEST_P(ReductionKernel, SeveralResults) {
  check("%a : tensor<9x33xf32>",
        "tensor<9xf32>, tensor<9xf32>, tensor<9x33xf32>", R"(
    %s = graph.reduce sum, %a [1] : tensor<9x33xf32> -> tensor<9xf32>
    %m = graph.reduce max, %a [1] : tensor<9x33xf32> -> tensor<9xf32>
    %mb = graph.broadcast %m [0] : tensor<9xf32> -> tensor<9x33xf32>
    %r = graph.sub %a, %mb : tensor<9x33xf32>)",
        {}, "%s, %m, %r");
}

// Lanes run along the rows, however many results have one element per row.
TEST_P(ReductionKernel, SpreadOfRows) {
  for (std::string n : {"40", "32", "31", "9", "7"}) {
    std::string row = "tensor<50x" + n + "xf32>";
    check("%a : " + row + ", %mean : tensor<50xf32>",
          "tensor<50xf32>, tensor<50x1xf32>, tensor<50xf32>",
          "%mb = graph.broadcast %mean [0] : tensor<50xf32> -> " + row +
              "%d = graph.sub %a, %mb : " + row + "%q = graph.mul %d, %d : " +
              row + "%s = graph.reduce sum, %q [1] : " + row +
              R"( -> tensor<50xf32>
    %t = graph.mul %s, %s : tensor<50xf32>
    %u = graph.reshape %t : tensor<50xf32> -> tensor<50x1xf32>
    %v = graph.sqrt %s : tensor<50xf32>)",
          {}, "%s, %u, %v");
  }
}

// Branches inside of unrolled passes: what is known inside one must not be used
// in another.
TEST_P(ReductionKernel, OfConcatenatedRows) {
  check("%a : tensor<2x1x70xf32>, %b : tensor<2x12x70xf32>", "tensor<2x13xf32>",
        R"(
    %t = graph.reshape %b : tensor<2x12x70xf32> -> tensor<2x3x4x70xf32>
    %u = graph.transpose %t [0, 2, 1, 3] : tensor<2x3x4x70xf32> -> tensor<2x4x3x70xf32>
    %v = graph.reshape %u : tensor<2x4x3x70xf32> -> tensor<2x12x70xf32>
    %c = graph.concat 1, %a, %v : (tensor<2x1x70xf32>, tensor<2x12x70xf32>) -> tensor<2x13x70xf32>
    %q = graph.mul %c, %c : tensor<2x13x70xf32>
    %r = graph.reduce sum, %q [2] : tensor<2x13x70xf32> -> tensor<2x13xf32>)");
}

TEST_P(ReductionKernel, KeepsDimensions) {
  check("%a : tensor<9x33xf32>", "tensor<9x1xf32>", R"(
    %s = graph.reduce sum, %a [1] : tensor<9x33xf32> -> tensor<9xf32>
    %r = graph.reshape %s : tensor<9xf32> -> tensor<9x1xf32>)");
}

// The normalisation of a batch norm after its channel sums.
TEST_P(ReductionKernel, DimensionsOfSizeOneAroundKeptOnes) {
  for (const char *rows : {"3x5", "40x41"}) {
    std::string from = std::string("tensor<2x") + rows + "x72xf32>";
    check("%a : " + from + ", %g : tensor<1x1x1x72xf32>",
          "tensor<72xf32>, tensor<1x1x1x72xf32>",
          "%s = graph.reduce sum, %a [0, 1, 2] : " + from +
              " -> tensor<72xf32>\n"
              "%r = graph.neg %s : tensor<72xf32>\n"
              "%1 = graph.reshape %s : tensor<72xf32> -> tensor<1x1x1x72xf32>\n"
              "%t = graph.mul %1, %g : tensor<1x1x1x72xf32>",
          {}, "%r, %t");
  }
  check("%a : tensor<6x1x7x33xf32>", "tensor<1x6x33x1xf32>", R"(
    %s = graph.reduce sum, %a [2] : tensor<6x1x7x33xf32> -> tensor<6x1x33xf32>
    %0 = graph.reshape %s : tensor<6x1x33xf32> -> tensor<1x6x33x1xf32>
    %r = graph.neg %0 : tensor<1x6x33x1xf32>)");
}

// Edges that cut rows shorter than the lanes: which part a lane reads is known
// for all lanes that count, not for those after them.
TEST_P(ReductionKernel, PartsOfShortRows) {
  check("%a : tensor<4xi32>, %b : tensor<4xi32>, %c : tensor<4xi32>",
        "tensor<6xi32>", R"(
    %x = graph.reshape %a : tensor<4xi32> -> tensor<4x1xi32>
    %y = graph.reshape %b : tensor<4xi32> -> tensor<4x1xi32>
    %z = graph.reshape %c : tensor<4xi32> -> tensor<4x1xi32>
    %all = graph.concat 1, %x, %y, %z, %x : (tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x4xi32>
    %some = graph.slice %all [1, 0] [3, 4] [1, 1] : tensor<4x4xi32> -> tensor<3x4xi32>
    %rows = graph.reshape %some : tensor<3x4xi32> -> tensor<6x2xi32>
    %r = graph.reduce sum, %rows [1] : tensor<6x2xi32> -> tensor<6xi32>)");
  check("%a : tensor<5x3xf32>, %b : tensor<5x2xf32>", "tensor<5xf32>", R"(
    %all = graph.concat 1, %a, %b : (tensor<5x3xf32>, tensor<5x2xf32>) -> tensor<5x5xf32>
    %r = graph.reduce sum, %all [1] : tensor<5x5xf32> -> tensor<5xf32>)");
}

TEST_P(ReductionKernel, TallColumns) {
  for (const char *rows : {"8192", "8193", "12288", "9001"}) {
    std::string from = std::string("tensor<") + rows + "x19xf32>";
    check("%a : " + from, from,
          "%s = graph.reduce sum, %a [0] : " + from + " -> tensor<19xf32>\n" +
              "%b = graph.broadcast %s [1] : tensor<19xf32> -> " + from +
              "\n%r = graph.sub %a, %b : " + from);
  }
}

// A reduction that is used at another row: no schedule by rows supports it.
TEST_P(ReductionKernel, MovedResult) {
  check("%a : tensor<9x9xf32>", "tensor<9x9xf32>", R"(
    %s = graph.reduce sum, %a [1] : tensor<9x9xf32> -> tensor<9xf32>
    %b = graph.broadcast %s [1] : tensor<9xf32> -> tensor<9x9xf32>
    %r = graph.sub %a, %b : tensor<9x9xf32>)");
}

TEST_P(ReductionKernel, MovedResultsOfSeveralShapes) {
  check("%a : tensor<9x9xf32>", "tensor<9x9xf32>, tensor<9xf32>", R"(
    %s = graph.reduce sum, %a [1] : tensor<9x9xf32> -> tensor<9xf32>
    %b = graph.broadcast %s [1] : tensor<9xf32> -> tensor<9x9xf32>
    %r = graph.sub %a, %b : tensor<9x9xf32>)",
        {}, "%r, %s");
}

TEST_P(ReductionKernel, Types) {
  for (const char *element :
       {"f64", "f16", "bf16", "i8", "i32", "i64", "ui8", "i4"}) {
    std::string from = std::string("tensor<3x45x") + element + ">",
                to = std::string("tensor<3x") + element + ">";
    for (const char *kind : {"sum", "max", "min"})
      check("%a : " + from, to,
            std::string("%r = graph.reduce ") + kind + ", %a [1] : " + from +
                " -> " + to);
  }
  for (const char *kind : {"all", "any", "parity"})
    check("%a : tensor<3x45xi1>", "tensor<3xi1>",
          std::string("%r = graph.reduce ") + kind +
              ", %a [1] : tensor<3x45xi1> -> tensor<3xi1>");
}

TEST_P(ReductionKernel, ArgReduce) {
  for (const char *element : {"f32", "bf16", "i32", "ui8"})
    for (const char *kind : {"max", "min"})
      for (const char *last : {"", " last"}) {
        std::string from = std::string("tensor<5x100x") + element + ">";
        check("%a : " + from, "tensor<5xi64>",
              std::string("%r = graph.arg_reduce ") + kind + ", %a 1" + last +
                  " : " + from + " -> tensor<5xi64>");
        check("%a : " + from, "tensor<100xi32>",
              std::string("%r = graph.arg_reduce ") + kind + ", %a 0" + last +
                  " : " + from + " -> tensor<100xi32>");
      }
}

/// Small integers with a NaN, infinities and zeros of both signs here and
/// there.
Tensor withSpecials(mlir::RankedTensorType type, unsigned number) {
  Tensor tensor = smallIntegers(type, number + 1);
  const float specials[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f};
  auto *elements = reinterpret_cast<float *>(tensor.writable());
  for (int64_t i = 0; i < tensor.size(); i += 37)
    elements[i] = specials[(i / 37) % 5];
  return tensor;
}

TEST_P(ReductionKernel, NotANumber) {
  harness.fill = withSpecials;
  harness.tolerance = 2e-6;
  std::string full = "tensor<12x45xf32>";
  for (const char *kind : {"sum", "max", "min"}) {
    check("%a : " + full, "tensor<12xf32>",
          std::string("%r = graph.reduce ") + kind + ", %a [1] : " + full +
              " -> tensor<12xf32>");
    check("%a : " + full, "tensor<45xf32>",
          std::string("%r = graph.reduce ") + kind + ", %a [0] : " + full +
              " -> tensor<45xf32>");
  }
  for (const char *op : {"max, %a 1", "min, %a 1", "max, %a 1 last"})
    check("%a : " + full, "tensor<12xi64>",
          std::string("%r = graph.arg_reduce ") + op + " : " + full +
              " -> tensor<12xi64>");
  check("%a : " + full, full, R"(
    %m = graph.reduce max, %a [1] : tensor<12x45xf32> -> tensor<12xf32>
    %mb = graph.broadcast %m [0] : tensor<12xf32> -> tensor<12x45xf32>
    %d = graph.sub %a, %mb : tensor<12x45xf32>
    %e = graph.exp %d : tensor<12x45xf32>
    %s = graph.reduce sum, %e [1] : tensor<12x45xf32> -> tensor<12xf32>
    %sb = graph.broadcast %s [0] : tensor<12xf32> -> tensor<12x45xf32>
    %r = graph.div %e, %sb : tensor<12x45xf32>)");
}

INSTANTIATE_TEST_SUITE_P(Lanes, ReductionKernel,
                         ::testing::Values(4u, 8u, 16u));

} // namespace
