// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growth on packed keys and on a dense index is that of the rows.
//
// A mask of inverse generators, with and without the last layer known.
// RUN: zenith-search bfs lrx:7 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefix=BACK %s
// BACK: SEA002
// BACK: layers: [1, 3, 6, 12, 22, 42, 73, 124, 203, 303, 425, 559, 678, 713, 746, 611, 355, 122, 28, 10, 3, 1]
// RUN: zenith-search bfs lrx:8 --no-dense-index | FileCheck --check-prefix=ODD %s
// RUN: zenith-search bfs lrx:8 --without=bit-rows --explain=search 2>&1 | FileCheck --check-prefixes=DENSE,ODD %s
// DENSE: SEA003 "lrx:8": layers are sets of 40320 bits: ranks of permutations of 8
// ODD: layers: [1, 3, 6, 12, 23, 44, 80, 142, 247, 411, 662, 1019, 1481, 2059, 2745, 3465, 4126, 4633, 4913, 4777, 4163, 3079, 1612, 488, 94, 25, 6, 3, 1]
// RUN: zenith-search bfs pancake:7 --threads=1 | FileCheck --check-prefix=PANCAKE %s
// RUN: zenith-search bfs pancake:7 --no-dense-index --threads=3 | FileCheck --check-prefix=PANCAKE %s
// PANCAKE: layers: [1, 6, 30, 149, 543, 1357, 1903, 1016, 35]
//
// Rows of bits: one per coset of a stabiliser.
// RUN: zenith-search bfs lrx:8 --threads=3 | FileCheck --check-prefix=ODD %s
// RUN: zenith-search bfs lrx:8 --explain=search 2>&1 | FileCheck --check-prefix=ROWS %s
// ROWS: SEA005 "lrx:8": layers are 8 rows of 5040 bits, with 4 maps of columns
// RUN: zenith-search bfs cube_222_fixed_qtm --max-layers=6 --explain=search 2>&1 | FileCheck --check-prefix=CUBE %s
// CUBE: SEA005 "cube_222_fixed_qtm": layers are 378 rows of 9720 bits
// CUBE: layers: [1, 6, 27, 120, 534, 2256, 8969]
//
// Marked bits, and what does not suit rows of them: a coset, a commutative group, starts that no element leads to.
// RUN: zenith-search bfs lrx:00000000011111 --without=dense-index --explain=search 2>&1 | FileCheck --check-prefix=MARKS %s
// RUN: zenith-search bfs lrx:00000000011111 --target=interp | FileCheck --check-prefix=MARKED %s
// MARKS: SEA006 "lrx:00000000011111": known states are marked in 8192 bits; positions that follow from the others: 1
// MARKS: layers: [1, 2, 3, 4, 6, 8, 10, 14, 17, 22, 31, 37, 47, 57, 63, 77, 91, 99, 109, 117, 124, 128, 131, 133, 124, 121, 114, 97, 84, 65, 42, 20, 4]
// MARKED: layers: [1, 2, 3, 4, 6, 8, 10, 14, 17, 22, 31, 37, 47, 57, 63, 77, 91, 99, 109, 117, 124, 128, 131, 133, 124, 121, 114, 97, 84, 65, 42, 20, 4]
// RUN: zenith-search bfs lrx:0000011111 --explain=search 2>&1 | FileCheck --check-prefix=SEVERAL %s
// SEVERAL: no rows of bits: several elements of the group give one state
// RUN: printf '{"generators": {"a": [1, 0, 2, 3, 4], "b": [0, 1, 3, 4, 2]}}' > %t.commutes.json
// RUN: zenith-search bfs %t.commutes.json --explain=search 2>&1 | FileCheck --check-prefix=COMMUTES %s
// COMMUTES: no rows of bits: generators commute
// COMMUTES: layers: [1, 2, 2, 1]
// RUN: printf '{"generators": {"a": [1, 2, 0, 3], "b": [1, 0, 3, 2]}}' > %t.even.json
// RUN: zenith-search bfs %t.even.json --start=0123 --start=1023 --explain=search 2>&1 | FileCheck --check-prefix=APART %s
// RUN: zenith-search bfs %t.even.json --start=0123 --start=1023 --target=interp | FileCheck --check-prefix=STARTS %s
// APART: no rows of bits: no element of the group takes one start to another
// APART: layers: [2, 4, 6, 8, 4]
// STARTS: layers: [2, 4, 6, 8, 4]
//
// No room for a mask of inverse generators; several words.
// RUN: zenith-search bfs cube_222_fixed_qtm --no-dense-index --without=pieces,symmetry-group --max-layers=6 --explain=search 2>&1 | FileCheck --check-prefix=FULL %s
// FULL: SEA102 "cube_222_fixed_qtm": no mask of inverse generators: no word has room for it
// FULL: layers: [1, 6, 27, 120, 534, 2256, 8969]
// RUN: zenith-search bfs cube_333_htm --without=pieces,symmetry-group --max-layers=3 --explain=search 2>&1 | FileCheck --check-prefix=WORDS %s
// WORDS: SEA001 "cube_333_htm": keys have 3 words: 48 fields of 3 bits for 54 positions
// WORDS: layers: [1, 18, 243, 3240]
//
// Cosets, directed graphs, matrices.
// RUN: zenith-search bfs lrx:0000011 | FileCheck --check-prefix=COSET %s
// RUN: zenith-search bfs lrx:0000011 --no-dense-index | FileCheck --check-prefix=COSET %s
// RUN: zenith-search bfs lrx:0000011 --target=interp | FileCheck --check-prefix=COSET %s
// COSET: layers: [1, 2, 3, 4, 3, 5, 2, 1]
// RUN: zenith-search bfs lx:5 | FileCheck --check-prefix=DIRECTED %s
// RUN: zenith-search bfs lx:5 --no-dense-index | FileCheck --check-prefix=DIRECTED %s
// RUN: zenith-search bfs lx:5 --target=interp | FileCheck --check-prefix=DIRECTED %s
// DIRECTED: layers: [1, 2, 3, 5, 8, 12, 15, 20, 22, 19, 11, 2]
// RUN: zenith-search bfs heisenberg:3,4 | FileCheck --check-prefix=MATRICES %s
// RUN: zenith-search bfs heisenberg:3,4 --target=interp | FileCheck --check-prefix=MATRICES %s
// MATRICES: layers: [1, 4, 10, 24, 20, 4, 1]
//
// Keys of many words would take longer to compile than they save.
// RUN: zenith-search bfs starminx_2 --max-layers=1 --explain=search 2>&1 | FileCheck --check-prefix=WIDE %s
// WIDE: SEA101 "starminx_2": the loop keeps rows of integers: keys would have 15 words, more than 8
// WIDE: layers: [1, 24]
//
// A generator that is there twice.
// RUN: printf '{"generators": {"a": [1, 2, 3, 0], "b": [3, 0, 1, 2], "c": [1, 2, 3, 0], "d": [1, 0, 2, 3]}}' > %t.json
// RUN: zenith-search bfs %t.json --no-dense-index | FileCheck --check-prefix=TWICE %s
// RUN: zenith-search bfs %t.json --target=interp | FileCheck --check-prefix=TWICE %s
// TWICE: layers: [1, 3, 5, 6, 5, 3, 1]
//
// Neighbours by many generators are made by several functions, which are compiled on several threads.
// RUN: zenith-search bfs cube_444_qtm --max-layers=2 --emit=graphir | zenith-compile - --emit=kernels -o - | FileCheck --check-prefix=PARTS %s
// RUN: zenith-search bfs cube_444_qtm --max-layers=3 | FileCheck --check-prefix=LARGE %s
// PARTS: func.func private @{{.*}}_chunk_part1
// LARGE: layers: [1, 24, 468, 9000]
