// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A marked value is written behind the step that makes it, read ahead of the reader behind the mark, and both are waited for.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-schedule-kernels,zenith-offload-values)' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-schedule-kernels,zenith-offload-values{explain})' 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remat: REM003: 4096 bytes wait in a file until 'graph.fusion' at
// CHECK-LABEL: func.func @chain
// CHECK-SAME: host.file_bytes = 4096
// CHECK: %[[X:.*]] = graph.fusion pointwise
// CHECK: %[[F:.*]] = graph.place %[[X]] host {host.file_offset = 0 : i64}
// CHECK: graph.barrier %[[X]] {host.awaits}
// CHECK: %[[D:.*]] = graph.place %[[F]] device {host.file_offset = 0 : i64}
// CHECK: %[[A:.*]] = graph.barrier %[[D]] {host.awaits}
// CHECK-NEXT: graph.fusion reduction ({{.*}}, %{{.*}} = %[[A]] : tensor<32x32xf32>)
// CHECK-NOT: graph.offload
func.func @chain(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<f32> {
  %0 = graph.fusion pointwise (%a = %x : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.exp %a : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %1 = graph.fusion contraction (%a = %0 : tensor<32x32xf32>, %b = %w : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %2 = graph.fusion contraction (%a = %1 : tensor<32x32xf32>, %b = %1 : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %m = graph.barrier %0 {graph.offload} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %4 = graph.fusion reduction (%a = %2 : tensor<32x32xf32>, %b = %m : tensor<32x32xf32>) -> tensor<f32> {
    %e = graph.mul %a, %b : tensor<32x32xf32>
    %s = graph.reduce sum, %e [0, 1] : tensor<32x32xf32> -> tensor<f32>
    graph.yield %s : tensor<f32>
  }
  return %4 : tensor<f32>
}

// REMARK: remat: REM002: kept in memory: it is not in the arena, or its size is not known
// REMARK: remat: REM002: kept in memory: its readers follow each other
// CHECK-LABEL: func.func @stays
// CHECK-NOT: graph.place
// CHECK: return
func.func @stays(%x: tensor<32x32xf32>) -> tensor<f32> {
  %m = graph.barrier %x {graph.offload} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = graph.fusion pointwise (%a = %x : tensor<32x32xf32>, %b = %m : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.mul %a, %b : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %n = graph.barrier %0 {graph.offload} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = graph.fusion reduction (%a = %n : tensor<32x32xf32>) -> tensor<f32> {
    %s = graph.reduce sum, %a [0, 1] : tensor<32x32xf32> -> tensor<f32>
    graph.yield %s : tensor<f32>
  }
  return %1 : tensor<f32>
}
