// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that programs derive, own rules, and what is refused.
//
// RUN: zenith-opt %s --split-input-file --zenith-derive --zenith-inline-calls --symbol-dce --canonicalize --verify-diagnostics | FileCheck %s

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.mul %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @f_vjp(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {graph.derive = {rule = "vjp", of = @f, options = "wrt=0"}}

// CHECK-LABEL: func.func @calls_gradient(
// CHECK-NOT: call
// CHECK: graph.add
func.func @calls_gradient(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %y, %g = call @f_vjp(%x, %one) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}

// -----

func.func private @clipped(%x: tensor<4xf32>) -> tensor<4xf32> attributes {graph.custom_vjp = {forward = @a, backward = @b}} {
  return %x : tensor<4xf32>
}
func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @b(%g: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.tanh %g : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @main_of(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @clipped(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @derived(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {graph.derive = {rule = "vjp", of = @main_of}}

// CHECK-LABEL: func.func @own_rule(
// CHECK: %[[G:.*]] = graph.tanh
// CHECK: return %[[G]]
func.func @own_rule(%x: tensor<4xf32>, %ct: tensor<4xf32>) -> tensor<4xf32> {
  %y, %g = call @derived(%x, %ct) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %g : tensor<4xf32>
}

// -----

// expected-error@below {{derivations need each other: @a -> @b -> @a}}
module {
  func.func private @a(tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {graph.derive = {rule = "vjp", of = @b}}
  func.func private @b(tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {graph.derive = {rule = "vjp", of = @a}}
}
