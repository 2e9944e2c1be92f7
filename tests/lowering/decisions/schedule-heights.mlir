// Where a run says how many rows the last tile of a product has, the schedule says which heights have micro-kernels of their
// own, and emission makes these alone.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v4 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
//
// What is left out is decided again.
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 -o %t-v3.mlir
// RUN: FileCheck %s --check-prefix=V3 < %t-v3.mlir
// RUN: sed '/choice/!s/, heights = \[[0-9, ]*\]//' %t-v3.mlir | zenith-opt --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=V3
//
// RUN: sed 's/heights = \[6, 4, 2\]/heights = [6, 5]/; s/heights = \[6, 3\]/heights = [6]/; s/heights = \[10, 2\]/heights = [13, 3, 1]/; s/heights = \[14, 10, 2\]/heights = [14]/' %t.mlir > %t-given.mlir
// RUN: zenith-opt %t-given.mlir --from=schedule --to=schedule --target=cpu:x86-64-v4 -o %t-kept.mlir
// RUN: FileCheck %s --check-prefix=GIVEN < %t-kept.mlir
// RUN: zenith-opt %t-kept.mlir --from=schedule --to=kernels --target=cpu:x86-64-v4 | FileCheck %s --check-prefix=KERNELS
// RUN: zenith-run %t-kept.mlir --from=schedule --entry=rows --dim=n=5 --random-inputs --compare=interp --print=0
// RUN: zenith-run %t-kept.mlir --from=schedule --entry=rows --dim=n=52 --random-inputs --compare=interp --print=0
// RUN: zenith-run %t-kept.mlir --from=schedule --entry=panels --dim=n=9 --random-inputs --compare=interp --print=0
// RUN: zenith-run %t-kept.mlir --from=schedule --entry=panels --dim=n=31 --random-inputs --compare=interp --print=0
//
// RUN: sed '/choice/!s/heights = \[6, 4, 2\]/heights = [5, 4]/' %t-v3.mlir | not zenith-opt --from=schedule --to=schedule --target=cpu:x86-64-v3 2>&1 | FileCheck %s --check-prefix=LOW
// LOW: schedule: heights: got [5, 4], expected [6, 4, 2] or others that are enough for a full tile (sched_c3)
//
// A vector has columns of one panel.
// RUN: sed '/panels<16>/s/schedule = #sched.gemm<.*>}/schedule = #sched.gemm<on = task, tile = [6, 32], lanes = 32>}/' %t-v3.mlir | not zenith-opt --from=schedule --to=schedule --target=cpu:x86-64-v3 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: schedule: lanes: got 32, expected at most 16, the columns of a panel (sched_c6)

// CHECK-LABEL: func.func @rows(
// CHECK: "n <= 47" : #sched.gemm<{{.*}}, tile = [6, 64], {{.*}}, heights = [6, 4, 2]>, else : #sched.gemm<{{.*}}, tile = [6, 64], {{.*}}, heights = [6, 3]>
// GIVEN-LABEL: func.func @rows(
// GIVEN: "n <= 47" : #sched.gemm<{{.*}}, tile = [6, 64], {{.*}}, heights = [6, 5]>, else : #sched.gemm<{{.*}}, tile = [6, 64], {{.*}}, heights = [6]>
// KERNELS-LABEL: func.func @k0_contraction_small_m(
// KERNELS: call @uk_f32_6x
// KERNELS: call @uk_f32_5x
// KERNELS-NOT: call @uk_
// KERNELS-LABEL: func.func @k0_contraction(
// KERNELS: call @uk_f32_6x
// KERNELS-NOT: call @uk_
func.func @rows(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]}, %w: tensor<64x128xf32>) -> (tensor<?x128xf32> {graph.dims = ["n", "128"]}) {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x128xf32>) -> tensor<?x128xf32>
  return %0 : tensor<?x128xf32>
}

// KERNELS-LABEL: func.func @k1_contraction_small_m(
// KERNELS: call @uk_f32_14x
// KERNELS-NOT: call @uk_
// KERNELS-LABEL: func.func @k1_contraction(
// KERNELS: call @uk_f32_6x4x16{{.*}}_half_panels(
// KERNELS: call @uk_f32_13x
// KERNELS: call @uk_f32_3x
// KERNELS: call @uk_f32_1x
//
// The last rows of many are left to half panels, whose tiles may be taller than full ones.
// CHECK-LABEL: func.func @panels(
// CHECK: "n <= 28" : #sched.gemm<{{.*}}, tile = [14, 32], {{.*}}, heights = [14, 10, 2]>, else : #sched.gemm<{{.*}}, tile = [6, 64], {{.*}}, heights = [10, 2]>
// V3-LABEL: func.func @panels(
// V3: schedule = #sched.gemm<{{.*}}, tile = [6, 16], {{.*}}, heights = [6, 4, 2]>
// GIVEN-LABEL: func.func @panels(
// GIVEN: "n <= 28" : #sched.gemm<{{.*}}, tile = [14, 32], {{.*}}, heights = [14]>, else : #sched.gemm<{{.*}}, tile = [6, 64], {{.*}}, heights = [13, 3, 1]>
func.func @panels(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]}) -> (tensor<?x96xf32> {graph.dims = ["n", "96"]}) {
  %w = graph.get_param @w : tensor<64x96xf32>
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
  return %0 : tensor<?x96xf32>
}
graph.param @w : tensor<64x96xf32> = dense<0.5> : tensor<64x96xf32>
