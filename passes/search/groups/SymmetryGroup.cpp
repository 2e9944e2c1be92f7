// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds all symmetries by trying images of a position and of generators; each
// one says where others go.

#include "passes/search/groups/SymmetryGroup.h"
#include <set>

namespace zenith::search {

namespace {

constexpr int64_t none = -1;

using Permutations = std::vector<std::vector<int64_t>>;

/// One way, from what an image has to where it has it from: position i of an
/// image is position `from`[i], and its generator h undoes what generator
/// `from`[h] did.
class OneToOne {
public:
  explicit OneToOne(size_t size) : from(size, none), taken(size) {}

  int64_t operator[](int64_t i) const { return from[size_t(i)]; }
  bool isTaken(int64_t origin) const { return taken[size_t(origin)]; }
  int64_t size() const { return int64_t(from.size()); }
  /// The first one without an origin; size() where all have one.
  int64_t firstFree() const { return llvm::find(from, none) - from.begin(); }
  const std::vector<int64_t> &all() const { return from; }
  /// Those that have an origin, in the order in which they got it.
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
  GroupSearch(const BfsLoop &growth, const Permutations &generators,
              size_t fixed, size_t most)
      : growth(growth), generators(generators), fixed(fixed), most(most),
        positions(size_t(growth.positions)), images(generators.size()) {
    for (const std::vector<int64_t> &p : generators) {
      int64_t &count = movedBy.emplace_back(0);
      for (int64_t i = 0; i < growth.positions; ++i)
        count += p[size_t(i)] != i;
    }
    for (int64_t i = 0; i < growth.positions; ++i) {
      (isMoved(i) ? moved : still).push_back(i);
      if (isMoved(i) || !startsAgreeAt(i))
        telling.push_back(size_t(i));
    }
    std::map<uint64_t, int64_t> codes;
    for (size_t i : telling)
      codes.try_emplace(growth.starts.front()[i], int64_t(codes.size()));
    values.assign(codes.size(), {});
    valueAt.assign(size_t(growth.positions), none);
    for (size_t i : telling)
      valueAt[i] = codes.find(growth.starts.front()[i])->second;
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
  size_t positionCount() const { return moved.size(); }

  std::vector<GraphSymmetry> found;

private:
  bool isMoved(int64_t position) const {
    return llvm::any_of(generators, [&](const std::vector<int64_t> &p) {
      return p[size_t(position)] != position;
    });
  }
  bool startsAgreeAt(int64_t position) const {
    return llvm::all_of(growth.starts, [&](const BfsLoop::Row &row) {
      return row[size_t(position)] == growth.starts.front()[size_t(position)];
    });
  }
  bool shouldContinue() const { return steps >= 0 && found.size() <= most; }

  /// Position i of an image is from `origin`; false where it already is from
  /// elsewhere, or where the first start's value there has another name.
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

  /// A generator leads from a position to the next, and so does its origin.
  bool follow(int64_t position, int64_t generator) {
    --steps;
    const auto &own = generators[size_t(generator)],
               &origin = generators[size_t(images[generator])];
    return setPosition(own[size_t(position)],
                       origin[size_t(positions[position])]);
  }
  /// What follows from positions that came behind the first `count`.
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
    // Generators say what one start's images are: any one way will do.
    bool isDecided =
        images.firstFree() == images.size() && growth.starts.size() == 1;
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

  /// A generator says more once it moves a position whose origin is known.
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

  /// What takes each generator and start to the same as another symmetry takes
  /// each state to the same.
  void accept() {
    GraphSymmetry symmetry;
    symmetry.positions = positions.all();
    const BfsLoop::Row &first = growth.starts.front();
    for (size_t i : telling)
      symmetry.values[first[size_t(symmetry.positions[i])]] = first[i];
    symmetry.generators.resize(generators.size());
    for (int64_t g = 0; g < images.size(); ++g)
      symmetry.generators[size_t(images[g])] = size_t(g);
    std::vector<size_t> effect = symmetry.generators;
    for (const BfsLoop::Row &row : growth.starts) {
      if (!llvm::all_of(telling, [&](size_t i) {
            return symmetry.values.count(row[i]) != 0;
          }))
        return;
      auto image = llvm::find_if(growth.starts, [&](const auto &other) {
        return llvm::all_of(telling, [&](size_t i) {
          return other[i] == symmetry.valueAt(row, i);
        });
      });
      if (image == growth.starts.end())
        return;
      effect.push_back(size_t(image - growth.starts.begin()));
    }
    isAccepted = true;
    if (effects.insert(std::move(effect)).second)
      found.push_back(std::move(symmetry));
  }

  const BfsLoop &growth;
  const Permutations &generators;
  const size_t fixed, most;
  std::vector<int64_t> movedBy;      ///< positions that a generator moves
  std::vector<int64_t> moved, still; ///< positions
  std::vector<size_t>
      telling; ///< positions that are not the same in all states
  OneToOne positions, images;
  /// What a value of the first start is called in its image.
  struct Name {
    int64_t to = none, uses = 0;
  };
  std::vector<Name> values;
  std::vector<int64_t> valueAt; ///< by position, its number; none: not telling
  std::set<std::vector<size_t>> effects;
  bool isAccepted = false; ///< a symmetry, since a position was tried
  int64_t steps = 1 << 22; ///< some ten milliseconds
};

} // namespace

std::vector<GraphSymmetry> findSymmetryGroup(const BfsLoop &growth,
                                             const Permutations &permutations,
                                             size_t most) {
  for (size_t fixed = 0;; ++fixed) {
    GroupSearch search(growth, permutations, fixed, most);
    bool isAll = search.run();
    if (search.isTooLong() || permutations.empty())
      return {};
    if (isAll || fixed >= search.positionCount())
      return std::move(search.found);
  }
}

} // namespace zenith::search
