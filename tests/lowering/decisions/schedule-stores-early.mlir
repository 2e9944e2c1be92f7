// What a program returns early leaves the caches while the weights of later steps pass through them, so that it is
// streamed although it would fit; what is returned at the end stays.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:znver4 | FileCheck %s

graph.param @w : tensor<4096x4096xf32>
graph.param @table : tensor<16384x1024xf32>

// A cache of keys with a new one, in front of 64 MB of weights.
// CHECK-LABEL: func.func @early(
// CHECK: graph.fusion copy
// CHECK-SAME: store = streaming
// CHECK: graph.fusion contraction
func.func @early(%past: tensor<511x1024xf32>, %new: tensor<1x1024xf32>, %x: tensor<1x4096xf32>) -> (tensor<512x1024xf32>, tensor<1x4096xf32>) {
  %k = graph.concat 0, %past, %new : (tensor<511x1024xf32>, tensor<1x1024xf32>) -> tensor<512x1024xf32>
  %w = graph.get_param @w : tensor<4096x4096xf32>
  %y = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
  return %k, %y : tensor<512x1024xf32>, tensor<1x4096xf32>
}

// The product is first: its result scales what is returned.
// CHECK-LABEL: func.func @late(
// CHECK: graph.fusion contraction
// CHECK: graph.fusion pointwise {{.*}} lanes = 32, shares = {{\[\[0, 0\]\]}}>} {
func.func @late(%past: tensor<512x1024xf32>, %x: tensor<1x4096xf32>) -> tensor<512x1024xf32> {
  %w = graph.get_param @w : tensor<4096x4096xf32>
  %y = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
  %m = graph.reduce max, %y [0, 1] : tensor<1x4096xf32> -> tensor<f32>
  %b = graph.broadcast %m [] : tensor<f32> -> tensor<512x1024xf32>
  %k = graph.mul %past, %b : tensor<512x1024xf32>
  return %k : tensor<512x1024xf32>
}

// Of a table that is only gathered from, few rows pass.
// CHECK-LABEL: func.func @gathered(
// CHECK: graph.fusion pointwise {{.*}} lanes = 32, shares = {{\[\[0, 0\]\]}}>} {
func.func @gathered(%past: tensor<512x1024xf32>, %i: tensor<4xi64>) -> (tensor<512x1024xf32>, tensor<4x1024xf32>) {
  %k = graph.neg %past : tensor<512x1024xf32>
  %t = graph.get_param @table : tensor<16384x1024xf32>
  %g = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 1024] : (tensor<16384x1024xf32>, tensor<4xi64>) -> tensor<4x1024xf32>
  return %k, %g : tensor<512x1024xf32>, tensor<4x1024xf32>
}
