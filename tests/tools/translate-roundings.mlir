// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR out rounds where StableHLO in rounds; ONNX out reads bf16 results before they are rounded.
//
// RUN: zenith-translate %s --from-format=stablehlo --to-format=stablehlo -o - | FileCheck %s
// RUN: zenith-translate %s --from-format=stablehlo --to-format=graphir -o - | FileCheck %s --check-prefix=GRAPH
// RUN: zenith-translate %s --from-format=stablehlo --to-format=onnx -o %t.onnx
// RUN: zenith-translate %t.onnx --to-format=graphir -o - | FileCheck %s --check-prefix=ONNX

// CHECK: [[SUM:%.*]] = stablehlo.add {{.*}} tensor<3xbf16>
// CHECK: stablehlo.convert [[SUM]] : (tensor<3xbf16>) -> tensor<3xf32>
// GRAPH: graph.add {{.*}} : tensor<3xbf16>
// ONNX: graph.add {{.*}} : tensor<3xf32>
func.func @main(%x: tensor<3xbf16>, %y: tensor<3xbf16>) -> tensor<3xf32> {
  %sum = stablehlo.add %x, %y : tensor<3xbf16>
  %wide = stablehlo.convert %sum : (tensor<3xbf16>) -> tensor<3xf32>
  return %wide : tensor<3xf32>
}
