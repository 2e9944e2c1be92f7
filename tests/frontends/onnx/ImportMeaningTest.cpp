// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What imported operators compute, on values small enough to check by hand; and
// that export and import again keep it.
#include "ModelEvaluation.h"
#include "frontends/onnx/ExportONNX.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace zenith::onnx;

namespace {
struct Case {
  const char *title;
  Node node;
  std::vector<Tensor> inputs;
  std::string expected; // text of the first result; empty: only the round trip
                        // is checked
  std::vector<std::string> bound = {};
  int64_t opset = 17;
};
} // namespace

static NodeAttribute floatAttribute(std::string name, float value) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::Float;
  attribute.f = value;
  return attribute;
}

static NodeAttribute stringAttribute(std::string name, std::string value) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::String;
  attribute.strings = {std::move(value)};
  return attribute;
}

static std::vector<Case> movementCases() {
  Tensor x = floats("x", {2, 3}, {1, 2, 3, 4, 5, 6});
  return {
      {"slice backwards",
       makeNode("Slice", {"x", "s", "e", "a", "t"}, {"y"}),
       {x, integers("s", {1}, {-1}), integers("e", {1}, {-100}),
        integers("a", {1}, {1}), integers("t", {1}, {-2})},
       "dense<[[3.000000e+00, 1.000000e+00], [6.000000e+00, 4.000000e+00]]> : "
       "tensor<2x2xf32>",
       {"s", "e", "a", "t"}},
      {"slice beyond the end",
       makeNode("Slice", {"x", "s", "e"}, {"y"}),
       {x, integers("s", {2}, {1, 1}), integers("e", {2}, {9, INT64_MAX})},
       "dense<[[5.000000e+00, 6.000000e+00]]> : tensor<1x2xf32>",
       {"s", "e"}},
      {"empty slice",
       makeNode("Slice", {"x", "s", "e"}, {"y"}),
       {x, integers("s", {1}, {2}), integers("e", {1}, {1})},
       "dense<> : tensor<0x3xf32>",
       {"s", "e"}},
      {"tile",
       makeNode("Tile", {"x", "r"}, {"y"}),
       {floats("x", {1, 2}, {1, 2}), integers("r", {2}, {2, 2})},
       "dense<[[1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00], "
       "[1.000000e+00, 2.000000e+00, "
       "1.000000e+00, 2.000000e+00]]> : tensor<2x4xf32>",
       {"r"}},
      {"reshape copies and infers",
       makeNode("Reshape", {"x", "s"}, {"y"}),
       {x, integers("s", {3}, {0, -1, 1})},
       "dense<[[[1.000000e+00], [2.000000e+00], [3.000000e+00]], "
       "[[4.000000e+00], [5.000000e+00], "
       "[6.000000e+00]]]> : tensor<2x3x1xf32>",
       {"s"}},
      {"transpose reverses by default",
       makeNode("Transpose", {"x"}, {"y"}),
       {x},
       "dense<[[1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], "
       "[3.000000e+00, 6.000000e+00]]> : "
       "tensor<3x2xf32>"},
      {"squeeze",
       makeNode("Squeeze", {"x"}, {"y"}),
       {floats("x", {1, 2, 1}, {1, 2})},
       "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"},
      {"flatten at the front",
       makeNode("Flatten", {"x"}, {"y"}, {intAttribute("axis", 0)}),
       {x},
       "dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, "
       "5.000000e+00, 6.000000e+00]]> : "
       "tensor<1x6xf32>"},
      {"gather from the end",
       makeNode("Gather", {"x", "i"}, {"y"}, {intAttribute("axis", 1)}),
       {x, integers("i", {1, 2}, {-1, 0})},
       "dense<[[[3.000000e+00, 1.000000e+00]], [[6.000000e+00, "
       "4.000000e+00]]]> : tensor<2x1x2xf32>"},
      {"gather one",
       makeNode("Gather", {"x", "i"}, {"y"}),
       {x, integers("i", {}, {-1})},
       "dense<[4.000000e+00, 5.000000e+00, 6.000000e+00]> : tensor<3xf32>",
       {"i"}},
      {"gather nd",
       makeNode("GatherND", {"x", "i"}, {"y"}),
       {x, integers("i", {2, 2}, {0, -1, -1, 0})},
       "dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>"},
      {"one hot",
       makeNode("OneHot", {"i", "d", "v"}, {"y"}),
       {integers("i", {2}, {-1, 0}), integers("d", {}, {3}),
        floats("v", {2}, {0, 5})},
       "dense<[[0.000000e+00, 0.000000e+00, 5.000000e+00], [5.000000e+00, "
       "0.000000e+00, 0.000000e+00]]> : "
       "tensor<2x3xf32>",
       {"d"}},
      {"range of steps",
       makeNode("Range", {"a", "b", "c"}, {"y"}),
       {integers("a", {}, {5}), integers("b", {}, {-2}),
        integers("c", {}, {-3})},
       "dense<[5, 2, -1]> : tensor<3xi64>",
       {"a", "b", "c"}},
      {"broadcast of both sides",
       makeNode("Add", {"x", "z"}, {"y"}),
       {floats("x", {2, 1}, {1, 2}), floats("z", {2}, {10, 20})},
       "dense<[[1.100000e+01, 2.100000e+01], [1.200000e+01, 2.200000e+01]]> : "
       "tensor<2x2xf32>"},
  };
}

