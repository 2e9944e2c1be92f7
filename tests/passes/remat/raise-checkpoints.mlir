// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers stay where something behind them is computed again.
//
// RUN: zenith-opt %s --zenith-raise-checkpoints | FileCheck %s
// RUN: zenith-opt %s --zenith-raise-checkpoints="mode=off" | FileCheck %s --check-prefix=OFF
// RUN: zenith-opt %s --zenith-raise-checkpoints="mode=auto" | FileCheck %s --check-prefix=OFF
// RUN: zenith-opt %s --zenith-raise-checkpoints="explain" 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: zenith-opt %s --zenith-raise-checkpoints="offload" | FileCheck %s --check-prefix=FILE

// The cotangent is multiplied by what was saved.
// REMARK: remat: REM006: a barrier of 2 values is left out
// CHECK-LABEL: func.func @nothing_behind
// CHECK-NOT: graph.barrier
// CHECK: return
func.func @nothing_behind(%x: tensor<4xf32>, %ct: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = graph.sin %x : tensor<4xf32>
  %c = graph.cos %x : tensor<4xf32>
  %b:2 = graph.barrier %c, %ct : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %g = graph.mul %b#0, %b#1 : tensor<4xf32>
  return %s, %g : tensor<4xf32>, tensor<4xf32>
}

// The sine, and what follows from it, are computed again.
// CHECK-LABEL: func.func @sine_again
// CHECK: graph.barrier
// CHECK: graph.sin
// OFF-LABEL: func.func @sine_again
// OFF-NOT: graph.barrier
// OFF: return
func.func @sine_again(%x: tensor<4xf32>, %ct: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = graph.sin %x : tensor<4xf32>
  %e = graph.exp %s : tensor<4xf32>
  %b:2 = graph.barrier %x, %ct : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %t = graph.sin %b#0 : tensor<4xf32>
  %f = graph.exp %t : tensor<4xf32>
  %g = graph.mul %f, %b#1 : tensor<4xf32>
  return %e, %g : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @tags
// CHECK-NEXT: %[[S:.*]] = graph.sin
// CHECK-NEXT: return %[[S]]
func.func @tags(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.checkpoint (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %n = graph.named %a "input" : tensor<4xf32>
    %s = graph.sin %n : tensor<4xf32>
    %h = graph.place %s host : tensor<4xf32>
    %d = graph.place %h device : tensor<4xf32>
    graph.yield %d : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// With a file, a value that comes back from the host has a barrier of its own, and no other one keeps it in memory.
// FILE-LABEL: func.func @places
// FILE: %[[S:.*]] = graph.sin
// FILE: %[[B:.*]] = graph.barrier %[[S]] {graph.offload}
// FILE: graph.mul %[[B]]
// FILE-NOT: graph.place
func.func @places(%x: tensor<4xf32>, %ct: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = graph.sin %x : tensor<4xf32>
  %h = graph.place %s host : tensor<4xf32>
  %b:2 = graph.barrier %h, %ct : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %d = graph.place %b#0 device : tensor<4xf32>
  %g = graph.mul %d, %b#1 : tensor<4xf32>
  return %s, %g : tensor<4xf32>, tensor<4xf32>
}
