// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import of one model: the state that its parts share.
#ifndef ZENITH_FRONTENDS_ONNX_IMPORT_MODELREADING_H
#define ZENITH_FRONTENDS_ONNX_IMPORT_MODELREADING_H

#include "frontends/onnx/DimNames.h"
#include "frontends/onnx/ImportONNX.h"
#include "frontends/onnx/import/NodeReading.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <deque>
#include <set>
#include <unordered_map>

namespace zenith::onnx {

/// Names of a graph or function body, and around it those of the graph that
/// contains it.
struct Scope {
  const Scope *outer = nullptr;
  std::unordered_map<std::string, ImportedValue *> names;
  const std::vector<OpsetImport> *opsets = nullptr;

  Scope() = default;
  /// Of a subgraph.
  explicit Scope(const Scope *outer) : outer(outer), opsets(outer->opsets) {}

  ImportedValue *find(const std::string &name) const {
    if (auto found = names.find(name); found != names.end())
      return found->second;
    return outer ? outer->find(name) : nullptr;
  }
};

/// "ai.onnx" is the default domain too.
inline std::string_view plainDomain(std::string_view domain) {
  return domain == "ai.onnx" ? "" : domain;
}

class ModelReading : public ValueSource {
public:
  ModelReading(const Model &model, mlir::MLIRContext *context,
               const ImportOptions &options)
      : model(model), options(options), context(context),
        module(mlir::ModuleOp::create(mlir::UnknownLoc::get(context))),
        b(mlir::OpBuilder(context), mlir::UnknownLoc::get(context)) {}

  Result<mlir::OwningOpRef<mlir::ModuleOp>> run();

  Value readParameter(ImportedValue &value) override;
  ImportedValue constantValue(const Tensor &tensor,
                              const std::string &name) override;
  const Tensor &keep(Tensor tensor) override {
    return keptTensors.emplace_back(std::move(tensor));
  }
  ImportedValue *keepValue(ImportedValue value) override {
    // Lists have a type too, for rules that ask before they read.
    if (!value.type)
      value.type = mlir::RankedTensorType::get({}, b.builder.getI64Type());
    return &values.emplace_back(std::move(value));
  }
  std::optional<int64_t> declaredRank(const std::string &name) const override;
  std::vector<ImportedValue *>
  importSubgraph(const Graph &graph,
                 std::vector<ImportedValue *> arguments) override {
    return importBody(graph, *nodeScope, std::move(arguments));
  }

private:
  using Inputs = std::vector<ImportedValue *>;
  using NodeRule = Status (ModelReading::*)(const Node &, Scope &,
                                            const Inputs &);

  //===-- signature and parameters --------------------------------------===//
  Status createFunction(Scope &scope);
  Result<mlir::RankedTensorType>
  argumentType(const ValueInfo &input, unsigned argument,
               llvm::SmallVector<mlir::Attribute> &dims);
  Status importReturn(const Scope &scope);
  void createParameter(const Tensor &tensor, mlir::RankedTensorType type,
                       const std::string &name);
  /// The value as a parameter; one per tensor.
  ImportedValue asParameter(ImportedValue value, const std::string &name);
  /// Constants of floats that training changes are parameters of any size.
  ImportedValue initializerValue(const Tensor &tensor);
  void keepScalarsConstant();
  void eraseUnusedParameters();
  void nameResults(mlir::func::FuncOp function, mlir::ValueRange results);
  ImportedValue wordsValue(const Tensor &tensor);
  Status checkType(const ValueType &declared, const ImportedValue &value);

  //===-- nodes ---------------------------------------------------------===//
  Status importGraphBody(const Graph &graph, Scope &scope);
  Status checkDeclared(
      const Node &node, const Scope &scope,
      const llvm::DenseMap<llvm::StringRef, const ValueInfo *> &declared);
  Status importNode(const Node &node, Scope &scope);
  Status importOperator(const Node &node, Scope &scope, Inputs inputs);
  /// Brings strings among the inputs to positions in one list.
  void shareWords(Inputs &inputs);
  Status importCall(const Node &node, const Function &function, Scope &scope,
                    const Inputs &inputs);
  const Function *findFunction(const Node &node) const;
  int64_t versionOf(const Node &node, const Scope &scope) const;
  ImportedValue *bind(Scope &scope, const std::string &name,
                      ImportedValue value);
  /// Binds the named outputs of a node, in order, to its results.
  void bindTensors(Scope &scope, const Node &node,
                   llvm::ArrayRef<mlir::Value> results);
  Value read(ImportedValue &value);

  //===-- nodes with subgraphs ------------------------------------------===//
  static NodeRule controlRule(const Node &node);
  Result<const Graph *> subgraph(const Node &node, const char *attribute,
                                 size_t inputs, size_t outputs) const;
  Status importIf(const Node &node, Scope &scope, const Inputs &inputs);
  Status importLoop(const Node &node, Scope &scope, const Inputs &inputs);
  Status importScan(const Node &node, Scope &scope, const Inputs &inputs);
  Status importSequenceMap(const Node &node, Scope &scope,
                           const Inputs &inputs);
  Status importOldScan(const Node &node, const Graph &body, Scope &scope,
                       const Inputs &inputs);
  /// Imports a subgraph with its inputs bound; gives the values of its outputs.
  /// On errors the builder has failed and the result is empty.
  Inputs importBody(const Graph &graph, const Scope &scope, Inputs arguments);
  friend struct LoopReading;
  friend struct ScanReading;

  const Model &model;
  const ImportOptions &options;
  mlir::MLIRContext *context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ImportBuilder b;
  mlir::func::FuncOp function;
  mlir::Operation *lastParameter = nullptr;
  std::deque<ImportedValue> values;
  std::deque<Tensor> keptTensors;
  std::deque<Node> keptNodes;
  std::unordered_map<const Tensor *, std::string> parameters;
  std::set<std::string> symbols;
  size_t importedNodes = 0;
  int loopDepth = 0;
  const Scope *nodeScope = nullptr; // of the node that is being imported
  DimNames dimNames;
};

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_IMPORT_MODELREADING_H
