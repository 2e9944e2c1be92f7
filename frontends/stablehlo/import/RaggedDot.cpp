// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import of ragged_dot: matmuls of groups of rows, of K, or of batches.

#include "frontends/stablehlo/import/MatmulReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

using Integers = SmallVector<int64_t>;

namespace {
struct RaggedDims {
  Integers lhsBatching, rhsBatching, lhsContracting, rhsContracting, ragged,
      group;
};
} // namespace

// The list after `name = ` in the text of a CHLO attribute.
static Integers listIn(StringRef text, StringRef name) {
  Integers values;
  size_t at = text.find((name + " = [").str());
  if (at == StringRef::npos)
    return values;
  StringRef list = text.substr(at + name.size() + 4);
  SmallVector<StringRef> words;
  list.take_until([](char c) { return c == ']'; })
      .split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.trim().getAsInteger(10, values.emplace_back()))
      values.pop_back();
  return values;
}

static bool readRaggedDims(OpReading &x, RaggedDims &dims) {
  auto given = x.attr<chlo::TextAttr>("ragged_dot_dimension_numbers");
  if (!given)
    return false;
  StringRef text = given.getText();
  dims = {listIn(text, "lhs_batching_dimensions"),
          listIn(text, "rhs_batching_dimensions"),
          listIn(text, "lhs_contracting_dimensions"),
          listIn(text, "rhs_contracting_dimensions"),
          listIn(text, "lhs_ragged_dimensions"),
          listIn(text, "rhs_group_dimensions")};
  bool fits = dims.lhsBatching.size() == dims.rhsBatching.size() &&
              dims.lhsContracting.size() == dims.rhsContracting.size() &&
              dims.ragged.size() == 1 && dims.group.size() <= 1;
  auto inside = [&](const Integers &list, Value operand) {
    return llvm::all_of(
        list, [&](int64_t dim) { return dim >= 0 && dim < rankOf(operand); });
  };
  for (const Integers *list :
       {&dims.lhsBatching, &dims.lhsContracting, &dims.ragged})
    fits &= inside(*list, x.in(0));
  for (const Integers *list :
       {&dims.rhsBatching, &dims.rhsContracting, &dims.group})
    fits &= inside(*list, x.in(1));
  if (!fits)
    x.invalid("has dimension numbers that do not fit its operands");
  return fits;
}

// Row i belongs to group g: mask[i, g].
static Value groupMask(OpReading &x, Value sizes, int64_t rows) {
  int64_t groups = tensorTypeOf(sizes).getDimSize(0);
  Value counts = x.convert(sizes, x.b.getI64Type());
  Value ends = x.make<graph::CumulativeOp>(
      counts.getType(), graph::ReduceKind::sum, counts, uint64_t(0),
      /*exclusive=*/false, /*reverse=*/false);
  auto type = RankedTensorType::get({rows, groups}, x.b.getI64Type());
  Expr end(x, x.broadcast(ends, {1}, type));
  Expr start = end - Expr(x, x.broadcast(counts, {1}, type));
  Expr row(x, x.iota({rows, groups}, 0, x.b.getI64Type()));
  return ((row >= start) & (row < end)).value;
}

// `value` where `mask`, mapped to its dimensions, is true; else 0, even for
// NaN.
static Value masked(OpReading &x, Value mask, ArrayRef<int64_t> mapping,
                    Value value) {
  Value spread = x.broadcast(mask, mapping, typeWith(value, x.b.getI1Type()));
  return x.select(spread, value, x.filled(value, 0));
}

static graph::DotDimsAttr dotDims(OpReading &x, const RaggedDims &dims) {
  return graph::DotDimsAttr::get(x.b.getContext(), dims.lhsBatching,
                                 dims.rhsBatching, dims.lhsContracting,
                                 dims.rhsContracting);
}

