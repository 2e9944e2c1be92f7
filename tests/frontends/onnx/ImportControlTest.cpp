// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches, sequences and results whose size is data: values checked by
// hand, damaged subgraphs refused with their location.
#include "ModelEvaluation.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

static ValueInfo untyped(std::string name) { return {std::move(name), {}}; }

static Graph graphOf(std::vector<std::string> inputs, std::vector<Node> nodes,
                     std::vector<std::string> outputs,
                     std::vector<Tensor> initializers = {}) {
  Graph graph;
  graph.name = "inner";
  for (std::string &input : inputs)
    graph.inputs.push_back(untyped(std::move(input)));
  for (std::string &output : outputs)
    graph.outputs.push_back(untyped(std::move(output)));
  graph.nodes = std::move(nodes);
  graph.initializers = std::move(initializers);
  return graph;
}

static Model modelOf(std::vector<Node> nodes, const std::vector<Tensor> &inputs,
                     std::vector<std::string> outputs,
                     std::vector<Tensor> initializers = {}) {
  Model model = nodeModel(nodes.back(), inputs, 17);
  model.graph.nodes = std::move(nodes);
  model.graph.outputs.clear();
  for (std::string &output : outputs)
    model.graph.outputs.push_back(untyped(std::move(output)));
  model.graph.initializers = std::move(initializers);
  return model;
}

/// All results as text; the error where there is one.
static std::string run(const Model &model, const std::vector<Tensor> &inputs) {
  mlir::MLIRContext context;
  auto module = importONNX(model, &context);
  if (!module)
    return module.error().message();
  auto results = runModule(**module, byName(inputs));
  if (!results)
    return llvm::toString(results.takeError());
  std::string text;
  for (const zenith::Tensor &result : *results)
    text += (text.empty() ? "" : "; ") + textOf(result);
  return text;
}

static Tensor boolean(std::string name, bool value) {
  return tensorOf<char>(std::move(name), DataType::Bool, {}, {char(value)});
}

static const Tensor three = integers("count", {}, {3});

/// acc = acc + x, collected after each step.
static Graph addingBody() {
  return graphOf({"i", "on", "acc"},
                 {makeNode("Identity", {"on"}, {"still"}),
                  makeNode("Add", {"acc", "x"}, {"next"}),
                  makeNode("Identity", {"next"}, {"seen"})},
                 {"still", "next", "seen"});
}

TEST(ImportLoop, CarriesAndCollects) {
  std::vector<Tensor> inputs = {floats("x", {2}, {1, 2}),
                                floats("start", {2}, {0, 10}), three};
  Model model =
      modelOf({makeNode("Loop", {"count", "", "start"}, {"last", "all"},
                        {graphAttribute("body", addingBody())})},
              inputs, {"last", "all"});
  EXPECT_EQ(run(model, inputs),
            "dense<[3.000000e+00, 1.600000e+01]> : tensor<2xf32>; "
            "dense<[[1.000000e+00, 1.200000e+01], [2.000000e+00, "
            "1.400000e+01], [3.000000e+00, 1.600000e+01]]> : "
            "tensor<3x2xf32>");
}

/// Doubles while below 100; what it collects grows.
TEST(ImportLoop, EndsByItsCondition) {
  std::vector<Tensor> inputs = {integers("start", {}, {7})};
  Graph body = graphOf({"i", "on", "v"},
                       {makeNode("Add", {"v", "v"}, {"next"}),
                        makeNode("Less", {"next", "limit"}, {"still"}),
                        makeNode("Identity", {"next"}, {"seen"})},
                       {"still", "next", "seen"});
  Model model = modelOf({makeNode("Loop", {"", "yes", "start"}, {"last", "all"},
                                  {graphAttribute("body", body)})},
                        inputs, {"last", "all"},
                        {boolean("yes", true), integers("limit", {}, {100})});
  EXPECT_EQ(run(model, inputs),
            "dense<112> : tensor<i64>; dense<[14, 28, 56, 112]> : "
            "tensor<4xi64>");
}

/// The condition holds for the counter that the loop starts with, whose value
/// is known, but not in every step.
TEST(ImportLoop, EndsByACounterBeforeItsLimit) {
  Graph body = graphOf({"i", "on", "n"},
                       {makeNode("Add", {"n", "one"}, {"next"}),
                        makeNode("Less", {"next", "four"}, {"more"}),
                        makeNode("Identity", {"next"}, {"seen"})},
                       {"more", "next", "seen"});
  Model model =
      modelOf({makeNode("Loop", {"count", "yes", "one"}, {"last", "all"},
                        {graphAttribute("body", body)})},
              {}, {"last", "all"},
              {integers("count", {}, {10}), boolean("yes", true),
               integers("one", {}, {1}), integers("four", {}, {4})});
  EXPECT_EQ(run(model, {}),
            "dense<4> : tensor<i64>; dense<[2, 3, 4]> : tensor<3xi64>");
}

