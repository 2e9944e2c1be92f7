// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Permutation ranks: permutations by their lexicographic index (Lehmer code),
// with vector arithmetic on lists of four-bit entries; short packed words are
// their own index.

#include "passes/search/states/DenseIndex.h"
#include "passes/search/groups/GroupOrder.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace zenith::search {

/// Four-bit entries 15 .. 0, and ones in entries 15 .. 1.
static constexpr uint64_t ascending = 0xfedcba9876543210,
                          onesAboveFirst = 0x1111111111111110,
                          low32 = 0xffffffff;
/// 13! has more than 32 bits.
static constexpr int64_t mostRanked = 12;

static uint64_t factorial(int64_t n) {
  uint64_t product = 1;
  for (int64_t i = 2; i <= n; ++i)
    product *= uint64_t(i);
  return product;
}

SmallVector<int64_t> DenseIndex::keptSources(size_t generator) const {
  SmallVector<int64_t> sources;
  for (int64_t position : keys.positions()) {
    int64_t formula = bfs.neighbours[generator][position];
    int64_t source = (*bfs.formulas)[formula].left;
    sources.push_back(llvm::lower_bound(keys.positions(), source) -
                      keys.positions().begin());
  }
  return sources;
}

std::optional<DenseIndex> DenseIndex::choose(const BfsLoop &bfs,
                                             const StateKeys &keys,
                                             int64_t bytes, std::string &why) {
  // Known, current and next states, all known states again, and the first
  // layer.
  constexpr int64_t sets = 5;
  DenseIndex index(bfs, keys);
  int64_t positions = int64_t(keys.positions().size());
  double numbers, states;
  if (bfs.permutations.empty()) {
    why = "states are no permutations of a list";
    return std::nullopt;
  }
  if (keys.haveEachValueOnce() && positions <= mostRanked) {
    index.isRank = true;
    numbers = double(factorial(positions));
    std::vector<std::vector<int64_t>> generators;
    for (size_t g = 0; g < size_t(bfs.generators); ++g) {
      SmallVector<int64_t> sources = index.keptSources(g);
      generators.emplace_back(sources.begin(), sources.end());
    }
    states = groupOrder(generators) * double(bfs.starts.size());
  } else if (positions * keys.bits() <= 40) {
    numbers = double(uint64_t(1) << (positions * keys.bits()));
    states = keys.mostStates();
  } else {
    why = "states have no small numbers";
    return std::nullopt;
  }
  index.wordCount = std::max<int64_t>(1, int64_t((numbers + 63) / 64));
  if (double(index.wordCount) * 8 * sets > double(bytes)) {
    why = llvm::formatv("{0} numbers of states take {1} bytes, more than {2}",
                        uint64_t(numbers), index.wordCount * 8 * sets, bytes);
    return std::nullopt;
  }
  // Every step scans all bits, which pays where most indices are states.
  constexpr double mostPerState = 2, alwaysCheap = 1 << 16;
  if (numbers > states * mostPerState && numbers > alwaysCheap) {
    why = llvm::formatv("at most {0} of {1} numbers are states",
                        uint64_t(states), uint64_t(numbers));
    return std::nullopt;
  }
  index.stateCount = std::min(states, numbers);
  return index;
}

std::string DenseIndex::description() const {
  size_t positions = keys.positions().size();
  return isRank
             ? "ranks of permutations of " + std::to_string(positions)
             : "lists of " + std::to_string(positions * keys.bits()) + " bits";
}

uint64_t DenseIndex::indexOf(ArrayRef<uint64_t> row) const {
  uint64_t word = keys.pack(row)[0];
  if (!isRank)
    return word;
  int64_t count = int64_t(keys.positions().size());
  uint64_t number = 0;
  for (int64_t i = 0; i < count; ++i) {
    // Values are distinct, so codes keep their order.
    uint64_t smaller = 0, own = row[keys.positions()[i]];
    for (int64_t j = i + 1; j < count; ++j)
      smaller += row[keys.positions()[j]] < own;
    number += smaller * factorial(count - 1 - i);
  }
  return number;
}

/// An unranked state.
struct DenseIndex::Unranked {
  /// By position: four times its value, and ones in all entries above it.
  SmallVector<Value> quadruple, above;
  /// The remainder of the index from a position on: the rank of the rest.
  SmallVector<Value> rest;
};

/// x / divisor for x < bound <= 2^32 by a multiplication with a 32-bit factor
/// and a shift, which is exact up to the bound.
static Value quotient(WordOps &ops, Value x, uint64_t divisor, uint64_t bound) {
  if (divisor == 1)
    return x;
  for (unsigned shift = 63; shift > 0; --shift) {
    unsigned __int128 power = (unsigned __int128)(1) << shift;
    auto factor = uint64_t((power + divisor - 1) / divisor);
    unsigned __int128 excess = (unsigned __int128)(factor)*divisor - power;
    if (factor <= low32 && excess * bound <= power)
      return ops.shiftRight(ops.multiply(x, factor), shift);
  }
  return {};
}

