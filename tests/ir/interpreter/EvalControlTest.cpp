// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices, loops and what they carry: captures, nesting, sizes that change,
// assertions.

#include "EvaluateText.h"
#include <gtest/gtest.h>

using namespace zenith::interpreter;

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(EvalControl, If) {
  const char *body = R"(  %r = graph.if %0 then {
    %d = graph.add %1, %1 : tensor<2xi32>
    graph.yield %d : tensor<2xi32>
  } else {
    graph.yield %1 : tensor<2xi32>
  } : (tensor<i1>) -> tensor<?xi32>
  return %r, %1)";
  for (bool choice : {true, false})
    EXPECT_EQ(evaluateBody(body, "tensor<?xi32>, tensor<2xi32>",
                           {choice ? "dense<true> : tensor<i1>"
                                   : "dense<false> : tensor<i1>",
                            "dense<[1, 2]> : tensor<2xi32>"}),
              std::string(choice ? "dense<[2, 4]>" : "dense<[1, 2]>") +
                  " : tensor<2xi32>\ndense<[1, 2]> : tensor<2xi32>");
}

TEST(EvalControl, CaseOutOfRangeTakesTheLast) {
  const char *body = R"(  %a = graph.constant dense<10> : tensor<i32>
  %b = graph.constant dense<20> : tensor<i32>
  %c = graph.constant dense<30> : tensor<i32>
  %r = graph.case %0 {
    graph.yield %a : tensor<i32>
  }, {
    graph.yield %b : tensor<i32>
  }, {
    graph.yield %c : tensor<i32>
  } : (tensor<i32>) -> tensor<i32>
  return %r)";
  auto run = [&](int index) {
    return evaluateBody(body, "tensor<i32>",
                        {"dense<" + std::to_string(index) + "> : tensor<i32>"});
  };
  EXPECT_EQ(run(0), "dense<10> : tensor<i32>");
  EXPECT_EQ(run(1), "dense<20> : tensor<i32>");
  EXPECT_EQ(run(-1), "dense<30> : tensor<i32>");
  EXPECT_EQ(run(3), "dense<30> : tensor<i32>");
}

static const char *const countingLoop =
    R"(  %one = graph.constant dense<1> : tensor<i64>
  %i, %s = graph.while %0, %1 cond {
  ^bb0(%a: tensor<i64>, %x: tensor<3xf32>):
    %c = graph.compare lt, %a, %2 : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %x: tensor<3xf32>):
    %n = graph.add %a, %one : tensor<i64>
    %y = graph.add %x, %3 : tensor<3xf32>
    graph.yield %n, %y : tensor<i64>, tensor<3xf32>
  } : (tensor<i64>, tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>)
  return %i, %s, %1, %3)";

TEST(EvalControl, WhileTakesManySteps) {
  auto run = [](const std::string &steps) {
    return evaluateBody(
        countingLoop,
        "tensor<i64>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>",
        {"dense<0> : tensor<i64>", "dense<0.5> : tensor<3xf32>",
         "dense<" + steps + "> : tensor<i64>",
         "dense<[1.0, 2.0, -1.0]> : tensor<3xf32>"});
  };
  std::string rest =
      "dense<5.000000e-01> : tensor<3xf32>\ndense<[1.000000e+00, "
      "2.000000e+00, -1.000000e+00]> : tensor<3xf32>";
  EXPECT_EQ(run("20000"),
            "dense<20000> : tensor<i64>\ndense<[2.000050e+04, 4.000050e+04, "
            "-1.999950e+04]> : tensor<3xf32>\n" +
                rest);
  EXPECT_EQ(run("0"), "dense<0> : tensor<i64>\ndense<5.000000e-01> : "
                      "tensor<3xf32>\n" +
                          rest);
}

TEST(EvalControl, WhileCarriesSizesThatChange) {
  EXPECT_EQ(evaluateBody(R"(  %four = graph.constant dense<9> : tensor<i64>
  %r = graph.while %0 cond {
  ^bb0(%x: tensor<?xi64>):
    %n = graph.dim %x, 0 : tensor<?xi64>
    %c = graph.compare lt, %n, %four : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%x: tensor<?xi64>):
    %d = graph.concat 0, %x, %x : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    graph.yield %d : tensor<?xi64>
  } : (tensor<3xi64>) -> tensor<?xi64>
  return %r)",
                         "tensor<?xi64>", {"dense<[1, 2, 3]> : tensor<3xi64>"}),
            "dense<[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]> : tensor<12xi64>");
}

