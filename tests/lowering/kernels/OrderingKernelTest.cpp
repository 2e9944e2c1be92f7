// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that call routines beside the interpreter: sorts, selections, sets,
// factors and transforms, of odd shapes and every element type.

#include "FusionText.h"
#include "KernelHarness.h"
#include "ir/interpreter/Scalar.h"
#include "llvm/Support/DynamicLibrary.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace zenith;
using zenith::testing::fusionText;
using zenith::testing::KernelHarness;

namespace {

class OrderingKernelTest : public ::testing::Test {
protected:
  KernelHarness harness{kernels::emitKernels};
  void check(const std::string &arguments, const std::string &results,
             const std::string &body, const std::string &yields,
             std::vector<std::vector<int64_t>> shapes = {}) {
    SCOPED_TRACE(body);
    harness.check(fusionText("ordering", arguments, results, body, yields),
                  std::move(shapes));
  }
  /// Few distinct numbers, NaN, infinities and both zeros.
  void fillSpecial() {
    harness.fill = [](mlir::RankedTensorType type, unsigned number) {
      Tensor tensor = zenith::testing::smallIntegers(type, number + 1);
      mlir::Type element = type.getElementType();
      if (!mlir::isa<mlir::FloatType>(element))
        return tensor;
      interpreter::ElementAccess access(element);
      const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
      for (int64_t i = 0; i < tensor.size(); i += 3)
        access.store(tensor.writable() + i * access.bytes(),
                     interpreter::Scalar::ofFloat(special[i / 3 % 5]));
      return tensor;
    };
  }
  /// Numbers between -1 and 1; diagonals of square matrices are raised.
  void fillFractions() {
    harness.fill = [](mlir::RankedTensorType type, unsigned number) {
      Tensor tensor(type);
      interpreter::ElementAccess access(type.getElementType());
      uint32_t state = number * 77 + 5;
      auto shape = type.getShape();
      int64_t columns = shape.empty() ? 1 : shape.back();
      bool square = shape.size() >= 2 && shape[shape.size() - 2] == columns;
      for (int64_t i = 0; i < tensor.size(); ++i) {
        auto next = [&] {
          state = state * 1664525u + 1013904223u;
          return double(state >> 8) / (1 << 23) - 1;
        };
        double real = next(), imag = next();
        int64_t row = i / columns % std::max<int64_t>(1, columns);
        if (square && row == i % columns) {
          real += double(columns) + 2;
          imag = 0;
        }
        access.store(tensor.writable() + i * access.bytes(),
                     interpreter::Scalar::ofComplex(real, imag));
      }
      return tensor;
    };
  }
};

const char *const elementTypes[] = {"i1",   "i4",  "ui4",  "i8",   "i16",
                                    "i32",  "i64", "ui8",  "ui16", "ui32",
                                    "ui64", "f16", "bf16", "f32",  "f64"};

std::string tensor(const std::string &shape, const std::string &element) {
  return "tensor<" + shape + element + ">";
}

TEST_F(OrderingKernelTest, Sort) {
  fillSpecial();
  for (const char *element : elementTypes)
    for (const char *order : {"", " descending"}) {
      std::string type = tensor("5x37x", element);
      check("%x : " + type, type,
            "%r = graph.sort %x 1 keys 1" + std::string(order) + " : (" + type +
                ") -> " + type,
            "%r");
    }
}

TEST_F(OrderingKernelTest, SortPairsAndKeys) {
  fillSpecial();
  std::string f = "tensor<3x41x5xf32>", i = "tensor<3x41x5xi64>",
              h = "tensor<3x41x5xf16>";
  check("%x : " + f + ", %y : " + i + ", %z : " + h, f + ", " + i + ", " + h,
        "%r:3 = graph.sort %x, %y, %z 1 keys 2 : (" + f + ", " + i + ", " + h +
            ") -> (" + f + ", " + i + ", " + h + ")",
        "%r#0, %r#1, %r#2");
  check("%x : " + i + ", %y : " + f, f,
        "%r:2 = graph.sort %x, %y 2 keys 2 descending : (" + i + ", " + f +
            ") -> (" + i + ", " + f + ")",
        "%r#1");
}

TEST_F(OrderingKernelTest, SortLongRows) {
  fillSpecial();
  for (const char *element : {"ui8", "f32", "i64"}) {
    std::string x = tensor("2x3001x", element), i = "tensor<2x3001xi32>";
    check("%x : " + x + ", %y : " + i, x + ", " + i,
          "%r:2 = graph.sort %x, %y 1 keys 1 : (" + x + ", " + i + ") -> (" +
              x + ", " + i + ")",
          "%r#0, %r#1");
  }
}

TEST_F(OrderingKernelTest, SortNothingAndDynamic) {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{0, 7}, {7, 0}, {1, 1}, {13, 600}})
    check("%x : tensor<?x?xf32>", "tensor<?x?xf32>",
          "%r = graph.sort %x 0 keys 1 : (tensor<?x?xf32>) -> tensor<?x?xf32>",
          "%r", {shape});
}

