// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas as exporters write them become one op.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-raise-composites))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @gelu_erf
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]] = graph.gelu erf, %[[X]] : tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @gelu_erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = graph.constant dense<1.41421354> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %s = graph.div %x, %root : tensor<4xf32>
  %e = graph.erf %s : tensor<4xf32>
  %a = graph.add %e, %one : tensor<4xf32>
  %m = graph.mul %x, %a : tensor<4xf32>
  %r = graph.mul %m, %half : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @gelu_tanh
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: graph.gelu tanh, %[[X]] : tensor<4xf32>
func.func @gelu_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = graph.constant dense<3.0> : tensor<4xf32>
  %k = graph.constant dense<0.044715> : tensor<4xf32>
  %root = graph.constant dense<0.797884583> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %h = graph.mul %half, %x : tensor<4xf32>
  %p = graph.pow %x, %three : tensor<4xf32>
  %kp = graph.mul %k, %p : tensor<4xf32>
  %s = graph.add %x, %kp : tensor<4xf32>
  %g = graph.mul %root, %s : tensor<4xf32>
  %t = graph.tanh %g : tensor<4xf32>
  %a = graph.add %one, %t : tensor<4xf32>
  %r = graph.mul %h, %a : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @other_constant_stays
// CHECK: graph.erf
func.func @other_constant_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = graph.constant dense<1.5> : tensor<4xf32>
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %half = graph.constant dense<0.5> : tensor<4xf32>
  %s = graph.div %x, %root : tensor<4xf32>
  %e = graph.erf %s : tensor<4xf32>
  %a = graph.add %e, %one : tensor<4xf32>
  %m = graph.mul %x, %a : tensor<4xf32>
  %r = graph.mul %m, %half : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @layer_norm
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32> {{.*}}, %[[S:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK: graph.layer_norm %[[X]], %[[S]], %[[B]] {axis = 1 : i64, epsilon = 9.9999999{{[0-9]*}}E-13 : f64}
func.func @layer_norm(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}, %scale: tensor<8xf32>, %bias: tensor<8xf32>) -> tensor<?x8xf32> {
  %n = graph.dim %x, 0 : tensor<?x8xf32>
  %eight = graph.constant dense<8.0> : tensor<f32>
  %eps = graph.constant dense<9.99999996E-13> : tensor<f32>
  %count = graph.broadcast %eight [] [%n] : tensor<f32> -> tensor<?xf32>
  %sum = graph.reduce sum, %x [1] : tensor<?x8xf32> -> tensor<?xf32>
  %mean = graph.div %sum, %count : tensor<?xf32>
  %kept = graph.reshape %mean [%n] : tensor<?xf32> -> tensor<?x1xf32>
  %wide = graph.broadcast %kept [0, 1] [%n] : tensor<?x1xf32> -> tensor<?x8xf32>
  %c = graph.sub %x, %wide : tensor<?x8xf32>
  %sq = graph.mul %c, %c : tensor<?x8xf32>
  %sum2 = graph.reduce sum, %sq [1] : tensor<?x8xf32> -> tensor<?xf32>
  %var = graph.div %sum2, %count : tensor<?xf32>
  %kept2 = graph.reshape %var [%n] : tensor<?xf32> -> tensor<?x1xf32>
  %epsb = graph.broadcast %eps [] [%n] : tensor<f32> -> tensor<?x1xf32>
  %plus = graph.add %kept2, %epsb : tensor<?x1xf32>
  %root = graph.sqrt %plus : tensor<?x1xf32>
  %rootw = graph.broadcast %root [0, 1] [%n] : tensor<?x1xf32> -> tensor<?x8xf32>
  %norm = graph.div %c, %rootw : tensor<?x8xf32>
  %sw = graph.broadcast %scale [1] [%n] : tensor<8xf32> -> tensor<?x8xf32>
  %scaled = graph.mul %norm, %sw : tensor<?x8xf32>
  %bw = graph.broadcast %bias [1] [%n] : tensor<8xf32> -> tensor<?x8xf32>
  %r = graph.add %scaled, %bw : tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: @rms_norm
// CHECK: graph.rms_norm %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = 0.0010000000474974513 : f64}
func.func @rms_norm(%x: tensor<2x8xf32>, %scale: tensor<8xf32>) -> tensor<2x8xf32> {
  %eps = graph.constant dense<1.0e-3> : tensor<2xf32>
  %count = graph.constant dense<8.0> : tensor<2xf32>
  %sq = graph.mul %x, %x : tensor<2x8xf32>
  %sum = graph.reduce sum, %sq [1] : tensor<2x8xf32> -> tensor<2xf32>
  %mean = graph.div %sum, %count : tensor<2xf32>
  %plus = graph.add %mean, %eps : tensor<2xf32>
  %inv = graph.rsqrt %plus : tensor<2xf32>
  %wide = graph.broadcast %inv [0] : tensor<2xf32> -> tensor<2x8xf32>
  %norm = graph.mul %x, %wide : tensor<2x8xf32>
  %sw = graph.broadcast %scale [1] : tensor<8xf32> -> tensor<2x8xf32>
  %r = graph.mul %norm, %sw : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// CHECK-LABEL: @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xf32>)
// CHECK-NEXT: graph.softmax %[[X]] [1] : tensor<2x8xf32>
func.func @softmax(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %max = graph.reduce max, %x [1] : tensor<2x8xf32> -> tensor<2xf32>
  %maxw = graph.broadcast %max [0] : tensor<2xf32> -> tensor<2x8xf32>
  %s = graph.sub %x, %maxw : tensor<2x8xf32>
  %e = graph.exp %s : tensor<2x8xf32>
  %sum = graph.reduce sum, %e [1] : tensor<2x8xf32> -> tensor<2xf32>
  %sumw = graph.broadcast %sum [0] : tensor<2xf32> -> tensor<2x8xf32>
  %r = graph.div %e, %sumw : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// CHECK-LABEL: @softmax_with_another_reader_stays
// CHECK: graph.exp
// CHECK-NOT: graph.softmax
// CHECK: return
func.func @softmax_with_another_reader_stays(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %max = graph.reduce max, %x [1] : tensor<2x8xf32> -> tensor<2xf32>
  %maxw = graph.broadcast %max [0] : tensor<2xf32> -> tensor<2x8xf32>
  %s = graph.sub %x, %maxw : tensor<2x8xf32>
  %e = graph.exp %s : tensor<2x8xf32>
  %sum = graph.reduce sum, %e [1] : tensor<2x8xf32> -> tensor<2xf32>
  %sumw = graph.broadcast %sum [0] : tensor<2xf32> -> tensor<2x8xf32>
  %r = graph.div %e, %sumw : tensor<2x8xf32>
  return %r, %e : tensor<2x8xf32>, tensor<2x8xf32>
}

// A backward pass reads the centred value: it stays.
// CHECK-LABEL: @centred_for_others
// CHECK-NOT: layer_norm
// CHECK: return
func.func @centred_for_others(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %eight = graph.constant dense<8.0> : tensor<4xf32>
  %eps = graph.constant dense<1.0e-5> : tensor<4xf32>
  %sum = graph.reduce sum, %x [1] : tensor<4x8xf32> -> tensor<4xf32>
  %mean = graph.div %sum, %eight : tensor<4xf32>
  %wide = graph.broadcast %mean [0] : tensor<4xf32> -> tensor<4x8xf32>
  %c = graph.sub %x, %wide : tensor<4x8xf32>
  %sq = graph.mul %c, %c : tensor<4x8xf32>
  %sum2 = graph.reduce sum, %sq [1] : tensor<4x8xf32> -> tensor<4xf32>
  %var = graph.div %sum2, %eight : tensor<4xf32>
  %plus = graph.add %var, %eps : tensor<4xf32>
  %root = graph.sqrt %plus : tensor<4xf32>
  %rootw = graph.broadcast %root [0] : tensor<4xf32> -> tensor<4x8xf32>
  %norm = graph.div %c, %rootw : tensor<4x8xf32>
  return %norm, %c : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// tanh of softplus needs one exponential, however softplus is spelled.
// CHECK-LABEL: @mish
// CHECK: %[[L:.*]] = graph.min %{{.*}}, %{{.*}}
// CHECK: %[[E:.*]] = graph.exp %[[L]]
// CHECK-NOT: graph.tanh
// CHECK: graph.div
func.func @mish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<4xf32>
  %a = graph.abs %x : tensor<4xf32>
  %n = graph.neg %a : tensor<4xf32>
  %e = graph.exp %n : tensor<4xf32>
  %l = graph.log1p %e : tensor<4xf32>
  %m = graph.max %x, %zero : tensor<4xf32>
  %s = graph.add %m, %l : tensor<4xf32>
  %t = graph.tanh %s : tensor<4xf32>
  %r = graph.mul %x, %t : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @mish_by_log
// CHECK-NOT: graph.tanh
func.func @mish_by_log(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %e = graph.exp %x : tensor<4xf32>
  %p = graph.add %e, %one : tensor<4xf32>
  %l = graph.log %p : tensor<4xf32>
  %t = graph.tanh %l : tensor<4xf32>
  return %t : tensor<4xf32>
}

// CHECK-LABEL: @softplus_is_read_again
// CHECK: graph.tanh
func.func @softplus_is_read_again(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = graph.exp %x : tensor<4xf32>
  %l = graph.log1p %e : tensor<4xf32>
  %t = graph.tanh %l : tensor<4xf32>
  return %t, %l : tensor<4xf32>, tensor<4xf32>
}

// The deviation is read by others: the composite would compute it a second time.
// CHECK-LABEL: @shared_deviation
// CHECK-NOT: rms_norm
// CHECK: return
func.func @shared_deviation(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %n = graph.constant dense<8.0> : tensor<2xf32>
  %eps = graph.constant dense<1.0e-3> : tensor<2xf32>
  %square = graph.mul %x, %x : tensor<2x8xf32>
  %sum = graph.reduce sum, %square [1] : tensor<2x8xf32> -> tensor<2xf32>
  %mean = graph.div %sum, %n : tensor<2xf32>
  %plus = graph.add %mean, %eps : tensor<2xf32>
  %inverse = graph.rsqrt %plus : tensor<2xf32>
  %wide = graph.broadcast %inverse [0] : tensor<2xf32> -> tensor<2x8xf32>
  %norm = graph.mul %x, %wide : tensor<2x8xf32>
  %other = graph.mul %y, %wide : tensor<2x8xf32>
  return %norm, %other : tensor<2x8xf32>, tensor<2x8xf32>
}

// In f64 a constant of seven digits is another number than gelu's.
// CHECK-LABEL: @gelu_of_few_digits
// CHECK-NOT: graph.gelu
// CHECK: graph.erf
func.func @gelu_of_few_digits(%x: tensor<4xf64>) -> tensor<4xf64> {
  %root = graph.constant dense<0.707106769> : tensor<4xf64>
  %one = graph.constant dense<1.0> : tensor<4xf64>
  %half = graph.constant dense<0.5> : tensor<4xf64>
  %s = graph.mul %x, %root : tensor<4xf64>
  %e = graph.erf %s : tensor<4xf64>
  %a = graph.add %e, %one : tensor<4xf64>
  %m = graph.mul %x, %a : tensor<4xf64>
  %r = graph.mul %m, %half : tensor<4xf64>
  return %r : tensor<4xf64>
}

// CHECK-LABEL: @gelu_of_all_digits
// CHECK: graph.gelu
func.func @gelu_of_all_digits(%x: tensor<4xf64>) -> tensor<4xf64> {
  %root = graph.constant dense<0.70710678118654757> : tensor<4xf64>
  %one = graph.constant dense<1.0> : tensor<4xf64>
  %half = graph.constant dense<0.5> : tensor<4xf64>
  %s = graph.mul %x, %root : tensor<4xf64>
  %e = graph.erf %s : tensor<4xf64>
  %a = graph.add %e, %one : tensor<4xf64>
  %m = graph.mul %x, %a : tensor<4xf64>
  %r = graph.mul %m, %half : tensor<4xf64>
  return %r : tensor<4xf64>
}
