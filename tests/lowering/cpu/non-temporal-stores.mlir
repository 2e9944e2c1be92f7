// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that the program never reads go past the caches where they and what
// they are computed from are large and the processor gains by it. The barrier parts two kernels; clean would leave it out.
//
// RUN: zenith-compile %s --from=outline --emit=llvm --target=cpu:sapphirerapids | FileCheck %s
// RUN: zenith-compile %s --from=outline --emit=llvm --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=NONE
// RUN: zenith-compile %s --from=outline --emit=llvm --target=cpu:znver4 | FileCheck %s --check-prefix=NONE
//
// NONE-NOT: !nontemporal

// The first result is read by the second's kernel, and the third is small.
// CHECK-LABEL: define internal void @k0_
// CHECK-NOT: !nontemporal
// CHECK-LABEL: define internal void @k1_
// CHECK: and i64 %{{.*}}, 63
// CHECK: store <{{[0-9]+}} x i32> %{{.*}}, align 64, !nontemporal
// CHECK: store <{{[0-9]+}} x float> %{{.*}}, align 4{{$}}
// CHECK: call void @llvm.x86.sse.sfence()
// CHECK-LABEL: define internal void @k2_
// CHECK-NOT: !nontemporal
func.func @main(%x: tensor<1024x1024xf32>, %y: tensor<1024xf32>)
    -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>) {
  %a = graph.exp %x : tensor<1024x1024xf32>
  %barrier = graph.barrier %a : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %b = graph.mul %barrier, %barrier : tensor<1024x1024xf32>
  %c = graph.exp %y : tensor<1024xf32>
  return %a, %b, %c : tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>
}