TEST_F(OrderingKernelTest, SortWith) {
  fillSpecial();
  std::string body = R"(%r:2 = graph.sort_with %x, %y 1 {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %aa = graph.abs %a : tensor<f32>
      %bb = graph.mul %b, %s : tensor<f32>
      %p = graph.compare gt, %aa, %bb : tensor<f32> -> tensor<i1>
      graph.yield %p : tensor<i1>
    } : (tensor<4x53xf32>, tensor<4x53xi32>) -> (tensor<4x53xf32>, tensor<4x53xi32>))";
  check("%x : tensor<4x53xf32>, %y : tensor<4x53xi32>, %s : tensor<f32>",
        "tensor<4x53xf32>, tensor<4x53xi32>", body, "%r#0, %r#1");
}

TEST_F(OrderingKernelTest, SortWithDynamicBF16) {
  fillSpecial();
  std::string body = R"(%r = graph.sort_with %x 0 {
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %p = graph.compare lt, %a, %b : tensor<bf16> -> tensor<i1>
      graph.yield %p : tensor<i1>
    } : (tensor<?x3xbf16>) -> tensor<?x3xbf16>)";
  for (int64_t size : {0, 1, 2, 100})
    check("%x : tensor<?x3xbf16>", "tensor<?x3xbf16>", body, "%r", {{size, 3}});
}

TEST_F(OrderingKernelTest, TopK) {
  fillSpecial();
  for (const char *element : elementTypes)
    for (const char *order : {"", " smallest"}) {
      std::string x = tensor("3x29x2x", element), v = tensor("3x7x2x", element);
      check("%x : " + x, v + ", tensor<3x7x2xi64>",
            "%r:2 = graph.top_k %x 1" + std::string(order) + " : (" + x +
                ") -> (" + v + ", tensor<3x7x2xi64>)",
            "%r#0, %r#1");
    }
}

TEST_F(OrderingKernelTest, TopKOfLongRows) {
  fillSpecial();
  for (const char *element : {"f32", "f64", "i8", "ui64", "bf16"})
    for (const char *order : {"", " smallest"}) {
      std::string x = tensor("2x700x2x", element),
                  v = tensor("2x7x2x", element);
      check("%x : " + x, v + ", tensor<2x7x2xi64>",
            "%r:2 = graph.top_k %x 1" + std::string(order) + " : (" + x +
                ") -> (" + v + ", tensor<2x7x2xi64>)",
            "%r#0, %r#1");
    }
  // Some in order, some dropped again and again, all kept.
  for (const char *element : {"f32", "f64", "i32", "i64"})
    for (const char *k : {"1", "9", "40", "2000", "2999"})
      for (const char *order : {"", " smallest"}) {
        std::string x = tensor("3x3000x", element),
                    v = tensor(std::string("3x") + k + "x", element),
                    i = tensor(std::string("3x") + k + "x", "i64");
        check("%x : " + x, v + ", " + i,
              "%r:2 = graph.top_k %x 1" + std::string(order) + " : (" + x +
                  ") -> (" + v + ", " + i + ")",
              "%r#0, %r#1");
      }
}

TEST_F(OrderingKernelTest, TopKOfManyEqual) {
  // Nearly all of a filter's elements are within the limit.
  fillSpecial();
  for (const char *order : {"", " smallest"})
    check("%x : tensor<90000xf32>", "tensor<20000xf32>, tensor<20000xi64>",
          "%r:2 = graph.top_k %x 0" + std::string(order) +
              " : (tensor<90000xf32>) -> (tensor<20000xf32>, "
              "tensor<20000xi64>)",
          "%r#0, %r#1");
}

