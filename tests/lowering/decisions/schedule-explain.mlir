// What was chosen, what came second, and what both are estimated to take.
//
// RUN: zenith-compile %s --target=cpu:x86-64-v3 --emit=graphir --to=schedule --explain=schedule -o %t.mlir 2>&1 | FileCheck %s

// CHECK-DAG: SCH001 {{.*}}#sched.elements<on = task, block = 4096, tile = [8, 8], piece = 256, item = 2, lanes = 8>, about {{[0-9.]+}} us; next was #sched.elements<on = task, block = 4096, item = 2, lanes = 8>, about {{[0-9.]+}} us: it reads a cache line for each element
// CHECK-DAG: SCH001 {{.*}}#sched.reduce<on = task, rows = 64, sums = [4], lanes = 16>, about {{[0-9.]+}} us; next was #sched.reduce<on = task, rows = 64, lanes = 8>, about {{[0-9.]+}} us: fewer vectors at a time hide less latency
// CHECK-DAG: SCH001 {{.*}}#sched.conv<on = task, form = winograd<4>, {{.*}}>, about {{[0-9.]+}} us; next was #sched.conv<on = task, form = direct>, about {{[0-9.]+}} us: it has more multiplications
// CHECK-DAG: SCH001 {{.*}}#sched.conv<on = task, form = depthwise<channels>, tile = [8, 8], lanes = 8, block = {{.*}}>, about {{[0-9.]+}} us; next was #sched.conv<on = task, form = depthwise<channels>, lanes = 4>, about {{[0-9.]+}} us: fewer channels at a time hide less latency
// CHECK-DAG: SCH001 {{.*}}#sched.sort<on = host, {{.*}}>, about {{[0-9.]+}} us; next was none
graph.param @k : tensor<3x3x16x32xf32> = dense<0.1> : tensor<3x3x16x32xf32>
graph.param @d : tensor<3x3x1x32xf32> = dense<0.1> : tensor<3x3x1x32xf32>
func.func @main(%x: tensor<64x128xf32>, %y: tensor<1x56x56x16xf32>, %z: tensor<100x64xf32>, %s: tensor<100xf32>) -> (tensor<128x64xf32>, tensor<1x56x56x32xf32>, tensor<100xf32>, tensor<100xf32>) {
  %k = graph.get_param @k : tensor<3x3x16x32xf32>
  %d = graph.get_param @d : tensor<3x3x1x32xf32>
  %0 = graph.transpose %x [1, 0] : tensor<64x128xf32> -> tensor<128x64xf32>
  %1 = graph.convolution %y, %k <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x56x56x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x56x56x32xf32>
  %2 = graph.convolution %1, %d <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 32 : (tensor<1x56x56x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x56x56x32xf32>
  %3 = graph.reduce sum, %z [1] : tensor<100x64xf32> -> tensor<100xf32>
  %4 = graph.sort %s 0 keys 1 : (tensor<100xf32>) -> (tensor<100xf32>)
  return %0, %2, %3, %4 : tensor<128x64xf32>, tensor<1x56x56x32xf32>, tensor<100xf32>, tensor<100xf32>
}
