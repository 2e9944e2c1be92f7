// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run's sizes choose one of two launches: few rows of a GEMM and many, on both sides of the limit.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s
// RUN: zenith-run %s --random-inputs --dim n=1 --compare=interp --rtol=1e-4 --atol=1e-4 --print=0
// RUN: zenith-run %s --random-inputs --dim n=28 --compare=interp --rtol=1e-4 --atol=1e-4 --print=0
// RUN: zenith-run %s --random-inputs --dim n=29 --compare=interp --rtol=1e-4 --atol=1e-4 --print=0
// RUN: zenith-run %s --random-inputs --dim n=100 --compare=interp --rtol=1e-4 --atol=1e-4 --print=0

// CHECK: host.launch @kernels::@k0_contraction_small_m {{.*}} when "min(1, max(0, -n + 29))"
// CHECK: host.launch @kernels::@k0_contraction pointers {{.*}} when "-min(1, max(0, -n + 29)) + 1"
// CHECK-NOT: host.launch
// CHECK: host.program @prepare

graph.param @w : tensor<64x96xf32> = dense<0.5> : tensor<64x96xf32>
func.func @main(%x: tensor<?x64xf32> {graph.name = "x", graph.dims = ["n", "64"]}) -> (tensor<?x96xf32> {graph.name = "y", graph.dims = ["n", "96"]}) {
  %w = graph.get_param @w : tensor<64x96xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
