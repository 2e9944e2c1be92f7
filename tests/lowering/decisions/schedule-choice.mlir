// Few rows and many of a product with packed weights: a choice that a run makes by its sizes. One of its variants serves
// all sizes where an edit leaves only that one.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v4 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:x86-64-v4 | FileCheck %s
// RUN: sed 's/n <= 28/n <= 27/' %t.mlir | not zenith-opt --from=schedule --to=schedule --target=cpu:x86-64-v4 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: sed 's/schedule = #sched.choice.*\]>}/schedule = #sched.gemm<on = task, tile = [6, 64], lanes = 16>}/' %t.mlir > %t-one.mlir
// RUN: zenith-opt %t-one.mlir --from=schedule --to=kernels --target=cpu:x86-64-v4 | FileCheck %s --check-prefix=ONE

// CHECK: schedule = #sched.choice<["n <= 28" : #sched.gemm<on = task, tile = [14, 32], lanes = 16, operands = [rows, panels<32>], block = [2, 1], k_loop = whole, heights = [14, 10, 2]>, else : #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, panels<32>], block = [11, 1], k_loop = whole, heights = [10, 2]>]>
// GUARD: error: 'graph.fusion' op schedule: choice: {{.*}}, or one of its variants for all sizes (sched_c11)
// ONE: host.launch @kernels::@k0_contraction pointers
// ONE-NOT: when
// ONE: module @kernels
graph.param @w : tensor<64x96xf32> = dense<0.5> : tensor<64x96xf32>
func.func @main(%x: tensor<?x64xf32> {graph.name = "x", graph.dims = ["n", "64"]}) -> (tensor<?x96xf32> {graph.name = "y", graph.dims = ["n", "96"]}) {
  %w = graph.get_param @w : tensor<64x96xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
