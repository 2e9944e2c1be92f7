// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of numbers as four-bit integers, which differ in how they fill their byte in memory.
//
// RUN: zenith-run %s --random-inputs --compare=interp

func.func public @main(%x: tensor<3x5xf32>) -> (tensor<3x5x8xi32>, tensor<3x5x8xui4>, tensor<3x5x4xui8>) {
  %signed = stablehlo.bitcast_convert %x : (tensor<3x5xf32>) -> tensor<3x5x8xi4>
  %unsigned = stablehlo.bitcast_convert %signed : (tensor<3x5x8xi4>) -> tensor<3x5x8xui4>
  %pairs = stablehlo.reshape %signed : (tensor<3x5x8xi4>) -> tensor<3x5x4x2xi4>
  %bytes = stablehlo.bitcast_convert %pairs : (tensor<3x5x4x2xi4>) -> tensor<3x5x4xui8>
  %numbers = stablehlo.convert %signed : (tensor<3x5x8xi4>) -> tensor<3x5x8xi32>
  return %numbers, %unsigned, %bytes : tensor<3x5x8xi32>, tensor<3x5x8xui4>, tensor<3x5x4xui8>
}
