// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks nodes through the op table; calls of local functions inline.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/OpSchema.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/ModelReading.h"

#include "llvm/Support/SaveAndRestore.h"
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;

ImportedValue *ModelReading::bind(Scope &scope, const std::string &name,
                                  ImportedValue value) {
  return scope.names[name] = keepValue(std::move(value));
}

Value ModelReading::read(ImportedValue &value) {
  Node none;
  return NodeReading(none, 0, b, *this, {&value}).input(0);
}

std::optional<int64_t>
ModelReading::declaredRank(const std::string &name) const {
  for (const auto *values : {&model.graph.outputs, &model.graph.values})
    for (const ValueInfo &value : *values)
      if (value.name == name && value.type.hasShape)
        return int64_t(value.type.dims.size());
  return std::nullopt;
}

int64_t ModelReading::versionOf(const Node &node, const Scope &scope) const {
  for (const OpsetImport &opset : *scope.opsets)
    if (plainDomain(opset.domain) == plainDomain(node.domain))
      return opset.version;
  return model.irVersion < 3 ? 1 : 0; // there was no import of opsets yet
}

const Function *ModelReading::findFunction(const Node &node) const {
  for (const Function &candidate : model.functions)
    if (candidate.name == node.op &&
        plainDomain(candidate.domain) == plainDomain(node.domain))
      return &candidate;
  return nullptr;
}

/// Refuses values of emulated types where the operator does not take them.
static Status refuseEmulated(const Node &node,
                             llvm::ArrayRef<ImportedValue *> inputs,
                             Emulated use = Emulated::Refused) {
  auto isTaken = [&](DataType type) {
    bool isOrderly = type == DataType::String || type == DataType::Int2 ||
                     type == DataType::UInt2;
    return type == DataType::Undefined || use == Emulated::Read ||
           use == Emulated::Moved || (use == Emulated::Compared && isOrderly);
  };
  for (const ImportedValue *input : inputs)
    if (input && !isTaken(input->emulated))
      return unsupported(fmt::format("operator {} of type {}", node.op,
                                     dataTypeName(input->emulated)));
  return noError();
}

/// The type that all emulated inputs have; null if there are none. An error
/// where they differ.
static Result<const ImportedValue *>
commonEmulated(const Node &node, llvm::ArrayRef<ImportedValue *> inputs) {
  const ImportedValue *common = nullptr;
  for (const ImportedValue *input : inputs) {
    if (!input || input->emulated == DataType::Undefined)
      continue;
    if (common && common->emulated != input->emulated)
      return invalid(fmt::format("operator {} of types {} and {}", node.op,
                                 dataTypeName(common->emulated),
                                 dataTypeName(input->emulated)));
    common = input;
  }
  return common;
}

void ModelReading::shareWords(Inputs &inputs) {
  std::vector<std::string> all;
  std::unordered_map<std::string, int64_t> positions;
  std::vector<ImportedValue **> strings;
  for (ImportedValue *&input : inputs) {
    if (!input || !input->words)
      continue;
    strings.push_back(&input);
    llvm::SmallVector<int64_t> table;
    for (const std::string &word : *input->words) {
      auto [known, isNew] = positions.try_emplace(word, all.size());
      if (isNew)
        all.push_back(word);
      table.push_back(known->second);
    }
    ImportedValue shared = *input;
    if (!llvm::equal(table, llvm::seq<int64_t>(0, table.size()))) {
      shared = ImportedValue();
      shared.emulated = DataType::String;
      shared.data = gatherAlong(b, b.intVector(table), 0, read(*input));
      shared.type = cast<RankedTensorType>(shared.data.getType());
    }
    input = keepValue(std::move(shared));
  }
  auto words = std::make_shared<const std::vector<std::string>>(std::move(all));
  for (ImportedValue **input : strings)
    (*input)->words = words;
}

