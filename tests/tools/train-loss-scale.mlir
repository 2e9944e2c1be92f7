// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scaled loss: the gradient of step 1 is -2/4 * x^T y = [-16.5, -12], and its product reads the cotangent in f16, of at most 65504.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 8x2 1 0 0 1 1 1 2 1 3 1 0 2 1 2 2 2
// RUN: %python %S/Inputs/npy.py write %t/y.npy '<f4' 8 3 5 8 11 14 10 13 16
//
// 32768 * 11 / 2 is beyond f16, 8192 * 11 / 2 is not. Steps that are skipped change the scale alone; after two that are not, it grows.
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=5 --shuffle=none --mixed-precision=fp16 --loss-scale=dynamic:interval=2 --log=%t/log --save-params=%t/whole.safetensors
// RUN: FileCheck --check-prefix=LOG --input-file=%t/log %s
// LOG: {"step":1,"epoch":0,"loss":54.75,"learning_rate":0.1,"grad_norm":{{NaN|Infinity}},"loss_scale":32768,"skipped":1,"ms":
// LOG-NEXT: "loss":{{.*}},"loss_scale":16384,"skipped":2,
// LOG-NEXT: "loss":54.75,"learning_rate":0.1,"grad_norm":20.4{{[0-9]*}},"loss_scale":8192,"skipped":2,
// LOG-NEXT: "loss_scale":8192,"skipped":2,
// LOG-NEXT: "loss_scale":16384,"skipped":2,
//
// The scale is state: with a checkpoint between, the steps are the same.
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=3 --shuffle=none --mixed-precision=fp16 --loss-scale=dynamic:interval=2 --log=%t/part.log --checkpoint-dir=%t/run
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=5 --shuffle=none --mixed-precision=fp16 --loss-scale=dynamic:interval=2 --log=%t/part.log --checkpoint-dir=%t/run --resume --save-params=%t/part.safetensors
// RUN: cmp %t/whole.safetensors %t/part.safetensors
// RUN: FileCheck --check-prefix=LOG --input-file=%t/part.log %s
//
// A training without a scale goes on with one.
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=3 --checkpoint-dir=%t/plain
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=4 --checkpoint-dir=%t/plain --resume --loss-scale=static:4 --log=%t/plain.log
// RUN: FileCheck --check-prefix=STATIC --input-file=%t/plain.log %s
// STATIC: {"step":4,{{.*}}"loss_scale":4,"skipped":0,
//
// The interpreter skips the same steps; a scale that is measured skips none: 65504 / 16.5 is 3970.
// RUN: zenith-train %s --target=interp --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=5 --shuffle=none --mixed-precision=fp16 --loss-scale=dynamic:interval=2 --log=%t/interp.log
// RUN: FileCheck --check-prefix=LOG --input-file=%t/interp.log %s
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=1 --shuffle=none --mixed-precision=fp16 --loss-scale=auto --log=%t/auto.log
// RUN: FileCheck --check-prefix=AUTO --input-file=%t/auto.log %s
// AUTO: "loss_scale":2048,"skipped":0,
//
// Ten steps in a row that are skipped: the first op that overflows.
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=10 --mixed-precision=fp16 --loss-scale=static:1e30 2>&1 | FileCheck --check-prefix=SKIPPED %s
// SKIPPED: warning: 10 steps in a row were skipped up to step 10, whose gradients are not finite: first the result of graph.convert
//
// The exported step scales and skips by itself.
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --mixed-precision=fp16 --export-step=%t/step.onnx --opset=17
// RUN: %python %S/Inputs/npy.py write %t/w.npy '<f4' 2 0 0
// RUN: %python %S/Inputs/npy.py write %t/scale.npy '<f4' '' 32768
// RUN: %python %S/Inputs/npy.py write %t/zero.npy '<i4' '' 0
// RUN: %python %S/Inputs/npy.py write %t/bx.npy '<f4' 4x2 1 0 0 1 1 1 2 1
// RUN: %python %S/Inputs/npy.py write %t/by.npy '<f4' 4 3 5 8 11
// RUN: zenith-run %t/step.onnx --in w=%t/w.npy --in scale/loss_scale=%t/scale.npy --in scale/good_steps=%t/zero.npy --in scale/skipped=%t/zero.npy --in x=%t/bx.npy --in label/y=%t/by.npy --print | FileCheck --check-prefix=EXPORT %s
// EXPORT: 54.75
// EXPORT: w_next
// EXPORT-NEXT: {{^ *}}0 0
// EXPORT: scale/loss_scale_next
// EXPORT-NEXT: {{^ *}}16384
// EXPORT: scale/skipped_next
// EXPORT-NEXT: {{^ *}}1
//
// Masters keep their digits: the state is f32, what the model reads is bf16.
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --mixed-precision=bf16,keep=w --emit=graphir 2>&1 | FileCheck --check-prefix=KEY %s
// KEY: --mixed-precision: 'keep' is no key
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adam(0.1)' --batch-size=4 --mixed-precision=bf16 --emit=graphir | FileCheck --check-prefix=STEP %s
// STEP: func.func @step(%{{.*}}: tensor<2xf32> {graph.donated, graph.master, graph.name = "w"}
// STEP: call @objective_grad
// STEP: {graph.highest_precision}
//
// -jmp rounds data, parameters where the model reads them, and predictions; labels and what goes on from step to step keep all digits. Of the data
// 1.001 becomes 1 and of the labels 3.01 stays: the first loss is 3.01^2. Its cotangent is rounded to 3.015625, so w becomes 0.003015625, which the
// model reads in bf16.
// RUN: %python %S/Inputs/npy.py write %t/jx.npy '<f4' 2x2 1.001 0 0 1.001
// RUN: %python %S/Inputs/npy.py write %t/jy.npy '<f4' 2 3.01 3.01
// RUN: sed 's/4x2xf32/2x2xf32/g; s/tensor<4xf32>/tensor<2xf32>/g' %s > %t/two.mlir
// RUN: zenith-train %t/two.mlir --data x=%t/jx.npy --labels y=%t/jy.npy --loss=mse --optimizer='sgd(1e-3)' --batch-size=2 --steps=2 --mixed-precision=bf16-jmp --log=%t/jmp.log --save-params=%t/jmp.safetensors
// RUN: FileCheck --check-prefix=JMP --input-file=%t/jmp.log %s
// RUN: zenith-train %t/two.mlir --target=interp --data x=%t/jx.npy --labels y=%t/jy.npy --loss=mse --optimizer='sgd(1e-3)' --batch-size=2 --steps=2 --mixed-precision=bf16-jmp --log=%t/jmp.log
// RUN: FileCheck --check-prefix=JMP --input-file=%t/jmp.log %s
// JMP: "loss":9.060{{[01]}}
// JMP-SAME: "grad_norm":4.26473
// JMP-NEXT: "loss":9.0419
// RUN: zenith-train %t/two.mlir --data x=%t/jx.npy --labels y=%t/jy.npy --loss=mse --optimizer='sgd(1e-3)' --batch-size=2 --mixed-precision=bf16-jmp --emit=graphir | FileCheck --check-prefix=MARKS %s
// MARKS: func.func @step(%{{.*}}: tensor<2xf32> {graph.donated, graph.master, graph.name = "w"}, %{{.*}}: tensor<2x2xf32> {graph.name = "x"}, %{{.*}}: tensor<2xf32> {graph.highest_precision, graph.name = "label/y"})
// MARKS-SAME: {graph.highest_precision, graph.name = "w_next"}
//
// Mistakes.
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=1 --loss-scale=dynamik 2>&1 | FileCheck --check-prefix=WORD %s
// WORD: --loss-scale: there is no 'dynamik', there are dynamic, static:S, auto and off, did you mean 'dynamic'?

graph.param @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<4x2xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  %w = graph.get_param @w : tensor<2xf32>
  %y = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
