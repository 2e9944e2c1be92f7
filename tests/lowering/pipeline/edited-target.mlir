// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dump keeps its target's model, so an edited one makes other choices: panels that a smaller second-level cache doesn't
// hold are prefetched. Once schedules are written, they say so, and emission reads.
//
// RUN: zenith-opt %s --to=fuse --target=cpu:x86-64-v3 -o %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/l2_bytes = 524288/l2_bytes = 65536/' %t.mlir > %t-small.mlir
// RUN: zenith-opt %t-small.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=SMALL
// RUN: zenith-opt %t-small.mlir --from=schedule --to=schedule --target=cpu:x86-64-v3 | sed 's/l2_bytes = 65536/l2_bytes = 524288/' > %t-decided.mlir
// RUN: zenith-opt %t-decided.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=DECIDED
// RUN: sed 's/avx512 = false/avx512 = true/' %t.mlir > %t-wide.mlir
// RUN: not zenith-opt %t-wide.mlir --from=schedule --to=kernels --target=cpu:x86-64-v3 2>&1 | FileCheck %s --check-prefix=LACKS

// LARGE: l2_bytes = 524288
// LARGE-NOT: memref.prefetch
// SMALL: l2_bytes = 65536
// SMALL: memref.prefetch
// DECIDED: l2_bytes = 524288
// DECIDED: memref.prefetch
// LACKS: error: graph.target 'cpu:x86-64-v3' counts on 'avx512', which target 'cpu:x86-64-v3' lacks
module {
  graph.param @w : tensor<128x256xf32>
  func.func @main(%x: tensor<64x128xf32>) -> tensor<64x256xf32> {
    %w = graph.get_param @w : tensor<128x256xf32>
    %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    return %r : tensor<64x256xf32>
  }
}
