// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of states that a search may choose give the same layers with and without each other.
//
// RUN: zenith-search bfs full_reversals:8 --target=interp | FileCheck --check-prefix=REVERSALS %s
// RUN: zenith-search bfs full_reversals:8 | FileCheck --check-prefix=REVERSALS %s
// RUN: zenith-search bfs full_reversals:8 --without=bit-rows | FileCheck --check-prefix=REVERSALS %s
// RUN: zenith-search bfs full_reversals:8 --without=keys,bit-rows,dense-index | FileCheck --check-prefix=REVERSALS %s
// TABLE: SEA004 {{.*}} generators are a table
// REVERSALS: layers: [1, 28, 487, 4642, 16445, 16604, 2111, 2]
//
// Many generators are a table: for keys of one word, of several words, and for indices of permutations.
// RUN: zenith-search bfs full_reversals:8 --without=bit-rows --explain=search 2>&1 | FileCheck --check-prefixes=TABLE,REVERSALS %s
// RUN: zenith-search bfs all_transpositions:17 --max-layers=2 --explain=search 2>&1 | FileCheck --check-prefixes=TABLE,WORDS %s
// RUN: zenith-search bfs all_transpositions:17 --max-layers=2 --target=interp | FileCheck --check-prefix=WORDS %s
// RUN: zenith-search bfs all_transpositions:9 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefixes=TABLE,SWAPS %s
// RUN: zenith-search bfs all_transpositions:9 --no-dense-index --without=back-bits,generator-table | FileCheck --check-prefix=SWAPS %s
// WORDS: layers: [1, 136, 8500]
// SWAPS: layers: [1, 36, 546, 4536, 22449, 67284, 118124, 109584, 40320]
//
// A mask of inverse generators in such a table, where a word has room for them.
// RUN: zenith-search bfs pancake:0000000011111111 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefixes=TABLE,BACK,COSET %s
// RUN: zenith-search bfs pancake:0000000011111111 --without=back-bits,dense-index,bit-rows,marks | FileCheck --check-prefix=COSET %s
// RUN: zenith-search bfs pancake:0000000011111111 --target=interp | FileCheck --check-prefix=COSET %s
// BACK: SEA002 {{.*}} 15 bits mask inverse generators
// COSET: layers: [1, 8, 56, 196, 588, 1176, 1960, 2450, 2450, 1960, 1176, 588, 196, 56, 8, 1]
//
// Starts that repeat values which another start has are no arrangements of one set.
// RUN: zenith-search bfs coxeter:5 --start=1,1,2,1,4 --start=0,1,3,4,2 --target=interp | FileCheck --check-prefix=STARTS %s
// RUN: zenith-search bfs coxeter:5 --start=1,1,2,1,4 --start=0,1,3,4,2 | FileCheck --check-prefix=STARTS %s
// STARTS: layers: [2, 7, 13, 19, 24, 25, 21, 15, 9, 4, 1]
//
// Of two states that a symmetry of the graph exchanges only one is kept: with a value that the symmetry maps to itself,
// with keys of two words, and with starts that the symmetry exchanges.
// RUN: zenith-search bfs lrx:11 --max-layers=9 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefixes=HALF,ODD %s
// RUN: zenith-search bfs lrx:11 --max-layers=9 --no-dense-index --without=symmetry --explain=search 2>&1 | FileCheck --check-prefixes=WHOLE,ODD %s
// RUN: zenith-search bfs lrx:11 --max-layers=9 --target=interp | FileCheck --check-prefix=ODD %s
// RUN: zenith-search bfs top_spin:20 --max-layers=9 --explain=search 2>&1 | FileCheck --check-prefixes=HALF,SPIN %s
// RUN: zenith-search bfs top_spin:20 --max-layers=9 --without=symmetry | FileCheck --check-prefix=SPIN %s
// RUN: zenith-search bfs lrx:12 --no-dense-index --start=0,1,2,3,4,5,6,7,8,9,10,11 --start=1,2,3,4,5,6,7,8,9,10,11,0 --start=11,0,1,2,3,4,5,6,7,8,9,10 --max-layers=6 --explain=search 2>&1 | FileCheck --check-prefixes=HALF,SOME %s
// RUN: zenith-search bfs lrx:12 --no-dense-index --start=0,1,2,3,4,5,6,7,8,9,10,11 --start=1,2,3,4,5,6,7,8,9,10,11,0 --max-layers=6 --explain=search 2>&1 | FileCheck --check-prefixes=WHOLE,TWO %s
// HALF: SEA008
// WHOLE-NOT: SEA008
// ODD: layers: [1, 3, 6, 12, 24, 48, 89, 166, 309, 560]
// SPIN: layers: [1, 3, 6, 12, 24, 48, 96, 192, 384, 765]
// SOME: layers: [3, 5, 10, 20, 40, 78, 142]
// TWO: layers: [2, 4, 8, 16, 32, 64, 116]
//
// Positions that move together, as the stickers of a cubie or a signed number, share one field; the last layer is counted or written down.
// RUN: zenith-search bfs cube_333_htm --max-layers=4 --without=symmetry-group --explain=search 2>&1 | FileCheck --check-prefixes=PIECES,SHORT,LAST,CUBE %s
// RUN: zenith-search bfs cube_333_htm --max-layers=4 --without=symmetry-group,pieces,last-count --explain=search 2>&1 | FileCheck --check-prefixes=STICKERS,CUBE %s
// RUN: zenith-search bfs cube_333_htm --max-layers=3 --target=interp | FileCheck --check-prefix=FEWER %s
// RUN: zenith-search bfs cube_222_fixed_qtm --max-layers=8 --no-dense-index --threads=2 --explain=search 2>&1 | FileCheck --check-prefixes=PIECES,SMALL %s
// RUN: zenith-search bfs cube_222_fixed_qtm --max-layers=8 --no-dense-index --without=pieces | FileCheck --check-prefix=SMALL %s
// RUN: zenith-search bfs burnt_pancake:8 --max-layers=5 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefixes=PIECES,BURNT %s
// RUN: zenith-search bfs burnt_pancake:8 --max-layers=5 --no-dense-index --without=pieces,keys | FileCheck --check-prefix=BURNT %s
// PIECES: SEA009 {{.*}} whose positions always move together
// SHORT: SEA001 {{.*}} keys have 2 words: 20 fields of 5 bits for 54 positions
// LAST: SEA010
// STICKERS-NOT: SEA009
// STICKERS-NOT: SEA010
// FEWER: layers: [1, 18, 243, 3240]
// CUBE: layers: [1, 18, 243, 3240, 43239]
// SMALL: layers: [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149]
// BURNT: layers: [1, 8, 56, 392, 2548, 14056]
//
// One state stands for all that symmetries take it to: with blocks and with single positions, on threads and one, with several
// starts, with more symmetries than are used, and where memory is short.
// RUN: zenith-search bfs cube_333_htm --max-layers=4 --threads=2 --explain=search 2>&1 | FileCheck --check-prefixes=ALL,HTM %s
// RUN: zenith-search bfs cube_333_htm --max-layers=4 --threads=1 --without=pieces --explain=search 2>&1 | FileCheck --check-prefixes=ALL,HTM %s
// RUN: zenith-search bfs cube_333_qtm --max-layers=5 --explain=search 2>&1 | FileCheck --check-prefixes=ALL,QTM %s
// RUN: zenith-search bfs cube_333_qtm --max-layers=5 --max-memory=8M --threads=2 --explain=search 2>&1 | FileCheck --check-prefixes=ALL,QTM %s
// RUN: zenith-search bfs stars:11 --max-layers=5 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefixes=MANY,SWAPPED %s
// RUN: zenith-search bfs stars:11 --max-layers=5 --no-dense-index --without=symmetry-group,symmetry | FileCheck --check-prefix=SWAPPED %s
// RUN: zenith-search bfs stars:11 --start=0,1,2,3,4,5,6,7,8,9,10 --start=0,2,1,3,4,5,6,7,8,9,10 --max-layers=4 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefixes=MANY,PAIR %s
// RUN: zenith-search bfs stars:11 --start=0,1,2,3,4,5,6,7,8,9,10 --start=0,2,1,3,4,5,6,7,8,9,10 --max-layers=4 --no-dense-index --without=symmetry-group,symmetry | FileCheck --check-prefix=PAIR %s
// ALL-NOT: SEA007
// ALL: SEA011 {{.*}} 48 symmetries of the graph
// MANY: SEA011 {{.*}} symmetries of the graph
// HTM: layers: [1, 18, 243, 3240, 43239]
// QTM: layers: [1, 12, 114, 1068, 10011, 93840]
// SWAPPED: layers: [1, 10, 90, 765, 5640, 35700]
// PAIR: layers: [2, 20, 176, 1464, 10528]
//
// The last layer asked for may come after all layers, and may be layer 0.
// RUN: zenith-search bfs top_spin:20 --max-layers=0 --without=symmetry | FileCheck --check-prefix=FIRST %s
// RUN: zenith-search bfs cube_333_qtm --max-layers=1 | FileCheck --check-prefix=SECOND %s
// FIRST: layers: [1]
// SECOND: layers: [1, 12]
//
// Of marked states one position follows from the others, unless starts have different sums.
// RUN: zenith-search bfs lrx:00000000001111111111 --explain=search 2>&1 | FileCheck --check-prefixes=FOLLOWS,WORD %s
// RUN: zenith-search bfs lrx:00000000001111111111 --without=marks | FileCheck --check-prefix=WORD %s
// RUN: zenith-search bfs lrx:012301230123 --without=bit-rows,dense-index --explain=search 2>&1 | FileCheck --check-prefixes=FOLLOWS,FOUR %s
// RUN: zenith-search bfs lrx:012301230123 --without=bit-rows,dense-index,marks | FileCheck --check-prefix=FOUR %s
// RUN: zenith-search bfs lrx:12 --start=000000111111 --start=010101010101 --start=011111000000 --without=bit-rows,dense-index --explain=search 2>&1 | FileCheck --check-prefixes=OWN,THREE %s
// RUN: zenith-search bfs lrx:12 --start=000000111111 --start=010101010101 --start=011111000000 --target=interp | FileCheck --check-prefix=THREE %s
// FOLLOWS: SEA006 {{.*}} positions that follow from the others: 1{{$}}
// OWN: SEA006 {{.*}} are marked in 4096 bits; positions that follow from the others: 0{{$}}
// WORD: layers: [1, 2, 3, 4, 6, 8, 10, 14, 17, 21, 28, 32, 41, 53, 63, 81, 100, 124, 164, 204, 251, 318, 384, 473, 574, 683, 815,
// FOUR: layers: [1, 3, 5, 9, 18, 36, 66, 118, 211, 367, 623, 1054, 1753, 2847, 4475, 6828, 10062, 14150, 18849, 23701, 28108, 31147,
// THREE: layers: [3, 7, 10, 14, 20, 29, 42, 56, 76, 98, 130, 161, 185, 195, 150, 129, 84, 68, 61, 59, 49, 39, 30, 16, 5]
//
// Marked states are halved where a symmetry fixes the start; the layers are equal to those of all marks and of keys.
// RUN: zenith-search bfs lrx:24 --start=111111100000000000011111 --explain=search > %t.halved.out 2> %t.halved.err
// RUN: FileCheck --check-prefix=MIRRORED %s < %t.halved.err
// RUN: zenith-search bfs lrx:24 --start=111111100000000000011111 --without=symmetry --threads=1 > %t.whole.out
// RUN: zenith-search bfs lrx:24 --start=111111100000000000011111 --without=marks --threads=2 > %t.keys.out
// RUN: cmp %t.halved.out %t.whole.out
// RUN: cmp %t.halved.out %t.keys.out
// MIRRORED: SEA006 {{.*}} marked in 8388608 bits; positions that follow from the others: 1
// MIRRORED: SEA008
//
// RUN: not zenith-search bfs lrx:4 --without=rows 2>&1 | FileCheck --check-prefix=NAME %s
// NAME: --without: rows not in
// RUN: not zenith-search bfs lrx:4 --report=memory 2>&1 | FileCheck --check-prefix=REPORT %s
// REPORT: --report: memory is not a report of zenith-search
