// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs whose signature no target can meet are refused by every tool, with a place.
//
// RUN: rm -rf %t && mkdir %t && split-file %s %t
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/elements.mlir --random-inputs --target=cpu | FileCheck --check-prefix=ELEMENTS %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/elements.mlir --random-inputs --target=interp | FileCheck --check-prefix=ELEMENTS %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/elements.mlir --random-inputs --target=opencl | FileCheck --check-prefix=ELEMENTS %s
// RUN: sed 's/si32/index/' %t/elements.mlir > %t/e.mlir
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/e.mlir --random-inputs | FileCheck --check-prefix=OTHER %s
// RUN: sed 's/si32/i3/' %t/elements.mlir > %t/e.mlir
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/e.mlir --random-inputs | FileCheck --check-prefix=OTHER %s
// RUN: sed 's/si32/i128/' %t/elements.mlir > %t/e.mlir
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/e.mlir --random-inputs | FileCheck --check-prefix=OTHER %s
// RUN: sed 's/si32/f80/' %t/elements.mlir > %t/e.mlir
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/e.mlir --random-inputs | FileCheck --check-prefix=OTHER %s
// RUN: sed 's/si32/complex<f16>/' %t/elements.mlir > %t/e.mlir
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/e.mlir --random-inputs | FileCheck --check-prefix=OTHER %s
// OTHER: expected elements of GraphIR (signature_c5)
// RUN: not zenith-opt %t/elements.mlir --to=clean 2>&1 | FileCheck --check-prefix=ELEMENTS %s
// ELEMENTS: elements.mlir:2:{{[0-9]+}}: {{.*}}'func.func' op @main: argument 0: got tensor<2xsi32>, expected elements of GraphIR (signature_c5)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/names.mlir --random-inputs --target=cpu | FileCheck --check-prefix=NAMES %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/names.mlir --random-inputs --target=interp | FileCheck --check-prefix=NAMES %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/names.mlir --random-inputs --target=opencl | FileCheck --check-prefix=NAMES %s
// NAMES: names.mlir:1:{{[0-9]+}}: error: 'func.func' op @main: argument 1: got "x", the name of another argument (signature_c6)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/located.mlir --random-inputs --target=cpu | FileCheck --check-prefix=LOCATED %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/located.mlir --random-inputs --target=interp | FileCheck --check-prefix=LOCATED %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/both.mlir --random-inputs | FileCheck --check-prefix=LOCATED %s
// LOCATED: error: 'func.func' op @main: argument 1: got "x", the name of another argument (signature_c6)
// RUN: zenith-run %t/private.mlir --random-inputs --compare=interp
// RUN: zenith-run %t/own.mlir --random-inputs --compare=interp
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/claim.mlir --random-inputs --dim n=2 --target=cpu | FileCheck --check-prefix=CLAIM %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/claim.mlir --random-inputs --dim n=2 --target=interp | FileCheck --check-prefix=CLAIM %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/claim.mlir --random-inputs --dim n=2 --target=opencl | FileCheck --check-prefix=CLAIM %s
// CLAIM: claim.mlir:1:{{[0-9]+}}: error: 'func.func' op @main: result 0: graph.dims: got "2*n", expected "n", the size of the value (signature_c7)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/zero.mlir --random-inputs --target=cpu | FileCheck --check-prefix=ZERO %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/zero.mlir --random-inputs --target=interp | FileCheck --check-prefix=ZERO %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/zero.mlir --random-inputs --target=opencl | FileCheck --check-prefix=ZERO %s
// ZERO: zero.mlir:1:{{[0-9]+}}: error: {{.*}}got "floordiv(n, 0)", expected a number, a name or an expression (signature_c3)
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/product.mlir --random-inputs --target=cpu | FileCheck --check-prefix=PRODUCT %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/product.mlir --random-inputs --target=interp | FileCheck --check-prefix=PRODUCT %s
// RUN: %python %S/Inputs/exit_code.py 2 zenith-run %t/product.mlir --random-inputs --target=opencl | FileCheck --check-prefix=PRODUCT %s
// PRODUCT: product.mlir:2:{{[0-9]+}}: error: {{.*}}expected one in a contraction (fusion_c3)
// RUN: zenith-run %t/free.mlir --random-inputs --dim n=2 --dim m=3 --compare=interp

//--- elements.mlir
// The place is that of the function.
func.func @main(%x: tensor<2xsi32>) -> tensor<2xf32> {
  %r = graph.constant dense<1.0> : tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- names.mlir
func.func @main(%x: tensor<2xf32> {graph.name = "x"}, %y: tensor<2xf32> {graph.name = "x"}) -> tensor<2xf32> {
  %r = graph.add %x, %y : tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- claim.mlir
func.func @main(%x: tensor<?xf32> {graph.dims = ["n"]}) -> (tensor<?xf32> {graph.dims = ["2*n"]}) {
  %r = graph.neg %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
//--- zero.mlir
func.func @main(%x: tensor<?xf32> {graph.dims = ["floordiv(n, 0)"]}) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
//--- product.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = graph.fusion contraction (%a = %x : tensor<2xf32>) -> tensor<2xf32> {
    %n = graph.neg %a : tensor<2xf32>
    graph.yield %n : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
//--- free.mlir
func.func @main(%x: tensor<?x?xf32> {graph.dims = ["n", "m"]}) -> (tensor<?x?xf32> {graph.dims = ["rows", "n + k"]}) {
  %r = graph.neg %x : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
//--- located.mlir
func.func @main(%x: tensor<2xf32> loc("x"), %y: tensor<2xf32> loc("x")) -> tensor<2xf32> {
  %r = graph.add %x, %y : tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- both.mlir
func.func @main(%x: tensor<2xf32> {graph.name = "x"}, %y: tensor<2xf32> loc("x")) -> tensor<2xf32> {
  %r = graph.add %x, %y : tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- private.mlir
func.func private @inner(%x: tensor<2xf8E4M3> loc("x"), %y: tensor<2xf8E4M3> loc("x")) -> tensor<2xf8E4M3> {
  %r = graph.add %x, %y : tensor<2xf8E4M3>
  return %r : tensor<2xf8E4M3>
}
func.func @main(%x: tensor<2xf8E4M3>, %y: tensor<2xf8E4M3>) -> tensor<2xf8E4M3> {
  %r = call @inner(%x, %y) : (tensor<2xf8E4M3>, tensor<2xf8E4M3>) -> tensor<2xf8E4M3>
  return %r : tensor<2xf8E4M3>
}
//--- own.mlir
func.func @main(%x: tensor<2xf32> loc("f"), %y: tensor<2xf32> loc("f")) -> tensor<2xf32> {
  %r = graph.add %x, %y : tensor<2xf32>
  return %r : tensor<2xf32>
} loc("f")