TEST_F(OrderingKernelTest, CompactOfCounted) {
  // Positions along each dimension come from the number of the row.
  for (const char *shape : {"5x7x300", "3000x1x4", "0x3x2", "1x1x1"}) {
    std::string cube = tensor(std::string(shape) + "x", "i64"), body, list;
    int64_t size = 1;
    for (int64_t digit = 0, at = 0; shape[at]; ++at) {
      digit = shape[at] == 'x' ? 0 : digit * 10 + (shape[at] - '0');
      if (shape[at + 1] == 'x' || !shape[at + 1])
        size *= digit;
    }
    list = "x" + std::string("i64>");
    std::string flat = "tensor<" + std::to_string(size) + list,
                mask = "tensor<" + std::to_string(size) + "xi1>";
    for (int dim = 0; dim < 3; ++dim) {
      std::string number = std::to_string(dim);
      body += "%c" + number + " = graph.iota " + number + " : " + cube +
              "\n%l" + number + " = graph.reshape %c" + number + " : " + cube +
              " -> " + flat + "\n";
    }
    check("%m : " + mask + ", %x : " + flat,
          "tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>",
          body + "%r:4 = graph.compact %m, %l0, %l1, %l2, %x : (" + mask +
              ", " + flat + ", " + flat + ", " + flat + ", " + flat +
              ") -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, "
              "tensor<?xi64>)",
          "%r#0, %r#1, %r#2, %r#3");
  }
}

TEST_F(OrderingKernelTest, TopKOfColumns) {
  // Tiles of columns and what is left of them; limits by groups, or none.
  for (const char *special : {"", "special"}) {
    if (*special)
      fillSpecial();
    for (const char *element : {"f32", "f64", "i32", "i64", "f16", "ui32"})
      for (const char *k : {"1", "3", "17", "40"})
        for (const char *order : {"", " smallest"}) {
          std::string x = tensor("2x75x19x", element),
                      shape = std::string("2x") + k + "x19x";
          check("%x : " + x,
                tensor(shape, element) + ", " + tensor(shape, "i64"),
                "%r:2 = graph.top_k %x 1" + std::string(order) + " : (" + x +
                    ") -> (" + tensor(shape, element) + ", " +
                    tensor(shape, "i64") + ")",
                "%r#0, %r#1");
        }
  }
}

TEST_F(OrderingKernelTest, TopKOfEveryLength) {
  fillFractions();
  for (int64_t length : {1, 15, 31, 32, 33, 64, 1037})
    for (int64_t k : {1, 8, 17, 33, 300, 700, 1037})
      if (k <= length)
        for (const char *element : {"f32", "f64"}) {
          std::string x = tensor("3x" + std::to_string(length) + "x", element),
                      shape = "3x" + std::to_string(k) + "x";
          check("%x : " + x,
                tensor(shape, element) + ", " + tensor(shape, "i64"),
                "%r:2 = graph.top_k %x 1 : (" + x + ") -> (" +
                    tensor(shape, element) + ", " + tensor(shape, "i64") + ")",
                "%r#0, %r#1");
        }
}

TEST_F(OrderingKernelTest, TopKByCounting) {
  // One long row of few keys, in several tasks.
  for (const char *element : {"ui8", "i8", "bf16"})
    for (const char *order : {"", " smallest"}) {
      std::string x = tensor("?x", element), v = tensor("?x", element);
      for (int64_t size : {0, 1, 40000, 200003})
        check("%x : " + x + ", %k : tensor<?xi1>", v + ", tensor<?xi64>",
              "%n = graph.dim %k, 0 : tensor<?xi1>\n"
              "%r:2 = graph.top_k %x, %n 0" +
                  std::string(order) + " : (" + x + ", tensor<i64>) -> (" + v +
                  ", tensor<?xi64>)",
              "%r#0, %r#1", {{size}, {size / 3}});
    }
}

TEST_F(OrderingKernelTest, UniqueOfManyRows) {
  // Several tasks and partitions; rows differ only far behind, or not at all.
  for (int64_t kinds : {1, 97, 30011}) {
    harness.fill = [&](mlir::RankedTensorType type, unsigned) {
      Tensor tensor(type);
      interpreter::ElementAccess access(type.getElementType());
      for (int64_t i = 0; i < tensor.size(); ++i)
        access.store(tensor.writable() + i * access.bytes(),
                     interpreter::Scalar::ofSigned(
                         i % 3 ? i / 3 * 7919 % kinds >> i % 3 * 5 & 63 : 1));
      return tensor;
    };
    for (const char *results : {"%r, %f", "%r, %f, %i, %c"})
      for (const char *sorted : {"", " sorted"})
        check("%x : tensor<?x3xui8>",
              results == std::string("%r, %f")
                  ? "tensor<?x3xui8>, tensor<?xi64>"
                  : "tensor<?x3xui8>, tensor<?xi64>, tensor<?xi64>, "
                    "tensor<?xi64>",
              "%r, %f, %i, %c = graph.unique %x" + std::string(sorted) +
                  " : tensor<?x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, "
                  "tensor<?xi64>, tensor<?xi64>",
              results, {{60000, 3}});
  }
}

