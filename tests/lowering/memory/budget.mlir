// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A budget is met by computing values again, with the same results, or refused before the run.
//
// RUN: zenith-run %s --random-inputs=1 --compare=interp --report=memory | FileCheck %s --check-prefix=PLAIN
// RUN: zenith-run %s --random-inputs=1 --compare=interp --report=memory --max-memory=90K | FileCheck %s --check-prefix=AGAIN
// RUN: zenith-run %s --random-inputs=1 --max-memory=98368 --bench=2 | FileCheck %s --check-prefix=BENCH
// RUN: zenith-run %s --random-inputs=1 --max-memory=98368 --report=time | FileCheck %s --check-prefix=TIME
// RUN: not zenith-run %s --random-inputs=1 --max-memory=90K --remat=policy 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not zenith-run %s --random-inputs=1 --max-memory=8K --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not zenith-run %s --random-inputs=1 --max-memory=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not zenith-run %s --random-inputs=1 --offload=%t.none 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: zenith-run %s --random-inputs=1 --memory-timeline=%t.json > %t.out
// RUN: FileCheck %s --check-prefix=TIMELINE --input-file=%t.json

// PLAIN: "recomputed":0
// BENCH: 2 runs: min
// TIME: "kernels":[{
// AGAIN: "budget":92160
// AGAIN-SAME: "mode":"auto"
// AGAIN-SAME: "recomputed":{{[1-9]}}
// REFUSED: --max-memory=92160 cannot be met: 92160 bytes, lower bound {{[0-9]+}} at step {{.*}}, least plan found {{[0-9]+}}; largest buffers:
// JSON: "budget":8192,"code":"MEM001","largest":[{{.*}}"lower_bound":
// ZERO: --max-memory: got 0, expected at least 1 byte
// FOLDER: is no folder that can be written to
// TIMELINE: {"arena":{{[0-9]+}},"buffers":[
func.func @main(%x: tensor<64x64xf32>) -> tensor<f32> {
  %a = graph.dot_general %x, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = graph.dot_general %a, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = graph.dot_general %b, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = graph.dot_general %c, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = graph.dot_general %d, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %f = graph.dot_general %e, %d <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %g = graph.dot_general %f, %c <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %h = graph.dot_general %g, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %i = graph.dot_general %h, %a <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %j = graph.logistic %i : tensor<64x64xf32>
  %s = graph.reduce sum, %j [0, 1] : tensor<64x64xf32> -> tensor<f32>
  return %s : tensor<f32>
}
