// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that become known go into types; what does not follow from them stays for the run. The results are the same.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: zenith-translate %t/batch.mlir -o %t/batch.fixed.mlir --dim n=8
// RUN: FileCheck %s --check-prefix=BATCH < %t/batch.fixed.mlir
// RUN: zenith-run %t/batch.mlir --target=interp --random-inputs=1 --dim n=8 --out-dir=%t/batch.open
// RUN: zenith-run %t/batch.fixed.mlir --target=interp --random-inputs=1 --out-dir=%t/batch.fixed
// RUN: diff -r %t/batch.open %t/batch.fixed
// RUN: zenith-translate %t/part.mlir -o %t/part.fixed.mlir --dim n=8
// RUN: FileCheck %s --check-prefix=PART < %t/part.fixed.mlir
// RUN: zenith-run %t/part.mlir --target=interp --random-inputs=1 --dim n=8 --dim m=3 --out-dir=%t/part.open
// RUN: zenith-run %t/part.fixed.mlir --target=interp --random-inputs=1 --dim m=3 --out-dir=%t/part.fixed
// RUN: diff -r %t/part.open %t/part.fixed
// RUN: zenith-translate %t/two_names.mlir -o %t/two_names.fixed.mlir --dim n=8
// RUN: FileCheck %s --check-prefix=TWO-NAMES < %t/two_names.fixed.mlir
// RUN: zenith-run %t/two_names.mlir --target=interp --random-inputs=1 --dim n=8 --dim m=8 --out-dir=%t/two_names.open
// RUN: zenith-run %t/two_names.fixed.mlir --target=interp --random-inputs=1 --dim m=8 --out-dir=%t/two_names.fixed
// RUN: diff -r %t/two_names.open %t/two_names.fixed
// RUN: zenith-translate %t/loop.mlir -o %t/loop.fixed.mlir --dim n=8
// RUN: FileCheck %s --check-prefix=LOOP < %t/loop.fixed.mlir
// RUN: zenith-run %t/loop.mlir --target=interp --random-inputs=1 --dim n=8 --out-dir=%t/loop.open
// RUN: zenith-run %t/loop.fixed.mlir --target=interp --random-inputs=1 --out-dir=%t/loop.fixed
// RUN: diff -r %t/loop.open %t/loop.fixed
// RUN: zenith-translate %t/unnamed.mlir -o %t/unnamed.fixed.mlir --dim arg0_d1=3
// RUN: FileCheck %s --check-prefix=UNNAMED < %t/unnamed.fixed.mlir
// RUN: zenith-run %t/unnamed.mlir --target=interp --random-inputs=1 --dim arg0_d1=3 --dim arg0_d0=2 --out-dir=%t/unnamed.open
// RUN: zenith-run %t/unnamed.fixed.mlir --target=interp --random-inputs=1 --dim arg0_d0=2 --out-dir=%t/unnamed.fixed
// RUN: diff -r %t/unnamed.open %t/unnamed.fixed
// RUN: not zenith-translate %t/bounded.mlir -o %t/m.mlir --dim b=65 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: --dim: 'b' is 65, the program states 1..64
// RUN: not zenith-translate %t/batch.mlir -o %t/m.mlir --dim k=65 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --dim: the program has no dimension 'k'; it has n
// RUN: not zenith-run %t/two_names.fixed.mlir --random-inputs --dim m=5 2>&1 | FileCheck %s --check-prefix=DIFFER
// DIFFER: error: graph.add: sizes 8 ('n') and 5 ('m') differ

//--- batch.mlir
// BATCH: func.func @main(%{{.*}}: tensor<8x4xf32> {graph.dims = ["8", "4"]}) -> (tensor<32xf32> {graph.dims = ["32"]})
// BATCH: graph.tanh {{.*}} : tensor<8x4xf32>
// BATCH: graph.reshape {{.*}} : tensor<8x4xf32> -> tensor<32xf32>
func.func @main(%x: tensor<?x4xf32> {graph.dims = ["n", "4"]}) -> (tensor<?xf32> {graph.dims = ["4*n"]}) {
  %n = graph.dim %x, 0 : tensor<?x4xf32>
  %four = graph.constant dense<4> : tensor<i64>
  %all = graph.mul %n, %four : tensor<i64>
  %y = graph.tanh %x : tensor<?x4xf32>
  %r = graph.reshape %y [%all] : tensor<?x4xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- part.mlir
// The name of the other size stays.
// PART: func.func @main(%{{.*}}: tensor<8x?xf32> {graph.dims = ["8", "m"]})
// PART: graph.slice {{.*}} [{{.*}}, 0] [1, %{{.*}}] [1, 1] : tensor<8x?xf32> -> tensor<1x?xf32>
func.func @main(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]}) -> tensor<1x?xf32> {
  %n = graph.dim %x, 0 : tensor<?x?xf32>
  %m = graph.dim %x, 1 : tensor<?x?xf32>
  %one = graph.constant dense<1> : tensor<i64>
  %last = graph.sub %n, %one : tensor<i64>
  %r = graph.slice %x [%last, 0] [1, %m] [1, 1] : tensor<?x?xf32> -> tensor<1x?xf32>
  return %r : tensor<1x?xf32>
}
//--- two_names.mlir
// Nothing says that 8 is m: the run compares.
// TWO-NAMES: func.func @main(%{{.*}}: tensor<8xf32> {{.*}}, %{{.*}}: tensor<?xf32>
// TWO-NAMES: graph.assert
// TWO-NAMES: graph.add
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}, %y: tensor<?xf32> {graph.dims = ["m"]}) -> tensor<?xf32> {
  %r = graph.add %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- loop.mlir
// Loops that keep a size have it inside as well.
// LOOP: func.func @main(%{{.*}}: tensor<8xf32>
// LOOP: graph.while
// LOOP: graph.add {{.*}} : tensor<8xf32>
// LOOP: return {{.*}} : tensor<8xf32>
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}) -> tensor<?xf32> {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %three = graph.constant dense<3> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%k: tensor<i64>, %v: tensor<?xf32>):
    %more = graph.compare lt, %k, %three : tensor<i64> -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%k: tensor<i64>, %v: tensor<?xf32>):
    %next = graph.add %k, %one : tensor<i64>
    %sum = graph.add %v, %x : tensor<?xf32>
    graph.yield %next, %sum : tensor<i64>, tensor<?xf32>
  } : (tensor<i64>, tensor<?xf32>) -> (tensor<i64>, tensor<?xf32>)
  return %r#1 : tensor<?xf32>
}
//--- unnamed.mlir
// A dimension without a name has that of its place.
// UNNAMED: func.func @main(%{{.*}}: tensor<?x3xf32>) -> tensor<3x?xf32>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = graph.transpose %x [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
//--- bounded.mlir
func.func @main(%x: tensor<?xf32> {graph.dims = ["b"]}) -> tensor<?xf32> attributes {graph.dim_bounds = {b = #graph.bounds<1 to 64>}} {
  return %x : tensor<?xf32>
}
