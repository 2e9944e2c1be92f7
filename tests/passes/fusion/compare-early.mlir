// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that a backward pass only compares with a constant are compared where
// they are made. The sums of one number stand for the ops in between.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-cheap-rematerialization))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @only_compared
// CHECK: %[[R:.*]]:2 = graph.fusion pointwise {{.*}} -> (tensor<128x128xf32>, tensor<128x128xi1>)
// CHECK: graph.max
// CHECK: graph.compare gt
// CHECK: graph.fusion window {{.*}} = %[[R]]#0 : tensor<128x128xf32>
// CHECK: graph.fusion pointwise {{.*}}, %[[C:.*]] = %[[R]]#1 : tensor<128x128xi1>
// CHECK-NOT: graph.compare
// CHECK: graph.select %[[C]]
// CHECK: return
func.func @only_compared(%x: tensor<128x128xf32>, %g: tensor<128x128xf32>, %n: tensor<i32>) -> (tensor<64x64xf32>, tensor<128x128xf32>, tensor<i32>) {
  %r = graph.fusion pointwise (%a = %x : tensor<128x128xf32>) -> tensor<128x128xf32> {
    %zero = graph.constant dense<0.8> : tensor<128x128xf32>
    %m = graph.max %a, %zero : tensor<128x128xf32>
    graph.yield %m : tensor<128x128xf32>
  }
  %p = graph.fusion window (%a = %r : tensor<128x128xf32>) -> tensor<64x64xf32> {
    %m = graph.reduce_window max, %a window [2, 2] strides [2, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<128x128xf32> -> tensor<64x64xf32>
    graph.yield %m : tensor<64x64xf32>
  }
  %n0 = graph.add %n, %n : tensor<i32>
  %n1 = graph.add %n0, %n : tensor<i32>
  %n2 = graph.add %n1, %n : tensor<i32>
  %n3 = graph.add %n2, %n : tensor<i32>
  %n4 = graph.add %n3, %n : tensor<i32>
  %n5 = graph.add %n4, %n : tensor<i32>
  %n6 = graph.add %n5, %n : tensor<i32>
  %n7 = graph.add %n6, %n : tensor<i32>
  %n8 = graph.add %n7, %n : tensor<i32>
  %k = graph.fusion pointwise (%a = %g : tensor<128x128xf32>, %b = %r : tensor<128x128xf32>) -> tensor<128x128xf32> {
    %zero = graph.constant dense<0.8> : tensor<128x128xf32>
    %c = graph.compare gt, %b, %zero : tensor<128x128xf32> -> tensor<128x128xi1>
    %s = graph.select %c, %a, %zero : tensor<128x128xi1>, tensor<128x128xf32>
    graph.yield %s : tensor<128x128xf32>
  }
  return %p, %k, %n8 : tensor<64x64xf32>, tensor<128x128xf32>, tensor<i32>
}

// Who reads the value as well finds it in memory anyway.
// CHECK-LABEL: @read_too
// CHECK: %[[R:.*]] = graph.fusion pointwise {{.*}} -> tensor<128x128xf32>
// CHECK: graph.fusion pointwise {{.*}} = %[[R]] : tensor<128x128xf32>
// CHECK: graph.compare gt
// CHECK: return
func.func @read_too(%x: tensor<128x128xf32>, %g: tensor<128x128xf32>, %n: tensor<i32>) -> (tensor<64x64xf32>, tensor<128x128xf32>, tensor<i32>) {
  %r = graph.fusion pointwise (%a = %x : tensor<128x128xf32>) -> tensor<128x128xf32> {
    %zero = graph.constant dense<0.8> : tensor<128x128xf32>
    %m = graph.max %a, %zero : tensor<128x128xf32>
    graph.yield %m : tensor<128x128xf32>
  }
  %p = graph.fusion window (%a = %r : tensor<128x128xf32>) -> tensor<64x64xf32> {
    %m = graph.reduce_window max, %a window [2, 2] strides [2, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<128x128xf32> -> tensor<64x64xf32>
    graph.yield %m : tensor<64x64xf32>
  }
  %n0 = graph.add %n, %n : tensor<i32>
  %n1 = graph.add %n0, %n : tensor<i32>
  %n2 = graph.add %n1, %n : tensor<i32>
  %n3 = graph.add %n2, %n : tensor<i32>
  %n4 = graph.add %n3, %n : tensor<i32>
  %n5 = graph.add %n4, %n : tensor<i32>
  %n6 = graph.add %n5, %n : tensor<i32>
  %n7 = graph.add %n6, %n : tensor<i32>
  %n8 = graph.add %n7, %n : tensor<i32>
  %k = graph.fusion pointwise (%a = %g : tensor<128x128xf32>, %b = %r : tensor<128x128xf32>) -> tensor<128x128xf32> {
    %zero = graph.constant dense<0.8> : tensor<128x128xf32>
    %c = graph.compare gt, %b, %zero : tensor<128x128xf32> -> tensor<128x128xi1>
    %s = graph.select %c, %a, %zero : tensor<128x128xi1>, tensor<128x128xf32>
    %t = graph.mul %s, %b : tensor<128x128xf32>
    graph.yield %t : tensor<128x128xf32>
  }
  return %p, %k, %n8 : tensor<64x64xf32>, tensor<128x128xf32>, tensor<i32>
}

// Small values may wait.
// CHECK-LABEL: @small
// CHECK: %[[R:.*]] = graph.fusion pointwise {{.*}} -> tensor<8x8xf32>
// CHECK: graph.fusion pointwise {{.*}} = %[[R]] : tensor<8x8xf32>
// CHECK: graph.compare gt
// CHECK: return
func.func @small(%x: tensor<8x8xf32>, %g: tensor<8x8xf32>, %n: tensor<i32>) -> (tensor<4x4xf32>, tensor<8x8xf32>, tensor<i32>) {
  %r = graph.fusion pointwise (%a = %x : tensor<8x8xf32>) -> tensor<8x8xf32> {
    %zero = graph.constant dense<0.8> : tensor<8x8xf32>
    %m = graph.max %a, %zero : tensor<8x8xf32>
    graph.yield %m : tensor<8x8xf32>
  }
  %p = graph.fusion window (%a = %r : tensor<8x8xf32>) -> tensor<4x4xf32> {
    %m = graph.reduce_window max, %a window [2, 2] strides [2, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<8x8xf32> -> tensor<4x4xf32>
    graph.yield %m : tensor<4x4xf32>
  }
  %n0 = graph.add %n, %n : tensor<i32>
  %n1 = graph.add %n0, %n : tensor<i32>
  %n2 = graph.add %n1, %n : tensor<i32>
  %n3 = graph.add %n2, %n : tensor<i32>
  %n4 = graph.add %n3, %n : tensor<i32>
  %n5 = graph.add %n4, %n : tensor<i32>
  %n6 = graph.add %n5, %n : tensor<i32>
  %n7 = graph.add %n6, %n : tensor<i32>
  %n8 = graph.add %n7, %n : tensor<i32>
  %k = graph.fusion pointwise (%a = %g : tensor<8x8xf32>, %b = %r : tensor<8x8xf32>) -> tensor<8x8xf32> {
    %zero = graph.constant dense<0.8> : tensor<8x8xf32>
    %c = graph.compare gt, %b, %zero : tensor<8x8xf32> -> tensor<8x8xi1>
    %s = graph.select %c, %a, %zero : tensor<8x8xi1>, tensor<8x8xf32>
    graph.yield %s : tensor<8x8xf32>
  }
  return %p, %k, %n8 : tensor<4x4xf32>, tensor<8x8xf32>, tensor<i32>
}
