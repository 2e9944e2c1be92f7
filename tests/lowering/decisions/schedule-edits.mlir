// Seen, explained, dumped, edited: an edited schedule is honoured and gives the interpreter's values.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-compile %s --target=cpu:x86-64-v3 --emit=graphir --to=schedule --dump-schedules=%t/a.json -o %t/a.mlir
// RUN: zenith-compile %s --target=cpu:x86-64-v3 --emit=graphir --to=schedule --dump-schedules=%t/b.json -o %t/b.mlir
// RUN: cmp %t/a.json %t/b.json && cmp %t/a.mlir %t/b.mlir
// RUN: FileCheck --check-prefix=JSON %s < %t/a.json
// RUN: FileCheck --check-prefix=IR %s < %t/a.mlir
// RUN: zenith-compile %t/a.mlir --target=cpu:x86-64-v3 --from=schedule --emit=graphir --to=schedule -o - | FileCheck --check-prefix=IR %s
// RUN: zenith-run %s --random-inputs --compare=interp --print=0 --explain=schedule --dump-schedules=%t/run.json 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: FileCheck --check-prefix=KEYS %s < %t/run.json
//
// RUN: sed 's/#sched.gemm<[^<>]*\(<[^<>]*>[^<>]*\)*>/#sched.gemm<on = task, tile = [3, 16], lanes = 8>/' %t/a.mlir > %t/tile.mlir
// RUN: zenith-run %t/tile.mlir --from=schedule --target=cpu:x86-64-v3 --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4
// RUN: zenith-compile %t/tile.mlir --from=schedule --target=cpu:x86-64-v3 --emit=kernels -o - | FileCheck --check-prefix=TILE %s
// RUN: sed 's/tile = \[6, 16\]/tile = [6, 12]/' %t/a.mlir > %t/wrong.mlir
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/wrong.mlir --from=schedule --target=cpu:x86-64-v3 --random-inputs | FileCheck --check-prefix=WRONG %s
// RUN: %python %S/../../tools/Inputs/exit_code.py 1 zenith-run %s --target=interp --random-inputs --dump-schedules=%t/c.json | FileCheck --check-prefix=INTERP %s

// JSON: "version": 1,
// JSON: "target_model": {
// JSON: "lanes": 8,
// JSON: "function": "main",
// JSON-NEXT: "kernel": "k0_contraction",
// JSON-NEXT: "kind": "gemm",
// JSON-NEXT: "schedule": "#sched.gemm<on = task, tile = [6, 16], lanes = 8,
// JSON-NEXT: "on": "task",
// JSON-NEXT: "tasks": "{{[0-9]+}}",
// JSON: "local_bytes": 0,
// JSON-NEXT: "registers": 12,
// JSON: "estimate_us":
// JSON: "bound": "{{launch|compute|memory}}"
// JSON: "source": [
// JSON: schedule-edits.mlir:
// JSON: "rejected": [
// JSON: "schedule": "#sched.gemm<on = task, tile = [6, 8], lanes = 8>",
// JSON-NEXT: "why": "a smaller tile loads more for each multiply-add",
// JSON-NEXT: "estimate_us": {{[0-9.]+}}
// IR: graph.phase = "schedule"
// IR: graph.fusion contraction
// IR-SAME: schedule = #sched.gemm<on = task, tile = [6, 16], lanes = 8
// REMARK: schedule SCH001 {{.*}}: #sched.gemm<on = task, {{.*}}>, about {{[0-9.]+}} us; next was #sched.gemm<on = task, {{.*}}>, about {{[0-9.]+}} us: a smaller tile loads more for each multiply-add
// KEYS: "scratch_bytes":
// TILE: uk_{{.*}}3x
// WRONG: error: 'graph.fusion' op schedule: lanes: got 8, expected a divisor of 12 columns (sched_c6)
// INTERP: --dump-schedules has no effect with --target=interp
func.func @main(%x: tensor<64x128xf32>, %w: tensor<128x96xf32>) -> tensor<64x96xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
  %1 = graph.tanh %0 : tensor<64x96xf32>
  return %1 : tensor<64x96xf32>
}
