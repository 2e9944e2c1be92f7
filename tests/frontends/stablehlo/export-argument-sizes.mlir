// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What names of dimensions require of arguments is required of the exported program too, whether an op reads the arguments or
// not, and the names come back.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-translate %s --to-format=stablehlo -o %t/p.mlir --check --dim n=3 --dim m=2
// RUN: FileCheck %s --input-file=%t/p.mlir
// RUN: zenith-translate %t/p.mlir --from-format=stablehlo --to-format=graphir -o - | FileCheck %s --check-prefix=AGAIN
// RUN: zenith-run %t/p.mlir --random-inputs --dim n=3 --dim m=2
// RUN: %python %S/../../tools/Inputs/npy.py write %t/x.npy '<f4' 2 1 2
// RUN: %python %S/../../tools/Inputs/npy.py write %t/y.npy '<f4' 3 1 2 3
// RUN: %python %S/../../tools/Inputs/npy.py write %t/z.npy '<f4' 4x1 1 2 3 4
// RUN: %python %S/../../tools/Inputs/npy.py write %t/w.npy '<f4' 5x1 1 2 3 4 5
// RUN: zenith-run %t/p.mlir --in 0=%t/x.npy --in 1=%t/x.npy --in 2=%t/z.npy
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/p.mlir --in 0=%t/x.npy --in 1=%t/y.npy --in 2=%t/z.npy | FileCheck %s --check-prefix=DIFFER
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/p.mlir --in 0=%t/x.npy --in 1=%t/x.npy --in 2=%t/w.npy --target=interp | FileCheck %s --check-prefix=NO-MULTIPLE

// CHECK-LABEL: @main
// CHECK: stablehlo.get_dimension_size %arg0, dim = 0
// CHECK: stablehlo.get_dimension_size %arg1, dim = 0
// CHECK: stablehlo.custom_call @shape_assertion
// CHECK-SAME: args[0].shape = (n), args[1].shape = (n), args[2].shape = (2*n, m)
// CHECK: stablehlo.get_dimension_size %arg2, dim = 0
// CHECK: stablehlo.custom_call @shape_assertion
// CHECK-NOT: stablehlo.custom_call
// AGAIN: graph.dims = ["n"]
// AGAIN-SAME: graph.dims = ["n"]
// AGAIN-SAME: graph.dims = ["2*n", "m"]
// DIFFER: error: dimension 0 (n) of input 'arg1' is 3, elsewhere it is 2
// NO-MULTIPLE: error: dimension 0 (2*n) of input 'arg2' is 5, elsewhere it is 4
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}, %unread: tensor<?xf32> {graph.dims = ["n"]},
                %twice: tensor<?x?xf32> {graph.dims = ["2*n", "m"]}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
