// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the search dialect: sets of keys and of bits.

#include "ir/SearchOps.h"
#include "ir/interpreter/OpEvaluation.h"
#include "ir/tensor/Scalar.h"
#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

/// The words of key `row` of the list that starts at operand `first`.
static std::vector<uint64_t> keyAt(const OpEvaluation &e, unsigned first,
                                   size_t words, int64_t row) {
  std::vector<uint64_t> key(words);
  for (size_t word = 0; word < words; ++word)
    key[word] = elementsOf<uint64_t>(e.operand(first + word))[size_t(row)];
  return key;
}

static std::vector<uint64_t> masked(std::vector<uint64_t> key,
                                    ArrayRef<int64_t> bits) {
  for (auto [word, mask] : llvm::zip(key, bits))
    word &= uint64_t(mask);
  return key;
}

static llvm::Error checkOneSize(const OpEvaluation &e, unsigned first,
                                size_t count) {
  for (size_t i = first; i < first + count; ++i)
    if (e.operand(i).size() != e.operand(first).size())
      return e.fail("lists of one key have different sizes at run time");
  return llvm::Error::success();
}

namespace {

/// The images of keys under the permutations of a dedup.
class KeyImages {
public:
  KeyImages(const OpEvaluation &e, search::DedupOp op)
      : key(op.getKey()), words(op.words()), ties(unsigned(*op.getTies())),
        partBits(op.partBits()), perWord((64 + partBits - 1) / partBits),
        count(size_t(op.getImageParts().getType().getDimSize(0))),
        parts(size_t(op.getImageParts().getType().getDimSize(2))),
        permutations(
            elementsOf<uint16_t>(e.operand(unsigned(e.operands.size()) - 2))),
        bits(elementsOf<uint64_t>(e.operand(unsigned(e.operands.size()) - 1))) {
  }

  /// The least image of a key, with the joined bits of all equal images.
  std::vector<uint64_t> least(const std::vector<uint64_t> &from) const {
    std::vector<uint64_t> best = image(from, 0);
    uint64_t same = 0;
    for (size_t index = 1; index < count; ++index) {
      std::vector<uint64_t> other = image(from, index);
      if (masked(other, key) < masked(best, key)) {
        best = std::move(other);
        same = 0;
      } else if (masked(other, key) == masked(best, key)) {
        for (size_t word = 0; word < words; ++word)
          best[word] |= other[word];
        ++same;
      }
    }
    best.back() |= same << ties;
    return best;
  }

private:
  std::vector<uint64_t> image(const std::vector<uint64_t> &from,
                              size_t index) const {
    std::vector<uint64_t> to(words);
    for (size_t word = 0; word < words; ++word)
      for (size_t j = 0; j < parts; ++j) {
        size_t entry = (index * words + word) * parts + j,
               origin = permutations[entry];
        uint64_t part = 0;
        if (origin < words * perWord)
          part = from[origin / perWord] >> origin % perWord * partBits &
                 ((uint64_t(1) << partBits) - 1);
        to[word] |= bits[entry << partBits | part];
      }
    return to;
  }

  ArrayRef<int64_t> key;
  size_t words;
  unsigned ties, partBits, perWord;
  size_t count, parts;
  ArrayRef<uint16_t> permutations;
  ArrayRef<uint64_t> bits;
};

} // namespace

static Expected<Results> evaluateDedup(const OpEvaluation &e) {
  auto op = cast<search::DedupOp>(e.op);
  size_t words = op.words(), candidates = op.getCandidates().size(),
         lists = candidates + op.getKnown().size();
  std::optional<KeyImages> images;
  if (op.getTies())
    images.emplace(e, op);
  if (llvm::Error error = checkOneSize(e, 0, candidates))
    return std::move(error);
  // In order of first occurrence, which is one of the orders that the op
  // allows.
  std::vector<std::vector<uint64_t>> fresh;
  std::map<std::vector<uint64_t>, size_t> rowOf;
  constexpr size_t known = ~size_t(0);
  for (size_t first = candidates; first < lists; first += words) {
    if (llvm::Error error = checkOneSize(e, first, words))
      return std::move(error);
    for (int64_t row = 0; row < e.operand(first).size(); ++row)
      rowOf[masked(keyAt(e, first, words, row), op.getKey())] = known;
  }
  for (int64_t row = 0; row < e.operand(0).size(); ++row)
    for (size_t first = 0; first < candidates; first += words) {
      std::vector<uint64_t> key = keyAt(e, first, words, row);
      if (op.getAbsent() && key[0] == uint64_t(*op.getAbsent()))
        continue;
      if (images)
        key = images->least(key);
      auto [entry, isNew] =
          rowOf.try_emplace(masked(key, op.getKey()), fresh.size());
      if (isNew)
        fresh.push_back(key);
      else if (entry->second != known)
        for (size_t word = 0; word < words; ++word)
          fresh[entry->second][word] |= key[word];
    }
  Results results;
  for (size_t word = 0; word < words; ++word) {
    Expected<Tensor> list = e.allocate({int64_t(fresh.size())}, word);
    if (!list)
      return list.takeError();
    for (auto [to, key] : llvm::zip(writableElements<uint64_t>(*list), fresh))
      to = key[word];
    results.push_back(std::move(*list));
  }
  return results;
}

