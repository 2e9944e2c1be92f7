// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// select_and_scatter over a batch of any size: flat positions of the chosen
// elements, as many as there are windows. A convolution whose padding comes as
// values is one of a padded input. A window as long as its dimension, padded
// on one side, is a cumulative fold.
//
// RUN: zenith-translate %s --to-format=graphir -o %t && FileCheck %s < %t

// CHECK-LABEL: func.func @main
// CHECK: graph.iota 0 {{.*}} : tensor<?xi64>
// CHECK: graph.reduce_window_with{{.*}} window [1, 2, 2] strides [1, 2, 2]
// CHECK: graph.scatter sum, {{.*}} tensor<?x1xi64>
// CHECK: -> tensor<?x4x6xf32>
func.func public @main(%x: tensor<?x4x6xf32>, %s: tensor<?x2x3xf32>) -> tensor<?x4x6xf32> {
  %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %keep = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %keep : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>} : (tensor<?x4x6xf32>, tensor<?x2x3xf32>, tensor<f32>) -> tensor<?x4x6xf32>
  return %r : tensor<?x4x6xf32>
}

// CHECK-LABEL: func.func @convolution
// CHECK: graph.pad {{.*}} [0, 0, 0] [0, 0, 0] [0, 1, 0] :
// CHECK: graph.pad {{.*}} [0, %{{.*}}, 0] [0, %{{.*}}, 0] [0, 0, 0] :
// CHECK: graph.convolution
// CHECK: -> tensor<2x?x4xf32>
func.func public @convolution(%x: tensor<2x?x3xf32>, %k: tensor<3x3x4xf32>, %p: tensor<1x2xi32>) -> tensor<2x?x4xf32> {
  %r = "stablehlo.dynamic_conv"(%x, %k, %p) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 2>, lhs_dilation = array<i64: 2>} : (tensor<2x?x3xf32>, tensor<3x3x4xf32>, tensor<1x2xi32>) -> tensor<2x?x4xf32>
  return %r : tensor<2x?x4xf32>
}

// CHECK-LABEL: func.func @cumulative
// CHECK: graph.cumulative sum{{.*}} tensor<?x?xf32>
func.func public @cumulative(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %less = stablehlo.add %size, %c : tensor<i32>
  %before = stablehlo.reshape %less : (tensor<i32>) -> tensor<1xi32>
  %window = stablehlo.concatenate %rows, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.concatenate %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %first = stablehlo.concatenate %before, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %second = stablehlo.concatenate %zero, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %low = stablehlo.reshape %first : (tensor<2xi32>) -> tensor<1x2xi32>
  %high = stablehlo.reshape %second : (tensor<2xi32>) -> tensor<1x2xi32>
  %padding = stablehlo.concatenate %low, %high, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %window, %ones, %ones, %ones, %padding) {called_computations = [@add]} : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %sum = stablehlo.add %a, %b : tensor<f32>
  return %sum : tensor<f32>
}

// The input is padded, by one row at the end where there are as many as the
// program says.
// CHECK-LABEL: func.func @pool
// CHECK: graph.pad {{.*}} [0, 0] [%{{.*}}, 0] [0, 0] :
// CHECK: graph.reduce_window max{{.*}} window [2, 1] strides [2, 1]
// CHECK: -> tensor<?x4xf32>
func.func public @pool(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %c = stablehlo.constant dense<2> : tensor<i32>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %odd = stablehlo.remainder %size, %c : tensor<i32>
  %more = stablehlo.reshape %odd : (tensor<i32>) -> tensor<1xi32>
  %window = stablehlo.concatenate %two, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.concatenate %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %first = stablehlo.concatenate %zero, %more, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %second = stablehlo.concatenate %zero, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %low = stablehlo.reshape %first : (tensor<2xi32>) -> tensor<1x2xi32>
  %high = stablehlo.reshape %second : (tensor<2xi32>) -> tensor<1x2xi32>
  %padding = stablehlo.concatenate %low, %high, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %window, %window, %ones, %ones, %padding) {called_computations = [@larger]} : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %max = stablehlo.maximum %a, %b : tensor<f32>
  return %max : tensor<f32>
}

// Padding between elements comes first, by itself, where a value pads in front.
// CHECK-LABEL: func.func @gradient
// CHECK: graph.pad {{.*}} [0, 0] [0, 0] [2, 0] :
// CHECK: graph.pad {{.*}} [%{{.*}}, 0] [1, 0] [0, 0] :
func.func public @gradient(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %fill = stablehlo.constant dense<7.0> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %low = stablehlo.concatenate %rows, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %between = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %r = stablehlo.dynamic_pad %x, %fill, %low, %high, %between : (tensor<?x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
