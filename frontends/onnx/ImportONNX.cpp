// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the model: signature, initializers, then node by node through the op
// table; calls of local functions inline.
#include "frontends/onnx/ImportONNX.h"
#include "frontends/onnx/DimNames.h"
#include "frontends/onnx/NodeImport.h"
#include "frontends/onnx/ONNXOpTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::SmallVector;

namespace {

/// Constants of at least this many bytes are parameters.
constexpr uint64_t parameterBytes = 1024;

/// Names of a graph or function body, and around it those of the graph that
/// contains it.
struct Scope {
  const Scope *outer = nullptr;
  std::unordered_map<std::string, ImportedValue *> names;
  const std::vector<OpsetImport> *opsets;

  ImportedValue *find(const std::string &name) const {
    if (auto found = names.find(name); found != names.end())
      return found->second;
    return outer ? outer->find(name) : nullptr;
  }
};

class ModelImport : public ValueSource {
public:
  ModelImport(const Model &model, MLIRContext *context,
              const ImportOptions &options)
      : model(model), options(options), context(context),
        module(ModuleOp::create(UnknownLoc::get(context))),
        b(OpBuilder(context), UnknownLoc::get(context)) {}

  Result<OwningOpRef<ModuleOp>> run();

  Value readParameter(ImportedValue &value) override;
  ImportedValue constantValue(const Tensor &tensor,
                              const std::string &name) override;
  const Tensor &keep(Tensor tensor) override {
    return keptTensors.emplace_back(std::move(tensor));
  }

private:
  Status createFunction(Scope &scope);
  Result<RankedTensorType> argumentType(const ValueInfo &input, unsigned number,
                                        SmallVector<Attribute> &dims);
  Status importGraphBody(const Graph &graph, Scope &scope);
  Status importNode(const Node &node, Scope &scope);
  Status importOperator(const Node &node, Scope &scope,
                        std::vector<ImportedValue *> inputs);
  Status importCall(const Node &node, const Function &function, Scope &scope,
                    const std::vector<ImportedValue *> &inputs);
  Status importIf(const Node &node, Scope &scope,
                  std::vector<ImportedValue *> inputs);
  Status importReturn(const Scope &scope);
  void createParameter(const Tensor &tensor, RankedTensorType type,
                       const std::string &name);
  void nameResults(func::FuncOp function, ValueRange results);
  const Function *findFunction(const Node &node) const;
  ImportedValue *bind(Scope &scope, const std::string &name,
                      ImportedValue value);

  const Model &model;
  const ImportOptions &options;
  MLIRContext *context;
  OwningOpRef<ModuleOp> module;
  ImportBuilder b;
  func::FuncOp function;
  Operation *lastParameter = nullptr;
  std::deque<ImportedValue> values;
  std::deque<Tensor> keptTensors;
  std::deque<Node> keptNodes;
  std::set<std::string> symbols;
  DimNames dimNames;
};

std::string_view plainDomain(std::string_view domain) {
  return domain == "ai.onnx" ? "" : domain;
}

int64_t opsetOf(const std::vector<OpsetImport> &opsets,
                std::string_view domain) {
  for (const OpsetImport &opset : opsets)
    if (plainDomain(opset.domain) == plainDomain(domain))
      return opset.version;
  return 0;
}

} // namespace

//===----------------------------------------------------------------------===//
// Constants and parameters
//===----------------------------------------------------------------------===//

void ModelImport::createParameter(const Tensor &tensor, RankedTensorType type,
                                  const std::string &name) {
  namespace fs = std::filesystem;
  Attribute source;
  // Elements below a byte are packed in ONNX and not in GraphIR, so these
  // cannot be mapped.
  if (tensor.data.inFile() && dataTypeBits(tensor.type) >= 8) {
    fs::path base = options.folder.empty() ? fs::path(model.path).parent_path()
                                           : fs::path(options.folder);
    std::error_code ignored;
    fs::path relative = fs::proximate(tensor.data.source->path(),
                                      base.empty() ? "." : base, ignored);
    source = graph::ExternalAttr::get(context, relative.string(),
                                      int64_t(tensor.data.offset),
                                      int64_t(tensor.data.length));
  } else {
    source = denseElements(tensor, type);
  }
  OpBuilder builder(context);
  if (lastParameter)
    builder.setInsertionPointAfter(lastParameter);
  else
    builder.setInsertionPointToStart(module->getBody());
  lastParameter = builder.create<graph::ParamOp>(
      NameLoc::get(builder.getStringAttr(name)), name, type, source);
}

Value ModelImport::readParameter(ImportedValue &value) {
  return b.emit<graph::GetParamOp>(
      value.type, FlatSymbolRefAttr::get(context, value.parameter));
}

