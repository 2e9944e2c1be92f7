// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that kernels find out: selected rows and distinct rows as operands of
// other kernels, as results, and inside of loops.

#include "tests/lowering/pipeline/CompiledProgram.h"

namespace zenith::test {
namespace {

class DataSizes : public CompiledProgram {
protected:
  Tensor integers(std::vector<int64_t> shape, int64_t bound) {
    Tensor tensor(mlir::RankedTensorType::get(
        shape, mlir::IntegerType::get(&context, 64)));
    int64_t *data = reinterpret_cast<int64_t *>(tensor.writable());
    for (int64_t i = 0; i < tensor.size(); ++i)
      data[i] = (i * 37 + 11) % bound;
    return tensor;
  }
};

const char *selected = R"(
func.func @main(%x: tensor<?x6xf32> {graph.dims = ["n", "6"]}, %w: tensor<6x5xf32>) -> (tensor<?x5xf32>, tensor<6xf32>, tensor<?x6xf32>, tensor<i64>) {
  %n = graph.dim %x, 0 : tensor<?x6xf32>
  %s = graph.reduce sum, %x [1] : tensor<?x6xf32> -> tensor<?xf32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %z = graph.broadcast %zero [] [%n] : tensor<f32> -> tensor<?xf32>
  %m = graph.compare gt, %s, %z : tensor<?xf32> -> tensor<?xi1>
  %c = graph.compact %m, %x : (tensor<?xi1>, tensor<?x6xf32>) -> tensor<?x6xf32>
  %p = graph.dot_general %c, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x6xf32>, tensor<6x5xf32>) -> tensor<?x5xf32>
  %q = graph.softmax %p [1] : tensor<?x5xf32>
  %e = graph.exp %c : tensor<?x6xf32>
  %r = graph.reduce max, %e [0] : tensor<?x6xf32> -> tensor<6xf32>
  %k = graph.dim %c, 0 : tensor<?x6xf32>
  return %q, %r, %c, %k : tensor<?x5xf32>, tensor<6xf32>, tensor<?x6xf32>, tensor<i64>
})";

TEST_F(DataSizes, SelectedRowsFeedProductsAndFolds) {
  for (int64_t n : {1, 2, 17, 300})
    expectMeaning(selected, {floats({n, 6}, 1), floats({6, 5}, 2)});
}

TEST_F(DataSizes, NothingSelected) {
  Tensor x = floats({4, 6}, 1);
  float *data = reinterpret_cast<float *>(x.writable());
  for (int64_t i = 0; i < x.size(); ++i)
    data[i] = -1;
  expectMeaning(selected, {x, floats({6, 5}, 2)});
}

TEST_F(DataSizes, RowsOfNothingAreCounted) {
  const char *text = R"(
func.func @main(%x: tensor<5x0xf32>, %y: tensor<5xf32>) -> (tensor<?x0xf32>, tensor<0x?xf32>) {
  %zero = graph.constant dense<0.0> : tensor<5xf32>
  %m = graph.compare gt, %y, %zero : tensor<5xf32> -> tensor<5xi1>
  %c = graph.compact %m, %x : (tensor<5xi1>, tensor<5x0xf32>) -> tensor<?x0xf32>
  %e = graph.exp %c : tensor<?x0xf32>
  %t = graph.transpose %e [1, 0] : tensor<?x0xf32> -> tensor<0x?xf32>
  return %c, %t : tensor<?x0xf32>, tensor<0x?xf32>
})";
  expectMeaning(text, {floats({5, 0}, 1), floats({5}, 2)});
}

TEST_F(DataSizes, TheBudgetHolds) {
  auto executable = compile(selected);
  ASSERT_TRUE(executable);
  EXPECT_TRUE(executable->defaultEntry()->memory.usesPool);
  auto session = start(executable, 1, 64 << 10);
  ASSERT_TRUE(session);
  EXPECT_EQ(failureOf(*session, {floats({100000, 6}, 1), floats({6, 5}, 2)})
                .substr(0, 2),
            "5:");
  runtime::MemoryUse use = session->runContext().memoryUse();
  EXPECT_EQ(use.liveBytes, use.arenaBytes);
  EXPECT_EQ(run(*session, {floats({10, 6}, 1), floats({6, 5}, 2)}).size(), 4u);
  use = session->runContext().memoryUse();
  EXPECT_EQ(use.liveBytes, use.arenaBytes);
}

TEST_F(DataSizes, DistinctRows) {
  const char *text = R"(
func.func @main(%x: tensor<?xi64> {graph.dims = ["n"]}) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) {
  %r, %f, %i, %c = graph.unique %x sorted : tensor<?xi64> -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  %p = graph.mul %r, %c : tensor<?xi64>
  %s = graph.reduce sum, %p [0] : tensor<?xi64> -> tensor<i64>
  return %p, %f, %i, %s : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
})";
  for (int64_t n : {0, 1, 5, 1000})
    expectMeaning(text, {integers({n}, 13)});
}

