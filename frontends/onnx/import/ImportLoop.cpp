// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rule of Loop. If the trip count is known before the first step,
// collected outputs go into buffers of the final size; otherwise the outputs
// grow with each step.
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/import/ModelReading.h"
#include "frontends/onnx/import/SequenceReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;

namespace zenith::onnx {

/// One Loop node on its way into the program.
struct LoopReading {
  LoopReading(ModelReading &import, ImportBuilder &b, const Node &node,
              Scope &scope, const std::vector<ImportedValue *> &inputs)
      : import(import), b(b), node(node), scope(scope), inputs(inputs) {}

  Status run();

private:
  using Inputs = std::vector<ImportedValue *>;

  Status readInputs();
  /// Imports the body to learn which outputs it collects and how lists change.
  /// The sizes of a collected output are the same in all steps, so if they seem
  /// to depend on the step, the sizes of step 0 count.
  void look();
  void lookAtStep(bool isFirst);
  void lookAtCondition();
  void lookAtCarried(ImportedValue &initial, ImportedValue &next);
  void lookAtCollected(ImportedValue &value);
  Inputs step(Value index, Value condition, ValueRange carried);
  Values initialValues();
  Values collect(ValueRange buffers, const Inputs &outputs, Value index);
  ImportedValue *known(bool truth);
  ImportedValue *data(Value value, bool asSequence = false);
  Values tensorsOf(const Inputs &outputs);
  void giveResults(const Values &results);

  ModelReading &import;
  ImportBuilder &b;
  const Node &node;
  Scope &scope;
  const Inputs &inputs;

  const Graph *body = nullptr;
  Inputs carried;
  std::optional<DimExpr> limit; // the trip count input of the node
  Value limitValue;
  ImportedValue *condition = nullptr;
  bool endless = false; // the condition is true in each step
  /// For each loop-carried value: the shape of its elements if it is a
  /// sequence.
  std::vector<std::optional<ElementShape>> sequences;
  std::vector<ElementShape> collected;
};

} // namespace zenith::onnx

ImportedValue *LoopReading::known(bool truth) {
  ImportedValue value;
  value.type = RankedTensorType::get({}, b.builder.getI1Type());
  value.elements = {DimExpr(int64_t(truth))};
  return import.keepValue(std::move(value));
}

ImportedValue *LoopReading::data(Value value, bool asSequence) {
  ImportedValue result;
  if (asSequence) {
    result = stackedSequence(value);
  } else {
    result.type = cast<RankedTensorType>(value.getType());
    result.data = value;
  }
  return import.keepValue(std::move(result));
}

/// True if a value is known to be true.
static bool isTrue(NodeReading &rule, size_t index) {
  auto elements = rule.knownElements(index);
  return elements && elements->values.size() == 1 &&
         elements->values[0].isConstant(1);
}

Status LoopReading::readInputs() {
  carried.assign(inputs.begin() + std::min<size_t>(2, inputs.size()),
                 inputs.end());
  for (ImportedValue *value : carried)
    if (!value)
      return invalid("an initial value is absent");
  auto graph =
      import.subgraph(node, "body", carried.size() + 2, carried.size() + 1);
  if (!graph)
    return graph.error();
  body = *graph;
  if (node.outputs.size() >= body->outputs.size())
    return invalid(fmt::format("Loop gives {} results where its body has {}",
                               node.outputs.size(), body->outputs.size() - 1));
  NodeReading rule(node, 1, b, import, inputs);
  if (rule.has(0)) {
    auto elements = rule.elements(0, "the number of steps");
    if (!b.failed() && elements.size() != 1)
      b.fail(invalid("the number of steps is not a scalar"));
    if (b.failed())
      return *b.firstError;
    limit = elements[0];
    limitValue = b.scalar(*limit);
  }
  if (rule.has(1) && !rule.elementType(1).isInteger(1))
    return invalid("the condition is not a boolean");
  if (rule.has(1))
    condition = inputs[1];
  endless = !condition || isTrue(rule, 1);
  return noError();
}

LoopReading::Inputs LoopReading::step(Value index, Value isOn,
                                      ValueRange values) {
  // Counts from 0; bodies may declare the count as a vector.
  ImportedValue count;
  auto scalarOrVector = [&](size_t input) -> llvm::SmallVector<int64_t> {
    const ValueType &type = body->inputs[input].type;
    if (type.hasShape && type.dims.size() == 1)
      return {1};
    return {};
  };
  count.type = RankedTensorType::get(scalarOrVector(0), b.builder.getI64Type());
  count.elements = {b.nameCount(index)};
  Inputs arguments = {import.keepValue(std::move(count))};
  if (endless)
    arguments.push_back(known(true));
  else
    arguments.push_back(
        data(scalarOrVector(1).empty() ? isOn : b.reshape(isOn, {DimExpr(1)})));
  for (auto [index, value] : llvm::enumerate(values))
    arguments.push_back(data(value, sequences[index].has_value()));
  return import.importBody(*body, scope, std::move(arguments));
}

