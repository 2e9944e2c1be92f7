// Three small networks: an MLP with packed weights, a CNN with Winograd, depthwise and pooling, a block of a transformer.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v4 | FileCheck %s

// CHECK-LABEL: func.func @mlp
// CHECK: schedule = #sched.choice<["n <= 28" : #sched.gemm<on = task, tile = [14, 32], lanes = 16, operands = [rows, panels<32>], {{.*}}>, else : #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, panels<32>], {{.*}}>]>
// CHECK: schedule = #sched.gemm<on = task, tile = [12, 64], lanes = 16, operands = [rows, rows], block = [
// CHECK: schedule = #sched.reduce<on = task, rows = {{[0-9]+}}, sums = [1, 1], lanes = 16>
graph.param @w1 : tensor<64x128xf32> = dense<0.1> : tensor<64x128xf32>
graph.param @w2 : tensor<128x10xf32> = dense<0.2> : tensor<128x10xf32>
func.func @mlp(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]}) -> (tensor<?x10xf32> {graph.dims = ["n", "10"]}) {
  %w1 = graph.get_param @w1 : tensor<64x128xf32>
  %w2 = graph.get_param @w2 : tensor<128x10xf32>
  %a = graph.dot_general %x, %w1 <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x128xf32>) -> tensor<?x128xf32>
  %b = graph.tanh %a : tensor<?x128xf32>
  %c = graph.dot_general %b, %w2 <batching = [] x [], contracting = [1] x [0]> : (tensor<?x128xf32>, tensor<128x10xf32>) -> tensor<?x10xf32>
  %d = graph.softmax %c [1] : tensor<?x10xf32>
  return %d : tensor<?x10xf32>
}

// CHECK-LABEL: func.func @cnn
// CHECK: schedule = #sched.conv<on = task, form = winograd<4>, fewest_tasks = 16, input_tiles = 28, tile = [6, 64], lanes = 16, operands = [rows, panels<64>], block = [56, 1], scratch = ["
// CHECK: schedule = #sched.conv<on = task, form = depthwise<channels>, tile = [8, 16], lanes = 16, block = [
// CHECK: schedule = #sched.window<on = task, form = channels, tile = [8, 16], block = [{{.*}}], lanes = 16>
graph.param @k1 : tensor<3x3x16x32xf32> = dense<0.1> : tensor<3x3x16x32xf32>
graph.param @k2 : tensor<3x3x1x32xf32> = dense<0.1> : tensor<3x3x1x32xf32>
func.func @cnn(%x: tensor<1x56x56x16xf32>) -> tensor<1x28x28x32xf32> {
  %k1 = graph.get_param @k1 : tensor<3x3x16x32xf32>
  %k2 = graph.get_param @k2 : tensor<3x3x1x32xf32>
  %a = graph.convolution %x, %k1 <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 1 : (tensor<1x56x56x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x56x56x32xf32>
  %b = graph.convolution %a, %k2 <input = (0, 3, [1, 2]), kernel = (2, 3, [0, 1]), output = (0, 3, [1, 2])> strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] kernel_dilation [1, 1] groups 32 : (tensor<1x56x56x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x56x56x32xf32>
  %c = graph.reduce_window max, %b window [1, 2, 2, 1] strides [1, 2, 2, 1] low [0, 0, 0, 0] high [0, 0, 0, 0] base_dilation [1, 1, 1, 1] dilation [1, 1, 1, 1] : tensor<1x56x56x32xf32> -> tensor<1x28x28x32xf32>
  return %c : tensor<1x28x28x32xf32>
}

// CHECK-LABEL: func.func @block
// CHECK: schedule = #sched.attention<on = task, rows = {{[0-9]+}}, keys = 64, tile = [{{[0-9]+}}, 16], lanes = 16, operands = [copied<16>, rows], scratch = ["
// CHECK: schedule = #sched.gemm<on = task, tile = [6, 64], lanes = 16, operands = [rows, panels<64>], block = [
// CHECK: schedule = #sched.reduce<on = task, rows = {{[0-9]+}}, sums = [2, 2], lanes = 32>
graph.param @wo : tensor<64x64xf32> = dense<0.1> : tensor<64x64xf32>
func.func @block(%q: tensor<4x50x16xf32>, %k: tensor<4x50x16xf32>, %v: tensor<4x50x16xf32>) -> tensor<50x64xf32> {
  %wo = graph.get_param @wo : tensor<64x64xf32>
  %a = graph.attention %q, %k, %v {scale = 0.25 : f64} : (tensor<4x50x16xf32>, tensor<4x50x16xf32>, tensor<4x50x16xf32>) -> tensor<4x50x16xf32>
  %t = graph.transpose %a [1, 0, 2] : tensor<4x50x16xf32> -> tensor<50x4x16xf32>
  %r = graph.reshape %t : tensor<50x4x16xf32> -> tensor<50x64xf32>
  %o = graph.dot_general %r, %wo <batching = [] x [], contracting = [1] x [0]> : (tensor<50x64xf32>, tensor<64x64xf32>) -> tensor<50x64xf32>
  %s = graph.softmax %o [1] : tensor<50x64xf32>
  return %s : tensor<50x64xf32>
}
