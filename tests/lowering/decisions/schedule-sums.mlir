// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of accumulators of products: as many as the smallest tile gains from, as far as the largest one has registers. Other
// numbers may be given, and are what micro-kernels have.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:znver4 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=KERNELS
// RUN: sed 's/sums = [24]/sums = 1/' %t.mlir > %t-one.mlir
// RUN: zenith-opt %t-one.mlir --from=schedule --to=schedule --target=cpu:znver4 | FileCheck %s --check-prefix=ONE
// RUN: zenith-opt %t-one.mlir --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=ONE-SET
// RUN: zenith-run %s --entry=main --target=cpu:x86-64-v3 --random-inputs --compare=interp --print=0 --dim m=13

// CHECK: schedule = #sched.gemm<on = task, tile = [12, 64], {{.*}}, k_loop = whole, {{.*}}sums = 2>
// CHECK: schedule = #sched.gemm<on = task, tile = [12, 64], {{.*}}, k_loop = whole>
// CHECK: schedule = #sched.gemm<on = task, tile = [6, 64], {{.*}}, k_loop = whole, sums = 4>
// CHECK: schedule = #sched.gemm<{{.*}}k_loop = sweep<2>, joined = panels<2>>
// KERNELS-DAG: func.func private @uk_f32_12x1x16_sets2_or_less
// KERNELS-DAG: func.func private @uk_f32_2x1x16_sets2
// KERNELS-DAG: func.func private @uk_f32_7x1x16_
// KERNELS-DAG: func.func private @uk_f32_1x4x16_sets4
// KERNELS-DAG: func.func private @uk_f32_1x1x16_sets4
// ONE-COUNT-2: sums = 1>
// ONE-SET: @uk_f32_12x1x16_or_less
// ONE-SET-NOT: _sets
func.func @main(%x: tensor<?x300xf32> {graph.dims = ["m", "300"]}, %y: tensor<7x300xf32>, %z: tensor<1x300xf32>, %w: tensor<300x16xf32>,
                %v: tensor<300x80xf32>) -> (tensor<?x16xf32>, tensor<7x16xf32>, tensor<1x80xf32>) {
  %a = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x300xf32>, tensor<300x16xf32>) -> tensor<?x16xf32>
  %b = graph.dot_general %y, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<7x300xf32>, tensor<300x16xf32>) -> tensor<7x16xf32>
  %c = graph.dot_general %z, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<1x300xf32>, tensor<300x80xf32>) -> tensor<1x80xf32>
  return %a, %b, %c : tensor<?x16xf32>, tensor<7x16xf32>, tensor<1x80xf32>
}
// A step of a sweep reads two panels, which have accumulators enough.
func.func @sweep(%x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}
