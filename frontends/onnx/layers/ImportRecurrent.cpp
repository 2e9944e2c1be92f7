// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of RNN, GRU and LSTM: a loop over time for each direction, whose
// weights may then stay in a cache. The matmul with the input runs before the
// loop.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/layers/ContractionReading.h"
#include "frontends/onnx/layers/QuantizationReading.h"

#include "llvm/ADT/StringSwitch.h"
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

enum class Cell { RNN, GRU, LSTM };

struct Activation {
  std::string name; // lower case
  double alpha, beta;
};

/// The operands of one direction; gates lie along the last dimension.
struct Direction {
  Value projected;              // steps x batch x gates: matmul of the input
  Value recurrent;              // gates x hidden
  Value resetBias;              // hidden: of GRU's linear_before_reset
  SmallVector<Value> peepholes; // hidden each: of i, o and f
  SmallVector<Activation> activations;
  bool backwards;
};

struct Recurrent {
  Recurrent(NodeReading &n, Cell cell) : n(n), b(n.b), cell(cell) {}

  NodeReading &n;
  ImportBuilder &b;
  const Cell cell;
  int64_t gates = 1, directionCount = 1;
  DimExpr hidden;
  bool batchFirst = false, linearBeforeReset = false, inputForget = false;
  /// Weights are bytes, gates last, and other operands are rounded to bytes
  /// before each matmul.
  bool isQuantized = false;
  double clip = 0;
  DimExpr steps, batch;
  Value lengths; // batch, i64; null if all steps count
  SmallVector<Direction> directions;

  bool read();
  void build();

private:
  size_t states() const { return cell == Cell::LSTM ? 2 : 1; }
  bool wantsAll() const { return n.wants(0); }
  Values run(int64_t index);
  bool readActivations();
  void readDirection(int64_t index, Value input);
  Value part(Value value, int64_t index, int64_t count = 1);
  DimVector weightDims(size_t input);
  Value directionOf(size_t input, int64_t index);
  Value weightsOf(size_t input, int64_t index);
  Value rounded(Value x);
  Value initialState(size_t input, int64_t index);
  Value apply(const Activation &activation, Value x);
  Values stepLSTM(const Direction &direction, Value input, Value h, Value c);
  Value stepGRU(const Direction &direction, Value input, Value h);
  Values step(const Direction &direction, Value time, ArrayRef<Value> state);
  Value multiply(Value h, Value weights) {
    return dot(b, rounded(h), weights, 0, 1, 1);
  }
  Value join(ArrayRef<Value> values, int64_t dim);
};

} // namespace

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

bool Recurrent::readActivations() {
  size_t each = cell == Cell::RNN ? 1 : cell == Cell::GRU ? 2 : 3;
  std::vector<std::string> names;
  if (const NodeAttribute *attribute = n.node.attribute("activations")) {
    names = attribute->strings;
  } else {
    std::vector<std::string> defaults = {"Sigmoid", "Tanh", "Tanh"};
    if (cell == Cell::RNN)
      defaults = {"Tanh"};
    for (int64_t i = 0; i < directionCount; ++i)
      names.insert(names.end(), defaults.begin(), defaults.begin() + each);
  }
  // Files of some exporters name the functions of one direction only.
  if (names.size() == each && directionCount == 2)
    names.insert(names.end(), names.begin(), names.begin() + each);
  if (names.size() != each * directionCount) {
    n.fail(invalid(fmt::format("{} activations for {} directions", names.size(),
                               directionCount)));
    return false;
  }
  auto floats = [&](const char *name) {
    const NodeAttribute *attribute = n.node.attribute(name);
    return attribute ? attribute->floats : std::vector<float>();
  };
  std::vector<float> alphas = floats("activation_alpha"),
                     betas = floats("activation_beta");
  size_t nextAlpha = 0, nextBeta = 0;
  for (auto [index, name] : llvm::enumerate(names)) {
    Activation activation{llvm::StringRef(name).lower(), 0, 0};
    struct Defaults {
      double alpha, beta;
      bool hasAlpha, hasBeta;
    };
    Defaults defaults = llvm::StringSwitch<Defaults>(activation.name)
                            .Case("affine", {1, 0, true, true})
                            .Case("leakyrelu", {0.01f, 0, true, false})
                            .Case("thresholdedrelu", {1, 0, true, false})
                            .Case("scaledtanh", {1, 1, true, true})
                            .Case("hardsigmoid", {0.2f, 0.5f, true, true})
                            .Case("elu", {1, 0, true, false})
                            .Default({0, 0, false, false});
    activation.alpha = defaults.alpha;
    activation.beta = defaults.beta;
    if (defaults.hasAlpha && nextAlpha < alphas.size())
      activation.alpha = alphas[nextAlpha++];
    if (defaults.hasBeta && nextBeta < betas.size())
      activation.beta = betas[nextBeta++];
    directions[index / each].activations.push_back(activation);
  }
  return true;
}

