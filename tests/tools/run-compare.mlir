// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code beside the interpreter, whole and op by op; budgets; parameters that replace others.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-run %s --random-inputs --dim n=5 --compare=interp --per-op --threads=2 | FileCheck --check-prefix=EACH %s
// EACH: compared with the interpreter, op by op: 5 results, 36 elements: {{equal|the largest difference is .* of 'graph\..*' op}}
// EACH-NEXT: compared with the interpreter: 1 result, 5 elements:
// RUN: zenith-run %s --random-inputs --dim n=0 --compare=interp
// RUN: %python %S/Inputs/exit_code.py 5 zenith-run %s --random-inputs --dim n=100000 --max-memory=1K | FileCheck --check-prefix=MEMORY %s
// MEMORY: zenith-run: error:
// RUN: zenith-run %s --random-inputs --dim n=5 --explain=fusion --explain-format=json 2>&1 | FileCheck --check-prefix=EXPLAIN %s
// EXPLAIN: {"code":"FUS{{.*}}","location":{{.*}},"payload":{{.*}},"text":{{.*}},"topic":"fusion"}
// RUN: zenith-run %s --random-inputs --dim n=5 --report=memory | FileCheck --check-prefix=REPORT %s
// REPORT: "arena"
// RUN: zenith-run %s --random-inputs --dim n=5 --report=memory --target=interp | FileCheck --check-prefix=PROCESS %s
// PROCESS: {"entry":"main","inputs":40,"measured_peak":{{[1-9][0-9]+}},"parameters":8}
// RUN: printf '\072\000\000\000\000\000\000\000{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}    \000\000\100\100\000\000\200\100' > %t/other.safetensors
// RUN: zenith-run %s --random-inputs --dim n=3 --params=%t/other.safetensors --compare=interp --out-dir %t/cpu
// RUN: zenith-run %s --random-inputs --dim n=3 --params=%t/other.safetensors --target=interp --expect 0=%t/cpu/0.npy | FileCheck --check-prefix=EXPECTED %s
// EXPECTED: compared with the expected results: 1 result, 3 elements:
// RUN: %python %S/Inputs/exit_code.py 7 zenith-run %s --random-inputs --dim n=3 --expect 0=%t/cpu/0.npy | FileCheck --check-prefix=DIFFERS %s
// DIFFERS: result '0' differs

graph.param @w : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
func.func @main(%x: tensor<?x2xf32> {graph.name = "x", graph.dims = ["n", "2"]}) -> (tensor<?xf32> {graph.name = "y", graph.dims = ["n"]}) {
  %w = graph.get_param @w : tensor<2xf32>
  %n = graph.dim %x, 0 : tensor<?x2xf32>
  %b = graph.broadcast %w [1] [%n] : tensor<2xf32> -> tensor<?x2xf32>
  %m = graph.mul %x, %b : tensor<?x2xf32>
  %t = graph.tanh %m : tensor<?x2xf32>
  %r = graph.reduce sum, %t [1] : tensor<?x2xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
