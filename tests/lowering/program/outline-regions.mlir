// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-outline-regions)' | FileCheck %s
// RUN: %python %S/../../passes/simplify/nested_branches.py 60 > %t.mlir
// RUN: zenith-opt %t.mlir --pass-pipeline='builtin.module(zenith-outline-regions)' | FileCheck --check-prefix=DEEP %s
// RUN: zenith-run %t.mlir --random-inputs --compare=interp

// Names of functions from deep nests don't grow with depth.
// DEEP-NOT: {{(@[a-z0-9_]{140})}}
// DEEP: @main_if0_then_if0_then_if0_then
// DEEP-NOT: {{(@[a-z0-9_]{140})}}

// Captures become arguments; the op names the functions.
// CHECK-LABEL: func.func @choose
// CHECK: %[[R:.*]] = host.branch %arg0, (%arg1, %arg2) to [@choose_if0_then, @choose_if0_else] counts [1, 1] dims {{\[\[}}"4"]] boolean
// CHECK: return %[[R]]
// CHECK: func.func private @choose_if0_else(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {host.nested}
// CHECK-NEXT: return %arg0
// CHECK: func.func private @choose_if0_then(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {host.nested}
func.func @choose(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.if %p then {
    graph.yield %x : tensor<4xf32>
  } else {
    graph.yield %y : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Sizes keep the names that the signature gives; a loop-carried value that the body returns unchanged is captured.
// CHECK-LABEL: func.func @repeat
// CHECK: host.loop(%{{.*}}, %arg1) while @repeat_while0_condition(%arg0) do @repeat_while0_body(%arg2) dims {{\[\[}}], ["n"]]
// CHECK: func.func private @repeat_while0_body(%arg0: tensor<i64> {graph.donated}, %arg1: tensor<?xf32> {graph.dims = ["n"], graph.donated}, %arg2: tensor<?xf32> {graph.dims = ["n"]})
// CHECK: func.func private @repeat_while0_condition
func.func @repeat(%n: tensor<i64>, %x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:3 = graph.while %zero, %x, %y cond {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>, %b: tensor<?xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %s = graph.add %a, %b : tensor<?xf32>
    graph.yield %j, %s, %b : tensor<i64>, tensor<?xf32>, tensor<?xf32>
  } : (tensor<i64>, tensor<?xf32>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>, tensor<?xf32>)
  return %r#1 : tensor<?xf32>
}

// Sizes that only the body knows belong to it.
// CHECK-LABEL: func.func @grow
// CHECK: host.loop(%{{.*}}, %arg1) {{.*}} dims {{\[\[}}], [#host.unknown_dim<0>]]
// CHECK: func.func private @grow_while0_body(%arg0: tensor<i64> {graph.donated}, %arg1: tensor<?xf32> {graph.dims = ["grow_while0_body.0"], graph.donated}, %arg2: tensor<?xf32> {graph.dims = ["n"]}) -> (tensor<i64>, tensor<?xf32> {host.allocated})
func.func @grow(%n: tensor<i64>, %x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %s = graph.concat 0, %a, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    graph.yield %j, %s : tensor<i64>, tensor<?xf32>
  } : (tensor<i64>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>)
  return %r#1 : tensor<?xf32>
}

// Values that depend on parameters are copied into the body, where the layout phase finds them.
// CHECK-LABEL: func.func @parameters
// CHECK: host.loop(%{{.*}}, %arg1) while @parameters_while0_condition(%arg0) do @parameters_while0_body()
// CHECK: func.func private @parameters_while0_body
// CHECK: %[[P:.*]] = graph.get_param @weights
// CHECK: graph.reshape %[[P]]
graph.param @weights : tensor<1x8x8xf32>
func.func @parameters(%n: tensor<i64>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %p = graph.get_param @weights : tensor<1x8x8xf32>
  %w = graph.reshape %p : tensor<1x8x8xf32> -> tensor<8x8xf32>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %a: tensor<4x8xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<4x8xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %s = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    graph.yield %j, %s : tensor<i64>, tensor<4x8xf32>
  } : (tensor<i64>, tensor<4x8xf32>) -> (tensor<i64>, tensor<4x8xf32>)
  return %r#1 : tensor<4x8xf32>
}

// What is read more than four regions below its definition goes there by a number, which the op next to the definition
// shares: a scalar, and vectors whose size has a name.
// CHECK-LABEL: func.func @deep
// CHECK: host.branch %arg0, ({{.*}}) to [@deep_if0_then, @deep_if0_else] counts [{{.*}}] dims {{.*}} boolean shares(%arg2, %arg1) as [1, 2]
// CHECK: func.func private @deep_if0_then(%arg0: tensor<?xf32> {{.*}}, %arg1: tensor<i1>)
// CHECK: %[[M:.*]] = graph.neg
// CHECK: host.branch {{.*}} shares(%[[M]]) as [0]
// CHECK: func.func private @deep_if0_then_if0_then_if0_then_if0_then_if0_then()
// CHECK-NEXT: %[[P:.*]] = host.shared 2 dims [] : tensor<i1>
// CHECK-NEXT: host.branch %[[P]], ()
// CHECK: func.func private @deep_if0_then_if0_then_if0_then_if0_then_if0_then_if0_then()
// CHECK-NEXT: host.shared 0 dims ["n"] : tensor<?xf32>
// CHECK-NEXT: host.shared 1 dims ["n"] : tensor<?xf32>
func.func @deep(%c: tensor<i1>, %p: tensor<i1>, %x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %r = graph.if %c then {
    %m = graph.neg %x : tensor<?xf32>
    %r1 = graph.if %c then {
      %r2 = graph.if %c then {
        %r3 = graph.if %c then {
          %r4 = graph.if %c then {
            %r5 = graph.if %p then {
              %s = graph.add %m, %x : tensor<?xf32>
              graph.yield %s : tensor<?xf32>
            } else {
              %s = graph.mul %m, %x : tensor<?xf32>
              graph.yield %s : tensor<?xf32>
            } : (tensor<i1>) -> tensor<?xf32>
            graph.yield %r5 : tensor<?xf32>
          } else {
            graph.yield %m : tensor<?xf32>
          } : (tensor<i1>) -> tensor<?xf32>
          graph.yield %r4 : tensor<?xf32>
        } else {
          graph.yield %m : tensor<?xf32>
        } : (tensor<i1>) -> tensor<?xf32>
        graph.yield %r3 : tensor<?xf32>
      } else {
        graph.yield %m : tensor<?xf32>
      } : (tensor<i1>) -> tensor<?xf32>
      graph.yield %r2 : tensor<?xf32>
    } else {
      graph.yield %m : tensor<?xf32>
    } : (tensor<i1>) -> tensor<?xf32>
    graph.yield %r1 : tensor<?xf32>
  } else {
    graph.yield %x : tensor<?xf32>
  } : (tensor<i1>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
