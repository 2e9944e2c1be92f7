// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizing dequantized bytes by the same scale and zero point gives the bytes, also after movement.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: zenith-opt %t/m.mlir --pass-pipeline='builtin.module(func.func(zenith-simplify-algebra))' -o %t/after.mlir
// RUN: FileCheck %s < %t/after.mlir
// RUN: zenith-run %t/m.mlir --random-inputs=3 --print=0 --target=interp --out-dir=%t
// RUN: zenith-run %t/after.mlir --random-inputs=3 --print=0 --target=interp --expect=0=%t/0.npy --expect=1=%t/1.npy --expect=2=%t/2.npy

// CHECK: func.func @main(%[[X:.*]]: tensor<20x30xui8>)
// CHECK: %[[Y:.*]] = graph.transpose %[[X]] [1, 0]
// CHECK: graph.round_even
// CHECK: graph.round_even
// CHECK-NOT: graph.round_even
// CHECK: return %[[Y]],
func.func @main(%x: tensor<20x30xui8>) -> (tensor<30x20xui8>, tensor<20x30xui8>, tensor<20x30xui8>) {
  %wide = graph.convert %x : tensor<20x30xui8> -> tensor<20x30xi32>
  %zero = graph.constant dense<131> : tensor<20x30xi32>
  %difference = graph.sub %wide, %zero : tensor<20x30xi32>
  %whole = graph.convert %difference : tensor<20x30xi32> -> tensor<20x30xf32>
  %scale = graph.constant dense<0.0366042629> : tensor<20x30xf32>
  %number = graph.mul %whole, %scale : tensor<20x30xf32>
  %moved = graph.transpose %number [1, 0] : tensor<20x30xf32> -> tensor<30x20xf32>
  %s = graph.constant dense<0.0366042629> : tensor<30x20xf32>
  %z = graph.constant dense<131.0> : tensor<30x20xf32>
  %low = graph.constant dense<0.0> : tensor<30x20xf32>
  %high = graph.constant dense<255.0> : tensor<30x20xf32>
  %a = graph.div %moved, %s : tensor<30x20xf32>
  %b = graph.round_even %a : tensor<30x20xf32>
  %c = graph.add %b, %z : tensor<30x20xf32>
  %d = graph.max %c, %low : tensor<30x20xf32>
  %e = graph.min %d, %high : tensor<30x20xf32>
  %same = graph.convert %e : tensor<30x20xf32> -> tensor<30x20xui8>
  // Another scale, and bounds within those of the type.
  %t = graph.constant dense<0.0366> : tensor<20x30xf32>
  %zeros = graph.constant dense<131.0> : tensor<20x30xf32>
  %lows = graph.constant dense<0.0> : tensor<20x30xf32>
  %tens = graph.constant dense<10.0> : tensor<20x30xf32>
  %highs = graph.constant dense<255.0> : tensor<20x30xf32>
  %f = graph.div %number, %t : tensor<20x30xf32>
  %g = graph.round_even %f : tensor<20x30xf32>
  %h = graph.add %g, %zeros : tensor<20x30xf32>
  %i = graph.max %h, %lows : tensor<20x30xf32>
  %j = graph.min %i, %highs : tensor<20x30xf32>
  %other = graph.convert %j : tensor<20x30xf32> -> tensor<20x30xui8>
  %k = graph.div %number, %scale : tensor<20x30xf32>
  %l = graph.round_even %k : tensor<20x30xf32>
  %m = graph.add %l, %zeros : tensor<20x30xf32>
  %n = graph.max %m, %tens : tensor<20x30xf32>
  %o = graph.min %n, %highs : tensor<20x30xf32>
  %bounded = graph.convert %o : tensor<20x30xf32> -> tensor<20x30xui8>
  return %same, %other, %bounded : tensor<30x20xui8>, tensor<20x30xui8>, tensor<20x30xui8>
}
