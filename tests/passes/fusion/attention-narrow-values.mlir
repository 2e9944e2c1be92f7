// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention widens keys and values itself, so that memory holds what they were rounded to: for one query and for many.
//
// RUN: zenith-opt %s --to=fuse | FileCheck %s
// RUN: zenith-run %s --entry=main --random-inputs=1 --threads=2 --compare=interp
// RUN: zenith-run %s --entry=many --random-inputs=1 --threads=2 --compare=interp
// RUN: zenith-run %s --entry=many --random-inputs=1 --target=cpu:x86-64-v3 --compare=interp

// CHECK-LABEL: func.func @main
// CHECK: graph.fusion attention ({{.*}}: tensor<1x2x37x64xbf16>, {{.*}}: tensor<1x2x37x40xbf16>) ->
func.func @main(%q: tensor<1x2x1x64xf32>, %x: tensor<1x2x37x64xf32>, %y: tensor<1x2x37x40xf32>) -> (tensor<1x2x1x40xf32>, tensor<1x2x37x40xf32>) {
  %tanh = graph.tanh %x : tensor<1x2x37x64xf32>
  %kn = graph.convert %tanh : tensor<1x2x37x64xf32> -> tensor<1x2x37x64xbf16>
  %k = graph.convert %kn : tensor<1x2x37x64xbf16> -> tensor<1x2x37x64xf32>
  %v0 = graph.tanh %y : tensor<1x2x37x40xf32>
  %vn = graph.convert %v0 : tensor<1x2x37x40xf32> -> tensor<1x2x37x40xbf16>
  %v = graph.convert %vn : tensor<1x2x37x40xbf16> -> tensor<1x2x37x40xf32>
  %0 = graph.attention %q, %k, %v {scale = 1.250000e-01 : f64} : (tensor<1x2x1x64xf32>, tensor<1x2x37x64xf32>, tensor<1x2x37x40xf32>) -> tensor<1x2x1x40xf32>
  return %0, %v0 : tensor<1x2x1x40xf32>, tensor<1x2x37x40xf32>
}

// CHECK-LABEL: func.func @many
// CHECK: graph.fusion attention ({{.*}}: tensor<1x2x37x64xbf16>, {{.*}}: tensor<1x2x37x40xbf16>) ->
func.func @many(%q: tensor<1x2x50x64xf32>, %x: tensor<1x2x37x64xf32>, %y: tensor<1x2x37x40xf32>) -> (tensor<1x2x50x40xf32>, tensor<1x2x37x40xf32>) {
  %tanh = graph.tanh %x : tensor<1x2x37x64xf32>
  %kn = graph.convert %tanh : tensor<1x2x37x64xf32> -> tensor<1x2x37x64xbf16>
  %k = graph.convert %kn : tensor<1x2x37x64xbf16> -> tensor<1x2x37x64xf32>
  %v0 = graph.tanh %y : tensor<1x2x37x40xf32>
  %vn = graph.convert %v0 : tensor<1x2x37x40xf32> -> tensor<1x2x37x40xbf16>
  %v = graph.convert %vn : tensor<1x2x37x40xbf16> -> tensor<1x2x37x40xf32>
  %0 = graph.attention %q, %k, %v {scale = 1.250000e-01 : f64} : (tensor<1x2x50x64xf32>, tensor<1x2x37x64xf32>, tensor<1x2x37x40xf32>) -> tensor<1x2x50x40xf32>
  return %0, %v0 : tensor<1x2x50x40xf32>, tensor<1x2x37x40xf32>
}