static Expected<Results> evaluateBitPositions(const OpEvaluation &e) {
  std::vector<uint64_t> positions;
  for (auto [at, bits] : llvm::enumerate(elementsOf<uint64_t>(e.operand(0))))
    for (uint64_t rest = bits; rest; rest &= rest - 1)
      positions.push_back(at * 64 + uint64_t(llvm::countr_zero(rest)));
  Expected<Tensor> result = e.allocate({int64_t(positions.size())});
  if (!result)
    return result.takeError();
  llvm::copy(positions, writableElements<uint64_t>(*result).begin());
  return Results{std::move(*result)};
}

static Expected<Results> evaluateBitsetDifference(const OpEvaluation &e) {
  ArrayRef<uint64_t> known = elementsOf<uint64_t>(e.operand(0));
  Expected<Tensor> bits = e.allocate({int64_t(known.size())}, 0);
  if (!bits)
    return bits.takeError();
  Expected<Tensor> count = e.allocate({}, 1);
  if (!count)
    return count.takeError();
  MutableArrayRef<uint64_t> fresh = writableElements<uint64_t>(*bits);
  int64_t &found = writableElements<int64_t>(*count)[0];
  for (const Tensor &positions : e.operands.drop_front())
    for (uint64_t position : elementsOf<uint64_t>(positions)) {
      uint64_t word = position / 64, bit = uint64_t(1) << position % 64;
      if (word >= known.size() || (known[word] | fresh[word]) & bit)
        continue;
      fresh[word] |= bit;
      ++found;
    }
  return Results{std::move(*bits), std::move(*count)};
}

static Expected<Results> evaluateCosetBitRows(const OpEvaluation &e) {
  for (unsigned same : {1, 3})
    if (e.operand(same).shape() != e.operand(same - 1).shape())
      return e.fail("shapes differ at run time");
  if (e.operand(2).shape()[0] != e.operand(0).shape()[0])
    return e.fail("sources are not those of each row");
  ArrayRef<uint64_t> known = elementsOf<uint64_t>(e.operand(0)),
                     layer = elementsOf<uint64_t>(e.operand(1));
  ArrayRef<uint32_t> sources = elementsOf<uint32_t>(e.operand(2));
  ArrayRef<uint16_t> moves = elementsOf<uint16_t>(e.operand(3)),
                     columns = elementsOf<uint16_t>(e.operand(4));
  Expected<Tensor> bits = e.allocate(e.operand(0).shape(), 0);
  if (!bits)
    return bits.takeError();
  Expected<Tensor> all = e.allocate(e.operand(0).shape(), 1);
  if (!all)
    return all.takeError();
  Expected<Tensor> count = e.allocate({}, 2);
  if (!count)
    return count.takeError();
  auto fresh = writableElements<uint64_t>(*bits),
       joined = writableElements<uint64_t>(*all);
  int64_t &found = writableElements<int64_t>(*count)[0];
  llvm::copy(known, joined.begin());
  uint64_t rows = uint64_t(e.operand(0).shape()[0]),
           words = uint64_t(e.operand(0).shape()[1]),
           generators = uint64_t(e.operand(2).shape()[1]),
           moveCount = uint64_t(e.operand(4).shape()[0]),
           columnCount = uint64_t(e.operand(4).shape()[1]);
  auto isSet = [&](uint64_t row, uint64_t column) {
    return layer[row * words + column / 64] >> column % 64 & 1;
  };
  for (uint64_t entry = 0; entry < rows * generators; ++entry) {
    uint64_t source = sources[entry], move = moves[entry];
    if (source >= rows || move >= moveCount)
      continue;
    for (uint64_t column = 0; column < columnCount; ++column) {
      uint64_t to = columns[move * columnCount + column];
      if (to >= columnCount || !isSet(source, column))
        continue;
      uint64_t word = entry / generators * words + to / 64;
      uint64_t bit = uint64_t(1) << to % 64;
      if (joined[word] & bit)
        continue;
      fresh[word] |= bit;
      joined[word] |= bit;
      ++found;
    }
  }
  return Results{std::move(*bits), std::move(*all), std::move(*count)};
}

