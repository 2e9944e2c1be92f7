// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values wait in a file where the program places them on the host: the same results, nothing left in the folder, and refused before
// the run where the folder has no room.
//
// RUN: rm -rf %t.dir && mkdir %t.dir && echo none > %t.file
// RUN: zenith-run %s --random-inputs=1 --compare=interp --report=memory --offload=%t.dir | FileCheck %s --check-prefix=PLACED
// RUN: zenith-run %s --random-inputs=1 --compare=interp --report=memory | FileCheck %s --check-prefix=STAYS
// RUN: ls -A %t.dir | count 0
// RUN: not zenith-run %s --random-inputs=1 --offload=%t.dir --max-spill=4K 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not zenith-run %s --random-inputs=1 --offload=%t.file 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not zenith-run %s --random-inputs=1 --max-spill=4K 2>&1 | FileCheck %s --check-prefix=SPILL

// PLACED: "offload":{"bytes":16384,"file_peak":16384,"values":1}
// STAYS: "offload":{"bytes":0,"file_peak":0,"values":0}
// FULL: values of 16384 bytes find no room in a file: it may take 4096
// FOLDER: is no folder that can be written to: takes no files: Not a directory
// SPILL: --max-spill has no effect without --offload
func.func @main(%x: tensor<64x64xf32>) -> tensor<f32> {
  %a = graph.dot_general %x, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %w = graph.place %a host : tensor<64x64xf32>
  %b = graph.dot_general %a, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = graph.dot_general %b, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %k:2 = graph.barrier %w, %c : (tensor<64x64xf32>, tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>)
  %d = graph.dot_general %k#1, %x <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = graph.place %k#0 device : tensor<64x64xf32>
  %e = graph.dot_general %d, %r <batching = [] x [], contracting = [1] x [0]> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %j = graph.logistic %e : tensor<64x64xf32>
  %s = graph.reduce sum, %j [0, 1] : tensor<64x64xf32> -> tensor<f32>
  return %s : tensor<f32>
}
