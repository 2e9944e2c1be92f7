// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the elementwise family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @abs(%x: tensor<4xf32>) {
  // CHECK: graph.abs %{{.*}} : tensor<4xf32>
  %r = graph.abs %x : tensor<4xf32>
  return
}

func.func @neg(%x: tensor<4xf32>) {
  // CHECK: graph.neg %{{.*}} : tensor<4xf32>
  %r = graph.neg %x : tensor<4xf32>
  return
}

func.func @sign(%x: tensor<4xf32>) {
  // CHECK: graph.sign %{{.*}} : tensor<4xf32>
  %r = graph.sign %x : tensor<4xf32>
  return
}

func.func @exp(%x: tensor<4xf32>) {
  // CHECK: graph.exp %{{.*}} : tensor<4xf32>
  %r = graph.exp %x : tensor<4xf32>
  return
}

func.func @expm1(%x: tensor<4xf32>) {
  // CHECK: graph.expm1 %{{.*}} : tensor<4xf32>
  %r = graph.expm1 %x : tensor<4xf32>
  return
}

func.func @log(%x: tensor<4xf32>) {
  // CHECK: graph.log %{{.*}} : tensor<4xf32>
  %r = graph.log %x : tensor<4xf32>
  return
}

func.func @log1p(%x: tensor<4xf32>) {
  // CHECK: graph.log1p %{{.*}} : tensor<4xf32>
  %r = graph.log1p %x : tensor<4xf32>
  return
}

func.func @sqrt(%x: tensor<4xf32>) {
  // CHECK: graph.sqrt %{{.*}} : tensor<4xf32>
  %r = graph.sqrt %x : tensor<4xf32>
  return
}

func.func @rsqrt(%x: tensor<4xf32>) {
  // CHECK: graph.rsqrt %{{.*}} : tensor<4xf32>
  %r = graph.rsqrt %x : tensor<4xf32>
  return
}

func.func @cbrt(%x: tensor<4xf32>) {
  // CHECK: graph.cbrt %{{.*}} : tensor<4xf32>
  %r = graph.cbrt %x : tensor<4xf32>
  return
}

func.func @sin(%x: tensor<4xf32>) {
  // CHECK: graph.sin %{{.*}} : tensor<4xf32>
  %r = graph.sin %x : tensor<4xf32>
  return
}

func.func @cos(%x: tensor<4xf32>) {
  // CHECK: graph.cos %{{.*}} : tensor<4xf32>
  %r = graph.cos %x : tensor<4xf32>
  return
}

func.func @tan(%x: tensor<4xf32>) {
  // CHECK: graph.tan %{{.*}} : tensor<4xf32>
  %r = graph.tan %x : tensor<4xf32>
  return
}

func.func @asin(%x: tensor<4xf32>) {
  // CHECK: graph.asin %{{.*}} : tensor<4xf32>
  %r = graph.asin %x : tensor<4xf32>
  return
}

func.func @acos(%x: tensor<4xf32>) {
  // CHECK: graph.acos %{{.*}} : tensor<4xf32>
  %r = graph.acos %x : tensor<4xf32>
  return
}

func.func @atan(%x: tensor<4xf32>) {
  // CHECK: graph.atan %{{.*}} : tensor<4xf32>
  %r = graph.atan %x : tensor<4xf32>
  return
}

func.func @sinh(%x: tensor<4xf32>) {
  // CHECK: graph.sinh %{{.*}} : tensor<4xf32>
  %r = graph.sinh %x : tensor<4xf32>
  return
}

func.func @cosh(%x: tensor<4xf32>) {
  // CHECK: graph.cosh %{{.*}} : tensor<4xf32>
  %r = graph.cosh %x : tensor<4xf32>
  return
}

func.func @tanh(%x: tensor<4xf32>) {
  // CHECK: graph.tanh %{{.*}} : tensor<4xf32>
  %r = graph.tanh %x : tensor<4xf32>
  return
}

func.func @asinh(%x: tensor<4xf32>) {
  // CHECK: graph.asinh %{{.*}} : tensor<4xf32>
  %r = graph.asinh %x : tensor<4xf32>
  return
}