namespace {

/// The tables of a coset_bits.
class CosetRanks {
public:
  CosetRanks(const OpEvaluation &e, search::CosetBitsOp op)
      : points(op.getPoints()), counts(op.getGroupPoints()),
        sizes(op.getSizes()), rowGroups(size_t(op.getRowGroups())),
        words(uint64_t(op.getWords())),
        columns(size_t(e.operand(0).shape()[1])),
        indices(elementsOf<uint16_t>(e.operand(2))),
        inverses(elementsOf<uint16_t>(e.operand(3))),
        representatives(elementsOf<uint16_t>(e.operand(4))) {}

  /// The bit of a state with these images; nothing where it has none.
  std::optional<uint64_t> bitOf(std::vector<size_t> images) const;

private:
  using Images = std::vector<size_t>;
  void apply(ArrayRef<uint16_t> table, uint64_t row, Images &images) const {
    for (size_t &image : images)
      image = std::min<size_t>(table[row * columns + image], columns - 1);
  }
  std::optional<uint64_t> divide(size_t first, size_t last,
                                 Images &images) const;
  bool areFixed(ArrayRef<int64_t> some, const Images &images) const {
    return llvm::all_of(some, [&](int64_t point) {
      return images[size_t(point)] == size_t(point);
    });
  }
  size_t pointsBefore(size_t group) const {
    return size_t(
        std::accumulate(counts.begin(), counts.begin() + group, int64_t(0)));
  }

  ArrayRef<int64_t> points, counts, sizes;
  size_t rowGroups;
  uint64_t words;
  size_t columns;
  ArrayRef<uint16_t> indices, inverses, representatives;
};

} // namespace

/// Divides by groups from `first` to `last`; the number of their indices.
std::optional<uint64_t> CosetRanks::divide(size_t first, size_t last,
                                           Images &images) const {
  uint64_t number = 0, firstPlace = 0, firstMap = 0;
  size_t point = 0;
  for (size_t group = 0; group < last; ++group) {
    ArrayRef<int64_t> own = points.slice(point, size_t(counts[group]));
    point += own.size();
    uint64_t place = 0, places = 1;
    for (int64_t each : llvm::reverse(own)) {
      place = place * columns + images[size_t(each)];
      places *= columns;
    }
    if (group >= first) {
      uint64_t index = indices[firstPlace + place];
      if (index >= uint64_t(sizes[group]))
        return std::nullopt;
      number = number * uint64_t(sizes[group]) + index;
      apply(inverses, firstMap + index, images);
    }
    firstPlace += places;
    firstMap += uint64_t(sizes[group]);
  }
  return number;
}

std::optional<uint64_t> CosetRanks::bitOf(Images images) const {
  Images rest = images;
  std::optional<uint64_t> row = divide(0, rowGroups, images);
  if (!row)
    return std::nullopt;
  apply(representatives, *row, rest);
  if (!areFixed(points.take_front(pointsBefore(rowGroups)), rest))
    return std::nullopt;
  std::optional<uint64_t> column = divide(rowGroups, counts.size(), rest);
  SmallVector<int64_t> others;
  for (int64_t point = 0; point < int64_t(columns); ++point)
    if (!llvm::is_contained(points, point))
      others.push_back(point);
  if (!column || !areFixed(others, rest))
    return std::nullopt;
  return *row * words * 64 + *column;
}

