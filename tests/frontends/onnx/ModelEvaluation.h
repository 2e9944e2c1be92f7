// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ONNX models through import and interpreter, so that tests speak of
// values and not of IR.
#ifndef ZENITH_TESTS_FRONTENDS_ONNX_MODELEVALUATION_H
#define ZENITH_TESTS_FRONTENDS_ONNX_MODELEVALUATION_H

#include "SampleModels.h"
#include "frontends/onnx/ImportONNX.h"
#include "frontends/onnx/import/NodeReading.h"
#include "ir/interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace zenith::onnx {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;
using Values = std::map<std::string, Tensor>;

inline std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

/// A tensor as text: type and elements, NaN included.
inline std::string textOf(const zenith::Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << tensor.toElements();
  return text;
}

inline zenith::Tensor interpreterTensor(const Tensor &tensor,
                                        mlir::MLIRContext *context) {
  auto type = mlir::RankedTensorType::get(tensor.dims,
                                          elementTypeOf(tensor.type, context));
  return zenith::Tensor::fromElements(denseElements(tensor, type));
}

/// Runs @main on the inputs that its arguments name. External parameters are
/// read from `folder`.
inline llvm::Expected<std::vector<zenith::Tensor>>
runModule(mlir::ModuleOp module, const Values &inputs,
          const std::string &folder = ".") {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<zenith::Tensor> arguments;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto name = main.getArgAttrOfType<mlir::StringAttr>(i, "graph.name").str();
    arguments.push_back(
        interpreterTensor(inputs.at(name), module.getContext()));
  }
  interpreter::Options options;
  options.loadParam =
      [&](llvm::StringRef name, mlir::RankedTensorType type,
          mlir::Attribute source) -> llvm::Expected<zenith::Tensor> {
    if (auto elements = mlir::dyn_cast<mlir::ElementsAttr>(source))
      return zenith::Tensor::fromElements(elements);
    auto external = mlir::cast<graph::ExternalAttr>(source);
    auto file =
        files::ByteSource::open(folder + "/" + external.getFile().str());
    if (!file)
      return llvm::createStringError(file.error().text);
    return zenith::Tensor(type, (*file)->bytes().data() + external.getOffset(),
                          *file);
  };
  return interpreter::run(main, arguments, options);
}

inline ValueInfo valueOf(std::string name, DataType type,
                         std::vector<Dim> dims) {
  ValueInfo info = floatValue(std::move(name), std::move(dims));
  info.type.element = type;
  return info;
}

/// A model of one node whose inputs are the given tensors, with static shapes.
inline Model nodeModel(Node node, const std::vector<Tensor> &inputs,
                       int64_t opset = 17) {
  Model model = emptyModel(opset);
  for (const Tensor &tensor : inputs) {
    std::vector<Dim> dims;
    for (int64_t dim : tensor.dims)
      dims.push_back(fixed(dim));
    model.graph.inputs.push_back(valueOf(tensor.name, tensor.type, dims));
  }
  for (const std::string &output : node.outputs)
    model.graph.outputs.push_back({output, {}});
  model.graph.nodes = {std::move(node)};
  return model;
}

inline Values byName(const std::vector<Tensor> &tensors) {
  Values values;
  for (const Tensor &tensor : tensors)
    values[tensor.name] = tensor;
  return values;
}

inline Tensor floats(std::string name, std::vector<int64_t> dims,
                     std::vector<float> values) {
  return tensorOf<float>(std::move(name), DataType::Float, std::move(dims),
                         std::move(values));
}

inline Tensor integers(std::string name, std::vector<int64_t> dims,
                       std::vector<int64_t> values) {
  return tensorOf<int64_t>(std::move(name), DataType::Int64, std::move(dims),
                           std::move(values));
}

/// 0.5, -1.25, ...: distinct values of both signs.
inline Tensor ramp(std::string name, std::vector<int64_t> dims) {
  std::vector<float> values(*elementCount(dims));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (i % 2 ? -1.0f : 1.0f) * (0.5f + 0.75f * float(i % 13));
  return floats(std::move(name), std::move(dims), std::move(values));
}

} // namespace zenith::onnx

#endif // ZENITH_TESTS_FRONTENDS_ONNX_MODELEVALUATION_H
