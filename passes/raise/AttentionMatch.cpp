// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds attention in two matmuls around a softmax.

#include "passes/raise/AttentionMatch.h"

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/ReshapeGroups.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "ir/ops/Contraction.h"
#include "passes/raise/NearMiss.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

namespace {

/// Walks from the last matmul up to the scores, and down again with their
/// dimensions.
class AttentionFinder : AttentionMatch {
public:
  AttentionFinder(DotGeneralOp root, NearMiss &miss) : miss(miss) {
    this->root = root;
  }
  FailureOr<AttentionMatch> find();

private:
  LogicalResult findWeights();
  LogicalResult checkTypes();
  std::optional<unsigned> keyPosition();
  LogicalResult readProduct();
  LogicalResult followScores();
  LogicalResult readRoot();
  bool mayGo(const ScoreSpace &from, const DimVector &sizes, int64_t dim) const;
  bool keepsFixed(const ReshapeGroup &group, ReshapeOp reshape,
                  const ScoreSpace &from, ScoreSpace &to);
  LogicalResult step(Operation *move);
  void setSize(int id, Value of, int64_t dim);
  bool isFixed(int id) const {
    return id == key || llvm::is_contained(queries, id);
  }

  NearMiss &miss;
  ScoreChain chain;
  bool weightsLeft = true, hasMask = false;
  SmallVector<int> queries; ///< dimensions that only queries have
  int next = 0;
  DimAnalysis dims;
};

} // namespace

/// The weights of select(weights is NaN, 0, weights); null for other values.
static Value withoutGuard(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  auto compare =
      select ? select.getPred().getDefiningOp<CompareOp>() : CompareOp();
  if (!compare || compare.getLhs() != compare.getRhs())
    return {};
  bool isNaN = compare.getDirection() == CompareDirection::ne;
  Value weights = isNaN ? select.getOnFalse() : select.getOnTrue(),
        zero = isNaN ? select.getOnTrue() : select.getOnFalse();
  bool fits = (isNaN || compare.getDirection() == CompareDirection::eq) &&
              compare.getLhs() == weights && splatValue(zero) == 0.0;
  return fits ? weights : Value();
}

/// The softmax whose weights an operand of a matmul holds, and the ops in
/// between: movement, converts and one guard; null where there is none.
static SoftmaxOp softmaxOf(Value value, SmallVectorImpl<Operation *> &steps,
                           SelectOp &guard) {
  for (unsigned ops = 0; ops < 8; ++ops) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (auto softmax = dyn_cast<SoftmaxOp>(op))
      return softmax;
    Value weights = withoutGuard(value);
    if (weights && !guard)
      guard = cast<SelectOp>(op);
    else if (!isMove(op) && !isa<ConvertOp>(op))
      return {};
    steps.push_back(op);
    value = weights ? weights : op->getOperand(0);
  }
  return {};
}

LogicalResult AttentionFinder::findWeights() {
  SelectOp guard;
  for (bool left : {true, false}) {
    moves.clear();
    guard = SelectOp();
    softmax = softmaxOf(left ? root.getLhs() : root.getRhs(), moves, guard);
    weightsLeft = left;
    if (softmax)
      break;
  }
  if (!softmax || softmax.getDims().size() != 1)
    return failure();
  if (failed(findScores(softmax.getOperand(), chain, miss)))
    return failure();
  guarded = bool(guard);
  Value unguarded = guard ? withoutGuard(guard.getResult()) : Value();
  auto readers = [](Value value) {
    return std::distance(value.use_begin(), value.use_end());
  };
  SmallVector<Value> weights = {softmax.getResult()};
  for (Operation *op : moves)
    weights.push_back(op->getResult(0));
  // A guard reads the weights three times: on both sides of a comparison, and
  // as a result.
  for (Value value : weights)
    if (readers(value) != (value == unguarded ? 3 : 1))
      return miss.at(softmax, "the weights have other readers");
  if (guard && !guard.getPred().hasOneUse())
    return miss.at(guard, "the guard of the weights has other readers");
  llvm::erase_if(moves, [](Operation *op) { return isa<SelectOp>(op); });
  return success();
}

