// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on constants become constants; large tables stay formulas.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-fold-constants))' | FileCheck %s -enable-var-scope

// CHECK-LABEL: @sum
// CHECK: %[[R:.*]] = graph.constant dense<[4, 6]> : tensor<2xi32>
// CHECK: return %[[R]]
func.func @sum() -> tensor<2xi32> {
  %a = graph.constant dense<[1, 2]> : tensor<2xi32>
  %b = graph.constant dense<[3, 4]> : tensor<2xi32>
  %r = graph.add %a, %b : tensor<2xi32>
  return %r : tensor<2xi32>
}

// CHECK-LABEL: @chain_of_floats
// CHECK: graph.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
func.func @chain_of_floats() -> tensor<2xf32> {
  %a = graph.constant dense<[4.0, 9.0]> : tensor<2xf32>
  %r = graph.sqrt %a : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: @large_table_stays
// CHECK: graph.iota
func.func @large_table_stays() -> tensor<1024xi64> {
  %r = graph.iota 0 : tensor<1024xi64>
  return %r : tensor<1024xi64>
}

// CHECK-LABEL: @large_splat_folds
// CHECK: graph.constant dense<3.000000e+00> : tensor<4096xf32>
func.func @large_splat_folds() -> tensor<4096xf32> {
  %a = graph.constant dense<1.0> : tensor<4096xf32>
  %b = graph.constant dense<2.0> : tensor<4096xf32>
  %r = graph.add %a, %b : tensor<4096xf32>
  return %r : tensor<4096xf32>
}

// CHECK-LABEL: @beyond_the_limit_stays
// CHECK: graph.concat
func.func @beyond_the_limit_stays() -> tensor<16385xf32> {
  %a = graph.constant dense<1.0> : tensor<16384xf32>
  %b = graph.constant dense<2.0> : tensor<1xf32>
  %r = graph.concat 0, %a, %b : (tensor<16384xf32>, tensor<1xf32>) -> tensor<16385xf32>
  return %r : tensor<16385xf32>
}

// CHECK-LABEL: @splats_fold_beyond_the_limit
// CHECK: %[[R:.*]] = graph.constant dense<3.332520e-01> : tensor<64x1024xf16>
// CHECK-NEXT: %[[S:.*]] = graph.constant dense<true> : tensor<64x1024xi1>
// CHECK-NEXT: return %[[R]], %[[S]]
func.func @splats_fold_beyond_the_limit() -> (tensor<64x1024xf16>, tensor<64x1024xi1>) {
  %a = graph.constant dense<1.0> : tensor<64x1024xf32>
  %b = graph.constant dense<3.0> : tensor<64x1024xf32>
  %c = graph.div %a, %b : tensor<64x1024xf32>
  %r = graph.convert %c : tensor<64x1024xf32> -> tensor<64x1024xf16>
  %s = graph.compare lt, %a, %b : tensor<64x1024xf32> -> tensor<64x1024xi1>
  return %r, %s : tensor<64x1024xf16>, tensor<64x1024xi1>
}

// CHECK-LABEL: @argument_stays
// CHECK: graph.add
func.func @argument_stays(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = graph.add %x, %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: @wider_bytes_fold
// CHECK: %[[R:.*]] = graph.constant dense<{{.*}}> : tensor<300xf32>
// CHECK: return %[[R]]
func.func @wider_bytes_fold() -> tensor<300xf32> {
  %a = graph.constant dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FA000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F30"> : tensor<300xi8>
  %w = graph.convert %a : tensor<300xi8> -> tensor<300xi32>
  %r = graph.convert %w : tensor<300xi32> -> tensor<300xf32>
  return %r : tensor<300xf32>
}
