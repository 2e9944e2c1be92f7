// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random walks through the command line: the same states on every target.
//
// RUN: zenith-search walks lrx:6 --width=4 --length=5 --random-seed=7 -o %t.cpu.npy --steps=%t.steps.npy
// RUN: zenith-search walks lrx:6 --width=4 --length=5 --random-seed=7 --target=interp -o %t.interp.npy
// RUN: cmp %t.cpu.npy %t.interp.npy
// RUN: zenith-search walks lrx:6 --width=4 --length=5 --random-seed=8 -o %t.other.npy
// RUN: not cmp %t.cpu.npy %t.other.npy
// RUN: zenith-search walks lrx:6 --width=4 --length=5 --kind=nbt -o %t.nbt.npy --json=- | FileCheck --check-prefix=NBT %s
// NBT: "layers":[4,4,4,4,4]
// RUN: zenith-search walks lrx:6 --width=4 --length=5 --kind=nbt -o %t.nbt.interp.npy --target=interp
// RUN: cmp %t.nbt.npy %t.nbt.interp.npy
//
// Threads share the work, not the random numbers.
// RUN: zenith-search walks lrx:8 --width=3000 --length=5 --kind=nbt -o %t.nbt.1.npy --threads=1
// RUN: zenith-search walks lrx:8 --width=3000 --length=5 --kind=nbt -o %t.nbt.2.npy --threads=3
// RUN: cmp %t.nbt.1.npy %t.nbt.2.npy
// RUN: zenith-search walks lrx:8 --width=3000 --length=9 --kind=bfs -o %t.bfs.1.npy --threads=1
// RUN: zenith-search walks lrx:8 --width=3000 --length=9 --kind=bfs -o %t.bfs.2.npy --threads=3
// RUN: cmp %t.bfs.1.npy %t.bfs.2.npy
//
// In ONNX random bits become bit arithmetic, which it has since opset 18.
// RUN: zenith-search walks lrx:5 --width=3 --length=4 --kind=nbt --random-seed=7 -o %t.npy --emit=graphir > %t.mlir
// RUN: zenith-translate %t.mlir -o %t.onnx --opset=18 --check
// RUN: not zenith-translate %t.mlir -o %t.onnx --opset=17 2>&1 | FileCheck --check-prefix=OPSET %s
// OPSET: op graph.random_bits cannot be written as ONNX
//
// Layers of a breadth-first search as long as they fit the width.
// RUN: zenith-search walks lrx:4 --width=100 --length=100 --kind=bfs -o %t.bfs.npy --json=- | FileCheck --check-prefix=BFS %s
// BFS: "layers":[1,3,5,6,5,3,1]
// RUN: zenith-search walks lrx:8 --width=10 --length=6 --kind=bfs -o %t.bfs.npy --json=- | FileCheck --check-prefix=CAPPED %s
// CAPPED: "layers":[1,3,6,10,10,10]
//
// RUN: not zenith-search walks lrx:4 --width=4 --length=4 2>&1 | FileCheck --check-prefix=USAGE %s
// USAGE: --output is required
