// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a stabiliser chain into rows and columns, and lists what generators do
// to them.

#include "passes/search/groups/CosetRows.h"
#include "llvm/ADT/StringMap.h"

namespace zenith::search {

/// Rows of this many columns keep what one generator does to a row in the first
/// cache; fewer cost more per row, and there are more rows.
static constexpr int64_t goodColumns = 2048, mostColumns = 32768;
/// Of all moves: they stay in the second cache.
static constexpr int64_t mostColumnEntries = 1 << 20;
/// Tables are part of the program.
static constexpr int64_t mostSources = 1 << 24;

/// The number of an element by the places that its images have in the orbits
/// of the levels' points; images are taken back level by level.
uint32_t CosetRows::numberOf(const Levels &levels,
                             std::vector<uint16_t> &images) {
  size_t number = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    const StabiliserChain::Level &level = *levels[i];
    size_t place = size_t(level.places[images[i]]);
    number = number * level.orbit.size() + place;
    const PointMap &back = level.waysBack[place];
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
    longer.reserve(result.size() * level->ways.size());
    for (const PointMap &product : result)
      for (const PointMap &way : level->ways)
        longer.push_back(compose(product, way));
    result = std::move(longer);
  }
  return result;
}

/// Of each coset the element that takes the columns' points to the least ones.
void CosetRows::listRepresentatives() {
  representatives = products(rowLevels, chain.levels().front().ways.front());
  for (PointMap &map : representatives)
    for (const StabiliserChain::Level *level : columnLevels) {
      size_t least = 0;
      for (size_t place = 1; place < level->orbit.size(); ++place)
        if (map[level->orbit[place]] < map[level->orbit[least]])
          least = place;
      if (least > 0)
        map = compose(map, level->ways[least]);
    }
}

/// The rows that products of ways from a level on lie in behind `map`, in the
/// order of products(); `row` is what levels before have told of them.
static void
forEachRowBehind(const PointMap &map,
                 llvm::ArrayRef<const StabiliserChain::Level *> levels,
                 uint32_t row, llvm::function_ref<void(uint32_t)> body) {
  if (levels.empty())
    return body(row);
  const StabiliserChain::Level &level = *levels.front();
  for (const PointMap &way : level.ways) {
    size_t place = size_t(level.places[map[way[level.point]]]);
    uint32_t next = row * uint32_t(level.orbit.size()) + uint32_t(place);
    if (levels.size() == 1)
      body(next);
    else
      forEachRowBehind(compose(level.waysBack[place], compose(map, way)),
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
    forEachRowBehind(generator, rowLevels, 0, [&](uint32_t source) {
      sourceRows[at] = source;
      at += generators.size();
    });
  }
  // Few elements move columns, and what they do to the levels' points tells
  // them apart.
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
  // Known, current and next states and a first layer.
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
  // From the first split with enough columns to ones with fewer.
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
    rows.elements =
        products(rows.columnLevels, rows.chain.levels().front().ways.front());
    rows.fillColumns();
    return rows;
  }
  why = "no coset has few enough rows and columns";
  return std::nullopt;
}

} // namespace zenith::search
