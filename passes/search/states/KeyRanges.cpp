// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two loops, over ranges of hashes and over blocks of states.

#include "passes/search/states/KeyRanges.h"
#include "ir/SearchOps.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

int64_t stepBytes(int64_t candidatesPerState, int64_t words) {
  // As in lowering/routines/KeySetCalls.cpp: rows in blocks, some of which are
  // not full, tables, and the list that may grow to all candidates.
  return candidatesPerState * (20 * words + 12);
}

static SmallVector<Value> freshOf(OpBuilder &builder, Location location,
                                  const KeyStep &step, ValueRange candidates,
                                  ValueRange known, bool hasAbsent) {
  SmallVector<Type> types(step.keyBits.size(), wordListType(builder));
  auto absent = hasAbsent ? builder.getI64IntegerAttr(-1) : IntegerAttr();
  auto fresh = builder.create<DedupOp>(
      location, types, candidates, known, step.images.parts, step.images.bits,
      builder.getDenseI64ArrayAttr(step.keyBits), absent,
      step.images.parts ? builder.getI64IntegerAttr(step.images.ties)
                        : IntegerAttr());
  return SmallVector<Value>(fresh.getResults());
}

SmallVector<Value> freshKeys(OpBuilder &builder, Location location,
                             const KeyStep &step, ValueRange layer,
                             ValueRange known) {
  return freshOf(builder, location, step, step.candidatesOf(layer), known,
                 step.hasAbsent);
}

namespace {

/// Builds the loops.
class RangeBuilder {
public:
  RangeBuilder(OpBuilder &builder, Location location, const KeyStep &step,
               int64_t bytes)
      : builder(builder), location(location), step(step),
        words(int64_t(step.keyBits.size())),
        stateBytes(stepBytes(step.candidatesPerState, words)), bytes(bytes) {}

  SmallVector<Value> next(ValueRange layer, ValueRange known);

private:
  /// Range `index` of `count` equal ranges of hashes, both ui64 scalars.
  struct Range {
    Value index, count;
  };
  using Body = function_ref<SmallVector<Value>(ValueRange)>;

  SmallVector<Value> byRanges(ValueRange layer, ValueRange known);
  SmallVector<Value> collect(ValueRange list, Range range, bool expands);
  Value within(WordOps &ops, ValueRange key, Range range);
  SmallVector<Value> grow(Value end, function_ref<Value(Value)> stepFrom,
                          function_ref<SmallVector<Value>(Value, Value)> part);

  int64_t atLeastOne(int64_t number) { return std::max<int64_t>(number, 1); }
  Value number(int64_t value) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return builder.create<ConstantOp>(location,
                                      DenseElementsAttr::get(type, value));
  }
  Value sizeOf(Value list) {
    return builder.create<DimOp>(location, list, uint64_t(0));
  }
  Value compare(CompareDirection direction, Value x, Value y) {
    return builder.create<CompareOp>(location, direction, x, y);
  }
  Value asWord(Value number) {
    auto type = RankedTensorType::get({}, builder.getIntegerType(64, false));
    return builder.create<ConvertOp>(location, type, number);
  }
  Value repeated(Value scalar, Value size) {
    return builder.create<BroadcastOp>(location, wordListType(builder), scalar,
                                       ArrayRef<int64_t>{}, ValueRange(size));
  }
  /// Elements start .. start+size-1.
  Value part(Value list, Value start, Value size) {
    constexpr int64_t any = ShapedType::kDynamic;
    return builder.create<SliceOp>(
        location, wordListType(builder), list, ValueRange(start),
        ValueRange(size), ArrayRef<int64_t>{any}, ArrayRef<int64_t>{any},
        ArrayRef<int64_t>{1});
  }

  OpBuilder &builder;
  Location location;
  const KeyStep &step;
  const int64_t words, stateBytes, bytes;
};

} // namespace

/// A list of keys to which `part`, which maps a position to keys and the next
/// position, appends while the position is before `end`.
SmallVector<Value>
RangeBuilder::grow(Value end, function_ref<Value(Value)> stepFrom,
                   function_ref<SmallVector<Value>(Value, Value)> part) {
  auto none = RankedTensorType::get({0}, builder.getIntegerType(64, false));
  Value empty = builder.create<ConstantOp>(
      location, DenseElementsAttr::get(none, ArrayRef<uint64_t>()));
  SmallVector<Value> inits(size_t(words), empty);
  SmallVector<Type> types(size_t(words), wordListType(builder));
  inits.push_back(number(0));
  types.push_back(inits.back().getType());
  auto loop = builder.create<WhileOp>(location, types, inits);
  SmallVector<Location> places(types.size(), location);
  Block *condition =
      builder.createBlock(&loop.getCondition(), {}, types, places);
  builder.create<YieldOp>(
      location,
      compare(CompareDirection::lt, condition->getArguments().back(), end));
  Block *body = builder.createBlock(&loop.getBody(), {}, types, places);
  Value at = body->getArguments().back(), after = stepFrom(at);
  SmallVector<Value> yielded;
  for (auto [list, more] : llvm::zip(body->getArguments(), part(at, after)))
    yielded.push_back(builder.create<ConcatOp>(
        location, wordListType(builder), uint64_t(0), ValueRange{list, more}));
  yielded.push_back(after);
  builder.create<YieldOp>(location, yielded);
  builder.setInsertionPointAfter(loop);
  return SmallVector<Value>(loop.getResults().drop_back());
}

