// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes of the neighbours of rows, from sums of products with elements, so
// that no neighbour is made: the element of a row counts for a neighbour with
// the weights of the positions that it moves to.

#ifndef ZENITH_RUNTIME_ROUTINES_NEIGHBOURS_NEIGHBOURHASHES_H
#define ZENITH_RUNTIME_ROUTINES_NEIGHBOURS_NEIGHBOURHASHES_H

#include <cstdint>

namespace zenith::runtime {

/// What moves rows: position p of neighbour g has the element at `sources`[g *
/// columns + p], or the last one; null: the only neighbour is the row itself.
struct RowMoves {
  const uint32_t *sources;
  int64_t count, columns, elementBytes;

  int64_t sourceOf(int64_t move, int64_t position) const {
    if (!sources)
      return position;
    auto source = int64_t(sources[move * columns + position]);
    return source < columns ? source : columns - 1;
  }
};

class MoveTables;

/// A neighbour of a row.
struct MovedRow {
  const char *row;
  const MoveTables *tables;
  int64_t move;
};

/// Tables for some moves, in memory of the caller. Two tables of one machine,
/// for the same columns and element bytes, give equal rows equal hashes if both
/// use sums of bytes or neither does.
class MoveTables {
public:
  /// Neighbours whose hashes are computed together.
  static constexpr int64_t lanes = 8;
  /// Columns of rows that fit one vector.
  static constexpr int64_t vectorBytes = 64;

  /// The memory has CountNeighboursSizes::tableBytes() bytes.
  MoveTables(const RowMoves &moves, void *memory);

  /// Whether bytes are summed by vectors: of permutations, where the processor
  /// can.
  static bool canSumBytes(const RowMoves &moves);
  void fill(bool sumsBytes) const;

  /// The hashes of the neighbours of some rows, row by row.
  void hash(const void *rows, int64_t count, bool sumsBytes,
            uint32_t *to) const;
  /// Bit i: whether rows 2 * i and 2 * i + 1, of one length, are equal as
  /// moved; of 64 pairs at most.
  static uint64_t whichAreEqual(const MovedRow *rows, int64_t pairs,
                                bool sumsBytes);

  const RowMoves moves;

private:
  static constexpr int64_t sums = 2;
  static constexpr int64_t mostColumns = 1024; ///< whose bytes are summed
  int64_t groups() const { return (moves.columns + 3) / 4; }
  int64_t blocks() const { return (moves.count + lanes - 1) / lanes; }
  static bool areEqual(const MovedRow &x, const MovedRow &y);
  static uint64_t whichVectorsAreEqual(const MovedRow *rows, int64_t pairs);

  uint8_t *places;   ///< by move, for rows of one vector
  uint8_t *weights;  ///< by block, group of four columns, sum and lane
  uint32_t *factors; ///< by move and column: weights of elements
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_NEIGHBOURS_NEIGHBOURHASHES_H
