// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of two sizes also serves where both are one: the launch gives it the same size twice.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s
// RUN: zenith-run %s --random-inputs --dim a=5 --dim b=3 --compare=interp --print=0
// RUN: zenith-run %s --random-inputs --dim a=1 --dim b=70 --compare=interp --print=0

// CHECK: host.program @main
// CHECK: host.launch @kernels::@[[KERNEL:k0_[a-z]+]] {{.*}} sizes ["a - floordiv({{[^"]*}}", "a", "b"]
// CHECK: host.launch @kernels::@[[KERNEL]] {{.*}} sizes ["b - floordiv({{[^"]*}}", "b", "b"]
// CHECK-NOT: func.func @k1

func.func @main(%x: tensor<?x?xf32> {graph.name = "x", graph.dims = ["b", "a"]},
                %y: tensor<?x?xf32> {graph.name = "y", graph.dims = ["b", "b"]})
    -> (tensor<?x?xf32> {graph.name = "p", graph.dims = ["a", "b"]},
        tensor<?x?xf32> {graph.name = "q", graph.dims = ["b", "b"]}) {
  %0 = graph.transpose %x [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  %1 = graph.transpose %y [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}
