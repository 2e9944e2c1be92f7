// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of states among rows of bits, and which bits are set.

#include "runtime/TargetClones.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"
#include "runtime/routines/ranks/ByteRanks.h"

#include <algorithm>
#include <cstring>

using namespace zenith::runtime;

namespace {

constexpr int64_t mostColumns = RankGroups::mostColumns;

/// Which position of the start has an element; for elements that it lacks, the
/// number of positions.
class StartPositions {
public:
  explicit StartPositions(const zenith_coset_bits_arguments &given);
  /// Whether all elements of the start are small.
  bool areSmall() const { return entries[count - 1].element < fewElements; }
  /// Where they are.
  uint16_t ofSmall(uint64_t element) const {
    return small[std::min(element, fewElements)];
  }
  uint16_t of(uint64_t element) const;

private:
  struct Entry {
    uint64_t element;
    uint16_t position;
  };
  static constexpr uint64_t fewElements = 4096;
  uint16_t count;
  Entry entries[mostColumns]; ///< ascending
  uint16_t small[fewElements + 1];
};

} // namespace

/// The bytes of an element, whatever its type.
static uint64_t elementAt(const void *elements, int64_t bytes, int64_t at) {
  uint64_t element = 0;
  std::memcpy(&element, static_cast<const char *>(elements) + at * bytes,
              size_t(bytes));
  return element;
}

StartPositions::StartPositions(const zenith_coset_bits_arguments &given)
    : count(uint16_t(given.columns)) {
  for (uint16_t position = 0; position < count; ++position)
    entries[position] = {elementAt(given.start, given.element_bytes, position),
                         position};
  std::sort(entries, entries + count, [](const Entry &x, const Entry &y) {
    return x.element != y.element ? x.element < y.element
                                  : x.position < y.position;
  });
  if (!areSmall())
    return;
  std::fill(small, small + fewElements + 1, count);
  for (int at = count; at-- > 0;)
    small[entries[at].element] = entries[at].position;
}

uint16_t StartPositions::of(uint64_t element) const {
  const Entry *found = std::lower_bound(
      entries, entries + count, element,
      [](const Entry &entry, uint64_t value) { return entry.element < value; });
  return found < entries + count && found->element == element ? found->position
                                                              : count;
}

namespace {

/// Ranks states one by one: there are few lookups for each.
class StateRanks {
public:
  explicit StateRanks(const RankGroups &groups)
      : of(groups), given(groups.given), positions(given),
        columns(groups.columns) {}

  /// The bits of the states from `first` to `end`.
  template <typename Element> void run(int64_t first, int64_t end);

private:
  template <bool small, typename Element> bool findImages(const Element *state);
  template <bool small, typename Element> void run(int64_t first, int64_t end);
  /// False where the images of the group's points have no index.
  bool divide(const RankGroups::Group &group, uint16_t *images, int64_t end,
              uint64_t &number) const;
  bool findBit(uint64_t &bit);
  uint16_t imageIn(const uint16_t *map, uint16_t image) const {
    return std::min(map[image], of.last);
  }

  const RankGroups &of;
  const zenith_coset_bits_arguments &given;
  const StartPositions positions;
  const uint64_t columns;
  /// As the state gives them, and one place more for what the start lacks.
  uint16_t images[mostColumns + 1];
  uint16_t rest[mostColumns]; ///< after divisions
};

} // namespace

RankGroups::RankGroups(const zenith_coset_bits_arguments &given)
    : given(given), columns(uint64_t(given.columns)),
      last(uint16_t(columns - 1)) {
  bool isDivided[mostColumns] = {};
  const uint16_t *indices = given.indices, *inverses = given.inverses;
  for (int64_t number = 0; number < given.groups; ++number) {
    Group &group = groups[number];
    group = {indices, inverses, uint64_t(given.sizes[number]), groupPoints, 0};
    uint64_t entries = 1;
    for (int64_t i = 0; i < given.group_points[number]; ++i) {
      points[groupPoints] = uint16_t(given.points[groupPoints]);
      isDivided[points[groupPoints++]] = true;
      entries *= columns;
    }
    group.endPoint = groupPoints;
    indices += entries;
    inverses += group.size * columns;
    if (number < given.row_groups)
      rowPoints = groupPoints;
  }
  int64_t count = groupPoints;
  for (uint64_t point = 0; point < columns; ++point)
    if (!isDivided[point])
      points[count++] = uint16_t(point);
}

