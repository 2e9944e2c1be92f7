// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of types that runtimes have no kernels for are computed in other types, with the same results.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-translate %s -o %t/m.onnx --check
// RUN: zenith-translate %t/m.onnx -o - --to-format=graphir | FileCheck %s
// CHECK-DAG: graph.select {{.*}} : tensor<2x3xi1>, tensor<2x3xi32>
// CHECK-DAG: graph.select {{.*}} : tensor<2x3xi1>, tensor<2x3xi64>
// CHECK-DAG: graph.reduce max, {{.*}} : tensor<2x3xi64> -> tensor<2xi64>
// CHECK-DAG: graph.dot_general {{.*}} : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>
// CHECK-DAG: graph.add {{.*}} : tensor<2x3xf32>
// CHECK-NOT: graph.add {{.*}}bf16

func.func @main(%p: tensor<2x3xi1>, %a: tensor<2x3xui16>, %b: tensor<2x3xui64>, %c: tensor<2x3xi8>, %d: tensor<3x2xi8>,
                %e: tensor<2x3xbf16>, %f: tensor<3xbf16>, %g: tensor<2x3xi16>)
    -> (tensor<2x3xui16>, tensor<2x3xui64>, tensor<2xui64>, tensor<2x2xi8>, tensor<2x3xbf16>, tensor<2x3xi16>, tensor<2x2xui64>) {
  %s = graph.select %p, %a, %a : tensor<2x3xi1>, tensor<2x3xui16>
  %big = graph.constant dense<9223372036854775808> : tensor<2x3xui64>
  %or = graph.select %p, %b, %big : tensor<2x3xi1>, tensor<2x3xui64>
  %m = graph.reduce max, %or [1] : tensor<2x3xui64> -> tensor<2xui64>
  %dot = graph.dot_general %c, %d <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi8>
  %rows = graph.broadcast %f [1] : tensor<3xbf16> -> tensor<2x3xbf16>
  %sum = graph.add %e, %rows : tensor<2x3xbf16>
  %four = graph.constant dense<4> : tensor<2x3xi16>
  %shift = graph.shift_right_logical %g, %four : tensor<2x3xi16>
  %top, %at = graph.top_k %or 1 : (tensor<2x3xui64>) -> (tensor<2x2xui64>, tensor<2x2xi64>)
  return %s, %or, %m, %dot, %sum, %shift, %top
    : tensor<2x3xui16>, tensor<2x3xui64>, tensor<2xui64>, tensor<2x2xi8>, tensor<2x3xbf16>, tensor<2x3xi16>, tensor<2x2xui64>
}
