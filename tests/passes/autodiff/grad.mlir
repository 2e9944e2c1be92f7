// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a scalar result.
//
// RUN: zenith-opt %s --split-input-file --zenith-grad | FileCheck %s
// RUN: not zenith-opt %s --zenith-grad="entry=square of=1" 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: of: got '1', but there are 1 results

// The cotangent of the result is 1: 2 x.
// CHECK-LABEL: @square(
// CHECK: func.func @square_grad(%{{.*}}: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
// CHECK: graph.reduce sum
// CHECK: %[[G:.*]] = graph.add %[[X:.*]], %[[X]] : tensor<4xf32>
// CHECK: return %{{.*}}, %[[G]] : tensor<f32>, tensor<4xf32>
func.func @square(%x: tensor<4xf32>) -> tensor<f32> {
  %q = graph.mul %x, %x : tensor<4xf32>
  %r = graph.reduce sum, %q [0] : tensor<4xf32> -> tensor<f32>
  return %r : tensor<f32>
}
