// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random integers are what the program can take: indices below the dimension, divisors that are not 0. What was compared is
// said, and so are results that nobody prints.
//
// RUN: zenith-run %s --entry=rows --random-inputs --target=interp --print=40 | FileCheck --check-prefix=ROWS %s
// RUN: zenith-run %s --entry=quotient --random-inputs --target=interp --print | FileCheck --check-prefix=QUOTIENT %s
// RUN: zenith-run %s --entry=rows --random-inputs --compare=interp | FileCheck --check-prefix=COMPARED %s
// RUN: zenith-run %s --entry=rows --random-inputs --report=time --report=memory | FileCheck --check-prefix=REPORT %s
// RUN: zenith-run %s --entry=rows --random-inputs --report=roofline | FileCheck --check-prefix=PEAK %s
//
// ROWS: tensor<30xi64>
// ROWS: {{(^| )[2-6]( |$)}}
// QUOTIENT-NOT: {{-1$}}
// COMPARED: result 0 : tensor<30xi64>
// COMPARED: ran in {{.*}} ms, compiled in {{.*}} ms
// COMPARED: compared with the interpreter: 1 result, 30 elements: equal
// REPORT: {"arena":{{.*}}"measured_peak":{{[0-9]+}},{{.*}}"peak":{{.*}}}
// REPORT: "sources":["{{[^"]*}}run-random-inputs.mlir:{{.*}}]
// PEAK: "load_average":{{.*}}"spread":{{.*}}"under_load":{{true|false}}

func.func @rows(%i: tensor<30x1xi64>) -> tensor<30xi64> {
  %t = graph.iota 0 : tensor<7xi64>
  %r = graph.gather %t, %i <offset = [], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1]
    : (tensor<7xi64>, tensor<30x1xi64>) -> tensor<30xi64>
  return %r : tensor<30xi64>
}
func.func @quotient(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %r = graph.div %x, %y : tensor<16xi32>
  return %r : tensor<16xi32>
}
