// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of doubles that runtimes lack are formulas of those that they have.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-translate %s -o %t/m.onnx --check --dim n=50
// RUN: zenith-translate %t/m.onnx -o - --to-format=graphir | FileCheck %s
// CHECK: graph.atan {{.*}} : tensor<?xf32>
// CHECK-NOT: graph.{{(acos|acosh|asin|asinh|atan|atan2|atanh|erf|gelu|sinh)}} {{.*}} : tensor<?xf64>

func.func @main(%x: tensor<?xf64> {graph.dims = ["n"]}) -> tensor<?xf64> {
  %t = graph.tanh %x : tensor<?xf64>
  %a = graph.acos %t : tensor<?xf64>
  %b = graph.asin %t : tensor<?xf64>
  %c = graph.atan %x : tensor<?xf64>
  %d = graph.atan2 %x, %t : tensor<?xf64>
  %e = graph.atanh %t : tensor<?xf64>
  %f = graph.asinh %x : tensor<?xf64>
  %g = graph.sinh %x : tensor<?xf64>
  %e1 = graph.exp %x : tensor<?xf64>
  %h = graph.acosh %e1 : tensor<?xf64>
  %i = graph.erf %x : tensor<?xf64>
  %j = graph.gelu erf, %x : tensor<?xf64>
  %k = graph.gelu tanh, %x : tensor<?xf64>
  %s1 = graph.add %a, %b : tensor<?xf64>
  %s2 = graph.add %c, %d : tensor<?xf64>
  %s3 = graph.add %e, %f : tensor<?xf64>
  %s4 = graph.add %s1, %s2 : tensor<?xf64>
  %s5 = graph.add %s3, %g : tensor<?xf64>
  %s6 = graph.add %s4, %s5 : tensor<?xf64>
  %s7 = graph.sub %s6, %h : tensor<?xf64>
  %s8 = graph.add %i, %j : tensor<?xf64>
  %s9 = graph.add %s7, %k : tensor<?xf64>
  %s10 = graph.add %s8, %s9 : tensor<?xf64>
  return %s10 : tensor<?xf64>
}
