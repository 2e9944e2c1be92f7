// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls of one-hot or embedded rows with parameters become sums of gathered
// rows of a table.

#include "passes/raise/RaiseRowSums.h"
#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/UnsignedSource.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

namespace {
/// Rows that are 1 at i * count + v, where symbol i of `symbols` (rows x
/// positions) is v, else 0.
struct OneHotRows {
  Value symbols;
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

/// The condition by which `value` is 1, else 0; null for other values.
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
    Value symbols = swapped ? compare.getRhs() : compare.getLhs(),
          alphabet = swapped ? compare.getLhs() : compare.getRhs();
    auto repeated = symbols.getDefiningOp<BroadcastOp>();
    if (!repeated || repeated.getMapping() != ArrayRef<int64_t>({0, 1}) ||
        typeOf(repeated.getOperand()).getDimSize(1) != cube.getDimSize(1) ||
        !countsUpLast(alphabet))
      continue;
    // Symbols of at least `count` get a row of zeros; negative ones would need
    // another.
    if (Value whole = unsignedSourceOf(repeated.getOperand()))
      return OneHotRows{whole, cube.getDimSize(1), cube.getDimSize(2)};
  }
  return std::nullopt;
}

/// The table with NaNs as a matmul with one-hot rows would make them: a weight
/// that is not finite times the zeros of the other symbols is NaN.
static Value withNaNs(Value table, PatternRewriter &rewriter) {
  Location loc = table.getLoc();
  auto type = typeOf(table);
  Type element = type.getElementType();
  auto counts = type.clone(rewriter.getI32Type());
  auto filled = [&](ShapedType type, Attribute value) -> Value {
    return rewriter.create<ConstantOp>(loc,
                                       DenseElementsAttr::get(type, value));
  };
  Value own =
      rewriter.create<SelectOp>(loc, rewriter.create<IsFiniteOp>(loc, table),
                                filled(counts, rewriter.getI32IntegerAttr(0)),
                                filled(counts, rewriter.getI32IntegerAttr(1)));
  Value all = rewriter.create<ReduceOp>(
      loc, counts.clone({type.getDimSize(0), type.getDimSize(2)}),
      ReduceKind::sum, own, ArrayRef<int64_t>{1});
  Value others = rewriter.create<CompareOp>(
      loc, type.clone(rewriter.getI1Type()), CompareDirection::lt, own,
      rewriter.create<BroadcastOp>(loc, counts, all, ArrayRef<int64_t>{0, 2},
                                   ValueRange()));
  Value nan = filled(
      type, rewriter.getFloatAttr(
                element, APFloat::getQNaN(
                             cast<FloatType>(element).getFloatSemantics())));
  return rewriter.create<SelectOp>(loc, others, nan, table);
}

/// The parameter's rows by position and symbol, and a row of zeros after those
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

/// Replaces the matmul by the sum of rows at `symbols` of a table [positions,
/// symbols, columns].
static void replaceByRowSum(DotGeneralOp op, Value symbols, Value table,
                            PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto type = typeOf(op.getResult());
  int64_t size = type.getDimSize(0), width = type.getDimSize(1),
          positions = typeOf(table).getDimSize(0);
  SmallVector<Value> sizes;
  if (ShapedType::isDynamic(size))
    sizes.push_back(rewriter.create<DimOp>(loc, symbols, int64_t(0)));
  Value indices = rewriter.create<ReshapeOp>(
      loc,
      RankedTensorType::get({size, positions, 1},
                            typeOf(symbols).getElementType()),
      symbols, sizes);
  auto gather = GatherDimsAttr::get(
      rewriter.getContext(), /*offsetDims=*/{2}, /*collapsedSliceDims=*/{1},
      /*operandBatchingDims=*/{0}, /*startIndicesBatchingDims=*/{1},
      /*startIndexMap=*/{1}, /*indexVectorDim=*/2);
  Value chosen = rewriter.create<GatherOp>(
      loc,
      RankedTensorType::get({size, positions, width}, type.getElementType()),
      table, indices, gather, ArrayRef<int64_t>{1, 1, width});
  rewriter.replaceOpWithNewOp<ReduceOp>(op, type, ReduceKind::sum, chosen,
                                        ArrayRef<int64_t>{1});
}

/// Whether the right-hand side depends on parameters, so that its products with
/// table rows can be computed before a run.
static bool multipliesParameter(DotGeneralOp op) {
  constexpr int64_t narrow = 16;
  auto dims = op.getDims();
  auto weight = typeOf(op.getRhs()), type = typeOf(op.getResult());
  return dependenceOf(op.getRhs()) == Dependence::Parameters &&
         dims.getLhsBatching().empty() &&
         dims.getLhsContracting() == ArrayRef<int64_t>({1}) &&
         dims.getRhsContracting().size() == 1 && weight.getRank() == 2 &&
         weight.hasStaticShape() && type.getRank() == 2 &&
         type.getElementType().isF32() && type.getDimSize(1) >= narrow;
}

