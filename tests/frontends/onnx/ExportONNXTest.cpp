// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exported models keep the public signature and refer to weights where they
// are.
#include "frontends/onnx/ExportONNX.h"
#include "ModelEvaluation.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace zenith::onnx;

static zenith::Result<Model> exported(const std::string &text,
                                      mlir::MLIRContext &context,
                                      const ExportOptions &options = {}) {
  context.loadDialect<zenith::graph::GraphDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return zenith::invalid("the test's IR does not parse");
  return exportONNX(*module, options);
}

static std::vector<std::string> opsOf(const Model &model) {
  std::vector<std::string> ops;
  for (const Node &node : model.graph.nodes)
    ops.push_back(node.op);
  return ops;
}

using Ops = std::vector<std::string>;

TEST(ExportONNX, SignatureSurvives) {
  mlir::MLIRContext context;
  auto module = importONNX(denseModel(), &context);
  ASSERT_TRUE(module);
  auto model = exportONNX(**module);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->opset(""), 17);
  EXPECT_EQ(model->irVersion, 8);
  ASSERT_EQ(model->graph.inputs.size(), 1u);
  EXPECT_EQ(model->graph.inputs[0].name, "x");
  EXPECT_EQ(model->graph.inputs[0].type.dims[0].symbol, "batch");
  ASSERT_EQ(model->graph.outputs.size(), 1u);
  EXPECT_EQ(model->graph.outputs[0].name, "y");
  EXPECT_EQ(model->graph.outputs[0].type.dims[0].symbol, "batch");
  EXPECT_EQ(opsOf(*model), (Ops{"Gemm", "Relu"}));
  EXPECT_EQ(model->graph.initializers[0].name, "w");
}

/// dim_param has no grammar: what is no expression over other dimensions is a
/// name, and names survive.
TEST(ExportONNX, NamesOfDimensionsSurvive) {
  for (const char *name :
       {"batch size", "unk-12", "a/b", "it's", "N*2", "7up"}) {
    Model source = denseModel();
    source.graph.inputs[0].type.dims[0].symbol = name;
    source.graph.outputs[0].type.dims[0].symbol = name;
    mlir::MLIRContext context;
    auto module = importONNX(source, &context);
    ASSERT_TRUE(module) << name << ": " << module.error().message();
    EXPECT_TRUE(mlir::succeeded(mlir::verify(module->get()))) << name;
    auto model = exportONNX(**module);
    ASSERT_TRUE(model) << name << ": " << model.error().message();
    EXPECT_EQ(model->graph.inputs[0].type.dims[0].symbol, name);
    EXPECT_EQ(model->graph.outputs[0].type.dims[0].symbol, name);
  }
}

TEST(ExportONNX, WeightsAreRangesOfTheirFile) {
  TemporaryFolder folder;
  ASSERT_TRUE(saveModel(denseModel(), folder / "m.onnx"));
  auto loaded = loadModel(folder / "m.onnx");
  ASSERT_TRUE(loaded);
  mlir::MLIRContext context;
  auto module = importONNX(*loaded, &context);
  ASSERT_TRUE(module);
  ExportOptions options;
  options.folder = folder.path;
  auto model = exportONNX(**module, options);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_TRUE(model->graph.initializers[0].data.inFile());
  EXPECT_EQ(model->graph.initializers[0].data.view(),
            denseModel().graph.initializers[0].data.view());
  ASSERT_TRUE(
      saveModel(*model, folder / "m.onnx", {1000})); // over its own source
  auto again = loadModel(folder / "m.onnx");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->graph.initializers[0].data.view(),
            denseModel().graph.initializers[0].data.view());
}

TEST(ExportONNX, ResultsThatAreArgumentsOrTwice) {
  mlir::MLIRContext context;
  auto model = exported(R"(func.func @main(%x: tensor<2xf32> {graph.name = "a"})
      -> (tensor<2xf32> {graph.name = "b"}, tensor<2xf32> {graph.name = "c"}, tensor<2xf32> {graph.name = "d"}) {
    %0 = graph.neg %x : tensor<2xf32>
    return %x, %0, %0 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  })",
                        context);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(opsOf(*model), (Ops{"Neg", "Identity", "Identity", "Identity"}));
  EXPECT_EQ(model->graph.outputs[2].name, "d");
}

TEST(ExportONNX, ReshapeOfDynamicDimsIsConstant) {
  mlir::MLIRContext context;
  auto model = exported(
      R"(func.func @main(%x: tensor<?x?x32xf32> {graph.dims = ["batch", "seq", "32"]}) -> tensor<?x?x4x8xf32> {
    %b = graph.dim %x, 0 : tensor<?x?x32xf32>
    %s = graph.dim %x, 1 : tensor<?x?x32xf32>
    %0 = graph.reshape %x [%b, %s] : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
    return %0 : tensor<?x?x4x8xf32>
  })",
      context);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(opsOf(*model), Ops{"Reshape"});
  EXPECT_EQ(*integersOf(model->graph.initializers[0]),
            (llvm::SmallVector<int64_t>{0, 0, 4, 8}));
}

TEST(ExportONNX, BroadcastsAreLeftToTheOperator) {
  mlir::MLIRContext context;
  auto model = exported(
      R"(func.func @main(%x: tensor<2x3x4xf32>, %c: tensor<3xf32>, %s: tensor<f32>) -> tensor<2x3x4xf32> {
    %0 = graph.broadcast %c [1] : tensor<3xf32> -> tensor<2x3x4xf32>
    %1 = graph.add %x, %0 : tensor<2x3x4xf32>
    %2 = graph.broadcast %s [] : tensor<f32> -> tensor<2x3x4xf32>
    %3 = graph.mul %1, %2 : tensor<2x3x4xf32>
    return %3 : tensor<2x3x4xf32>
  })",
      context);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(opsOf(*model), (Ops{"Unsqueeze", "Add", "Mul"}));
}

TEST(ExportONNX, BroadcastsThatNobodyElseMakesAreExpanded) {
  mlir::MLIRContext context;
  auto model =
      exported(R"(func.func @main(%c: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = graph.broadcast %c [1] : tensor<3xf32> -> tensor<2x3xf32>
    %1 = graph.add %0, %0 : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  })",
               context);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(opsOf(*model), (Ops{"Expand", "Add"}));
}

TEST(ExportONNX, ErrorsNameTheOp) {
  mlir::MLIRContext context;
  auto model = exported(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xi32> {
    %0 = graph.bitcast %x : tensor<4xf32> -> tensor<4xi32> loc("here")
    return %0 : tensor<4xi32>
  })",
                        context);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, zenith::ErrorCode::Unsupported);
  EXPECT_EQ(
      model.error().message(),
      "'here' (graph.bitcast): the bits of these elements in another type");
  ExportOptions options;
  options.opset = 12;
  EXPECT_FALSE(exported("func.func @main() { return }", context, options));
  EXPECT_FALSE(exported("module {}", context));
}
