// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse mode of a loop whose trips depend on data: 400 rows of 16 KiB on a plain tape are 6.5 MB. Under a budget below
// that every 20th row is kept, and a budget below 40 rows is refused with both numbers.
//
// RUN: zenith-run %s --random-inputs --transform=vjp --compare=interp --max-memory=8M --report=memory 2>&1 | FileCheck %s --check-prefix=STORED
// RUN: zenith-run %s --random-inputs --transform=vjp --compare=interp --max-memory=2M --report=memory 2>&1 | FileCheck %s --check-prefix=ROOT
// RUN: %python %S/Inputs/exit_code.py 5 zenith-run %s --random-inputs --transform=vjp --max-memory=256K | FileCheck %s --check-prefix=BELOW
// RUN: %python %S/Inputs/exit_code.py 5 zenith-run %s --random-inputs --transform='vjp{tape=store}' --max-memory=2M | FileCheck %s --check-prefix=STORE
//
// STORED: compared with the interpreter
// STORED: "measured_peak":6{{[0-9]+}},
// ROOT: compared with the interpreter
// ROOT: "measured_peak":{{[789][0-9][0-9][0-9][0-9][0-9]}},
// BELOW: error: a buffer of {{[0-9]+}} bytes does not fit: {{[0-9]+}} bytes are in use of a budget of 262144
// STORE: error: a buffer of {{6[0-9]+}} bytes does not fit: {{[0-9]+}} bytes are in use of a budget of 2097152
func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %start = graph.constant dense<0.0> : tensor<f32>
  %end = graph.constant dense<1.0> : tensor<f32>
  %r:2 = graph.while %x, %start cond {
  ^bb0(%h: tensor<4096xf32>, %t: tensor<f32>):
    %c = graph.compare lt, %t, %end : tensor<f32> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%h: tensor<4096xf32>, %t: tensor<f32>):
    %s = graph.sin %h : tensor<4096xf32>
    %k = graph.constant dense<0.01> : tensor<4096xf32>
    %m = graph.mul %s, %k : tensor<4096xf32>
    %n = graph.add %h, %m : tensor<4096xf32>
    %step = graph.constant dense<0.0025> : tensor<f32>
    %u = graph.add %t, %step : tensor<f32>
    graph.yield %n, %u : tensor<4096xf32>, tensor<f32>
  } : (tensor<4096xf32>, tensor<f32>) -> (tensor<4096xf32>, tensor<f32>)
  return %r#0 : tensor<4096xf32>
}