TEST_F(OrderingKernelTest, Unique) {
  fillSpecial();
  for (const char *sorted : {"", " sorted"})
    for (const char *element : {"i1", "i4", "ui8", "i64", "f16", "f32", "f64"})
      for (const char *row : {"", "2x"}) {
        std::string x = tensor(std::string("45x") + row, element),
                    r = tensor(std::string("?x") + row, element);
        check("%x : " + x, r + ", tensor<?xi64>, tensor<45xi64>, tensor<?xi64>",
              "%r, %f, %i, %c = graph.unique %x" + std::string(sorted) + " : " +
                  x + " -> " + r +
                  ", tensor<?xi64>, tensor<45xi64>, tensor<?xi64>",
              "%r, %f, %i, %c");
        check("%x : " + x, "tensor<?xi64>",
              "%r, %f, %i, %c = graph.unique %x" + std::string(sorted) + " : " +
                  x + " -> " + r +
                  ", tensor<?xi64>, tensor<45xi64>, tensor<?xi64>",
              "%c");
      }
}

TEST_F(OrderingKernelTest, UniqueOfNothing) {
  for (int64_t size : {0, 1})
    check("%x : tensor<?xf32>",
          "tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>",
          "%r, %f, %i, %c = graph.unique %x sorted : tensor<?xf32> -> "
          "tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>",
          "%r, %f, %i, %c", {{size}});
}

TEST_F(OrderingKernelTest, Compact) {
  for (int64_t size : {0, 1, 31, 10000})
    check("%m : tensor<?xi1>, %x : tensor<?x3xf16>, %y : tensor<?xi64>",
          "tensor<?x3xf16>, tensor<?xi64>",
          "%r:2 = graph.compact %m, %x, %y : (tensor<?xi1>, tensor<?x3xf16>, "
          "tensor<?xi64>) -> (tensor<?x3xf16>, tensor<?xi64>)",
          "%r#0, %r#1", {{size}, {size, 3}, {size}});
  check("%m : tensor<17xi1>, %x : tensor<17xf64>", "tensor<?xf64>",
        "%r = graph.compact %m, %x : (tensor<17xi1>, tensor<17xf64>) -> "
        "tensor<?xf64>",
        "%r");
}

TEST_F(OrderingKernelTest, SearchSorted) {
  harness.fill = [](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor = zenith::testing::smallIntegers(type, number + 1);
    interpreter::ElementAccess access(type.getElementType());
    for (int64_t i = 0; number == 0 && i < tensor.size(); ++i)
      access.store(tensor.writable() + i * access.bytes(),
                   interpreter::Scalar::ofSigned(i / 3));
    return tensor;
  };
  for (const char *element : {"i8", "ui32", "i64", "bf16", "f32"})
    for (const char *side : {"", " right"})
      for (const char *list : {"0x", "1x", "14x"}) {
        std::string x = tensor(list, element), q = tensor("7x5x", element);
        check("%x : " + x + ", %q : " + q, "tensor<7x5xi64>",
              "%r = graph.searchsorted %x, %q" + std::string(side) + " : (" +
                  x + ", " + q + ") -> tensor<7x5xi64>",
              "%r");
      }
}

TEST_F(OrderingKernelTest, IsIn) {
  fillSpecial();
  for (const char *element : {"i1", "i16", "f32", "f64"})
    // The table is of the fewer rows.
    for (const char *set : {"0x", "1x", "6x", "41x", "9000x"})
      for (const char *row : {"", "2x"}) {
        std::string x = tensor(std::string("40x") + row, element),
                    s = tensor(std::string(set) + row, element);
        check("%x : " + x + ", %s : " + s, "tensor<40xi1>",
              "%r = graph.is_in %x, %s : (" + x + ", " + s +
                  ") -> tensor<40xi1>",
              "%r");
      }
  for (std::vector<std::vector<int64_t>> sizes :
       {std::vector<std::vector<int64_t>>{{3000, 2}, {9000, 2}},
        {{9000, 2}, {3000, 2}},
        {{0, 2}, {5, 2}},
        {{5, 2}, {0, 2}}})
    check("%x : tensor<?x2xf32>, %s : tensor<?x2xf32>", "tensor<?xi1>",
          "%r = graph.is_in %x, %s : (tensor<?x2xf32>, tensor<?x2xf32>) -> "
          "tensor<?xi1>",
          "%r", sizes);
}

