// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic with splat constants, also where a dynamic shape makes the splat a
// broadcast; and the pass.

#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/UnsignedSource.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"
#include "passes/RewriteGreedily.h"
#include "passes/simplify/SimplifyMovement.h"
#include "passes/simplify/SimplifyOuterProducts.h"
#include "passes/simplify/SimplifyPadding.h"
#include "passes/simplify/SimplifyQuantization.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SIMPLIFYALGEBRAPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::simplify {

static bool isFloat(Value value) {
  return isa<FloatType>(typeOf(value).getElementType());
}

/// x * 1, x + (-0.0), x - 0.0, x / 1: bits stay. x + 0.0 does not count, since
/// -0.0 + 0.0 is 0.0.
static LogicalResult dropNeutral(Operation *op, PatternRewriter &rewriter) {
  auto isNeutral = [&](Value operand) {
    std::optional<double> constant = splatValue(operand);
    if (!constant)
      return false;
    if (isa<MulOp, DivOp>(op))
      return *constant == 1;
    bool isZero = *constant == 0;
    return isZero &&
           (!isFloat(operand) || std::signbit(*constant) == isa<AddOp>(op));
  };
  if (isNeutral(op->getOperand(1)))
    return rewriter.replaceOp(op, op->getOperand(0)), success();
  if (isa<MulOp, AddOp>(op) && isNeutral(op->getOperand(0)))
    return rewriter.replaceOp(op, op->getOperand(1)), success();
  return failure();
}

template <typename Op>
static LogicalResult dropNeutralOf(Op op, PatternRewriter &rewriter) {
  return dropNeutral(op, rewriter);
}

static LogicalResult squareByMultiplication(PowOp op,
                                            PatternRewriter &rewriter) {
  std::optional<double> exponent = splatValue(op.getRhs());
  if (!isFloat(op) || !exponent)
    return failure();
  if (*exponent == 1)
    return rewriter.replaceOp(op, op.getLhs()), success();
  if (*exponent != 2)
    return failure();
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(),
                                     op.getLhs());
  return success();
}

/// x / 2^k = x * 2^-k exactly, where 2^-k is a normal number of the type.
static LogicalResult divisionByPowerOfTwo(DivOp op, PatternRewriter &rewriter) {
  std::optional<double> divisor = splatValue(op.getRhs());
  int exponent;
  Type element = typeOf(op).getElementType();
  if (!divisor || !(element.isF32() || element.isF64()) || *divisor == 0 ||
      std::abs(std::frexp(*divisor, &exponent)) != 0.5 ||
      std::abs(exponent) > 100)
    return failure();
  // The reciprocal replaces the divisor below its broadcasts and reshapes, so
  // that shapes stay as they are.
  Value source = op.getRhs();
  SmallVector<Operation *> movement;
  while (!source.getDefiningOp<ConstantOp>()) {
    movement.push_back(source.getDefiningOp());
    source = movement.back()->getOperand(0);
  }
  APFloat reciprocal = FloatAttr::get(element, 1 / *divisor).getValue();
  Value value = rewriter.create<ConstantOp>(
      op.getLoc(),
      cast<ElementsAttr>(DenseElementsAttr::get(typeOf(source), reciprocal)));
  for (Operation *move : llvm::reverse(movement)) {
    Operation *moved = rewriter.clone(*move);
    moved->setOperand(0, value);
    value = moved->getResult(0);
  }
  rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), value);
  return success();
}

static LogicalResult selectByConstant(SelectOp op, PatternRewriter &rewriter) {
  std::optional<double> pred = splatValue(op.getPred());
  if (!pred)
    return failure();
  rewriter.replaceOp(op, *pred != 0 ? op.getOnTrue() : op.getOnFalse());
  return success();
}

/// The branch for negative indices, which count from the end, is never taken
/// for values that were unsigned.
static LogicalResult selectByNegative(SelectOp op, PatternRewriter &rewriter) {
  auto compare = op.getPred().getDefiningOp<CompareOp>();
  if (!compare || compare.getDirection() != CompareDirection::lt ||
      splatValue(compare.getRhs()) != 0.0 ||
      !unsignedSourceOf(compare.getLhs()))
    return failure();
  rewriter.replaceOp(op, op.getOnFalse());
  return success();
}