TEST(EvalControl, NestedLoopsReadOuterValues) {
  // Sum over i < 4 of the sum over j < i of i * j + k.
  EXPECT_EQ(
      evaluateBody(R"(  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %i, %s = graph.while %zero, %zero cond {
  ^bb0(%a: tensor<i64>, %t: tensor<i64>):
    %c = graph.compare lt, %a, %0 : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %t: tensor<i64>):
    %j, %u = graph.while %zero, %t cond {
    ^bb0(%b: tensor<i64>, %v: tensor<i64>):
      %c = graph.compare lt, %b, %a : tensor<i64> -> tensor<i1>
      graph.yield %c : tensor<i1>
    } do {
    ^bb0(%b: tensor<i64>, %v: tensor<i64>):
      %m = graph.mul %a, %b : tensor<i64>
      %p = graph.add %m, %1 : tensor<i64>
      %w = graph.add %v, %p : tensor<i64>
      %n = graph.add %b, %one : tensor<i64>
      graph.yield %n, %w : tensor<i64>, tensor<i64>
    } : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
    %n = graph.add %a, %one : tensor<i64>
    graph.yield %n, %u : tensor<i64>, tensor<i64>
  } : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  return %s)",
                   "tensor<i64>",
                   {"dense<4> : tensor<i64>", "dense<100> : tensor<i64>"}),
      "dense<611> : tensor<i64>");
}

TEST(EvalControl, WhileUpdatesInPlaceWithoutTouchingItsStart) {
  EXPECT_EQ(evaluateBody(R"(  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %end = graph.constant dense<3> : tensor<i64>
  %i, %s = graph.while %zero, %0 cond {
  ^bb0(%a: tensor<i64>, %x: tensor<4xi32>):
    %c = graph.compare lt, %a, %end : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %x: tensor<4xi32>):
    %v = graph.dynamic_slice %x, %a : (tensor<4xi32>, tensor<i64>) -> tensor<1xi32>
    %w = graph.add %v, %v : tensor<1xi32>
    %n = graph.add %a, %one : tensor<i64>
    %y = graph.dynamic_update_slice %x, %w, %n : (tensor<4xi32>, tensor<1xi32>, tensor<i64>) -> tensor<4xi32>
    graph.yield %n, %y : tensor<i64>, tensor<4xi32>
  } : (tensor<i64>, tensor<4xi32>) -> (tensor<i64>, tensor<4xi32>)
  return %s, %0)",
                         "tensor<4xi32>, tensor<4xi32>",
                         {"dense<[1, 0, 0, 0]> : tensor<4xi32>"}),
            "dense<[1, 2, 4, 8]> : tensor<4xi32>\n"
            "dense<[1, 0, 0, 0]> : tensor<4xi32>");
}

TEST(EvalControl, EndlessLoopsHaveALimit) {
  Options options;
  options.maxLoopSteps = 10;
  EXPECT_TRUE(contains(evaluateModule(R"(
func.func @main(%p: tensor<i1>) -> tensor<i1> {
  %r = graph.while %p cond {
  ^bb0(%a: tensor<i1>):
    graph.yield %a : tensor<i1>
  } do {
  ^bb0(%a: tensor<i1>):
    graph.yield %a : tensor<i1>
  } : (tensor<i1>) -> tensor<i1>
  return %r : tensor<i1>
})",
                                      {"dense<true> : tensor<i1>"}, options),
                       "'graph.while' op takes more than 10 steps"));
}

TEST(EvalControl, BarrierAndAssert) {
  const char *body =
      R"(  %r = graph.barrier %1 : (tensor<2xf32>) -> tensor<2xf32>
  graph.assert %0 "got {1}, not {0} {2} {" (%2, %3) : tensor<i1>, tensor<i64>, tensor<ui8>
  return %r)";
  auto run = [&](const std::string &condition) {
    return evaluateBody(
        body, "tensor<2xf32>",
        {"dense<" + condition + "> : tensor<i1>", "dense<1.0> : tensor<2xf32>",
         "dense<-3> : tensor<i64>", "dense<250> : tensor<ui8>"});
  };
  EXPECT_EQ(run("true"), "dense<1.000000e+00> : tensor<2xf32>");
  EXPECT_TRUE(contains(run("false"), "got 250, not -3 {2} {"));
}

TEST(EvalControl, HostReadKeepsTheScalar) {
  EXPECT_EQ(evaluateOp("graph.host_read %0 : tensor<i32>", "tensor<i32>",
                       {"dense<-7> : tensor<i32>"}),
            "dense<-7> : tensor<i32>");
}

TEST(EvalControl, UnknownRoutinesAreRefusedByName) {
  EXPECT_TRUE(
      contains(evaluateOp("graph.custom_call \"no_such_routine\" (%0) : "
                          "(tensor<2xf32>) -> tensor<2xf32>",
                          "tensor<2xf32>", {"dense<1.0> : tensor<2xf32>"}),
               "no_such_routine"));
}

