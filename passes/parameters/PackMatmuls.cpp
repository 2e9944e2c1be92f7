// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs right-hand sides of matmuls as matrices [K, N], and lets the matmul
// read them through the inverse movement.

#include "passes/parameters/PackMatmuls.h"

#include "ir/GraphOps.h"
#include "ir/encodings/CodedPanels.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/Permutations.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/Contraction.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKMATMULSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

FailureOr<PanelShape> panelShapeOf(Operation *op, int64_t panel,
                                   int64_t group) {
  target::TargetModel model = target::modelOf(op);
  PanelShape shape{panel ? panel : int64_t(model.nr),
                   group ? group : int64_t(model.kInterleave)};
  if (shape.panel < 1)
    return op->emitError() << "panel: got " << shape.panel
                           << ", expected at least 1";
  if (shape.group != 1 && shape.group != 2 && shape.group != 4)
    return op->emitError() << "group: got " << shape.group
                           << ", expected 1, 2 or 4";
  return shape;
}

Value widenedLike(OpBuilder &builder, Location loc, Value value,
                  Value original) {
  Type element = typeOf(original).getElementType();
  if (typeOf(value).getElementType() == element)
    return value;
  return builder.create<ConvertOp>(
      loc, RankedTensorType::get(typeOf(value).getShape(), element), value);
}

/// A panel of four f32 vectors; narrower ones have two.
static constexpr int64_t fourVectors = 64;

/// As many vectors as few columns fill: padding beside them would take its
/// share of the caches in each tile of rows.
static int64_t panelForColumns(DotGeneralOp dot, int64_t widest) {
  const int64_t vector = widest / (widest == fourVectors ? 4 : 2);
  int64_t columns =
      typeOf(dot.getRhs()).getNumElements() /
      typeOf(dot.getRhs()).getDimSize(dot.getDims().getRhsContracting()[0]);
  int64_t panel = widest;
  while (panel / 2 >= std::max(columns, vector))
    panel /= 2;
  return panel;
}

/// Half of a wide panel for small or dynamic M.
static int64_t panelForRows(DotGeneralOp dot, int64_t widest) {
  if (widest != fourVectors)
    return widest;
  RankedTensorType left = typeOf(dot.getLhs());
  int64_t rows = 1;
  bool known = true;
  for (int64_t dim : freeDims(left.getRank(), dot.getDims().getLhsBatching(),
                              dot.getDims().getLhsContracting())) {
    known &= !left.isDynamicDim(dim);
    rows *= left.getDimSize(dim);
  }
  // Tiles read pairs of half panels only where no widening is needed.
  bool isFew =
      known ? rows >= target::TargetModel::fewestRowsOfHalfPanels &&
                  rows <= target::TargetModel::mostRowsOfHalfPanels
            : typeOf(beforeWidening(dot.getRhs())).getElementType().isF32();
  return isFew ? widest / 2 : widest;
}

static int64_t bf16Pair(PanelShape widest) {
  return std::min<int64_t>(widest.group, 2);
}

PanelShape panelShapeFor(Operation *op, PanelShape widest) {
  auto elementOf = [&](unsigned operand, bool inMemory) {
    Value value = op->getOperand(operand);
    return typeOf(inMemory ? beforeWidening(value) : value).getElementType();
  };
  if (elementOf(0, false).isInteger(16) && elementOf(1, false).isInteger(16))
    return {widest.panel, std::min<int64_t>(widest.group, 2)};
  bool bytes = elementOf(0, true).isUnsignedInteger(8) &&
               elementOf(1, true).isSignlessInteger(8) &&
               elementOf(1, false).isInteger(32);
  if (bytes && widest.group == 4)
    return widest;
  bool pairs = elementOf(0, false).isBF16() && elementOf(1, false).isBF16() &&
               target::modelOf(op).bf16Pairs;
  auto dot = dyn_cast<DotGeneralOp>(op);
  if (!dot || !(pairs || typeOf(dot).getElementType().isF32()))
    return {widest.panel, pairs ? bf16Pair(widest) : 1};
  int64_t columns = panelForColumns(dot, widest.panel);
  // Panels of pairs are read as such only where they are as wide as tiles.
  return {std::min(columns, panelForRows(dot, widest.panel)),
          pairs && columns == widest.panel ? bf16Pair(widest) : 1};
}

