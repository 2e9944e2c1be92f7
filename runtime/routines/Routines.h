// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines that kernels call for work that is no loop over elements: ordering,
// sets, transforms, factors of matrices. All have the form of a zenith_task_fn
// and read their pointers and numbers in the order given here; "slots" is the
// number of tasks among which rows are dealt, each with its part of a scratch
// buffer. A result that nobody reads is a null pointer. No routine allocates.

#ifndef ZENITH_RUNTIME_ROUTINES_ROUTINES_H
#define ZENITH_RUNTIME_ROUTINES_ROUTINES_H

#include "runtime/ABI.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ZENITH_ROUTINE(name)                                                   \
  ZENITH_EXPORT void zenith_routine_##name(void *const *pointers,              \
                                           const int64_t *numbers,             \
                                           int64_t begin, int64_t end)

/// Sorts rows, stably. Pointers: scratch (slots * length * 48 bytes), inputs,
/// results. Numbers: rows, length, distance between elements of a row, slots,
/// inputs, keys, descending, dtype of each input.
ZENITH_ROUTINE(sort);

/// Sorts rows by a comparator, stably. Pointers: the comparator (a
/// zenith_task_fn whose begin and end are positions of left and right), scratch
/// (slots * length * 16 bytes), inputs, results, the comparator's pointers.
/// Numbers: rows, length, distance, slots, inputs, dtype of each input, number
/// of the comparator's pointers, which of them is the byte for its answer, the
/// comparator's sizes.
ZENITH_ROUTINE(sort_with);

/// The first elements of rows in order. Pointers: scratch (slots * length * 16
/// bytes), operand, values, indices. Numbers: rows, length, distance, slots, k,
/// smallest, dtype.
ZENITH_ROUTINE(top_k);

/// The same for one row of elements side by side whose keys have at most 16
/// bits, in two steps. Both begin with the numbers length, k, smallest, dtype,
/// slots, and the pointers scratch (slots * 2^bits * 16 bytes), operand.
/// Counts the keys of a slot's elements.
ZENITH_ROUTINE(top_k_count);
/// Puts them in place. Further pointers: values, indices.
ZENITH_ROUTINE(top_k_take);

/// Distinct rows, fewer than 2^32 - 1, in steps. All begin with the numbers
/// rows, elements per row, dtype, sorted, whether the inverse is asked for,
/// whether counts are, slots, partitions, and the pointers scratch, whose size
/// lowering/routines/UniqueCall.cpp knows, and operand. A row's key has a word
/// per element, two where it is complex; keys of integers are the rows' bytes
/// unless sorted.
/// Deals a slot's rows to partitions.
ZENITH_ROUTINE(unique_deal);
/// Finds the first rows in a slot's partitions.
ZENITH_ROUTINE(unique_find);
/// Numbers them in order. Further pointers: rows, first, counts (these not if
/// sorted), number of distinct rows.
ZENITH_ROUTINE(unique_keep);
/// Sorts them, in one task. Further pointers: rows, first, counts.
ZENITH_ROUTINE(unique_sort);
/// Further pointers: inverse.
ZENITH_ROUTINE(unique_invert);

/// An empty table of the rows of a set or of those that are asked about,
/// whichever are fewer, and their keys; fewer than 2^32 - 1. Pointers: table
/// (for each of the fewer rows 17 bytes and those of its key, and 16 bytes),
/// set, rows. Keys as in unique; those of integers are the rows' bytes.
/// Numbers: rows of the set, rows, elements per row, dtype, slots.
ZENITH_ROUTINE(is_in_clear);
/// Puts the rows into it. Pointers: table. Numbers as above.
ZENITH_ROUTINE(is_in_insert);
/// Marks the rows of the table that the set has, where the table is of those
/// asked about. Pointers: table, scratch (key bytes of both; not used for
/// integers), set. Numbers as above.
ZENITH_ROUTINE(is_in_mark);
/// Which rows are in the set. Pointers: table, scratch, rows, result. Numbers
/// as above.
ZENITH_ROUTINE(is_in);

/// How many of a slot's rows are chosen. Pointers: scratch (slots * 8 bytes),
/// mask. Numbers: rows, slots.
ZENITH_ROUTINE(compact_count);
/// Copies chosen rows. Pointers: scratch, mask, number of chosen rows, inputs,
/// results. Numbers: rows, slots, inputs, bytes of a row of each input.
ZENITH_ROUTINE(compact);

/// New keys among candidates, in four steps. All begin with the numbers words
/// of a key, lists of candidates, rows of each, known lists, rows of each known
/// list, bits of the key in each word, slots, most partitions, blocks per slot,
/// rows of a block (a power of two), cells of a slot's table, rows of a chunk,
/// whether a candidate can be absent, the word that says so; and the pointer
/// scratch, whose size lowering/routines/KeySetCalls.cpp knows.
/// Deals candidates and known rows to partitions, a slot per task. Further
/// pointers: words of the known lists. Ends with a producer
/// (runtime/routines/ChunkProducer.h).
ZENITH_ROUTINE(dedup_deal);
/// Sizes of the partitions, in one task.
ZENITH_ROUTINE(dedup_plan);
/// Finds the new keys of partitions, a slot per task.
ZENITH_ROUTINE(dedup_merge);
/// Copies them, a slot per task. Further pointers: number of keys, words.
ZENITH_ROUTINE(dedup_gather);

