// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of operators that the import takes apart into several ops, checked by
// hand.
#include "NodeEvaluation.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

using List = std::vector<double>;

static Tensor bytes(std::string name, std::vector<int64_t> dims,
                    std::vector<uint8_t> values) {
  return tensorOf<uint8_t>(std::move(name), DataType::UInt8, std::move(dims),
                           std::move(values));
}

TEST(ImportDecomposed, Selection) {
  Tensor x = floats("x", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(evaluate(makeNode("Trilu", {"x"}, {"y"}), {x}),
            (List{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(
      evaluate(makeNode("Trilu", {"x", "k"}, {"y"}, {intAttribute("upper", 0)}),
               {x, integers("k", {}, {-1})}, {"k"}),
      (List{0, 0, 0, 4, 0, 0}));
  EXPECT_EQ(
      evaluate(makeNode("EyeLike", {"x"}, {"y"}, {intAttribute("k", 1)}), {x}),
      (List{0, 1, 0, 0, 0, 1}));
  Tensor ties = floats("x", {2, 3}, {1, 3, 3, 2, 1, 0});
  EXPECT_EQ(evaluate(makeNode("Hardmax", {"x"}, {"y"}), {ties}),
            (List{0, 1, 0, 1, 0, 0}));
  Tensor cube = floats("x", {1, 2, 2}, {1, 2, 4, 3});
  EXPECT_EQ(evaluate(makeNode("Hardmax", {"x"}, {"y"}), {cube}, {}, 11),
            (List{0, 0, 1, 0}));
  EXPECT_EQ(evaluate(makeNode("GatherElements", {"x", "i"}, {"y"},
                              {intAttribute("axis", 1)}),
                     {x, integers("i", {2, 2}, {-1, 0, 1, 1})}),
            (List{3, 1, 5, 5}));
  EXPECT_EQ(evaluate(makeNode("ReverseSequence", {"x", "n"}, {"y"},
                              {intAttribute("time_axis", 1),
                               intAttribute("batch_axis", 0)}),
                     {x, integers("n", {2}, {2, 3})}),
            (List{2, 1, 3, 6, 5, 4}));
}

/// Indices that repeat along a row name the row.
TEST(ImportDecomposed, RowsOfElements) {
  auto repeated = [](Node node, std::vector<Tensor> inputs,
                     std::vector<int64_t> to) {
    int64_t rank = to.size();
    inputs.push_back(integers("s", {rank}, std::move(to)));
    return evaluate(std::move(node), inputs, {"s"}, 18, 0,
                    {makeNode("Expand", {"i", "s"}, {"wide"})});
  };
  Node add = makeNode("ScatterElements", {"x", "wide", "u"}, {"y"},
                      {textAttribute("reduction", "add")});
  EXPECT_EQ(repeated(add,
                     {floats("x", {3, 2}, {9, 9, 0, 0, 0, 0}),
                      integers("i", {3, 1}, {-1, 1, 2}),
                      floats("u", {3, 2}, {1, 2, 3, 4, 5, 6})},
                     {3, 2}),
            (List{9, 9, 3, 4, 6, 8}));
  Node inner = makeNode("ScatterElements", {"x", "wide", "u"}, {"y"},
                        {intAttribute("axis", 1)});
  EXPECT_EQ(repeated(inner,
                     {floats("x", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                      integers("i", {2, 1, 1}, {1, 0}),
                      floats("u", {2, 1, 2}, {-1, -2, -3, -4})},
                     {2, 1, 2}),
            (List{1, 2, -1, -2, -3, -4, 7, 8}));
  Tensor x = floats("x", {2, 3}, {1, 2, 3, 4, 5, 6}),
         i = integers("i", {3, 1}, {1, -2, -1});
  Node gather = makeNode("GatherElements", {"x", "wide"}, {"y"});
  EXPECT_EQ(repeated(gather, {x, i}, {3, 3}),
            (List{4, 5, 6, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(repeated(gather, {x, i}, {3, 2}), (List{4, 5, 1, 2, 4, 5}));
}

/// A group norm as exporters write it.
TEST(ImportDecomposed, FlattenedGroups) {
  Node norm = makeNode("InstanceNormalization", {"flat", "g", "b"}, {"y"},
                       {floatAttribute("epsilon", 0)});
  EXPECT_EQ(evaluate(norm,
                     {floats("x", {1, 4, 1, 2}, {0, 2, 2, 0, 4, 4, 8, 8}),
                      floats("g", {2}, {1, 3}), floats("b", {2}, {0, 1}),
                      integers("s", {3}, {0, 2, -1})},
                     {"s"}, 18, 0, {makeNode("Reshape", {"x", "s"}, {"flat"})}),
            (List{-1, 1, 1, -1, -2, -2, 4, 4}));
}

TEST(ImportDecomposed, Borders) {
  Tensor x = floats("x", {3}, {1, 2, 3});
  auto pad = [&](const char *mode, std::vector<int64_t> pads) {
    return evaluate(
        makeNode("Pad", {"x", "p"}, {"y"}, {textAttribute("mode", mode)}),
        {x, integers("p", {2}, std::move(pads))}, {"p"}, 19);
  };
  EXPECT_EQ(pad("constant", {1, -1}), (List{0, 1, 2}));
  EXPECT_EQ(pad("reflect", {2, 1}), (List{3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(pad("edge", {1, 2}), (List{1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(pad("wrap", {1, 2}), (List{3, 1, 2, 3, 1, 2}));
  Tensor shape = integers("s", {1}, {2}), wide = integers("s", {1}, {6});
  Node crop = makeNode("CenterCropPad", {"x", "s"}, {"y"});
  EXPECT_EQ(evaluate(crop, {x, shape}, {"s"}), (List{1, 2}));
  EXPECT_EQ(evaluate(crop, {x, wide}, {"s"}), (List{0, 1, 2, 3, 0, 0}));
}

TEST(ImportDecomposed, FeaturesAndPositions) {
  Tensor deep = floats("x", {1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  auto toSpace = [&](const char *mode) {
    return evaluate(
        makeNode("DepthToSpace", {"x"}, {"y"},
                 {intAttribute("blocksize", 2), textAttribute("mode", mode)}),
        {deep});
  };
  EXPECT_EQ(toSpace("DCR"), (List{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(toSpace("CRD"), (List{0, 1, 2, 3, 4, 5, 6, 7}));
  Tensor flat = floats("x", {1, 1, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(evaluate(makeNode("SpaceToDepth", {"x"}, {"y"},
                              {intAttribute("blocksize", 2)}),
                     {flat}),
            (List{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(ImportDecomposed, Normalization) {
  Tensor x = floats("x", {1, 2, 2}, {1, 3, 10, 30}),
         scale = floats("s", {2}, {1, 2}), bias = floats("b", {2}, {0, 1});
  expectNear(
      evaluate(makeNode("InstanceNormalization", {"x", "s", "b"}, {"y"}, {}),
               {x, scale, bias}),
      {-0.999995, 0.999995, -0.9999999, 2.9999999});
  Node group = makeNode("GroupNormalization", {"x", "s", "b"}, {"y"},
                        {intAttribute("num_groups", 2)});
  expectNear(evaluate(group, {x, scale, bias}, {}, 18),
             {-0.999995, 0.999995, -0.9999999, 2.9999999});
  expectNear(evaluate(makeNode("LpNormalization", {"x"}, {"y"},
                               {intAttribute("p", 1)}),
                      {floats("x", {2, 2}, {1, -3, 0, 0})}),
             {0.25, -0.75, 0, 0});
  expectNear(evaluate(makeNode("MeanVarianceNormalization", {"x"}, {"y"},
                               {intsAttribute("axes", {2})}),
                      {x}),
             {-1, 1, -1, 1});
  Node layer =
      makeNode("LayerNormalization", {"x", "one"}, {"y", "mean", "deviation"});
  std::vector<Tensor> inputs = {x, floats("one", {2}, {1, 1})};
  expectNear(evaluate(layer, inputs, {}, 18, 1), {2, 20});
  expectNear(evaluate(layer, inputs, {}, 18, 2), {0.999995, 0.1});
}

TEST(ImportDecomposed, Losses) {
  Tensor scores = floats("x", {3, 2}, {1, 2, 3, 4, 5, 6}),
         labels = integers("t", {3}, {1, 0, -7}),
         weights = floats("w", {2}, {1, 3});
  auto loss = [&](const char *reduction) {
    return evaluate(makeNode("NegativeLogLikelihoodLoss", {"x", "t", "w"},
                             {"y"},
                             {textAttribute("reduction", reduction),
                              intAttribute("ignore_index", -7)}),
                    {scores, labels, weights});
  };
  expectNear(loss("none"), {-6, -3, 0});
  expectNear(loss("sum"), {-9});
  expectNear(loss("mean"), {-2.25});
  expectNear(evaluate(makeNode("SoftmaxCrossEntropyLoss", {"x", "t"}, {"y"}),
                      {floats("x", {1, 2}, {5, 5}), integers("t", {1}, {1})}),
             {0.6931472});
}

TEST(ImportDecomposed, Activations) {
  Tensor x = floats("x", {3}, {-2, 0.25, 2});
  EXPECT_EQ(evaluate(makeNode("Shrink", {"x"}, {"y"}), {x}), (List{-2, 0, 2}));
  expectNear(evaluate(makeNode("Swish", {"x"}, {"y"}), {x}, {}, 24),
             {-0.2384058, 0.1405441, 1.7615942});
}

TEST(ImportDecomposed, OldBroadcasting) {
  Node add = makeNode("Add", {"x", "z"}, {"y"},
                      {intAttribute("broadcast", 1), intAttribute("axis", 0)});
  EXPECT_EQ(
      evaluate(add,
               {floats("x", {2, 2}, {1, 2, 3, 4}), floats("z", {2}, {10, 20})},
               {}, 6),
      (List{11, 12, 23, 24}));
}

TEST(ImportDecomposed, Quantization) {
  Tensor x = floats("x", {5}, {-1, 0.5, 1.5, 2.5, 1000}),
         scale = floats("s", {}, {1}), zero = bytes("z", {}, {1});
  EXPECT_EQ(evaluate(makeNode("QuantizeLinear", {"x", "s", "z"}, {"y"}),
                     {x, scale, zero}),
            (List{0, 1, 3, 3, 255}));
  EXPECT_EQ(evaluate(makeNode("DequantizeLinear", {"q", "s", "z"}, {"y"},
                              {intAttribute("axis", 0)}),
                     {bytes("q", {2}, {0, 255}), floats("s", {2}, {2, 0.5}),
                      bytes("z", {2}, {1, 5})}),
            (List{-2, 125}));
  EXPECT_EQ(evaluate(makeNode("DynamicQuantizeLinear", {"x"}, {"y", "s", "z"}),
                     {floats("x", {3}, {-1, 0, 254})}),
            (List{0, 1, 255}));
}

TEST(ImportDecomposed, IntegerProducts) {
  Tensor lhs = bytes("a", {1, 2}, {3, 250}),
         rhs = bytes("b", {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(
      evaluate(makeNode("MatMulInteger", {"a", "b", "az", "bz"}, {"y"}),
               {lhs, rhs, bytes("az", {1}, {5}), bytes("bz", {2}, {1, 5})}),
      (List{490, -239}));
  EXPECT_EQ(evaluate(makeNode("ConvInteger", {"x", "w", "xz"}, {"y"},
                              {intsAttribute("pads", {1, 0})}),
                     {bytes("x", {1, 1, 2}, {3, 7}),
                      bytes("w", {1, 1, 2}, {1, 2}), bytes("xz", {}, {2})}),
            (List{2, 11}));
  Tensor one = floats("one", {}, {1}), two = floats("two", {}, {2}),
         zero = bytes("zero", {}, {0}), offset = bytes("o", {}, {4});
  EXPECT_EQ(
      evaluate(makeNode("QLinearMatMul",
                        {"a", "one", "zero", "b", "one", "zero", "two", "o"},
                        {"y"}),
               {bytes("a", {1, 2}, {3, 5}), one, zero, rhs, two, offset}),
      (List{13, 17}));
}
