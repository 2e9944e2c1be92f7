// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models survive a round trip through a file; damaged and hostile files give an
// error that says what and where.
#include "frontends/onnx/model/ONNXModel.h"
#include "tests/frontends/onnx/SampleModels.h"

#include <gtest/gtest.h>
#include <random>

using namespace zenith;
using namespace zenith::onnx;

TEST(ONNXModel, RoundTripKeepsEverything) {
  TemporaryFolder folder;
  Model model = denseModel();
  ASSERT_TRUE(saveModel(model, folder / "m.onnx"));
  auto again = loadModel(folder / "m.onnx");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->irVersion, 8);
  EXPECT_EQ(again->opset("ai.onnx"), 17);
  EXPECT_EQ(again->metadata, model.metadata);
  ASSERT_EQ(again->graph.inputs.size(), 1u);
  EXPECT_EQ(again->graph.inputs[0].type.dims[0].symbol, "batch");
  EXPECT_EQ(again->graph.inputs[0].type.dims[1].value, 40);
  ASSERT_EQ(again->graph.nodes.size(), 3u);
  EXPECT_EQ(again->graph.nodes[1].location(), "node 'Add_node' (Add)");
  for (int i : {0, 1})
    EXPECT_EQ(again->graph.initializers[i].data.view(),
              model.graph.initializers[i].data.view());
  ASSERT_TRUE(saveModel(*again, folder / "n.onnx"));
  EXPECT_EQ(readFile(folder / "m.onnx"), readFile(folder / "n.onnx"));
}

TEST(ONNXModel, LargeWeightsStayInTheFile) {
  TemporaryFolder folder;
  ASSERT_TRUE(saveModel(denseModel(), folder / "m.onnx"));
  auto model = loadModel(folder / "m.onnx");
  ASSERT_TRUE(model);
  const files::ByteRange &weights = model->graph.initializers[0].data;
  EXPECT_TRUE(weights.inFile());
  EXPECT_EQ(readFile(folder / "m.onnx").substr(weights.offset, weights.length),
            weights.view());
  EXPECT_FALSE(model->graph.initializers[1].data.inFile());
}

TEST(ONNXModel, WeightsInSubgraphsStayInTheFile) {
  TemporaryFolder folder;
  Model model = emptyModel();
  Graph branch;
  branch.name = "branch";
  branch.initializers = {
      tensorOf("big", DataType::Float, {400}, std::vector<float>(400, 2))};
  branch.outputs = {floatValue("big", {fixed(400)})};
  model.graph.inputs = {floatValue("c", {})};
  model.graph.nodes = {makeNode("If", {"c"}, {"y"},
                                {graphAttribute("then_branch", branch),
                                 graphAttribute("else_branch", branch)})};
  model.graph.outputs = {floatValue("y", {fixed(400)})};
  ASSERT_TRUE(saveModel(model, folder / "m.onnx"));
  auto again = loadModel(folder / "m.onnx");
  ASSERT_TRUE(again) << again.error().message();
  const Tensor &big =
      again->graph.nodes[0].attributes[1].graphs[0].initializers[0];
  EXPECT_TRUE(big.data.inFile());
  EXPECT_EQ(big.data.view(), branch.initializers[0].data.view());
}

TEST(ONNXModel, ExternalDataIsWrittenAlignedAndFound) {
  TemporaryFolder folder;
  Model model = denseModel();
  ASSERT_TRUE(saveModel(model, folder / "m.onnx", {100}));
  EXPECT_LT(readFile(folder / "m.onnx").size(), 600u);
  auto again = loadModel(folder / "m.onnx");
  ASSERT_TRUE(again) << again.error().message();
  const files::ByteRange &bias = again->graph.initializers[1].data;
  EXPECT_EQ(bias.source->path(), folder / "m.onnx.data");
  EXPECT_EQ(bias.offset % 64, 0u);
  EXPECT_EQ(bias.view(), model.graph.initializers[1].data.view());
  // Writing over the files that the weights are mapped from is safe: the new
  // ones appear by renaming.
  ASSERT_TRUE(saveModel(*again, folder / "m.onnx", {100}));
  auto third = loadModel(folder / "m.onnx");
  ASSERT_TRUE(third);
  EXPECT_EQ(third->graph.initializers[0].data.view(),
            model.graph.initializers[0].data.view());
}

/// Saves with external data and replaces text in the model by text of the same
/// length.
static Result<Model> withExternal(const std::string &from,
                                  const std::string &to) {
  TemporaryFolder folder;
  if (Status status = saveModel(denseModel(), folder / "m.onnx", {100});
      !status)
    return status.error();
  std::string bytes = readFile(folder / "m.onnx");
  for (size_t at = bytes.find(from); at != std::string::npos;
       at = bytes.find(from, at + 1))
    bytes.replace(at, from.size(), to);
  writeFile(folder / "m.onnx", bytes);
  return loadModel(folder / "m.onnx");
}

