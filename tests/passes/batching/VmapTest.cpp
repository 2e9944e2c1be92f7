// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vmap on programs: control whose rows part, convolutions, random numbers,
// nesting, signatures, and what is refused.

#include "RowByRow.h"
#include "ir/GraphOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::batching;

namespace {

class Vmap : public testing::Test {
protected:
  /// Compares with static and with dynamic rows.
  void expectEqual(const std::string &text,
                   SmallVector<std::optional<int64_t>> in,
                   SmallVector<int64_t> out = {0}) {
    module = parseSourceString<ModuleOp>(text, context.get());
    ASSERT_TRUE(module);
    for (int64_t rows : {int64_t(4), ShapedType::kDynamic}) {
      RowCheck check;
      check.rows = 4;
      check.options.rows = rows;
      check.options.in = in;
      check.options.out = out;
      Comparison comparison = compareRows(*module, "main", check);
      EXPECT_EQ(comparison.outcome, Outcome::Equal) << comparison.why;
    }
  }
  std::string refusal(const std::string &text,
                      SmallVector<std::optional<int64_t>> in) {
    module = parseSourceString<ModuleOp>(text, context.get());
    RowCheck check;
    check.options.in = in;
    Comparison comparison = compareRows(*module, "main", check);
    return comparison.outcome == Outcome::Refused ? comparison.why : "";
  }
  func::FuncOp batched(StringRef name, SmallVector<std::optional<int64_t>> in,
                       int64_t out = 0) {
    VmapOptions options;
    options.in = in;
    options.out = {out};
    options.name = "batched";
    auto made = vmapFunction(module->lookupSymbol<func::FuncOp>(name), options);
    if (failed(made))
      return func::FuncOp();
    func::FuncOp result = made->release();
    module->push_back(result);
    return result;
  }
  template <typename Op> unsigned count(func::FuncOp function) {
    unsigned found = 0;
    function.walk([&](Op) { ++found; });
    return found;
  }

  std::unique_ptr<MLIRContext> context = batchingContext();
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(Vmap, RowsOfALoopEndAtDifferentTimes) {
  std::string loop = R"(
func.func @main(%x: tensor<f32>, %limit: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %zero = graph.constant dense<0> : tensor<i32>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i32>, %v: tensor<f32>):
    %c = graph.compare lt, %v, %limit : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %v: tensor<f32>):
    %one = graph.constant dense<1> : tensor<i32>
    %factor = graph.constant dense<1.25> : tensor<f32>
    %j = graph.add %i, %one : tensor<i32>
    %w = graph.mul %v, %factor : tensor<f32>
    graph.yield %j, %w : tensor<i32>, tensor<f32>
  } : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
  return %r#0, %r#1 : tensor<i32>, tensor<f32>
})";
  expectEqual(loop, {0, std::nullopt});
  expectEqual(loop, {std::nullopt, 0});
  expectEqual(loop, {0, 0});
}

TEST_F(Vmap, CountedLoopsStayCounted) {
  std::string loop = R"(
func.func @main(%x: tensor<3xf32>, %n: tensor<i64>) -> tensor<3xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %v: tensor<3xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %v: tensor<3xf32>):
    %one = graph.constant dense<1> : tensor<i64>
    %j = graph.add %i, %one : tensor<i64>
    %w = graph.tanh %v : tensor<3xf32>
    graph.yield %j, %w : tensor<i64>, tensor<3xf32>
  } : (tensor<i64>, tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>)
  return %r#1 : tensor<3xf32>
})";
  expectEqual(loop, {1, std::nullopt}, {1});
  func::FuncOp function = batched("main", {0, std::nullopt});
  function.walk([&](graph::WhileOp op) {
    EXPECT_EQ(cast<RankedTensorType>(op.getResult(0).getType()).getRank(), 0);
  });
  expectEqual(loop, {std::nullopt, 0});
}

// The loop of one branch would not end for rows of the other one.
TEST_F(Vmap, LoopsRunForRowsOfTheirBranchOnly) {
  expectEqual(R"(
func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %r = graph.if %p then {
    %half = graph.constant dense<0.5> : tensor<f32>
    graph.assert %p "not taken" : tensor<i1>
    %w = graph.while %x cond {
    ^bb0(%v: tensor<f32>):
      %tiny = graph.constant dense<1.0e-3> : tensor<f32>
      %c = graph.compare gt, %v, %tiny : tensor<f32> -> tensor<i1>
      graph.yield %c : tensor<i1>
    } do {
    ^bb0(%v: tensor<f32>):
      %h = graph.mul %v, %half : tensor<f32>
      graph.yield %h : tensor<f32>
    } : (tensor<f32>) -> tensor<f32>
    graph.yield %w : tensor<f32>
  } else {
    %w = graph.while %p cond {
    ^bb0(%q: tensor<i1>):
      graph.yield %q : tensor<i1>
    } do {
    ^bb0(%q: tensor<i1>):
      graph.yield %q : tensor<i1>
    } : (tensor<i1>) -> tensor<i1>
    %n = graph.neg %x : tensor<f32>
    graph.yield %n : tensor<f32>
  } : (tensor<i1>) -> tensor<f32>
  return %r : tensor<f32>
})",
              {0, 0});
}

