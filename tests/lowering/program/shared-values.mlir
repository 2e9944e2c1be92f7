// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that deep nests read by number, in branches and loops inside of each other: on the target, and from the dump of
// each phase.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import sys; sys.path.insert(0, '%S/../pipeline'); import compile_growth; print(compile_growth.loops(96))" > %t/loops.mlir
// RUN: %python -c "import sys; sys.path.insert(0, '%S/../pipeline'); import compile_growth; print(compile_growth.conditions(48))" > %t/branches.mlir
// RUN: zenith-run %t/loops.mlir --random-inputs=3 --compare=interp
// RUN: zenith-run %t/branches.mlir --random-inputs=1 --compare=interp
// RUN: zenith-compile %t/loops.mlir --emit=obj -o %t/loops.o --dump-phases=%t/dumps
// RUN: zenith-run %t/loops.mlir --random-inputs=3 --target=interp --out-dir=%t/right
// RUN: zenith-run %t/dumps/05-outline.mlir --random-inputs=3 --out-dir=%t/05-outline
// RUN: cmp %t/right/0.npy %t/05-outline/0.npy
// RUN: zenith-run %t/dumps/07-fuse.mlir --random-inputs=3 --out-dir=%t/07-fuse
// RUN: cmp %t/right/0.npy %t/07-fuse/0.npy
// RUN: zenith-run %t/dumps/09-remat.mlir --random-inputs=3 --out-dir=%t/09-remat
// RUN: cmp %t/right/0.npy %t/09-remat/0.npy
// RUN: zenith-run %t/dumps/10-plan.mlir --random-inputs=3 --out-dir=%t/10-plan
// RUN: cmp %t/right/0.npy %t/10-plan/0.npy
// RUN: zenith-run %t/dumps/11-kernels.mlir --random-inputs=3 --out-dir=%t/11-kernels
// RUN: cmp %t/right/0.npy %t/11-kernels/0.npy
