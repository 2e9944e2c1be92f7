// Rows that only a run knows: few of them read a row-major operand where it lies, more of them copies of its panels, block
// of rows by block of rows.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v4 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:x86-64-v4 | FileCheck %s
// RUN: zenith-run %t.mlir --from=schedule --random-inputs --dim=n=5 --compare=interp
// RUN: zenith-run %t.mlir --from=schedule --random-inputs --dim=n=601 --compare=interp

// A B that does not fit half of the second-level cache is copied for fewer rows.
// CHECK: schedule = #sched.choice<["n <= 12" : #sched.gemm<on = task, tile = [6, 64, {{[0-9]+}}], lanes = 16, operands = [rows, rows], {{.*}}, k_loop = sweep<1>{{.*}}>, else : #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, copied<64>], block = [85, {{[0-9]+}}], k_loop = whole, heights = [6, 4, 2]>]>
// CHECK: schedule = #sched.choice<["n <= 47" : #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, rows], {{.*}}>, else : #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, copied<64>], {{.*}}>]>
func.func @main(%x: tensor<?x100xf32> {graph.name = "x", graph.dims = ["n", "100"]}, %y: tensor<100x4096xf32>, %u: tensor<?x64xf32> {graph.name = "u", graph.dims = ["n", "64"]}, %v: tensor<64x128xf32>) -> (tensor<?x4096xf32>, tensor<?x128xf32>) {
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<?x100xf32>, tensor<100x4096xf32>) -> tensor<?x4096xf32>
  %s = graph.dot_general %u, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x128xf32>) -> tensor<?x128xf32>
  return %r, %s : tensor<?x4096xf32>, tensor<?x128xf32>
}
