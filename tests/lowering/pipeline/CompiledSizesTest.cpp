// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with dynamic dimensions: one executable for all sizes, sizes solved
// from others, sizes refused.

#include "tests/lowering/pipeline/CompiledProgram.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

namespace zenith::test {
namespace {

class CompiledSizes : public CompiledProgram {};

const char *attentionScores = R"(
func.func @main(%q: tensor<?x?x16xf32> {graph.dims = ["batch", "seq", "16"]},
                %k: tensor<?x?x16xf32> {graph.dims = ["batch", "past + seq", "16"]},
                %p: tensor<?xf32> {graph.dims = ["past"]})
    -> (tensor<?x?x?xf32>, tensor<?xf32>) {
  %s = graph.dot_general %q, %k <batching = [0] x [0], contracting = [2] x [2]> : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x?xf32>
  %m = graph.softmax %s [2] : tensor<?x?x?xf32>
  %e = graph.exp %p : tensor<?xf32>
  return %m, %e : tensor<?x?x?xf32>, tensor<?xf32>
}
)";

TEST_F(CompiledSizes, OneExecutableServesAllSizes) {
  auto executable = compile(attentionScores);
  ASSERT_TRUE(executable);
  auto session = start(executable, 2);
  for (auto [batch, seq, past] : {std::array<int64_t, 3>{1, 1, 1},
                                  {2, 5, 0},
                                  {3, 17, 30},
                                  {0, 4, 4},
                                  {1, 100, 3}}) {
    std::vector<Tensor> arguments{floats({batch, seq, 16}, 1),
                                  floats({batch, past + seq, 16}, 2),
                                  floats({past}, 3)};
    std::vector<Tensor> got = run(*session, arguments),
                        expected = interpret(attentionScores, arguments);
    ASSERT_EQ(got.size(), 2u);
    expectClose(got[0], expected[0]);
    expectClose(got[1], expected[1]);
    const std::map<std::string, int64_t> sizes{
        {"batch", batch}, {"seq", seq}, {"past", past}};
    int64_t arena = *executable->defaultEntry()->memory.arena().evaluate(
        [&](const std::string &name) {
          return std::optional<int64_t>(sizes.at(name));
        });
    EXPECT_GE(session->runContext().memoryUse().arenaBytes, arena);
  }
}

TEST_F(CompiledSizes, MeaningForAnyThreads) {
  expectMeaning(attentionScores, {floats({2, 33, 16}, 1),
                                  floats({2, 40, 16}, 2), floats({7}, 3)});
}

TEST_F(CompiledSizes, SizesThatDisagreeAreNamed) {
  auto session = start(compile(attentionScores));
  std::string text = failureOf(
      *session, {floats({2, 5, 16}, 1), floats({2, 9, 16}, 2), floats({3}, 3)});
  EXPECT_EQ(text.substr(0, 2), "2:") << text;
  EXPECT_NE(text.find("past"), std::string::npos) << text;
  text = failureOf(
      *session, {floats({2, 5, 16}, 1), floats({3, 8, 16}, 2), floats({3}, 3)});
  EXPECT_NE(text.find("batch"), std::string::npos) << text;
}

TEST_F(CompiledSizes, DimensionsAreSolvedFromSums) {
  const char *text = R"(
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["n + 2*m"]})
    -> (tensor<i64>, tensor<?xf32>) {
  %r = graph.exp %y : tensor<?xf32>
  %d = graph.dim %y, 0 : tensor<?xf32>
  return %d, %r : tensor<i64>, tensor<?xf32>
})";
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  std::vector<Tensor> got = run(*session, {floats({3}, 1), floats({11}, 2)});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(*reinterpret_cast<const int64_t *>(got[0].bytes()), 11);
  EXPECT_EQ(failureOf(*session, {floats({3}, 1), floats({10}, 2)}).substr(0, 2),
            "2:");
  EXPECT_EQ(failureOf(*session, {floats({3}, 1), floats({1}, 2)}).substr(0, 2),
            "2:");
}

