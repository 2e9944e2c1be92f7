// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs in which paths double with each op, and chains deeper than the
// machine's stack: time and stack that grow with the paths or the depth would
// end neither test.

#include "CompiledProgram.h"

using namespace zenith;

namespace {

class LongPrograms : public test::CompiledProgram {
protected:
  /// Ops a2, a3, ... of `type`, each of the two values before it.
  static std::string recurrence(unsigned steps, const std::string &type,
                                llvm::ArrayRef<const char *> ops) {
    std::string text;
    for (unsigned i = 2; i < steps; ++i)
      text += "  %a" + std::to_string(i) + " = graph." + ops[i % ops.size()] +
              " %a" + std::to_string(i - 1) + ", %a" + std::to_string(i - 2) +
              " : " + type + "\n";
    return text;
  }
  static std::string last(unsigned steps) {
    return "%a" + std::to_string(steps - 1);
  }
};

TEST_F(LongPrograms, ARecurrenceOfOneKernel) {
  std::string type = "tensor<64xf32>";
  expectMeaning("func.func @main(%a0: " + type + ", %a1: " + type + ") -> " +
                    type + " {\n" +
                    recurrence(300, type, {"add", "max", "sub", "min"}) +
                    "  return " + last(300) + " : " + type + "\n}",
                {floats({64}, 1), floats({64}, 2)});
}

TEST_F(LongPrograms, ARecurrenceBehindAMatmul) {
  std::string type = "tensor<24x40xf32>";
  expectMeaning("func.func @main(%x: tensor<24x8xf32>, %w: tensor<8x40xf32>, "
                "%a0: " +
                    type + ") -> " + type + R"( {
  %a1 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<24x8xf32>, tensor<8x40xf32>) -> tensor<24x40xf32>
)" + recurrence(90, type, {"add", "max", "sub", "min"}) +
                    "  return " + last(90) + " : " + type + "\n}",
                {floats({24, 8}, 1), floats({8, 40}, 2), floats({24, 40}, 3)});
}

/// Scalars of dimensions, which each kernel computes itself.
TEST_F(LongPrograms, ARecurrenceOfScalars) {
  expectMeaning(R"(func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?xf32>
  %a0 = graph.convert %n : tensor<i64> -> tensor<f32>
  %a1 = graph.neg %a0 : tensor<f32>
)" + recurrence(200, "tensor<f32>", {"add", "max", "sub", "min"}) +
                    "  %r = graph.broadcast " + last(200) +
                    R"( [] [%n] : tensor<f32> -> tensor<?xf32>
  %y = graph.add %x, %r : tensor<?xf32>
  return %y : tensor<?xf32>
})",
                {floats({10}, 1)});
}

/// A size that the host computes from one that a kernel computes.
TEST_F(LongPrograms, ARecurrenceOfSizes) {
  expectMeaning(R"(func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?xf32>
  %m = graph.reduce max, %x [0] : tensor<?xf32> -> tensor<f32>
  %k = graph.convert %m : tensor<f32> -> tensor<i64>
  %a0 = graph.min %k, %n : tensor<i64>
  %a1 = graph.max %k, %n : tensor<i64>
)" + recurrence(100, "tensor<i64>", {"min", "max"}) +
                    "  %r = graph.broadcast %m [] [" + last(100) +
                    R"(] : tensor<f32> -> tensor<?xf32>
  return %r : tensor<?xf32>
})",
                {floats({10}, 1)});
}

/// A body of as many ops as there are letters in a short story.
TEST_F(LongPrograms, ADeepChainInARegion) {
  std::string text = R"(func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %least = graph.constant dense<-100.0> : tensor<f32>
  %r = graph.reduce_with (%x), (%least) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s0 = graph.max %a, %b : tensor<f32>
)";
  unsigned count = 10000;
  for (unsigned i = 1; i < count; ++i)
    text += "    %s" + std::to_string(i) + " = graph.max %s" +
            std::to_string(i - 1) + (i % 2 ? ", %a" : ", %b") +
            " : tensor<f32>\n";
  text += "    graph.yield %s" + std::to_string(count - 1) + R"( : tensor<f32>
  } : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})";
  expectMeaning(text, {floats({4, 8}, 1)});
}

} // namespace
