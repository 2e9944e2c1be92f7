// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signature, shape arithmetic that disappears, parameters, functions, and
// errors that name their node.
#include "ModelEvaluation.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

static zenith::Result<Module> import(const Model &model,
                                     mlir::MLIRContext &context,
                                     const ImportOptions &options = {}) {
  return importONNX(model, &context, options);
}

static size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}

static std::string importText(const Model &model,
                              const ImportOptions &options = {}) {
  mlir::MLIRContext context;
  auto module = import(model, context, options);
  return module ? textOf(**module) : module.error().message();
}

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(ImportONNX, SignatureKeepsNames) {
  std::string text = importText(denseModel());
  EXPECT_HAS(text, "%arg0: tensor<?x40xf32> {graph.dims = [\"batch\", \"40\"], "
                   "graph.name = \"x\"}");
  EXPECT_HAS(text, "-> (tensor<?x40xf32> {graph.dims = [\"batch\", \"40\"], "
                   "graph.name = \"y\"})");
}

TEST(ImportONNX, DimensionsWithoutNamesTakeSizes) {
  Model model = denseModel();
  model.graph.inputs[0].type.dims[0].symbol.clear();
  ImportOptions options;
  options.dims["arg0_d0"] = 3;
  EXPECT_HAS(importText(model, options), "%arg0: tensor<3x40xf32>");
}

TEST(ImportONNX, LargeWeightsAreExternalParameters) {
  TemporaryFolder folder;
  ASSERT_TRUE(saveModel(denseModel(), folder / "m.onnx"));
  auto model = loadModel(folder / "m.onnx");
  ASSERT_TRUE(model);
  std::string text = importText(*model);
  EXPECT_HAS(
      text,
      "graph.param @w : tensor<40x40xf32> = #graph.external<\"m.onnx\", ");
  EXPECT_HAS(text, ", 6400>");
  EXPECT_HAS(text, "graph.param @b : tensor<40xf32> = ");
  EXPECT_EQ(count(text, "graph.param @"), 2u);
  ImportOptions elsewhere;
  elsewhere.folder = folder / "deeper";
  EXPECT_HAS(importText(*model, elsewhere), "#graph.external<\"../m.onnx\"");
}

TEST(ImportONNX, ZeroPointsOfManyChannelsAreConstants) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {fixed(2), fixed(1100)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {ramp("scales", {1100}),
                              tensorOf<uint8_t>("zeros", DataType::UInt8,
                                                {1100},
                                                std::vector<uint8_t>(1100, 3))};
  model.graph.nodes = {
      makeNode("QuantizeLinear", {"x", "scales", "zeros"}, {"y"})};
  std::string text = importText(model);
  EXPECT_HAS(text, "graph.constant dense<3> : tensor<1100xui8>");
  EXPECT_EQ(count(text, "graph.param @"), 1u);
}

TEST(ImportONNX, FewBytesOfWeightsAreParameters) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {fixed(2), fixed(3)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {
      ramp("scale", {1}),
      tensorOf<int8_t>("w", DataType::Int8, {3, 2}, {1, -2, 3, -4, 5, -6})};
  model.graph.nodes = {makeNode("DequantizeLinear", {"w", "scale"}, {"f"}),
                       makeNode("MatMul", {"x", "f"}, {"y"})};
  EXPECT_HAS(importText(model), "graph.param @w : tensor<3x2xi8>");
}

TEST(ImportONNX, FloatVectorsOfAnySizeAreParameters) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {fixed(2), fixed(3)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {ramp("bias", {3}), ramp("slope", {3}),
                              ramp("factor", {}), integers("shape", {1}, {6}),
                              ramp("unused", {3})};
  model.graph.nodes = {makeNode("Add", {"x", "bias"}, {"a"}),
                       makeNode("PRelu", {"a", "slope"}, {"b"}),
                       makeNode("Mul", {"b", "factor"}, {"c"}),
                       makeNode("Reshape", {"c", "shape"}, {"y"})};
  std::string text = importText(model);
  EXPECT_HAS(text, "graph.param @bias : tensor<3xf32>");
  EXPECT_HAS(text, "graph.param @slope : tensor<3xf32>");
  EXPECT_EQ(count(text, "graph.param @"), 2u) << text;
}

