// RUN: zenith-opt %s --to=kernels --target=cpu:x86-64-v3 | FileCheck %s

// A buffer that the body updates in place is the caller's from the start: it is not copied, and a step writes its row only.
// CHECK-LABEL: host.program @fill
// CHECK: host.launch @kernels::@[[ZERO:.*]] pointers [#host.buffer<result, 0, "0">]
// CHECK-NEXT: host.while @fill_while0_condition({{.*}}) do @fill_while0_body({{.*}}) inits ["0", #host.argument<<result, 0, "0">, ["n", "8"]>]
// CHECK-SAME: in_place [1]
// CHECK-NOT: host.
// CHECK: host.program @fill_while0_body
// CHECK: host.eval "%h0" = "add" ["%i0", "1"] : i64 to i64
// CHECK-NEXT: host.guard "n - 1" "graph.dynamic_update_slice: a part of 1 exceeds dimension 0" {graph.run_error}
// CHECK-NEXT: host.scalar "%i0" to <cell, 0, "0"> : i64
// CHECK-NEXT: host.launch @kernels::@{{.*}}_scatter_part pointers
// CHECK-NEXT: host.yield ["%h0", unit]
func.func @fill(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}) -> tensor<?x8xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %f = graph.constant dense<0.0> : tensor<f32>
  %n = graph.dim %x, 0 : tensor<?x8xf32>
  %y0 = graph.broadcast %f [] [%n] : tensor<f32> -> tensor<?x8xf32>
  %row = graph.constant dense<1.0> : tensor<1x8xf32>
  %r:2 = graph.while %zero, %y0 cond {
  ^bb0(%i: tensor<i64>, %y: tensor<?x8xf32>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %y: tensor<?x8xf32>):
    %j = graph.add %i, %one : tensor<i64>
    %z = graph.dynamic_update_slice %y, %row, %i, %zero : (tensor<?x8xf32>, tensor<1x8xf32>, tensor<i64>, tensor<i64>) -> tensor<?x8xf32>
    graph.yield %j, %z : tensor<i64>, tensor<?x8xf32>
  } : (tensor<i64>, tensor<?x8xf32>) -> (tensor<i64>, tensor<?x8xf32>)
  return %r#1 : tensor<?x8xf32>
}

// A size that depends on data: fetched, checked by the op that needs it and then by the kernel's guard, its memory allocated as a slot.
// CHECK-LABEL: host.program @sized
// CHECK: host.launch
// CHECK-NEXT: host.fetch "[[N:%i[0-9]+]]" from
// CHECK-NEXT: host.eval
// CHECK-NEXT: host.assert
// CHECK-NEXT: host.guard "[[N]]"
// CHECK-NEXT: host.alloc <slot, 0, "0"> bytes "4*[[N]]"
// CHECK: host.dealloc 0
func.func @sized(%v: tensor<4xi64>, %x: tensor<f32>) -> tensor<f32> {
  %n = graph.reduce sum, %v [0] : tensor<4xi64> -> tensor<i64>
  %b = graph.broadcast %x [] [%n] : tensor<f32> -> tensor<?xf32>
  %s = graph.sort %b 0 keys 1 : (tensor<?xf32>) -> tensor<?xf32>
  %r = graph.reduce max, %s [0] : tensor<?xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// What a kernel's guard says comes after the program's own check of the same size, also where other kernels run before.
// CHECK-LABEL: host.program @checked_between
// CHECK: host.fetch "[[N:%i[0-9]+]]" from
// CHECK: host.guard "[[N]]"
// CHECK: host.launch
// CHECK: host.assert {{.*}} "too few: {0}"
// CHECK: host.guard "-{{%i[0-9]+}} + [[N]]"
func.func @checked_between(%v: tensor<4xi64>, %k: tensor<i64>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %n = graph.reduce sum, %v [0] : tensor<4xi64> -> tensor<i64>
  %b = graph.broadcast %x [] [%n] : tensor<f32> -> tensor<?xf32>
  %s = graph.sort %b 0 keys 1 : (tensor<?xf32>) -> tensor<?xf32>
  %r = graph.reduce max, %s [0] : tensor<?xf32> -> tensor<f32>
  %c = graph.compare le, %k, %n : tensor<i64> -> tensor<i1>
  graph.assert %c "too few: {0}"(%n) : tensor<i1>, tensor<i64>
  %m = graph.sub %n, %k : tensor<i64>
  %d = graph.broadcast %x [] [%m] : tensor<f32> -> tensor<?xf32>
  %t = graph.sort %d 0 keys 1 : (tensor<?xf32>) -> tensor<?xf32>
  %q = graph.reduce max, %t [0] : tensor<?xf32> -> tensor<f32>
  return %r, %q : tensor<f32>, tensor<f32>
}

// Two branches with one size write where the result belongs.
// CHECK-LABEL: host.program @choose
// CHECK-NEXT: host.if "%i0" to [@choose_if0_then, @choose_if0_else] arguments
// CHECK-SAME: #host.outcome<<result, 0, "0">
// CHECK-SAME: boolean
// CHECK-NEXT: }
func.func @choose(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.if %p then {
    %e = graph.exp %x : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  } else {
    %e = graph.neg %x : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