static bool isNarrow(Type element) {
  return element.getIntOrFloatBitWidth() < 32;
}

/// Scores have one type of at least 32 bits; weights may be rounded to a type
/// that the result is rounded to as well.
LogicalResult AttentionFinder::checkTypes() {
  Type scores = typeOf(softmax).getElementType();
  if (isNarrow(scores) || typeOf(chain.product).getElementType() != scores)
    return miss.at(chain.product, "the scores are rounded to a narrow type");
  Type element = scores;
  for (Operation *move : llvm::reverse(moves)) {
    Type to = typeOf(move->getResult(0)).getElementType();
    bool narrows = to != element && !isNarrow(element);
    if ((narrows && typeOf(root).getElementType() != to) ||
        (to != element && !narrows))
      return miss.at(move, "the weights are converted");
    element = to;
  }
  if (!isNarrow(element) && element != typeOf(root).getElementType())
    return miss.at(root, "the result is converted");
  llvm::erase_if(moves, [](Operation *op) { return isa<ConvertOp>(op); });
  return success();
}

void AttentionFinder::setSize(int id, Value of, int64_t dim) {
  ScoreSize size;
  size.fixed = typeOf(of).getDimSize(dim);
  size.of = of;
  size.dim = dim;
  // A static size is preferred to one that is computed at run time.
  auto [at, isNew] = sizes.try_emplace(id, size);
  if (!isNew && ShapedType::isDynamic(at->second.fixed))
    at->second = size;
}

/// `value` without splat factors, which are multiplied into `scale`.
static Value unscaled(Value value, double &scale) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<MulOp, DivOp>(op))
      break;
    unsigned index = splatValue(op->getOperand(1)) ? 1 : 0;
    std::optional<double> constant = splatValue(op->getOperand(index));
    if (!constant || (index == 0 && isa<DivOp>(op)))
      break;
    double factor = isa<DivOp>(op) ? 1 / *constant : *constant;
    if (!std::isfinite(factor) || factor == 0)
      break;
    scale *= factor;
    value = op->getOperand(1 - index);
  }
  return value;
}

/// The dimension of the first matmul that the softmax runs along. Reshapes are
/// assumed to keep its distance from the last dimension; `step` checks that.
std::optional<unsigned> AttentionFinder::keyPosition() {
  int64_t position = softmax.getDims()[0];
  for (Operation *op : llvm::reverse(chain.steps)) {
    if (auto transpose = dyn_cast<TransposeOp>(op))
      position = transpose.getPermutation()[position];
    else if (isa<ReshapeOp>(op))
      position += typeOf(op->getOperand(0)).getRank() -
                  typeOf(op->getResult(0)).getRank();
    if (position < 0) {
      (void)miss.at(op, "a reshape mixes the keys with other dimensions");
      return std::nullopt;
    }
  }
  return position;
}

