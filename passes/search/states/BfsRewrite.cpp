// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes keys loop-carried in place of rows: lists of keys, or a list with a bit
// for each known key.

#include "passes/search/states/BfsRewrite.h"
#include "ir/SearchOps.h"
#include "passes/search/states/KeyRanges.h"
#include "passes/search/states/KnownStates.h"
#include "passes/search/states/LoopRewrite.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

class KeyRewrite : public LoopRewrite {
public:
  KeyRewrite(const BfsLoop &bfs, const StateKeys &keys, const KeyForm &form)
      : LoopRewrite(bfs), keys(keys), form(form), inverses(form.inverses) {}

private:
  SmallVector<Value> constantKeys(ArrayRef<BfsLoop::Row> rows) {
    SmallVector<Value> lists;
    SmallVector<SmallVector<uint64_t>> packed;
    for (const BfsLoop::Row &row : rows) {
      auto own = form.images       ? form.images->packLeast(row)
                 : keys.isHalved() ? keys.packHalf(row)
                                   : keys.pack(row);
      if (own)
        packed.push_back(std::move(*own));
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
    layer = carry(constantKeys(bfs.starts), types);
    // The size of the layer comes before other numbers: it is what progress
    // tells.
    if (keys.isHalved() || form.images || form.indexesKnown) {
      Value count = countOfStarts(builder, location);
      size = carry(count, count.getType());
    }
    if (form.indexesKnown) {
      SmallVector<Value> first =
          KnownStates(builder, location).begin(constantKeys(bfs.earlierStarts));
      indexed = carry(first, ValueRange(first).getTypes());
    } else if (inverses.empty() && bfs.earlier) {
      earlier = carry(constantKeys(bfs.earlierStarts), types);
    }
  }

  Value sizeOfLayer(ValueRange arguments) override {
    if (size)
      return size->of(arguments)[0];
    return builder.create<DimOp>(location, layer.of(arguments)[0], uint64_t(0));
  }
  Value sizeOfNext() override { return sizeOfNextLayer; }

  Value countStates(ValueRange states) {
    WordOps ops(builder, location, states[0]);
    if (form.images)
      return sumOf(
          ops.divide(ops.number(uint64_t(form.images->images())),
                     ops.add(ops.number(1),
                             ops.shiftRight(states.back(), keys.ownBit()))));
    if (!keys.isHalved())
      return builder.create<DimOp>(location, states[0], uint64_t(0));
    return countHalved(states[0], keys.isOwnImage(ops, states));
  }

  Value shouldContinue(const IRMapping &carried) override {
    return form.exitPredicate ? form.exitPredicate->build(builder, carried)
                              : Value();
  }

  /// The next layer and its size if there is another iteration; else its size
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
    for (size_t g = 0; g < size_t(bfs.generators); ++g)
      llvm::append_range(
          candidates,
          inverses.empty() ? keys.neighbour(ops, current, g)
          : image.empty()
              ? keys.onward(ops, current, g, inverses[g])
              : keys.onwardHalf(ops, current, image, g, inverses[g]));
    return candidates;
  }

  /// Candidates as one list of keys: as they are of a small layer, whose step
  /// should cost no more than its states, else each once.
  SmallVector<Value> listCandidates(const KeyStep &step, ValueRange current) {
    constexpr int64_t few = 64;
    RowBuilder rows(builder, location);
    SmallVector<Type> types(keys.words(), wordListType(builder));
    Value isSmall = rows.compare(CompareDirection::le, rows.count(current[0]),
                                 rows.number(few));
    ValueRange lists = rows.branch(
        isSmall, types,
        [&] {
          SmallVector<Value> candidates = step.candidatesOf(current), joined;
          for (unsigned word = 0; word < keys.words(); ++word) {
            SmallVector<Value> parts;
            for (size_t at = word; at < candidates.size(); at += keys.words())
              parts.push_back(candidates[at]);
            joined.push_back(builder.create<ConcatOp>(
                location, wordListType(builder), uint64_t(0), parts));
          }
          return joined;
        },
        [&] {
          return form.memoryBytes > 0
                     ? freshKeysWithin(builder, location, step, current, {},
                                       form.memoryBytes)
                     : freshKeys(builder, location, step, current, {});
        });
    return SmallVector<Value>(lists);
  }

