// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that a target lacks: the same bits by those that it has.
//
// RUN: split-file %s %t
// RUN: zenith-run %t/integers.mlir --random-inputs=1 --without-types=i64,ui64 --compare=interp --atol=0 --rtol=0
// Words of one sign alone are converted to and from the whole ones of the other.
// RUN: zenith-run %t/integers.mlir --random-inputs=1 --without-types=i64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/integers.mlir --random-inputs=1 --without-types=ui64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/scans.mlir --random-inputs=1 --without-types=i64,ui64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/control.mlir --random-inputs=3 --without-types=i64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/ordering.mlir --random-inputs=1 --without-types=i64,ui64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/folds.mlir --random-inputs=1 --without-types=i64,ui64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/power.mlir --random-inputs=1 --without-types=i64 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/steps.mlir --random-inputs=1 --without-types=f16,bf16,f8 --compare=interp --atol=0 --rtol=0
// RUN: zenith-run %t/halves.mlir --random-inputs=1 --without-types=f16,bf16 --compare=interp --atol=0 --rtol=0
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/doubles.mlir --random-inputs=1 --without-types=f64 2>&1 | FileCheck --check-prefix=REFUSED %s
// REFUSED: 'graph.mul' op computes in f64
// A target without f64 need not be told.
// RUN: echo '{"fp64": false}' > %t/singles.json
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/doubles.mlir --random-inputs=1 --target-model=%t/singles.json 2>&1 | FileCheck --check-prefix=REFUSED %s
// RUN: zenith-run %t/doubles.mlir --random-inputs=1 --without-types=f64 --f64-as=f32 --compare=interp --rtol=1e-6 --explain=precision 2>&1 | FileCheck --check-prefix=SINGLE %s
// SINGLE: PRE007 {{.*}}'mul' computes f64 as f32
// RUN: %python %S/Inputs/exit_code.py 3 zenith-run %t/places.mlir --random-inputs=1 --without-types=i64 2>&1 | FileCheck --check-prefix=RULE %s
// RULE: 'graph.searchsorted' op has 64-bit integers, which the target lacks
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
func.func @main(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi64> {
  %m = graph.constant dense<7> : tensor<64xi64>
  %a = graph.convert %x : tensor<64xi32> -> tensor<64xi64>
  %b = graph.convert %y : tensor<64xi32> -> tensor<64xi64>
  %e = graph.rem %b, %m : tensor<64xi64>
  %p = graph.pow %a, %e : tensor<64xi64>
  return %p : tensor<64xi64>
}

//--- ordering.mlir
func.func @main(%i: tensor<5x37xi32>, %f: tensor<5x37xf32>) -> (tensor<5x37xi64>, tensor<5x37xui64>, tensor<5x37xf32>, tensor<5x37xi64>, tensor<5x4xi64>, tensor<5x4xi64>, tensor<5x3xf32>, tensor<5x3xi64>, tensor<5xi64>, tensor<37xi32>, tensor<5x37xi64>) {
  %k = graph.constant dense<7046029254386353131> : tensor<5x37xi64>
  %w = graph.convert %i : tensor<5x37xi32> -> tensor<5x37xi64>
  %m = graph.mul %w, %k : tensor<5x37xi64>
  %u = graph.convert %m : tensor<5x37xi64> -> tensor<5x37xui64>
  %a = graph.sort %m 1 keys 1 : (tensor<5x37xi64>) -> tensor<5x37xi64>
  %b = graph.sort %u 0 keys 1 descending : (tensor<5x37xui64>) -> tensor<5x37xui64>
  %c, %d = graph.sort %f, %m 1 keys 2 descending : (tensor<5x37xf32>, tensor<5x37xi64>) -> (tensor<5x37xf32>, tensor<5x37xi64>)
  %v, %p = graph.top_k %m 1 : (tensor<5x37xi64>) -> (tensor<5x4xi64>, tensor<5x4xi64>)
  %g, %q = graph.top_k %f 1 smallest : (tensor<5x37xf32>) -> (tensor<5x3xf32>, tensor<5x3xi64>)
  %r = graph.arg_reduce max, %m 1 last : tensor<5x37xi64> -> tensor<5xi64>
  %s = graph.arg_reduce min, %u 0 : tensor<5x37xui64> -> tensor<37xi32>
  %t = graph.sort_with %m 1 {
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %z = graph.compare gt, %x, %y : tensor<i64> -> tensor<i1>
    graph.yield %z : tensor<i1>
  } : (tensor<5x37xi64>) -> tensor<5x37xi64>
  return %a, %b, %c, %d, %v, %p, %g, %q, %r, %s, %t : tensor<5x37xi64>, tensor<5x37xui64>, tensor<5x37xf32>, tensor<5x37xi64>, tensor<5x4xi64>, tensor<5x4xi64>, tensor<5x3xf32>, tensor<5x3xi64>, tensor<5xi64>, tensor<37xi32>, tensor<5x37xi64>
}

//--- folds.mlir
func.func @main(%i: tensor<6x8xi32>, %n: tensor<i64>) -> (tensor<6x6xi64>, tensor<6x3xi64>, tensor<6x8xui64>, tensor<6xi64>, tensor<6x8xi64>, tensor<6x8xi64>, tensor<6x8xf64>) {
  %k = graph.constant dense<7046029254386353131> : tensor<6x8xi64>
  %w = graph.convert %i : tensor<6x8xi32> -> tensor<6x8xi64>
  %m = graph.mul %w, %k : tensor<6x8xi64>
  %u = graph.convert %m : tensor<6x8xi64> -> tensor<6x8xui64>
  %d = graph.dot_general %m, %m <batching = [] x [], contracting = [1] x [1]> : (tensor<6x8xi64>, tensor<6x8xi64>) -> tensor<6x6xi64>
  %v = graph.reduce_window min, %m window [1, 4] strides [1, 2] low [0, 0] high [0, 0] base_dilation [1, 1] dilation [1, 1] : tensor<6x8xi64> -> tensor<6x3xi64>
  %places = graph.constant dense<[[3], [0], [3]]> : tensor<3x1xi64>
  %part = graph.slice %u [0, 0] [3, 8] [1, 1] : tensor<6x8xui64> -> tensor<3x8xui64>
  %s = graph.scatter prod, %u, %places, %part <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<6x8xui64>, tensor<3x1xi64>, tensor<3x8xui64>) -> tensor<6x8xui64>
  %h = graph.reduce_with (%m), (%n) [1] {
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %c = graph.constant dense<31> : tensor<i64>
    %t = graph.mul %x, %c : tensor<i64>
    %z = graph.add %t, %y : tensor<i64>
    graph.yield %z : tensor<i64>
  } : (tensor<6x8xi64>, tensor<i64>) -> tensor<6xi64>
  %p = graph.cumulative parity, %m 1 : tensor<6x8xi64>
  %b = graph.bitcast %m : tensor<6x8xi64> -> tensor<6x8xf64>
  %r = graph.bitcast %b : tensor<6x8xf64> -> tensor<6x8xi64>
  %o = graph.add %r, %p : tensor<6x8xi64>
  return %d, %v, %s, %h, %p, %o, %b : tensor<6x6xi64>, tensor<6x3xi64>, tensor<6x8xui64>, tensor<6xi64>, tensor<6x8xi64>, tensor<6x8xi64>, tensor<6x8xf64>
}

