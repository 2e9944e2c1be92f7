// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats that MLIR lacks, and integers of two bits: stored as integers of their bits, computed on as wider numbers.
//
// RUN: zenith-run %s --entry=floats --target=interp
// RUN: zenith-run %s --entry=floats --target=cpu
// RUN: zenith-run %s --entry=limits --target=interp
// RUN: zenith-run %s --entry=limits --target=cpu
// RUN: zenith-run %s --entry=exponents --target=interp
// RUN: zenith-run %s --entry=exponents --target=cpu
// RUN: zenith-run %s --entry=integers --target=interp
// RUN: zenith-run %s --entry=integers --target=cpu
// RUN: zenith-run %s --entry=moved --target=interp
// RUN: zenith-run %s --entry=moved --target=cpu
// RUN: zenith-run %s --entry=passed --random-inputs --compare=interp
// RUN: zenith-run %S/Inputs/narrow.mlir.bc --random-inputs --compare=interp --print | FileCheck %s

// Bytecode that JAX's writer made of such constants and conversions.
// CHECK: : tensor<4xf32>
// CHECK-NEXT: 3.25 1 nan -15.5
// CHECK: : tensor<2xf32>
// CHECK-NEXT: 0.25 8
// CHECK: : tensor<2xf32>
// CHECK-NEXT: 1.5 1.5
// CHECK: : tensor<4xi32>
// CHECK-NEXT: 3 2 1 0

// Ties go to even: 1.03125 lies between 1 and 1.0625, 15.75 between 15.5 and infinity.
func.func @floats() {
  %x = stablehlo.constant dense<[1.03125, 1.09375, -15.7, 15.75, 0.0078125, -0.0]> : tensor<6xf64>
  %n = stablehlo.convert %x : (tensor<6xf64>) -> tensor<6xf8E3M4>
  %w = stablehlo.convert %n : (tensor<6xf8E3M4>) -> tensor<6xf32>
  check.expect_eq_const %w, dense<[1.0, 1.125, -15.5, 0x7F800000, 0.0, -0.0]> : tensor<6xf32>
  // A little above a tie in f64 is above it, though f32 does not tell.
  %y = stablehlo.constant dense<1.0312500000001> : tensor<2xf64>
  %m = stablehlo.convert %y : (tensor<2xf64>) -> tensor<2xf8E3M4>
  %v = stablehlo.convert %m : (tensor<2xf8E3M4>) -> tensor<2xf64>
  check.expect_eq_const %v, dense<1.0625> : tensor<2xf64>
  // Each result is rounded: 3.25 x 0.265625 is 0.875, and 1.125 with 0.265625.
  %a = stablehlo.constant dense<[3.25, 1.0, 0x78, 0x70]> : tensor<4xf8E3M4>
  %b = "stablehlo.constant"() {value = dense<"0x11303030"> : tensor<4xf8E3M4>} : () -> tensor<4xf8E3M4>
  %p = stablehlo.multiply %a, %b : tensor<4xf8E3M4>
  %s = stablehlo.add %p, %b : tensor<4xf8E3M4>
  %t = stablehlo.convert %s : (tensor<4xf8E3M4>) -> tensor<4xf32>
  check.expect_eq_const %t, dense<[1.125, 2.0, 0x7FC00000, 0x7F800000]> : tensor<4xf32>
  %code = stablehlo.bitcast_convert %a : (tensor<4xf8E3M4>) -> tensor<4xui8>
  check.expect_eq_const %code, dense<[74, 48, 120, 112]> : tensor<4xui8>
  return
}

// What has neither infinity nor NaN ends at its largest number.
func.func @limits() {
  %x = stablehlo.constant dense<[0.25, 0.75, 2.5, 5.0, -100.0, 0x7F800000, 0x7FC00000, -0.1]> : tensor<8xf32>
  %n = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf4E2M1FN>
  %w = stablehlo.convert %n : (tensor<8xf4E2M1FN>) -> tensor<8xf32>
  check.expect_eq_const %w, dense<[0.0, 1.0, 2.0, 4.0, -6.0, 6.0, -0.0, -0.0]> : tensor<8xf32>
  %code = stablehlo.bitcast_convert %n : (tensor<8xf4E2M1FN>) -> tensor<8xui4>
  check.expect_eq_const %code, dense<[0, 2, 4, 6, 15, 7, 8, 8]> : tensor<8xui4>
  %pairs = stablehlo.reshape %n : (tensor<8xf4E2M1FN>) -> tensor<4x2xf4E2M1FN>
  %bytes = stablehlo.bitcast_convert %pairs : (tensor<4x2xf4E2M1FN>) -> tensor<4xui8>
  check.expect_eq_const %bytes, dense<[32, 100, 127, 136]> : tensor<4xui8>
  %q = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf6E2M3FN>
  %r = stablehlo.convert %q : (tensor<8xf6E2M3FN>) -> tensor<8xf32>
  check.expect_eq_const %r, dense<[0.25, 0.75, 2.5, 5.0, -7.5, 7.5, -0.0, -0.125]> : tensor<8xf32>
  %k = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf6E3M2FN>
  %l = stablehlo.convert %k : (tensor<8xf6E3M2FN>) -> tensor<8xf32>
  check.expect_eq_const %l, dense<[0.25, 0.75, 2.5, 5.0, -28.0, 28.0, -0.0, -0.125]> : tensor<8xf32>
  return
}

