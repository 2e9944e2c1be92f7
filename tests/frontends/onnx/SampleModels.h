// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small models built in code, and a folder that the test's end removes.
#ifndef ZENITH_TESTS_FRONTENDS_ONNX_SAMPLEMODELS_H
#define ZENITH_TESTS_FRONTENDS_ONNX_SAMPLEMODELS_H

#include "frontends/onnx/model/ONNXModel.h"
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace zenith::onnx {

struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "zenith-onnx-XXXXXX")
            .string();
    if (::mkdtemp(pattern.data()))
      path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
};

inline std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename T>
Tensor tensorOf(std::string name, DataType type, std::vector<int64_t> dims,
                std::vector<T> values) {
  std::string bytes(reinterpret_cast<const char *>(values.data()),
                    values.size() * sizeof(T));
  return {std::move(name),
          type,
          std::move(dims),
          files::ByteRange::fromMemory(std::move(bytes)),
          {}};
}

inline ValueInfo floatValue(std::string name, std::vector<Dim> dims) {
  ValueType type;
  type.kind = ValueType::TensorKind;
  type.element = DataType::Float;
  type.hasShape = true;
  type.dims = std::move(dims);
  return {std::move(name), std::move(type)};
}

inline Dim fixed(int64_t value) { return {value, ""}; }
inline Dim named(std::string symbol) {
  return {std::nullopt, std::move(symbol)};
}

inline NodeAttribute intAttribute(std::string name, int64_t value) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::Int;
  attribute.i = value;
  return attribute;
}

inline NodeAttribute intsAttribute(std::string name,
                                   std::vector<int64_t> values) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::Ints;
  attribute.ints = std::move(values);
  return attribute;
}

inline NodeAttribute graphAttribute(std::string name, Graph graph) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::GraphValue;
  attribute.graphs.push_back(std::move(graph));
  return attribute;
}

inline Node makeNode(std::string op, std::vector<std::string> inputs,
                     std::vector<std::string> outputs,
                     std::vector<NodeAttribute> attributes = {}) {
  Node node;
  node.name = op + "_node";
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.attributes = std::move(attributes);
  return node;
}

inline Model emptyModel(int64_t opset = 17) {
  Model model;
  model.irVersion = 8;
  model.opsets = {{"", opset}};
  model.graph.name = "g";
  return model;
}

/// y = relu(x w + b) with 40 x 40 weights, large enough to stay in the file.
inline Model denseModel() {
  Model model = emptyModel();
  std::vector<float> weights(1600);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = float(i % 7) - 3;
  model.producerName = "test";
  model.metadata = {{"key", "value"}};
  model.graph.inputs = {floatValue("x", {named("batch"), fixed(40)})};
  model.graph.outputs = {floatValue("y", {named("batch"), fixed(40)})};
  model.graph.initializers = {
      tensorOf("w", DataType::Float, {40, 40}, weights),
      tensorOf("b", DataType::Float, {40}, std::vector<float>(40, 0.5f))};
  model.graph.nodes = {makeNode("MatMul", {"x", "w"}, {"xw"}),
                       makeNode("Add", {"xw", "b"}, {"sum"}),
                       makeNode("Relu", {"sum"}, {"y"})};
  return model;
}

/// The model's file as bytes.
inline std::string serialized(const Model &model,
                              const TemporaryFolder &folder) {
  if (!saveModel(model, folder / "serialized.onnx"))
    return "";
  return readFile(folder / "serialized.onnx");
}

} // namespace zenith::onnx

#endif // ZENITH_TESTS_FRONTENDS_ONNX_SAMPLEMODELS_H
