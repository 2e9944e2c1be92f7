// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control and sizes from data on the first OpenCL device: loops on the host,
// buffers that grow on the device, kernels that only the host can run.

#include "tests/lowering/opencl/DeviceProgram.h"

namespace zenith::test {
namespace {

class DeviceControl : public DeviceProgram {};

TEST_F(DeviceControl, LoopsUpdateBuffersInPlace) {
  expectOnDevice(R"(
func.func @main(%x: tensor<9x8xf32>, %h0: tensor<8xf32>) -> (tensor<9x8xf32>, tensor<8xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %n = graph.constant dense<9> : tensor<i64>
  %r:3 = graph.while %zero, %h0, %x cond {
  ^bb0(%i: tensor<i64>, %h: tensor<8xf32>, %y: tensor<9x8xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %h: tensor<8xf32>, %y: tensor<9x8xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %row = graph.dynamic_slice %x, %i, %zero : (tensor<9x8xf32>, tensor<i64>, tensor<i64>) -> tensor<1x8xf32>
    %v = graph.reshape %row : tensor<1x8xf32> -> tensor<8xf32>
    %s = graph.add %h, %v : tensor<8xf32>
    %t = graph.tanh %s : tensor<8xf32>
    %u = graph.reshape %t : tensor<8xf32> -> tensor<1x8xf32>
    %z = graph.dynamic_update_slice %y, %u, %i, %zero : (tensor<9x8xf32>, tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> tensor<9x8xf32>
    graph.yield %j, %t, %z : tensor<i64>, tensor<8xf32>, tensor<9x8xf32>
  } : (tensor<i64>, tensor<8xf32>, tensor<9x8xf32>) -> (tensor<i64>, tensor<8xf32>, tensor<9x8xf32>)
  return %r#2, %r#1 : tensor<9x8xf32>, tensor<8xf32>
})",
                 {floats({9, 8}, 1), floats({8}, 2)});
}

TEST_F(DeviceControl, SizesThatGrow) {
  expectOnDevice(R"(
func.func @main(%x: tensor<?x2xf32> {graph.dims = ["rows", "2"]}) -> (tensor<?x2xf32>, tensor<f32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %n = graph.constant dense<4> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<?x2xf32>):
    %k = graph.add %i, %one : tensor<i64>
    %e = graph.tanh %a : tensor<?x2xf32>
    %b = graph.concat 0, %e, %x : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
    graph.yield %k, %b : tensor<i64>, tensor<?x2xf32>
  } : (tensor<i64>, tensor<?x2xf32>) -> (tensor<i64>, tensor<?x2xf32>)
  %s = graph.reduce sum, %r#1 [0, 1] : tensor<?x2xf32> -> tensor<f32>
  return %r#1, %s : tensor<?x2xf32>, tensor<f32>
})",
                 {floats({3, 2}, 1)});
}

TEST_F(DeviceControl, KernelsThatOnlyTheHostRuns) {
  expectOnDevice(R"(
func.func @main(%x: tensor<20x3xf32>, %y: tensor<20xf32>) -> (tensor<?x3xf32>, tensor<3xf32>) {
  %zero = graph.constant dense<0.0> : tensor<20xf32>
  %p = graph.compare gt, %y, %zero : tensor<20xf32> -> tensor<20xi1>
  %e = graph.exp %x : tensor<20x3xf32>
  %c = graph.compact %p, %e : (tensor<20xi1>, tensor<20x3xf32>) -> tensor<?x3xf32>
  %t = graph.neg %c : tensor<?x3xf32>
  %s = graph.reduce sum, %t [0] : tensor<?x3xf32> -> tensor<3xf32>
  return %t, %s : tensor<?x3xf32>, tensor<3xf32>
})",
                 {floats({20, 3}, 1), floats({20}, 2)});
}

} // namespace
} // namespace zenith::test
