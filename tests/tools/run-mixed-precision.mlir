// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights in bf16: half the bytes, sums in f32, results within bf16's rounding;
// dot products of pairs where the processor has them.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(1); open('%t/w.raw', 'wb').write(struct.pack('<%%df' %% 9600, *[random.gauss(0, 1) for _ in range(9600)]))"
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=interp --atol=0.3 --rtol=0.02
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=interp --atol=0.3 --rtol=0.02 --target=cpu:x86-64
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=fp16 --compare=interp --atol=0.03 --rtol=0.002
// RUN: %python %S/Inputs/exit_code.py 7 zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=interp
// RUN: zenith-run %t/m.mlir --random-inputs=1 --target=cpu:x86-64-v3 --report=memory | FileCheck --check-prefix=WHOLE %s
// WHOLE: "derived_parameters":{"bytes":43072,
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --target=cpu:x86-64-v3 --report=memory | FileCheck --check-prefix=HALF %s
// HALF: "derived_parameters":{"bytes":21568,
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --target=cpu:x86-64-v3 --explain=precision 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK-COUNT-2: precision PRE001 {{.*}} the weights are stored as bf16 in 19200 bytes instead of 38400
// RUN: zenith-compile %t/m.mlir --emit=asm --target=cpu:znver3 --mixed-precision=bf16 | FileCheck --check-prefix=AVX2 %s
// AVX2-DAG: vpslld $16
// AVX2-DAG: vfmadd
// RUN: zenith-compile %t/m.mlir --emit=asm --target=cpu:znver4 --mixed-precision=bf16 | FileCheck --check-prefix=PAIRS %s
// PAIRS: vdpbf16ps
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --mixed-precision=f8 --random-inputs 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: --mixed-precision
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --mixed-precision=bf16 --target=interp --random-inputs 2>&1 | FileCheck --check-prefix=INTERP %s
// INTERP: needs a target that compiles

graph.param @w : tensor<96x100xf32> = #graph.external<"w.raw", 0, 38400>
func.func @main(%x: tensor<1x96xf32>, %y: tensor<9x96xf32>) -> (tensor<1x100xf32>, tensor<9x100xf32>) {
  %w = graph.get_param @w : tensor<96x100xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<1x96xf32>, tensor<96x100xf32>) -> tensor<1x100xf32>
  %s = graph.dot_general %y, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<9x96xf32>, tensor<96x100xf32>) -> tensor<9x100xf32>
  return %r, %s : tensor<1x100xf32>, tensor<9x100xf32>
}