TEST_F(OrderingKernelTest, FreshKeys) {
  harness.ordered = false;
  harness.fill = [](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor(type);
    interpreter::ElementAccess access(type.getElementType());
    for (int64_t i = 0; i < tensor.size(); ++i)
      access.store(
          tensor.writable() + i * access.bytes(),
          interpreter::Scalar::ofSigned(1 + (i * 7919 + number * 31) % 97));
    return tensor;
  };
  check("%a : tensor<?xui64>, %b : tensor<?xui64>, %k : tensor<20xui64>",
        "tensor<?xui64>",
        "%c = graph.add %a, %b : tensor<?xui64>\n"
        "%r = graph.fresh_keys (%a, %c) known (%k) key [63] absent 5 : "
        "(tensor<?xui64>, tensor<?xui64>, tensor<20xui64>) -> tensor<?xui64>",
        "%r", {{700}, {700}, {20}});
  for (unsigned words = 2; words <= 4; ++words) {
    std::string candidates, known, bits, types, results;
    for (unsigned word = 0; word < words; ++word) {
      std::string comma = word ? ", " : "";
      candidates += comma + (word % 2 ? "%b" : "%a");
      known += comma + "%k";
      bits += comma + "-1";
      types += "tensor<700xui64>, ";
      results += comma + "tensor<?xui64>";
    }
    std::string knownTypes = results;
    for (size_t at; (at = knownTypes.find("?")) != std::string::npos;)
      knownTypes.replace(at, 1, "20");
    check("%a : tensor<700xui64>, %b : tensor<700xui64>, %k : tensor<20xui64>",
          results,
          "%r:" + std::to_string(words) + " = graph.fresh_keys (" + candidates +
              ") known (" + known + ") key [" + bits + "] : (" + types +
              knownTypes + ") -> (" + results + ")",
          words == 2   ? "%r#0, %r#1"
          : words == 3 ? "%r#0, %r#1, %r#2"
                       : "%r#0, %r#1, %r#2, %r#3");
  }
}

/// Keys for several partitions; bits above the sixteenth tell none
/// apart. `distinct` of them: few of them are in one partition, whose table is
/// larger than others'.
static Tensor keysOf(mlir::RankedTensorType type, uint64_t distinct,
                     uint64_t seed) {
  Tensor tensor(type);
  auto *keys = reinterpret_cast<uint64_t *>(tensor.writable());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t number = (uint64_t(i) * 7919 + seed * 31) % distinct;
    keys[i] = (number * 40503 & 0xffff) | uint64_t(i % 3) << 16;
  }
  return tensor;
}

TEST_F(OrderingKernelTest, FreshKeysOfManyRows) {
  harness.ordered = false;
  for (uint64_t distinct : {1, 2, 60, 5000, 60000})
    for (uint64_t knownDistinct : {1, 30, 5000}) {
      SCOPED_TRACE(std::to_string(distinct) + " " +
                   std::to_string(knownDistinct));
      // Known keys of one value are in order of partitions, others are not.
      harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
        return keysOf(type, number < 2 ? distinct : knownDistinct, number);
      };
      check("%a : tensor<?xui64>, %b : tensor<?xui64>, %k : tensor<?xui64>, "
            "%l : tensor<?xui64>",
            "tensor<?xui64>",
            "%r = graph.fresh_keys (%a, %b) known (%k, %l) key [65535] "
            "absent 131072 : (tensor<?xui64>, tensor<?xui64>, "
            "tensor<?xui64>, tensor<?xui64>) -> tensor<?xui64>",
            "%r", {{20011}, {20011}, {3000}, {0}});
      check("%a : tensor<?xui64>", "tensor<?xui64>",
            "%r = graph.fresh_keys (%a) key [65535] : (tensor<?xui64>) -> "
            "tensor<?xui64>",
            "%r", {{40000}});
      check("%a : tensor<?xui64>, %b : tensor<?xui64>, %k : tensor<?xui64>",
            "tensor<?xui64>, tensor<?xui64>, tensor<?xui64>",
            "%r:3 = graph.fresh_keys (%a, %b, %a) known (%k, %k, %k) key "
            "[65535, 65535, 65535] absent 131072 : (tensor<?xui64>, "
            "tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, "
            "tensor<?xui64>) -> (tensor<?xui64>, tensor<?xui64>, "
            "tensor<?xui64>)",
            "%r#0, %r#1, %r#2", {{20011}, {20011}, {3000}});
    }
}

