// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bench, its file, and the server's protocol.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-run %s --target=interp --random-inputs --bench=3 --bench-json=%t/b.json | FileCheck --check-prefix=TEXT %s
// TEXT: 3 runs: min
// RUN: FileCheck %s < %t/b.json
// CHECK: "arena_bytes":{{[0-9]+}},"compile_ms":{{[0-9.e+-]+}},"first_run_ms":{{[0-9.e+-]+}},"flops":48,"peak_bytes":{{[0-9]+}},"runs_ms":[{{[0-9.e+-]+}},{{[0-9.e+-]+}},{{[0-9.e+-]+}}]
// RUN: printf 'run 2\nwalk\nrun 1\n' | zenith-run %s --target=interp --random-inputs --bench-server --out-dir %t/out | FileCheck --check-prefix=SERVER %s
// SERVER: {"compile_ms":{{.*}},"first_run_ms":{{.*}},"peak_bytes":{{.*}}}
// SERVER-NEXT: {"peak_bytes":{{.*}},"runs_ms":[{{[^,]*}},{{[^,]*}}],"transient_bytes":{{[0-9]+}}}
// SERVER-NEXT: {"error":"unknown request 'walk'"}
// SERVER-NEXT: {"peak_bytes":{{.*}},"runs_ms":[{{[^,]*}}],"transient_bytes":{{[0-9]+}}}
// RUN: ls %t/out/0.npy
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/none.onnx --bench-server | FileCheck --check-prefix=ERROR %s
// ERROR: {"error":"{{.*}}none.onnx
// RUN: zenith-run %s --target=interp --random-inputs --report=time | FileCheck --check-prefix=TIME %s
// TIME: "first_run_ms":
// RUN: zenith-run %s --random-inputs --report=time | FileCheck --check-prefix=PHASES %s
// PHASES: "cached":false
// PHASES-SAME: "kernels":[{"calls":1,"kernel":"k0_contraction","ms":
// PHASES-SAME: "phases":{"clean":{{.*}},"layout":
// PHASES-SAME: "prepare_ms":
// RUN: zenith-run %s --random-inputs --report=roofline | FileCheck --check-prefix=ROOF %s
// ROOF: {"kernels":[{"achieved":{{[^,]*}},"bound":"memory","bytes":104,"calls":1,"flops":48,
// ROOF-SAME: "machine":{"gbytes_per_s":{{[^,]*}},"gflops":{{[^,]*}},"load_average":{{[^,]*}},"spread":{{[^,]*}},"threads":{{[0-9]+}},"under_load":{{true|false}}},"total":{
// RUN: zenith-run %s --random-inputs --report=roofline --report-format=text | FileCheck --check-prefix=TABLE %s
// TABLE: GFLOP/s, {{.*}} GB/s
// TABLE: k0_contraction
// TABLE: total

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %r = graph.dot_general %x, %y <batching = [] x [], contracting = [1] x [0]> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