func.func @acosh(%x: tensor<4xf32>) {
  // CHECK: graph.acosh %{{.*}} : tensor<4xf32>
  %r = graph.acosh %x : tensor<4xf32>
  return
}

func.func @atanh(%x: tensor<4xf32>) {
  // CHECK: graph.atanh %{{.*}} : tensor<4xf32>
  %r = graph.atanh %x : tensor<4xf32>
  return
}

func.func @logistic(%x: tensor<4xf32>) {
  // CHECK: graph.logistic %{{.*}} : tensor<4xf32>
  %r = graph.logistic %x : tensor<4xf32>
  return
}

func.func @erf(%x: tensor<4xf32>) {
  // CHECK: graph.erf %{{.*}} : tensor<4xf32>
  %r = graph.erf %x : tensor<4xf32>
  return
}

func.func @floor(%x: tensor<4xf32>) {
  // CHECK: graph.floor %{{.*}} : tensor<4xf32>
  %r = graph.floor %x : tensor<4xf32>
  return
}

func.func @ceil(%x: tensor<4xf32>) {
  // CHECK: graph.ceil %{{.*}} : tensor<4xf32>
  %r = graph.ceil %x : tensor<4xf32>
  return
}

func.func @round_even(%x: tensor<4xf32>) {
  // CHECK: graph.round_even %{{.*}} : tensor<4xf32>
  %r = graph.round_even %x : tensor<4xf32>
  return
}

func.func @round_away(%x: tensor<4xf32>) {
  // CHECK: graph.round_away %{{.*}} : tensor<4xf32>
  %r = graph.round_away %x : tensor<4xf32>
  return
}

func.func @not(%x: tensor<4xi1>) {
  // CHECK: graph.not %{{.*}} : tensor<4xi1>
  %r = graph.not %x : tensor<4xi1>
  return
}

func.func @popcount(%x: tensor<4xui8>) {
  // CHECK: graph.popcount %{{.*}} : tensor<4xui8>
  %r = graph.popcount %x : tensor<4xui8>
  return
}

func.func @count_leading_zeros(%x: tensor<4xui8>) {
  // CHECK: graph.count_leading_zeros %{{.*}} : tensor<4xui8>
  %r = graph.count_leading_zeros %x : tensor<4xui8>
  return
}

func.func @add(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.add %x, %y : tensor<4xf32>
  return
}

func.func @sub(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.sub %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.sub %x, %y : tensor<4xf32>
  return
}

func.func @mul(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.mul %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.mul %x, %y : tensor<4xf32>
  return
}

func.func @div(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.div %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.div %x, %y : tensor<4xf32>
  return
}

func.func @rem(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.rem %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.rem %x, %y : tensor<4xf32>
  return
}

func.func @floor_mod(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.floor_mod %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.floor_mod %x, %y : tensor<4xf32>
  return
}

func.func @pow(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.pow %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.pow %x, %y : tensor<4xf32>
  return
}

func.func @max(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.max %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.max %x, %y : tensor<4xf32>
  return
}

func.func @min(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.min %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.min %x, %y : tensor<4xf32>
  return
}

func.func @atan2(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.atan2 %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.atan2 %x, %y : tensor<4xf32>
  return
}

func.func @and(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  // CHECK: graph.and %{{.*}}, %{{.*}} : tensor<4xi1>
  %r = graph.and %x, %y : tensor<4xi1>
  return
}

func.func @or(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  // CHECK: graph.or %{{.*}}, %{{.*}} : tensor<4xi1>
  %r = graph.or %x, %y : tensor<4xi1>
  return
}

func.func @xor(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  // CHECK: graph.xor %{{.*}}, %{{.*}} : tensor<4xi1>
  %r = graph.xor %x, %y : tensor<4xi1>
  return
}

func.func @shift_left(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  // CHECK: graph.shift_left %{{.*}}, %{{.*}} : tensor<4xi32>
  %r = graph.shift_left %x, %y : tensor<4xi32>
  return
}

func.func @shift_right_arithmetic(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  // CHECK: graph.shift_right_arithmetic %{{.*}}, %{{.*}} : tensor<4xi32>
  %r = graph.shift_right_arithmetic %x, %y : tensor<4xi32>
  return
}

