// Keys come in any order and are printed in that of the declaration, those of default value left out.
//
// RUN: zenith-opt %s | FileCheck %s
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: not zenith-opt %s --zenith-assign-buffers 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: 'graph.fusion' op has no schedule: the schedule phase has not run

// CHECK-LABEL: func.func @group
// CHECK: schedule = #sched.gemm<on = group, group = [16, 16, 1], tile = [32, 32, 16], item = [2, 2], operands = [local<pad = 1>, local], stages = 2, tasks = "6">
func.func @group(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  %0 = graph.fusion contraction (%a = %x : tensor<64x128xf32>, %b = %w : tensor<128x96xf32>) -> tensor<64x96xf32> attributes {schedule = #sched.gemm<tile = [32, 32, 16], tasks = "6", group = [16, 16, 1], item = [2, 2], operands = [local<pad = 1>, local], vector = 1, stages = 2, on = group>} {
    %1 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
    graph.yield %1 : tensor<64x96xf32>
  }
  return %0 : tensor<64x96xf32>
}

// CHECK-LABEL: func.func @choice
// CHECK: schedule = #sched.choice<["n <= 28" : #sched.elements<on = task, block = 64, lanes = 8>, else : #sched.elements<on = task, block = 128>]>
func.func @choice(%x: tensor<?x128xf32> {graph.dims = ["n", "128"]}) -> tensor<?x128xf32> {
  %0 = graph.fusion pointwise (%a = %x : tensor<?x128xf32>) -> tensor<?x128xf32> attributes {schedule = #sched.choice<["n <= 28" : #sched.elements<on = task, block = 64, lanes = 8, item = 1>, else : #sched.elements<block = 128, on = task>]>} {
    %1 = graph.tanh %a : tensor<?x128xf32>
    graph.yield %1 : tensor<?x128xf32>
  }
  return %0 : tensor<?x128xf32>
}

// CHECK-LABEL: func.func @none
// CHECK-NOT: schedule =
func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.fusion pointwise (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %1 = graph.tanh %a : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
