// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that nothing reads while loops run goes to a file where these take longer than its bytes: it leaves during the first
// loop and comes back during the last, and is gone in the one between, which needs the memory. Behind short loops it is computed
// again.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=150000 offload-rate=500000000})' | FileCheck %s
// RUN: sed -e 's/dense<2000>/dense<1>/' %s > %t.mlir
// RUN: zenith-opt %t.mlir --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=150000 offload-rate=500000000})' | FileCheck %s --check-prefix=SHORT
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: sed -e 's/dense<2000>/dense<100>/' %s > %t.some.mlir
// RUN: zenith-run %t.some.mlir --random-inputs=1 --compare=interp --offload=%t.dir --max-memory=150000
// CHECK-LABEL: func.func @main
// CHECK: graph.place {{.*}} host
// CHECK: host.loop
// CHECK: host.loop
// CHECK: graph.place {{.*}} device
// CHECK: host.loop
// SHORT-LABEL: func.func @main
// SHORT-NOT: graph.place
// SHORT: graph.recomputes
// SHORT-NOT: graph.place
func.func @main(%x: tensor<128x128xf32>, %y: tensor<128x128xf32>) -> tensor<f32> {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %trips = graph.constant dense<2000> : tensor<i32>
  %a = graph.dot_general %x, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %u = graph.slice %a [0, 0] [64, 64] [1, 1] : tensor<128x128xf32> -> tensor<64x64xf32>
  %f:2 = graph.while %zero, %u cond {
  ^bb0(%i: tensor<i32>, %c0: tensor<64x64xf32>):
    %more = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %c0: tensor<64x64xf32>):
    %j = graph.add %i, %one : tensor<i32>
    %d0 = graph.sin %c0 : tensor<64x64xf32>
    graph.yield %j, %d0 : tensor<i32>, tensor<64x64xf32>
  } : (tensor<i32>, tensor<64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>)
  %p = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %q = graph.dot_general %y, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %g:3 = graph.while %zero, %p, %q cond {
  ^bb0(%i: tensor<i32>, %c0: tensor<128x128xf32>, %c1: tensor<128x128xf32>):
    %more = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %c0: tensor<128x128xf32>, %c1: tensor<128x128xf32>):
    %j = graph.add %i, %one : tensor<i32>
    %d0 = graph.sin %c0 : tensor<128x128xf32>
    %d1 = graph.sin %c1 : tensor<128x128xf32>
    graph.yield %j, %d0, %d1 : tensor<i32>, tensor<128x128xf32>, tensor<128x128xf32>
  } : (tensor<i32>, tensor<128x128xf32>, tensor<128x128xf32>) -> (tensor<i32>, tensor<128x128xf32>, tensor<128x128xf32>)
  %m = graph.mul %g#1, %g#2 : tensor<128x128xf32>
  %s1 = graph.reduce sum, %m [0, 1] : tensor<128x128xf32> -> tensor<f32>
  %v = graph.broadcast %s1 [] [] : tensor<f32> -> tensor<64x64xf32>
  %w = graph.add %f#1, %v : tensor<64x64xf32>
  %h:2 = graph.while %zero, %w cond {
  ^bb0(%i: tensor<i32>, %c0: tensor<64x64xf32>):
    %more = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %c0: tensor<64x64xf32>):
    %j = graph.add %i, %one : tensor<i32>
    %d0 = graph.sin %c0 : tensor<64x64xf32>
    graph.yield %j, %d0 : tensor<i32>, tensor<64x64xf32>
  } : (tensor<i32>, tensor<64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>)
  %s2 = graph.reduce sum, %h#1 [0, 1] : tensor<64x64xf32> -> tensor<f32>
  %n = graph.broadcast %s2 [] [] : tensor<f32> -> tensor<128x128xf32>
  %o = graph.add %a, %n : tensor<128x128xf32>
  %e = graph.abs %o : tensor<128x128xf32>
  %s3 = graph.reduce sum, %e [0, 1] : tensor<128x128xf32> -> tensor<f32>
  %s4 = graph.add %s1, %s2 : tensor<f32>
  %s = graph.add %s4, %s3 : tensor<f32>
  return %s : tensor<f32>
}
