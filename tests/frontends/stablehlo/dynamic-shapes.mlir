// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, strides and padding that are data: as if they were constants, or refused where they contradict.
//
// RUN: split-file %s %t
// RUN: zenith-run %t/main.mlir --target=interp
// RUN: zenith-run %t/main.mlir --target=cpu
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/larger.mlir --target=interp 2>&1 | FileCheck --check-prefix=LARGER %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/larger.mlir --target=cpu 2>&1 | FileCheck --check-prefix=LARGER %s
// LARGER: the end of a part, 7, exceeds 5
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/bound.mlir --target=interp 2>&1 | FileCheck --check-prefix=BOUND %s
// BOUND: error: 'stablehlo.set_dimension_size' gives a dimension of 5 elements the size 7
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/negative.mlir --target=cpu 2>&1 | FileCheck --check-prefix=NEGATIVE %s
// NEGATIVE: interior padding is negative: -1
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/stride.mlir --target=cpu 2>&1 | FileCheck --check-prefix=STRIDE %s
// STRIDE: a stride is not positive: 0

//--- main.mlir
// Sums of values behind a barrier are no constants to the import.
func.func @main() {
  %x = stablehlo.iota dim = 0 : tensor<5xf32>
  %f = stablehlo.constant dense<9.0> : tensor<f32>
  %zero0 = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi64>
  %ones = stablehlo.constant dense<1> : tensor<1xi64>
  %one = stablehlo.optimization_barrier %ones : tensor<1xi64>
  %two = stablehlo.add %one, %one : tensor<1xi64>
  %five = stablehlo.constant dense<5> : tensor<1xi64>

  // Part of a dimension.
  %size = stablehlo.reshape %two : (tensor<1xi64>) -> tensor<i64>
  %part = "stablehlo.set_dimension_size"(%x, %size) {dimension = 0 : i64} : (tensor<5xf32>, tensor<i64>) -> tensor<?xf32, #stablehlo.bounds<5>>
  %sum = stablehlo.reduce(%part init: %zero0) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %sum, dense<1.0> : tensor<f32>

  // Two elements between any two.
  %y = stablehlo.slice %x [1:4] : (tensor<5xf32>) -> tensor<3xf32>
  %wide = stablehlo.dynamic_pad %y, %f, %ones, %zeros, %two : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8xf32>
  check.expect_eq_const %wide, dense<[9.0, 1.0, 9.0, 9.0, 2.0, 9.0, 9.0, 3.0]> : tensor<8xf32>

  // No elements have nothing between them.
  %none = stablehlo.slice %x [2:2] : (tensor<5xf32>) -> tensor<0xf32>
  %edge = stablehlo.dynamic_pad %none, %f, %ones, %one, %two : (tensor<0xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  check.expect_eq_const %edge, dense<9.0> : tensor<2xf32>

  // Each second element.
  %every = stablehlo.real_dynamic_slice %x, %zeros, %five, %two : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  check.expect_eq_const %every, dense<[0.0, 2.0, 4.0]> : tensor<3xf32>

  // As many numbers as data say, within their interval.
  %low = stablehlo.constant dense<2.0> : tensor<f32>
  %high = stablehlo.constant dense<3.0> : tensor<f32>
  %drawn = stablehlo.rng %low, %high, %two, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf32>
  %inside = stablehlo.floor %drawn : tensor<?xf32>
  %both = stablehlo.reduce(%inside init: %zero0) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %both, dense<4.0> : tensor<f32>
  %least = stablehlo.constant dense<7> : tensor<i32>
  %end = stablehlo.constant dense<8> : tensor<i32>
  %integers = stablehlo.rng %least, %end, %two, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<?xi32>
  %zeroi = stablehlo.constant dense<0> : tensor<i32>
  %total = stablehlo.reduce(%integers init: %zeroi) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %total, dense<14> : tensor<i32>
  return
}
//--- larger.mlir
func.func @main() -> tensor<?xf32> {
  %x = stablehlo.iota dim = 0 : tensor<5xf32>
  %f = stablehlo.constant dense<9.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi64>
  %ones = stablehlo.constant dense<1> : tensor<1xi64>
  %five = stablehlo.constant dense<5> : tensor<1xi64>
  %one = stablehlo.optimization_barrier %ones : tensor<1xi64>
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %six = stablehlo.add %five, %one : tensor<1xi64>
  %seven = stablehlo.add %six, %one : tensor<1xi64>
  %size = stablehlo.reshape %seven : (tensor<1xi64>) -> tensor<i64>
  %r = "stablehlo.set_dimension_size"(%x, %size) {dimension = 0 : i64} : (tensor<5xf32>, tensor<i64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- bound.mlir
func.func @main() -> tensor<?xf32> {
  %x = stablehlo.iota dim = 0 : tensor<5xf32>
  %f = stablehlo.constant dense<9.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi64>
  %ones = stablehlo.constant dense<1> : tensor<1xi64>
  %five = stablehlo.constant dense<5> : tensor<1xi64>
  %one = stablehlo.optimization_barrier %ones : tensor<1xi64>
  %size = stablehlo.constant dense<7> : tensor<i64>
  %r = "stablehlo.set_dimension_size"(%x, %size) {dimension = 0 : i64} : (tensor<5xf32>, tensor<i64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- negative.mlir
func.func @main() -> tensor<?xf32> {
  %x = stablehlo.iota dim = 0 : tensor<5xf32>
  %f = stablehlo.constant dense<9.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi64>
  %ones = stablehlo.constant dense<1> : tensor<1xi64>
  %five = stablehlo.constant dense<5> : tensor<1xi64>
  %one = stablehlo.optimization_barrier %ones : tensor<1xi64>
  %minus = stablehlo.negate %one : tensor<1xi64>
  %r = stablehlo.dynamic_pad %x, %f, %zeros, %zeros, %minus : (tensor<5xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- stride.mlir
func.func @main() -> tensor<?xf32> {
  %x = stablehlo.iota dim = 0 : tensor<5xf32>
  %f = stablehlo.constant dense<9.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi64>
  %ones = stablehlo.constant dense<1> : tensor<1xi64>
  %five = stablehlo.constant dense<5> : tensor<1xi64>
  %one = stablehlo.optimization_barrier %ones : tensor<1xi64>
  %none = stablehlo.subtract %one, %one : tensor<1xi64>
  %r = stablehlo.real_dynamic_slice %x, %zeros, %five, %none : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
