// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights in bf16: half the bytes, sums in f32, results within bf16's rounding;
// dot products of pairs where the processor has them.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import random, struct; random.seed(1); open('%t/w.raw', 'wb').write(struct.pack('<%%df' %% 9600, *[random.gauss(0, 1) for _ in range(9600)]))"
// The interpreter runs what the policy makes of the program, on every target the same.
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=interp
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=interp --target=cpu:x86-64
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=fp16-autocast --compare=interp
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --target=interp --print=1 | FileCheck --check-prefix=ALIKE %s
// ALIKE: f32
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=f32
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=f32 --per-op
// RUN: %python %S/Inputs/exit_code.py 7 zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=f32 --rtol=1e-5 2>&1 | FileCheck --check-prefix=FAR %s
// FAR: differs from the f32 program's
// RUN: %python %S/Inputs/exit_code.py 7 zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --compare=f32 --per-op --rtol=1e-5 2>&1 | FileCheck --check-prefix=FIRST %s
// FIRST: op 0 is the first that differs from the f32 program's: 'graph.dot_general' op at {{.*}}: the largest difference is
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --report=precision | FileCheck --check-prefix=REPORT %s
// REPORT-COUNT-2: "op":"dot_general","operands":"bf16","own_error":{{.*}}"report":"precision","result":"f32","rule":"allow"
// RUN: zenith-run %t/m.mlir --random-inputs=1 --target=cpu:x86-64-v3 --report=memory | FileCheck --check-prefix=WHOLE %s
// WHOLE: "derived_parameters":{"bytes":43072,
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --target=cpu:x86-64-v3 --report=memory | FileCheck --check-prefix=HALF %s
// HALF: "derived_parameters":{"bytes":21568,
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --target=cpu:x86-64-v3 --explain=precision 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK-COUNT-2: precision PRE002 {{.*}}: 'dot_general' multiplies narrow operands (rule allow: operands bf16, sums f32, result f32)
// RUN: zenith-run %t/m.mlir --random-inputs=1 --mixed-precision=bf16 --target=interp --explain=precision 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: zenith-compile %t/m.mlir --emit=asm --target=cpu:znver3 --mixed-precision=bf16 | FileCheck --check-prefix=AVX2 %s
// AVX2-DAG: vpslld $16
// AVX2-DAG: vfmadd
// RUN: zenith-compile %t/m.mlir --emit=asm --target=cpu:znver4 --mixed-precision=bf16 | FileCheck --check-prefix=PAIRS %s
// PAIRS: vdpbf16ps
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --mixed-precision=f8 --random-inputs 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: --mixed-precision: 'f8' is no preset
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --mixed-precision=bf16 --keep-f32=none --random-inputs 2>&1 | FileCheck --check-prefix=KEEP %s
// KEEP: --keep-f32: 'none' names no op
//
// Types of products by name need no policy beside.
// RUN: echo '{"second": "bf16"}' > %t/second.json
// RUN: zenith-run %t/m.mlir --random-inputs=1 --precision-file=%t/second.json --explain=precision 2>&1 | FileCheck --check-prefix=FILE %s
// FILE-DAG: second: 'dot_general' multiplies narrow operands (rule bound: operands bf16, sums f32, result f32)
// FILE-DAG: first: 'dot_general' {{.*}}operands f32
// RUN: echo '{"secund": "bf16"}' > %t/secund.json
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --mixed-precision=bf16 --precision-file=%t/secund.json 2>&1 | FileCheck --check-prefix=CHOICE %s
// CHOICE: --precision-file: 'secund' names no product, the nearest is 'second'
// RUN: echo '{"second": "bf15"}' > %t/type.json
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/m.mlir --random-inputs --precision-file=%t/type.json 2>&1 | FileCheck --check-prefix=TYPE %s
// TYPE: has "bf15" for 'second', expected one of the types f32, bf16 and f16
// What changes nothing is refused.
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --keep-f32=second 2>&1 | FileCheck --check-prefix=IDLE %s
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %t/m.mlir --keep-f32=second 2>&1 | FileCheck --check-prefix=IDLE %s
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/m.onnx --keep-f32=second 2>&1 | FileCheck --check-prefix=IDLE %s
// IDLE: --keep-f32 has no effect without --mixed-precision or --quantize
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --mixed-precision=bf16 --calibrate 0=x.npy 2>&1 | FileCheck --check-prefix=SAMPLES %s
// SAMPLES: --calibrate has no effect without --quantize or --max-error
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --mixed-precision=bf16 --max-error=1 --calibrate 0=x.npy --precision-file=%t/second.json 2>&1 | FileCheck --check-prefix=BOTH %s
// BOTH: --precision-file and --max-error both choose types of products

graph.param @w : tensor<96x100xf32> = #graph.external<"w.raw", 0, 38400>
func.func @main(%x: tensor<1x96xf32>, %y: tensor<9x96xf32>) -> (tensor<1x100xf32>, tensor<9x100xf32>) {
  %w = graph.get_param @w : tensor<96x100xf32>
  %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<1x96xf32>, tensor<96x100xf32>) -> tensor<1x100xf32> loc("first")
  %s = graph.dot_general %y, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<9x96xf32>, tensor<96x100xf32>) -> tensor<9x100xf32> loc("second")
  return %r, %s : tensor<1x100xf32>, tensor<9x100xf32>
}
