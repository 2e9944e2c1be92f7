// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random bits as a float in [1, 2), as dropout has them, and approximate top-k, whose comparator orders all but NaN.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: zenith-translate %t/bits.mlir -o %t/m.onnx --check
// RUN: zenith-translate %t/best.mlir -o %t/m.onnx --check
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-translate %t/any.mlir -o %t/m.onnx | FileCheck --check-prefix=ANY %s
// ANY: error: graph.bitcast: the bits of these elements in another type

//--- bits.mlir
func.func @main(%x: tensor<6xi32>, %y: tensor<3xui64>) -> (tensor<6xf32>, tensor<3xf64>) {
  %seed = graph.constant dense<-1640531527> : tensor<6xi32>
  %mixed = graph.add %x, %seed : tensor<6xi32>
  %bits = graph.convert %mixed : tensor<6xi32> -> tensor<6xui32>
  %nine = graph.constant dense<9> : tensor<6xui32>
  %one = graph.constant dense<1065353216> : tensor<6xui32>
  %k = graph.shift_right_logical %bits, %nine : tensor<6xui32>
  %o = graph.or %k, %one : tensor<6xui32>
  %f = graph.bitcast %o : tensor<6xui32> -> tensor<6xf32>

  %twelve = graph.constant dense<12> : tensor<3xui64>
  %one64 = graph.constant dense<4607182418800017408> : tensor<3xui64>
  %k64 = graph.shift_right_logical %y, %twelve : tensor<3xui64>
  %o64 = graph.or %one64, %k64 : tensor<3xui64>
  %f64 = graph.bitcast %o64 : tensor<3xui64> -> tensor<3xf64>

  return %f, %f64 : tensor<6xf32>, tensor<3xf64>
}
//--- best.mlir
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %i = graph.iota 1 : tensor<4x6xi32>
  %s:2 = graph.sort_with %x, %i 1 {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %j: tensor<i32>, %k: tensor<i32>):
    %c = graph.compare gt, %a, %b : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } : (tensor<4x6xf32>, tensor<4x6xi32>) -> (tensor<4x6xf32>, tensor<4x6xi32>)
  %v = graph.slice %s#0 [0, 0] [4, 2] [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
  %n = graph.slice %s#1 [0, 0] [4, 2] [1, 1] : tensor<4x6xi32> -> tensor<4x2xi32>
  return %v, %n : tensor<4x2xf32>, tensor<4x2xi32>
}
//--- any.mlir
func.func @main(%x: tensor<6xi32>) -> tensor<6xf32> {
  %f = graph.bitcast %x : tensor<6xi32> -> tensor<6xf32>
  return %f : tensor<6xf32>
}
