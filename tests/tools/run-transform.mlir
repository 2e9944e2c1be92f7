// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of --transform: several in order, and what each refuses.
//
// RUN: zenith-run %s --random-inputs --target=interp --transform='vjp{wrt=0}' | FileCheck %s --check-prefix=VJP
// RUN: zenith-run %s --random-inputs --target=interp --transform='jvp{wrt=x,w of=0}' | FileCheck %s --check-prefix=JVP
// RUN: zenith-run %s --random-inputs --target=interp --transform='grad{wrt=w of=1}' --transform='jvp{wrt=w of=2}' | FileCheck %s --check-prefix=HVP
// RUN: zenith-run %s --random-inputs --compare=interp --transform='vjp' | FileCheck %s --check-prefix=COMPARED
// RUN: not zenith-run %s --random-inputs --transform='vjpp{wrt=0}' 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not zenith-run %s --random-inputs --transform='vjp{wert=0}' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not zenith-run %s --random-inputs --transform='vjp{wrt=7}' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not zenith-run %s --random-inputs --transform='vjp{wrt=i}' 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not zenith-run %s --random-inputs --transform='vjp{wrt=x,0}' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not zenith-run %s --random-inputs --transform='grad{wrt=0}' 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not zenith-run %s --random-inputs --transform='vjp{tape=all}' 2>&1 | FileCheck %s --check-prefix=TAPE
// RUN: not zenith-run %s --random-inputs --transform='vjp{wrt=@p}' 2>&1 | FileCheck %s --check-prefix=PARAM
// RUN: zenith-run %s --random-inputs --entry=scaled --compare=interp --transform='vjp{wrt=@*,x entry=scaled}' | FileCheck %s --check-prefix=PARAMS
// RUN: zenith-translate %s -o - --to-format=graphir --transform='vjp{wrt=x name=back}' | FileCheck %s --check-prefix=TEXT

// VJP: y : tensor<4xf32>
// VJP-NEXT: sum : tensor<f32>
// VJP-NEXT: grad_x : tensor<4xf32>
// JVP: y : tensor<4xf32>
// JVP-NEXT: sum : tensor<f32>
// JVP-NEXT: tan_y : tensor<4xf32>
// HVP: grad_w : tensor<4xf32>
// HVP-NEXT: tan_grad_w : tensor<4xf32>
// COMPARED: compared with the interpreter
// RULE: 'vjpp' is no rule; did you mean 'vjp'?
// OPTION: 'wert' is no option of vjp; did you mean 'wrt'?
// RANGE: wrt: got '7', but there are 3 arguments
// INTEGER: wrt: argument 2 is tensor<i32>, expected a tensor of floats
// TWICE: wrt: names argument 0 twice
// SCALAR: grad: got result 0 of type tensor<4xf32>, expected one that is a scalar of floats
// TAPE: 'all' is no value of tape; did you mean
// PARAM: wrt: the program has no parameter @p
// PARAMS: tensor<4xf32>
// PARAMS-NEXT: tensor<4xf32>
// PARAMS-NEXT: grad_x : tensor<4xf32>
// PARAMS: compared with the interpreter
// TEXT: func.func @back(%{{.*}}: tensor<4xf32> {graph.name = "x"}, {{.*}} {graph.name = "ct_y"}, {{.*}} {graph.name = "ct_sum"})
func.func @main(%x: tensor<4xf32> {graph.name = "x"}, %w: tensor<4xf32> {graph.name = "w"}, %i: tensor<i32> {graph.name = "i"})
    -> (tensor<4xf32> {graph.name = "y"}, tensor<f32> {graph.name = "sum"}) {
  %m = graph.mul %x, %w : tensor<4xf32>
  %r = graph.tanh %m : tensor<4xf32>
  %s = graph.reduce sum, %r [0] : tensor<4xf32> -> tensor<f32>
  return %r, %s : tensor<4xf32>, tensor<f32>
}
graph.param @s : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
func.func private @scaled(%x: tensor<4xf32> {graph.name = "x"}) -> tensor<4xf32> {
  %s = graph.get_param @s : tensor<4xf32>
  %r = graph.mul %x, %s : tensor<4xf32>
  return %r : tensor<4xf32>
}