/// select(p, true, false) is p.
static LogicalResult selectOfItself(SelectOp op, PatternRewriter &rewriter) {
  if (op.getPred().getType() != op.getType() ||
      !typeOf(op).getElementType().isInteger(1) ||
      splatValue(op.getOnTrue()).value_or(0) == 0 ||
      splatValue(op.getOnFalse()).value_or(1) != 0)
    return failure();
  rewriter.replaceOp(op, op.getPred());
  return success();
}

/// max(x, -inf) and min(x, inf): x, also where it is NaN.
template <typename Op>
static LogicalResult dropInfinity(Op op, PatternRewriter &rewriter) {
  constexpr bool isMax = std::is_same_v<Op, MaxOp>;
  for (unsigned i : {0u, 1u}) {
    std::optional<double> constant = splatValue(op->getOperand(i));
    if (constant && std::isinf(*constant) && (*constant < 0) == isMax) {
      rewriter.replaceOp(op, op->getOperand(1 - i));
      return success();
    }
  }
  return failure();
}

template <typename Op>
static LogicalResult logicByConstant(Op op, PatternRewriter &rewriter) {
  if (!typeOf(op).getElementType().isInteger(1))
    return failure();
  constexpr bool isAnd = std::is_same_v<Op, AndOp>;
  for (unsigned i : {0u, 1u})
    if (std::optional<double> known = splatValue(op->getOperand(i))) {
      bool keepsOther = (*known != 0) == isAnd;
      rewriter.replaceOp(op, op->getOperand(keepsOther ? 1 - i : i));
      return success();
    }
  return failure();
}

static void addAlgebraPatterns(RewritePatternSet &patterns) {
  patterns.add(dropNeutralOf<MulOp>);
  patterns.add(dropNeutralOf<DivOp>);
  patterns.add(dropNeutralOf<AddOp>);
  patterns.add(dropNeutralOf<SubOp>);
  patterns.add(squareByMultiplication);
  patterns.add(divisionByPowerOfTwo);
  patterns.add(selectByConstant);
  patterns.add(selectByNegative);
  patterns.add(selectOfItself);
  patterns.add(dropInfinity<MaxOp>);
  patterns.add(dropInfinity<MinOp>);
  patterns.add(logicByConstant<AndOp>);
  patterns.add(logicByConstant<OrOp>);
}

namespace {

/// Rewrites that can be left out together.
struct PatternGroup {
  llvm::StringLiteral name;
  void (*add)(RewritePatternSet &);
};

struct SimplifyAlgebraPass
    : impl::SimplifyAlgebraPassBase<SimplifyAlgebraPass> {
  using SimplifyAlgebraPassBase::SimplifyAlgebraPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    std::optional<RewritePatternSet> patterns = chosenPatterns();
    if (!patterns)
      return signalPassFailure();
    if (failed(rewriteGreedily(function, std::move(*patterns))))
      function.emitWarning() << "simplification stopped before it was done";
  }

private:
  /// All groups but those that `without` names; nullopt where it names another.
  std::optional<RewritePatternSet> chosenPatterns() {
    static constexpr PatternGroup groups[] = {
        {"algebra", addAlgebraPatterns},
        {"movement", addMovementPatterns},
        {"outer-products", addOuterProductPatterns},
        {"padding", addPaddingPatterns},
        {"quantization", addQuantizationPatterns}};
    for (const std::string &name : without)
      if (llvm::none_of(groups, [&](const PatternGroup &group) {
            return group.name == name;
          })) {
        getOperation().emitError()
            << "without: got " << name
            << ", expected algebra, movement, outer-products, padding or "
               "quantization";
        return std::nullopt;
      }
    RewritePatternSet patterns(&getContext());
    for (const PatternGroup &group : groups)
      if (!llvm::is_contained(without, group.name))
        group.add(patterns);
    return patterns;
  }
};

} // namespace
} // namespace zenith::simplify
