// Of several results, those that only the caller reads go past the caches: the schedule says which, and emission reads it.
//
// RUN: zenith-opt %s --from=schedule --to=schedule --target=cpu:emeraldrapids -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=kernels --target=cpu:emeraldrapids | FileCheck %s --check-prefix=KERNELS
// RUN: sed 's/streaming<0>/streaming/' %t.mlir | zenith-opt --from=schedule --to=schedule --target=cpu:emeraldrapids | FileCheck %s
// RUN: sed 's/streaming<0>/streaming<1>/' %t.mlir | not zenith-opt --from=schedule --to=schedule --target=cpu:emeraldrapids 2>&1 | FileCheck %s --check-prefix=READ
// RUN: sed 's/streaming<0>/streaming<2>/' %t.mlir | not zenith-opt --from=schedule --to=schedule --target=cpu:emeraldrapids 2>&1 | FileCheck %s --check-prefix=RANGE
// READ: schedule: store: got streaming of results [1], expected results that go to the caller alone, in whole lines (sched_c12)
// RANGE: schedule: store: got streaming of results [2], expected results that go to the caller alone, in whole lines (sched_c12)

// CHECK: graph.fusion pointwise {{.*}}schedule = #sched.elements<on = task, {{.*}}, store = streaming<0>>
// KERNELS-LABEL: func.func @k0_pointwise
// KERNELS: vector.store %[[EXP:.*]], %{{.*}} {nontemporal = true}
// KERNELS-NOT: nontemporal
func.func @main(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
  %0:2 = graph.fusion pointwise (%a = %x : tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
    %2 = graph.exp %a : tensor<1024x1024xf32>
    %3 = graph.neg %a : tensor<1024x1024xf32>
    graph.yield %2, %3 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
  %1 = graph.fusion reduction (%b = %0#1 : tensor<1024x1024xf32>) -> tensor<1024xf32> {
    %2 = graph.reduce sum, %b [1] : tensor<1024x1024xf32> -> tensor<1024xf32>
    graph.yield %2 : tensor<1024xf32>
  }
  return %0#0, %1 : tensor<1024x1024xf32>, tensor<1024xf32>
}
