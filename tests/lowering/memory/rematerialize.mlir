// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that is cheap to compute and read twice, far apart, is computed again where the budget has no room for it.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-schedule-kernels,zenith-rematerialize{budget-bytes=13000})' | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-schedule-kernels,zenith-rematerialize{budget-bytes=13000 mode=policy})' | FileCheck %s --check-prefix=POLICY
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-schedule-kernels,zenith-rematerialize{budget-bytes=13000 explain})' 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remat: REM001: computed 1 times more
// CHECK-LABEL: func.func @chain
// CHECK: graph.fusion
// CHECK: graph.recomputes = @step0
// CHECK: return
// POLICY-LABEL: func.func @chain
// POLICY-NOT: graph.recomputes
// POLICY: return
func.func @chain(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<f32> {
  %0 = graph.fusion pointwise (%a = %x : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.exp %a : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %1 = graph.fusion contraction (%a = %0 : tensor<32x32xf32>, %b = %w : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %2 = graph.fusion contraction (%a = %1 : tensor<32x32xf32>, %b = %w : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %3 = graph.fusion contraction (%a = %2 : tensor<32x32xf32>, %b = %1 : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %4 = graph.fusion reduction (%a = %3 : tensor<32x32xf32>, %b = %0 : tensor<32x32xf32>) -> tensor<f32> {
    %e = graph.mul %a, %b : tensor<32x32xf32>
    %s = graph.reduce sum, %e [0, 1] : tensor<32x32xf32> -> tensor<f32>
    graph.yield %s : tensor<f32>
  }
  return %4 : tensor<f32>
}
