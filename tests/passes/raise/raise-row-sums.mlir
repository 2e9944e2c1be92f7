// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls of one-hot rows with parameters are sums of the parameters' rows.
//
// RUN: zenith-opt %s --pass-pipeline='builtin.module(func.func(zenith-raise-composites))' | FileCheck %s -enable-var-scope

graph.param @weight : tensor<20x16xf32> = dense<0.5> : tensor<20x16xf32>
graph.param @columns : tensor<16x20xf32> = dense<0.5> : tensor<16x20xf32>

// Symbols beyond the last one get a row of zeros. Weights that are not finite
// count in the rows of other symbols too: times zero they are NaN.
// CHECK-LABEL: @one_hot
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xui8>)
// CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<4x1x16xf32>
// CHECK-DAG: %[[W:.*]] = graph.get_param @weight
// CHECK: %[[ROWS:.*]] = graph.reshape %[[W]] : tensor<20x16xf32> -> tensor<4x5x16xf32>
// CHECK: %[[TABLE:.*]] = graph.concat 1, %[[ROWS]], %[[ZERO]]
// CHECK: %[[FINITE:.*]] = graph.is_finite %[[TABLE]]
// CHECK: %[[OWN:.*]] = graph.select %[[FINITE]]
// CHECK: %[[SUM:.*]] = graph.reduce sum, %[[OWN]] [1]
// CHECK: %[[ALL:.*]] = graph.broadcast %[[SUM]] [0, 2]
// CHECK: %[[OTHERS:.*]] = graph.compare lt, %[[OWN]], %[[ALL]]
// CHECK: %[[EXACT:.*]] = graph.select %[[OTHERS]], {{.*}}, %[[TABLE]]
// CHECK: %[[CHOSEN:.*]] = graph.gather %[[EXACT]], {{.*}} sizes [1, 1, 16] : (tensor<4x6x16xf32>, tensor<?x4x1xui8>) -> tensor<?x4x16xf32>
// CHECK: graph.reduce sum, %[[CHOSEN]] [1]
// CHECK-NOT: graph.dot_general
func.func @one_hot(%x: tensor<?x4xui8>) -> tensor<?x16xf32> {
  %n = graph.dim %x, 0 : tensor<?x4xui8>
  %symbols = graph.constant dense<[0, 1, 2, 3, 4]> : tensor<5xui8>
  %a = graph.broadcast %x [0, 1] [%n] : tensor<?x4xui8> -> tensor<?x4x5xui8>
  %b = graph.broadcast %symbols [2] [%n] : tensor<5xui8> -> tensor<?x4x5xui8>
  %c = graph.compare eq, %a, %b : tensor<?x4x5xui8> -> tensor<?x4x5xi1>
  %f = graph.convert %c : tensor<?x4x5xi1> -> tensor<?x4x5xf32>
  %h = graph.reshape %f [%n] : tensor<?x4x5xf32> -> tensor<?x20xf32>
  %w = graph.get_param @weight : tensor<20x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x20xf32>, tensor<20x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// Transposed weights, symbols in a wider type, and ones and zeros that a
// condition selects: as exporters write such matmuls.
// CHECK-LABEL: @transposed_weights
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xui8>)
// CHECK-DAG: %[[W:.*]] = graph.get_param @columns
// CHECK: %[[T:.*]] = graph.transpose %[[W]] [1, 0] : tensor<16x20xf32> -> tensor<20x16xf32>
// CHECK: graph.reshape %[[T]] : tensor<20x16xf32> -> tensor<4x5x16xf32>
// CHECK: %[[PLACES:.*]] = graph.reshape %[[X]] {{.*}} -> tensor<?x4x1xui8>
// CHECK: graph.gather %{{.*}}, %[[PLACES]]
// CHECK-NOT: graph.dot_general
func.func @transposed_weights(%x: tensor<?x4xui8>) -> tensor<?x16xf32> {
  %n = graph.dim %x, 0 : tensor<?x4xui8>
  %g = graph.convert %x : tensor<?x4xui8> -> tensor<?x4xf32>
  %i = graph.convert %g : tensor<?x4xf32> -> tensor<?x4xi64>
  %a = graph.broadcast %i [0, 1] [%n] : tensor<?x4xi64> -> tensor<?x4x5xi64>
  %b = graph.iota 2 [%n] : tensor<?x4x5xi64>
  %c = graph.compare eq, %a, %b : tensor<?x4x5xi64> -> tensor<?x4x5xi1>
  %one = graph.constant dense<1.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %ones = graph.broadcast %one [] [%n] : tensor<f32> -> tensor<?x4x5xf32>
  %zeros = graph.broadcast %zero [] [%n] : tensor<f32> -> tensor<?x4x5xf32>
  %f = graph.select %c, %ones, %zeros : tensor<?x4x5xi1>, tensor<?x4x5xf32>
  %h = graph.reshape %f [%n] : tensor<?x4x5xf32> -> tensor<?x20xf32>
  %w = graph.get_param @columns : tensor<16x20xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<?x20xf32>, tensor<16x20xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// f16 rounds some 16-bit integers.
// CHECK-LABEL: @rounded_symbols
// CHECK: graph.dot_general
func.func @rounded_symbols(%x: tensor<3x4xui16>) -> tensor<3x16xf32> {
  %symbols = graph.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %g = graph.convert %x : tensor<3x4xui16> -> tensor<3x4xf16>
  %i = graph.convert %g : tensor<3x4xf16> -> tensor<3x4xi32>
  %a = graph.broadcast %i [0, 1] : tensor<3x4xi32> -> tensor<3x4x5xi32>
  %b = graph.broadcast %symbols [2] : tensor<5xi32> -> tensor<3x4x5xi32>
  %c = graph.compare eq, %a, %b : tensor<3x4x5xi32> -> tensor<3x4x5xi1>
  %f = graph.convert %c : tensor<3x4x5xi1> -> tensor<3x4x5xf32>
  %h = graph.reshape %f : tensor<3x4x5xf32> -> tensor<3x20xf32>
  %w = graph.get_param @weight : tensor<20x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x20xf32>, tensor<20x16xf32>) -> tensor<3x16xf32>
  return %r : tensor<3x16xf32>
}

