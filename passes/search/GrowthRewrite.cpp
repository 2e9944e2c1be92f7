// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries keys or bits where the loop carried rows; all else of it stays.

#include "passes/search/GrowthRewrite.h"
#include "mlir/IR/IRMapping.h"
#include "passes/search/GeneratorTable.h"
#include "passes/search/KeyRanges.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

/// States as they are carried: a fixed number of values, which `first` begins
/// in the new loop.
struct CarriedStates {
  unsigned first = 0, count = 0;
  ValueRange of(ValueRange arguments) const {
    return arguments.slice(first, count);
  }
};

/// What all representations share: the new loop with its other carried values.
class LoopRewrite {
public:
  explicit LoopRewrite(const GrowthLoop &growth)
      : growth(growth), old(growth.loop), builder(growth.loop),
        location(old.getLoc()) {}
  virtual ~LoopRewrite() = default;
  void run();

protected:
  /// Adds carried values that stand for states.
  CarriedStates carry(ValueRange values, TypeRange carriedTypes);
  /// How many states the search starts from.
  Value countOfStarts(OpBuilder &at, Location place) {
    auto type = RankedTensorType::get({}, at.getI64Type());
    return at.create<ConstantOp>(
        place, DenseElementsAttr::get(type, int64_t(growth.starts.size())));
  }
  /// How many states a list of halved ones stands for: those that are their
  /// own images, for which `own` is 1 (else 0), count once, others twice.
  Value countHalved(Value list, Value own) {
    Value count = builder.create<DimOp>(location, list, uint64_t(0));
    auto word = RankedTensorType::get({}, builder.getIntegerType(64, false));
    own = builder.create<ReduceOp>(location, word, ReduceKind::sum, own,
                                   ArrayRef<int64_t>{0});
    own = builder.create<ConvertOp>(location, count.getType(), own);
    Value twice = builder.create<AddOp>(location, count, count);
    return builder.create<SubOp>(location, twice, own);
  }
  /// Adds the states' initial values.
  virtual void carryStates() = 0;
  /// The number of states of the current layer.
  virtual Value sizeOfLayer(ValueRange arguments) = 0;
  /// Builds the next layer; fills in what the loop yields for states.
  virtual void buildNext(ValueRange arguments,
                         MutableArrayRef<Value> yielded) = 0;
  virtual Value sizeOfNext() = 0;
  /// Whether the body that is built leads to another turn, as far as that does
  /// not depend on the next layer; null where nothing is known.
  virtual Value goesOn(const IRMapping &) { return {}; }
  /// All generators as bytes, as `of` (keys or an index) gives them.
  template <typename Representation>
  GeneratorTable table(const Representation &of, Value like) {
    SmallVector<SmallVector<uint64_t>> bytes;
    for (size_t g = 0; g < size_t(growth.generators); ++g)
      bytes.push_back(of.bytes(g));
    return GeneratorTable(builder, location, like, bytes);
  }

  const GrowthLoop &growth;
  WhileOp old;
  OpBuilder builder;
  Location location;
  Value another; ///< what goesOn() gave

private:
  void countStarts();
  void buildCondition(Block *block);
  void buildBody(Block *block);
  bool isState(unsigned carried) const {
    return carried == growth.layer || carried == growth.earlier;
  }
  void mapOthers(Block &from, Block &to, IRMapping &mapping);

  SmallVector<Value> inits;
  SmallVector<Type> types;
  std::vector<std::pair<unsigned, unsigned>> others; ///< old place, new place
};

} // namespace

CarriedStates LoopRewrite::carry(ValueRange values, TypeRange carriedTypes) {
  CarriedStates states{unsigned(inits.size()), unsigned(values.size())};
  llvm::append_range(inits, values);
  llvm::append_range(types, carriedTypes);
  return states;
}

void LoopRewrite::mapOthers(Block &from, Block &to, IRMapping &mapping) {
  for (auto [before, after] : others)
    mapping.map(from.getArgument(before), to.getArgument(after));
}