// Rebuilds the matrix from what the decomposition gives; skipped where the
// machine has no LAPACK.
static void expectRebuilt(const std::string &body, const std::string &a) {
  std::string text = evaluateBody(
      body + "  %d = graph.sub %b, %0 : tensor<3x3xf64>\n"
             "  %m = graph.abs %d : tensor<3x3xf64>\n"
             "  %e = graph.reduce max, %m [0, 1] : tensor<3x3xf64> -> "
             "tensor<f64>\n"
             "  %t = graph.constant dense<1.0e-12> : tensor<f64>\n"
             "  %c = graph.compare lt, %e, %t : tensor<f64> -> tensor<i1>\n  "
             "return %c",
      "tensor<i1>", {a});
  if (contains(text, "no liblapack"))
    GTEST_SKIP() << text;
  EXPECT_EQ(text, "dense<true> : tensor<i1>");
}

static const char *const product =
    "<batching = [] x [], contracting = [1] x [0]> : (tensor<3x3xf64>, "
    "tensor<3x3xf64>) -> tensor<3x3xf64>\n";

TEST(EvalControl, Eigenvectors) {
  expectRebuilt(
      std::string(
          R"(  %v, %w, %i = graph.custom_call "lapack_syevd" (%0) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<i32>)
  %s = graph.broadcast %w [1] : tensor<3xf64> -> tensor<3x3xf64>
  %l = graph.mul %v, %s : tensor<3x3xf64>
  %t1 = graph.transpose %v [1, 0] : tensor<3x3xf64> -> tensor<3x3xf64>
  %b = graph.dot_general %l, %t1 )") +
          product,
      "dense<[[2.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 5.0]]> : "
      "tensor<3x3xf64>");
}

TEST(EvalControl, SingularValues) {
  expectRebuilt(
      std::string(
          R"(  %x, %w, %u, %v, %i = graph.custom_call "lapack_gesdd" (%0) config {mode = 65 : ui8} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<i32>)
  %s = graph.broadcast %w [1] : tensor<3xf64> -> tensor<3x3xf64>
  %l = graph.mul %u, %s : tensor<3x3xf64>
  %b = graph.dot_general %l, %v )") +
          product,
      "dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]> : "
      "tensor<3x3xf64>");
}

TEST(EvalControl, SchurForm) {
  expectRebuilt(
      std::string(
          R"(  %t1, %v, %re, %im, %k, %i = graph.custom_call "lapack_gees" (%0) config {mode = 86 : ui8, sort = 78 : ui8} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<i32>, tensor<i32>)
  %l = graph.dot_general %v, %t1 )") +
          product +
          R"(  %vt = graph.transpose %v [1, 0] : tensor<3x3xf64> -> tensor<3x3xf64>
  %b = graph.dot_general %l, %vt )" +
          product,
      "dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]> : "
      "tensor<3x3xf64>");
}

// The 9 below the first row and the 7 above the last one stand for nothing.
TEST(EvalControl, TridiagonalSystems) {
  expectRebuilt(
      std::string(
          R"(  %below = graph.constant dense<[9.0, 1.0, -1.0]> : tensor<3xf64>
  %on = graph.constant dense<[2.0, 3.0, 4.0]> : tensor<3xf64>
  %above = graph.constant dense<[0.5, 1.0, 7.0]> : tensor<3xf64>
  %a = graph.constant dense<[[2.0, 0.5, 0.0], [1.0, 3.0, 1.0], [0.0, -1.0, 4.0]]> : tensor<3x3xf64>
  %rhs = graph.dot_general %a, %0 )") +
          product +
          R"(  %p, %q, %r, %b, %i = graph.custom_call "lapack_gtsv" (%below, %on, %above, %rhs) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3x3xf64>, tensor<i32>)
)",
      "dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]> : "
      "tensor<3x3xf64>");
}

TEST(EvalControl, CallsInsideOfRegions) {
  EXPECT_EQ(evaluateModule(R"(
func.func private @step(%x: tensor<i64>, %y: tensor<i64>) -> tensor<i64> {
  %r = graph.mul %x, %y : tensor<i64>
  return %r : tensor<i64>
}
func.func @main(%x: tensor<4xi64>, %init: tensor<i64>) -> tensor<i64> {
  %r = graph.reduce_with (%x), (%init) [0] {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = func.call @step(%a, %b) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %t = func.call @step(%s, %init) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    graph.yield %t : tensor<i64>
  } : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>
})",
                           {"dense<[1, 2, 3, 4]> : tensor<4xi64>",
                            "dense<2> : tensor<i64>"}),
            "dense<768> : tensor<i64>");
}
