// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages of a compilation as files; two compilations give the same bytes.
//
// RUN: rm -rf %t && mkdir -p %t/a %t/b && cp %s %t/a/m.mlir && cp %s %t/b/other.mlir
// RUN: zenith-compile %s --emit=graphir | FileCheck %s
// CHECK: graph.fusion pointwise
// RUN: zenith-compile %s --emit=graphir --to=clean | FileCheck --check-prefix=CLEAN %s
// CLEAN-NOT: graph.fusion
// CLEAN: graph.exp
// RUN: zenith-compile %s --emit=kernels | FileCheck --check-prefix=KERNELS %s
// KERNELS: host.launch @kernels::@k0_pointwise
// KERNELS: func.func @k0_pointwise
// RUN: zenith-compile %s --emit=llvm --target=cpu:x86-64-v3 | FileCheck --check-prefix=LLVM %s
// LLVM: define
// RUN: zenith-compile %s --emit=asm --target=cpu:x86-64-v3 -o %t/asm && ls %t/asm | FileCheck --check-prefix=ASM %s
// ASM: host.s
// ASM: kernels0.s
// RUN: zenith-compile %t/a/m.mlir --emit=obj --name=same --target=cpu:x86-64-v3 -o %t/a/obj --compile-threads=1
// RUN: zenith-compile %t/b/other.mlir --emit=obj --name=same --target=cpu:x86-64-v3 -o %t/b/obj --compile-threads=2
// RUN: diff -r %t/a/obj %t/b/obj
//
// Symbols begin with the name of the model, or a given one.
// RUN: cp %s %t/1-st.model.mlir && zenith-compile %t/1-st.model.mlir --emit=obj -o %t/named && llvm-nm %t/named/*.o | FileCheck --check-prefix=NAMED %s
// NAMED-DAG: T _1_st_model_entry_main
// NAMED-DAG: T _1_st_model_k0_pointwise__task
// RUN: zenith-compile - --emit=obj -o %t/piped < %s && llvm-nm %t/piped/host.o | FileCheck --check-prefix=PIPED %s
// PIPED-DAG: T model_entry_main
// PIPED-DAG: U zenith_parallel_for
// Functions that kernels of several objects call have such a symbol, too.
// RUN: zenith-compile %source/tests/models/digits/digits.onnx --emit=obj --target=cpu:x86-64-v3 -o %t/digits && llvm-nm %t/digits/*.o | FileCheck --check-prefix=SHARED --implicit-check-not="{{ [TWU] (uk_|k[0-9]|zenith_entry)}}" %s
// SHARED: T digits_uk_
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --emit=obj -o %t/bad --name=a-b | FileCheck --check-prefix=NAME %s
// NAME: --name: 'a-b' is no identifier of C
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --name=a | FileCheck --check-prefix=NONAME %s
// NONAME: --name has no effect without --emit=obj
//
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --emit=obj | FileCheck --check-prefix=FOLDER %s
// FOLDER: --emit=obj needs -o FOLDER
// RUN: %python %S/Inputs/exit_code.py 3 zenith-compile %s --emit=header | FileCheck --check-prefix=FORM %s
// FORM: --emit=header is not supported
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --target=interp | FileCheck --check-prefix=TARGET %s
// TARGET: 'interp' is no target
// RUN: %python %S/Inputs/exit_code.py 1 zenith-compile %s --emit=machine | FileCheck --check-prefix=WORD %s
// WORD: --emit: machine not in

func.func @main(%x: tensor<?xf32> {graph.name = "x", graph.dims = ["n"]}) -> (tensor<?xf32> {graph.name = "y", graph.dims = ["n"]}) {
  %e = graph.exp %x : tensor<?xf32>
  %r = graph.mul %e, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
