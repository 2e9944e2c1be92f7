// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler makes a function @prepare: an entry or a parameter of that name is refused by name. A private function,
// which is inlined, may have it.
//
// RUN: split-file %s %t
// RUN: %python %source/tests/tools/Inputs/exit_code.py 3 zenith-run %t/entry.mlir --random-inputs | FileCheck --check-prefix=ENTRY %s
// ENTRY: entry.mlir:1:1: error: @prepare: a program has no function or parameter of this name
// RUN: %python %source/tests/tools/Inputs/exit_code.py 3 zenith-compile %t/param.mlir | FileCheck --check-prefix=PARAM %s
// PARAM: param.mlir:1:1: error: @prepare: a program has no function or parameter of this name
// RUN: zenith-run %t/entry.mlir --random-inputs --target=interp
// RUN: zenith-run %t/inlined.mlir --random-inputs --compare=interp | FileCheck %s
// CHECK: compared with the interpreter
// RUN: zenith-compile %t/weights.mlir --emit=graphir -o %t/fused.mlir && FileCheck --check-prefix=MADE %s < %t/fused.mlir
// MADE: func.func private @prepare
// RUN: zenith-run %t/fused.mlir --random-inputs --compare=interp

//--- entry.mlir
func.func @prepare(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- param.mlir
graph.param @prepare : tensor<2xf32> = dense<2.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %p = graph.get_param @prepare : tensor<2xf32>
  %y = graph.add %x, %p : tensor<2xf32>
  return %y : tensor<2xf32>
}
//--- inlined.mlir
func.func private @prepare(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.exp %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = call @prepare(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
//--- weights.mlir
graph.param @w : tensor<4x4xf32> = dense<2.0> : tensor<4x4xf32>
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = graph.get_param @w : tensor<4x4xf32>
  %e = graph.exp %w : tensor<4x4xf32>
  %y = graph.add %x, %e : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
