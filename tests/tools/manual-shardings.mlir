// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shardings around and inside of regions that run on blocks, which are programs of several devices only.
//
// RUN: zenith-opt %s --zenith-propagate-shardings | FileCheck %s
// RUN: zenith-compile %s --emit=shardings -o - | FileCheck %s --check-prefix=JSON
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --emit=obj -o %t 2>&1 | FileCheck %s --check-prefix=ONE

// ONE: error: the program has regions for 4 devices: give --mesh-devices=4
graph.mesh @mesh = <["x"=2, "y"=2]>

// Axes of a manual region are outside only.
// CHECK-LABEL: func.func @manual_axes
// CHECK: graph.neg %{{.*}} {graph.sharding = [#graph.sharding<@mesh, [{"y"}, {}]>]
// CHECK: -> tensor<8x4xf32>
func.func @manual_axes(%x: tensor<8x4xf32> {graph.sharding = #graph.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x4xf32> {
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x", ?}, {}]>] out_shardings = [#graph.sharding<@mesh, [{"x", ?}, {}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4x4xf32>):
      %b = graph.neg %a : tensor<4x4xf32>
      graph.yield %b : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// JSON: "replicated": []
