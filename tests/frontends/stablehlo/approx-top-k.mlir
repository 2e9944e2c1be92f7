// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The custom call of jax.lax.approx_max_k: the exact best are an answer for
// every recall.
//
// RUN: zenith-run %s --target=interp
// RUN: zenith-run %s --target=cpu

func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
func.func public @main() {
  %x = stablehlo.constant dense<[[1.0, 5.0, -2.0, 4.0], [0.0, -1.0, 7.0, 9.0]]> : tensor<2x4xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x4xi32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %nowhere = stablehlo.constant dense<-1> : tensor<i32>
  %best:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %none, %nowhere) {called_computations = [@greater], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.949999988 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  check.expect_eq_const %best#0, dense<[[5.0, 4.0], [9.0, 7.0]]> : tensor<2x2xf32>
  check.expect_eq_const %best#1, dense<[[1, 3], [3, 2]]> : tensor<2x2xi32>
  return
}