/// True for few columns, which leave most lanes of a vector empty: along K, all
/// lanes count.
static bool suitsColumnDots(DotGeneralOp op) {
  constexpr int64_t mostColumns = 6, mostColumnsOfFewRows = 4, fewRows = 4,
                    shortestSum = 64;
  RankedTensorType left = typeOf(op.getLhs()), right = typeOf(op.getRhs());
  int64_t k = right.getDimSize(op.getDims().getRhsContracting()[0]),
          columns = right.getNumElements() / k, rows = 1;
  for (int64_t dim : freeDims(left.getRank(), op.getDims().getLhsBatching(),
                              op.getDims().getLhsContracting()))
    rows = left.isDynamicDim(dim) ? fewRows : rows * left.getDimSize(dim);
  return right.getRank() == 2 && isa<FloatType>(typeOf(op).getElementType()) &&
         k >= shortestSum &&
         columns <= (rows < fewRows ? mostColumnsOfFewRows : mostColumns);
}

/// Stores the weights column by column, so that K is contiguous.
static void storeByColumns(DotGeneralOp op, OpBuilder &packing) {
  DotDimsAttr dims = op.getDims();
  if (dims.getRhsContracting().front() == 1)
    return;
  Value weights =
      transposed(packing, op.getLoc(), beforeWidening(op.getRhs()), {1, 0});
  OpBuilder builder(op);
  op.getRhsMutable().assign(
      widenedLike(builder, op.getLoc(), weights, op.getRhs()));
  op.setDimsAttr(
      DotDimsAttr::get(op.getContext(), {}, {}, dims.getLhsContracting(), {1}));
}

Value repacked(OpBuilder &packing, OpBuilder &reading, Location loc,
               Value matrix, PanelShape shape) {
  int64_t k = typeOf(matrix).getDimSize(0), n = typeOf(matrix).getDimSize(1);
  Value packed = packPanels(packing, loc, matrix, shape.panel, shape.group);
  return unpackPanels(reading, loc, packed, k, n);
}

bool isPackable(Value weights, int64_t panel) {
  RankedTensorType type = typeOf(weights);
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      isa<ComplexType>(type.getElementType()))
    return false;
  // Any [1, K, N] could be read as one panel of N columns, which no kernel
  // wants.
  auto panels = matchUnpackedPanels(weights);
  return !panels ||
         (panels->panel != panel && !matchCodedPanels(panels->packed));
}

/// Sizes from which on a kernel packs a row-major factor for itself.
static bool isLargeProduct(Operation *contraction) {
  constexpr int64_t fewestRows = 48, fewestColumns = 64, shortestSum = 32;
  auto type = cast<RankedTensorType>(contraction->getResult(0).getType()),
       factor = typeOf(contraction->getOperand(1));
  if (!type.hasStaticShape() || !factor.hasStaticShape() ||
      factor.getNumElements() == 0)
    return false;
  auto dot = dyn_cast<DotGeneralOp>(contraction);
  int64_t k = 1;
  if (dot)
    for (int64_t dim : dot.getDims().getRhsContracting())
      k *= factor.getDimSize(dim);
  else
    k = factor.getNumElements() / factor.getShape().back();
  int64_t columns = factor.getNumElements() / k;
  return k >= shortestSum && columns >= fewestColumns &&
         type.getNumElements() >= fewestRows * columns;
}

/// Several contractions read the factor alike, and the kernel of each would
/// pack it again.
static bool isSharedFactor(OpOperand &factor) {
  constexpr int fewestReaders = 4, mostUses = 256;
  Operation *reader = factor.getOwner();
  if (!isLargeProduct(reader))
    return false;
  int readers = 0, uses = 0;
  for (OpOperand &use : factor.get().getUses()) {
    Operation *other = use.getOwner();
    readers += use.getOperandNumber() == factor.getOperandNumber() &&
               other->getName() == reader->getName() &&
               other->getBlock() == reader->getBlock() &&
               other->getAttrDictionary() == reader->getAttrDictionary() &&
               other->getOperandTypes() == reader->getOperandTypes();
    if (readers == fewestReaders || ++uses == mostUses)
      break;
  }
  return readers == fewestReaders;
}