/// The size of the states that a dim asks for: null for other ops.
static Value statesOf(Operation &op) {
  auto dim = dyn_cast<DimOp>(op);
  return dim && dim.getDim() == 0 ? dim.getOperand() : Value();
}

void LoopRewrite::buildCondition(Block *block) {
  builder.setInsertionPointToStart(block);
  Block &from = old.getCondition().front();
  IRMapping mapping;
  mapOthers(from, *block, mapping);
  for (Operation &op : from)
    if (statesOf(op) == from.getArgument(growth.layer))
      mapping.map(op.getResult(0), sizeOfLayer(block->getArguments()));
    else
      builder.clone(op, mapping);
}

void LoopRewrite::buildBody(Block *block) {
  builder.setInsertionPointToStart(block);
  Block &from = old.getBody().front();
  IRMapping mapping;
  mapOthers(from, *block, mapping);
  const IRMapping carried = mapping;
  SmallVector<Value> yielded(block->getNumArguments());
  for (Operation &op : from.without_terminator()) {
    if (&op == growth.fresh.getDefiningOp()) {
      another = goesOn(carried);
      buildNext(block->getArguments(), yielded);
    }
    if (llvm::is_contained(growth.replaced, &op))
      continue;
    if (Value states = statesOf(op);
        states && states == from.getArgument(growth.layer))
      mapping.map(op.getResult(0), sizeOfLayer(block->getArguments()));
    else if (states && states == growth.fresh)
      mapping.map(op.getResult(0), sizeOfNext());
    else
      builder.clone(op, mapping);
  }
  for (auto [before, after] : others)
    yielded[after] =
        mapping.lookupOrDefault(from.getTerminator()->getOperand(before));
  builder.create<YieldOp>(location, yielded);
}

/// The first layer is constant, so its size is a number.
void LoopRewrite::countStarts() {
  Value rows = old.getInits()[growth.layer];
  for (Operation *user : llvm::make_early_inc_range(rows.getUsers()))
    if (statesOf(*user) == rows) {
      OpBuilder here(user);
      user->getResult(0).replaceAllUsesWith(
          countOfStarts(here, user->getLoc()));
      user->erase();
    }
}

void LoopRewrite::run() {
  countStarts();
  carryStates();
  for (unsigned carried = 0; carried < old.getInits().size(); ++carried)
    if (!isState(carried)) {
      others.push_back({carried, unsigned(inits.size())});
      inits.push_back(old.getInits()[carried]);
      types.push_back(old.getResult(carried).getType());
    }
  auto loop = builder.create<WhileOp>(location, types, inits);
  SmallVector<Location> places(types.size(), location);
  Block *condition =
      builder.createBlock(&loop.getCondition(), {}, types, places);
  Block *body = builder.createBlock(&loop.getBody(), {}, types, places);
  buildCondition(condition);
  buildBody(body);
  for (auto [before, after] : others)
    old.getResult(before).replaceAllUsesWith(loop.getResult(after));
  old.erase();
}

namespace {

class KeyRewrite : public LoopRewrite {
public:
  KeyRewrite(const GrowthLoop &growth, const StateKeys &keys,
             const KeyForm &form)
      : LoopRewrite(growth), keys(keys), form(form), inverses(form.inverses) {}

private:
  SmallVector<Value> constantKeys(ArrayRef<GrowthLoop::Row> rows) {
    SmallVector<Value> lists;
    SmallVector<SmallVector<uint64_t>> packed;
    for (const GrowthLoop::Row &row : rows) {
      if (!keys.isHalved())
        packed.push_back(keys.pack(row));
      else if (auto half = keys.packHalf(row))
        packed.push_back(std::move(*half));
    }
    for (unsigned word = 0; word < keys.words(); ++word) {
      SmallVector<APInt> elements;
      for (ArrayRef<uint64_t> key : packed)
        elements.push_back(APInt(64, key[word]));
      auto type = RankedTensorType::get({int64_t(packed.size())},
                                        builder.getIntegerType(64, false));
      lists.push_back(builder.create<ConstantOp>(
          location, DenseElementsAttr::get(type, elements)));
    }
    return lists;
  }

