// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rule of Scan: a loop over a dimension of its inputs, in the form of
// opset 9 and, over a batch, of opset 8.
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/import/ModelReading.h"
#include "frontends/onnx/import/SequenceReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;

namespace zenith::onnx {

/// The loop over one sequence, for any source of its values.
struct ScanReading {
  ScanReading(ModelReading &import, ImportBuilder &b, const Graph &body,
              const Scope &scope)
      : import(import), b(b), body(body), scope(scope) {}

  /// Imports the body on one step's values. Null values alone are no error; the
  /// builder's state tells.
  Values step(ValueRange arguments);
  /// The collected outputs of the body, from values of the arguments'
  /// dimensions.
  void look(ArrayRef<Value> states, ArrayRef<Value> scanned);
  /// Final states, then the collected outputs, time first. `length` bounds the
  /// steps, `bufferSize` gives the size of the buffers.
  Values run(ArrayRef<Value> states, ArrayRef<Value> scanned, Value length,
             const DimExpr &bufferSize);

  ModelReading &import;
  ImportBuilder &b;
  const Graph &body;
  const Scope &scope;
  llvm::SmallVector<int64_t> axes;                      // of scanned inputs
  llvm::SmallVector<int64_t> directions, outDirections; // 1: backwards
  std::vector<ElementShape> collected;
};

} // namespace zenith::onnx

Values ScanReading::step(ValueRange arguments) {
  std::vector<ImportedValue *> values;
  for (Value argument : arguments) {
    ImportedValue value;
    value.type = cast<RankedTensorType>(argument.getType());
    value.data = argument;
    values.push_back(import.keepValue(std::move(value)));
  }
  Values results;
  for (ImportedValue *output :
       import.importBody(body, scope, std::move(values))) {
    if (output->kind != ImportedValue::Tensor)
      b.fail(unsupported(
          fmt::format("a Scan over values of kind {}", output->kindName())));
    else
      results.push_back(import.read(*output));
  }
  return results;
}

/// i, or count - 1 - i backwards.
static Value position(ImportBuilder &b, Value index, Value count,
                      bool backwards) {
  if (!backwards)
    return index;
  return b.binary<graph::SubOp>(
      b.binary<graph::SubOp>(count, b.scalar(DimExpr(1))), index);
}

void ScanReading::look(ArrayRef<Value> states, ArrayRef<Value> scanned) {
  auto inside = [&](ValueRange) -> Values {
    Values arguments(states);
    Value zero = b.scalar(DimExpr(0));
    for (auto [value, axis] : llvm::zip_equal(scanned, axes))
      arguments.push_back(takeAt(b, value, axis, zero));
    Values results = step(arguments);
    for (size_t i = states.size(); i < results.size(); ++i)
      collected.push_back(
          {b.dims(results[i]), getElementTypeOrSelf(results[i].getType())});
    return {};
  };
  probe(b, {}, inside);
  for (const ElementShape &shape : collected)
    for (const DimExpr &dim : shape.dims)
      if (!b.canRead(dim))
        b.fail(unsupported("a Scan that collects values whose size only the "
                           "loop knows"));
}

Values ScanReading::run(ArrayRef<Value> states, ArrayRef<Value> scanned,
                        Value length, const DimExpr &bufferSize) {
  Values inits(states);
  for (const ElementShape &shape : collected) {
    DimVector dims = {bufferSize};
    dims.append(shape.dims);
    inits.push_back(b.filled(dims, shape.element, 0));
  }
  size_t count = states.size();
  return buildFor(
      b, length, inits, [&](Value index, ValueRange carried) -> Values {
        Values arguments(carried.take_front(count));
        for (size_t i = 0; i < scanned.size(); ++i)
          arguments.push_back(
              takeAt(b, scanned[i], axes[i],
                     position(b, index, length, directions[i])));
        Values results = step(arguments);
        if (b.failed())
          return {};
        for (size_t i = count; i < results.size(); ++i)
          results[i] = putAt(
              b, carried[i],
              position(b, index, length, outDirections[i - count]), results[i]);
        return results;
      });
}

/// A list attribute with one entry per value; zeros if it is absent.
static llvm::SmallVector<int64_t>
listAttribute(NodeReading &n, const char *name, size_t count) {
  llvm::SmallVector<int64_t> result =
      n.intsAttribute(name, llvm::SmallVector<int64_t>(count, 0));
  if (result.size() != count)
    n.fail(invalid(fmt::format("attribute '{}' has {} entries for {} values",
                               name, result.size(), count)));
  result.resize(count, 0);
  return result;
}

/// Where each value is read or written from: 0 is its start, 1 its end.
static llvm::SmallVector<int64_t> directionsOf(NodeReading &n, const char *name,
                                               size_t count) {
  llvm::SmallVector<int64_t> result = listAttribute(n, name, count);
  for (int64_t direction : result)
    if (direction != 0 && direction != 1)
      n.fail(invalid(fmt::format("attribute '{}': got {}, expected 0 or 1",
                                 name, direction)));
  return result;
}

static Value backTo(ImportBuilder &b, Value collected, int64_t axis) {
  int64_t rank = cast<RankedTensorType>(collected.getType()).getRank();
  llvm::SmallVector<int64_t> order;
  for (int64_t dim = 1; dim < rank; ++dim)
    order.push_back(dim);
  order.insert(order.begin() + axis, 0);
  return b.transpose(collected, order);
}

