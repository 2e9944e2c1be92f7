// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the scores, the top_k and the picks after a unique, and checks that
// nothing else depends on states that are not among the best.

#include "passes/search/states/BeamStep.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "passes/search/states/RowFormulas.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

class StepMatcher {
public:
  StepMatcher(UniqueOp unique, DimAnalysis &dims, BeamRefusal &why)
      : dims(dims), why(why) {
    step.unique = unique;
  }
  std::optional<BeamStep> match();

private:
  bool findStates();
  bool collectKnown(Value mask);
  bool findBest();
  bool readScore();
  bool readWidth();
  bool readPicks();
  bool checkUses(Value states);
  bool checkSize(DimOp size);
  bool countsFormed(DimOp size, Operation *chosen);
  bool readNeighbours(Value layer);
  void findNeighbours();
  void boundLayer();
  bool isPicked(Value value);
  bool isSomeStates(Value condition);
  bool fail(const Twine &reason) {
    why.reason = reason.str();
    return false;
  }
  bool countsOthers();

  BeamStep step;
  DimAnalysis &dims;
  BeamRefusal &why;
  SmallVector<Operation *> scoring; // from `states` to the scores
  DimOp counted;                    // of which the width is the most
};

} // namespace

static std::optional<int64_t> integerOf(Value value) {
  DenseIntElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  return (*elements.value_begin<APInt>()).getSExtValue();
}

bool StepMatcher::collectKnown(Value mask) {
  if (auto either = mask.getDefiningOp<OrOp>())
    return collectKnown(either.getLhs()) && collectKnown(either.getRhs());
  auto isIn = mask.getDefiningOp<IsInOp>();
  if (!isIn || isIn.getOperand() != step.unique.getRows())
    return false;
  step.known.push_back(isIn.getSet());
  return true;
}

/// Takes the uses of a number of all distinct rows, which are behind the choice
/// among these.
bool StepMatcher::countsFormed(DimOp size, Operation *chosen) {
  Block *block = chosen->getBlock();
  for (OpOperand &use : size->getUses()) {
    Operation *user = block->findAncestorOpInBlock(*use.getOwner());
    if (size.getDim() != 0 || !user || !chosen->isBeforeInBlock(user))
      return false;
    step.formedUses.push_back(&use);
  }
  return true;
}

/// The distinct rows, or what compact leaves of them.
bool StepMatcher::findStates() {
  UniqueOp unique = step.unique;
  step.states = unique.getRows();
  step.places = unique.getFirst();
  if (unique.getSorted() || !unique.getInverse().use_empty() ||
      !unique.getCounts().use_empty())
    return fail("more is asked about neighbours than which ones there are");
  CompactOp compact;
  for (Operation *user : step.states.getUsers())
    if (auto op = dyn_cast<CompactOp>(user))
      compact = op;
  if (!compact)
    return true;
  auto negated = compact.getMask().getDefiningOp<NotOp>();
  if (!negated || !collectKnown(negated.getOperand()))
    return fail("neighbours are left out by more than sets of states");
  Value states, places;
  for (auto [operand, result] :
       llvm::zip_equal(compact.getInputs(), compact.getResults())) {
    if (operand == step.states)
      states = result;
    else if (operand == step.places)
      places = result;
    else
      return fail("more is kept of neighbours than states and places");
  }
  for (Value whole : {step.states, step.places})
    for (Operation *user : whole.getUsers())
      if (auto size = dyn_cast<DimOp>(user);
          size ? !countsFormed(size, compact)
               : user != compact && !isa<IsInOp>(user))
        return fail("neighbours are used before some are left out");
  step.states = states;
  step.places = places;
  return true;
}

/// The only top_k after the unique in its block, regions included.
bool StepMatcher::findBest() {
  for (Operation *op = step.unique; op; op = op->getNextNode())
    op->walk([&](TopKOp top) {
      auto type = cast<RankedTensorType>(top.getOperand().getType());
      if (type.getRank() == 1 && top.getSmallest())
        step.best = top;
    });
  return bool(step.best);
}

