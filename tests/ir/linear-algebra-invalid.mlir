// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each constraint of the linear algebra family, broken.
//
// RUN: zenith-opt %s --split-input-file --verify-diagnostics

func.func @cholesky_c1_rank(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.cholesky' op rank: got 1, expected at least 2 (cholesky_c1)}}
  %l = graph.cholesky %v : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cholesky_c1_square(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.cholesky' op columns: got 2, expected 3 (cholesky_c1)}}
  %l = graph.cholesky %b : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @cholesky_c2_type(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.cholesky' op result: got tensor<3x3xf64>, expected tensor<3x3xf32> (cholesky_c2)}}
  %l = graph.cholesky %a : (tensor<3x3xf32>) -> tensor<3x3xf64>
  return
}

// -----

func.func @triangular_solve_c1_small(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.triangular_solve' op rank of b: got 1, expected at least 2 (triangular_solve_c1)}}
  %x = graph.triangular_solve plain, %a, %v left : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @triangular_solve_c1_rank(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.triangular_solve' op rank of a: got 3, expected 2 (triangular_solve_c1)}}
  %x = graph.triangular_solve plain, %c, %b left : (tensor<2x3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_solve_c1_element(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.triangular_solve' op element type of a: got f32, expected f64 (triangular_solve_c1)}}
  %x = graph.triangular_solve plain, %a, %d left : (tensor<3x3xf32>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return
}

// -----

func.func @triangular_solve_c1_batch(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.triangular_solve' op dimension 0 of a: got 2, expected 4 (triangular_solve_c1)}}
  %x = graph.triangular_solve plain, %c, %e left : (tensor<2x3x3xf32>, tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @triangular_solve_c2_square(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.triangular_solve' op columns of a: got 4, expected 3 (triangular_solve_c2)}}
  %x = graph.triangular_solve plain, %w, %b left : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_solve_c2_size(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.triangular_solve' op columns of a: got 3, expected 2 (triangular_solve_c2)}}
  %x = graph.triangular_solve plain, %a, %b : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_solve_c3_result(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3x3xf32>, %v: tensor<3xf32>, %d: tensor<3x2xf64>, %e: tensor<4x3x2xf32>, %w: tensor<3x4xf32>) {
  // expected-error@below {{'graph.triangular_solve' op result: got tensor<3x3xf32>, expected tensor<3x2xf32> (triangular_solve_c3)}}
  %x = graph.triangular_solve plain, %a, %b left : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @fourier_c1_none(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op entries of length: got 0, expected 1 to 2 (fourier_c1)}}
  %y = graph.fourier r2c, %x [] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  return
}

// -----

func.func @fourier_c1_many(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op entries of length: got 3, expected 1 to 2 (fourier_c1)}}
  %y = graph.fourier r2c, %x [1, 2, 8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  return
}

// -----

func.func @fourier_c1_negative(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op length: got [-1], expected values of at least 0 (fourier_c1)}}
  %y = graph.fourier r2c, %x [-1] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  return
}

// -----

func.func @fourier_c2_real(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op c2c: got f32, expected complex elements (fourier_c2)}}
  %y = graph.fourier c2c, %x [8] : (tensor<2x8xf32>) -> tensor<2x8xcomplex<f32>>
  return
}

// -----

func.func @fourier_c2_complex(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op r2c: got complex<f32>, expected real elements (fourier_c2)}}
  %y = graph.fourier r2c, %c [5] : (tensor<2x5xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  return
}

// -----

func.func @fourier_c2_result(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op result element type: got complex<f64>, expected complex<f32> (fourier_c2)}}
  %y = graph.fourier r2c, %x [8] : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f64>>
  return
}

// -----

func.func @fourier_c3_size(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op dimension 1: got 8, expected 7 (fourier_c3)}}
  %y = graph.fourier r2c, %x [7] : (tensor<2x8xf32>) -> tensor<2x4xcomplex<f32>>
  return
}

// -----

func.func @fourier_c3_half(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op dimension 1: got 5, expected 4 (fourier_c3)}}
  %y = graph.fourier c2r, %c [7] : (tensor<2x5xcomplex<f32>>) -> tensor<2x7xf32>
  return
}

// -----

func.func @fourier_c4_result(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // expected-error@below {{'graph.fourier' op result: got tensor<2x8xcomplex<f32>>, expected tensor<2x5xcomplex<f32>> (fourier_c4)}}
  %y = graph.fourier r2c, %x [8] : (tensor<2x8xf32>) -> tensor<2x8xcomplex<f32>>
  return
}