Status ModelReading::importOperator(const Node &node, Scope &scope,
                                    Inputs inputs) {
  std::string_view domain = plainDomain(node.domain);
  int64_t version = versionOf(node, scope);
  bool known = false;
  const OpRow *row = findRow(domain, node.op, version, known);
  if (version == 0 && domain.empty())
    return invalid("no opset of the default domain is imported");
  if (!row && !domain.empty() && !known)
    return unsupported(fmt::format("operator {} of domain {} is not supported",
                                   node.op, node.domain));
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
  if (node.op == "Identity" && inputs[0]->kind != ImportedValue::Tensor) {
    scope.names[node.outputs.at(0)] = inputs[0];
    return noError();
  }
  for (ImportedValue *input : inputs)
    if (input && input->kind != ImportedValue::Tensor && !row->takesLists)
      return invalid(fmt::format("an input is of kind {}", input->kindName()));
  if (Status status = refuseEmulated(node, inputs, row->emulated); !status)
    return status;
  const ImportedValue *emulated = nullptr;
  if (row->emulated == Emulated::Moved || row->emulated == Emulated::Compared) {
    auto common = commonEmulated(node, inputs);
    if (!common)
      return common.error();
    if (*common && (*common)->words)
      shareWords(inputs);
    if (*common && row->emulated == Emulated::Moved)
      emulated = *llvm::find_if(inputs, [](const ImportedValue *input) {
        return input && input->emulated != DataType::Undefined;
      });
  }
  llvm::SaveAndRestore<const Scope *> within(nodeScope, &scope);
  NodeReading rule(node, version, b, *this, inputs);
  llvm::SaveAndRestore words(b.subject,
                             std::function([&rule] { return rule.subject(); }));
  if (!row->fold || !row->fold(rule))
    if (!b.failed())
      row->import(rule);
  if (b.failed())
    return *b.firstError;
  for (auto [name, result] : llvm::zip_equal(node.outputs, rule.results)) {
    if (name.empty())
      continue;
    if (emulated && result) {
      result->emulated = emulated->emulated;
      result->words = emulated->words;
    }
    ImportedValue missing;
    missing.missing = fmt::format("the result '{}' of {} is not supported",
                                  name, node.location());
    bind(scope, name, result ? std::move(*result) : std::move(missing));
  }
  return noError();
}

/// Substitutes the attributes of a call for references to them, in subgraphs
/// too.
static void giveAttributes(Node &node, const Node &call,
                           const Function &callee) {
  auto given = [&](const std::string &name) -> const NodeAttribute * {
    if (const auto *attribute = call.attribute(name))
      return attribute;
    for (const auto &attribute : callee.defaults)
      if (attribute.name == name)
        return &attribute;
    return nullptr;
  };
  std::vector<NodeAttribute> attributes;
  for (NodeAttribute &attribute : node.attributes) {
    const NodeAttribute *value = &attribute;
    if (!attribute.reference.empty())
      value = given(attribute.reference);
    if (!value)
      continue; // an optional attribute that the caller leaves out
    attributes.push_back(*value);
    attributes.back().name = attribute.name;
    for (Graph &graph : attributes.back().graphs)
      for (Node &inner : graph.nodes)
        giveAttributes(inner, call, callee);
  }
  node.attributes = std::move(attributes);
}

/// Fails where a call gives an attribute that the function doesn't take.
static Status checkCallAttributes(const Node &node, const Function &callee) {
  for (const NodeAttribute &attribute : node.attributes) {
    bool isKnown = llvm::is_contained(callee.attributes, attribute.name) ||
                   llvm::any_of(callee.defaults, [&](const NodeAttribute &own) {
                     return own.name == attribute.name;
                   });
    if (!isKnown)
      return invalid(fmt::format("attribute '{}' is none of function {}",
                                 attribute.name, callee.name));
  }
  return noError();
}