DenseIndex::Unranked DenseIndex::unrank(WordOps &ops, Value numbers) const {
  int64_t count = int64_t(keys.positions().size());
  Unranked state;
  // Values that are not assigned yet, ascending.
  Value left = ops.number(ascending);
  Value rest = ops.both(numbers, low32);
  for (int64_t i = 0; i < count; ++i) {
    state.rest.push_back(rest);
    Value value = left;
    if (i + 1 < count) {
      uint64_t weight = factorial(count - 1 - i);
      Value digit = quotient(ops, rest, weight, factorial(count - i));
      rest = ops.both(
          ops.subtract(rest, ops.multiply(digit, ops.number(weight))), low32);
      Value shift = ops.shiftLeft(digit, 2);
      value = ops.shiftRight(left, shift);
      // Entries from the taken one on move down.
      Value moved = ops.shiftRight(left, 4);
      Value below =
          ops.subtract(ops.shiftLeft(ops.number(1), shift), ops.number(1));
      left = ops.differ(moved, ops.both(ops.differ(left, moved), below));
    }
    value = ops.shiftLeft(ops.both(value, 15), 2);
    state.quadruple.push_back(value);
    state.above.push_back(ops.shiftLeft(ops.number(onesAboveFirst), value));
  }
  return state;
}

int64_t DenseIndex::movedPositions(ArrayRef<int64_t> sources) {
  int64_t moved = int64_t(sources.size());
  while (moved > 0 && sources[moved - 1] == moved - 1)
    --moved;
  return moved;
}

/// Digit i of the rank is the number of smaller values after position i (the
/// Lehmer code). A list of four-bit entries holds it for each value; taking a
/// value decrements the entries above it.
Value DenseIndex::rank(WordOps &ops, const Unranked &state,
                       ArrayRef<int64_t> sources) const {
  int64_t count = int64_t(sources.size()), moved = movedPositions(sources);
  // Fixed positions at the end keep their digits.
  Value number = moved < count ? state.rest[moved] : Value();
  Value smaller = ops.number(ascending);
  for (int64_t i = 0; i < moved && i + 1 < count; ++i) {
    Value digit =
        ops.both(ops.shiftRight(smaller, state.quadruple[sources[i]]), 15);
    number = ops.add(number, ops.multiply(digit, factorial(count - 1 - i)));
    smaller = ops.subtract(smaller, state.above[sources[i]]);
  }
  return number ? number : ops.number(0);
}

SmallVector<uint64_t> DenseIndex::bytes(size_t generator) const {
  if (!isRank)
    return keys.bytes(generator);
  SmallVector<uint64_t> result;
  for (int64_t source : keptSources(generator))
    result.push_back(uint64_t(4 * source));
  return result;
}

/// As rank(), with the state as a list of four-bit values.
Value DenseIndex::neighbour(WordOps &ops, Value number,
                            StateKeys::ByteOf byte) const {
  if (!isRank)
    return keys.neighbour(ops, number, byte)[0];
  Unranked state = unrank(ops, number);
  Value list, rank, smaller = ops.number(ascending);
  for (auto [i, quadruple] : llvm::enumerate(state.quadruple))
    list = ops.either(list, ops.shiftLeft(quadruple, unsigned(4 * i)));
  size_t count = state.quadruple.size();
  for (size_t i = 0; i + 1 < count; ++i) {
    // Values are below 16, and four times as much fits the bits above.
    Value quadruple = ops.both(ops.shiftRight(list, byte(i)), 60);
    Value digit = ops.both(ops.shiftRight(smaller, quadruple), 15);
    rank = ops.add(rank, ops.multiply(digit, factorial(count - 1 - i)));
    smaller = ops.subtract(
        smaller, ops.shiftLeft(ops.number(onesAboveFirst), quadruple));
  }
  return rank ? rank : ops.number(0);
}

int64_t DenseIndex::cost() const {
  if (!isRank)
    return keys.cost();
  constexpr int64_t opsOfPosition = 6, opsOfUnranked = 12;
  int64_t count = opsOfUnranked * int64_t(keys.positions().size());
  for (size_t g = 0; g < size_t(bfs.generators); ++g)
    count += opsOfPosition * movedPositions(keptSources(g));
  return count;
}

SmallVector<Value> DenseIndex::neighbours(WordOps &ops, Value numbers) const {
  SmallVector<Value> result;
  Unranked state;
  if (isRank)
    state = unrank(ops, numbers);
  for (size_t g = 0; g < size_t(bfs.generators); ++g)
    result.push_back(isRank ? rank(ops, state, keptSources(g))
                            : keys.neighbour(ops, numbers, g)[0]);
  return result;
}

} // namespace zenith::search
