// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that break the specification of their operators, and outputs that
// contradict their declarations, are refused by name.
#include "ModelEvaluation.h"
#include "NodeEvaluation.h"
#include "frontends/onnx/OpSchema.h"

#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::onnx;

namespace {

void expectRefused(const Model &model, const std::string &text,
                   ErrorCode code = ErrorCode::Invalid) {
  mlir::MLIRContext context;
  auto module = importONNX(model, &context);
  ASSERT_FALSE(module) << text;
  EXPECT_NE(module.error().message().find(text), std::string::npos)
      << module.error().message();
  EXPECT_EQ(module.error().code, code) << text;
}

Model gemm(std::vector<NodeAttribute> attributes) {
  return nodeModel(makeNode("Gemm", {"x", "w"}, {"y"}, std::move(attributes)),
                   {ramp("x", {2, 3}), ramp("w", {3, 3})});
}

} // namespace

TEST(CheckNodes, UnknownAttribute) {
  expectRefused(gemm({intAttribute("trans_B", 1)}),
                "node 'Gemm_node' (Gemm): attribute 'trans_B' is none of Gemm "
                "at opset 17; the nearest is 'transB'");
  expectRefused(
      nodeModel(makeNode("Relu", {"x"}, {"y"}, {floatAttribute("alpha", 1)}),
                {ramp("x", {2})}),
      "attribute 'alpha' is none of Relu at opset 17, which has none");
}

TEST(CheckNodes, AttributesOfAnotherVersion) {
  Node squeeze =
      makeNode("Squeeze", {"x"}, {"y"}, {intsAttribute("axes", {0})});
  expectRefused(nodeModel(squeeze, {ramp("x", {1, 2})}, 13),
                "attribute 'axes' is none of Squeeze at opset 13");
  mlir::MLIRContext context;
  EXPECT_TRUE(
      importONNX(nodeModel(squeeze, {ramp("x", {1, 2})}, 11), &context));
}

TEST(CheckNodes, KindOfAttribute) {
  expectRefused(gemm({intAttribute("alpha", 2)}),
                "attribute 'alpha' is of kind int, expected float");
}

TEST(CheckNodes, MissingAttribute) {
  expectRefused(nodeModel(makeNode("Cast", {"x"}, {"y"}), {ramp("x", {2})}),
                "attribute 'to' of Cast is missing");
}

TEST(CheckNodes, WordOfAttribute) {
  expectRefused(nodeModel(makeNode("Pad", {"x", "p"}, {"y"},
                                   {textAttribute("mode", "mirror")}),
                          {ramp("x", {2}), integers("p", {2}, {1, 0})}),
                "attribute 'mode' is 'mirror', expected one of constant, "
                "reflect, edge");
}

TEST(CheckNodes, CountOfInputsAndOutputs) {
  expectRefused(
      nodeModel(makeNode("Relu", {"x", "x"}, {"y"}), {ramp("x", {2})}),
      "operator Relu of opset 17 has 2 inputs, expected 1");
  expectRefused(
      nodeModel(makeNode("Relu", {"x"}, {"y", "z"}), {ramp("x", {2})}),
      "operator Relu of opset 17 has 2 outputs, expected at most 1");
}

TEST(CheckNodes, VersionsToCome) {
  expectRefused(nodeModel(makeNode("Relu", {"x"}, {"y"}), {ramp("x", {2})}, 99),
                "opset 99 of the default domain is newer than 28",
                ErrorCode::Unsupported);
}

TEST(CheckNodes, SubgraphsOfControl) {
  Model model = nodeModel(makeNode("If", {"c"}, {"y"}, {intAttribute("to", 1)}),
                          {tensorOf<uint8_t>("c", DataType::Bool, {}, {1})});
  expectRefused(model, "attribute 'to' is none of If at opset 17");
}

TEST(CheckNodes, AttributesOfFunctionCalls) {
  Node call = makeNode("Twice", {"x"}, {"y"}, {floatAttribute("alpha", 1)});
  call.domain = "own";
  Model model = nodeModel(call, {ramp("x", {2})});
  Function twice;
  twice.name = "Twice";
  twice.domain = "own";
  twice.inputs = {"a"};
  twice.outputs = {"b"};
  twice.nodes = {makeNode("Add", {"a", "a"}, {"b"})};
  model.functions = {twice};
  expectRefused(model, "attribute 'alpha' is none of function Twice");
  model.functions[0].attributes = {"alpha"};
  mlir::MLIRContext context;
  EXPECT_TRUE(importONNX(model, &context));
}

