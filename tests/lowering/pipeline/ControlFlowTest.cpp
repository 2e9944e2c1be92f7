// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops: what they carry, capture and return, in memory and in
// registers.

#include "tests/lowering/pipeline/CompiledProgram.h"

#include <chrono>

namespace zenith::test {
namespace {

class ControlFlow : public CompiledProgram {
protected:
  Tensor number(int64_t value, unsigned width = 64) {
    Tensor tensor(mlir::RankedTensorType::get(
        {}, mlir::IntegerType::get(&context, width)));
    std::memcpy(tensor.writable(), &value, tensor.byteSize());
    return tensor;
  }
  int64_t numberOf(const Tensor &tensor) {
    int64_t value = 0;
    std::memcpy(&value, tensor.bytes(), tensor.byteSize());
    return value;
  }
};

const char *counter = R"(
func.func @main(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %three = graph.constant dense<3> : tensor<i64>
  %r:2 = graph.while %zero, %one cond {
  ^bb0(%i: tensor<i64>, %x: tensor<i64>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %x: tensor<i64>):
    %j = graph.add %i, %one : tensor<i64>
    %t = graph.mul %x, %three : tensor<i64>
    %y = graph.xor %t, %i : tensor<i64>
    graph.yield %j, %y : tensor<i64>, tensor<i64>
  } : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
}
)";

TEST_F(ControlFlow, ScalarLoops) {
  expectMeaning(counter, {number(100)});
  expectMeaning(counter, {number(0)});
  expectMeaning(counter, {number(-5)});
}

TEST_F(ControlFlow, ScalarLoopsTakeNanosecondsAStep) {
  auto session = start(compile(counter));
  ASSERT_TRUE(session);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(numberOf(run(*session, {number(100000)})[0]), 100000);
  double milliseconds = std::chrono::duration<double, std::milli>(
                            std::chrono::steady_clock::now() - begin)
                            .count();
  EXPECT_LT(milliseconds, 50);
}

TEST_F(ControlFlow, IntegerArithmeticWraps) {
  const char *text = R"(
func.func @main(%a: tensor<i32>, %b: tensor<i32>, %p: tensor<i1>) -> (tensor<4xi32>, tensor<i32>) {
  %0 = graph.add %a, %b : tensor<i32>
  %1 = graph.mul %0, %a : tensor<i32>
  %2 = graph.div %1, %b : tensor<i32>
  %3 = graph.rem %2, %b : tensor<i32>
  %4 = graph.floor_mod %1, %b : tensor<i32>
  %5 = graph.max %3, %4 : tensor<i32>
  %6 = graph.min %5, %a : tensor<i32>
  %7 = graph.neg %6 : tensor<i32>
  %8 = graph.abs %7 : tensor<i32>
  %9 = graph.sign %7 : tensor<i32>
  %10 = graph.select %p, %8, %9 : tensor<i1>, tensor<i32>
  %c = graph.compare le, %10, %a : tensor<i32> -> tensor<i1>
  %n = graph.not %c : tensor<i1>
  %w = graph.convert %n : tensor<i1> -> tensor<i32>
  %v = graph.sub %10, %w : tensor<i32>
  %s = graph.broadcast %v [] : tensor<i32> -> tensor<4xi32>
  return %s, %v : tensor<4xi32>, tensor<i32>
})";
  for (int64_t a : {0l, 7l, -9l, 2147483647l, -2147483648l})
    for (int64_t b : {0l, -1l, 3l, -4l})
      for (int64_t p : {0, 1})
        expectMeaning(text, {number(a, 32), number(b, 32), number(p, 1)});
}