static Expected<Results> evaluateCosetBits(const OpEvaluation &e) {
  CosetRanks ranks(e, cast<search::CosetBitsOp>(e.op));
  auto states = e.operand(0).shape()[0];
  auto columns = size_t(e.operand(0).shape()[1]);
  Expected<Tensor> bits = e.allocate({states});
  if (!bits)
    return bits.takeError();
  const ElementAccess access(e.operand(0).elementType());
  auto elementAt = [&](const Tensor &tensor, size_t place) {
    return std::string(tensor.bytes() + place * access.bytes(), access.bytes());
  };
  std::map<std::string, size_t> positions;
  for (size_t position = 0; position < columns; ++position)
    positions.try_emplace(elementAt(e.operand(1), position), position);
  for (auto [state, bit] : llvm::enumerate(writableElements<uint64_t>(*bits))) {
    std::vector<size_t> images(columns);
    std::set<size_t> found;
    for (size_t place = 0; place < columns; ++place)
      if (auto position =
              positions.find(elementAt(e.operand(0), state * columns + place));
          position != positions.end()) {
        images[position->second] = place;
        found.insert(position->second);
      }
    std::optional<uint64_t> number;
    if (found.size() == columns)
      number = ranks.bitOf(std::move(images));
    bit = number.value_or(~uint64_t(0));
  }
  return Results{std::move(*bits)};
}

static Expected<Results> evaluateTestBits(const OpEvaluation &e) {
  ArrayRef<uint64_t> bits = elementsOf<uint64_t>(e.operand(0)),
                     positions = elementsOf<uint64_t>(e.operand(1));
  Expected<Tensor> result = e.allocate({int64_t(positions.size())});
  if (!result)
    return result.takeError();
  char *to = result->writable();
  for (uint64_t position : positions)
    *to++ = position / 64 < bits.size() &&
            (bits[position / 64] >> position % 64 & 1) != 0;
  return Results{std::move(*result)};
}

static Expected<Results> evaluateIndexBits(const OpEvaluation &e) {
  auto op = cast<search::IndexBitsOp>(e.op);
  ArrayRef<uint64_t> positions = elementsOf<uint64_t>(e.operand(0));
  auto count = int64_t(positions.size());
  const uint64_t words = op.getWords();
  Results results;
  for (unsigned list = 0; list < op->getNumResults(); ++list) {
    int64_t size =
        list < 2 ? count + int64_t(list) : std::min(count, int64_t(words));
    Expected<Tensor> tensor = e.allocate({size}, list);
    if (!tensor)
      return tensor.takeError();
    results.push_back(std::move(*tensor));
  }
  std::map<uint64_t, uint64_t> order; // The place of each different position.
  for (uint64_t position : positions)
    if (position / 64 < words)
      order.try_emplace(position);
  for (auto [place, entry] : llvm::enumerate(order))
    entry.second = place;
  auto places = writableElements<int64_t>(results[0]);
  auto counts = writableElements<uint64_t>(results[1]),
       entryWords = writableElements<uint64_t>(results[2]),
       masks = writableElements<uint64_t>(results[3]),
       firsts = writableElements<uint64_t>(results[4]);
  std::fill(counts.begin(), counts.end(), 0);
  for (auto [position, place] : llvm::zip_equal(positions, places)) {
    auto found = order.find(position);
    place = found == order.end() ? count : int64_t(found->second);
    if (found != order.end())
      ++counts[size_t(place)];
  }
  bool hasAll = entryWords.size() == words;
  auto next = order.begin();
  for (size_t entry = 0; entry < entryWords.size(); ++entry) {
    entryWords[entry] = hasAll                ? entry
                        : next == order.end() ? words
                                              : next->first / 64;
    const uint64_t first = next == order.end() ? order.size() : next->second;
    masks[entry] = 0;
    for (; next != order.end() && next->first / 64 == entryWords[entry]; ++next)
      masks[entry] |= uint64_t(1) << next->first % 64;
    auto own = counts.slice(first, size_t(llvm::popcount(masks[entry])));
    bool repeats = llvm::any_of(own, [](uint64_t times) { return times > 1; });
    firsts[entry] = first | uint64_t(repeats) << 63;
    if (!repeats)
      std::fill(own.begin(), own.end(), 0);
  }
  return results;
}