/// Which keys have their hash in the range. The kernel of dedup uses another
/// hash, else a range would fill few of its partitions.
Value RangeBuilder::within(WordOps &ops, ValueRange key, Range range) {
  constexpr uint64_t factor = 0xd6e8feb86659fd93;
  constexpr unsigned half = 32;
  Value hash;
  for (auto [word, bits] : llvm::zip(key, step.keyBits)) {
    Value mixed = ops.both(word, uint64_t(bits));
    if (hash)
      mixed = ops.differ(mixed, hash);
    mixed = ops.differ(mixed, ops.shiftRight(mixed, half));
    hash = ops.multiply(mixed, factor);
  }
  Value size = sizeOf(key.front());
  Value number = ops.shiftRight(
      ops.multiply(ops.shiftRight(hash, half), repeated(range.count, size)),
      half);
  return compare(CompareDirection::eq, number, repeated(range.index, size));
}

/// Keys of a range: keys of a list, or candidates of its states.
SmallVector<Value> RangeBuilder::collect(ValueRange list, Range range,
                                         bool expands) {
  Value size = sizeOf(list.front());
  // Lists grow by a copy for each block, so there should be few.
  int64_t rows =
      atLeastOne(bytes / 4 / (expands ? stateBytes : stepBytes(1, words)));
  auto stepFrom = [&](Value at) -> Value {
    Value end = builder.create<AddOp>(location, at, number(rows));
    return builder.create<MinOp>(location, end, size);
  };
  return grow(size, stepFrom, [&](Value at, Value after) {
    Value count = builder.create<SubOp>(location, after, at);
    SmallVector<Value> block;
    for (Value word : list)
      block.push_back(part(word, at, count));
    SmallVector<Value> keys = expands ? step.candidatesOf(block) : block;
    WordOps ops(builder, location, keys.front());
    for (size_t first = 0; first < keys.size(); first += size_t(words)) {
      Value isIn =
          within(ops, ValueRange(keys).slice(first, size_t(words)), range);
      keys[first] = builder.create<SelectOp>(location, isIn, keys[first],
                                             ops.number(~uint64_t(0)));
    }
    return freshOf(builder, location, step, keys, {}, /*hasAbsent=*/true);
  });
}

SmallVector<Value> RangeBuilder::byRanges(ValueRange layer, ValueRange known) {
  // Blocks drop predecessors and most duplicates, so at most half of the
  // candidates remain at the end of a range.
  int64_t rows = atLeastOne(bytes / stateBytes);
  Value one = number(1);
  Value before =
      builder.create<DivOp>(location, sizeOf(layer.front()), number(rows));
  Value count = builder.create<AddOp>(location, before, one);
  auto stepFrom = [&](Value at) -> Value {
    return builder.create<AddOp>(location, at, one);
  };
  return grow(count, stepFrom, [&](Value at, Value) {
    Range range{asWord(at), asWord(count)};
    SmallVector<Value> candidates = collect(layer, range, /*expands=*/true);
    SmallVector<Value> near;
    for (size_t first = 0; first < known.size(); first += size_t(words))
      llvm::append_range(near, collect(known.slice(first, size_t(words)), range,
                                       /*expands=*/false));
    return freshOf(builder, location, step, candidates, near,
                   /*hasAbsent=*/false);
  });
}

SmallVector<Value> RangeBuilder::next(ValueRange layer, ValueRange known) {
  Value isSmall = compare(CompareDirection::le, sizeOf(layer.front()),
                          number(bytes / stateBytes));
  SmallVector<Type> types(size_t(words), wordListType(builder));
  auto choice = builder.create<IfOp>(location, types, isSmall);
  builder.createBlock(&choice.getThenRegion());
  builder.create<YieldOp>(location,
                          freshKeys(builder, location, step, layer, known));
  builder.createBlock(&choice.getElseRegion());
  builder.create<YieldOp>(location, byRanges(layer, known));
  builder.setInsertionPointAfter(choice);
  return SmallVector<Value>(choice.getResults());
}

SmallVector<Value> freshKeysWithin(OpBuilder &builder, Location location,
                                   const KeyStep &step, ValueRange layer,
                                   ValueRange known, int64_t bytes) {
  return RangeBuilder(builder, location, step, bytes).next(layer, known);
}

} // namespace zenith::search
