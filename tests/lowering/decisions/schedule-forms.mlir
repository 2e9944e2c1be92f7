// How B comes, and the rows of a tile, are as a schedule says, also where shapes and target choose others.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sed 's/operands = \[rows, copied<16>\], block = \[[^]]*\], k_loop = whole/operands = [rows, rows]/' %t.mlir > %t-rows.mlir
// RUN: zenith-opt %t-rows.mlir --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=ROWS
// RUN: zenith-run %t-rows.mlir --from=schedule --target=cpu:x86-64-v3 --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4
// RUN: sed 's/tile = \[6, 16\], lanes = 8, operands = \[rows, rows\].*>}/tile = [5, 16], lanes = 8, operands = [rows, copied]>}/' %t.mlir > %t-copied.mlir
// RUN: zenith-opt %t-copied.mlir --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=COPIED
// RUN: zenith-run %t-copied.mlir --from=schedule --target=cpu:x86-64-v3 --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4

// CHECK-LABEL: func.func @main
// CHECK: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, copied<16>], block = [11, 1], k_loop = whole>
// CHECK: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, rows], block = [{{.*}}], k_loop = whole>
// ROWS: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, rows], block = [{{.*}}], k_loop = whole>
// COPIED: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8, operands = [rows, copied<16>], block = [11, 1], k_loop = whole>
// COPIED: schedule = #sched.gemm<on = task, tile = [5, 16], lanes = 8, operands = [rows, copied<16>], block = [{{.*}}], k_loop = whole
func.func @main(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>, %y: tensor<20x30xf32>, %z: tensor<30x32xf32>) -> (tensor<64x96xf32>, tensor<20x32xf32>) {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
  %1 = graph.dot_general %y, %z <batching = [] x [], contracting = [1] x [0]> : (tensor<20x30xf32>, tensor<30x32xf32>) -> tensor<20x32xf32>
  return %0, %1 : tensor<64x96xf32>, tensor<20x32xf32>
}