TEST(CheckNodes, ZeroPoints) {
  auto dequantize = [](onnx::Tensor scale, onnx::Tensor zeroPoint) {
    return nodeModel(makeNode("DequantizeLinear", {"x", "s", "z"}, {"y"}),
                     {tensorOf<int8_t>("x", DataType::Int8, {3}, {1, 2, 3}),
                      std::move(scale), std::move(zeroPoint)});
  };
  expectRefused(
      dequantize(ramp("s", {}),
                 tensorOf<uint8_t>("z", DataType::UInt8, {}, {1})),
      "input 2 'z' is of type uint8, where DequantizeLinear takes that "
      "of input 0 'x', which is int8");
  expectRefused(dequantize(ramp("s", {3}),
                           tensorOf<int8_t>("z", DataType::Int8, {1}, {1})),
                "1 zero points for 3 scales");
  expectRefused(nodeModel(makeNode("QuantizeLinear", {"x", "s", "z"}, {"y"}),
                          {ramp("x", {2, 3}), ramp("s", {3}),
                           tensorOf<uint8_t>("z", DataType::UInt8, {}, {1})}),
                "1 zero points for 3 scales");
}

TEST(CheckNodes, DeclaredOutputs) {
  Model model = nodeModel(makeNode("Relu", {"x"}, {"y"}), {ramp("x", {2, 3})});
  auto declare = [&](DataType type, std::vector<Dim> dims) {
    model.graph.outputs[0] = valueOf("y", type, std::move(dims));
  };
  declare(DataType::Int64, {fixed(2), fixed(3)});
  expectRefused(model, "output 'y': declared as int64, but computed as float");
  declare(DataType::Float, {fixed(2), fixed(4)});
  expectRefused(model, "output 'y': declared with shape [2, 4], but computed "
                       "with shape [2, 3]");
  declare(DataType::Float, {named("n"), fixed(3)});
  mlir::MLIRContext context;
  EXPECT_TRUE(importONNX(model, &context));
  model.graph.outputs[0].type.kind = ValueType::SequenceKind;
  expectRefused(model, "declared as sequence, but computed as tensor");
}

TEST(CheckNodes, DeclaredValues) {
  Model model = nodeModel(makeNode("Relu", {"x"}, {"y"}), {ramp("x", {2, 3})});
  model.graph.nodes.push_back(makeNode("Neg", {"y"}, {"z"}));
  model.graph.outputs[0] = valueOf("z", DataType::Float, {fixed(2), fixed(3)});
  auto declare = [&](DataType type, std::vector<Dim> dims) {
    model.graph.values = {valueOf("y", type, std::move(dims))};
  };
  declare(DataType::Int64, {fixed(2), fixed(3)});
  expectRefused(model, "node 'Relu_node' (Relu)/value_info 'y': declared as "
                       "int64, but computed as float");
  declare(DataType::Float, {fixed(3), fixed(2)});
  expectRefused(model, "declared with shape [3, 2], but computed with shape "
                       "[2, 3]");
  declare(DataType::Float, {fixed(2), named("n")});
  mlir::MLIRContext context;
  EXPECT_TRUE(importONNX(model, &context));
}

TEST(CheckNodes, TypesOfInputs) {
  auto relu = [](onnx::Tensor x, int64_t opset) {
    return nodeModel(makeNode("Relu", {"x"}, {"y"}), {std::move(x)}, opset);
  };
  expectRefused(relu(tensorOf<uint8_t>("x", DataType::Bool, {2}, {1, 0}), 17),
                "node 'Relu_node' (Relu): input 0 'x' is of type bool, where "
                "Relu of opset 17 takes int8, int16, int32, int64, float16, "
                "float, double, bfloat16");
  onnx::Tensor integers = tensorOf<int32_t>("x", DataType::Int32, {2}, {1, -1});
  expectRefused(relu(integers, 13), "input 0 'x' is of type int32");
  mlir::MLIRContext context;
  EXPECT_TRUE(importONNX(relu(integers, 14), &context));
}

TEST(CheckNodes, TypesThatInputsShare) {
  expectRefused(nodeModel(makeNode("Concat", {"x", "x", "i"}, {"y"},
                                   {intAttribute("axis", 0)}),
                          {ramp("x", {2}), integers("i", {2}, {1, 0})}),
                "input 2 'i' is of type int64, where Concat takes that of "
                "input 0 'x', which is float");
  expectRefused(nodeModel(makeNode("Clip", {"x", "", "i"}, {"y"}),
                          {ramp("x", {2}), integers("i", {}, {1})}),
                "input 2 'i' is of type int64, where Clip takes that of input "
                "0 'x', which is float");
}

TEST(OpSchema, VersionsAscend) {
  EXPECT_EQ(findSchema("", "Squeeze", 12)->mostInputs, 1);
  EXPECT_EQ(findSchema("", "Squeeze", 13)->mostInputs, 2);
  EXPECT_EQ(findSchema("", "Gelu", 19), nullptr);
  EXPECT_EQ(newestOpset("example"), 0);
}
