// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search through the command line, compiled and interpreted.
//
// A beam that holds every state finds a shortest path.
// RUN: zenith-search beam lrx:5 --from=43210 --width=120 --max-steps=20 --score=zero --target=interp | FileCheck --check-prefix=WIDE %s
// RUN: zenith-search beam lrx:5 --from=43210 --width=120 --max-steps=20 --score=zero | FileCheck --check-prefix=WIDE %s
// RUN: zenith-search beam lrx:5 --from=43210 --width=120 --max-steps=20 --score=zero --json=- | FileCheck --check-prefix=JSON %s
// WIDE: path: X L L X L X R X
// JSON: "found":true,"from":[4,3,2,1,0],"generators":["L","R","X"],"graph":"lrx:5","layers":[1,3,7,
// JSON-SAME: "path":["X","L","L","X","L","X","R","X"]
//
// RUN: zenith-search beam pancake:6 --from=5,3,1,0,2,4 --width=20 --max-steps=20 --target=interp | FileCheck --check-prefix=PANCAKE %s
// RUN: zenith-search beam pancake:6 --from=5,3,1,0,2,4 --width=20 --max-steps=20 --threads=2 | FileCheck --check-prefix=PANCAKE %s
// RUN: zenith-search beam pancake:6 --from=5,3,1,0,2,4 --width=20 --max-steps=20 --without=score-first --explain=search 2>&1 | FileCheck --check-prefixes=DISTINCT,PANCAKE %s
// DISTINCT: SEA302
// RUN: zenith-search beam pancake:6 --from=5,3,1,0,2,4 --width=20 --max-steps=20 --metrics --explain=search 2>&1 | FileCheck --check-prefixes=COUNTED,PANCAKE %s
// RUN: zenith-search beam pancake:6 --from=5,3,1,0,2,4 --width=20 --max-steps=20 --metrics --history=1 --explain=search 2>&1 | FileCheck --check-prefixes=COUNTED,PANCAKE %s
// RUN: zenith-search beam lrx:5 --from=43210 --width=30 --max-steps=20 --metrics --explain=search 2>&1 | FileCheck --check-prefix=COUNTED %s
// COUNTED: SEA301
//
// Counts are the same however the search counts, compiled and interpreted.
// RUN: zenith-search beam pancake:8 --from=6,0,3,1,7,4,2,5 --width=15 --max-steps=9 --metrics --history=2 --json=- | FileCheck --check-prefix=COUNTS %s
// RUN: zenith-search beam pancake:8 --from=6,0,3,1,7,4,2,5 --width=15 --max-steps=9 --metrics --history=2 --target=interp --json=- | FileCheck --check-prefix=COUNTS %s
// RUN: zenith-search beam pancake:8 --from=6,0,3,1,7,4,2,5 --width=15 --max-steps=9 --metrics --history=2 --without=score-first --json=- | FileCheck --check-prefix=COUNTS %s
// COUNTS: "duplicates":61,"expanded":791
// COUNTS-SAME: "scored":660
// PANCAKE: path: R{{[2-6]}}
//
// The start is the target; the target is out of reach.
// RUN: zenith-search beam lrx:5 --from=20143 --to=20143 --width=3 --max-steps=0 --json=- | FileCheck --check-prefix=SAME %s
// SAME: "found":true{{.*}}"path":[]
// RUN: zenith-search beam lrx:5 --from=43210 --width=3 --max-steps=2 --json=- | FileCheck --check-prefix=FAR %s
// FAR: "found":false{{.*}}"path":null,"path_length":-1{{.*}}"reason":"max_steps"
//
// Matrices; layers that don't come back.
// RUN: zenith-search beam heisenberg:3,3 --from=1,1,1,0,1,0,0,0,1 --width=30 --max-steps=9 --history=2 | FileCheck --check-prefix=MATRIX %s
// RUN: zenith-search beam heisenberg:3,3 --from=1,1,1,0,1,0,0,0,1 --width=30 --max-steps=9 --metrics --explain=search 2>&1 | FileCheck --check-prefixes=FORMED,MATRIX %s
// FORMED: SEA401
// MATRIX: path: {{[xy]}}
//
// What its kernels did, and how long they took.
// RUN: zenith-search beam lrx:5 --from=43210 --width=9 --max-steps=9 --report=time,roofline | FileCheck --check-prefix=REPORT %s
// REPORT: "kernels":[{"calls":{{.*}}"phases"
// REPORT: "calls":9,"flops":{{[1-9].*}}"machine"
// RUN: not zenith-search beam lrx:5 --from=43210 --width=9 --max-steps=9 --target=interp --report=time 2>&1 | FileCheck --check-prefix=NOKERNELS %s
// NOKERNELS: --report: the interpreter has no kernels
//
// A model scores the states that a step has found.
// RUN: zenith-translate %s -o %t.onnx
// RUN: zenith-search beam lrx:5 --from=43210 --width=200 --max-steps=20 --score=%t.onnx --explain=search 2>&1 | FileCheck --check-prefix=MODEL %s
// MODEL: SEA302
// MODEL: path: X L L X L X R X
// RUN: not zenith-search beam lrx:6 --from=543210 --width=20 --max-steps=9 --score=%t.onnx 2>&1 | FileCheck --check-prefix=MISFIT %s
// MISFIT: the model's input is tensor<?x5xi64>
//
// What is printed are plain steps; the compiled ones score first.
// RUN: zenith-search beam lrx:5 --from=43210 --width=9 --max-steps=9 --emit=graphir | FileCheck --check-prefix=PROGRAM %s
// PROGRAM: graph.while
// PROGRAM: graph.unique
// PROGRAM: graph.top_k
// RUN: zenith-search beam lrx:5 --from=43210 --width=9 --max-steps=9 --explain=search 2>&1 | FileCheck --check-prefix=FIRST %s
// FIRST: SEA301
//
// Searches can be written as ONNX, and mean the same there.
// RUN: zenith-search beam pancake:6 --from=5,3,1,0,2,4 --width=20 --max-steps=20 --emit=graphir > %t.mlir
// RUN: zenith-translate %t.mlir -o %t.search.onnx --check
// RUN: zenith-search beam lrx:5 --from=43210 --width=20 --max-steps=9 --score=%t.onnx --emit=graphir > %t.mlir
// RUN: zenith-translate %t.mlir -o %t.search.onnx --check
//
// RUN: not zenith-search beam lrx:5 --from=432109 --width=9 --max-steps=9 2>&1 | FileCheck --check-prefix=LENGTH %s
// LENGTH: a state of this graph has 5 numbers, got 6
// RUN: not zenith-search beam lrx:5 --from=43x10 --width=9 --max-steps=9 2>&1 | FileCheck --check-prefix=TEXT %s
// TEXT: a state is digits
// RUN: not zenith-search beam lrx:5 --from=43210 --width=0 --max-steps=9 2>&1 | FileCheck --check-prefix=WIDTH %s
// WIDTH: --width
// RUN: not zenith-search beam lrx:5 --width=4 --max-steps=9 2>&1 | FileCheck --check-prefix=FROM %s
// FROM: --from is required

