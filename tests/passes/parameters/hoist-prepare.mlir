// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on parameters moves into @prepare; free movement and small constants stay.
//
// RUN: zenith-opt %s --split-input-file --pass-pipeline='builtin.module(zenith-hoist-prepare)' | FileCheck %s -enable-var-scope

graph.param @w : tensor<2x3xf32>

// CHECK-LABEL: func.func @transposed_weight
// CHECK: %[[T:.*]] = graph.get_param @derived_0 : tensor<3x2xf32>
// CHECK: graph.dot_general %{{.*}}, %[[T]]
// CHECK: graph.derived_param @derived_0 : tensor<3x2xf32> from 0
// CHECK: func.func private @prepare() -> tensor<3x2xf32>
// CHECK: %[[W:.*]] = graph.get_param @w
// CHECK: %[[R:.*]] = graph.transpose %[[W]] [1, 0]
// CHECK: return %[[R]]
func.func @transposed_weight(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
  %w = graph.get_param @w : tensor<2x3xf32>
  %t = graph.transpose %w [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %r = graph.dot_general %x, %t <batching = [] x [], contracting = [1] x [0]> : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

graph.param @b : tensor<3xf32>

// CHECK-LABEL: func.func @broadcast_stays
// CHECK: graph.get_param @b
// CHECK: graph.broadcast
// CHECK-NOT: @prepare
func.func @broadcast_stays(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %b = graph.get_param @b : tensor<3xf32>
  %w = graph.broadcast %b [1] : tensor<3xf32> -> tensor<4x3xf32>
  %r = graph.add %x, %w : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

// Functions share @prepare, and one value is computed once.
graph.param @s : tensor<3xf32>

// CHECK-LABEL: func.func @first
// CHECK: graph.get_param @derived_0
// CHECK-LABEL: func.func @second
// CHECK: graph.get_param @derived_1
// CHECK: func.func private @prepare() -> (tensor<3xf32>, tensor<3xf32>)
func.func @first(%x: tensor<3xf32>) -> tensor<3xf32> {
  %s = graph.get_param @s : tensor<3xf32>
  %e = graph.exp %s : tensor<3xf32>
  %a = graph.add %x, %e : tensor<3xf32>
  %r = graph.mul %a, %e : tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @second(%x: tensor<3xf32>) -> tensor<3xf32> {
  %s = graph.get_param @s : tensor<3xf32>
  %e = graph.log %s : tensor<3xf32>
  %r = graph.mul %x, %e : tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// CHECK: graph.param @constant_0 : tensor<256xi32> = dense<"0x
// CHECK-LABEL: func.func @large_constant
// CHECK: graph.get_param @constant_0
// CHECK: graph.constant dense<[1, 2]>
func.func @large_constant(%x: tensor<256xi32>, %y: tensor<2xi32>) -> (tensor<256xi32>, tensor<2xi32>) {
  %c = graph.constant dense<"0x000000000100000002000000030000000400000005000000060000000700000008000000090000000A0000000B0000000C0000000D0000000E0000000F000000100000001100000012000000130000001400000015000000160000001700000018000000190000001A0000001B0000001C0000001D0000001E0000001F000000200000002100000022000000230000002400000025000000260000002700000028000000290000002A0000002B0000002C0000002D0000002E0000002F000000300000003100000032000000330000003400000035000000360000003700000038000000390000003A0000003B0000003C0000003D0000003E0000003F000000400000004100000042000000430000004400000045000000460000004700000048000000490000004A0000004B0000004C0000004D0000004E0000004F000000500000005100000052000000530000005400000055000000560000005700000058000000590000005A0000005B0000005C0000005D0000005E0000005F000000600000006100000062000000630000006400000065000000660000006700000068000000690000006A0000006B0000006C0000006D0000006E0000006F000000700000007100000072000000730000007400000075000000760000007700000078000000790000007A0000007B0000007C0000007D0000007E0000007F000000800000008100000082000000830000008400000085000000860000008700000088000000890000008A0000008B0000008C0000008D0000008E0000008F000000900000009100000092000000930000009400000095000000960000009700000098000000990000009A0000009B0000009C0000009D0000009E0000009F000000A0000000A1000000A2000000A3000000A4000000A5000000A6000000A7000000A8000000A9000000AA000000AB000000AC000000AD000000AE000000AF000000B0000000B1000000B2000000B3000000B4000000B5000000B6000000B7000000B8000000B9000000BA000000BB000000BC000000BD000000BE000000BF000000C0000000C1000000C2000000C3000000C4000000C5000000C6000000C7000000C8000000C9000000CA000000CB000000CC000000CD000000CE000000CF000000D0000000D1000000D2000000D3000000D4000000D5000000D6000000D7000000D8000000D9000000DA000000DB000000DC000000DD000000DE000000DF000000E0000000E1000000E2000000E3000000E4000000E5000000E6000000E7000000E8000000E9000000EA000000EB000000EC000000ED000000EE000000EF000000F0000000F1000000F2000000F3000000F4000000F5000000F6000000F7000000F8000000F9000000FA000000FB000000FC000000FD000000FE000000FF000000"> : tensor<256xi32>
  %d = graph.constant dense<[1, 2]> : tensor<2xi32>
  %r = graph.add %x, %c : tensor<256xi32>
  %s = graph.add %y, %d : tensor<2xi32>
  return %r, %s : tensor<256xi32>, tensor<2xi32>
}

// -----

// Packed weights are read through movement that stays with their reader.
graph.param @p : tensor<2x3xf32>

// CHECK-LABEL: func.func @unpacking_stays
// CHECK: %[[D:.*]] = graph.get_param @derived_0 : tensor<2x3x2xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[D]] [1, 0, 2]
// CHECK: %[[M:.*]] = graph.reshape %[[T]]
// CHECK: graph.dot_general %{{.*}}, %[[M]]
func.func @unpacking_stays(%x: tensor<5x3xf32>) -> tensor<5x4xf32> {
  %w = graph.get_param @p : tensor<2x3xf32>
  %t = graph.transpose %w [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %j = graph.concat 1, %t, %t : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %s = graph.reshape %j : tensor<3x4xf32> -> tensor<3x2x2xf32>
  %q = graph.transpose %s [1, 0, 2] : tensor<3x2x2xf32> -> tensor<2x3x2xf32>
  %u = graph.transpose %q [1, 0, 2] : tensor<2x3x2xf32> -> tensor<3x2x2xf32>
  %m = graph.reshape %u : tensor<3x2x2xf32> -> tensor<3x4xf32>
  %r = graph.dot_general %x, %m <batching = [] x [], contracting = [1] x [0]> : (tensor<5x3xf32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}

// -----

// So are packed tables whose rows are added.
graph.param @rows : tensor<6x8xf32>

// CHECK-LABEL: func.func @unpacking_of_tables_stays
// CHECK: %[[D:.*]] = graph.get_param @derived_0 : tensor<2x6x4xf32>
// CHECK: %[[T:.*]] = graph.transpose %[[D]] [1, 0, 2]
// CHECK: %[[M:.*]] = graph.reshape %[[T]]
// CHECK: graph.gather %[[M]]
func.func @unpacking_of_tables_stays(%x: tensor<5x3x1xui8>) -> tensor<5x8xf32> {
  %w = graph.get_param @rows : tensor<6x8xf32>
  %s = graph.reshape %w : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %q = graph.transpose %s [1, 0, 2] : tensor<6x2x4xf32> -> tensor<2x6x4xf32>
  %u = graph.transpose %q [1, 0, 2] : tensor<2x6x4xf32> -> tensor<6x2x4xf32>
  %m = graph.reshape %u : tensor<6x2x4xf32> -> tensor<6x8xf32>
  %g = graph.gather %m, %x <offset = [2], collapsed = [0], batching = [] x [], index_map = [0], index_vector_dim = 2> sizes [1, 8] : (tensor<6x8xf32>, tensor<5x3x1xui8>) -> tensor<5x3x8xf32>
  %r = graph.reduce sum, %g [1] : tensor<5x3x8xf32> -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// -----

// Sizes that a parameter says are known in a run only.
graph.param @n : tensor<i64>

// CHECK-LABEL: func.func @element_counts_stay
// CHECK: graph.iota
// CHECK-NOT: @prepare
func.func @element_counts_stay() -> tensor<?xi64> {
  %n = graph.get_param @n : tensor<i64>
  %i = graph.iota 0 [%n] : tensor<?xi64>
  return %i : tensor<?xi64>
}