static Expected<Results> evaluateNoteBits(const OpEvaluation &e) {
  ArrayRef<uint64_t> bits = elementsOf<uint64_t>(e.operand(0)),
                     entryWords = elementsOf<uint64_t>(e.operand(1)),
                     masks = elementsOf<uint64_t>(e.operand(2)),
                     firsts = elementsOf<uint64_t>(e.operand(3)),
                     counts = elementsOf<uint64_t>(e.operand(4));
  ArrayRef<int64_t> noted = elementsOf<int64_t>(e.operand(5));
  int64_t number = elementsOf<int64_t>(e.operand(6)).front();
  Expected<Tensor> all = e.allocate({int64_t(noted.size())});
  if (!all)
    return all.takeError();
  Expected<Tensor> count = e.allocate({}, 1);
  if (!count)
    return count.takeError();
  auto places = writableElements<int64_t>(*all);
  llvm::copy(noted, places.begin());
  uint64_t found = 0;
  for (size_t entry = 0; entry < masks.size(); ++entry) {
    uint64_t word = masks.size() == bits.size() ? entry : entryWords[entry],
             place = firsts[entry] & ~(uint64_t(1) << 63);
    const bool repeats = firsts[entry] != place;
    for (unsigned bit = 0; bit < 64; ++bit) {
      if (!(masks[entry] >> bit & 1))
        continue;
      if (word < bits.size() && place < places.size() &&
          bits[word] >> bit & 1) {
        places[place] = number;
        found += repeats ? counts[place] : 1;
      }
      ++place;
    }
  }
  writableElements<int64_t>(*count)[0] = int64_t(found);
  return Results{std::move(*all), std::move(*count)};
}

static Expected<Results> evaluateTestAndSet(const OpEvaluation &e) {
  auto op = cast<search::TestAndSetOp>(e.op);
  ArrayRef<uint64_t> known = elementsOf<uint64_t>(e.operand(0));
  Expected<Tensor> bits = e.allocate({int64_t(known.size())}, 1);
  if (!bits)
    return bits.takeError();
  MutableArrayRef<uint64_t> all = writableElements<uint64_t>(*bits);
  llvm::copy(known, all.begin());
  std::vector<uint64_t> fresh;
  const uint64_t tags = op.getTagBits().value_or(0);
  for (const Tensor &candidates : e.operands.drop_front())
    for (uint64_t candidate : elementsOf<uint64_t>(candidates)) {
      uint64_t position = candidate >> tags, word = position / 64,
               bit = uint64_t(1) << position % 64;
      if (word >= all.size() || all[word] & bit)
        continue;
      all[word] |= bit;
      fresh.push_back(candidate);
    }
  Expected<Tensor> positions = e.allocate({int64_t(fresh.size())}, 0);
  if (!positions)
    return positions.takeError();
  llvm::copy(fresh, writableElements<uint64_t>(*positions).begin());
  return Results{std::move(*positions), std::move(*bits)};
}

/// The bytes of row `row` of some parts of a list, from operand `first` on.
static std::string rowAt(const OpEvaluation &e, size_t first, size_t parts,
                         int64_t row) {
  std::string bytes;
  for (size_t part = first; part < first + parts; ++part) {
    const Tensor &list = e.operand(unsigned(part));
    size_t size = list.byteSize() / size_t(list.shape()[0]);
    bytes.append(list.bytes() + size_t(row) * size, size);
  }
  return bytes;
}

static Expected<Results> evaluateAppendNew(const OpEvaluation &e) {
  auto op = cast<search::AppendNewOp>(e.op);
  const size_t parts = op.getKnown().size(),
               compared = size_t(op.comparedParts());
  auto number = [&](size_t operand) {
    return elementsOf<int64_t>(e.operand(unsigned(operand)))[0];
  };
  const int64_t count = number(2 * parts + 1), rows = number(2 * parts + 2),
                cells = number(2 * parts + 3);
  if (rows < 0 || cells < 0 || count < 0 || count > e.operand(1).shape()[0] ||
      count > rows)
    return e.fail("counts do not fit the lists at run time");
  for (size_t part = 0; part < parts; ++part)
    if (e.operand(1 + part).shape()[0] != e.operand(1).shape()[0] ||
        e.operand(1 + parts + part).shape()[0] !=
            e.operand(1 + parts).shape()[0])
      return e.fail("parts of one list have different sizes at run time");
  std::set<std::string> seen;
  std::vector<std::string> list;
  for (int64_t row = 0; row < count; ++row) {
    list.push_back(rowAt(e, 1, parts, row));
    seen.insert(rowAt(e, 1, compared, row));
  }
  const size_t most =
      size_t(std::max(count, compared == 0 ? rows : std::min(rows, cells - 1)));
  for (int64_t row = 0; row < e.operand(1 + parts).shape()[0]; ++row) {
    if (list.size() < most &&
        (compared == 0 ||
         seen.insert(rowAt(e, 1 + parts, compared, row)).second))
      list.push_back(rowAt(e, 1 + parts, parts, row));
  }
  Expected<Tensor> index = e.allocate({cells}, 0);
  if (!index)
    return index.takeError();
  Results results{std::move(*index)};
  size_t at = 0;
  for (size_t part = 0; part < parts; ++part) {
    SmallVector<int64_t> shape(e.operand(1 + part).shape());
    shape[0] = rows;
    Expected<Tensor> to = e.allocate(shape, 1 + part);
    if (!to)
      return to.takeError();
    size_t size = rows ? to->byteSize() / size_t(rows) : 0;
    for (auto [row, bytes] : llvm::enumerate(list))
      std::copy_n(bytes.data() + at, size, to->writable() + row * size);
    at += size;
    results.push_back(std::move(*to));
  }
  Expected<Tensor> total = e.allocate({}, 1 + parts);
  if (!total)
    return total.takeError();
  writableElements<int64_t>(*total)[0] = int64_t(list.size());
  results.push_back(std::move(*total));
  return results;
}

