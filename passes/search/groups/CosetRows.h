// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of a search as rows of bits: one row per coset of a stabiliser,
// one column per element of the stabiliser, so that a generator takes rows to
// rows.

#ifndef ZENITH_PASSES_SEARCH_GROUPS_COSETROWS_H
#define ZENITH_PASSES_SEARCH_GROUPS_COSETROWS_H

#include "passes/search/groups/StabiliserChain.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>
#include <string>

namespace zenith::search {

/// A state that permutations of a group G reach from the first state is
/// determined by the map t of G that takes the positions of the first state's
/// elements to their present ones. A generator p (new[i] = old[p[i]]) makes it
/// p^-1 t. With H the pointwise stabiliser of the first few positions, t lies
/// in one coset r H, which is its row; r^-1 t, an element of H, is its column.
/// p^-1 takes row r' to row r, and columns along r^-1 p^-1 r', an element of H
/// again: a move. With the least representative of each coset there are few
/// moves.
class CosetRows {
public:
  /// Nothing, and the reason in `why`, where bits and tables would take more
  /// than `bytes`.
  static std::optional<CosetRows>
  build(const std::vector<std::vector<int64_t>> &generators, double bytes,
        std::string &why);

  int64_t rows() const { return rowCount; }
  int64_t columns() const { return columnCount; }
  int64_t words() const { return (columnCount + 63) / 64; } ///< of a row
  int64_t moves() const { return int64_t(moveElements.size()); }

  /// By row and generator: the source row, and the move of its columns.
  const std::vector<uint32_t> &sources() const { return sourceRows; }
  const std::vector<uint16_t> &sourceMoves() const { return moveNumbers; }
  /// By move and column: the column it goes to.
  const std::vector<uint16_t> &moveColumns() const { return columnMaps; }

  /// The bit of a map of the group among all rows; nothing for other maps.
  std::optional<uint64_t> bitOf(const PointMap &map) const;

  const StabiliserChain &group() const { return chain; }
  /// The levels whose orbit indices are the digits of a row's number, and of a
  /// column's.
  llvm::ArrayRef<const StabiliserChain::Level *> levelsOfRows() const {
    return rowLevels;
  }
  llvm::ArrayRef<const StabiliserChain::Level *> levelsOfColumns() const {
    return columnLevels;
  }
  /// The least element of each coset, by row.
  llvm::ArrayRef<PointMap> rowRepresentatives() const {
    return representatives;
  }

private:
  explicit CosetRows(StabiliserChain group) : chain(std::move(group)) {}
  bool splitAt(size_t rowLevelCount);
  void listRepresentatives();
  bool fillSources(const std::vector<PointMap> &generators);
  void fillColumns();

  using Levels = std::vector<const StabiliserChain::Level *>;
  static uint32_t numberOf(const Levels &levels, std::vector<uint16_t> &images);

  StabiliserChain chain;
  Levels levels; ///< with more than one point
  Levels rowLevels, columnLevels;
  int64_t rowCount = 1, columnCount = 1;
  std::vector<PointMap> elements;        ///< of H, by column
  std::vector<PointMap> representatives; ///< by row
  std::vector<uint32_t> moveElements;    ///< their columns
  std::vector<uint32_t> sourceRows;
  std::vector<uint16_t> moveNumbers, columnMaps;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROUPS_COSETROWS_H