// The ones are twos.
// CHECK-LABEL: @other_values
// CHECK: graph.dot_general
func.func @other_values(%x: tensor<3x4xui8>) -> tensor<3x16xf32> {
  %symbols = graph.constant dense<[0, 1, 2, 3, 4]> : tensor<5xui8>
  %a = graph.broadcast %x [0, 1] : tensor<3x4xui8> -> tensor<3x4x5xui8>
  %b = graph.broadcast %symbols [2] : tensor<5xui8> -> tensor<3x4x5xui8>
  %c = graph.compare eq, %a, %b : tensor<3x4x5xui8> -> tensor<3x4x5xi1>
  %twos = graph.constant dense<2.0> : tensor<3x4x5xf32>
  %zeros = graph.constant dense<0.0> : tensor<3x4x5xf32>
  %f = graph.select %c, %twos, %zeros : tensor<3x4x5xi1>, tensor<3x4x5xf32>
  %h = graph.reshape %f : tensor<3x4x5xf32> -> tensor<3x20xf32>
  %w = graph.get_param @weight : tensor<20x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x20xf32>, tensor<20x16xf32>) -> tensor<3x16xf32>
  return %r : tensor<3x16xf32>
}

// Symbols may be negative, which would choose another row.
// CHECK-LABEL: @signed_symbols
// CHECK: graph.dot_general
func.func @signed_symbols(%x: tensor<3x4xi8>) -> tensor<3x16xf32> {
  %symbols = graph.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi8>
  %a = graph.broadcast %x [0, 1] : tensor<3x4xi8> -> tensor<3x4x5xi8>
  %b = graph.broadcast %symbols [2] : tensor<5xi8> -> tensor<3x4x5xi8>
  %c = graph.compare eq, %a, %b : tensor<3x4x5xi8> -> tensor<3x4x5xi1>
  %f = graph.convert %c : tensor<3x4x5xi1> -> tensor<3x4x5xf32>
  %h = graph.reshape %f : tensor<3x4x5xf32> -> tensor<3x20xf32>
  %w = graph.get_param @weight : tensor<20x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x20xf32>, tensor<20x16xf32>) -> tensor<3x16xf32>
  return %r : tensor<3x16xf32>
}

// The symbols are in another order.
// CHECK-LABEL: @other_order
// CHECK: graph.dot_general
func.func @other_order(%x: tensor<3x4xui8>) -> tensor<3x16xf32> {
  %symbols = graph.constant dense<[0, 2, 1, 3, 4]> : tensor<5xui8>
  %a = graph.broadcast %x [0, 1] : tensor<3x4xui8> -> tensor<3x4x5xui8>
  %b = graph.broadcast %symbols [2] : tensor<5xui8> -> tensor<3x4x5xui8>
  %c = graph.compare eq, %a, %b : tensor<3x4x5xui8> -> tensor<3x4x5xi1>
  %f = graph.convert %c : tensor<3x4x5xi1> -> tensor<3x4x5xf32>
  %h = graph.reshape %f : tensor<3x4x5xf32> -> tensor<3x20xf32>
  %w = graph.get_param @weight : tensor<20x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<3x20xf32>, tensor<20x16xf32>) -> tensor<3x16xf32>
  return %r : tensor<3x16xf32>
}