  void buildNext(ValueRange arguments,
                 MutableArrayRef<Value> yielded) override {
    ValueRange current = layer.of(arguments);
    SmallVector<Value> known;
    bool leavesLayer = inverses.empty() ? bfs.layerIsKnown : !form.needsNoLayer;
    if (leavesLayer && !indexed)
      llvm::append_range(known, current);
    if (earlier)
      llvm::append_range(known, earlier->of(arguments));
    auto candidates = [&](ValueRange states) { return candidatesOf(states); };
    KeyStep step{candidates, bfs.generators, keys.keyBits(), !inverses.empty()};
    if (const StateImages *images = form.images) {
      SmallVector<int64_t> shape{images->images(), keys.words(),
                                 images->parts()};
      step.images.parts = constant(shape, images->sourceParts());
      shape.push_back(images->values());
      step.images.bits = constant(shape, images->partBits());
      step.images.ties = keys.ownBit();
    }
    if (indexed) {
      KnownStates::Step added =
          KnownStates(builder, location)
              .add(indexed->of(arguments), listCandidates(step, current));
      next = added.fresh;
      sizeOfNextLayer = countStates(next);
      for (auto [place, value] : llvm::enumerate(added.carried))
        yielded[indexed->first + place] = value;
    } else if (another) {
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
            bfs.earlierIsAll
                ? builder.create<ConcatOp>(
                      location, wordListType(builder), uint64_t(0),
                      ValueRange{earlier->of(arguments)[word], next[word]})
                : current[word];
    }
  }

  RowWords wordsOf(Value rows) override {
    return keysOf(builder, location, bfs, keys, rows);
  }
  /// Several words as rows.
  Value joined(ArrayRef<Value> words) {
    if (words.size() == 1)
      return words.front();
    RowBuilder rows(builder, location);
    auto type = cast<RankedTensorType>(words.front().getType());
    SmallVector<int64_t> shape{type.getDimSize(0), 1};
    SmallVector<Value> columns, sizes;
    if (type.isDynamicDim(0))
      sizes.push_back(rows.count(words.front()));
    for (Value word : words)
      columns.push_back(rows.reshape(
          word, RankedTensorType::get(shape, type.getElementType()), sizes));
    shape.back() = int64_t(words.size());
    return builder.create<ConcatOp>(
        location, RankedTensorType::get(shape, type.getElementType()),
        uint64_t(1), columns);
  }
  Value inNext(const RowWords &rows) override {
    WordOps ops(builder, location, next.front());
    SmallVector<Value> layer;
    for (auto [word, bits] : llvm::zip_equal(next, keys.keyBits()))
      layer.push_back(ops.both(word, uint64_t(bits)));
    Value isIn = builder.create<IsInOp>(location, rows.mayBeStates.getType(),
                                        joined(rows.words), joined(layer));
    return builder.create<AndOp>(location, rows.mayBeStates, isIn);
  }

  const StateKeys &keys;
  const KeyForm &form;
  const std::vector<size_t> &inverses;
  CarriedStates layer;
  std::optional<CarriedStates> earlier, size;
  std::optional<CarriedStates> indexed; ///< as KnownStates carries them
  SmallVector<Value> next;
  Value sizeOfNextLayer;
};

} // namespace

namespace {

class MarkRewrite : public LoopRewrite {
public:
  MarkRewrite(const BfsLoop &bfs, const StateKeys &keys, const MarkForm &form)
      : LoopRewrite(bfs), keys(keys), form(form) {}

private:
  RankedTensorType listOf(int64_t size) {
    return RankedTensorType::get({size}, builder.getIntegerType(64, false));
  }
  TestAndSetOp mark(Value known, ValueRange candidates) {
    return builder.create<TestAndSetOp>(
        location, wordListType(builder), listOf(form.words), known, candidates,
        tagBits() > 0 ? builder.getI64IntegerAttr(tagBits()) : IntegerAttr());
  }