  void carryStates() override {
    SmallVector<Type> types(keys.words(), wordListType(builder));
    layer = carry(constantKeys(growth.starts), types);
    if (inverses.empty() && growth.earlier)
      earlier = carry(constantKeys(growth.earlierStarts), types);
    if (keys.isHalved()) {
      Value count = countOfStarts(builder, location);
      size = carry(count, count.getType());
    }
  }

  Value sizeOfLayer(ValueRange arguments) override {
    if (size)
      return size->of(arguments)[0];
    return builder.create<DimOp>(location, layer.of(arguments)[0], uint64_t(0));
  }
  Value sizeOfNext() override { return sizeOfNextLayer; }

  Value countStates(ValueRange states) {
    if (!keys.isHalved())
      return builder.create<DimOp>(location, states[0], uint64_t(0));
    WordOps ops(builder, location, states[0]);
    return countHalved(states[0], keys.isOwnImage(ops, states));
  }

  Value goesOn(const IRMapping &carried) override {
    return form.nextTurn ? form.nextTurn->build(builder, carried) : Value();
  }

  /// The next layer and its size where there is another turn; else its size
  /// and empty lists.
  SmallVector<Value> nextUnlessLast(const KeyStep &step, ValueRange current,
                                    ValueRange known) {
    SmallVector<Type> types(keys.words(), wordListType(builder));
    auto size = RankedTensorType::get({}, builder.getI64Type());
    types.push_back(size);
    auto choice = builder.create<IfOp>(location, types, another);
    builder.createBlock(&choice.getThenRegion());
    SmallVector<Value> states =
        freshKeys(builder, location, step, current, known);
    states.push_back(countStates(states));
    builder.create<YieldOp>(location, states);
    builder.createBlock(&choice.getElseRegion());
    Value count =
        countStates(freshKeys(builder, location, step, current, known));
    Value none = builder.create<ConstantOp>(
        location, DenseElementsAttr::get(size, int64_t(0)));
    Value zero = builder.create<ConstantOp>(
        location,
        DenseElementsAttr::get(
            RankedTensorType::get({}, builder.getIntegerType(64, false)),
            APInt(64, 0)));
    Value empty =
        builder.create<BroadcastOp>(location, wordListType(builder), zero,
                                    ArrayRef<int64_t>{}, ValueRange(none));
    states.assign(keys.words(), empty);
    states.push_back(count);
    builder.create<YieldOp>(location, states);
    builder.setInsertionPointAfter(choice);
    return SmallVector<Value>(choice.getResults());
  }

  /// One key list per generator, or one for all.
  SmallVector<Value> candidatesOf(ValueRange current) {
    SmallVector<Value> candidates;
    if (form.asTable) {
      GeneratorTable generators = table(keys, current[0]);
      SmallVector<Value> states;
      for (Value word : current)
        states.push_back(generators.ofStates(word));
      WordOps ops(builder, location, states[0]);
      auto byte = [&](size_t place) { return generators.byte(ops, place); };
      if (inverses.empty())
        return keys.neighbour(ops, states, byte);
      SmallVector<uint64_t> back;
      for (size_t inverse : inverses)
        back.push_back(keys.bitOf(inverse));
      return keys.onward(ops, states, byte, generators.ofGenerators(back));
    }
    WordOps ops(builder, location, current[0]);
    SmallVector<Value> image;
    if (keys.isHalved())
      image = keys.imageOf(ops, current);
    for (size_t g = 0; g < size_t(growth.generators); ++g)
      llvm::append_range(
          candidates,
          inverses.empty() ? keys.neighbour(ops, current, g)
          : image.empty()
              ? keys.onward(ops, current, g, inverses[g])
              : keys.onwardHalf(ops, current, image, g, inverses[g]));
    return candidates;
  }

