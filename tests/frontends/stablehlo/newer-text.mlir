// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of newer MLIR: locations with a range, booleans with a byte each.
//
// RUN: zenith-run %s --target=interp

#range = loc("main.py":3:4 to :17)
#lines = loc("main.py":3:4 to 5:1)
func.func @main() {
  // A string that only looks like one: loc("x":1:2 to :5) dense<"0x0101">.
  %a = stablehlo.constant dense<"0x0100010001000100010001"> : tensor<11xi1> loc(#range)
  %b = stablehlo.constant dense<[true, false, true, false, true, false, true, false, true, false, true]> : tensor<11xi1> loc(#lines)
  check.expect_eq %a, %b : tensor<11xi1> loc("main.py":7:2 to :9)
  return loc(callsite("f"("main.py":1:2 to :3) at #range))
} loc(unknown)
