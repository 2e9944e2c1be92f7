// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of axes is a number with a bit for each; branches compare it with the
// sets that the declared rank allows.
#include "frontends/onnx/import/OpenAxes.h"
#include "frontends/onnx/import/LoopBuilder.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

bool zenith::onnx::isOpen(NodeReading &n, size_t input) {
  if (!n.has(input) ||
      (n.type(input).hasStaticShape() && n.type(input).getNumElements() == 0))
    return false;
  auto known = n.knownElements(input);
  return !known || !llvm::all_of(known->values, [](const DimExpr &value) {
    return value.constant().has_value();
  });
}

OpenAxes::OpenAxes(NodeReading &n, size_t input, int64_t rank)
    : b(n.b), rank(rank) {
  for (const DimExpr &axis : n.elements(input, "an axis")) {
    b.requireAtMost(DimExpr(-rank), axis, "the negative rank");
    b.requireAtMost(axis, DimExpr(rank - 1), "an axis");
    Value given = b.scalar(axis);
    Value isNegative =
        b.compare(CompareDirection::lt, given, b.scalar(DimExpr(0)));
    axes.push_back(b.select(
        isNegative, b.binary<graph::AddOp>(given, b.scalar(DimExpr(rank))),
        given));
  }
}

Value OpenAxes::equals(Value axis, int64_t dim) const {
  return b.compare(CompareDirection::eq, axis, b.scalar(DimExpr(dim)));
}

DimExpr OpenAxes::valueFor(int64_t dim, ArrayRef<DimExpr> values,
                           const DimExpr &otherwise) const {
  Value value = b.scalar(otherwise);
  for (auto [axis, given] : llvm::zip(axes, values))
    value = b.select(equals(axis, dim), b.scalar(given), value);
  return b.readScalar(value);
}

Value OpenAxes::sumOver(llvm::function_ref<int64_t(int64_t)> weight) const {
  Value sum = b.scalar(DimExpr(0));
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value isGiven;
    for (Value axis : axes) {
      Value same = equals(axis, dim);
      isGiven = isGiven ? b.binary<graph::OrOp>(isGiven, same) : same;
    }
    sum = b.binary<graph::AddOp>(sum, b.select(isGiven,
                                               b.scalar(DimExpr(weight(dim))),
                                               b.scalar(DimExpr(0))));
  }
  return sum;
}

Value OpenAxes::mask() const {
  DimExpr distinct =
      b.readScalar(sumOver([](int64_t) -> int64_t { return 1; }));
  b.requireEqual(distinct, DimExpr(int64_t(axes.size())),
                 "numbers of distinct axes and axes");
  return sumOver([](int64_t dim) { return int64_t(1) << dim; });
}

/// All sets of `count` axes below `rank`, as masks.
static SmallVector<int64_t> setsOf(int64_t count, int64_t rank) {
  SmallVector<int64_t> sets;
  for (int64_t mask = 0; mask < int64_t(1) << rank; ++mask)
    if (llvm::popcount(uint64_t(mask)) == int(count))
      sets.push_back(mask);
  return sets;
}

namespace {
/// The node with one set of axes after the other.
struct AxisBranches {
  NodeReading &n;
  size_t input;
  void (*rule)(NodeReading &);
  Value chosen;
  SmallVector<int64_t> sets;

  Values emit(int64_t mask);
  Values emitFrom(size_t first);
};
} // namespace

Values AxisBranches::emit(int64_t mask) {
  ImportedValue constant;
  constant.type = n.type(input);
  constant.elements.emplace();
  for (int64_t dim = 0; mask >> dim; ++dim)
    if (mask >> dim & 1)
      constant.elements->push_back(DimExpr(dim));
  std::vector<ImportedValue *> inputs;
  for (size_t i = 0; i < n.inputCount(); ++i)
    inputs.push_back(i == input ? n.source.keepValue(constant)
                     : n.has(i) ? n.pointer(i)
                                : nullptr);
  NodeReading own(n.node, n.version, n.b, n.source, inputs);
  rule(own);
  Values values;
  for (auto &result : own.results)
    if (result && !n.failed())
      values.push_back(own.read(*result));
  return values;
}

/// The sets from `first` on; the last one needs no comparison.
Values AxisBranches::emitFrom(size_t first) {
  if (first + 1 == sets.size())
    return emit(sets[first]);
  ImportBuilder &b = n.b;
  Value isThis =
      b.compare(CompareDirection::eq, chosen, b.scalar(DimExpr(sets[first])));
  return buildIf(
      b, isThis, [&] { return emit(sets[first]); },
      [&] { return emitFrom(first + 1); });
}

bool zenith::onnx::importByAxes(NodeReading &n, size_t input,
                                llvm::function_ref<int64_t(int64_t)> rankOf,
                                void (*rule)(NodeReading &),
                                ArrayRef<DimExpr> sizes) {
  if (!isOpen(n, input))
    return false;
  if (!n.type(input).hasStaticShape()) {
    n.fail(unsupported("axes of unknown number"));
    return true;
  }
  constexpr int64_t largestRank = 8;
  int64_t count = n.type(input).getNumElements(), rank = rankOf(count);
  if (rank > largestRank || count > rank) {
    n.fail(unsupported(fmt::format("{} axes that are not known before running "
                                   "of a value of rank {}",
                                   count, rank)));
    return true;
  }
  OpenAxes axes(n, input, rank);
  AxisBranches branches{n, input, rule, {}, setsOf(count, rank)};
  if (n.failed())
    return true;
  branches.chosen = axes.mask();
  auto wrongSize = [&](int64_t dim) {
    int64_t size = sizes.empty() ? 1 : sizes[dim].constant().value_or(1);
    return size == 1 ? 0 : size;
  };
  llvm::erase_if(branches.sets, [&](int64_t mask) {
    for (int64_t dim = 0; mask >> dim; ++dim)
      if ((mask >> dim & 1) && wrongSize(dim))
        return true;
    return false;
  });
  if (branches.sets.empty()) {
    n.fail(invalid("too few dimensions have size 1"));
    return true;
  }
  if (!sizes.empty())
    n.b.requireEqual(n.b.readScalar(axes.sumOver(wrongSize)), DimExpr(0),
                     "sizes of dimensions that are not 1, summed,");
  Values values = branches.emitFrom(0);
  for (auto [i, value] : llvm::enumerate(values))
    n.result(i, value);
  return true;
}