//--- places.mlir
func.func @main(%x: tensor<64xi64>, %q: tensor<8xi64>) -> tensor<8xi64> {
  %p = graph.searchsorted %x, %q : (tensor<64xi64>, tensor<8xi64>) -> tensor<8xi64>
  return %p : tensor<8xi64>
}

//--- steps.mlir
// Running folds and scatters round at each step; f64 is not lacking.
func.func @main(%x: tensor<4x33xf16>, %y: tensor<4x33xbf16>, %z: tensor<4x33xf8E5M2>) -> (tensor<4x33xf16>, tensor<4x33xbf16>, tensor<4x33xf8E5M2>, tensor<4x33xbf16>, tensor<4x33xf64>) {
  %a = graph.cumulative sum, %x 1 : tensor<4x33xf16>
  %b = graph.cumulative prod, %y 0 exclusive reverse : tensor<4x33xbf16>
  %c = graph.cumulative sum, %z 1 reverse : tensor<4x33xf8E5M2>
  %places = graph.constant dense<[[3], [0], [3], [3]]> : tensor<4x1xi64>
  %d = graph.scatter sum, %y, %places, %y <window = [1], inserted = [0], batching = [] x [], index_map = [0], index_vector_dim = 1> : (tensor<4x33xbf16>, tensor<4x1xi64>, tensor<4x33xbf16>) -> tensor<4x33xbf16>
  %e = graph.convert %x : tensor<4x33xf16> -> tensor<4x33xf64>
  return %a, %b, %c, %d, %e : tensor<4x33xf16>, tensor<4x33xbf16>, tensor<4x33xf8E5M2>, tensor<4x33xbf16>, tensor<4x33xf64>
}
