// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds all symmetries by backtracking over the images of positions and
// generators. Each image that is chosen determines others.

#include "passes/search/groups/SymmetryGroup.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace zenith::search {

namespace {

constexpr int64_t none = -1;

/// A partial bijection, by the preimage of each entry: position i of an image
/// is position `from`[i] of the state, and generator h of an image is the image
/// of generator `from`[h].
class PartialBijection {
public:
  explicit PartialBijection(size_t size) : from(size, none), taken(size) {}

  int64_t operator[](int64_t i) const { return from[size_t(i)]; }
  bool isTaken(int64_t origin) const { return taken[size_t(origin)]; }
  int64_t size() const { return int64_t(from.size()); }
  /// The first entry without a preimage; size() where all have one.
  int64_t firstFree() const { return llvm::find(from, none) - from.begin(); }
  const std::vector<int64_t> &all() const { return from; }
  /// Entries with a preimage, in the order in which they got it.
  llvm::ArrayRef<int64_t> set() const { return order; }

  void add(int64_t i, int64_t origin) {
    from[size_t(i)] = origin;
    taken[size_t(origin)] = true;
    order.push_back(i);
  }
  void goBackTo(size_t count) {
    for (; order.size() > count; order.pop_back()) {
      taken[size_t(from[size_t(order.back())])] = false;
      from[size_t(order.back())] = none;
    }
  }

private:
  std::vector<int64_t> from;
  std::vector<bool> taken;
  std::vector<int64_t> order;
};

class GroupSearch {
public:
  GroupSearch(const std::vector<StateRow> &starts,
              const Permutations &generators, size_t fixed, size_t most)
      : starts(starts), generators(generators), fixed(fixed), most(most),
        positions(starts.front().size()), images(generators.size()) {
    const int64_t positionCount = positions.size();
    for (const std::vector<int64_t> &p : generators) {
      int64_t &count = movedBy.emplace_back(0);
      for (int64_t i = 0; i < positionCount; ++i)
        count += p[size_t(i)] != i;
    }
    for (int64_t i = 0; i < positionCount; ++i) {
      (isMoved(i) ? moved : still).push_back(i);
      if (isMoved(i) || !startsAgreeAt(i))
        telling.push_back(size_t(i));
    }
    std::map<uint64_t, int64_t> codes;
    for (size_t i : telling)
      codes.try_emplace(starts.front()[i], int64_t(codes.size()));
    values.assign(codes.size(), {});
    valueAt.assign(size_t(positionCount), none);
    for (size_t i : telling)
      valueAt[i] = codes.find(starts.front()[i])->second;
  }

  /// False where there are more than `most`.
  bool run() {
    for (int64_t position : still)
      setPosition(position, position);
    for (size_t i = 0; i < std::min(fixed, moved.size()); ++i)
      setPosition(moved[i], moved[i]);
    extend();
    return found.size() <= most;
  }
  bool isTooLong() const { return steps < 0; }
  size_t movedCount() const { return moved.size(); }

  std::vector<GraphSymmetry> found;

private:
  bool isMoved(int64_t position) const {
    return llvm::any_of(generators, [&](const std::vector<int64_t> &p) {
      return p[size_t(position)] != position;
    });
  }
  bool startsAgreeAt(int64_t position) const {
    return llvm::all_of(starts, [&](const StateRow &row) {
      return row[size_t(position)] == starts.front()[size_t(position)];
    });
  }
  bool shouldContinue() const { return steps >= 0 && found.size() <= most; }

  /// Position i of an image is position `origin` of the state; false where it
  /// is another one already, or where the first start's value there has another
  /// name.
  bool setPosition(int64_t i, int64_t origin) {
    if (positions[i] != none)
      return positions[i] == origin;
    if (positions.isTaken(origin) || !nameValue(i, origin))
      return false;
    positions.add(i, origin);
    return true;
  }
  bool nameValue(int64_t i, int64_t origin) {
    int64_t from = valueAt[size_t(origin)], to = valueAt[size_t(i)];
    if (from == none || to == none)
      return from == to;
    Name &name = values[size_t(from)];
    if (name.uses > 0 && name.to != to)
      return false;
    name.to = to;
    ++name.uses;
    return true;
  }
  void goBackTo(size_t count) {
    for (int64_t i : positions.set().drop_front(count))
      if (int64_t from = valueAt[size_t(positions[i])]; from != none)
        --values[size_t(from)].uses;
    positions.goBackTo(count);
  }