/// Positions of the bits that are set. Pointers: bits, number of positions,
/// result. Numbers: words, slots.
ZENITH_ROUTINE(bit_positions);

/// Bits at candidates' positions, in four steps. All begin with the numbers
/// words, words of the source or rows of candidates, lists of candidates,
/// slots, rows of a chunk, pieces, and the pointers scratch (8 bytes * (slots *
/// chunk * (lists + 1) + pieces, and words if there is no result)), result.
/// Clears a piece of the result.
ZENITH_ROUTINE(bitset_difference_clear);
/// Sets the bits of candidates, a slot per task. Further pointers: known,
/// source. Ends with a producer; one that reads a chunk gets positions of the
/// source's bits.
ZENITH_ROUTINE(bitset_difference_set);
/// Counts the bits of a piece.
ZENITH_ROUTINE(bitset_difference_count);
/// Adds the pieces' counts, in one task. Further pointers: count.
ZENITH_ROUTINE(bitset_difference_sum);

/// Bits at candidates' positions, and the list of those that were not set, in
/// four steps. All begin with the numbers words, rows of candidates, lists of
/// candidates, slots, rows of a chunk, parts, a slot's memory in units of 4
/// bytes (even), and the pointers scratch (8 bytes * (slots * chunk * (lists +
/// 1) + 8, and words if there is no result), slots' memory), bits.
/// Copies known bits unless they are the same memory, a slot per task. Further
/// pointers: known.
ZENITH_ROUTINE(test_and_set_copy);
/// Deals positions whose bits are not set to parts, a slot per task. Ends with
/// a producer.
ZENITH_ROUTINE(test_and_set_deal);
/// Sets and lists, a part per task. Further pointers: positions.
ZENITH_ROUTINE(test_and_set_set);
/// Says how many positions there are, in one task. Further pointers: that.
ZENITH_ROUTINE(test_and_set_end);

/// Rows of bits moved to other rows, in three steps. All begin with the numbers
/// rows, words of a row, generators, moves, columns, slots, and the pointer
/// scratch, whose size lowering/routines/BitRowCalls.cpp knows.
/// Counts bits of a slot's rows and looks at moves, a slot per task. Further
/// pointers: layer, columns.
ZENITH_ROUTINE(coset_bit_rows_count);
/// Makes a slot's rows. Further pointers: known, layer, sources, moves,
/// columns, bits, all.
ZENITH_ROUTINE(coset_bit_rows_move);
/// Sums the slots' counts, in one task. Further pointers: count.
ZENITH_ROUTINE(coset_bit_rows_sum);

/// Places in an ascending list. Pointers: list, queries, result. Numbers:
/// length of the list, queries, right, dtype, slots.
ZENITH_ROUTINE(searchsorted);

/// The boxes chosen for one batch and class per task. Pointers: scratch (tasks
/// * (boxes * 2 + 1) * 8 bytes), boxes, scores. Numbers: classes, boxes, most
/// boxes per class, bits of the overlap allowed, whether there is a least
/// score, its bits, center.
ZENITH_ROUTINE(suppress);
/// Rows (batch, class, box) of all choices, in one task. Pointers: scratch,
/// result, number of rows. Numbers: batches, classes, boxes.
ZENITH_ROUTINE(suppress_gather);

/// Roots of unity for lines of a length, in one task. Pointers: table. Numbers:
/// length, inverse, length of the convolution (0: the length has small factors
/// only). The table has length pairs of f64, and three times the convolution's.
ZENITH_ROUTINE(fourier_table);
/// Transforms lines. Pointers: input (may be the result), result, table,
/// scratch (slots * 32 bytes * (convolution or length)). Numbers: dtypes of
/// input and result, length, convolution, lines, distance between elements of a
/// line, elements of a line in the input and in the result, hermitian (the
/// input lacks the conjugate half), divisor, slots, inverse.
ZENITH_ROUTINE(fourier);

/// Triangular factors, one matrix per task. Pointers: operand, result.
/// Numbers: dtype, size, lower.
ZENITH_ROUTINE(cholesky);
/// Solves triangular systems. Pointers: scratch (slots * size * size elements),
/// a, b, result. Numbers: dtype, batches, size, the other size of b, slots,
/// form (0 plain, 1 transposed, 2 adjoint), left, lower, unit diagonal.
ZENITH_ROUTINE(triangular_solve);

/// A routine of LAPACK, in one task. Pointers: inputs, results. Numbers: the
/// letters of its name without that of the type (two words), the letter of the
/// type, inputs, results, bytes of each result, then the sizes and options that
/// zenith_routine_lapack reads.
ZENITH_ROUTINE(custom_call);

#undef ZENITH_ROUTINE

#ifdef __cplusplus
}
#endif

#endif // ZENITH_RUNTIME_ROUTINES_ROUTINES_H
