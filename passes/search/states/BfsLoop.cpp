// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds unique, is_in and compact of a loop's body and checks that states have
// no other uses.

#include "passes/search/states/BfsLoop.h"
#include "ir/matchers/TypeOf.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <set>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

class LoopMatcher {
public:
  LoopMatcher(WhileOp loop, DimAnalysis &dims, std::string &why)
      : dims(dims), why(why) {
    found.loop = loop;
  }
  std::optional<BfsLoop> match();

private:
  bool findFresh();
  bool collectKnown(Value mask);
  bool findRoles();
  bool readStarts();
  bool findNeighbours();
  bool statesGoNowhereElse();
  bool isLookup(Operation *user);
  std::optional<BfsLoop::Note> noteOf(IsInOp lookup);
  bool fail(const Twine &reason) {
    why = reason.str();
    return false;
  }
  Block &body() { return found.loop.getBody().front(); }
  Operation *yield() { return body().getTerminator(); }

  BfsLoop found;
  DimAnalysis &dims;
  std::string &why;
  UniqueOp unique;
  SmallVector<Value> known;
  llvm::SmallPtrSet<Operation *, 16> own;
};

} // namespace

/// The sets of an or of is_in.
bool LoopMatcher::collectKnown(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (auto either = dyn_cast_or_null<OrOp>(op)) {
    own.insert(op);
    return collectKnown(either.getLhs()) && collectKnown(either.getRhs());
  }
  auto isIn = dyn_cast_or_null<IsInOp>(op);
  if (!isIn)
    return false;
  if (!unique)
    unique = isIn.getOperand().getDefiningOp<UniqueOp>();
  if (!unique || isIn.getOperand() != unique.getRows())
    return false;
  own.insert(op);
  known.push_back(isIn.getSet());
  return true;
}

bool LoopMatcher::findFresh() {
  for (auto compact : body().getOps<CompactOp>()) {
    auto negated = compact.getMask().getDefiningOp<NotOp>();
    unique = UniqueOp();
    known.clear();
    own.clear();
    if (compact.getInputs().size() != 1 || !negated ||
        !collectKnown(negated.getOperand()) ||
        compact.getInputs()[0] != unique.getRows())
      continue;
    own.insert({compact, negated, unique});
    found.fresh = compact.getResult(0);
    return true;
  }
  return false;
}

