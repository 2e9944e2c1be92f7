// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of one-hot rows with parameters become sums of the parameters' rows,
// which are read at the numbers that the rows stand for.

#include "ir/ParameterDependence.h"
#include "mlir/IR/Matchers.h"
#include "passes/cleanup/RaiseComposites.h"
#include "passes/cleanup/SplatValue.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cleanup {

namespace {
/// Rows that are 1 where number i of `numbers` (rows x positions) is v, at
/// i * count + v, else 0.
struct OneHotRows {
  Value numbers;
  int64_t positions, count;
};
} // namespace

/// Whether a value is 0, 1, ..., n - 1.
static bool countsUp(Value value) {
  if (auto iota = value.getDefiningOp<IotaOp>())
    return typeOf(value).getRank() == 1;
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return false;
  int64_t next = 0;
  return llvm::all_of(elements.getValues<APInt>(), [&](const APInt &element) {
    return element.getZExtValue() == uint64_t(next++);
  });
}

/// Whether a value of three dimensions is its own index along the last.
static bool countsUpLast(Value value) {
  if (auto iota = value.getDefiningOp<IotaOp>())
    return iota.getDim() == 2;
  auto list = value.getDefiningOp<BroadcastOp>();
  return list && list.getMapping() == ArrayRef<int64_t>({2}) &&
         typeOf(list.getOperand()).getDimSize(0) ==
             typeOf(value).getDimSize(2) &&
         countsUp(list.getOperand());
}

/// The condition where `value` is 1, else 0; null if it isn't of that kind.
static CompareOp matchIndicator(Value value) {
  if (auto convert = value.getDefiningOp<ConvertOp>())
    return convert.getOperand().getDefiningOp<CompareOp>();
  auto select = value.getDefiningOp<SelectOp>();
  if (!select || splatValue(select.getOnTrue()) != 1.0 ||
      splatValue(select.getOnFalse()) != 0.0)
    return {};
  return select.getPred().getDefiningOp<CompareOp>();
}

static std::optional<OneHotRows> matchOneHot(Value value) {
  auto flat = value.getDefiningOp<ReshapeOp>();
  CompareOp compare = flat ? matchIndicator(flat.getOperand()) : nullptr;
  if (!compare || compare.getDirection() != CompareDirection::eq)
    return std::nullopt;
  auto cube = typeOf(compare.getLhs()), to = typeOf(flat.getResult());
  if (cube.getRank() != 3 || to.getRank() != 2 || cube.isDynamicDim(1) ||
      cube.isDynamicDim(2) ||
      to.getDimSize(1) != cube.getDimSize(1) * cube.getDimSize(2))
    return std::nullopt;
  for (bool swapped : {false, true}) {
    Value numbers = swapped ? compare.getRhs() : compare.getLhs(),
          symbols = swapped ? compare.getLhs() : compare.getRhs();
    auto repeated = numbers.getDefiningOp<BroadcastOp>();
    if (!repeated || repeated.getMapping() != ArrayRef<int64_t>({0, 1}) ||
        typeOf(repeated.getOperand()).getDimSize(1) != cube.getDimSize(1) ||
        !countsUpLast(symbols))
      continue;
    // Numbers above all symbols have a row of zeros; smaller ones than 0 would
    // need another.
    if (Value whole = unsignedNumbers(repeated.getOperand()))
      return OneHotRows{whole, cube.getDimSize(1), cube.getDimSize(2)};
  }
  return std::nullopt;
}

/// Rows of which one per position is added, as products with one-hot rows have
/// them: weights that are not finite make a NaN of the zeros that the others
/// stand for.
static Value withNaNs(Value table, PatternRewriter &rewriter) {
  Location loc = table.getLoc();
  auto type = typeOf(table);
  Type element = type.getElementType();
  auto numbers = type.clone(rewriter.getI32Type());
  auto filled = [&](ShapedType type, Attribute value) -> Value {
    return rewriter.create<ConstantOp>(loc,
                                       DenseElementsAttr::get(type, value));
  };
  Value own =
      rewriter.create<SelectOp>(loc, rewriter.create<IsFiniteOp>(loc, table),
                                filled(numbers, rewriter.getI32IntegerAttr(0)),
                                filled(numbers, rewriter.getI32IntegerAttr(1)));
  Value all = rewriter.create<ReduceOp>(
      loc, numbers.clone({type.getDimSize(0), type.getDimSize(2)}),
      ReduceKind::sum, own, ArrayRef<int64_t>{1});
  Value others = rewriter.create<CompareOp>(
      loc, type.clone(rewriter.getI1Type()), CompareDirection::lt, own,
      rewriter.create<BroadcastOp>(loc, numbers, all, ArrayRef<int64_t>{0, 2},
                                   ValueRange()));
  Value nan = filled(
      type, rewriter.getFloatAttr(
                element, APFloat::getQNaN(
                             cast<FloatType>(element).getFloatSemantics())));
  return rewriter.create<SelectOp>(loc, others, nan, table);
}

