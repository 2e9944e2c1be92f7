// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses fields and words of keys, and packs states.

#include "passes/search/states/StateKeys.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

StateKeys::StateKeys(const BfsLoop &growth, bool withBackBits,
                     const GraphSymmetry *symmetry, const StatePieces *pieces,
                     unsigned tieBits)
    : growth(growth), symmetry(withBackBits ? symmetry : nullptr),
      pieces(pieces), freeBits(this->symmetry ? 1 : tieBits),
      isPermutation(!growth.permutations.empty()) {
  auto isFixed = [&](int64_t position) {
    for (const std::vector<int64_t> &neighbour : growth.neighbours) {
      const Formula &formula = (*growth.formulas)[neighbour[position]];
      if (formula.kind != Formula::Element || formula.left != position)
        return false;
    }
    return llvm::all_of(growth.starts, [&](const BfsLoop::Row &row) {
      return row[position] == growth.starts.front()[position];
    });
  };
  // Where a neighbour is computed, any position may be part of it.
  for (int64_t position = 0; position < growth.positions; ++position)
    if (!isPermutation || !isFixed(position))
      kept.push_back(position);
  if (kept.empty())
    kept.push_back(0);
  if (isPermutation) {
    for (const BfsLoop::Row &row : growth.starts)
      for (int64_t position : kept)
        codes.try_emplace(row[position]);
    valueCount = codes.size();
  } else {
    valueCount = growth.formulas->largest() + 1;
  }
  fieldBits =
      pieces ? pieces->bits() : std::max(1u, llvm::Log2_64_Ceil(valueCount));
  if (this->symmetry && (!nameValues() || !chooseWords(true))) {
    this->symmetry = nullptr;
    freeBits = tieBits;
  }
  if (isHalved())
    return;
  for (auto [number, code] : llvm::enumerate(codes))
    code.second = number;
  if (!withBackBits || !chooseWords(true))
    chooseWords(false);
}

/// Gives values codes so that those of images differ in the last bit, save
/// where a value is its own image: such codes have leading ones.
bool StateKeys::nameValues() {
  auto imageOf = [&](uint64_t value) {
    return symmetry->values.find(value)->second;
  };
  uint64_t own = 0;
  for (const auto &[value, code] : codes)
    own += imageOf(value) == value;
  leadingOnes.reset();
  if (own < codes.size()) {
    unsigned ones = fieldBits;
    auto codesWith = [&](unsigned count) {
      return uint64_t(1) << (fieldBits - count);
    };
    // With an even number of them, codes and their images are on one side.
    while (own > 0 && ones > 0 && (codesWith(ones) < own || ones == fieldBits))
      --ones;
    if (own > 0 &&
        (ones == 0 || codes.size() - own > codesWith(0) - codesWith(ones)))
      return false;
    leadingOnes = own > 0 ? ones : 0;
  }
  uint64_t nextPair = 0,
           nextOwn = leadingOnes.value_or(0) == 0
                         ? 0
                         : (uint64_t(1) << fieldBits) -
                               (uint64_t(1) << (fieldBits - *leadingOnes));
  for (auto &[value, code] : codes) {
    uint64_t image = imageOf(value);
    if (image == value) {
      code = nextOwn++;
    } else if (value < image) {
      code = nextPair++;
      codes.find(image)->second = nextPair++;
    }
  }
  return true;
}

/// False where bits that lead back don't fit. Where many states share one key,
/// a word more for these bits costs little.
bool StateKeys::chooseWords(bool withBackBits) {
  // Free ones tell how many images of a state are the same.
  unsigned generators = unsigned(growth.generators) + freeBits;
  if (withBackBits && (growth.generators < 2 || generators > 64))
    return false;
  // A word 0 of all ones stands for no state, so one of several words that may
  // be a state keeps a bit free; a single word has at most one such bit set.
  unsigned perWord = 64 / fieldBits, last = 0;
  auto layOut = [&] {
    wordCount = unsigned(llvm::divideCeil(fieldCount(), perWord));
    last = unsigned(fieldCount() - size_t(wordCount - 1) * perWord) * fieldBits;
  };
  layOut();
  bool fits = wordCount == 1 && last + generators <= 64;
  if (withBackBits && !fits) {
    if (wordCount > 1 || freeBits > 0)
      perWord = 63 / fieldBits;
    layOut();
    if (last + generators > 64) {
      if (freeBits == 0 || isHalved())
        return false;
      ++wordCount;
      last = 0;
    }
  }
  backBit = withBackBits ? std::optional<unsigned>(last) : std::nullopt;
  places.assign(size_t(growth.positions), Place{0, 0});
  for (auto [number, position] : llvm::enumerate(fields()))
    places[position] = {unsigned(number / perWord),
                        unsigned(number % perWord) * fieldBits};
  return true;
}

bool StateKeys::haveEachValueOnce() const {
  return isPermutation && valueCount == kept.size() &&
         llvm::all_of(growth.starts, [&](const BfsLoop::Row &row) {
           std::set<uint64_t> different;
           for (int64_t position : kept)
             different.insert(row[position]);
           return different.size() == kept.size();
         });
}

bool StateKeys::mayBeAllOnes() const {
  size_t first = llvm::count_if(
      fields(), [&](int64_t position) { return places[position].word == 0; });
  bool isFull = first * fieldBits == 64 ||
                (backBit && wordCount == 1 && ownBit() + freeBits == 64);
  return isFull && !(haveEachValueOnce() && first > 1);
}

double StateKeys::mostStates() const {
  double ways = 1;
  if (!isPermutation) {
    for (size_t field = 0; field < kept.size(); ++field)
      ways *= double(valueCount);
    return ways;
  }
  std::map<uint64_t, int> counts;
  int number = 0;
  for (int64_t position : kept) {
    uint64_t value = growth.starts.front()[position];
    ways *= double(++number) / double(++counts[value]);
  }
  return ways;
}

SmallVector<int64_t> StateKeys::keyBits() const {
  SmallVector<int64_t> bits(wordCount, -1);
  if (backBit)
    bits.back() = int64_t(llvm::maskTrailingOnes<uint64_t>(*backBit));
  return bits;
}

SmallVector<uint64_t> StateKeys::pack(ArrayRef<uint64_t> row) const {
  SmallVector<uint64_t> words(wordCount, 0);
  for (int64_t position : fields())
    words[places[position].word] |= *codeOf(row, position)
                                    << places[position].shift;
  return words;
}

SmallVector<int64_t> StateKeys::positionsOf(int64_t field) const {
  if (!pieces)
    return {field};
  return SmallVector<int64_t>(pieces->membersOf(field));
}

std::optional<uint64_t> StateKeys::codeOf(ArrayRef<uint64_t> row,
                                          int64_t field) const {
  if (pieces)
    return pieces->codeOf(row, field);
  if (!isPermutation)
    return row[field];
  auto code = codes.find(row[field]);
  return code == codes.end() ? std::nullopt
                             : std::optional<uint64_t>(code->second);
}

bool StateKeys::hold(MutableArrayRef<uint64_t> row, int64_t field,
                     uint64_t code) const {
  if (pieces)
    return pieces->hold(row, field, code);
  for (const auto &[value, own] : codes)
    if (own == code) {
      row[field] = value;
      return true;
    }
  return false;
}

} // namespace zenith::search
