// Dot products by instructions, for vectors of other lengths than registers have: longer ones are added by parts, shorter
// ones are a part of the shortest register.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:znver4 -o %t.mlir
// RUN: sed 's/#sched.gemm<.*depth = 4>.*k_loop = whole>/#sched.gemm<on = task, tile = [2, 64], lanes = 2>/; s/#sched.gemm<.*rows\].*k_loop = whole>/#sched.gemm<on = task, tile = [2, 16], lanes = 2>/' %t.mlir > %t-short.mlir
// RUN: zenith-opt %t-short.mlir --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=SHORT
// RUN: sed 's/#sched.gemm<.*depth = 4>.*k_loop = whole>/#sched.gemm<on = task, tile = [2, 64], lanes = 64>/; s/#sched.gemm<.*rows\].*k_loop = whole>/#sched.gemm<on = task, tile = [2, 32], lanes = 32>/' %t.mlir > %t-long.mlir
// RUN: zenith-opt %t-long.mlir --from=schedule --to=kernels --target=cpu:znver4 | FileCheck %s --check-prefix=LONG
// RUN: zenith-opt %s --to=schedule --target=cpu:alderlake -o %t-256.mlir
// RUN: sed 's/#sched.gemm<.*depth = 4>.*k_loop = whole>/#sched.gemm<on = task, tile = [2, 16], lanes = 16>/' %t-256.mlir > %t-halves.mlir
// RUN: zenith-opt %t-halves.mlir --from=schedule --to=kernels --target=cpu:alderlake | FileCheck %s --check-prefix=HALVES
//
// SHORT-DAG: llvm.x86.avx512.vpdpbusd.128
// SHORT-DAG: llvm.x86.avx512bf16.dpbf16ps.128
// SHORT-NOT: .64"
// LONG-DAG: llvm.x86.avx512.vpdpbusd.512
// LONG-DAG: llvm.x86.avx512bf16.dpbf16ps.512
// LONG-NOT: vpdpbusd.2048
// HALVES: llvm.x86.avx512.vpdpbusd.256
// HALVES-NOT: vpdpbusd.512
graph.param @w : tensor<64x64xi8> = dense<3> : tensor<64x64xi8>
func.func @main(%a: tensor<20x64xui8>, %p: tensor<8x32xbf16>, %q: tensor<32x32xbf16>) -> (tensor<20x64xi32>, tensor<8x32xf32>) {
  %b = graph.get_param @w : tensor<64x64xi8>
  %x = graph.convert %a : tensor<20x64xui8> -> tensor<20x64xi32>
  %y = graph.convert %b : tensor<64x64xi8> -> tensor<64x64xi32>
  %c = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<20x64xi32>, tensor<64x64xi32>) -> tensor<20x64xi32>
  %d = graph.dot_general %p, %q <batching = [] x [], contracting = [1] x [0]> : (tensor<8x32xbf16>, tensor<32x32xbf16>) -> tensor<8x32xf32>
  return %c, %d : tensor<20x64xi32>, tensor<8x32xf32>
}
