// The phase writes how operands lie in memory; an edited dump cannot say otherwise.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v4 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:x86-64-v4 | FileCheck %s
// RUN: sed 's/graph.panels<64>/graph.panels<32>/' %t.mlir | not zenith-opt --from=schedule --to=schedule --target=cpu:x86-64-v4 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK-LABEL: func.func @main
// CHECK: graph.fusion contraction {{.*}}graph.encodings = [unit, #graph.panels<64>]
// CHECK: graph.fusion contraction {{.*}}graph.encodings = [unit, #graph.winograd<4>]
// OTHER: error: 'graph.fusion' op schedule: graph.encodings: got [unit, #graph.panels<32>], expected [unit, #graph.panels<64>] (sched_c7)
graph.param @w : tensor<64x128xf32> = dense<0.1> : tensor<64x128xf32>
graph.param @k : tensor<3x3x16x32xf32> = dense<0.1> : tensor<3x3x16x32xf32>
func.func @main(%x: tensor<50x64xf32>, %y: tensor<1x56x56x16xf32>) -> (tensor<50x128xf32>, tensor<1x56x56x32xf32>) {
  %w = graph.get_param @w : tensor<64x128xf32>
  %k = graph.get_param @k : tensor<3x3x16x32xf32>
  %a = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<50x64xf32>, tensor<64x128xf32>) -> tensor<50x128xf32>
  %b = graph.convolution %y, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x56x56x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x56x56x32xf32>
  return %a, %b : tensor<50x128xf32>, tensor<1x56x56x32xf32>
}
