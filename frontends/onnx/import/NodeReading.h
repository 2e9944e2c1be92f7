// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of an import rule: one node's inputs, attributes and results.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_NODEREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_NODEREADING_H

#include "frontends/onnx/ImportONNX.h"
#include "frontends/onnx/import/ImportBuilder.h"
#include "frontends/onnx/import/TensorReading.h"

#include <memory>

namespace zenith::onnx {

/// The value of a name of the model. Shapes are computed symbolically, not as
/// data: a small integer tensor whose elements are known as expressions has
/// `elements`, and an op that makes it as data appears only if some rule reads
/// it as data.
struct ImportedValue {
  enum Kind { Tensor, Sequence, Optional };
  Kind kind = Tensor;
  /// Of a sequence: its elements. Of an optional: what it holds, if anything.
  std::vector<ImportedValue *> items;
  /// A sequence whose length is known at run time only: `data` has its elements
  /// along a new dimension 0.
  bool isStacked = false;
  /// The tensor behind a list of maps: a row per map, a column per key.
  bool isZipped = false;
  const char *kindName() const {
    return kind == Sequence   ? "sequence"
           : kind == Optional ? "optional"
                              : "tensor";
  }

  mlir::RankedTensorType type;
  /// The element type that the model gives the tensor.
  DataType elementType() const {
    return emulated != DataType::Undefined ? emulated
                                           : dataTypeOf(type.getElementType());
  }
  /// The element type that the tensor emulates, if GraphIR lacks it: `data`
  /// stores its bits or values. Few rules take such values.
  DataType emulated = DataType::Undefined;
  /// Of strings: the list that `data` has positions in, as i64.
  std::shared_ptr<const std::vector<std::string>> words;
  Value data; // null until a rule reads it as data
  std::optional<llvm::SmallVector<DimExpr>>
      elements;                         // row-major; the type is static
  const onnx::Tensor *tensor = nullptr; // a constant of the model
  std::string parameter; // name of the graph.param that holds a large constant
  std::string missing;   // why there is no value: a result that the import does
                         // not compute
};

/// Known elements with their shape, while a rule folds constants.
struct Elements {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<DimExpr> values;
};

/// More elements than this are computed as data.
constexpr int64_t maxKnownElements = 256;

/// The model-wide part of the import that nodes need.
class ValueSource {
public:
  virtual ~ValueSource() = default;
  /// A value that reads a large constant.
  virtual Value readParameter(ImportedValue &value) = 0;
  /// Keeps a tensor that an import rule made for as long as the import lasts,
  /// and gives it as a value.
  virtual ImportedValue constantValue(const Tensor &tensor,
                                      const std::string &name) = 0;
  virtual const Tensor &keep(Tensor tensor) = 0;
  virtual ImportedValue *keepValue(ImportedValue value) = 0;
  /// The rank that the model declares for a value of its main graph.
  virtual std::optional<int64_t>
  declaredRank(const std::string &name) const = 0;
  /// Results of a subgraph of the node that is being imported; empty on errors,
  /// which the builder then holds.
  virtual std::vector<ImportedValue *>
  importSubgraph(const Graph &graph,
                 std::vector<ImportedValue *> arguments) = 0;
};

class NodeReading {
public:
  NodeReading(const Node &node, int64_t version, ImportBuilder &b,
              ValueSource &source, std::vector<ImportedValue *> inputs);

  const Node &node;
  const int64_t version; // of the node's opset
  ImportBuilder &b;
  ValueSource &source;

  void fail(Error error) { b.fail(std::move(error)); }
  bool failed() const { return b.failed(); }

  //===-- inputs --------------------------------------------------------===//
  size_t inputCount() const { return inputs.size(); }
  bool has(size_t index) const {
    return index < inputs.size() && inputs[index];
  }
  /// The node's error where one of these inputs is absent: for operators whose
  /// first inputs may be.
  bool needs(llvm::ArrayRef<size_t> indices);
  Value input(size_t index) { return materialise(*inputs[index]); }
  /// All inputs, for ops with any number of them.
  llvm::SmallVector<Value> allInputs();
  mlir::RankedTensorType type(size_t index) const {
    return inputs[index]->type;
  }
  mlir::Type elementType(size_t index) const {
    return type(index).getElementType();
  }
  int64_t rank(size_t index) const { return type(index).getRank(); }
  DimVector dims(size_t index);
  /// The constant that an input is.
  const Tensor *constantTensor(size_t index) const {
    return inputs[index]->tensor;
  }
  /// Value of a constant with one element.
  std::optional<double> constantScalar(size_t index) const;

  /// The operator and the shapes of its inputs, for messages about sizes.
  graph::SizeCheckSubject subject();

  //===-- shapes as values ----------------------------------------------===//
  /// Elements of an integer or boolean input, if they are known without reading
  /// data.
  std::optional<Elements> knownElements(size_t index);
  bool allElementsKnown();
  /// The same for a short vector; elements that are data are read one by one.
  /// Fails if that is not possible.
  llvm::SmallVector<DimExpr> elements(size_t index, const char *what);
  /// Constant integers: from attribute `name`, else from input `index`; nothing
  /// where both are absent.
  std::optional<llvm::SmallVector<int64_t>> constantInts(const char *name,
                                                         size_t index);

  //===-- attributes ----------------------------------------------------===//
  bool hasAttribute(const char *name) const {
    return node.attribute(name) != nullptr;
  }
  int64_t intAttribute(const char *name, int64_t otherwise);
  double floatAttribute(const char *name, double otherwise);
  std::string stringAttribute(const char *name, const char *otherwise);
  llvm::SmallVector<int64_t>
  intsAttribute(const char *name, llvm::ArrayRef<int64_t> otherwise = {});
  /// An axis that counts from the end where it is negative; fails outside of
  /// [-rank, rank).
  int64_t axis(int64_t value, int64_t rank);
  int64_t axisAttribute(const char *name, int64_t otherwise, int64_t rank) {
    return axis(intAttribute(name, otherwise), rank);
  }
  llvm::SmallVector<int64_t> axes(llvm::ArrayRef<int64_t> values, int64_t rank);

  //===-- results -------------------------------------------------------===//
  void result(size_t index, Value value);
  void result(Value value) { result(0, value); }
  void result(size_t index, ImportedValue value) {
    results[index] = std::move(value);
  }
  /// A result of an emulated type, as it is stored.
  void result(size_t index, Value stored, DataType emulated);
  /// A result of strings: positions in a list of them.
  void result(size_t index, Value positions, std::vector<std::string> words);
  /// A result that is given by its elements.
  void result(size_t index, Elements elements, mlir::Type element);
  /// The rank of a result as the model declares it.
  std::optional<int64_t> declaredRank(size_t index) const {
    return wants(index) ? source.declaredRank(node.outputs[index])
                        : std::nullopt;
  }
  bool wants(size_t index) const {
    return index < node.outputs.size() && !node.outputs[index].empty();
  }
  const ImportedValue &imported(size_t index) const { return *inputs[index]; }
  ImportedValue *pointer(size_t index) const { return inputs[index]; }
  /// Reads a value that is no input of the node.
  Value read(ImportedValue &value) { return materialise(value); }

  std::vector<std::optional<ImportedValue>> results;

private:
  Value materialise(ImportedValue &value);
  const NodeAttribute *attribute(const char *name, NodeAttribute::Kind kind);

  std::vector<ImportedValue *> inputs;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_NODEREADING_H
