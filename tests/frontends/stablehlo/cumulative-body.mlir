// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running fold by a body that is no single op, along a dimension of any
// size, as JAX writes cumlogsumexp: steps of 1, 2, 4 and so on.
//
// RUN: zenith-translate %s --to-format=graphir -o - | FileCheck %s
// RUN: zenith-run %s --random-inputs --dim arg0_d0=13 --compare=interp --rtol=1e-5 --atol=1e-5
// RUN: zenith-run %s --random-inputs --dim arg0_d0=1 --compare=interp --rtol=1e-5 --atol=1e-5

// CHECK: graph.while
// CHECK: graph.pad {{.*}} [%{{.*}}, 0] [%{{.*}}, 0] [0, 0]
// CHECK: graph.while
func.func public @main(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %window = stablehlo.concatenate %rows, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %rest = stablehlo.subtract %size, %step : tensor<i32>
  %less = stablehlo.reshape %rest : (tensor<i32>) -> tensor<1xi32>
  %first = stablehlo.concatenate %less, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %last = stablehlo.concatenate %zero, %less, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %second = stablehlo.constant dense<0> : tensor<2xi32>
  %low = stablehlo.reshape %first : (tensor<2xi32>) -> tensor<1x2xi32>
  %high = stablehlo.reshape %last : (tensor<2xi32>) -> tensor<1x2xi32>
  %side = stablehlo.reshape %second : (tensor<2xi32>) -> tensor<1x2xi32>
  %before = stablehlo.concatenate %low, %side, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %after = stablehlo.concatenate %high, %side, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %none, %window, %ones, %ones, %ones, %before) {called_computations = [@joined]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x3xf32>
  %s = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %none, %window, %ones, %ones, %ones, %after) {called_computations = [@joined]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x3xf32>
  return %r, %s : tensor<?x3xf32>, tensor<?x3xf32>
}

func.func private @joined(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %max = stablehlo.maximum %a, %b : tensor<f32>
  %left = stablehlo.subtract %a, %max : tensor<f32>
  %right = stablehlo.subtract %b, %max : tensor<f32>
  %expLeft = stablehlo.exponential %left : tensor<f32>
  %expRight = stablehlo.exponential %right : tensor<f32>
  %sum = stablehlo.add %expLeft, %expRight : tensor<f32>
  %log = stablehlo.log %sum : tensor<f32>
  %r = stablehlo.add %max, %log : tensor<f32>
  return %r : tensor<f32>
}