TEST(ImportLoop, ShapesMayGrow) {
  std::vector<Tensor> inputs = {floats("x", {1}, {5}),
                                floats("start", {2}, {1, 2}), three};
  Graph body = graphOf(
      {"i", "on", "v"},
      {makeNode("Identity", {"on"}, {"still"}),
       makeNode("Concat", {"v", "x"}, {"next"}, {intAttribute("axis", 0)})},
      {"still", "next"});
  Model model = modelOf({makeNode("Loop", {"count", "", "start"}, {"last"},
                                  {graphAttribute("body", body)})},
                        inputs, {"last"});
  EXPECT_EQ(run(model, inputs),
            "dense<[1.000000e+00, 2.000000e+00, 5.000000e+00, 5.000000e+00, "
            "5.000000e+00]> : tensor<5xf32>");
}

TEST(ImportLoop, CarriesSequences) {
  std::vector<Tensor> inputs = {floats("x", {2}, {1, 2}), three};
  Graph body =
      graphOf({"i", "on", "list"},
              {makeNode("Cast", {"i"}, {"n"}, {intAttribute("to", 1)}),
               makeNode("Mul", {"x", "n"}, {"scaled"}),
               makeNode("SequenceInsert", {"list", "scaled"}, {"longer"}),
               makeNode("Identity", {"on"}, {"still"})},
              {"still", "longer"});
  Model model = modelOf({makeNode("SequenceEmpty", {}, {"empty"}),
                         makeNode("Loop", {"count", "", "empty"}, {"list"},
                                  {graphAttribute("body", body)}),
                         makeNode("ConcatFromSequence", {"list"}, {"y"},
                                  {intAttribute("axis", 0)})},
                        inputs, {"y"});
  EXPECT_EQ(run(model, inputs),
            "dense<[0.000000e+00, 0.000000e+00, 1.000000e+00, 2.000000e+00, "
            "2.000000e+00, 4.000000e+00]> : tensor<6xf32>");
}

TEST(ImportLoop, RefusesWhatDoesNotFit) {
  std::vector<Tensor> inputs = {floats("x", {2}, {1, 2}),
                                floats("start", {2}, {0, 10}), three};
  Graph narrow = addingBody();
  narrow.inputs.pop_back();
  narrow.nodes[1].inputs[0] = "x";
  Graph poor = addingBody();
  poor.outputs.resize(1);
  for (const Graph &body : {narrow, poor}) {
    Model model = modelOf({makeNode("Loop", {"count", "", "start"}, {"last"},
                                    {graphAttribute("body", body)})},
                          inputs, {"last"});
    std::string text = run(model, inputs);
    EXPECT_NE(text.find("graph/node 'Loop_node' (Loop)"), std::string::npos)
        << text;
    EXPECT_NE(text.find("subgraph 'body'"), std::string::npos) << text;
  }
  Model endless = modelOf({makeNode("Loop", {"", "", "start"}, {"last"},
                                    {graphAttribute("body", addingBody())})},
                          inputs, {"last"});
  EXPECT_NE(run(endless, inputs).find("without an end"), std::string::npos);
}

TEST(ImportIf, ChoosesAtRunTime) {
  Graph yes = graphOf({}, {makeNode("Neg", {"x"}, {"a"})}, {"a"});
  Graph no = graphOf(
      {}, {makeNode("Concat", {"x", "x"}, {"b"}, {intAttribute("axis", 0)})},
      {"b"});
  for (bool choice : {true, false}) {
    std::vector<Tensor> inputs = {boolean("p", choice), floats("x", {1}, {4})};
    Model model = modelOf({makeNode("If", {"p"}, {"y"},
                                    {graphAttribute("then_branch", yes),
                                     graphAttribute("else_branch", no)})},
                          inputs, {"y"});
    EXPECT_EQ(run(model, inputs), choice
                                      ? "dense<-4.000000e+00> : tensor<1xf32>"
                                      : "dense<4.000000e+00> : tensor<2xf32>");
  }
}

/// A loop in a branch in a loop; deeper ones end one way or the other.
TEST(ImportControl, Nests) {
  std::vector<Tensor> inputs = {floats("x", {1}, {1}),
                                floats("start", {1}, {0}), three,
                                boolean("p", true)};
  Graph inner = addingBody();
  Graph looping = graphOf({},
                          {makeNode("Loop", {"count", "", "v"}, {"a"},
                                    {graphAttribute("body", inner)})},
                          {"a"});
  Graph same = graphOf({}, {makeNode("Identity", {"v"}, {"b"})}, {"b"});
  Graph body = graphOf({"j", "go", "v"},
                       {makeNode("Identity", {"go"}, {"goes"}),
                        makeNode("If", {"p"}, {"w"},
                                 {graphAttribute("then_branch", looping),
                                  graphAttribute("else_branch", same)})},
                       {"goes", "w"});
  Model model = modelOf({makeNode("Loop", {"count", "", "start"}, {"last"},
                                  {graphAttribute("body", body)})},
                        inputs, {"last"});
  EXPECT_EQ(run(model, inputs), "dense<9.000000e+00> : tensor<1xf32>");
}

