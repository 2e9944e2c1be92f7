// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads at positions that the operand does not have are mistakes of the sizes given, on every target, also inside of larger
// fusions and where nobody reads the result (dead-reads.mlir); of no position there is nothing to read.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=arg_reduce --random-inputs --dim n=0 --target=interp | FileCheck --check-prefix=ARG %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=arg_reduce --random-inputs --dim n=0 --target=cpu | FileCheck --check-prefix=ARG %s
// RUN: %if opencl %{ %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=arg_reduce --random-inputs --dim n=0 --target=opencl | FileCheck --check-prefix=ARG %s %}
// ARG: the least size of a reduced dimension, 1, exceeds 0
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=fused --random-inputs --dim n=0 --target=interp | FileCheck --check-prefix=ARG %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=fused --random-inputs --dim n=0 --target=cpu | FileCheck --check-prefix=ARG %s
// RUN: %if opencl %{ %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=fused --random-inputs --dim n=0 --target=opencl | FileCheck --check-prefix=ARG %s %}
// RUN: zenith-run %s --entry=fused --random-inputs --dim n=3 --compare=interp
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=gather --random-inputs --dim n=0 --dim k=2 --target=interp | FileCheck --check-prefix=SLICE %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=gather --random-inputs --dim n=0 --dim k=2 --target=cpu | FileCheck --check-prefix=SLICE %s
// RUN: %if opencl %{ %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=gather --random-inputs --dim n=0 --dim k=2 --target=opencl | FileCheck --check-prefix=SLICE %s %}
// SLICE: the size of a slice, 1 ({{.*}}), exceeds 0
// RUN: zenith-run %s --entry=gather --random-inputs --dim n=0 --dim k=0 --compare=interp
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=part --random-inputs --dim n=3 --target=interp | FileCheck --check-prefix=PART %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=part --random-inputs --dim n=3 --target=cpu | FileCheck --check-prefix=PART %s
// PART: the size of a part, 4, exceeds 3

func.func @arg_reduce(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}) -> tensor<3xi64> {
  %r = graph.arg_reduce max, %x 0 : tensor<?x3xf32> -> tensor<3xi64>
  return %r : tensor<3xi64>
}

func.func @fused(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}) -> tensor<3xf32> {
  %e = graph.exp %x : tensor<?x3xf32>
  %r = graph.arg_reduce min, %e 0 : tensor<?x3xf32> -> tensor<3xi64>
  %f = graph.convert %r : tensor<3xi64> -> tensor<3xf32>
  %s = graph.sin %f : tensor<3xf32>
  return %s : tensor<3xf32>
}

func.func @gather(%x: tensor<?x3xf32> {graph.dims = ["n", "3"]}, %i: tensor<?xi64> {graph.dims = ["k"]}) -> tensor<?x3xf32> {
  %r = graph.gather %x, %i <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 3]
    : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  %e = graph.exp %r : tensor<?x3xf32>
  return %e : tensor<?x3xf32>
}

func.func @part(%x: tensor<?xf32> {graph.dims = ["n"]}, %i: tensor<i64>) -> tensor<4xf32> {
  %r = graph.dynamic_slice %x, %i : (tensor<?xf32>, tensor<i64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
