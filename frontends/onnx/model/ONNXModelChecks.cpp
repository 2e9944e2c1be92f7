// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes and order: every value is defined once and before it is used;
// functions call each other without recursion.
#include "frontends/onnx/model/ONNXModelChecks.h"

#include <fmt/format.h>
#include <map>
#include <unordered_map>
#include <unordered_set>

using namespace zenith;
using namespace zenith::onnx;

namespace {

/// Names visible at a node: those of its graph and of the graphs around it.
struct Scope {
  const Scope *outer;
  std::unordered_set<std::string_view> names;

  bool contains(std::string_view name) const {
    return names.count(name) || (outer && outer->contains(name));
  }
};

Status checkGraph(const Graph &graph, const Scope *outer);

Status checkAttributes(const Node &node, const Scope &scope, bool inFunction) {
  std::unordered_set<std::string_view> names;
  for (const NodeAttribute &attribute : node.attributes) {
    if (attribute.name.empty())
      return invalid("attribute without a name").in(node.location());
    if (!names.insert(attribute.name).second)
      return invalid(
                 fmt::format("attribute '{}' is given twice", attribute.name))
          .in(node.location());
    if (!attribute.reference.empty() && !inFunction)
      return invalid(fmt::format(
                         "attribute '{}' refers to '{}' outside of a function",
                         attribute.name, attribute.reference))
          .in(node.location());
    for (const Graph &graph : attribute.graphs)
      if (Status status = checkGraph(graph, &scope); !status)
        return std::move(status.error()).in(attribute.name).in(node.location());
  }
  return noError();
}

/// Tells a cycle or a wrong order from an undefined name.
Error undefinedInput(const std::vector<Node> &nodes, const Node &user,
                     std::string_view name) {
  for (const Node &node : nodes)
    for (const std::string &output : node.outputs)
      if (output == name)
        return invalid(fmt::format("input '{}' is computed later, by {}: the "
                                   "nodes are not sorted or form a cycle",
                                   name, node.location()))
            .in(user.location());
  return invalid(fmt::format("input '{}' is not defined", name))
      .in(user.location());
}

Status checkNodes(const std::vector<Node> &nodes, Scope &scope,
                  bool inFunction) {
  for (const Node &node : nodes) {
    if (node.op.empty())
      return invalid("node without an operator").in(node.location());
    for (const std::string &input : node.inputs)
      if (!input.empty() && !scope.contains(input))
        return undefinedInput(nodes, node, input);
    if (Status status = checkAttributes(node, scope, inFunction); !status)
      return status;
    for (const std::string &output : node.outputs)
      if (!output.empty() && !scope.names.insert(output).second)
        return invalid(fmt::format("value '{}' is defined twice", output))
            .in(node.location());
  }
  return noError();
}

/// Tools that merge models may write an initializer twice.
bool sameTensor(const Tensor &lhs, const Tensor &rhs) {
  return lhs.type == rhs.type && lhs.dims == rhs.dims &&
         lhs.data.view() == rhs.data.view() && lhs.strings == rhs.strings;
}

Status checkGraph(const Graph &graph, const Scope *outer) {
  Scope scope{outer, {}};
  std::unordered_map<std::string_view, const Tensor *> initializers;
  for (const ValueInfo &input : graph.inputs) {
    if (input.name.empty())
      return invalid("graph input without a name").in("graph");
    if (!scope.names.insert(input.name).second)
      return invalid(
                 fmt::format("graph input '{}' is defined twice", input.name))
          .in("graph");
  }
  for (const Tensor &tensor : graph.initializers) {
    if (tensor.name.empty())
      return invalid("initializer without a name").in("graph");
    auto [known, isNew] = initializers.try_emplace(tensor.name, &tensor);
    if (!isNew && !sameTensor(*known->second, tensor))
      return invalid(
                 fmt::format("initializer '{}' is defined twice", tensor.name))
          .in("graph");
    scope.names.insert(
        tensor.name); // an input with this name gets its default value
  }
  if (Status status = checkNodes(graph.nodes, scope, /*inFunction=*/false);
      !status)
    return std::move(status.error()).in("graph");
  for (const ValueInfo &output : graph.outputs)
    if (!scope.contains(output.name))
      return invalid(
                 fmt::format("graph output '{}' is not defined", output.name))
          .in("graph");
  return noError();
}

using FunctionMap =
    std::map<std::pair<std::string_view, std::string_view>, const Function *>;

std::string_view canonicalDomain(std::string_view domain) {
  return domain == "ai.onnx" ? "" : domain;
}

Status checkFunction(const Function &function) {
  Scope scope{nullptr, {}};
  for (const std::string &input : function.inputs)
    if (!scope.names.insert(input).second)
      return invalid(
          fmt::format("function input '{}' is defined twice", input));
  if (Status status = checkNodes(function.nodes, scope, /*inFunction=*/true);
      !status)
    return status;
  for (const std::string &output : function.outputs)
    if (!scope.contains(output))
      return invalid(
          fmt::format("function output '{}' is not defined", output));
  return noError();
}

/// Walks calls depth first. `open` holds the functions whose bodies are being
/// walked; meeting one again is recursion. The depth is bounded by the number
/// of functions, which a hostile file can make large, hence its own limit.
Status checkCalls(const std::vector<Node> &nodes, const FunctionMap &functions,
                  std::map<const Function *, bool> &open, int depth) {
  constexpr int maxCallDepth = 64;
  for (const Node &node : nodes) {
    for (const NodeAttribute &attribute : node.attributes)
      for (const Graph &graph : attribute.graphs)
        if (Status status = checkCalls(graph.nodes, functions, open, depth);
            !status)
          return status;
    auto callee = functions.find({canonicalDomain(node.domain), node.op});
    if (callee == functions.end())
      continue;
    auto [state, fresh] = open.insert({callee->second, true});
    if (!fresh && state->second)
      return invalid(fmt::format("function '{}' calls itself", node.op))
          .in(node.location());
    if (!fresh)
      continue;
    if (depth >= maxCallDepth)
      return unsupported(fmt::format("functions call each other deeper than {}",
                                     maxCallDepth))
          .in(node.location());
    if (Status status =
            checkCalls(callee->second->nodes, functions, open, depth + 1);
        !status)
      return status;
    open[callee->second] = false;
  }
  return noError();
}

Status checkOpsets(const std::vector<OpsetImport> &opsets) {
  std::unordered_map<std::string_view, int64_t> versions;
  for (const OpsetImport &opset : opsets) {
    auto [known, isNew] =
        versions.try_emplace(canonicalDomain(opset.domain), opset.version);
    // Some converters write an import twice.
    if (!isNew && known->second != opset.version)
      return invalid(fmt::format("opset of domain '{}' is imported twice, as "
                                 "{} and as {}",
                                 opset.domain, known->second, opset.version));
    if (opset.version < 0)
      return invalid(fmt::format("opset version {} of domain '{}' is negative",
                                 opset.version, opset.domain));
  }
  return noError();
}

} // namespace

Status zenith::onnx::checkModel(const Model &model) {
  if (Status status = checkOpsets(model.opsets); !status)
    return status;
  FunctionMap functions;
  for (const Function &function : model.functions) {
    if (!functions
             .insert(
                 {{canonicalDomain(function.domain), function.name}, &function})
             .second)
      return invalid(
          fmt::format("function '{}' is defined twice", function.name));
    Status status = checkOpsets(function.opsets);
    if (status)
      status = checkFunction(function);
    if (!status)
      return std::move(status.error())
          .in(fmt::format("function '{}'", function.name));
  }
  if (Status status = checkGraph(model.graph, nullptr); !status)
    return status;
  std::map<const Function *, bool> open;
  return checkCalls(model.graph.nodes, functions, open, 0);
}
