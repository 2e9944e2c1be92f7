// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Argument structs of the runtime's routines (runtime/routines/Routines.h), in
// plain C: compiled kernels fill them on their stack, the routines read them.
//
// Every field is one machine word, so that a kernel stores words only. A field
// that no step of a routine needs is 0. struct_size is the size of the struct
// as the caller knows it. A routine of several steps has one struct for all of
// them; the steps run one after the other, each as the tasks of one launch.
// "Slots" is the number of tasks among which rows are divided, each with a part
// of the scratch buffer (runtime/RoutineScratch.h). A result that nobody reads
// is a null pointer.

#ifndef ZENITH_RUNTIME_ROUTINEARGUMENTS_H
#define ZENITH_RUNTIME_ROUTINEARGUMENTS_H

#include "runtime/ABI.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Pointers that an inner kernel may have: routines copy them to their stack.
#define ZENITH_INNER_KERNEL_POINTERS 64

/// A compiled kernel that a routine calls with pointers of its own choice.
typedef struct zenith_inner_kernel {
  uint64_t struct_size;
  zenith_task_fn fn;
  void *const *pointers;
  int64_t npointers; ///< at most ZENITH_INNER_KERNEL_POINTERS
  int64_t written; ///< index of the pointer that the routine sets to memory for
                   ///< what the kernel writes
  int64_t read;    ///< index of the one that it sets to memory that the kernel
                   ///< reads; -1: none
  const int64_t *sizes;
} zenith_inner_kernel;

/// sort, sort_with: rows run along the middle of [outer][length][distance].
typedef struct zenith_sort_arguments {
  uint64_t struct_size;
  int64_t rows;
  int64_t length;   ///< elements of a row
  int64_t distance; ///< elements between neighbours of a row
  int64_t slots;
  int64_t ninputs;
  int64_t nkeys;         ///< sort: the first inputs that rows are ordered by
  int64_t descending;    ///< sort: whether the largest comes first
  const int64_t *dtypes; ///< zenith_dtype of each input
  void *const *inputs;
  void *const *results;
  void *scratch;
  const zenith_inner_kernel
      *comparator; ///< sort_with: begin and end are the positions of left and
                   ///< right; it writes one byte
} zenith_sort_arguments;

/// top_k.
typedef struct zenith_top_k_arguments {
  uint64_t struct_size;
  int64_t rows;
  int64_t length;
  int64_t distance;
  int64_t slots;
  int64_t k;
  int64_t smallest;
  int64_t dtype;
  int64_t rows_at_once; ///< neighbouring rows that one pass selects from
  int64_t candidates;   ///< elements of a row that are kept at a time
  int64_t slot_bytes;   ///< scratch of one slot
  void *scratch;
  const void *operand;
  void *values;
  int64_t *indices;
} zenith_top_k_arguments;

/// top_k_count, top_k_take: one row of contiguous elements whose keys have at
/// most 16 bits.
typedef struct zenith_counted_top_k_arguments {
  uint64_t struct_size;
  int64_t length;
  int64_t k;
  int64_t smallest;
  int64_t dtype;
  int64_t slots;
  void *scratch;
  const void *operand;
  void *values;
  int64_t *indices;
} zenith_counted_top_k_arguments;

/// unique_*: distinct rows, fewer than 2^32 - 1.
typedef struct zenith_unique_arguments {
  uint64_t struct_size;
  int64_t rows;
  int64_t elements; ///< of a row
  int64_t dtype;
  int64_t sorted;
  int64_t wants_inverse;
  int64_t wants_counts;
  int64_t slots;
  int64_t partitions;
  void *scratch;
  const void *operand;
  void *distinct; ///< unique_keep unless sorted, else unique_sort
  int64_t *first;
  int64_t *counts;
  int64_t *inverse;
  int64_t *found; ///< number of distinct rows
} zenith_unique_arguments;