TEST_F(ControlFlow, BranchesOnTensors) {
  const char *text = R"(
func.func @main(%p: tensor<i1>, %x: tensor<5x4xf32>, %y: tensor<4xf32>) -> (tensor<5x4xf32>, tensor<i64>) {
  %e = graph.exp %x : tensor<5x4xf32>
  %r:2 = graph.if %p then {
    %b = graph.broadcast %y [1] : tensor<4xf32> -> tensor<5x4xf32>
    %s = graph.add %e, %b : tensor<5x4xf32>
    %n = graph.constant dense<7> : tensor<i64>
    graph.yield %s, %n : tensor<5x4xf32>, tensor<i64>
  } else {
    %n = graph.constant dense<9> : tensor<i64>
    graph.yield %x, %n : tensor<5x4xf32>, tensor<i64>
  } : (tensor<i1>) -> (tensor<5x4xf32>, tensor<i64>)
  %t = graph.tanh %r#0 : tensor<5x4xf32>
  return %t, %r#1 : tensor<5x4xf32>, tensor<i64>
})";
  for (int64_t p : {0, 1})
    expectMeaning(text, {number(p, 1), floats({5, 4}, 1), floats({4}, 2)});
}

TEST_F(ControlFlow, CasesClampTheirIndex) {
  const char *text = R"(
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.case %i {
    %e = graph.exp %x : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  }, {
    graph.yield %x : tensor<4xf32>
  }, {
    %e = graph.neg %x : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  } : (tensor<i32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})";
  for (int64_t i : {0, 1, 2, 3, -1, 100})
    expectMeaning(text, {number(i, 32), floats({4}, 3)});
}

const char *recurrence = R"(
func.func @main(%x: tensor<?x8xf32> {graph.dims = ["steps", "8"]}, %w: tensor<8x8xf32>, %h0: tensor<8xf32>) -> (tensor<?x8xf32>, tensor<8xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %f = graph.constant dense<0.0> : tensor<f32>
  %n = graph.dim %x, 0 : tensor<?x8xf32>
  %y0 = graph.broadcast %f [] [%n] : tensor<f32> -> tensor<?x8xf32>
  %r:3 = graph.while %zero, %h0, %y0 cond {
  ^bb0(%i: tensor<i64>, %h: tensor<8xf32>, %y: tensor<?x8xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %h: tensor<8xf32>, %y: tensor<?x8xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %row = graph.dynamic_slice %x, %i, %zero : (tensor<?x8xf32>, tensor<i64>, tensor<i64>) -> tensor<1x8xf32>
    %v = graph.reshape %row : tensor<1x8xf32> -> tensor<8xf32>
    %m = graph.dot_general %w, %h <batching = [] x [], contracting = [1] x [0]> : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s = graph.add %m, %v : tensor<8xf32>
    %t = graph.tanh %s : tensor<8xf32>
    %u = graph.reshape %t : tensor<8xf32> -> tensor<1x8xf32>
    %z = graph.dynamic_update_slice %y, %u, %i, %zero : (tensor<?x8xf32>, tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> tensor<?x8xf32>
    graph.yield %j, %t, %z : tensor<i64>, tensor<8xf32>, tensor<?x8xf32>
  } : (tensor<i64>, tensor<8xf32>, tensor<?x8xf32>) -> (tensor<i64>, tensor<8xf32>, tensor<?x8xf32>)
  return %r#2, %r#1 : tensor<?x8xf32>, tensor<8xf32>
}
)";

TEST_F(ControlFlow, Recurrences) {
  for (int64_t steps : {0, 1, 2, 7})
    expectMeaning(recurrence,
                  {floats({steps, 8}, 1), floats({8, 8}, 2), floats({8}, 3)});
}

TEST_F(ControlFlow, NestedLoopsAndBranches) {
  expectMeaning(R"(
func.func @main(%n: tensor<i64>, %x: tensor<6xf32>) -> (tensor<6xf32>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %two = graph.constant dense<2> : tensor<i64>
  %r:3 = graph.while %zero, %x, %zero cond {
  ^bb0(%i: tensor<i64>, %a: tensor<6xf32>, %s: tensor<i64>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<6xf32>, %s: tensor<i64>):
    %q:3 = graph.while %zero, %a, %s cond {
    ^bb0(%j: tensor<i64>, %b: tensor<6xf32>, %t: tensor<i64>):
      %c = graph.compare lt, %j, %i : tensor<i64> -> tensor<i1>
      graph.yield %c : tensor<i1>
    } do {
    ^bb0(%j: tensor<i64>, %b: tensor<6xf32>, %t: tensor<i64>):
      %k = graph.add %j, %one : tensor<i64>
      %m = graph.rem %k, %two : tensor<i64>
      %odd = graph.compare eq, %m, %one : tensor<i64> -> tensor<i1>
      %d = graph.if %odd then {
        %e = graph.sub %b, %x : tensor<6xf32>
        graph.yield %e : tensor<6xf32>
      } else {
        %e = graph.tanh %b : tensor<6xf32>
        graph.yield %e : tensor<6xf32>
      } : (tensor<i1>) -> tensor<6xf32>
      %u = graph.add %t, %m : tensor<i64>
      graph.yield %k, %d, %u : tensor<i64>, tensor<6xf32>, tensor<i64>
    } : (tensor<i64>, tensor<6xf32>, tensor<i64>) -> (tensor<i64>, tensor<6xf32>, tensor<i64>)
    %k = graph.add %i, %one : tensor<i64>
    graph.yield %k, %q#1, %q#2 : tensor<i64>, tensor<6xf32>, tensor<i64>
  } : (tensor<i64>, tensor<6xf32>, tensor<i64>) -> (tensor<i64>, tensor<6xf32>, tensor<i64>)
  return %r#1, %r#2 : tensor<6xf32>, tensor<i64>
})",
                {number(5), floats({6}, 1)});
}