TEST(ONNXModel, ExternalDataOutsideOfTheFolderIsRefused) {
  for (const char *location : {"../../x.bin", "/etc/passwd", "a/../../b.c"}) {
    auto model = withExternal("m.onnx.data", location);
    ASSERT_FALSE(model) << location;
    EXPECT_EQ(model.error().code, ErrorCode::Invalid);
    EXPECT_NE(model.error().text.find("not inside of the model's folder"),
              std::string::npos)
        << model.error().message();
    EXPECT_EQ(model.error().location.find("graph/initializer 'w'"), 0u);
  }
}

TEST(ONNXModel, ExternalLinkOutOfTheFolderIsRefused) {
  TemporaryFolder folder, other;
  ASSERT_TRUE(saveModel(denseModel(), folder / "m.onnx", {100}));
  std::filesystem::rename(folder / "m.onnx.data", other / "data");
  std::filesystem::create_symlink(other / "data", folder / "m.onnx.data");
  auto model = loadModel(folder / "m.onnx");
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().text.find("leads out of"), std::string::npos);
}

TEST(ONNXModel, ExternalDataMustFit) {
  for (auto [from, to, message] :
       {std::tuple("6400", "6404", "has 6404 bytes where the shape needs 6400"),
        std::tuple("6400", "99x9", "is not a byte count"),
        std::tuple("6400", "-400", "is not a byte count"),
        std::tuple("m.onnx.data", "m.onnx.dat_",
                   "cannot open external data")}) {
    auto model = withExternal(from, to);
    ASSERT_FALSE(model) << to;
    EXPECT_NE(model.error().text.find(message), std::string::npos)
        << model.error().message();
  }
  TemporaryFolder folder;
  ASSERT_TRUE(saveModel(denseModel(), folder / "m.onnx", {100}));
  std::filesystem::resize_file(folder / "m.onnx.data", 6399);
  auto model = loadModel(folder / "m.onnx");
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().text.find("exceeds"), std::string::npos)
      << model.error().message();
}

TEST(ONNXModel, ExternalDataNeedsAFolder) {
  TemporaryFolder folder;
  ASSERT_TRUE(saveModel(denseModel(), folder / "m.onnx", {100}));
  auto model =
      parseModel(files::ByteSource::fromMemory(readFile(folder / "m.onnx")));
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().text.find("needs a model that is a file"),
            std::string::npos);
}

TEST(ONNXModel, EveryPrefixIsRefusedOrRead) {
  TemporaryFolder folder;
  std::string bytes = serialized(denseModel(), folder);
  ASSERT_GT(bytes.size(), 6400u);
  for (size_t length = 0; length < bytes.size(); ++length) {
    auto model =
        parseModel(files::ByteSource::fromMemory(bytes.substr(0, length)));
    if (!model)
      EXPECT_FALSE(model.error().text.empty());
  }
}

TEST(ONNXModel, DamagedBytesAreRefusedOrRead) {
  TemporaryFolder folder;
  std::string original = serialized(denseModel(), folder);
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = original;
    for (int i = 0; i < 3; ++i) // most of the file is weights; damage the rest
      bytes[random() % 2 ? random() % 200 : bytes.size() - 1 - random() % 300] =
          char(random());
    auto model = parseModel(files::ByteSource::fromMemory(bytes));
    if (!model)
      EXPECT_FALSE(model.error().text.empty());
  }
}

TEST(ONNXModel, NotAModel) {
  for (const char *text : {"", "hello world", "module {}", "\x08\x08"}) {
    auto model = parseModel(files::ByteSource::fromMemory(text));
    ASSERT_FALSE(model) << text;
    EXPECT_EQ(model.error().code, ErrorCode::Invalid);
  }
  EXPECT_FALSE(loadModel("/no/such/file.onnx"));
  EXPECT_FALSE(loadModel("/"));
  EXPECT_FALSE(loadModel("/dev/zero"));
}

TEST(ONNXModel, HugeShapesAllocateNothing) {
  EXPECT_EQ(elementCount({1 << 30, 1 << 30, 1 << 30}), std::nullopt);
  EXPECT_EQ(elementCount({0, INT64_MAX, INT64_MAX}), std::nullopt);
  EXPECT_EQ(elementCount({0, -1}), std::nullopt);
  EXPECT_EQ(elementCount({}), 1u);
  EXPECT_EQ(elementCount({3, 0, 5}), 0u);
  EXPECT_EQ(byteCount(DataType::Int4, {3}), 2u);
  EXPECT_EQ(byteCount(DataType::Complex128, {int64_t(1) << 58}), std::nullopt);
  EXPECT_EQ(byteCount(DataType::String, {1}), std::nullopt);
}

TEST(ONNXModel, DimensionsBelowZeroCountAsUnknown) {
  TemporaryFolder folder;
  Model model = denseModel();
  model.graph.inputs[0].type.dims[0] = fixed(-1);
  auto again =
      parseModel(files::ByteSource::fromMemory(serialized(model, folder)));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->graph.inputs[0].type.dims[0].value);
}

TEST(ONNXModel, UnwritablePlaceLeavesNothing) {
  EXPECT_FALSE(saveModel(denseModel(), "/no/such/folder/m.onnx"));
  TemporaryFolder folder;
  Model broken = denseModel();
  broken.graph.initializers[0].dims = {41, 40};
  EXPECT_FALSE(saveModel(broken, folder / "m.onnx"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}