  void buildNext(ValueRange arguments,
                 MutableArrayRef<Value> yielded) override {
    ValueRange current = layer.of(arguments);
    SmallVector<Value> known;
    bool leavesLayer =
        inverses.empty() ? growth.layerIsKnown : !form.needsNoLayer;
    if (leavesLayer)
      llvm::append_range(known, current);
    if (earlier)
      llvm::append_range(known, earlier->of(arguments));
    auto candidates = [&](ValueRange states) { return candidatesOf(states); };
    KeyStep step{candidates, growth.generators, keys.keyBits(),
                 !inverses.empty()};
    if (another) {
      next = nextUnlessLast(step, current, known);
      sizeOfNextLayer = next.pop_back_val();
    } else {
      next = form.memoryBytes > 0
                 ? freshKeysWithin(builder, location, step, current, known,
                                   form.memoryBytes)
                 : freshKeys(builder, location, step, current, known);
      sizeOfNextLayer = countStates(next);
    }
    if (size)
      yielded[size->first] = sizeOfNextLayer;
    for (unsigned word = 0; word < keys.words(); ++word) {
      yielded[layer.first + word] = next[word];
      if (earlier)
        yielded[earlier->first + word] =
            growth.earlierIsAll
                ? builder.create<ConcatOp>(
                      location, wordListType(builder), uint64_t(0),
                      ValueRange{earlier->of(arguments)[word], next[word]})
                : current[word];
    }
  }

  const StateKeys &keys;
  const KeyForm &form;
  const std::vector<size_t> &inverses;
  CarriedStates layer;
  std::optional<CarriedStates> earlier, size;
  SmallVector<Value> next;
  Value sizeOfNextLayer;
};

} // namespace

namespace {

class BitRewrite : public LoopRewrite {
public:
  BitRewrite(const GrowthLoop &growth, const DenseIndex &index, bool asTable)
      : LoopRewrite(growth), index(index), asTable(asTable) {}

private:
  void carryStates() override {
    auto wordType = builder.getIntegerType(64, false);
    auto bitsType = RankedTensorType::get({index.words()}, wordType);
    auto scalar = RankedTensorType::get({}, wordType);
    auto starts =
        RankedTensorType::get({int64_t(growth.starts.size())}, wordType);
    SmallVector<APInt> numbers;
    for (const GrowthLoop::Row &row : growth.starts)
      numbers.push_back(APInt(64, index.numberOf(row)));
    Value zero = builder.create<ConstantOp>(
        location, DenseElementsAttr::get(scalar, APInt(64, 0)));
    Value none = builder.create<BroadcastOp>(location, bitsType, zero,
                                             ArrayRef<int64_t>{}, ValueRange());
    Value list = builder.create<ConstantOp>(
        location, DenseElementsAttr::get(starts, numbers));
    auto first = builder.create<FreshBitsOp>(
        location, bitsType, RankedTensorType::get({}, builder.getI64Type()),
        none, ValueRange(list));
    Value size = countOfStarts(builder, location);
    states = carry({first.getBits(), first.getBits(), size},
                   {bitsType, bitsType, size.getType()});
  }

  Value sizeOfLayer(ValueRange arguments) override {
    return states.of(arguments)[2];
  }
  Value sizeOfNext() override { return next.getCount(); }

  SmallVector<Value> candidatesOf(Value numbers) {
    if (!asTable) {
      WordOps ops(builder, location, numbers);
      return index.neighbours(ops, numbers);
    }
    GeneratorTable generators = table(index, numbers);
    Value states = generators.ofStates(numbers);
    WordOps ops(builder, location, states);
    return {index.neighbour(ops, states, [&](size_t place) {
      return generators.byte(ops, place);
    })};
  }

  void buildNext(ValueRange arguments,
                 MutableArrayRef<Value> yielded) override {
    Value layer = states.of(arguments)[0], known = states.of(arguments)[1];
    Value numbers =
        builder.create<BitPositionsOp>(location, wordListType(builder), layer);
    next = builder.create<FreshBitsOp>(location, known.getType(),
                                       states.of(arguments)[2].getType(), known,
                                       candidatesOf(numbers));
    yielded[states.first] = next.getBits();
    yielded[states.first + 1] =
        builder.create<OrOp>(location, known, next.getBits());
    yielded[states.first + 2] = next.getCount();
  }

