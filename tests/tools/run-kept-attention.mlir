// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two products around a softmax become attention. Whoever names one of the
// three keeps it, and so does a product that asks for all digits.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: zenith-run %t/plain.mlir --random-inputs=1 --mixed-precision=bf16 --explain=precision 2>&1 | FileCheck --check-prefix=NARROW %s
// NARROW: PRE002 {{.*}}mix: 'attention' multiplies narrow operands
// RUN: zenith-run %t/plain.mlir --random-inputs=1 --mixed-precision=bf16 --keep-f32=scores --explain=precision 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: zenith-run %t/plain.mlir --random-inputs=1 --mixed-precision=bf16 --keep-f32=weig* --explain=precision 2>&1 | FileCheck --check-prefix=KEPT %s
// KEPT: PRE102 {{.*}}mix: 'attention' stays f32
// RUN: zenith-run %t/highest.mlir --random-inputs=1 --mixed-precision=bf16 --explain=precision 2>&1 | FileCheck --check-prefix=HIGHEST %s
// HIGHEST: PRE107 {{.*}}mix: 'attention' stays f32

//--- plain.mlir
func.func @main(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %s = graph.dot_general %q, %k <batching = [] x [], contracting = [1] x [1]> : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32> loc("scores")
  %w = graph.softmax %s [1] : tensor<4x6xf32> loc("weights")
  %r = graph.dot_general %w, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32> loc("mix")
  return %r : tensor<4x8xf32>
}

//--- highest.mlir
func.func @main(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %s = graph.dot_general %q, %k <batching = [] x [], contracting = [1] x [1]> {graph.highest_precision} : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32> loc("scores")
  %w = graph.softmax %s [1] : tensor<4x6xf32> loc("weights")
  %r = graph.dot_general %w, %v <batching = [] x [], contracting = [1] x [0]> : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32> loc("mix")
  return %r : tensor<4x8xf32>
}
