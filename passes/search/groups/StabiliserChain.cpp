// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schreier-Sims: each level has the orbit of its base point under the
// generators that fix all base points before it.

#include "passes/search/groups/StabiliserChain.h"

namespace zenith::search {

PointMap compose(const PointMap &x, const PointMap &y) {
  PointMap result(y.size());
  for (size_t i = 0; i < y.size(); ++i)
    result[i] = x[y[i]];
  return result;
}

PointMap inverse(const PointMap &x) {
  PointMap result(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    result[x[i]] = uint16_t(i);
  return result;
}

static PointMap identity(size_t points) {
  PointMap map(points);
  for (size_t i = 0; i < points; ++i)
    map[i] = uint16_t(i);
  return map;
}

StabiliserChain::StabiliserChain(
    const std::vector<std::vector<int64_t>> &generators, double mostElements)
    : chain(generators.empty() ? 0 : generators.front().size()),
      most(mostElements) {
  size_t points = chain.size();
  for (size_t i = 0; i < points; ++i) {
    chain[i].point = unsigned(i);
    chain[i].orbitIndices.assign(points, -1);
    chain[i].orbitIndices[i] = 0;
    chain[i].orbit.push_back(uint16_t(i));
    chain[i].transversal.push_back(identity(points));
    chain[i].inverseTransversal.push_back(identity(points));
  }
  for (const std::vector<int64_t> &generator : generators)
    add(0, PointMap(generator.begin(), generator.end()));
}

double StabiliserChain::order() const {
  double product = 1;
  for (const Level &level : chain)
    product *= double(level.orbit.size());
  return product;
}

PointMap StabiliserChain::sift(PointMap element,
                               std::vector<int32_t> *orbitIndices) const {
  for (const Level &level : chain) {
    int32_t index = level.orbitIndices[element[level.point]];
    if (index < 0)
      return element;
    if (orbitIndices)
      orbitIndices->push_back(index);
    if (index > 0)
      element = compose(level.inverseTransversal[size_t(index)], element);
  }
  return element;
}

bool StabiliserChain::contains(const PointMap &element) const {
  return element.size() == chain.size() &&
         sift(element) == identity(chain.size());
}

/// Adds an element that fixes the base points of all levels before.
void StabiliserChain::add(size_t level, const PointMap &element) {
  if (tooLarge || contains(element))
    return;
  chain[level].generators.push_back(element);
  grow(level);
}

/// Extends the orbit and its transversal, then adds every Schreier generator to
/// the next level.
void StabiliserChain::grow(size_t number) {
  Level &level = chain[number];
  for (size_t at = 0; at < level.orbit.size(); ++at)
    for (const PointMap &generator : level.generators) {
      uint16_t image = generator[level.orbit[at]];
      if (level.orbitIndices[image] >= 0)
        continue;
      level.orbitIndices[image] = int32_t(level.orbit.size());
      level.transversal.push_back(compose(generator, level.transversal[at]));
      level.inverseTransversal.push_back(inverse(level.transversal.back()));
      level.orbit.push_back(image);
    }
  tooLarge |= order() > most;
  for (size_t at = 0; at < level.orbit.size(); ++at)
    for (size_t g = 0; g < level.generators.size() && !tooLarge; ++g) {
      const PointMap &generator = level.generators[g];
      PointMap there = compose(generator, level.transversal[at]);
      size_t index = size_t(level.orbitIndices[there[level.point]]);
      add(number + 1, compose(level.inverseTransversal[index], there));
    }
}

} // namespace zenith::search
