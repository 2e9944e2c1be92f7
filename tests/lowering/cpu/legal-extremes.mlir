// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maxima of vectors by vrange where there is one.
//
// RUN: zenith-compile %s --emit=llvm --target=cpu:sapphirerapids | FileCheck %s
// RUN: zenith-compile %s --emit=llvm --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=PLAIN
//
// CHECK: call <16 x float> @llvm.x86.avx512.mask.range.ps.512(
// CHECK: call <8 x float> @llvm.x86.avx512.mask.range.ps.256(
// CHECK: call <4 x float> @llvm.x86.avx512.mask.range.ps.128(
// CHECK-NOT: call {{.*}} @llvm.maximum
// PLAIN: call {{.*}} @llvm.maximum
// PLAIN-NOT: mask.range

func.func @main(%x: tensor<8x256xf32>) -> tensor<8xf32> {
  %m = graph.reduce max, %x [1] : tensor<8x256xf32> -> tensor<8xf32>
  return %m : tensor<8xf32>
}
