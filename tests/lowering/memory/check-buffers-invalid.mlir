// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dump of the plan phase runs; edited so that its buffers contradict each other it is refused, at the op.
//
// RUN: rm -rf %t && mkdir %t
// RUN: zenith-compile %s --emit=graphir --to=plan --target=cpu:x86-64-v3 -o %t/plan.mlir
// RUN: zenith-run %t/plan.mlir --random-inputs --dim n=3 --target=cpu:x86-64-v3
//
// The second matmul writes over the first, which it reads.
// RUN: sed '/%%2 = graph.fusion/s/<arena, 0, "0">/<result, 0, "0">/' %t/plan.mlir > %t/over.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-run %t/over.mlir --random-inputs --dim n=3 --target=cpu:x86-64-v3 | FileCheck --check-prefix=OVER %s
// OVER: over.mlir:{{[0-9]+:[0-9]+}}: error: 'graph.fusion' op would overwrite operand 0 in #host.buffer<result, 0, "0"> while it reads it
// RUN: not zenith-opt %t/over.mlir --target=cpu:x86-64-v3 --to=kernels 2>&1 | FileCheck --check-prefix=OPT %s
// OPT: over.mlir:{{[0-9]+:[0-9]+}}: 'graph.fusion' op would overwrite operand 0
//
// A branch's value in the result that holds another one.
// RUN: sed '/host.branch/s/<result, 1, "0">/<result, 0, "0">/' %t/plan.mlir > %t/branch.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-run %t/branch.mlir --random-inputs --dim n=3 --target=cpu:x86-64-v3 | FileCheck --check-prefix=BRANCH %s
// BRANCH: branch.mlir:{{[0-9]+:[0-9]+}}: error: 'func.return' op reads a value from #host.buffer<result, 0, "0">, where another one has been written since
//
// RUN: sed 's/host.arena = #graph.dim<"256\*n">/host.arena = #graph.dim<"128*n">/' %t/plan.mlir > %t/small.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-compile %t/small.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=SMALL %s
// SMALL: 'graph.fusion' op writes to #host.buffer<arena, 0, "0">, beyond the end of an arena of 128*n bytes
//
// RUN: sed 's/host.arena = #graph.dim<"256\*n">/host.arena = #graph.dim<"64 + 256*n">/; /%%2 = graph.fusion/s/<arena, 0, "0">/<arena, 0, "32">/' %t/plan.mlir > %t/line.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-compile %t/line.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=LINE %s
// LINE: 'graph.fusion' op writes to #host.buffer<arena, 0, "32">, which does not begin at a line of 64 bytes
//
// RUN: sed '/%%2 = graph.fusion/s/<arena, 0, "0">/<result, 1, "0">/' %t/plan.mlir > %t/room.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-compile %t/room.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=ROOM %s
// ROOM: 'graph.fusion' op writes to #host.buffer<result, 1, "0">, which is smaller than the value
//
// RUN: sed '/%%1 = graph.fusion contraction/s/<result, 0, "0">/<argument, 0, "0">/' %t/plan.mlir > %t/kept.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-compile %t/kept.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=KEPT %s
// KEPT: 'graph.fusion' op would overwrite operand 0 in #host.buffer<argument, 0, "0"> while it reads it
//
// RUN: sed '/%%2 = graph.fusion/s/<arena, 0, "0">/<argument, 0, "0">/' %t/plan.mlir > %t/argument.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-compile %t/argument.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=ARGUMENT %s
// ARGUMENT: 'graph.fusion' op writes to #host.buffer<argument, 0, "0">, but the caller keeps that argument
//
// RUN: sed 's/<constant, 0, "0">/<constant, 1, "0">/' %t/plan.mlir > %t/constant.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-compile %t/constant.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=CONSTANT %s
// CONSTANT: 'graph.constant' op is said to lie in #host.buffer<constant, 1, "0">, which holds something else
//
// RUN: sed '/get_param/s/<derived, 0, "0">/<derived, 0, "64">/' %t/plan.mlir > %t/derived.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-compile %t/derived.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=DERIVED %s
// DERIVED: 'graph.get_param' op is said to lie in #host.buffer<derived, 0, "64">, which holds something else
//
// RUN: sed '/graph.fusion copy/s/<derived, 0, "0">/<param, 0, "0">/' %t/plan.mlir > %t/param.mlir
// RUN: %python %source/tests/tools/Inputs/exit_code.py 2 zenith-compile %t/param.mlir --emit=kernels --target=cpu:x86-64-v3 | FileCheck --check-prefix=PARAM %s
// PARAM: 'graph.fusion' op would overwrite operand 0 in #host.buffer<param, 0, "0"> while it reads it

graph.param @w : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
func.func @main(%x: tensor<?x64xf32> {graph.dims = ["n", "64"]}, %p: tensor<i1>) -> (tensor<?x64xf32>, tensor<8xf32>) {
  %w = graph.get_param @w : tensor<64x64xf32>
  %a = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %b = graph.dot_general %a, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %c = graph.dot_general %b, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %d = graph.add %a, %c : tensor<?x64xf32>
  %v = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %r = graph.if %p then {
    %s = graph.exp %v : tensor<8xf32>
    graph.yield %s : tensor<8xf32>
  } else {
    %s = graph.tanh %v : tensor<8xf32>
    graph.yield %s : tensor<8xf32>
  } : (tensor<i1>) -> tensor<8xf32>
  %q = graph.mul %r, %r : tensor<8xf32>
  return %d, %q : tensor<?x64xf32>, tensor<8xf32>
}
