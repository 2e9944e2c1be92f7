// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators over dimensions that have neither size nor name, and with axes,
// scales and shapes from data, give what they give where all of that is known.
#include "NodeEvaluation.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

namespace {
struct Outcome {
  std::string error;
  std::vector<std::string> results;
};
} // namespace

/// Results of a node as text; without `known`, dimensions of inputs of rank 1
/// and more are open, but for those of `shaped`. The values of `constants` are
/// known in either case.
static Outcome outcomeOf(const Node &node, const std::vector<Tensor> &inputs,
                         bool known, const std::vector<std::string> &shaped,
                         int64_t opset, size_t results, size_t rank,
                         const std::vector<std::string> &constants = {}) {
  mlir::MLIRContext context;
  ImportOptions options;
  Model model = nodeModel(node, inputs, opset);
  for (ValueInfo &input : model.graph.inputs)
    if (!known && !llvm::is_contained(shaped, input.name) &&
        !llvm::is_contained(constants, input.name))
      for (Dim &dim : input.type.dims)
        dim = Dim();
  for (const Tensor &input : inputs)
    if ((known && llvm::is_contained(shaped, input.name)) ||
        llvm::is_contained(constants, input.name))
      options.bindings[input.name] = input;
  for (ValueInfo &output : model.graph.outputs) {
    output.type.hasShape = true;
    output.type.dims.assign(rank, Dim());
  }
  auto module = importONNX(model, &context, options);
  if (!module)
    return {module.error().message(), {}};
  auto values = runModule(**module, byName(inputs));
  if (!values)
    return {llvm::toString(values.takeError()), {}};
  Outcome outcome;
  for (size_t i = 0; i < results; ++i)
    outcome.results.push_back(textOf((*values)[i]));
  return outcome;
}

/// `rank` is that of the results.
static void expectSame(const Node &node, const std::vector<Tensor> &inputs,
                       size_t rank, const std::vector<std::string> &shaped = {},
                       int64_t opset = 21, size_t results = 1) {
  Outcome known = outcomeOf(node, inputs, true, shaped, opset, results, rank),
          open = outcomeOf(node, inputs, false, shaped, opset, results, rank);
  EXPECT_EQ(known.error, "") << node.op;
  EXPECT_EQ(open.error, "") << node.op;
  EXPECT_EQ(open.results, known.results) << node.op;
}

static std::string refusalOf(const Node &node,
                             const std::vector<Tensor> &inputs, size_t rank,
                             const std::vector<std::string> &shaped = {}) {
  return outcomeOf(node, inputs, false, shaped, 21, 1, rank).error;
}

TEST(ImportSizes, BroadcastsBothWays) {
  expectSame(makeNode("Add", {"x", "y"}, {"y0"}, {}),
             {ramp("x", {3, 1, 4}), ramp("y", {1, 2, 4})}, 3);
  expectSame(makeNode("Mul", {"x", "y"}, {"y0"}, {}),
             {ramp("x", {2, 4}), ramp("y", {1})}, 2);
  expectSame(makeNode("MatMul", {"x", "y"}, {"y0"}, {}),
             {ramp("x", {1, 3, 2, 4}), ramp("y", {2, 1, 4, 3})}, 4);
  expectSame(makeNode("Gemm", {"x", "y", "c"}, {"y0"}, {}),
             {ramp("x", {2, 3}), ramp("y", {3, 4}), ramp("c", {1, 4})}, 2);
  expectSame(makeNode("Einsum", {"x", "y"}, {"y0"},
                      {textAttribute("equation", "...ij,...jk->...ik")}),
             {ramp("x", {1, 2, 3}), ramp("y", {4, 3, 2})}, 3);
}

TEST(ImportSizes, ExpandsToShapesFromData) {
  expectSame(makeNode("Expand", {"x", "s"}, {"y0"}, {}),
             {ramp("x", {3, 1}), integers("s", {3}, {2, 1, 4})}, 3, {"s"});
}

