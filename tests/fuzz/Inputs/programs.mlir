// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that mutants.py changes: each op of GraphIR that can stand alone, twice.

func.func @main(%x: tensor<4xi1>) {
  %r = graph.not %x : tensor<4xi1>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.abs %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.cos %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.erf %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.exp %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.log %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.neg %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.sin %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.tan %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.acos %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.asin %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.atan %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.cbrt %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.ceil %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.cosh %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.sign %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.sinh %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.sqrt %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.tanh %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.acosh %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.asinh %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.atanh %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.expm1 %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.floor %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.log1p %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.rsqrt %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.logistic %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xui8>) {
  %r = graph.popcount %x : tensor<4xui8>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.round_away %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.round_even %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  %r = graph.or %x, %y : tensor<4xi1>
  return
}

// -----
func.func @main(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  %r = graph.and %x, %y : tensor<4xi1>
  return
}

// -----
func.func @main(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  %r = graph.xor %x, %y : tensor<4xi1>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.add %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.div %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.max %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.min %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.mul %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.pow %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.rem %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.sub %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.bitcast %x : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.atan2 %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xui8>) {
  %r = graph.count_leading_zeros %x : tensor<4xui8>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.floor_mod %x, %y : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = graph.neg %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----
func.func @main(%x: tensor<4xcomplex<f64>>) {
  %r = graph.imag %x : tensor<4xcomplex<f64>> -> tensor<4xf64>
  return
}

// -----
func.func @main(%x: tensor<4xcomplex<f64>>) {
  %r = graph.real %x : tensor<4xcomplex<f64>> -> tensor<4xf64>
  return
}

// -----
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  %r = graph.shift_left %x, %y : tensor<4xi32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.complex %x, %x : tensor<4xf32> -> tensor<4xcomplex<f32>>
  return
}

// -----
func.func @main(%n: tensor<i64>) {
  %i = graph.iota 1 [%n] : tensor<?x4xi64>
  %j = graph.iota 0 : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = graph.tanh %x : tensor<32xf32>
  return %r : tensor<32xf32>
}

// -----
func.func @main() -> tensor<1024xi64> {
  %r = graph.iota 0 : tensor<1024xi64>
  return %r : tensor<1024xi64>
}

// -----
func.func @main(%x: tensor<?x4xf32>) -> tensor<i64> {
  %n = graph.dim %x, 1 : tensor<?x4xf32>
  return %n : tensor<i64>
}

// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.gelu tanh, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
func.func @main(%l: tensor<4xf32>, %x: tensor<4xf32>, %h: tensor<4xf32>) {
  %r = graph.clamp %l, %x, %h : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.gelu erf, %x : tensor<4xf32>
  %s = graph.gelu tanh, %x : tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = graph.add %x, %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----
func.func @main(%x: tensor<4xcomplex<f64>>) {
  %r = graph.complex_abs %x : tensor<4xcomplex<f64>> -> tensor<4xf64>
  return
}

// -----
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  %r = graph.shift_right_logical %x, %y : tensor<4xi32>
  return
}

// -----
func.func @main(%x: tensor<?xi64>) -> tensor<?xi64> {
  %s = graph.sub %x, %x : tensor<?xi64>
  return %s : tensor<?xi64>
}

// -----
func.func @main(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %r = graph.softmax %x [1] : tensor<4x40xf32>
  return %r : tensor<4x40xf32>
}

// -----
func.func @main(%x: tensor<6xi32>) -> tensor<6xf32> {
  %f = graph.bitcast %x : tensor<6xi32> -> tensor<6xf32>
  return %f : tensor<6xf32>
}

// -----
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  %r = graph.shift_right_arithmetic %x, %y : tensor<4xi32>
  return
}

// -----
func.func @main(%v: tensor<4xi64>) -> tensor<i64> {
  %n = graph.reduce sum, %v [0] : tensor<4xi64> -> tensor<i64>
  return %n : tensor<i64>
}

// -----
func.func @main(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = graph.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  return
}

// -----
func.func @main(%x: tensor<?x4xf32>, %y: tensor<2x3xi1>) {
  %m = graph.dim %y, 1 : tensor<2x3xi1>
  %n = graph.dim %x, 0 : tensor<?x4xf32>
  return
}

// -----
func.func @main(%x: tensor<8x3xui8>, %s: tensor<5x3xui8>) {
  %m = graph.is_in %x, %s : (tensor<8x3xui8>, tensor<5x3xui8>) -> tensor<8xi1>
  return
}

// -----
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %r = graph.div %x, %y : tensor<16xi32>
  return %r : tensor<16xi32>
}

// -----
func.func @main() -> tensor<0xi32> {
  %x = graph.constant dense<> : tensor<0xi32>
  %a = graph.add %x, %x : tensor<0xi32>
  return %a : tensor<0xi32>
}

// -----
func.func @main(%x: tensor<3x64xf32>) -> tensor<3xf32> {
  %r = graph.reduce sum, %x [1] : tensor<3x64xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----
func.func @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %l = graph.cholesky %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %l : tensor<3x3xf32>
}

// -----
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %r = graph.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = graph.exp %x : tensor<4xf32>
  %r = graph.mul %e, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
func.func @main(%x: tensor<2x?xf32>, %y: tensor<2x3xf64>) {
  %s = graph.softmax %y [0] : tensor<2x3xf64>
  %r = graph.softmax %x [1] : tensor<2x?xf32>
  return
}

