// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vmap of random programs, seeded: arithmetic, movement, products, indexing,
// branches and loops on matrices, against the program on each row.

#include "RowByRow.h"
#include "ir/GraphOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace zenith;
using namespace zenith::batching;

namespace {

/// Writes a program on values of type 3x3 f32, called %v0, %v1, ...
class Writer {
public:
  explicit Writer(uint32_t seed) : generator(seed) {}

  std::string program() {
    std::string body;
    next = 3;
    for (int i = 0; i < 8; ++i)
      body += statement(2);
    std::string last = value();
    return "func.func @main(%v0: tensor<3x3xf32>, %v1: tensor<3x3xf32>, %v2: "
           "tensor<3x3xf32>, %s: tensor<f32>, %k: tensor<i64>) -> "
           "(tensor<3x3xf32>, tensor<3x3xf32>) {\n" +
           body + "  return " + last + ", " + value() +
           " : tensor<3x3xf32>, tensor<3x3xf32>\n}\n";
  }

private:
  unsigned pick(unsigned count) { return generator() % count; }
  std::string value() { return "%v" + std::to_string(pick(next)); }
  std::string temporary() { return "%t" + std::to_string(temporaries++); }
  /// The index of a new value, which later statements may read.
  std::string fresh() { return "%v" + std::to_string(next++); }
  std::string statement(int depth) {
    switch (pick(depth > 0 ? 10 : 8)) {
    case 0:
    case 1:
      return unary();
    case 2:
      return binary();
    case 3:
      return product();
    case 4:
      return reduction();
    case 5:
      return slice();
    case 6:
      return gather();
    case 7:
      return movement();
    case 8:
      return branch(depth);
    default:
      return loop(depth);
    }
  }
  std::string unary() {
    static const char *const ops[] = {"tanh", "sin", "abs", "logistic"};
    std::string from = value();
    return "  " + fresh() + " = graph." + ops[pick(4)] + " " + from +
           " : tensor<3x3xf32>\n";
  }
  std::string binary() {
    static const char *const ops[] = {"add", "sub", "mul", "max"};
    std::string a = value(), b = value();
    return "  " + fresh() + " = graph." + ops[pick(4)] + " " + a + ", " + b +
           " : tensor<3x3xf32>\n";
  }
  std::string product() {
    std::string a = value(), b = value(), t = temporary();
    std::string left = std::to_string(pick(2)), right = std::to_string(pick(2));
    return "  " + t + " = graph.dot_general " + a + ", " + b +
           " <batching = [] x [], contracting = [" + left + "] x [" + right +
           "]> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>\n  " +
           fresh() + " = graph.tanh " + t + " : tensor<3x3xf32>\n";
  }
  std::string reduction() {
    std::string from = value(), t = temporary();
    bool sums = pick(2);
    std::string dim = std::to_string(pick(2)), kept = std::to_string(pick(2));
    return "  " + t + " = graph.reduce " + (sums ? "sum" : "max") + ", " +
           from + " [" + dim + "] : tensor<3x3xf32> -> tensor<3xf32>\n  " +
           fresh() + " = graph.broadcast " + t + " [" + kept +
           "] : tensor<3xf32> -> tensor<3x3xf32>\n";
  }
  std::string slice() {
    std::string from = value(), into = value(), t = temporary(),
                z = temporary();
    return "  " + z + " = graph.constant dense<1> : tensor<i64>\n  " + t +
           " = graph.dynamic_slice " + from + ", %k, " + z +
           " : (tensor<3x3xf32>, tensor<i64>, tensor<i64>) -> "
           "tensor<2x1xf32>\n  " +
           fresh() + " = graph.dynamic_update_slice " + into + ", " + t + ", " +
           z +
           ", %k : (tensor<3x3xf32>, tensor<2x1xf32>, tensor<i64>, "
           "tensor<i64>) -> tensor<3x3xf32>\n";
  }
  std::string gather() {
    std::string from = value(), keys = value(), t = temporary(),
                i = temporary();
    return "  " + t + " = graph.reduce max, " + keys +
           " [1] : tensor<3x3xf32> -> tensor<3xf32>\n  " + i +
           " = graph.convert " + t + " : tensor<3xf32> -> tensor<3xi64>\n  " +
           fresh() + " = graph.gather " + from + ", " + i +
           " <offset = [1], collapsed = [0], batching = [] x [], index_map = "
           "[0], index_vector_dim = 1> sizes [1, 3] : (tensor<3x3xf32>, "
           "tensor<3xi64>) -> tensor<3x3xf32>\n";
  }
  std::string movement() {
    std::string from = value();
    if (pick(2))
      return "  " + fresh() + " = graph.transpose " + from +
             " [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>\n";
    return "  " + fresh() + " = graph.reverse " + from +
           " [1] : tensor<3x3xf32>\n";
  }
  /// Statements whose values only they see, and the last of these.
  std::pair<std::string, std::string> block(int depth) {
    unsigned outside = next;
    std::string text;
    for (int i = 0; i < 3; ++i)
      text += statement(depth - 1);
    std::string last = "%v" + std::to_string(next - 1);
    next = outside;
    // Names inside are taken for good.
    std::string tag = "b" + std::to_string(blocks++) + "_";
    for (unsigned i = outside; i < outside + 40; ++i)
      for (std::string *part : {&text, &last}) {
        std::string name = "%v" + std::to_string(i);
        size_t at = 0;
        while ((at = part->find(name, at)) != std::string::npos) {
          bool isWhole = at + name.size() == part->size() ||
                         !isdigit((*part)[at + name.size()]);
          if (isWhole)
            part->insert(at + 1, tag);
          at += name.size();
        }
      }
    return {text, last};
  }
  std::string branch(int depth) {
    std::string c = temporary(), h = temporary();
    auto [one, first] = block(depth);
    auto [two, second] = block(depth);
    return "  " + h + " = graph.constant dense<0.8> : tensor<f32>\n  " + c +
           " = graph.compare lt, %s, " + h +
           " : tensor<f32> -> tensor<i1>\n  " + fresh() + " = graph.if " + c +
           " then {\n" + one + "  graph.yield " + first +
           " : tensor<3x3xf32>\n  } else {\n" + two + "  graph.yield " +
           second +
           " : tensor<3x3xf32>\n  } : (tensor<i1>) -> "
           "tensor<3x3xf32>\n";
  }
  /// As many steps as %k says.
  std::string loop(int depth) {
    std::string z = temporary(), i = temporary(), c = temporary(),
                j = temporary(), o = temporary(), r = temporary(),
                m = temporary(), v = temporary(), init = value();
    auto [text, last] = block(depth);
    std::string types = "tensor<i64>, tensor<3x3xf32>";
    std::string result = fresh();
    return "  " + z + " = graph.constant dense<0> : tensor<i64>\n  " + r +
           ":2 = graph.while " + z + ", " + init + " cond {\n  ^bb0(" + i +
           ": tensor<i64>, " + v + ": tensor<3x3xf32>):\n    " + c +
           " = graph.compare lt, " + i +
           ", %k : tensor<i64> -> tensor<i1>\n    graph.yield " + c +
           " : tensor<i1>\n  } do {\n  ^bb0(" + i + ": tensor<i64>, " + v +
           ": tensor<3x3xf32>):\n" + text + "    " + o +
           " = graph.constant dense<1> : tensor<i64>\n    " + j +
           " = graph.add " + i + ", " + o + " : tensor<i64>\n    " + m +
           " = graph.mul " + v + ", " + last +
           " : tensor<3x3xf32>\n    graph.yield " + j + ", " + m + " : " +
           types + "\n  } : (" + types + ") -> (" + types + ")\n  " + result +
           " = graph.tanh " + r + "#1 : tensor<3x3xf32>\n";
  }

  std::mt19937 generator;
  unsigned next = 3, temporaries = 0, blocks = 0;
};

} // namespace

TEST(VmapPrograms, EqualTheProgramOnEachRow) {
  auto context = batchingContext();
  unsigned equal = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::string text = Writer(seed).program();
    auto module = parseSourceString<ModuleOp>(text, context.get());
    ASSERT_TRUE(module) << text;
    std::mt19937 generator(seed);
    RowCheck check;
    check.seed = seed;
    check.options.rows = generator() % 2 ? 3 : ShapedType::kDynamic;
    for (int64_t rank : {2, 2, 2, 0, 0}) {
      bool isMapped = generator() % 3 != 0;
      check.options.in.push_back(
          isMapped ? std::optional<int64_t>(generator() % (rank + 1))
                   : std::nullopt);
    }
    if (llvm::none_of(check.options.in, [](auto dim) { return bool(dim); }))
      check.options.in[0] = 0;
    check.options.out = {int64_t(generator() % 3)};
    Comparison comparison = compareRows(*module, "main", check);
    ASSERT_EQ(comparison.outcome, Outcome::Equal)
        << "seed " << seed << ": " << comparison.why;
    ++equal;
  }
  EXPECT_EQ(equal, 300u);
}
