// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tabulates the action of each symmetry on each value of each field, by the
// images of rows that hold only this value.

#include "passes/search/states/StateImages.h"
#include "llvm/Support/MathExtras.h"

namespace zenith::search {

unsigned StateImages::tieBits(size_t symmetries) {
  return symmetries > 1 ? llvm::Log2_64_Ceil(symmetries) : 0;
}

static uint64_t partsPerWord(const StateKeys &keys) {
  return llvm::divideCeil(64, keys.bits());
}

/// The code in the image for each code of the source field; 0 where there is
/// none.
std::vector<uint64_t> StateImages::codesOf(const GraphSymmetry &symmetry,
                                           int64_t origin,
                                           int64_t field) const {
  BfsLoop::Row row(size_t(bfs.positions)), image = row;
  std::vector<uint64_t> codes(size_t(values()), 0);
  for (uint64_t code = 0; code < codes.size(); ++code) {
    if (!keys.store(row, origin, code))
      continue;
    for (int64_t position : keys.positionsOf(field))
      image[size_t(position)] = symmetry.valueAt(row, size_t(position));
    if (auto own = keys.codeOf(image, field))
      codes[code] = *own;
  }
  return codes;
}

/// A field of an image is made of one field of the state.
bool StateImages::addFields(const GraphSymmetry &symmetry,
                            std::vector<std::vector<Part>> &words) const {
  // Values of single positions are renamed alike at all positions.
  std::vector<uint64_t> singles;
  // High fields, which decide which image is less, come first.
  for (int64_t field : llvm::reverse(keys.fields())) {
    int64_t origin = keys.fieldOf(symmetry.positions[size_t(field)]);
    if (origin < 0)
      return false;
    for (int64_t position : keys.positionsOf(field))
      if (keys.fieldOf(symmetry.positions[size_t(position)]) != origin)
        return false;
    StateKeys::BitField from = keys.bitFieldOf(origin),
                        to = keys.bitFieldOf(field);
    bool isSingle = keys.positionsOf(field).size() == 1;
    std::vector<uint64_t> codes = isSingle && !singles.empty()
                                      ? singles
                                      : codesOf(symmetry, origin, field);
    if (isSingle)
      singles = codes;
    for (uint64_t &code : codes)
      code <<= to.shift;
    words[to.word].push_back(
        {uint16_t(from.word * partsPerWord(keys) + from.shift / keys.bits()),
         std::move(codes)});
  }
  return true;
}

/// A generator is in the mask of a state if its image is in the mask of the
/// image.
void StateImages::addInverseMask(const GraphSymmetry &symmetry,
                                 std::vector<Part> &lastWord) const {
  unsigned first = unsigned(llvm::countr_zero(keys.bitOf(0)));
  std::map<uint64_t, std::vector<uint64_t>> parts;
  for (size_t g = 0; g < symmetry.generators.size(); ++g) {
    std::vector<uint64_t> &own = parts[(first + g) / keys.bits()];
    own.resize(size_t(values()));
    for (uint64_t value = 0; value < own.size(); ++value)
      if (value >> (first + g) % keys.bits() & 1)
        own[value] |= keys.bitOf(symmetry.generators[g]);
  }
  uint64_t before = (keys.words() - 1) * partsPerWord(keys);
  for (auto &[number, own] : parts)
    lastWord.push_back({uint16_t(before + number), std::move(own)});
}

bool StateImages::fill() {
  constexpr size_t mostBytes = 1 << 22, mostBits = 8;
  if (keys.bits() > mostBits)
    return false;
  std::vector<std::vector<std::vector<Part>>> all;
  for (const GraphSymmetry &symmetry : group) {
    std::vector<std::vector<Part>> &words = all.emplace_back(keys.words());
    if (!addFields(symmetry, words))
      return false;
    addInverseMask(symmetry, words.back());
    for (const std::vector<Part> &parts : words)
      partCount = std::max(partCount, int64_t(parts.size()));
    if (group.size() * keys.words() * size_t(partCount * values()) *
            sizeof(uint64_t) >
        mostBytes)
      return false;
  }
  for (std::vector<std::vector<Part>> &words : all)
    for (std::vector<Part> &parts : words) {
      parts.resize(size_t(partCount),
                   Part{0, std::vector<uint64_t>(size_t(values()))});
      for (const Part &part : parts) {
        sources.push_back(part.source);
        bits.insert(bits.end(), part.bits.begin(), part.bits.end());
      }
    }
  return true;
}

std::optional<StateImages>
StateImages::build(const BfsLoop &bfs, const StateKeys &keys,
                   const std::vector<GraphSymmetry> &group) {
  StateImages images(bfs, keys, group);
  if (!keys.hasInverseMask() || !images.fill())
    return std::nullopt;
  return images;
}

std::optional<llvm::SmallVector<uint64_t>>
StateImages::packLeast(const BfsLoop::Row &row) const {
  llvm::SmallVector<uint64_t> words = keys.pack(row);
  uint64_t same = 0;
  for (const GraphSymmetry &symmetry : group) {
    llvm::SmallVector<uint64_t> image = keys.pack(symmetry.imageOf(row));
    if (image < words)
      return std::nullopt;
    same += image == words;
  }
  words.back() |= (same - 1) << keys.ownBit();
  return words;
}

} // namespace zenith::search
