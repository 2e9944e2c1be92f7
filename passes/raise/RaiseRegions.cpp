// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces ops whose region is one known op; and the pass.

#include "ir/GraphOps.h"
#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"
#include "passes/RewriteGreedily.h"
#include "passes/raise/NeutralElement.h"
#include "passes/raise/RaiseArgReduce.h"
#include "passes/raise/RaiseComparators.h"
#include "passes/raise/RegionReduceKind.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_RAISEREGIONSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::raise {

/// The kinds of all results; nullopt where one is no known reduction.
static std::optional<SmallVector<ReduceKind>> regionReduceKinds(Operation *op) {
  SmallVector<ReduceKind> kinds;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    std::optional<ReduceKind> kind = regionReduceKind(op->getRegion(0), i);
    if (!kind)
      return std::nullopt;
    kinds.push_back(*kind);
  }
  return kinds;
}

/// `reduced` combined with `init` once more: exact but for the order of sums,
/// which no reduction promises.
static Value withInit(OpBuilder &builder, Location loc, ReduceKind kind,
                      Value reduced, Value init) {
  if (isNeutral(kind, init))
    return reduced;
  Value everywhere = builder.create<BroadcastOp>(
      loc, reduced.getType(), init, ArrayRef<int64_t>{},
      dynamicDimsOf(builder, loc, reduced));
  return combined(builder, loc, kind, everywhere, reduced);
}

/// reduce rounds sums and products of narrow floats once; a scan and the region
/// round at every step.
static bool roundsOnce(ReduceKind kind, Type element) {
  return (kind == ReduceKind::sum || kind == ReduceKind::prod) &&
         isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

static LogicalResult raiseReduce(ReduceWithOp op, PatternRewriter &rewriter) {
  auto kinds = regionReduceKinds(op);
  if (!kinds)
    return failure();
  for (auto [kind, init] : llvm::zip(*kinds, op.getInits()))
    if (roundsOnce(kind, getElementTypeOrSelf(init.getType())))
      return failure();
  SmallVector<Value> results;
  for (auto [i, kind] : llvm::enumerate(*kinds)) {
    Value reduced =
        rewriter.create<ReduceOp>(op.getLoc(), op.getResult(i).getType(), kind,
                                  op.getInputs()[i], op.getDims());
    results.push_back(
        withInit(rewriter, op.getLoc(), kind, reduced, op.getInits()[i]));
  }
  rewriter.replaceOp(op, results);
  return success();
}

/// True where combining the same value twice changes nothing.
static bool isIdempotent(ReduceKind kind) {
  return kind == ReduceKind::max || kind == ReduceKind::min ||
         kind == ReduceKind::all || kind == ReduceKind::any;
}

namespace {
struct ScanReduce {
  int64_t dim;
  bool reverse;
};
} // namespace

/// A window that reaches from the first element to its own, or from its own to
/// the last, along one dimension is a scan. Op is reduce_window or
/// reduce_window_with.
template <typename Op>
static std::optional<ScanReduce> scanOf(Op op, RankedTensorType type) {
  auto allOnes = [](ArrayRef<int64_t> list) {
    return llvm::all_of(list, [](int64_t value) { return value == 1; });
  };
  if (typeOf(op->getResult(0)).getShape() != type.getShape() ||
      !allOnes(op.getStrides()) || !allOnes(op.getBaseDilation()) ||
      !allOnes(op.getDilation()))
    return std::nullopt;
  int64_t along = -1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (op.getWindow()[dim] == 1 && op.getLow()[dim] == 0 &&
        op.getHigh()[dim] == 0)
      continue;
    if (along != -1 || type.isDynamicDim(dim) ||
        op.getWindow()[dim] != type.getDimSize(dim))
      return std::nullopt;
    along = dim;
  }
  if (along == -1)
    return std::nullopt;
  int64_t low = op.getLow()[along], high = op.getHigh()[along],
          reach = op.getWindow()[along] - 1;
  bool forward = low == reach && high == 0,
       backward = low == 0 && high == reach;
  if (!forward && !backward)
    return std::nullopt;
  return ScanReduce{along, !forward};
}

/// One result of reduce_window_with as an op of a kind.
static Value windowOfKind(ReduceWindowWithOp op, unsigned number,
                          ReduceKind kind, PatternRewriter &rewriter) {
  Value input = op.getInputs()[number];
  Type type = op.getResult(number).getType();
  if (auto scan = scanOf(op, typeOf(input)))
    return rewriter.create<CumulativeOp>(op.getLoc(), type, kind, input,
                                         scan->dim, /*exclusive=*/false,
                                         scan->reverse);
  return rewriter.create<ReduceWindowOp>(
      op.getLoc(), type, kind, input, op.getWindow(), op.getStrides(),
      op.getLow(), op.getHigh(), op.getBaseDilation(), op.getDilation());
}