// -----
func.func @main(%x: tensor<4x?xf32>, %y: tensor<2x3xui8>) {
  %s = graph.reverse %y [0, 1] : tensor<2x3xui8>
  %r = graph.reverse %x [0] : tensor<4x?xf32>
  return
}

// -----
func.func @main() -> tensor<2xf32> {
  %a = graph.constant dense<[4.0, 9.0]> : tensor<2xf32>
  %r = graph.sqrt %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %r = graph.pow %x, %two : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
func.func @main(%x: tensor<2x?xf16>, %y: tensor<2x3xf64>) {
  %s = graph.log_softmax %y [0] : tensor<2x3xf64>
  %r = graph.log_softmax %x [0, 1] : tensor<2x?xf16>
  return
}

// -----
func.func @main(%s: tensor<2xui64>) -> tensor<4xui32> {
  %t, %r = graph.random_bits threefry, %s : tensor<2xui64> -> tensor<2xui64>, tensor<4xui32>
  return %r : tensor<4xui32>
}

// -----
func.func @main(%x: tensor<2x1x3xf32>) -> tensor<1x2x3xf32> {
  %r = graph.transpose %x [1, 0, 2] : tensor<2x1x3xf32> -> tensor<1x2x3xf32>
  return %r : tensor<1x2x3xf32>
}

// -----
func.func @main(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}) -> tensor<3xi64> {
  %r = graph.arg_reduce max, %x 0 : tensor<?x3xf32> -> tensor<3xi64>
  return %r : tensor<3xi64>
}

// -----
func.func @main(%x: tensor<?xbf16>, %y: tensor<4xf32>) {
  %q = graph.is_finite %y : tensor<4xf32> -> tensor<4xi1>
  %p = graph.is_finite %x : tensor<?xbf16> -> tensor<?xi1>
  return
}

// -----
func.func @main(%x: tensor<2x3xf32>) {
  %r = graph.arg_reduce max, %x 1 : tensor<2x3xf32> -> tensor<2xi64>
  %s = graph.arg_reduce min, %x 0 last : tensor<2x3xf32> -> tensor<3xi32>
  return
}

// -----
func.func @main(%x: tensor<3x8xf32>) {
  %r = graph.reduce_window max, %x window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<3x8xf32> -> tensor<3x4xf32>
  return
}

// -----
func.func @main(%x: tensor<2x4xf16>) -> tensor<2x4xf16> {
  %r = graph.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x4xf16>) -> tensor<2x4xf16>
  return %r : tensor<2x4xf16>
}

// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) {
  %r = graph.concat 0, %x, %y : (tensor<2x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %s = graph.concat 1, %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @main(%x: tensor<8xi64>) -> tensor<i64> {
  %u:4 = graph.unique %x : tensor<8xi64> -> tensor<?xi64>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  %n = graph.dim %u#0, 0 : tensor<?xi64>
  return %n : tensor<i64>
}

// -----
func.func @main(%x: tensor<0x5xf32>) -> (tensor<0x1xf32>, tensor<0x1xi64>) {
  %v, %i = graph.top_k %x 1 : (tensor<0x5xf32>) -> (tensor<0x1xf32>, tensor<0x1xi64>)
  return %v, %i : tensor<0x1xf32>, tensor<0x1xi64>
}

// -----
func.func @main(%x: tensor<4xf32>) {
  %r = graph.cumulative sum, %x 0 : tensor<4xf32>
  %s = graph.cumulative prod, %x 0 exclusive reverse : tensor<4xf32>
  %t = graph.cumulative max, %x 0 reverse : tensor<4xf32>
  return
}

// -----
func.func @main(%v: tensor<4xi64>, %x: tensor<f32>) -> tensor<?xf32> {
  %n = graph.reduce sum, %v [0] : tensor<4xi64> -> tensor<i64>
  %y = graph.broadcast %x [] [%n] : tensor<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----
func.func @main(%x: tensor<3xf32>) -> tensor<3x2xf32> {
  %b = graph.broadcast %x [1] : tensor<3xf32> -> tensor<2x3xf32>
  %r = graph.transpose %b [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----
func.func @main(%v: tensor<4xi64>, %n: tensor<i64>) -> tensor<?xi64> {
  %r = graph.reduce max, %v [0] : tensor<4xi64> -> tensor<i64>
  %s = graph.add %r, %n : tensor<i64>
  %y = graph.iota 0 [%s] : tensor<?xi64>
  return %y : tensor<?xi64>
}

// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----
func.func @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %t = graph.transpose %x [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  %c = graph.cholesky %t lower : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %c : tensor<3x3xf32>
}

// -----
func.func @main(%x: tensor<?x5x3xf32>) -> (tensor<?x1x3xf32>, tensor<?x1x3xi64>) {
  %v, %i = graph.top_k %x 1 : (tensor<?x5x3xf32>) -> (tensor<?x1x3xf32>, tensor<?x1x3xi64>)
  return %v, %i : tensor<?x1x3xf32>, tensor<?x1x3xi64>
}

// -----
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = graph.exp %x : tensor<4xf32>
  %l = graph.log1p %e : tensor<4xf32>
  %t = graph.tanh %l : tensor<4xf32>
  return %t, %l : tensor<4xf32>, tensor<4xf32>
}

// -----
func.func @main(%x: tensor<?x1xf32>, %y: tensor<1x5xf32>) -> tensor<?x5xf32> {
  %d = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<?x1xf32>, tensor<1x5xf32>) -> tensor<?x5xf32>
  return %d : tensor<?x5xf32>
}

// -----
func.func @main(%p: tensor<4xi1>) -> tensor<4xi1> {
  %true = graph.constant dense<true> : tensor<4xi1>
  %false = graph.constant dense<false> : tensor<4xi1>
  %r = graph.select %p, %true, %false : tensor<4xi1>, tensor<4xi1>
  return %r : tensor<4xi1>
}

// -----
func.func @main(%x: tensor<4x4xf32>, %i: tensor<i64>, %s: tensor<f32>) {
  %r = graph.dynamic_slice %x, %i, %i : (tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<2x2xf32>
  %t = graph.dynamic_slice %s : (tensor<f32>) -> tensor<f32>
  return
}

// -----
func.func @main(%x: tensor<4xi32>, %n: tensor<i64>) -> tensor<4xi32> {
  %p = graph.compare eq, %n, %n : tensor<i64> -> tensor<i1>
  graph.assert %p "got {0}" (%n) : tensor<i1>, tensor<i64>
  %r = graph.xor %x, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}

// -----
func.func @main(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  %r = graph.batch_norm %x, %s, %s, %s, %s {dim = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @main(%x: tensor<8xf32>, %i: tensor<8xi64>) -> tensor<8xi64> {
  %e = graph.exp %x : tensor<8xf32>
  %k, %v = graph.sort %e, %i 0 keys 1 : (tensor<8xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>)
  return %v : tensor<8xi64>
}

// -----
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.if %p then {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %y : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
func.func @main(%x: tensor<8xi64>, %q: tensor<3xi64>, %r: tensor<2x?xi64>) {
  %a = graph.searchsorted %x, %q : (tensor<8xi64>, tensor<3xi64>) -> tensor<3xi64>
  %b = graph.searchsorted %x, %r right : (tensor<8xi64>, tensor<2x?xi64>) -> tensor<2x?xi64>
  return
}

// -----
func.func @main(%n: tensor<1xi64> {graph.name = "n"}) -> tensor<?xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %s = graph.reshape %n : tensor<1xi64> -> tensor<i64>
  %r = graph.broadcast %one [] [%s] : tensor<f32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
func.func @main(%x: tensor<2x3xf32>, %v: tensor<f32>, %n: tensor<i64>) {
  %r = graph.pad %x, %v [0, 1] [0, 1] [0, 0] : tensor<2x3xf32>, tensor<f32> -> tensor<2x5xf32>
  %s = graph.pad %x, %v [-1, %n] [0, %n] [0, 2] : tensor<2x3xf32>, tensor<f32> -> tensor<1x?xf32>
  return
}

// -----
func.func @main(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %n = graph.dim %x, 0 : tensor<?x4xf32>
  %c = graph.dim %x, 1 : tensor<?x4xf32>
  %m = graph.mul %n, %c : tensor<i64>
  %r = graph.reshape %x [%m] : tensor<?x4xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
func.func @main(%x: tensor<8x3xui8>, %y: tensor<?xf32>) {
  %a:4 = graph.unique %x : tensor<8x3xui8> -> tensor<?x3xui8>, tensor<?xi64>, tensor<8xi64>, tensor<?xi64>
  %b:4 = graph.unique %y sorted : tensor<?xf32> -> tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  return
}

// -----
func.func @main(%m: tensor<8xi1>, %x: tensor<8x2xf32>, %y: tensor<8xi64>) {
  %a = graph.compact %m, %x : (tensor<8xi1>, tensor<8x2xf32>) -> tensor<?x2xf32>
  %b:2 = graph.compact %m, %x, %y : (tensor<8xi1>, tensor<8x2xf32>, tensor<8xi64>) -> (tensor<?x2xf32>, tensor<?xi64>)
  return
}

// -----
func.func @main(%q: tensor<2x4x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<2x4x8xf32> {
  %r = graph.attention %q, %k, %v {scale = 0.125 : f64, causal} : (tensor<2x4x8xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %e = graph.exp %x : tensor<4xf32>
  %p = graph.add %e, %one : tensor<4xf32>
  %l = graph.log %p : tensor<4xf32>
  %t = graph.tanh %l : tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----
func.func @main() -> (tensor<3xui64>, tensor<9xi16>) {
  %s = graph.constant dense<[5, 18446744073709551614, 7]> : tensor<3xui64>
  %n, %a = graph.random_bits philox, %s : tensor<3xui64> -> tensor<3xui64>, tensor<9xi16>
  return %n, %a : tensor<3xui64>, tensor<9xi16>
}

// -----
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %r = graph.sort_with %x 0 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = graph.compare lt, %a, %b : tensor<f32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } : (tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----
func.func @main(%x: tensor<?x8xf32>, %n: tensor<i64>, %s: tensor<f32>) {
  %r = graph.slice %x [0, 2] [%n, 4] [1, 1] : tensor<?x8xf32> -> tensor<?x4xf32>
  %t = graph.slice %x [%n, 0] [2, 4] [1, 2] : tensor<?x8xf32> -> tensor<2x4xf32>
  %u = graph.slice %s [] [] [] : tensor<f32> -> tensor<f32>
  return
}

// -----
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %y = graph.add %x, %x : tensor<4xcomplex<f32>>
  %f = graph.fourier c2c, %y [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %r = graph.real %f : tensor<4xcomplex<f32>> -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
func.func @main(%i: tensor<30x1xi64>) -> tensor<30xi64> {
  %t = graph.iota 0 : tensor<7xi64>
  %r = graph.gather %t, %i <offset = [], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1]
    : (tensor<7xi64>, tensor<30x1xi64>) -> tensor<30xi64>
  return %r : tensor<30xi64>
}

// -----
func.func @main(%x: tensor<8x256xf32>) -> (tensor<8xf32>, tensor<8x256xf32>) {
  %zero = graph.constant dense<0.0> : tensor<8x256xf32>
  %relu = graph.max %x, %zero : tensor<8x256xf32>
  %m = graph.reduce max, %x [1] : tensor<8x256xf32> -> tensor<8xf32>
  return %m, %relu : tensor<8xf32>, tensor<8x256xf32>
}

// -----
func.func @main(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}) -> tensor<3xf32> {
  %e = graph.exp %x : tensor<?x3xf32>
  %r = graph.arg_reduce min, %e 0 : tensor<?x3xf32> -> tensor<3xi64>
  %f = graph.convert %r : tensor<3xi64> -> tensor<3xf32>
  %s = graph.sin %f : tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----
func.func @main(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  %r = graph.rms_norm %x, %s {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %u = graph.rms_norm %x {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<?xf32> {
  %p = graph.constant dense<true> : tensor<i1>
  %r = graph.if %p then {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %y : tensor<5xf32>
  } : (tensor<i1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----
func.func @main(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) {
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])> strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1 : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return
}

// -----
func.func @main(%x: tensor<?x64xf32> {graph.name = "x", graph.dims = ["n", "64"]}, %y: tensor<2x64xf32> {graph.name = "y"}) -> (tensor<?x64xf32> {graph.name = "z", graph.dims = ["n + 2", "64"]}) {
  %r = graph.concat 0, %x, %y : (tensor<?x64xf32>, tensor<2x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----
func.func @main(%x: tensor<?x5xi64> {graph.name = "states", graph.dims = ["batch", "5"]})
    -> (tensor<?xf32> {graph.name = "scores", graph.dims = ["batch"]}) {
  %f = graph.convert %x : tensor<?x5xi64> -> tensor<?x5xf32>
  %s = graph.reduce sum, %f [1] : tensor<?x5xf32> -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----
func.func @main(%x: tensor<?x9x8x4xf32>) -> tensor<?x4x8x4xf32> {
  %r = graph.reduce_window max, %x window [1, 4, 5, 1] strides [1, 2, 1, 1] low [0, 1, 2, 0] high [0, 0, 2, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<?x9x8x4xf32> -> tensor<?x4x8x4xf32>
  return %r : tensor<?x4x8x4xf32>
}

// -----
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %low = graph.constant dense<0xFF800000> : tensor<4xf32>
  %high = graph.constant dense<0x7F800000> : tensor<4xf32>
  %a = graph.max %low, %x : tensor<4xf32>
  %b = graph.min %x, %high : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----
func.func @main(%q: tensor<2x5x?xf32> {graph.dims = ["2", "5", "d"]}, %k: tensor<2x7x?xf32> {graph.dims = ["2", "7", "d"]}) -> tensor<2x5x?xf32> {
  %a = graph.attention %q, %k, %k {scale = 0.5 : f64} : (tensor<2x5x?xf32>, tensor<2x7x?xf32>, tensor<2x7x?xf32>) -> tensor<2x5x?xf32>
  return %a : tensor<2x5x?xf32>
}

// -----
func.func @main(%x: tensor<?x6x7x5xf32>) -> tensor<?x6x1x1xf32> {
  %r = graph.reduce_window sum, %x window [1, 1, 7, 5] strides [1, 1, 7, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<?x6x7x5xf32> -> tensor<?x6x1x1xf32>
  return %r : tensor<?x6x1x1xf32>
}

// -----
func.func @main(%x: tensor<?xf32>, %u: tensor<2xf32>, %i: tensor<i32>, %y: tensor<4xf32>) {
  %s = graph.dynamic_update_slice %y, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  %r = graph.dynamic_update_slice %x, %u, %i : (tensor<?xf32>, tensor<2xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

// -----
func.func @main(%x: tensor<3x2xf32>, %y: tensor<3x2xf32>) -> tensor<2xcomplex<f32>> {
  %r = graph.reduce sum, %x [0] : tensor<3x2xf32> -> tensor<2xf32>
  %i = graph.reduce sum, %y [0] : tensor<3x2xf32> -> tensor<2xf32>
  %c = graph.complex %r, %i : tensor<2xf32> -> tensor<2xcomplex<f32>>
  return %c : tensor<2xcomplex<f32>>
}

// -----
func.func @main(%v: tensor<4xi64>, %n: tensor<i64>) -> tensor<?xi64> {
  %r = graph.reduce max, %v [0] : tensor<4xi64> -> tensor<i64>
  %b:2 = graph.barrier %r, %n : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  %s = graph.add %b#0, %b#1 : tensor<i64>
  %y = graph.iota 0 [%s] : tensor<?xi64>
  return %y : tensor<?xi64>
}

// -----
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.reduce_with (%x), (%zero) [1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.add %a, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----
func.func @main(%x: tensor<8xf32>, %i: tensor<8xi64>) {
  %a:2 = graph.sort_with %x, %i 0 {
  ^bb0(%l: tensor<f32>, %r: tensor<f32>, %m: tensor<i64>, %n: tensor<i64>):
    %c = graph.compare gt, %l, %r : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } : (tensor<8xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>)
  return
}

// -----
func.func @main(%x: tensor<2x?xi32> {graph.dims = ["2", "n"]}, %i: tensor<i32>) -> tensor<?xi32> {
  %r = graph.reduce_with (%x), (%i) [0] {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = graph.add %a, %b : tensor<i32>
    graph.yield %s : tensor<i32>
  } : (tensor<2x?xi32>, tensor<i32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}

// -----
func.func @main(%v: tensor<4xi64>, %x: tensor<f32>) -> tensor<f32> {
  %n = graph.reduce sum, %v [0] : tensor<4xi64> -> tensor<i64>
  %b = graph.broadcast %x [] [%n] : tensor<f32> -> tensor<?xf32>
  %s = graph.sort %b 0 keys 1 : (tensor<?xf32>) -> tensor<?xf32>
  %r = graph.reduce max, %s [0] : tensor<?xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// -----
func.func @main(%i: tensor<?xi64> {graph.dims = ["n"]}) -> tensor<?xi64> {
  %high = graph.reduce max, %i [0] : tensor<?xi64> -> tensor<i64>
  %end = graph.constant dense<4> : tensor<i64>
  %b = graph.compare lt, %high, %end : tensor<i64> -> tensor<i1>
  graph.assert %b "index {0} of {1}" (%high, %end) : tensor<i1>, tensor<i64>, tensor<i64>
  return %i : tensor<?xi64>
}

// -----
func.func @main(%t: tensor<10x4xf32>, %i: tensor<3x1xi64>, %p: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %g = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 4]
      : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  %r = graph.add %g, %p : tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----
func.func @main(%x: tensor<1x2x8xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x8xf32> {
  %r = graph.convolution %x, %w <input = (0, 1, [2]), kernel = (1, 0, [2]), output = (0, 1, [2])>
      strides [1] low [1] high [1] input_dilation [1] kernel_dilation [1] groups 1
      : (tensor<1x2x8xf32>, tensor<4x2x3xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = graph.constant dense<false> : tensor<i1>
  %r = graph.while %x cond {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %n = graph.neg %a : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["n"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %z = graph.complex %x, %y : tensor<?xf32> -> tensor<?xcomplex<f32>>
  %r = graph.real %z : tensor<?xcomplex<f32>> -> tensor<?xf32>
  %i = graph.imag %z : tensor<?xcomplex<f32>> -> tensor<?xf32>
  return %r, %i : tensor<?xf32>, tensor<?xf32>
}

// -----
func.func @main(%x: tensor<3x8xf32>, %zero: tensor<f32>) {
  %r = graph.reduce_window_with (%x), (%zero) window [1, 2] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.sub %a, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x4xf32>
  return
}

// -----
func.func @main(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<10x4xf32> {
  %m = graph.mul %u, %u : tensor<3x4xf32>
  %r = graph.scatter sum, %x, %i, %m <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1>
    : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  return %r : tensor<10x4xf32>
}

// -----
func.func @main(%x: tensor<64xf16>, %y: tensor<64xf16>) -> (tensor<64xi1>, tensor<64xi1>, tensor<64xf16>) {
  %zero = graph.constant dense<0.0> : tensor<64xf16>
  %a = graph.compare lt, %x, %y : tensor<64xf16> -> tensor<64xi1>
  %b = graph.compare gt, %x, %zero : tensor<64xf16> -> tensor<64xi1>
  %c = graph.floor %x : tensor<64xf16>
  return %a, %b, %c : tensor<64xi1>, tensor<64xi1>, tensor<64xf16>
}

// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = graph.constant dense<-1> : tensor<i32>
  %r = graph.case %i {
    graph.yield %x : tensor<4xf32>
  }, {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }, {
    %a = graph.abs %x : tensor<4xf32>
    graph.yield %a : tensor<4xf32>
  } : (tensor<i32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
func.func @main(%b: tensor<1x6x4xf32>, %s: tensor<1x2x6xf32>, %n: tensor<i64>, %t: tensor<f32>) {
  %a = graph.non_max_suppression %b, %s, %n, %t : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>) -> tensor<?x3xi64>
  %c = graph.non_max_suppression %b, %s, %n, %t, %t center : (tensor<1x6x4xf32>, tensor<1x2x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3xi64>
  return
}

// -----
func.func @main(%x: tensor<2x8xf32>, %w: tensor<8x12xf32>) -> tensor<2x3x4xf32> {
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xf32>, tensor<8x12xf32>) -> tensor<2x12xf32>
  %s = graph.reshape %d : tensor<2x12xf32> -> tensor<2x3x4xf32>
  %g = graph.logistic %s : tensor<2x3x4xf32>
  %r = graph.mul %s, %g : tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<true> : tensor<i1>
  %p = graph.barrier %c : (tensor<i1>) -> tensor<i1>
  %r = graph.if %p then {
    %e = graph.abs %x : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  } else {
    %n = graph.neg %x : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
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

// -----
func.func @main(%x: tensor<2x8xf32>, %c: tensor<?x4x5xcomplex<f64>>) {
  %y = graph.fourier r2c, %x [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  %z = graph.fourier c2r, %c [4, 9] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x9xf64>
  %u = graph.fourier c2c, %c [5] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x5xcomplex<f64>>
  %v = graph.fourier c2c_inverse, %c [4, 5] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x5xcomplex<f64>>
  return
}

// -----
func.func @main(%p: tensor<2xi1>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %true = graph.constant dense<true> : tensor<2xi1>
  %false = graph.constant dense<false> : tensor<2xi1>
  %a = graph.and %p, %true : tensor<2xi1>
  %b = graph.and %false, %p : tensor<2xi1>
  %c = graph.or %p, %true : tensor<2xi1>
  %d = graph.or %p, %false : tensor<2xi1>
  return %a, %b, %c, %d : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// -----
func.func @main(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<5x3xf32>) {
  %x = graph.triangular_solve plain, %a, %b left lower : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %y = graph.triangular_solve transposed, %a, %c unit_diagonal : (tensor<3x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %z = graph.triangular_solve adjoint, %a, %b left lower unit_diagonal : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %low = graph.constant dense<0xFF800000> : tensor<f32>
  %r = graph.reduce_window_with (%x), (%low) window [1, 4] strides [1, 1] low [0, 0] high [0, 3] base_dilation [1, 1] dilation [1, 1] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.max %a, %b : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----
func.func @main(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x8xf32> {
  %s = graph.add %x, %y : tensor<2x8xf32>
  %n = graph.layer_norm %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = graph.dot_general %n, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %r = graph.add %d, %s : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----
func.func @main(%x: tensor<4x1000xf32>) -> (tensor<4x1000xf32>, tensor<4xf32>) {
  %high = graph.reduce max, %x [1] : tensor<4x1000xf32> -> tensor<4xf32>
  %low = graph.reduce min, %x [1] : tensor<4x1000xf32> -> tensor<4xf32>
  %range = graph.sub %high, %low : tensor<4xf32>
  %b = graph.broadcast %range [0] : tensor<4xf32> -> tensor<4x1000xf32>
  %r = graph.div %x, %b : tensor<4x1000xf32>
  return %r, %range : tensor<4x1000xf32>, tensor<4xf32>
}

// -----
func.func @main(%x: tensor<?xcomplex<f32>> {graph.dims = ["n"]}) -> (tensor<?xcomplex<f32>>, tensor<?xi64>, tensor<?xcomplex<f32>>) {
  %u, %f, %i, %c = graph.unique %x : tensor<?xcomplex<f32>> -> tensor<?xcomplex<f32>>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  %m = graph.is_in %x, %u : (tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) -> tensor<?xi1>
  %r = graph.compact %m, %x : (tensor<?xi1>, tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
  return %u, %i, %r : tensor<?xcomplex<f32>>, tensor<?xi64>, tensor<?xcomplex<f32>>
}

// -----
func.func @main(%x: tensor<1x8x2xf32>, %k: tensor<3x2x4xf32>) -> tensor<1x8x4xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %p = graph.pad %x, %one [0, 2, 0] [0, 0, 0] [0, 0, 0] : tensor<1x8x2xf32>, tensor<f32> -> tensor<1x10x2xf32>
  %r = graph.convolution %p, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1]
      low [0] high [0] input_dilation [1] kernel_dilation [1] groups 1
      : (tensor<1x10x2xf32>, tensor<3x2x4xf32>) -> tensor<1x8x4xf32>
  return %r : tensor<1x8x4xf32>
}

// -----
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %eps = graph.constant dense<1.0e-3> : tensor<2xf32>
  %count = graph.constant dense<7.0> : tensor<2xf32>
  %sq = graph.mul %x, %x : tensor<2x8xf32>
  %sum = graph.reduce sum, %sq [1] : tensor<2x8xf32> -> tensor<2xf32>
  %mean = graph.div %sum, %count : tensor<2xf32>
  %plus = graph.add %mean, %eps : tensor<2xf32>
  %inv = graph.rsqrt %plus : tensor<2xf32>
  %wide = graph.broadcast %inv [0] : tensor<2xf32> -> tensor<2x8xf32>
  %r = graph.mul %x, %wide : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----
func.func @main(%x: tensor<10xf32>, %y: tensor<10xi64>, %i: tensor<3x1xi64>, %u: tensor<3xf32>, %v: tensor<3xi64>) {
  %r:2 = graph.scatter_with (%x, %y), %i, (%u, %v) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> unique {
  ^bb0(%a: tensor<f32>, %b: tensor<i64>, %c: tensor<f32>, %d: tensor<i64>):
    %s = graph.sub %a, %c : tensor<f32>
    graph.yield %s, %d : tensor<f32>, tensor<i64>
  } : (tensor<10xf32>, tensor<10xi64>, tensor<3x1xi64>, tensor<3xf32>, tensor<3xi64>) -> (tensor<10xf32>, tensor<10xi64>)
  return
}

// -----
func.func @main(%x: tensor<2x9x8x4xf32>) -> (tensor<2x6x4x4xf32>, tensor<2x7x6x4xf32>) {
  %r = graph.reduce_window sum, %x window [1, 4, 5, 1] strides [1, 1, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<2x9x8x4xf32> -> tensor<2x6x4x4xf32>
  %s = graph.reduce_window max, %x window [1, 3, 3, 1] strides [1, 1, 1, 1] low [0, 0, 0, 0] high [0, 0, 0, 0]
      base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<2x9x8x4xf32> -> tensor<2x7x6x4xf32>
  return %r, %s : tensor<2x6x4x4xf32>, tensor<2x7x6x4xf32>
}

// -----
func.func @main(%x: tensor<2x3xf32>, %b: tensor<?xi1>) {
  %r0 = graph.reduce sum, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  %r1 = graph.reduce prod, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  %r2 = graph.reduce max, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  %r3 = graph.reduce min, %x [1] : tensor<2x3xf32> -> tensor<2xf32>
  %s0 = graph.reduce all, %b [0] : tensor<?xi1> -> tensor<i1>
  %s1 = graph.reduce any, %b [0] : tensor<?xi1> -> tensor<i1>
  %s2 = graph.reduce parity, %b [0] : tensor<?xi1> -> tensor<i1>
  %t = graph.reduce sum, %x [] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----
func.func @main(%i: tensor<?xi64> {graph.dims = ["n"]}) -> tensor<?xi64> {
  %low = graph.reduce min, %i [0] : tensor<?xi64> -> tensor<i64>
  %high = graph.reduce max, %i [0] : tensor<?xi64> -> tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %end = graph.constant dense<4> : tensor<i64>
  %a = graph.compare ge, %low, %zero : tensor<i64> -> tensor<i1>
  %b = graph.compare lt, %high, %end : tensor<i64> -> tensor<i1>
  %c = graph.and %a, %b : tensor<i1>
  graph.assert %c "index {0} of {1}" (%high, %end) {graph.run_error} : tensor<i1>, tensor<i64>, tensor<i64>
  return %i : tensor<?xi64>
}

// -----
func.func @main(%h: tensor<3x8xf32>, %p: tensor<2x8x16xf32>) -> tensor<3x8xf32> {
  %q = graph.transpose %p [1, 0, 2] : tensor<2x8x16xf32> -> tensor<8x2x16xf32>
  %w = graph.reshape %q : tensor<8x2x16xf32> -> tensor<8x32xf32>
  %d = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x8xf32>, tensor<8x32xf32>) -> tensor<3x32xf32>
  %g0 = graph.slice %d [0, 0] [3, 8] [1, 1] : tensor<3x32xf32> -> tensor<3x8xf32>
  %g1 = graph.slice %d [0, 16] [3, 8] [1, 1] : tensor<3x32xf32> -> tensor<3x8xf32>
  %r = graph.mul %g0, %g1 : tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}

// -----
func.func @main(%i: tensor<3x1xi64>, %u: tensor<3xf32>, %f: tensor<f32>) -> tensor<10xf32> {
  %z = graph.constant dense<0.0> : tensor<f32>
  %o = graph.broadcast %z [] : tensor<f32> -> tensor<10xf32>
  %r = graph.scatter_with (%o), %i, (%u) <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> {
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %m = graph.mul %new, %f : tensor<f32>
    %s = graph.sub %old, %m : tensor<f32>
    graph.yield %s : tensor<f32>
  } : (tensor<10xf32>, tensor<3x1xi64>, tensor<3xf32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----
func.func @main(%n: tensor<i64>, %x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %s = graph.concat 0, %a, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    graph.yield %j, %s : tensor<i64>, tensor<?xf32>
  } : (tensor<i64>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>)
  return %r#1 : tensor<?xf32>
}

// -----
func.func @main(%x: tensor<2x?xi1> {graph.dims = ["2", "n"]}, %y: tensor<2x?xi32> {graph.dims = ["2", "n"]}) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi32>, tensor<2xi1>, tensor<?x?xi1>) {
  %a = graph.reduce any, %x [1] : tensor<2x?xi1> -> tensor<2xi1>
  %b = graph.reduce all, %x [1] : tensor<2x?xi1> -> tensor<2xi1>
  %c = graph.reduce max, %y [1] : tensor<2x?xi32> -> tensor<2xi32>
  %d = graph.reduce max, %x [1] : tensor<2x?xi1> -> tensor<2xi1>
  %n = graph.dim %x, 1 : tensor<2x?xi1>
  %two = graph.constant dense<2> : tensor<i64>
  %e = graph.reshape %x [%n, %two] : tensor<2x?xi1> -> tensor<?x?xi1>
  return %a, %b, %c, %d, %e : tensor<2xi1>, tensor<2xi1>, tensor<2xi32>, tensor<2xi1>, tensor<?x?xi1>
}

// -----
func.func @main(%x: tensor<3x200xf32>, %i: tensor<200x1xi8>, %u: tensor<200xf32>) -> (tensor<200xf32>, tensor<3x200xf32>) {
  %1 = graph.iota 0 : tensor<200x1xi8>
  %2 = graph.concat 1, %i, %1 : (tensor<200x1xi8>, tensor<200x1xi8>) -> tensor<200x2xi8>
  %3 = graph.gather %x, %2 <offset = [], collapsed = [0, 1], batching = [] x [], index_map = [0, 1], index_vector_dim = 1> sizes [1, 1] : (tensor<3x200xf32>, tensor<200x2xi8>) -> tensor<200xf32>
  %4 = graph.scatter sum, %x, %2, %u <window = [], inserted = [0, 1], batching = [] x [], index_map = [0, 1], index_vector_dim = 1> : (tensor<3x200xf32>, tensor<200x2xi8>, tensor<200xf32>) -> tensor<3x200xf32>
  return %3, %4 : tensor<200xf32>, tensor<3x200xf32>
}

// -----
func.func @main(%x: tensor<?xf64> {graph.dims = ["n"]}) -> tensor<?xf64> {
  %t = graph.tanh %x : tensor<?xf64>
  %a = graph.acos %t : tensor<?xf64>
  %b = graph.asin %t : tensor<?xf64>
  %c = graph.atan %x : tensor<?xf64>
  %d = graph.atan2 %x, %t : tensor<?xf64>
  %e = graph.atanh %t : tensor<?xf64>
  %f = graph.asinh %x : tensor<?xf64>
  %g = graph.sinh %x : tensor<?xf64>
  %e1 = graph.exp %x : tensor<?xf64>
  %h = graph.acosh %e1 : tensor<?xf64>
  %s1 = graph.add %a, %b : tensor<?xf64>
  %s2 = graph.add %c, %d : tensor<?xf64>
  %s3 = graph.add %e, %f : tensor<?xf64>
  %s4 = graph.add %s1, %s2 : tensor<?xf64>
  %s5 = graph.add %s3, %g : tensor<?xf64>
  %s6 = graph.add %s4, %s5 : tensor<?xf64>
  %s7 = graph.sub %s6, %h : tensor<?xf64>
  return %s7 : tensor<?xf64>
}

// -----
func.func @main(%x: tensor<6xi32>, %y: tensor<3xui64>) -> (tensor<6xf32>, tensor<3xf64>) {
  %seed = graph.constant dense<-1640531527> : tensor<6xi32>
  %mixed = graph.add %x, %seed : tensor<6xi32>
  %bits = graph.convert %mixed : tensor<6xi32> -> tensor<6xui32>
  %nine = graph.constant dense<9> : tensor<6xui32>
  %one = graph.constant dense<1065353216> : tensor<6xui32>
  %k = graph.shift_right_logical %bits, %nine : tensor<6xui32>
  %o = graph.or %k, %one : tensor<6xui32>
  %f = graph.bitcast %o : tensor<6xui32> -> tensor<6xf32>

  %twelve = graph.constant dense<12> : tensor<3xui64>
  %one64 = graph.constant dense<4607182418800017408> : tensor<3xui64>
  %k64 = graph.shift_right_logical %y, %twelve : tensor<3xui64>
  %o64 = graph.or %one64, %k64 : tensor<3xui64>
  %f64 = graph.bitcast %o64 : tensor<3xui64> -> tensor<3xf64>

  return %f, %f64 : tensor<6xf32>, tensor<3xf64>
}

// -----
func.func @main(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}) -> tensor<?x8xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %f = graph.constant dense<0.0> : tensor<f32>
  %n = graph.dim %x, 0 : tensor<?x8xf32>
  %y0 = graph.broadcast %f [] [%n] : tensor<f32> -> tensor<?x8xf32>
  %row = graph.constant dense<1.0> : tensor<1x8xf32>
  %r:2 = graph.while %zero, %y0 cond {
  ^bb0(%i: tensor<i64>, %y: tensor<?x8xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %y: tensor<?x8xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %z = graph.dynamic_update_slice %y, %row, %i, %zero : (tensor<?x8xf32>, tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> tensor<?x8xf32>
    graph.yield %j, %z : tensor<i64>, tensor<?x8xf32>
  } : (tensor<i64>, tensor<?x8xf32>) -> (tensor<i64>, tensor<?x8xf32>)
  return %r#1 : tensor<?x8xf32>
}

// -----
func.func @main(%x: tensor<2x3xcomplex<f64>>, %i: tensor<2x1xi64>) -> (tensor<5x4xcomplex<f64>>, tensor<2x3xi1>, tensor<2x2xcomplex<f64>>) {
  %c = graph.constant dense<[[(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0), (7.0, 8.0)]]> : tensor<2x2xcomplex<f64>>
  %zero = graph.constant dense<(0.5, -1.0)> : tensor<complex<f64>>
  %t = graph.transpose %x [1, 0] : tensor<2x3xcomplex<f64>> -> tensor<3x2xcomplex<f64>>
  %j = graph.concat 0, %t, %c : (tensor<3x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> tensor<5x2xcomplex<f64>>
  %p = graph.pad %j, %zero [0, 1] [0, 1] [0, 0] : tensor<5x2xcomplex<f64>>, tensor<complex<f64>> -> tensor<5x4xcomplex<f64>>
  %r = graph.reverse %x [0] : tensor<2x3xcomplex<f64>>
  %e = graph.compare eq, %x, %r : tensor<2x3xcomplex<f64>> -> tensor<2x3xi1>
  %g = graph.gather %t, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 2] : (tensor<3x2xcomplex<f64>>, tensor<2x1xi64>) -> tensor<2x2xcomplex<f64>>
  return %p, %e, %g : tensor<5x4xcomplex<f64>>, tensor<2x3xi1>, tensor<2x2xcomplex<f64>>
}

// -----
func.func @main(%x: tensor<3x2xcomplex<f32>>, %y: tensor<2x4xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<3x2xcomplex<f32>>, tensor<3x2xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  %i = graph.constant dense<[[1], [0], [1]]> : tensor<3x1xi64>
  %u = graph.constant dense<[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]> : tensor<3xcomplex<f32>>
  %s = graph.reduce sum, %x [0] : tensor<3x2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %p = graph.reduce prod, %x [0] : tensor<3x2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %c = graph.cumulative sum, %x 0 : tensor<3x2xcomplex<f32>>
  %d = graph.cumulative prod, %x 0 exclusive reverse : tensor<3x2xcomplex<f32>>
  %m = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<3x2xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  %w = graph.scatter prod, %s, %i, %u <window = [], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<2xcomplex<f32>>, tensor<3x1xi64>, tensor<3xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %s, %p, %c, %d, %m, %w : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<3x2xcomplex<f32>>, tensor<3x2xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<2xcomplex<f32>>
}

