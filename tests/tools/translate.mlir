// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GraphIR to ONNX, bytecode and back; each result is checked on random inputs.
//
// RUN: rm -rf %t && mkdir -p %t/sub
// RUN: zenith-translate %s -o %t/m.onnx --check
// RUN: zenith-translate %t/m.onnx -o %t/back.mlir --check --dim rows=3
// RUN: FileCheck %s < %t/back.mlir
// RUN: zenith-translate %t/m.onnx -o %t/sub/m.mlirbc --check
// RUN: zenith-translate %t/sub/m.mlirbc -o - --to-format=graphir | FileCheck %s
// RUN: zenith-translate %t/sub/m.mlirbc -o %t/again.onnx --external-data --opset=18 --check
// CHECK: func.func @main(%{{.*}}: tensor<?x4xf32>
// CHECK-SAME: graph.dims = ["rows", "4"]
// CHECK-SAME: graph.name = "x"
// CHECK: graph.dot_general
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %s | FileCheck --check-prefix=OUTPUT %s
// OUTPUT: --output is required
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %s -o %t/m.xyz | FileCheck --check-prefix=FORMAT %s
// FORMAT: m.xyz: error: the format is not clear from the name
// RUN: zenith-translate %s -o %t/hlo.mlir --to-format=stablehlo --check
// RUN: FileCheck --check-prefix=HLO %s < %t/hlo.mlir
// HLO: func.func @main(%{{.*}}: tensor<?x4xf32>
// HLO: stablehlo.dot_general
// RUN: zenith-translate %t/m.onnx -o %t/three.mlir --dim rows=3
// RUN: FileCheck --check-prefix=THREE %s < %t/three.mlir
// THREE: func.func @main(%{{.*}}: tensor<3x4xf32>
// RUN: printf 'no model' > %t/bad.onnx
// RUN: %python %S/Inputs/exit_code.py 2 zenith-translate %t/bad.onnx -o %t/m.mlir | FileCheck --check-prefix=BAD %s
// BAD: bad.onnx: error:

func.func @main(%x: tensor<?x4xf32> {graph.name = "x", graph.dims = ["rows", "4"]})
    -> (tensor<?x2xf32> {graph.name = "y", graph.dims = ["rows", "2"]}) {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