TEST(ImportSizes, ContradictionsNameNodeAndShapes) {
  std::string text = refusalOf(makeNode("Add", {"x", "y"}, {"y0"}, {}),
                               {ramp("x", {3, 8}), ramp("y", {5, 8})}, 2);
  EXPECT_NE(text.find("Add: sizes"), std::string::npos) << text;
  EXPECT_NE(text.find("operand 0 is [3, 8], operand 1 is [5, 8]"),
            std::string::npos)
      << text;
  text = refusalOf(makeNode("Conv", {"x", "w"}, {"y0"},
                            {intsAttribute("kernel_shape", {3, 3})}),
                   {ramp("x", {1, 5, 6, 6}), ramp("w", {4, 3, 3, 3})}, 4);
  EXPECT_NE(text.find("5 and 3 differ"), std::string::npos) << text;
  Node split = makeNode("Split", {"x", "s"}, {"y0", "y1"}, {});
  text = refusalOf(split, {ramp("x", {6, 3}), integers("s", {2}, {2, 3})}, 2,
                   {"s"});
  EXPECT_NE(text.find("5 and 6 differ"), std::string::npos) << text;
}

TEST(ImportSizes, NothingIsDividedByNoElements) {
  auto refuses = [](const Node &node, const std::vector<Tensor> &inputs,
                    size_t rank, const std::vector<std::string> &shaped,
                    const char *words) {
    std::string text = refusalOf(node, inputs, rank, shaped);
    EXPECT_NE(text.find(words), std::string::npos) << node.op << ": " << text;
  };
  Node reshape = makeNode("Reshape", {"x", "s"}, {"y0"}, {});
  refuses(reshape, {floats("x", {0, 4}, {}), integers("s", {2}, {0, -1})}, 2,
          {"s"}, "the least number of elements of a row, 1, exceeds 0");
  expectSame(reshape, {ramp("x", {3, 4}), integers("s", {2}, {0, -1})}, 2,
             {"s"});
  refuses(
      makeNode("Range", {"b", "e", "s"}, {"y0"}, {}),
      {integers("b", {}, {1}), integers("e", {}, {5}), integers("s", {}, {0})},
      1, {}, "the least step");
  refuses(makeNode("Range", {"b", "e", "s"}, {"y0"}, {}),
          {floats("b", {}, {1}), floats("e", {}, {5}), floats("s", {}, {0})}, 1,
          {}, "the step is 0");
  refuses(makeNode("Slice", {"x", "b", "e", "a", "s"}, {"y0"}, {}),
          {ramp("x", {4, 5}), integers("b", {1}, {0}), integers("e", {1}, {3}),
           integers("a", {1}, {1}), integers("s", {1}, {0})},
          2, {"b", "e", "a", "s"}, "the least step");
  refuses(makeNode("Resize", {"x", "", "s"}, {"y0"}, {}),
          {ramp("x", {1, 1, 3}), floats("s", {3}, {1, 1, 0})}, 3, {"s"},
          "the scale of dimension 2 is not positive");
  refuses(makeNode("Resize", {"x", "", "", "s"}, {"y0"},
                   {textAttribute("keep_aspect_ratio_policy", "not_smaller")}),
          {ramp("x", {3, 0}), integers("s", {2}, {3, 4})}, 2, {"s"},
          "the least size with a scale, 1, exceeds 0");
  refuses(makeNode("CenterCropPad", {"x", "s"}, {"y0"}, {}),
          {ramp("x", {5, 2}), integers("s", {2}, {2, -1})}, 2, {"s"},
          "CenterCropPad: a size in the shape is negative: -1");
}

// Weights between corners are eighths, which are exact.
TEST(ImportSizes, GrowsBetweenCorners) {
  Node node = makeNode(
      "Resize", {"x", "", "s"}, {"y0"},
      {textAttribute("mode", "linear"),
       textAttribute("coordinate_transformation_mode", "align_corners")});
  for (int64_t size : {0, 1, 3}) {
    std::vector<Tensor> inputs = {ramp("x", {2, size, 3}),
                                  floats("s", {3}, {1, 3, 3})};
    Outcome open = outcomeOf(node, inputs, false, {}, 21, 1, 3, {"s"});
    EXPECT_EQ(open.error, "");
    // Of no elements, only the dynamic form has a meaning.
    if (size == 0)
      continue;
    Outcome known = outcomeOf(node, inputs, true, {}, 21, 1, 3, {"s"});
    EXPECT_EQ(open.results, known.results) << size;
  }
}

