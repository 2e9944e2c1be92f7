// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the search dialect, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @dedup_c1(%a: tensor<4xui64>) {
  // expected-error@below {{'search.dedup' op key: got no words, expected at least 1 (dedup_c1)}}
  %r = search.dedup (%a) key [] : (tensor<4xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c2_words(%a: tensor<4xui64>) {
  // expected-error@below {{'search.dedup' op candidates beyond whole keys: got 1, expected 0 (dedup_c2)}}
  %r:2 = search.dedup (%a) key [1, 1] : (tensor<4xui64>) -> (tensor<?xui64>, tensor<?xui64>)
  return
}

// -----

func.func @dedup_c2_known(%a: tensor<4xui64>) {
  // expected-error@below {{'search.dedup' op known beyond whole keys: got 1, expected 0 (dedup_c2)}}
  %r:2 = search.dedup (%a, %a) known (%a) key [1, 1] : (tensor<4xui64>, tensor<4xui64>, tensor<4xui64>) -> (tensor<?xui64>, tensor<?xui64>)
  return
}

// -----

func.func @dedup_c3_rank(%a: tensor<4x1xui64>) {
  // expected-error@below {{'search.dedup' op rank of a candidate: got 2, expected 1 (dedup_c3)}}
  %r = search.dedup (%a) key [1] : (tensor<4x1xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c3_size(%a: tensor<4xui64>, %b: tensor<5xui64>) {
  // expected-error@below {{'search.dedup' op size of a candidate: got 5, expected 4 (dedup_c3)}}
  %r = search.dedup (%a, %b) key [1] : (tensor<4xui64>, tensor<5xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c4_count(%a: tensor<4xui64>) {
  // expected-error@below {{'search.dedup' op number of results: got 2, expected 1 (dedup_c4)}}
  %r:2 = search.dedup (%a) key [1] : (tensor<4xui64>) -> (tensor<?xui64>, tensor<?xui64>)
  return
}

// -----

func.func @dedup_c4_size(%a: tensor<4xui64>) {
  // expected-error@below {{'search.dedup' op result: got tensor<4xui64>, expected tensor<?xui64> (dedup_c4)}}
  %r = search.dedup (%a) key [1] : (tensor<4xui64>) -> tensor<4xui64>
  return
}

// -----

func.func @dedup_c5_some(%a: tensor<4xui64>, %n: tensor<3x1x2xui16>, %i: tensor<3x1x2x16xui64>) {
  // expected-error@below {{'search.dedup' op images: got some of image parts, image bits and ties, expected all or none (dedup_c5)}}
  %r = search.dedup (%a) images (%n, %i) key [255] : (tensor<4xui64>, tensor<3x1x2xui16>, tensor<3x1x2x16xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c5_rank_of_parts(%a: tensor<4xui64>, %n: tensor<3x1xui16>, %i: tensor<3x1x2x16xui64>) {
  // expected-error@below {{'search.dedup' op rank of the image parts: got 2, expected 3 (dedup_c5)}}
  %r = search.dedup (%a) images (%n, %i) key [255] ties 8 : (tensor<4xui64>, tensor<3x1xui16>, tensor<3x1x2x16xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c5_rank_of_bits(%a: tensor<4xui64>, %n: tensor<3x1x2xui16>, %i: tensor<3x1x2xui64>) {
  // expected-error@below {{'search.dedup' op rank of the image bits: got 3, expected 4 (dedup_c5)}}
  %r = search.dedup (%a) images (%n, %i) key [255] ties 8 : (tensor<4xui64>, tensor<3x1x2xui16>, tensor<3x1x2xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c5_none(%a: tensor<4xui64>, %n: tensor<0x1x2xui16>, %i: tensor<0x1x2x16xui64>) {
  // expected-error@below {{'search.dedup' op image parts: got tensor<0x1x2xui16>, expected a static shape with at least 1 image (dedup_c5)}}
  %r = search.dedup (%a) images (%n, %i) key [255] ties 8 : (tensor<4xui64>, tensor<0x1x2xui16>, tensor<0x1x2x16xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c5_words(%a: tensor<4xui64>, %n: tensor<3x2x2xui16>, %i: tensor<3x2x2x16xui64>) {
  // expected-error@below {{'search.dedup' op words of an image: got 2, expected 1 (dedup_c5)}}
  %r = search.dedup (%a) images (%n, %i) key [255] ties 8 : (tensor<4xui64>, tensor<3x2x2xui16>, tensor<3x2x2x16xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c5_shapes(%a: tensor<4xui64>, %n: tensor<3x1x2xui16>, %i: tensor<3x1x3x16xui64>) {
  // expected-error@below {{'search.dedup' op dimension 2 of the image bits: got 3, expected 2 (dedup_c5)}}
  %r = search.dedup (%a) images (%n, %i) key [255] ties 8 : (tensor<4xui64>, tensor<3x1x2xui16>, tensor<3x1x3x16xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c5_values(%a: tensor<4xui64>, %n: tensor<3x1x2xui16>, %i: tensor<3x1x2x12xui64>) {
  // expected-error@below {{'search.dedup' op values of a part: got 12, expected a power of two from 2 to 256 (dedup_c5)}}
  %r = search.dedup (%a) images (%n, %i) key [255] ties 8 : (tensor<4xui64>, tensor<3x1x2xui16>, tensor<3x1x2x12xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @dedup_c5_ties(%a: tensor<4xui64>, %n: tensor<3x1x2xui16>, %i: tensor<3x1x2x16xui64>) {
  // expected-error@below {{'search.dedup' op ties: got 64, expected a bit from 0 to 63 (dedup_c5)}}
  %r = search.dedup (%a) images (%n, %i) key [255] ties 64 : (tensor<4xui64>, tensor<3x1x2xui16>, tensor<3x1x2x16xui64>) -> tensor<?xui64>
  return
}

// -----

func.func @bit_positions_c1(%x: tensor<4x1xui64>) {
  // expected-error@below {{'search.bit_positions' op rank of the operand: got 2, expected 1 (bit_positions_c1)}}
  %r = search.bit_positions %x : tensor<4x1xui64> -> tensor<?xui64>
  return
}

// -----

func.func @bit_positions_c2(%x: tensor<4xui64>) {
  // expected-error@below {{'search.bit_positions' op result: got tensor<4xui64>, expected tensor<?xui64> (bit_positions_c2)}}
  %r = search.bit_positions %x : tensor<4xui64> -> tensor<4xui64>
  return
}

// -----

func.func @bitset_difference_c1(%x: tensor<4x1xui64>, %a: tensor<4xui64>) {
  // expected-error@below {{'search.bitset_difference' op rank of the known bits: got 2, expected 1 (bitset_difference_c1)}}
  %r, %n = search.bitset_difference %x (%a) : (tensor<4x1xui64>, tensor<4xui64>) -> (tensor<4x1xui64>, tensor<i64>)
  return
}

// -----

func.func @bitset_difference_c2_size(%x: tensor<4xui64>, %a: tensor<4xui64>, %b: tensor<5xui64>) {
  // expected-error@below {{'search.bitset_difference' op size of a candidate: got 5, expected 4 (bitset_difference_c2)}}
  %r, %n = search.bitset_difference %x (%a, %b) : (tensor<4xui64>, tensor<4xui64>, tensor<5xui64>) -> (tensor<4xui64>, tensor<i64>)
  return
}

// -----

func.func @bitset_difference_c3(%x: tensor<4xui64>, %a: tensor<4xui64>) {
  // expected-error@below {{'search.bitset_difference' op bits: got tensor<5xui64>, expected tensor<4xui64> (bitset_difference_c3)}}
  %r, %n = search.bitset_difference %x (%a) : (tensor<4xui64>, tensor<4xui64>) -> (tensor<5xui64>, tensor<i64>)
  return
}

// -----

func.func @coset_bit_rows_c1_rank(%k: tensor<3xui64>, %l: tensor<3xui64>, %s: tensor<3x2xui32>, %m: tensor<3x2xui16>, %c: tensor<4x24xui16>) {
  // expected-error@below {{'search.coset_bit_rows' op rank of the layer: got 1, expected 2 (coset_bit_rows_c1)}}
  %r, %a, %n = search.coset_bit_rows %k, %l, %s, %m, %c : (tensor<3xui64>, tensor<3xui64>, tensor<3x2xui32>, tensor<3x2xui16>, tensor<4x24xui16>) -> (tensor<3xui64>, tensor<3xui64>, tensor<i64>)
  return
}

// -----

func.func @coset_bit_rows_c1_types(%k: tensor<3x1xui64>, %l: tensor<3x1xui64>, %s: tensor<3x2xui32>, %m: tensor<3x2xui16>, %c: tensor<4x24xui16>) {
  // expected-error@below {{'search.coset_bit_rows' op bits: got tensor<3x2xui64>, expected tensor<3x1xui64> (coset_bit_rows_c1)}}
  %r, %a, %n = search.coset_bit_rows %k, %l, %s, %m, %c : (tensor<3x1xui64>, tensor<3x1xui64>, tensor<3x2xui32>, tensor<3x2xui16>, tensor<4x24xui16>) -> (tensor<3x1xui64>, tensor<3x2xui64>, tensor<i64>)
  return
}

// -----

func.func @coset_bit_rows_c2_shape(%k: tensor<3x1xui64>, %l: tensor<3x1xui64>, %s: tensor<3x2xui32>, %m: tensor<3x3xui16>, %c: tensor<4x24xui16>) {
  // expected-error@below {{'search.coset_bit_rows' op dimension of the moves: got 3, expected 2 (coset_bit_rows_c2)}}
  %r, %a, %n = search.coset_bit_rows %k, %l, %s, %m, %c : (tensor<3x1xui64>, tensor<3x1xui64>, tensor<3x2xui32>, tensor<3x3xui16>, tensor<4x24xui16>) -> (tensor<3x1xui64>, tensor<3x1xui64>, tensor<i64>)
  return
}

// -----

func.func @coset_bit_rows_c2_rows(%k: tensor<3x1xui64>, %l: tensor<3x1xui64>, %s: tensor<4x2xui32>, %m: tensor<4x2xui16>, %c: tensor<4x24xui16>) {
  // expected-error@below {{'search.coset_bit_rows' op rows of the sources: got 4, expected 3 (coset_bit_rows_c2)}}
  %r, %a, %n = search.coset_bit_rows %k, %l, %s, %m, %c : (tensor<3x1xui64>, tensor<3x1xui64>, tensor<4x2xui32>, tensor<4x2xui16>, tensor<4x24xui16>) -> (tensor<3x1xui64>, tensor<3x1xui64>, tensor<i64>)
  return
}

// -----

func.func @coset_bit_rows_c3(%k: tensor<3x1xui64>, %l: tensor<3x1xui64>, %s: tensor<3x2xui32>, %m: tensor<3x2xui16>, %c: tensor<4x65xui16>) {
  // expected-error@below {{'search.coset_bit_rows' op number of columns: got 65, expected at most 64 (coset_bit_rows_c3)}}
  %r, %a, %n = search.coset_bit_rows %k, %l, %s, %m, %c : (tensor<3x1xui64>, tensor<3x1xui64>, tensor<3x2xui32>, tensor<3x2xui16>, tensor<4x65xui16>) -> (tensor<3x1xui64>, tensor<3x1xui64>, tensor<i64>)
  return
}

// -----

func.func @coset_bits_c1_rank(%x: tensor<?xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op rank of the states: got 1, expected 2 (coset_bits_c1)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 2] rows 1 words 1 : (tensor<?xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c1_columns(%x: tensor<?x?xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op states: got tensor<?x?xui8>, expected 1 to 1024 columns of integers of 8 bits or more (coset_bits_c1)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 2] rows 1 words 1 : (tensor<?x?xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c2(%x: tensor<?x3xui8>, %s: tensor<3xui16>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op start: got tensor<3xui16>, expected tensor<3xui8> (coset_bits_c2)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 2] rows 1 words 1 : (tensor<?x3xui8>, tensor<3xui16>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c3_sizes(%x: tensor<?x3xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op number of sizes: got 3, expected 2 (coset_bits_c3)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 1, 1] rows 1 words 1 : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c3_rows(%x: tensor<?x3xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op groups of rows: got 3, expected a value in [0, 3) (coset_bits_c3)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 2] rows 3 words 1 : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c3_twice(%x: tensor<?x3xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op points: got [1, 1], expected distinct values in [0, 3) (coset_bits_c3)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [1, 1] of [1, 1] sizes [3, 2] rows 1 words 1 : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c3_size(%x: tensor<?x3xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op size of a group: got 0, expected a value in [1, 65537) (coset_bits_c3)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 0] rows 1 words 1 : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c3_words(%x: tensor<?x3xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op words: got [0], expected values of at least 1 (coset_bits_c3)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 2] rows 1 words 0 : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c4(%x: tensor<?x3xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op representatives: got tensor<3x3xui16>, expected tensor<6x3xui16> (coset_bits_c4)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 2] rows 2 words 1 : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  return
}

// -----

func.func @coset_bits_c5(%x: tensor<5x3xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>) {
  // expected-error@below {{'search.coset_bits' op size of the bits: got 4, expected 5 (coset_bits_c5)}}
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 2] rows 1 words 1 : (tensor<5x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<4xui64>
  return
}

// -----

func.func @count_neighbours_c1(%x: tensor<?x?xui8>, %s: tensor<2x3xui32>) {
  // expected-error@below {{'search.count_neighbours' op layer: got tensor<?x?xui8>, expected rows of 1 or more integers of 8 bits or more (count_neighbours_c1)}}
  %a, %b, %m = search.count_neighbours %x moved by %s : (tensor<?x?xui8>, tensor<2x3xui32>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
  return
}

// -----

func.func @count_neighbours_c1(%x: tensor<?xui8>, %s: tensor<2x3xui32>) {
  // expected-error@below {{'search.count_neighbours' op rank of the layer: got 1, expected 2 (count_neighbours_c1)}}
  %a, %b, %m = search.count_neighbours %x moved by %s : (tensor<?xui8>, tensor<2x3xui32>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
  return
}

// -----

func.func @count_neighbours_c2(%x: tensor<?x3xui8>, %s: tensor<2x4xui32>) {
  // expected-error@below {{'search.count_neighbours' op sources: got tensor<2x4xui32>, expected static rows of 3 (count_neighbours_c2)}}
  %a, %b, %m = search.count_neighbours %x moved by %s : (tensor<?x3xui8>, tensor<2x4xui32>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
  return
}

// -----

func.func @count_neighbours_c3(%x: tensor<?x3xui8>, %s: tensor<2x3xui32>, %k: tensor<5x3xui16>) {
  // expected-error@below {{'search.count_neighbours' op set: got tensor<5x3xui16>, expected rows as those of tensor<?x3xui8> (count_neighbours_c3)}}
  %a, %b, %m = search.count_neighbours %x moved by %s without (%k) : (tensor<?x3xui8>, tensor<2x3xui32>, tensor<5x3xui16>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
  return
}

// -----

func.func @count_neighbours_c4(%x: tensor<?x3xui8>, %s: tensor<2x3xui32>) {
  // expected-error@below {{'search.count_neighbours' op rank of firsts: got 2, expected 1 (count_neighbours_c4)}}
  %a, %b, %m = search.count_neighbours %x moved by %s : (tensor<?x3xui8>, tensor<2x3xui32>) -> (tensor<i64>, tensor<i64>, tensor<?x2xi1>)
  return
}

// -----

func.func @count_neighbours_c4(%x: tensor<5x3xui8>, %s: tensor<2x3xui32>) {
  // expected-error@below {{'search.count_neighbours' op size of firsts: got 5, expected 10 (count_neighbours_c4)}}
  %a, %b, %m = search.count_neighbours %x moved by %s : (tensor<5x3xui8>, tensor<2x3xui32>) -> (tensor<i64>, tensor<i64>, tensor<5xi1>)
  return
}

// -----

func.func @test_bits_c1(%b: tensor<8x1xui64>, %p: tensor<4xui64>) {
  // expected-error@below {{'search.test_bits' op rank of the bits: got 2, expected 1 (test_bits_c1)}}
  %t = search.test_bits %b at %p : (tensor<8x1xui64>, tensor<4xui64>) -> tensor<4xi1>
  return
}

// -----

func.func @test_bits_c2(%b: tensor<8xui64>, %p: tensor<4xui64>) {
  // expected-error@below {{'search.test_bits' op size of the result: got 5, expected 4 (test_bits_c2)}}
  %t = search.test_bits %b at %p : (tensor<8xui64>, tensor<4xui64>) -> tensor<5xi1>
  return
}

// -----

func.func @index_bits_c1_rank(%x: tensor<?x1xui64>) {
  // expected-error@below {{'search.index_bits' op rank of the positions: got 2, expected 1 (index_bits_c1)}}
  %p, %n, %w, %m, %f = search.index_bits %x words 8 : tensor<?x1xui64> -> tensor<?xi64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>
  return
}

// -----

func.func @index_bits_c1_words(%x: tensor<?xui64>) {
  // expected-error@below {{'search.index_bits' op words: got [0], expected values of at least 1 (index_bits_c1)}}
  %p, %n, %w, %m, %f = search.index_bits %x words 0 : tensor<?xui64> -> tensor<?xi64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>
  return
}

// -----

func.func @index_bits_c2(%x: tensor<5xui64>) {
  // expected-error@below {{'search.index_bits' op places: got tensor<4xi64>, expected tensor<5xi64> (index_bits_c2)}}
  %p, %n, %w, %m, %f = search.index_bits %x words 8 : tensor<5xui64> -> tensor<4xi64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>
  return
}

// -----

func.func @index_bits_c3(%x: tensor<5xui64>) {
  // expected-error@below {{'search.index_bits' op list: got tensor<5xui64>, expected tensor<?xui64> (index_bits_c3)}}
  %p, %n, %w, %m, %f = search.index_bits %x words 8 : tensor<5xui64> -> tensor<5xi64>, tensor<?xui64>, tensor<?xui64>, tensor<5xui64>, tensor<?xui64>
  return
}

// -----

func.func @note_bits_c1_bits(%b: tensor<8x1xui64>, %w: tensor<4xui64>, %m: tensor<4xui64>, %f: tensor<4xui64>, %n: tensor<6xui64>, %r: tensor<6xi64>, %i: tensor<i64>) {
  // expected-error@below {{'search.note_bits' op rank of the bits: got 2, expected 1 (note_bits_c1)}}
  %a, %c = search.note_bits %b at (%w, %m, %f) counts %n into %r number %i : (tensor<8x1xui64>, tensor<4xui64>, tensor<4xui64>, tensor<4xui64>, tensor<6xui64>, tensor<6xi64>, tensor<i64>) -> (tensor<6xi64>, tensor<i64>)
  return
}

// -----

func.func @note_bits_c1_counts(%b: tensor<8xui64>, %w: tensor<4xui64>, %m: tensor<4xui64>, %f: tensor<4xui64>, %n: tensor<5xui64>, %r: tensor<6xi64>, %i: tensor<i64>) {
  // expected-error@below {{'search.note_bits' op size of the counts: got 5, expected 6 (note_bits_c1)}}
  %a, %c = search.note_bits %b at (%w, %m, %f) counts %n into %r number %i : (tensor<8xui64>, tensor<4xui64>, tensor<4xui64>, tensor<4xui64>, tensor<5xui64>, tensor<6xi64>, tensor<i64>) -> (tensor<6xi64>, tensor<i64>)
  return
}

// -----

func.func @note_bits_c2_rank(%b: tensor<8xui64>, %w: tensor<4xui64>, %m: tensor<4x1xui64>, %f: tensor<4xui64>, %n: tensor<6xui64>, %r: tensor<6xi64>, %i: tensor<i64>) {
  // expected-error@below {{'search.note_bits' op rank of the entries: got 2, expected 1 (note_bits_c2)}}
  %a, %c = search.note_bits %b at (%w, %m, %f) counts %n into %r number %i : (tensor<8xui64>, tensor<4xui64>, tensor<4x1xui64>, tensor<4xui64>, tensor<6xui64>, tensor<6xi64>, tensor<i64>) -> (tensor<6xi64>, tensor<i64>)
  return
}

// -----

func.func @note_bits_c2_size(%b: tensor<8xui64>, %w: tensor<4xui64>, %m: tensor<4xui64>, %f: tensor<3xui64>, %n: tensor<6xui64>, %r: tensor<6xi64>, %i: tensor<i64>) {
  // expected-error@below {{'search.note_bits' op size of the entries: got 3, expected 4 (note_bits_c2)}}
  %a, %c = search.note_bits %b at (%w, %m, %f) counts %n into %r number %i : (tensor<8xui64>, tensor<4xui64>, tensor<4xui64>, tensor<3xui64>, tensor<6xui64>, tensor<6xi64>, tensor<i64>) -> (tensor<6xi64>, tensor<i64>)
  return
}

// -----

func.func @note_bits_c3(%b: tensor<8xui64>, %w: tensor<4xui64>, %m: tensor<4xui64>, %f: tensor<4xui64>, %n: tensor<6xui64>, %r: tensor<6xi64>, %i: tensor<i64>) {
  // expected-error@below {{'search.note_bits' op result: got tensor<5xi64>, expected tensor<6xi64> (note_bits_c3)}}
  %a, %c = search.note_bits %b at (%w, %m, %f) counts %n into %r number %i : (tensor<8xui64>, tensor<4xui64>, tensor<4xui64>, tensor<4xui64>, tensor<6xui64>, tensor<6xi64>, tensor<i64>) -> (tensor<5xi64>, tensor<i64>)
  return
}

// -----

func.func @test_and_set_c1(%k: tensor<4x1xui64>, %a: tensor<4xui64>, %b: tensor<4xui64>) {
  // expected-error@below {{'search.test_and_set' op rank of the known bits: got 2, expected 1 (test_and_set_c1)}}
  %p, %r = search.test_and_set %k (%a, %b) : (tensor<4x1xui64>, tensor<4xui64>, tensor<4xui64>) -> (tensor<?xui64>, tensor<4x1xui64>)
  return
}

// -----

func.func @test_and_set_c2_size(%k: tensor<4xui64>, %a: tensor<4xui64>, %b: tensor<5xui64>) {
  // expected-error@below {{'search.test_and_set' op size of a candidate: got 5, expected 4 (test_and_set_c2)}}
  %p, %r = search.test_and_set %k (%a, %b) : (tensor<4xui64>, tensor<4xui64>, tensor<5xui64>) -> (tensor<?xui64>, tensor<4xui64>)
  return
}

// -----

func.func @test_and_set_c3(%k: tensor<4xui64>, %a: tensor<4xui64>, %b: tensor<4xui64>) {
  // expected-error@below {{'search.test_and_set' op positions: got tensor<4xui64>, expected tensor<?xui64> (test_and_set_c3)}}
  %p, %r = search.test_and_set %k (%a, %b) : (tensor<4xui64>, tensor<4xui64>, tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui64>)
  return
}

// -----

func.func @test_and_set_c4(%k: tensor<4xui64>, %a: tensor<4xui64>, %b: tensor<4xui64>) {
  // expected-error@below {{'search.test_and_set' op bits: got tensor<5xui64>, expected tensor<4xui64> (test_and_set_c4)}}
  %p, %r = search.test_and_set %k (%a, %b) : (tensor<4xui64>, tensor<4xui64>, tensor<4xui64>) -> (tensor<?xui64>, tensor<5xui64>)
  return
}

// -----

func.func @test_and_set_c5(%k: tensor<4xui64>, %a: tensor<4xui64>) {
  // expected-error@below {{'search.test_and_set' op tag bits: got 17, expected 1 to 16 (test_and_set_c5)}}
  %p, %r = search.test_and_set %k (%a) tags 17 : (tensor<4xui64>, tensor<4xui64>) -> (tensor<?xui64>, tensor<4xui64>)
  return
}

// -----

func.func @append_new_c1(%i: tensor<?xui64>, %k: tensor<?x3xui8>, %a: tensor<4x3xui8>, %c: tensor<i64>) {
  // expected-error@below {{'search.append_new' op number of candidates: got 2, expected 1 (append_new_c1)}}
  %j, %l, %n = search.append_new %i, (%k), (%a, %a) count %c rows %c cells %c : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x3xui8>, tensor<4x3xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<i64>)
  return
}

// -----

func.func @append_new_c2(%i: tensor<?xui64>, %k: tensor<?x3xui8>, %a: tensor<4x?xui8>, %c: tensor<i64>) {
  // expected-error@below {{'search.append_new' op the candidates: got tensor<4x?xui8>, expected rows of a static shape, of integers of 8 bits or more (append_new_c2)}}
  %j, %l, %n = search.append_new %i, (%k), (%a) count %c rows %c cells %c : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x?xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<i64>)
  return
}

// -----

func.func @append_new_c3(%i: tensor<?xui64>, %k: tensor<?x3xui8>, %a: tensor<4x2xui8>, %c: tensor<i64>) {
  // expected-error@below {{'search.append_new' op rows: got tensor<4x2xui8>, expected tensor<4x3xui8> (append_new_c3)}}
  %j, %l, %n = search.append_new %i, (%k), (%a) count %c rows %c cells %c : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x2xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<i64>)
  return
}

// -----

func.func @append_new_c4_list(%i: tensor<?xui64>, %k: tensor<?x3xui8>, %a: tensor<4x3xui8>, %c: tensor<i64>) {
  // expected-error@below {{'search.append_new' op list: got tensor<9x3xui8>, expected tensor<?x3xui8> (append_new_c4)}}
  %j, %l, %n = search.append_new %i, (%k), (%a) count %c rows %c cells %c : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x3xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<9x3xui8>, tensor<i64>)
  return
}

// -----

func.func @append_new_c4_index(%i: tensor<?xui64>, %k: tensor<?x3xui8>, %a: tensor<4x3xui8>, %c: tensor<i64>) {
  // expected-error@below {{'search.append_new' op new index: got tensor<8xui64>, expected tensor<?xui64> (append_new_c4)}}
  %j, %l, %n = search.append_new %i, (%k), (%a) count %c rows %c cells %c : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x3xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<8xui64>, tensor<?x3xui8>, tensor<i64>)
  return
}

// -----

func.func @append_new_c5(%i: tensor<?xui64>, %k: tensor<?x3xui8>, %a: tensor<4x3xui8>, %c: tensor<i64>) {
  // expected-error@below {{'search.append_new' op compared parts: got 2, expected 0 to 1 (append_new_c5)}}
  %j, %l, %n = search.append_new %i, (%k), (%a) count %c rows %c cells %c compared 2 : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x3xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<i64>)
  return
}
