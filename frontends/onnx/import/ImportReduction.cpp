// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of reductions over dimensions and of scans.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/OpenAxes.h"

#include <fmt/format.h>

#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::ReduceKind;
using llvm::SmallVector;

namespace {
struct Reduction {
  SmallVector<int64_t> dims;
  bool keepDims;
};
} // namespace

/// Axes are an attribute up to some opset (13 for ReduceSum, 18 for the others)
/// and an input since.
static Reduction readReduction(NodeReading &n) {
  auto given = n.constantInts("axes", 1);
  Reduction reduction{{}, n.intAttribute("keepdims", 1) != 0};
  if (given && !given->empty()) {
    reduction.dims = n.axes(*given, n.rank(0));
  } else if (!n.intAttribute("noop_with_empty_axes", 0)) {
    reduction.dims.resize(n.rank(0));
    std::iota(reduction.dims.begin(), reduction.dims.end(), 0);
  }
  return reduction;
}

/// Axes address the dimensions of input 0.
static bool importByAxesOfInput(NodeReading &n, void (*rule)(NodeReading &)) {
  return importByAxes(n, 1, [&](int64_t) { return n.rank(0); }, rule);
}

using Step = Value (*)(ImportBuilder &, Value);

static Value same(ImportBuilder &, Value value) { return value; }
static Value square(ImportBuilder &b, Value value) {
  return b.binary<graph::MulOp>(value, value);
}
static Value absolute(ImportBuilder &b, Value value) {
  return b.unary<graph::AbsOp>(value);
}
static Value root(ImportBuilder &b, Value value) {
  return b.unary<graph::SqrtOp>(value);
}
static Value logarithm(ImportBuilder &b, Value value) {
  return b.unary<graph::LogOp>(value);
}

/// after(reduce(before(x)))
template <ReduceKind kind, Step before = same, Step after = same>
static void importReduce(NodeReading &n) {
  if (importByAxesOfInput(n, importReduce<kind, before, after>))
    return;
  Reduction reduction = readReduction(n);
  if (n.failed())
    return;
  Value value = before(n.b, n.input(0));
  n.result(
      after(n.b, n.b.reduce(kind, value, reduction.dims, reduction.keepDims)));
}

static void importReduceMean(NodeReading &n) {
  if (importByAxesOfInput(n, importReduceMean))
    return;
  Reduction reduction = readReduction(n);
  if (!n.failed())
    n.result(n.b.mean(n.input(0), reduction.dims, reduction.keepDims));
}

/// max + log(sum(exp(x - max))), where an infinite max counts as 0 so that no
/// infinities cancel.
static void importReduceLogSumExp(NodeReading &n) {
  if (importByAxesOfInput(n, importReduceLogSumExp))
    return;
  Reduction reduction = readReduction(n);
  if (n.failed())
    return;
  ImportBuilder &b = n.b;
  Value x = n.input(0),
        largest = b.reduce(ReduceKind::max, x, reduction.dims, true);
  Value finite = b.emit<graph::IsFiniteOp>(
      cast<RankedTensorType>(largest.getType()).clone(b.builder.getI1Type()),
      largest);
  Value shift =
      b.select(finite, largest, b.scalarConstant(n.elementType(0), 0));
  Value sum = b.reduce(ReduceKind::sum,
                       b.unary<graph::ExpOp>(b.binary<graph::SubOp>(x, shift)),
                       reduction.dims, true);
  Value result = b.binary<graph::AddOp>(b.unary<graph::LogOp>(sum), shift);
  if (!reduction.keepDims) {
    DimVector dims;
    for (auto [index, dim] : llvm::enumerate(b.dims(result)))
      if (!llvm::is_contained(reduction.dims, int64_t(index)))
        dims.push_back(dim);
    result = b.reshape(result, dims);
  }
  n.result(result);
}

template <ReduceKind kind> static void importArgReduce(NodeReading &n) {
  int64_t axis = n.axisAttribute("axis", 0, n.rank(0));
  if (n.failed())
    return;
  DimVector from = n.dims(0), to = from, kept = from;
  to.erase(to.begin() + axis);
  kept[axis] = DimExpr(1);
  bool last = n.intAttribute("select_last_index", 0) != 0;
  Value operand = n.input(0);
  Value result = n.b.emit<graph::ArgReduceOp>(
      n.b.typeOf(to, n.b.builder.getI64Type()), kind, operand, axis, last);
  n.result(n.intAttribute("keepdims", 1) ? n.b.reshape(result, kept) : result);
}

template <ReduceKind kind> static void importCumulative(NodeReading &n) {
  if (importByAxesOfInput(n, importCumulative<kind>))
    return;
  auto axis = n.constantInts("axis", 1);
  if (!n.failed() && (!axis || axis->size() != 1))
    n.fail(invalid(fmt::format("{} needs one axis", n.node.op)));
  if (n.failed())
    return;
  int64_t dim = n.axis(axis->front(), n.rank(0));
  Value operand = n.input(0);
  n.result(n.b.emit<graph::CumulativeOp>(operand.getType(), kind, operand, dim,
                                         n.intAttribute("exclusive", 0) != 0,
                                         n.intAttribute("reverse", 0) != 0));
}

llvm::ArrayRef<OpRow> zenith::onnx::reductionRows() {
  static constexpr OpRow rows[] = {
      {"ArgMax", 1, newest, 1, 1, importArgReduce<ReduceKind::max>},
      {"ArgMin", 1, newest, 1, 1, importArgReduce<ReduceKind::min>},
      {"CumProd", 26, newest, 2, 2, importCumulative<ReduceKind::prod>},
      {"CumSum", 11, newest, 2, 2, importCumulative<ReduceKind::sum>},
      {"ReduceL1", 1, newest, 1, 2, importReduce<ReduceKind::sum, absolute>},
      {"ReduceL2", 1, newest, 1, 2,
       importReduce<ReduceKind::sum, square, root>},
      {"ReduceLogSum", 1, newest, 1, 2,
       importReduce<ReduceKind::sum, same, logarithm>},
      {"ReduceLogSumExp", 1, newest, 1, 2, importReduceLogSumExp},
      {"ReduceMax", 1, newest, 1, 2, importReduce<ReduceKind::max>},
      {"ReduceMean", 1, newest, 1, 2, importReduceMean},
      {"ReduceMin", 1, newest, 1, 2, importReduce<ReduceKind::min>},
      {"ReduceProd", 1, newest, 1, 2, importReduce<ReduceKind::prod>},
      {"ReduceSum", 1, newest, 1, 2, importReduce<ReduceKind::sum>},
      {"ReduceSumSquare", 1, newest, 1, 2,
       importReduce<ReduceKind::sum, square>},
  };
  return rows;
}