bool isPackedOnce(OpOperand &factor) {
  Dependence dependence = dependenceOf(factor.get());
  return dependence == Dependence::Parameters ||
         (dependence == Dependence::Arguments && isSharedFactor(factor));
}

bool isPackableFilter(ConvolutionOp op, int64_t panel) {
  return !matchTransformedFilter(op) && isPackable(op.getKernel(), panel) &&
         isParameter(op.getKernel());
}

/// Free dimensions of the weights are dimensions of the result; several of them
/// become one column index and are split again after the matmul.
bool packMatmul(DotGeneralOp op, PanelShape widest, OpBuilder &packing) {
  DotDimsAttr dims = op.getDims();
  Value weights = op.getRhs();
  if (!dims.getRhsBatching().empty() || dims.getRhsContracting().size() != 1 ||
      !typeOf(weights).hasStaticShape() ||
      typeOf(weights).getNumElements() == 0)
    return false;
  PanelShape shape = panelShapeFor(op, widest);
  if (!isPackable(weights, shape.panel))
    return false;
  if (suitsColumnDots(op)) {
    storeByColumns(op, packing);
    return true;
  }
  int64_t contracted = dims.getRhsContracting().front(),
          rank = typeOf(weights).getRank();
  SmallVector<int64_t> order{contracted}, freeSizes;
  for (int64_t d = 0; d < rank; ++d)
    if (d != contracted) {
      order.push_back(d);
      freeSizes.push_back(typeOf(weights).getDimSize(d));
    }
  if (freeSizes.empty())
    return false;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t k = typeOf(weights).getDimSize(contracted),
          n = typeOf(weights).getNumElements() / k;
  weights = beforeWidening(weights);
  if (!isIdentity(order))
    weights = transposed(packing, loc, weights, order);
  weights = repacked(packing, builder, loc,
                     reshaped(packing, loc, weights, {k, n}), shape);
  weights = widenedLike(builder, loc, weights, op.getRhs());
  auto newDims =
      DotDimsAttr::get(op.getContext(), {}, {}, dims.getLhsContracting(), {0});
  SmallVector<int64_t> sizes(typeOf(op).getShape().drop_back(freeSizes.size()));
  sizes.push_back(n);
  Value result = builder.create<DotGeneralOp>(loc, typeOf(op).clone(sizes),
                                              op.getLhs(), weights, newDims);
  if (freeSizes.size() > 1) {
    SmallVector<Value> dynamic;
    for (int64_t d = 0; d < typeOf(op).getRank(); ++d)
      if (typeOf(op).isDynamicDim(d))
        dynamic.push_back(builder.create<DimOp>(loc, result, d));
    result = builder.create<ReshapeOp>(loc, op.getType(), result, dynamic);
  }
  op.replaceAllUsesWith(result);
  op.erase();
  return true;
}

namespace {

struct PackMatmulsPass : impl::PackMatmulsPassBase<PackMatmulsPass> {
  using PackMatmulsPassBase::PackMatmulsPassBase;

  void runOnOperation() override {
    FailureOr<PanelShape> shape = panelShapeOf(getOperation(), panel, group);
    if (failed(shape))
      return signalPassFailure();
    SmallVector<DotGeneralOp> matmuls;
    // A matmul of parameters only is computed once, in @prepare.
    getOperation().walk([&](DotGeneralOp op) {
      if (isPackedOnce(op.getRhsMutable()) && !isFixed(op.getLhs()))
        matmuls.push_back(op);
    });
    for (DotGeneralOp op : matmuls) {
      OpBuilder builder(op);
      packMatmul(op, *shape, builder);
    }
  }
};

} // namespace
} // namespace zenith::parameters
