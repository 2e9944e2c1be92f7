// Results past the caches: decided by bytes where they are known, else a choice; an edit takes either.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:emeraldrapids -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:emeraldrapids | FileCheck %s
// RUN: zenith-opt %t.mlir --from=schedule --to=kernels --target=cpu:emeraldrapids | FileCheck %s --check-prefix=KERNELS
// RUN: sed 's/, store = streaming//' %t.mlir > %t-plain.mlir
// RUN: zenith-opt %t-plain.mlir --from=schedule --to=kernels --target=cpu:emeraldrapids | FileCheck %s --check-prefix=PLAIN
// RUN: zenith-opt %s --to=schedule --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=NONE

// NONE-NOT: store = streaming
// KERNELS: nontemporal
// PLAIN-NOT: nontemporal
// CHECK-LABEL: func.func @main
// CHECK: schedule = #sched.elements<on = task, {{.*}}, store = streaming>
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = graph.exp %x : tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// CHECK-LABEL: func.func @small
// CHECK: schedule = #sched.elements<on = task, block = {{[0-9]+}}, lanes = 32, shares = {{\[\[}}0, 0]]>
func.func @small(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.exp %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// A result that another kernel reads goes through the caches.
// CHECK-LABEL: func.func @read_again
// CHECK: schedule = #sched.elements<on = task, block = 4096, tile = [16, 16], piece = 16, item = 2, lanes = 16>
func.func @read_again(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024xf32>) {
  %0 = graph.transpose %x [1, 0] : tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  %1 = graph.reduce sum, %0 [1] : tensor<1024x1024xf32> -> tensor<1024xf32>
  return %0, %1 : tensor<1024x1024xf32>, tensor<1024xf32>
}