TEST_F(DataSizes, SelectionInsideOfLoops) {
  const char *text = R"(
func.func @main(%x: tensor<?xi64> {graph.dims = ["n"]}) -> (tensor<?xi64>, tensor<i64>) {
  %one = graph.constant dense<1> : tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %r:2 = graph.while %x, %zero cond {
  ^bb0(%a: tensor<?xi64>, %i: tensor<i64>):
    %n = graph.dim %a, 0 : tensor<?xi64>
    %c = graph.compare gt, %n, %one : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<?xi64>, %i: tensor<i64>):
    %n = graph.dim %a, 0 : tensor<?xi64>
    %k = graph.iota 0 [%n] : tensor<?xi64>
    %o = graph.broadcast %one [] [%n] : tensor<i64> -> tensor<?xi64>
    %b = graph.and %k, %o : tensor<?xi64>
    %m = graph.compare eq, %b, %o : tensor<?xi64> -> tensor<?xi1>
    %c = graph.compact %m, %a : (tensor<?xi1>, tensor<?xi64>) -> tensor<?xi64>
    %j = graph.add %i, %one : tensor<i64>
    graph.yield %c, %j : tensor<?xi64>, tensor<i64>
  } : (tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<i64>)
  return %r#0, %r#1 : tensor<?xi64>, tensor<i64>
})";
  for (int64_t n : {0, 1, 2, 100})
    expectMeaning(text, {integers({n}, 50)});
}

TEST_F(DataSizes, LargestElementsOfAnyNumber) {
  const char *text = R"(
func.func @main(%x: tensor<3x20xf32>, %v: tensor<1xi64>) -> (tensor<3x?xf32>, tensor<3x?xi64>) {
  %k = graph.reshape %v : tensor<1xi64> -> tensor<i64>
  %a, %i = graph.top_k %x, %k 1 : (tensor<3x20xf32>, tensor<i64>) -> (tensor<3x?xf32>, tensor<3x?xi64>)
  %e = graph.exp %a : tensor<3x?xf32>
  return %e, %i : tensor<3x?xf32>, tensor<3x?xi64>
})";
  auto executable = compile(text);
  ASSERT_TRUE(executable);
  for (int64_t k : {1, 4, 20}) {
    Tensor count = integers({1}, 2);
    std::memcpy(count.writable(), &k, sizeof(k));
    expectMeaning(text, {floats({3, 20}, 1), count});
  }
  for (int64_t k : {-1, 21}) {
    Tensor count = integers({1}, 2);
    std::memcpy(count.writable(), &k, sizeof(k));
    auto session = start(executable);
    std::string failure = failureOf(*session, {floats({3, 20}, 1), count});
    EXPECT_EQ(failure.substr(0, 2), "2:") << failure;
  }
}

TEST_F(DataSizes, ChosenBoxes) {
  const char *text = R"(
func.func @main(%b: tensor<1x30x4xf32>, %s: tensor<1x2x30xf32>, %m: tensor<i64>) -> (tensor<?x3xi64>, tensor<?x4xf32>, tensor<i64>) {
  %iou = graph.constant dense<0.4> : tensor<f32>
  %c = graph.non_max_suppression %b, %s, %m, %iou : (tensor<1x30x4xf32>, tensor<1x2x30xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  %n = graph.dim %c, 0 : tensor<?x3xi64>
  %i = graph.slice %c [0, 2] [%n, 1] [1, 1] : tensor<?x3xi64> -> tensor<?x1xi64>
  %x = graph.reshape %b : tensor<1x30x4xf32> -> tensor<30x4xf32>
  %g = graph.gather %x, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4] : (tensor<30x4xf32>, tensor<?x1xi64>) -> tensor<?x4xf32>
  return %c, %g, %n : tensor<?x3xi64>, tensor<?x4xf32>, tensor<i64>
})";
  for (int64_t most : {0, 3, 30}) {
    Tensor count(
        mlir::RankedTensorType::get({}, mlir::IntegerType::get(&context, 64)));
    std::memcpy(count.writable(), &most, sizeof(most));
    expectMeaning(text, {floats({1, 30, 4}, 1), floats({1, 2, 30}, 2), count});
  }
}

TEST_F(DataSizes, ShapesAsArguments) {
  const char *text = R"(
func.func @main(%x: tensor<24xf32>, %shape: tensor<2xi64>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %a = graph.slice %shape [0] [1] [1] : tensor<2xi64> -> tensor<1xi64>
  %b = graph.slice %shape [1] [1] [1] : tensor<2xi64> -> tensor<1xi64>
  %r = graph.reshape %a : tensor<1xi64> -> tensor<i64>
  %c = graph.reshape %b : tensor<1xi64> -> tensor<i64>
  %m = graph.reshape %x [%r, %c] : tensor<24xf32> -> tensor<?x?xf32>
  %e = graph.tanh %m : tensor<?x?xf32>
  %s = graph.reduce sum, %e [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %e, %s : tensor<?x?xf32>, tensor<?xf32>
})";
  Tensor shape = integers({2}, 5);
  for (auto [rows, columns] :
       {std::pair<int64_t, int64_t>{4, 6}, {24, 1}, {2, 12}}) {
    int64_t sizes[] = {rows, columns};
    std::memcpy(shape.writable(), sizes, sizeof(sizes));
    expectMeaning(text, {floats({24}, 1), shape});
  }
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  int64_t sizes[] = {5, 5};
  std::memcpy(shape.writable(), sizes, sizeof(sizes));
  EXPECT_EQ(failureOf(*session, {floats({24}, 1), shape}).substr(0, 2), "2:");
}

} // namespace
} // namespace zenith::test