  const DenseIndex &index;
  bool asTable;
  CarriedStates states; ///< layer, known, size of the layer
  FreshBitsOp next;
};

} // namespace

namespace {

class BitRowRewrite : public LoopRewrite {
public:
  BitRowRewrite(const GrowthLoop &growth, const CosetIndex &index)
      : LoopRewrite(growth), index(index), table(index.table()) {}

private:
  template <typename T>
  Value constant(ArrayRef<int64_t> shape, const std::vector<T> &elements) {
    auto type = RankedTensorType::get(
        shape, builder.getIntegerType(8 * sizeof(T), false));
    return builder.create<ConstantOp>(
        location, DenseElementsAttr::get(type, ArrayRef<T>(elements)));
  }

  RankedTensorType rowsType() {
    return RankedTensorType::get({table.rows(), table.words()},
                                 builder.getIntegerType(64, false));
  }
  Value asRows(Value list) {
    return builder.create<ReshapeOp>(location, rowsType(), list, ValueRange());
  }

  /// Both rows have the bits of the starts, but are not one value, as both are
  /// written.
  void carryStates() override {
    auto wordType = builder.getIntegerType(64, false);
    auto list = RankedTensorType::get({table.rows() * table.words()}, wordType);
    Value zero = builder.create<ConstantOp>(
        location, DenseElementsAttr::get(RankedTensorType::get({}, wordType),
                                         APInt(64, 0)));
    Value none = builder.create<BroadcastOp>(location, list, zero,
                                             ArrayRef<int64_t>{}, ValueRange());
    Value starts = constant<uint64_t>({int64_t(index.starts().size())},
                                      index.starts().vec());
    Value size = countOfStarts(builder, location);
    auto layer = builder.create<FreshBitsOp>(location, list, size.getType(),
                                             none, starts);
    auto known = builder.create<MarkBitsOp>(location, wordListType(builder),
                                            list, none, starts);
    states = carry({asRows(layer.getBits()), asRows(known.getBits()), size},
                   {rowsType(), rowsType(), size.getType()});
  }
  Value sizeOfLayer(ValueRange arguments) override {
    return states.of(arguments)[2];
  }
  Value sizeOfNext() override { return next.getCount(); }

  void buildNext(ValueRange arguments,
                 MutableArrayRef<Value> yielded) override {
    Value sources =
        constant({table.rows(), growth.generators}, table.sources());
    Value moves =
        constant({table.rows(), growth.generators}, table.sourceMoves());
    Value columns =
        constant({table.moves(), table.columns()}, table.moveColumns());
    Value layer = states.of(arguments)[0], known = states.of(arguments)[1];
    next = builder.create<FreshBitRowsOp>(
        location, layer.getType(), known.getType(),
        states.of(arguments)[2].getType(), known, layer, sources, moves,
        columns);
    yielded[states.first] = next.getBits();
    yielded[states.first + 1] = next.getAll();
    yielded[states.first + 2] = next.getCount();
  }

  const CosetIndex &index;
  const CosetRows &table;
  CarriedStates states; ///< layer, known, size of the layer
  FreshBitRowsOp next;
};

} // namespace

namespace {

class MarkRewrite : public LoopRewrite {
public:
  MarkRewrite(const GrowthLoop &growth, const StateKeys &keys,
              const MarkForm &form)
      : LoopRewrite(growth), keys(keys), form(form) {}

private:
  RankedTensorType listOf(int64_t size) {
    return RankedTensorType::get({size}, builder.getIntegerType(64, false));
  }
  MarkBitsOp mark(Value known, ValueRange candidates) {
    return builder.create<MarkBitsOp>(location, wordListType(builder),
                                      listOf(form.words), known, candidates);
  }