TEST_F(ControlFlow, ConditionsFromKernels) {
  expectMeaning(R"(
func.func @main(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<i32>) {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %half = graph.constant dense<0.5> : tensor<16xf32>
  %limit = graph.constant dense<0.01> : tensor<f32>
  %r:2 = graph.while %x, %zero cond {
  ^bb0(%a: tensor<16xf32>, %i: tensor<i32>):
    %m = graph.abs %a : tensor<16xf32>
    %s = graph.reduce max, %m [0] : tensor<16xf32> -> tensor<f32>
    %c = graph.compare gt, %s, %limit : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<16xf32>, %i: tensor<i32>):
    %b = graph.mul %a, %half : tensor<16xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %b, %j : tensor<16xf32>, tensor<i32>
  } : (tensor<16xf32>, tensor<i32>) -> (tensor<16xf32>, tensor<i32>)
  return %r#0, %r#1 : tensor<16xf32>, tensor<i32>
})",
                {floats({16}, 1)});
}

TEST_F(ControlFlow, CarriedValuesThatTradePlaces) {
  expectMeaning(R"(
func.func @main(%n: tensor<i64>, %x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:3 = graph.while %zero, %x, %y cond {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    %k = graph.add %i, %one : tensor<i64>
    %s = graph.add %a, %b : tensor<3xf32>
    graph.yield %k, %b, %s : tensor<i64>, tensor<3xf32>, tensor<3xf32>
  } : (tensor<i64>, tensor<3xf32>, tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>, tensor<3xf32>)
  return %r#1, %r#2 : tensor<3xf32>, tensor<3xf32>
})",
                {number(7), floats({3}, 1), floats({3}, 2)});
}

TEST_F(ControlFlow, BarriersHandOn) {
  expectMeaning(R"(
func.func @main(%x: tensor<5xf32>, %n: tensor<i32>) -> (tensor<5xf32>, tensor<i32>, tensor<5xf32>) {
  %e = graph.exp %x : tensor<5xf32>
  %b:3 = graph.barrier %e, %n, %x : (tensor<5xf32>, tensor<i32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<i32>, tensor<5xf32>)
  %s = graph.add %b#0, %b#2 : tensor<5xf32>
  %m = graph.add %b#1, %n : tensor<i32>
  return %s, %m, %b#2 : tensor<5xf32>, tensor<i32>, tensor<5xf32>
})",
                {floats({5}, 1), number(41, 32)});
}

