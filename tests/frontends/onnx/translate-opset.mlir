// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without --opset the lowest from 17 on that can say the model is written; assertions are left out with a remark, once.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-translate %s -o %t/m.onnx --check 2>&1 | FileCheck %s --implicit-check-not=EXP001
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-translate %s -o %t/m.onnx --opset=17 | FileCheck --check-prefix=OLD %s
// RUN: zenith-translate %s -o %t/m.mlir --to-format=stablehlo
// RUN: FileCheck --check-prefix=HLO %s < %t/m.mlir
// CHECK: remark: export: EXP001: an assertion is left out, which the format cannot say: got {0}
// CHECK: m.onnx: note: written with opset 18
// OLD: bitwise operators need opset 18
// HLO: stablehlo.custom_call @shape_assertion

func.func @main(%x: tensor<4xi32>, %n: tensor<i64>) -> tensor<4xi32> {
  %p = graph.compare eq, %n, %n : tensor<i64> -> tensor<i1>
  graph.assert %p "got {0}" (%n) : tensor<i1>, tensor<i64>
  %r = graph.xor %x, %x : tensor<4xi32>
  return %r : tensor<4xi32>
}
