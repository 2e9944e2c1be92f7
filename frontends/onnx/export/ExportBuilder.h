// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations that export rules are made of: nodes, constants, shapes.
// Broadcasts are written only if an operator does not broadcast by itself.
#ifndef ZENITH_FRONTENDS_ONNX_EXPORT_EXPORTBUILDER_H
#define ZENITH_FRONTENDS_ONNX_EXPORT_EXPORTBUILDER_H

#include "frontends/onnx/model/ONNXModel.h"
#include "ir/GraphOps.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <map>
#include <set>

namespace zenith::onnx {

using mlir::Value;

NodeAttribute makeInt(std::string name, int64_t value);
NodeAttribute makeInts(std::string name, llvm::ArrayRef<int64_t> values);
NodeAttribute makeFloat(std::string name, double value);
NodeAttribute makeString(std::string name, std::string value);
NodeAttribute makeGraph(std::string name, Graph value);

/// A dimension as a constant or as the name of a scalar that holds it.
struct Size {
  std::optional<int64_t> value;
  std::string scalar;
};

class ExportBuilder {
public:
  ExportBuilder(Graph &graph, int64_t opset)
      : opset(opset), root(graph), graph(&graph) {}

  const int64_t opset;
  /// Name of the GraphIR op that is being written; nodes are called after it.
  std::string nodeName;

  void fail(Error error) {
    if (!firstError)
      firstError = std::move(error);
  }
  bool failed() const { return firstError.has_value(); }
  std::optional<Error> firstError;

  //===-- values --------------------------------------------------------===//
  /// The name of a value; a broadcast is expanded.
  std::string name(Value value);
  /// The same for an operand of an operator that broadcasts: right-aligned,
  /// with 1 where it repeats.
  std::string broadcastable(Value value);
  void bind(Value value, std::string name) { names[value] = std::move(name); }
  bool isBound(Value value) const { return names.count(value); }
  /// A name that no other value has.
  std::string fresh(const std::string &wish);
  bool reserve(const std::string &name) { return used.insert(name).second; }
  DataType typeOf(mlir::Type type);
  graph::DimVector dims(Value value) { return analysis.dimsOf(value); }

  //===-- nodes ---------------------------------------------------------===//
  using Names = std::vector<std::string>;
  using Attributes = std::vector<NodeAttribute>;
  /// Adds a node with one result and gives the result's name.
  std::string node(const std::string &op, Names inputs,
                   Attributes attributes = {});
  /// The same with several results; absent ones have an empty name.
  Names nodes(const std::string &op, Names inputs, Attributes attributes,
              size_t results, const std::string &domain = "");
  /// The node that made a value, if it is the operator `op` and takes `inputs`
  /// operands.
  Node *maker(const std::string &value, const std::string &op, size_t inputs);
  std::string cast(const std::string &value, mlir::Type to);
  std::string transpose(const std::string &value,
                        llvm::ArrayRef<int64_t> permutation);
  std::string reshape(const std::string &value, llvm::ArrayRef<Size> sizes);
  /// `factor - 1` copies of a scalar between the elements of a dimension;
  /// `sizes` are those of the value and become those of the result.
  std::string dilate(const std::string &value, llvm::SmallVector<Size> &sizes,
                     int64_t dim, int64_t factor, const std::string &filler);
  /// A reduction; its axes are an attribute or an input, by opset.
  std::string reduce(const std::string &op, const std::string &value,
                     llvm::ArrayRef<int64_t> axes, bool keepDims);

  //===-- subgraphs -----------------------------------------------------===//
  /// Writes one op by its row; set by the owner of the rows.
  std::function<void(mlir::Operation &)> writeOp;
  /// Writes the ops of a block; gives the names of its terminator's operands.
  Names block(mlir::Block &block);
  /// Writes nodes into a graph of their own; names that are bound in it are
  /// unknown outside. `write` gives the graph's results, whose types are
  /// `types`.
  Graph subgraph(const std::string &wish, mlir::TypeRange types,
                 llvm::function_ref<Names(Graph &)> write);
  ValueInfo declare(std::string name, mlir::Type type);
  /// Runs `inside`; names that it binds are forgotten afterwards.
  void scoped(llvm::function_ref<void()> inside);

  //===-- constants -----------------------------------------------------===//
  std::string initializer(Tensor tensor, const std::string &wish);
  std::string constant(mlir::ElementsAttr value);
  std::string scalar(mlir::Type element, double value);
  std::string ints(llvm::ArrayRef<int64_t> values);
  std::string intScalar(int64_t value);

  //===-- sizes ---------------------------------------------------------===//
  Size size(Value value, int64_t dim);
  llvm::SmallVector<Size> sizes(Value value);
  /// Dimensions of a type whose dynamic sizes the operands give.
  llvm::SmallVector<Size> sizes(mlir::RankedTensorType type,
                                mlir::ValueRange dynamic);
  /// Entries of a list with operands for the dynamic ones.
  llvm::SmallVector<Size> mixed(llvm::ArrayRef<int64_t> entries,
                                mlir::ValueRange dynamic);
  Size product(llvm::ArrayRef<Size> sizes);
  Size sum(const Size &lhs, const Size &rhs);
  std::string sizeName(const Size &size);
  /// A vector of sizes as a value.
  std::string shape(llvm::ArrayRef<Size> sizes);

private:
  Graph &root;  // has the constants
  Graph *graph; // that nodes go to
  graph::DimAnalysis analysis;
  llvm::DenseMap<Value, std::string> names, unexpanded;
  std::map<std::pair<std::string, int64_t>, std::string> knownSizes;
  std::map<std::vector<int64_t>, std::string> knownInts;
  std::map<std::string, std::string> knownConstants;
  std::set<std::string> used;
};

/// Elements of an attribute as an ONNX tensor.
Tensor tensorOf(mlir::ElementsAttr value, DataType type);

/// One row per GraphIR op: how it is written. `name` is for rules that serve
/// several ops; `since` is the opset that such an operator needs.
struct ExportRow {
  llvm::StringLiteral op;
  void (*write)(mlir::Operation *op, ExportBuilder &b, const ExportRow &row);
  const char *name = "";
  int since = 1;
};

llvm::ArrayRef<ExportRow> elementwiseExports();
llvm::ArrayRef<ExportRow> movementExports();
llvm::ArrayRef<ExportRow> contractionExports();
llvm::ArrayRef<ExportRow> reductionExports();
llvm::ArrayRef<ExportRow> regionReductionExports();
llvm::ArrayRef<ExportRow> indexingExports();
llvm::ArrayRef<ExportRow> compositeExports();
llvm::ArrayRef<ExportRow> controlExports();
llvm::ArrayRef<ExportRow> operatorCallExports();
llvm::ArrayRef<ExportRow> orderingExports();
llvm::ArrayRef<ExportRow> scatterExports();

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_EXPORT_EXPORTBUILDER_H
