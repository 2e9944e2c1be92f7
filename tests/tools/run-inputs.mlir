// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs by index, name and location; written results; dimensions that inputs solve.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 2x2 1 2 3 4
// RUN: %python %S/Inputs/npy.py write %t/y.npy '<f4' 2 10 20
// RUN: zenith-run %s --target=interp --in x=%t/x.npy --in 1=%t/y.npy --out-dir %t/out
// RUN: %python %S/Inputs/npy.py print %t/out/0.npy | FileCheck %s
// RUN: zenith-run %s --target=interp --in arg0=%t/x.npy --in scale=%t/y.npy --out-dir %t/again
// RUN: %python %S/Inputs/npy.py print %t/again/0.npy | FileCheck %s
// CHECK: <f4 (2, 2) [10.0, 20.0, 60.0, 80.0]
//
// Results equal what they were, by index and by name.
// RUN: zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/y.npy --expect 0=%t/out/0.npy --expect result=%t/out/0.npy
//
// Standard input may hold text, bytecode or ONNX: its bytes tell.
// RUN: zenith-run - --target=interp --in 0=%t/x.npy --in 1=%t/y.npy --expect 0=%t/out/0.npy < %s
// RUN: zenith-run - --random-inputs --dim batch=2 --print=1 < %source/tests/models/digits/digits.onnx | FileCheck --check-prefix=STDIN %s
// STDIN: digit : tensor<2xi64>
//
// Values known at compile time, and bits of raw files.
// RUN: printf '\001\000\000\000\000\000\200\077' > %t/y.raw
// RUN: zenith-run %s --target=interp --in 0=%t/x.npy --in 'scale=f32[2]:%t/y.raw' --out-dir %t/raw
// RUN: %python %S/Inputs/npy.py print %t/raw/0.npy | FileCheck --check-prefix=RAW %s
// RAW: <f4 (2, 2) [1.401298464324817e-45, 2.802596928649634e-45, 3.0, 4.0]
// RUN: zenith-run %S/run-inputs.mlir --target=interp --random-inputs --dim rows=2 --out-dir %t/r1
// RUN: zenith-run %S/run-inputs.mlir --target=interp --random-inputs=0 --dim rows=2 --out-dir %t/r2
// RUN: cmp %t/r1/0.npy %t/r2/0.npy
//
// TensorProtos as results carry the result's name.
// RUN: zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/y.npy --out-dir %t/pb --out-format=pb
// RUN: grep -q result %t/pb/0.pb
// RUN: zenith-run %s --target=interp --in 0=%t/x.npy --in 1=%t/y.npy --expect 0=%t/pb/0.pb --report=memory | FileCheck --check-prefix=MEMORY %s
// MEMORY: "inputs":24

func.func @main(%x: tensor<?x2xf32> {graph.dims = ["rows", "2"]} loc("x"),
                %y: tensor<?xf32> {graph.name = "scale", graph.dims = ["rows"]})
    -> (tensor<?x2xf32> {graph.name = "result"}) {
  %n = graph.dim %x, 0 : tensor<?x2xf32>
  %b = graph.broadcast %y [0] [%n] : tensor<?xf32> -> tensor<?x2xf32>
  %r = graph.mul %x, %b : tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