// Powers of two: no zero, no sign, and ties go up.
func.func @exponents() {
  %x = stablehlo.constant dense<[1.0, 1.5, 0.7, 3.0, 1.0e38, 3.0e38, 0.0, -1.0]> : tensor<8xf32>
  %n = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xf8E8M0FNU>
  %code = stablehlo.bitcast_convert %n : (tensor<8xf8E8M0FNU>) -> tensor<8xui8>
  check.expect_eq_const %code, dense<[127, 128, 126, 129, 253, 255, 255, 255]> : tensor<8xui8>
  %c = stablehlo.constant dense<[0.25, 8.0]> : tensor<2xf8E8M0FNU>
  %w = stablehlo.convert %c : (tensor<2xf8E8M0FNU>) -> tensor<2xbf16>
  check.expect_eq_const %w, dense<[0.25, 8.0]> : tensor<2xbf16>
  return
}

func.func @integers() {
  %x = stablehlo.constant dense<[5, -3, 2, -1, 7]> : tensor<5xi32>
  %s = stablehlo.convert %x : (tensor<5xi32>) -> tensor<5xi2>
  %u = stablehlo.convert %x : (tensor<5xi32>) -> tensor<5xui2>
  check.expect_eq_const %s, dense<[1, 1, -2, -1, -1]> : tensor<5xi2>
  check.expect_eq_const %u, dense<[1, 1, 2, 3, 3]> : tensor<5xui2>
  %sw = stablehlo.convert %s : (tensor<5xi2>) -> tensor<5xi32>
  %uw = stablehlo.convert %u : (tensor<5xui2>) -> tensor<5xi32>
  check.expect_eq_const %sw, dense<[1, 1, -2, -1, -1]> : tensor<5xi32>
  check.expect_eq_const %uw, dense<[1, 1, 2, 3, 3]> : tensor<5xi32>
  %c = stablehlo.constant dense<[3, 2, 1, 0, 3]> : tensor<5xui2>
  %sum = stablehlo.add %u, %c : tensor<5xui2>
  %sums = stablehlo.convert %sum : (tensor<5xui2>) -> tensor<5xi32>
  check.expect_eq_const %sums, dense<[0, 3, 3, 3, 2]> : tensor<5xi32>
  %less = stablehlo.compare LT, %u, %c : (tensor<5xui2>, tensor<5xui2>) -> tensor<5xi1>
  check.expect_eq_const %less, dense<[true, true, false, false, false]> : tensor<5xi1>
  %bits = stablehlo.bitcast_convert %u : (tensor<5xui2>) -> tensor<5xi2>
  %signed = stablehlo.convert %bits : (tensor<5xi2>) -> tensor<5xi8>
  check.expect_eq_const %signed, dense<[1, 1, -2, -1, -1]> : tensor<5xi8>
  %f = stablehlo.constant dense<[2.7, -9.0, -1.5]> : tensor<3xf32>
  %g = stablehlo.convert %f : (tensor<3xf32>) -> tensor<3xi2>
  %h = stablehlo.convert %g : (tensor<3xi2>) -> tensor<3xf32>
  check.expect_eq_const %h, dense<[1.0, -2.0, -1.0]> : tensor<3xf32>
  return
}

func.func @moved() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 6.0, -0.5]]> : tensor<2x3xf4E2M1FN>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf4E2M1FN>) -> tensor<3x2xf4E2M1FN>
  %s = stablehlo.slice %t [1:3, 0:2] : (tensor<3x2xf4E2M1FN>) -> tensor<2x2xf4E2M1FN>
  %c = stablehlo.concatenate %s, %s, dim = 0 : (tensor<2x2xf4E2M1FN>, tensor<2x2xf4E2M1FN>) -> tensor<4x2xf4E2M1FN>
  %zero = stablehlo.constant dense<0.0> : tensor<f4E2M1FN>
  %sum = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf4E2M1FN>, tensor<f4E2M1FN>) -> tensor<4xf4E2M1FN>
  %w = stablehlo.convert %sum : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  check.expect_eq_const %w, dense<[6.0, 2.0, 6.0, 2.0]> : tensor<4xf32>
  %dot = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<2x3xf4E2M1FN>, tensor<3x2xf4E2M1FN>) -> tensor<2x2xf32>
  check.expect_eq_const %dot, dense<[[14.0, 14.5], [14.5, 52.25]]> : tensor<2x2xf32>
  return
}

// Arguments and results are the integers that store them.
func.func @passed(%x: tensor<4xf8E3M4>, %i: tensor<4xi2>) -> (tensor<4xf8E3M4>, tensor<4xi2>, tensor<4xf32>) {
  %y = stablehlo.add %x, %x : tensor<4xf8E3M4>
  %j = stablehlo.multiply %i, %i : tensor<4xi2>
  %m = stablehlo.maximum %x, %y : tensor<4xf8E3M4>
  %w = stablehlo.convert %m : (tensor<4xf8E3M4>) -> tensor<4xf32>
  return %y, %j, %w : tensor<4xf8E3M4>, tensor<4xi2>, tensor<4xf32>
}
