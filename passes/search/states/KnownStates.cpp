// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of list and index grow by half and to twice the rows, so that what is
// moved to make room is a constant share of what is added.

#include "passes/search/states/KnownStates.h"

#include "ir/SearchOps.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

/// `size` while that is enough for `need`, else `percent` of it and some more.
Value KnownStates::grown(Value size, Value need, int64_t percent) {
  constexpr int64_t least = 64;
  Value larger =
      rows.add(rows.div(rows.mul(need, rows.number(percent)), rows.number(100)),
               rows.number(least));
  return rows.select(rows.compare(CompareDirection::gt, need, size), larger,
                     size);
}

SmallVector<Value> KnownStates::begin(ValueRange states) {
  auto word = builder.getIntegerType(64, /*isSigned=*/false);
  SmallVector<Value> none{rows.constant({}, {0}, word)};
  for (Value state : states) {
    SmallVector<int64_t> shape(typeOf(state).getShape());
    shape[0] = 0;
    none.push_back(rows.constant({}, shape, typeOf(state).getElementType()));
  }
  none.push_back(rows.number(0));
  return add(none, states).carried;
}

KnownStates::Step KnownStates::add(ValueRange carried, ValueRange candidates) {
  Value index = carried.front(), count = carried.back();
  ValueRange known = carried.drop_front().drop_back();
  Value need = rows.add(count, rows.count(candidates.front()));
  Value size = grown(rows.count(known.front()), need, 150);
  // At most two thirds of the cells are in use.
  Value filled = rows.add(need, rows.div(need, rows.number(2)));
  Value cells = grown(rows.count(index), filled, 200);
  SmallVector<Type> types{
      RankedTensorType::get({anySize}, typeOf(index).getElementType())};
  for (Value part : known) {
    SmallVector<int64_t> shape(typeOf(part).getShape());
    shape[0] = anySize;
    types.push_back(
        RankedTensorType::get(shape, typeOf(part).getElementType()));
  }
  types.push_back(typeOf(count));
  auto added = builder.create<AppendNewOp>(location, types, index, known,
                                           candidates, count, size, cells);
  Step step;
  step.carried.assign(added->result_begin(), added->result_end());
  Value more = rows.sub(added.getTotal(), count);
  for (Value part : added.getList())
    step.fresh.push_back(rows.part(part, count, more));
  return step;
}

namespace {
/// The ops of a step that an index replaces.
struct KnownRows {
  unsigned known = 0; ///< loop-carried value
  UniqueOp unique;
  IsInOp isIn;
  NotOp negated;
  CompactOp compact;
  ConcatOp concat;
};
} // namespace

/// The step that keeps only its fresh rows, by the op that appends them.
static std::optional<KnownRows> matchStep(WhileOp loop, unsigned known) {
  Block &body = loop.getBody().front();
  BlockArgument argument = body.getArgument(known);
  KnownRows found;
  found.known = known;
  found.concat =
      body.getTerminator()->getOperand(known).getDefiningOp<ConcatOp>();
  if (!found.concat || found.concat.getDim() != 0 ||
      found.concat.getOperands().size() != 2 ||
      found.concat.getOperands()[0] != argument || !found.concat->hasOneUse())
    return std::nullopt;
  found.compact = found.concat.getOperands()[1].getDefiningOp<CompactOp>();
  if (!found.compact || found.compact.getInputs().size() != 1)
    return std::nullopt;
  found.negated = found.compact.getMask().getDefiningOp<NotOp>();
  found.unique = found.compact.getInputs()[0].getDefiningOp<UniqueOp>();
  if (!found.negated || !found.unique || found.unique.getSorted())
    return std::nullopt;
  found.isIn = found.negated.getOperand().getDefiningOp<IsInOp>();
  Value rows = found.unique.getRows();
  if (!found.isIn || found.isIn.getSet() != argument ||
      found.isIn.getOperand() != rows || found.compact.getInputs()[0] != rows)
    return std::nullopt;
  bool isAlone = found.negated->hasOneUse() && found.isIn->hasOneUse() &&
                 llvm::all_of(found.unique->getUsers(), [&](Operation *user) {
                   return user == found.isIn || user == found.compact;
                 });
  // The known rows are read by the step alone.
  bool isPrivate =
      llvm::all_of(argument.getUsers(),
                   [&](Operation *user) {
                     return user == found.isIn || user == found.concat;
                   }) &&
      loop.getCondition().front().getArgument(known).use_empty();
  auto type = cast<RankedTensorType>(rows.getType());
  bool areIntegers = type.getRank() == 2 && !type.isDynamicDim(1) &&
                     type.getElementType().isInteger() &&
                     type.getElementTypeBitWidth() >= 8;
  if (!isAlone || !isPrivate || !areIntegers)
    return std::nullopt;
  return found;
}

