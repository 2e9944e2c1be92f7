// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of all kinds for every processor with a model: they compile, and
// where this machine can run them, give the interpreter's values.

#include "CompiledProgram.h"

#include "ir/target/NamedModels.h"
#include "lowering/pipeline/TargetChoice.h"

using namespace zenith;

namespace {

struct Program {
  const char *name;
  std::string text;
  std::vector<std::vector<int64_t>> inputs; ///< shapes of f32 arguments
};

std::string mainOf(const std::string &arguments, const std::string &body,
                   const std::string &result) {
  return "func.func @main(" + arguments + ") -> " + result + " {\n" + body +
         "\n  return %r : " + result + "\n}";
}

std::string convolution(const std::string &x, const std::string &w,
                        const std::string &padding, int groups,
                        const std::string &result) {
  return mainOf(
      "%x: " + x + ", %w: " + w,
      "  %r = graph.convolution %x, %w <input = (0, 3, [1, 2]), kernel = (2, "
      "3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low " +
          padding + " high " + padding +
          " input_dilation [1, 1] kernel_dilation [1, 1] groups " +
          std::to_string(groups) + " : (" + x + ", " + w + ") -> " + result,
      result);
}

std::vector<Program> programs() {
  return {
      {"elements",
       mainOf(
           "%x: tensor<37x1003xf32>, %y: tensor<1003xf32>",
           R"(  %b = graph.broadcast %y [1] : tensor<1003xf32> -> tensor<37x1003xf32>
  %t = graph.tanh %x : tensor<37x1003xf32>
  %r = graph.mul %t, %b : tensor<37x1003xf32>)",
           "tensor<37x1003xf32>"),
       {{37, 1003}, {1003}}},
      {"transpose",
       mainOf("%x: tensor<130x5x67xf32>",
              "  %r = graph.transpose %x [2, 1, 0] : tensor<130x5x67xf32> -> "
              "tensor<67x5x130xf32>",
              "tensor<67x5x130xf32>"),
       {{130, 5, 67}}},
      {"rows",
       mainOf("%x: tensor<53x257xf32>",
              "  %r = graph.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : "
              "f64} : (tensor<53x257xf32>) -> tensor<53x257xf32>",
              "tensor<53x257xf32>"),
       {{53, 257}}},
      {"columns",
       mainOf("%x: tensor<700x70xf32>",
              "  %r = graph.reduce sum, %x [0] : tensor<700x70xf32> -> "
              "tensor<70xf32>",
              "tensor<70xf32>"),
       {{700, 70}}},
      {"longMatmul",
       mainOf("%x: tensor<24x2100xf32>, %w: tensor<2100x90xf32>",
              "  %r = graph.dot_general %x, %w <batching = [] x [], "
              "contracting = [1] x [0]> : (tensor<24x2100xf32>, "
              "tensor<2100x90xf32>) -> tensor<24x90xf32>",
              "tensor<24x90xf32>"),
       {{24, 2100}, {2100, 90}}},
      {"stridedMatmul",
       mainOf("%x: tensor<300x260xf32>, %w: tensor<300x130xf32>",
              "  %r = graph.dot_general %x, %w <batching = [] x [], "
              "contracting = [0] x [0]> : (tensor<300x260xf32>, "
              "tensor<300x130xf32>) -> tensor<260x130xf32>",
              "tensor<260x130xf32>"),
       {{300, 260}, {300, 130}}},
      {"fewRows",
       mainOf("%x: tensor<3x500xf32>, %w: tensor<500x777xf32>",
              "  %r = graph.dot_general %x, %w <batching = [] x [], "
              "contracting = [1] x [0]> : (tensor<3x500xf32>, "
              "tensor<500x777xf32>) -> tensor<3x777xf32>",
              "tensor<3x777xf32>"),
       {{3, 500}, {500, 777}}},
      {"symmetric",
       mainOf("%x: tensor<300x90xf32>",
              "  %r = graph.dot_general %x, %x <batching = [] x [], "
              "contracting = [1] x [1]> : (tensor<300x90xf32>, "
              "tensor<300x90xf32>) -> tensor<300x300xf32>",
              "tensor<300x300xf32>"),
       {{300, 90}}},
      {"batchedMatmul",
       mainOf("%x: tensor<6x33x50xf32>, %w: tensor<6x50x40xf32>",
              "  %r = graph.dot_general %x, %w <batching = [0] x [0], "
              "contracting = [2] x [1]> : (tensor<6x33x50xf32>, "
              "tensor<6x50x40xf32>) -> tensor<6x33x40xf32>",
              "tensor<6x33x40xf32>"),
       {{6, 33, 50}, {6, 50, 40}}},
      {"convolution",
       convolution("tensor<1x19x21x24xf32>", "tensor<3x3x24x40xf32>", "[1, 1]",
                   1, "tensor<1x19x21x40xf32>"),
       {{1, 19, 21, 24}, {3, 3, 24, 40}}},
      {"depthwise",
       convolution("tensor<1x17x30x48xf32>", "tensor<5x5x1x48xf32>", "[2, 2]",
                   48, "tensor<1x17x30x48xf32>"),
       {{1, 17, 30, 48}, {5, 5, 1, 48}}},
      {"pooling",
       mainOf("%x: tensor<1x30x41x20xf32>",
              "  %r = graph.reduce_window max, %x window [1, 3, 3, 1] strides "
              "[1, 2, 2, 1] low [0, 1, 1, 0] high [0, 1, 1, 0] base_dilation "
              "[1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x30x41x20xf32> -> "
              "tensor<1x15x21x20xf32>",
              "tensor<1x15x21x20xf32>"),
       {{1, 30, 41, 20}}},
      {"planes",
       mainOf("%x: tensor<1x20x30x41xf32>",
              "  %r = graph.reduce_window max, %x window [1, 1, 5, 5] strides "
              "[1, 1, 1, 1] low [0, 0, 2, 2] high [0, 0, 2, 2] base_dilation "
              "[1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x20x30x41xf32> -> "
              "tensor<1x20x30x41xf32>",
              "tensor<1x20x30x41xf32>"),
       {{1, 20, 30, 41}}},
      {"scan",
       mainOf("%x: tensor<50x300xf32>",
              "  %r = graph.cumulative sum, %x 1 : tensor<50x300xf32>",
              "tensor<50x300xf32>"),
       {{50, 300}}},
      {"indexing",
       mainOf("%x: tensor<10x600xf32>, %u: tensor<3x600xf32>",
              R"(  %i = graph.constant dense<[[1], [7], [1]]> : tensor<3x1xi64>
  %s = graph.scatter sum, %x, %i, %u <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<10x600xf32>, tensor<3x1xi64>, tensor<3x600xf32>) -> tensor<10x600xf32>
  %r = graph.gather %s, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 600] : (tensor<10x600xf32>, tensor<3x1xi64>) -> tensor<3x600xf32>)",
              "tensor<3x600xf32>"),
       {{10, 600}, {3, 600}}},
      {"attention",
       mainOf("%q: tensor<3x70x64xf32>, %k: tensor<3x90x64xf32>, %v: "
              "tensor<3x90x64xf32>",
              "  %r = graph.attention %q, %k, %v {scale = 0.125 : f64} : "
              "(tensor<3x70x64xf32>, tensor<3x90x64xf32>, "
              "tensor<3x90x64xf32>) -> tensor<3x70x64xf32>",
              "tensor<3x70x64xf32>"),
       {{3, 70, 64}, {3, 90, 64}, {3, 90, 64}}},
      {"sort",
       mainOf("%x: tensor<5000xf32>",
              "  %r = graph.sort %x 0 keys 1 : (tensor<5000xf32>) -> "
              "(tensor<5000xf32>)",
              "tensor<5000xf32>"),
       {{5000}}},
  };
}

