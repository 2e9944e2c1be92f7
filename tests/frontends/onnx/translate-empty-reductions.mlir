// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over a dimension that is empty at run time give their neutral elements in ONNX too, and a size of 0 is no
// other dimension's.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-translate %s -o %t/m.onnx --check --dim n=0
// RUN: zenith-translate %s -o %t/m.onnx --check --dim n=3 2>&1 | FileCheck %s
// RUN: grep -a -q allowzero %t/m.onnx
// CHECK: m.onnx: note: written with opset 17

func.func @main(%x: tensor<2x?xi1> {graph.dims = ["2", "n"]}, %y: tensor<2x?xi32> {graph.dims = ["2", "n"]}) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi32>, tensor<2xi1>, tensor<?x?xi1>) {
  %a = graph.reduce any, %x [1] : tensor<2x?xi1> -> tensor<2xi1>
  %b = graph.reduce all, %x [1] : tensor<2x?xi1> -> tensor<2xi1>
  %c = graph.reduce max, %y [1] : tensor<2x?xi32> -> tensor<2xi32>
  %d = graph.reduce max, %x [1] : tensor<2x?xi1> -> tensor<2xi1>
  %n = graph.dim %x, 1 : tensor<2x?xi1>
  %two = graph.constant dense<2> : tensor<i64>
  %e = graph.reshape %x [%n, %two] : tensor<2x?xi1> -> tensor<?x?xi1>
  return %a, %b, %c, %d, %e : tensor<2xi1>, tensor<2xi1>, tensor<2xi32>, tensor<2xi1>, tensor<?x?xi1>
}
