// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only the run knows how large the result is: it takes one of two kernels, above 2.5 MB the one with non-temporal stores.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s

// CHECK: host.launch @kernels::@k0_copy {{.*}} tasks "[[TASKS:[^"]*]]" {{.*}} when "{{.*}}min(1, max(0, -512*n + 2620417))
// CHECK: host.launch @kernels::@k0_copy_past {{.*}} tasks "[[TASKS]]" {{.*}} when "{{.*}}min(1, max(0, -512*n + 2620417))
// CHECK-NOT: host.launch
// CHECK: func.func @k0_copy(
// CHECK-NOT: nontemporal
// CHECK: func.func @k0_copy_past(
// CHECK: vector.store {{.*}} {nontemporal = true}

func.func @main(%x: tensor<?x64xf32> {graph.name = "x", graph.dims = ["n", "64"]}, %y: tensor<2x64xf32> {graph.name = "y"}) -> (tensor<?x64xf32> {graph.name = "z", graph.dims = ["n + 2", "64"]}) {
  %r = graph.concat 0, %x, %y : (tensor<?x64xf32>, tensor<2x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