// Gives every state of five numbers the same score.
func.func @main(%x: tensor<?x5xi64> {graph.name = "states", graph.dims = ["batch", "5"]})
    -> (tensor<?xf32> {graph.name = "scores", graph.dims = ["batch"]}) {
  %f = graph.convert %x : tensor<?x5xi64> -> tensor<?x5xf32>
  %s = graph.reduce sum, %f [1] : tensor<?x5xf32> -> tensor<?xf32>
  return %s : tensor<?xf32>
}
//
// Words that are none: scores and commands are suggested or listed.
// RUN: not zenith-search beam lrx:5 --from=43210 --score=haming 2>&1 | FileCheck --check-prefix=SCORE %s
// SCORE: error: no score is called 'haming', did you mean 'hamming'?; known are hamming, zero and files of models
// RUN: not zenith-search beams lrx:5 2>&1 | FileCheck --check-prefix=COMMAND %s
// COMMAND: error: no command is called 'beams', did you mean 'beam'?; known are bfs, beam, path
//
// A matrix needs a modulus.
// RUN: echo '{"generators": {"x": [[1, 1], [0, 1]]}}' > %t.json
// RUN: not zenith-search bfs %t.json 2>&1 | FileCheck --check-prefix=MODULUS %s
// MODULUS: :1:17: error: generator 'x' has rows as a matrix has, which needs a "modulus"
