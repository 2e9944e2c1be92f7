// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that a target lacks: the same bits by those that it has.
//
// RUN: split-file %s %t
// RUN: zenith-run %t/integers.mlir --random-inputs=1 --without-types=i64,ui64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/scans.mlir --random-inputs=1 --without-types=i64,ui64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/control.mlir --random-inputs=3 --without-types=i64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/halves.mlir --random-inputs=1 --without-types=f16,bf16 --compare=interp --atol=0 --rtol=0
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/doubles.mlir --random-inputs=1 --without-types=f64 2>&1 | FileCheck --check-prefix=REFUSED %s
// REFUSED: 'graph.mul' op computes in f64
// A target without f64 need not be told.
// RUN: echo '{"fp64": false}' > %t/singles.json
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/doubles.mlir --random-inputs=1 --target-model=%t/singles.json 2>&1 | FileCheck --check-prefix=REFUSED %s
// RUN: zenith-run %t/doubles.mlir --random-inputs=1 --without-types=f64 --f64-as=f32 --compare=interp --rtol=1e-6 --explain=precision 2>&1 | FileCheck --check-prefix=SINGLE %s
// SINGLE: PRE007 {{.*}}'mul' computes f64 as f32
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/power.mlir --random-inputs=1 --without-types=i64 2>&1 | FileCheck --check-prefix=RULE %s
// RULE: 'graph.pow' op has 64-bit integers, which the target lacks
// RUN: %python %S/Inputs/exit_code.py 1 zenith-run %t/doubles.mlir --random-inputs=1 --without-types=i65 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: i65

//--- integers.mlir
func.func @main(%i: tensor<301xi32>, %j: tensor<301xi32>) -> (tensor<301xi64>, tensor<301xi64>, tensor<301xui64>, tensor<301xui64>, tensor<301xi64>, tensor<301xf32>, tensor<301xi1>, tensor<i64>, tensor<301xi64>) {
  %n = graph.iota 0 : tensor<301xi64>
  %k = graph.constant dense<7046029254386353131> : tensor<301xi64>
  %m = graph.mul %n, %k : tensor<301xi64>
  %w = graph.convert %i : tensor<301xi32> -> tensor<301xi64>
  %a = graph.add %m, %w : tensor<301xi64>
  %s = graph.constant dense<29> : tensor<301xi64>
  %t = graph.constant dense<40> : tensor<301xi64>
  %shifted = graph.shift_right_arithmetic %a, %s : tensor<301xi64>
  %high = graph.shift_right_arithmetic %a, %t : tensor<301xi64>
  %mixed = graph.xor %a, %shifted : tensor<301xi64>
  %q = graph.div %mixed, %shifted : tensor<301xi64>
  %p = graph.rem %mixed, %high : tensor<301xi64>
  %u = graph.convert %mixed : tensor<301xi64> -> tensor<301xui64>
  %v = graph.convert %high : tensor<301xi64> -> tensor<301xui64>
  %x = graph.div %u, %v : tensor<301xui64>
  %y = graph.rem %u, %v : tensor<301xui64>
  %f = graph.floor_mod %mixed, %high : tensor<301xi64>
  %float = graph.convert %mixed : tensor<301xi64> -> tensor<301xf32>
  %back = graph.convert %float : tensor<301xf32> -> tensor<301xi64>
  %c = graph.compare lt, %mixed, %high : tensor<301xi64> -> tensor<301xi1>
  %sum = graph.reduce sum, %mixed [0] : tensor<301xi64> -> tensor<i64>
  return %q, %p, %x, %y, %f, %float, %c, %sum, %back : tensor<301xi64>, tensor<301xi64>, tensor<301xui64>, tensor<301xui64>, tensor<301xi64>, tensor<301xf32>, tensor<301xi1>, tensor<i64>, tensor<301xi64>
}

//--- scans.mlir
func.func @main(%i: tensor<3x37xi32>) -> (tensor<3x37xi64>, tensor<3x37xi64>, tensor<3x37xi64>, tensor<3x37xui64>) {
  %k = graph.constant dense<7046029254386353131> : tensor<3x37xi64>
  %w = graph.convert %i : tensor<3x37xi32> -> tensor<3x37xi64>
  %n = graph.iota 1 : tensor<3x37xi64>
  %s = graph.add %n, %w : tensor<3x37xi64>
  %m = graph.mul %s, %k : tensor<3x37xi64>
  %u = graph.convert %m : tensor<3x37xi64> -> tensor<3x37xui64>
  %a = graph.cumulative sum, %m 1 : tensor<3x37xi64>
  %b = graph.cumulative prod, %m 1 exclusive : tensor<3x37xi64>
  %c = graph.cumulative max, %m 0 reverse : tensor<3x37xi64>
  %d = graph.cumulative min, %u 1 exclusive reverse : tensor<3x37xui64>
  return %a, %b, %c, %d : tensor<3x37xi64>, tensor<3x37xi64>, tensor<3x37xi64>, tensor<3x37xui64>
}

//--- control.mlir
func.func @main(%n: tensor<i64>, %x: tensor<5xi64>, %f: tensor<5x7xf32>) -> (tensor<5xi64>, tensor<5x7xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %one = graph.constant dense<1> : tensor<i64>
  %big = graph.constant dense<6364136223846793005> : tensor<5xi64>
  %p = graph.arg_reduce max, %f 1 : tensor<5x7xf32> -> tensor<5xi64>
  %a = graph.add %x, %p : tensor<5xi64>
  %r:2 = graph.while %zero, %a cond {
  ^bb0(%i: tensor<i64>, %v: tensor<5xi64>):
    %c = graph.compare lt, %i, %n : tensor<i64> -> tensor<i1>
    graph.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %v: tensor<5xi64>):
    %j = graph.add %i, %one : tensor<i64>
    %w = graph.mul %v, %big : tensor<5xi64>
    graph.yield %j, %w : tensor<i64>, tensor<5xi64>
  } : (tensor<i64>, tensor<5xi64>) -> (tensor<i64>, tensor<5xi64>)
  %q = graph.reshape %p : tensor<5xi64> -> tensor<5x1xi64>
  %g = graph.gather %f, %q <offset = [1], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> sizes [1, 7] : (tensor<5x7xf32>, tensor<5x1xi64>) -> tensor<5x7xf32>
  return %r#1, %g : tensor<5xi64>, tensor<5x7xf32>
}

//--- halves.mlir
func.func @main(%x: tensor<64xf16>, %y: tensor<64xbf16>) -> (tensor<64xf16>, tensor<64xbf16>) {
  %a = graph.add %x, %x : tensor<64xf16>
  %b = graph.mul %a, %x : tensor<64xf16>
  %c = graph.sub %b, %a : tensor<64xf16>
  %d = graph.div %y, %y : tensor<64xbf16>
  %e = graph.mul %d, %y : tensor<64xbf16>
  %f = graph.add %e, %y : tensor<64xbf16>
  return %c, %f : tensor<64xf16>, tensor<64xbf16>
}

//--- doubles.mlir
func.func @main(%x: tensor<64xf64>) -> tensor<64xf64> {
  %p = graph.mul %x, %x : tensor<64xf64>
  return %p : tensor<64xf64>
}

//--- power.mlir
func.func @main(%x: tensor<64xi64>) -> tensor<64xi64> {
  %p = graph.pow %x, %x : tensor<64xi64>
  return %p : tensor<64xi64>
}