static LogicalResult raiseWindow(ReduceWindowWithOp op,
                                 PatternRewriter &rewriter) {
  auto kinds = regionReduceKinds(op);
  if (!kinds)
    return failure();
  bool isScan = scanOf(op, typeOf(op.getInputs().front())).has_value();
  for (auto [kind, init] : llvm::zip(*kinds, op.getInits())) {
    // Padding is combined as init, any number of times.
    if (!isNeutral(kind, init) && !isIdempotent(kind))
      return failure();
    if (roundsOnce(kind, getElementTypeOrSelf(init.getType())) && !isScan)
      return failure();
  }
  SmallVector<Value> results;
  for (auto [i, kind] : llvm::enumerate(*kinds))
    results.push_back(withInit(rewriter, op.getLoc(), kind,
                               windowOfKind(op, i, kind, rewriter),
                               op.getInits()[i]));
  rewriter.replaceOp(op, results);
  return success();
}

static LogicalResult raiseScan(ReduceWindowOp op, PatternRewriter &rewriter) {
  if (roundsOnce(op.getKind(), getElementTypeOrSelf(op.getType())))
    return failure();
  auto scan = scanOf(op, typeOf(op.getOperand()));
  if (!scan)
    return failure();
  rewriter.replaceOpWithNewOp<CumulativeOp>(op, op.getType(), op.getKind(),
                                            op.getOperand(), scan->dim,
                                            /*exclusive=*/false, scan->reverse);
  return success();
}

/// A window that spans every dimension that it could move along has one
/// position: it is a reduction.
static LogicalResult raiseWholeReduce(ReduceWindowOp op,
                                      PatternRewriter &rewriter) {
  RankedTensorType type = typeOf(op.getOperand());
  SmallVector<int64_t> spanned, kept;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t window = op.getWindow()[dim];
    if (op.getLow()[dim] != 0 || op.getHigh()[dim] != 0 ||
        op.getBaseDilation()[dim] != 1)
      return failure();
    if (window == 1 && op.getStrides()[dim] == 1) {
      kept.push_back(dim);
      continue;
    }
    if (window != type.getDimSize(dim) ||
        (window > 1 && op.getDilation()[dim] != 1))
      return failure();
    spanned.push_back(dim);
  }
  if (spanned.empty())
    return failure();
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (int64_t dim : kept) {
    shape.push_back(type.getDimSize(dim));
    if (type.isDynamicDim(dim))
      sizes.push_back(
          rewriter.create<DimOp>(op.getLoc(), op.getOperand(), dim));
  }
  Value reduced = rewriter.create<ReduceOp>(
      op.getLoc(), RankedTensorType::get(shape, type.getElementType()),
      op.getKind(), op.getOperand(), spanned);
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), reduced, sizes);
  return success();
}

/// How an update is combined with the element at its index.
static std::optional<ScatterKind> scatterKind(Region &region, unsigned number) {
  Block &block = region.front();
  unsigned count = block.getNumArguments() / 2;
  if (block.getTerminator()->getOperand(number) ==
      block.getArgument(count + number))
    return ScatterKind::set;
  switch (regionReduceKind(region, number).value_or(ReduceKind::parity)) {
  case ReduceKind::sum:
    return ScatterKind::sum;
  case ReduceKind::prod:
    return ScatterKind::prod;
  case ReduceKind::max:
    return ScatterKind::max;
  case ReduceKind::min:
    return ScatterKind::min;
  default:
    return std::nullopt;
  }
}

static LogicalResult raiseScatter(ScatterWithOp op, PatternRewriter &rewriter) {
  SmallVector<ScatterKind> kinds;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    std::optional<ScatterKind> kind = scatterKind(op.getBody(), i);
    if (!kind)
      return failure();
    kinds.push_back(*kind);
  }
  SmallVector<Value> results;
  for (auto [i, kind] : llvm::enumerate(kinds))
    results.push_back(rewriter.create<ScatterOp>(
        op.getLoc(), op.getResult(i).getType(), kind, op.getInputs()[i],
        op.getIndices(), op.getUpdates()[i], op.getDims(), op.getUnique()));
  rewriter.replaceOp(op, results);
  return success();
}

namespace {

struct RaiseRegionsPass : impl::RaiseRegionsPassBase<RaiseRegionsPass> {
  using RaiseRegionsPassBase::RaiseRegionsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add(raiseReduce);
    patterns.add(raiseWindow);
    patterns.add(raiseScan);
    patterns.add(raiseWholeReduce);
    patterns.add(raiseScatter);
    addComparatorPatterns(patterns);
    addArgReducePatterns(patterns);
    if (failed(rewriteGreedily(function, std::move(patterns))))
      function.emitWarning() << "raising stopped before it was done";
  }
};

} // namespace
} // namespace zenith::raise
