// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that scores states: its signature, and calls of it.

#include "frontends/cayley/BeamModel.h"

#include "ir/DimAnalysis.h"
#include "ir/LLVMError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mlir;

namespace zenith::cayley {

using graph::anySize;
using graph::RowBuilder;

int64_t rowsOfBlock(Operation *function) {
  constexpr int64_t layerBytes = 1 << 20, fewest = 512, most = 4096;
  int64_t widest = 1;
  function->walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || type.getRank() < 1 || !type.isDynamicDim(0) ||
          !type.getElementType().isIntOrFloat())
        continue;
      int64_t bytes = (type.getElementTypeBitWidth() + 7) / 8;
      for (int64_t size : type.getShape().drop_front())
        bytes *= ShapedType::isDynamic(size) ? 1 : std::max<int64_t>(size, 1);
      widest = std::max(widest, std::min(bytes, layerBytes));
    }
  });
  return std::clamp<int64_t>(llvm::bit_floor(uint64_t(layerBytes / widest)),
                             fewest, most);
}

/// The number of scores for so many states, where the shape is static.
static std::optional<int64_t> scoresFor(int64_t states, func::FuncOp function) {
  graph::DimAnalysis dims;
  Value scores = function.getBody().front().getTerminator()->getOperand(0);
  auto batch = dims.dimOf(function.getArgument(0), 0).asSymbol();
  if (!batch)
    return std::nullopt;
  return dims.dimOf(scores, 0).evaluate([&](const std::string &symbol) {
    return symbol == *batch ? std::optional<int64_t>(states) : std::nullopt;
  });
}

static std::string text(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

llvm::Expected<BeamModel> BeamModel::create(func::FuncOp function,
                                            llvm::StringRef name,
                                            int64_t positions,
                                            int64_t numbers) {
  auto refuse = [&](const llvm::Twine &reason) {
    return makeError(ErrorCode::Unsupported, reason.str(), name);
  };
  FunctionType type = function.getFunctionType();
  if (type.getNumInputs() != 1 || type.getNumResults() != 1)
    return refuse("a model that scores states has one input and one output, "
                  "this one has " +
                  llvm::Twine(type.getNumInputs()) + " and " +
                  llvm::Twine(type.getNumResults()));
  auto in = dyn_cast<RankedTensorType>(type.getInput(0)),
       out = dyn_cast<RankedTensorType>(type.getResult(0));
  BeamModel model;
  model.function = function;
  model.positions = positions;
  bool isFloat = in && isa<FloatType>(in.getElementType());
  bool isNumber = isFloat || (in && in.getElementType().isInteger() &&
                              !in.getElementType().isInteger(1));
  bool isBatch = in && in.getRank() >= 2 && in.isDynamicDim(0) && isNumber;
  std::string expected =
      "; states of this graph are " + std::to_string(positions) +
      " numbers below " + std::to_string(numbers) +
      ": a model takes them with a dynamic batch as integers, or one-hot as "
      "floats";
  if (!isBatch)
    return refuse("the model's input is " + text(type.getInput(0)) + expected);
  if (in.getRank() == 2 && in.getDimSize(1) == positions) {
    model.form = Form::Numbers;
  } else if (isFloat && in.getRank() == 2 && !in.isDynamicDim(1) &&
             in.getDimSize(1) % positions == 0) {
    model.form = Form::FlatOneHot;
    model.numbers = in.getDimSize(1) / positions;
  } else if (isFloat && in.getRank() == 3 && in.getDimSize(1) == positions &&
             !in.isDynamicDim(2)) {
    model.form = Form::OneHot;
    model.numbers = in.getDimSize(2);
  } else {
    return refuse("the model's input is " + text(in) + expected);
  }
  if (model.form != Form::Numbers && model.numbers < numbers)
    return refuse("the model's input " + text(in) + " tells only " +
                  llvm::Twine(model.numbers) + " numbers apart" + expected);
  bool givesScores =
      out && isa<FloatType>(out.getElementType()) &&
      (out.getRank() == 1 || (out.getRank() == 2 && out.getDimSize(1) == 1)) &&
      out.isDynamicDim(0);
  if (!givesScores)
    return refuse("the model's output is " + text(type.getResult(0)) +
                  ", expected one float per state");
  constexpr int64_t states = 61; // a size that no model has by chance
  if (int64_t scores = scoresFor(states, function).value_or(states);
      scores != states)
    return refuse("the model gives " + llvm::Twine(scores) + " scores for " +
                  llvm::Twine(states) + " states, expected one per state");
  return model;
}

Value BeamModel::call(RowBuilder &ops, OpBuilder &builder, Value rows) const {
  auto callee = cast<func::FuncOp>(function);
  auto in = cast<RankedTensorType>(callee.getFunctionType().getInput(0));
  Value n = ops.count(rows), input;
  if (form == Form::Numbers) {
    input = ops.convert(rows, in.getElementType());
  } else {
    RankedTensorType hot =
        ops.type({anySize, positions, numbers}, builder.getIntegerType(1));
    Type element = cast<RankedTensorType>(rows.getType()).getElementType();
    RankedTensorType wide = ops.type(hot.getShape(), element);
    SmallVector<int64_t> symbols(numbers);
    for (int64_t symbol = 0; symbol < numbers; ++symbol)
      symbols[symbol] = symbol;
    Value equal = ops.compare(
        graph::CompareDirection::eq, ops.broadcast(rows, wide, {0, 1}, n),
        ops.broadcast(ops.constant(symbols, {numbers}, element), wide, {2}, n));
    input = ops.convert(equal, in.getElementType());
    if (form == Form::FlatOneHot)
      input = ops.reshape(input, in, n);
  }
  auto result =
      builder.create<func::CallOp>(callee.getLoc(), callee, ValueRange(input));
  Value scores = result.getResult(0);
  auto out = cast<RankedTensorType>(scores.getType());
  return ops.reshape(scores, ops.type({anySize}, out.getElementType()), n);
}

Value BeamModel::score(RowBuilder &ops, OpBuilder &builder, Value rows) const {
  auto out = cast<RankedTensorType>(
      cast<func::FuncOp>(function).getFunctionType().getResult(0));
  RankedTensorType list = ops.type({anySize}, out.getElementType());
  Value total = ops.count(rows), zero = ops.number(0);
  Value none = builder.create<graph::ConstantOp>(
      function->getLoc(),
      DenseElementsAttr::get(ops.type({0}, out.getElementType()),
                             ArrayRef<Attribute>()));
  enum Carried { done, scores };
  int64_t block = rowsOfBlock(function);
  return ops.loop(
      {zero.getType(), list}, {zero, none},
      [&](ValueRange now) {
        return ops.compare(graph::CompareDirection::lt, now[done], total);
      },
      [&](ValueRange now) -> SmallVector<Value> {
        Value size = ops.min(ops.number(block), ops.sub(total, now[done]));
        Value part = ops.part(rows, now[done], size);
        return {ops.add(now[done], size),
                ops.concat(now[scores], call(ops, builder, part))};
      })[scores];
}

} // namespace zenith::cayley
