// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of parameters and fusion regions.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

// CHECK: graph.param @w : tensor<2x3xf32> = #graph.external<"model.weights", 0, 24>
graph.param @w : tensor<2x3xf32> = #graph.external<"model.weights", 0, 24>
// CHECK: graph.param @b : tensor<2xf32> = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
graph.param @b : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
// CHECK: graph.param @bound : tensor<ui8>{{$}}
graph.param @bound : tensor<ui8>
// CHECK: graph.derived_param @w_packed : tensor<3x2xf32> from 0
graph.derived_param @w_packed : tensor<3x2xf32> from 0

func.func @get_param() -> (tensor<2x3xf32>, tensor<3x2xf32>) {
  // CHECK: graph.get_param @w : tensor<2x3xf32>
  %w = graph.get_param @w : tensor<2x3xf32>
  // CHECK: graph.get_param @w_packed : tensor<3x2xf32>
  %p = graph.get_param @w_packed : tensor<3x2xf32>
  return %w, %p : tensor<2x3xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: func.func @fusion
// CHECK-SAME: graph.dims = ["n"], graph.name = "x"
func.func @fusion(%x: tensor<?xf32> {graph.dims = ["n"], graph.name = "x"}) -> tensor<?xf32> {
  // CHECK: %[[R:.*]]:2 = graph.fusion pointwise (%[[A:.*]] = %{{.*}} : tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {note = 1 : i64} {
  // CHECK-NEXT: %[[E:.*]] = graph.exp %[[A]] : tensor<?xf32>
  // CHECK-NEXT: graph.yield %[[E]], %[[A]] : tensor<?xf32>, tensor<?xf32>
  %r:2 = graph.fusion pointwise (%a = %x : tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {note = 1 : i64} {
    %e = graph.exp %a : tensor<?xf32>
    graph.yield %e, %a : tensor<?xf32>, tensor<?xf32>
  }
  // CHECK: graph.fusion copy () -> tensor<2xi64> {
  // CHECK-NEXT: graph.iota
  %s = graph.fusion copy () -> tensor<2xi64> {
    %i = graph.iota 0 : tensor<2xi64>
    graph.yield %i : tensor<2xi64>
  }
  return %r#0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @kinds
func.func @kinds(%x: tensor<4xf32>) {
  // CHECK: graph.fusion reduction (
  %f0 = graph.fusion reduction (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion contraction (
  %f1 = graph.fusion contraction (%a = %x : tensor<4xf32>) -> tensor<f32> {
    %d = graph.dot_general %a, %a <batching = [] x [], contracting = [0] x [0]> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    graph.yield %d : tensor<f32>
  }
  // CHECK: graph.fusion attention (
  %f2 = graph.fusion attention (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion window (
  %f3 = graph.fusion window (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion scatter (
  %f4 = graph.fusion scatter (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion routine (
  %f5 = graph.fusion routine (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  // CHECK: graph.fusion copy (
  %f6 = graph.fusion copy (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    graph.yield %a : tensor<4xf32>
  }
  return
}

func.func @if(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<5xf32>) {
  // CHECK: graph.if %{{.*}} then {
  %r:2 = graph.if %p then {
    // CHECK-NEXT: graph.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
    graph.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: } else {
  } else {
    // CHECK-NEXT: graph.yield %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<5xf32>
    graph.yield %x, %y : tensor<4xf32>, tensor<5xf32>
  // CHECK-NEXT: } : (tensor<i1>) -> (tensor<4xf32>, tensor<?xf32>)
  } : (tensor<i1>) -> (tensor<4xf32>, tensor<?xf32>)
  return
}

func.func @case(%i: tensor<i32>, %x: tensor<4xf32>) {
  // CHECK: graph.case %{{.*}} {
  %r = graph.case %i {
    // CHECK-NEXT: graph.yield %{{.*}} : tensor<4xf32>
    graph.yield %x : tensor<4xf32>
  // CHECK-NEXT: }, {
  }, {
    // CHECK-NEXT: graph.neg %{{.*}} : tensor<4xf32>
    %n = graph.neg %x : tensor<4xf32>
    // CHECK-NEXT: graph.yield %{{.*}} : tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  // CHECK-NEXT: } : (tensor<i32>) -> tensor<4xf32>
  } : (tensor<i32>) -> tensor<4xf32>
  return
}

func.func @while(%x: tensor<i64>, %n: tensor<i64>, %p: tensor<i1>, %v: tensor<1xf32>) {
  // CHECK: graph.while %{{.*}}, %{{.*}} cond {
  %r:2 = graph.while %x, %v cond {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<?xf32>):
  ^bb0(%a: tensor<i64>, %w: tensor<?xf32>):
    // CHECK-NEXT: graph.compare lt, %{{.*}}, %{{.*}} : tensor<i64> -> tensor<i1>
    %c = graph.compare lt, %a, %n : tensor<i64> -> tensor<i1>
    // CHECK-NEXT: graph.yield %{{.*}} : tensor<i1>
    graph.yield %c : tensor<i1>
  // CHECK-NEXT: } do {
  } do {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<?xf32>):
  ^bb0(%a: tensor<i64>, %w: tensor<?xf32>):
    // CHECK-NEXT: graph.add %{{.*}}, %{{.*}} : tensor<i64>
    %b = graph.add %a, %a : tensor<i64>
    // CHECK-NEXT: graph.concat 0, %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    %d = graph.concat 0, %w, %v : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    // CHECK-NEXT: graph.yield %{{.*}}, %{{.*}} : tensor<i64>, tensor<?xf32>
    graph.yield %b, %d : tensor<i64>, tensor<?xf32>
  // CHECK-NEXT: } : (tensor<i64>, tensor<1xf32>) -> (tensor<i64>, tensor<?xf32>)
  } : (tensor<i64>, tensor<1xf32>) -> (tensor<i64>, tensor<?xf32>)
  // CHECK: graph.while cond {
  graph.while cond {
    // CHECK-NEXT: graph.yield %{{.*}} : tensor<i1>
    graph.yield %p : tensor<i1>
  // CHECK-NEXT: } do {
  } do {
    // CHECK-NEXT: graph.yield
    graph.yield
  // CHECK-NEXT: } : () -> ()
  } : () -> ()
  return
}

func.func @barrier(%x: tensor<4xf32>, %y: tensor<?xi64>) {
  // CHECK: graph.barrier %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<?xi64>) -> (tensor<4xf32>, tensor<?xi64>)
  %r:2 = graph.barrier %x, %y : (tensor<4xf32>, tensor<?xi64>) -> (tensor<4xf32>, tensor<?xi64>)
  return
}

func.func @checkpoint(%x: tensor<?x4xf32>) {
  // CHECK: graph.checkpoint policy = "dots_saveable" names = ["a"] prevent_cse = false (%[[A:.*]] = %{{.*}} : tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK-NEXT: %[[N:.*]] = graph.named %[[A]] "a" : tensor<?x4xf32>
  // CHECK-NEXT: graph.yield %[[N]] : tensor<?x4xf32>
  %r = graph.checkpoint policy = "dots_saveable" names = ["a"] prevent_cse = false (%a = %x : tensor<?x4xf32>) -> tensor<?x4xf32> {
    %n = graph.named %a "a" : tensor<?x4xf32>
    graph.yield %n : tensor<?x4xf32>
  }
  // CHECK: graph.checkpoint policy = "nothing_saveable" names = [] prevent_cse = true segments = 4 (
  %s = graph.checkpoint segments = 4 (%a = %x : tensor<?x4xf32>) -> tensor<?x4xf32> {
    graph.yield %a : tensor<?x4xf32>
  }
  // CHECK: graph.checkpoint policy = "nothing_saveable" names = [] prevent_cse = true segments = auto (
  %t = graph.checkpoint segments = auto (%a = %x : tensor<?x4xf32>) -> tensor<?x4xf32> {
    graph.yield %a : tensor<?x4xf32>
  }
  // CHECK: graph.checkpoint policy = "nothing_saveable" names = [] prevent_cse = true ()
  graph.checkpoint () {
    graph.yield
  }
  return
}

func.func @place(%x: tensor<4xf32>) {
  // CHECK: %[[H:.*]] = graph.place %{{.*}} host : tensor<4xf32>
  %h = graph.place %x host : tensor<4xf32>
  // CHECK: graph.place %[[H]] device : tensor<4xf32>
  %d = graph.place %h device : tensor<4xf32>
  return
}

func.func @stop_gradient(%x: tensor<?x4xf32>) {
  // CHECK: graph.stop_gradient %{{.*}} : tensor<?x4xf32>
  %r = graph.stop_gradient %x : tensor<?x4xf32>
  return
}

func.func @host_read(%n: tensor<i64>, %p: tensor<i1>) {
  // CHECK: graph.host_read %{{.*}} : tensor<i64>
  %m = graph.host_read %n : tensor<i64>
  // CHECK: graph.host_read %{{.*}} : tensor<i1>
  %q = graph.host_read %p : tensor<i1>
  return
}

func.func @assert(%p: tensor<i1>, %n: tensor<i64>) {
  // CHECK: graph.assert %{{.*}} "stop" : tensor<i1>
  graph.assert %p "stop" : tensor<i1>
  // CHECK: graph.assert %{{.*}} "sizes differ: {0}"(%{{.*}}) : tensor<i1>, tensor<i64>
  graph.assert %p "sizes differ: {0}" (%n) : tensor<i1>, tensor<i64>
  return
}

func.func @custom_call(%a: tensor<3x3xf32>) {
  // CHECK: graph.custom_call "lapack_getrf"(%{{.*}}) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
  %lu:3 = graph.custom_call "lapack_getrf" (%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
  // CHECK: graph.custom_call "other"(%{{.*}}, %{{.*}}) config {mode = 1 : i64} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<?xf32>
  %t = graph.custom_call "other" (%a, %a) config {mode = 1 : i64} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<?xf32>
  return
}
