// Where the target multiplies pairs of bf16, copies of operands that a run makes put them side by side; an edit reads A where it lies, and multiplies widened numbers.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:znver4 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:znver4 | FileCheck %s
// RUN: sed 's/operands = \[transposed, /operands = [rows, /; s/, depth = 2//; s/, scratch = [^]]*\]//' %t.mlir > %t-given.mlir
// RUN: zenith-opt %t-given.mlir --from=schedule --to=schedule --target=cpu:znver4 | FileCheck %s --check-prefix=GIVEN
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=WIDENED
// RUN: zenith-run %s --entry=forward --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4
// RUN: zenith-run %s --entry=weights --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4
// RUN: zenith-run %s --entry=batch_of_a_run --dim=B=77 --random-inputs --compare=interp --print=0 --rtol=1e-4 --atol=1e-4
// RUN: zenith-run %s --entry=odd --compare=interp --print=0 --rtol=1e-4 --atol=1e-4

// CHECK-LABEL: func.func @forward
// CHECK: schedule = #sched.gemm<{{.*}}, operands = [rows, copied<64, depth = 2>]
// WIDENED-LABEL: func.func @forward
// WIDENED-NOT: depth = 2
func.func @forward(%x: tensor<300x128xbf16>, %w: tensor<128x256xbf16>) -> tensor<300x256xf32> {
  %0 = graph.dot_general %x, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<300x128xbf16>, tensor<128x256xbf16>) -> tensor<300x256xf32>
  return %0 : tensor<300x256xf32>
}

// The gradient of weights: A is contiguous along its rows.
//
// CHECK-LABEL: func.func @weights
// CHECK: schedule = #sched.gemm<{{.*}}, operands = [transposed, copied<64, depth = 2>]
// GIVEN-LABEL: func.func @weights
// GIVEN: schedule = #sched.gemm<{{.*}}, operands = [{{rows|copied}}, copied<64>]
// WIDENED-LABEL: func.func @weights
// WIDENED-NOT: transposed
func.func @weights(%x: tensor<256x320xbf16>, %g: tensor<256x192xbf16>) -> tensor<320x192xf32> {
  %0 = graph.dot_general %x, %g <batching = [] x [], contracting = [0] x [0]> : (tensor<256x320xbf16>, tensor<256x192xbf16>) -> tensor<320x192xf32>
  return %0 : tensor<320x192xf32>
}

// A B of as many rows as a run says is read where it lies, and pairs are put side by side in registers.
//
// CHECK-LABEL: func.func @batch_of_a_run
// CHECK: operands = [transposed, rows]
func.func @batch_of_a_run(%x: tensor<?x320xbf16> {graph.dims = ["B", "320"]}, %g: tensor<?x192xbf16> {graph.dims = ["B", "192"]}) -> tensor<320x192xf32> {
  %0 = graph.dot_general %x, %g <batching = [] x [], contracting = [0] x [0]> : (tensor<?x320xbf16>, tensor<?x192xbf16>) -> tensor<320x192xf32>
  return %0 : tensor<320x192xf32>
}

// The last k of a row has no neighbour: the first element of the next row, which is not a number in each odd one, must not reach the sums of the even ones.
//
// CHECK-LABEL: func.func @odd
// CHECK: operands = [rows, copied<64, depth = 2>]
func.func @odd() -> tensor<300x192xf32> {
  %row = graph.iota 0 : tensor<300x63xi32>
  %k = graph.iota 1 : tensor<300x63xi32>
  %two = graph.constant dense<2> : tensor<i32>
  %zero = graph.constant dense<0> : tensor<i32>
  %twos = graph.broadcast %two [] : tensor<i32> -> tensor<300x63xi32>
  %zeros = graph.broadcast %zero [] : tensor<i32> -> tensor<300x63xi32>
  %parity = graph.rem %row, %twos : tensor<300x63xi32>
  %first = graph.compare eq, %k, %zeros : tensor<300x63xi32> -> tensor<300x63xi1>
  %odd = graph.compare ne, %parity, %zeros : tensor<300x63xi32> -> tensor<300x63xi1>
  %both = graph.and %first, %odd : tensor<300x63xi1>
  %number = graph.convert %k : tensor<300x63xi32> -> tensor<300x63xbf16>
  %none = graph.constant dense<0x7FC0> : tensor<bf16>
  %nones = graph.broadcast %none [] : tensor<bf16> -> tensor<300x63xbf16>
  %a = graph.select %both, %nones, %number : tensor<300x63xi1>, tensor<300x63xbf16>
  %columns = graph.iota 1 : tensor<63x192xi32>
  %b = graph.convert %columns : tensor<63x192xi32> -> tensor<63x192xbf16>
  %0 = graph.dot_general %a, %b <batching = [] x [], contracting = [1] x [0]> : (tensor<300x63xbf16>, tensor<63x192xbf16>) -> tensor<300x192xf32>
  return %0 : tensor<300x192xf32>
}
