// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds of the elementwise family keep every bit, so floats fold less than integers.
//
// RUN: zenith-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @neutral_elements_of_integers
// CHECK-SAME: (%[[X:.*]]: tensor<2xi32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]]
func.func @neutral_elements_of_integers(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %zero = graph.constant dense<0> : tensor<2xi32>
  %one = graph.constant dense<1> : tensor<2xi32>
  %a = graph.add %zero, %x : tensor<2xi32>
  %s = graph.sub %x, %zero : tensor<2xi32>
  %m = graph.mul %x, %one : tensor<2xi32>
  %d = graph.div %x, %one : tensor<2xi32>
  return %a, %s, %m, %d : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// x + 0.0 turns -0.0 into 0.0, x - -0.0 does too; their counterparts don't.
// CHECK-LABEL: func.func @signed_zeros
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK: %[[A:.*]] = graph.add %[[X]]
// CHECK: %[[S:.*]] = graph.sub %[[X]]
// CHECK: return %[[A]], %[[X]], %[[S]], %[[X]]
func.func @signed_zeros(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = graph.constant dense<0.0> : tensor<2xf32>
  %negative = graph.constant dense<-0.0> : tensor<2xf32>
  %a = graph.add %x, %zero : tensor<2xf32>
  %b = graph.add %x, %negative : tensor<2xf32>
  %c = graph.sub %x, %negative : tensor<2xf32>
  %d = graph.sub %x, %zero : tensor<2xf32>
  return %a, %b, %c, %d : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// NaN * 0, NaN - NaN and NaN == NaN are not 0, 0 and true.
// CHECK-LABEL: func.func @floats_that_may_be_nan
// CHECK: graph.mul
// CHECK: graph.sub
// CHECK: graph.compare eq
func.func @floats_that_may_be_nan(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i1>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %m = graph.mul %x, %zero : tensor<f32>
  %s = graph.sub %x, %x : tensor<f32>
  %c = graph.compare eq, %x, %x : tensor<f32> -> tensor<i1>
  return %m, %s, %c : tensor<f32>, tensor<f32>, tensor<i1>
}

// CHECK-LABEL: func.func @one_times_a_float
// CHECK-SAME: (%[[X:.*]]: tensor<2xbf16>)
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @one_times_a_float(%x: tensor<2xbf16>) -> (tensor<2xbf16>, tensor<2xbf16>) {
  %one = graph.constant dense<1.0> : tensor<2xbf16>
  %m = graph.mul %one, %x : tensor<2xbf16>
  %d = graph.div %x, %one : tensor<2xbf16>
  return %m, %d : tensor<2xbf16>, tensor<2xbf16>
}

// CHECK-LABEL: func.func @integers_with_themselves
// CHECK-SAME: (%[[X:.*]]: tensor<2xi64>)
// CHECK-DAG: %[[FALSE:.*]] = graph.constant dense<false> : tensor<2xi1>
// CHECK-DAG: %[[TRUE:.*]] = graph.constant dense<true> : tensor<2xi1>
// CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0> : tensor<2xi64>
// CHECK: return %[[ZERO]], %[[X]], %[[X]], %[[X]], %[[X]], %[[TRUE]], %[[FALSE]]
func.func @integers_with_themselves(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi1>, tensor<2xi1>) {
  %s = graph.sub %x, %x : tensor<2xi64>
  %a = graph.max %x, %x : tensor<2xi64>
  %b = graph.min %x, %x : tensor<2xi64>
  %c = graph.and %x, %x : tensor<2xi64>
  %d = graph.or %x, %x : tensor<2xi64>
  %e = graph.compare le, %x, %x : tensor<2xi64> -> tensor<2xi1>
  %f = graph.compare lt, %x, %x : tensor<2xi64> -> tensor<2xi1>
  return %s, %a, %b, %c, %d, %e, %f : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi1>, tensor<2xi1>
}

// A dynamic shape has no constant to fold to.
// CHECK-LABEL: func.func @dynamic_with_itself
// CHECK: graph.sub
func.func @dynamic_with_itself(%x: tensor<?xi64>) -> tensor<?xi64> {
  %s = graph.sub %x, %x : tensor<?xi64>
  return %s : tensor<?xi64>
}

// CHECK-LABEL: func.func @masks
// CHECK-SAME: (%[[P:.*]]: tensor<2xi1>)
// CHECK-DAG: %[[TRUE:.*]] = graph.constant dense<true>
// CHECK-DAG: %[[FALSE:.*]] = graph.constant dense<false>
// CHECK: return %[[P]], %[[FALSE]], %[[TRUE]], %[[P]]
func.func @masks(%p: tensor<2xi1>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %true = graph.constant dense<true> : tensor<2xi1>
  %false = graph.constant dense<false> : tensor<2xi1>
  %a = graph.and %p, %true : tensor<2xi1>
  %b = graph.and %false, %p : tensor<2xi1>
  %c = graph.or %p, %true : tensor<2xi1>
  %d = graph.or %p, %false : tensor<2xi1>
  return %a, %b, %c, %d : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: func.func @arithmetic
// CHECK-DAG: graph.constant dense<[8, -6]> : tensor<2xi64>
// CHECK-DAG: graph.constant dense<[6, -8]> : tensor<2xi64>
// CHECK-DAG: graph.constant dense<[7, -7]> : tensor<2xi64>
// CHECK-DAG: graph.constant dense<[3, -3]> : tensor<2xi64>
func.func @arithmetic() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %x = graph.constant dense<[7, -7]> : tensor<2xi64>
  %one = graph.constant dense<1> : tensor<2xi64>
  %two = graph.constant dense<2> : tensor<2xi64>
  %a = graph.add %x, %one : tensor<2xi64>
  %b = graph.sub %x, %one : tensor<2xi64>
  %c = graph.mul %x, %one : tensor<2xi64>
  %d = graph.div %x, %two : tensor<2xi64>
  return %a, %b, %c, %d : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
}

// CHECK-LABEL: func.func @division_without_quotient
// CHECK-DAG: graph.constant dense<-1> : tensor<i8>
// CHECK-DAG: graph.constant dense<-128> : tensor<i8>
// CHECK-DAG: graph.constant dense<255> : tensor<ui8>
// CHECK-DAG: graph.constant dense<2> : tensor<ui8>
func.func @division_without_quotient() -> (tensor<i8>, tensor<i8>, tensor<ui8>, tensor<ui8>) {
  %seven = graph.constant dense<7> : tensor<i8>
  %zero = graph.constant dense<0> : tensor<i8>
  %lowest = graph.constant dense<-128> : tensor<i8>
  %minus = graph.constant dense<-1> : tensor<i8>
  %u = graph.constant dense<200> : tensor<ui8>
  %uzero = graph.constant dense<0> : tensor<ui8>
  %uhundred = graph.constant dense<100> : tensor<ui8>
  %a = graph.div %seven, %zero : tensor<i8>
  %b = graph.div %lowest, %minus : tensor<i8>
  %c = graph.div %u, %uzero : tensor<ui8>
  %d = graph.div %u, %uhundred : tensor<ui8>
  return %a, %b, %c, %d : tensor<i8>, tensor<i8>, tensor<ui8>, tensor<ui8>
}

// CHECK-LABEL: func.func @order_of_unsigned
// CHECK-DAG: graph.constant dense<200> : tensor<ui8>
// CHECK-DAG: graph.constant dense<true> : tensor<i1>
// CHECK-DAG: graph.constant dense<5> : tensor<i8>
func.func @order_of_unsigned() -> (tensor<ui8>, tensor<i1>, tensor<i8>) {
  %a = graph.constant dense<200> : tensor<ui8>
  %b = graph.constant dense<5> : tensor<ui8>
  %c = graph.constant dense<-56> : tensor<i8>
  %d = graph.constant dense<5> : tensor<i8>
  %max = graph.max %a, %b : tensor<ui8>
  %gt = graph.compare gt, %a, %b : tensor<ui8> -> tensor<i1>
  %signed = graph.max %c, %d : tensor<i8>
  return %max, %gt, %signed : tensor<ui8>, tensor<i1>, tensor<i8>
}

// CHECK-LABEL: func.func @choices
// CHECK-SAME: (%[[P:.*]]: tensor<2xi1>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[Y]]
func.func @choices(%p: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %true = graph.constant dense<true> : tensor<2xi1>
  %false = graph.constant dense<false> : tensor<2xi1>
  %a = graph.select %p, %x, %x : tensor<2xi1>, tensor<2xf32>
  %b = graph.select %true, %x, %y : tensor<2xi1>, tensor<2xf32>
  %c = graph.select %false, %x, %y : tensor<2xi1>, tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @conversions
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>)
// CHECK-DAG: graph.constant dense<[255, 1]> : tensor<2xi32>
// CHECK-DAG: graph.constant dense<[-1, 1]> : tensor<2xi8>
// CHECK-DAG: graph.constant dense<[1, 0]> : tensor<2xi64>
// CHECK-DAG: graph.constant dense<[true, false]> : tensor<2xi1>
// CHECK: return %[[X]]
func.func @conversions(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi32>, tensor<2xi8>, tensor<2xi64>, tensor<2xi1>) {
  %u = graph.constant dense<[255, 1]> : tensor<2xui8>
  %b = graph.constant dense<[true, false]> : tensor<2xi1>
  %i = graph.constant dense<[256, 0]> : tensor<2xi32>
  %same = graph.convert %x : tensor<?xf32> -> tensor<?xf32>
  %wide = graph.convert %u : tensor<2xui8> -> tensor<2xi32>
  %wrapped = graph.convert %u : tensor<2xui8> -> tensor<2xi8>
  %number = graph.convert %b : tensor<2xi1> -> tensor<2xi64>
  %truth = graph.convert %i : tensor<2xi32> -> tensor<2xi1>
  return %same, %wide, %wrapped, %number, %truth : tensor<?xf32>, tensor<2xi32>, tensor<2xi8>, tensor<2xi64>, tensor<2xi1>
}

// CHECK-LABEL: func.func @empty
// CHECK: graph.constant dense<> : tensor<0xi32>
func.func @empty() -> tensor<0xi32> {
  %x = graph.constant dense<> : tensor<0xi32>
  %a = graph.add %x, %x : tensor<0xi32>
  return %a : tensor<0xi32>
}
