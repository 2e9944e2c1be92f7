// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit codes and messages of zenith-run.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 2 1 2
// RUN: %python %S/Inputs/npy.py write %t/three.npy '<f4' 3 1 2 3
// RUN: %python %S/Inputs/npy.py write %t/i.npy '<i4' 2 1 2
//
// Usage.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run | FileCheck --check-prefix=MODEL %s
// MODEL: zenith-run: error: a model is needed
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --treads=2 | FileCheck --check-prefix=NEAREST %s
// NEAREST: unknown option '--treads', did you mean '--threads'?
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --target=interp --in z=%t/x.npy | FileCheck --check-prefix=KEY %s
// KEY: --in: the program has no input 'z'; it has 0 = 'x', 1 = 'y'
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --target=interp --in 0=%t/x.npy | FileCheck --check-prefix=MISSING %s
// MISSING: no value for 'y'
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --target=interp --random-inputs | FileCheck --check-prefix=SIZE %s
// SIZE: the size of dimension 'n' of input 'x' is not known
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --target=interp --random-inputs --dim m=2 | FileCheck --check-prefix=DIM %s
// DIM: the program has no dimension 'm'; it has n
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --target=gpu | FileCheck --check-prefix=TARGET %s
// TARGET: 'gpu' is no target
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --target=interp --entry=mein | FileCheck --check-prefix=ENTRY %s
// ENTRY: no function 'mein', did you mean 'main'?
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --max-memory=many | FileCheck --check-prefix=BYTES %s
// BYTES: --max-memory needs bytes
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --in x.npy | FileCheck --check-prefix=PAIR %s
// PAIR: --in needs KEY=VALUE, got 'x.npy'
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --random-inputs=some | FileCheck --check-prefix=SEED %s
// SEED: needs a number, got 'some'
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --threads=0 | FileCheck --check-prefix=THREADS %s
// THREADS: --threads: Value 0 not in range 1 to 4096
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --explain=weather | FileCheck --check-prefix=TOPIC %s
// TOPIC: --explain: weather not in {{[{]}}import,fusion,{{.*}}export,sizes{{.*}}}
//
// Invalid input.
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/none.mlir | FileCheck --check-prefix=NONE %s
// NONE: none.mlir: error: cannot open
// RUN: echo 'func.func @main() { "graph.nonsense"() : () -> () return }' > %t/bad.mlir
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/bad.mlir | FileCheck --check-prefix=BAD %s
// BAD: bad.mlir:1:21: error:
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/bad.mlir --diagnostics=json | FileCheck --check-prefix=JSON %s
// JSON: {"column":21,"file":"{{.*}}bad.mlir","line":1,"message":"unregistered operation{{.*}},"severity":"error"}
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/i.npy | FileCheck --check-prefix=TYPE %s
// TYPE: input 'y' is f32[?], the value is i32[2]
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/three.npy | FileCheck --check-prefix=CONTRADICTION %s
// CONTRADICTION: dimension 0 (n) of input 'y' is 3, elsewhere it is 2
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %s --target=interp --in 0=%t/none.npy --in 1=%t/x.npy | FileCheck --check-prefix=FILE %s
// FILE: none.npy: error: cannot open
// RUN: printf 'func.func @main(%%%%x: tensor<2x3xf32>) -> tensor<3x2xf32> {\n  %%%%r = graph.transpose %%%%x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>\n  return %%%%r : tensor<3x2xf32>\n}\n' > %t/turn.mlir
// RUN: zenith-opt %t/turn.mlir --strip-debuginfo --emit-bytecode -o %t/turn.mlirbc
// RUN: %python -c "p = '%t/turn.mlirbc'; b = open(p, 'rb').read(); one = (1).to_bytes(8, 'little'); open(p, 'wb').write(b.replace(one + bytes(8), one + one))"
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/turn.mlirbc | FileCheck --check-prefix=BYTECODE %s
// BYTECODE: turn.mlirbc: error: 'graph.transpose' op permutation: got [1, 1]
//
// Unsupported, too little memory, failing runs.
// RUN: echo 'func.func @main() { "stablehlo.custom_call"() {call_target_name = "mystery", has_side_effect = true} : () -> () return }' > %t/hlo.mlir
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/hlo.mlir | FileCheck --check-prefix=HLO %s
// HLO: 'stablehlo.custom_call' @mystery is not supported
// RUN: %python %S/Inputs/exit_code.py 5 zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/x.npy --max-memory=4 | FileCheck --check-prefix=MEMORY %s
// MEMORY: error: 'graph.add' op a value would take 8 bytes, the limit is 4
// RUN: printf 'func.func @main(%%%%x: tensor<?xf32>) -> tensor<?xf32> {\n  %%%%n = graph.constant dense<5> : tensor<i64>\n  %%%%r = graph.slice %%%%x [0] [%%%%n] [1] : tensor<?xf32> -> tensor<?xf32>\n  return %%%%r : tensor<?xf32>\n}\n' > %t/slice.mlir
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/slice.mlir --target=interp --in 0=%t/x.npy | FileCheck --check-prefix=FAILS %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/slice.mlir --target=cpu --in 0=%t/x.npy | FileCheck --check-prefix=FAILS %s
// FAILS: slice.mlir:3:8: error: graph.slice: the end of a part, 5, exceeds 2: operand 0 is [2]
//
// Results that differ.
// RUN: %python %S/Inputs/exit_code.py 7 zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/x.npy --expect 0=%t/x.npy | FileCheck --check-prefix=DIFFERS %s
// DIFFERS: error: result '0' differs from {{.*}}x.npy: 2 of 2 elements differ, worst at [1]: 4, expected 2
// RUN: zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/x.npy --expect 0=%t/x.npy --rtol=1
// RUN: %python %S/Inputs/exit_code.py 7 zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/x.npy --expect 0=%t/x.npy --max-ulp=8388607
// RUN: zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/x.npy --expect 0=%t/x.npy --max-ulp=8388608
//
// RUN: zenith-run --version | FileCheck --check-prefix=VERSION %s
// VERSION: zenith-run 0.1.0 (LLVM 19
// RUN: zenith-run --help | FileCheck --check-prefix=HELP %s
// HELP: --random-inputs
// RUN: zenith-run --list-targets | FileCheck --check-prefix=TARGETS %s
// TARGETS: interp

func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]} loc("x"), %y: tensor<?xf32> {graph.dims = ["n"]} loc("y"))
    -> tensor<?xf32> {
  %r = graph.add %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
