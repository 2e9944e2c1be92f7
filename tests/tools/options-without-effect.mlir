// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An option that would change nothing is a usage error that says why.
//
// RUN: rm -rf %t && mkdir %t
// RUN: cp %s %t/m.mlir
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/h.mlir --to-format=stablehlo --opset=17 | FileCheck --check-prefix=OPSET %s
// OPSET: --opset has no effect on output that is no ONNX
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/g.mlir --external-data | FileCheck --check-prefix=EXTERNAL %s
// EXTERNAL: --external-data has no effect on output that is no ONNX
// RUN: %python %S/Inputs/exit_code.py 1 zenith-translate %t/m.mlir -o %t/g.mlir --dim n=2 | FileCheck --check-prefix=DIM %s
// DIM: --dim: the program has no dimension 'n'; it has none
// RUN: zenith-translate %t/m.mlir -o %t/m.onnx --opset=17 --check
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --target=interp --cache=%t/c | FileCheck --check-prefix=CACHE %s
// CACHE: --cache has no effect without --target=cpu
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --target=interp --explain=fusion | FileCheck --check-prefix=EXPLAIN %s
// EXPLAIN: --explain has no effect with --target=interp
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --explain-format=json | FileCheck --check-prefix=FORMAT %s
// FORMAT: --explain-format has no effect without --explain
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --rtol=1 | FileCheck --check-prefix=RTOL %s
// RTOL: --rtol has no effect without --expect or --compare
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --out-format=pb | FileCheck --check-prefix=OUT %s
// OUT: --out-format has no effect without --out-dir
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --explain=colour | FileCheck --check-prefix=TOPIC %s
// TOPIC: --explain: {{.*}}colour
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %t/m.mlir --emit=kernels --to=clean | FileCheck --check-prefix=TO %s
// TO: --to has no effect without --emit=graphir
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %t/m.mlir --emit=graphir --compile-threads=1 | FileCheck --check-prefix=THREADS %s
// THREADS: --compile-threads has no effect without --emit=llvm, asm or obj
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %t/m.mlir --emit=asm --cache=%t/c | FileCheck --check-prefix=OBJECT %s
// OBJECT: --cache has no effect without --emit=obj
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %t/m.mlir --dump-schedules=%t/s.json | FileCheck --check-prefix=SCHEDULES %s
// SCHEDULES: --dump-schedules has no effect on output before the phase schedule
// RUN: zenith-compile %t/m.mlir --to=schedule --dump-schedules=%t/s.json -o %t/g.mlir && FileCheck --check-prefix=KERNELS %s < %t/s.json
// KERNELS: "kernels"
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --per-op | FileCheck --check-prefix=PEROP %s
// PEROP: --per-op has no effect without --compare
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --random-inputs --bench-json=%t/b.json | FileCheck --check-prefix=BENCH %s
// BENCH: --bench-json has no effect without --bench
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-search bfs lrx:4 --max-spill=1G | FileCheck --check-prefix=SPILL %s
// SPILL: --max-spill has no effect without --max-memory
// RUN: %python %S/Inputs/exit_code.py 1 zenith-search bfs lrx:4 --target=interp --without=marks | FileCheck --check-prefix=FORMS %s
// FORMS: --without has no effect with --target=interp
// RUN: %python %S/Inputs/exit_code.py 1 zenith-search path lrx:4 --from=3210 --emit=graphir --json=- | FileCheck --check-prefix=JSON %s
// JSON: --json has no effect with --emit
// RUN: %python %S/Inputs/exit_code.py 1 zenith-search bfs lrx:4 --report-format=text | FileCheck --check-prefix=REPORT %s
// REPORT: --report-format has no effect without --report
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-cache explain 0123 --cache=%t/c --dim n=2 | FileCheck --check-prefix=ENTRY %s
// ENTRY: --dim has no effect on the name of an entry
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
