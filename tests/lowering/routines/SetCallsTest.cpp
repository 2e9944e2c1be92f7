// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets beside the interpreter: rows that are unique, chosen, known or new, and
// sets of bits.

#include "runtime/routines/RowKeys.h"
#include "tests/lowering/routines/RoutineHarness.h"
#include <unordered_map>

using namespace zenith;
using zenith::testing::tensor;

namespace {

class SetKernelTest : public zenith::testing::RoutineKernelTest {};

TEST_F(SetKernelTest, CompactOfCounted) {
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

TEST_F(SetKernelTest, UniqueOfManyRows) {
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

/// Tables tell rows apart by the upper halves of their hashes at first.
TEST_F(SetKernelTest, UniqueOfEqualHashes) {
  std::unordered_map<uint64_t, int64_t> seen;
  std::vector<int64_t> numbers;
  for (int64_t number = 0; numbers.size() < 12; ++number) {
    uint64_t hash = runtime::hashOf(reinterpret_cast<const char *>(&number),
                                    sizeof(number));
    auto [known, fresh] = seen.try_emplace(hash >> 32, number);
    if (!fresh)
      numbers.insert(numbers.end(), {known->second, number});
  }
  harness.fill = [&](mlir::RankedTensorType type, unsigned) {
    Tensor tensor(type);
    auto *elements = reinterpret_cast<int64_t *>(tensor.writable());
    for (int64_t i = 0; i < tensor.size(); ++i)
      elements[i] = numbers[i * i % 1009 % int64_t(numbers.size())];
    return tensor;
  };
  for (int64_t rows : {2, 40, 20000})
    for (const char *results : {"%f", "%r, %f, %i, %c"})
      check("%x : tensor<?xi64>",
            results == std::string("%f")
                ? "tensor<?xi64>"
                : "tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>",
            "%r, %f, %i, %c = graph.unique %x : tensor<?xi64> -> "
            "tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>",
            results, {{rows}});
}

TEST_F(SetKernelTest, Unique) {
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

TEST_F(SetKernelTest, UniqueOfNothing) {
  for (int64_t size : {0, 1})
    check("%x : tensor<?xf32>",
          "tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>",
          "%r, %f, %i, %c = graph.unique %x sorted : tensor<?xf32> -> "
          "tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>",
          "%r, %f, %i, %c", {{size}});
}

TEST_F(SetKernelTest, Compact) {
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

TEST_F(SetKernelTest, IsIn) {
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

TEST_F(SetKernelTest, FreshKeys) {
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
        "%r = search.dedup (%a, %c) known (%k) key [63] absent 5 : "
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
          "%r:" + std::to_string(words) + " = search.dedup (" + candidates +
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

TEST_F(SetKernelTest, FreshKeysOfManyRows) {
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
            "%r = search.dedup (%a, %b) known (%k, %l) key [65535] "
            "absent 131072 : (tensor<?xui64>, tensor<?xui64>, "
            "tensor<?xui64>, tensor<?xui64>) -> tensor<?xui64>",
            "%r", {{20011}, {20011}, {3000}, {0}});
      check("%a : tensor<?xui64>", "tensor<?xui64>",
            "%r = search.dedup (%a) key [65535] : (tensor<?xui64>) -> "
            "tensor<?xui64>",
            "%r", {{40000}});
      check("%a : tensor<?xui64>, %b : tensor<?xui64>, %k : tensor<?xui64>",
            "tensor<?xui64>, tensor<?xui64>, tensor<?xui64>",
            "%r:3 = search.dedup (%a, %b, %a) known (%k, %k, %k) key "
            "[65535, 65535, 65535] absent 131072 : (tensor<?xui64>, "
            "tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, "
            "tensor<?xui64>) -> (tensor<?xui64>, tensor<?xui64>, "
            "tensor<?xui64>)",
            "%r#0, %r#1, %r#2", {{20011}, {20011}, {3000}});
    }
}

TEST_F(SetKernelTest, FreshKeysWithImages) {
  harness.ordered = false;
  // Few different parts, so that images are equal; some parts there are not.
  harness.fill = [](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor(type);
    interpreter::ElementAccess access(type.getElementType());
    for (int64_t i = 0; i < tensor.size(); ++i)
      access.store(
          tensor.writable() + i * access.bytes(),
          interpreter::Scalar::ofSigned((i * 7919 / 3 + number * 31) % 61));
    return tensor;
  };
  for (unsigned words = 1; words <= 4; ++words)
    for (const char *sizes : {"1x0x2", "5x3x8", "3x2x256"}) {
      auto [images, rest] = llvm::StringRef(sizes).split('x');
      std::string shape = images.str() + "x" + std::to_string(words) + "x",
                  parts = "tensor<" + shape + rest.split('x').first.str() +
                          "xui16>",
                  bits = "tensor<" + shape + rest.str() + "xui64>";
      std::string candidates, known, key, types, knownTypes, results, named;
      for (unsigned word = 0; word < words; ++word) {
        std::string comma = word ? ", " : "";
        candidates += comma + (word % 2 ? "%b" : "%a");
        known += comma + "%k";
        key += comma + (word % 2 ? "-1" : "47");
        types += "tensor<?xui64>, ";
        knownTypes += "tensor<20xui64>, ";
        results += comma + "tensor<?xui64>";
        named += comma + "%r#" + std::to_string(word);
      }
      check("%a : tensor<?xui64>, %b : tensor<?xui64>, %k : tensor<20xui64>, "
            "%n : " +
                parts + ", %i : " + bits,
            results,
            "%r:" + std::to_string(words) + " = search.dedup (" + candidates +
                ") known (" + known + ") images (%n, %i) key [" + key +
                "] absent 5 ties 40 : (" + types + knownTypes + parts + ", " +
                bits + ") -> (" + results + ")",
            named, {{700}, {700}, {20}, {}, {}});
    }
}

TEST_F(SetKernelTest, Bits) {
  for (const char *words : {"1x", "7x", "300x"}) {
    std::string bits = tensor(words, "ui64");
    check("%x : " + bits, "tensor<?xui64>",
          "%r = search.bit_positions %x : " + bits + " -> tensor<?xui64>",
          "%r");
    check("%x : " + bits + ", %a : tensor<300xui64>", bits + ", tensor<i64>",
          "%s = graph.add %a, %a : tensor<300xui64>\n"
          "%r, %n = search.bitset_difference %x (%a, %s) : (" +
              bits + ", tensor<300xui64>, tensor<300xui64>) -> (" + bits +
              ", tensor<i64>)",
          "%r, %n");
    check("%x : " + bits + ", %y : " + bits, bits + ", tensor<i64>",
          "%p = search.bit_positions %x : " + bits +
              " -> tensor<?xui64>\n"
              "%s = graph.add %p, %p : tensor<?xui64>\n"
              "%r, %n = search.bitset_difference %y (%s, %p) : (" +
              bits + ", tensor<?xui64>, tensor<?xui64>) -> (" + bits +
              ", tensor<i64>)",
          "%r, %n");
  }
}

TEST_F(SetKernelTest, MarkBits) {
  // Positions come in any order, so that only their bits are compared.
  for (const char *words : {"1x", "7x", "300x"}) {
    std::string bits = tensor(words, "ui64");
    check("%x : " + bits + ", %a : tensor<300xui64>", bits,
          "%s = graph.mul %a, %a : tensor<300xui64>\n"
          "%p, %r = search.test_and_set %x (%a, %s) : (" +
              bits +
              ", tensor<300xui64>, tensor<300xui64>) -> "
              "(tensor<?xui64>, " +
              bits + ")",
          "%r");
    for (const char *tags : {"", "tags 2 "})
      check("%x : " + bits + ", %a : tensor<1xui64>", "tensor<?xui64>, " + bits,
            "%p, %r = search.test_and_set %x (%a, %a) " + std::string(tags) +
                ": (" + bits +
                ", tensor<1xui64>, tensor<1xui64>) -> (tensor<?xui64>, " +
                bits + ")",
            "%p, %r");
  }
}

TEST_F(SetKernelTest, MarkBitsInParts) {
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
                "\n%p, %r = search.test_and_set %x (%a, %s) : (" + bits + ", " +
                list + ", " + list + ") -> (tensor<?xui64>, " + bits + ")",
            "%r");
      check("%x : " + bits + ", %a : " + list, bits,
            "%s = graph.add %a, %a : " + list +
                "\n%p, %r = search.test_and_set %x (%a, %s) tags 3 : (" + bits +
                ", " + list + ", " + list + ") -> (tensor<?xui64>, " + bits +
                ")",
            "%r");
    }
}

TEST_F(SetKernelTest, BitRows) {
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
            "%r, %a, %n = search.coset_bit_rows %k, %l, %s, %m, %c : " +
                operands + " -> (" + rows + ", " + rows + ", tensor<i64>)",
            "%r, %a, %n");
    }
}

/// Tables of drawn maps and of those that exchange the first four points with
/// later ones, elements of one byte and more, near zero and far from it; states
/// that are products of exchanges and others. Sixteen bytes are ranked by
/// shuffles, more one by one.
TEST_F(SetKernelTest, CosetBits) {
  for (int64_t columns : {5, 10, 16, 17})
    for (const char *element : {"ui8", "i16", "ui32", "i64"})
      for (bool isGroup : {true, false}) {
        bool isFar = llvm::StringRef(element).contains("32") ||
                     llvm::StringRef(element).contains("64");
        uint64_t state = 17;
        auto next = [&](uint64_t below) {
          state = state * 6364136223846793005u + 1442695040888963407u;
          return int64_t((state >> 33) % below);
        };
        auto startAt = [&](int64_t position) {
          return (position * 3 + 1) % 19 + (isFar ? 70000 : 0);
        };
        auto rowOf = [&](int64_t number) {
          std::vector<int64_t> images(static_cast<size_t>(columns)),
              row(images.size());
          for (int64_t point = 0; point < columns; ++point)
            images[size_t(point)] = point;
          for (int64_t point = 0; point < 4; ++point)
            std::swap(images[size_t(point)],
                      images[size_t(point + next(uint64_t(columns - point)))]);
          for (int64_t point = 0; point < columns; ++point)
            row[size_t(images[size_t(point)])] = startAt(point);
          if (number % 7 == 5)
            row[size_t(next(uint64_t(columns)))] = startAt(0);
          if (number % 11 == 10)
            row[1] = startAt(18); // The start lacks it.
          if (number % 13 == 12)
            std::swap(row[size_t(columns - 1)], row[size_t(columns - 2)]);
          return row;
        };
        const int64_t firstSize = columns * (columns - 1),
                      secondSize = (columns - 2) * (columns - 3);
        harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
          Tensor tensor(type);
          interpreter::ElementAccess access(type.getElementType());
          std::vector<int64_t> states;
          for (int64_t i = 0; i < tensor.size(); ++i) {
            int64_t row = i / columns, column = i % columns, value = 0;
            if (number == 0) {
              if (column == 0)
                states = rowOf(row);
              value = states[size_t(column)];
            } else if (number == 1) {
              value = startAt(i);
            } else if (!isGroup) {
              value = next(uint64_t(columns + 2));
            } else if (number == 2) {
              // Two levels of columns^2 places each: points 0 and 1, 2 and 3.
              int64_t places = columns * columns, group = i / places,
                      low = i % columns - 2 * group,
                      high = i % places / columns - 2 * group,
                      left = columns - 2 * group;
              // An exchange of the first point, then one of the second.
              bool isElement = low >= 0 && high >= 0 && low != high;
              int64_t second = high == 0 ? low : high;
              value = isElement ? low * (left - 1) + second - 1 : 999;
            } else {
              // Inverses of the products of two exchanges.
              int64_t group = number == 3 && row >= firstSize ? 1 : 0,
                      left = columns - 2 * group,
                      index = row - firstSize * group,
                      first = 2 * group + index / (left - 1),
                      second = 2 * group + 1 + index % (left - 1);
              auto exchange = [&](int64_t x, int64_t y) {
                value = value == x ? y : value == y ? x : value;
              };
              value = column;
              exchange(2 * group, first);
              exchange(2 * group + 1, second);
            }
            access.store(tensor.writable() + i * access.bytes(),
                         interpreter::Scalar::ofSigned(value));
          }
          return tensor;
        };
        auto text = [](int64_t size) { return std::to_string(size) + "x"; };
        std::string wide = text(columns), states = tensor("?x" + wide, element),
                    start = tensor(wide, element),
                    indices = tensor(text(2 * columns * columns), "ui16"),
                    inverses =
                        tensor(text(firstSize + secondSize) + wide, "ui16"),
                    rows = tensor(text(firstSize) + wide, "ui16");
        for (int64_t count : {0, 1, 2, 3, 1000})
          check("%x : " + states + ", %s : " + start + ", %i : " + indices +
                    ", %m : " + inverses + ", %r : " + rows,
                "tensor<?xui64>",
                "%p = search.coset_bits %x, %s, %i, %m, %r points [0, 1, 2, 3] "
                "of [2, 2] sizes [" +
                    std::to_string(firstSize) + ", " +
                    std::to_string(secondSize) + "] rows 1 words 3 : (" +
                    states + ", " + start + ", " + indices + ", " + inverses +
                    ", " + rows + ") -> tensor<?xui64>",
                "%p",
                {{count, columns},
                 {columns},
                 {2 * columns * columns},
                 {firstSize + secondSize, columns},
                 {firstSize, columns}});
      }
}