TEST_F(Vmap, BranchesAreChosenRowByRow) {
  std::string fork = R"(
func.func @main(%i: tensor<i32>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<i32>) {
  %r:2 = graph.case %i {
    %a = graph.exp %x : tensor<2x3xf32>
    graph.yield %a, %i : tensor<2x3xf32>, tensor<i32>
  }, {
    %c = graph.constant dense<7> : tensor<i32>
    graph.yield %x, %c : tensor<2x3xf32>, tensor<i32>
  }, {
    %a = graph.neg %x : tensor<2x3xf32>
    graph.yield %a, %i : tensor<2x3xf32>, tensor<i32>
  } : (tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>)
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<i32>
})";
  expectEqual(fork, {0, std::nullopt});
  expectEqual(fork, {std::nullopt, 1}, {2, 0});
  expectEqual(fork, {0, 2}, {1, 0});
}

TEST_F(Vmap, ConvolutionsOfBothSides) {
  std::string convolution = R"(
func.func @main(%x: tensor<2x4x7x5xf32>, %w: tensor<6x2x3x2xf32>) -> tensor<2x6x4x5xf32> {
  %r = graph.convolution %x, %w <input = (0, 1, [2, 3]), kernel = (1, 0, [2, 3]), output = (0, 1, [2, 3])>
    strides [2, 1] low [1, 0] high [2, 2] input_dilation [1, 1] kernel_dilation [1, 2] groups 2
    : (tensor<2x4x7x5xf32>, tensor<6x2x3x2xf32>) -> tensor<2x6x4x5xf32>
  return %r : tensor<2x6x4x5xf32>
})";
  expectEqual(convolution, {0, std::nullopt});
  expectEqual(convolution, {std::nullopt, 2}, {3});
  expectEqual(convolution, {0, 0});
  // Few positions, many taps, other orders of dimensions.
  expectEqual(R"(
func.func @main(%x: tensor<6x3x2xf32>, %w: tensor<5x2x4xf32>) -> tensor<2x4x3xf32> {
  %r = graph.convolution %x, %w <input = (1, 2, [0]), kernel = (1, 2, [0]), output = (2, 1, [0])>
    strides [1] low [0] high [0] input_dilation [1] kernel_dilation [1] groups 1
    : (tensor<6x3x2xf32>, tensor<5x2x4xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
})",
              {0, 0});
}

TEST_F(Vmap, RandomOpsGiveEachRowWhatItsKeyGives) {
  expectEqual(R"(
func.func @main(%k: tensor<2xui32>, %p: tensor<4xui32>, %x: tensor<5xf32>, %i: tensor<i32>)
    -> (tensor<5xf32>, tensor<3x2xui32>, tensor<7xf64>, tensor<9xi32>, tensor<i32>, tensor<5xf32>, tensor<2xui32>) {
  %a = graph.random_normal %k : tensor<2xui32> -> tensor<5xf32>
  %b = graph.split_key %k : tensor<2xui32> -> tensor<3x2xui32>
  %c = graph.random_uniform %p : tensor<4xui32> -> tensor<7xf64>
  %d = graph.random_permutation %k : tensor<2xui32> -> tensor<9xi32>
  %e = graph.random_categorical %k, %x {axis = 0 : i64} : (tensor<2xui32>, tensor<5xf32>) -> tensor<i32>
  %f = graph.dropout %x, %k {rate = 0.4 : f64} : tensor<5xf32>, tensor<2xui32>
  %g = graph.fold_in %k, %i : tensor<2xui32>, tensor<i32>
  return %a, %b, %c, %d, %e, %f, %g : tensor<5xf32>, tensor<3x2xui32>, tensor<7xf64>, tensor<9xi32>, tensor<i32>, tensor<5xf32>, tensor<2xui32>
})",
              {0, 0, 0, 0});
}

TEST_F(Vmap, DynamicSizesOfTheProgramStay) {
  expectEqual(R"(
func.func @main(%x: tensor<?x4xf32> {graph.dims = ["n", "4"]}, %y: tensor<4x?xf32> {graph.dims = ["4", "n"]}) -> tensor<?xf32> {
  %m = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<?x4xf32>, tensor<4x?xf32>) -> tensor<?x?xf32>
  %n = graph.dim %m, 0 : tensor<?x?xf32>
  %i = graph.iota 0 [%n, %n] : tensor<?x?xf32>
  %s = graph.add %m, %i : tensor<?x?xf32>
  %r = graph.reduce max, %s [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
})",
              {1, 2}, {1});
}

