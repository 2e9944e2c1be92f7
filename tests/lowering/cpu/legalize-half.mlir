// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons and roundings of f16 in vectors of floats, whatever LLVM's
// simplifications make of them.
//
// RUN: zenith-compile %s --emit=llvm --target=cpu:x86-64-v3 | FileCheck %s
//
// CHECK-NOT: fcmp {{.*}} x half>
// CHECK-NOT: call {{.*}} half> @llvm.floor
// CHECK-DAG: fcmp olt <16 x float>
// CHECK-DAG: fcmp ogt <16 x float>
// CHECK-DAG: call <16 x float> @llvm.floor.v16f32
// CHECK-NOT: fcmp {{.*}} x half>
// CHECK-NOT: call {{.*}} half> @llvm.floor

func.func @main(%x: tensor<64xf16>, %y: tensor<64xf16>) -> (tensor<64xi1>, tensor<64xi1>, tensor<64xf16>) {
  %zero = graph.constant dense<0.0> : tensor<64xf16>
  %a = graph.compare lt, %x, %y : tensor<64xf16> -> tensor<64xi1>
  %b = graph.compare gt, %x, %zero : tensor<64xf16> -> tensor<64xi1>
  %c = graph.floor %x : tensor<64xf16>
  return %a, %b, %c : tensor<64xi1>, tensor<64xi1>, tensor<64xf16>
}
