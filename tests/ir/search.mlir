// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, generic and bytecode forms of the search dialect.
//
// RUN: zenith-opt %s | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --mlir-print-op-generic | zenith-opt | FileCheck %s
// RUN: zenith-opt %s --emit-bytecode | zenith-opt | FileCheck %s

func.func @dedup(%a: tensor<8xui64>, %b: tensor<8xui64>, %k: tensor<5xui64>, %n: tensor<3x1x2xui16>, %i: tensor<3x1x2x16xui64>) {
  // CHECK: search.dedup(%{{.*}}, %{{.*}}) known(%{{.*}}) key [255] : (tensor<8xui64>, tensor<8xui64>, tensor<5xui64>) -> tensor<?xui64>
  %r = search.dedup (%a, %b) known (%k) key [255] : (tensor<8xui64>, tensor<8xui64>, tensor<5xui64>) -> tensor<?xui64>
  // CHECK: search.dedup(%{{.*}}, %{{.*}}) key [-1, 7] absent -1 : (tensor<8xui64>, tensor<8xui64>) -> (tensor<?xui64>, tensor<?xui64>)
  %p, %q = search.dedup (%a, %b) key [-1, 7] absent -1 : (tensor<8xui64>, tensor<8xui64>) -> (tensor<?xui64>, tensor<?xui64>)
  // CHECK: search.dedup(%{{.*}}) known(%{{.*}}) images(%{{.*}}, %{{.*}}) key [255] ties 8 : (tensor<8xui64>, tensor<5xui64>, tensor<3x1x2xui16>, tensor<3x1x2x16xui64>) -> tensor<?xui64>
  %s = search.dedup (%a) known (%k) images (%n, %i) key [255] ties 8 : (tensor<8xui64>, tensor<5xui64>, tensor<3x1x2xui16>, tensor<3x1x2x16xui64>) -> tensor<?xui64>
  return
}

func.func @bits(%x: tensor<8xui64>, %a: tensor<3xui64>) {
  // CHECK: search.bit_positions %{{.*}} : tensor<8xui64> -> tensor<?xui64>
  %p = search.bit_positions %x : tensor<8xui64> -> tensor<?xui64>
  // CHECK: search.bitset_difference %{{.*}}(%{{.*}}, %{{.*}}) : (tensor<8xui64>, tensor<3xui64>, tensor<3xui64>) -> (tensor<8xui64>, tensor<i64>)
  %r, %n = search.bitset_difference %x (%a, %a) : (tensor<8xui64>, tensor<3xui64>, tensor<3xui64>) -> (tensor<8xui64>, tensor<i64>)
  return
}

func.func @coset_bit_rows(%k: tensor<3x1xui64>, %s: tensor<3x2xui32>, %m: tensor<3x2xui16>, %c: tensor<4x24xui16>) {
  // CHECK: search.coset_bit_rows %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<3x1xui64>, tensor<3x1xui64>, tensor<3x2xui32>, tensor<3x2xui16>, tensor<4x24xui16>) -> (tensor<3x1xui64>, tensor<3x1xui64>, tensor<i64>)
  %r, %a, %n = search.coset_bit_rows %k, %k, %s, %m, %c : (tensor<3x1xui64>, tensor<3x1xui64>, tensor<3x2xui32>, tensor<3x2xui16>, tensor<4x24xui16>) -> (tensor<3x1xui64>, tensor<3x1xui64>, tensor<i64>)
  return
}

func.func @coset_bits(%x: tensor<?x3xui8>, %s: tensor<3xui8>, %i: tensor<6xui16>, %m: tensor<5x3xui16>, %r: tensor<3x3xui16>, %b: tensor<8xui64>) {
  // CHECK: %[[BITS:.*]] = search.coset_bits %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} points [0, 1] of [1, 1] sizes [3, 2] rows 1 words 1 : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  %p = search.coset_bits %x, %s, %i, %m, %r points [0, 1] of [1, 1] sizes [3, 2] rows 1 words 1 : (tensor<?x3xui8>, tensor<3xui8>, tensor<6xui16>, tensor<5x3xui16>, tensor<3x3xui16>) -> tensor<?xui64>
  // CHECK: search.test_bits %{{.*}} at %[[BITS]] : (tensor<8xui64>, tensor<?xui64>) -> tensor<?xi1>
  %t = search.test_bits %b at %p : (tensor<8xui64>, tensor<?xui64>) -> tensor<?xi1>
  return
}

