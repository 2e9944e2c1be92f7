// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random Schreier-Sims with verification: random elements fill the chain, then
// each Schreier generator is sifted.

#include "passes/search/groups/PermutationGroup.h"
#include <random>

namespace zenith::search {

/// Entries of transversals that may be kept.
static constexpr int64_t mostKept = int64_t(1) << 26;

static bool isIdentity(const PointMap &element) {
  for (size_t i = 0; i < element.size(); ++i)
    if (element[i] != i)
      return false;
  return true;
}

size_t PermutationGroup::sift(PointMap &element, size_t level) const {
  for (; level < levels.size(); ++level) {
    const Level &at = levels[level];
    int32_t place = at.places[element[at.point]];
    if (place < 0)
      return level;
    if (place > 0) {
      const uint16_t *step = at.inverses[size_t(place)].data();
      for (uint16_t &image : element)
        image = step[image];
      left -= int64_t(points);
    }
  }
  return level;
}

bool PermutationGroup::contains(PointMap element) const {
  return element.size() == points && sift(element, 0) == levels.size() &&
         isIdentity(element);
}

llvm::APInt PermutationGroup::order() const {
  // An orbit has at most 2^16 points.
  unsigned bits = 17 * unsigned(levels.size()) + 64;
  llvm::APInt product(bits, 1);
  for (const Level &level : levels)
    product *= llvm::APInt(bits, level.orbit.size());
  return product;
}

/// Completes the orbit of a level under its generators.
void PermutationGroup::extend(Level &level) {
  for (size_t at = 0; at < level.orbit.size(); ++at)
    for (uint32_t number : level.generators) {
      const PointMap &generator = strong[number];
      uint16_t image = generator[level.orbit[at]];
      if (level.places[image] >= 0)
        continue;
      level.places[image] = int32_t(level.orbit.size());
      level.orbit.push_back(image);
      level.verified.push_back(0);
      level.inverses.push_back(compose(level.inverses[at], inverse(generator)));
      kept += int64_t(points);
      left -= 2 * int64_t(points);
    }
}

/// A level more, whose base point is one that `element` moves.
PermutationGroup::Level &PermutationGroup::addLevel(const PointMap &element) {
  Level &added = levels.emplace_back();
  while (element[added.point] == added.point)
    ++added.point;
  added.places.assign(points, -1);
  added.places[added.point] = 0;
  added.orbit.push_back(added.point);
  added.verified.push_back(0);
  added.inverses.emplace_back(points);
  for (size_t i = 0; i < points; ++i)
    added.inverses.back()[i] = uint16_t(i);
  return added;
}

/// Adds an element that fixes the base points before `level` and has no
/// representative there, to the generators of levels `first` to `level`: those
/// of the levels before generate it already.
void PermutationGroup::add(PointMap element, size_t first, size_t level) {
  if (level == levels.size())
    addLevel(element);
  auto number = uint32_t(strong.size());
  strong.push_back(std::move(element));
  for (size_t i = first; i <= level; ++i) {
    levels[i].generators.push_back(number);
    extend(levels[i]);
  }
}

namespace {

/// Random elements of the group that permutations generate: product
/// replacement with an accumulator (Holt, Eick, O'Brien, 3.2.2).
class RandomElements {
public:
  explicit RandomElements(std::vector<PointMap> generators)
      : slots(std::move(generators)) {
    constexpr size_t leastSlots = 11, mixing = 60;
    for (size_t i = 0; slots.size() < leastSlots; ++i)
      slots.push_back(slots[i]);
    accumulator = slots.front();
    for (size_t i = 0; i < mixing + slots.size(); ++i)
      next();
  }

  const PointMap &next() {
    size_t to = random() % slots.size(),
           from = (to + 1 + random() % (slots.size() - 1)) % slots.size();
    PointMap factor = random() & 1 ? slots[from] : inverse(slots[from]);
    slots[to] =
        random() & 1 ? compose(slots[to], factor) : compose(factor, slots[to]);
    accumulator = compose(accumulator, slots[to]);
    ++steps;
    return accumulator;
  }
  int64_t stepCount() const { return steps; }

private:
  std::vector<PointMap> slots;
  PointMap accumulator;
  std::mt19937_64 random{1};
  int64_t steps = 0;
};

} // namespace

/// Makes levels from the generators on: a level's are some random elements that
/// the generators of the level before make and that fix its base point. They
/// may be too few; verification adds those that are missing.
void PermutationGroup::fill(std::vector<PointMap> generators) {
  constexpr unsigned enough = 6;
  while (!generators.empty() && left > 0 && kept < mostKept) {
    Level &level = addLevel(generators.front());
    for (PointMap &generator : generators) {
      level.generators.push_back(uint32_t(strong.size()));
      strong.push_back(generator);
    }
    extend(level);
    RandomElements random(std::move(generators));
    generators.clear();
    for (unsigned i = 0; i < enough; ++i) {
      PointMap element = random.next();
      size_t place = size_t(level.places[element[level.point]]);
      for (uint16_t &image : element)
        image = level.inverses[place][image];
      if (!isIdentity(element))
        generators.push_back(std::move(element));
    }
    left -= 3 * random.stepCount() * int64_t(points);
  }
}

/// Whether all Schreier generators of a level are products of the next levels'
/// transversals; the first one that is not is added.
bool PermutationGroup::verifyLevel(size_t number) {
  PointMap element(points);
  for (size_t at = 0; at < levels[number].orbit.size(); ++at)
    while (levels[number].verified[at] < levels[number].generators.size()) {
      Level &level = levels[number];
      const PointMap &generator =
          strong[level.generators[level.verified[at]++]];
      size_t image = size_t(level.places[generator[level.orbit[at]]]);
      // t(u^s)^-1 s t(u), where t(u) takes the base point to u.
      const PointMap &from = level.inverses[at], &to = level.inverses[image];
      for (size_t i = 0; i < points; ++i)
        element[from[i]] = to[generator[i]];
      if (!visit(3 * int64_t(points)) || kept >= mostKept)
        return true;
      size_t stopped = sift(element, number + 1);
      if (stopped == levels.size() && isIdentity(element))
        continue;
      add(element, number + 1, stopped);
      return false;
    }
  return true;
}

/// Verifies levels from the last one on; an element that was missing makes all
/// deeper levels start again.
bool PermutationGroup::complete() {
  for (size_t number = levels.size(); number > 0;)
    if (verifyLevel(number - 1))
      --number;
    else
      number = levels.size();
  return left > 0 && kept < mostKept;
}

std::optional<PermutationGroup>
PermutationGroup::build(llvm::ArrayRef<std::vector<uint32_t>> generators,
                        int64_t budget) {
  PermutationGroup group;
  group.left = budget;
  group.points = generators.empty() ? 0 : generators.front().size();
  if (group.points > size_t(1) << 16)
    return std::nullopt;
  std::vector<PointMap> moving;
  for (const std::vector<uint32_t> &generator : generators) {
    PointMap element(generator.begin(), generator.end());
    if (!isIdentity(element))
      moving.push_back(std::move(element));
  }
  group.fill(std::move(moving));
  if (!group.complete())
    return std::nullopt;
  return group;
}

} // namespace zenith::search
