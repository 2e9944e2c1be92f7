// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examples give the sizes of a model's dimensions: the batch, that of a micro-batch and of a validation, and others.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 8x2 1 0 0 1 1 1 2 1 3 1 0 2 1 2 2 2
// RUN: %python %S/Inputs/npy.py write %t/z.npy '<f4' 8x1 0 0 0 0 0 0 0 0
// RUN: %python %S/Inputs/npy.py write %t/y.npy '<f4' 8 3 5 8 11 14 10 13 16
//
// The gradient of step 1 by hand: predictions are 0, so it is -2/4 * x^T y = [-16.5, -12].
// RUN: zenith-train %s --data x=%t/x.npy --data z=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=2 --shuffle=none --log=%t/log
// RUN: FileCheck --check-prefix=LOG --input-file=%t/log %s
// LOG: {"step":1,"epoch":0,"loss":54.75,"learning_rate":0.1,"grad_norm":20.40{{[0-9]*}},"ms":
// LOG-NEXT: {"step":2,"epoch":0,"loss":
//
// RUN: zenith-train %s --data x=%t/x.npy --data z=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.01)' --batch-size=4 --micro-batches=2 --validation-split=0.25 --steps=2 --shuffle=none --log=%t/parts
// RUN: FileCheck --check-prefix=PARTS --input-file=%t/parts %s
// PARTS: "loss":54.75,
// PARTS: "validation_loss":
//
// RUN: not zenith-train %s --data x=%t/x.npy --data z=%t/z.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=2 2>&1 | FileCheck --check-prefix=APART %s
// APART: error: --data z: 'width' is 1, other inputs have 2

graph.param @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>

func.func @main(%x: tensor<?x?xf32> {graph.name = "x", graph.dims = ["batch", "width"]},
                %z: tensor<?x?xf32> {graph.name = "z", graph.dims = ["batch", "width"]})
    -> (tensor<?xf32> {graph.name = "y"}) {
  %w = graph.get_param @w : tensor<2xf32>
  %zero = graph.sub %z, %z : tensor<?x?xf32>
  %sum = graph.add %x, %zero : tensor<?x?xf32>
  %y = graph.dot_general %sum, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x?xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