TEST_F(OrderingKernelTest, Bits) {
  for (const char *words : {"1x", "7x", "300x"}) {
    std::string bits = tensor(words, "ui64");
    check("%x : " + bits, "tensor<?xui64>",
          "%r = graph.bit_positions %x : " + bits + " -> tensor<?xui64>", "%r");
    check("%x : " + bits + ", %a : tensor<300xui64>", bits + ", tensor<i64>",
          "%s = graph.add %a, %a : tensor<300xui64>\n"
          "%r, %n = graph.fresh_bits %x (%a, %s) : (" +
              bits + ", tensor<300xui64>, tensor<300xui64>) -> (" + bits +
              ", tensor<i64>)",
          "%r, %n");
    check("%x : " + bits + ", %y : " + bits, bits + ", tensor<i64>",
          "%p = graph.bit_positions %x : " + bits +
              " -> tensor<?xui64>\n"
              "%s = graph.add %p, %p : tensor<?xui64>\n"
              "%r, %n = graph.fresh_bits %y (%s, %p) : (" +
              bits + ", tensor<?xui64>, tensor<?xui64>) -> (" + bits +
              ", tensor<i64>)",
          "%r, %n");
  }
}

TEST_F(OrderingKernelTest, MarkBits) {
  // Positions come in any order, so that only their bits are compared.
  for (const char *words : {"1x", "7x", "300x"}) {
    std::string bits = tensor(words, "ui64");
    check("%x : " + bits + ", %a : tensor<300xui64>", bits,
          "%s = graph.mul %a, %a : tensor<300xui64>\n"
          "%p, %r = graph.mark_bits %x (%a, %s) : (" +
              bits +
              ", tensor<300xui64>, tensor<300xui64>) -> "
              "(tensor<?xui64>, " +
              bits + ")",
          "%r");
    check("%x : " + bits + ", %a : tensor<1xui64>", "tensor<?xui64>, " + bits,
          "%p, %r = graph.mark_bits %x (%a, %a) : (" + bits +
              ", tensor<1xui64>, tensor<1xui64>) -> (tensor<?xui64>, " + bits +
              ")",
          "%p, %r");
  }
}

TEST_F(OrderingKernelTest, MarkBitsInParts) {
  // Several slots and parts, and blocks of positions that fill up; positions
  // behind the last word, and equal ones in different slots.
  harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor(type);
    uint64_t state = 9;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      reinterpret_cast<uint64_t *>(tensor.writable())[i] =
          number == 0 ? (state >> 32) & (state << 7)
          : i % 5     ? (state >> 33) % 70000
                      : uint64_t(i) / 100;
    }
    return tensor;
  };
  for (const char *size : {"2048x", "20001x"})
    for (const char *words : {"1x", "1024x", "1025x"}) {
      std::string bits = tensor(words, "ui64"), list = tensor(size, "ui64");
      check("%x : " + bits + ", %a : " + list, bits,
            "%s = graph.add %a, %a : " + list +
                "\n%p, %r = graph.mark_bits %x (%a, %s) : (" + bits + ", " +
                list + ", " + list + ") -> (tensor<?xui64>, " + bits + ")",
            "%r");
    }
}

