// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a training step wait in a file: the same losses, nothing left in the folder, refused where nothing can wait there.
//
// RUN: rm -rf %t && mkdir %t && mkdir %t/folder
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 64x64 0.5 -0.25 0.125 0.75 -0.5
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(0.1)' --batch-size=64 --epochs=3 --log=%t/plain --report=memory | FileCheck --check-prefix=STAYS %s
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(0.1)' --batch-size=64 --epochs=3 --offload=%t/folder --report=memory | FileCheck --check-prefix=WAITS %s
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(0.1)' --batch-size=64 --epochs=3 --save-params=%t/plain.safetensors
// RUN: zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(0.1)' --batch-size=64 --epochs=3 --offload=%t/folder --save-params=%t/waits.safetensors
// RUN: cmp %t/plain.safetensors %t/waits.safetensors
// RUN: ls -A %t/folder | count 0
// RUN: not zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(0.1)' --batch-size=64 --epochs=3 --offload=%t/nowhere 2>&1 | FileCheck --check-prefix=FOLDER %s
// RUN: not zenith-train %s --data x=%t/x.npy --loss='output(loss)' --optimizer='sgd(0.1)' --batch-size=64 --epochs=3 --offload=%t/folder --target=interp 2>&1 | FileCheck --check-prefix=INTERP %s

// STAYS: "offload":{"bytes":0,"file_peak":0,"values":0}
// WAITS: "offload":{"bytes":16384,"file_peak":16384,"values":1}
// FOLDER: is no folder that can be written to
// INTERP: --offload has no effect
graph.param @w : tensor<64x64xf32> = dense<0.01> : tensor<64x64xf32>
func.func @main(%x: tensor<64x64xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %p = graph.get_param @w : tensor<64x64xf32>
  %a = graph.dot_general %x, %p <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w = graph.place %a host : tensor<64x64xf32>
  %b = graph.dot_general %a, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = graph.dot_general %b, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %k:2 = graph.barrier %w, %c : (tensor<64x64xf32>, tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>)
  %r = graph.place %k#0 device : tensor<64x64xf32>
  %e = graph.dot_general %k#1, %r <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %j = graph.logistic %e : tensor<64x64xf32>
  %s = graph.reduce sum, %j [0, 1] : tensor<64x64xf32> -> tensor<f32>
  return %s : tensor<f32>
}
