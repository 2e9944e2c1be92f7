// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What no compiled program can do is refused with its place, never as an error of the compiler.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/recursion.mlir --random-inputs | FileCheck --check-prefix=RECURSION %s
// RUN: %python %S/Inputs/exit_code.py 3 zenith-compile %t/recursion.mlir --emit=graphir | FileCheck --check-prefix=RECURSION %s
// RECURSION: recursion.mlir:2:{{[0-9]+}}: error: 'func.call' op @main calls itself, which no compiled program can
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/cycle.mlir --random-inputs | FileCheck --check-prefix=CYCLE %s
// CYCLE: cycle.mlir:6:{{[0-9]+}}: error: 'func.call' op @a calls itself
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/body.mlir --random-inputs | FileCheck --check-prefix=BODY %s
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/body.mlir --random-inputs --target=interp | FileCheck --check-prefix=BODY %s
// BODY: body.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}@f has no body
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/foreign.mlir --random-inputs | FileCheck --check-prefix=FOREIGN %s
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/foreign.mlir --random-inputs --target=interp | FileCheck --check-prefix=FOREIGN %s
// FOREIGN: foreign.mlir:2:{{[0-9]+}}: error: 'arith.constant' op is none of GraphIR
// RUN: %python %S/Inputs/growth.py 64 > %t/growth.mlir
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/growth.mlir --random-inputs | FileCheck --check-prefix=GROWTH %s
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/routine.mlir --random-inputs | FileCheck --check-prefix=ROUTINE %s
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/routine.mlir --random-inputs --target=interp | FileCheck --check-prefix=ROUTINE %s
// ROUTINE: routine.mlir:2:{{[0-9]+}}: error: 'graph.custom_call' op calls 'mystery', which is no routine here
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/cut.mlir --random-inputs --compare=interp | FileCheck --check-prefix=CUT %s
// CUT: zenith-run: error: @main is cut into functions (search.entries), of which --compare knows none
// RUN: %python -c "print('// ((\nfunc.func @main() {' + 3001 * '(')" > %t/deep.mlir
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/deep.mlir --random-inputs | FileCheck --check-prefix=DEEP %s
// DEEP: deep.mlir:2:3019: error: brackets inside of more than 3000 others are not supported
// GROWTH: growth.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'func.call' op @f{{[0-9]+}} makes its caller larger than 1048576 ops
//
// RUN: printf 'x' > %t/file
// RUN: %python %S/Inputs/exit_code.py 2 zenith-compile %t/plain.mlir --emit=kernels --dump-phases=%t/file/dumps | FileCheck --check-prefix=FOLDER %s
// FOLDER: file/dumps: error: cannot create the folder
// RUN: sed '1i module attributes {graph.phase = "fuse"} {' %t/plain.mlir > %t/claim.mlir && echo '}' >> %t/claim.mlir
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/claim.mlir --random-inputs | FileCheck --check-prefix=CONTRACT %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-compile %t/plain.mlir --emit=kernels --from=schedule | FileCheck --check-prefix=CONTRACT %s
// CONTRACT: .mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'graph.neg' op: after phase 'fuse' a module has fusions without composites
//
// An error of the compiler leaves a reproducer that fails in the same way. A folder stands where a dump should.
// RUN: mkdir -p %t/dumps/01-clean.mlir
// RUN: %python %S/Inputs/exit_code.py 4 zenith-compile %t/plain.mlir --emit=kernels --dump-phases=%t/dumps > %t/internal.txt
// RUN: FileCheck --check-prefix=INTERNAL %s < %t/internal.txt
// RUN: sed -n 's/.*the module is in \([^;]*\);.*/\1/p' %t/internal.txt | xargs -I F mv F %t/reproducer.mlir
// RUN: not zenith-opt %t/reproducer.mlir --run-reproducer -o /dev/null 2>&1 | FileCheck --check-prefix=AGAIN %s
// RUN: %python %S/Inputs/exit_code.py 4 zenith-compile %t/reproducer.mlir --emit=kernels --dump-phases=%t/dumps | FileCheck --check-prefix=INTERNAL %s
// INTERNAL: error: phase 'clean' failed: cannot write {{.*}}01-clean.mlir
// INTERNAL: note: the module is in {{.*}}; zenith-opt --run-reproducer repeats its phases
// AGAIN: error: cannot write {{.*}}01-clean.mlir

//--- plain.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = graph.neg %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- routine.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %unread = graph.custom_call "mystery" (%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}
//--- cut.mlir
func.func @main(%limit: tensor<i64>) -> tensor<i64> attributes {search.entries = ["init", "step"]} {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %last:2 = graph.while %zero, %one cond {
  ^bb0(%i: tensor<i64>, %x: tensor<i64>):
    %c = graph.compare lt, %i, %limit : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %x: tensor<i64>):
    %next = graph.add %i, %one : tensor<i64>
    %twice = graph.add %x, %x : tensor<i64>
    graph.yield %next, %twice : tensor<i64>, tensor<i64>
  } : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  return %last#1 : tensor<i64>
}
//--- recursion.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- cycle.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @b(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @a(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = call @b(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- body.mlir
func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- foreign.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = arith.constant dense<1.0> : tensor<2xf32>
  return %r : tensor<2xf32>
}
