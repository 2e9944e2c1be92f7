// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a stabiliser chain into rows (cosets) and columns (elements of the
// stabiliser), and tabulates the action of the generators on both.

#include "passes/search/groups/CosetRows.h"
#include "llvm/ADT/StringMap.h"

namespace zenith::search {

/// With this many columns the action of one generator on a row stays in the
/// first-level cache; with fewer there are more rows, and each costs more.
static constexpr int64_t goodColumns = 2048, mostColumns = 32768;
/// Of all moves: they stay in the second-level cache.
static constexpr int64_t mostColumnEntries = 1 << 20;
/// The tables are constants of the program.
static constexpr int64_t mostSources = 1 << 24;

/// The rank of an element: a mixed-radix number of the orbit indices of its
/// base images, which are divided by the transversal level by level.
uint32_t CosetRows::numberOf(const Levels &levels,
                             std::vector<uint16_t> &images) {
  size_t number = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    const StabiliserChain::Level &level = *levels[i];
    size_t index = size_t(level.orbitIndices[images[i]]);
    number = number * level.orbit.size() + index;
    const PointMap &back = level.inverseTransversal[index];
    for (size_t j = i + 1; j < levels.size(); ++j)
      images[j] = back[images[j]];
  }
  return uint32_t(number);
}

bool CosetRows::splitAt(size_t rowLevelCount) {
  rowLevels.assign(levels.begin(), levels.begin() + ptrdiff_t(rowLevelCount));
  columnLevels.assign(levels.begin() + ptrdiff_t(rowLevelCount), levels.end());
  rowCount = columnCount = 1;
  for (const StabiliserChain::Level *level : rowLevels)
    rowCount *= int64_t(level->orbit.size());
  for (const StabiliserChain::Level *level : columnLevels)
    columnCount *= int64_t(level->orbit.size());
  return columnCount <= mostColumns;
}

/// Products of the representatives of levels, the first one's outermost.
static std::vector<PointMap>
products(const std::vector<const StabiliserChain::Level *> &levels,
         const PointMap &identity) {
  std::vector<PointMap> result{identity};
  for (const StabiliserChain::Level *level : levels) {
    std::vector<PointMap> longer;
    longer.reserve(result.size() * level->transversal.size());
    for (const PointMap &product : result)
      for (const PointMap &representative : level->transversal)
        longer.push_back(compose(product, representative));
    result = std::move(longer);
  }
  return result;
}

/// The canonical representative of each coset: the element that takes the base
/// points of the columns to the least points.
void CosetRows::listRepresentatives() {
  representatives =
      products(rowLevels, chain.levels().front().transversal.front());
  for (PointMap &map : representatives)
    for (const StabiliserChain::Level *level : columnLevels) {
      size_t least = 0;
      for (size_t i = 1; i < level->orbit.size(); ++i)
        if (map[level->orbit[i]] < map[level->orbit[least]])
          least = i;
      if (least > 0)
        map = compose(map, level->transversal[least]);
    }
}

/// Calls `body` with the row of map * x for each product x of representatives
/// of the levels, in the order of products(); `row` is the rank by the levels
/// before.
static void
forEachRowOfImages(const PointMap &map,
                   llvm::ArrayRef<const StabiliserChain::Level *> levels,
                   uint32_t row, llvm::function_ref<void(uint32_t)> body) {
  if (levels.empty())
    return body(row);
  const StabiliserChain::Level &level = *levels.front();
  for (const PointMap &representative : level.transversal) {
    PointMap image = compose(map, representative);
    size_t index = size_t(level.orbitIndices[image[level.point]]);
    uint32_t next = row * uint32_t(level.orbit.size()) + uint32_t(index);
    if (levels.size() == 1)
      body(next);
    else
      forEachRowOfImages(compose(level.inverseTransversal[index], image),
                         levels.drop_front(), next, body);
  }
}

