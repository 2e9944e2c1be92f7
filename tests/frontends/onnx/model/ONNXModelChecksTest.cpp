// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of unsound model is refused with the node that breaks the rule.
#include "frontends/onnx/model/ONNXModelChecks.h"
#include "tests/frontends/onnx/SampleModels.h"

#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::onnx;

static void expectRefused(const Model &model, const std::string &message,
                          const std::string &place) {
  Status status = checkModel(model);
  ASSERT_FALSE(status) << message;
  EXPECT_NE(status.error().text.find(message), std::string::npos)
      << status.error().message();
  EXPECT_EQ(status.error().location, place);
}

TEST(ONNXModelChecks, GoodModel) { EXPECT_TRUE(checkModel(denseModel())); }

TEST(ONNXModelChecks, MissingInput) {
  Model model = denseModel();
  model.graph.nodes[1].inputs[1] = "nowhere";
  expectRefused(model, "input 'nowhere' is not defined",
                "graph/node 'Add_node' (Add)");
}

TEST(ONNXModelChecks, AbsentOptionalInput) {
  Model model = denseModel();
  model.graph.nodes[1].inputs.push_back("");
  EXPECT_TRUE(checkModel(model));
}

TEST(ONNXModelChecks, Cycle) {
  Model model = denseModel();
  model.graph.nodes[0].inputs[1] = "y";
  expectRefused(model, "computed later, by node 'Relu_node' (Relu)",
                "graph/node 'MatMul_node' (MatMul)");
}

TEST(ONNXModelChecks, OwnResultAsInput) {
  Model model = denseModel();
  model.graph.nodes[2].inputs[0] = "y";
  expectRefused(model, "not sorted or form a cycle",
                "graph/node 'Relu_node' (Relu)");
}

TEST(ONNXModelChecks, DuplicateNames) {
  Model twice = denseModel();
  twice.graph.nodes[2].outputs[0] = "xw";
  expectRefused(twice, "value 'xw' is defined twice",
                "graph/node 'Relu_node' (Relu)");
  Model weights = denseModel();
  weights.graph.initializers[1].name = "w";
  expectRefused(weights, "initializer 'w' is defined twice", "graph");
  Model repeated = denseModel();
  repeated.graph.initializers.push_back(repeated.graph.initializers[0]);
  TemporaryFolder folder;
  EXPECT_NE(serialized(repeated, folder), "");
  EXPECT_TRUE(loadModel(folder / "serialized.onnx"));
  Model inputs = denseModel();
  inputs.graph.inputs.push_back(inputs.graph.inputs[0]);
  expectRefused(inputs, "graph input 'x' is defined twice", "graph");
  Model attributes = denseModel();
  attributes.graph.nodes[0].attributes = {intAttribute("a", 1),
                                          intAttribute("a", 2)};
  expectRefused(attributes, "attribute 'a' is given twice",
                "graph/node 'MatMul_node' (MatMul)");
  Model opsets = denseModel();
  opsets.opsets.push_back({"ai.onnx", 13});
  expectRefused(opsets, "imported twice, as 17 and as 13", "");
  // Some converters write an import twice.
  opsets.opsets.back().version = 17;
  EXPECT_TRUE(checkModel(opsets));
}

TEST(ONNXModelChecks, InputWithDefaultValue) {
  Model model = denseModel();
  model.graph.inputs.push_back(floatValue("w", {fixed(40), fixed(40)}));
  EXPECT_TRUE(checkModel(model));
}

TEST(ONNXModelChecks, MissingOutput) {
  Model model = denseModel();
  model.graph.outputs[0].name = "z";
  expectRefused(model, "graph output 'z' is not defined", "graph");
}

TEST(ONNXModelChecks, SubgraphsSeeOuterNames) {
  Model model = emptyModel();
  Graph branch;
  branch.nodes = {makeNode("Neg", {"x"}, {"inner"})};
  branch.outputs = {floatValue("inner", {})};
  model.graph.inputs = {floatValue("x", {}), floatValue("c", {})};
  model.graph.nodes = {
      makeNode("If", {"c"}, {"y"}, {graphAttribute("then_branch", branch)})};
  EXPECT_TRUE(checkModel(model));
  model.graph.nodes[0].attributes[0].graphs[0].nodes[0].inputs[0] = "q";
  expectRefused(
      model, "input 'q' is not defined",
      "graph/node 'If_node' (If)/then_branch/graph/node 'Neg_node' (Neg)");
}

TEST(ONNXModelChecks, RecursiveFunctions) {
  Model model = emptyModel();
  Function first, second;
  first.name = "First";
  second.name = "Second";
  first.domain = second.domain = "d";
  first.inputs = second.inputs = {"a"};
  first.outputs = second.outputs = {"b"};
  Node call = makeNode("Second", {"a"}, {"b"});
  call.domain = "d";
  first.nodes = {call};
  call.op = "First";
  second.nodes = {call};
  model.functions = {first, second};
  model.graph.inputs = {floatValue("a", {})};
  model.graph.nodes = {call};
  Status status = checkModel(model);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text, "function 'First' calls itself");
}

TEST(ONNXModelChecks, ReferenceOutsideOfFunction) {
  Model model = denseModel();
  NodeAttribute attribute = intAttribute("a", 1);
  attribute.reference = "b";
  model.graph.nodes[0].attributes = {attribute};
  expectRefused(model, "outside of a function",
                "graph/node 'MatMul_node' (MatMul)");
}
