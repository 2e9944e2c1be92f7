// RUN: zenith-opt %s --zenith-schedule-kernels --zenith-assign-buffers | FileCheck %s

// CHECK: module attributes {host.derived_bytes = 0 : i64}

// CHECK-LABEL: func.func @chain
// CHECK-SAME: host.activations = #graph.dim<"256*n">, host.arena = #graph.dim<"256*n">}
func.func @chain(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]}) -> tensor<64x?xf32> {
  // The first value is read at other indices than the second is written at: it needs bytes of its own.
  // CHECK: graph.fusion pointwise
  // CHECK-SAME: host.buffers = [#host.buffer<arena, 0, "0">]
  %e = graph.fusion pointwise (%a = %x : tensor<?x64xf32>) -> tensor<?x64xf32> {
    %r = graph.exp %a : tensor<?x64xf32>
    graph.yield %r : tensor<?x64xf32>
  }
  // CHECK: graph.fusion pointwise
  // CHECK-SAME: host.buffers = [#host.buffer<result, 0, "0">]
  %t = graph.fusion pointwise (%a = %e : tensor<?x64xf32>) -> tensor<64x?xf32> {
    %r = graph.transpose %a [1, 0] : tensor<?x64xf32> -> tensor<64x?xf32>
    graph.yield %r : tensor<64x?xf32>
  }
  return %t : tensor<64x?xf32>
}
