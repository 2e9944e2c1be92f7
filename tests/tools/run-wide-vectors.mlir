// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors wider than the processor's are done in parts, narrower ones as asked; tiles of 512-bit processors stay in registers.
//
// RUN: zenith-run %s --random-inputs=1 --compare=interp --print=0 --target=cpu:x86-64:512
// RUN: zenith-compile %s --emit=asm --target=cpu:znver4 | FileCheck --check-prefix=WIDE %s
// RUN: zenith-compile %s --emit=asm --target=cpu:sapphirerapids | FileCheck --check-prefix=WIDE %s
// RUN: zenith-compile %s --emit=asm --target=cpu:sapphirerapids:256 | FileCheck --check-prefix=HALF %s
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --emit=graphir --target=cpu:x86-64:384 | FileCheck --check-prefix=BITS %s
// WIDE-LABEL: uk_f32_6x4x16{{[a-z0-9_]*}}:
// WIDE-NOT: (%rsp){{.*}}%zmm
// WIDE-NOT: %zmm{{[0-9]+}}, {{[0-9]*}}(%rsp)
// WIDE: vfmadd231ps {{.*}}%zmm
// WIDE-LABEL: uk_f32_
// HALF-NOT: %zmm
// HALF: vfmadd231ps {{.*}}%ymm
// BITS: vectors have 128, 256 or 512 bits, not '384'

func.func @main(%x: tensor<37x45xf32>, %y: tensor<45x130xf32>, %u: tensor<19x35xui8>) -> (tensor<37x130xf32>, tensor<130x37xf32>, tensor<35xf32>) {
  %p = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<37x45xf32>, tensor<45x130xf32>) -> tensor<37x130xf32>
  %e = graph.tanh %p : tensor<37x130xf32>
  %t = graph.transpose %e [1, 0] : tensor<37x130xf32> -> tensor<130x37xf32>
  %f = graph.convert %u : tensor<19x35xui8> -> tensor<19x35xf32>
  %s = graph.reduce sum, %f [0] : tensor<19x35xf32> -> tensor<35xf32>
  return %e, %t, %s : tensor<37x130xf32>, tensor<130x37xf32>, tensor<35xf32>
}
