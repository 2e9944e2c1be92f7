// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// append_new: an open-addressing table of positions that outlives the step that
// made it, so that a step looks at its own rows only; a list alone where rows
// are not compared.

#include "runtime/routines/Routines.h"
#include "runtime/routines/RowKeys.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>
#include <cstring>

using namespace zenith::runtime;

namespace {

/// Rows of several parts, of which the first ones tell them apart.
struct PartRows {
  int64_t parts, compared;
  const int64_t *bytes; ///< of a row, by part
  void *const *data;

  char *at(int64_t part, int64_t row) const {
    return static_cast<char *>(data[part]) + row * bytes[part];
  }
  uint64_t hash(int64_t row) const {
    constexpr uint64_t odd = 0x9e3779b97f4a7c15;
    uint64_t value = hashOf(at(0, row), bytes[0]);
    for (int64_t part = 1; part < compared; ++part)
      value = mixed(value ^ odd, hashOf(at(part, row), bytes[part]) ^ odd);
    return value;
  }
  bool isSame(int64_t row, const PartRows &others, int64_t other) const {
    for (int64_t part = 0; part < compared; ++part)
      if (!sameBytes(at(part, row), others.at(part, other), bytes[part]))
        return false;
    return true;
  }
  /// Copies `count` rows of a list that is another one to row `at` on.
  void take(int64_t at, const PartRows &others, int64_t count) const {
    for (int64_t part = 0; part < parts; ++part)
      if (data[part] != others.data[part])
        std::memcpy(this->at(part, at), others.at(part, 0),
                    size_t(count * bytes[part]));
  }
};

/// The index of a list: a cell is 0, or the position of a row + 1 in the low
/// bits and a part of its hash above, so that rows are compared only where they
/// are nearly always equal.
class RowIndex {
public:
  RowIndex(uint64_t *cells, int64_t size) : cells(cells), size(size) {}

  /// Describes the first `count` rows of a list, which are distinct and fewer
  /// than the cells.
  void rebuild(const PartRows &list, int64_t count) {
    std::fill_n(cells, size, 0);
    forEachHash(list, count, [&](int64_t row, uint64_t hash) {
      int64_t at = home(hash);
      while (cells[at] != 0)
        at = next(at);
      cells[at] = cellOf(hash, row);
      return true;
    });
  }

  /// Appends the candidates that the list lacks while there is room for them;
  /// gives how many rows the list then has.
  int64_t append(const PartRows &list, int64_t count, int64_t room,
                 const PartRows &candidates, int64_t rows) {
    forEachHash(candidates, rows, [&](int64_t row, uint64_t hash) {
      int64_t at = home(hash);
      // An index that no run has made may lack a free cell.
      for (int64_t left = size; cells[at] != 0; at = next(at)) {
        int64_t held = positionOf(cells[at]);
        bool mayBeSame = (cells[at] ^ cellOf(hash, 0)) >> positionBits == 0 &&
                         held >= 0 && held < count;
        if (mayBeSame && candidates.isSame(row, list, held))
          return true;
        if (--left == 0)
          return false;
      }
      if (count >= room)
        return false;
      for (int64_t part = 0; part < list.parts; ++part)
        copyRow(list.at(part, count), candidates.at(part, row),
                list.bytes[part]);
      cells[at] = cellOf(hash, count++);
      return true;
    });
    return count;
  }

private:
  static constexpr int positionBits = 40;

  static uint64_t cellOf(uint64_t hash, int64_t row) {
    return hash << positionBits | uint64_t(row + 1);
  }
  static int64_t positionOf(uint64_t cell) {
    return int64_t(cell & ((uint64_t(1) << positionBits) - 1)) - 1;
  }
  int64_t home(uint64_t hash) const {
    return int64_t((unsigned __int128)(hash)*uint64_t(size) >> 64);
  }
  int64_t next(int64_t at) const { return at + 1 == size ? 0 : at + 1; }

  /// Calls visit(row, hash) until it gives false. Hashes go some rows ahead,
  /// and their cells on the way to the cache.
  template <typename Visit>
  void forEachHash(const PartRows &from, int64_t count, Visit visit) const {
    constexpr int64_t ahead = 16;
    uint64_t hashes[ahead];
    for (int64_t start = 0; start < count; start += ahead) {
      int64_t here = std::min(ahead, count - start);
      for (int64_t i = 0; i < here; ++i) {
        hashes[i] = from.hash(start + i);
        __builtin_prefetch(cells + home(hashes[i]));
      }
      for (int64_t i = 0; i < here; ++i)
        if (!visit(start + i, hashes[i]))
          return;
    }
  }

  uint64_t *cells;
  int64_t size;
};

} // namespace

void zenith_routine_append_new(const zenith_append_new_arguments *arguments,
                               int64_t begin, int64_t end) {
  const zenith_append_new_arguments &given = checked(arguments);
  if (begin == end)
    return;
  const auto rowsAt = [&](void *const *data) {
    return PartRows{given.parts, given.compared, given.row_bytes, data};
  };
  const PartRows known = rowsAt(given.known), list = rowsAt(given.list),
                 candidates = rowsAt(given.candidates);
  const bool isIndexed = given.compared > 0;
  // A cell stays free, at which a search for a row ends.
  const int64_t room = std::max<int64_t>(
                    0, isIndexed ? std::min(given.rows, given.cells - 1)
                                 : given.rows),
                count = std::min({std::max<int64_t>(given.count, 0),
                                  given.known_rows, room});
  list.take(0, known, count);
  int64_t total = count;
  if (!isIndexed) {
    const int64_t more = std::min(given.candidate_rows, room - count);
    list.take(count, candidates, more);
    total += more;
  } else if (given.cells > 0) {
    RowIndex index(given.new_index, given.cells);
    bool isMoved =
        given.new_index != given.index && given.cells == given.old_cells;
    if (count == 0 || given.cells != given.old_cells)
      index.rebuild(list, count);
    else if (isMoved)
      std::memcpy(given.new_index, given.index,
                  size_t(given.cells) * sizeof(uint64_t));
    total = index.append(list, count, room, candidates, given.candidate_rows);
  }
  if (given.total)
    *given.total = total;
}
