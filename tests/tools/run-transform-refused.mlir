// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exit codes of transformations: 1 for what the user asks, 2 for sizes that disagree, 3 for ops without a rule.
//
// RUN: rm -rf %t && mkdir %t && split-file %s %t
//
// Rules and options that there are not.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='gard{wrt=0}' | FileCheck %s --check-prefix=RULE
// RULE: error: 'gard' is no rule; did you mean 'grad'?
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vjp{wtr=0}' | FileCheck %s --check-prefix=OPTION
// OPTION: error: 'wtr' is no option of vjp; did you mean 'wrt'?
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='jvp{tape=sqrt}' | FileCheck %s --check-prefix=TAPE
// TAPE: error: 'tape' is no option of jvp
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vjp{wrt=0' | FileCheck %s --check-prefix=BRACE
// BRACE: error: 'vjp{wrt=0' is no rule: expected RULE{OPTION=VALUE ...}
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vjp{entry=g}' | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: the program has no function 'g' to derive from
//
// Out of range.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vjp{wrt=3}' | FileCheck %s --check-prefix=WRT
// WRT: error: wrt: got '3', but there are 3 arguments
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='jvp{of=2}' | FileCheck %s --check-prefix=OF
// OF: error: of: got '2', but there are 2 results
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vmap{in=2,_,_}' | FileCheck %s --check-prefix=IN
// IN: error: vmap of @main: in of argument 0 is 2, but a tensor of rank 1 has places for one more dimension from 0 to 1
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vmap{in=0,_,_ out=2}' | FileCheck %s --check-prefix=OUT
// OUT: error: vmap of @main: out
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vjp{wrt=@w}' | FileCheck %s --check-prefix=PARAM
// PARAM: error: wrt: the program has no parameter @w
//
// Integers and booleans, by index and type.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vjp{wrt=1}' | FileCheck %s --check-prefix=INTEGER
// INTEGER: error: wrt: argument 1 is tensor<i32>, expected a tensor of floats
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='jvp{wrt=p}' | FileCheck %s --check-prefix=BOOLEAN
// BOOLEAN: error: wrt: argument 2 is tensor<4xi1>, expected a tensor of floats
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vjp{of=1}' | FileCheck %s --check-prefix=INDICES
// INDICES: error: of: result 1 is tensor<4xi32>, expected a tensor of floats
//
// grad of something else than a scalar; `in` of another length.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='grad{wrt=0}' | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: grad: got result 0 of type tensor<4xf32>, expected one that is a scalar of floats
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/f.mlir --random-inputs --transform='vmap{in=0,0}' | FileCheck %s --check-prefix=LENGTH
// LENGTH: error: vmap of @main: in has 2 entries for 3 arguments
//
// Mapped dimensions that disagree: known at compile time, or at run time, by name.
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/sizes.mlir --random-inputs | FileCheck %s --check-prefix=STATIC
// STATIC: error: vmap of @f: mapped dimensions differ: 3 in argument 0, 2 in argument 1
// RUN: %python %S/Inputs/npy.py write %t/x.npy '<f4' 3x1 1 2 3
// RUN: %python %S/Inputs/npy.py write %t/y.npy '<f4' 2x1 1 2
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/rows.mlir --transform='vmap{in=0,0}' --in x=%t/x.npy --in y=%t/y.npy | FileCheck %s --check-prefix=ROWS
// ROWS: error: dimension 0 (rows) of input 'y' is 2, elsewhere it is 3
//
// Ops without a rule, by name and place.
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/refused.mlir --random-inputs --transform=vjp | FileCheck %s --check-prefix=NORULE
// NORULE: refused.mlir:2:8: error: 'graph.reduce_with' op has no derivative
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/refused.mlir --random-inputs --transform=jvp | FileCheck %s --check-prefix=NORULE
// RUN: %python %S/Inputs/exit_code.py 3 zenith-compile %t/refused.mlir -o %t/refused.o --transform=vjp | FileCheck %s --check-prefix=NORULE
// RUN: %python %S/Inputs/exit_code.py 3 zenith-translate %t/refused.mlir -o - --to-format=graphir --transform=vjp | FileCheck %s --check-prefix=NORULE
//
// Derivations that need each other, and rules of functions with another signature.
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/cycle.mlir --random-inputs | FileCheck %s --check-prefix=CYCLE
// CYCLE: error: derivations need each other: @a -> @b -> @a
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/signature.mlir --random-inputs | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: error: graph.derive of @f_vjp: got (tensor<4xf32>) -> tensor<4xf32>, expected the derived function's type
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/custom.mlir --random-inputs --transform=vjp | FileCheck %s --check-prefix=CUSTOM
// CUSTOM: graph.custom_vjp: got backward of (tensor<3xf32>) -> (tensor<4xf32>), expected (tensor<4xf32>) -> (tensor<4xf32>) (custom_c8)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/linear.mlir --random-inputs --transform=vjp | FileCheck %s --check-prefix=LINEAR
// LINEAR: error: graph.custom_jvp of @squared: {{.*}}not linear
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/forward.mlir --random-inputs --transform=jvp | FileCheck %s --check-prefix=FORWARD
// FORWARD: error: 'func.call' op @clipped has a graph.custom_vjp, which gives no tangents in forward mode

//--- f.mlir
func.func @main(%x: tensor<4xf32> {graph.name = "x"}, %i: tensor<i32> {graph.name = "i"}, %p: tensor<4xi1> {graph.name = "p"})
    -> (tensor<4xf32>, tensor<4xi32>) {
  %r = graph.tanh %x : tensor<4xf32>
  %s = graph.select %p, %r, %x : tensor<4xi1>, tensor<4xf32>
  %b = graph.broadcast %i [] : tensor<i32> -> tensor<4xi32>
  return %s, %b : tensor<4xf32>, tensor<4xi32>
}

//--- sizes.mlir
func.func private @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.mul %x, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @f_rows(tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32> attributes {graph.derive = {rule = "vmap", of = @f, options = "in=0,0"}}
func.func @main(%x: tensor<3x4xf32>, %y: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %r = call @f_rows(%x, %y) : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

//--- rows.mlir
func.func @main(%x: tensor<1xf32> {graph.name = "x"}, %y: tensor<1xf32> {graph.name = "y"}) -> tensor<1xf32> {
  %r = graph.mul %x, %y : tensor<1xf32>
  return %r : tensor<1xf32>
}

//--- refused.mlir
func.func @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
  %r = graph.reduce_with(%x), (%z) [0] {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = graph.sin %a : tensor<f32>
    %m = graph.mul %s, %b : tensor<f32>
    graph.yield %m : tensor<f32>
  } : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

//--- cycle.mlir
func.func private @a(tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {graph.derive = {rule = "vjp", of = @b}}
func.func private @b(tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {graph.derive = {rule = "vjp", of = @a}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r:2 = call @a(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %r#0 : tensor<2xf32>
}

//--- signature.mlir
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.mul %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @f_vjp(tensor<4xf32>) -> tensor<4xf32> attributes {graph.derive = {rule = "vjp", of = @f}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @f_vjp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- custom.mlir
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {graph.custom_vjp = {forward = @a, backward = @b}} {
  return %x : tensor<4xf32>
}
func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @b(%g: tensor<3xf32>) -> tensor<4xf32> {
  %r = graph.constant dense<0.0> : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- linear.mlir
func.func private @squared(%x: tensor<4xf32>) -> tensor<4xf32> attributes {graph.custom_jvp = @tangent} {
  %r = graph.mul %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @tangent(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = graph.mul %x, %x : tensor<4xf32>
  %s = graph.mul %t, %t : tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @squared(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

//--- forward.mlir
func.func private @clipped(%x: tensor<4xf32>) -> tensor<4xf32> attributes {graph.custom_vjp = {forward = @a, backward = @a}} {
  return %x : tensor<4xf32>
}
func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @clipped(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