TEST(ImportControl, RefusesDeepNests) {
  std::vector<Tensor> inputs = {floats("x", {2}, {1, 2}),
                                floats("start", {2}, {0, 10}), three};
  Graph body = addingBody();
  body.outputs.pop_back();
  for (int depth = 0; depth < 7; ++depth)
    body = graphOf({"i", "on", "v"},
                   {makeNode("Identity", {"on"}, {"still"}),
                    makeNode("Loop", {"count", "", "v"}, {"w"},
                             {graphAttribute("body", body)})},
                   {"still", "w"});
  Model model = modelOf({makeNode("Loop", {"count", "", "start"}, {"last"},
                                  {graphAttribute("body", body)})},
                        inputs, {"last"});
  EXPECT_NE(run(model, inputs).find("nested too deeply"), std::string::npos);
}

/// Sums backwards over time.
TEST(ImportScan, RunsBackwards) {
  std::vector<Tensor> inputs = {floats("zero", {}, {0}),
                                floats("x", {3}, {1, 2, 4})};
  Graph body = graphOf({"sum", "one"},
                       {makeNode("Add", {"sum", "one"}, {"next"}),
                        makeNode("Identity", {"next"}, {"seen"})},
                       {"next", "seen"});
  Model model =
      modelOf({makeNode("Scan", {"zero", "x"}, {"last", "all"},
                        {graphAttribute("body", body),
                         intAttribute("num_scan_inputs", 1),
                         intsAttribute("scan_input_directions", {1}),
                         intsAttribute("scan_output_directions", {1})})},
              inputs, {"last", "all"});
  EXPECT_EQ(run(model, inputs),
            "dense<7.000000e+00> : tensor<f32>; dense<[7.000000e+00, "
            "6.000000e+00, 4.000000e+00]> : tensor<3xf32>");
}

/// h = relu(x + h), for each direction.
TEST(ImportRecurrent, RunsInBothDirections) {
  std::vector<Tensor> inputs = {floats("x", {3, 1, 1}, {1, 2, 4}),
                                floats("w", {2, 1, 1}, {1, 1}),
                                floats("r", {2, 1, 1}, {1, 1})};
  Node node = makeNode("RNN", {"x", "w", "r"}, {"y", "h"},
                       {intAttribute("hidden_size", 1)});
  NodeAttribute direction, activations;
  direction.name = "direction";
  direction.kind = NodeAttribute::String;
  direction.strings = {"bidirectional"};
  activations.name = "activations";
  activations.kind = NodeAttribute::Strings;
  activations.strings = {"Relu", "Relu"};
  node.attributes.push_back(direction);
  node.attributes.push_back(activations);
  Model model = modelOf({node}, inputs, {"y", "h"});
  EXPECT_EQ(run(model, inputs),
            "dense<[[[[1.000000e+00]], [[7.000000e+00]]], "
            "[[[3.000000e+00]], [[6.000000e+00]]], [[[7.000000e+00]], "
            "[[4.000000e+00]]]]> : tensor<3x2x1x1xf32>; "
            "dense<7.000000e+00> : tensor<2x1x1xf32>");
}

TEST(ImportOrdering, SizesAreData) {
  std::vector<Tensor> inputs = {integers("x", {2, 2}, {0, 3, 5, 0}),
                                integers("k", {1}, {1})};
  Model model = modelOf({makeNode("NonZero", {"x"}, {"where"}),
                         makeNode("Unique", {"x"}, {"values"}),
                         makeNode("TopK", {"x", "k"}, {"top", "at"})},
                        inputs, {"where", "values", "top", "at"});
  EXPECT_EQ(run(model, inputs),
            "dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>; dense<[0, 3, 5]> : "
            "tensor<3xi64>; dense<[[3], [5]]> : tensor<2x1xi64>; "
            "dense<[[1], [0]]> : tensor<2x1xi64>");
}

/// What a Reshape's 0 and -1 mean is worked out where the shape is data.
TEST(ImportMovement, ShapesAreData) {
  std::vector<Tensor> inputs = {integers("x", {2, 3}, {1, 2, 3, 4, 5, 6}),
                                integers("shape", {3}, {0, -1, 1}),
                                integers("from", {1}, {-2})};
  Model model =
      modelOf({makeNode("Reshape", {"x", "shape"}, {"y"}),
               makeNode("Slice", {"x", "from", "end", "axis"}, {"z"})},
              inputs, {"y", "z"},
              {integers("end", {1}, {INT64_MAX}), integers("axis", {1}, {1})});
  EXPECT_EQ(run(model, inputs),
            "dense<[[[1], [2], [3]], [[4], [5], [6]]]> : tensor<2x3x1xi64>; "
            "dense<[[2, 3], [5, 6]]> : tensor<2x2xi64>");
}