/// Gives ids to the dimensions of the scores as the first matmul computes them.
LogicalResult AttentionFinder::readProduct() {
  product = chain.product;
  DotDimsAttr attr = product.getDims();
  if (attr.getLhsContracting().size() != 1)
    return miss.at(product, "queries and keys are summed over more dimensions "
                            "than one");
  Value sides[] = {unscaled(product.getLhs(), scale),
                   unscaled(product.getRhs(), scale)};
  ArrayRef<int64_t> batching[] = {attr.getLhsBatching(), attr.getRhsBatching()},
                    contracting[] = {attr.getLhsContracting(),
                                     attr.getRhsContracting()};
  ScoreSpace space, ids[2];
  for (unsigned side : {0u, 1u})
    ids[side].resize(typeOf(sides[side]).getRank(), -1);
  for (auto [lhs, rhs] : llvm::zip(batching[0], batching[1])) {
    ids[0][lhs] = ids[1][rhs] = next;
    setSize(next, sides[0], lhs);
    setSize(next, sides[1], rhs);
    space.push_back(next++);
  }
  for (unsigned side : {0u, 1u})
    for (int64_t d : freeDims(typeOf(sides[side]).getRank(), batching[side],
                              contracting[side])) {
      ids[side][d] = next;
      setSize(next, sides[side], d);
      space.push_back(next++);
    }
  spaces.push_back(space);
  auto position = keyPosition();
  if (!position)
    return failure();
  key = space[*position];
  unsigned keySide = llvm::is_contained(ids[0], key) ? 0 : 1;
  if (llvm::is_contained(ids[1 - keySide], key))
    return miss.at(product, "the softmax is over a dimension of the batch");
  for (int id : ids[1 - keySide])
    if (id >= 0 && !llvm::is_contained(ids[keySide], id))
      queries.push_back(id);
  if (queries.empty())
    return miss.at(product, "the queries have no dimension of their own");
  query = sides[1 - keySide];
  keys = sides[keySide];
  // A matmul with a parameter before a softmax is a layer and no attention; its
  // weights are packed.
  if (isMovedParameter(keys))
    return failure();
  queryIds = ids[1 - keySide];
  keyIds = ids[keySide];
  return success();
}

/// True for a query dimension of size 1 beside another query dimension: a
/// trivial group of heads, which reshapes put anywhere.
bool AttentionFinder::mayGo(const ScoreSpace &from, const DimVector &sizes,
                            int64_t dim) const {
  auto isUnit = [&](int64_t d) { return sizes[d].isConstant(1); };
  if (!isUnit(dim) || !llvm::is_contained(queries, from[dim]))
    return false;
  return llvm::any_of(llvm::seq<int64_t>(0, from.size()), [&](int64_t d) {
    return d != dim && llvm::is_contained(queries, from[d]) &&
           (!isUnit(d) || d > dim);
  });
}

/// Follows the query or key dimension of a reshape group; true where the group
/// has none, or only dimensions of size 1 beside it.
bool AttentionFinder::keepsFixed(const ReshapeGroup &group, ReshapeOp reshape,
                                 const ScoreSpace &from, ScoreSpace &to) {
  const DimVector fromDims = dims.dimsOf(reshape.getOperand()),
                  toDims = dims.dimsOf(reshape.getResult());
  int64_t fixed = -1, target = group.to.front();
  for (int64_t d : group.from)
    if (isFixed(from[d])) {
      if (group.from.size() > 1 && mayGo(from, fromDims, d))
        continue;
      if (fixed >= 0)
        return false;
      fixed = d;
    }
  if (fixed < 0) {
    if (group.from.size() == 1 && group.to.size() == 1)
      to[target] = from[group.from[0]];
    return true;
  }
  for (int64_t d : group.to)
    if (toDims[d] == fromDims[fixed])
      target = d;
  to[target] = from[fixed];
  return toDims[target] == fromDims[fixed] &&
         llvm::all_of(group.from,
                      [&](int64_t d) {
                        return d == fixed || fromDims[d].isConstant(1);
                      }) &&
         llvm::all_of(group.to, [&](int64_t d) {
           return d == target || toDims[d].isConstant(1);
         });
}

/// Follows dimensions through one more movement op. Keys and queries stay as
/// they are; batches may be split and merged.
LogicalResult AttentionFinder::step(Operation *move) {
  const ScoreSpace from = spaces.back();
  ScoreSpace to;
  if (auto transpose = dyn_cast<TransposeOp>(move)) {
    for (int64_t source : transpose.getPermutation())
      to.push_back(from[source]);
  } else {
    auto reshape = cast<ReshapeOp>(move);
    auto type = typeOf(reshape.getResult());
    auto groups = reshapeGroups(dims.dimsOf(reshape.getOperand()),
                                dims.dimsOf(reshape.getResult()));
    if (!groups)
      return miss.at(move, "the sizes of a reshape do not tell what it does");
    to.resize(type.getRank(), -1);
    for (const ReshapeGroup &group : *groups)
      if (!keepsFixed(group, reshape, from, to))
        return miss.at(move, "a reshape mixes queries or keys with other "
                             "dimensions");
    unsigned given = 0;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      ScoreSize size;
      size.fixed = type.getDimSize(d);
      if (type.isDynamicDim(d))
        size.scalar = reshape.getDims()[given++];
      if (to[d] < 0) {
        sizes[next] = size;
        to[d] = next++;
      }
    }
  }
  moves.push_back(move);
  spaces.push_back(to);
  return success();
}

