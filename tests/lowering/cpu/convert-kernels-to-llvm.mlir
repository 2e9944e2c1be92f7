// RUN: zenith-opt %s --zenith-convert-kernels-to-llvm | FileCheck %s

// Pointers are bare and noalias; private functions stay in their object.

// CHECK-LABEL: llvm.func @scale(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr {llvm.noalias}, %[[N:[a-z0-9]*]]: i64, %[[BEGIN:[a-z0-9]*]]: i64, %[[END:[a-z0-9]*]]: i64)
// CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
// CHECK-NOT: unrealized_conversion_cast
func.func @scale(%x: memref<1099511627776xf32>, %n: index, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant dense<2.0> : vector<8xf32>
  scf.for %task = %begin to %end step %c1 {
    %i = arith.muli %task, %c8 overflow<nsw> : index
    %v = vector.load %x[%i] : memref<1099511627776xf32>, vector<8xf32>
    %r = arith.mulf %v, %f : vector<8xf32>
    vector.store %r, %x[%i] : memref<1099511627776xf32>, vector<8xf32>
  }
  return
}

// CHECK-LABEL: llvm.func @in_place(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}
func.func @in_place(%x: memref<1099511627776xf32> {zenith.may_alias}, %y: memref<1099511627776xf32> {zenith.may_alias},
                    %z: memref<1099511627776xf32>, %begin: index, %end: index) {
  return
}

// CHECK-LABEL: llvm.func internal @part(
func.func private @part(%x: f64) -> f64 {
  // CHECK: llvm.call @erf
  %r = math.erf %x : f64
  return %r : f64
}
