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
  auto compared =
      broughtParts == 0
          ? IntegerAttr()
          : builder.getI64IntegerAttr(int64_t(known.size() - broughtParts));
  auto added = builder.create<AppendNewOp>(
      location, types, index, known, candidates, count, size, cells, compared);
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
  /// Loop-carried lists: the known rows, and perhaps the places that the rows
  /// had among their candidates.
  SmallVector<unsigned> lists;
  UniqueOp unique;
  IsInOp isIn;
  NotOp negated;
  CompactOp compact;
  SmallVector<ConcatOp> concats; ///< by list
};
} // namespace

ConcatOp appendTo(WhileOp loop, unsigned list) {
  Block &body = loop.getBody().front();
  BlockArgument argument = body.getArgument(list);
  auto concat =
      body.getTerminator()->getOperand(list).getDefiningOp<ConcatOp>();
  bool appends = concat && concat.getDim() == 0 &&
                 concat.getOperands().size() == 2 &&
                 concat.getOperands()[0] == argument &&
                 concat.getOperands()[1] != argument && concat->hasOneUse();
  bool isPrivate = loop.getCondition().front().getArgument(list).use_empty();
  return appends && isPrivate ? concat : ConcatOp();
}

/// Whether nothing but `users` reads a value.
static bool areUsers(Value value, ArrayRef<Operation *> users) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return llvm::is_contained(users, user);
  });
}

/// The carried list, if any, that grows by the places of the fresh rows.
static bool matchPlaces(WhileOp loop, KnownRows &found) {
  if (found.compact.getInputs().size() == 1)
    return true;
  Value places = found.compact.getResult(1);
  if (found.compact.getInputs().size() != 2 || !places.hasOneUse() ||
      found.compact.getInputs()[1] != found.unique.getFirst())
    return false;
  for (unsigned list = 0; list < loop.getNumResults(); ++list)
    if (ConcatOp concat = appendTo(loop, list);
        concat && concat.getOperands()[1] == places &&
        concat.getOperands()[0].hasOneUse()) {
      found.lists.push_back(list);
      found.concats.push_back(concat);
      return true;
    }
  return false;
}

/// The step that keeps only its fresh rows, by the op that appends them.
static std::optional<KnownRows> matchStep(WhileOp loop, unsigned known) {
  KnownRows found;
  found.lists.push_back(known);
  ConcatOp concat = appendTo(loop, known);
  if (!concat)
    return std::nullopt;
  found.concats.push_back(concat);
  found.compact = concat.getOperands()[1].getDefiningOp<CompactOp>();
  if (!found.compact || concat.getOperands()[1] != found.compact.getResult(0))
    return std::nullopt;
  found.negated = found.compact.getMask().getDefiningOp<NotOp>();
  found.unique = found.compact.getInputs()[0].getDefiningOp<UniqueOp>();
  if (!found.negated || !found.unique || found.unique.getSorted())
    return std::nullopt;
  found.isIn = found.negated.getOperand().getDefiningOp<IsInOp>();
  Value rows = found.unique.getRows(), argument = concat.getOperands()[0];
  if (!found.isIn || found.isIn.getSet() != argument ||
      found.isIn.getOperand() != rows || found.compact.getInputs()[0] != rows)
    return std::nullopt;
  bool isAlone = found.negated->hasOneUse() && found.isIn->hasOneUse();
  for (Value result : found.unique->getResults())
    isAlone &= areUsers(result, {found.isIn, found.compact});
  auto type = cast<RankedTensorType>(rows.getType());
  bool areIntegers = type.getRank() == 2 && !type.isDynamicDim(1) &&
                     type.getElementType().isInteger() &&
                     type.getElementTypeBitWidth() >= 8;
  if (!isAlone || !areUsers(argument, {found.isIn, concat}) || !areIntegers ||
      !matchPlaces(loop, found))
    return std::nullopt;
  return found;
}

