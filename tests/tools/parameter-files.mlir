// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written GraphIR finds the files of its parameters from its own folder, and refuses others than it was written for.
//
// RUN: rm -rf %t && mkdir -p %t/a %t/b && cp %s %t/a/m.mlir
// RUN: printf '\000\000\200\077\000\000\000\100' > %t/a/w.bin && printf '\000\000\100\100\000\000\100\100' > %t/b/w.bin
//
// Another w.bin lies beside each file that is written.
// RUN: zenith-compile %t/a/m.mlir --emit=graphir -o %t/b/compiled.mlir
// RUN: FileCheck --check-prefix=WRITTEN %s < %t/b/compiled.mlir
// RUN: zenith-translate %t/a/m.mlir -o %t/b/translated.mlir
// RUN: FileCheck --check-prefix=WRITTEN %s < %t/b/translated.mlir
// RUN: zenith-translate %t/a/m.mlir -o %t/b/translated.mlirbc
// RUN: zenith-opt %t/a/m.mlir --to=clean -o %t/b/opt.mlir
// RUN: FileCheck --check-prefix=WRITTEN %s < %t/b/opt.mlir
// RUN: zenith-compile %t/a/m.mlir --emit=kernels --dump-phases=%t/b/dumps -o /dev/null
// RUN: FileCheck --check-prefix=DUMP %s < %t/b/dumps/01-clean.mlir
// RUN: zenith-opt %t/a/m.mlir --to=clean --dump-phases=%t/b/more -o /dev/null
// WRITTEN: graph.param @w : tensor<2xf32> = #graph.external<"../a/w.bin", 0, 8> {graph.checksum = "xxh3:{{[0-9a-f]+}}", graph.file_bytes = 8 : i64}
// DUMP: graph.param @w : tensor<2xf32> = #graph.external<"../../a/w.bin", 0, 8> {graph.checksum = "xxh3:{{[0-9a-f]+}}", graph.file_bytes = 8 : i64}
// RUN: zenith-run %t/b/compiled.mlir --print | FileCheck %s
// RUN: zenith-run %t/b/translated.mlir --print | FileCheck %s
// RUN: zenith-run %t/b/translated.mlirbc --print --target=interp | FileCheck %s
// RUN: zenith-run %t/b/opt.mlir --print --target=interp | FileCheck %s
// RUN: zenith-run %t/b/dumps/01-clean.mlir --print | FileCheck %s
// RUN: zenith-run %t/b/dumps/11-kernels.mlir --print | FileCheck %s
// RUN: zenith-run %t/b/more/01-clean.mlir --print | FileCheck %s
// CHECK: 1
// CHECK-SAME: 2
//
// RUN: printf '\000\000\200\077\000\000\100\100' > %t/a/w.bin
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/b/translated.mlir | FileCheck --check-prefix=BYTES %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/b/translated.mlir --target=interp | FileCheck --check-prefix=BYTES %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/b/dumps/11-kernels.mlir | FileCheck --check-prefix=BYTES %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/b/translated.mlir --cache=%t/cache | FileCheck --check-prefix=BYTES %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-translate %t/b/translated.mlir -o %t/m.onnx | FileCheck --check-prefix=BYTES %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-translate %t/b/translated.mlir -o %t/h.mlir --to-format=stablehlo | FileCheck --check-prefix=BYTES %s
// BYTES: w.bin: {{(error: )?}}parameter 'w': its bytes have checksum xxh3:[[FOUND:[0-9a-f]+]], the program was written for xxh3:
// BYTES-NOT: [[FOUND]]
// RUN: zenith-run %t/b/translated.mlir --no-verify
// RUN: zenith-run %t/b/translated.mlir --no-verify --target=interp
// RUN: zenith-translate %t/b/translated.mlir -o %t/m.onnx --no-verify
//
// RUN: printf '123456789' > %t/a/w.bin
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/b/translated.mlir --no-verify | FileCheck --check-prefix=SIZE %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/b/translated.mlir --no-verify --target=interp | FileCheck --check-prefix=SIZE %s
// SIZE: w.bin: error: parameter 'w': the file has 9 bytes, the program was written for one of 8
//
// Programs without a record read any file that is long enough.
// RUN: zenith-run %t/a/m.mlir
graph.param @w : tensor<2xf32> = #graph.external<"w.bin", 0, 8>
func.func @main() -> tensor<2xf32> {
  %w = graph.get_param @w : tensor<2xf32>
  %r = graph.abs %w : tensor<2xf32>
  return %r : tensor<2xf32>
}