ImportedValue ModelImport::constantValue(const Tensor &tensor,
                                         const std::string &name) {
  ImportedValue value;
  Type element = elementTypeOf(tensor.type, context);
  if (!element) {
    value.missing = fmt::format("constants of type {} are not supported",
                                dataTypeName(tensor.type));
    return value;
  }
  value.type = RankedTensorType::get(tensor.dims, element);
  value.tensor = &tensor;
  if (tensor.data.length < parameterBytes)
    return value;
  std::string unique = name.empty() ? "constant" : name;
  for (int suffix = 1; !symbols.insert(unique).second; ++suffix)
    unique = fmt::format("{}_{}", name, suffix);
  createParameter(tensor, value.type, unique);
  value.parameter = unique;
  return value;
}

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

ImportedValue *ModelImport::bind(Scope &scope, const std::string &name,
                                 ImportedValue value) {
  ImportedValue *kept = &values.emplace_back(std::move(value));
  scope.names[name] = kept;
  return kept;
}

/// Type of an argument and the text of its dimensions, with the sizes that the
/// caller gave put in.
Result<RankedTensorType>
ModelImport::argumentType(const ValueInfo &input, unsigned number,
                          SmallVector<Attribute> &dims) {
  if (input.type.kind != ValueType::TensorKind)
    return unsupported("inputs that are not tensors");
  if (!input.type.hasShape)
    return unsupported("inputs without a shape");
  auto element = elementTypeOf(input.type.element, context);
  if (!element)
    return unsupported(
        fmt::format("inputs of type {}", dataTypeName(input.type.element)));
  SmallVector<int64_t> shape;
  for (const Dim &dim : input.type.dims) {
    std::optional<DimExpr> expr =
        dim.symbol.empty() ? std::nullopt : DimExpr::parse(dim.symbol);
    std::optional<int64_t> size = dim.value;
    if (!size && expr)
      size = expr->evaluate(
          [&](const std::string &name) -> std::optional<int64_t> {
            auto given = options.dims.find(name);
            return given == options.dims.end() ? std::nullopt
                                               : std::optional(given->second);
          });
    auto name =
        dim.symbol.empty() ? unnamedDim(number, dims.size()) : dim.symbol;
    if (auto given = options.dims.find(name);
        !size && given != options.dims.end())
      size = given->second;
    if (size && *size < 0)
      return invalid(
          fmt::format("dimension '{}' has size {}", dim.symbol, *size));
    shape.push_back(size.value_or(ShapedType::kDynamic));
    dims.push_back(
        StringAttr::get(context, size ? std::to_string(*size) : dim.symbol));
  }
  return RankedTensorType::get(shape, element);
}

Status ModelImport::createFunction(Scope &scope) {
  std::unordered_map<std::string, const Tensor *> initializers;
  for (const Tensor &tensor : model.graph.initializers)
    initializers[tensor.name] = &tensor;
  std::vector<const ValueInfo *> arguments;
  std::vector<SmallVector<Attribute>> dims;
  SmallVector<Type> types;
  std::set<std::string> bound;
  for (const ValueInfo &input : model.graph.inputs) {
    if (auto given = options.bindings.find(input.name);
        given != options.bindings.end()) {
      bound.insert(input.name);
      bind(scope, input.name, constantValue(given->second, input.name));
      continue;
    }
    if (initializers.count(input.name))
      continue;
    dims.emplace_back();
    auto type = argumentType(input, types.size(), dims.back());
    if (!type)
      return std::move(type.error())
          .in(fmt::format("input '{}'", input.name))
          .in("graph");
    arguments.push_back(&input);
    types.push_back(*type);
  }
  for (const auto &[name, tensor] : options.bindings)
    if (!bound.count(name))
      return invalid(fmt::format("there is no input '{}' to bind", name));
  for (const auto &argument : dims)
    for (Attribute text : argument)
      dimNames.add(cast<StringAttr>(text).str());
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module->getBody());
  function = builder.create<func::FuncOp>(
      UnknownLoc::get(context), "main", FunctionType::get(context, types, {}));
  Block *block = function.addEntryBlock();
  b.builder.setInsertionPointToEnd(block);
  for (auto [index, input] : llvm::enumerate(arguments)) {
    BlockArgument argument = block->getArgument(index);
    argument.setLoc(NameLoc::get(builder.getStringAttr(input->name)));
    function.setArgAttr(index, graph::nameAttrName,
                        builder.getStringAttr(input->name));
    for (Attribute &text : dims[index])
      text =
          builder.getStringAttr(dimNames.textOf(cast<StringAttr>(text).str()));
    function.setArgAttr(index, graph::dimsAttrName,
                        builder.getArrayAttr(dims[index]));
    ImportedValue value;
    value.type = cast<RankedTensorType>(argument.getType());
    value.data = argument;
    bind(scope, input->name, std::move(value));
  }
  for (BlockArgument argument : block->getArguments())
    b.bindDims(argument);
  return noError();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

