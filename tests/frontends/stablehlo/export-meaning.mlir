// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every family of ops, written as StableHLO and read again: the same results.
//
// RUN: zenith-translate %s --to-format=stablehlo -o %t.mlir --check
// RUN: FileCheck --enable-var-scope %s --input-file=%t.mlir

// CHECK: func.func @main
// CHECK-DAG: stablehlo.dot_general
// CHECK-DAG: stablehlo.convolution
// CHECK-DAG: "stablehlo.sort"
// CHECK-DAG: "stablehlo.gather"
// CHECK-DAG: "stablehlo.scatter"
// CHECK-DAG: "stablehlo.reduce_window"
// CHECK-DAG: stablehlo.while
// CHECK-DAG: "stablehlo.case"
// CHECK-DAG: chlo.erf
// CHECK-NOT: graph.
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %i: tensor<4x1xi64>, %n: tensor<i64>, %u: tensor<5xui8>,
                %h: tensor<4xf16>, %img: tensor<1x2x6xf32>, %ker: tensor<4x2x3xf32>)
    -> (tensor<2x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<f16>,
        tensor<5xui8>, tensor<5xui8>, tensor<2x2xf32>, tensor<2x2xi64>, tensor<4xi64>, tensor<2xi1>, tensor<i64>, tensor<2x3xf32>,
        tensor<1x4x6xf32>, tensor<2x3xf32>, tensor<2xcomplex<f32>>, tensor<2x5xf32>, tensor<2x1xf32>) {
  %dot = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %gather = graph.gather %y, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4]
    : (tensor<3x4xf32>, tensor<4x1xi64>) -> tensor<4x4xf32>
  %scatter = graph.scatter sum, %y, %i, %gather <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
    : (tensor<3x4xf32>, tensor<4x1xi64>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %first = graph.arg_reduce max, %x 1 : tensor<2x3xf32> -> tensor<2xi64>
  %last = graph.arg_reduce min, %x 1 last : tensor<2x3xf32> -> tensor<2xi64>
  %sums = graph.cumulative sum, %x 1 exclusive : tensor<2x3xf32>
  %back = graph.cumulative max, %x 1 reverse : tensor<2x3xf32>
  %half = graph.reduce sum, %h [0] : tensor<4xf16> -> tensor<f16>
  %sorted = graph.sort %u 0 keys 1 descending : (tensor<5xui8>) -> tensor<5xui8>
  %seven = graph.constant dense<7> : tensor<5xui8>
  %mod = graph.floor_mod %u, %seven : tensor<5xui8>
  %top, %places = graph.top_k %x 1 : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  %list = graph.constant dense<[0, 1, 1, 2]> : tensor<4xi64>
  %flat = graph.reshape %i : tensor<4x1xi64> -> tensor<4xi64>
  %found = graph.searchsorted %list, %flat right : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %set = graph.slice %x [0, 0] [1, 3] [1, 1] : tensor<2x3xf32> -> tensor<1x3xf32>
  %member = graph.is_in %x, %set : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2xi1>
  %ten = graph.constant dense<10> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %count = graph.while %n cond {
  ^bb0(%a: tensor<i64>):
    %c = graph.compare lt, %a, %ten : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>):
    %twice = graph.add %a, %a : tensor<i64>
    %b = graph.add %twice, %one : tensor<i64>
    graph.yield %b : tensor<i64>
  } : (tensor<i64>) -> tensor<i64>
  %branch = graph.case %n {
    %e = graph.erf %x : tensor<2x3xf32>
    graph.yield %e : tensor<2x3xf32>
  }, {
    graph.yield %x : tensor<2x3xf32>
  } : (tensor<i64>) -> tensor<2x3xf32>
  %conv = graph.convolution %img, %ker <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])>
    strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1
    : (tensor<1x2x6xf32>, tensor<4x2x3xf32>) -> tensor<1x4x6xf32>
  %soft = graph.softmax %x [1] : tensor<2x3xf32>
  %pair = graph.reduce prod, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  %wave = graph.fourier r2c, %pair [2] : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %padded = graph.pad %x, %zero [0, 1] [0, 1] [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x5xf32>
  %pool = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1]
    : tensor<2x3xf32> -> tensor<2x1xf32>
  return %dot, %gather, %scatter, %first, %last, %sums, %back, %half, %sorted, %mod, %top, %places, %found, %member, %count, %branch,
    %conv, %soft, %wave, %padded, %pool : tensor<2x4xf32>, tensor<4x4xf32>, tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2x3xf32>,
    tensor<2x3xf32>, tensor<f16>, tensor<5xui8>, tensor<5xui8>, tensor<2x2xf32>, tensor<2x2xi64>, tensor<4xi64>, tensor<2xi1>, tensor<i64>,
    tensor<2x3xf32>, tensor<1x4x6xf32>, tensor<2x3xf32>, tensor<2xcomplex<f32>>, tensor<2x5xf32>, tensor<2x1xf32>
}
