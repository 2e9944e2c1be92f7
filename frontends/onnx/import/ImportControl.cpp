// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes with subgraphs: the list of their rules, the reading of a subgraph,
// branches and maps over sequences.
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/import/ModelReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;

ModelReading::NodeRule ModelReading::controlRule(const Node &node) {
  if (!plainDomain(node.domain).empty())
    return nullptr;
  if (node.op == "If")
    return &ModelReading::importIf;
  if (node.op == "Loop")
    return &ModelReading::importLoop;
  if (node.op == "Scan")
    return &ModelReading::importScan;
  if (node.op == "SequenceMap")
    return &ModelReading::importSequenceMap;
  return nullptr;
}

Result<const Graph *> ModelReading::subgraph(const Node &node, const char *name,
                                             size_t inputs,
                                             size_t outputs) const {
  const NodeAttribute *attribute = node.attribute(name);
  if (!attribute || attribute->graphs.size() != 1)
    return invalid(fmt::format("attribute '{}' is not a graph", name));
  const Graph &graph = attribute->graphs.front();
  if (graph.inputs.size() != inputs || graph.outputs.size() < outputs)
    return invalid(fmt::format(
        "subgraph '{}' takes {} inputs and gives {} results where the node "
        "needs {} and {}",
        name, graph.inputs.size(), graph.outputs.size(), inputs, outputs));
  return &graph;
}

ModelReading::Inputs ModelReading::importBody(const Graph &graph,
                                              const Scope &scope,
                                              Inputs arguments) {
  // The error keeps the locations that it has gathered on its way.
  auto fail = [&](Error error) {
    b.firstError = std::move(error);
    return Inputs();
  };
  Scope inner(&scope);
  for (auto [input, argument] : llvm::zip_equal(graph.inputs, arguments))
    inner.names[input.name] = argument;
  Location loc = b.loc;
  Status status = importGraphBody(graph, inner);
  b.loc = loc;
  if (!status)
    return fail(std::move(status.error()));
  Inputs results;
  for (const ValueInfo &output : graph.outputs) {
    ImportedValue *value = inner.find(output.name);
    if (!value || !value->missing.empty())
      return fail(
          unsupported(value ? value->missing : "an absent value as output")
              .in(fmt::format("output '{}'", output.name)));
    if (value->emulated != DataType::Undefined)
      return fail(unsupported(
          fmt::format("outputs of type {}", dataTypeName(value->emulated))));
    results.push_back(value);
  }
  return results;
}

namespace {

/// What a branch gives for a result, apart from its tensors.
struct Shell {
  ImportedValue::Kind kind;
  bool isStacked;
  std::vector<Shell> items;
  bool operator==(const Shell &other) const {
    return kind == other.kind && isStacked == other.isStacked &&
           items == other.items;
  }
};

} // namespace

static Shell shellOf(const ImportedValue &value) {
  Shell shell{value.kind, value.isStacked, {}};
  for (const ImportedValue *item : value.items)
    shell.items.push_back(shellOf(*item));
  return shell;
}

static void appendTensors(ImportedValue &value,
                          llvm::function_ref<Value(ImportedValue &)> read,
                          Values &values) {
  if (value.kind == ImportedValue::Tensor || value.isStacked)
    values.push_back(read(value));
  for (ImportedValue *item : value.items)
    appendTensors(*item, read, values);
}

/// Builds a value of the shell's structure from tensors.
static ImportedValue fill(const Shell &shell, ArrayRef<Value> &values,
                          ValueSource &source) {
  ImportedValue result;
  result.kind = shell.kind;
  result.isStacked = shell.isStacked;
  if (shell.kind == ImportedValue::Tensor || shell.isStacked) {
    result.data = values.front();
    result.type = cast<RankedTensorType>(values.front().getType());
    values = values.drop_front();
  }
  for (const Shell &item : shell.items)
    result.items.push_back(source.keepValue(fill(item, values, source)));
  return result;
}

