// Memory-aware list scheduling: fusions that free more than they allocate run as soon as they can. The small sum at the
// end of the function moves to where its operand is computed, so that three large values are never live at once.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-schedule-kernels,zenith-order-steps,zenith-assign-buffers)' | FileCheck %s

// CHECK-LABEL: func.func @sum_moves_up
// CHECK-SAME: host.arena = #graph.dim<"8192">
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion reduction (%{{.*}} = %0 :
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion pointwise
// CHECK: graph.fusion reduction
// CHECK: return
func.func @sum_moves_up(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %0 = graph.fusion pointwise (%a = %x : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.exp %a : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %1 = graph.fusion pointwise (%a = %y : tensor<32x32xf32>, %b = %0 : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.add %a, %b : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %2 = graph.fusion pointwise (%a = %1 : tensor<32x32xf32>, %b = %1 : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.mul %a, %b : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %3 = graph.fusion reduction (%a = %2 : tensor<32x32xf32>, %b = %1 : tensor<32x32xf32>) -> tensor<32xf32> {
    %e = graph.mul %a, %b : tensor<32x32xf32>
    %s = graph.reduce sum, %e [1] : tensor<32x32xf32> -> tensor<32xf32>
    graph.yield %s : tensor<32xf32>
  }
  %4 = graph.fusion reduction (%a = %0 : tensor<32x32xf32>) -> tensor<32xf32> {
    %s = graph.reduce sum, %a [1] : tensor<32x32xf32> -> tensor<32xf32>
    graph.yield %s : tensor<32xf32>
  }
  return %3, %4 : tensor<32xf32>, tensor<32xf32>
}

// An op that allocates more than it frees is deferred to its first reader.
// CHECK-LABEL: func.func @made_where_wanted
// CHECK-SAME: host.arena = #graph.dim<"4096">
// CHECK: graph.fusion pointwise (%{{.*}} = %arg1 :
// CHECK: graph.fusion reduction
// CHECK: graph.fusion pointwise (%{{.*}} = %arg0 :
// CHECK: graph.fusion reduction
// CHECK: return
func.func @made_where_wanted(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %0 = graph.fusion pointwise (%a = %x : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.exp %a : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %1 = graph.fusion pointwise (%a = %y : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.exp %a : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %2 = graph.fusion reduction (%a = %1 : tensor<32x32xf32>) -> tensor<32xf32> {
    %s = graph.reduce sum, %a [1] : tensor<32x32xf32> -> tensor<32xf32>
    graph.yield %s : tensor<32xf32>
  }
  %3 = graph.fusion reduction (%a = %0 : tensor<32x32xf32>, %b = %2 : tensor<32xf32>) -> tensor<32xf32> {
    %s = graph.reduce sum, %a [1] : tensor<32x32xf32> -> tensor<32xf32>
    %t = graph.add %s, %b : tensor<32xf32>
    graph.yield %t : tensor<32xf32>
  }
  return %2, %3 : tensor<32xf32>, tensor<32xf32>
}

// The small sum does not move in front of what the run checks of its data.
// CHECK-LABEL: func.func @checks_come_first
// CHECK-NOT: graph.fusion reduction
// CHECK: graph.host_read
// CHECK: graph.assert
// CHECK: graph.fusion reduction
// CHECK: return
func.func @checks_come_first(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>, %v: tensor<1xi64>) -> (tensor<32xf32>, tensor<32xf32>) {
  %zero = graph.constant dense<0> : tensor<i64>
  %0 = graph.fusion pointwise (%a = %x : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.exp %a : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %1 = graph.fusion pointwise (%a = %y : tensor<32x32xf32>, %b = %0 : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.add %a, %b : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %2 = graph.fusion pointwise (%a = %1 : tensor<32x32xf32>, %b = %1 : tensor<32x32xf32>) -> tensor<32x32xf32> {
    %e = graph.mul %a, %b : tensor<32x32xf32>
    graph.yield %e : tensor<32x32xf32>
  }
  %3 = graph.fusion reduction (%a = %2 : tensor<32x32xf32>, %b = %1 : tensor<32x32xf32>) -> tensor<32xf32> {
    %e = graph.mul %a, %b : tensor<32x32xf32>
    %s = graph.reduce sum, %e [1] : tensor<32x32xf32> -> tensor<32xf32>
    graph.yield %s : tensor<32xf32>
  }
  %n = graph.fusion pointwise (%a = %v : tensor<1xi64>) -> tensor<i64> {
    %r = graph.reshape %a : tensor<1xi64> -> tensor<i64>
    %s = graph.neg %r : tensor<i64>
    graph.yield %s : tensor<i64>
  }
  %m = graph.host_read %n : tensor<i64>
  %c = graph.compare le, %zero, %m : tensor<i64> -> tensor<i1>
  graph.assert %c "{0} is negative"(%m) : tensor<i1>, tensor<i64>
  %4 = graph.fusion reduction (%a = %0 : tensor<32x32xf32>) -> tensor<32xf32> {
    %s = graph.reduce sum, %a [1] : tensor<32x32xf32> -> tensor<32xf32>
    graph.yield %s : tensor<32xf32>
  }
  return %3, %4 : tensor<32xf32>, tensor<32xf32>
}