TEST_F(CompiledSizes, SlicesThatLeaveTheirOperandFail) {
  const char *text = R"(
func.func @main(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}) -> tensor<4x3xf32> {
  %s = graph.slice %x [2, 0] [4, 3] [1, 1] : tensor<?x3xf32> -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
})";
  auto session = start(compile(text));
  ASSERT_TRUE(session);
  Tensor x = floats({6, 3}, 1);
  std::vector<Tensor> got = run(*session, {x});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(std::memcmp(got[0].bytes(), x.bytes() + 2 * 3 * 4, 4 * 3 * 4), 0);
  EXPECT_EQ(failureOf(*session, {floats({5, 3}, 1)}).substr(0, 2), "2:");
}

// Padding has elements where the operand has none, whose sizes divide indices.
const char *dilated = R"(
func.func @main(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]}) -> tensor<?xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %n = graph.dim %x, 0 : tensor<?x?xf32>
  %m = graph.dim %x, 1 : tensor<?x?xf32>
  %c = graph.mul %n, %m : tensor<i64>
  %t = graph.transpose %x [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %r = graph.reshape %t [%c] : tensor<?x?xf32> -> tensor<?xf32>
  %p = graph.pad %r, %zero [1] [2] [1] : tensor<?xf32>, tensor<f32> -> tensor<?xf32>
  %e = graph.exp %p : tensor<?xf32>
  return %e : tensor<?xf32>
}
)";

TEST_F(CompiledSizes, EmptyOperandsHaveSizesThatDivide) {
  auto session = start(compile(dilated));
  ASSERT_TRUE(session);
  for (auto [n, m] :
       {std::array<int64_t, 2>{3, 2}, {0, 3}, {3, 0}, {0, 0}, {1, 40}}) {
    SCOPED_TRACE(std::to_string(n) + " by " + std::to_string(m));
    Tensor x = floats({n, m}, 1);
    std::vector<Tensor> got = run(*session, {x});
    ASSERT_EQ(got.size(), 1u);
    expectClose(got[0], interpret(dilated, {x})[0]);
  }
}

// Rows of full tiles and of what is left are summed in one order, and so are
// columns of the last panel.
TEST_F(CompiledSizes, EqualRowsAndColumnsAreRoundedAlike) {
  for (auto [k, columns] : {std::array<int64_t, 2>{64, 16},
                            {300, 5},
                            {300, 33},
                            {301, 80},
                            {77, 100}})
    for (const char *rows : {"?", "1", "7", "9", "31"}) {
      SCOPED_TRACE(llvm::formatv("{0} x {1} x {2}", rows, k, columns).str());
      std::string text = llvm::formatv(R"(
func.func @main(%x: tensor<{0}x{1}xf32>, %w: tensor<{1}x{2}xf32>) -> tensor<{0}x{2}xf32> {{
  %y = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<{0}x{1}xf32>, tensor<{1}x{2}xf32>) -> tensor<{0}x{2}xf32>
  return %y : tensor<{0}x{2}xf32>
})",
                                       rows, k, columns)
                             .str();
      auto session = start(compile(text.c_str()));
      ASSERT_TRUE(session);
      std::vector<int64_t> sizes{1, 2, 3, 7, 13, 31, 33};
      if (*rows != '?')
        sizes = {std::stoll(rows)};
      for (int64_t m : sizes) {
        Tensor x = floats({m, k}, 1), w = floats({k, columns}, 2);
        Tensor sameRows = floats({m, k}, 1), sameColumns = w;
        auto *a = reinterpret_cast<float *>(sameRows.writable());
        for (int64_t i = k; i < m * k; ++i)
          a[i] = a[i - k];
        auto *b = reinterpret_cast<float *>(sameColumns.writable());
        for (int64_t i = 0; i < k * columns; ++i)
          b[i] = i % columns ? b[i - 1] : b[i];
        Tensor ofRows = run(*session, {sameRows, w})[0],
               ofColumns = run(*session, {x, sameColumns})[0];
        auto *c = reinterpret_cast<const float *>(ofRows.bytes());
        for (int64_t i = columns; i < m * columns; ++i)
          ASSERT_EQ(c[i], c[i - columns]) << m << " rows, element " << i;
        auto *d = reinterpret_cast<const float *>(ofColumns.bytes());
        for (int64_t i = 0; i < m * columns; ++i)
          ASSERT_EQ(d[i], d[i - i % columns]) << m << " rows, element " << i;
      }
    }
}

