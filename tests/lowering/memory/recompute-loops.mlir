// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a budget has no room for stacks of residuals, the carried values are stacked instead, and the kernels that made the rows
// run again in the loop that reads them, with their schedules: results keep their bits.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=400})' | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=4000})' | FileCheck %s --check-prefix=ROOM
// RUN: zenith-run %s --random-inputs=1 --compare=interp --max-memory=400 --report=memory --out-dir=%t.again | FileCheck %s --check-prefix=REPORT
// RUN: zenith-run %s --random-inputs=1 --out-dir=%t.plain
// RUN: diff -r %t.again %t.plain
// RUN: not zenith-run %s --random-inputs=1 --max-memory=330 2>&1 | FileCheck %s --check-prefix=REFUSED

// The second loop reads sin(c) and cos(c) of each trip; c is stacked instead.
// CHECK-LABEL: func.func @scan
// CHECK: %[[F:[0-9]+]]:3 = host.loop
// CHECK: host.loop{{.*}} do @[[BACK:.*]](%[[F]]#2)
// CHECK: func.func private @[[BACK]]
// CHECK: graph.dynamic_slice
// CHECK-DAG: graph.cos
// CHECK-DAG: graph.recomputes = @[[FORTH:[a-z0-9_]+]], schedule
// CHECK: func.func private @[[FORTH]](
// CHECK-NOT: graph.cos
// CHECK: graph.dynamic_update_slice
// CHECK-NOT: graph.dynamic_update_slice
// CHECK: return
// ROOM-NOT: graph.recomputes
// ROOM: %{{[0-9]+}}:4 = host.loop
// REPORT: "recomputed":2
// REFUSED: --max-memory=330 cannot be met: 330 bytes, lower bound {{[0-9]+}} at step loop 1 {{.*}} least plan found 384
func.func @scan(%x: tensor<4xf32>, %ct: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %five = graph.constant dense<5> : tensor<i32>
  %empty = graph.constant dense<0.0> : tensor<5x4xf32>
  %f:4 = graph.while %zero, %x, %empty, %empty cond {
  ^bb0(%i: tensor<i32>, %c: tensor<4xf32>, %s: tensor<5x4xf32>, %t: tensor<5x4xf32>):
    %p = graph.compare lt, %i, %five : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %c: tensor<4xf32>, %s: tensor<5x4xf32>, %t: tensor<5x4xf32>):
    %sin = graph.sin %c : tensor<4xf32>
    %cos = graph.cos %c : tensor<4xf32>
    %r = graph.reshape %sin : tensor<4xf32> -> tensor<1x4xf32>
    %q = graph.reshape %cos : tensor<4xf32> -> tensor<1x4xf32>
    %u = graph.dynamic_update_slice %s, %r, %i, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    %v = graph.dynamic_update_slice %t, %q, %i, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %sin, %u, %v : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
  } : (tensor<i32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
  %b:2 = graph.while %zero, %ct cond {
  ^bb0(%i: tensor<i32>, %d: tensor<4xf32>):
    %p = graph.compare lt, %i, %five : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %d: tensor<4xf32>):
    %k = graph.sub %five, %i : tensor<i32>
    %l = graph.sub %k, %one : tensor<i32>
    %m = graph.dynamic_slice %f#2, %l, %zero : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %n = graph.dynamic_slice %f#3, %l, %zero : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %o = graph.mul %m, %n : tensor<1x4xf32>
    %w = graph.reshape %o : tensor<1x4xf32> -> tensor<4xf32>
    %e = graph.mul %d, %w : tensor<4xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %e : tensor<i32>, tensor<4xf32>
  } : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return %b#1 : tensor<4xf32>
}
