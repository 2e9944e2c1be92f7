// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of eight operands become rows: values that neighbours in memory take in turns, where no two of one value are left.
//
// RUN: zenith-run %s --random-inputs --compare=interp

func.func @main(%x0: tensor<2x8xf32>, %x1: tensor<2x8xf32>, %x2: tensor<2x8xf32>, %x3: tensor<2x8xf32>, %x4: tensor<2x8xf32>, %x5: tensor<2x8xf32>, %x6: tensor<2x8xf32>, %x7: tensor<2x8xf32>) -> tensor<8x2xf32> {
  %t0 = graph.transpose %x0 [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s0 = graph.slice %t0 [4, 0] [1, 2] [1, 1] : tensor<8x2xf32> -> tensor<1x2xf32>
  %t1 = graph.transpose %x1 [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s1 = graph.slice %t1 [4, 0] [1, 2] [1, 1] : tensor<8x2xf32> -> tensor<1x2xf32>
  %t2 = graph.transpose %x2 [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s2 = graph.slice %t2 [4, 0] [1, 2] [1, 1] : tensor<8x2xf32> -> tensor<1x2xf32>
  %t3 = graph.transpose %x3 [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s3 = graph.slice %t3 [4, 0] [1, 2] [1, 1] : tensor<8x2xf32> -> tensor<1x2xf32>
  %t4 = graph.transpose %x4 [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s4 = graph.slice %t4 [4, 0] [1, 2] [1, 1] : tensor<8x2xf32> -> tensor<1x2xf32>
  %t5 = graph.transpose %x5 [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s5 = graph.slice %t5 [4, 0] [1, 2] [1, 1] : tensor<8x2xf32> -> tensor<1x2xf32>
  %t6 = graph.transpose %x6 [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s6 = graph.slice %t6 [4, 0] [1, 2] [1, 1] : tensor<8x2xf32> -> tensor<1x2xf32>
  %t7 = graph.transpose %x7 [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %s7 = graph.slice %t7 [4, 0] [1, 2] [1, 1] : tensor<8x2xf32> -> tensor<1x2xf32>
  %r = graph.concat 0, %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<8x2xf32>
  return %r : tensor<8x2xf32>
}
