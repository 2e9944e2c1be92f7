// Up to 256 rows read a row-major B in place where vectors are whole cache lines and half of the shared cache holds B; other
// products copy its panels.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:znver4 | FileCheck %s
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=AVX2

// CHECK-LABEL: func.func @rows(
// CHECK: operands = [rows, rows]
// AVX2-LABEL: func.func @rows(
// AVX2: operands = [rows, copied<16>]
func.func @rows(%x: tensor<256x512xf32>, %w: tensor<512x512xf32>) -> tensor<256x512xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}

// CHECK-LABEL: func.func @more_rows(
// CHECK: operands = [rows, copied<64>]
func.func @more_rows(%x: tensor<257x512xf32>, %w: tensor<512x512xf32>) -> tensor<257x512xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<257x512xf32>, tensor<512x512xf32>) -> tensor<257x512xf32>
  return %0 : tensor<257x512xf32>
}

// CHECK-LABEL: func.func @large(
// CHECK: operands = [rows, copied<64>]
func.func @large(%x: tensor<64x1024xf32>, %w: tensor<1024x2112xf32>) -> tensor<64x2112xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x1024xf32>, tensor<1024x2112xf32>) -> tensor<64x2112xf32>
  return %0 : tensor<64x2112xf32>
}

// Narrow elements are widened once, in the copy.
// CHECK-LABEL: func.func @narrow(
// CHECK: operands = [rows, copied<64>]
func.func @narrow(%x: tensor<64x512xf32>, %w: tensor<512x512xf16>) -> tensor<64x512xf32> {
  %0 = graph.convert %w : tensor<512x512xf16> -> tensor<512x512xf32>
  %1 = graph.dot_general %x, %0 <batching = [] x [], contracting = [1] x [0]> : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
  return %1 : tensor<64x512xf32>
}