func.func @shift_right_logical(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  // CHECK: graph.shift_right_logical %{{.*}}, %{{.*}} : tensor<4xi32>
  %r = graph.shift_right_logical %x, %y : tensor<4xi32>
  return
}

func.func @compare(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: tensor<?xcomplex<f64>>) {
  // CHECK: graph.compare eq, %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %p0 = graph.compare eq, %x, %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK: graph.compare ne, %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %p1 = graph.compare ne, %x, %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK: graph.compare lt, %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %p2 = graph.compare lt, %x, %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK: graph.compare le, %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %p3 = graph.compare le, %x, %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK: graph.compare gt, %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %p4 = graph.compare gt, %x, %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK: graph.compare ge, %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %p5 = graph.compare ge, %x, %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK: graph.compare eq, %{{.*}}, %{{.*}} : tensor<?xcomplex<f64>> -> tensor<?xi1>
  %q = graph.compare eq, %c, %c : tensor<?xcomplex<f64>> -> tensor<?xi1>
  return
}

func.func @is_finite(%x: tensor<?xbf16>, %y: tensor<4xf32>) {
  // CHECK: graph.is_finite %{{.*}} : tensor<4xf32> -> tensor<4xi1>
  %q = graph.is_finite %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK: graph.is_finite %{{.*}} : tensor<?xbf16> -> tensor<?xi1>
  %p = graph.is_finite %x : tensor<?xbf16> -> tensor<?xi1>
  return
}

func.func @select(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: graph.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %r = graph.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  return
}

func.func @clamp(%l: tensor<4xf32>, %x: tensor<4xf32>, %h: tensor<4xf32>) {
  // CHECK: graph.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>
  %r = graph.clamp %l, %x, %h : tensor<4xf32>
  return
}

func.func @convert(%x: tensor<4xi64>, %y: tensor<?xf32>, %b: tensor<i1>) {
  // CHECK: graph.convert %{{.*}} : tensor<4xi64> -> tensor<4xf32>
  %r = graph.convert %x : tensor<4xi64> -> tensor<4xf32>
  // CHECK: graph.convert %{{.*}} saturate : tensor<?xf32> -> tensor<?xf8E4M3FN>
  %s = graph.convert %y saturate : tensor<?xf32> -> tensor<?xf8E4M3FN>
  // CHECK: graph.convert %{{.*}} : tensor<i1> -> tensor<ui4>
  %t = graph.convert %b : tensor<i1> -> tensor<ui4>
  // CHECK: graph.convert %{{.*}} : tensor<?xf32> -> tensor<?xcomplex<f32>>
  %u = graph.convert %y : tensor<?xf32> -> tensor<?xcomplex<f32>>
  return
}

func.func @bitcast(%x: tensor<4xf32>) {
  // CHECK: graph.bitcast %{{.*}} : tensor<4xf32> -> tensor<4xi32>
  %r = graph.bitcast %x : tensor<4xf32> -> tensor<4xi32>
  return
}

func.func @complex(%x: tensor<4xf32>) {
  // CHECK: graph.complex %{{.*}}, %{{.*}} : tensor<4xf32> -> tensor<4xcomplex<f32>>
  %r = graph.complex %x, %x : tensor<4xf32> -> tensor<4xcomplex<f32>>
  return
}

func.func @real(%x: tensor<4xcomplex<f64>>) {
  // CHECK: graph.real %{{.*}} : tensor<4xcomplex<f64>> -> tensor<4xf64>
  %r = graph.real %x : tensor<4xcomplex<f64>> -> tensor<4xf64>
  return
}

func.func @imag(%x: tensor<4xcomplex<f64>>) {
  // CHECK: graph.imag %{{.*}} : tensor<4xcomplex<f64>> -> tensor<4xf64>
  %r = graph.imag %x : tensor<4xcomplex<f64>> -> tensor<4xf64>
  return
}

func.func @complex_abs(%x: tensor<4xcomplex<f64>>) {
  // CHECK: graph.complex_abs %{{.*}} : tensor<4xcomplex<f64>> -> tensor<4xf64>
  %r = graph.complex_abs %x : tensor<4xcomplex<f64>> -> tensor<4xf64>
  return
}
