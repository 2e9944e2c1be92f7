// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ApproxTopK over a batch of any size: the shapes of its results come last
// among its operands.
//
// RUN: zenith-run %s --random-inputs --dim arg0_d0=3 --compare=interp --print=0
// RUN: zenith-translate %s --to-format=graphir -o - | FileCheck %s

// CHECK: graph.sort_with
// CHECK: graph.slice {{.*}} [0, 0] [%{{.*}}, 2] [1, 1] : tensor<?x8xf32> -> tensor<?x2xf32>
func.func public @main(%x: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %worst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %eight = stablehlo.constant dense<8> : tensor<1xi32>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %whole = stablehlo.concatenate %rows, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %shape = stablehlo.concatenate %rows, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %places = stablehlo.dynamic_iota %whole, dim = 1 : (tensor<2xi32>) -> tensor<?x8xi32>
  %best:2 = stablehlo.custom_call @ApproxTopK(%x, %places, %worst, %none, %shape, %shape) {called_computations = [@larger], indices_of_shape_operands = dense<[4, 5]> : tensor<2xi64>, mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.949999988 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<?x8xf32>, tensor<?x8xi32>, tensor<f32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>)
  return %best#0, %best#1 : tensor<?x2xf32>, tensor<?x2xi32>
}

func.func private @larger(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %first = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %first : tensor<i1>
}
