// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small static programs end to end: numbers, bits for any number of threads,
// bytes of the objects, errors.

#include "tests/lowering/pipeline/CompiledProgram.h"

namespace zenith::test {
namespace {

class Compile : public CompiledProgram {};

const char *perceptron = R"(
graph.param @w1 : tensor<20x33xf32> = dense<0.125> : tensor<20x33xf32>
graph.param @b1 : tensor<33xf32> = dense<0.5> : tensor<33xf32>
graph.param @w2 : tensor<33x10xf32> = dense<-0.25> : tensor<33x10xf32>
func.func @main(%x: tensor<7x20xf32> {graph.name = "x"}) -> (tensor<7x10xf32> {graph.name = "probabilities"}) {
  %w1 = graph.get_param @w1 : tensor<20x33xf32>
  %b1 = graph.get_param @b1 : tensor<33xf32>
  %w2 = graph.get_param @w2 : tensor<33x10xf32>
  %h = graph.dot_general %x, %w1 <batching = [] x [], contracting = [1] x [0]> : (tensor<7x20xf32>, tensor<20x33xf32>) -> tensor<7x33xf32>
  %b = graph.broadcast %b1 [1] : tensor<33xf32> -> tensor<7x33xf32>
  %s = graph.add %h, %b : tensor<7x33xf32>
  %t = graph.tanh %s : tensor<7x33xf32>
  %o = graph.dot_general %t, %w2 <batching = [] x [], contracting = [1] x [0]> : (tensor<7x33xf32>, tensor<33x10xf32>) -> tensor<7x10xf32>
  %p = graph.softmax %o [1] : tensor<7x10xf32>
  return %p : tensor<7x10xf32>
}
)";

TEST_F(Compile, ElementwiseChain) {
  expectMeaning(R"(
func.func @main(%x: tensor<3x37xf32>, %y: tensor<37xf32>) -> tensor<3x37xf32> {
  %b = graph.broadcast %y [1] : tensor<37xf32> -> tensor<3x37xf32>
  %0 = graph.add %x, %b : tensor<3x37xf32>
  %1 = graph.exp %0 : tensor<3x37xf32>
  %2 = graph.mul %1, %x : tensor<3x37xf32>
  return %2 : tensor<3x37xf32>
})",
                {floats({3, 37}, 1), floats({37}, 2)});
}

// A square result has the matmul's dimensions though its rows are columns.
TEST_F(Compile, SquareMatmulsThatAreTransposed) {
  expectMeaning(R"(
func.func @main(%a: tensor<5x20xf32>, %b: tensor<5x20xf32>, %c: tensor<20x20xf32>) -> tensor<20x20xf32> {
  %d = graph.dot_general %a, %b <batching = [] x [], contracting = [0] x [0]> : (tensor<5x20xf32>, tensor<5x20xf32>) -> tensor<20x20xf32>
  %t = graph.transpose %d [1, 0] : tensor<20x20xf32> -> tensor<20x20xf32>
  %s = graph.add %c, %t : tensor<20x20xf32>
  return %s : tensor<20x20xf32>
})",
                {floats({5, 20}, 1), floats({5, 20}, 2), floats({20, 20}, 3)});
}

TEST_F(Compile, Perceptron) { expectMeaning(perceptron, {floats({7, 20}, 3)}); }

TEST_F(Compile, SeveralResultsSharedValuesAndCopies) {
  expectMeaning(
      R"(
func.func @main(%x: tensor<5x64xf32>, %n: tensor<i64>)
    -> (tensor<5x64xf32>, tensor<5xf32>, tensor<5x64xf32>, tensor<64x5xf32>, tensor<i64>, tensor<5xf32>) {
  %e = graph.exp %x : tensor<5x64xf32>
  %s = graph.reduce sum, %e [1] : tensor<5x64xf32> -> tensor<5xf32>
  %t = graph.transpose %e [1, 0] : tensor<5x64xf32> -> tensor<64x5xf32>
  return %e, %s, %x, %t, %n, %s
    : tensor<5x64xf32>, tensor<5xf32>, tensor<5x64xf32>, tensor<64x5xf32>, tensor<i64>, tensor<5xf32>
})",
      {floats({5, 64}, 4), Tensor(mlir::RankedTensorType::get(
                               {}, mlir::IntegerType::get(&context, 64)))});
}

// Results that may go past the caches: rows that begin on lines and rows that
// don't, and one that another kernel reads.
TEST_F(Compile, LargeResults) {
  for (int64_t width : {1024, 513}) {
    std::string t = "tensor<700x" + std::to_string(width) + "xf32>";
    expectMeaning("func.func @main(%x: " + t + ", %y: tensor<" +
                      std::to_string(width) + "xf32>) -> (" + t + ", " + t +
                      ") {\n%b = graph.broadcast %y [1] : tensor<" +
                      std::to_string(width) + "xf32> -> " + t +
                      "\n%s = graph.add %x, %b : " + t +
                      "\n%k = graph.barrier %s : (" + t + ") -> " + t +
                      "\n%m = graph.max %k, %b : " + t +
                      "\nreturn %s, %m : " + t + ", " + t + "\n}",
                  {floats({700, width}, 1), floats({width}, 2)});
  }
}