  /// Tags are inverse generators, and one more value for none.
  unsigned tagBits() const {
    return form.inverses.empty() ? 0
                                 : llvm::Log2_64_Ceil(form.inverses.size() + 1);
  }
  uint64_t tagged(uint64_t number, size_t generator) const {
    return tagBits() == 0 ? number : number << tagBits() | generator;
  }
  Value withoutTags(WordOps &ops, Value layer) const {
    return ops.shiftRight(layer, tagBits());
  }

  void carryStates() override {
    SmallVector<APInt> numbers;
    for (const BfsLoop::Row &row : bfs.starts) {
      auto key = keys.isHalved() ? keys.packHalf(row) : keys.pack(row);
      if (key)
        numbers.push_back(APInt(
            64,
            tagged(((*key)[0] & uint64_t(keys.keyBits()[0])) >> droppedBits(),
                   form.inverses.size())));
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
    TestAndSetOp first = mark(none, starts);
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
    Value whole = wholeKeys(ops, withoutTags(ops, list));
    return countHalved(
        list, ops.selectWhere(ops.differ(whole, keys.imageOf(ops, whole)[0]), 0,
                              ops.number(1), ops.number(0)));
  }

  unsigned droppedBits() const { return form.sum ? keys.bits() : 0; }
  /// Keys with the first field restored: the xor of the sum and all other
  /// fields.
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

  /// Whether a generator may fix a state: then each of its cycles holds one
  /// value.
  bool mayStay(size_t generator) const {
    if (bfs.permutations.empty())
      return false;
    const std::vector<int64_t> &moves = bfs.permutations[generator];
    std::map<uint64_t, size_t> counts;
    for (uint64_t value : bfs.starts.front())
      ++counts[value];
    size_t most = 0, longest = 0;
    for (const auto &[value, count] : counts)
      most = std::max(most, count);
    for (size_t first = 0; first < moves.size(); ++first) {
      size_t length = 1;
      for (size_t at = size_t(moves[first]); at != first;
           at = size_t(moves[at]))
        ++length;
      longest = std::max(longest, length);
    }
    return longest <= most;
  }

  /// The index of a neighbour with its tag; all ones where it is known: the
  /// state itself, or its predecessor.
  Value onward(WordOps &ops, Value layer, Value numbers,
               const StateKeys::Half &next, size_t generator) const {
    Value number = ops.shiftRight(next.words[0], droppedBits());
    Value isKnown = mayStay(generator) ? ops.isSame(number, numbers) : Value();
    if (tagBits() > 0) {
      Value isBack = ops.isSame(ops.both(layer, (uint64_t(1) << tagBits()) - 1),
                                ops.number(generator));
      isKnown = isKnown ? ops.either(isKnown, isBack) : isBack;
      size_t back = form.inverses[generator];
      Value tag = ops.number(back);
      if (next.isImage)
        tag = ops.select(next.isImage, ops.number(keys.imageOf(back)), tag);
      number = ops.either(ops.shiftLeft(number, tagBits()), tag);
    }
    return isKnown ? ops.select(isKnown, ops.number(~uint64_t(0)), number)
                   : number;
  }

  void buildNext(ValueRange arguments,
                 MutableArrayRef<Value> yielded) override {
    Value layer = states.of(arguments)[0];
    WordOps ops(builder, location, layer);
    Value numbers = withoutTags(ops, layer), whole = wholeKeys(ops, numbers);
    SmallVector<Value> image, candidates;
    if (keys.isHalved())
      image = keys.imageOf(ops, whole);
    for (size_t g = 0; g < size_t(bfs.generators); ++g) {
      StateKeys::Half neighbour;
      if (image.empty())
        neighbour.words = keys.neighbour(ops, whole, g);
      else
        neighbour = keys.neighbourHalf(ops, whole, image, g);
      candidates.push_back(onward(ops, layer, numbers, neighbour, g));
    }
    TestAndSetOp next = mark(states.of(arguments)[1], candidates);
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

void rewriteWithMarks(const BfsLoop &bfs, const StateKeys &keys,
                      const MarkForm &form) {
  MarkRewrite(bfs, keys, form).run();
}

void rewriteWithKeys(const BfsLoop &bfs, const StateKeys &keys,
                     const KeyForm &form) {
  KeyRewrite(bfs, keys, form).run();
}

} // namespace zenith::search