graph.param @embedding : tensor<6x8xf32>
graph.param @wide : tensor<24x16xf32>
graph.param @tall : tensor<16x24xf32>

// The product of an embedding row and the weights of each position is computed before a run.
// CHECK-LABEL: @embedded
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xui8>)
// CHECK-DAG: %[[E:.*]] = graph.get_param @embedding
// CHECK-DAG: %[[W:.*]] = graph.get_param @wide
// CHECK: %[[PARTS:.*]] = graph.reshape %[[W]] : tensor<24x16xf32> -> tensor<3x8x16xf32>
// CHECK: %[[PRODUCTS:.*]] = graph.dot_general %[[E]], %[[PARTS]] <batching = [] x [], contracting = [1] x [1]>
// CHECK: %[[TABLE:.*]] = graph.transpose %[[PRODUCTS]] [1, 0, 2] : tensor<6x3x16xf32> -> tensor<3x6x16xf32>
// CHECK: %[[PLACES:.*]] = graph.reshape %[[X]] {{.*}} -> tensor<?x3x1xui8>
// CHECK: %[[CHOSEN:.*]] = graph.gather %[[TABLE]], %[[PLACES]]
// CHECK: graph.reduce sum, %[[CHOSEN]] [1]
// CHECK-NOT: graph.dot_general
func.func @embedded(%x: tensor<?x3xui8>) -> tensor<?x16xf32> {
  %n = graph.dim %x, 0 : tensor<?x3xui8>
  %i = graph.convert %x : tensor<?x3xui8> -> tensor<?x3xi64>
  %e = graph.get_param @embedding : tensor<6x8xf32>
  %g = graph.gather %e, %i <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 8] : (tensor<6x8xf32>, tensor<?x3xi64>) -> tensor<?x3x8xf32>
  %h = graph.reshape %g [%n] : tensor<?x3x8xf32> -> tensor<?x24xf32>
  %w = graph.get_param @wide : tensor<24x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<?x24xf32>, tensor<24x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// CHECK-LABEL: @embedded_by_columns
// CHECK: %[[PARTS:.*]] = graph.reshape %{{.*}} : tensor<16x24xf32> -> tensor<16x3x8xf32>
// CHECK: %[[PRODUCTS:.*]] = graph.dot_general %{{.*}}, %[[PARTS]] <batching = [] x [], contracting = [1] x [2]>
// CHECK: graph.transpose %[[PRODUCTS]] [2, 0, 1] : tensor<6x16x3xf32> -> tensor<3x6x16xf32>
func.func @embedded_by_columns(%i: tensor<5x3x1xi32>) -> tensor<5x16xf32> {
  %e = graph.get_param @embedding : tensor<6x8xf32>
  %g = graph.gather %e, %i <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 8] : (tensor<6x8xf32>, tensor<5x3x1xi32>) -> tensor<5x3x8xf32>
  %h = graph.reshape %g : tensor<5x3x8xf32> -> tensor<5x24xf32>
  %w = graph.get_param @tall : tensor<16x24xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [1]> : (tensor<5x24xf32>, tensor<16x24xf32>) -> tensor<5x16xf32>
  return %r : tensor<5x16xf32>
}

// The table comes from outside.
// CHECK-LABEL: @embedded_argument
// CHECK: graph.dot_general %{{.*}} -> tensor<5x16xf32>
func.func @embedded_argument(%i: tensor<5x3xi32>, %e: tensor<6x8xf32>) -> tensor<5x16xf32> {
  %g = graph.gather %e, %i <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 8] : (tensor<6x8xf32>, tensor<5x3xi32>) -> tensor<5x3x8xf32>
  %h = graph.reshape %g : tensor<5x3x8xf32> -> tensor<5x24xf32>
  %w = graph.get_param @wide : tensor<24x16xf32>
  %r = graph.dot_general %h, %w <batching = [] x [], contracting = [1] x [0]> : (tensor<5x24xf32>, tensor<24x16xf32>) -> tensor<5x16xf32>
  return %r : tensor<5x16xf32>
}
