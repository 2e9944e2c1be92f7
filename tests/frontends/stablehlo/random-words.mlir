// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random bits from a state of four words: two of the key, low half first, and
// two of the counter, high half first, which the next state has advanced.
//
// RUN: zenith-run %s --target=interp
// RUN: zenith-run %s --target=cpu

func.func @main() {
  %state = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xui32>
  %next, %bits = "stablehlo.rng_bit_generator"(%state) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
  check.expect_eq_const %bits, dense<[4182016098, 1750513089, 3880691583, 3632308511]> : tensor<4xui32>
  check.expect_eq_const %next, dense<[5, 6, 7, 10]> : tensor<4xui32>
  %after, %others = "stablehlo.rng_bit_generator"(%state) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
  check.expect_eq_const %others, dense<[713413624, 4291457158, 1911391849, 1083487732]> : tensor<4xui32>
  check.expect_eq_const %after, dense<[5, 6, 7, 9]> : tensor<4xui32>
  return
}