  void carryStates() override {
    SmallVector<APInt> numbers;
    for (const GrowthLoop::Row &row : growth.starts) {
      auto key = keys.isHalved() ? keys.packHalf(row) : keys.pack(row);
      if (key)
        numbers.push_back(APInt(64, ((*key)[0] & uint64_t(keys.keyBits()[0])) >>
                                        droppedBits()));
    }
    Value zero = builder.create<ConstantOp>(
        location,
        DenseElementsAttr::get(
            RankedTensorType::get({}, builder.getIntegerType(64, false)),
            APInt(64, 0)));
    Value none = builder.create<BroadcastOp>(location, listOf(form.words), zero,
                                             ArrayRef<int64_t>{}, ValueRange());
    Value starts = builder.create<ConstantOp>(
        location,
        DenseElementsAttr::get(listOf(int64_t(numbers.size())), numbers));
    MarkBitsOp first = mark(none, starts);
    Value count = countOfStarts(builder, location);
    states = carry({first.getPositions(), first.getBits(), count},
                   {first.getPositions().getType(), first.getBits().getType(),
                    count.getType()});
  }
  Value sizeOfLayer(ValueRange arguments) override {
    return states.of(arguments)[2];
  }
  Value sizeOfNext() override { return size; }

  Value countStates(Value list) {
    if (!keys.isHalved())
      return builder.create<DimOp>(location, list, uint64_t(0));
    WordOps ops(builder, location, list);
    Value whole = wholeKeys(ops, list);
    return countHalved(
        list, ops.selectWhere(ops.differ(whole, keys.imageOf(ops, whole)[0]), 0,
                              ops.number(1), ops.number(0)));
  }

  unsigned droppedBits() const { return form.sum ? keys.bits() : 0; }
  /// Keys with the first field again: what the others' sum, by xor, lacks.
  Value wholeKeys(WordOps &ops, Value rest) {
    if (!form.sum)
      return rest;
    unsigned width = keys.bits(),
             end = keys.bits() * unsigned(keys.positions().size() - 1);
    while (width < end)
      width *= 2;
    Value sum = rest;
    for (width /= 2; width >= keys.bits(); width /= 2)
      sum = ops.differ(sum, ops.shiftRight(sum, width));
    Value first = ops.both(ops.differ(sum, ops.number(*form.sum)),
                           (uint64_t(1) << keys.bits()) - 1);
    return ops.either(ops.shiftLeft(rest, keys.bits()), first);
  }

  void buildNext(ValueRange arguments,
                 MutableArrayRef<Value> yielded) override {
    Value layer = states.of(arguments)[0];
    WordOps ops(builder, location, layer);
    Value whole = wholeKeys(ops, layer);
    SmallVector<Value> image, candidates;
    if (keys.isHalved())
      image = keys.imageOf(ops, whole);
    for (size_t g = 0; g < size_t(growth.generators); ++g) {
      Value key = image.empty()
                      ? keys.neighbour(ops, whole, g)[0]
                      : keys.neighbourHalf(ops, whole, image, g).words[0];
      candidates.push_back(ops.shiftRight(key, droppedBits()));
    }
    MarkBitsOp next = mark(states.of(arguments)[1], candidates);
    size = countStates(next.getPositions());
    yielded[states.first] = next.getPositions();
    yielded[states.first + 1] = next.getBits();
    yielded[states.first + 2] = size;
  }

  const StateKeys &keys;
  const MarkForm &form;
  CarriedStates states; ///< layer, known, size of the layer
  Value size;           ///< of the next layer
};

} // namespace

void rewriteWithMarks(const GrowthLoop &growth, const StateKeys &keys,
                      const MarkForm &form) {
  MarkRewrite(growth, keys, form).run();
}

void rewriteWithBitRows(const GrowthLoop &growth, const CosetIndex &index) {
  BitRowRewrite(growth, index).run();
}

void rewriteWithBits(const GrowthLoop &growth, const DenseIndex &index,
                     bool asTable) {
  BitRewrite(growth, index, asTable).run();
}

void rewriteWithKeys(const GrowthLoop &growth, const StateKeys &keys,
                     const KeyForm &form) {
  KeyRewrite(growth, keys, form).run();
}

} // namespace zenith::search
