// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder that takes no entry of that length does not stop the run, and keeps
// nothing of it.
//
// RUN: rm -rf %t
// RUN: %python -c "import resource, subprocess, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048)); sys.exit(subprocess.call(sys.argv[1:]))" zenith-run %s --cache=%t --explain=cache --compare=interp --random-inputs=1 2>&1 | FileCheck %s
// CHECK: CAC101
// CHECK-NEXT: CAC103: cannot write to {{.*}}: File too large
// RUN: ls %t | count 0

func.func @main(%x: tensor<3x64xf32>) -> tensor<3xf32> {
  %r = graph.reduce sum, %x [1] : tensor<3x64xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}
