// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bound of the error instead of a list of ops: the products that are narrow
// are chosen by running them on samples, written to a file and read again.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import random, struct; random.seed(2); open('%t/c.raw', 'wb').write(struct.pack('<160f', *[random.gauss(0, 1) for _ in range(160)])); open('%t/nan.raw', 'wb').write(struct.pack('<16f', *[float('nan')] * 16))"
// RUN: zenith-run %s --random-inputs=1 --dim batch=4 --mixed-precision=bf16 --max-error=1 --calibrate x=f32[10x16]:%t/c.raw --explain=precision --explain-format=json 2>&1 | FileCheck --check-prefix=ALL %s
// ALL-DAG: "name":"big","op":"dot_general","operands":"bf16","output_error":{{.*}}"rule":"bound"
// ALL-DAG: "name":"small","op":"dot_general","operands":"bf16"
// RUN: zenith-run %s --random-inputs=1 --dim batch=4 --mixed-precision=bf16 --max-error=1e-9 --calibrate x=f32[10x16]:%t/c.raw --save-precision=%t/types.json --explain=precision 2>&1 | FileCheck --check-prefix=NOTHING %s
// NOTHING: PRE113: no narrow op keeps the bound of 1.000e-09
// NOTHING: PRE112 {{.*}}: big: 'dot_general' stays f32 for the bound
// RUN: FileCheck --check-prefix=TYPES %s < %t/types.json
// TYPES: "big": "f32"
// RUN: %python -c "open('%t/own.json', 'w').write('{\"big\": \"bf16\", \"small\": \"f32\"}')"
// RUN: zenith-run %s --random-inputs=1 --dim batch=4 --mixed-precision=bf16 --precision-file=%t/own.json --explain=precision 2>&1 | FileCheck --check-prefix=FILE %s
// FILE: PRE002 {{.*}}: big: 'dot_general' multiplies narrow operands (rule bound
// FILE: PRE115 {{.*}}: small: 'dot_general' stays f32: the file of precisions says so
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --random-inputs=1 --dim batch=4 --mixed-precision=bf16 --max-error=0.1 2>&1 | FileCheck --check-prefix=SAMPLES %s
// SAMPLES: --max-error needs samples: --calibrate
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --random-inputs=1 --dim batch=4 --mixed-precision=bf16 --max-error=-1 --calibrate x=f32[10x16]:%t/c.raw 2>&1 | FileCheck --check-prefix=NEGATIVE %s
// NEGATIVE: --max-error is a number above 0
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --random-inputs=1 --dim batch=4 --max-error=1 --calibrate x=f32[10x16]:%t/c.raw 2>&1 | FileCheck --check-prefix=POLICY %s
// POLICY: --max-error needs a policy
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %s --random-inputs=1 --dim batch=4 --mixed-precision=bf16 --max-error=1 --calibrate y=f32[10x16]:%t/c.raw 2>&1 | FileCheck --check-prefix=NAME %s
// NAME: y
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %s --random-inputs=1 --dim batch=4 --mixed-precision=bf16 --max-error=1 --calibrate x=f32[1x16]:%t/nan.raw 2>&1 | FileCheck --check-prefix=NAN %s
// NAN: samples of input 'x' hold NaN in sample 0
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %s --random-inputs=1 --dim batch=4 --mixed-precision=bf16 --max-error=1 --calibrate x=f32[20x8]:%t/c.raw 2>&1 | FileCheck --check-prefix=SHAPE %s
// SHAPE: samples of input 'x' are f32[20x8], expected samples x 16

func.func @main(%x: tensor<?x16xf32> {graph.name = "x", graph.dims = ["batch", ""]}) -> tensor<?x2xf32> {
  %i = graph.iota 0 : tensor<16x32xf32>
  %s = graph.sin %i : tensor<16x32xf32>
  %0 = graph.dot_general %x, %s <batching = [] x [], contracting = [1] x [0]> : (tensor<?x16xf32>, tensor<16x32xf32>) -> tensor<?x32xf32> loc("big")
  %1 = graph.tanh %0 : tensor<?x32xf32> loc("act")
  %j = graph.iota 0 : tensor<32x2xf32>
  %t = graph.sin %j : tensor<32x2xf32>
  %2 = graph.dot_general %1, %t <batching = [] x [], contracting = [1] x [0]> : (tensor<?x32xf32>, tensor<32x2xf32>) -> tensor<?x2xf32> loc("small")
  return %2 : tensor<?x2xf32>
}
