// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes a byte of a byte is looked up in a table, which parameters and
// constants alone decide; kernels find the same bytes as the interpreter.
//
// RUN: rm -rf %t && mkdir %t && sed -e 's/^module .*{$/module {/' %s > %t/m.mlir
// RUN: %python -c "import struct; open('%t/w.raw', 'wb').write(struct.pack('<2f', 0.5, 6.0))"
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-tabulate-bytes))' | FileCheck %s -enable-var-scope
// RUN: zenith-run %t/m.mlir --entry=requantized --random-inputs=1 --compare=interp --threads=2
// RUN: zenith-run %t/m.mlir --entry=requantized --random-inputs=1 --compare=interp --target=cpu:x86-64-v3
// RUN: zenith-run %t/m.mlir --entry=signed_bytes --random-inputs=1 --compare=interp --threads=2

module attributes {graph.target = #graph.target<"cpu:znver4", lanes = 16, registers = 32, avx512 = true, vbmi = true, nr = 64>} {
graph.param @scale : tensor<1xf32> = #graph.external<"w.raw", 0, 4>
graph.param @most : tensor<f32> = #graph.external<"w.raw", 4, 4>

// CHECK-LABEL: @requantized
// CHECK: %[[ALL:.*]] = graph.iota 0 : tensor<256xui8>
// CHECK: %[[WIDE:.*]] = graph.convert %[[ALL]] : tensor<256xui8> -> tensor<256xf32>
// CHECK: graph.clamp %{{.*}} : tensor<256xf32>
// CHECK: %[[TABLE:.*]] = graph.convert %{{.*}} : tensor<256xf32> -> tensor<256xui8>
// CHECK: graph.gather %[[TABLE]], %arg0 <offset = [], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1]
func.func @requantized(%x: tensor<70x77xui8>) -> tensor<70x77xui8> {
  %w = graph.convert %x : tensor<70x77xui8> -> tensor<70x77xf32>
  %zero = graph.constant dense<100.0> : tensor<70x77xf32>
  %d = graph.sub %w, %zero : tensor<70x77xf32>
  %s = graph.get_param @scale : tensor<1xf32>
  %ss = graph.reshape %s : tensor<1xf32> -> tensor<f32>
  %scale = graph.broadcast %ss [] : tensor<f32> -> tensor<70x77xf32>
  %m = graph.mul %d, %scale : tensor<70x77xf32>
  %least = graph.constant dense<0.0> : tensor<70x77xf32>
  %h = graph.get_param @most : tensor<f32>
  %most = graph.broadcast %h [] : tensor<f32> -> tensor<70x77xf32>
  %c = graph.clamp %least, %m, %most : tensor<70x77xf32>
  %next = graph.constant dense<0.03> : tensor<70x77xf32>
  %q = graph.div %c, %next : tensor<70x77xf32>
  %r = graph.round_even %q : tensor<70x77xf32>
  %top = graph.constant dense<255.0> : tensor<70x77xf32>
  %t = graph.min %r, %top : tensor<70x77xf32>
  %b = graph.convert %t : tensor<70x77xf32> -> tensor<70x77xui8>
  return %b : tensor<70x77xui8>
}

// Signed bytes are looked up by their bits, between a matmul and its result
// too.
// CHECK-LABEL: @signed_bytes
// CHECK: %[[ALL:.*]] = graph.iota 0 : tensor<256xui8>
// CHECK: graph.bitcast %[[ALL]] : tensor<256xui8> -> tensor<256xi8>
// CHECK: %[[AT:.*]] = graph.bitcast %{{.*}} : tensor<70x128xi8> -> tensor<70x128xui8>
// CHECK: graph.gather %{{.*}}, %[[AT]]
func.func @signed_bytes(%x: tensor<70x40xf32>, %y: tensor<40x128xf32>) -> tensor<70x128xi8> {
  %p = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<70x40xf32>, tensor<40x128xf32>) -> tensor<70x128xf32>
  %low = graph.constant dense<-128.0> : tensor<70x128xf32>
  %high = graph.constant dense<127.0> : tensor<70x128xf32>
  %a = graph.clamp %low, %p, %high : tensor<70x128xf32>
  %b = graph.convert %a : tensor<70x128xf32> -> tensor<70x128xi8>
  %w = graph.convert %b : tensor<70x128xi8> -> tensor<70x128xf32>
  %s = graph.constant dense<0.05> : tensor<70x128xf32>
  %m = graph.mul %w, %s : tensor<70x128xf32>
  %t = graph.tanh %m : tensor<70x128xf32>
  %u = graph.constant dense<127.0> : tensor<70x128xf32>
  %v = graph.mul %t, %u : tensor<70x128xf32>
  %r = graph.round_even %v : tensor<70x128xf32>
  %c = graph.convert %r : tensor<70x128xf32> -> tensor<70x128xi8>
  return %c : tensor<70x128xi8>
}

// Few steps, a factor for each column, and a value that others read.
// CHECK-LABEL: @stays
// CHECK-NOT: graph.gather
func.func @stays(%x: tensor<70x77xui8>, %y: tensor<70x77xui8>, %f: tensor<77xf32>) -> (tensor<70x77xui8>, tensor<70x77xui8>, tensor<70x77xf32>) {
  %one = graph.constant dense<1.0> : tensor<70x77xf32>
  %two = graph.constant dense<2.0> : tensor<70x77xf32>
  %top = graph.constant dense<255.0> : tensor<70x77xf32>
  %x0 = graph.convert %x : tensor<70x77xui8> -> tensor<70x77xf32>
  %x1 = graph.add %x0, %one : tensor<70x77xf32>
  %x2 = graph.min %x1, %top : tensor<70x77xf32>
  %x3 = graph.convert %x2 : tensor<70x77xf32> -> tensor<70x77xui8>
  %y0 = graph.convert %y : tensor<70x77xui8> -> tensor<70x77xf32>
  %y1 = graph.add %y0, %one : tensor<70x77xf32>
  %y2 = graph.mul %y1, %y1 : tensor<70x77xf32>
  %y3 = graph.sqrt %y2 : tensor<70x77xf32>
  %y4 = graph.div %y3, %two : tensor<70x77xf32>
  %y5 = graph.round_even %y4 : tensor<70x77xf32>
  %y6 = graph.convert %y5 : tensor<70x77xf32> -> tensor<70x77xui8>
  return %x3, %y6, %y4 : tensor<70x77xui8>, tensor<70x77xui8>, tensor<70x77xf32>
}
}
