// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises comparators that order as graph.sort does: by one key after the
// other, each of integers, or of floats in total order with one zero and one
// NaN.

#include "passes/raise/RaiseComparators.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/IR/PatternMatch.h"
using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

namespace {

/// The operands by which a comparator orders, most significant first.
struct SortKeys {
  SmallVector<unsigned> inputs;
  bool descending = false;
};

/// A comparison of the two sides of one operand; `direction` is that with the
/// left side on the left.
struct SideComparison {
  unsigned input;
  CompareDirection direction;
};

} // namespace

static CompareDirection mirrored(CompareDirection direction) {
  switch (direction) {
  case CompareDirection::lt:
    return CompareDirection::gt;
  case CompareDirection::gt:
    return CompareDirection::lt;
  case CompareDirection::le:
    return CompareDirection::ge;
  case CompareDirection::ge:
    return CompareDirection::le;
  default:
    return direction;
  }
}

static DenseElementsAttr splatElements(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return elements && elements.isSplat() ? elements : DenseElementsAttr();
}

static bool isZero(Value value) {
  DenseElementsAttr elements = splatElements(value);
  if (!elements)
    return false;
  return isa<FloatType>(elements.getElementType())
             ? elements.getSplatValue<APFloat>().isZero()
             : isa<IntegerType>(elements.getElementType()) &&
                   elements.getSplatValue<APInt>().isZero();
}

static bool isPositiveNaN(Value value) {
  DenseElementsAttr elements = splatElements(value);
  return elements && isa<FloatType>(elements.getElementType()) &&
         elements.getSplatValue<APFloat>().isNaN() &&
         !elements.getSplatValue<APFloat>().isNegative();
}

/// True where `condition` compares `value` with something that fits `other`.
template <typename Test>
static bool compares(Value condition, CompareDirection direction, Value value,
                     Test other) {
  auto compare = condition.getDefiningOp<CompareOp>();
  if (!compare || compare.getDirection() != direction)
    return false;
  return (compare.getLhs() == value && other(compare.getRhs())) ||
         (direction != CompareDirection::lt && compare.getRhs() == value &&
          other(compare.getLhs()));
}

/// True for `argument` with all zeros made +0 and all NaNs one positive NaN.
static bool isCanonical(Value value, BlockArgument argument) {
  auto noNaN = value.getDefiningOp<SelectOp>();
  auto isSame = [&](Value other) { return other == argument; };
  if (!noNaN ||
      !compares(noNaN.getPred(), CompareDirection::ne, argument, isSame) ||
      !isPositiveNaN(noNaN.getOnTrue()))
    return false;
  auto oneZero = noNaN.getOnFalse().getDefiningOp<SelectOp>();
  return oneZero && oneZero.getOnFalse() == argument &&
         isZero(oneZero.getOnTrue()) &&
         compares(oneZero.getPred(), CompareDirection::eq, argument, isZero);
}

/// The float of which `value` is the bits as an integer of the same order: x <
/// 0 ? x ^ largest : x.
static Value orderedBits(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  auto bitcast =
      select ? select.getOnFalse().getDefiningOp<BitcastOp>() : BitcastOp();
  auto flipped = select ? select.getOnTrue().getDefiningOp<XorOp>() : XorOp();
  if (!bitcast || !flipped ||
      !isa<FloatType>(typeOf(bitcast.getOperand()).getElementType()) ||
      !typeOf(value).getElementType().isSignlessInteger() ||
      !compares(select.getPred(), CompareDirection::lt, bitcast, isZero))
    return {};
  for (bool swapped : {false, true}) {
    Value bits = swapped ? flipped.getRhs() : flipped.getLhs();
    DenseElementsAttr mask =
        splatElements(swapped ? flipped.getLhs() : flipped.getRhs());
    if (bits == bitcast && mask &&
        mask.getSplatValue<APInt>().isMaxSignedValue())
      return bitcast.getOperand();
  }
  return {};
}

/// The argument whose order `key` has in graph.sort.
static BlockArgument keyArgument(Value key) {
  if (auto argument = dyn_cast<BlockArgument>(key))
    return isa<IntegerType>(typeOf(argument).getElementType())
               ? argument
               : BlockArgument();
  Value number = orderedBits(key);
  auto noNaN = number ? number.getDefiningOp<SelectOp>() : SelectOp();
  auto oneZero =
      noNaN ? noNaN.getOnFalse().getDefiningOp<SelectOp>() : SelectOp();
  auto argument =
      oneZero ? dyn_cast<BlockArgument>(oneZero.getOnFalse()) : BlockArgument();
  return argument && isCanonical(number, argument) ? argument : BlockArgument();
}

