// A task goes through K as the schedule says: blocks of another size are emitted, and give the same values.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sed 's/tile = \[6, 16, [0-9]*\]/tile = [6, 16, 100]/' %t.mlir > %t-edited.mlir
// RUN: zenith-opt %t-edited.mlir --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=EDITED
// RUN: zenith-run %t-edited.mlir --from=schedule --target=cpu:x86-64-v3 --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-3
// RUN: sed 's/tile = \[6, 16, [0-9]*\]/tile = [6, 16, 5000]/' %t.mlir | not zenith-opt --from=schedule --to=schedule --target=cpu:x86-64-v3 2>&1 | FileCheck %s --check-prefix=LONG

// CHECK: schedule = #sched.gemm<on = task, tile = [6, 16, [[K:[0-9]+]]], lanes = 8, operands = [rows, panels<16>], block = [{{.*}}], k_loop = {{tiles|panels}}
// EDITED: schedule = #sched.gemm<on = task, tile = [6, 16, 100], lanes = 8, operands = [rows, panels<16>], block = [{{.*}}], k_loop = {{tiles|panels}}
// LONG: error: 'graph.fusion' op schedule: tile: got [6, 16, 5000], expected [6, 16, {{[0-9]+}}] for these sizes and operands (sched_c3)
graph.param @w : tensor<3000x96xf32> = dense<0.01> : tensor<3000x96xf32>
func.func @main(%x: tensor<64x3000xf32>) -> tensor<64x96xf32> {
  %w = graph.get_param @w : tensor<3000x96xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x3000xf32>, tensor<3000x96xf32>) -> tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