TEST_F(CompiledSizes, TransposedConvolutions) {
  // Windows that steps fill, that overlap, and that leave gaps.
  for (auto [window, low, high] :
       {std::array<int64_t, 3>{2, 1, 1}, {3, 1, 2}, {4, 2, 2}, {1, 0, 1}}) {
    int64_t more = low + high - window + 1;
    std::string w = std::to_string(window) + "x" + std::to_string(window);
    std::string text = llvm::formatv(R"(
func.func @main(%x: tensor<?x?x?x3xf32> {{graph.dims = ["n", "h", "w", "3"]},
                %w: tensor<{0}x3x16xf32>) -> tensor<?x?x?x16xf32> {{
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [1, 1] low [{1}, {1}] high [{2}, {2}] input_dilation [2, 2] kernel_dilation [1, 1] groups 1
      : (tensor<?x?x?x3xf32>, tensor<{0}x3x16xf32>) -> tensor<?x?x?x16xf32>
  return %c : tensor<?x?x?x16xf32>
})",
                                     w, low, high)
                           .str();
    auto session = start(compile(text.c_str()), 2);
    ASSERT_TRUE(session);
    for (auto [n, h, width] : {std::array<int64_t, 3>{1, 1, 1},
                               {2, 3, 7},
                               {0, 4, 4},
                               {1, 9, 16},
                               {1, 0, 3},
                               {2, 3, 0},
                               {1, 0, 0}}) {
      std::vector<Tensor> arguments{floats({n, h, width, 3}, 1),
                                    floats({window, window, 3, 16}, 2)};
      std::vector<Tensor> got = run(*session, arguments);
      ASSERT_EQ(got.size(), 1u);
      EXPECT_EQ(got[0].type().getDimSize(1),
                std::max<int64_t>(0, 2 * h - 1) + more);
      expectClose(got[0], interpret(text.c_str(), arguments)[0]);
    }
  }
}

TEST_F(CompiledSizes, WindowsOfChannels) {
  struct Window {
    int64_t taps, stride, dilation, low, high;
  };
  for (Window window : {Window{3, 1, 1, 1, 1},
                        {3, 2, 1, 1, 1},
                        {5, 2, 1, 1, 2},
                        {3, 1, 3, 4, 2},
                        {2, 3, 1, 0, 0}}) {
    std::string text = llvm::formatv(R"(
func.func @main(%x: tensor<?x?x?x24xf32> {{graph.dims = ["n", "h", "w", "24"]},
                %w: tensor<{0}x{0}x1x24xf32>) -> (tensor<?x?x?x24xf32>, tensor<?x?x?x24xf32>) {{
  %c = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])>
      strides [{1}, {1}] low [{3}, {3}] high [{4}, {4}] input_dilation [1, 1] kernel_dilation [{2}, {2}] groups 24
      : (tensor<?x?x?x24xf32>, tensor<{0}x{0}x1x24xf32>) -> tensor<?x?x?x24xf32>
  %m = graph.reduce_window max, %x window [1, {0}, {0}, 1] strides [1, {1}, {1}, 1] low [0, {3}, {3}, 0] high [0, {4}, {4}, 0]
      base_dilation [1, 1, 1, 1] dilation [1, {2}, {2}, 1] : tensor<?x?x?x24xf32> -> tensor<?x?x?x24xf32>
  return %c, %m : tensor<?x?x?x24xf32>, tensor<?x?x?x24xf32>
})",
                                     window.taps, window.stride,
                                     window.dilation, window.low, window.high)
                           .str();
    auto session = start(compile(text), 2);
    ASSERT_TRUE(session);
    for (int64_t width = 1; width <= 45; width += width < 22 ? 1 : 4) {
      std::vector<Tensor> arguments{
          floats({width % 3, 1 + width % 4, width, 24}, 1),
          floats({window.taps, window.taps, 1, 24}, 2)};
      std::vector<Tensor> got = run(*session, arguments),
                          expected = interpret(text, arguments);
      ASSERT_EQ(got.size(), 2u);
      expectClose(got[0], expected[0]);
      expectClose(got[1], expected[1]);
    }
  }
}