/// Which loop-carried values are the layer and the earlier states.
bool LoopMatcher::findRoles() {
  auto carriedAs = [&](Value yielded) -> std::optional<unsigned> {
    std::optional<unsigned> place;
    for (auto [i, value] : llvm::enumerate(yield()->getOperands()))
      if (value == yielded && !place)
        place = i;
    return place;
  };
  std::optional<unsigned> layer = carriedAs(found.fresh);
  if (!layer)
    return fail("the new states are not carried");
  found.layer = *layer;
  Value current = body().getArgument(*layer);
  for (Value set : known) {
    if (set == current) {
      found.layerIsKnown = true;
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(set);
    if (!argument || argument.getOwner() != &body() || found.earlier)
      return fail("the loop knows states that it does not carry");
    found.earlier = argument.getArgNumber();
    Value next = yield()->getOperand(*found.earlier);
    if (next == current)
      continue;
    auto concat = next.getDefiningOp<ConcatOp>();
    if (!concat || concat.getDim() != 0 || concat.getOperands().size() != 2 ||
        concat.getOperands()[0] != set ||
        concat.getOperands()[1] != found.fresh)
      return fail("the known states are not those of earlier layers");
    found.earlierIsAll = true;
    own.insert(concat);
  }
  return true;
}

/// Constant rows, perhaps after a unique.
static std::optional<std::vector<BfsLoop::Row>> rowsOf(Value value) {
  if (auto unique = value.getDefiningOp<UniqueOp>();
      unique && value == unique.getRows())
    value = unique.getOperand();
  auto constant = value.getDefiningOp<ConstantOp>();
  auto type = cast<RankedTensorType>(value.getType());
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                           : DenseIntElementsAttr();
  if (!elements || type.getRank() != 2)
    return std::nullopt;
  std::vector<BfsLoop::Row> rows(size_t(type.getDimSize(0)));
  auto next = elements.value_begin<APInt>();
  for (BfsLoop::Row &row : rows)
    for (int64_t i = 0; i < type.getDimSize(1); ++i, ++next) {
      if ((*next).getActiveBits() > 32)
        return std::nullopt;
      row.push_back((*next).getZExtValue());
    }
  std::set<BfsLoop::Row> seen;
  llvm::erase_if(
      rows, [&](const BfsLoop::Row &row) { return !seen.insert(row).second; });
  return rows;
}

bool LoopMatcher::readStarts() {
  auto starts = rowsOf(found.loop.getInits()[found.layer]);
  if (!starts || starts->empty())
    return fail("the first layer is not constant");
  found.starts = std::move(*starts);
  found.positions = int64_t(found.starts.front().size());
  if (!found.earlier)
    return true;
  auto earlier = rowsOf(found.loop.getInits()[*found.earlier]);
  if (!earlier)
    return fail("the first known states are not constant");
  found.earlierStarts = std::move(*earlier);
  return true;
}

/// Empty where a neighbour is no permutation of the elements.
static std::vector<std::vector<int64_t>> permutationsOf(const BfsLoop &bfs) {
  std::vector<std::vector<int64_t>> result;
  for (const std::vector<int64_t> &neighbour : bfs.neighbours) {
    std::vector<int64_t> &sources = result.emplace_back();
    sources.reserve(neighbour.size());
    std::vector<bool> taken(neighbour.size());
    for (int64_t formula : neighbour) {
      Formula element = (*bfs.formulas)[formula];
      if (element.kind != Formula::Element || taken[size_t(element.left)])
        return {};
      taken[size_t(element.left)] = true;
      sources.push_back(element.left);
    }
  }
  return result;
}

bool LoopMatcher::findNeighbours() {
  Value current = body().getArgument(found.layer),
        candidates = unique.getOperand();
  auto perState = dims.dimOf(candidates, 0).exactDiv(dims.dimOf(current, 0));
  if (!perState || !perState->constant() || *perState->constant() < 1)
    return fail("the candidates are not neighbours of the layer");
  found.generators = *perState->constant();
  uint64_t largest = 0;
  for (const auto &rows : {found.starts, found.earlierStarts})
    for (const BfsLoop::Row &row : rows)
      for (uint64_t element : row)
        largest = std::max(largest, element);
  // Results of formulas may be larger than the values of the starts.
  for (int attempt = 0; attempt < 3; ++attempt) {
    found.formulas = std::make_shared<RowFormulas>(current, largest, dims);
    auto elements = found.formulas->elementsOf(candidates);
    if (!elements)
      return fail("a neighbour is more than moved elements, sums and products "
                  "modulo a number");
    uint64_t reached = largest;
    for (int64_t formula : *elements)
      reached = std::max(reached, (*found.formulas)[formula].bound);
    if (reached == largest) {
      for (int64_t g = 0; g < found.generators; ++g)
        found.neighbours.emplace_back(elements->begin() + g * found.positions,
                                      elements->begin() +
                                          (g + 1) * found.positions);
      found.permutations = permutationsOf(found);
      return true;
    }
    largest = reached;
  }
  return fail("numbers of states have no bound");
}

/// Whether a use asks which rows from before the loop the next layer has.
bool LoopMatcher::isLookup(Operation *user) {
  auto isIn = dyn_cast<IsInOp>(user);
  return isIn && isIn.getSet() == found.fresh && user->getBlock() == &body() &&
         isIn.getOperand().getParentRegion()->isProperAncestor(
             body().getParent());
}

/// Ops between the layer and the candidates, and uses that count states or look
/// rows up.
bool LoopMatcher::statesGoNowhereElse() {
  Value current = body().getArgument(found.layer);
  SmallVector<Value> stack{unique.getOperand()};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != &body() || isa<DimOp>(op) ||
        cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 0 ||
        !own.insert(op).second)
      continue;
    llvm::append_range(stack, op->getOperands());
  }
  auto isDim = [](Operation *user) { return isa<DimOp>(user); };
  auto isOwn = [&](Operation *user) {
    return own.contains(user) || user == yield();
  };
  SmallVector<unsigned> carried{found.layer};
  if (found.earlier)
    carried.push_back(*found.earlier);
  for (unsigned place : carried) {
    bool counts = place == found.layer;
    for (Operation *user : body().getArgument(place).getUsers())
      if (!isOwn(user) && !(counts && isDim(user)))
        return fail("states are used for more than being counted");
    for (Operation *user :
         found.loop.getCondition().getArgument(place).getUsers())
      if (!counts || !isDim(user))
        return fail("states are used for more than being counted");
    if (!found.loop.getResult(place).use_empty())
      return fail("states are used for more than being counted");
  }
  for (auto [i, value] : llvm::enumerate(yield()->getOperands())) {
    bool isState = own.contains(value.getDefiningOp()) || value == current;
    if (isState && !llvm::is_contained(carried, i))
      return fail("states are carried in other ways");
  }
  for (Operation *op : own)
    for (Value result : op->getResults()) {
      bool isFresh = result == found.fresh;
      for (Operation *user : result.getUsers())
        if (isFresh && isLookup(user))
          found.lookups.push_back(cast<IsInOp>(user));
        else if (!own.contains(user) && user != yield() &&
                 !(isFresh && isa<DimOp>(user)))
          return fail("states are used for more than being counted");
    }
  for (Operation &op : body())
    if (own.contains(&op))
      found.replaced.push_back(&op);
  return true;
}

