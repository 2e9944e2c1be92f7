// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of one operator, through import and interpreter.
#ifndef ZENITH_TESTS_FRONTENDS_ONNX_NODEEVALUATION_H
#define ZENITH_TESTS_FRONTENDS_ONNX_NODEEVALUATION_H

#include "ModelEvaluation.h"

#include <gtest/gtest.h>

namespace zenith::onnx {

inline NodeAttribute floatAttribute(std::string name, float value) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::Float;
  attribute.f = value;
  return attribute;
}

inline NodeAttribute floatsAttribute(std::string name,
                                     std::vector<float> values) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::Floats;
  attribute.floats = std::move(values);
  return attribute;
}

inline NodeAttribute stringsAttribute(std::string name,
                                      std::vector<std::string> values) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::Strings;
  attribute.strings = std::move(values);
  return attribute;
}

inline Node inDomain(std::string domain, Node node) {
  node.domain = std::move(domain);
  return node;
}

inline NodeAttribute textAttribute(std::string name, std::string value) {
  NodeAttribute attribute;
  attribute.name = std::move(name);
  attribute.kind = NodeAttribute::String;
  attribute.strings = {std::move(value)};
  return attribute;
}

/// Elements of one result as doubles; inputs in `bound` are known to the
/// import, and nodes of `before` come first. Empty where something fails, and
/// the test has the reason.
inline std::vector<double> evaluate(Node node,
                                    const std::vector<Tensor> &inputs,
                                    std::vector<std::string> bound = {},
                                    int64_t opset = 18, size_t result = 0,
                                    const std::vector<Node> &before = {}) {
  mlir::MLIRContext context;
  ImportOptions options;
  for (const Tensor &input : inputs)
    if (llvm::is_contained(bound, input.name))
      options.bindings[input.name] = input;
  std::string domain = node.domain;
  Model model = nodeModel(std::move(node), inputs, domain.empty() ? opset : 21);
  model.graph.nodes.insert(model.graph.nodes.begin(), before.begin(),
                           before.end());
  if (!domain.empty())
    model.opsets.push_back({domain, opset});
  auto module = importONNX(model, &context, options);
  if (!module) {
    ADD_FAILURE() << module.error().message();
    return {};
  }
  auto results = runModule(**module, byName(inputs));
  if (!results) {
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }
  std::vector<double> values;
  auto elements =
      mlir::cast<mlir::DenseElementsAttr>((*results)[result].toElements());
  if (auto type = mlir::dyn_cast<mlir::IntegerType>(elements.getElementType()))
    for (const llvm::APInt &value : elements.getValues<llvm::APInt>())
      values.push_back(type.isUnsigned() ? double(value.getZExtValue())
                                         : double(value.getSExtValue()));
  else
    for (const llvm::APFloat &value : elements.getValues<llvm::APFloat>())
      values.push_back(value.convertToFloat());
  return values;
}

inline void expectNear(const std::vector<double> &actual,
                       const std::vector<double> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], 1e-5) << "element " << i;
}

} // namespace zenith::onnx

#endif // ZENITH_TESTS_FRONTENDS_ONNX_NODEEVALUATION_H
