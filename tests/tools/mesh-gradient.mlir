// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of a program that its user dealt by hand, and of the same program dealt by shardings: derived, then run on four devices.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: zenith-run %t/whole.mlir --entry=numbers --print=0 --out-dir=%t/in
// RUN: zenith-run %t/whole.mlir --entry=whole --in 0=%t/in/0.npy --in 1=%t/in/1.npy --transform='grad{wrt=0,1}' --print=0 --out-dir=%t/alone
// RUN: zenith-run %t/whole.mlir --entry=whole --in 0=%t/in/0.npy --in 1=%t/in/1.npy --transform='grad{wrt=0,1}' --mesh-devices=4 --print=0 --out-dir=%t/dealt
// RUN: zenith-run %t/by-hand.mlir --in 0=%t/in/0.npy --in 1=%t/in/1.npy --transform='grad{wrt=0,1}' --mesh-devices=4 --print=0 --out-dir=%t/hand
// RUN: zenith-run %t/by-hand.mlir --in 0=%t/in/0.npy --in 1=%t/in/1.npy --transform='grad{wrt=0,1}' --target=interp --mesh-devices=4 --print=0 --out-dir=%t/interp
// RUN: cmp %t/alone/1.npy %t/dealt/1.npy && cmp %t/alone/1.npy %t/hand/1.npy && cmp %t/alone/1.npy %t/interp/1.npy
// RUN: cmp %t/alone/2.npy %t/dealt/2.npy && cmp %t/alone/2.npy %t/hand/2.npy && cmp %t/alone/2.npy %t/interp/2.npy
// RUN: zenith-run %t/by-hand.mlir --in 0=%t/in/0.npy --in 1=%t/in/1.npy --transform='grad{wrt=0,1}' --mesh-devices=4 --print=0 --report=communication | FileCheck %s
// CHECK: "kind":"all_reduce"

//--- whole.mlir
graph.mesh @mesh = <["x"=2, "y"=2]>

// Small integers, so that sums are exact in any order.
func.func @numbers() -> (tensor<8x4xf32>, tensor<4xf32>) {
  %x = graph.iota 0 : tensor<8x4xf32>
  %w = graph.iota 0 : tensor<4xf32>
  return %x, %w : tensor<8x4xf32>, tensor<4xf32>
}

func.func @whole(%x: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{"x", "y"}, {}]>}, %w: tensor<4xf32>) -> tensor<f32> {
  %b = graph.broadcast %w [1] : tensor<4xf32> -> tensor<8x4xf32>
  %m = graph.mul %x, %b : tensor<8x4xf32>
  %q = graph.mul %m, %m : tensor<8x4xf32>
  %s = graph.reduce sum, %q [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %s : tensor<f32>
}

//--- by-hand.mlir
graph.mesh @mesh = <["x"=2, "y"=2]>

func.func @main(%x: tensor<8x4xf32>, %w: tensor<4xf32>) -> tensor<f32> {
  %r = graph.manual (%x, %w) in_shardings = [#graph.sharding<@mesh, [{"x", "y"}, {}]>, #graph.sharding<@mesh, [{}]>]
      out_shardings = [#graph.sharding<@mesh, []>] manual_axes = ["x", "y"] {
  ^bb0(%a: tensor<2x4xf32>, %v: tensor<4xf32>):
    %b = graph.broadcast %v [1] : tensor<4xf32> -> tensor<2x4xf32>
    %m = graph.mul %a, %b : tensor<2x4xf32>
    %q = graph.mul %m, %m : tensor<2x4xf32>
    %s = graph.reduce sum, %q [0, 1] : tensor<2x4xf32> -> tensor<f32>
    %t = graph.all_reduce (%s) kind <sum> axes @mesh ["x", "y"] : (tensor<f32>) -> tensor<f32>
    graph.yield %t : tensor<f32>
  } : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
