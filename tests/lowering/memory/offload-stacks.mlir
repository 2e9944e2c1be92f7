// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a budget has no room for stacks of residuals, their rows go to a file while the loop runs that makes them, and come back
// one trip ahead in the loop that reads them. Only as many stacks leave as the budget needs, and none where the file is slower
// than kernels that run again.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=900000 offload-rate=1000000000000})' | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=2000000 offload-rate=1000000000000})' | FileCheck %s --check-prefix=ONE
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=2000000 offload-rate=67108864})' | FileCheck %s --check-prefix=SLOW
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: zenith-run %s --random-inputs=1 --compare=interp --max-memory=500000 --offload=%t.dir --report=memory --explain=remat --out-dir=%t.file 2>&1 | FileCheck %s --check-prefix=RAN
// RUN: zenith-run %s --random-inputs=1 --out-dir=%t.plain
// RUN: diff -r %t.file %t.plain
// RUN: ls -A %t.dir | count 0
// RUN: not zenith-run %s --random-inputs=1 --max-memory=500000 --offload=%t.dir --max-spill=4K 2>&1 | FileCheck %s --check-prefix=FULL

// CHECK-LABEL: func.func @scan
// CHECK-SAME: host.file_bytes = 2097152
// CHECK: host.loop{{.*}} do @[[FORTH:[a-z0-9_]+]](
// CHECK: %[[FIRST:[0-9]+]] = host.load_row %{{.*}} of tensor<16x128x128xf32> at 0 :
// CHECK-NEXT: %[[ROW:[0-9]+]] = graph.barrier %[[FIRST]] {host.awaits}
// CHECK: host.load_row %{{.*}} of tensor<16x128x128xf32> at 1048576 :
// CHECK: host.loop({{.*}}, %[[ROW]], %{{.*}}) while @{{.*}} do @[[BACK:[a-z0-9_]+]](
// CHECK: func.func private @[[BACK]]({{.*}}, %[[NOW:[a-z0-9]+]]: tensor<1x128x128xf32> {graph.donated}, %{{[a-z0-9]+}}: tensor<1x128x128xf32> {graph.donated}
// CHECK: %[[NEXT:[0-9]+]] = host.load_row %{{.*}} of tensor<16x128x128xf32> at 0 :
// CHECK: graph.fusion pointwise {{.*}} = %[[NOW]] :
// CHECK: %[[LAST:[0-9]+]] = graph.barrier %[[NEXT]] {host.awaits}
// CHECK: return {{.*}}, %[[LAST]],
// CHECK: func.func private @[[FORTH]](
// CHECK: host.store_row %[[MADE:[0-9]+]][%arg0] of tensor<16x128x128xf32> at 0 :
// CHECK: host.store_row %{{.*}}[%arg0] of tensor<16x128x128xf32> at 1048576 :
// CHECK: graph.barrier %[[MADE]] {host.awaits}
// CHECK-NOT: graph.recomputes
// ONE: host.file_bytes = 1048576
// ONE: host.store_row
// ONE-NOT: host.store_row
// SLOW-NOT: host.store_row
// SLOW: graph.recomputes
// RAN: remat REM003 {{.*}} 1048576 bytes wait in a file until 'host.load_row' at
// RAN: "certificate":{"bytes":[[BYTES:[0-9]+]],
// RAN: "measured":{"peak_bytes":[[BYTES]]}
// RAN: "offload":{"bytes":1048576,"file_peak":1048576,"values":1}
// FULL: values of 1048576 bytes find no room in a file: it may take 4096
func.func @scan(%x: tensor<128x128xf32>, %ct: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %trips = graph.constant dense<16> : tensor<i32>
  %scale = graph.constant dense<0.05> : tensor<128x128xf32>
  %empty = graph.constant dense<0.0> : tensor<16x128x128xf32>
  %w = graph.mul %x, %scale : tensor<128x128xf32>
  %f:4 = graph.while %zero, %x, %empty, %empty cond {
  ^bb0(%i: tensor<i32>, %c: tensor<128x128xf32>, %s: tensor<16x128x128xf32>, %t: tensor<16x128x128xf32>):
    %p = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %c: tensor<128x128xf32>, %s: tensor<16x128x128xf32>, %t: tensor<16x128x128xf32>):
    %d = graph.dot_general %c, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %a = graph.tanh %d : tensor<128x128xf32>
    %e = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %r = graph.reshape %d : tensor<128x128xf32> -> tensor<1x128x128xf32>
    %q = graph.reshape %e : tensor<128x128xf32> -> tensor<1x128x128xf32>
    %u = graph.dynamic_update_slice %s, %r, %i, %zero, %zero : (tensor<16x128x128xf32>, tensor<1x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x128x128xf32>
    %v = graph.dynamic_update_slice %t, %q, %i, %zero, %zero : (tensor<16x128x128xf32>, tensor<1x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x128x128xf32>
    %n = graph.sin %e : tensor<128x128xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %n, %u, %v : tensor<i32>, tensor<128x128xf32>, tensor<16x128x128xf32>, tensor<16x128x128xf32>
  } : (tensor<i32>, tensor<128x128xf32>, tensor<16x128x128xf32>, tensor<16x128x128xf32>) -> (tensor<i32>, tensor<128x128xf32>, tensor<16x128x128xf32>, tensor<16x128x128xf32>)
  %b:2 = graph.while %zero, %ct cond {
  ^bb0(%i: tensor<i32>, %d: tensor<128x128xf32>):
    %p = graph.compare lt, %i, %trips : tensor<i32> -> tensor<i1>
    graph.yield %p : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %d: tensor<128x128xf32>):
    %k = graph.sub %trips, %i : tensor<i32>
    %l = graph.sub %k, %one : tensor<i32>
    %m = graph.dynamic_slice %f#2, %l, %zero, %zero : (tensor<16x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x128xf32>
    %n = graph.dynamic_slice %f#3, %l, %zero, %zero : (tensor<16x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x128xf32>
    %o = graph.mul %m, %n : tensor<1x128x128xf32>
    %y = graph.reshape %o : tensor<1x128x128xf32> -> tensor<128x128xf32>
    %g = graph.dot_general %d, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %h = graph.dot_general %g, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
    %z = graph.add %h, %y : tensor<128x128xf32>
    %e = graph.tanh %z : tensor<128x128xf32>
    %j = graph.add %i, %one : tensor<i32>
    graph.yield %j, %e : tensor<i32>, tensor<128x128xf32>
  } : (tensor<i32>, tensor<128x128xf32>) -> (tensor<i32>, tensor<128x128xf32>)
  return %b#1 : tensor<128x128xf32>
}
