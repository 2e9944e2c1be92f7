// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that the program only names, because they lie beside it, are part
// of what an entry is made from.
//
// RUN: rm -rf %t && mkdir %t && sed s/0000803F/00004040/ %s > %t/other.mlir
// RUN: zenith-run %s --cache=%t/c --explain=cache --compare=interp --random-inputs=1 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: zenith-run %s --cache=%t/c --explain=cache --compare=interp --random-inputs=1 2>&1 | FileCheck --check-prefix=FOUND %s
// RUN: zenith-run %t/other.mlir --cache=%t/c --explain=cache --compare=interp --random-inputs=1 2>&1 | FileCheck --check-prefix=OTHER %s
// KEPT: CAC002
// FOUND: CAC001
// OTHER: CAC101: {{.*}} differs in: function @main
// OTHER: CAC002

func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %c = graph.constant dense_resource<c> : tensor<1xf32>
  %r = graph.add %x, %c : tensor<1xf32>
  return %r : tensor<1xf32>
}

{-#
  dialect_resources: { builtin: { c: "0x040000000000803F" } }
#-}
