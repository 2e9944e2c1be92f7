// Forms of groups are verified and kept; no emitter makes kernels of them.
//
// RUN: zenith-opt %s --from=schedule --to=schedule --target=cpu:x86-64-v3 | FileCheck %s
// RUN: not zenith-opt %s --from=schedule --to=kernels --target=cpu:x86-64-v3 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %s --from=schedule --random-inputs | FileCheck %s --check-prefix=GROUP

// GROUP: error: 'graph.fusion' op schedule: on = group is not supported
// CHECK: schedule = #sched.gemm<on = group, group = [16, 16, 1], tile = [32, 32, 16], item = [2, 2], operands = [local, local]>
func.func @group(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<on = group, group = [16, 16, 1], tile = [32, 32, 16], item = [2, 2], operands = [local, local]>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}
