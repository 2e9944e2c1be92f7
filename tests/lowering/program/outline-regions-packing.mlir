// Matrices that every step multiplies by are packed in front of the loop, in panels of the target's width.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-outline-regions)' | FileCheck %s -enable-var-scope

module attributes {graph.target = #graph.target<"cpu:haswell", nr = 16>} {
  // CHECK-LABEL: func.func @recurrent
  // CHECK: %[[T:.*]] = graph.transpose %arg2 [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
  // CHECK: %[[S:.*]] = graph.reshape %[[T]] : tensor<16x64xf32> -> tensor<16x4x16xf32>
  // CHECK: %[[P:.*]] = graph.transpose %[[S]] [1, 0, 2] : tensor<16x4x16xf32> -> tensor<4x16x16xf32>
  // CHECK: host.loop(%{{.*}}, %arg1) while @recurrent_while0_condition(%arg0) do @recurrent_while0_body(%[[P]])
  // CHECK: func.func private @recurrent_while0_body
  // CHECK: graph.dot_general %arg1, %{{.*}} <batching = [] x [], contracting = [1] x [0]> : (tensor<4x16xf32>, tensor<16x64xf32>) -> tensor<4x64xf32>
  func.func @recurrent(%n: tensor<i64>, %h: tensor<4x16xf32>, %w: tensor<64x16xf32>) -> tensor<4x16xf32> {
    %zero = graph.constant dense<0> : tensor<i64>
    %one = graph.constant dense<1> : tensor<i64>
    %r:2 = graph.while %zero, %h cond {
    ^bb0(%i: tensor<i64>, %a: tensor<4x16xf32>):
      %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
      graph.yield %c : tensor<i1>
    } do {
    ^bb0(%i: tensor<i64>, %a: tensor<4x16xf32>):
      %j = graph.add %i, %one : tensor<i64>
      %g = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<4x16xf32>, tensor<64x16xf32>) -> tensor<4x64xf32>
      %s = graph.slice %g [0, 16] [4, 16] [1, 1] : tensor<4x64xf32> -> tensor<4x16xf32>
      graph.yield %j, %s : tensor<i64>, tensor<4x16xf32>
    } : (tensor<i64>, tensor<4x16xf32>) -> (tensor<i64>, tensor<4x16xf32>)
    return %r#1 : tensor<4x16xf32>
  }
}