/// Where the elements of the start are; whether each is there once. Bits beyond
/// the last position are elements that the start lacks.
template <bool small, typename Element>
bool StateRanks::findImages(const Element *state) {
  constexpr uint64_t bits = 64;
  for (uint64_t first = 0; first <= columns; first += bits) {
    // As many elements as positions: each is there once if each is there.
    uint64_t seen = 0;
    for (uint64_t place = 0; place < columns; ++place) {
      auto element = uint64_t(state[place]);
      uint64_t point =
          small ? positions.ofSmall(element) : positions.of(element);
      images[point] = uint16_t(place);
      uint64_t bit = point - first;
      seen |= uint64_t(bit < bits) << bit % bits;
    }
    uint64_t count = std::min(bits, columns - first);
    if (seen != (count == bits ? ~uint64_t(0) : (uint64_t(1) << count) - 1))
      return false;
  }
  return true;
}

/// Takes the images of the points behind the group's, before `end`, on.
bool StateRanks::divide(const RankGroups::Group &group, uint16_t *taken,
                        int64_t end, uint64_t &number) const {
  uint64_t place = 0;
  for (int64_t at = group.endPoint; at-- > group.firstPoint;)
    place = place * columns + taken[of.points[at]];
  uint64_t index = group.indices[place];
  if (index >= group.size)
    return false;
  number = number * group.size + index;
  const uint16_t *map = group.inverses + index * columns;
  for (int64_t at = group.endPoint; at < end; ++at)
    taken[of.points[at]] = imageIn(map, taken[of.points[at]]);
  return true;
}

bool StateRanks::findBit(uint64_t &bit) {
  uint64_t row = 0, column = 0;
  const uint16_t *points = of.points;
  const int64_t rowPoints = of.rowPoints;
  for (int64_t at = 0; at < rowPoints; ++at)
    rest[points[at]] = images[points[at]];
  int64_t number = 0;
  for (; number < given.row_groups; ++number)
    if (!divide(of.groups[number], rest, rowPoints, row))
      return false;
  const uint16_t *representative = given.representatives + row * columns;
  for (int64_t at = 0; at < int64_t(columns); ++at)
    rest[points[at]] = imageIn(representative, images[points[at]]);
  for (int64_t at = 0; at < rowPoints; ++at)
    if (rest[points[at]] != points[at])
      return false;
  for (; number < given.groups; ++number)
    if (!divide(of.groups[number], rest, int64_t(columns), column))
      return false;
  for (int64_t at = of.groupPoints; at < int64_t(columns); ++at)
    if (rest[points[at]] != points[at])
      return false;
  bit = row * uint64_t(given.words) * 64 + column;
  return true;
}

template <bool small, typename Element>
void StateRanks::run(int64_t first, int64_t end) {
  auto *states = static_cast<const Element *>(given.states);
  for (int64_t state = first; state < end; ++state) {
    uint64_t bit = 0;
    bool hasBit =
        findImages<small>(states + state * int64_t(columns)) && findBit(bit);
    given.bits[state] = hasBit ? bit : ~uint64_t(0);
  }
}

template <typename Element> void StateRanks::run(int64_t first, int64_t end) {
  if (positions.areSmall())
    run<true, Element>(first, end);
  else
    run<false, Element>(first, end);
}

void zenith_routine_coset_bits(const zenith_coset_bits_arguments *arguments,
                               int64_t begin, int64_t end) {
  const zenith_coset_bits_arguments &given = checked(arguments);
  if (begin == end)
    return;
  const RankGroups groups(given);
  // Neighbouring slots have neighbouring states.
  const int64_t first = rowsOfSlot(given.count, given.slots, begin).first,
                last = rowsOfSlot(given.count, given.slots, end - 1).second;
  if (rankBytes(groups, first, last))
    return;
  StateRanks ranks(groups);
  if (given.element_bytes == 1)
    ranks.run<uint8_t>(first, last);
  else if (given.element_bytes == 2)
    ranks.run<uint16_t>(first, last);
  else if (given.element_bytes == 4)
    ranks.run<uint32_t>(first, last);
  else
    ranks.run<uint64_t>(first, last);
}

/// Words of vectors are gathered where there are some.
ZENITH_WIDE_CLONES
static void testBits(const uint64_t *bits, uint64_t words,
                     const uint64_t *positions, int64_t count,
                     uint8_t *__restrict result) {
  for (int64_t at = 0; at < count; ++at) {
    uint64_t position = positions[at], word = position / 64;
    bool isInside = word < words;
    uint64_t found = bits[isInside ? word : 0] >> position % 64;
    result[at] = uint8_t(found & uint64_t(isInside));
  }
}

void zenith_routine_test_bits(const zenith_test_bits_arguments *arguments,
                              int64_t begin, int64_t end) {
  const zenith_test_bits_arguments &given = checked(arguments);
  const uint64_t none = 0, words = uint64_t(given.words);
  const uint64_t *bits = words > 0 ? given.bits : &none;
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(given.count, given.slots, slot);
    testBits(bits, words, given.positions + first, last - first,
             given.result + first);
  }
}
