// RUN: zenith-opt %s --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s
// RUN: zenith-opt %s --from=schedule --to=kernels --target=cpu:x86-64-v3 | zenith-opt --from=cpu --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=LLVM

// LLVM: llvm.func @k0_pointwise

// CHECK-LABEL: host.program @two_equal_kernels
// CHECK-SAME: arguments [#host.value<"x", tensor<?x64xf32>, ["n", "64"]>]
// CHECK: host.launch @kernels::@[[K:k0_pointwise[_0-9]*]] pointers [#host.buffer<argument, 0, "0">, #host.buffer<arena, 0, "0">]
// CHECK: host.launch @kernels::@[[K]] pointers [#host.buffer<arena, 0, "0">, #host.buffer<{{(arena|result)}}
// CHECK: host.copy <argument, 0, "0"> to <result, 1, "0"> bytes "256*n"
// CHECK: host.scalar "n" to <result, 2, "0">
// CHECK: module @kernels
// CHECK: func.func @[[K]](
func.func @two_equal_kernels(%x: tensor<?x64xf32> {graph.name = "x", graph.dims = ["n", "64"]})
    -> (tensor<64x64xf32>, tensor<?x64xf32>, tensor<i64>) {
  %a = graph.fusion pointwise (%i = %x : tensor<?x64xf32>) -> tensor<?x64xf32> {
    %r = graph.exp %i : tensor<?x64xf32>
    graph.yield %r : tensor<?x64xf32>
  }
  %b = graph.fusion pointwise (%i = %a : tensor<?x64xf32>) -> tensor<?x64xf32> {
    %r = graph.exp %i : tensor<?x64xf32>
    graph.yield %r : tensor<?x64xf32>
  }
  %c = graph.fusion contraction (%i = %a : tensor<?x64xf32>, %j = %b : tensor<?x64xf32>) -> tensor<64x64xf32> {
    %r = graph.dot_general %i, %j <batching = [] x [], contracting = [0] x [0]> : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<64x64xf32>
    graph.yield %r : tensor<64x64xf32>
  }
  %d = graph.dim %x, 0 : tensor<?x64xf32>
  return %c, %x, %d : tensor<64x64xf32>, tensor<?x64xf32>, tensor<i64>
}