/// Scalars that kernels compute stay in memory, unless sizes rest on them.
TEST_F(ControlFlow, BarriersHandOnScalarsOfKernels) {
  const char *text = R"(
func.func @main(%x: tensor<5xi64>, %n: tensor<i64>) -> (tensor<?xi64>, tensor<i64>, tensor<i64>, tensor<5xi64>) {
  %s = graph.reduce sum, %x [0] : tensor<5xi64> -> tensor<i64>
  %m = graph.reduce max, %x [0] : tensor<5xi64> -> tensor<i64>
  %b:3 = graph.barrier %s, %m, %n : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>)
  %k = graph.add %b#0, %b#2 : tensor<i64>
  %i = graph.iota 0 [%k] : tensor<?xi64>
  %t = graph.broadcast %b#1 [] : tensor<i64> -> tensor<5xi64>
  %y = graph.mul %t, %x : tensor<5xi64>
  return %i, %b#0, %b#1, %y : tensor<?xi64>, tensor<i64>, tensor<i64>, tensor<5xi64>
})";
  Tensor x(
      mlir::RankedTensorType::get({5}, mlir::IntegerType::get(&context, 64)));
  auto *elements = reinterpret_cast<int64_t *>(x.writable());
  for (int64_t i = 0; i < 5; ++i)
    elements[i] = i * i - 3;
  expectMeaning(text, {x, number(2)});
  // Less than no elements.
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  EXPECT_NE(failureOf(*session, {x, number(-100)}), "");
}

/// An op of its own, wherever a program has it.
TEST_F(ControlFlow, HostReadsInPrograms) {
  expectMeaning(R"(
func.func @main(%x: tensor<5xi32>, %n: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %seven = graph.constant dense<7> : tensor<i32>
  %s = graph.reduce sum, %x [0] : tensor<5xi32> -> tensor<i32>
  %a = graph.host_read %s : tensor<i32>
  %b = graph.host_read %n : tensor<i32>
  %c = graph.host_read %seven : tensor<i32>
  %d = graph.add %a, %b : tensor<i32>
  return %d, %b, %c : tensor<i32>, tensor<i32>, tensor<i32>
})",
                {Tensor(mlir::RankedTensorType::get(
                     {5}, mlir::IntegerType::get(&context, 32))),
                 number(41, 32)});
}

TEST_F(ControlFlow, SizesThatGrow) {
  const char *text = R"(
func.func @main(%n: tensor<i64>, %x: tensor<?x2xf32> {graph.dims = ["rows", "2"]}) -> (tensor<?x2xf32>, tensor<f32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %k = graph.add %i, %one : tensor<i64>
    %e = graph.tanh %a : tensor<?x2xf32>
    %b = graph.concat 0, %e, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    graph.yield %k, %b : tensor<i64>, tensor<?x2xf32>
  } : (tensor<i64>, tensor<?x2xf32>) -> (tensor<i64>, tensor<?x2xf32>)
  %s = graph.reduce sum, %r#1 [0, 1] : tensor<?x2xf32> -> tensor<f32>
  return %r#1, %s : tensor<?x2xf32>, tensor<f32>
})";
  for (int64_t n : {0, 1, 2, 9})
    expectMeaning(text, {number(n), floats({3, 2}, 1)});
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  {
    std::vector<Tensor> got = run(*session, {number(5), floats({3, 2}, 1)});
    ASSERT_EQ(got.size(), 2u);
  }
  runtime::MemoryUse use = session->runContext().memoryUse();
  EXPECT_EQ(use.liveBytes, use.arenaBytes);
  // The budget holds for what grows, too.
  auto tight = start(compile(text), 1, 4096);
  EXPECT_EQ(failureOf(*tight, {number(1000), floats({3, 2}, 1)}).substr(0, 2),
            "5:");
  use = tight->runContext().memoryUse();
  EXPECT_EQ(use.liveBytes, use.arenaBytes);
}

TEST_F(ControlFlow, BranchesOfDifferentSizes) {
  const char *text = R"(
func.func @main(%p: tensor<i1>, %x: tensor<?xf32> {graph.dims = ["n"]}, %w: tensor<4xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %r = graph.if %p then {
    %e = graph.exp %x : tensor<?xf32>
    graph.yield %e : tensor<?xf32>
  } else {
    graph.yield %w : tensor<4xf32>
  } : (tensor<i1>) -> tensor<?xf32>
  %t = graph.neg %r : tensor<?xf32>
  %s = graph.reduce sum, %t [0] : tensor<?xf32> -> tensor<f32>
  return %t, %s : tensor<?xf32>, tensor<f32>
})";
  for (int64_t p : {0, 1})
    expectMeaning(text, {number(p, 1), floats({9}, 1), floats({4}, 2)});
}