/// The step's candidates, each once where there are many: an index has room for
/// all that it is given.
static Value distinctCandidates(RowBuilder &rows, Value candidates) {
  constexpr int64_t few = 256;
  SmallVector<int64_t> shape(typeOf(candidates).getShape());
  shape[0] = anySize;
  auto type = RankedTensorType::get(shape, typeOf(candidates).getElementType());
  Value areFew = rows.compare(CompareDirection::le, rows.count(candidates),
                              rows.number(few));
  return rows.branch(
      areFew, type, [&]() -> SmallVector<Value> { return {candidates}; },
      [&]() -> SmallVector<Value> {
        return {rows.distinctAt(candidates).first};
      })[0];
}

WhileOp indexKnownRows(WhileOp loop) {
  std::optional<KnownRows> found;
  for (unsigned known = 0; known < loop.getNumResults() && !found; ++known)
    found = matchStep(loop, known);
  if (!found)
    return {};
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  KnownStates states(builder, location);
  SmallVector<Value> first = states.begin(loop.getInits()[found->known]);
  SmallVector<Value> inits(loop.getInits());
  SmallVector<Type> types(loop.getResultTypes());
  inits[found->known] = first[1];
  for (Value more : {first.front(), first.back()}) {
    inits.push_back(more);
    types.push_back(more.getType());
  }
  auto indexed = builder.create<WhileOp>(location, types, inits);
  for (auto [to, from] : llvm::zip(indexed->getRegions(), loop->getRegions())) {
    to.takeBody(from);
    for (Type type : ArrayRef(types).take_back(2))
      to.front().addArgument(type, location);
  }
  Block &body = indexed.getBody().front();
  auto carriedOf = [&](ValueRange values) {
    return SmallVector<Value>{values.drop_back().back(), values[found->known],
                              values.back()};
  };
  builder.setInsertionPoint(found->unique);
  RowBuilder rows(builder, location);
  Value candidates = distinctCandidates(rows, found->unique.getOperand());
  KnownStates::Step step =
      states.add(carriedOf(body.getArguments()), candidates);
  found->compact.getResult(0).replaceAllUsesWith(step.fresh.front());
  Operation *yield = body.getTerminator();
  yield->setOperand(found->known, step.carried[1]);
  yield->insertOperands(yield->getNumOperands(),
                        {step.carried.front(), step.carried.back()});
  for (Operation *op :
       SmallVector<Operation *>{found->concat, found->compact, found->negated,
                                found->isIn, found->unique})
    op->erase();
  builder.setInsertionPointAfter(indexed);
  for (auto [number, result] : llvm::enumerate(loop.getResults()))
    if (number != found->known)
      result.replaceAllUsesWith(indexed.getResult(number));
  if (Value all = loop.getResult(found->known); !all.use_empty())
    all.replaceAllUsesWith(states.part(carriedOf(indexed.getResults()), 0));
  loop.erase();
  return indexed;
}

} // namespace zenith::search
