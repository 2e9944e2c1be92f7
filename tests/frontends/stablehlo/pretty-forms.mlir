// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops in the forms that StableHLO programs are printed in: what is read prints the same.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=1]>
// CHECK: sdy.mesh @mesh = <["x"=2, "y"=1]>
func.func @forms(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %i: tensor<i32>, %c: tensor<4xcomplex<f32>>) -> tensor<4x6xf32> {
  // CHECK: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.broadcast_in_dim %[[Z]], dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %b = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  // CHECK: %[[S:.*]] = stablehlo.add %{{.*}}, %{{.*}} : tensor<4x6xf32>
  %s = stablehlo.add %x, %b : tensor<4x6xf32>
  // CHECK: stablehlo.compare LT, %[[S]], %{{.*}}, TOTALORDER : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %p = stablehlo.compare LT, %s, %b, TOTALORDER : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x6xi1>, tensor<4x6xf32>
  %w = stablehlo.select %p, %s, %b : tensor<4x6xi1>, tensor<4x6xf32>
  // CHECK: stablehlo.real %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %re = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<4xcomplex<f32>>
  %co = stablehlo.complex %re, %re : tensor<4xcomplex<f32>>
  // CHECK: stablehlo.slice %{{.*}} [0:4:2, 1:6] : (tensor<4x6xf32>) -> tensor<2x5xf32>
  %sl = stablehlo.slice %w [0:4:2, 1:6] : (tensor<4x6xf32>) -> tensor<2x5xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %ds = stablehlo.dynamic_slice %w, %i, %i, sizes = [1, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, -1], high = [0, 0], interior = [0, 1] : (tensor<1x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %pad = stablehlo.pad %ds, %z, low = [1, -1], high = [0, 0], interior = [0, 1] : (tensor<1x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<2x2xf32>
  %rp = stablehlo.reduce_precision %pad, format = e5m10 : tensor<2x2xf32>
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [0], contracting_dims = [1] x [1]{{ ?}}, precision = [DEFAULT, HIGHEST] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  %d = stablehlo.dot_general %rp, %rp, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %m = stablehlo.reduce(%w init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: reducer(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) {
  %n = stablehlo.reduce(%w init: %z) across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%a: tensor<f32>, %e: tensor<f32>) {
    %q = stablehlo.subtract %a, %e : tensor<f32>
    stablehlo.return %q : tensor<f32>
  }
  // CHECK: stablehlo.while(%[[A:.*]] = %{{.*}}) : tensor<i32>
  %l = stablehlo.while(%k = %i) : tensor<i32>
   cond {
    %t = stablehlo.compare LT, %k, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    // CHECK: stablehlo.add %[[A]], %[[A]] : tensor<i32>
    %u = stablehlo.add %k, %k : tensor<i32>
    stablehlo.return %u : tensor<i32>
  }
  // CHECK: stablehlo.custom_call @Sharding(%{{.*}}) {mhlo.sharding = "{replicated}"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %cc = stablehlo.custom_call @Sharding(%w) {mhlo.sharding = "{replicated}"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK: sdy.sharding_constraint %{{.*}} <@mesh, [{"x"}, {"y", ?}]> : tensor<4x6xf32>
  %r = sdy.sharding_constraint %cc <@mesh, [{"x"}, {"y", ?}]> : tensor<4x6xf32>
  // CHECK: chlo.top_k(%{{.*}}, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %tk:2 = chlo.top_k(%r, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %r : tensor<4x6xf32>
}
// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x2x8xf32>) -> tensor<2x4x4x8xf32> {
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = {{\[}}[1, 1], [1, 1]], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x4x4x8xf32>
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x4x4x8xf32>
  return %r : tensor<2x4x4x8xf32>
}