  /// A generator takes a position to the next; its preimage takes the preimage
  /// of the one to that of the other.
  bool follow(int64_t position, int64_t generator) {
    --steps;
    const auto &own = generators[size_t(generator)],
               &origin = generators[size_t(images[generator])];
    return setPosition(own[size_t(position)],
                       origin[size_t(positions[position])]);
  }
  /// Propagates the positions that were set after the first `count`.
  bool followPositions(size_t count) {
    for (; count < positions.set().size(); ++count)
      for (int64_t generator : images.set())
        if (!follow(positions.set()[count], generator))
          return false;
    return true;
  }
  bool followGenerator(int64_t generator) {
    size_t count = positions.set().size();
    for (size_t i = 0; i < count; ++i)
      if (!follow(positions.set()[i], generator))
        return false;
    return followPositions(count);
  }

  void tryPosition(int64_t position) {
    // With one start, the images of all generators determine the symmetry's
    // effect: any one choice will do.
    bool isDecided = images.firstFree() == images.size() && starts.size() == 1;
    isAccepted = false;
    for (int64_t origin : moved) {
      size_t before = positions.set().size();
      if (setPosition(position, origin) && followPositions(before))
        extend();
      goBackTo(before);
      if (!shouldContinue() || (isDecided && isAccepted))
        return;
    }
  }

  void tryGenerator(int64_t generator) {
    for (int64_t origin = 0; origin < images.size(); ++origin) {
      if (images.isTaken(origin) ||
          movedBy[size_t(origin)] != movedBy[size_t(generator)])
        continue;
      size_t before = positions.set().size(),
             imagesBefore = images.set().size();
      images.add(generator, origin);
      if (followGenerator(generator))
        extend();
      goBackTo(before);
      images.goBackTo(imagesBefore);
      if (!shouldContinue())
        return;
    }
  }

  /// A generator that moves a position with a known preimage determines more
  /// than others.
  int64_t nextGenerator() const {
    for (int64_t g = 0; g < images.size(); ++g)
      if (images[g] == none &&
          llvm::any_of(positions.set(), [&](int64_t position) {
            return generators[size_t(g)][size_t(position)] != position;
          }))
        return g;
    return none;
  }

  void extend() {
    if (int64_t generator = nextGenerator(); generator != none)
      return tryGenerator(generator);
    if (int64_t position = positions.firstFree(); position < positions.size())
      return tryPosition(position);
    if (int64_t rest = images.firstFree(); rest < images.size())
      return tryGenerator(rest);
    accept();
  }

  /// Two symmetries with the same images of all generators and starts have the
  /// same effect on every state; one of them is kept.
  void accept() {
    GraphSymmetry symmetry;
    symmetry.positions = positions.all();
    const StateRow &first = starts.front();
    for (size_t i : telling)
      symmetry.values[first[size_t(symmetry.positions[i])]] = first[i];
    symmetry.generators.resize(generators.size());
    for (int64_t g = 0; g < images.size(); ++g)
      symmetry.generators[size_t(images[g])] = size_t(g);
    std::vector<size_t> effect = symmetry.generators;
    for (const StateRow &row : starts) {
      if (!llvm::all_of(telling, [&](size_t i) {
            return symmetry.values.count(row[i]) != 0;
          }))
        return;
      auto image = llvm::find_if(starts, [&](const auto &other) {
        return llvm::all_of(telling, [&](size_t i) {
          return other[i] == symmetry.valueAt(row, i);
        });
      });
      if (image == starts.end())
        return;
      effect.push_back(size_t(image - starts.begin()));
    }
    isAccepted = true;
    if (effects.insert(std::move(effect)).second)
      found.push_back(std::move(symmetry));
  }

  const std::vector<StateRow> &starts;
  const Permutations &generators;
  const size_t fixed, most;
  std::vector<int64_t> movedBy;      ///< positions that a generator moves
  std::vector<int64_t> moved, still; ///< positions
  std::vector<size_t>
      telling; ///< positions that are not the same in all states
  PartialBijection positions, images;
  /// The value that a value of the first start becomes in its image.
  struct Name {
    int64_t to = none, uses = 0;
  };
  std::vector<Name> values;
  std::vector<int64_t>
      valueAt; ///< index of the value by position; none: not telling
  std::set<std::vector<size_t>> effects;
  bool isAccepted = false; ///< a symmetry, since a position was tried
  int64_t steps = 1 << 22; ///< limit of the search
};

} // namespace

std::vector<GraphSymmetry>
findSymmetryGroup(const std::vector<StateRow> &starts,
                  const Permutations &generators, size_t most) {
  for (size_t fixed = 0;; ++fixed) {
    GroupSearch search(starts, generators, fixed, most);
    bool isAll = search.run();
    if (search.isTooLong() || generators.empty())
      return {};
    if (isAll || fixed >= search.movedCount())
      return std::move(search.found);
  }
}

} // namespace zenith::search
