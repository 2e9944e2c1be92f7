// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a budget has no room for a carried value of each of 20 trips, 5 are stacked: the loop that reads them computes the 5 values
// of a segment when it comes to it, in a loop of its own, and keeps the number of the segment.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=4500})' | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=7000})' | FileCheck %s --check-prefix=ROWS
// RUN: zenith-run %s --random-inputs=1 --compare=interp --max-memory=4500 --report=memory --out-dir=%t.again | FileCheck %s --check-prefix=REPORT
// RUN: zenith-run %s --random-inputs=1 --out-dir=%t.plain
// RUN: diff -r %t.again %t.plain

// CHECK-LABEL: func.func @scan(
// CHECK: %[[F:[0-9]+]]:3 = host.loop
// CHECK-SAME: tensor<5x64xf32>
// CHECK: host.loop{{.*}} do @[[BACK:[a-z0-9_]+]](%[[F]]#2)
// CHECK-SAME: tensor<i32>, tensor<5x64xf32>
// CHECK: func.func private @[[BACK]](
// CHECK: host.loop{{.*}} while @[[MORE:[a-z0-9_]+]](%{{[0-9]+}}) do @[[AGAIN:[a-z0-9_]+]](
// CHECK: graph.recomputes = @[[FORTH:[a-z0-9_]+]], schedule
// CHECK: func.func private @[[FORTH]](
// CHECK: graph.div
// CHECK: graph.dynamic_update_slice
// CHECK-NOT: graph.dynamic_update_slice
// CHECK: func.func private @[[AGAIN]](
// CHECK: graph.dynamic_update_slice
// CHECK: graph.recomputes = @[[FORTH]], schedule
// CHECK: func.func private @[[MORE]](
// ROWS-NOT: tensor<5x64xf32>
// ROWS: tensor<20x64xf32>
// REPORT: "recomputed":3

func.func @scan(%x: tensor<64xf32>, %ct: tensor<64xf32>) -> tensor<64xf32> {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %trips = graph.constant dense<20> : tensor<i32>
  %empty = graph.constant dense<0.0> : tensor<20x64xf32>
  %f:4 = graph.while %zero, %x, %empty, %empty cond {
  ^bb0(%i: tensor<i32>, %c: tensor<64xf32>, %s: tensor<20x64xf32>, %t: tensor<20x64xf32>):
    %p = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %c: tensor<64xf32>, %s: tensor<20x64xf32>, %t: tensor<20x64xf32>):
    %sin = graph.sin %c : tensor<64xf32>
    %cos = graph.cos %c : tensor<64xf32>
    %r = graph.reshape %sin : tensor<64xf32> -> tensor<1x64xf32>
    %q = graph.reshape %cos : tensor<64xf32> -> tensor<1x64xf32>
    %u = graph.dynamic_update_slice %s, %r, %i, %zero : (tensor<20x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<20x64xf32>
    %v = graph.dynamic_update_slice %t, %q, %i, %zero : (tensor<20x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<20x64xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %sin, %u, %v : tensor<i32>, tensor<64xf32>, tensor<20x64xf32>, tensor<20x64xf32>
  } : (tensor<i32>, tensor<64xf32>, tensor<20x64xf32>, tensor<20x64xf32>) -> (tensor<i32>, tensor<64xf32>, tensor<20x64xf32>, tensor<20x64xf32>)
  %b:2 = graph.while %zero, %ct cond {
  ^bb0(%i: tensor<i32>, %d: tensor<64xf32>):
    %p = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %d: tensor<64xf32>):
    %k = graph.sub %trips, %i : tensor<i32>
    %l = graph.sub %k, %one : tensor<i32>
    %m = graph.dynamic_slice %f#2, %l, %zero : (tensor<20x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %n = graph.dynamic_slice %f#3, %l, %zero : (tensor<20x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %o = graph.mul %m, %n : tensor<1x64xf32>
    %w = graph.reshape %o : tensor<1x64xf32> -> tensor<64xf32>
    %e = graph.mul %d, %w : tensor<64xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %e : tensor<i32>, tensor<64xf32>
  } : (tensor<i32>, tensor<64xf32>) -> (tensor<i32>, tensor<64xf32>)
  return %b#1 : tensor<64xf32>
}