void ModelReading::bindTensors(Scope &scope, const Node &node,
                               ArrayRef<Value> results) {
  for (auto [index, name] : llvm::enumerate(node.outputs)) {
    ImportedValue value;
    value.type = cast<RankedTensorType>(results[index].getType());
    value.data = results[index];
    if (!name.empty())
      bind(scope, name, std::move(value));
  }
}

Status ModelReading::importScan(const Node &node, Scope &scope,
                                const Inputs &inputs) {
  bool old = versionOf(node, scope) < 9;
  Inputs values(inputs.begin() + (old && !inputs.empty()), inputs.end());
  for (ImportedValue *value : values)
    if (!value || value->kind != ImportedValue::Tensor)
      return invalid("an input is absent or no tensor");
  NodeReading n(node, 9, b, *this, values);
  int64_t scannedCount = n.intAttribute("num_scan_inputs", 0);
  if (scannedCount < 1 || scannedCount > int64_t(values.size()))
    return invalid("attribute 'num_scan_inputs' does not fit the inputs");
  size_t stateCount = values.size() - scannedCount;
  auto body = subgraph(node, "body", values.size(), stateCount);
  if (!body)
    return body.error();
  if (node.outputs.size() > (*body)->outputs.size())
    return invalid("Scan has more results than its body");
  if (old)
    return importOldScan(node, **body, scope, inputs);
  size_t collectedCount = (*body)->outputs.size() - stateCount;
  ScanReading scan(*this, b, **body, scope);
  scan.axes = listAttribute(n, "scan_input_axes", scannedCount);
  scan.directions = directionsOf(n, "scan_input_directions", scannedCount);
  scan.outDirections =
      directionsOf(n, "scan_output_directions", collectedCount);
  auto outAxes = listAttribute(n, "scan_output_axes", collectedCount);
  Values states, scanned;
  for (size_t i = 0; i < values.size(); ++i)
    (i < stateCount ? states : scanned).push_back(n.input(i));
  for (int64_t i = 0; i < scannedCount; ++i)
    scan.axes[i] = n.axis(scan.axes[i], n.rank(stateCount + i));
  if (!b.failed())
    scan.look(states, scanned);
  if (b.failed())
    return *b.firstError;
  DimExpr length = b.dims(scanned[0])[scan.axes[0]];
  Values results = scan.run(states, scanned, b.scalar(length), length);
  for (size_t i = stateCount; i < results.size() && !b.failed(); ++i) {
    int64_t rank = cast<RankedTensorType>(results[i].getType()).getRank();
    int64_t axis = n.axis(outAxes[i - stateCount], rank);
    if (!b.failed())
      results[i] = backTo(b, results[i], axis);
  }
  if (b.failed())
    return *b.firstError;
  bindTensors(scope, node, results);
  return noError();
}

/// Opset 8: every value has the batch as dimension 0 and the time as dimension
/// 1; a loop over the batch around the loop over time, which may be shorter in
/// some entries.
Status ModelReading::importOldScan(const Node &node, const Graph &body,
                                   Scope &scope, const Inputs &inputs) {
  NodeReading n(node, 8, b, *this, inputs);
  size_t scannedCount = n.intAttribute("num_scan_inputs", 0),
         stateCount = inputs.size() - 1 - scannedCount,
         collectedCount = body.outputs.size() - stateCount;
  ScanReading scan(*this, b, body, scope);
  scan.axes.assign(scannedCount, 0);
  scan.directions = directionsOf(n, "directions", scannedCount);
  scan.outDirections.assign(collectedCount, 0);
  for (size_t i = 1; i < inputs.size(); ++i)
    if (n.rank(i) < (i <= stateCount ? 1 : 2))
      return invalid("Scan of opset 8 needs inputs with a batch dimension");
  Values all;
  for (size_t i = 1; i < inputs.size(); ++i)
    all.push_back(n.input(i));
  DimExpr batch = b.dims(all[stateCount])[0],
          length = b.dims(all[stateCount])[1];
  auto entryOf = [&](Value index) {
    Values entry;
    for (Value value : all)
      entry.push_back(takeAt(b, value, 0, index));
    return entry;
  };
  probe(b, {}, [&](ValueRange) -> Values {
    Values entry = entryOf(b.scalar(DimExpr(0)));
    ArrayRef<Value> parts = entry;
    scan.look(parts.take_front(stateCount), parts.drop_front(stateCount));
    return {};
  });
  if (b.failed())
    return *b.firstError;
  // Buffers of the final states and of the collected outputs.
  Values inits;
  for (size_t i = 0; i < stateCount; ++i)
    inits.push_back(
        b.filled(b.dims(all[i]), getElementTypeOrSelf(all[i].getType()), 0));
  for (const ElementShape &shape : scan.collected) {
    DimVector dims = {batch, length};
    dims.append(shape.dims);
    inits.push_back(b.filled(dims, shape.element, 0));
  }
  Value lengths =
      n.has(0) ? b.convert(n.input(0), b.builder.getI64Type()) : Value();
  Values results = buildFor(
      b, b.scalar(batch), inits,
      [&](Value index, ValueRange buffers) -> Values {
        Values entry = entryOf(index);
        ArrayRef<Value> parts = entry;
        Value steps = lengths ? takeAt(b, lengths, 0, index) : b.scalar(length);
        Values row = scan.run(parts.take_front(stateCount),
                              parts.drop_front(stateCount), steps, length);
        Values next;
        for (size_t i = 0; i < row.size() && i < buffers.size(); ++i)
          next.push_back(putAt(b, buffers[i], index, row[i]));
        return next;
      });
  if (b.failed())
    return *b.firstError;
  bindTensors(scope, node, results);
  return noError();
}
