// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that the target lacks: narrow floats round once after each op in f32,
// 64-bit integers are pairs of words.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-legalize-types{types=i64,ui64,f16,bf16,f8}))' | FileCheck %s -enable-var-scope
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-legalize-types{types=f64}))' 2>&1 | FileCheck --check-prefix=DOUBLE %s
// DOUBLE: 'graph.mul' op computes in f64, which the target lacks
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-legalize-types{types=f64 f64-as=f32}))' | FileCheck --check-prefix=SINGLE %s
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-legalize-types{types=i65}))' 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: 'i65' is none of i64, ui64, f64, f16, bf16 and f8

// CHECK-LABEL: @sum
// CHECK: %[[A:.*]] = graph.convert %arg0 : tensor<8xf16> -> tensor<8xf32>
// CHECK: %[[B:.*]] = graph.convert %arg1 : tensor<8xf16> -> tensor<8xf32>
// CHECK: %[[S:.*]] = graph.add %[[A]], %[[B]] : tensor<8xf32>
// CHECK: graph.convert %[[S]] : tensor<8xf32> -> tensor<8xf16>
// CHECK: graph.reshape %{{.*}} : tensor<8xf16> -> tensor<2x4xf16>
// CHECK: graph.dot_general {{.*}} -> tensor<2x2xf32>
func.func @sum(%x: tensor<8xf16>, %y: tensor<8xf16>, %w: tensor<4x2xf16>) -> tensor<2x2xf16> {
  %s = graph.add %x, %y : tensor<8xf16>
  %m = graph.reshape %s : tensor<8xf16> -> tensor<2x4xf16>
  %d = graph.dot_general %m, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x4xf16>, tensor<4x2xf16>) -> tensor<2x2xf16>
  return %d : tensor<2x2xf16>
}

// Sizes are the host's; data is not.
// CHECK-LABEL: @words
// CHECK-SAME: %[[X:.*]]: tensor<?xui64>
// CHECK-DAG: %[[LOW:.*]] = graph.convert %[[X]] : tensor<?xui64> -> tensor<?xui32>
// CHECK-DAG: graph.shift_right_logical %[[X]]
// CHECK: %[[SUM:.*]] = graph.add %[[LOW]], %{{.*}} : tensor<?xui32>
// CHECK: %[[CARRY:.*]] = graph.compare lt, %[[SUM]], %[[LOW]]
// CHECK-NOT: graph.mul {{.*}}64>
// CHECK: graph.or {{.*}} : tensor<?xui64>
func.func @words(%x: tensor<?xui64> {graph.dims = ["n"]}) -> tensor<?xui64> {
  %n = graph.dim %x, 0 : tensor<?xui64>
  %one = graph.constant dense<1> : tensor<ui64>
  %ones = graph.broadcast %one [] [%n] : tensor<ui64> -> tensor<?xui64>
  %s = graph.add %x, %ones : tensor<?xui64>
  %p = graph.mul %s, %x : tensor<?xui64>
  return %p : tensor<?xui64>
}

func.func @arithmetic(%x: tensor<9xi64>, %y: tensor<9xi64>, %i: tensor<9xi32>) -> (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi1>, tensor<9xf32>, tensor<9xi16>, tensor<9xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>) {
  %w = graph.convert %i : tensor<9xi32> -> tensor<9xi64>
  %a = graph.sub %x, %w : tensor<9xi64>
  %q = graph.div %a, %y : tensor<9xi64>
  %r = graph.rem %a, %y : tensor<9xi64>
  %f = graph.floor_mod %a, %y : tensor<9xi64>
  %m = graph.max %a, %y : tensor<9xi64>
  %l = graph.shift_left %m, %y : tensor<9xi64>
  %c = graph.compare ge, %a, %y : tensor<9xi64> -> tensor<9xi1>
  %g = graph.convert %l : tensor<9xi64> -> tensor<9xf32>
  %h = graph.convert %l : tensor<9xi64> -> tensor<9xi16>
  %b = graph.convert %g : tensor<9xf32> -> tensor<9xi64>
  %sum = graph.reduce sum, %b [0] : tensor<9xi64> -> tensor<i64>
  %least = graph.reduce min, %a [0] : tensor<9xi64> -> tensor<i64>
  %part = graph.slice %a [2] [3] [2] : tensor<9xi64> -> tensor<3xi64>
  return %q, %r, %f, %l, %c, %g, %h, %b, %sum, %least, %part : tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi1>, tensor<9xf32>, tensor<9xi16>, tensor<9xi64>, tensor<i64>, tensor<i64>, tensor<3xi64>
}

// SINGLE-LABEL: @double
// SINGLE: graph.mul %{{.*}}, %{{.*}} : tensor<3xf32>
// SINGLE: graph.convert %{{.*}} : tensor<3xf32> -> tensor<3xf64>
func.func @double(%x: tensor<3xf64>) -> tensor<3xf64> {
  %p = graph.mul %x, %x : tensor<3xf64>
  return %p : tensor<3xf64>
}
