// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every dump is a program: it is verified, runs on from where it left the phases, and gives the results of the whole.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: zenith-run %t/m.mlir --random-inputs=3 --dim n=5 --out-dir %t/all
// RUN: zenith-compile %t/m.mlir --emit=kernels --dump-phases=%t/dumps -o /dev/null
// RUN: zenith-opt %t/dumps/11-kernels.mlir --to=cpu --dump-phases=%t/dumps -o /dev/null
// RUN: ls %t/dumps | FileCheck --check-prefix=NAMES %s
// NAMES: 00-import.mlir
// NAMES: 12-cpu.mlir
//
// RUN: cat %t/dumps/07-fuse.mlir | FileCheck --check-prefix=RECORD %s
// RECORD: module attributes {graph.phase = "fuse", graph.target = #graph.target<"cpu:{{[a-z0-9-]+}}"
// RECORD-NOT: loc(
//
// RUN: zenith-run %t/dumps/00-import.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/01-clean.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/02-propagate.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/03-partition.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/04-precision.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/05-outline.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/06-layout.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/07-fuse.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/08-schedule.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/09-remat.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/10-plan.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/11-kernels.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: zenith-run %t/dumps/12-cpu.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
//
// Without the attribute the ops say where to go on.
// RUN: sed 's/graph.phase = "[a-z]*", //' %t/dumps/05-outline.mlir > %t/outlined.mlir
// RUN: zenith-run %t/outlined.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: sed 's/graph.phase = "[a-z]*", //' %t/dumps/07-fuse.mlir > %t/fused.mlir
// RUN: zenith-run %t/fused.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: sed 's/graph.phase = "[a-z]*", //' %t/dumps/10-plan.mlir > %t/planned.mlir
// RUN: zenith-run %t/planned.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: sed 's/graph.phase = "[a-z]*", //' %t/dumps/11-kernels.mlir > %t/kernels.mlir
// RUN: zenith-run %t/kernels.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
//
// RUN: zenith-run %t/dumps/01-clean.mlir --random-inputs=3 --dim n=5 --target=interp --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/dumps/07-fuse.mlir --random-inputs=3 --dim n=5 --target=interp | FileCheck --check-prefix=HOST %s
// HOST: 07-fuse.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'host.{{branch|loop}}' op has no meaning in the interpreter
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-run %t/dumps/11-kernels.mlir --random-inputs=3 --dim n=5 --target=interp | FileCheck --check-prefix=PROGRAM %s
// PROGRAM: 'host.program' op has no meaning
//
// RUN: zenith-compile %t/dumps/07-fuse.mlir --emit=obj -o %t/fromfuse
// RUN: zenith-compile %t/dumps/12-cpu.mlir --emit=obj -o %t/fromcpu
// RUN: zenith-compile %t/dumps/07-fuse.mlir --emit=graphir --to=plan | FileCheck --check-prefix=PLAN %s
// RUN: zenith-compile %t/dumps/07-fuse.mlir --emit=graphir --from=schedule --to=plan | FileCheck --check-prefix=PLAN %s
// RUN: zenith-opt %t/dumps/07-fuse.mlir --to=plan | FileCheck --check-prefix=PLAN %s
// RUN: zenith-opt %t/dumps/09-remat.mlir --from=plan --to=plan | FileCheck --check-prefix=PLAN %s
// PLAN: graph.phase = "plan"
// PLAN: host.arena
//
// A place in an edited dump is one of the dump.
// RUN: sed 's/graph.exp /graph.log2 /' %t/dumps/01-clean.mlir > %t/edited.mlir
// RUN: not zenith-run %t/edited.mlir --random-inputs --dim n=5 2>&1 | FileCheck --check-prefix=EDITED %s
// EDITED: edited.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}graph.log2
//
// RUN: %python %S/../../tools/Inputs/exit_code.py 1 zenith-compile %t/m.mlir --emit=graphir --from=fuse --to=clean | FileCheck --check-prefix=ORDER %s
// RUN: not zenith-opt %t/m.mlir --from=fuse --to=clean 2>&1 | FileCheck --check-prefix=ORDER %s
// ORDER: --from=fuse comes after --to=clean
// RUN: sed 's/graph.phase = "clean"/graph.phase = "polish"/' %t/dumps/01-clean.mlir > %t/unknown.mlir
// RUN: %python %S/../../tools/Inputs/exit_code.py 2 zenith-run %t/unknown.mlir --random-inputs --dim n=5 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: graph.phase: got "polish", expected a phase
//
// A dump that was laid out for a processor is honoured where that is possible, and else refused.
// RUN: zenith-compile %t/m.mlir --emit=kernels --target=cpu:x86-64-v4 --dump-phases=%t/wide -o /dev/null
// RUN: %python %S/../../tools/Inputs/exit_code.py 3 zenith-compile %t/wide/06-layout.mlir --emit=kernels --target=cpu:x86-64-v2 | FileCheck --check-prefix=LACKS %s
// LACKS: error: graph.target 'cpu:x86-64-v4' counts on 'fma', which target 'cpu:x86-64-v2' lacks
// RUN: zenith-compile %t/wide/01-clean.mlir --emit=kernels --target=cpu:x86-64-v2 | FileCheck --check-prefix=EARLY %s
// EARLY: #graph.target<"cpu:x86-64-v2"
// RUN: zenith-compile %t/m.mlir --emit=kernels --target=cpu:x86-64-v2 --dump-phases=%t/narrow -o /dev/null
// RUN: zenith-compile %t/narrow/06-layout.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=KEPT %s
// KEPT: #graph.target<"cpu:x86-64-v2"
// RUN: zenith-run %t/narrow/06-layout.mlir --random-inputs=3 --dim n=5 --expect 0=%t/all/0.npy --expect 1=%t/all/1.npy

func.func @main(%x: tensor<?x8xf32> {graph.dims = ["n", "8"]}, %w: tensor<8x8xf32> loc("weights"), %p: tensor<i1>)
    -> (tensor<?x8xf32> {graph.name = "y"}, tensor<8x8xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %three = graph.constant dense<3> : tensor<i64>
  %r:2 = graph.while %zero, %x cond {
  ^bb0(%i: tensor<i64>, %v: tensor<?x8xf32>):
    %more = graph.compare lt, %i, %three : tensor<i64> -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %v: tensor<?x8xf32>):
    %next = graph.add %i, %one : tensor<i64>
    %m = graph.dot_general %v, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %t = graph.tanh %m : tensor<?x8xf32>
    graph.yield %next, %t : tensor<i64>, tensor<?x8xf32>
  } : (tensor<i64>, tensor<?x8xf32>) -> (tensor<i64>, tensor<?x8xf32>)
  %s = graph.if %p then {
    %e = graph.exp %w : tensor<8x8xf32>
    graph.yield %e : tensor<8x8xf32>
  } else {
    %n = graph.neg %w : tensor<8x8xf32>
    graph.yield %n : tensor<8x8xf32>
  } : (tensor<i1>) -> tensor<8x8xf32>
  return %r#1, %s : tensor<?x8xf32>, tensor<8x8xf32>
}
