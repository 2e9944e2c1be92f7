// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters in files beside the program, and values that replace them.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: printf '\000\000\200\077\000\000\000\100' > %t/w.bin
// RUN: zenith-run %t/m.mlir --target=interp --out-dir %t/out
// RUN: %python %S/Inputs/npy.py print %t/out/0.npy | FileCheck %s
// CHECK: <f4 (2,) [1.0, 2.0]
// RUN: printf '\072\000\000\000\000\000\000\000{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}    \000\000\100\100\000\000\200\100' > %t/other.safetensors
// RUN: zenith-run %t/m.mlir --target=interp --params=%t/other.safetensors --out-dir %t/out
// RUN: %python %S/Inputs/npy.py print %t/out/0.npy | FileCheck --check-prefix=OTHER %s
// OTHER: <f4 (2,) [3.0, 4.0]
// RUN: printf '\072\000\000\000\000\000\000\000{"v":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}    \000\000\100\100\000\000\200\100' > %t/wrong.safetensors
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/m.mlir --target=interp --params=%t/wrong.safetensors | FileCheck --check-prefix=WRONG %s
// WRONG: wrong.safetensors: error: the program has no parameter 'v'
// A state dictionary may hold more than the program reads.
// RUN: printf '\160\000\000\000\000\000\000\000{"v":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}    \000\000\000\000\000\000\000\000\000\000\100\100\000\000\200\100' > %t/more.safetensors
// RUN: zenith-run %t/m.mlir --target=interp --params=%t/more.safetensors --out-dir %t/out 2>&1 | FileCheck --check-prefix=MORE %s
// RUN: %python %S/Inputs/npy.py print %t/out/0.npy | FileCheck --check-prefix=OTHER %s
// RUN: zenith-run %t/m.mlir --target=cpu --params=%t/more.safetensors --out-dir %t/out 2>&1 | FileCheck --check-prefix=MORE %s
// RUN: %python %S/Inputs/npy.py print %t/out/0.npy | FileCheck --check-prefix=OTHER %s
// MORE: more.safetensors: warning: the program has no parameter 'v'
// RUN: printf '1234' > %t/w.bin
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/m.mlir --target=interp | FileCheck --check-prefix=SHORT %s
// SHORT: w.bin: error: parameter 'w' lies outside of the file
// RUN: rm %t/w.bin
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/m.mlir --target=interp | FileCheck --check-prefix=GONE %s
// GONE: parameter 'w': cannot open

graph.param @w : tensor<2xf32> = #graph.external<"w.bin", 0, 8>
func.func @main() -> tensor<2xf32> {
  %w = graph.get_param @w : tensor<2xf32>
  return %w : tensor<2xf32>
}
