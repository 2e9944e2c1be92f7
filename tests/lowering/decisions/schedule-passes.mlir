// What the passes of a reduction do side by side and ask memory for is said before anything is emitted, for processors with
// vectors of 8, 16 and 4 floats.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-opt %s --to=schedule --target=cpu:znver4 -o %t.mlir
// RUN: FileCheck %s --check-prefix=ZEN4 < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:znver4 | FileCheck %s --check-prefix=ZEN4
// RUN: zenith-opt %s --to=schedule --target-model=neoverse-v2 | FileCheck %s --check-prefix=NEOVERSE
//
// What is left out is decided again; what is given stays, also that nothing is asked for.
// RUN: sed 's/, sums = \[[0-9, ]*\]//; s/, together = 4//; s/, prefetch = rows<1>//; s/, streams = \[0\], ahead = 2048//' %t.mlir > %t-open.mlir
// RUN: zenith-opt %t-open.mlir --from=schedule --to=schedule --target=cpu:znver4 | FileCheck %s --check-prefix=ZEN4
// RUN: sed 's/sums = \[2, 2\]/sums = [1, 4]/; s/together = 4/together = 3/; s/prefetch = rows<1>/prefetch = none/; s/streams = \[0\], ahead = 2048/streams = []/' %t.mlir > %t-given.mlir
// RUN: zenith-opt %t-given.mlir --from=schedule --to=schedule --target=cpu:znver4 -o %t-kept.mlir
// RUN: FileCheck %s --check-prefix=GIVEN < %t-kept.mlir
// RUN: zenith-run %t-kept.mlir --from=schedule --entry=norm --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-5
// RUN: zenith-run %t-kept.mlir --from=schedule --entry=bytes --random-inputs --compare=interp --print=0
//
// Emission reads: it asks for nothing where the schedule doesn't.
// RUN: zenith-opt %t.mlir --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=SOME
// RUN: zenith-opt %t-kept.mlir --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=NONE
// RUN: sed 's/ahead = 2048/ahead = 320/' %t.mlir | zenith-opt --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=NEAR
// SOME-COUNT-2: memref.prefetch
// NEAR-LABEL: func.func @k1_reduction
// NEAR: %[[AHEAD:.*]] = arith.constant 320 : index
// NEAR-NEXT: %[[AT:.*]] = arith.addi %{{.*}}, %[[AHEAD]]
// NEAR-NEXT: memref.prefetch %{{.*}}[%[[AT]]]
// NONE-NOT: memref.prefetch

// Passes over rows: some side by side, the next ones asked for meanwhile.
// CHECK-LABEL: func.func @norm(
// CHECK: schedule = #sched.reduce<on = task, rows = 16, sums = [4, 4], prefetch = rows<1>, lanes = 16>}
// ZEN4-LABEL: func.func @norm(
// ZEN4: schedule = #sched.reduce<on = task, rows = 16, sums = [2, 2], together = 4, prefetch = rows<1>, lanes = 32>}
// NEOVERSE-LABEL: func.func @norm(
// NEOVERSE: schedule = #sched.reduce<on = task, rows = 16, sums = [8, 8], prefetch = rows<1>, lanes = 8>}
// GIVEN-LABEL: func.func @norm(
// GIVEN: schedule = #sched.reduce<on = task, rows = 16, sums = [1, 4], together = 3, prefetch = none, lanes = 32>}
func.func @norm(%x: tensor<4096x256xf32>) -> tensor<4096x256xf32> {
  %0 = graph.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4096x256xf32>) -> tensor<4096x256xf32>
  return %0 : tensor<4096x256xf32>
}

// CHECK-LABEL: func.func @bytes(
// CHECK: schedule = #sched.reduce<on = task, rows = 4, sums = [4], streams = [0], ahead = 2048, lanes = 16>}
// ZEN4-LABEL: func.func @bytes(
// ZEN4: schedule = #sched.reduce<on = task, rows = 4, sums = [2], streams = [0], ahead = 2048, lanes = 32>}
// NEOVERSE-LABEL: func.func @bytes(
// NEOVERSE: schedule = #sched.reduce<on = task, rows = 4, sums = [8], streams = [0], ahead = 2048, lanes = 8>}
// GIVEN-LABEL: func.func @bytes(
// GIVEN: schedule = #sched.reduce<on = task, rows = 4, sums = [2], streams = [], lanes = 32>}
func.func @bytes(%x: tensor<4096x1024xi8>) -> tensor<4096xi32> {
  %0 = graph.convert %x : tensor<4096x1024xi8> -> tensor<4096x1024xi32>
  %1 = graph.reduce sum, %0 [1] : tensor<4096x1024xi32> -> tensor<4096xi32>
  return %1 : tensor<4096xi32>
}