/// Few positions in many words, many in few, some twice and some in no word.
TEST_F(SetKernelTest, IndexBits) {
  for (int64_t words : {1, 40, 3000})
    for (int64_t count : {0, 1, 39, 40, 41, 5000}) {
      harness.fill = [&](mlir::RankedTensorType type, unsigned) {
        Tensor tensor(type);
        uint64_t state = 5;
        for (int64_t i = 0; i < tensor.size(); ++i) {
          state = state * 6364136223846793005u + 1442695040888963407u;
          reinterpret_cast<uint64_t *>(tensor.writable())[i] =
              i % 9 == 8 ? ~uint64_t(i) : (state >> 33) % (words * 66);
        }
        return tensor;
      };
      check("%x : tensor<?xui64>",
            "tensor<?xi64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, "
            "tensor<?xui64>",
            "%p, %n, %w, %m, %f = search.index_bits %x words " +
                std::to_string(words) +
                " : tensor<?xui64> -> tensor<?xi64>, tensor<?xui64>, "
                "tensor<?xui64>, tensor<?xui64>, tensor<?xui64>",
            "%p, %n, %w, %m, %f", {{count}});
    }
}

/// Entries for all words and for some, with few bits and with many, some after
/// the last word or place; the list is the result's memory, or is copied.
TEST_F(SetKernelTest, NoteBits) {
  constexpr int64_t places = 6000;
  const std::string list = "tensor<?xui64>", numbers = "tensor<?xi64>";
  for (bool areDense : {false, true})
    for (auto [words, entries] : {std::pair<int64_t, int64_t>{0, 3},
                                  {1, 1},
                                  {37, 37},
                                  {2000, 2000},
                                  {2000, 1999},
                                  {100, 5000}}) {
      harness.fill = [&, words = words](mlir::RankedTensorType type,
                                        unsigned number) {
        Tensor tensor(type);
        uint64_t state = 5 + number;
        for (int64_t i = 0; i < tensor.size(); ++i) {
          state = state * 6364136223846793005u + 1442695040888963407u;
          uint64_t drawn = state >> 20;
          reinterpret_cast<uint64_t *>(tensor.writable())[i] =
              number == 0 || number == 2
                  ? (areDense ? drawn : drawn & drawn >> 7 & drawn << 9)
              : number == 1 ? drawn % uint64_t(words + 2)
              : number == 3 ? drawn % (places + 40) | drawn >> 40 << 63
                            : drawn % 100;
        }
        return tensor;
      };
      for (int shared : {-1, 5}) {
        harness.sharedOperand = shared;
        check("%b : " + list + ", %w : " + list + ", %m : " + list +
                  ", %f : " + list + ", %n : " + list + ", %r : " + numbers,
              numbers + ", tensor<i64>",
              "%i = graph.dim %n, 0 : tensor<?xui64>\n"
              "%a, %c = search.note_bits %b at (%w, %m, %f) counts %n into %r "
              "number %i : (" +
                  list + ", " + list + ", " + list + ", " + list + ", " + list +
                  ", " + numbers + ", tensor<i64>) -> (" + numbers +
                  ", tensor<i64>)",
              "%a, %c",
              {{words}, {entries}, {entries}, {entries}, {places}, {places}});
      }
    }
}

