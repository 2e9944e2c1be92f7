// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch normalisation trains by the statistics of the batch in models of any opset from 7 on, with the same bits, and leaves
// as it came, with its running values moved.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 8x2 1 0 0 1 1 1 2 1 3 1 0 2 1 2 2 2
// RUN: %python %S/Inputs/npy.py write %t/y.npy '<f4' 8x2 3 5 8 11 14 10 13 16
// RUN: zenith-translate %s --opset=13 -o %t/13.onnx
// RUN: zenith-translate %s --opset=17 -o %t/17.onnx
// RUN: zenith-train %t/13.onnx --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=3 -o %t/trained.onnx --save-params=%t/13.safetensors
// RUN: zenith-train %t/17.onnx --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=3 --save-params=%t/17.safetensors
// RUN: cmp %t/13.safetensors %t/17.safetensors
// RUN: zenith-translate %t/trained.onnx -o %t/trained.mlir
// RUN: FileCheck %s < %t/trained.mlir
// CHECK-DAG: @mean : tensor<2xf32> = dense<[{{.*[1-9].*}}]>
// CHECK: graph.batch_norm

graph.param @scale : tensor<2xf32> = dense<1.0> : tensor<2xf32>
graph.param @bias : tensor<2xf32> = dense<0.0> : tensor<2xf32>
graph.param @mean : tensor<2xf32> = dense<0.0> : tensor<2xf32>
graph.param @variance : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func @main(%x: tensor<4x2xf32> {graph.name = "x"}) -> (tensor<4x2xf32> {graph.name = "y"}) {
  %scale = graph.get_param @scale : tensor<2xf32>
  %bias = graph.get_param @bias : tensor<2xf32>
  %mean = graph.get_param @mean : tensor<2xf32>
  %variance = graph.get_param @variance : tensor<2xf32>
  %y = graph.batch_norm %x, %scale, %bias, %mean, %variance {dim = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
