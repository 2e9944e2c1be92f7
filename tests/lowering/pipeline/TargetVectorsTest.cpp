// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every processor with vectors of every size, also wider ones than its
// registers: instructions are chosen by what the processor has.

#include "CompiledProgram.h"

#include "ir/target/CPUTarget.h"
#include "lowering/cpu/CPUMachine.h"

using namespace zenith;

namespace {

/// The instance is "cpu:NAME:BITS".
class TargetVectors : public test::CompiledProgram,
                      public ::testing::WithParamInterface<std::string> {
protected:
  /// Compiles @main for the target and, where this machine has the processor's
  /// instructions, compares a run with the interpreter.
  void check(const std::string &text, llvm::ArrayRef<Tensor> arguments) {
    pipeline::CompileOptions options;
    options.target = GetParam();
    auto files =
        pipeline::emit(parse(text), pipeline::EmitForm::Object, options);
    ASSERT_TRUE(bool(files)) << llvm::toString(files.takeError());
    if (llvm::Error missing = cpu::checkRunsHere(
            llvm::cantFail(target::CPUTarget::parse(GetParam())))) {
      llvm::consumeError(std::move(missing));
      return;
    }
    auto session = start(compile(text, options));
    ASSERT_TRUE(session);
    std::vector<Tensor> got = run(*session, arguments),
                        expected = interpret(text, arguments);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      expectClose(got[i], expected[i], 1e-5);
  }
};

/// A result for each elementary function, of x in (0, 1), where all but acosh
/// have values.
std::string elementaryFunctions(const std::string &type) {
  std::string body, results, types;
  auto add = [&](const std::string &name, const std::string &operands) {
    body += "  %" + name + " = graph." + name + " " + operands + " : " + type +
            "\n";
    results += (results.empty() ? "%" : ", %") + name;
    types += (types.empty() ? "" : ", ") + type;
  };
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY) add(#NAME, "%x");
#define ZENITH_BINARY_FUNCTION(OP, NAME, MATH, BY) add(#NAME, "%x, %x");
#include "ir/ElementaryFunctions.def"
  add("logistic", "%x");
  return "func.func @main(%x: " + type + ") -> (" + types + ") {\n" + body +
         "  return " + results + " : " + types + "\n}";
}

TEST_P(TargetVectors, HaveAllElementaryFunctions) {
  Tensor x = floats({1000}, 1);
  auto *data = reinterpret_cast<float *>(x.writable());
  for (int64_t i = 0; i < x.size(); ++i)
    data[i] = float(i + 1) / 1001;
  check(elementaryFunctions("tensor<1000xf32>"), {x});
}

TEST_P(TargetVectors, HaveTheFunctionsOfDoubles) {
  pipeline::CompileOptions options;
  options.target = GetParam();
  auto files = pipeline::emit(parse(elementaryFunctions("tensor<1000xf64>")),
                              pipeline::EmitForm::Object, options);
  EXPECT_TRUE(bool(files)) << llvm::toString(files.takeError());
}

TEST_P(TargetVectors, HaveAttention) {
  check(
      R"(
func.func @main(%q: tensor<2x40x32xf32>, %k: tensor<2x50x32xf32>, %v: tensor<2x50x32xf32>) -> tensor<2x40x32xf32> {
  %r = graph.attention %q, %k, %v {scale = 1.250000e-01 : f64} : (tensor<2x40x32xf32>, tensor<2x50x32xf32>, tensor<2x50x32xf32>) -> tensor<2x40x32xf32>
  return %r : tensor<2x40x32xf32>
})",
      {floats({2, 40, 32}, 1), floats({2, 50, 32}, 2), floats({2, 50, 32}, 3)});
}

TEST_P(TargetVectors, HaveMatmulsAndSoftmax) {
  check(R"(
func.func @main(%x: tensor<37x65xf32>, %w: tensor<65x130xf32>) -> (tensor<37x130xf32>, tensor<37xf32>) {
  %m = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<37x65xf32>, tensor<65x130xf32>) -> tensor<37x130xf32>
  %z = graph.constant dense<0.0> : tensor<37x130xf32>
  %p = graph.max %m, %z : tensor<37x130xf32>
  %s = graph.softmax %p [1] : tensor<37x130xf32>
  %r = graph.reduce max, %m [1] : tensor<37x130xf32> -> tensor<37xf32>
  return %s, %r : tensor<37x130xf32>, tensor<37xf32>
})",
        {floats({37, 65}, 1), floats({65, 130}, 2)});
}

/// Shuffles of bytes look the states up.
TEST_P(TargetVectors, HaveByteLookups) {
  std::string text = R"(
func.func @main(%x: tensor<500x64xf32>) -> tensor<500x64xi8> {
  %i = graph.iota 1 : tensor<500x64xi8>
  %c = graph.convert %x : tensor<500x64xf32> -> tensor<500x64xi8>
  %rows = graph.add %c, %i : tensor<500x64xi8>
  %at = graph.constant dense<[VALUES]> : tensor<64x1xi32>
  %r = graph.gather %rows, %at <offset = [0], collapsed = [1], batching = [] x [], index_map = [1], index_vector_dim = 1> sizes [500, 1] : (tensor<500x64xi8>, tensor<64x1xi32>) -> tensor<500x64xi8>
  return %r : tensor<500x64xi8>
})";
  std::string values;
  for (int i = 0; i < 64; ++i)
    values += (i ? ", [" : "[") + std::to_string((i * 29 + 5) % 64) + "]";
  text.replace(text.find("VALUES"), 6, values);
  check(text, {floats({500, 64}, 1)});
}

std::vector<std::string> targets() {
  std::vector<std::string> all;
  for (const char *name : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (const char *bits : {"128", "256", "512"})
      all.push_back(std::string("cpu:") + name + ":" + bits);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, TargetVectors, ::testing::ValuesIn(targets()),
                         [](const ::testing::TestParamInfo<std::string> &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             c = std::isalnum(c) ? c : '_';
                           return name;
                         });

} // namespace
