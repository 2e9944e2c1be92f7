// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vmap in --transform: before and after differentiation, nested, of a function
// with a rule of its own, and what it refuses.
//
// RUN: zenith-run %s --random-inputs --dim rows=3 --transform='vmap{in=0,_}' --transform=vjp --compare=interp | FileCheck %s --check-prefix=FIRST
// RUN: zenith-run %s --random-inputs --dim rows=3 --transform=vjp --transform='vmap{in=0,_,0}' --compare=interp | FileCheck %s --check-prefix=LAST
// RUN: zenith-run %s --random-inputs --dim rows=3 --dim rows1=2 --transform='vmap{in=0,_}' --transform='vmap{in=_,0 out=1}' --compare=interp | FileCheck %s --check-prefix=NESTED
// RUN: not zenith-run %s --random-inputs --transform='vmap{in=0}' 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not zenith-run %s --random-inputs --transform='vmap{in=0,3}' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not zenith-run %s --random-inputs --transform='vmap{in=0,x}' 2>&1 | FileCheck %s --check-prefix=WORD

// FIRST: y : tensor<3x4xf32>
// FIRST-NEXT: grad_x : tensor<3x4xf32>
// FIRST-NEXT: grad_w : tensor<4xf32>
// FIRST: compared with the interpreter
// LAST: y : tensor<3x4xf32>
// LAST-NEXT: grad_x : tensor<3x4xf32>
// LAST-NEXT: grad_w : tensor<3x4xf32>
// LAST: compared with the interpreter
// NESTED: y : tensor<3x2x4xf32>
// NESTED: compared with the interpreter
// LENGTH: vmap of @main: in has 1 entries for 2 arguments
// RANGE: vmap of @main: in of argument 1 is 3, but a tensor of rank 1 has places for one more dimension from 0 to 1
// WORD: vmap of @main: in: got 'x', expected the number of a dimension or _
func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> attributes {graph.custom_vjp = {forward = @double_forward, backward = @double_backward}} {
  %r = graph.add %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @double_forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.add %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @double_backward(%g: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.tanh %g : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {graph.name = "x"}, %w: tensor<4xf32> {graph.name = "w"}) -> (tensor<4xf32> {graph.name = "y"}) {
  %d = func.call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = graph.mul %d, %w : tensor<4xf32>
  return %r : tensor<4xf32>
}