// Each symbol of a row costs an addition of a row, and saves multiplications
// for all `count` symbols: worthwhile from this count on.
static constexpr int64_t fewestSymbols = 4;

static LogicalResult raiseRowSum(DotGeneralOp op, PatternRewriter &rewriter) {
  if (!multipliesParameter(op))
    return failure();
  std::optional<OneHotRows> rows = matchOneHot(op.getLhs());
  if (!rows || rows->count < fewestSymbols)
    return failure();
  int64_t contracted = op.getDims().getRhsContracting().front();
  Value table = rowTable(op.getRhs(), contracted, *rows, rewriter);
  replaceByRowSum(op, rows->symbols, table, rewriter);
  return success();
}

namespace {
/// Rows of `table` [symbols, width] at `symbols` (rows x positions), side by
/// side.
struct EmbeddedRows {
  Value symbols, table;
};
} // namespace

static std::optional<EmbeddedRows> matchEmbedded(Value value) {
  auto flat = value.getDefiningOp<ReshapeOp>();
  auto gather = flat ? flat.getOperand().getDefiningOp<GatherOp>() : nullptr;
  if (!gather || typeOf(value).getRank() != 2 ||
      typeOf(gather.getResult()).getRank() != 3)
    return std::nullopt;
  GatherDimsAttr dims = gather.getDims();
  auto table = typeOf(gather.getOperand()), rows = typeOf(gather.getResult());
  Value indices = gather.getStartIndices();
  int64_t rank = typeOf(indices).getRank();
  if (table.getRank() != 2 || !table.hasStaticShape() ||
      !isFixed(gather.getOperand()) || rows.isDynamicDim(1) ||
      dims.getOffsetDims() != ArrayRef<int64_t>{2} ||
      dims.getCollapsedSliceDims() != ArrayRef<int64_t>{0} ||
      dims.getStartIndexMap() != ArrayRef<int64_t>{0} ||
      dims.getIndexVectorDim() != 2 ||
      gather.getSliceSizes()[1] != table.getDimSize(1) ||
      typeOf(value).getDimSize(1) != rows.getDimSize(1) * rows.getDimSize(2) ||
      (rank != 2 && (rank != 3 || typeOf(indices).getDimSize(2) != 1)))
    return std::nullopt;
  if (Value whole = unsignedSourceOf(indices))
    indices = whole;
  return EmbeddedRows{indices, gather.getOperand()};
}

/// The products of the table's rows with the part of a parameter that belongs
/// to each position: [positions, symbols, columns].
static Value productTable(Value rows, Value weight, int64_t contracted,
                          PatternRewriter &rewriter) {
  Location loc = weight.getLoc();
  auto type = typeOf(weight);
  int64_t symbols = typeOf(rows).getDimSize(0),
          width = typeOf(rows).getDimSize(1),
          positions = type.getDimSize(contracted) / width,
          columns = type.getDimSize(1 - contracted);
  bool byColumns = contracted == 1;
  SmallVector<int64_t> split{positions, width, columns},
      product{symbols, positions, columns}, order{1, 0, 2};
  if (byColumns)
    split = {columns, positions, width},
    product = {symbols, columns, positions}, order = {2, 0, 1};
  Value parts =
      rewriter.create<ReshapeOp>(loc, type.clone(split), weight, ValueRange());
  auto dims =
      DotDimsAttr::get(rewriter.getContext(), {}, {}, {1}, {byColumns ? 2 : 1});
  Value products = rewriter.create<DotGeneralOp>(loc, type.clone(product), rows,
                                                 parts, dims);
  return rewriter.create<TransposeOp>(
      loc, type.clone({positions, symbols, columns}), products, order);
}

/// Embedded rows side by side times a parameter: the product of each table row
/// and position is computed before a run.
static LogicalResult raiseEmbeddedSum(DotGeneralOp op,
                                      PatternRewriter &rewriter) {
  constexpr int64_t largestTable = 1 << 22;
  if (!multipliesParameter(op))
    return failure();
  std::optional<EmbeddedRows> rows = matchEmbedded(op.getLhs());
  if (!rows)
    return failure();
  auto table = typeOf(rows->table);
  int64_t symbols = table.getDimSize(0), width = table.getDimSize(1),
          positions = typeOf(op.getLhs()).getDimSize(1) / width,
          columns = typeOf(op.getResult()).getDimSize(1);
  if (width < fewestSymbols || symbols < 1 || !table.getElementType().isF32() ||
      positions * columns > largestTable / symbols)
    return failure();
  int64_t contracted = op.getDims().getRhsContracting().front();
  Value products = productTable(rows->table, op.getRhs(), contracted, rewriter);
  replaceByRowSum(op, rows->symbols, products, rewriter);
  return success();
}

void addRowSumPatterns(RewritePatternSet &patterns) {
  patterns.add(raiseRowSum);
  patterns.add(raiseEmbeddedSum);
}

} // namespace zenith::raise