/// Instances are names of models.
class TargetModels : public test::CompiledProgram,
                     public ::testing::WithParamInterface<std::string> {};

TEST_P(TargetModels, HaveProgramsOfAllKinds) {
  pipeline::CompileOptions options;
  options.targetModel = GetParam();
  auto choice = pipeline::chooseTargetToRun(options);
  bool runsHere = bool(choice);
  llvm::consumeError(choice.takeError());
  for (const Program &program : programs()) {
    SCOPED_TRACE(program.name);
    auto files = pipeline::emit(parse(program.text), pipeline::EmitForm::Object,
                                options);
    ASSERT_TRUE(bool(files)) << llvm::toString(files.takeError());
    if (!runsHere)
      continue;
    std::vector<Tensor> inputs;
    for (const std::vector<int64_t> &shape : program.inputs)
      inputs.push_back(floats(shape, unsigned(inputs.size() + 1)));
    auto session = start(compile(program.text, options));
    ASSERT_TRUE(session);
    std::vector<Tensor> got = run(*session, inputs),
                        expected = interpret(program.text, inputs);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i)
      expectClose(got[i], expected[i], 1e-5);
  }
}

/// Parameters are packed in panels of the model's width.
TEST_P(TargetModels, PackParameters) {
  pipeline::CompileOptions options;
  options.targetModel = GetParam();
  options.toPhase = "layout";
  auto module = parse(R"(
graph.param @w : tensor<128x256xf32>
func.func @main(%x: tensor<64x128xf32>) -> tensor<64x256xf32> {
  %w = graph.get_param @w : tensor<128x256xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
  return %r : tensor<64x256xf32>
})");
  auto files =
      pipeline::emit(std::move(module), pipeline::EmitForm::GraphIR, options);
  ASSERT_TRUE(bool(files)) << llvm::toString(files.takeError());
  unsigned panel = target::namedModel(GetParam())->model.nr;
  std::string packed = "tensor<" + std::to_string(256 / panel) + "x128x" +
                       std::to_string(panel) + "xf32>";
  EXPECT_NE(files->front().bytes.find(packed), std::string::npos) << packed;
}

INSTANTIATE_TEST_SUITE_P(All, TargetModels,
                         ::testing::Values("avx2", "znver3", "znver4", "znver5",
                                           "emeraldrapids", "avx512",
                                           "neoverse-v2"),
                         [](const ::testing::TestParamInfo<std::string> &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             c = std::isalnum(c) ? c : '_';
                           return name;
                         });

} // namespace