/// A branch whose condition is known is part of the graph.
Status ModelReading::importIf(const Node &node, Scope &scope,
                              const Inputs &inputs) {
  if (inputs.size() != 1 || !inputs[0])
    return invalid("If takes one condition");
  NodeReading rule(node, 1, b, *this, inputs);
  auto thenGraph = subgraph(node, "then_branch", 0, node.outputs.size());
  if (!thenGraph)
    return thenGraph.error();
  auto elseGraph = subgraph(node, "else_branch", 0, node.outputs.size());
  if (!elseGraph)
    return elseGraph.error();
  if (inputs[0]->kind != ImportedValue::Tensor ||
      !rule.elementType(0).isInteger(1))
    return invalid("the condition is not a boolean");
  auto condition = rule.knownElements(0);
  auto chosen = condition && condition->values.size() == 1
                    ? condition->values[0].constant()
                    : std::nullopt;
  Inputs results;
  if (chosen) {
    results = importBody(*chosen ? **thenGraph : **elseGraph, scope, {});
    if (b.failed())
      return *b.firstError;
    for (auto [index, name] : llvm::enumerate(node.outputs))
      if (!name.empty())
        scope.names[name] = results[index];
    return noError();
  }
  std::vector<Shell> shells;
  bool first = true;
  auto branch = [&](const Graph &graph) {
    Inputs outputs = importBody(graph, scope, {});
    outputs.resize(std::min(outputs.size(), node.outputs.size()));
    Values values;
    std::vector<Shell> these;
    for (ImportedValue *output : outputs) {
      appendTensors(
          *output, [&](ImportedValue &value) { return read(value); }, values);
      these.push_back(shellOf(*output));
    }
    if (!b.failed() && !first && !(these == shells))
      b.fail(unsupported("branches that give sequences or optionals of "
                         "different lengths"));
    shells = std::move(these);
    first = false;
    return values;
  };
  Value predicate = asScalar(b, rule.input(0));
  Values values = buildIf(
      b, predicate, [&] { return branch(**thenGraph); },
      [&] { return branch(**elseGraph); });
  if (b.failed())
    return *b.firstError;
  ArrayRef<Value> rest = values;
  for (auto [name, shell] : llvm::zip_equal(node.outputs, shells)) {
    ImportedValue value = fill(shell, rest, *this);
    if (!name.empty())
      bind(scope, name, std::move(value));
  }
  return noError();
}

/// The subgraph once per element.
Status ModelReading::importSequenceMap(const Node &node, Scope &scope,
                                       const Inputs &inputs) {
  if (inputs.empty() || !inputs[0] ||
      inputs[0]->kind != ImportedValue::Sequence)
    return invalid("SequenceMap takes a sequence");
  auto body = subgraph(node, "body", inputs.size(), node.outputs.size());
  if (!body)
    return body.error();
  for (ImportedValue *input : inputs)
    if (!input)
      return invalid("an input is absent");
    else if (input->isStacked)
      return unsupported("SequenceMap over a sequence whose length is not "
                         "known before running");
    else if (input->kind == ImportedValue::Sequence &&
             input->items.size() < inputs[0]->items.size())
      return invalid("the sequences differ in length");
  std::vector<ImportedValue> results(node.outputs.size());
  for (ImportedValue &result : results)
    result.kind = ImportedValue::Sequence;
  for (size_t i = 0; i < inputs[0]->items.size(); ++i) {
    Inputs arguments;
    for (ImportedValue *input : inputs)
      arguments.push_back(
          input->kind == ImportedValue::Sequence ? input->items[i] : input);
    Inputs outputs = importBody(**body, scope, std::move(arguments));
    if (b.failed())
      return *b.firstError;
    for (auto [result, output] : llvm::zip(results, outputs))
      result.items.push_back(output);
  }
  for (auto [name, result] : llvm::zip_equal(node.outputs, results))
    if (!name.empty())
      bind(scope, name, std::move(result));
  return noError();
}
