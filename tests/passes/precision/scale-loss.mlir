// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step that scales its loss: gradients are divided by the scale in f32, and
// what is not finite changes nothing but the scale.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-scale-loss{interval=2 max-scale=16})' | FileCheck %s -enable-var-scope
// RUN: zenith-opt %s --pass-pipeline='builtin.module(zenith-scale-loss{interval=2 max-scale=16})' -o %t.mlir
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(zenith-scale-loss{gradient=gone})' 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: there is no function @gone with a body
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(zenith-scale-loss{update=grad})' 2>&1 | FileCheck %s --check-prefix=FIT
// FIT: result 0 of @grad is 'tensor<f32>', the argument that it replaces 'tensor<3xf32>'
// RUN: not zenith-opt %s --pass-pipeline='builtin.module(zenith-scale-loss{backoff=2})' 2>&1 | FileCheck %s --check-prefix=BACKOFF
// BACKOFF: backoff is above 0 and at most 1

// CHECK: func.func private @grad
// CHECK: func.func private @update
// CHECK: func.func @step(%[[W:.*]]: tensor<3xf32> {graph.name = "w"}, %[[N:.*]]: tensor<f32> {graph.name = "count"}, %[[X:.*]]: tensor<3xf32> {graph.name = "x"}, %[[S:.*]]: tensor<f32> {graph.name = "loss_scale"}, %[[G:.*]]: tensor<i32> {graph.name = "good_steps"})
// CHECK: %[[C:.*]]:2 = call @grad(%[[W]], %[[X]], %[[S]])
// CHECK: %[[U:.*]] = graph.mul %[[C]]#1, %{{.*}} {graph.highest_precision}
// CHECK: %[[E:.*]] = graph.is_finite %[[U]]
// CHECK: %[[F:.*]] = graph.reduce all, %[[E]] [0]
// CHECK: %[[R:.*]]:2 = call @update(%[[W]], %[[N]], %[[U]])
// CHECK: graph.select %{{.*}}, %[[R]]#0, %[[W]]
// CHECK: graph.select %[[F]], %[[R]]#1, %[[N]]
// CHECK: return {{.*}}, %[[C]]#0, %{{.*}}, %{{.*}}, %[[F]]
func.func @grad(%w: tensor<3xf32> {graph.name = "w"}, %x: tensor<3xf32> {graph.name = "x"}, %seed: tensor<f32> {graph.name = "seed"})
    -> (tensor<f32>, tensor<3xf32>) {
  %p = graph.mul %w, %x : tensor<3xf32>
  %loss = graph.reduce sum, %p [0] : tensor<3xf32> -> tensor<f32>
  %s = graph.broadcast %seed [] : tensor<f32> -> tensor<3xf32>
  %g = graph.mul %x, %s : tensor<3xf32>
  return %loss, %g : tensor<f32>, tensor<3xf32>
}

func.func @update(%w: tensor<3xf32> {graph.name = "w"}, %n: tensor<f32> {graph.name = "count"}, %g: tensor<3xf32> {graph.name = "g_w"})
    -> (tensor<3xf32>, tensor<f32>) {
  %next = graph.sub %w, %g : tensor<3xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %m = graph.add %n, %one : tensor<f32>
  return %next, %m : tensor<3xf32>, tensor<f32>
}

