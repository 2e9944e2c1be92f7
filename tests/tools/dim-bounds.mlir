// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of a dimension: functions state them, variants that no size asks for are left out, runs check them by names and
// numbers, and results are those of the interpreter.
//
// RUN: zenith-compile %s --to=fuse --dim n=1..28 | FileCheck %s --check-prefix=STATED
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 | FileCheck %s --check-prefix=ANY
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 --dim n=1..28 | FileCheck %s --check-prefix=FEW
// RUN: zenith-compile %s --emit=kernels --target=cpu:x86-64-v4 --dim n=64..4096%16 | FileCheck %s --check-prefix=MANY
// RUN: zenith-run %s --random-inputs --dim n=28 --dim n=1..28 --compare=interp --print=0
// RUN: zenith-run %s --random-inputs --dim n=96 --dim n=64..4096%16 --compare=interp --print=0
// RUN: zenith-run %s --random-inputs --dim n=96 --dim n=64..4096%16 --target=interp --print=0
// RUN: zenith-compile %s --to=fuse --dim n=16..64%16 -o %t.mlir
// RUN: zenith-run %t.mlir --random-inputs --dim n=32 --print=0
// RUN: not zenith-run %t.mlir --random-inputs --dim n=128 --print=0 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not zenith-run %t.mlir --random-inputs --dim n=24 --print=0 2>&1 | FileCheck %s --check-prefix=NO-MULTIPLE
// RUN: not zenith-run %s --random-inputs --dim n=96 --dim n=1..28 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not zenith-run %s --random-inputs --dim m=1..28 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not zenith-run %s --random-inputs --dim n=5..4 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not zenith-run %s --random-inputs --dim n=1..4%0 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not zenith-run %s --random-inputs --dim n=1..4% 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not zenith-run %s --random-inputs --dim n=1...4 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not zenith-run %s --random-inputs --dim n=17..30%16 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not zenith-run %s --random-inputs --dim n=1..4 --dim n=1..5 2>&1 | FileCheck %s --check-prefix=TWO

// STATED: graph.dim_bounds = {n = #graph.bounds<1 to 28>}
// ANY-COUNT-2: host.launch @{{.*}} when
// FEW-NOT: host.launch @{{.*}} when
// FEW: guards = [{{.*}}"dimension 'n' is not in 1..28"
// MANY-NOT: host.launch @{{.*}} when
// MANY: "dimension 'n' is not in 64..4096%16"
// BEYOND: error: dimension 'n' is 128, which is not in 16..64%16
// NO-MULTIPLE: error: dimension 'n' is 24, which is not in 16..64%16
// SIZE: 'n' is 96, which is not in 1..28
// NAME: error: --dim: the program has no dimension 'm'; it has n
// ORDER: --dim needs NAME=LO..HI or NAME=LO..HI%K with 0 <= LO <= HI and K >= 1, got 'n=
// EMPTY: --dim: no multiple of 16 is in the bounds of 'n=17..30%16'
// TWO: --dim gives 'n' two bounds
module {
  graph.param @w : tensor<128x256xf32> = dense<0.5> : tensor<128x256xf32>
  func.func @main(%x: tensor<?x128xf32> {graph.dims = ["n", "128"]}) -> tensor<?x256xf32> {
    %w = graph.get_param @w : tensor<128x256xf32>
    %r = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x128xf32>, tensor<128x256xf32>) -> tensor<?x256xf32>
    return %r : tensor<?x256xf32>
  }
}