// Groups of rows of the result: the matmul with all groups, of which each row
// keeps its own group's.
static Value raggedRows(OpReading &x, const RaggedDims &dims, Value lhs,
                        Value rhs, RankedTensorType type) {
  int64_t ragged = dims.ragged[0], group = dims.group[0];
  auto freeBefore = [](int64_t dim, const Integers &a, const Integers &b) {
    int64_t count = 0;
    for (int64_t i = 0; i < dim; ++i)
      count += !llvm::is_contained(a, i) && !llvm::is_contained(b, i);
    return count;
  };
  int64_t batch = dims.lhsBatching.size();
  int64_t row =
      batch + freeBefore(ragged, dims.lhsBatching, dims.lhsContracting);
  int64_t at = batch +
               freeBefore(rankOf(lhs), dims.lhsBatching, dims.lhsContracting) +
               freeBefore(group, dims.rhsBatching, dims.rhsContracting);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + at, tensorTypeOf(rhs).getDimSize(group));
  Value all = makeDot(x, dotDims(x, dims), lhs, rhs,
                      RankedTensorType::get(shape, type.getElementType()));
  Value mask = groupMask(x, x.in(2), shape[row]);
  return x.reduce(graph::ReduceKind::sum, masked(x, mask, {row, at}, all),
                  {at});
}

// Groups of K: one matmul per group, whose operands are 0 outside of it.
static Value raggedTerms(OpReading &x, RaggedDims dims, Value lhs, Value rhs,
                         RankedTensorType type) {
  int64_t ragged = dims.ragged[0];
  size_t position =
      llvm::find(dims.lhsContracting, ragged) - dims.lhsContracting.begin();
  int64_t terms = tensorTypeOf(lhs).getDimSize(ragged);
  Value mask = x.transpose(groupMask(x, x.in(2), terms), {1, 0});
  auto perGroup = [&](Value operand, int64_t dim) {
    SmallVector<int64_t> shape(tensorTypeOf(operand).getShape()), mapping;
    for (int64_t i = 0, rank = rankOf(operand); i < rank; ++i)
      mapping.push_back(i + 1);
    shape.insert(shape.begin(), tensorTypeOf(mask).getDimSize(0));
    Value repeated = x.broadcast(
        operand, mapping, RankedTensorType::get(shape, elementOf(operand)));
    return masked(x, mask, {0, dim + 1}, repeated);
  };
  lhs = perGroup(lhs, ragged);
  rhs = perGroup(rhs, dims.rhsContracting[position]);
  for (Integers *list : {&dims.lhsBatching, &dims.rhsBatching,
                         &dims.lhsContracting, &dims.rhsContracting})
    for (int64_t &dim : *list)
      ++dim;
  dims.lhsBatching.insert(dims.lhsBatching.begin(), 0);
  dims.rhsBatching.insert(dims.rhsBatching.begin(), 0);
  return makeDot(x, dotDims(x, dims), lhs, rhs, type);
}

static void raggedDotRule(OpReading &x) {
  RaggedDims dims;
  RankedTensorType type = x.type();
  if (x.failed() || !readRaggedDims(x, dims))
    return;
  Value lhs = x.in(0), rhs = x.in(1);
  for (Value operand : {lhs, rhs, x.in(2)})
    if (!tensorTypeOf(operand).hasStaticShape())
      return x.unsupported("of dynamic shapes is not supported");
  if (rankOf(x.in(2)) != 1)
    return x.unsupported("with group sizes per batch is not supported");
  int64_t ragged = dims.ragged[0];
  if (llvm::is_contained(dims.lhsContracting, ragged))
    return x.out(raggedTerms(x, dims, lhs, rhs, type));
  // Each group of batches has a matmul of its own.
  if (llvm::is_contained(dims.lhsBatching, ragged))
    return x.out(makeDot(x, dotDims(x, dims), lhs, rhs, type));
  if (dims.group.empty())
    return x.invalid("lacks a group dimension");
  x.out(raggedRows(x, dims, lhs, rhs, type));
}

void stablehlo::addRaggedRules(RuleTable &rules) {
  rules["chlo.ragged_dot"] = raggedDotRule;
}
