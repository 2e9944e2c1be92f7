// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What search programs are made of: states as rows, their neighbours, sets of
// rows.

#include "frontends/cayley/StateOps.h"

#include "ir/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace zenith::cayley {

StateOps::StateOps(OpBuilder &builder, Location location,
                   const StateGraph &graph, ArrayRef<State> starts)
    : RowBuilder(builder, location), graph(graph) {
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

RankedTensorType StateOps::rowType() const {
  return type({1, int64_t(graph.central.size())}, stateElement);
}

Value StateOps::constantStates(ArrayRef<State> states) {
  SmallVector<int64_t> elements;
  for (const State &state : states)
    elements.append(state.begin(), state.end());
  return constant(elements,
                  {int64_t(states.size()), int64_t(graph.central.size())},
                  stateElement);
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
  // Kernels look bytes of a row up by positions that are bytes too.
  constexpr int64_t bytePositions = 256;
  Type position = positions <= bytePositions
                      ? Type(builder.getIntegerType(8, /*isSigned=*/false))
                      : i64();
  Value indices = constant(sources, {columns, 1}, position);
  auto dims = graph::GatherDimsAttr::get(
      builder.getContext(), /*offsetDims=*/{0}, /*collapsedSliceDims=*/{1},
      /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
      /*startIndexMap=*/{1}, /*indexVectorDim=*/1);
  Value moved =
      make<graph::GatherOp>(type({anySize, columns}, stateElement), states,
                            indices, dims, ArrayRef<int64_t>{-1, 1});
  Value total = mul(count(states), number(graph.permutations.size()));
  return reshape(moved, rowsType(), total);
}

/// Sums of products modulo m, reduced after each product so that i64 holds them
/// for every modulus up to 2^31.
Value StateOps::expandMatrices(Value states) {
  int64_t generators = graph.matrices.size(),
          rows = graph.matrices.front().rows,
          columns = int64_t(graph.central.size()) / rows;
  Value n = count(states);
  Value wide =
      reshape(convert(states, i64()), type({anySize, rows, columns}, i64()), n);
  RankedTensorType product = type({anySize, generators, rows, columns}, i64());
  auto splat = [&](int64_t value) {
    return broadcast(number(value), product, {}, n);
  };
  Value modulus = splat(graph.modulus), sum = splat(0);
  for (int64_t k = 0; k < rows; ++k) {
    SmallVector<int64_t> factors;
    for (const Matrix &matrix : graph.matrices)
      for (int64_t row = 0; row < rows; ++row)
        factors.push_back(matrix.entries[row * rows + k]);
    Value matrixColumn = constant(factors, {generators, rows}, i64());
    Value left = broadcast(matrixColumn, product, {1, 2}, n);
    Value stateRow = make<graph::SliceOp>(
        type({anySize, 1, columns}, i64()), wide, ValueRange(), ValueRange(n),
        ArrayRef<int64_t>{0, k, 0}, ArrayRef<int64_t>{anySize, 1, columns},
        ArrayRef<int64_t>{1, 1, 1});
    stateRow = reshape(stateRow, type({anySize, columns}, i64()), n);
    Value right = broadcast(stateRow, product, {0, 3}, n);
    Value term = make<graph::FloorModOp>(mul(left, right), modulus);
    sum = make<graph::FloorModOp>(add(sum, term), modulus);
  }
  Value flat = reshape(sum, type({anySize, rows * columns}, i64()),
                       mul(n, number(generators)));
  return convert(flat, stateElement);
}

Value StateOps::distinct(Value states) { return distinctAt(states).first; }

Value StateOps::without(Value states, ArrayRef<Value> sets) {
  RankedTensorType mask =
      type({cast<RankedTensorType>(states.getType()).getDimSize(0)},
           builder.getI1Type());
  Value known;
  for (Value set : sets) {
    Value found = make<graph::IsInOp>(mask, states, set);
    known = known ? either(known, found) : found;
  }
  return keep(negate(known), states).front();
}

StateOps::LayerStep StateOps::nextLayer(Value layer, Value earlier,
                                        bool isAll) {
  SmallVector<Value> known{earlier};
  if (!isAll)
    known.push_back(layer);
  Value next = without(distinct(expand(layer)), known);
  return {next, isAll ? concat(earlier, next) : layer, count(next)};
}

Value StateOps::withSize(Value sizes, Value size) {
  return concat(sizes, keep(asList(isPositive(size)), asList(size)).front());
}

Tensor stateRows(ArrayRef<State> states, RankedTensorType type) {
  unsigned bytes = type.getElementTypeBitWidth() / 8;
  std::vector<char> data;
  data.reserve(states.size() * size_t(type.getDimSize(1)) * bytes);
  for (const State &state : states)
    for (int64_t number : state)
      for (unsigned byte = 0; byte < bytes; ++byte)
        data.push_back(char(number >> 8 * byte));
  return Tensor(
      RankedTensorType::get({int64_t(states.size()), type.getDimSize(1)},
                            type.getElementType()),
      data);
}

void nameArguments(func::FuncOp function, ArrayRef<StringRef> names) {
  for (auto [number, name] : llvm::enumerate(names))
    function.setArgAttr(number, graph::nameAttrName,
                        StringAttr::get(function.getContext(), name));
}

void nameResults(func::FuncOp function, ArrayRef<StringRef> names) {
  for (auto [number, name] : llvm::enumerate(names))
    function.setResultAttr(number, graph::nameAttrName,
                           StringAttr::get(function.getContext(), name));
}

Value walkBack(RowBuilder &ops, const History &history, Value layer,
               Value offset, Value row, int64_t generators) {
  enum Carried { path, depth, place, first };
  Value one = ops.number(1), ends = ops.number(history.ends);
  Value none = ops.constant({}, {0}, ops.i64());
  SmallVector<Value> inits{none, layer, row, offset};
  SmallVector<Type> types{ops.listType(), one.getType(), one.getType(),
                          one.getType()};
  return ops.loop(
      types, inits,
      [&](ValueRange now) {
        return ops.compare(graph::CompareDirection::ge, now[depth], ends);
      },
      [&](ValueRange now) -> SmallVector<Value> {
        Value link = ops.convert(
            ops.at(history.links, ops.add(now[first], now[place])), ops.i64());
        Value count = ops.number(generators), before = now[depth],
              start = now[first];
        for (int64_t end = 0; end < history.ends; ++end) {
          before = ops.sub(before, one);
          start = ops.sub(start, ops.at(history.sizes, before));
        }
        return {ops.concat(now[path], ops.asList(ops.rem(link, count))), before,
                ops.div(link, count), start};
      })[path];
}

} // namespace zenith::cayley