const Function *ModelImport::findFunction(const Node &node) const {
  for (const Function &candidate : model.functions)
    if (candidate.name == node.op &&
        plainDomain(candidate.domain) == plainDomain(node.domain))
      return &candidate;
  return nullptr;
}

Status ModelImport::importOperator(const Node &node, Scope &scope,
                                   std::vector<ImportedValue *> inputs) {
  if (!plainDomain(node.domain).empty())
    return unsupported(fmt::format("operator {} of domain {} is not supported",
                                   node.op, node.domain));
  int64_t version = opsetOf(*scope.opsets, node.domain);
  if (version == 0 && model.irVersion < 3)
    version = 1; // there was no import of opsets yet
  if (version == 0)
    return invalid("no opset of the default domain is imported");
  bool known = false;
  const OpRow *row = findRow(node.op, version, known);
  if (!row)
    return unsupported(
        known ? fmt::format("operator {} of opset {} is not supported", node.op,
                            version)
              : fmt::format("operator {} is not supported", node.op));
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();
  int64_t count = inputs.size();
  if (count < row->minInputs || count > row->maxInputs)
    return invalid(
        fmt::format("operator {} has {} inputs where it takes {} to {}",
                    node.op, count, row->minInputs, row->maxInputs));
  for (int64_t i = 0; i < row->minInputs; ++i)
    if (!inputs[i])
      return invalid(fmt::format("input {} is absent", i));
  NodeImport rule(node, version, b, *this, std::move(inputs));
  if (!row->fold || !row->fold(rule))
    if (!b.failed())
      row->import(rule);
  if (b.failed())
    return *b.firstError;
  for (auto [name, result] : llvm::zip_equal(node.outputs, rule.results)) {
    if (name.empty())
      continue;
    ImportedValue missing;
    missing.missing = fmt::format("the result '{}' of {} is not supported",
                                  name, node.place());
    bind(scope, name, result ? std::move(*result) : std::move(missing));
  }
  return noError();
}

/// The body of a function call with the caller's attributes put in.
Status ModelImport::importCall(const Node &node, const Function &callee,
                               Scope &scope,
                               const std::vector<ImportedValue *> &inputs) {
  if (inputs.size() > callee.inputs.size() ||
      node.outputs.size() > callee.outputs.size())
    return invalid(
        fmt::format("function {} takes {} inputs and gives {} results",
                    callee.name, callee.inputs.size(), callee.outputs.size()));
  Scope inner;
  inner.opsets = callee.opsets.empty() ? scope.opsets : &callee.opsets;
  for (auto [index, name] : llvm::enumerate(callee.inputs))
    inner.names[name] = index < inputs.size() ? inputs[index] : nullptr;
  auto given = [&](const std::string &name) -> const NodeAttribute * {
    if (const auto *attribute = node.attribute(name))
      return attribute;
    for (const auto &attribute : callee.defaults)
      if (attribute.name == name)
        return &attribute;
    return nullptr;
  };
  for (const Node &original : callee.nodes) {
    constexpr size_t mostInlined = 200000;
    if (keptNodes.size() >= mostInlined)
      return unsupported(fmt::format(
          "calls of functions come to more than {} nodes", mostInlined));
    Node &copy = keptNodes.emplace_back(original);
    copy.attributes.clear();
    for (const auto &attribute : original.attributes) {
      const auto *value =
          attribute.reference.empty() ? &attribute : given(attribute.reference);
      if (!value)
        continue; // an optional attribute that the caller leaves out
      copy.attributes.push_back(*value);
      copy.attributes.back().name = attribute.name;
    }
    if (Status status = importNode(copy, inner); !status)
      return status;
  }
  for (auto [index, name] : llvm::enumerate(node.outputs))
    if (!name.empty())
      scope.names[name] = inner.find(callee.outputs[index]);
  return noError();
}