/// The body of a function call with the caller's attributes substituted.
Status ModelReading::importCall(const Node &node, const Function &callee,
                                Scope &scope, const Inputs &inputs) {
  if (inputs.size() > callee.inputs.size() ||
      node.outputs.size() > callee.outputs.size())
    return invalid(
        fmt::format("function {} takes {} inputs and gives {} results",
                    callee.name, callee.inputs.size(), callee.outputs.size()));
  if (Status status = checkCallAttributes(node, callee); !status)
    return status;
  Scope inner;
  inner.opsets = callee.opsets.empty() ? scope.opsets : &callee.opsets;
  for (auto [index, name] : llvm::enumerate(callee.inputs))
    inner.names[name] = index < inputs.size() ? inputs[index] : nullptr;
  for (const Node &original : callee.nodes) {
    constexpr size_t mostInlined = 200000;
    if (keptNodes.size() >= mostInlined)
      return unsupported(fmt::format(
          "calls of functions come to more than {} nodes", mostInlined));
    Node &copy = keptNodes.emplace_back(original);
    giveAttributes(copy, node, callee);
    if (Status status = importNode(copy, inner); !status)
      return status;
  }
  for (auto [index, name] : llvm::enumerate(node.outputs))
    if (!name.empty())
      scope.names[name] = inner.find(callee.outputs[index]);
  return noError();
}

/// The element types of tensors.
static llvm::SmallVector<DataType>
elementTypes(llvm::ArrayRef<ImportedValue *> inputs) {
  return llvm::map_to_vector(inputs, [](const ImportedValue *input) {
    return input && input->kind == ImportedValue::Tensor ? input->elementType()
                                                         : DataType::Undefined;
  });
}

Status ModelReading::importNode(const Node &node, Scope &scope) {
  // Nested loops are imported again for every assumption that fails, and so are
  // their dimensions.
  constexpr size_t mostNodes = 300000;
  constexpr int deepest = 5;
  bool isLoop = plainDomain(node.domain).empty() &&
                (node.op == "Loop" || node.op == "Scan");
  if (++importedNodes > mostNodes || (isLoop && loopDepth == deepest))
    return unsupported("loops are nested too deeply").in(node.location());
  b.loc = NameLoc::get(StringAttr::get(
      context, node.name.empty() && !node.outputs.empty() ? node.outputs[0]
                                                          : node.name));
  Inputs inputs;
  for (const std::string &name : node.inputs) {
    ImportedValue *value = name.empty() ? nullptr : scope.find(name);
    if (value && !value->missing.empty())
      return unsupported(value->missing).in(node.location());
    inputs.push_back(value);
  }
  Status status = noError();
  const Function *callee = findFunction(node);
  if (!callee)
    status = checkNode(node, plainDomain(node.domain), versionOf(node, scope));
  if (!callee && status)
    status = checkInputTypes(node, plainDomain(node.domain),
                             versionOf(node, scope), elementTypes(inputs));
  if (!status)
    return std::move(status.error()).in(node.location());
  if (callee)
    status = importCall(node, *callee, scope, inputs);
  else if (NodeRule rule = controlRule(node)) {
    status = refuseEmulated(node, inputs);
    loopDepth += isLoop;
    if (status)
      status = (this->*rule)(node, scope, inputs);
    loopDepth -= isLoop;
  } else
    status = importOperator(node, scope, inputs);
  if (!status)
    return std::move(status.error()).in(node.location());
  return status;
}

/// Checks the results of a node against what its graph says of its values.
Status ModelReading::checkDeclared(
    const Node &node, const Scope &scope,
    const llvm::DenseMap<llvm::StringRef, const ValueInfo *> &declared) {
  for (const std::string &name : node.outputs) {
    const ValueInfo *info = declared.lookup(name);
    const ImportedValue *value = info ? scope.find(name) : nullptr;
    if (!value || !value->missing.empty() ||
        value->kind != ImportedValue::Tensor)
      continue;
    if (Status status = checkType(info->type, *value); !status)
      return std::move(status.error())
          .in(fmt::format("value_info '{}'", name))
          .in(node.location());
  }
  return noError();
}

Status ModelReading::importGraphBody(const Graph &graph, Scope &scope) {
  for (const Tensor &tensor : graph.initializers)
    if (!scope.names.count(tensor.name))
      bind(scope, tensor.name, initializerValue(tensor));
  llvm::DenseMap<llvm::StringRef, const ValueInfo *> declared;
  for (const ValueInfo &value : graph.values)
    declared.try_emplace(value.name, &value);
  for (const Node &node : graph.nodes) {
    Status status = importNode(node, scope);
    if (status && !declared.empty())
      status = checkDeclared(node, scope, declared);
    if (!status)
      return std::move(status.error()).in("graph");
  }
  return noError();
}