static std::vector<Case> arithmeticCases() {
  Tensor x = floats("x", {2, 3}, {1, 2, 3, 4, 5, 6}),
         signedX = floats("x", {4}, {-2, -0.5, 0.5, NAN});
  return {
      {"mod floors",
       makeNode("Mod", {"x", "z"}, {"y"}),
       {integers("x", {3}, {-4, 4, -3}), integers("z", {3}, {3, -3, 3})},
       "dense<[2, -2, 0]> : tensor<3xi64>"},
      {"fmod truncates",
       makeNode("Mod", {"x", "z"}, {"y"}, {intAttribute("fmod", 1)}),
       {integers("x", {2}, {-4, 4}), integers("z", {2}, {3, -3})},
       "dense<[-1, 1]> : tensor<2xi64>"},
      {"clip keeps NaN",
       makeNode("Clip", {"x", "a", "b"}, {"y"}),
       {signedX, floats("a", {}, {-1}), floats("b", {}, {0})},
       "dense<[-1.000000e+00, -5.000000e-01, 0.000000e+00, 0x7FC00000]> : "
       "tensor<4xf32>"},
      {"leaky relu",
       makeNode("LeakyRelu", {"x"}, {"y"}, {floatAttribute("alpha", 0.5)}),
       {signedX},
       "dense<[-1.000000e+00, -2.500000e-01, 5.000000e-01, 0x7FC00000]> : "
       "tensor<4xf32>"},
      {"is nan",
       makeNode("IsNaN", {"x"}, {"y"}),
       {signedX},
       "dense<[false, false, false, true]> : tensor<4xi1>"},
      {"mean of three",
       makeNode("Mean", {"x", "x", "z"}, {"y"}),
       {floats("x", {2}, {1, 2}), floats("z", {1}, {4})},
       "dense<[2.000000e+00, 2.66666675]> : tensor<2xf32>"},
      {"reduce mean",
       makeNode("ReduceMean", {"x"}, {"y"},
                {intsAttribute("axes", {-1}), intAttribute("keepdims", 0)}),
       {x},
       "dense<[2.000000e+00, 5.000000e+00]> : tensor<2xf32>"},
      {"reduce of an empty dimension",
       makeNode("ReduceSum", {"x"}, {"y"}),
       {floats("x", {0, 3}, {})},
       "dense<0.000000e+00> : tensor<1x1xf32>"},
      {"arg max",
       makeNode("ArgMax", {"x"}, {"y"},
                {intAttribute("axis", 1), intAttribute("keepdims", 0)}),
       {x},
       "dense<2> : tensor<2xi64>"},
      {"log sum exp of infinities",
       makeNode("ReduceLogSumExp", {"x"}, {"y"}, {intAttribute("keepdims", 0)}),
       {floats("x", {2}, {-INFINITY, -INFINITY})},
       "dense<0xFF800000> : tensor<f32>"},
      {"matmul of a vector",
       makeNode("MatMul", {"x", "z"}, {"y"}),
       {floats("x", {2}, {1, 2}), floats("z", {2, 2}, {1, 2, 3, 4})},
       "dense<[7.000000e+00, 1.000000e+01]> : tensor<2xf32>"},
      {"matmul broadcasts batches",
       makeNode("MatMul", {"x", "z"}, {"y"}),
       {ramp("x", {3, 1, 2, 4}), ramp("z", {5, 4, 2})},
       ""},
      {"vector times batch",
       makeNode("MatMul", {"x", "z"}, {"y"}),
       {ramp("x", {4}), ramp("z", {5, 4, 2})},
       ""},
      {"gemm",
       makeNode("Gemm", {"x", "z", "c"}, {"y"},
                {intAttribute("transA", 1), floatAttribute("alpha", 2),
                 floatAttribute("beta", 3)}),
       {floats("x", {2, 1}, {1, 2}), floats("z", {2, 2}, {1, 2, 3, 4}),
        floats("c", {}, {1})},
       "dense<[[1.700000e+01, 2.300000e+01]]> : tensor<1x2xf32>"},
  };
}