TEST(ImportSizes, KernelsOfUnknownSize) {
  expectSame(
      makeNode("Conv", {"x", "w"}, {"y0"},
               {intsAttribute("strides", {2, 1}),
                intsAttribute("pads", {1, 0, 0, 2}), intAttribute("group", 2)}),
      {ramp("x", {1, 4, 5, 4}), ramp("w", {2, 2, 3, 2})}, 4);
  expectSame(makeNode("Conv", {"x", "w"}, {"y0"},
                      {textAttribute("auto_pad", "SAME_LOWER"),
                       intsAttribute("strides", {2})}),
             {ramp("x", {1, 1, 6}), ramp("w", {1, 1, 3})}, 3);
  expectSame(
      makeNode("ConvTranspose", {"x", "w"}, {"y0"},
               {intsAttribute("strides", {2}), intsAttribute("pads", {1, 0})}),
      {ramp("x", {1, 2, 4}), ramp("w", {2, 3, 3})}, 3);
}

TEST(ImportSizes, WindowsOverUnknownSizes) {
  expectSame(makeNode("MaxPool", {"x"}, {"y0"},
                      {intsAttribute("kernel_shape", {3, 3}),
                       intsAttribute("strides", {2, 2}),
                       textAttribute("auto_pad", "SAME_UPPER")}),
             {ramp("x", {1, 1, 5, 6})}, 4);
  for (int64_t counts : {0, 1})
    expectSame(
        makeNode("AveragePool", {"x"}, {"y0"},
                 {intsAttribute("kernel_shape", {3}),
                  intsAttribute("strides", {2}), intsAttribute("pads", {1, 1}),
                  intAttribute("count_include_pad", counts),
                  intAttribute("ceil_mode", 1)}),
        {ramp("x", {1, 2, 6})}, 3);
}

// By where a window begins and ends, or by pooling ones where it has gaps.
TEST(ImportSizes, CountsOfWindowsOverPlanes) {
  for (int64_t padded : {0, 1})
    for (int64_t dilation : {1, 2})
      for (std::vector<int64_t> size :
           std::vector<std::vector<int64_t>>{{6, 5}, {9, 3}, {3, 8}})
        expectSame(makeNode("AveragePool", {"x"}, {"y0"},
                            {intsAttribute("kernel_shape", {3, 2}),
                             intsAttribute("strides", {2, 1}),
                             intsAttribute("pads", {1, 1, 2, 0}),
                             intsAttribute("dilations", {dilation, 1}),
                             intAttribute("count_include_pad", padded),
                             intAttribute("ceil_mode", 1)}),
                   {ramp("x", {1, 2, size[0], size[1]})}, 4);
}

// The host computes the position of a single copy.
TEST(ImportSizes, BordersOfCopies) {
  for (const char *mode : {"reflect", "edge", "wrap"})
    for (int64_t size = 1; size < 7; ++size)
      for (std::vector<int64_t> pads : std::vector<std::vector<int64_t>>{
               {0, 1, 0, 1}, {1, 0, 2, 3}, {0, 4, 1, 5}}) {
        Node node =
            makeNode("Pad", {"x", "p"}, {"y0"}, {textAttribute("mode", mode)});
        std::vector<Tensor> inputs = {ramp("x", {2, size}),
                                      integers("p", {4}, pads)};
        Outcome known = outcomeOf(node, inputs, true, {}, 19, 1, 2, {"p"}),
                open = outcomeOf(node, inputs, false, {}, 19, 1, 2, {"p"});
        EXPECT_EQ(known.error + open.error, "") << mode;
        EXPECT_EQ(open.results, known.results) << mode << " of " << size;
      }
}

// Padding of a stride less one stands for that of the last window, where no
// window more would begin in it.
TEST(ImportSizes, WindowsRoundedUp) {
  for (const char *op : {"MaxPool", "AveragePool", "LpPool"})
    for (int64_t size = 5; size < 10; ++size)
      for (std::vector<int64_t> window :
           std::vector<std::vector<int64_t>>{{3, 2, 0, 0},
                                             {3, 2, 1, 1},
                                             {2, 2, 0, 0},
                                             {2, 3, 1, 1},
                                             {3, 3, 0, 1}})
        expectSame(makeNode(op, {"x"}, {"y0"},
                            {intsAttribute("kernel_shape", {window[0]}),
                             intsAttribute("strides", {window[1]}),
                             intsAttribute("pads", {window[2], window[3]}),
                             intAttribute("ceil_mode", 1)}),
                   {ramp("x", {1, 2, size})}, 3);
}