func.func @noted(%x: tensor<?xui64>, %b: tensor<8xui64>, %r: tensor<?xi64>, %i: tensor<i64>) {
  // CHECK: %[[PLACES:.*]], %[[COUNTS:.*]], %[[WORDS:.*]], %[[MASKS:.*]], %[[FIRSTS:.*]] = search.index_bits %{{.*}} words 8 : tensor<?xui64> -> tensor<?xi64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>
  %p, %n, %w, %m, %f = search.index_bits %x words 8 : tensor<?xui64> -> tensor<?xi64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>
  // CHECK: search.note_bits %{{.*}} at(%[[WORDS]], %[[MASKS]], %[[FIRSTS]]) counts %[[COUNTS]] into %{{.*}} number %{{.*}} : (tensor<8xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<i64>)
  %a, %c = search.note_bits %b at (%w, %m, %f) counts %n into %r number %i : (tensor<8xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xui64>, tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<i64>)
  return
}

func.func @test_and_set(%k: tensor<8xui64>, %a: tensor<3xui64>) {
  // CHECK: search.test_and_set %{{.*}}(%{{.*}}, %{{.*}}) : (tensor<8xui64>, tensor<3xui64>, tensor<3xui64>) -> (tensor<?xui64>, tensor<8xui64>)
  %p, %r = search.test_and_set %k (%a, %a) : (tensor<8xui64>, tensor<3xui64>, tensor<3xui64>) -> (tensor<?xui64>, tensor<8xui64>)
  // CHECK: search.test_and_set %{{.*}}(%{{.*}}) tags 2 : (tensor<8xui64>, tensor<3xui64>) -> (tensor<?xui64>, tensor<8xui64>)
  %q, %s = search.test_and_set %k (%a) tags 2 : (tensor<8xui64>, tensor<3xui64>) -> (tensor<?xui64>, tensor<8xui64>)
  return
}

func.func @count_neighbours(%x: tensor<?x3xui8>, %s: tensor<2x3xui32>, %k: tensor<5x3xui8>) {
  // CHECK: search.count_neighbours %{{.*}} moved by %{{.*}} : (tensor<?x3xui8>, tensor<2x3xui32>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
  %a, %b, %m = search.count_neighbours %x moved by %s : (tensor<?x3xui8>, tensor<2x3xui32>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
  // CHECK: search.count_neighbours %{{.*}} moved by %{{.*}} without(%{{.*}}, %{{.*}}) : (tensor<?x3xui8>, tensor<2x3xui32>, tensor<5x3xui8>, tensor<?x3xui8>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
  %c, %d, %n = search.count_neighbours %x moved by %s without (%k, %x) : (tensor<?x3xui8>, tensor<2x3xui32>, tensor<5x3xui8>, tensor<?x3xui8>) -> (tensor<i64>, tensor<i64>, tensor<?xi1>)
  return
}

func.func @append_new(%i: tensor<?xui64>, %k: tensor<?x3xui8>, %w: tensor<?xui64>, %a: tensor<4x3xui8>, %b: tensor<4xui64>, %c: tensor<i64>) {
  // CHECK: search.append_new %{{.*}}, (%{{.*}}), (%{{.*}}) count %{{.*}} rows %{{.*}} cells %{{.*}} : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x3xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<i64>)
  %j, %l, %n = search.append_new %i, (%k), (%a) count %c rows %c cells %c : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x3xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<i64>)
  // CHECK: search.append_new %{{.*}}, (%{{.*}}, %{{.*}}), (%{{.*}}, %{{.*}}) count
  %p, %q, %r, %s = search.append_new %i, (%k, %w), (%a, %b) count %c rows %c cells %c : (tensor<?xui64>, tensor<?x3xui8>, tensor<?xui64>, tensor<4x3xui8>, tensor<4xui64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<?xui64>, tensor<i64>)
  // CHECK: search.append_new {{.*}} cells %{{.*}} compared 0 : (tensor<?xui64>,
  %t, %u, %v = search.append_new %i, (%k), (%a) count %c rows %c cells %c compared 0 : (tensor<?xui64>, tensor<?x3xui8>, tensor<4x3xui8>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<?xui64>, tensor<?x3xui8>, tensor<i64>)
  return
}