/// The step's candidates, each once where there are many: an index has room for
/// all that it is given. Their places come with them.
static SmallVector<Value> distinctCandidates(RowBuilder &rows, Value candidates,
                                             bool withPlaces) {
  constexpr int64_t few = 256;
  SmallVector<int64_t> shape(typeOf(candidates).getShape());
  shape[0] = anySize;
  SmallVector<Type> types{
      RankedTensorType::get(shape, typeOf(candidates).getElementType())};
  if (withPlaces)
    types.push_back(rows.listType());
  Value count = rows.count(candidates);
  Value areFew = rows.compare(CompareDirection::le, count, rows.number(few));
  return rows.branch(
      areFew, types,
      [&] {
        SmallVector<Value> values{candidates};
        if (withPlaces)
          values.push_back(rows.positions(count));
        return values;
      },
      [&] {
        auto [once, places] = rows.distinctAt(candidates);
        SmallVector<Value> values{once};
        if (withPlaces)
          values.push_back(places);
        return values;
      });
}

WhileOp withCarried(WhileOp loop, ValueRange inits, ValueRange more) {
  OpBuilder builder(loop);
  SmallVector<Value> first(inits);
  SmallVector<Type> types(loop.getResultTypes());
  llvm::append_range(first, more);
  llvm::append_range(types, more.getTypes());
  auto rebuilt = builder.create<WhileOp>(loop.getLoc(), types, first);
  for (auto [to, from] : llvm::zip(rebuilt->getRegions(), loop->getRegions())) {
    to.takeBody(from);
    for (Type type : more.getTypes())
      to.front().addArgument(type, loop.getLoc());
  }
  return rebuilt;
}

WhileOp indexKnownRows(WhileOp loop) {
  std::optional<KnownRows> found;
  for (unsigned known = 0; known < loop.getNumResults() && !found; ++known)
    found = matchStep(loop, known);
  if (!found)
    return {};
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  KnownStates states(builder, location, unsigned(found->lists.size() - 1));
  SmallVector<Value> inits(loop.getInits()), lists;
  for (unsigned list : found->lists)
    lists.push_back(inits[list]);
  SmallVector<Value> first = states.begin(lists);
  for (auto [part, list] : llvm::enumerate(found->lists))
    inits[list] = first[1 + part];
  WhileOp indexed = withCarried(loop, inits, {first.front(), first.back()});
  Block &body = indexed.getBody().front();
  auto carriedOf = [&](ValueRange values) {
    SmallVector<Value> carried{values.drop_back().back()};
    for (unsigned list : found->lists)
      carried.push_back(values[list]);
    carried.push_back(values.back());
    return carried;
  };
  builder.setInsertionPoint(found->unique);
  RowBuilder rows(builder, location);
  KnownStates::Step step =
      states.add(carriedOf(body.getArguments()),
                 distinctCandidates(rows, found->unique.getOperand(),
                                    /*withPlaces=*/found->lists.size() > 1));
  Operation *yield = body.getTerminator();
  for (auto [part, list] : llvm::enumerate(found->lists)) {
    found->compact.getResult(part).replaceAllUsesWith(step.fresh[part]);
    yield->setOperand(list, step.carried[1 + part]);
  }
  yield->insertOperands(yield->getNumOperands(),
                        {step.carried.front(), step.carried.back()});
  for (ConcatOp concat : found->concats)
    concat.erase();
  for (Operation *op : SmallVector<Operation *>{found->compact, found->negated,
                                                found->isIn, found->unique})
    op->erase();
  builder.setInsertionPointAfter(indexed);
  for (auto [number, result] : llvm::enumerate(loop.getResults())) {
    const auto *part = llvm::find(found->lists, unsigned(number));
    if (part == found->lists.end())
      result.replaceAllUsesWith(indexed.getResult(number));
    else if (!result.use_empty())
      result.replaceAllUsesWith(
          states.part(carriedOf(indexed.getResults()),
                      unsigned(part - found->lists.begin())));
  }
  loop.erase();
  return indexed;
}

} // namespace zenith::search