static Expected<Results> evaluateCountNeighbours(const OpEvaluation &e) {
  const Tensor &layer = e.operand(0), &sources = e.operand(1);
  const size_t columns = size_t(layer.shape()[1]),
               bytes = size_t(elementBytes(layer.elementType())),
               rowBytes = columns * bytes;
  ArrayRef<uint32_t> source = elementsOf<uint32_t>(sources);
  constexpr unsigned mask = 2;
  Expected<Tensor> firsts =
      e.allocate({layer.shape()[0] * sources.shape()[0]}, mask);
  if (!firsts)
    return firsts.takeError();
  char *isFirst = firsts->writable();
  std::map<std::string, char *> formed; // where the first of each is marked
  for (int64_t row = 0; row < layer.shape()[0]; ++row) {
    const char *from = layer.bytes() + size_t(row) * rowBytes;
    for (size_t first = 0; first < source.size(); first += columns) {
      std::string neighbour;
      for (uint32_t place : source.slice(first, columns))
        neighbour.append(from + std::min(size_t(place), columns - 1) * bytes,
                         bytes);
      *isFirst = formed.try_emplace(std::move(neighbour), isFirst).second;
      ++isFirst;
    }
  }
  const auto all = int64_t(formed.size());
  for (const Tensor &set : e.operands.drop_front(2))
    for (int64_t row = 0; row < set.shape()[0]; ++row) {
      auto found = formed.find(
          std::string(set.bytes() + size_t(row) * rowBytes, rowBytes));
      if (found == formed.end())
        continue;
      *found->second = false;
      formed.erase(found);
    }
  Results results;
  for (int64_t number : {all, int64_t(formed.size())}) {
    Expected<Tensor> count = e.allocate({}, unsigned(results.size()));
    if (!count)
      return count.takeError();
    writableElements<int64_t>(*count)[0] = number;
    results.push_back(std::move(*count));
  }
  results.push_back(std::move(*firsts));
  return results;
}

Expected<Results> zenith::interpreter::evaluateSearch(const OpEvaluation &e) {
  if (isa<search::DedupOp>(e.op))
    return evaluateDedup(e);
  if (isa<search::BitPositionsOp>(e.op))
    return evaluateBitPositions(e);
  if (isa<search::BitsetDifferenceOp>(e.op))
    return evaluateBitsetDifference(e);
  if (isa<search::CosetBitRowsOp>(e.op))
    return evaluateCosetBitRows(e);
  if (isa<search::CosetBitsOp>(e.op))
    return evaluateCosetBits(e);
  if (isa<search::TestBitsOp>(e.op))
    return evaluateTestBits(e);
  if (isa<search::IndexBitsOp>(e.op))
    return evaluateIndexBits(e);
  if (isa<search::NoteBitsOp>(e.op))
    return evaluateNoteBits(e);
  if (isa<search::TestAndSetOp>(e.op))
    return evaluateTestAndSet(e);
  if (isa<search::AppendNewOp>(e.op))
    return evaluateAppendNew(e);
  if (isa<search::CountNeighboursOp>(e.op))
    return evaluateCountNeighbours(e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