/// The parameter's rows by position and number, and one of zeros behind those
/// of each position; its columns are the rows where `contracted` is 1.
static Value rowTable(Value weight, int64_t contracted, const OneHotRows &rows,
                      PatternRewriter &rewriter) {
  Location loc = weight.getLoc();
  auto type = typeOf(weight);
  int64_t width = type.getDimSize(1 - contracted);
  if (contracted == 1)
    weight = rewriter.create<TransposeOp>(
        loc, type.clone({type.getDimSize(1), width}), weight,
        ArrayRef<int64_t>{1, 0});
  auto shaped = [&](int64_t count) {
    return RankedTensorType::get({rows.positions, count, width},
                                 type.getElementType());
  };
  Value table =
      rewriter.create<ReshapeOp>(loc, shaped(rows.count), weight, ValueRange());
  Value none = rewriter.create<ConstantOp>(
      loc, DenseElementsAttr::get(shaped(1),
                                  rewriter.getZeroAttr(type.getElementType())));
  return withNaNs(rewriter.create<ConcatOp>(loc, shaped(rows.count + 1),
                                            uint64_t(1),
                                            ValueRange{table, none}),
                  rewriter);
}

static LogicalResult raiseRowSum(DotGeneralOp op, PatternRewriter &rewriter) {
  // Each number costs a row of additions, each symbol one of fused
  // multiplications: about a fourth of the time.
  constexpr int64_t fewestSymbols = 4, narrow = 16;
  auto dims = op.getDims();
  Value weight = op.getRhs();
  auto type = typeOf(op.getResult());
  if (graph::dependenceOf(weight) != Dependence::Parameters ||
      !dims.getLhsBatching().empty() ||
      dims.getLhsContracting() != ArrayRef<int64_t>({1}) ||
      dims.getRhsContracting().size() != 1 || typeOf(weight).getRank() != 2 ||
      !typeOf(weight).hasStaticShape() || type.getRank() != 2 ||
      !type.getElementType().isF32() || type.getDimSize(1) < narrow)
    return failure();
  std::optional<OneHotRows> rows = matchOneHot(op.getLhs());
  if (!rows || rows->count < fewestSymbols)
    return failure();
  Location loc = op.getLoc();
  int64_t size = typeOf(rows->numbers).getDimSize(0),
          width = type.getDimSize(1);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(size))
    sizes.push_back(rewriter.create<DimOp>(loc, rows->numbers, int64_t(0)));
  Type number = typeOf(rows->numbers).getElementType();
  Value places = rewriter.create<ReshapeOp>(
      loc, RankedTensorType::get({size, rows->positions, 1}, number),
      rows->numbers, sizes);
  auto gather = GatherDimsAttr::get(
      rewriter.getContext(), /*offsetDims=*/{2}, /*collapsedSliceDims=*/{1},
      /*operandBatchingDims=*/{0}, /*startIndicesBatchingDims=*/{1},
      /*startIndexMap=*/{1}, /*indexVectorDim=*/2);
  Value chosen = rewriter.create<GatherOp>(
      loc,
      RankedTensorType::get({size, rows->positions, width},
                            type.getElementType()),
      rowTable(weight, dims.getRhsContracting().front(), *rows, rewriter),
      places, gather, ArrayRef<int64_t>{1, 1, width});
  rewriter.replaceOpWithNewOp<ReduceOp>(op, type, ReduceKind::sum, chosen,
                                        ArrayRef<int64_t>{1});
  return success();
}

void addRowSumPatterns(RewritePatternSet &patterns) {
  patterns.add(raiseRowSum);
}

} // namespace zenith::cleanup