static std::vector<Case> windowCases() {
  Tensor line = floats("x", {1, 1, 5}, {1, 2, 3, 4, 5});
  auto pool = [](const char *op, std::vector<NodeAttribute> attributes) {
    return makeNode(op, {"x"}, {"y"}, attributes);
  };
  return {
      {"max pool",
       pool("MaxPool", {intsAttribute("kernel_shape", {2}),
                        intsAttribute("strides", {2})}),
       {line},
       "dense<[[[2.000000e+00, 4.000000e+00]]]> : tensor<1x1x2xf32>"},
      {"max pool rounds up",
       pool("MaxPool",
            {intsAttribute("kernel_shape", {2}), intsAttribute("strides", {2}),
             intAttribute("ceil_mode", 1)}),
       {line},
       "dense<[[[2.000000e+00, 4.000000e+00, 5.000000e+00]]]> : "
       "tensor<1x1x3xf32>"},
      {"average without padding",
       pool("AveragePool", {intsAttribute("kernel_shape", {3}),
                            intsAttribute("pads", {1, 1})}),
       {line},
       "dense<[[[1.500000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, "
       "4.500000e+00]]]> : tensor<1x1x5xf32>"},
      {"average with padding",
       pool("AveragePool",
            {intsAttribute("kernel_shape", {3}), intsAttribute("pads", {1, 1}),
             intAttribute("count_include_pad", 1)}),
       {line},
       "dense<[[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, "
       "3.000000e+00]]]> : tensor<1x1x5xf32>"},
      {"same upper",
       pool("MaxPool", {intsAttribute("kernel_shape", {2}),
                        stringAttribute("auto_pad", "SAME_UPPER")}),
       {line},
       "dense<[[[2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, "
       "5.000000e+00]]]> : tensor<1x1x5xf32>"},
      {"global average",
       pool("GlobalAveragePool", {}),
       {line},
       "dense<3.000000e+00> : tensor<1x1x1xf32>"},
      {"local response",
       makeNode("LRN", {"x"}, {"y"}, {intAttribute("size", 3)}),
       {ramp("x", {1, 4, 2, 2})},
       ""},
      {"grouped convolution with bias",
       makeNode("Conv", {"x", "w", "b"}, {"y"},
                {intAttribute("group", 2), intsAttribute("pads", {1, 0, 0, 1}),
                 intsAttribute("strides", {2, 1}),
                 intsAttribute("dilations", {1, 2})}),
       {ramp("x", {2, 4, 5, 6}), ramp("w", {6, 2, 2, 2}), ramp("b", {6})},
       ""},
      {"convolution in one dimension",
       makeNode("Conv", {"x", "w"}, {"y"}),
       {line, floats("w", {1, 1, 2}, {1, -1})},
       "dense<-1.000000e+00> : tensor<1x1x4xf32>"},
  };
}