TEST_F(ControlFlow, BranchesThatPutScalarsIntoLists) {
  const char *text = R"(
func.func @main(%p: tensor<i1>, %s: tensor<i64>) -> tensor<?xi64> {
  %r = graph.if %p then {
    %l = graph.reshape %s : tensor<i64> -> tensor<1xi64>
    graph.yield %l : tensor<1xi64>
  } else {
    %x = graph.iota 0 : tensor<3xi64>
    graph.yield %x : tensor<3xi64>
  } : (tensor<i1>) -> tensor<?xi64>
  return %r : tensor<?xi64>
})";
  for (int64_t p : {0, 1})
    expectMeaning(text, {number(p, 1), number(41)});
}

TEST_F(ControlFlow, SizesFromData) {
  const char *text = R"(
func.func @main(%v: tensor<5xi64>, %x: tensor<f32>) -> (tensor<?xf32>, tensor<?x3xi64>, tensor<i64>) {
  %three = graph.constant dense<3> : tensor<i64>
  %n = graph.reduce sum, %v [0] : tensor<5xi64> -> tensor<i64>
  %b = graph.broadcast %x [] [%n] : tensor<f32> -> tensor<?xf32>
  %e = graph.exp %b : tensor<?xf32>
  %m = graph.mul %n, %three : tensor<i64>
  %i = graph.iota 0 [%m] : tensor<?xi64>
  %q = graph.reshape %i [%n] : tensor<?xi64> -> tensor<?x3xi64>
  return %e, %q, %m : tensor<?xf32>, tensor<?x3xi64>, tensor<i64>
})";
  Tensor v(
      mlir::RankedTensorType::get({5}, mlir::IntegerType::get(&context, 64)));
  int64_t values[] = {1, 2, 0, 3, 1};
  std::memcpy(v.writable(), values, sizeof(values));
  Tensor x = floats({}, 1);
  expectMeaning(text, {v, x});
  values[0] = -100;
  std::memcpy(v.writable(), values, sizeof(values));
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  std::string failure = failureOf(*session, {v, x});
  EXPECT_EQ(failure.substr(0, 2), "2:") << failure;
  runtime::MemoryUse use = session->runContext().memoryUse();
  EXPECT_EQ(use.liveBytes, use.arenaBytes);
}

TEST_F(ControlFlow, AssertionsEndTheRun) {
  const char *text = R"(
func.func @main(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant dense<2> : tensor<i64>
  %p = graph.compare gt, %n, %two : tensor<i64> -> tensor<i1>
  graph.assert %p "too few: {0} of {1}" (%n, %two) : tensor<i1>, tensor<i64>, tensor<i64>
  %y = graph.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
})";
  expectMeaning(text, {number(3), floats({4}, 1)});
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  std::string failure = failureOf(*session, {number(1), floats({4}, 1)});
  EXPECT_EQ(failure.substr(0, 2), "2:") << failure;
  EXPECT_NE(failure.find("too few: 1 of 2"), std::string::npos) << failure;
}

TEST_F(ControlFlow, FailuresInsideOfLoopsLeaveNothing) {
  const char *text = R"(
func.func @main(%n: tensor<i64>, %x: tensor<?x2xf32> {graph.dims = ["rows", "2"]}) -> tensor<?x2xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %five = graph.constant dense<5> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %k = graph.add %i, %one : tensor<i64>
    %p = graph.compare lt, %i, %five : tensor<i64> -> tensor<i1>
    %b = graph.concat 0, %a, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    graph.assert %p "step {0} is one too many" (%i) : tensor<i1>, tensor<i64>
    %m = graph.sub %five, %i : tensor<i64>
    %s = graph.slice %b [0, 0] [%m, 2] [1, 1] : tensor<?x2xf32> -> tensor<?x2xf32>
    %d = graph.concat 0, %b, %s : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    graph.yield %k, %d : tensor<i64>, tensor<?x2xf32>
  } : (tensor<i64>, tensor<?x2xf32>) -> (tensor<i64>, tensor<?x2xf32>)
  return %r#1 : tensor<?x2xf32>
})";
  expectMeaning(text, {number(4), floats({6, 2}, 1)});
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  std::string failure = failureOf(*session, {number(7), floats({6, 2}, 1)});
  EXPECT_NE(failure.find("step 5 is one too many"), std::string::npos)
      << failure;
  // The part that the first step takes leaves what it has.
  failure = failureOf(*session, {number(7), floats({2, 2}, 1)});
  EXPECT_EQ(failure.substr(0, 2), "2:") << failure;
  runtime::MemoryUse use = session->runContext().memoryUse();
  EXPECT_EQ(use.liveBytes, use.arenaBytes);
}

