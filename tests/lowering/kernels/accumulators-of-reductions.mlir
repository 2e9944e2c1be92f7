// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators that run side by side take half of the registers at most: of 16,
// four of two registers each, two for the least and two for the largest element.
//
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-run %s --random-inputs=1 --compare=interp --print=0

// CHECK-LABEL: func.func @k0_reduction
// CHECK: scf.for {{.*}} step %c16 iter_args({{%[a-z0-9]+}} = {{[^,]*}}, {{%[a-z0-9]+}} = {{[^,]*}}, {{%[a-z0-9]+}} = {{[^,]*}}, {{%[a-z0-9]+}} = {{[^,]*}}) -> (vector<8xi64>, vector<8xi64>, vector<8xi64>, vector<8xi64>)
func.func @main(%x: tensor<4x1024xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %a = graph.reduce min, %x [1] : tensor<4x1024xi64> -> tensor<4xi64>
  %b = graph.reduce max, %x [1] : tensor<4x1024xi64> -> tensor<4xi64>
  return %a, %b : tensor<4xi64>, tensor<4xi64>
}