/// False where there are too many moves.
bool CosetRows::fillSources(const std::vector<PointMap> &generators) {
  sourceRows.assign(representatives.size() * generators.size(), 0);
  moveNumbers.clear();
  moveElements.clear();
  std::vector<PointMap> back;
  for (auto [g, generator] : llvm::enumerate(generators)) {
    back.push_back(inverse(generator));
    size_t at = g;
    forEachRowOfImages(generator, rowLevels, 0, [&](uint32_t source) {
      sourceRows[at] = source;
      at += generators.size();
    });
  }
  // Few elements act on columns, and their base images identify them.
  llvm::StringMap<uint16_t> moves;
  std::vector<uint16_t> images;
  size_t at = 0;
  for (const PointMap &representative : representatives) {
    PointMap toColumns = inverse(representative);
    for (const PointMap &generator : back) {
      const PointMap &source = representatives[sourceRows[at++]];
      images.clear();
      for (const StabiliserChain::Level *level : columnLevels)
        images.push_back(toColumns[generator[source[level->point]]]);
      auto [move, isNew] = moves.try_emplace(
          llvm::StringRef(reinterpret_cast<const char *>(images.data()),
                          images.size() * sizeof(uint16_t)),
          uint16_t(moveElements.size()));
      if (isNew) {
        moveElements.push_back(numberOf(columnLevels, images));
        if (int64_t(moveElements.size()) * columnCount > mostColumnEntries)
          return false;
      }
      moveNumbers.push_back(move->second);
    }
  }
  return true;
}

void CosetRows::fillColumns() {
  std::vector<uint16_t> images;
  for (uint32_t move : moveElements)
    for (const PointMap &element : elements) {
      images.clear();
      for (const StabiliserChain::Level *level : columnLevels)
        images.push_back(elements[move][element[level->point]]);
      columnMaps.push_back(uint16_t(numberOf(columnLevels, images)));
    }
}

std::optional<uint64_t> CosetRows::bitOf(const PointMap &map) const {
  if (!chain.contains(map))
    return std::nullopt;
  std::vector<uint16_t> images;
  for (const StabiliserChain::Level *level : rowLevels)
    images.push_back(map[level->point]);
  uint32_t row = numberOf(rowLevels, images);
  PointMap element = compose(inverse(representatives[row]), map);
  images.clear();
  for (const StabiliserChain::Level *level : columnLevels)
    images.push_back(element[level->point]);
  return uint64_t(row) * uint64_t(words()) * 64 +
         numberOf(columnLevels, images);
}

std::optional<CosetRows>
CosetRows::build(const std::vector<std::vector<int64_t>> &generators,
                 double bytes, std::string &why) {
  // Known, current and next states, and the first layer.
  constexpr double sets = 4;
  StabiliserChain group(generators, bytes * 8 / sets);
  if (group.isTooLarge()) {
    why = "bits of the group's elements take more than " +
          std::to_string(int64_t(bytes)) + " bytes";
    return std::nullopt;
  }
  CosetRows rows(std::move(group));
  for (const StabiliserChain::Level &level : rows.chain.levels())
    if (level.orbit.size() > 1)
      rows.levels.push_back(&level);
  std::vector<PointMap> maps;
  for (const std::vector<int64_t> &generator : generators)
    maps.emplace_back(generator.begin(), generator.end());
  // From the first split with enough columns on to splits with fewer.
  size_t split = rows.levels.size();
  while (split > 0 && (rows.splitAt(split), rows.columnCount < goodColumns))
    --split;
  for (; split <= rows.levels.size(); ++split) {
    if (!rows.splitAt(split))
      continue;
    double words = double(rows.rowCount) * double(rows.words());
    if (words * 8 * sets > bytes ||
        double(rows.rowCount) * double(maps.size()) > double(mostSources))
      break;
    rows.listRepresentatives();
    if (!rows.fillSources(maps))
      continue;
    rows.elements = products(rows.columnLevels,
                             rows.chain.levels().front().transversal.front());
    rows.fillColumns();
    return rows;
  }
  why = "no coset has few enough rows and columns";
  return std::nullopt;
}

} // namespace zenith::search
