// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex values as two real ones; the meaning test compares their values.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-split-complex))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @product
// CHECK-SAME: (%[[X:.*]]: tensor<4xcomplex<f32>>, %[[Y:.*]]: tensor<4xcomplex<f32>>)
// CHECK-DAG: %[[A:.*]] = graph.real %[[X]] : tensor<4xcomplex<f32>> -> tensor<4xf32>
// CHECK-DAG: %[[B:.*]] = graph.imag %[[X]]
// CHECK-DAG: %[[C:.*]] = graph.real %[[Y]]
// CHECK-DAG: %[[D:.*]] = graph.imag %[[Y]]
// CHECK: %[[AC:.*]] = graph.mul %[[A]], %[[C]]
// CHECK: %[[BD:.*]] = graph.mul %[[B]], %[[D]]
// CHECK: %[[RE:.*]] = graph.sub %[[AC]], %[[BD]]
// CHECK: %[[AD:.*]] = graph.mul %[[A]], %[[D]]
// CHECK: %[[BC:.*]] = graph.mul %[[B]], %[[C]]
// CHECK: %[[IM:.*]] = graph.add %[[AD]], %[[BC]]
// CHECK: %[[R:.*]] = graph.complex %[[RE]], %[[IM]]
// CHECK: return %[[R]]
func.func @product(%x: tensor<4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %r = graph.mul %x, %y : tensor<4xcomplex<f32>>
  return %r : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: @parts_of_parts
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32> {{.*}}, %[[Y:.*]]: tensor<?xf32> {{.*}})
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @parts_of_parts(%x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["n"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %z = graph.complex %x, %y : tensor<?xf32> -> tensor<?xcomplex<f32>>
  %r = graph.real %z : tensor<?xcomplex<f32>> -> tensor<?xf32>
  %i = graph.imag %z : tensor<?xcomplex<f32>> -> tensor<?xf32>
  return %r, %i : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: @functions
// CHECK-NOT: graph.{{(exp|log|sqrt|tanh)}} {{.*}}complex
// CHECK: return
func.func @functions(%x: tensor<?xcomplex<f32>> {graph.dims = ["n"]}, %y: tensor<?xcomplex<f32>> {graph.dims = ["n"]}) -> (tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>, tensor<?xf32>) {
  %0 = graph.exp %x : tensor<?xcomplex<f32>>
  %1 = graph.log %x : tensor<?xcomplex<f32>>
  %2 = graph.sqrt %x : tensor<?xcomplex<f32>>
  %3 = graph.tanh %x : tensor<?xcomplex<f32>>
  %4 = graph.expm1 %x : tensor<?xcomplex<f32>>
  %5 = graph.log1p %x : tensor<?xcomplex<f32>>
  %6 = graph.rsqrt %x : tensor<?xcomplex<f32>>
  %7 = graph.cbrt %x : tensor<?xcomplex<f32>>
  %8 = graph.sin %x : tensor<?xcomplex<f32>>
  %9 = graph.cos %x : tensor<?xcomplex<f32>>
  %10 = graph.tan %x : tensor<?xcomplex<f32>>
  %11 = graph.logistic %x : tensor<?xcomplex<f32>>
  %12 = graph.sign %x : tensor<?xcomplex<f32>>
  %13 = graph.pow %x, %y : tensor<?xcomplex<f32>>
  %14 = graph.div %x, %y : tensor<?xcomplex<f32>>
  %15 = graph.neg %x : tensor<?xcomplex<f32>>
  %a0 = graph.add %0, %1 : tensor<?xcomplex<f32>>
  %a1 = graph.add %2, %3 : tensor<?xcomplex<f32>>
  %a2 = graph.sub %4, %5 : tensor<?xcomplex<f32>>
  %a3 = graph.add %6, %7 : tensor<?xcomplex<f32>>
  %a4 = graph.sub %8, %9 : tensor<?xcomplex<f32>>
  %a5 = graph.add %10, %11 : tensor<?xcomplex<f32>>
  %a6 = graph.add %12, %13 : tensor<?xcomplex<f32>>
  %a7 = graph.add %14, %15 : tensor<?xcomplex<f32>>
  %b0 = graph.mul %a0, %a1 : tensor<?xcomplex<f32>>
  %b1 = graph.mul %a2, %a3 : tensor<?xcomplex<f32>>
  %b2 = graph.add %a4, %a5 : tensor<?xcomplex<f32>>
  %b3 = graph.add %a6, %a7 : tensor<?xcomplex<f32>>
  %c = graph.add %b2, %b3 : tensor<?xcomplex<f32>>
  %d = graph.complex_abs %c : tensor<?xcomplex<f32>> -> tensor<?xf32>
  return %b0, %b1, %c, %d : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>, tensor<?xf32>
}

// CHECK-LABEL: @movement
// CHECK-NOT: graph.{{(transpose|reshape|broadcast|concat|slice)}} {{.*}}complex
// CHECK: return
func.func @movement(%x: tensor<2x3xcomplex<f64>>, %i: tensor<2x1xi64>) -> (tensor<5x4xcomplex<f64>>, tensor<2x3xi1>, tensor<2x2xcomplex<f64>>) {
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

// CHECK-LABEL: @reductions
// CHECK: graph.reduce sum, %{{.*}} [0] : tensor<3x2xf32> -> tensor<2xf32>
// CHECK: graph.reduce sum, %{{.*}} [0] : tensor<3x2xf32> -> tensor<2xf32>
// CHECK: graph.reduce_with(%{{.*}}, %{{.*}})
// CHECK: graph.cumulative sum
// CHECK: graph.reduce_window_with
// CHECK: graph.scatter_with
// CHECK: return
func.func @reductions(%x: tensor<3x2xcomplex<f32>>, %y: tensor<2x4xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<3x2xcomplex<f32>>, tensor<3x2xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<2xcomplex<f32>>) {
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

// CHECK-LABEL: @control
// CHECK: graph.while %{{.*}}, %{{.*}}, %{{.*}} cond {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>):
// CHECK: graph.if
// CHECK: (tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK: graph.sort_with %{{.*}}, %{{.*}}, %{{.*}} 0 {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i64>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>):
// CHECK: return
func.func @control(%x: tensor<2xcomplex<f32>>, %k: tensor<2xi64>) -> (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %four = graph.constant dense<4> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %z: tensor<2xcomplex<f32>>):
    %p = graph.compare lt, %i, %four : tensor<i64> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %z: tensor<2xcomplex<f32>>):
    %next = graph.add %i, %one : tensor<i64>
    %q = graph.compare eq, %i, %one : tensor<i64> -> tensor<i1>
    %b = graph.if %q then {
      %m = graph.mul %z, %x : tensor<2xcomplex<f32>>
      graph.yield %m : tensor<2xcomplex<f32>>
    } else {
      graph.yield %z : tensor<2xcomplex<f32>>
    } : (tensor<i1>) -> tensor<2xcomplex<f32>>
    graph.yield %next, %b : tensor<i64>, tensor<2xcomplex<f32>>
  } : (tensor<i64>, tensor<2xcomplex<f32>>) -> (tensor<i64>, tensor<2xcomplex<f32>>)
  %s:2 = graph.sort_with %k, %x 0 {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<complex<f32>>, %d: tensor<complex<f32>>):
    %e = graph.imag %c : tensor<complex<f32>> -> tensor<f32>
    %f = graph.imag %d : tensor<complex<f32>> -> tensor<f32>
    %g = graph.compare gt, %e, %f : tensor<f32> -> tensor<i1>
    graph.yield %g : tensor<i1>
  } : (tensor<2xi64>, tensor<2xcomplex<f32>>) -> (tensor<2xi64>, tensor<2xcomplex<f32>>)
  return %r#1, %s#1 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
}

