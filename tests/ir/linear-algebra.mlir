// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the linear algebra family.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @cholesky(%a: tensor<3x3xf32>, %b: tensor<?x?x?xcomplex<f64>>) {
  // CHECK: graph.cholesky %{{.*}} lower : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %l = graph.cholesky %a lower : (tensor<3x3xf32>) -> tensor<3x3xf32>
  // CHECK: graph.cholesky %{{.*}} : (tensor<?x?x?xcomplex<f64>>) -> tensor<?x?x?xcomplex<f64>>
  %u = graph.cholesky %b : (tensor<?x?x?xcomplex<f64>>) -> tensor<?x?x?xcomplex<f64>>
  return
}

func.func @triangular_solve(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<5x3xf32>) {
  // CHECK: graph.triangular_solve plain, %{{.*}}, %{{.*}} left lower : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %x = graph.triangular_solve plain, %a, %b left lower : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  // CHECK: graph.triangular_solve transposed, %{{.*}}, %{{.*}} unit_diagonal : (tensor<3x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %y = graph.triangular_solve transposed, %a, %c unit_diagonal : (tensor<3x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  // CHECK: graph.triangular_solve adjoint, %{{.*}}, %{{.*}} left lower unit_diagonal : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %z = graph.triangular_solve adjoint, %a, %b left lower unit_diagonal : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

func.func @fourier(%x: tensor<2x8xf32>, %c: tensor<?x4x5xcomplex<f64>>) {
  // CHECK: graph.fourier r2c, %{{.*}} [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  %y = graph.fourier r2c, %x [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  // CHECK: graph.fourier c2r, %{{.*}} [4, 9] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x9xf64>
  %z = graph.fourier c2r, %c [4, 9] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x9xf64>
  // CHECK: graph.fourier c2c, %{{.*}} [5] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x5xcomplex<f64>>
  %u = graph.fourier c2c, %c [5] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x5xcomplex<f64>>
  // CHECK: graph.fourier c2c_inverse, %{{.*}} [4, 5] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x5xcomplex<f64>>
  %v = graph.fourier c2c_inverse, %c [4, 5] : (tensor<?x4x5xcomplex<f64>>) -> tensor<?x4x5xcomplex<f64>>
  return
}
