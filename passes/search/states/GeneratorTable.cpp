// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repeats lists by broadcasts, and packs bytes into words: one load reads
// eight.

#include "passes/search/states/GeneratorTable.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

static constexpr size_t perWord = 8;

GeneratorTable::GeneratorTable(OpBuilder &builder, Location location,
                               Value like,
                               ArrayRef<SmallVector<uint64_t>> bytes)
    : builder(builder), location(location), generators(int64_t(bytes.size())) {
  states = builder.create<DimOp>(location, like, uint64_t(0));
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  Value count = builder.create<ConstantOp>(
      location, DenseElementsAttr::get(scalar, generators));
  total = builder.create<MulOp>(location, states, count);
  for (size_t first = 0; first < bytes.front().size(); first += perWord) {
    SmallVector<uint64_t> words;
    for (ArrayRef<uint64_t> row : bytes) {
      uint64_t word = 0;
      for (auto [place, byte] :
           llvm::enumerate(row.drop_front(first).take_front(perWord)))
        word |= byte << (8 * place);
      words.push_back(word);
    }
    packed.push_back(ofGenerators(words));
  }
}

Value GeneratorTable::repeated(Value list, int64_t dim) {
  auto word = builder.getIntegerType(64, /*isSigned=*/false);
  auto grid = RankedTensorType::get({ShapedType::kDynamic, generators}, word);
  Value all = builder.create<BroadcastOp>(
      location, grid, list, ArrayRef<int64_t>{dim}, ValueRange(states));
  return builder.create<ReshapeOp>(location, wordListType(builder), all,
                                   ValueRange(total));
}

Value GeneratorTable::ofGenerators(ArrayRef<uint64_t> numbers) {
  auto type = RankedTensorType::get(
      {generators}, builder.getIntegerType(64, /*isSigned=*/false));
  return repeated(builder.create<ConstantOp>(
                      location, DenseElementsAttr::get(type, numbers)),
                  1);
}

Value GeneratorTable::byte(WordOps &ops, size_t place) const {
  auto shift = unsigned(8 * (place % perWord));
  return ops.both(ops.shiftRight(packed[place / perWord], shift), 255);
}

} // namespace zenith::search
