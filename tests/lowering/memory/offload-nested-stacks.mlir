// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in the body of a loop keep their stacks in the file too: each trip around them writes the rows anew.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=170000 offload-rate=1000000000000})' | FileCheck %s
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: zenith-run %s --random-inputs=1 --compare=interp --max-memory=170000 --offload=%t.dir --report=memory --out-dir=%t.file | FileCheck %s --check-prefix=RAN
// RUN: zenith-run %s --random-inputs=1 --out-dir=%t.plain
// RUN: diff -r %t.file %t.plain
// RUN: not zenith-run %s --random-inputs=1 --max-memory=170000 2>&1 | FileCheck %s --check-prefix=MEMORY

// CHECK-LABEL: func.func @nested
// CHECK-SAME: host.file_bytes = 262144
// CHECK: func.func private @nested_while0_body(
// CHECK: host.load_row
// CHECK: host.store_row
// RAN: "certificate":{"bytes":[[BYTES:[0-9]+]],
// RAN: "measured":{"peak_bytes":[[BYTES]]}
// RAN: "offload":{"bytes":262144,"file_peak":262144,"values":1}
// MEMORY: --max-memory=170000 cannot be met
func.func @nested(%x0: tensor<64x64xf32>, %ct0: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero0 = graph.constant dense<0> : tensor<i32>
  %one0 = graph.constant dense<1> : tensor<i32>
  %outer = graph.constant dense<3> : tensor<i32>
  %res:2 = graph.while %zero0, %x0 cond {
  ^bb0(%io: tensor<i32>, %xo: tensor<64x64xf32>):
    %po = graph.compare lt, %io, %outer : tensor<i32> -> tensor<i1>
    graph.yield %po : tensor<i1>
  } do {
  ^bb0(%io: tensor<i32>, %xo: tensor<64x64xf32>):
    %cto = graph.tanh %ct0 : tensor<64x64xf32>
      %zero = graph.constant dense<0> : tensor<i32>
      %one = graph.constant dense<1> : tensor<i32>
      %trips = graph.constant dense<16> : tensor<i32>
      %scale = graph.constant dense<0.08> : tensor<64x64xf32>
      %empty = graph.constant dense<0.0> : tensor<16x64x64xf32>
      %w = graph.mul %xo, %scale : tensor<64x64xf32>
      %f:4 = graph.while %zero, %xo, %empty, %empty cond {
      ^bb0(%i: tensor<i32>, %c: tensor<64x64xf32>, %s: tensor<16x64x64xf32>, %t: tensor<16x64x64xf32>):
        %p = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
        graph.yield %p : tensor<i1>
      } do {
      ^bb0(%i: tensor<i32>, %c: tensor<64x64xf32>, %s: tensor<16x64x64xf32>, %t: tensor<16x64x64xf32>):
        %d = graph.dot_general %c, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %a = graph.tanh %d : tensor<64x64xf32>
        %e = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %r = graph.reshape %d : tensor<64x64xf32> -> tensor<1x64x64xf32>
        %q = graph.reshape %e : tensor<64x64xf32> -> tensor<1x64x64xf32>
        %u = graph.dynamic_update_slice %s, %r, %i, %zero, %zero : (tensor<16x64x64xf32>, tensor<1x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x64x64xf32>
        %v = graph.dynamic_update_slice %t, %q, %i, %zero, %zero : (tensor<16x64x64xf32>, tensor<1x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x64x64xf32>
        %n = graph.sin %e : tensor<64x64xf32>
        %j = graph.add %i, %one : tensor<i32>
        graph.yield %j, %n, %u, %v : tensor<i32>, tensor<64x64xf32>, tensor<16x64x64xf32>, tensor<16x64x64xf32>
      } : (tensor<i32>, tensor<64x64xf32>, tensor<16x64x64xf32>, tensor<16x64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>, tensor<16x64x64xf32>, tensor<16x64x64xf32>)
      %b:2 = graph.while %zero, %cto cond {
      ^bb0(%i: tensor<i32>, %d: tensor<64x64xf32>):
        %p = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
        graph.yield %p : tensor<i1>
      } do {
      ^bb0(%i: tensor<i32>, %d: tensor<64x64xf32>):
        %k = graph.sub %trips, %i : tensor<i32>
        %l = graph.sub %k, %one : tensor<i32>
        %m = graph.dynamic_slice %f#2, %l, %zero, %zero : (tensor<16x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x64xf32>
        %n = graph.dynamic_slice %f#3, %l, %zero, %zero : (tensor<16x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x64xf32>
        %o = graph.mul %m, %n : tensor<1x64x64xf32>
        %y = graph.reshape %o : tensor<1x64x64xf32> -> tensor<64x64xf32>
        %g = graph.dot_general %d, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %h = graph.dot_general %g, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %z = graph.add %h, %y : tensor<64x64xf32>
        %e = graph.tanh %z : tensor<64x64xf32>
        %j = graph.add %i, %one : tensor<i32>
        graph.yield %j, %e : tensor<i32>, tensor<64x64xf32>
      } : (tensor<i32>, tensor<64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>)
    %jo = graph.add %io, %one0 : tensor<i32>
    %so = graph.add %b#1, %xo : tensor<64x64xf32>
    graph.yield %jo, %so : tensor<i32>, tensor<64x64xf32>
  } : (tensor<i32>, tensor<64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>)
  return %res#1 : tensor<64x64xf32>
}