// One operand's type says that there is one term, the other one's nothing.
TEST_F(CompiledSizes, OuterProductsThatOneSideStates) {
  expectMeaning(R"(
func.func @main(%x: tensor<1xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %p = graph.dot_general %x, %y <batching = [] x [], contracting = [0] x [0]> : (tensor<1xf32>, tensor<?x?xf32>) -> tensor<?xf32>
  return %p : tensor<?xf32>
})",
                {floats({1}, 1), floats({1, 5}, 2)});
  expectMeaning(R"(
func.func @main(%x: tensor<1x?x1xf32>, %y: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
  %p = graph.dot_general %x, %y <batching = [] x [], contracting = [0, 2] x [2, 0]> : (tensor<1x?x1xf32>, tensor<?x?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
})",
                {floats({1, 3, 1}, 1), floats({1, 7, 1}, 2)});
}

TEST_F(CompiledSizes, GroupedConvolutionsOfUnknownFeatures) {
  const char *text = R"(
func.func @main(%x: tensor<?x?x?xf32>, %w: tensor<?x?x2xf32>) -> tensor<?x?x?xf32> {
  %y = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [2] low [1] high [0] input_dilation [1] kernel_dilation [1] groups 2 : (tensor<?x?x?xf32>, tensor<?x?x2xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
})";
  auto session = start(compile(text), 2);
  ASSERT_TRUE(session);
  for (auto [batch, inputs, outputs, length] :
       {std::array<int64_t, 4>{2, 1, 1, 7}, {1, 3, 5, 4}, {3, 16, 8, 19}}) {
    std::vector<Tensor> arguments{floats({batch, 2 * inputs, length}, 1),
                                  floats({2 * outputs, inputs, 2}, 2)};
    std::vector<Tensor> got = run(*session, arguments);
    ASSERT_EQ(got.size(), 1u);
    expectClose(got[0], interpret(text, arguments)[0]);
  }
}

// The input's type says how many features there are, the kernel's does not:
// padding is no row of zeros on the stack.
TEST_F(CompiledSizes, ConvolutionsOfFeaturesThatOneSideStates) {
  expectMeaning(R"(
func.func @main(%x: tensor<?x?x4xf32>, %w: tensor<3x?x?xf32>) -> tensor<?x?x?xf32> {
  %y = graph.convolution %x, %w <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<?x?x4xf32>, tensor<3x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
})",
                {floats({2, 7, 4}, 1), floats({3, 4, 5}, 2)});
}

// Tasks own rows of which there may be none.
TEST_F(CompiledSizes, ScattersOfNoRows) {
  const char *text = R"(
func.func @main(%x: tensor<?x10x4xf32>, %w: tensor<?x3xf32>, %v: tensor<?x3x4xf32>) -> tensor<?x10x4xf32> {
  %i = graph.convert %w : tensor<?x3xf32> -> tensor<?x3xi32>
  %y = graph.scatter sum, %x, %i, %v <window = [2], inserted = [1], batching = [0] x [0], index_map = [1], index_vector_dim = 2> : (tensor<?x10x4xf32>, tensor<?x3xi32>, tensor<?x3x4xf32>) -> tensor<?x10x4xf32>
  return %y : tensor<?x10x4xf32>
})";
  for (int64_t rows : {0, 1, 40})
    expectMeaning(text, {floats({rows, 10, 4}, 1), floats({rows, 3}, 2),
                         floats({rows, 3, 4}, 3)});
}