// The bias of one channel is a parameter; an element that is repeated is a
// scalar, whatever its rank.
TEST(ImportONNX, RepeatedElementsAreConstants) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {fixed(2), fixed(1)}),
                        floatValue("z", {fixed(2), fixed(3)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {ramp("bias", {1}), ramp("scale", {1}),
                              ramp("both", {1}), ramp("bound", {1})};
  model.graph.nodes = {makeNode("Add", {"x", "bias"}, {"a"}),
                       makeNode("Mul", {"a", "both"}, {"b"}),
                       makeNode("Mul", {"z", "scale"}, {"c"}),
                       makeNode("Mul", {"c", "both"}, {"d"}),
                       makeNode("Add", {"b", "d"}, {"e"}),
                       makeNode("Clip", {"e", "bound"}, {"y"})};
  std::string text = importText(model);
  EXPECT_HAS(text, "graph.param @bias : tensor<1xf32>");
  EXPECT_HAS(text, "graph.param @both : tensor<1xf32>");
  EXPECT_EQ(count(text, "graph.param @"), 2u) << text;
}

TEST(ImportONNX, WeightsInMemoryStayInline) {
  EXPECT_HAS(importText(denseModel()),
             "graph.param @w : tensor<40x40xf32> = dense<");
}

TEST(ImportONNX, GivenDimsMakeStaticTypes) {
  ImportOptions options;
  options.dims["batch"] = 7;
  std::string text = importText(denseModel(), options);
  EXPECT_HAS(text, "%arg0: tensor<7x40xf32>");
  EXPECT_EQ(text.find('?'), std::string::npos);
}

TEST(ImportONNX, BoundInputsAreConstants) {
  Model model = nodeModel(makeNode("Reshape", {"x", "s"}, {"y"}),
                          {ramp("x", {2, 6}), integers("s", {2}, {3, -1})});
  ImportOptions options;
  options.bindings["s"] = integers("s", {2}, {3, -1});
  std::string text = importText(model, options);
  EXPECT_HAS(text, "graph.reshape %arg0 : tensor<2x6xf32> -> tensor<3x4xf32>");
  EXPECT_EQ(text.find("%arg1"), std::string::npos);
  Model starts = nodeModel(makeNode("Slice", {"x", "s", "s"}, {"y"}),
                           {ramp("x", {2, 6}), integers("s", {2}, {0, 1})});
  starts.graph.inputs[1].type.dims = {named("count")};
  EXPECT_HAS(importText(starts), "bind the input that gives it");
  options.bindings["unknown"] = integers("unknown", {1}, {1});
  EXPECT_HAS(importText(model, options), "there is no input 'unknown' to bind");
}

/// view(x.size(0), x.size(1), 4, -1) as an exporter writes it.
TEST(ImportONNX, ShapeArithmeticDisappears) {
  Model model = emptyModel();
  model.graph.inputs = {
      floatValue("x", {named("batch"), named("seq"), fixed(32)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {
      integers("zero", {}, {0}), integers("one", {}, {1}),
      integers("axis", {1}, {0}), integers("four", {1}, {4}),
      integers("rest", {1}, {-1})};
  model.graph.nodes = {makeNode("Shape", {"x"}, {"shape"}),
                       makeNode("Gather", {"shape", "zero"}, {"b"}),
                       makeNode("Gather", {"shape", "one"}, {"s"}),
                       makeNode("Mul", {"b", "s"}, {"bs"}),
                       makeNode("Div", {"bs", "s"}, {"b2"}),
                       makeNode("Unsqueeze", {"b2", "axis"}, {"b3"}),
                       makeNode("Unsqueeze", {"s", "axis"}, {"s3"}),
                       makeNode("Concat", {"b3", "s3", "four", "rest"},
                                {"target"}, {intAttribute("axis", 0)}),
                       makeNode("Reshape", {"x", "target"}, {"y"})};
  std::string text = importText(model);
  EXPECT_HAS(text, "tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>");
  EXPECT_HAS(text, "graph.dims = [\"batch\", \"seq\", \"4\", \"8\"]");
  for (const char *op : {"graph.mul", "graph.div", "graph.gather",
                         "graph.concat", "graph.slice", "graph.constant"})
    EXPECT_EQ(text.find(op), std::string::npos) << op << text;
}

/// expand(-1 means "keep") as torch writes it: Where(Equal(shape, -1),
/// ConstantOfShape(1), shape).
TEST(ImportONNX, ExpandChecksFold) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {fixed(1), fixed(3)}),
                        floatValue("z", {named("n"), fixed(3)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {integers("minus", {1}, {-1}),
                              integers("two", {1}, {2})};
  NodeAttribute one;
  one.name = "value";
  one.kind = NodeAttribute::TensorValue;
  one.tensors = {integers("", {1}, {1})};
  model.graph.nodes = {makeNode("Shape", {"z"}, {"shape"}),
                       makeNode("ConstantOfShape", {"two"}, {"ones"}, {one}),
                       makeNode("Equal", {"shape", "minus"}, {"keep"}),
                       makeNode("Where", {"keep", "ones", "shape"}, {"target"}),
                       makeNode("Expand", {"x", "target"}, {"y"})};
  std::string text = importText(model);
  EXPECT_HAS(
      text,
      "graph.broadcast %arg0 [0, 1] [%0] : tensor<1x3xf32> -> tensor<?x3xf32>");
  EXPECT_EQ(text.find("graph.select"), std::string::npos) << text;
}

/// pad(x, [1, 2]) as torch writes it: pairs per dimension, last one first, are
/// turned round.
TEST(ImportONNX, BordersFold) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {named("n"), fixed(3)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {
      integers("given", {4}, {1, 2, 0, 0}), integers("pairs", {2}, {-1, 2}),
      integers("last", {1}, {-1}), integers("far", {1}, {INT64_MIN + 1}),
      integers("zero", {1}, {0})};
  model.graph.nodes = {
      makeNode("Reshape", {"given", "pairs"}, {"rows"}),
      makeNode("Slice", {"rows", "last", "far", "zero", "last"}, {"turned"}),
      makeNode("Transpose", {"turned"}, {"sides"},
               {intsAttribute("perm", {1, 0})}),
      makeNode("Reshape", {"sides", "last"}, {"borders"}),
      makeNode("Pad", {"x", "borders"}, {"y"})};
  std::string text = importText(model);
  EXPECT_HAS(text, "[0, 1] [0, 2] [0, 0] : tensor<?x3xf32>");
  EXPECT_HAS(text, "-> tensor<?x6xf32>");
  EXPECT_EQ(text.find("graph.reverse"), std::string::npos) << text;
}

/// x[:, -1] where the run decides how long the rows are.
TEST(ImportONNX, LastOfUnknownLength) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {fixed(2), named("n")})};
  model.graph.outputs = {{"y", {}}};
  model.graph.initializers = {integers("last", {}, {-1})};
  model.graph.nodes = {
      makeNode("Gather", {"x", "last"}, {"y"}, {intAttribute("axis", 1)})};
  std::string text = importText(model);
  EXPECT_HAS(text, "graph.slice %arg0");
  EXPECT_HAS(text, "-> tensor<2x1xf32>");
  mlir::MLIRContext context;
  auto module = importONNX(model, &context, {});
  ASSERT_TRUE(bool(module));
  auto results =
      runModule(**module, {{"x", floats("x", {2, 3}, {1, 2, 3, 4, 5, 6})}});
  ASSERT_TRUE(bool(results));
  EXPECT_EQ(textOf(results->front()),
            textOf(interpreterTensor(floats("y", {2}, {3, 6}), &context)));
}

TEST(ImportONNX, ShapesThatAreDataBecomeData) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {named("n"), fixed(3)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.nodes = {makeNode("Shape", {"x"}, {"y"})};
  mlir::MLIRContext context;
  auto module = import(model, context);
  ASSERT_TRUE(module);
  auto results = runModule(**module, byName({ramp("x", {5, 3})}));
  ASSERT_TRUE(bool(results));
  EXPECT_EQ(textOf(results->front()), "dense<[5, 3]> : tensor<2xi64>");
}

TEST(ImportONNX, FunctionsInlineWithTheirAttributes) {
  Model model = emptyModel();
  Function function;
  function.name = "Scale";
  function.domain = "d";
  function.inputs = {"a", "unused"};
  function.outputs = {"b"};
  function.attributes = {"alpha"};
  function.opsets = {{"", 17}};
  NodeAttribute reference;
  reference.name = "alpha";
  reference.reference = "alpha";
  function.nodes = {makeNode("LeakyRelu", {"a"}, {"b"}, {reference})};
  model.functions = {function};
  NodeAttribute alpha;
  alpha.name = "alpha";
  alpha.kind = NodeAttribute::Float;
  alpha.f = 0.5;
  Node call = makeNode("Scale", {"x"}, {"y"}, {alpha});
  call.domain = "d";
  model.opsets.push_back({"d", 1});
  model.graph.inputs = {floatValue("x", {fixed(2)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.nodes = {call};
  EXPECT_HAS(importText(model), "dense<5.000000e-01>");
  model.graph.nodes[0].attributes.clear(); // the operator's own default
  EXPECT_HAS(importText(model), "dense<0.00999999977>");
}

TEST(ImportONNX, CallsThatExplodeAreRefused) {
  Model model = emptyModel();
  model.opsets.push_back({"d", 1});
  for (int level = 0; level < 30; ++level) {
    Function function;
    function.name = "F" + std::to_string(level);
    function.domain = "d";
    function.inputs = {"a"};
    function.outputs = {"c"};
    Node inner =
        makeNode(level ? "F" + std::to_string(level - 1) : "Abs", {"a"}, {"b"});
    inner.domain = level ? "d" : "";
    function.nodes = {inner, inner};
    function.nodes[1].inputs = {"b"};
    function.nodes[1].outputs = {"c"};
    model.functions.push_back(function);
  }
  Node call = makeNode("F29", {"x"}, {"y"});
  call.domain = "d";
  model.graph.inputs = {floatValue("x", {fixed(2)})};
  model.graph.outputs = {{"y", {}}};
  model.graph.nodes = {call};
  EXPECT_HAS(importText(model), "calls of functions come to more than");
}

TEST(ImportONNX, BranchesWithKnownConditions) {
  Model model = emptyModel();
  Graph negative, positive;
  negative.nodes = {makeNode("Neg", {"x"}, {"n"})};
  negative.outputs = {{"n", {}}};
  positive.nodes = {makeNode("Abs", {"x"}, {"p"})};
  positive.outputs = {{"p", {}}};
  model.graph.inputs = {floatValue("x", {fixed(2)}),
                        valueOf("c", DataType::Bool, {})};
  model.graph.outputs = {{"y", {}}};
  model.graph.nodes = {makeNode("If", {"c"}, {"y"},
                                {graphAttribute("then_branch", negative),
                                 graphAttribute("else_branch", positive)})};
  ImportOptions options;
  options.bindings["c"] = tensorOf<char>("c", DataType::Bool, {}, {0});
  std::string text = importText(model, options);
  EXPECT_HAS(text, "graph.abs");
  EXPECT_EQ(text.find("graph.neg"), std::string::npos);
  EXPECT_HAS(importText(model), "graph.if");
}

TEST(ImportONNX, InputsWithDefaultsAreConstants) {
  Model model = denseModel();
  model.irVersion = 3;
  model.graph.inputs.push_back(floatValue("b", {fixed(40)}));
  std::string text = importText(model);
  EXPECT_EQ(text.find("%arg1"), std::string::npos) << text;
}

static void expectError(const Model &model, zenith::ErrorCode code,
                        const std::string &message, const std::string &place) {
  mlir::MLIRContext context;
  auto module = import(model, context);
  ASSERT_FALSE(module) << textOf(**module);
  EXPECT_EQ(module.error().code, code);
  EXPECT_NE(module.error().text.find(message), std::string::npos)
      << module.error().message();
  EXPECT_EQ(module.error().location, place);
}

TEST(ImportONNX, ErrorsNameTheNode) {
  Model unknown =
      nodeModel(makeNode("Frobnicate", {"x"}, {"y"}), {ramp("x", {2})});
  expectError(unknown, zenith::ErrorCode::Unsupported,
              "operator Frobnicate is not supported",
              "graph/node 'Frobnicate_node' (Frobnicate)");
  Model old = nodeModel(makeNode("Clip", {"x"}, {"y"}), {ramp("x", {2})}, 5);
  expectError(old, zenith::ErrorCode::Unsupported, "operator Clip of opset 5",
              "graph/node 'Clip_node' (Clip)");
  Model ranks = nodeModel(makeNode("Add", {"x", "z"}, {"y"}),
                          {ramp("x", {2}), ramp("z", {3})});
  expectError(ranks, zenith::ErrorCode::Invalid, "cannot be broadcast",
              "graph/node 'Add_node' (Add)");
  Model few = nodeModel(makeNode("Add", {"x"}, {"y"}), {ramp("x", {2})});
  expectError(few, zenith::ErrorCode::Invalid, "has 1 inputs, expected 2",
              "graph/node 'Add_node' (Add)");
  Model types = nodeModel(makeNode("Add", {"x", "z"}, {"y"}),
                          {ramp("x", {2}), integers("z", {2}, {1, 2})});
  expectError(types, zenith::ErrorCode::Invalid, "",
              "graph/node 'Add_node' (Add)");
  // Behind the error the rule goes on with values of the ranks that it made.
  Model sizes = nodeModel(makeNode("Attention", {"q", "k", "v", "m"}, {"y"}),
                          {ramp("q", {2, 9, 4, 2}), ramp("k", {2, 3, 6, 8}),
                           ramp("v", {2, 3, 6, 8}), ramp("m", {4, 6})},
                          23);
  expectError(sizes, zenith::ErrorCode::Invalid, "",
              "graph/node 'Attention_node' (Attention)");
  Model domain =
      nodeModel(makeNode("Add", {"x", "x"}, {"y"}), {ramp("x", {2})});
  domain.graph.nodes[0].domain = "com.example";
  expectError(domain, zenith::ErrorCode::Unsupported,
              "operator Add of domain com.example",
              "graph/node 'Add_node' (com.example.Add)");
  Model opset = nodeModel(makeNode("Add", {"x", "x"}, {"y"}), {ramp("x", {2})});
  opset.opsets.clear();
  expectError(opset, zenith::ErrorCode::Invalid, "no opset",
              "graph/node 'Add_node' (Add)");
  Model sequence = nodeModel(makeNode("Abs", {"x"}, {"y"}), {ramp("x", {2})});
  sequence.graph.inputs[0].type.kind = ValueType::SequenceKind;
  expectError(sequence, zenith::ErrorCode::Unsupported,
              "inputs of kind sequence", "graph/input 'x'");
}

TEST(ImportONNX, UnsupportedResultsMatterOnlyWhereRead) {
  Model model = nodeModel(
      makeNode("BatchNormalization", {"x", "a", "b", "c", "d"}, {"y", "z"}),
      {ramp("x", {1, 2}), ramp("a", {2}), ramp("b", {2}), ramp("c", {2}),
       ramp("d", {2})});
  expectError(model, zenith::ErrorCode::Unsupported,
              "the result 'z' of node 'BatchNormalization_node' "
              "(BatchNormalization) is not supported",
              "output 'z'");
  model.graph.outputs.pop_back();
  EXPECT_HAS(importText(model), "graph.batch_norm");
}

/// Squaring a size thirty times would have an expression of degree 2^30.
TEST(ImportONNX, HostileShapeArithmeticEnds) {
  Model model = emptyModel();
  model.graph.inputs = {floatValue("x", {named("n"), named("m")})};
  model.graph.outputs = {{"y", {}}};
  model.graph.nodes = {makeNode("Size", {"x"}, {"s0"})};
  for (int i = 0; i < 30; ++i) {
    std::string from = "s" + std::to_string(i), sum = "t" + std::to_string(i),
                to = "s" + std::to_string(i + 1);
    model.graph.nodes.push_back(makeNode("Add", {from, "s0"}, {sum}));
    model.graph.nodes.push_back(makeNode("Mul", {sum, sum}, {to}));
  }
  model.graph.nodes.push_back(makeNode("Identity", {"s30"}, {"y"}));
  EXPECT_HAS(importText(model), "func.func @main");
}
