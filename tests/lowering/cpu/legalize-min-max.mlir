// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maxima of vectors by vrange where there is one, beside a number by a
// comparison.
//
// RUN: zenith-compile %s --emit=llvm --target=cpu:sapphirerapids | FileCheck %s
// RUN: zenith-compile %s --emit=llvm --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=PLAIN
//
// CHECK: %[[SUM:.*]] = fadd <32 x float> %{{.*}}, zeroinitializer
// CHECK-NEXT: %[[LOW:.*]] = fcmp ogt <32 x float> zeroinitializer, %[[SUM]]
// CHECK-NEXT: select <32 x i1> %[[LOW]], <32 x float> zeroinitializer, <32 x float> %[[SUM]]
// CHECK: call <16 x float> @llvm.x86.avx512.mask.range.ps.512(
// CHECK: call <8 x float> @llvm.x86.avx512.mask.range.ps.256(
// CHECK: call <4 x float> @llvm.x86.avx512.mask.range.ps.128(
// CHECK-NOT: call {{.*}} @llvm.maximum
// PLAIN: fcmp ogt <16 x float> zeroinitializer, %
// PLAIN: call {{.*}} @llvm.maximum
// PLAIN-NOT: mask.range

func.func @main(%x: tensor<8x256xf32>) -> (tensor<8xf32>, tensor<8x256xf32>) {
  %zero = graph.constant dense<0.0> : tensor<8x256xf32>
  %relu = graph.max %x, %zero : tensor<8x256xf32>
  %m = graph.reduce max, %x [1] : tensor<8x256xf32> -> tensor<8xf32>
  return %m, %relu : tensor<8xf32>, tensor<8x256xf32>
}
