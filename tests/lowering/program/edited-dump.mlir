// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dump that an editor has broken is refused where it is broken, not compiled with a size of 0.
//
// RUN: zenith-opt %s --to=kernels --target=cpu:x86-64-v3 > %t.mlir
// RUN: zenith-opt %t.mlir --from=cpu --target=cpu:x86-64-v3 | FileCheck %s
// RUN: sed 's/bytes "256\*n"/bytes "256\*"/' %t.mlir | not zenith-opt --from=cpu --target=cpu:x86-64-v3 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: host.copy <argument, 0, "0"> to <result, 0, "0"> bytes "256*n"
// ERROR: {{[0-9]+:[0-9]+}}: error: custom op 'host.copy' got "256*", expected an expression over dimensions
// ERROR-NEXT: host.copy

func.func @main(%x: tensor<?x64xf32> {graph.name = "x", graph.dims = ["n", "64"]}) -> tensor<?x64xf32> {
  return %x : tensor<?x64xf32>
}