/// The scalar that a value repeats.
static Value scalarOf(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && typeOf(broadcast.getOperand()).getRank() == 0
             ? broadcast.getOperand()
             : Value();
}

/// The number of rows that a look-up finds, where `converted` has no other use.
static ReduceOp countOf(ConvertOp converted) {
  if (!converted->hasOneUse())
    return {};
  auto count = dyn_cast<ReduceOp>(*converted->user_begin());
  return count && count.getKind() == ReduceKind::sum &&
                 typeOf(count.getResult()).getRank() == 0 &&
                 typeOf(count.getResult())
                     .getElementType()
                     .isSignlessInteger(64)
             ? count
             : ReduceOp();
}

std::optional<BfsLoop::Note> LoopMatcher::noteOf(IsInOp lookup) {
  BfsLoop::Note note;
  note.lookup = lookup;
  ConvertOp converted;
  for (Operation *user : lookup->getUsers())
    if (auto select = dyn_cast<SelectOp>(user); select && !note.select)
      note.select = select;
    else if (auto convert = dyn_cast<ConvertOp>(user); convert && !converted)
      converted = convert;
    else
      return std::nullopt;
  if (!note.select || note.select.getPred() != lookup.getResult() ||
      !note.select->hasOneUse())
    return std::nullopt;
  auto list = dyn_cast<BlockArgument>(note.select.getOnFalse());
  if (!list || list.getOwner() != &body() ||
      !typeOf(list).getElementType().isSignlessInteger(64))
    return std::nullopt;
  note.carried = list.getArgNumber();
  note.number = scalarOf(note.select.getOnTrue());
  note.first = scalarOf(found.loop.getInits()[note.carried]);
  bool isOnlyNoted =
      yield()->getOperand(note.carried) == note.select.getResult() &&
      found.loop.getCondition().getArgument(note.carried).use_empty() &&
      llvm::all_of(list.getUsers(), [&](Operation *user) {
        return user == note.select || isa<DimOp>(user);
      });
  if (!note.number || !note.first || !isOnlyNoted)
    return std::nullopt;
  if (converted) {
    note.count = countOf(converted);
    if (!note.count || !note.select->isBeforeInBlock(note.count))
      return std::nullopt;
  }
  return note;
}

std::optional<BfsLoop> LoopMatcher::match() {
  if (!findFresh() || !findRoles() || !readStarts() || !findNeighbours() ||
      !statesGoNowhereElse())
    return std::nullopt;
  for (IsInOp lookup : found.lookups)
    if (std::optional<BfsLoop::Note> note = noteOf(lookup))
      found.notes.push_back(*note);
  return std::move(found);
}

std::optional<BfsLoop> matchBfsLoop(WhileOp loop, DimAnalysis &dims,
                                    std::string &why) {
  return LoopMatcher(loop, dims, why).match();
}

} // namespace zenith::search