TEST(ImportSizes, HeadsOfUnknownSize) {
  expectSame(makeNode("Attention", {"q", "k", "v"}, {"y0"}, {}),
             {ramp("q", {1, 4, 2, 3}), ramp("k", {1, 2, 5, 3}),
              ramp("v", {1, 2, 5, 2})},
             4, {}, 23);
  expectSame(
      makeNode("RotaryEmbedding", {"x", "c", "s"}, {"y0"}, {}),
      {ramp("x", {1, 2, 3, 4}), ramp("c", {1, 3, 2}), ramp("s", {1, 3, 2})}, 4,
      {}, 23);
}

TEST(ImportSizes, FeaturesAndPositions) {
  expectSame(
      makeNode("DepthToSpace", {"x"}, {"y0"}, {intAttribute("blocksize", 2)}),
      {ramp("x", {1, 8, 2, 3})}, 4);
  expectSame(
      makeNode("SpaceToDepth", {"x"}, {"y0"}, {intAttribute("blocksize", 2)}),
      {ramp("x", {1, 2, 4, 6})}, 4);
  expectSame(makeNode("CenterCropPad", {"x", "s"}, {"y0"}, {}),
             {ramp("x", {5, 2}), integers("s", {2}, {2, 5})}, 2, {"s"});
  expectSame(makeNode("Col2Im", {"x", "s", "k"}, {"y0"}, {}),
             {ramp("x", {1, 4, 4}), integers("s", {2}, {3, 3}),
              integers("k", {2}, {2, 2})},
             4, {"s", "k"});
}

// Blocks are split from the part that they fill: kernels that read through the
// reshape need not divide by a size then.
TEST(ImportSizes, BlocksAreSplitFromWhatTheyFill) {
  mlir::MLIRContext context;
  Model model = nodeModel(
      makeNode("SpaceToDepth", {"x"}, {"y0"}, {intAttribute("blocksize", 2)}),
      {ramp("x", {1, 2, 4, 6})}, 21);
  EXPECT_EQ(textOf(**importONNX(model, &context)).find("graph.slice"),
            std::string::npos);
  for (Dim &dim : model.graph.inputs.front().type.dims)
    dim = Dim();
  std::string open = textOf(**importONNX(model, &context));
  EXPECT_NE(open.find("graph.slice"), std::string::npos) << open;
}

// The state says how many sequences there are, the input does not.
TEST(ImportSizes, SequencesThatTheStateCounts) {
  Node node = makeNode("RNN", {"x", "w", "r", "", "", "h"}, {"y0"},
                       {intAttribute("hidden_size", 2)});
  std::vector<Tensor> inputs = {ramp("x", {3, 2, 4}), ramp("w", {1, 2, 4}),
                                ramp("r", {1, 2, 2}), ramp("h", {1, 2, 2})};
  Outcome known = outcomeOf(node, inputs, true, {}, 21, 1, 4),
          open = outcomeOf(node, inputs, false, {"h"}, 21, 1, 4);
  EXPECT_EQ(open.error, "");
  EXPECT_EQ(open.results, known.results);
}

TEST(ImportSizes, RegionsOfUnknownSize) {
  expectSame(makeNode("RoiAlign", {"x", "r", "i"}, {"y0"},
                      {intAttribute("output_height", 2),
                       intAttribute("output_width", 2),
                       intAttribute("sampling_ratio", 2)}),
             {ramp("x", {1, 2, 4, 4}),
              floats("r", {2, 4}, {0, 0, 3, 3, 1, 0, 2, 3}),
              integers("i", {2}, {0, 0})},
             4);
}