//===----------------------------------------------------------------------===//
// Looking before building
//===----------------------------------------------------------------------===//

/// A sequence that stays a list cannot be loop-carried: it becomes a tensor of
/// its elements, whose shape the body tells.
void LoopReading::lookAtCarried(ImportedValue &initial, ImportedValue &next) {
  auto read = [&](ImportedValue &value) { return import.read(value); };
  if (initial.kind == ImportedValue::Optional)
    return b.fail(unsupported("a loop that carries an optional"));
  if (initial.kind == ImportedValue::Tensor)
    return sequences.push_back(std::nullopt);
  std::optional<ElementShape> shape;
  ImportedValue &tells =
      initial.isStacked || !initial.items.empty() ? initial : next;
  if (tells.isStacked) {
    DimVector dims = b.dims(tells.data);
    shape = ElementShape{DimVector(dims.begin() + 1, dims.end()),
                         tells.type.getElementType()};
  } else {
    shape = sharedShape(b, tells.items, read);
  }
  if (b.failed())
    return;
  if (!shape)
    shape = ElementShape{{}, b.builder.getF32Type()}; // always empty
  sequences.push_back(std::move(shape));
}

void LoopReading::lookAtCollected(ImportedValue &value) {
  if (value.kind != ImportedValue::Tensor)
    return b.fail(unsupported(fmt::format("a loop that collects values of "
                                          "kind {}",
                                          value.kindName())));
  Value tensor = import.read(value);
  collected.push_back({b.dims(tensor), getElementTypeOrSelf(tensor.getType())});
}

void LoopReading::lookAtStep(bool isFirst) {
  llvm::SmallVector<Type> types = {
      RankedTensorType::get({}, b.builder.getI64Type()),
      RankedTensorType::get({}, b.builder.getI1Type())};
  auto inside = [&](ValueRange arguments) -> Values {
    ImportedValue *index = data(arguments[0]);
    if (isFirst)
      index->elements = {DimExpr(0)};
    Inputs values = {index, endless ? known(true) : data(arguments[1])};
    values.insert(values.end(), carried.begin(), carried.end());
    Inputs outputs = import.importBody(*body, scope, std::move(values));
    if (b.failed())
      return {};
    NodeReading rule(node, 1, b, import, {outputs[0]});
    if (!isFirst)
      endless = endless && isTrue(rule, 0);
    sequences.clear();
    collected.clear();
    for (size_t i = 0; i < carried.size() && !b.failed(); ++i)
      lookAtCarried(*carried[i], *outputs[i + 1]);
    for (size_t i = carried.size() + 1; i < outputs.size() && !b.failed(); ++i)
      lookAtCollected(*outputs[i]);
    return {};
  };
  probe(b, types, inside);
}

/// In a later step nothing is known about loop-carried elements: a condition
/// that is true for the initial ones may become false.
void LoopReading::lookAtCondition() {
  llvm::SmallVector<Type> types = {
      RankedTensorType::get({}, b.builder.getI64Type())};
  auto isKnown = [](const ImportedValue *value) {
    return value->kind == ImportedValue::Tensor &&
           (value->elements || value->tensor);
  };
  if (llvm::none_of(carried, isKnown))
    return;
  for (ImportedValue *value : carried)
    if (isKnown(value))
      types.push_back(import.read(*value).getType());
  probe(b, types, [&](ValueRange arguments) -> Values {
    Inputs values = {data(arguments.front()), known(true)};
    arguments = arguments.drop_front();
    for (ImportedValue *value : carried)
      if (isKnown(value)) {
        values.push_back(data(arguments.front()));
        arguments = arguments.drop_front();
      } else {
        values.push_back(value);
      }
    Inputs outputs = import.importBody(*body, scope, std::move(values));
    if (b.failed())
      return {};
    NodeReading rule(node, 1, b, import, {outputs[0]});
    endless = isTrue(rule, 0);
    return {};
  });
}