/// Walks down from the first matmul to the weights.
LogicalResult AttentionFinder::followScores() {
  SmallVector<Operation *> after(moves.rbegin(), moves.rend());
  moves.clear();
  for (Operation *op : chain.steps) {
    if (isMove(op)) {
      if (failed(step(op)))
        return failure();
      continue;
    }
    const ScoreSpace &space = spaces.back();
    // Which of several query dimensions is the row is decided at the mask.
    int last = -1;
    for (int id : space)
      if (llvm::is_contained(queries, id))
        last = id;
    if (failed(addScoreStep(op, indexOf(space, last), indexOf(space, key),
                            scale, mask, miss)))
      return failure();
    if (mask.bias || mask.kept || mask.causal) {
      if (hasMask && canonical + 1 != spaces.size())
        return miss.at(op, "scores are masked in two shapes");
      canonical = spaces.size() - 1;
      hasMask = true;
    }
  }
  if (!hasMask)
    canonical = spaces.size() - 1;
  if (spaces.back()[softmax.getDims()[0]] != key)
    return miss.at(softmax, "the softmax is not over the keys");
  for (Operation *op : after)
    if (failed(step(op)))
      return failure();
  for (int id : spaces[canonical])
    if (llvm::is_contained(queries, id))
      row = id;
  return success();
}

/// Gives ids to the dimensions of values and result.
LogicalResult AttentionFinder::readRoot() {
  DotDimsAttr attr = root.getDims();
  auto batching = attr.getLhsBatching(), other = attr.getRhsBatching();
  auto contracting = attr.getLhsContracting(),
       valueContracting = attr.getRhsContracting();
  if (!weightsLeft) {
    std::swap(batching, other);
    std::swap(contracting, valueContracting);
  }
  const ScoreSpace &space = spaces.back();
  values = weightsLeft ? root.getRhs() : root.getLhs();
  if (contracting.size() != 1 || space[contracting[0]] != key)
    return miss.at(root,
                   "the weights are summed over something else than keys");
  auto features = freeDims(typeOf(values).getRank(), other, valueContracting);
  if (features.size() != 1)
    return miss.at(root, "the values have not one dimension of their own");
  valueIds.resize(typeOf(values).getRank(), -1);
  valueIds[valueContracting[0]] = key;
  for (auto [weight, value] : llvm::zip(batching, other)) {
    valueIds[value] = space[weight];
    resultIds.push_back(space[weight]);
  }
  if (llvm::is_contained(valueIds, row))
    return miss.at(root, "each query has its own values");
  Value weights = weightsLeft ? root.getLhs() : root.getRhs();
  if (!weightsLeft)
    resultIds.push_back(key);
  for (int64_t d : freeDims(typeOf(weights).getRank(), batching, contracting))
    resultIds.push_back(space[d]);
  if (weightsLeft)
    resultIds.push_back(key);
  return success();
}

FailureOr<AttentionMatch> AttentionFinder::find() {
  if (failed(findWeights()) || failed(checkTypes()) || failed(readProduct()) ||
      failed(followScores()) || failed(readRoot()))
    return failure();
  return AttentionMatch(std::move(*this));
}

FailureOr<AttentionMatch> matchAttention(DotGeneralOp root, NearMiss &miss) {
  return AttentionFinder(root, miss).find();
}

} // namespace zenith::raise
