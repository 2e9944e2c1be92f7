// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns bit fields and words of keys, and packs states.

#include "passes/search/states/StateKeys.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

StateKeys::StateKeys(const BfsLoop &bfs, bool withInverseMask,
                     const GraphSymmetry *symmetry, const Cubies *cubies,
                     unsigned tieBits)
    : bfs(bfs), symmetry(withInverseMask ? symmetry : nullptr), cubies(cubies),
      freeBits(this->symmetry ? 1 : tieBits),
      isPermutation(!bfs.permutations.empty()) {
  auto isFixed = [&](int64_t position) {
    for (const std::vector<int64_t> &neighbour : bfs.neighbours) {
      const Formula &formula = (*bfs.formulas)[neighbour[position]];
      if (formula.kind != Formula::Element || formula.left != position)
        return false;
    }
    return llvm::all_of(bfs.starts, [&](const BfsLoop::Row &row) {
      return row[position] == bfs.starts.front()[position];
    });
  };
  // Where a neighbour is computed, any position may be an operand.
  for (int64_t position = 0; position < bfs.positions; ++position)
    if (!isPermutation || !isFixed(position))
      kept.push_back(position);
  if (kept.empty())
    kept.push_back(0);
  if (isPermutation) {
    for (const BfsLoop::Row &row : bfs.starts)
      for (int64_t position : kept)
        codes.try_emplace(row[position]);
    valueCount = codes.size();
  } else {
    valueCount = bfs.formulas->largest() + 1;
  }
  fieldBits =
      cubies ? cubies->bits() : std::max(1u, llvm::Log2_64_Ceil(valueCount));
  if (this->symmetry && (!nameValues() || !chooseWords(true))) {
    this->symmetry = nullptr;
    freeBits = tieBits;
  }
  if (isHalved())
    return;
  for (auto [number, code] : llvm::enumerate(codes))
    code.second = number;
  if (!withInverseMask || !chooseWords(true))
    chooseWords(false);
}

/// Assigns codes so that a value and its image differ in the last bit, except
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
    // The count of other codes must be even, so that no pair is split.
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

/// False where the mask of inverse generators does not fit. Where one key
/// represents many states, a further word for the mask costs little.
bool StateKeys::chooseWords(bool withInverseMask) {
  // Free bits count the images of a state that are equal.
  unsigned generators = unsigned(bfs.generators) + freeBits;
  if (withInverseMask && (bfs.generators < 2 || generators > 64))
    return false;
  // A word 0 of all ones means no state, so word 0 of several words keeps a bit
  // free; a single word has at most one bit of the mask set.
  unsigned perWord = 64 / fieldBits, last = 0;
  auto layOut = [&] {
    wordCount = unsigned(llvm::divideCeil(fieldCount(), perWord));
    last = unsigned(fieldCount() - size_t(wordCount - 1) * perWord) * fieldBits;
  };
  layOut();
  bool fits = wordCount == 1 && last + generators <= 64;
  if (withInverseMask && !fits) {
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
  inverseMaskBit =
      withInverseMask ? std::optional<unsigned>(last) : std::nullopt;
  bitFields.assign(size_t(bfs.positions), BitField{0, 0});
  for (auto [number, position] : llvm::enumerate(fields()))
    bitFields[position] = {unsigned(number / perWord),
                           unsigned(number % perWord) * fieldBits};
  return true;
}

bool StateKeys::haveEachValueOnce() const {
  return isPermutation && valueCount == kept.size() &&
         llvm::all_of(bfs.starts, [&](const BfsLoop::Row &row) {
           std::set<uint64_t> different;
           for (int64_t position : kept)
             different.insert(row[position]);
           return different.size() == kept.size();
         });
}

bool StateKeys::mayBeAllOnes() const {
  size_t first = llvm::count_if(fields(), [&](int64_t position) {
    return bitFields[position].word == 0;
  });
  bool isFull = first * fieldBits == 64 ||
                (inverseMaskBit && wordCount == 1 && ownBit() + freeBits == 64);
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
    uint64_t value = bfs.starts.front()[position];
    ways *= double(++number) / double(++counts[value]);
  }
  return ways;
}

SmallVector<int64_t> StateKeys::keyBits() const {
  SmallVector<int64_t> bits(wordCount, -1);
  if (inverseMaskBit)
    bits.back() = int64_t(llvm::maskTrailingOnes<uint64_t>(*inverseMaskBit));
  return bits;
}

SmallVector<uint64_t> StateKeys::pack(ArrayRef<uint64_t> row) const {
  SmallVector<uint64_t> words(wordCount, 0);
  for (int64_t position : fields())
    words[bitFields[position].word] |= *codeOf(row, position)
                                       << bitFields[position].shift;
  return words;
}

SmallVector<int64_t> StateKeys::positionsOf(int64_t field) const {
  if (!cubies)
    return {field};
  return SmallVector<int64_t>(cubies->membersOf(field));
}

std::optional<uint64_t> StateKeys::codeOf(ArrayRef<uint64_t> row,
                                          int64_t field) const {
  if (cubies)
    return cubies->codeOf(row, field);
  if (!isPermutation)
    return row[field];
  auto code = codes.find(row[field]);
  return code == codes.end() ? std::nullopt
                             : std::optional<uint64_t>(code->second);
}

bool StateKeys::store(MutableArrayRef<uint64_t> row, int64_t field,
                      uint64_t code) const {
  if (cubies)
    return cubies->store(row, field, code);
  for (const auto &[value, own] : codes)
    if (own == code) {
      row[field] = value;
      return true;
    }
  return false;
}

} // namespace zenith::search
