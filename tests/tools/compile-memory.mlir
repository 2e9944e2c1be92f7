// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zenith-compile says what runs will take, without one; with a budget it plans for that, or refuses it.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-compile %s --report=memory | FileCheck %s --check-prefix=FORMULA
// FORMULA: "arena":{"bytes":null,"formula":"{{.*}}n{{.*}}"}
// FORMULA-NOT: "measured"
// FORMULA-NOT: graph.fusion
//
// The number is what a run measures.
// RUN: zenith-compile %s --report=memory --dim n=1000 > %t/before
// RUN: zenith-run %s --random-inputs --dim n=1000 --report=memory > %t/after
// RUN: %python -c "import json, sys; before, after = (json.load(open(f)) for f in sys.argv[1:]); assert before['certificate']['bytes'] == after['measured']['peak_bytes'] > 0, (before, after)" %t/before %t/after
//
// RUN: zenith-compile %s --report=memory --report-format=text --dim n=1000 | FileCheck %s --check-prefix=TEXT
// TEXT: memory of @main
// TEXT-NEXT: certificate {{ *[0-9]+}} bytes = {{.*}}n
// TEXT-NOT: measured
// TEXT: lower bound {{.*}} at step
// TEXT: remat {{.*}} 0 recomputed, arithmetic +0.0 %
// TEXT: classes
// TEXT-NEXT: parameters {{.*}}0 bytes
// TEXT: largest buffers
// TEXT-NEXT: {{[0-9]+}}..{{[0-9]+}} {{.*}}tensor<
// RUN: zenith-run %s --random-inputs --dim n=1000 --report=memory --report-format=text | FileCheck %s --check-prefix=MEASURED
// MEASURED: measured {{ *[0-9]+}} bytes
//
// A file is written beside a report; without a report, what was asked for goes where it always does.
// RUN: zenith-compile %s --report=memory --emit=obj -o %t/obj --memory-timeline=%t/m.json --dim n=1000 | FileCheck %s --check-prefix=FORMULA-OBJ
// FORMULA-OBJ: "certificate":{"bytes":{{[1-9]}}
// RUN: ls %t/obj | FileCheck %s --check-prefix=OBJ
// OBJ: host.o
// RUN: FileCheck %s --check-prefix=TIMELINE --input-file=%t/m.json
// TIMELINE: {"arena":{{[1-9][0-9]*}},"buffers":[
// RUN: zenith-compile %s --max-memory=1G --dim n=1000 | FileCheck %s --check-prefix=IR
// IR: graph.fusion
//
// RUN: %python %S/Inputs/exit_code.py 5 zenith-compile %s --max-memory=4K --dim n=1000 | FileCheck %s --check-prefix=REFUSED
// REFUSED: --max-memory=4096 cannot be met: 4096 bytes, lower bound
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --report=time | FileCheck %s --check-prefix=ALONE
// ALONE: --report: zenith-compile has a report of memory alone
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --report=memory --emit=kernels | FileCheck %s --check-prefix=EMIT
// EMIT: --emit has no effect with --report or --memory-timeline, unless -o names a file
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --memory-timeline=%t/m.json | FileCheck %s --check-prefix=SIZES
// SIZES: --memory-timeline: the arena has {{.*}}n{{.*}} bytes, of which --dim NAME=N says too little
func.func @main(%x: tensor<?x64xf32> {graph.name = "x", graph.dims = ["n", "64"]}, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %a = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %b = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %c = graph.dot_general %b, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}