// What a loop allocates is not copied.
TEST_F(ControlFlow, ListsOfLoopsBecomeResults) {
  const char *text = R"(
func.func @main(%n: tensor<i64>, %x: tensor<?x2xf32> {graph.dims = ["rows", "2"]}) -> (tensor<?x2xf32>, tensor<i64>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %k = graph.add %i, %one : tensor<i64>
    %b = graph.concat 0, %a, %a : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    graph.yield %k, %b : tensor<i64>, tensor<?x2xf32>
  } : (tensor<i64>, tensor<?x2xf32>) -> (tensor<i64>, tensor<?x2xf32>)
  return %r#1, %r#0 : tensor<?x2xf32>, tensor<i64>
})";
  expectMeaning(text, {number(0), floats({6, 2}, 1)});
  expectMeaning(text, {number(3), floats({6, 2}, 1)});
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  static int kept;
  static int32_t (*keep)(void *, void *, int64_t);
  zenith_run_context *abi = session->runContext().abi();
  kept = 0;
  keep = abi->keep;
  abi->keep = [](void *user, void *data, int64_t bytes) {
    int32_t is = keep(user, data, bytes);
    kept += is;
    return is;
  };
  {
    auto results = run(*session, {number(3), floats({64, 2}, 1)});
    EXPECT_EQ(kept, 1);
    EXPECT_EQ(results[0].shape()[0], 512);
    EXPECT_EQ(*reinterpret_cast<const int64_t *>(results[1].bytes()), 3);
    runtime::MemoryUse use = session->runContext().memoryUse();
    EXPECT_GE(use.liveBytes, use.arenaBytes + 512 * 2 * 4);
  }
  runtime::MemoryUse use = session->runContext().memoryUse();
  EXPECT_EQ(use.liveBytes, use.arenaBytes);
}

// The caller gives the state up, and the loop updates it where it lies.
TEST_F(ControlFlow, LoopsTakeTheirStateOver) {
  auto session = start(compile(R"(
func.func @main(%x: tensor<4096xf32> {graph.donated}, %n: tensor<i64>) -> tensor<4096xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<4096xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<4096xf32>):
    %k = graph.add %i, %one : tensor<i64>
    %e = graph.tanh %a : tensor<4096xf32>
    graph.yield %k, %e : tensor<i64>, tensor<4096xf32>
  } : (tensor<i64>, tensor<4096xf32>) -> (tensor<i64>, tensor<4096xf32>)
  return %r#1 : tensor<4096xf32>
})"));
  ASSERT_TRUE(session);
  Tensor state = floats({4096}, 1);
  std::vector<Tensor> expected = run(*session, {state, number(6)});
  EXPECT_NE(expected[0].bytes(), state.bytes());
  const char *place = state.bytes();
  for (int part = 0; part < 3; ++part) {
    std::vector<Tensor> arguments{std::move(state), number(2)};
    auto results = session->runTaking(*session->executable().defaultEntry(),
                                      std::move(arguments), &context);
    ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
    state = std::move(results->front());
    EXPECT_EQ(state.bytes(), place);
  }
  EXPECT_EQ(
      std::memcmp(state.bytes(), expected[0].bytes(), size_t(state.byteSize())),
      0);
}

TEST_F(ControlFlow, EndlessLoopsCanBeCancelled) {
  auto session = start(compile(counter));
  ASSERT_TRUE(session);
  session->runContext().cancel();
  EXPECT_EQ(failureOf(*session, {number(1000)}).substr(0, 2), "6:");
  EXPECT_EQ(numberOf(run(*session, {number(10)})[0]), 10);
}

} // namespace
} // namespace zenith::test
