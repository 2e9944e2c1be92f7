// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What search programs are made of: states as rows, their neighbours, sets of
// rows.

#include "frontends/cayley/StateOps.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace zenith::cayley {

static constexpr int64_t anySize = ShapedType::kDynamic;

StateOps::StateOps(OpBuilder &builder, Location location,
                   const StateGraph &graph, ArrayRef<State> starts)
    : builder(builder), location(location), graph(graph) {
  int64_t largest = graph.modulus - 1;
  for (int64_t number : graph.central)
    largest = std::max(largest, number);
  for (const State &start : starts)
    for (int64_t number : start)
      largest = std::max(largest, number);
  auto unsignedType = [&](unsigned width) {
    return builder.getIntegerType(width, /*isSigned=*/false);
  };
  stateElement = largest < 256     ? Type(unsignedType(8))
                 : largest < 65536 ? Type(unsignedType(16))
                                   : Type(builder.getI64Type());
}

RankedTensorType StateOps::rowsType() const {
  return type({anySize, int64_t(graph.central.size())}, stateElement);
}
RankedTensorType StateOps::listType() const {
  return type({anySize}, builder.getI64Type());
}

Value StateOps::constantStates(ArrayRef<State> states) {
  RankedTensorType rows = type(
      {int64_t(states.size()), int64_t(graph.central.size())}, stateElement);
  SmallVector<APInt> elements;
  for (const State &state : states)
    for (int64_t number : state)
      elements.push_back(APInt(stateElement.getIntOrFloatBitWidth(), number));
  return builder.create<graph::ConstantOp>(
      location, DenseIntElementsAttr::get(rows, elements));
}

Value StateOps::number(int64_t value) {
  return builder.create<graph::ConstantOp>(
      location, DenseIntElementsAttr::get(type({}, builder.getI64Type()),
                                          ArrayRef<int64_t>(value)));
}

Value StateOps::count(Value rows) {
  return builder.create<graph::DimOp>(location, rows, int64_t(0));
}

Value StateOps::asList(Value number) {
  return builder.create<graph::ReshapeOp>(
      location, type({1}, builder.getI64Type()), number, ValueRange());
}

Value StateOps::expand(Value states) {
  return graph.permutations.empty() ? expandMatrices(states)
                                    : expandPermutations(states);
}

Value StateOps::expandPermutations(Value states) {
  int64_t positions = graph.central.size(),
          columns = positions * int64_t(graph.permutations.size());
  SmallVector<int64_t> sources;
  for (const Permutation &permutation : graph.permutations)
    sources.append(permutation.begin(), permutation.end());
  Value indices = builder.create<graph::ConstantOp>(
      location, DenseIntElementsAttr::get(
                    type({columns, 1}, builder.getI64Type()), sources));
  auto dims = graph::GatherDimsAttr::get(
      builder.getContext(), /*offsetDims=*/{0}, /*collapsedSliceDims=*/{1},
      /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
      /*startIndexMap=*/{1}, /*indexVectorDim=*/1);
  Value moved = builder.create<graph::GatherOp>(
      location, type({anySize, columns}, stateElement), states, indices, dims,
      ArrayRef<int64_t>{-1, 1});
  Value total = builder.create<graph::MulOp>(location, count(states),
                                             number(graph.permutations.size()));
  return builder.create<graph::ReshapeOp>(location, rowsType(), moved,
                                          ValueRange(total));
}

/// Sums of products modulo m, reduced after each product so that i64 holds them
/// for every modulus up to 2^31.
Value StateOps::expandMatrices(Value states) {
  int64_t generators = graph.matrices.size(),
          rows = graph.matrices.front().rows,
          columns = int64_t(graph.central.size()) / rows;
  Type i64 = builder.getI64Type();
  Value n = count(states);
  Value wide = states;
  if (stateElement != i64)
    wide = builder.create<graph::ConvertOp>(
        location, type({anySize, rows * columns}, i64), states);
  wide = builder.create<graph::ReshapeOp>(
      location, type({anySize, rows, columns}, i64), wide, ValueRange(n));
  RankedTensorType product = type({anySize, generators, rows, columns}, i64);
  auto splat = [&](int64_t value) -> Value {
    return builder.create<graph::BroadcastOp>(
        location, product, number(value), ArrayRef<int64_t>{}, ValueRange(n));
  };
  Value modulus = splat(graph.modulus), sum = splat(0);
  for (int64_t k = 0; k < rows; ++k) {
    SmallVector<int64_t> factors;
    for (const Matrix &matrix : graph.matrices)
      for (int64_t row = 0; row < rows; ++row)
        factors.push_back(matrix.entries[row * rows + k]);
    Value matrixColumn = builder.create<graph::ConstantOp>(
        location,
        DenseIntElementsAttr::get(type({generators, rows}, i64), factors));
    Value left = builder.create<graph::BroadcastOp>(
        location, product, matrixColumn, ArrayRef<int64_t>{1, 2},
        ValueRange(n));
    Value stateRow = builder.create<graph::SliceOp>(
        location, type({anySize, 1, columns}, i64), wide, ValueRange(),
        ValueRange(n), ArrayRef<int64_t>{0, k, 0},
        ArrayRef<int64_t>{anySize, 1, columns}, ArrayRef<int64_t>{1, 1, 1});
    stateRow = builder.create<graph::ReshapeOp>(
        location, type({anySize, columns}, i64), stateRow, ValueRange(n));
    Value right = builder.create<graph::BroadcastOp>(
        location, product, stateRow, ArrayRef<int64_t>{0, 3}, ValueRange(n));
    Value term = builder.create<graph::MulOp>(location, left, right);
    term = builder.create<graph::FloorModOp>(location, term, modulus);
    sum = builder.create<graph::AddOp>(location, sum, term);
    sum = builder.create<graph::FloorModOp>(location, sum, modulus);
  }
  Value total = builder.create<graph::MulOp>(location, n, number(generators));
  Value flat = builder.create<graph::ReshapeOp>(
      location, type({anySize, rows * columns}, i64), sum, ValueRange(total));
  return stateElement == i64
             ? flat
             : builder.create<graph::ConvertOp>(location, rowsType(), flat);
}

Value StateOps::distinct(Value states) {
  int64_t known = cast<RankedTensorType>(states.getType()).getDimSize(0);
  auto unique = builder.create<graph::UniqueOp>(
      location, rowsType(), listType(), type({known}, builder.getI64Type()),
      listType(), states);
  return unique.getRows();
}

Value StateOps::without(Value states, ArrayRef<Value> sets) {
  Type boolean = builder.getI1Type();
  RankedTensorType mask =
      type({cast<RankedTensorType>(states.getType()).getDimSize(0)}, boolean);
  Value known;
  for (Value set : sets) {
    Value found = builder.create<graph::IsInOp>(location, mask, states, set);
    known = known ? builder.create<graph::OrOp>(location, known, found) : found;
  }
  Value fresh = builder.create<graph::NotOp>(location, known);
  auto compact = builder.create<graph::CompactOp>(
      location, TypeRange(rowsType()), fresh, ValueRange(states));
  return compact.getResult(0);
}

Value StateOps::concat(Value first, Value second) {
  auto firstType = cast<RankedTensorType>(first.getType());
  SmallVector<int64_t> shape(firstType.getShape());
  shape[0] = anySize;
  return builder.create<graph::ConcatOp>(
      location, type(shape, firstType.getElementType()), uint64_t(0),
      ValueRange{first, second});
}

} // namespace zenith::cayley
