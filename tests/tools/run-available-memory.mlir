// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A size from data beyond what the machine has is refused, not reserved until the system kills someone.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python %S/Inputs/npy.py write %t/n.npy '<i8' 1 1099511627776
// RUN: %python %S/Inputs/npy.py write %t/few.npy '<i8' 1 3
// RUN: zenith-run %t/m.mlir --in n=%t/few.npy --compare=interp
// RUN: %python %S/Inputs/exit_code.py 5 zenith-run %t/m.mlir --in n=%t/n.npy | FileCheck %s
// CHECK: error: {{.*}} of 4398046511104 bytes does not fit: {{[0-9]+}} bytes of memory are available
// RUN: %python %S/Inputs/exit_code.py 5 zenith-run %t/m.mlir --in n=%t/n.npy --target=interp | FileCheck --check-prefix=INTERP %s
// INTERP: error: {{.*}} a value would take 4398046511104 bytes, the limit is {{[0-9]+}}
// RUN: %python %S/Inputs/exit_code.py 5 zenith-run %t/m.mlir --in n=%t/n.npy --max-memory=1G | FileCheck --check-prefix=BUDGET %s
// BUDGET: budget of 1073741824
func.func @main(%n: tensor<1xi64> {graph.name = "n"}) -> tensor<?xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %s = graph.reshape %n : tensor<1xi64> -> tensor<i64>
  %r = graph.broadcast %one [] [%s] : tensor<f32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
