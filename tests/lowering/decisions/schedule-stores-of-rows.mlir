// Only the run knows whether the rows of a large result are whole lines: a choice, which reads back as it is.
//
// RUN: zenith-opt %s --to=schedule --target=cpu:emeraldrapids -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: zenith-opt %t.mlir --from=schedule --to=schedule --target=cpu:emeraldrapids | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: schedule = #sched.choice<["{{.*}}floordiv(n, 16){{.*}}" : #sched.elements<on = task, {{.*}}, store = streaming>, else : #sched.elements<on = task, {{.*}}tile = [16, 16]
func.func @main(%x: tensor<?x2048xf32> {graph.dims = ["n", "2048"]}) -> (tensor<2048x?xf32> {graph.dims = ["2048", "n"]}) {
  %0 = graph.transpose %x [1, 0] : tensor<?x2048xf32> -> tensor<2048x?xf32>
  return %0 : tensor<2048x?xf32>
}

// Rows of a known size that is no multiple of a line are never streamed.
// CHECK-LABEL: func.func @parts_of_lines
// CHECK-NOT: streaming
func.func @parts_of_lines(%x: tensor<1001x?xf32> {graph.dims = ["1001", "n"]}) -> (tensor<?x1001xf32> {graph.dims = ["n", "1001"]}) {
  %0 = graph.transpose %x [1, 0] : tensor<1001x?xf32> -> tensor<?x1001xf32>
  return %0 : tensor<?x1001xf32>
}
