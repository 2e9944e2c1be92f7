// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of a program against central differences; a custom rule that is wrong is found, and the worst element named.
//
// RUN: zenith-run %s --entry=right --random-inputs --check-grads=2 | FileCheck %s --check-prefix=RIGHT
// RUN: not zenith-run %s --entry=wrong --random-inputs --check-grads 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not zenith-run %s --entry=right --random-inputs --check-grads=3 2>&1 | FileCheck %s --check-prefix=ORDER

// RIGHT: derivatives compared; the worst, @right{{.*}}
// WRONG: derivatives differ: {{.*}} the worst, @wrong_vjp: gradient of argument 0 at
// ORDER: --check-grads
func.func @right(%x: tensor<3xf32>, %i: tensor<2x1xi64>) -> tensor<2xf32> {
  %s = graph.sin %x : tensor<3xf32>
  %r = graph.gather %s, %i <offset = [], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1]
    : (tensor<3xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

func.func private @square(%x: tensor<3xf32>) -> tensor<3xf32> attributes {graph.custom_jvp = @square_jvp} {
  %r = graph.mul %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func private @square_jvp(%x: tensor<3xf32>, %t: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r = graph.mul %x, %x : tensor<3xf32>
  %d = graph.mul %x, %t : tensor<3xf32>
  return %r, %d : tensor<3xf32>, tensor<3xf32>
}
func.func @wrong(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = call @square(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
