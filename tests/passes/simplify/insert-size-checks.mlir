// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops require of sizes becomes an assertion where it is not proved, and only once.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-insert-size-checks))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @sizes_of_two_arguments
// CHECK: %[[N:.*]] = graph.dim %arg0, 0
// CHECK: %[[M:.*]] = graph.dim %arg1, 0
// CHECK: %[[SAME:.*]] = graph.compare eq, %[[N]], %[[M]]
// CHECK: graph.assert %[[SAME]] "graph.add: sizes {0} ('n') and {1} ('m') differ: operand 0 is [n={0}, 4], operand 1 is [m={1}, 4]"(%[[N]], %[[M]]) {graph.size_check}
// CHECK: graph.add
// CHECK-NOT: graph.assert
// CHECK: graph.mul
func.func @sizes_of_two_arguments(%x: tensor<?x4xf32> {graph.dims = ["n", "4"]}, %y: tensor<?x4xf32> {graph.dims = ["m", "4"]}) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %r = graph.add %x, %y : tensor<?x4xf32>
  %s = graph.mul %x, %y : tensor<?x4xf32>
  return %r, %s : tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: @proved
// CHECK-NOT: graph.assert
func.func @proved(%x: tensor<?x4xf32> {graph.dims = ["n", "4"]}, %y: tensor<?x4xf32> {graph.dims = ["n", "4"]}) -> tensor<?x4xf32> {
  %r = graph.add %x, %y : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// The analysis would say 6; the program says %n.
// CHECK-LABEL: @elements_of_a_reshape
// CHECK: graph.assert %{{.*}} "graph.reshape: numbers of elements 6 and {0} differ: operand 0 is [2, 3]"(%arg1)
// CHECK-NEXT: graph.reshape
func.func @elements_of_a_reshape(%x: tensor<2x3xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %r = graph.reshape %x [%n] : tensor<2x3xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: @one_or_equal
// CHECK: %[[SAME:.*]] = graph.compare eq, %[[N:.*]], %[[M:.*]] :
// CHECK: %[[ONE:.*]] = graph.compare eq, %[[N]], %{{.*}}
// CHECK: %[[HOLDS:.*]] = graph.or %[[ONE]], %[[SAME]]
// CHECK: graph.assert %[[HOLDS]] "graph.expand: sizes {0} ('n') and {1} differ: operand 0 is [n={0}]"
func.func @one_or_equal(%x: tensor<?xf32> {graph.dims = ["n"]}, %m: tensor<i64>) -> tensor<?xf32> {
  %r = graph.expand %x [%m] : tensor<?xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Nobody reads the result: what the op requires is required all the same.
// CHECK-LABEL: @parts
// CHECK: %[[N:.*]] = graph.dim %arg0, 0
// CHECK: %[[FITS:.*]] = graph.compare le, %{{.*}}, %[[N]]
// CHECK: graph.assert %[[FITS]] "graph.dynamic_slice: the size of a part, 3, exceeds {0} ('n'): operand 0 is [n={0}]"(%[[N]]) {graph.size_check}
// CHECK: graph.dynamic_slice
// CHECK-NOT: graph.assert
// CHECK: graph.dynamic_update_slice
func.func @parts(%x: tensor<?xf32> {graph.dims = ["n"]}, %u: tensor<3xf32>, %i: tensor<i32>) {
  %s = graph.dynamic_slice %x, %i : (tensor<?xf32>, tensor<i32>) -> tensor<3xf32>
  %r = graph.dynamic_update_slice %x, %u, %i : (tensor<?xf32>, tensor<3xf32>, tensor<i32>) -> tensor<?xf32>
  return
}

// The type states 8 positions, which a kernel of 3 has.
// CHECK-LABEL: @stated_in_the_type
// CHECK: %[[K:.*]] = graph.dim %arg1, 0
// CHECK: graph.assert %{{.*}} "graph.convolution: the size of a result and that in its type {{.*}} differ
// CHECK: graph.convolution
func.func @stated_in_the_type(%x: tensor<1x10x2xf32>, %k: tensor<?x2x5xf32> {graph.dims = ["k", "2", "5"]}) -> tensor<1x8x5xf32> {
  %r = graph.convolution %x, %k <input = (0, 2, [1]), kernel = (1, 2, [0]), output = (0, 2, [1])> strides [1]
      low [0] high [0] input_dilation [1] kernel_dilation [1] groups 1
      : (tensor<1x10x2xf32>, tensor<?x2x5xf32>) -> tensor<1x8x5xf32>
  return %r : tensor<1x8x5xf32>
}
