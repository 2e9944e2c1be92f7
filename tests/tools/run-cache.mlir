// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second run takes its code from the cache; a damaged entry is compiled
// again; a miss says what differs.
//
// RUN: rm -rf %t && mkdir %t && printf '\000\000\200\077\000\000\000\100' > %t/w.raw && cp %s %t/m.mlir
// RUN: zenith-run %t/m.mlir --cache=%t/c --explain=cache --random-inputs=1 --print 2>&1 | FileCheck --check-prefix=COLD %s
// COLD: cache CAC101: no entry {{[0-9a-f]+}}; the cache is empty
// COLD-NEXT: cache CAC002: kept entry
// COLD: tensor<2xf32>
// RUN: zenith-run %t/m.mlir --cache=%t/c --explain=cache --random-inputs=1 --print 2>&1 | FileCheck --check-prefix=WARM %s
// WARM: cache CAC001: found entry
// WARM-NOT: CAC
// WARM: tensor<2xf32>
// RUN: zenith-run %t/m.mlir --cache=%t/c --random-inputs=1 --report=time | FileCheck --check-prefix=TIME %s
// TIME: "cached":true
// RUN: zenith-run %t/m.mlir --cache=%t/c --random-inputs=1 --compare=interp
// RUN: zenith-compile %t/m.mlir --emit=obj -o %t/o --cache=%t/c --explain=cache 2>&1 | FileCheck --check-prefix=OBJECTS %s
// OBJECTS: CAC001
// RUN: ls %t/o/host.o
//
// The value of a parameter is no part of the key, and is read where the model
// says.
// RUN: printf '\000\000\100\100\000\000\200\100' > %t/w.raw
// RUN: zenith-run %t/m.mlir --cache=%t/c --explain=cache --random-inputs=1 --compare=interp 2>&1 | FileCheck --check-prefix=WARM2 %s
// WARM2: CAC001
//
// RUN: zenith-run %t/m.mlir --cache=%t/c --explain=cache --random-inputs=1 --target=cpu:x86-64 2>&1 | FileCheck --check-prefix=OTHER %s
// OTHER: CAC101: {{.*}} differs in: target
// RUN: zenith-cache ls --cache=%t/c | FileCheck --check-prefix=LS %s
// LS-COUNT-2: {{[0-9a-f]+ +[0-9]+  20[0-9-]+ [0-9:]+}}  @main
// RUN: zenith-cache verify --cache=%t/c | FileCheck --check-prefix=SOUND %s
// SOUND: 2 entries are sound
// RUN: zenith-cache explain %t/m.mlir --cache=%t/c | FileCheck --check-prefix=KNOWN %s
// KNOWN: it is in the cache
// KNOWN: compiler: LLVM {{.*}}, Zenith {{.*}}, sources
// KNOWN: function @main:
// RUN: zenith-cache explain %t/m.mlir --mixed-precision=bf16 --cache=%t/c | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: it is not in the cache; the nearest entry, {{[0-9a-f]+}}, differs in: options
// RUN: zenith-cache explain "" --json --cache=%t/c | FileCheck --check-prefix=ENTRY %s
// ENTRY: {"bytes":{{[0-9]+}},"id":"{{[0-9a-f]+}}","last_used":{{[0-9]+}},"parts":{
//
// RUN: %python -c "import glob; [open(f, 'ab').write(b'x') for f in glob.glob('%t/c/*.zce')]"
// RUN: %python %S/Inputs/exit_code.py 2 zenith-cache verify --cache=%t/c 2>&1 | FileCheck --check-prefix=DAMAGED %s
// DAMAGED: .zce: got {{[0-9]+}} bytes, expected
// RUN: zenith-run %t/m.mlir --cache=%t/c --explain=cache --random-inputs=1 --compare=interp 2>&1 | FileCheck --check-prefix=AGAIN %s
// AGAIN: CAC102: entry {{[0-9a-f]+}} was damaged
// AGAIN-NEXT: CAC002
// RUN: zenith-cache gc --max-bytes=0 --cache=%t/c
// RUN: zenith-cache ls --json --cache=%t/c | FileCheck --check-prefix=EMPTY %s
// EMPTY: []
// RUN: chmod 777 %t/c
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/m.mlir --cache=%t/c --random-inputs=1 2>&1 | FileCheck --check-prefix=OPEN %s
// OPEN: others may write to it

graph.param @w : tensor<2xf32> = #graph.external<"w.raw", 0, 8>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = graph.get_param @w : tensor<2xf32>
  %r = graph.mul %x, %w : tensor<2xf32>
  return %r : tensor<2xf32>
}