// CHECK-LABEL: @sets
// CHECK: graph.unique %{{.*}} : tensor<?x2xf32> -> tensor<?x2xf32>
// CHECK: graph.is_in %{{.*}}, %{{.*}} : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?xi1>
// CHECK: graph.compact %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>)
func.func @sets(%x: tensor<?xcomplex<f32>> {graph.dims = ["n"]}) -> (tensor<?xcomplex<f32>>, tensor<?xi64>, tensor<?xcomplex<f32>>) {
  %u, %f, %i, %c = graph.unique %x : tensor<?xcomplex<f32>> -> tensor<?xcomplex<f32>>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  %m = graph.is_in %x, %u : (tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) -> tensor<?xi1>
  %r = graph.compact %m, %x : (tensor<?xi1>, tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
  return %u, %i, %r : tensor<?xcomplex<f32>>, tensor<?xi64>, tensor<?xcomplex<f32>>
}

// CHECK-LABEL: @transforms_stay_whole
// CHECK: %[[Z:.*]] = graph.complex
// CHECK: %[[F:.*]] = graph.fourier c2c, %[[Z]] [4]
// CHECK: graph.real %[[F]]
func.func @transforms_stay_whole(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %y = graph.add %x, %x : tensor<4xcomplex<f32>>
  %f = graph.fourier c2c, %y [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %r = graph.real %f : tensor<4xcomplex<f32>> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