/// Floats without such a key keep their comparator: a NaN is not below, not
/// above and not equal to a number, which is no total order.
static std::optional<SideComparison> sideComparison(Value value) {
  auto compare = value.getDefiningOp<CompareOp>();
  if (!compare)
    return std::nullopt;
  BlockArgument lhs = keyArgument(compare.getLhs()),
                rhs = keyArgument(compare.getRhs());
  if (!lhs || !rhs || lhs.getOwner() != rhs.getOwner() ||
      lhs.getOwner() != compare->getBlock())
    return std::nullopt;
  unsigned left = lhs.getArgNumber(), right = rhs.getArgNumber();
  if (left / 2 != right / 2 || left == right)
    return std::nullopt;
  CompareDirection direction = compare.getDirection();
  return SideComparison{left / 2,
                        left < right ? direction : mirrored(direction)};
}

static std::optional<SortKeys> sortKeys(Value before, unsigned depth);

/// The keys of `first` where it decides, then those of `rest`; `equal` says
/// that `first` does not decide.
static std::optional<SortKeys> keysOf(Value first, Value equal, Value rest,
                                      unsigned depth) {
  auto strict = sideComparison(first), same = sideComparison(equal);
  if (!strict || !same || strict->input != same->input ||
      same->direction != CompareDirection::eq)
    return std::nullopt;
  auto alone = sortKeys(first, depth), following = sortKeys(rest, depth);
  if (!alone || !following || alone->descending != following->descending)
    return std::nullopt;
  alone->inputs.append(following->inputs);
  return alone;
}

static std::optional<SortKeys> sortKeys(Value before, unsigned depth) {
  if (auto side = sideComparison(before)) {
    if (side->direction == CompareDirection::lt)
      return SortKeys{{side->input}, false};
    if (side->direction == CompareDirection::gt)
      return SortKeys{{side->input}, true};
    return std::nullopt;
  }
  if (depth == 0)
    return std::nullopt;
  if (auto select = before.getDefiningOp<SelectOp>())
    return keysOf(select.getOnFalse(), select.getPred(), select.getOnTrue(),
                  depth - 1);
  auto either = before.getDefiningOp<OrOp>();
  if (!either)
    return std::nullopt;
  for (bool swapped : {false, true}) {
    Value first = swapped ? either.getRhs() : either.getLhs();
    auto both =
        (swapped ? either.getLhs() : either.getRhs()).getDefiningOp<AndOp>();
    if (!both)
      continue;
    for (auto [equal, rest] :
         {std::pair<Value, Value>(both.getLhs(), both.getRhs()),
          std::pair<Value, Value>(both.getRhs(), both.getLhs())})
      if (auto keys = keysOf(first, equal, rest, depth - 1))
        return keys;
  }
  return std::nullopt;
}

/// graph.sort takes the keys first.
static LogicalResult raiseSort(SortWithOp op, PatternRewriter &rewriter) {
  unsigned count = op.getInputs().size();
  auto keys = sortKeys(
      op.getComparator().front().getTerminator()->getOperand(0), count);
  if (!keys)
    return failure();
  SmallVector<unsigned> order;
  for (unsigned key : keys->inputs)
    if (!llvm::is_contained(order, key))
      order.push_back(key);
  unsigned keyCount = order.size();
  for (unsigned i = 0; i < count; ++i)
    if (!llvm::is_contained(order, i))
      order.push_back(i);
  SmallVector<Value> inputs, results(count);
  SmallVector<Type> types;
  for (unsigned i : order) {
    inputs.push_back(op.getInputs()[i]);
    types.push_back(op.getResult(i).getType());
  }
  auto sort = rewriter.create<SortOp>(op.getLoc(), types, inputs, op.getDim(),
                                      keyCount, keys->descending);
  for (auto [place, i] : llvm::enumerate(order))
    results[i] = sort.getResult(place);
  rewriter.replaceOp(op, results);
  return success();
}

void addComparatorPatterns(RewritePatternSet &patterns) {
  patterns.add(raiseSort);
}

} // namespace zenith::raise
