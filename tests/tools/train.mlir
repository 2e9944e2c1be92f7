// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line through eight points, trained: log, parameters, checkpoints, mistakes.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 8x2 1 0 0 1 1 1 2 1 3 1 0 2 1 2 2 2
// RUN: %python %S/Inputs/npy.py write %t/y.npy '<f4' 8 3 5 8 11 14 10 13 16
//
// The gradient of step 1 by hand: predictions are 0, so it is -2/4 * x^T y = [-16.5, -12].
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=2 --shuffle=none --log=%t/log --save-params=%t/w.safetensors
// RUN: FileCheck --check-prefix=LOG --input-file=%t/log %s
// LOG: {"step":1,"epoch":0,"loss":54.75,"learning_rate":0.1,"grad_norm":20.40{{[0-9]*}},"ms":
// LOG-NEXT: {"step":2,"epoch":0,"loss":
//
// Compiled code and the interpreter agree to the last digits that matter; any number of threads gives equal bits.
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adamw(0.1, mask="w*")' --batch-size=4 --steps=9 --ema=0.5 --save-params=%t/one.safetensors --threads=1
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adamw(0.1, mask="w*")' --batch-size=4 --steps=9 --ema=0.5 --save-params=%t/two.safetensors --threads=2
// RUN: cmp %t/one.safetensors %t/two.safetensors
// RUN: zenith-train %s --target=interp --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adamw(0.1, mask="w*")' --batch-size=4 --steps=9 --ema=0.5 --save-params=%t/interp.safetensors
//
// A training that is resumed is the one that never ended; a damaged checkpoint is passed over, and said so.
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adam(0.1)' --batch-size=4 --steps=12 --log=%t/whole.log --save-params=%t/whole.safetensors
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adam(0.1)' --batch-size=4 --steps=5 --log=%t/part.log --checkpoint-dir=%t/run --checkpoint-every=2 --keep=2 --resume
// RUN: ls %t/run | FileCheck --check-prefix=KEPT %s
// KEPT: step-00000004
// KEPT-NEXT: step-00000005
// RUN: %python -c "open('%t/run/step-00000005/state.safetensors', 'r+b').write(b'\1')"
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adam(0.1)' --batch-size=4 --steps=12 --log=%t/part.log --checkpoint-dir=%t/run --resume --save-params=%t/part.safetensors 2>&1 | FileCheck --check-prefix=DAMAGED %s
// DAMAGED: checkpoint step-00000005 is passed over: state.safetensors has another checksum
// RUN: cmp %t/whole.safetensors %t/part.safetensors
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adam(0.2)' --batch-size=4 --steps=12 --checkpoint-dir=%t/run --resume 2>&1 | FileCheck --check-prefix=OTHER %s
// OTHER: the checkpoint is of another optimizer: "adam(0.1)", not "adam(0.2)"
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adam(0.1)' --batch-size=4 --steps=12 --checkpoint-dir=%t/run 2>&1 | FileCheck --check-prefix=ANEW %s
// ANEW: the folder has checkpoints: --resume goes on from them
//
// A loss that is not finite ends the run with the step and the op, or the update is left out.
// RUN: %python %S/Inputs/exit_code.py 6 zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(1e30)' --batch-size=4 --steps=9 2>&1 | FileCheck --check-prefix=INFINITE %s
// INFINITE: of step {{[2-9]}} is not finite: first the result of graph.
// RUN: zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(1e30)' --batch-size=4 --steps=9 --on-nan=skip
//
// Mistakes.
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adamm(0.1)' --batch-size=4 --steps=1 2>&1 | FileCheck --check-prefix=NAME %s
// NAME: --optimizer: there is no optimizer 'adamm', did you mean 'adam'?
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adam(0.1, beta1=1)' --batch-size=4 --steps=1 2>&1 | FileCheck --check-prefix=ARGUMENT %s
// ARGUMENT: adam: has no argument 'beta1'
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='adam(0.1' --batch-size=4 --steps=1 2>&1 | FileCheck --check-prefix=OPEN %s
// OPEN: --optimizer: expected ',' or ')', got the end in column 9
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=16 --steps=1 2>&1 | FileCheck --check-prefix=ROWS %s
// ROWS: --batch-size=16 is more than the 8 examples
// RUN: not zenith-train %s --data x=%t/x.npy --labels y=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=1 --freeze=b 2>&1 | FileCheck --check-prefix=FREEZE %s
// FREEZE: --freeze: no parameter matches 'b' (there are w)
// RUN: not zenith-train %s --data x=%t/x.npy --labels z=%t/y.npy --loss=mse --optimizer='sgd(0.1)' --batch-size=4 --steps=1 2>&1 | FileCheck --check-prefix=OUTPUT %s
// OUTPUT: --labels: the model has no output 'z' (it has y)

graph.param @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<4x2xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  %w = graph.get_param @w : tensor<2xf32>
  %y = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
