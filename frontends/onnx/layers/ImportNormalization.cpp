// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of normalizations that are made of means and sums.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

/// x - mean, and the mean of its square.
static std::pair<Value, Value> center(ImportBuilder &b, Value x,
                                      ArrayRef<int64_t> axes) {
  Value centered = b.binary<graph::SubOp>(x, b.mean(x, axes, true));
  return {centered,
          b.mean(b.binary<graph::MulOp>(centered, centered), axes, true)};
}

static Value normalized(ImportBuilder &b, Value x, ArrayRef<int64_t> axes,
                        double epsilon) {
  auto [centered, variance] = center(b, x, axes);
  Value deviation =
      b.unary<graph::SqrtOp>(b.binary<graph::AddOp>(variance, epsilon));
  return b.binary<graph::DivOp>(centered, deviation);
}

static SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t i = first; i < rank; ++i)
    result.push_back(i);
  return result;
}

/// x * scale + bias, both vectors along dimension 1, in the type of input 0.
static Value scaleFeatures(NodeReading &n, Value x, Value scale, Value bias) {
  DimVector dims = n.b.dims(x);
  Type element = getElementTypeOrSelf(x.getType());
  Value factor = n.b.broadcast(n.b.convert(scale, element), {1}, dims);
  Value scaled = n.b.binary<graph::MulOp>(x, factor);
  Value addend = n.b.broadcast(n.b.convert(bias, element), {1}, dims);
  return n.b.convert(n.b.binary<graph::AddOp>(scaled, addend),
                     n.elementType(0));
}

/// The operand in the type in which statistics are computed.
static Value wideOperand(NodeReading &n) {
  Value x = n.input(0);
  return n.elementType(0).isF64() ? x
                                  : n.b.convert(x, n.b.builder.getF32Type());
}

static bool checkFeatures(NodeReading &n) {
  if (n.rank(0) < 3 || n.rank(1) != 1 || n.rank(2) != 1 ||
      !isa<FloatType>(n.elementType(0)))
    n.fail(invalid(fmt::format("{} needs floats of rank 3 or more and "
                               "vectors for scale and bias",
                               n.node.op)));
  return !n.failed();
}

/// The shape before it was flattened to groups of features, as exporters write
/// a group norm: [batch, groups, features of a group, ...]. Features and
/// positions that stay separate dimensions can change their order.
static DimVector groupedDims(NodeReading &n) {
  DimVector flat = n.dims(0);
  auto reshape = n.input(0).getDefiningOp<graph::ReshapeOp>();
  DimVector dims = reshape ? n.b.dims(reshape.getOperand()) : DimVector();
  auto groups = flat[1].constant();
  if (flat.size() != 3 || dims.size() < 3 || dims[0] != flat[0] || !groups ||
      *groups < 1)
    return flat;
  auto features = dims[1].constant();
  if (!features || *features % *groups)
    return flat;
  DimVector grouped = {dims[0], DimExpr(*groups), DimExpr(*features / *groups)};
  grouped.append(dims.begin() + 2, dims.end());
  return grouped;
}

static void importInstanceNormalization(NodeReading &n) {
  if (!checkFeatures(n))
    return;
  DimVector dims = groupedDims(n);
  Value x =
      normalized(n.b, n.b.reshape(wideOperand(n), dims),
                 axesFrom(2, dims.size()), n.floatAttribute("epsilon", 1e-5f));
  x = scaleFeatures(n, x, n.input(1), n.input(2));
  n.result(n.b.reshape(x, n.dims(0)));
}

/// Normalizes groups of features. The scale has an entry per group up to opset
/// 20, per feature since.
static void importGroupNormalization(NodeReading &n) {
  if (!checkFeatures(n))
    return;
  ImportBuilder &b = n.b;
  DimVector dims = n.dims(0);
  int64_t groups = n.intAttribute("num_groups", 0);
  auto features = dims[1].constant();
  if (groups < 1 || (features && *features % groups))
    return n.fail(invalid(fmt::format("{} groups do not divide {} features",
                                      groups, dims[1].str())));
  DimExpr each = b.divided(dims[1], DimExpr(groups),
                           "the remainder of features by groups");
  DimVector grouped = {dims[0], DimExpr(groups), each};
  grouped.append(dims.begin() + 2, dims.end());
  Value x = normalized(b, b.reshape(wideOperand(n), grouped),
                       axesFrom(2, grouped.size()),
                       n.floatAttribute("epsilon", 1e-5f));
  x = b.reshape(x, dims);
  auto perFeature = [&](Value values) {
    if (n.version >= 21)
      return values;
    DimVector two = {DimExpr(groups), each};
    return b.reshape(b.broadcast(values, {0}, two), {dims[1]});
  };
  Value scale = perFeature(n.input(1));
  n.result(scaleFeatures(n, x, scale, perFeature(n.input(2))));
}

/// (x - mean) / (deviation + 1e-9)
static void importMeanVarianceNormalization(NodeReading &n) {
  SmallVector<int64_t> axes =
      n.axes(n.intsAttribute("axes", {0, 2, 3}), n.rank(0));
  if (n.failed())
    return;
  ImportBuilder &b = n.b;
  auto [centered, variance] = center(b, wideOperand(n), axes);
  Value deviation =
      b.binary<graph::AddOp>(b.unary<graph::SqrtOp>(variance), 1e-9);
  n.result(
      b.convert(b.binary<graph::DivOp>(centered, deviation), n.elementType(0)));
}

/// x / norm along a dimension; 0 if the norm is 0.
static void importLpNormalization(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t axis = n.axisAttribute("axis", -1, n.rank(0)),
          p = n.intAttribute("p", 2);
  if (p != 1 && p != 2)
    n.fail(invalid(fmt::format("attribute 'p' is {}, not 1 or 2", p)));
  if (n.failed())
    return;
  Value x = wideOperand(n);
  Value terms =
      p == 1 ? b.unary<graph::AbsOp>(x) : b.binary<graph::MulOp>(x, x);
  Value norm = b.reduce(ReduceKind::sum, terms, {axis}, true);
  if (p == 2)
    norm = b.unary<graph::SqrtOp>(norm);
  Value zero = b.scalarConstant(getElementTypeOrSelf(x.getType()), 0);
  Value isZero = b.compare(CompareDirection::eq, norm, zero);
  Value result = b.select(isZero, zero, b.binary<graph::DivOp>(x, norm));
  n.result(b.convert(result, n.elementType(0)));
}

llvm::ArrayRef<OpRow> zenith::onnx::normalizationRows() {
  static constexpr OpRow rows[] = {
      {"GroupNormalization", 18, newest, 3, 3, importGroupNormalization},
      {"InstanceNormalization", 1, newest, 3, 3, importInstanceNormalization},
      {"LpNormalization", 1, newest, 1, 1, importLpNormalization},
      {"MeanVarianceNormalization", 9, newest, 1, 1,
       importMeanVarianceNormalization},
  };
  return rows;
}
