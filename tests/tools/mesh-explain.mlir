// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two shardings that conflict: what travels, whose shardings ask for it, and what the other choice would have sent.
//
// RUN: zenith-run %s --mesh-devices=4 --random-inputs=1 --print=0 --explain=sharding 2>&1 | FileCheck %s
// CHECK: SHD102 "sum": axis "x" of input: 0 stops before operand 1 of 'graph.add': another dimension has the axis
// CHECK: SHD105 "sum": 'graph.add' is dealt by 'sum' (output: 0), which sends 48 bytes a device; by 'argument 1' (input: 1) it would send 96
// CHECK: SHD101 {{.*}}: 'argument 1' goes from [{}, {x}] (input: 1) to [{x}, {}] for 'graph.add' (output: 0): all_to_all, 48 bytes a device
// CHECK-NOT: SHD104

graph.mesh @mesh = <["x"=4]>

func.func @main(%x: tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>}, %y: tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<8x8xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {}]>}) {
  %s = graph.add %x, %y : tensor<8x8xf32> loc("sum")
  return %s : tensor<8x8xf32>
}
