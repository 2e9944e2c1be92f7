// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices out of range: an error of the run that names the node, the index and
// the size, and no check where the range is proved.
#include "NodeEvaluation.h"
#include "ir/LLVMError.h"

using namespace zenith::onnx;

namespace {

struct Case {
  const char *title;
  Node node;
  std::vector<Tensor> inputs;
  const char *message;
};

std::ostream &operator<<(std::ostream &stream, const Case &test) {
  return stream << test.title;
}

class OutOfRange : public testing::TestWithParam<Case> {};

Node calledPick(Node node) {
  node.name = "pick";
  return node;
}

std::vector<Case> outOfRangeCases() {
  Tensor x = ramp("x", {3, 2});
  auto set = intAttribute("axis", 1);
  return {
      {"gather_high",
       makeNode("Gather", {"x", "i"}, {"y"}),
       {x, integers("i", {2}, {0, 3})},
       "Gather: index 3 is out of range for dimension 0 of size 3"},
      {"gather_low",
       makeNode("Gather", {"x", "i"}, {"y"}, {set}),
       {x, integers("i", {2}, {-3, 1})},
       "Gather: index -3 is out of range for dimension 1 of size 2"},
      {"gather_scalar",
       makeNode("Gather", {"x", "i"}, {"y"}),
       {x, integers("i", {}, {5})},
       "Gather: index 5 is out of range for dimension 0 of size 3"},
      {"gather_32_bits",
       makeNode("Gather", {"x", "i"}, {"y"}),
       {x, tensorOf<int32_t>("i", DataType::Int32, {2}, {0, 1 << 30})},
       "Gather: index 1073741824 is out of range for dimension 0 of size 3"},
      {"gather_from_nothing",
       makeNode("Gather", {"x", "i"}, {"y"}),
       {floats("x", {0, 2}, {}), integers("i", {2}, {0, 0})},
       "Gather: index 0 is out of range for dimension 0 of size 0"},
      {"gather_elements",
       makeNode("GatherElements", {"x", "i"}, {"y"}, {set}),
       {x, integers("i", {1, 2}, {1, 2})},
       "GatherElements: index 2 is out of range for dimension 1 of size 2"},
      {"gather_nd",
       makeNode("GatherND", {"x", "i"}, {"y"}),
       {x, integers("i", {2, 2}, {2, 1, 0, 2})},
       "GatherND: index 2 is out of range for dimension 1 of size 2"},
      {"gather_nd_batches",
       makeNode("GatherND", {"x", "i"}, {"y"}, {intAttribute("batch_dims", 1)}),
       {x, integers("i", {3, 1}, {1, 0, -3})},
       "GatherND: index -3 is out of range for dimension 1 of size 2"},
      {"scatter_elements",
       makeNode("ScatterElements", {"x", "i", "u"}, {"y"}),
       {x, integers("i", {1, 2}, {0, 3}), ramp("u", {1, 2})},
       "ScatterElements: index 3 is out of range for dimension 0 of size 3"},
      {"scatter_nd",
       makeNode("ScatterND", {"x", "i", "u"}, {"y"}),
       {x, integers("i", {1, 1}, {-4}), ramp("u", {1, 2})},
       "ScatterND: index -4 is out of range for dimension 0 of size 3"},
  };
}

TEST_P(OutOfRange, EndsTheRun) {
  const Case &test = GetParam();
  mlir::MLIRContext context;
  auto module =
      importONNX(nodeModel(calledPick(test.node), test.inputs), &context);
  ASSERT_TRUE(module) << module.error().message();
  auto results = runModule(**module, byName(test.inputs));
  ASSERT_FALSE(bool(results));
  zenith::Error error = zenith::errorOf(results.takeError());
  EXPECT_EQ(error.code, zenith::ErrorCode::Run);
  EXPECT_NE(error.message().find(test.message), std::string::npos)
      << error.message();
  EXPECT_NE(error.message().find("pick"), std::string::npos) << error.message();
}

INSTANTIATE_TEST_SUITE_P(Indices, OutOfRange,
                         testing::ValuesIn(outOfRangeCases()),
                         [](const auto &info) {
                           return std::string(info.param.title);
                         });

/// The text of a model whose last node reads x at what `before` computes.
std::string gatherText(std::vector<Node> before,
                       const std::vector<Tensor> &inputs,
                       const std::vector<std::string> &bound = {}) {
  mlir::MLIRContext context;
  ImportOptions options;
  for (const Tensor &input : inputs)
    if (llvm::is_contained(bound, input.name))
      options.bindings[input.name] = input;
  Model model = nodeModel(makeNode("Gather", {"x", "i"}, {"y"}), inputs);
  model.graph.nodes.insert(model.graph.nodes.begin(), before.begin(),
                           before.end());
  auto module = importONNX(model, &context, options);
  if (module)
    return textOf(**module);
  ADD_FAILURE() << module.error().message();
  return "";
}

/// About elements: sizes are checked too.
bool isChecked(const std::string &text) {
  return text.find("graph.run_error") != std::string::npos;
}

TEST(ImportIndices, DataIsChecked) {
  std::string text =
      gatherText({}, {ramp("x", {4}), integers("i", {3}, {0, 1, 2})});
  EXPECT_TRUE(isChecked(text)) << text;
  EXPECT_NE(text.find("graph.run_error"), std::string::npos) << text;
}

TEST(ImportIndices, ProvedRangesAreNotChecked) {
  Tensor x = ramp("x", {4, 3}), d = integers("d", {3}, {5, 6, 7}),
         low = integers("low", {}, {-4}), high = integers("high", {}, {3}),
         four = integers("four", {}, {4});
  EXPECT_FALSE(
      isChecked(gatherText({}, {x, integers("i", {2}, {-4, 3})}, {"i"})));
  std::vector<int64_t> many(5000, 2);
  EXPECT_FALSE(
      isChecked(gatherText({}, {x, integers("i", {5000}, many)}, {"i"})));
  EXPECT_FALSE(isChecked(gatherText(
      {makeNode("ArgMax", {"x"}, {"i"}, {intAttribute("axis", 0)})}, {x})));
  EXPECT_FALSE(
      isChecked(gatherText({makeNode("Clip", {"d", "low", "high"}, {"i"})},
                           {x, d, low, high}, {"low", "high"})));
  EXPECT_FALSE(isChecked(gatherText({makeNode("Mod", {"d", "four"}, {"i"})},
                                    {x, d, four}, {"four"})));
  EXPECT_TRUE(isChecked(gatherText({makeNode("Add", {"d", "four"}, {"i"})},
                                   {x, d, four}, {"four"})));
}

TEST(ImportIndices, PositionsInDynamicDimensionsAreProved) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {named("n"), fixed(2)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {integers("k", {1}, {1})};
  model.graph.nodes = {
      makeNode("TopK", {"x", "k"}, {"best", "i"}, {intAttribute("axis", 0)}),
      makeNode("Gather", {"x", "i"}, {"y"})};
  mlir::MLIRContext context;
  auto module = importONNX(model, &context);
  ASSERT_TRUE(module) << module.error().message();
  EXPECT_FALSE(isChecked(textOf(**module))) << textOf(**module);
}

/// Counted from the end of a dimension that may be too short.
TEST(ImportIndices, OneConstantIndexOfADynamicDimension) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {named("n")})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {integers("i", {}, {-2})};
  model.graph.nodes = {makeNode("Gather", {"x", "i"}, {"y"})};
  mlir::MLIRContext context;
  auto module = importONNX(model, &context);
  ASSERT_TRUE(module) << module.error().message();
  auto two = runModule(**module, byName({floats("x", {2}, {7, 8})}));
  ASSERT_TRUE(bool(two)) << llvm::toString(two.takeError());
  EXPECT_EQ(textOf(two->front()), "dense<7.000000e+00> : tensor<f32>");
  auto one = runModule(**module, byName({floats("x", {1}, {7})}));
  ASSERT_FALSE(bool(one));
  zenith::Error error = zenith::errorOf(one.takeError());
  EXPECT_EQ(error.code, zenith::ErrorCode::Run);
  EXPECT_NE(error.message().find("index -2 is out of range"), std::string::npos)
      << error.message();
}

TEST(ImportIndices, NegativeIndicesCountFromTheEnd) {
  EXPECT_EQ(
      evaluate(makeNode("Gather", {"x", "i"}, {"y"}),
               {floats("x", {3}, {1, 2, 3}), integers("i", {3}, {-1, -3, 1})}),
      (std::vector<double>{3, 1, 2}));
}

TEST(ImportIndices, NoIndexReadsNothing) {
  EXPECT_EQ(evaluate(makeNode("Gather", {"x", "i"}, {"y"}),
                     {floats("x", {0, 2}, {}), integers("i", {0}, {})}),
            std::vector<double>());
}

} // namespace