Value Recurrent::apply(const Activation &activation, Value x) {
  auto is = [&](const char *name) { return activation.name == name; };
  double alpha = activation.alpha, beta = activation.beta;
  auto constant = [&](double value) {
    return b.scalarConstant(getElementTypeOrSelf(x.getType()), value);
  };
  auto above = [&](double limit) {
    return b.compare(CompareDirection::gt, x, constant(limit));
  };
  auto affine = [&] {
    return b.binary<graph::AddOp>(b.binary<graph::MulOp>(x, alpha), beta);
  };
  if (is("sigmoid"))
    return b.unary<graph::LogisticOp>(x);
  if (is("tanh"))
    return b.unary<graph::TanhOp>(x);
  if (is("relu"))
    return b.binary<graph::MaxOp>(x, 0.0);
  if (is("affine"))
    return affine();
  if (is("leakyrelu"))
    return b.select(above(0), x, b.binary<graph::MulOp>(x, alpha));
  if (is("thresholdedrelu"))
    return b.select(above(alpha), x, constant(0));
  if (is("scaledtanh"))
    return b.binary<graph::MulOp>(
        b.unary<graph::TanhOp>(b.binary<graph::MulOp>(x, beta)), alpha);
  if (is("hardsigmoid"))
    return b.binary<graph::MinOp>(b.binary<graph::MaxOp>(affine(), 0.0), 1.0);
  if (is("elu"))
    return b.select(above(0), x,
                    b.binary<graph::MulOp>(b.unary<graph::Expm1Op>(x), alpha));
  if (is("softsign"))
    return b.binary<graph::DivOp>(
        x, b.binary<graph::AddOp>(b.unary<graph::AbsOp>(x), 1.0));
  if (is("softplus")) {
    Value tail =
        b.unary<graph::ExpOp>(b.unary<graph::NegOp>(b.unary<graph::AbsOp>(x)));
    return b.binary<graph::AddOp>(b.binary<graph::MaxOp>(x, 0.0),
                                  b.unary<graph::Log1pOp>(tail));
  }
  n.fail(unsupported(fmt::format("activation '{}'", activation.name)));
  return x;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Gate `index`, or several, along the last dimension.
Value Recurrent::part(Value value, int64_t index, int64_t count) {
  int64_t last = cast<RankedTensorType>(value.getType()).getRank() - 1;
  return b.sliceDim(value, last, DimExpr(index) * hidden,
                    DimExpr(count) * hidden);
}

/// The shape of an input of weights, as far as the node says it.
DimVector Recurrent::weightDims(size_t input) {
  DimVector dims = n.dims(input);
  DimExpr rows = DimExpr(gates) * hidden;
  int64_t gatesAt = isQuantized ? 2 : 1;
  dims[0] = DimExpr(directionCount);
  if (input == 1 || input == 2)
    dims[gatesAt] = rows;
  if (input == 2)
    dims[3 - gatesAt] = hidden;
  if (input == 3)
    dims[1] = rows * DimExpr(2);
  if (input == 7)
    dims[1] = hidden * DimExpr(3);
  return dims;
}

/// An input without its first dimension, the directions.
Value Recurrent::directionOf(size_t input, int64_t index) {
  DimVector dims = weightDims(input);
  Value value = b.withShape(n.input(input), dims);
  dims.erase(dims.begin());
  return b.reshape(b.sliceDim(value, 0, DimExpr(index), DimExpr(1)), dims);
}

/// gates x columns; of bytes, the values that they represent.
Value Recurrent::weightsOf(size_t input, int64_t index) {
  Value weights = directionOf(input, index);
  if (!isQuantized)
    return weights;
  size_t scale = input == 1 ? 8 : 10;
  Type f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  Value zeroPoint = b.convert(directionOf(scale + 1, index), i32);
  Value shifted = b.binary<graph::SubOp>(b.convert(weights, i32), zeroPoint);
  Value values = b.binary<graph::MulOp>(b.convert(shifted, f32),
                                        directionOf(scale, index));
  return b.transpose(values, {1, 0});
}

/// The values that dynamically quantized bytes represent.
Value Recurrent::rounded(Value x) {
  if (!isQuantized)
    return x;
  Type f32 = b.builder.getF32Type(), i32 = b.builder.getI32Type();
  DynamicQuantization parts = quantizedDynamically(b, x);
  Value shifted =
      minusZeroPoint(b, parts.bytes, b.convert(parts.zeroPoint, i32));
  return b.binary<graph::MulOp>(b.convert(shifted, f32), parts.scale);
}

/// batch x hidden
Value Recurrent::initialState(size_t input, int64_t index) {
  DimVector dims = {batch, hidden};
  if (!n.has(input))
    return b.filled(dims, n.elementType(0), 0);
  return b.reshape(b.sliceDim(n.input(input), batchFirst ? 1 : 0,
                              DimExpr(index), DimExpr(1)),
                   dims);
}

void Recurrent::readDirection(int64_t index, Value input) {
  Direction &direction = directions[index];
  Value weights = weightsOf(1, index);
  direction.recurrent = weightsOf(2, index);
  direction.projected = dot(b, rounded(input), weights, 0, 2, 1);
  if (n.has(3)) {
    Value bias = directionOf(3, index);
    Value fromInput = part(bias, 0, gates),
          fromState = part(bias, gates, gates);
    if (linearBeforeReset) {
      direction.resetBias = part(fromState, 2);
      fromState = b.concat(
          0, {part(fromState, 0, 2), b.filled({hidden}, n.elementType(0), 0)});
    }
    direction.projected = b.binary<graph::AddOp>(
        direction.projected, b.binary<graph::AddOp>(fromInput, fromState));
  }
  if (cell == Cell::LSTM && n.has(7)) {
    Value peepholes = directionOf(7, index);
    for (int64_t gate = 0; gate < 3; ++gate)
      direction.peepholes.push_back(part(peepholes, gate));
  }
}

bool Recurrent::read() {
  std::string way = n.stringAttribute("direction", "forward");
  directionCount = way == "bidirectional" ? 2 : 1;
  if (way != "forward" && way != "reverse" && directionCount == 1)
    n.fail(invalid(fmt::format("attribute 'direction' is '{}'", way)));
  if (n.rank(0) != 3 || n.rank(1) != 3 || n.rank(2) != 3)
    n.fail(invalid("the input and the weights need rank 3"));
  if (n.failed())
    return false;
  int64_t gatesAt = isQuantized ? 2 : 1;
  hidden = n.dims(2)[3 - gatesAt];
  if (n.hasAttribute("hidden_size") && !hidden.constant())
    hidden = DimExpr(n.intAttribute("hidden_size", 0));
  auto rows = n.dims(1)[gatesAt].constant(), count = n.dims(1)[0].constant(),
       size = hidden.constant();
  if (count.value_or(directionCount) != directionCount ||
      (size && rows.value_or(gates * *size) != gates * *size) ||
      (size && n.intAttribute("hidden_size", *size) != *size))
    n.fail(invalid(fmt::format("weights of shape {} x {} x ... for {} "
                               "directions and hidden size {}",
                               n.dims(1)[0].str(), n.dims(1)[gatesAt].str(),
                               directionCount, hidden.str())));
  const size_t ranks[] = {3, 3, 3, 2, 1, 3, 3, 2};
  for (size_t i = 3; i < n.inputCount() && i < 8; ++i)
    if (n.has(i) && n.rank(i) != int64_t(ranks[i]))
      n.fail(invalid(
          fmt::format("input {} has rank {}, not {}", i, n.rank(i), ranks[i])));
  if (n.failed())
    return false;
  DimVector dims = n.dims(0);
  batch = dims[batchFirst ? 0 : 1];
  steps = dims[batchFirst ? 1 : 0];
  directions.resize(directionCount);
  if (!readActivations())
    return false;
  Value input = batchFirst ? b.transpose(n.input(0), {1, 0, 2}) : n.input(0);
  for (int64_t i = 0; i < directionCount; ++i) {
    directions[i].backwards = i == 1 || way == "reverse";
    readDirection(i, input);
  }
  if (n.has(4))
    lengths = b.reshape(b.convert(n.input(4), b.builder.getI64Type()), {batch});
  return !n.failed();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Values Recurrent::stepLSTM(const Direction &direction, Value input, Value h,
                           Value c) {
  auto limited = [&](Value value) {
    if (clip <= 0)
      return value;
    return b.binary<graph::MinOp>(b.binary<graph::MaxOp>(value, -clip), clip);
  };
  auto peep = [&](Value gate, int64_t which, Value state) {
    if (direction.peepholes.empty())
      return gate;
    return b.binary<graph::AddOp>(
        gate, b.binary<graph::MulOp>(direction.peepholes[which], state));
  };
  const auto &acts = direction.activations;
  Value all = b.binary<graph::AddOp>(input, multiply(h, direction.recurrent));
  Value in = apply(acts[0], limited(peep(part(all, 0), 0, c)));
  Value forget = inputForget
                     ? b.binary<graph::SubOp>(
                           b.filled({batch, hidden}, n.elementType(0), 1), in)
                     : apply(acts[0], limited(peep(part(all, 2), 2, c)));
  Value candidate = apply(acts[1], limited(part(all, 3)));
  Value next = b.binary<graph::AddOp>(b.binary<graph::MulOp>(forget, c),
                                      b.binary<graph::MulOp>(in, candidate));
  Value out = apply(acts[0], limited(peep(part(all, 1), 1, next)));
  return {b.binary<graph::MulOp>(out, apply(acts[2], next)), next};
}

Value Recurrent::stepGRU(const Direction &direction, Value input, Value h) {
  auto limited = [&](Value value) {
    if (clip <= 0)
      return value;
    return b.binary<graph::MinOp>(b.binary<graph::MaxOp>(value, -clip), clip);
  };
  const auto &acts = direction.activations;
  auto rows = [&](int64_t from, int64_t count) {
    return b.sliceDim(direction.recurrent, 0, DimExpr(from) * hidden,
                      DimExpr(count) * hidden);
  };
  // If no op separates h from the gates, one matmul computes all of them.
  Value all = linearBeforeReset ? multiply(h, direction.recurrent)
                                : multiply(h, rows(0, 2));
  auto gate = [&](int64_t index) {
    Value sum = b.binary<graph::AddOp>(part(input, index), part(all, index));
    return apply(acts[0], limited(sum));
  };
  Value update = gate(0), reset = gate(1);
  Value fromState;
  if (linearBeforeReset) {
    fromState = part(all, 2);
    if (direction.resetBias)
      fromState = b.binary<graph::AddOp>(fromState, direction.resetBias);
    fromState = b.binary<graph::MulOp>(reset, fromState);
  } else {
    fromState = multiply(b.binary<graph::MulOp>(reset, h), rows(2, 1));
  }
  Value candidate = apply(
      acts[1], limited(b.binary<graph::AddOp>(part(input, 2), fromState)));
  Value kept = b.binary<graph::MulOp>(update, h);
  Value one = b.filled({batch, hidden}, n.elementType(0), 1);
  return b.binary<graph::AddOp>(
      b.binary<graph::MulOp>(b.binary<graph::SubOp>(one, update), candidate),
      kept);
}

/// The next state, before padding is applied.
Values Recurrent::step(const Direction &direction, Value time,
                       ArrayRef<Value> state) {
  Value input = takeAt(b, direction.projected, 0, time);
  if (cell == Cell::LSTM)
    return stepLSTM(direction, input, state[0], state[1]);
  if (cell == Cell::GRU)
    return {stepGRU(direction, input, state[0])};
  Value sum =
      b.binary<graph::AddOp>(input, multiply(state[0], direction.recurrent));
  if (clip > 0)
    sum = b.binary<graph::MinOp>(b.binary<graph::MaxOp>(sum, -clip), clip);
  return {apply(direction.activations[0], sum)};
}

/// Values of the directions along a new dimension.
Value Recurrent::join(ArrayRef<Value> values, int64_t dim) {
  Values parts;
  for (Value value : values) {
    DimVector dims = b.dims(value);
    dims.insert(dims.begin() + dim, DimExpr(1));
    parts.push_back(b.reshape(value, dims));
  }
  return b.concat(dim, parts);
}

/// All steps of a direction: last states, then the outputs of all steps if they
/// are used.
Values Recurrent::run(int64_t index) {
  const Direction &direction = directions[index];
  Values inits;
  for (size_t state = 0; state < states(); ++state)
    inits.push_back(initialState(5 + state, index));
  if (wantsAll())
    inits.push_back(b.filled({steps, batch, hidden}, n.elementType(0), 0));
  return buildFor(
      b, b.scalar(steps), inits, [&](Value time, ValueRange carried) -> Values {
        if (direction.backwards)
          time = b.binary<graph::SubOp>(b.scalar(steps - DimExpr(1)), time);
        Values state(carried.take_front(states()));
        Values next = step(direction, time, state);
        Value shown = next[0];
        if (lengths) {
          // Steps after a sequence's end change nothing and output zeros.
          DimVector dims = {batch, hidden};
          Value counts = b.broadcast(
              b.compare(CompareDirection::lt, time, lengths), {0}, dims);
          for (size_t i = 0; i < states(); ++i)
            next[i] = b.select(counts, next[i], state[i]);
          shown =
              b.select(counts, shown, b.scalarConstant(n.elementType(0), 0));
        }
        if (wantsAll())
          next.push_back(putAt(b, carried[states()], time, shown));
        return next;
      });
}

void Recurrent::build() {
  std::vector<Values> results;
  for (int64_t i = 0; i < directionCount && !b.failed(); ++i)
    results.push_back(run(i));
  if (b.failed())
    return;
  auto gathered = [&](size_t offset) {
    Values values;
    for (const Values &own : results)
      values.push_back(own[offset]);
    return values;
  };
  if (wantsAll()) {
    Value all = join(gathered(states()), 1); // steps, directions, batch, hidden
    n.result(0, batchFirst ? b.transpose(all, {2, 0, 1, 3}) : all);
  }
  for (size_t state = 0; state < states(); ++state)
    if (n.wants(1 + state))
      n.result(1 + state, join(gathered(state), batchFirst ? 1 : 0));
}

template <Cell cell> static void importRecurrent(NodeReading &n) {
  Recurrent recurrent(n, cell);
  recurrent.gates = cell == Cell::RNN ? 1 : cell == Cell::GRU ? 3 : 4;
  recurrent.batchFirst = n.intAttribute("layout", 0) != 0;
  recurrent.linearBeforeReset =
      cell == Cell::GRU && n.intAttribute("linear_before_reset", 0) != 0;
  recurrent.inputForget =
      cell == Cell::LSTM && n.intAttribute("input_forget", 0) != 0;
  recurrent.clip = n.floatAttribute("clip", 0);
  if (recurrent.read())
    recurrent.build();
}

static void importDynamicQuantizeLSTM(NodeReading &n) {
  Recurrent recurrent(n, Cell::LSTM);
  recurrent.gates = 4;
  recurrent.isQuantized = true;
  recurrent.inputForget = n.intAttribute("input_forget", 0) != 0;
  recurrent.clip = n.floatAttribute("clip", 0);
  if (!n.needs({8, 9, 10, 11}))
    return;
  if (!n.elementType(0).isF32())
    return n.fail(invalid("DynamicQuantizeLSTM needs f32"));
  for (size_t i : {1, 2, 8, 9, 10, 11}) {
    bool isScale = i == 8 || i == 10;
    unsigned bits = n.elementType(i).getIntOrFloatBitWidth();
    if (isScale ? !n.elementType(i).isF32()
                : bits != 8 || !isa<IntegerType>(n.elementType(i)))
      return n.fail(invalid(fmt::format("input {} is of a wrong type", i)));
    if (i > 2 && (n.rank(i) < 1 || n.rank(i) > 2))
      return n.fail(invalid(fmt::format("input {} has rank {}", i, n.rank(i))));
  }
  if (recurrent.read())
    recurrent.build();
}

llvm::ArrayRef<OpRow> zenith::onnx::quantizedRecurrentRows() {
  static constexpr OpRow rows[] = {
      {"DynamicQuantizeLSTM", 1, newest, 3, 12, importDynamicQuantizeLSTM},
  };
  return rows;
}

llvm::ArrayRef<OpRow> zenith::onnx::recurrentRows() {
  static constexpr OpRow rows[] = {
      {"GRU", 1, newest, 3, 6, importRecurrent<Cell::GRU>},
      {"LSTM", 1, newest, 3, 8, importRecurrent<Cell::LSTM>},
      {"RNN", 1, newest, 3, 6, importRecurrent<Cell::RNN>},
  };
  return rows;
}