TEST_F(SetKernelTest, CountNeighbours) {
  // Layers of a few of the states, so that many neighbours are equal, in one
  // and in several partitions; moves that are permutations, of which bytes are
  // summed, and others. Beside bytes that one vector holds: more of them, and
  // longer elements.
  for (const char *element : {"ui8", "i16", "ui64"})
    for (int64_t columns : {1, 54, 70})
      for (bool permute : {true, false}) {
        const int64_t moves = 9;
        harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
          Tensor tensor(type);
          interpreter::ElementAccess access(type.getElementType());
          for (int64_t i = 0; i < tensor.size(); ++i) {
            int64_t row = i / columns, column = i % columns, value;
            if (number == 1)
              value = permute ? (column + row * row) % columns
                              : (column * 5 + row * 3) % (columns + 2);
            else
              value =
                  (row * 7919 / (1 + int64_t(number)) + 3) >> column % 11 & 1;
            access.store(tensor.writable() + i * access.bytes(),
                         interpreter::Scalar::ofSigned(value));
          }
          return tensor;
        };
        std::string width = std::to_string(columns) + "x",
                    rows = tensor("?x" + width, element),
                    sources = tensor("9x" + width, "ui32"),
                    layer = "%x : " + rows + ", %s : " + sources;
        const std::string results = "tensor<i64>, tensor<i64>, tensor<?xi1>";
        for (int64_t count : {0, 4000})
          check(layer, results,
                "%n, %f, %m = search.count_neighbours %x moved by %s : (" +
                    rows + ", " + sources + ") -> (" + results + ")",
                "%n, %f, %m", {{count, columns}, {moves, columns}});
        for (int64_t count : {700, 4000})
          check(layer + ", %k : " + rows + ", %l : " + rows, results,
                "%n, %f, %m = search.count_neighbours %x moved by %s without "
                "(%k, %l) : (" +
                    rows + ", " + sources + ", " + rows + ", " + rows +
                    ") -> (" + results + ")",
                "%n, %f, %m",
                {{count, columns},
                 {moves, columns},
                 {90, columns},
                 {0, columns}});
        if (columns == 54 && permute)
          check(layer, "tensor<i64>, tensor<i64>",
                "%n, %f, %m = search.count_neighbours %x moved by %s : (" +
                    rows + ", " + sources + ") -> (" + results + ")",
                "%n, %f", {{700, columns}, {moves, columns}});
      }
}

TEST_F(SetKernelTest, TestBits) {
  harness.fill = [&](mlir::RankedTensorType type, unsigned number) {
    Tensor tensor(type);
    uint64_t state = 5 + number;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      reinterpret_cast<uint64_t *>(tensor.writable())[i] =
          number == 0 ? state
          : i % 9     ? (state >> 33) % 1300
                      : ~uint64_t(0);
    }
    return tensor;
  };
  for (const char *words : {"0x", "1x", "20x"})
    for (const char *count : {"1x", "5000x"})
      check("%x : " + tensor(words, "ui64") + ", %p : " + tensor(count, "ui64"),
            tensor(count, "i1"),
            "%r = search.test_bits %x at %p : (" + tensor(words, "ui64") +
                ", " + tensor(count, "ui64") + ") -> " + tensor(count, "i1"),
            "%r");
}

} // namespace
