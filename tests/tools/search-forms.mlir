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
// Many generators are a table, which keys of one and of several words, and numbers of permutations are looked up in.
// RUN: zenith-search bfs full_reversals:8 --without=bit-rows --explain=search 2>&1 | FileCheck --check-prefixes=TABLE,REVERSALS %s
// RUN: zenith-search bfs all_transpositions:17 --max-layers=2 --explain=search 2>&1 | FileCheck --check-prefixes=TABLE,WORDS %s
// RUN: zenith-search bfs all_transpositions:17 --max-layers=2 --target=interp | FileCheck --check-prefix=WORDS %s
// RUN: zenith-search bfs all_transpositions:9 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefixes=TABLE,SWAPS %s
// RUN: zenith-search bfs all_transpositions:9 --no-dense-index --without=back-bits,generator-table | FileCheck --check-prefix=SWAPS %s
// WORDS: layers: [1, 136, 8500]
// SWAPS: layers: [1, 36, 546, 4536, 22449, 67284, 118124, 109584, 40320]
//
// Bits that lead back in such a table, where a word has room for them.
// RUN: zenith-search bfs pancake:0000000011111111 --no-dense-index --explain=search 2>&1 | FileCheck --check-prefixes=TABLE,BACK,COSET %s
// RUN: zenith-search bfs pancake:0000000011111111 --without=back-bits,dense-index,bit-rows,marks | FileCheck --check-prefix=COSET %s
// RUN: zenith-search bfs pancake:0000000011111111 --target=interp | FileCheck --check-prefix=COSET %s
// BACK: SEA002 {{.*}} 15 bits tell which generators lead back
// COSET: layers: [1, 8, 56, 196, 588, 1176, 1960, 2450, 2450, 1960, 1176, 588, 196, 56, 8, 1]
//
// Starts that repeat values which another start has are no arrangements of one set.
// RUN: zenith-search bfs coxeter:5 --start=1,1,2,1,4 --start=0,1,3,4,2 --target=interp | FileCheck --check-prefix=STARTS %s
// RUN: zenith-search bfs coxeter:5 --start=1,1,2,1,4 --start=0,1,3,4,2 | FileCheck --check-prefix=STARTS %s
// STARTS: layers: [2, 7, 13, 19, 24, 25, 21, 15, 9, 4, 1]
//
// RUN: not zenith-search bfs lrx:4 --without=rows 2>&1 | FileCheck --check-prefix=NAME %s
// NAME: --without: rows not in