void LoopReading::look() {
  auto readable = [&](const ElementShape &shape) {
    return llvm::all_of(shape.dims,
                        [&](const DimExpr &dim) { return b.canRead(dim); });
  };
  lookAtStep(/*isFirst=*/false);
  if (!b.failed() && endless)
    lookAtCondition();
  if (!b.failed() && !llvm::all_of(collected, readable))
    lookAtStep(/*isFirst=*/true);
  for (const ElementShape &shape : collected)
    if (!readable(shape))
      b.fail(unsupported("a loop that collects values whose size only the "
                         "loop knows"));
  for (const auto &shape : sequences)
    if (shape && !readable(*shape))
      b.fail(unsupported("a loop that carries a sequence of values whose size "
                         "only the loop knows"));
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Values LoopReading::initialValues() {
  Values values;
  for (auto [value, shape] : llvm::zip_equal(carried, sequences)) {
    if (!shape || value->isStacked) {
      values.push_back(import.read(*value));
      continue;
    }
    Values items;
    for (ImportedValue *item : value->items)
      items.push_back(import.read(*item));
    values.push_back(stack(b, items, *shape));
  }
  bool sized = endless && limit;
  DimExpr count = sized ? DimExpr::max(*limit, DimExpr(0)) : DimExpr(0);
  for (const ElementShape &shape : collected) {
    DimVector dims = {count};
    dims.append(shape.dims);
    values.push_back(b.filled(dims, shape.element, 0));
  }
  return values;
}

Values LoopReading::collect(ValueRange buffers, const Inputs &outputs,
                            Value index) {
  Values result;
  for (auto [position, buffer] : llvm::enumerate(buffers)) {
    ImportedValue &value = *outputs[carried.size() + 1 + position];
    if (value.kind != ImportedValue::Tensor)
      break;
    Value element = b.reshape(import.read(value), collected[position].dims);
    if (endless && limit) {
      result.push_back(putAt(b, buffer, index, element));
      continue;
    }
    DimVector dims = b.dims(element);
    dims.insert(dims.begin(), DimExpr(1));
    result.push_back(b.concat(0, {buffer, b.reshape(element, dims)}));
  }
  return result;
}

Values LoopReading::tensorsOf(const Inputs &outputs) {
  Values result;
  for (size_t i = 0; i < carried.size() && !b.failed(); ++i) {
    ImportedValue &value = *outputs[i + 1];
    bool isSequence = value.kind == ImportedValue::Sequence;
    if (isSequence != sequences[i].has_value() ||
        value.kind == ImportedValue::Optional) {
      b.fail(invalid(fmt::format("carried value {} changes its kind", i)));
    } else if (!isSequence || value.isStacked) {
      result.push_back(import.read(value));
    } else {
      Values items;
      for (ImportedValue *item : value.items)
        items.push_back(import.read(*item));
      result.push_back(stack(b, items, *sequences[i]));
    }
  }
  return result;
}

void LoopReading::giveResults(const Values &results) {
  for (auto [index, name] : llvm::enumerate(node.outputs))
    if (!name.empty())
      scope.names[name] =
          data(results[index],
               index < carried.size() && sequences[index].has_value());
}

Status LoopReading::run() {
  if (Status status = readInputs(); !status)
    return status;
  look();
  if (!b.failed() && endless && !limit)
    b.fail(unsupported("a loop without an end"));
  constexpr int64_t mostSteps = int64_t(1) << 40;
  if (!b.failed() && endless && limit->constant() &&
      *limit->constant() > mostSteps)
    b.fail(unsupported(fmt::format("a loop of {} steps", *limit->constant())));
  if (b.failed())
    return *b.firstError;
  // Loop-carried are the index, the condition unless it is always true, the
  // loop's own values, and the collected outputs.
  Values inits = {b.scalar(DimExpr(0))};
  if (!endless)
    inits.push_back(condition ? asScalar(b, import.read(*condition))
                              : b.scalarConstant(b.builder.getI1Type(), 1));
  size_t head = inits.size();
  inits.append(initialValues());
  auto test = [&](ValueRange arguments) -> Values {
    Value shouldContinue;
    if (limit)
      shouldContinue =
          b.compare(CompareDirection::lt, arguments[0], limitValue);
    if (!endless)
      shouldContinue =
          shouldContinue ? b.binary<graph::AndOp>(shouldContinue, arguments[1])
                         : Value(arguments[1]);
    return {shouldContinue};
  };
  auto inside = [&](ValueRange arguments) -> Values {
    ValueRange values = arguments.drop_front(head);
    Inputs outputs = step(arguments[0], endless ? Value() : arguments[1],
                          values.take_front(carried.size()));
    if (b.failed())
      return {};
    Values next = {b.binary<graph::AddOp>(arguments[0], b.scalar(DimExpr(1)))};
    if (!endless)
      next.push_back(asScalar(b, import.read(*outputs[0])));
    next.append(tensorsOf(outputs));
    next.append(
        collect(values.drop_front(carried.size()), outputs, arguments[0]));
    return next;
  };
  Values results = buildWhile(b, inits, test, inside);
  if (b.failed())
    return *b.firstError;
  results.erase(results.begin(), results.begin() + head);
  giveResults(results);
  return noError();
}

Status ModelReading::importLoop(const Node &node, Scope &scope,
                                const Inputs &inputs) {
  return LoopReading(*this, b, node, scope, inputs).run();
}