TEST_F(Compile, TensorsWithoutElements) {
  expectMeaning(R"(
func.func @main(%x: tensor<0x4xf32>) -> (tensor<0x4xf32>, tensor<4xf32>) {
  %e = graph.exp %x : tensor<0x4xf32>
  %s = graph.reduce sum, %e [0] : tensor<0x4xf32> -> tensor<4xf32>
  return %e, %s : tensor<0x4xf32>, tensor<4xf32>
})",
                {floats({0, 4}, 5)});
}

TEST_F(Compile, ConstantsAsResults) {
  expectMeaning(R"(
func.func @main() -> tensor<3xf32> {
  %c = graph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %c : tensor<3xf32>
})",
                {});
}

TEST_F(Compile, ObjectsAreByteIdentical) {
  std::vector<cpu::EmittedFile> first;
  for (unsigned threads : {1u, 2u, 5u}) {
    pipeline::CompileOptions options;
    options.compileThreads = threads;
    auto files =
        pipeline::emit(parse(perceptron), pipeline::EmitForm::Object, options);
    ASSERT_TRUE(bool(files));
    if (first.empty())
      first = *files;
    ASSERT_EQ(first.size(), files->size());
    for (size_t i = 0; i < first.size(); ++i)
      EXPECT_TRUE(first[i].bytes == (*files)[i].bytes) << first[i].name;
  }
}

TEST_F(Compile, EveryFormIsWritten) {
  using pipeline::EmitForm;
  for (auto [form, expected] :
       {std::pair(EmitForm::GraphIR, "graph.fusion"),
        std::pair(EmitForm::Kernels, "host.launch"),
        std::pair(EmitForm::LLVM, "@zenith_entry_main"),
        std::pair(EmitForm::Assembly, "zenith_entry_main:")}) {
    auto files = pipeline::emit(parse(perceptron), form, {});
    ASSERT_TRUE(bool(files));
    EXPECT_NE((*files)[0].bytes.find(expected), std::string::npos) << expected;
  }
}

TEST_F(Compile, DescribesItself) {
  auto executable = compile(perceptron);
  ASSERT_TRUE(executable);
  const pipeline::EntryInfo *entry = executable->defaultEntry();
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->arguments[0].name, "x");
  EXPECT_EQ(entry->results[0].name, "probabilities");
  EXPECT_EQ(executable->parameters.size(), 3u);
  EXPECT_EQ(entry->memory.inputs.str(), "560");
  auto session = start(executable);
  run(*session, {floats({7, 20}, 3)});
  // Planned is used.
  int64_t planned = *entry->memory.arena().constant();
  EXPECT_EQ(session->runContext().memoryUse().arenaBytes, planned);
}

TEST_F(Compile, ArgumentsThatDontFitAreNamed) {
  auto session = start(compile(perceptron));
  ASSERT_TRUE(session);
  std::string text = failureOf(*session, {floats({7, 21}, 1)});
  EXPECT_EQ(text.substr(0, 2), "2:") << text;
  EXPECT_NE(text.find("x"), std::string::npos) << text;
  EXPECT_EQ(failureOf(*session, {}).substr(0, 2), "2:");
}

TEST_F(Compile, BudgetsAreKept) {
  const char *text = R"(
func.func @main(%x: tensor<256x256xf32>) -> tensor<256xf32> {
  %y = graph.dot_general %x, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %s = graph.reduce max, %y [0] : tensor<256x256xf32> -> tensor<256xf32>
  return %s : tensor<256xf32>
})";
  auto executable = compile(text);
  auto session = start(executable, 1, 100000);
  EXPECT_EQ(failureOf(*session, {floats({256, 256}, 1)}).substr(0, 2), "5:");
  auto enough = start(executable, 1, 4 << 20);
  EXPECT_EQ(run(*enough, {floats({256, 256}, 1)}).size(), 1u);
}

TEST_F(Compile, ParametersWithoutValuesMustBeGiven) {
  const char *text = R"(
graph.param @w : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = graph.get_param @w : tensor<4xf32>
  %y = graph.mul %x, %w : tensor<4xf32>
  return %y : tensor<4xf32>
})";
  auto executable = compile(text);
  ASSERT_TRUE(executable);
  auto missing = pipeline::Session::create(executable);
  ASSERT_FALSE(bool(missing));
  EXPECT_NE(
      llvm::toString(missing.takeError()).find("parameter w has no value"),
      std::string::npos);
  pipeline::SessionOptions options;
  Tensor w = floats({4}, 1), x = floats({4}, 2);
  options.parameters["w"].inlineBytes.assign(w.bytes(), w.byteSize());
  auto session = pipeline::Session::create(executable, options);
  ASSERT_TRUE(bool(session));
  std::vector<Tensor> got = run(**session, {x});
  EXPECT_EQ(reinterpret_cast<const float *>(got[0].bytes())[1],
            reinterpret_cast<const float *>(x.bytes())[1] *
                reinterpret_cast<const float *>(w.bytes())[1]);
}

TEST_F(Compile, UnknownTargetsAndPhasesAreUsageErrors) {
  for (bool phase : {false, true}) {
    pipeline::CompileOptions options;
    (phase ? options.fromPhase : options.target) =
        phase ? "polish" : "cpu:znver9";
    auto executable = pipeline::compile(parse(perceptron), options);
    ASSERT_FALSE(bool(executable));
    Error error = errorOf(executable.takeError());
    EXPECT_EQ(error.code, ErrorCode::Usage) << error.message();
  }
}

} // namespace
} // namespace zenith::test