/// is_in_*: fewer than 2^32 - 1 rows.
typedef struct zenith_is_in_arguments {
  uint64_t struct_size;
  int64_t set_rows;
  int64_t rows;
  int64_t elements; ///< of a row
  int64_t dtype;
  int64_t slots;
  void *table;
  void *keys; ///< of the rows, then of the set; unused for integers
  const void *set;
  const void *operand;
  uint8_t *result;
} zenith_is_in_arguments;

/// compact_count, compact.
typedef struct zenith_compact_arguments {
  uint64_t struct_size;
  int64_t rows;
  int64_t slots;
  int64_t ninputs;
  const int64_t *row_bytes; ///< of each input
  const int64_t *iota_runs; ///< of each input: 0, or it is not in memory and
                            ///< row r holds r / run % size
  const int64_t *iota_sizes;
  void *scratch;
  const uint8_t *mask;
  void *const *inputs;
  void *const *results;
  int64_t *found; ///< number of chosen rows
} zenith_compact_arguments;

/// append_new: a list of distinct rows, and an index that finds them; where no
/// part is compared a list alone.
typedef struct zenith_append_new_arguments {
  uint64_t struct_size;
  int64_t parts;            ///< of a row
  const int64_t *row_bytes; ///< of each part
  int64_t count;            ///< rows of the known list that are valid
  int64_t known_rows;       ///< that the known list has room for
  int64_t candidate_rows;
  int64_t rows;      ///< that the list has room for
  int64_t cells;     ///< of the new index
  int64_t old_cells; ///< of the index
  const uint64_t *index;
  void *const *known;      ///< each part
  void *const *candidates; ///< each part
  uint64_t *new_index;     ///< may be the index
  void *const *list;       ///< each part; may be the known one
  int64_t *total;          ///< valid rows of the list; may be null
  int64_t compared;        ///< parts, from the first on, that tell rows apart
} zenith_append_new_arguments;

/// hash, hash_factors: numbers of rows of integers.
typedef struct zenith_hash_arguments {
  uint64_t struct_size;
  int64_t rows;
  int64_t width; ///< elements of a row
  int64_t lanes; ///< hashes of a row
  int64_t dtype;
  int64_t is_polynomial; ///< poly32, which has no factors
  int64_t seed;          ///< bits of the key of the factors
  int64_t slots;
  void *scratch; ///< width * lanes factors of 8 bytes, lane by lane
  const void *operand;
  void *result;
} zenith_hash_arguments;

/// dedup_*: candidates that no known list holds, each key once.
typedef struct zenith_dedup_arguments {
  uint64_t struct_size;
  int64_t words; ///< of a key
  int64_t lists; ///< of candidates
  int64_t rows;  ///< of each list of candidates
  int64_t nknown;
  const int64_t *known_rows; ///< of each known list
  const int64_t *key;        ///< mask of each word: bits that keys differ in
  int64_t slots;
  int64_t partitions; ///< at most; a power of two is used
  int64_t slot_blocks;
  int64_t block_rows;  ///< a power of two
  int64_t table_words; ///< of a slot's hash table
  int64_t chunk_rows;  ///< candidates that the producer computes at a time
  int64_t has_absent;
  int64_t absent; ///< first word of a candidate that does not count
  int64_t images; ///< images of a key under symmetries; 0: none
  int64_t image_parts;
  int64_t part_bits;
  int64_t ties; ///< bit of the last word from which ties are counted
  void *scratch;
  void *const *known; ///< words of the known lists
  const uint16_t *image_numbers;
  const uint64_t *image_bits;
  const zenith_inner_kernel *producer; ///< candidates
  int64_t *found;
  void *const *results; ///< words of the new keys
} zenith_dedup_arguments;

/// bit_positions.
typedef struct zenith_bit_positions_arguments {
  uint64_t struct_size;
  int64_t words;
  int64_t slots;
  const uint64_t *bits;
  int64_t *found;
  uint64_t *result;
} zenith_bit_positions_arguments;