TEST_F(Vmap, NestsAndNamesItsDimensions) {
  module = parseSourceString<ModuleOp>(
      R"(func.func @main(%x: tensor<3x4xf32> {graph.name = "x"}, %y: tensor<4xf32>) -> (tensor<3xf32> {graph.name = "r"}) {
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
})",
      context.get());
  func::FuncOp once = batched("main", {1, 0}, 1);
  ASSERT_TRUE(once);
  once.setName("once");
  func::FuncOp twice = batched("once", {std::nullopt, 0});
  ASSERT_TRUE(twice);
  auto dims = [](func::FuncOp function, unsigned i) {
    std::string text;
    llvm::raw_string_ostream(text)
        << function.getArgAttr(i, graph::dimsAttrName);
    return text;
  };
  EXPECT_EQ(dims(twice, 0), R"(["3", "rows", "4"])");
  EXPECT_EQ(dims(twice, 1), R"(["rows1", "rows", "4"])");
  EXPECT_EQ(count<graph::DotGeneralOp>(twice), 1u);
  EXPECT_EQ(count<graph::WhileOp>(twice), 0u);
}

TEST_F(Vmap, CallsWithoutBatchesRunInALoop) {
  module = parseSourceString<ModuleOp>(
      R"(func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>) {
  %r, %s = graph.custom_call "mine" (%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
  return %r, %s : tensor<3xf32>, tensor<3x3xf32>
})",
      context.get());
  std::string text;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    text += diagnostic.str();
    return success();
  });
  func::FuncOp function = batched("main", {0});
  ASSERT_TRUE(function);
  EXPECT_EQ(count<graph::WhileOp>(function), 1u);
  EXPECT_NE(text.find("BAT101: 'graph.custom_call' runs in a loop over the "
                      "rows: 'mine' takes no batches"),
            std::string::npos)
      << text;
}

TEST_F(Vmap, RunsRegionsOnBlocksOfEveryRow) {
  const char *program = R"(
graph.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%x: tensor<4x3xf32>, %w: tensor<3xf32>) -> tensor<8x3xf32> {
  %r = graph.manual (%x, %w) in_shardings = [#graph.sharding<@mesh, [{"x"}, {}]>, #graph.sharding<@mesh, [{}]>]
      out_shardings = [#graph.sharding<@mesh, [{"x", "y"}, {}]>] manual_axes = ["x", "y"] {
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<3xf32>):
    %u = graph.all_reduce (%a) kind <max> axes @mesh ["x"] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %c = graph.collective_broadcast (%b) source 1 axes @mesh ["y"] : (tensor<3xf32>) -> tensor<3xf32>
    %i = graph.axis_index axes @mesh ["x", "y"] : tensor<i64>
    %f = graph.convert %i : tensor<i64> -> tensor<f32>
    %g = graph.broadcast %f [] : tensor<f32> -> tensor<2x3xf32>
    %d = graph.broadcast %c [1] : tensor<3xf32> -> tensor<2x3xf32>
    %s = graph.add %u, %g : tensor<2x3xf32>
    %m = graph.mul %s, %d : tensor<2x3xf32>
    graph.yield %m : tensor<2x3xf32>
  } : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
})";
  expectEqual(program, {0, 0});
  expectEqual(program, {1, std::nullopt}, {1});
  expectEqual(program, {std::nullopt, 1});
}

TEST_F(Vmap, RefusesByName) {
  EXPECT_NE(refusal(R"(
func.func @main(%x: tensor<5xi64>) -> tensor<?xi64> {
  %r, %f, %i, %c = graph.unique %x : tensor<5xi64> -> tensor<?xi64>, tensor<?xi64>, tensor<5xi64>, tensor<?xi64>
  return %r : tensor<?xi64>
})",
                    {0})
                .find("'graph.unique' op gives as many rows as its data has"),
            std::string::npos);
  EXPECT_NE(refusal(R"(
func.func @main(%n: tensor<i64>) -> tensor<?xi64> {
  %one = graph.constant dense<1> : tensor<1xi64>
  %r = graph.iota 0 [%n] : tensor<?xi64>
  return %r : tensor<?xi64>
})",
                    {0})
                .find("'graph.iota' op has sizes that differ between rows"),
            std::string::npos);
}

TEST_F(Vmap, SaysWhatIsWrongWithOptions) {
  module = parseSourceString<ModuleOp>(
      "func.func @main(%x: tensor<3xf32>, %y: tensor<f32>) -> tensor<3xf32> { "
      "return %x : tensor<3xf32> }",
      context.get());
  FunctionType type =
      module->lookupSymbol<func::FuncOp>("main").getFunctionType();
  VmapOptions options;
  options.in = {0};
  EXPECT_EQ(mistakeIn(options, type), "in has 1 entries for 2 arguments");
  options.in = {0, 1};
  EXPECT_EQ(mistakeIn(options, type),
            "in of argument 1 is 1, but a tensor of rank 0 has places for one "
            "more dimension from 0 to 0");
  options.in = {std::nullopt, std::nullopt};
  EXPECT_EQ(mistakeIn(options, type), "in maps no argument");
  options.in = {1, std::nullopt};
  options.out = {2};
  EXPECT_EQ(mistakeIn(options, type),
            "out of result 0 is 2, but a tensor of rank 1 has places for one "
            "more dimension from 0 to 1");
  options.out = {1};
  EXPECT_EQ(mistakeIn(options, type), "");
}
