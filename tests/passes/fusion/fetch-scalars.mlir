// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-fetch-scalars))' | FileCheck %s

// CHECK-LABEL: func.func @size_from_data
// CHECK: %[[N:.*]] = graph.reduce sum
// CHECK: %[[M:.*]] = graph.host_read %[[N]]
// CHECK: graph.broadcast %arg1 [] [%[[M]]]
func.func @size_from_data(%v: tensor<4xi64>, %x: tensor<f32>) -> tensor<?xf32> {
  %n = graph.reduce sum, %v [0] : tensor<4xi64> -> tensor<i64>
  %y = graph.broadcast %x [] [%n] : tensor<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// What arguments and dimensions give is the host's already.
// CHECK-LABEL: func.func @host_arithmetic
// CHECK-NOT: graph.host_read
func.func @host_arithmetic(%n: tensor<i64>, %z: tensor<?xf32>, %x: tensor<f32>) -> tensor<?xf32> {
  %d = graph.dim %z, 0 : tensor<?xf32>
  %s = graph.add %n, %d : tensor<i64>
  %y = graph.broadcast %x [] [%s] : tensor<f32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Of arithmetic that rests on both, the host takes what kernels computed.
// CHECK-LABEL: func.func @both
// CHECK: %[[R:.*]] = graph.reduce max
// CHECK: %[[B:.*]] = graph.host_read %[[R]]
// CHECK: %[[S:.*]] = graph.add %[[B]], %arg1
// CHECK: graph.iota 0 [%[[S]]]
func.func @both(%v: tensor<4xi64>, %n: tensor<i64>) -> tensor<?xi64> {
  %r = graph.reduce max, %v [0] : tensor<4xi64> -> tensor<i64>
  %s = graph.add %r, %n : tensor<i64>
  %y = graph.iota 0 [%s] : tensor<?xi64>
  return %y : tensor<?xi64>
}

// Values that an entry returns stay in memory.
// CHECK-LABEL: func.func @returned
// CHECK-NOT: graph.host_read
func.func @returned(%v: tensor<4xi64>) -> tensor<i64> {
  %n = graph.reduce sum, %v [0] : tensor<4xi64> -> tensor<i64>
  return %n : tensor<i64>
}

// CHECK-LABEL: func.func @claims
// CHECK: %[[P:.*]] = graph.reduce all
// CHECK: %[[Q:.*]] = graph.host_read %[[P]]
// CHECK: graph.assert %[[Q]]
func.func @claims(%v: tensor<4xi1>) -> tensor<4xi1> {
  %p = graph.reduce all, %v [0] : tensor<4xi1> -> tensor<i1>
  graph.assert %p "no" : tensor<i1>
  return %v : tensor<4xi1>
}

// A barrier passes scalars on; the host reads one that a kernel computed.
// CHECK-LABEL: func.func @barriers
// CHECK: %[[B:.*]]:2 = graph.barrier
// CHECK: %[[R:.*]] = graph.host_read %[[B]]#0
// CHECK-NOT: graph.host_read
// CHECK: %[[S:.*]] = graph.add %[[R]], %[[B]]#1
// CHECK: graph.iota 0 [%[[S]]]
func.func @barriers(%v: tensor<4xi64>, %n: tensor<i64>) -> tensor<?xi64> {
  %r = graph.reduce max, %v [0] : tensor<4xi64> -> tensor<i64>
  %b:2 = graph.barrier %r, %n : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  %s = graph.add %b#0, %b#1 : tensor<i64>
  %y = graph.iota 0 [%s] : tensor<?xi64>
  return %y : tensor<?xi64>
}

// Sizes from data that a check compares are the host's: the check comes before
// kernels that read by them.
// CHECK-LABEL: func.func @size_check
// CHECK: %[[N:.*]] = graph.reduce max
// CHECK: %[[R:.*]] = graph.host_read %[[N]]
// CHECK-NOT: graph.host_read
// CHECK: %[[M:.*]] = graph.min %[[R]]
// CHECK: %[[C:.*]] = graph.compare le, %[[M]]
// CHECK: graph.assert %[[C]]
func.func @size_check(%v: tensor<4xi64>, %x: tensor<?xf32>) -> tensor<?xi64> {
  %one = graph.constant dense<1> : tensor<i64>
  %n = graph.reduce max, %v [0] : tensor<4xi64> -> tensor<i64>
  %i = graph.iota 0 [%n] : tensor<?xi64>
  %d = graph.dim %x, 0 : tensor<?xf32>
  %m = graph.min %n, %one : tensor<i64>
  %c = graph.compare le, %m, %d : tensor<i64> -> tensor<i1>
  graph.assert %c "a slice of {0} exceeds {1}"(%m, %d) {graph.size_check} : tensor<i1>, tensor<i64>, tensor<i64>
  return %i : tensor<?xi64>
}
