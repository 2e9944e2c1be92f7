// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growth of graphs of states through the command line, compiled and interpreted.
//
// RUN: zenith-search bfs lrx:6 --target=interp | FileCheck --check-prefix=LRX %s
// RUN: zenith-search bfs lrx:6 | FileCheck --check-prefix=LRX %s
// RUN: zenith-search bfs lrx:6 --json=- | FileCheck --check-prefix=JSON --implicit-check-not=layers: %s
// LRX: layers: [1, 3, 6, 11, 20, 35, 55, 81, 109, 128, 126, 95, 40, 6, 3, 1]
// JSON: "complete":true,"diameter":15,"found":null,"generators":["L","R","X"],"graph":"lrx:6","layers":[1,3,6,
// JSON-SAME: "reason":null
// JSON-SAME: "states":720
//
// A directed graph remembers every layer; the empty layer at the end does not count.
// RUN: zenith-search bfs lx:4 | FileCheck --check-prefix=LX %s
// LX: layers: [1, 2, 3, 5, 5, 5, 3]
//
// Matrices, cosets, several starts, a last layer.
// RUN: zenith-search bfs heisenberg:3,3 | FileCheck --check-prefix=HEISENBERG %s
// HEISENBERG: layers: [1, 4, 8, 12, 2]
// RUN: zenith-search bfs lrx:00011 | FileCheck --check-prefix=COSET %s
// COSET: layers: [1, 2, 3, 2, 2]
// RUN: zenith-search bfs lrx:4 --start=0123 --start=1023 --start=0123 --max-layers=1 | FileCheck --check-prefix=STARTS %s
// STARTS: layers: [2, 4]
// RUN: zenith-search bfs cube_333_htm --max-layers=2 | FileCheck --check-prefix=CUBE %s
// CUBE: layers: [1, 18, 243]
//
// Layers and adjacency; states from a file start the next search.
// RUN: zenith-search bfs lrx:4 --max-layers=1 --store-layers=%t.npy --store-adjacency=%t.edges.npy
// RUN: zenith-search bfs lrx:4 --start=@%t.npy | FileCheck --check-prefix=FILE %s
// FILE: layers: [4, 5, 6, 5, 3, 1]
//
// What was found before memory ended is not lost.
// RUN: not zenith-search bfs cube_333_qtm --max-memory=1M --json=%t.json > %t.out 2> %t.err
// RUN: cat %t.json >> %t.out
// RUN: FileCheck --check-prefix=CUT %s < %t.out
// RUN: FileCheck --check-prefix=BYTES %s < %t.err
// CUT: layers: [1, 12, 114,
// CUT: incomplete
// CUT: "complete":false
// BYTES: bytes{{.*}}layers 0 to {{[0-9]+}} have {{[0-9]+}} states
//
// RUN: zenith-search bfs starminx_2 --max-layers=2 --target=interp | FileCheck --check-prefix=STARMINX %s
// STARMINX: layers: [1, 24, 528]
//
// RUN: zenith-search bfs lrx:4 --emit=graphir | FileCheck --check-prefix=PROGRAM %s
// PROGRAM: graph.while
// PROGRAM: graph.unique
//
// The growth of a directed graph as ONNX.
// RUN: zenith-search bfs lx:4 --emit=graphir > %t.mlir
// RUN: zenith-translate %t.mlir -o %t.onnx --check
//
// RUN: not zenith-search bfs lrx:4 --start=012 2>&1 | FileCheck --check-prefix=LENGTH %s
// LENGTH: a state of this graph has 4 numbers, got 3
// RUN: not zenith-search bfs lrxx:4 2>&1 | FileCheck --check-prefix=NAME %s
// NAME: no graph of this name, did you mean 'lrx:4'?
// RUN: not zenith-search bfs 2>&1 | FileCheck --check-prefix=USAGE %s
// USAGE: graph is required
// RUN: not zenith-search bfs lrx:4 --max-layers=-1 2>&1 | FileCheck --check-prefix=LAYERS %s
// LAYERS: --max-layers: Value -1 not in range 0 to 1073741824
// A result that has no place to go is refused before the search.
// RUN: not zenith-search bfs lrx:4 --json=%t.none/x.json > %t.out 2>&1
// RUN: FileCheck --check-prefix=FOLDER %s --implicit-check-not=layers < %t.out
// FOLDER: x.json: error: cannot write: no folder
// A file of results is there as a whole or not at all.
// RUN: echo before > %t.json
// RUN: sh -c 'ulimit -f 0; zenith-search bfs lrx:4 --json=%t.json; echo status $?' 2>&1 | FileCheck --check-prefix=WHOLE %s
// RUN: FileCheck --check-prefix=BEFORE %s < %t.json
// WHOLE: error: cannot write '{{.*}}.json': File too large
// WHOLE: status 6
// BEFORE: before
// RUN: not zenith-search bfs lrx:4 --thread=2 2>&1 | FileCheck --check-prefix=NEAREST %s
// NEAREST: unknown option '--thread', did you mean '--threads'?
