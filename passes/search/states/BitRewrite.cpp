// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes bitsets loop-carried in place of rows: a bit for each value of a dense
// index, or rows of bits, one per coset.

#include "ir/SearchOps.h"
#include "ir/matchers/RowBuilder.h"
#include "passes/search/states/BfsRewrite.h"
#include "passes/search/states/LoopRewrite.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

class BitRewrite : public LoopRewrite {
public:
  BitRewrite(const BfsLoop &bfs, const DenseIndex &index, bool asTable)
      : LoopRewrite(bfs), index(index), asTable(asTable) {}

private:
  void carryStates() override {
    auto wordType = builder.getIntegerType(64, false);
    auto bitsType = RankedTensorType::get({index.words()}, wordType);
    auto scalar = RankedTensorType::get({}, wordType);
    auto starts = RankedTensorType::get({int64_t(bfs.starts.size())}, wordType);
    SmallVector<APInt> numbers;
    for (const BfsLoop::Row &row : bfs.starts)
      numbers.push_back(APInt(64, index.indexOf(row)));
    Value zero = builder.create<ConstantOp>(
        location, DenseElementsAttr::get(scalar, APInt(64, 0)));
    Value none = builder.create<BroadcastOp>(location, bitsType, zero,
                                             ArrayRef<int64_t>{}, ValueRange());
    Value list = builder.create<ConstantOp>(
        location, DenseElementsAttr::get(starts, numbers));
    auto first = builder.create<BitsetDifferenceOp>(
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
    next = builder.create<BitsetDifferenceOp>(location, known.getType(),
                                              states.of(arguments)[2].getType(),
                                              known, candidatesOf(numbers));
    yielded[states.first] = next.getBits();
    yielded[states.first + 1] =
        builder.create<OrOp>(location, known, next.getBits());
    yielded[states.first + 2] = next.getCount();
  }

  const DenseIndex &index;
  bool asTable;
  CarriedStates states; ///< layer, known, size of the layer
  BitsetDifferenceOp next;
};

} // namespace

namespace {

class BitRowRewrite : public LoopRewrite {
public:
  BitRowRewrite(const BfsLoop &bfs, const StateKeys &keys,
                const CosetIndex &index)
      : LoopRewrite(bfs), keys(keys), index(index), table(index.table()) {}

private:
  RankedTensorType rowsType() {
    return RankedTensorType::get({table.rows(), table.words()},
                                 builder.getIntegerType(64, false));
  }
  Value asRows(Value list) {
    return builder.create<ReshapeOp>(location, rowsType(), list, ValueRange());
  }

  /// Both rows have the bits of the starts, but are two values, since both are
  /// written in place.
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
    auto layer = builder.create<BitsetDifferenceOp>(
        location, list, size.getType(), none, starts);
    auto known =
        builder.create<TestAndSetOp>(location, wordListType(builder), list,
                                     none, starts, /*tag_bits=*/IntegerAttr());
    states = carry({asRows(layer.getBits()), asRows(known.getBits()), size},
                   {rowsType(), rowsType(), size.getType()});
  }
  Value sizeOfLayer(ValueRange arguments) override {
    return states.of(arguments)[2];
  }
  Value sizeOfNext() override { return next.getCount(); }

  void buildNext(ValueRange arguments,
                 MutableArrayRef<Value> yielded) override {
    Value sources = constant({table.rows(), bfs.generators}, table.sources());
    Value moves = constant({table.rows(), bfs.generators}, table.sourceMoves());
    Value columns =
        constant({table.moves(), table.columns()}, table.moveColumns());
    Value layer = states.of(arguments)[0], known = states.of(arguments)[1];
    next = builder.create<CosetBitRowsOp>(
        location, layer.getType(), known.getType(),
        states.of(arguments)[2].getType(), known, layer, sources, moves,
        columns);
    yielded[states.first] = next.getBits();
    yielded[states.first + 1] = next.getAll();
    yielded[states.first + 2] = next.getCount();
  }

  RowWords wordsOf(Value rows) override {
    return {{bitsOf(builder, location, bfs, keys, table, rows)}, {}};
  }
  /// The bits of the next layer, row after row.
  Value listOfNext() {
    RowBuilder lists(builder, location);
    return lists.reshape(
        next.getBits(),
        RankedTensorType::get({table.rows() * table.words()},
                              builder.getIntegerType(64, false)),
        {});
  }
  Value inNext(const RowWords &rows) override {
    Value bits = rows.words.front();
    auto type = RankedTensorType::get(
        cast<RankedTensorType>(bits.getType()).getShape(), builder.getI1Type());
    return builder.create<TestBitsOp>(location, type, listOfNext(), bits);
  }

  std::optional<NotedPlaces> placesOf(const RowWords &rows) override {
    RowBuilder lists(builder, location);
    Value bits = rows.words.front();
    IndexBitsOp &index = indices[bits];
    Type words = wordListType(builder),
         places = RankedTensorType::get(
             cast<RankedTensorType>(bits.getType()).getShape(),
             builder.getI64Type());
    if (!index)
      index = builder.create<IndexBitsOp>(
          location, TypeRange{places, words, words, words, words}, bits,
          uint64_t(table.rows() * table.words()));
    return NotedPlaces{index.getPlaces(), lists.count(index.getCounts())};
  }
  std::pair<Value, Value> note(const RowWords &rows, Value list,
                               Value number) override {
    IndexBitsOp index = indices.lookup(rows.words.front());
    auto noted = builder.create<NoteBitsOp>(
        location, list.getType(), number.getType(), listOfNext(),
        index.getEntryWords(), index.getMasks(), index.getFirsts(),
        index.getCounts(), list, number);
    return {noted.getAll(), noted.getCount()};
  }

  const StateKeys &keys;
  const CosetIndex &index;
  const CosetRows &table;
  CarriedStates states; ///< layer, known, size of the layer
  CosetBitRowsOp next;
  llvm::DenseMap<Value, IndexBitsOp> indices; ///< of noted rows, by their bits
};

} // namespace

void rewriteWithBitRows(const BfsLoop &bfs, const StateKeys &keys,
                        const CosetIndex &index) {
  BitRowRewrite(bfs, keys, index).run();
}

void rewriteWithBits(const BfsLoop &bfs, const DenseIndex &index,
                     bool asTable) {
  BitRewrite(bfs, index, asTable).run();
}

} // namespace zenith::search