/// A branch whose condition is known is part of the graph; others need control
/// flow.
Status ModelImport::importIf(const Node &node, Scope &scope,
                             std::vector<ImportedValue *> inputs) {
  NodeImport rule(node, 1, b, *this, inputs);
  auto condition = rule.has(0) ? rule.knownElements(0) : std::nullopt;
  auto chosen = condition && condition->values.size() == 1
                    ? condition->values[0].constant()
                    : std::nullopt;
  if (!chosen)
    return unsupported("operator If with a condition that is not known before "
                       "running is not supported");
  const auto *branch = node.attribute(*chosen ? "then_branch" : "else_branch");
  if (!branch || branch->graphs.empty() ||
      branch->graphs[0].outputs.size() != node.outputs.size())
    return invalid("the branches of If do not fit its results");
  Scope inner;
  inner.outer = &scope;
  inner.opsets = scope.opsets;
  if (Status status = importGraphBody(branch->graphs[0], inner); !status)
    return status;
  for (auto [name, output] :
       llvm::zip_equal(node.outputs, branch->graphs[0].outputs))
    scope.names[name] = inner.find(output.name);
  return noError();
}

Status ModelImport::importNode(const Node &node, Scope &scope) {
  b.loc = NameLoc::get(StringAttr::get(
      context, node.name.empty() && !node.outputs.empty() ? node.outputs[0]
                                                          : node.name));
  std::vector<ImportedValue *> inputs;
  for (const std::string &name : node.inputs) {
    ImportedValue *value = name.empty() ? nullptr : scope.find(name);
    if (value && !value->missing.empty())
      return unsupported(value->missing).in(node.place());
    inputs.push_back(value);
  }
  Status status = noError();
  if (const Function *callee = findFunction(node))
    status = importCall(node, *callee, scope, inputs);
  else if (node.op == "If" && plainDomain(node.domain).empty())
    status = importIf(node, scope, inputs);
  else
    status = importOperator(node, scope, inputs);
  if (!status)
    return std::move(status.error()).in(node.place());
  return status;
}

Status ModelImport::importGraphBody(const Graph &graph, Scope &scope) {
  for (const Tensor &tensor : graph.initializers)
    if (!scope.names.count(tensor.name))
      bind(scope, tensor.name, constantValue(tensor, tensor.name));
  for (const Node &node : graph.nodes)
    if (Status status = importNode(node, scope); !status)
      return std::move(status.error()).in("graph");
  return noError();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Names and dimensions of results: the model's own names where a size is not a
/// number, else what is known.
void ModelImport::nameResults(func::FuncOp function, ValueRange results) {
  Builder builder(context);
  for (auto [index, value] : llvm::enumerate(results)) {
    const ValueInfo &output = model.graph.outputs[index];
    SmallVector<Attribute> dims;
    for (auto [dim, expr] : llvm::enumerate(b.dims(value))) {
      std::string text;
      if (dim < output.type.dims.size() && !expr.constant())
        text = dimNames.textOf(output.type.dims[dim].symbol);
      // A declared number that the analysis does not know is not to be relied
      // on.
      auto declared = DimExpr::parse(text);
      if (!declared || declared->constant())
        text = DimExpr::parse(expr.str()) ? expr.str() : "";
      dims.push_back(builder.getStringAttr(text));
    }
    function.setResultAttr(index, graph::nameAttrName,
                           builder.getStringAttr(output.name));
    function.setResultAttr(index, graph::dimsAttrName,
                           builder.getArrayAttr(dims));
  }
}

Status ModelImport::importReturn(const Scope &scope) {
  b.loc = UnknownLoc::get(context);
  SmallVector<Value> results;
  for (const ValueInfo &output : model.graph.outputs) {
    ImportedValue *value = scope.find(output.name);
    if (!value || !value->missing.empty())
      return unsupported(value ? value->missing : "an absent value as output")
          .in(fmt::format("output '{}'", output.name));
    Node none;
    NodeImport reader(none, 0, b, *this, {value});
    results.push_back(reader.input(0));
  }
  if (b.failed())
    return *b.firstError;
  b.builder.create<func::ReturnOp>(b.loc, results);
  function.setFunctionType(FunctionType::get(
      context, function.getArgumentTypes(), TypeRange(ValueRange(results))));
  nameResults(function, results);
  return noError();
}

/// Removes what nobody reads: scalars made for a type that turned out unused,
/// dead nodes of the model.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

Result<OwningOpRef<ModuleOp>> ModelImport::run() {
  symbols = {"main", graph::prepareFunctionName.str()};
  Scope scope;
  scope.opsets = &model.opsets;
  Status status = createFunction(scope);
  if (status)
    status = importGraphBody(model.graph, scope);
  if (status)
    status = importReturn(scope);
  if (!status)
    return status.error();
  eraseDeadOps(function.getBody().front());
  std::string text;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (text.empty())
      text = diagnostic.str();
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*module)))
    return invalid(text);
  return std::move(module);
}

Result<OwningOpRef<ModuleOp>>
zenith::onnx::importONNX(const Model &model, MLIRContext *context,
                         const ImportOptions &options) {
  context->loadDialect<graph::GraphDialect, func::FuncDialect>();
  return ModelImport(model, context, options).run();
}
