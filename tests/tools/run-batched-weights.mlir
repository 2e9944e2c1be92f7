// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed weights of batched matmuls: any number of rows, an epilogue, the other
// order of dimensions.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(1); open('%t/w.raw', 'wb').write(struct.pack('<%%df' %% 3840, *[random.gauss(0, 1) for _ in range(3840)]))"
// RUN: zenith-run %t/m.mlir --random-inputs=1 --dim=n=9 --compare=interp --atol=1e-5
// RUN: zenith-run %t/m.mlir --random-inputs=1 --dim=n=0 --compare=interp
// RUN: zenith-run %t/m.mlir --random-inputs=1 --dim=n=33 --compare=interp --atol=1e-5 --target=cpu:x86-64-v3
// RUN: zenith-run %t/m.mlir --random-inputs=1 --dim=n=33 --compare=interp --atol=1e-5 --target=cpu:x86-64 --threads=2

graph.param @w : tensor<3x128x10xf32> = #graph.external<"w.raw", 0, 15360>
graph.param @v : tensor<3x10x128xf32> = #graph.external<"w.raw", 0, 15360>
func.func @main(%x: tensor<3x?x10xf32> {graph.dims = ["3", "n", "10"]}, %y: tensor<3x17x10xf32>, %b: tensor<3x1x128xf32>) -> (tensor<3x?x128xf32>, tensor<17x3x128xf32>) {
  %w = graph.get_param @w : tensor<3x128x10xf32>
  %v = graph.get_param @v : tensor<3x10x128xf32>
  %r = graph.dot_general %x, %w <batching = [0] x [0], contracting = [2] x [2]> : (tensor<3x?x10xf32>, tensor<3x128x10xf32>) -> tensor<3x?x128xf32>
  %s = graph.dot_general %y, %v <batching = [0] x [0], contracting = [2] x [1]> : (tensor<3x17x10xf32>, tensor<3x10x128xf32>) -> tensor<3x17x128xf32>
  %c = graph.broadcast %b [0, 1, 2] : tensor<3x1x128xf32> -> tensor<3x17x128xf32>
  %t = graph.add %s, %c : tensor<3x17x128xf32>
  %l = graph.logistic %t : tensor<3x17x128xf32>
  %m = graph.mul %t, %l : tensor<3x17x128xf32>
  %q = graph.transpose %m [1, 0, 2] : tensor<3x17x128xf32> -> tensor<17x3x128xf32>
  return %r, %q : tensor<3x?x128xf32>, tensor<17x3x128xf32>
}