static std::vector<Case> compositeCases() {
  Tensor x = ramp("x", {2, 3, 4});
  Node norm = makeNode("LayerNormalization", {"x", "s", "b"}, {"y"});
  Case gelu{
      "gelu",
      makeNode("Gelu", {"x"}, {"y"}, {stringAttribute("approximate", "tanh")}),
      {x},
      ""};
  gelu.opset = 20;
  Case flat{"softmax of old",
            makeNode("Softmax", {"x"}, {"y"}),
            {floats("x", {1, 2, 2}, {0, 0, 0, 0})},
            "dense<2.500000e-01> : tensor<1x2x2xf32>"};
  flat.opset = 11;
  return {
      {"softmax",
       makeNode("Softmax", {"x"}, {"y"}, {intAttribute("axis", 1)}),
       {floats("x", {1, 2, 2}, {0, 0, 0, 0})},
       "dense<5.000000e-01> : tensor<1x2x2xf32>"},
      flat,
      {"log softmax", makeNode("LogSoftmax", {"x"}, {"y"}), {x}, ""},
      {"layer norm", norm, {x, ramp("s", {4}), ramp("b", {4})}, ""},
      {"batch norm",
       makeNode("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"}),
       {floats("x", {1, 2, 1}, {3, 8}), floats("s", {2}, {1, 2}),
        floats("b", {2}, {0, 1}), floats("m", {2}, {1, 2}),
        floats("v", {2}, {4, 9})},
       ""},
      gelu,
  };
}

class ImportMeaning : public testing::TestWithParam<Case> {};

static bool closeTo(const zenith::Tensor &lhs, const zenith::Tensor &rhs) {
  if (lhs.type() != rhs.type())
    return false;
  if (!lhs.elementType().isF32())
    return textOf(lhs) == textOf(rhs);
  for (int64_t i = 0; i < lhs.size(); ++i) {
    float a, b;
    std::memcpy(&a, lhs.bytes() + 4 * i, 4);
    std::memcpy(&b, rhs.bytes() + 4 * i, 4);
    if (!(std::fabs(a - b) <= 1e-6f + 1e-5f * std::fabs(b)) &&
        !(std::isnan(a) && std::isnan(b)) && a != b)
      return false;
  }
  return true;
}

TEST_P(ImportMeaning, ValueAndRoundTrip) {
  const Case &test = GetParam();
  mlir::MLIRContext context;
  ImportOptions options;
  for (const Tensor &input : test.inputs)
    if (llvm::is_contained(test.bound, input.name))
      options.bindings[input.name] = input;
  auto module = importONNX(nodeModel(test.node, test.inputs, test.opset),
                           &context, options);
  ASSERT_TRUE(module) << module.error().message();
  auto results = runModule(**module, byName(test.inputs));
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  if (!test.expected.empty()) {
    EXPECT_EQ(textOf(results->front()), test.expected);
  }
  for (int64_t opset : {13, 17, 20, 23}) {
    ExportOptions exported;
    exported.opset = opset;
    auto model = exportONNX(**module, exported);
    ASSERT_TRUE(model) << "opset " << opset << ": " << model.error().message();
    auto again = importONNX(*model, &context);
    ASSERT_TRUE(again) << "opset " << opset << ": " << again.error().message()
                       << textOf(**module);
    auto back = runModule(**again, byName(test.inputs));
    ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
    EXPECT_TRUE(closeTo(results->front(), back->front()))
        << "opset " << opset << "\n"
        << textOf(results->front()) << "\n"
        << textOf(back->front());
  }
}

static std::string caseName(const testing::TestParamInfo<Case> &info) {
  std::string name = info.param.title;
  for (char &letter : name)
    letter = std::isalnum(letter) ? letter : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Movement, ImportMeaning,
                         testing::ValuesIn(movementCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Arithmetic, ImportMeaning,
                         testing::ValuesIn(arithmeticCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Window, ImportMeaning,
                         testing::ValuesIn(windowCases()), caseName);
INSTANTIATE_TEST_SUITE_P(Composite, ImportMeaning,
                         testing::ValuesIn(compositeCases()), caseName);
