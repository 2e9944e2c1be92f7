// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of one mesh have the same bits on any number of threads and in every run; random bits have them on any number of devices.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-run %s --entry=sums --mesh-devices=8 --random-inputs=1 --print=0 --threads=1 --out-dir=%t/1
// RUN: zenith-run %s --entry=sums --mesh-devices=8 --random-inputs=1 --print=0 --threads=2 --out-dir=%t/2
// RUN: zenith-run %s --entry=sums --mesh-devices=8 --random-inputs=1 --print=0 --threads=7 --out-dir=%t/7
// RUN: zenith-run %s --entry=sums --mesh-devices=8 --random-inputs=1 --print=0 --threads=16 --out-dir=%t/16
// RUN: cmp %t/1/0.npy %t/2/0.npy && cmp %t/1/0.npy %t/7/0.npy && cmp %t/1/0.npy %t/16/0.npy
// RUN: zenith-run %s --entry=draws --print=0 --random-inputs=1 --out-dir=%t/whole
// RUN: zenith-run %s --entry=draws --print=0 --random-inputs=1 --mesh-devices=8 --out-dir=%t/dealt
// RUN: cmp %t/whole/0.npy %t/dealt/0.npy
// RUN: not cmp %t/1/0.npy %t/whole/0.npy

graph.mesh @mesh = <["x"=2, "y"=4]>

func.func @sums(%x: tensor<64x128xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {"y"}]>},
    %w: tensor<128x32xf32> {graph.sharding = #graph.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<64xf32> {graph.sharding = #graph.sharding<@mesh, [{}]>}) {
  %p = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  %r = graph.reduce sum, %p [1] : tensor<64x32xf32> -> tensor<64xf32>
  return %r : tensor<64xf32>
}

func.func @draws(%k: tensor<2xui32>) -> (tensor<16x12xf32> {graph.sharding = #graph.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %r = graph.random_uniform %k : tensor<2xui32> -> tensor<16x12xf32>
  return %r : tensor<16x12xf32>
}
