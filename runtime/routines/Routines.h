// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines that kernels call for work that is no loop over elements: ordering,
// sets, transforms, factors of matrices. Each reads a struct of
// runtime/RoutineArguments.h and runs tasks begin .. end-1. No routine
// allocates.

#ifndef ZENITH_RUNTIME_ROUTINES_ROUTINES_H
#define ZENITH_RUNTIME_ROUTINES_ROUTINES_H

#include "runtime/RoutineArguments.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZENITH_ROUTINE(name, family)                                           \
  ZENITH_EXPORT void zenith_routine_##name(                                    \
      const zenith_##family##_arguments *arguments, int64_t begin,             \
      int64_t end)

/// Sorts rows by their keys, stably.
ZENITH_ROUTINE(sort, sort);
/// Sorts rows by a comparator, stably.
ZENITH_ROUTINE(sort_with, sort);

/// The first elements of rows in order.
ZENITH_ROUTINE(top_k, top_k);
/// The same for one long row of few different keys, in two steps. Counts the
/// keys of a slot's elements.
ZENITH_ROUTINE(top_k_count, counted_top_k);
/// Writes a slot's elements to their indices in the result.
ZENITH_ROUTINE(top_k_take, counted_top_k);

/// Distinct rows, in steps. A row's key has a word per element, two where it is
/// complex; keys of integers are the rows' bytes unless sorted. Partitions a
/// slot's rows by hash.
ZENITH_ROUTINE(unique_partition, unique);
/// Finds the first rows in a slot's partitions.
ZENITH_ROUTINE(unique_find, unique);
/// Ranks them in order, and writes them unless sorted.
ZENITH_ROUTINE(unique_keep, unique);
/// Sorts and writes them, in one task.
ZENITH_ROUTINE(unique_sort, unique);
/// For each row the rank of the first row that equals it.
ZENITH_ROUTINE(unique_invert, unique);

/// Which rows are in a set, in steps. Clears a table of the rows of the set or
/// of the operand, whichever are fewer, and computes their keys: as in unique,
/// those of integers are the rows' bytes.
ZENITH_ROUTINE(is_in_clear, is_in);
/// Inserts the rows into it.
ZENITH_ROUTINE(is_in_insert, is_in);
/// Where the table is of the operand: marks its rows that the set has.
ZENITH_ROUTINE(is_in_mark, is_in);
/// Looks the operand's rows up.
ZENITH_ROUTINE(is_in, is_in);

/// How many of a slot's rows are chosen.
ZENITH_ROUTINE(compact_count, compact);
/// Copies chosen rows.
ZENITH_ROUTINE(compact, compact);

/// Appends the candidates that a list of distinct rows lacks, in one task.
ZENITH_ROUTINE(append_new, append_new);

/// Different rows among the neighbours of a layer, in four steps. Weights of
/// hashes, in one task.
ZENITH_ROUTINE(count_neighbours_weigh, count_neighbours);
/// Partitions the neighbours of a slot's rows, and its rows of sets, by hash.
ZENITH_ROUTINE(count_neighbours_partition, count_neighbours);
/// Counts what is not the first of equal rows in a finder's partitions.
ZENITH_ROUTINE(count_neighbours_find, count_neighbours);
/// Adds up, in one task.
ZENITH_ROUTINE(count_neighbours_sum, count_neighbours);

/// The factors of matrix hashes, in one task.
ZENITH_ROUTINE(hash_factors, hash);
/// Hashes of a slot's rows.
ZENITH_ROUTINE(hash, hash);

/// New keys among candidates, in four steps. Partitions a slot's candidates and
/// known keys by hash.
ZENITH_ROUTINE(dedup_partition, dedup);
/// Sizes of the partitions, in one task.
ZENITH_ROUTINE(dedup_plan, dedup);
/// Finds the new keys of a slot's partitions.
ZENITH_ROUTINE(dedup_merge, dedup);
/// Copies them to the results.
ZENITH_ROUTINE(dedup_gather, dedup);

/// Positions of the bits that are set.
ZENITH_ROUTINE(bit_positions, bit_positions);

/// Bits at candidates' positions, in four steps. Clears a block of the result.
ZENITH_ROUTINE(bitset_difference_clear, bitset_difference);
/// Sets the bits of a slot's candidates. A producer that reads a chunk gets
/// positions of the source's bits.
ZENITH_ROUTINE(bitset_difference_set, bitset_difference);
/// Counts the bits of a block.
ZENITH_ROUTINE(bitset_difference_count, bitset_difference);
/// Adds the blocks' counts, in one task.
ZENITH_ROUTINE(bitset_difference_sum, bitset_difference);

/// Bits at candidates' positions, and the list of those that were not set, in
/// four steps. Copies a slot's known bits unless both are the same memory.
ZENITH_ROUTINE(test_and_set_copy, test_and_set);
/// Partitions a slot's positions whose bits are not set.
ZENITH_ROUTINE(test_and_set_partition, test_and_set);
/// Sets and lists them, a partition per task.
ZENITH_ROUTINE(test_and_set_set, test_and_set);
/// Writes how many positions there are, in one task.
ZENITH_ROUTINE(test_and_set_end, test_and_set);

/// Rows of bits moved to other rows, in three steps. Counts the bits of a
/// slot's rows and classifies its moves.
ZENITH_ROUTINE(coset_bit_rows_count, coset_bit_rows);
/// Makes a slot's rows.
ZENITH_ROUTINE(coset_bit_rows_move, coset_bit_rows);
/// Sums the slots' counts, in one task.
ZENITH_ROUTINE(coset_bit_rows_sum, coset_bit_rows);

/// The bits of a slot's states among rows of bits.
ZENITH_ROUTINE(coset_bits, coset_bits);

/// Which of a slot's positions have a bit that is set.
ZENITH_ROUTINE(test_bits, test_bits);

/// The different positions of a list, in one task.
ZENITH_ROUTINE(index_bits, index_bits);

/// A number at the places of positions whose bits are set, in three steps.
/// Copies a slot's numbers unless both lists are the same memory.
ZENITH_ROUTINE(note_bits_copy, note_bits);
/// Writes the places of a slot's entries.
ZENITH_ROUTINE(note_bits_find, note_bits);
/// Sums the slots' counts, in one task.
ZENITH_ROUTINE(note_bits_sum, note_bits);

/// Positions of queries in an ascending list.
ZENITH_ROUTINE(searchsorted, searchsorted);

/// Chooses the boxes of one batch and class per task.
ZENITH_ROUTINE(suppress, suppress);
/// Rows (batch, class, box) of all choices, in one task.
ZENITH_ROUTINE(suppress_gather, suppress);

/// Roots of unity for lines of a length, in one task.
ZENITH_ROUTINE(fourier_table, fourier);
/// Transforms a slot's lines.
ZENITH_ROUTINE(fourier, fourier);

/// Triangular factors, one matrix per task.
ZENITH_ROUTINE(cholesky, cholesky);
/// Solves a slot's triangular systems.
ZENITH_ROUTINE(triangular_solve, triangular_solve);

/// A routine of LAPACK, in one task.
ZENITH_ROUTINE(custom_call, custom_call);

#undef ZENITH_ROUTINE

#ifdef __cplusplus
}
#endif

#endif // ZENITH_RUNTIME_ROUTINES_ROUTINES_H