TEST(ImportSizes, AxesFromData) {
  for (int64_t keeps : {0, 1})
    for (int64_t axis : {0, 1, -1})
      expectSame(makeNode("ReduceSum", {"x", "a"}, {"y0"},
                          {intAttribute("keepdims", keeps)}),
                 {ramp("x", {2, 3, 4}), integers("a", {1}, {axis})},
                 keeps ? 3 : 2, {"a"});
  expectSame(makeNode("Unsqueeze", {"x", "a"}, {"y0"}, {}),
             {ramp("x", {2, 3}), integers("a", {2}, {3, 0})}, 4, {"a"});
  expectSame(makeNode("Squeeze", {"x", "a"}, {"y0"}, {}),
             {ramp("x", {1, 3, 1}), integers("a", {1}, {-1})}, 2, {"a"});
  // Dimensions that are known not to be 1 cannot be dropped.
  Node squeeze = makeNode("Squeeze", {"x", "a"}, {"y0"}, {});
  for (int64_t axis : {0, 1, 2}) {
    Outcome outcome =
        outcomeOf(squeeze, {ramp("x", {1, 3, 1}), integers("a", {1}, {axis})},
                  false, {"x", "a"}, 21, 1, 2);
    EXPECT_EQ(outcome.error.find("3 and 0 differ") != std::string::npos,
              axis == 1)
        << outcome.error;
  }
  expectSame(makeNode("CumSum", {"x", "a"}, {"y0"}, {}),
             {ramp("x", {2, 3}), integers("a", {}, {1})}, 2, {"a"});
  expectSame(makeNode("Slice", {"x", "b", "e", "a", "s"}, {"y0"}, {}),
             {ramp("x", {4, 5}), integers("b", {2}, {3, -1}),
              integers("e", {2}, {0, -4}), integers("a", {2}, {1, 0}),
              integers("s", {2}, {-1, -2})},
             2, {"b", "e", "a", "s"});
  expectSame(
      makeNode("Pad", {"x", "p", "", "a"}, {"y0"}, {}),
      {ramp("x", {2, 3}), integers("p", {2}, {1, 2}), integers("a", {1}, {1})},
      2, {"p", "a"});
}

TEST(ImportSizes, RanksThatAreDeclared) {
  expectSame(makeNode("Squeeze", {"x"}, {"y0"}, {}), {ramp("x", {2, 3})}, 2);
  expectSame(makeNode("GatherND", {"x", "i"}, {"y0"}, {}),
             {ramp("x", {2, 3, 2}), integers("i", {2, 2}, {0, 1, 1, 2})}, 2);
  std::string text = refusalOf(makeNode("Squeeze", {"x"}, {"y0"}, {}),
                               {ramp("x", {2, 3, 1})}, 1);
  EXPECT_NE(text.find("may be 1"), std::string::npos) << text;
}

static Tensor booleans(std::string name, bool value) {
  return tensorOf<uint8_t>(std::move(name), DataType::Bool, {}, {value});
}

TEST(ImportSizes, RandomValuesDependOnPositionsAlone) {
  for (const char *op : {"RandomUniformLike", "RandomNormalLike", "Bernoulli"})
    expectSame(makeNode(op, {"x"}, {"y0"}, {floatAttribute("seed", 3)}),
               {floats("x", {2, 3}, {.1f, .5f, .9f, .2f, .7f, .4f})}, 2);
  expectSame(
      makeNode("Multinomial", {"x"}, {"y0"}, {intAttribute("sample_size", 4)}),
      {ramp("x", {2, 3})}, 2);
}

TEST(ImportSizes, DropoutWhoseModeIsData) {
  Node node = makeNode("Dropout", {"x", "r", "t"}, {"y0", "y1"},
                       {intAttribute("seed", 5)});
  for (bool trains : {false, true})
    for (float ratio : {0.0f, 0.4f}) {
      std::vector<Tensor> inputs = {ramp("x", {3, 4}), floats("r", {}, {ratio}),
                                    booleans("t", trains)};
      expectSame(node, inputs, 2, {"r", "t"}, 22, 2);
      // What is kept is divided by 1 - ratio, in inference by 1.
      std::vector<double> kept = evaluate(node, inputs, {}, 22, 1),
                          values = evaluate(node, inputs, {}, 22);
      ASSERT_EQ(values.size(), 12u);
      size_t count = 0;
      const float *x =
          reinterpret_cast<const float *>(inputs[0].data.view().data());
      for (size_t i = 0; i < values.size(); ++i) {
        float factor = trains ? 1 / (1 - ratio) : 1;
        EXPECT_FLOAT_EQ(float(values[i]), kept[i] != 0 ? x[i] * factor : 0);
        count += kept[i] != 0;
      }
      EXPECT_EQ(count == 12, !trains || ratio == 0.0f);
    }
}