TEST_F(OrderingKernelTest, BitRows) {
  // Moves that leave all columns, permute them, send many to one, and lose
  // some; rows and moves that there are not; few bits and many.
  for (uint64_t density : {1, 3, 60})
    for (int64_t columns : {1, 64, 100}) {
      harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
        Tensor tensor(type);
        interpreter::ElementAccess access(type.getElementType());
        uint64_t state = number * 77 + 5;
        for (int64_t i = 0; i < tensor.size(); ++i) {
          auto next = [&] {
            state = state * 6364136223846793005u + 1442695040888963407u;
            return state >> 33;
          };
          uint64_t value = 0;
          for (int bit = 0; number < 2 && bit < 64; ++bit)
            value |= uint64_t(next() % 64 < density) << bit;
          int64_t move = i / columns, column = i % columns;
          if (number == 2 || number == 3)
            value = next() % (number == 2 ? 8 : 5);
          if (number == 4)
            value = uint64_t(move == 0   ? column
                             : move == 1 ? (column * 37 + 5) % columns
                             : move == 2 ? column / 2
                                         : column * 2);
          access.store(tensor.writable() + i * access.bytes(),
                       interpreter::Scalar::ofSigned(int64_t(value)));
        }
        return tensor;
      };
      std::string rows = "tensor<7x2xui64>",
                  operands = "(" + rows + ", " + rows +
                             ", tensor<7x3xui32>, tensor<7x3xui16>, "
                             "tensor<4x" +
                             std::to_string(columns) + "xui16>)";
      check("%k : " + rows + ", %l : " + rows +
                ", %s : tensor<7x3xui32>, %m : tensor<7x3xui16>, %c : "
                "tensor<4x" +
                std::to_string(columns) + "xui16>",
            rows + ", " + rows + ", tensor<i64>",
            "%r, %a, %n = graph.fresh_bit_rows %k, %l, %s, %m, %c : " +
                operands + " -> (" + rows + ", " + rows + ", tensor<i64>)",
            "%r, %a, %n");
    }
}

TEST_F(OrderingKernelTest, NonMaxSuppression) {
  harness.fill = [](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor = zenith::testing::smallIntegers(type, number + 1);
    interpreter::ElementAccess access(type.getElementType());
    if (number == 2)
      access.store(tensor.writable(), interpreter::Scalar::ofSigned(4));
    if (number == 3)
      access.store(tensor.writable(), interpreter::Scalar::ofFloat(0.25));
    if (number == 4)
      access.store(tensor.writable(), interpreter::Scalar::ofFloat(-2.5));
    return tensor;
  };
  for (const char *center : {"", " center"}) {
    check("%b : tensor<2x19x4xf32>, %s : tensor<2x3x19xf32>, %n : tensor<i64>, "
          "%o : tensor<f32>, %t : tensor<f32>",
          "tensor<?x3xi64>",
          "%r = graph.non_max_suppression %b, %s, %n, %o, %t" +
              std::string(center) +
              " : (tensor<2x19x4xf32>, tensor<2x3x19xf32>, tensor<i64>, "
              "tensor<f32>, tensor<f32>) -> tensor<?x3xi64>",
          "%r");
    check("%b : tensor<1x?x4xf32>, %s : tensor<1x2x?xf32>, %n : tensor<i64>, "
          "%o : tensor<f32>",
          "tensor<?x3xi64>",
          "%r = graph.non_max_suppression %b, %s, %n, %o" +
              std::string(center) +
              " : (tensor<1x?x4xf32>, tensor<1x2x?xf32>, tensor<i64>, "
              "tensor<f32>) -> tensor<?x3xi64>",
          "%r", {{1, 0, 4}, {1, 2, 0}});
  }
}

TEST_F(OrderingKernelTest, Cholesky) {
  fillFractions();
  harness.tolerance = 2e-5;
  for (const char *element : {"f32", "f64"})
    for (const char *shape : {"1x1x", "2x3x7x7x", "33x33x", "0x0x"})
      for (const char *form : {"", " lower"}) {
        std::string x = tensor(shape, element);
        check("%x : " + x, x,
              "%r = graph.cholesky %x" + std::string(form) + " : (" + x +
                  ") -> " + x,
              "%r");
      }
}

TEST_F(OrderingKernelTest, TriangularSolve) {
  fillFractions();
  harness.tolerance = 2e-5;
  for (const char *element : {"f32", "f64"})
    for (const char *form : {"plain", "transposed", "adjoint"})
      for (const char *side : {"", " left"})
        for (const char *triangle : {"", " lower"})
          for (const char *diagonal : {"", " unit_diagonal"}) {
            if (*diagonal && !*triangle)
              continue;
            std::string a = tensor("3x9x9x", element),
                        b = tensor(*side ? "3x9x4x" : "3x4x9x", element);
            check("%a : " + a + ", %b : " + b, b,
                  "%r = graph.triangular_solve " + std::string(form) +
                      ", %a, %b" + side + triangle + diagonal + " : (" + a +
                      ", " + b + ") -> " + b,
                  "%r");
          }
}

