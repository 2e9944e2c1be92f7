// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growth on packed keys and on a dense index is that of the rows.
//
// Bits that lead back, with and without the last layer known.
// RUN: zenith-search bfs lrx:7 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefix=BACK %s
// BACK: SEA002
// BACK: layers: [1, 3, 6, 12, 22, 42, 73, 124, 203, 303, 425, 559, 678, 713, 746, 611, 355, 122, 28, 10, 3, 1]
// RUN: zenith-search bfs lrx:8 --no-dense-index | FileCheck --check-prefix=ODD %s
// RUN: zenith-search bfs lrx:8 --explain=search 2>&1 | FileCheck --check-prefixes=DENSE,ODD %s
// DENSE: SEA003 "lrx:8": layers are sets of 40320 bits: ranks of permutations of 8
// ODD: layers: [1, 3, 6, 12, 23, 44, 80, 142, 247, 411, 662, 1019, 1481, 2059, 2745, 3465, 4126, 4633, 4913, 4777, 4163, 3079, 1612, 488, 94, 25, 6, 3, 1]
// RUN: zenith-search bfs pancake:7 --threads=1 | FileCheck --check-prefix=PANCAKE %s
// RUN: zenith-search bfs pancake:7 --no-dense-index --threads=3 | FileCheck --check-prefix=PANCAKE %s
// PANCAKE: layers: [1, 6, 30, 149, 543, 1357, 1903, 1016, 35]
//
// No room for such bits; several words.
// RUN: zenith-search bfs cube_222_fixed_qtm --max-layers=6 --explain=search 2>&1 | FileCheck --check-prefix=FULL %s
// FULL: SEA102 "cube_222_fixed_qtm": no bits that lead back: a word has no room for them
// FULL: layers: [1, 6, 27, 120, 534, 2256, 8969]
// RUN: zenith-search bfs cube_333_htm --max-layers=3 --explain=search 2>&1 | FileCheck --check-prefix=WORDS %s
// WORDS: SEA001 "cube_333_htm": 48 of 54 positions in 3 bits each make keys of 3 words
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
// WIDE: SEA101 "starminx_2": the loop goes on with rows: keys would have 15 words, more than 8
// WIDE: layers: [1, 24]
//
// A generator that is there twice.
// RUN: printf '{"generators": {"a": [1, 2, 3, 0], "b": [3, 0, 1, 2], "c": [1, 2, 3, 0], "d": [1, 0, 2, 3]}}' > %t.json
// RUN: zenith-search bfs %t.json --no-dense-index | FileCheck --check-prefix=TWICE %s
// RUN: zenith-search bfs %t.json --target=interp | FileCheck --check-prefix=TWICE %s
// TWICE: layers: [1, 3, 5, 6, 5, 3, 1]