/// bitset_difference_*: bits at the candidates' positions that are not known.
typedef struct zenith_bitset_difference_arguments {
  uint64_t struct_size;
  int64_t words;       ///< of the bitset
  int64_t source_size; ///< words of the source, or rows of candidates
  int64_t lists;       ///< of candidates
  int64_t slots;
  int64_t chunk_rows;
  int64_t blocks; ///< of words that are cleared and counted as one task
  void *scratch;
  const uint64_t *known;
  const uint64_t *source; ///< bits whose positions the producer reads
  const zenith_inner_kernel *producer;
  uint64_t *bits; ///< null: scratch holds them
  int64_t *count;
} zenith_bitset_difference_arguments;

/// test_and_set_*: sets the bits at the candidates' positions and lists those
/// that were not set.
typedef struct zenith_test_and_set_arguments {
  uint64_t struct_size;
  int64_t words;
  int64_t rows;  ///< of candidates
  int64_t lists; ///< of candidates
  int64_t slots;
  int64_t chunk_rows;
  int64_t partitions;   ///< of the bitset, each marked by one task
  int64_t slot_entries; ///< 32-bit entries of a slot's partitions: even
  int64_t tag_bits;
  void *scratch;
  const uint64_t *known;
  const zenith_inner_kernel *producer;
  uint64_t *bits; ///< null: scratch holds them
  uint64_t *positions;
  int64_t *found;
} zenith_test_and_set_arguments;

/// coset_bit_rows_*: rows of bits moved to other rows.
typedef struct zenith_coset_bit_rows_arguments {
  uint64_t struct_size;
  int64_t rows;
  int64_t words; ///< of a row
  int64_t generators;
  int64_t moves;
  int64_t columns;
  int64_t slots;
  void *scratch;
  const uint64_t *known;
  const uint64_t *layer;
  const uint32_t *sources;   ///< row by row and generator
  const uint16_t *row_moves; ///< move by row and generator
  const uint16_t *column_maps;
  uint64_t *bits;
  uint64_t *all;
  int64_t *count;
} zenith_coset_bit_rows_arguments;

/// coset_bits: states' bits among rows of bits.
typedef struct zenith_coset_bits_arguments {
  uint64_t struct_size;
  int64_t count; ///< of states
  int64_t columns;
  int64_t element_bytes;
  int64_t groups; ///< of levels
  int64_t row_groups;
  int64_t words; ///< of a row of bits
  int64_t slots;
  const int64_t *points;       ///< group by group
  const int64_t *group_points; ///< of each group
  const int64_t *sizes;        ///< by group
  const void *states;
  const void *start;
  const uint16_t *indices;         ///< group by group
  const uint16_t *inverses;        ///< map by map
  const uint16_t *representatives; ///< map by row of bits
  uint64_t *bits;
} zenith_coset_bits_arguments;

/// test_bits: whether bits are set.
typedef struct zenith_test_bits_arguments {
  uint64_t struct_size;
  int64_t words;
  int64_t count; ///< of positions
  int64_t slots;
  const uint64_t *bits;
  const uint64_t *positions;
  uint8_t *result;
} zenith_test_bits_arguments;

/// index_bits: the different positions of a list by words.
typedef struct zenith_index_bits_arguments {
  uint64_t struct_size;
  int64_t count; ///< of positions
  int64_t words;
  int64_t entries;
  void *scratch;
  const uint64_t *positions;
  int64_t *places;
  uint64_t *counts;
  uint64_t *entry_words;
  uint64_t *masks;
  uint64_t *firsts;
} zenith_index_bits_arguments;

/// note_bits_*: a number where positions of an index have bits.
typedef struct zenith_note_bits_arguments {
  uint64_t struct_size;
  int64_t words; ///< of the bits
  int64_t entries;
  int64_t size;   ///< of the noted
  int64_t places; ///< that are noted and have counts
  int64_t number;
  int64_t slots;
  void *scratch;
  const uint64_t *bits;
  const uint64_t *entry_words;
  const uint64_t *masks;
  const uint64_t *firsts;
  const uint64_t *counts;
  const int64_t *noted;
  int64_t *all;
  int64_t *count;
} zenith_note_bits_arguments;