/// The sum of the positions that differ, or whether any does.
bool StepMatcher::readScore() {
  constexpr const char *reason =
      "scores are more than how a state differs from another, and cost more "
      "than telling states apart";
  Value scores = step.best.getOperand(), inner;
  auto sum = scores.getDefiningOp<ReduceOp>();
  step.countsPositions = bool(sum);
  Operation *convert =
      (sum ? sum.getOperand() : scores).getDefiningOp<ConvertOp>();
  auto type = cast<RankedTensorType>(scores.getType());
  if (!convert || !type.getElementType().isUnsignedInteger())
    return fail(reason);
  auto any = convert->getOperand(0).getDefiningOp<ReduceOp>();
  ReduceOp reduce = sum ? sum : any;
  if (!reduce ||
      reduce.getKind() != (sum ? ReduceKind::sum : ReduceKind::any) ||
      reduce.getDims() != ArrayRef<int64_t>{1})
    return fail(reason);
  inner = sum ? convert->getOperand(0) : any.getOperand();
  auto compare = inner.getDefiningOp<CompareOp>();
  if (!compare || compare.getDirection() != CompareDirection::ne ||
      compare.getLhs() != step.states)
    return fail(reason);
  auto wanted = compare.getRhs().getDefiningOp<BroadcastOp>();
  DenseIntElementsAttr row;
  if (!wanted || wanted.getMapping() != ArrayRef<int64_t>{1} ||
      !matchPattern(wanted.getOperand(), m_Constant(&row)))
    return fail(reason);
  for (const APInt &number : row.getValues<APInt>()) {
    if (number.getActiveBits() > 32)
      return fail(reason);
    step.target.push_back(number.getZExtValue());
  }
  auto states = cast<RankedTensorType>(step.states.getType());
  if (states.getRank() != 2 || states.getDimSize(1) != step.positions())
    return fail(reason);
  scoring = {compare, wanted};
  return true;
}

/// min(number of states, constant).
bool StepMatcher::readWidth() {
  Value kept = step.best.getK();
  auto least = kept ? kept.getDefiningOp<MinOp>() : MinOp();
  if (!least)
    return fail("the beam does not take as many states as there are");
  std::optional<int64_t> left = integerOf(least.getLhs()),
                         right = integerOf(least.getRhs());
  step.width = left ? *left : right.value_or(0);
  counted = (left ? least.getRhs() : least.getLhs()).getDefiningOp<DimOp>();
  return step.width > 0 || fail("the width of the beam is not constant");
}

/// All uses of the best indices: rows of `states` and `places`.
bool StepMatcher::readPicks() {
  constexpr const char *reason = "indices of the best states are used for more";
  for (Operation *user : step.best.getIndices().getUsers()) {
    if (isa<DimOp>(user))
      continue;
    if (!isa<ReshapeOp>(user))
      return fail(reason);
    for (Operation *reader : user->getUsers()) {
      auto pick = dyn_cast<GatherOp>(reader);
      if (!pick || pick.getStartIndices() != user->getResult(0) ||
          (pick.getOperand() != step.states &&
           pick.getOperand() != step.places) ||
          pick.getType() != pick.getOperand().getType() ||
          pick.getDims().getStartIndexMap() != ArrayRef<int64_t>{0} ||
          pick.getDims().getCollapsedSliceDims() != ArrayRef<int64_t>{0})
        return fail(reason);
      step.picks.push_back(pick);
    }
  }
  return true;
}

/// states > 0
bool StepMatcher::isSomeStates(Value condition) {
  auto compare = condition.getDefiningOp<CompareOp>();
  return compare && compare.getDirection() == CompareDirection::gt &&
         integerOf(compare.getRhs()) == 0 &&
         llvm::is_contained(step.sizes,
                            compare.getLhs().getDefiningOp<DimOp>());
}

/// Uses of the size for more than whether there is a state and for the number
/// of the best ones count.
bool StepMatcher::checkSize(DimOp size) {
  if (size.getDim() != 0)
    return false;
  step.sizes.push_back(size);
  for (OpOperand &use : size->getUses()) {
    Operation *user = use.getOwner();
    if (user != step.best.getK().getDefiningOp() && user != scoring[1] &&
        !(isa<CompareOp>(user) && isSomeStates(user->getResult(0))))
      step.freshUses.push_back(&use);
  }
  return true;
}

bool StepMatcher::checkUses(Value states) {
  constexpr const char *reason =
      "states that are not among the best are used for more than being scored";
  SmallVector<OpOperand *> yields;
  for (OpOperand &use : states.getUses()) {
    Operation *user = use.getOwner();
    if (auto size = dyn_cast<DimOp>(user)) {
      if (!checkSize(size))
        return fail(reason);
    } else if (isa<YieldOp>(user)) {
      yields.push_back(&use);
    } else if (user != scoring[0] && !llvm::is_contained(step.picks, user)) {
      return fail(reason);
    }
  }
  for (OpOperand *use : yields) {
    Operation *yield = use->getOwner();
    auto choice = dyn_cast<IfOp>(yield->getParentOp());
    if (!choice || yield->getParentRegion() != &choice.getElseRegion() ||
        !isSomeStates(choice.getCondition()))
      return fail(reason);
    step.emptyUses.push_back(use);
  }
  return true;
}