// What the kernels need says less than the check of the op that asks for it.
TEST_F(CompiledSizes, SizesFromDataNameTheirOp) {
  for (const char *argument : {"%s: tensor<1xi64>", "%s: tensor<i64>"}) {
    std::string rank = argument;
    bool isScalar = rank.find("1xi64") == std::string::npos;
    std::string text = "func.func @main(%x: tensor<f32>, " + rank +
                       ") -> tensor<?xf32> {\n  %n = graph.reshape %s : " +
                       (isScalar ? "tensor<i64>" : "tensor<1xi64>") +
                       " -> tensor<i64>\n"
                       "  %y = graph.broadcast %x [] [%n] : tensor<f32> -> "
                       "tensor<?xf32> loc(\"filled\")\n"
                       "  return %y : tensor<?xf32>\n}";
    auto session = start(compile(text));
    ASSERT_TRUE(session);
    Tensor size(mlir::RankedTensorType::get(
        isScalar ? std::vector<int64_t>{} : std::vector<int64_t>{1},
        mlir::IntegerType::get(&context, 64)));
    *reinterpret_cast<int64_t *>(size.writable()) = -3;
    std::string failure = failureOf(*session, {floats({}, 1), size});
    EXPECT_EQ(failure.substr(0, 2), "2:") << failure;
    EXPECT_NE(failure.find("filled"), std::string::npos) << failure;
    EXPECT_NE(failure.find("-3"), std::string::npos) << failure;
  }
}

TEST_F(CompiledSizes, BranchesNeverWriteBeyondAResultOfStatedSize) {
  auto session = start(compile(R"(
func.func @main(%v: tensor<f32>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<12xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %p = graph.compare lt, %v, %zero : tensor<f32> -> tensor<i1>
  %r = graph.if %p then {
    %a = graph.tanh %x : tensor<?xf32>
    graph.yield %a : tensor<?xf32>
  } else {
    %b = graph.exp %y : tensor<?xf32>
    graph.yield %b : tensor<?xf32>
  } : (tensor<i1>) -> tensor<?xf32>
  %s = graph.reshape %r : tensor<?xf32> -> tensor<12xf32>
  return %s : tensor<12xf32>
})"));
  ASSERT_TRUE(session);
  Tensor v = floats({}, 1);
  std::vector<Tensor> got =
      run(*session, {v, floats({12}, 2), floats({12}, 3)});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].shape(), llvm::ArrayRef<int64_t>({12}));
  std::string text =
      failureOf(*session, {v, floats({1 << 20}, 2), floats({1 << 20}, 3)});
  EXPECT_EQ(text.substr(0, 2), "2:") << text;
}

TEST_F(CompiledSizes, HugeSizesAreRefused) {
  const char *text = R"(
func.func @main(%x: tensor<?xi8> {graph.dims = ["n"]}) -> tensor<i8> {
  %d = graph.dim %x, 0 : tensor<?xi8>
  %a = graph.broadcast %x [0] [%d, %d, %d, %d, %d, %d] : tensor<?xi8> -> tensor<?x?x?x?x?x?xi8>
  %b = graph.transpose %a [5, 4, 3, 2, 1, 0] : tensor<?x?x?x?x?x?xi8> -> tensor<?x?x?x?x?x?xi8>
  %s = graph.reduce max, %b [0, 1, 2, 3, 4, 5] : tensor<?x?x?x?x?x?xi8> -> tensor<i8>
  return %s : tensor<i8>
})";
  auto module = parse(text);
  auto executable = pipeline::compile(std::move(module), {});
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  auto session = start(*executable, 1, 1 << 30);
  Tensor x(mlir::RankedTensorType::get({1 << 16},
                                       mlir::IntegerType::get(&context, 8)));
  std::string failure = failureOf(*session, {x});
  EXPECT_EQ(failure.substr(0, 2), "5:") << failure;
}

} // namespace
} // namespace zenith::test