TEST_F(OrderingKernelTest, Fourier) {
  fillFractions();
  harness.tolerance = 1e-5;
  for (int64_t length : {1, 2, 3, 4, 5, 7, 8, 12, 30, 31, 37, 64, 74, 210}) {
    std::string size = std::to_string(length),
                half = std::to_string(length / 2 + 1);
    for (const char *element : {"f32", "f64"}) {
      std::string complex = "complex<" + std::string(element) + ">";
      auto real = tensor("3x" + size + "x", element),
           full = tensor("3x" + size + "x", complex),
           part = tensor("3x" + half + "x", complex);
      for (const char *kind : {"c2c", "c2c_inverse"})
        check("%x : " + full, full,
              "%r = graph.fourier " + std::string(kind) + ", %x [" + size +
                  "] : (" + full + ") -> " + full,
              "%r");
      check("%x : " + real, part,
            "%r = graph.fourier r2c, %x [" + size + "] : (" + real + ") -> " +
                part,
            "%r");
      check("%x : " + part, real,
            "%r = graph.fourier c2r, %x [" + size + "] : (" + part + ") -> " +
                real,
            "%r");
    }
  }
}

TEST_F(OrderingKernelTest, FourierOfSeveralDims) {
  fillFractions();
  harness.tolerance = 1e-5;
  std::string real = "tensor<2x6x5x9xf32>",
              part = "tensor<2x6x5x5xcomplex<f32>>",
              full = "tensor<2x6x5x9xcomplex<f32>>";
  for (const char *kind : {"c2c", "c2c_inverse"})
    check("%x : " + full, full,
          "%r = graph.fourier " + std::string(kind) + ", %x [6, 5, 9] : (" +
              full + ") -> " + full,
          "%r");
  check("%x : " + real, part,
        "%r = graph.fourier r2c, %x [6, 5, 9] : (" + real + ") -> " + part,
        "%r");
  check("%x : " + part, real,
        "%r = graph.fourier c2r, %x [6, 5, 9] : (" + part + ") -> " + real,
        "%r");
}

TEST_F(OrderingKernelTest, Lapack) {
  if (!llvm::sys::DynamicLibrary::getPermanentLibrary("liblapack.so.3")
           .isValid())
    GTEST_SKIP() << "this machine has no LAPACK";
  fillFractions();
  harness.tolerance = 1e-4;
  for (const char *element : {"f32", "f64"}) {
    std::string a = tensor("2x5x5x", element), tau = tensor("2x5x", element);
    check("%x : " + a, a + ", tensor<2x5xi32>, tensor<2xi32>",
          "%r:3 = graph.custom_call \"lapack_getrf\" (%x) : (" + a + ") -> (" +
              a + ", tensor<2x5xi32>, tensor<2xi32>)",
          "%r#0, %r#1, %r#2");
    check("%x : " + a, a + ", " + tau,
          "%r:2 = graph.custom_call \"lapack_geqrf\" (%x) : (" + a + ") -> (" +
              a + ", " + tau + ")",
          "%r#0, %r#1");
    check("%x : " + a, a + ", " + tau + ", tensor<2xi32>",
          "%r:3 = graph.custom_call \"lapack_syevd\" (%x) config {uplo = 76 : "
          "i8} : (" +
              a + ") -> (" + a + ", " + tau + ", tensor<2xi32>)",
          "%r#0, %r#1, %r#2");
  }
}

TEST_F(OrderingKernelTest, RefusesUnknownRoutines) {
  EXPECT_EQ(harness.refusal(fusionText(
                "ordering", "%x : tensor<4xf32>", "tensor<4xf32>",
                "%r = graph.custom_call \"magic\" (%x) : (tensor<4xf32>) -> "
                "tensor<4xf32>")),
            "no kernel for 'graph.custom_call' that calls 'magic', which is no "
            "routine here");
}

TEST_F(OrderingKernelTest, RefusesWhatIsNotAlone) {
  EXPECT_EQ(harness.refusal(
                fusionText("ordering", "%x : tensor<4xf32>", "tensor<4xf32>",
                           "%y = graph.abs %x : tensor<4xf32>\n"
                           "%r = graph.sort %y 0 keys 1 : (tensor<4xf32>) -> "
                           "tensor<4xf32>")),
            "no kernel that computes an operand of 'zenith_routine_sort' on "
            "the way");
}

} // namespace
