// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An assertion about elements ends the run with the code of a failed run; one about the inputs' form with that of
// invalid input. The least and the largest index are one kernel.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/../../tools/Inputs/npy.py write %t/i.npy '<i8' 3 0 4 9
// RUN: %python %S/../../tools/Inputs/npy.py write %t/good.npy '<i8' 3 0 3 2
// RUN: %python %S/../../tools/Inputs/exit_code.py 6 zenith-run %s --in 0=%t/i.npy --target=interp | FileCheck --check-prefix=INDEX %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 6 zenith-run %s --in 0=%t/i.npy --target=cpu | FileCheck --check-prefix=INDEX %s
// RUN: %if opencl %{ %python %S/../../tools/Inputs/exit_code.py 6 zenith-run %s --in 0=%t/i.npy --target=opencl | FileCheck --check-prefix=INDEX %s %}
// INDEX: index 9 of 4
// RUN: zenith-run %s --in 0=%t/good.npy --compare=interp
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %s --entry=form --in 0=%t/i.npy --target=cpu | FileCheck --check-prefix=INDEX %s
// RUN: zenith-opt %s --to=fuse | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK: graph.fusion reduction
// CHECK: graph.reduce min
// CHECK: graph.reduce max
// CHECK: graph.assert {{.*}} {graph.run_error}

func.func @main(%i: tensor<?xi64> {graph.dims = ["n"]}) -> tensor<?xi64> {
  %low = graph.reduce min, %i [0] : tensor<?xi64> -> tensor<i64>
  %high = graph.reduce max, %i [0] : tensor<?xi64> -> tensor<i64>
  %zero = graph.constant dense<0> : tensor<i64>
  %end = graph.constant dense<4> : tensor<i64>
  %a = graph.compare ge, %low, %zero : tensor<i64> -> tensor<i1>
  %b = graph.compare lt, %high, %end : tensor<i64> -> tensor<i1>
  %c = graph.and %a, %b : tensor<i1>
  graph.assert %c "index {0} of {1}" (%high, %end) {graph.run_error} : tensor<i1>, tensor<i64>, tensor<i64>
  return %i : tensor<?xi64>
}

func.func @form(%i: tensor<?xi64> {graph.dims = ["n"]}) -> tensor<?xi64> {
  %high = graph.reduce max, %i [0] : tensor<?xi64> -> tensor<i64>
  %end = graph.constant dense<4> : tensor<i64>
  %b = graph.compare lt, %high, %end : tensor<i64> -> tensor<i1>
  graph.assert %b "index {0} of {1}" (%high, %end) : tensor<i1>, tensor<i64>, tensor<i64>
  return %i : tensor<?xi64>
}