bool StepMatcher::readNeighbours(Value layer) {
  auto perState =
      dims.dimOf(step.unique.getOperand(), 0).exactDiv(dims.dimOf(layer, 0));
  if (!perState || !perState->constant() || *perState->constant() < 1)
    return false;
  RowFormulas formulas(layer, /*largest=*/UINT32_MAX, dims);
  auto elements = formulas.elementsOf(step.unique.getOperand());
  if (!elements)
    return false;
  std::vector<std::vector<int64_t>> permutations;
  for (size_t place = 0; place < elements->size(); ++place) {
    const Formula &formula = formulas[(*elements)[place]];
    if (formula.kind != Formula::Element)
      return false;
    if (place % step.target.size() == 0)
      permutations.emplace_back();
    permutations.back().push_back(formula.left);
  }
  if (!llvm::all_of(permutations, [](ArrayRef<int64_t> sources) {
        return isPermutationVector(sources);
      }))
    return false;
  step.layer = layer;
  step.permutations = std::move(permutations);
  return true;
}

/// Rows of an argument of the block that the candidates come from.
void StepMatcher::findNeighbours() {
  SmallVector<Value> stack{step.unique.getOperand()};
  llvm::DenseSet<Value> seen;
  Block *body = step.unique->getBlock();
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == body &&
          argument.getType() == step.unique.getRows().getType() &&
          readNeighbours(argument))
        return;
    } else if (Operation *op = value.getDefiningOp(); op->getBlock() == body) {
      llvm::append_range(stack, op->getOperands());
    }
  }
}

/// Whether a value is what was picked, or empty.
bool StepMatcher::isPicked(Value value) {
  if (auto pick = value.getDefiningOp<GatherOp>())
    return llvm::is_contained(step.picks, pick);
  auto choice = value.getDefiningOp<IfOp>();
  if (!choice)
    return false;
  unsigned number = cast<OpResult>(value).getResultNumber();
  OpOperand &other =
      choice.getElseRegion().front().getTerminator()->getOpOperand(number);
  return isPicked(choice.getThenRegion().front().getTerminator()->getOperand(
             number)) &&
         llvm::is_contained(step.emptyUses, &other);
}

/// A loop-carried layer is the initial value, then what a step keeps.
void StepMatcher::boundLayer() {
  auto layer = dyn_cast_or_null<BlockArgument>(step.layer);
  auto loop = dyn_cast<WhileOp>(step.unique->getParentOp());
  if (!layer || !loop)
    return;
  unsigned number = layer.getArgNumber();
  auto first = cast<RankedTensorType>(loop.getInits()[number].getType());
  if (!first.isDynamicDim(0) &&
      isPicked(layer.getOwner()->getTerminator()->getOperand(number)))
    step.mostLayerRows = std::max(first.getDimSize(0), step.width);
}

/// Whether the program counts what are no neighbours of a layer of some bound,
/// which can be counted without being made.
bool StepMatcher::countsOthers() {
  constexpr int64_t mostCounted = int64_t(1) << 30;
  why.isCounted =
      step.isCounted() &&
      (step.permutations.empty() || step.mostLayerRows == 0 ||
       step.mostLayerRows > mostCounted / int64_t(step.permutations.size()));
  return why.isCounted;
}

std::optional<BeamStep> StepMatcher::match() {
  if (!findBest() || !findStates() || !readScore() || !readWidth() ||
      !readPicks() || !checkUses(step.states) ||
      (step.places && !checkUses(step.places)))
    return std::nullopt;
  if (!llvm::is_contained(step.sizes, counted)) {
    (void)fail("the beam does not take as many states as there are");
    return std::nullopt;
  }
  findNeighbours();
  boundLayer();
  if (countsOthers())
    return std::nullopt;
  return std::move(step);
}

std::optional<BeamStep> matchBeamStep(UniqueOp unique, DimAnalysis &dims,
                                      BeamRefusal &why) {
  return StepMatcher(unique, dims, why).match();
}

} // namespace zenith::search
