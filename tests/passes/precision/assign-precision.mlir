// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of a policy: which ops are narrow, where values are rounded, and why
// others stay f32.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-assign-precision{policy=bf16})' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-assign-precision{policy=bf16-autocast keep-f32=kept explain=true})' 2>&1 | FileCheck %s --check-prefixes=AUTO,WHY
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-assign-precision{policy=fp16-jmp})' | FileCheck %s --check-prefix=JMP
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-assign-precision{policy=bf16-weights})' | FileCheck %s --check-prefix=STORED
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-assign-precision)' | FileCheck %s --check-prefix=NONE
// NONE-NOT: bf16
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(zenith-assign-precision{policy=bf61})' 2>&1 | FileCheck %s --check-prefix=PRESET
// PRESET: 'bf61' is no preset, the nearest is 'bf16'
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(zenith-assign-precision{policy=bf16 keep-f32=fc9})' 2>&1 | FileCheck %s --check-prefix=KEEP
// KEEP: --keep-f32: 'fc9' names no op, the nearest is 'fc1'

// WHY: PRE002: fc1: 'dot_general' multiplies narrow operands (rule allow: operands bf16, sums f32, result bf16)
// WHY: PRE003: act: 'max' follows its narrow operands (rule follow: operands bf16, sums f32, result bf16)
// WHY: PRE103: exp: 'exp' stays f32: ops of its kind are on the list deny
// WHY: PRE104: res: 'add' stays f32: its operand exp is f32
// WHY: PRE102: kept: 'dot_general' stays f32: kept of keep-f32 names it
// WHY: PRE101: half: 'convert' keeps the types that the program wrote
// WHY: PRE107: exact: 'dot_general' stays f32: its source asks for the highest precision
// WHY: PRE116: inside: 'add' stays f32: the value {{.*}}, which a loop or branch carries, is f32
// WHY: PRE108: lookup: 'gather' stays f32: it only looks up parameters and constants

graph.param @w : tensor<8x8xf32>
graph.param @b : tensor<8xf32>

// CHECK-LABEL: @mlp
// CHECK-DAG: %[[W:.*]] = graph.convert %{{.*}} : tensor<8x8xf32> -> tensor<8x8xbf16>
// CHECK-DAG: %[[X:.*]] = graph.convert %{{.*}} : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK: graph.dot_general %[[X]], %[[W]] {{.*}} -> tensor<4x8xf32>
// CHECK: graph.add {{.*}} : tensor<4x8xf32>
// One convert for both readers.
// CHECK: %[[A:.*]] = graph.max {{.*}} : tensor<4x8xf32>
// CHECK: %[[N:.*]] = graph.convert %[[A]] : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK-NOT: graph.convert
// CHECK: graph.dot_general %[[N]], %[[W]]
// CHECK: graph.dot_general %[[N]], %[[W]]
// AUTO-LABEL: @mlp
// AUTO: graph.dot_general {{.*}} -> tensor<4x8xbf16>
// AUTO: graph.max {{.*}} : tensor<4x8xbf16>
// JMP-LABEL: @mlp
// JMP-SAME: -> (tensor<4x8xf16>, tensor<4x8xf16>)
// JMP-DAG: graph.assert {{.*}} "parameter 'w' has values up to {0}, beyond f16, in which 'fc1' reads them: --keep-f32=fc1 computes it in f32"
// STORED-LABEL: @mlp
// STORED: %[[K:.*]] = graph.convert %{{.*}} : tensor<8x8xf32> -> tensor<8x8xbf16>
// STORED: graph.convert %[[K]] : tensor<8x8xbf16> -> tensor<8x8xf32>
func.func @mlp(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = graph.get_param @w : tensor<8x8xf32> loc("w")
  %b = graph.get_param @b : tensor<8xf32> loc("b")
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("fc1")
  %1 = graph.broadcast %b [1] : tensor<8xf32> -> tensor<4x8xf32> loc("rows")
  %2 = graph.add %0, %1 : tensor<4x8xf32> loc("bias")
  %z = graph.constant dense<0.0> : tensor<4x8xf32>
  %3 = graph.max %2, %z : tensor<4x8xf32> loc("act")
  %4 = graph.dot_general %3, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("fc2")
  %5 = graph.dot_general %3, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("fc3")
  return %4, %5 : tensor<4x8xf32>, tensor<4x8xf32>
}

// What a product's readers widen is not rounded before.
// AUTO-LABEL: @readers
// AUTO: graph.dot_general {{.*}} : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
// AUTO: graph.exp
// AUTO: graph.dot_general {{.*}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
func.func @readers(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.get_param @w : tensor<8x8xf32> loc("w")
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("first")
  %1 = graph.exp %0 : tensor<4x8xf32> loc("exp")
  %2 = graph.add %1, %x : tensor<4x8xf32> loc("res")
  %3 = graph.dot_general %2, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("kept")
  return %3 : tensor<4x8xf32>
}

// Types that the program wrote, HIGHEST, loops, and lookups.
// AUTO-LABEL: @others
// AUTO: graph.dot_general {{.*}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
// AUTO: graph.while
func.func @others(%x: tensor<4x8xf32>, %i: tensor<4x1xi64>, %n: tensor<i1>) -> (tensor<4x8xf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = graph.get_param @w : tensor<8x8xf32> loc("w")
  %0 = graph.convert %x : tensor<4x8xf32> -> tensor<4x8xf16> loc("half")
  %1 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> {graph.highest_precision} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("exact")
  %2:2 = graph.while %n, %x cond {
  ^bb0(%c: tensor<i1>, %a: tensor<4x8xf32>):
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%c: tensor<i1>, %a: tensor<4x8xf32>):
    %s = graph.add %a, %a : tensor<4x8xf32> loc("inside")
    %f = graph.constant dense<false> : tensor<i1>
    graph.yield %f, %s : tensor<i1>, tensor<4x8xf32>
  } : (tensor<i1>, tensor<4x8xf32>) -> (tensor<i1>, tensor<4x8xf32>)
  %3 = graph.gather %w, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 8] : (tensor<8x8xf32>, tensor<4x1xi64>) -> tensor<4x8xf32> loc("lookup")
  return %0, %1, %2#1, %3 : tensor<4x8xf16>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
