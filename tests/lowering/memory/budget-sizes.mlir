// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the sizes of arguments decide what a run takes, an executable has up to three plans, and each run takes the cheapest one
// that fits: the plain one for few rows, others for more, with the same results. A size that no plan fits is refused.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat budget-bytes=70000})' | FileCheck %s
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-phases{to=remat})' | FileCheck %s --check-prefix=ONE
// RUN: zenith-run %s --random-inputs=1 --dim n=32 --max-memory=70000 --report=memory --compare=interp | FileCheck %s --check-prefix=FEW
// RUN: zenith-run %s --random-inputs=1 --dim n=64 --max-memory=70000 --report=memory --compare=interp | FileCheck %s --check-prefix=MANY
// RUN: zenith-run %s --random-inputs=1 --dim n=64 --max-memory=70000 --out-dir=%t.again
// RUN: zenith-run %s --random-inputs=1 --dim n=64 --out-dir=%t.plain
// RUN: diff -r %t.again %t.plain
// RUN: rm -rf %t.cache
// RUN: zenith-run %s --random-inputs=1 --dim n=64 --max-memory=70000 --cache=%t.cache
// RUN: zenith-run %s --random-inputs=1 --dim n=64 --max-memory=70000 --cache=%t.cache --report=memory | FileCheck %s --check-prefix=MANY
// RUN: not zenith-run %s --random-inputs=1 --dim n=640 --max-memory=70000 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK-LABEL: func.func @main(
// CHECK-NOT: graph.recomputes
// CHECK: func.func @main_0(
// CHECK-SAME: graph.plan_of = @main
// CHECK: graph.recomputes
// CHECK: func.func @main_1(
// CHECK-SAME: graph.plan_of = @main
// ONE-NOT: graph.plan_of
// FEW: "budget":70000
// FEW-SAME: "entry":"main"
// FEW-SAME: "recomputed":0
// MANY: "budget":70000
// MANY-SAME: "entry":"main"
// MANY-SAME: "recomputed":{{[1-9]}}
// REFUSED: --max-memory=70000 cannot be met: 70000 bytes
func.func @main(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]}, %w: tensor<64x64xf32>) -> tensor<f32> {
  %a = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %b = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %c = graph.dot_general %b, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %d = graph.dot_general %c, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %e = graph.dot_general %d, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %g = graph.dot_general %d, %e <batching = [] x [], contracting = [0] x [0]> : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<64x64xf32>
  %h = graph.dot_general %c, %g <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %i = graph.dot_general %b, %h <batching = [] x [], contracting = [0] x [0]> : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<64x64xf32>
  %j = graph.dot_general %a, %i <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %l = graph.logistic %j : tensor<?x64xf32>
  %s = graph.reduce sum, %l [0, 1] : tensor<?x64xf32> -> tensor<f32>
  return %s : tensor<f32>
}
