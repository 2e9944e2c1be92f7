// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A maximum of 0 and a sum has no -0: the bias, which rows share, takes the
// zero before the loop over them.
//
// RUN: zenith-compile %s --emit=llvm --target=cpu:sapphirerapids | FileCheck %s
//
// CHECK-LABEL: @k0_contraction(
// CHECK: %[[BIAS:.*]] = fadd <64 x float> %{{.*}}, zeroinitializer
// CHECK: br label
// CHECK: %[[SUM:.*]] = fadd <64 x float> %{{.*}}, %[[BIAS]]
// CHECK-NEXT: fcmp ogt <64 x float> zeroinitializer, %[[SUM]]

func.func @main(%x: tensor<48x40xf32>, %w: tensor<40x64xf32>, %b: tensor<64xf32>) -> tensor<48x64xf32> {
  %zero = graph.constant dense<0.0> : tensor<48x64xf32>
  %d = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<48x40xf32>, tensor<40x64xf32>) -> tensor<48x64xf32>
  %s = graph.broadcast %b [1] : tensor<64xf32> -> tensor<48x64xf32>
  %a = graph.add %d, %s : tensor<48x64xf32>
  %r = graph.max %a, %zero : tensor<48x64xf32>
  return %r : tensor<48x64xf32>
}