/// count_neighbours_*: different rows among the neighbours of a layer.
typedef struct zenith_count_neighbours_arguments {
  uint64_t struct_size;
  int64_t rows; ///< of the layer
  int64_t columns;
  int64_t element_bytes;
  int64_t generators;
  int64_t nsets;
  int64_t slots; ///< of rows
  int64_t partitions;
  int64_t finders; ///< tasks that share the partitions
  const int64_t *set_rows;
  void *scratch;
  const void *layer;
  const uint32_t *sources;
  const void *const *sets;
  int64_t *formed;
  int64_t *fresh;
  char *firsts; ///< by neighbour; null where nobody asks
} zenith_count_neighbours_arguments;

/// searchsorted: positions in an ascending list.
typedef struct zenith_searchsorted_arguments {
  uint64_t struct_size;
  int64_t length;
  int64_t nqueries;
  int64_t right;
  int64_t dtype;
  int64_t slots;
  const void *list;
  const void *queries;
  int64_t *result;
} zenith_searchsorted_arguments;

/// suppress, suppress_gather: a task per batch and class.
typedef struct zenith_suppress_arguments {
  uint64_t struct_size;
  int64_t batches;
  int64_t classes;
  int64_t boxes; ///< of a batch
  int64_t max_per_class;
  int64_t iou_threshold; ///< bits of an f32
  int64_t has_score_threshold;
  int64_t score_threshold; ///< bits of an f32
  int64_t center;
  void *scratch;
  const float *corners;
  const float *scores;
  int64_t *result;
  int64_t *found;
} zenith_suppress_arguments;

/// fourier_table, fourier.
typedef struct zenith_fourier_arguments {
  uint64_t struct_size;
  int64_t input_dtype;
  int64_t result_dtype;
  int64_t length;
  int64_t convolution; ///< length of the padded convolution; 0: the length has
                       ///< small factors only
  int64_t lines;
  int64_t distance;      ///< elements between neighbours of a line
  int64_t input_length;  ///< elements of a line in the input
  int64_t result_length; ///< elements of a line in the result
  int64_t hermitian;     ///< the input lacks the conjugate half
  int64_t divisor;
  int64_t slots;
  int64_t inverse;
  const void *input; ///< may be the result
  void *result;
  void *table;
  void *scratch;
} zenith_fourier_arguments;

/// cholesky: a matrix per task.
typedef struct zenith_cholesky_arguments {
  uint64_t struct_size;
  int64_t dtype;
  int64_t size;
  int64_t lower;
  const void *operand;
  void *result;
} zenith_cholesky_arguments;

/// triangular_solve.
typedef struct zenith_triangular_solve_arguments {
  uint64_t struct_size;
  int64_t dtype;
  int64_t batches;
  int64_t size;       ///< of a
  int64_t other_size; ///< of b, along the dimension that a does not multiply
  int64_t slots;
  int64_t form; ///< 0 plain, 1 transposed, 2 adjoint
  int64_t left;
  int64_t lower;
  int64_t unit_diagonal;
  void *scratch;
  const void *a;
  const void *b;
  void *result;
} zenith_triangular_solve_arguments;

/// custom_call: a routine of LAPACK, in one task.
typedef struct zenith_custom_call_arguments {
  uint64_t struct_size;
  int64_t name_low; ///< the name without the letter of the type, as bytes
  int64_t name_high;
  int64_t type; ///< the letter: s, d, c or z
  int64_t ninputs;
  int64_t nresults;
  const int64_t *result_bytes;
  const int64_t *sizes; ///< batches, rows, columns, options of the routine
  void *const *inputs;
  void *const *results;
} zenith_custom_call_arguments;

#ifdef __cplusplus
}
#endif

#endif // ZENITH_RUNTIME_ROUTINEARGUMENTS_H
