// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is no program of one device.
//
// RUN: zenith-opt %s --zenith-ignore-shardings --verify-diagnostics

graph.mesh @mesh = <["x"=2]>
func.func @region_of_two_devices(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@below {{'graph.manual' op runs on 2 devices: give --mesh-devices=2}}
  %r = graph.manual (%x) in_shardings = [#graph.sharding<@mesh, [{"x"}]>] out_shardings = [#graph.sharding<@mesh, [{"x"}]>] manual_axes = ["x"] {
    ^bb0(%a: tensor<4xf32>):
      graph.yield %a : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
