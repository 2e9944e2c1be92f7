// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches that run in parts: step by step, from a checkpoint on, from many starts; and what a graph is.
//
// Step by step, on both targets; the results are those of one piece.
// RUN: zenith-search bfs lrx:5 --stepwise | FileCheck --check-prefix=STEPS %s
// RUN: zenith-search bfs lx:4 --stepwise --target=interp | FileCheck --check-prefix=INTERP %s
// RUN: zenith-search beam lrx:5 --from=43210 --width=120 --max-steps=20 --score=zero --stepwise | FileCheck --check-prefix=BEAM %s
// RUN: zenith-search path lrx:6 --from=543210 --stepwise | FileCheck --check-prefix=PATH %s
// RUN: zenith-search path lrx:5 --from=21340 --stepwise --target=interp | FileCheck --check-prefix=ENDS %s
// STEPS: "layer":3,"more":true,"step":1}
// STEPS: "layer":0,"more":false,"step":11}
// STEPS: layers: [1, 3, 6, 10, 16, 24, 29, 21, 6, 3, 1]
// INTERP: "layer":2,"more":true,"step":1}
// INTERP: layers: [1, 2, 3, 5, 5, 5, 3]
// BEAM: "more":false,"step":8}
// BEAM: path: X L L X L X R X
// ENDS: "layer":3,"more":true,"step":1}
// PATH: "more":false
// PATH: path: {{([LRX] ){12}[LRX]$}}
//
// Sets of bits, bits of cosets, and rows within a memory bound have states of their own.
// RUN: zenith-search bfs lrx:8 > %t.whole
// RUN: rm -rf %t.kept && zenith-search bfs lrx:8 --checkpoint-dir=%t.kept --checkpoint-every=5 | diff %t.whole -
// RUN: rm -rf %t.kept && zenith-search bfs lrx:8 --no-dense-index --checkpoint-dir=%t.kept | diff %t.whole -
// RUN: rm -rf %t.kept && zenith-search bfs lrx:8 --max-memory=3M --checkpoint-dir=%t.kept | diff %t.whole -
//
// Beams and paths go on, too.
// RUN: rm -rf %t.kept && zenith-search path lrx:6 --from=543210 --max-steps=5 --checkpoint-dir=%t.kept
// RUN: zenith-search path lrx:6 --from=543210 --resume=%t.kept | FileCheck --check-prefix=FOUND %s
// FOUND: path: {{([LRX] ){12}[LRX]$}}
// RUN: rm -rf %t.kept && zenith-search beam lrx:5 --from=43210 --width=120 --max-steps=17 --score=zero --checkpoint-dir=%t.kept --checkpoint-every=3
// RUN: zenith-search beam lrx:5 --from=43210 --width=120 --max-steps=20 --score=zero --resume=%t.kept | FileCheck --check-prefix=AGAIN %s
// AGAIN: path: X L L X L X R X
// Limits may differ: the links of a path have room for those of the other one.
// RUN: rm -rf %t.limit
// RUN: zenith-search beam lrx:7 --from=1065432 --score=zero --width=5040 --max-steps=9 --checkpoint-dir=%t.limit
// RUN: zenith-search beam lrx:7 --from=1065432 --score=zero --width=5040 --max-steps=300 --checkpoint-dir=%t.limit --resume > %t.resumed
// RUN: zenith-search beam lrx:7 --from=1065432 --score=zero --width=5040 --max-steps=300 | diff %t.resumed -
// RUN: FileCheck --check-prefix=LINKS %s --input-file=%t.resumed
// LINKS: path: {{([LRX] ){20}[LRX]$}}
// RUN: zenith-search beam lrx:7 --from=1065432 --score=zero --width=5040 --max-steps=21 --resume=%t.limit | diff %t.resumed -
//
// A checkpoint goes on where limits differ, and nowhere else.
// RUN: rm -rf %t.kept && zenith-search bfs lrx:8 --max-layers=7 --checkpoint-dir=%t.kept
// RUN: zenith-search bfs lrx:8 --checkpoint-dir=%t.kept --resume --json=%t.json | diff %t.whole -
// RUN: FileCheck --check-prefix=RESUMED %s < %t.json
// RESUMED: "complete":true,"diameter":28{{.*}}"resumed_from":7
// RUN: %python %S/Inputs/exit_code.py 2 zenith-search bfs lrx:9 --checkpoint-dir=%t.kept --resume 2>&1 | FileCheck --check-prefix=OTHER %s
// OTHER: is a checkpoint of another search, of lrx:8
// RUN: %python %S/Inputs/exit_code.py 2 zenith-search bfs lrx:8 --start=10234567 --resume=%t.kept 2>&1 | FileCheck --check-prefix=OTHER %s
// RUN: head -c 300 %t.kept/search.safetensors > %t.short && cp %t.short %t.kept/search.safetensors
// RUN: %python %S/Inputs/exit_code.py 2 zenith-search bfs lrx:8 --resume=%t.kept 2>&1 | FileCheck --check-prefix=SHORT %s
// SHORT: search.safetensors: error:
// RUN: %python %S/Inputs/exit_code.py 2 zenith-search bfs lrx:8 --resume=%t.none 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: has no checkpoint to resume
//
// A signal ends a search after the layer that is whole.
// RUN: sh -c 'zenith-search bfs lrx:13 --max-memory=2G --json=%t.json > %t.out 2> %t.err & sleep 1; kill -TERM $!; wait $!; echo status $?' | FileCheck --check-prefix=STOPPED %s
// RUN: cat %t.json %t.err | FileCheck --check-prefix=CANCELLED %s
// STOPPED: status 6
// CANCELLED: "complete":false,"diameter":null{{.*}}"layers":[1{{.*}}"reason":"cancelled"
// CANCELLED: lrx:13: error: cancelled by a signal; layers 0 to {{[0-9]+}} have {{[0-9]+}} states
//
// The functions share one state.
// RUN: zenith-search bfs lrx:5 --emit=graphir --entries=init,step,run | FileCheck --check-prefix=ENTRIES %s
// RUN: zenith-search bfs lrx:5 --emit=graphir --entries=init,step,run,results | zenith-opt
// ENTRIES: func.func @init({{.*}}"max_layers"
// ENTRIES: func.func @step({{.*}}"carried0"
// ENTRIES-NOT: graph.while
// ENTRIES: func.func @run({{.*}}"limit"
// ENTRIES: graph.while
// RUN: not zenith-search bfs lrx:5 --emit=graphir --entries=first 2>&1 | FileCheck --check-prefix=NOENTRY %s
// NOENTRY: no function is called 'first'; there are init, step, run, results
//
// Many starts, a line each, compiled once; distances; hashes in chunks.
// RUN: zenith-search bfs lrx:5 --store-layers=%t.npy --layers=1..2
// RUN: zenith-search path lrx:5 --from=@%t.npy --from=43210 --json=- | FileCheck --check-prefix=STARTS %s
// STARTS-COUNT-9: "path_length":{{[12]}},
// STARTS: "compile_ms":0,{{.*}}"from":[4,3,2,1,0]
// RUN: zenith-search distance lrx:5 --states=%t.npy -o %t.distances.npy --json=- | FileCheck --check-prefix=NEAR %s
// NEAR: "layers":[1,3,6],{{.*}}"reached":9
// RUN: zenith-search bfs lrx:5 --store-layers=%t.central.npy --layers=0..1
// RUN: zenith-search distance lrx:5 --states=%t.central.npy -o %t.distances.npy --json=- | FileCheck --check-prefix=CENTRAL %s
// CENTRAL: "layers":[1,3],{{.*}}"reached":4
// RUN: zenith-search bfs lrx:5 --store-layers=%t.central.npy --layers=0..0
// RUN: zenith-search distance lrx:5 --states=%t.central.npy -o %t.distances.npy --json=- | FileCheck --check-prefix=ITSELF %s
// ITSELF: "layers":[1],{{.*}}"reached":1
// Some states twice, and the same distances without bits and by the interpreter.
// RUN: zenith-search walks lrx:5 --width=40 --length=5 -o %t.walks.npy
// RUN: zenith-search distance lrx:5 --states=%t.walks.npy -o %t.distances.npy --threads=2 --json=- | FileCheck --check-prefix=TWICE %s
// TWICE: "reached":200,
// RUN: zenith-search distance lrx:5 --states=%t.walks.npy -o %t.keys.npy --without=bit-rows
// RUN: cmp %t.distances.npy %t.keys.npy
// RUN: zenith-search distance lrx:5 --states=%t.walks.npy -o %t.rows.npy --target=interp
// RUN: cmp %t.distances.npy %t.rows.npy
//
// States of any type; one that is the central state, one that has other numbers.
// RUN: %python %S/Inputs/npy.py write %t.typed.npy '<i8' 4x5 1 0 2 3 4 0 1 2 3 4 1 1 2 3 4 4 0 1 2 3
// RUN: zenith-search distance lrx:5 --states=%t.typed.npy -o %t.distances.npy
// RUN: %python %S/Inputs/npy.py print %t.distances.npy | FileCheck --check-prefix=TYPED %s
// RUN: %python %S/Inputs/npy.py write %t.typed.npy '<u2' 4x5 1 0 2 3 4 0 1 2 3 4 1 1 2 3 4 4 0 1 2 3
// RUN: zenith-search distance lrx:5 --states=%t.typed.npy -o %t.distances.npy
// RUN: %python %S/Inputs/npy.py print %t.distances.npy | FileCheck --check-prefix=TYPED %s
// RUN: %python %S/Inputs/npy.py write %t.typed.npy '|i1' 4x5 1 0 2 3 4 0 1 2 3 4 1 1 2 3 4 4 0 1 2 3
// RUN: zenith-search distance lrx:5 --states=%t.typed.npy -o %t.distances.npy
// RUN: %python %S/Inputs/npy.py print %t.distances.npy | FileCheck --check-prefix=TYPED %s
// TYPED: <i8 (4,) [1, 0, -1, 1]
// RUN: %python %S/Inputs/npy.py write %t.typed.npy '<i4' 2x5 1 0 2 3 4 0 1 2 -3 4
// RUN: %python %S/Inputs/exit_code.py 2 zenith-search distance lrx:5 --states=%t.typed.npy -o %t.distances.npy 2>&1 | FileCheck --check-prefix=NEGATIVE %s
// NEGATIVE: row 1: the central state has no -3; its numbers are 0 to 4
//
// RUN: zenith-search hash %t.npy --kind=matrix --lanes=3 --seed=5 -o %t.hashes.npy
// RUN: zenith-search hash %t.npy --kind=matrix --lanes=3 --seed=5 --chunk-size=2 --target=interp -o %t.chunks.npy --json=- | FileCheck --check-prefix=CHUNKS %s
// RUN: cmp %t.hashes.npy %t.chunks.npy
// CHUNKS: "chunks":5,
//
// What a graph is; both files read back as the same one.
// RUN: zenith-search info cube_222_qtm --json=%t.cube.json --gap=%t.cube.gap | FileCheck --check-prefix=CUBE %s
// CUBE: group order: 88179840
// CUBE: net:
// RUN: zenith-search info %t.cube.json --gap=%t.again.gap
// RUN: cmp %t.cube.gap %t.again.gap
// RUN: zenith-search bfs %t.cube.gap --max-layers=2 --json=- | FileCheck --check-prefix=READ %s
// READ: "generators":["f0","f0'","f1",{{.*}}"layers":[1,12,114]
// RUN: %python %S/Inputs/exit_code.py 3 zenith-search info heisenberg:3,3 --gap=%t.gap 2>&1 | FileCheck --check-prefix=MATRICES %s
// MATRICES: the generators of this graph are matrices
//
// Numbers, rows and words that do not fit are refused, with their place.
// RUN: %python %S/Inputs/exit_code.py 2 zenith-search path lrx:4 --from=@%t.npy 2>&1 | FileCheck --check-prefix=WIDTH %s
// WIDTH: row 0: a state of this graph has 4 numbers, got 5
// RUN: %python %S/Inputs/exit_code.py 2 zenith-search bfs lrx:5 --start=01239 2>&1 | FileCheck --check-prefix=NUMBER %s
// NUMBER: the central state has no 9; its numbers are 0 to 4
// RUN: zenith-search bfs lrx:5 --start=01233 2>&1 | FileCheck --check-prefix=ORBIT %s
// ORBIT: warning: the central state does not reach the start 01233
// RUN: %python %S/Inputs/exit_code.py 1 zenith-search walks lrx:5 --width=2 --length=2 -o %t.w.npy --seed=-1 2>&1 | FileCheck --check-prefix=SEED %s
// SEED: needs a number from 0 to 18446744073709551615
// RUN: %python %S/Inputs/exit_code.py 1 zenith-search bfs lrx:5 --layers=last 2>&1 | FileCheck --check-prefix=LAYERS %s
// LAYERS: --layers has no effect without --store-layers or --store-adjacency
// RUN: sh -c 'zenith-search bfs lrx:5 > /dev/full; echo status $?' 2>&1 | FileCheck --check-prefix=DISK %s
// DISK: standard output: error: cannot write: No space left on device
// DISK: status 6
