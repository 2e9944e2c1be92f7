// One kernel whose micro-kernels are most of the program: threads compile these
// in modules of their own. Those of a known number of rows are few.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: zenith-compile %t/open.mlir --emit=obj --target=cpu:x86-64-v4 -o %t/open && llvm-nm %t/open/kernels0.o | FileCheck --check-prefix=FIRST --implicit-check-not="contraction" %s
// RUN: llvm-nm %t/open/kernels*.o | FileCheck --check-prefix=ALL %s
// FIRST: T open_uk_
// ALL: U open_uk_
// RUN: zenith-compile %t/known.mlir --emit=obj --target=cpu:x86-64-v4 -o %t/known && ls %t/known | FileCheck --check-prefix=KNOWN --implicit-check-not=kernels1 %s
// KNOWN: kernels0.o

//--- open.mlir
func.func @main(%x: tensor<?x768xf32>, %w: tensor<768x3072xf32>) -> tensor<?x3072xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x768xf32>, tensor<768x3072xf32>) -> tensor<?x3072xf32>
  return %0 : tensor<?x3072xf32>
}

//--- known.mlir
func.func @main(%x: tensor<128x768xf32>, %w: tensor<768x3072xf32>) -> tensor<128x3072xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<128x768xf32>, tensor<768x3072xf32>) -> tensor<128x3072xf32>
  return %0 : tensor<128x3072xf32>
}
